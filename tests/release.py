"""What `make release-check` asks: of a wheel, in a clean environment and away from the checkout, and of the README's first command.

python tests/release.py DIST
"""

import email
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib  # pytest brings it where Python has none
import venv
from pathlib import Path
from zipfile import ZipFile

ROOT = Path(__file__).parents[1]
LIGHT = {"jinja2", "numpy", "pandas", "scipy", "tabulate", "tqdm", "wcwidth"}
"""All that the package itself may need; what more it can do takes an extra."""
SCRIPTS = "Scripts" if sys.platform == "win32" else "bin"


class WrongError(Exception):
    """What is wrong with a wheel."""


def metadata(wheel):
    """The fields of METADATA, and the names of all files."""
    with ZipFile(wheel) as archive:
        names = archive.namelist()
        (path,) = (name for name in names if name.endswith(".dist-info/METADATA"))
        return email.message_from_bytes(archive.read(path)), names


def check_contents(wheel, version):
    """The wheel is of that version, needs little, and holds every module, the script and the licence."""
    fields, names = metadata(wheel)
    if fields["Version"] != version:
        raise WrongError(
            f"{wheel.name} says that it is {fields['Version']}, but scorer/version.py "
            f"says {version}"
        )
    needs = {
        one.split(">")[0].strip()
        for one in fields.get_all("Requires-Dist")
        if "extra ==" not in one
    }
    if not needs <= LIGHT:
        raise WrongError(
            f"{wheel.name} needs {', '.join(sorted(needs - LIGHT))} as well; make it an extra"
        )
    packages = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["hatch"][
        "build"
    ]["targets"]["wheel"]["packages"]
    paths = [path for package in packages for path in (ROOT / package).rglob("*") if path.is_file()]
    here = [
        path.relative_to(ROOT).as_posix() for path in paths if path.parent.name != "__pycache__"
    ]
    (info,) = {name.partition("/")[0] for name in names if ".dist-info/" in name}
    data = info.replace(".dist-info", ".data")
    expected = {
        *here,
        f"{data}/scripts/scorer.pl",
        f"{info}/licenses/LICENSE",
        f"{info}/entry_points.txt",
    }
    found = {name for name in names if not name.endswith(("/METADATA", "/WHEEL", "/RECORD"))}
    if found != expected:
        raise WrongError(
            f"{wheel.name} differs from the checkout in {', '.join(sorted(found ^ expected))}"
        )


def check_installed(wheel, version):
    """Installed by itself, it scores the pair that ships: 5 of 7 links, as the README says."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        venv.create(folder / "clean", with_pip=True)
        commands = folder / "clean" / SCRIPTS
        python = commands / "python"
        run(
            [
                python,
                "-m",
                "pip",
                "install",
                "--quiet",
                "--disable-pip-version-check",
                "--no-compile",
                wheel,
            ],
            folder,
        )
        for side in ("key", "response"):
            (folder / f"{side}.conll").write_bytes(
                (ROOT / "fixtures" / f"example.{side}.conll").read_bytes()
            )
        pair = ["key.conll", "response.conll"]
        for command, expected in (
            ([commands / "scorer", "--version"], f"conll-scorer {version}\n"),
            (
                [python, commands / "scorer.pl", "muc", *pair, "none"],
                "Coreference: Recall: (5 / 7) 71.42%\tPrecision: (5 / 7) 71.42%",
            ),
            (
                [commands / "scorer", "score", *pair],
                "muc          71.43        71.43   71.43            5 / 7               5 / 7\n",
            ),
            ([commands / "scorer", "score", *pair, "--format", "latex"], "B$^3$"),
            ([commands / "scorer", "compare", *pair, "--trials", "100"], "95% interval"),
            ([commands / "scorer", "score", *pair, "--format", "html"], "</html>"),
            (
                [
                    python,
                    "-c",
                    (
                        "import scorer; print(scorer.score(*['key.conll', "
                        "'response.conll']).ratios('muc').f1)"
                    ),
                ],
                "0.714285",
            ),
            ([python, "-m", "pip", "check"], "No broken requirements found."),
        ):
            out = run(command, folder)
            if expected not in out:
                raise WrongError(
                    f"{' '.join(map(str, command))} does not print {expected!r}, but:\n{out}"
                )


def check_first_command():
    """In a copy of what a clone holds, the README's command sets up and prints every metric."""
    readme = (ROOT / "README.md").read_text("utf-8")
    first = re.search(r"^python3 -m venv .*example.response.conll none$", readme, re.MULTILINE)[0]
    with tempfile.TemporaryDirectory() as name:
        clone = Path(name, "clone")
        shutil.copytree(
            ROOT, clone, ignore=shutil.ignore_patterns(".*", "__pycache__", "site", "dist")
        )
        out = run(["sh", "-c", first], clone)
    lines = out.splitlines()
    if not lines[0].startswith("version: 8.01 "):
        raise WrongError(f"{first} prints {lines[0]!r} first")
    metrics = [f"METRIC {metric}:" for metric in ("muc", "bcub", "ceafm", "ceafe", "blanc")]
    if [line for line in lines if line.startswith("METRIC")] != metrics:
        raise WrongError(f"{first} does not print all metrics, but:\n{out}")


def run(command, folder):
    """Standard output of a command that has to succeed."""
    done = subprocess.run(
        list(map(str, command)), cwd=folder, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise WrongError(
            f"{' '.join(map(str, command))} ends with "
            f"{done.returncode}:\n{done.stdout}{done.stderr}"
        )
    return done.stdout


def main(dist):
    """The exit status."""
    sys.path.insert(0, str(ROOT))
    from scorer.version import __version__

    wheels = sorted(Path(dist).resolve().glob("*.whl"))
    try:
        if len(wheels) != 1:
            raise WrongError(f"{dist} holds {len(wheels)} wheels, and not one")
        check_contents(wheels[0], __version__)
        check_installed(wheels[0], __version__)
        check_first_command()
    except WrongError as error:
        sys.stderr.write(f"release-check: {error}\n")
        return 1
    sys.stdout.write(
        f"release-check: {wheels[0].name} holds what it should, and scores in a clean environment\n"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
