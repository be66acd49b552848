"""What `make release-check` asks: of a wheel, in a clean environment and away from the checkout,
and of the README's first command.

python tests/release.py DIST
"""

import os
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
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
NOBODY = "The conll-scorer authors"
SCRIPTS = "Scripts" if sys.platform == "win32" else "bin"
PRINTED = {
    "scorer --version": "conll-scorer {version}\n",
    "scorer.pl muc KEY RESPONSE none": "Coreference: Recall: (5 / 7) 71.42%\tPrecision: (5 / 7) 71.42%",
    "scorer score KEY RESPONSE": "muc          71.43        71.43   71.43            5 / 7",
    "scorer score KEY RESPONSE --format latex": "B$^3$",
    "scorer score KEY RESPONSE --format html": "</html>",
    "scorer compare KEY RESPONSE --trials 100": "95% interval",
    'python -c \'import scorer; print(scorer.score("KEY", "RESPONSE").ratios("muc").f1)\'': "0.714285",
    "python -m pip check": "No broken requirements found.",
}
"""What commands print of the pair that ships: 5 of 7 links, as the README says."""


def refuse(reason):
    """End with what is wrong with a wheel."""
    sys.exit(f"release-check: {reason}")


def check_contents(wheel):
    """The wheel holds every file of the packages and no other, the script and the licence."""
    with ZipFile(wheel) as archive:
        names = {*archive.namelist()}
    packages = PROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]
    paths = [path for package in packages for path in (ROOT / package).rglob("*") if path.is_file()]
    expected = {
        path.relative_to(ROOT).as_posix() for path in paths if path.parent.name != "__pycache__"
    }
    differing = expected ^ {name for name in names if name.partition("/")[0] in packages}
    if differing:
        refuse(f"{wheel.name} differs from the checkout in {', '.join(sorted(differing))}")
    for end in (".data/scripts/scorer.pl", ".dist-info/licenses/LICENSE"):
        if not any(name.endswith(end) for name in names):
            refuse(f"{wheel.name} holds no {end}")


def check_installed(wheel, version):
    """Installed by itself, it does its work."""
    with tempfile.TemporaryDirectory() as folder:
        venv.create(Path(folder, "clean"), with_pip=True)
        commands = Path(folder, "clean", SCRIPTS)
        run(f"python -m pip install --quiet --disable-pip-version-check {wheel}", folder, commands)
        for side in ("key", "response"):
            shutil.copy(ROOT / "fixtures" / f"example.{side}.conll", Path(folder, side.upper()))
        for command, expected in PRINTED.items():
            out = run(command, folder, commands)
            if expected.format(version=version) not in out:
                refuse(f"{command} does not print {expected!r}, but:\n{out}")


def check_beside_another_conll(wheel):
    """Another package that brings conll/__init__.py is named, whichever comes first."""
    for order in ("ours first", "ours last"):
        with tempfile.TemporaryDirectory() as folder:
            other = write_other_conll(Path(folder))
            venv.create(Path(folder, "clean"), with_pip=True)
            commands = Path(folder, "clean", SCRIPTS)
            install = "python -m pip install --quiet --disable-pip-version-check --no-deps"
            for package in (wheel, other) if order == "ours first" else (other, wheel):
                run(f"{install} {package}", folder, commands)
            if order == "ours last":
                run("scorer --version", folder, commands)
                run("python -m pip uninstall --quiet --yes other-conll", folder, commands)
            said = run("scorer --version 2>&1 || true", folder, commands)
            if "another package has overwritten or removed" not in said or said.count("\n") != 1:
                refuse(
                    f"next to another package conll, {order}, this is no line of advice:\n{said}"
                )
            run(f"{install} --force-reinstall {wheel}", folder, commands)
            run("scorer --version", folder, commands)


def write_other_conll(folder):
    """Write the wheel of a package that brings conll/__init__.py."""
    wheel = folder / "other_conll-1.0-py3-none-any.whl"
    about = "other_conll-1.0.dist-info"
    files = {
        "conll/__init__.py": "raise ImportError('this is another package')\n",
        f"{about}/METADATA": "Metadata-Version: 2.1\nName: other-conll\nVersion: 1.0\n",
        f"{about}/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    files[f"{about}/RECORD"] = "".join(f"{name},,\n" for name in [*files, f"{about}/RECORD"])
    with ZipFile(wheel, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return wheel


def left_to_the_owner(version):
    """What only the owner can fill in before the first upload, a line each."""
    citation = (ROOT / "CITATION.cff").read_text("utf-8")
    readme = (ROOT / "README.md").read_text("utf-8")
    site = (ROOT / "mkdocs.yml").read_text("utf-8")
    if ".dev" in version:
        yield f"scorer/version.py: {version} is the version between two releases"
    if any(author["name"] == NOBODY for author in PROJECT["project"]["authors"]):
        yield "pyproject.toml: authors, their names"
    if NOBODY in citation:
        yield "CITATION.cff: authors, their names"
    for field in ("date-released", "repository-code"):
        if not re.search(rf"^{field}: ", citation, re.MULTILINE):
            yield f"CITATION.cff: {field}"
    for field in ("site_url", "repo_url"):
        if not re.search(rf"^{field}: ", site, re.MULTILINE):
            yield f"mkdocs.yml: {field}"
    if "<address" in readme:
        yield "README.md: the address to clone"
    if "Repository" not in PROJECT["project"].get("urls", {}):
        yield "pyproject.toml: Repository in project.urls, to which the package page links"


def check_links(wheel):
    """Once the address of the repository is known, no link of the package page is relative."""
    with ZipFile(wheel) as archive:
        [name] = [name for name in archive.namelist() if name.endswith(".dist-info/METADATA")]
        page = archive.read(name).decode()
    relative = re.findall(r"\]\((?!\w+:|#)([^)]+)\)", page)
    if relative and "Repository" in PROJECT["project"].get("urls", {}):
        refuse(f"{wheel.name}: the package page links to {', '.join(relative)}")


def check_ready(version):
    """List what is left to the owner; on a tag, nothing may be."""
    left = [*left_to_the_owner(version)]
    for line in left:
        sys.stdout.write(f"to fill in: {line}\n")
    tag = subprocess.run(
        ["git", "tag", "--points-at", "HEAD", "--list", "v*"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    ).stdout.strip()
    if tag and left:
        refuse(f"{tag} cannot be released: {len(left)} things are to be filled in")
    if tag and tag != f"v{version}":
        refuse(f"{tag} is the tag of another version than {version}")


def check_first_command():
    """In a copy of what a clone holds, the README's command sets up and prints every metric."""
    readme = (ROOT / "README.md").read_text("utf-8")
    first = re.search(r"^python3 -m venv .*example.response.conll none$", readme, re.MULTILINE)[0]
    with tempfile.TemporaryDirectory() as folder:
        unneeded = shutil.ignore_patterns(".*", "__pycache__", "site", "dist")
        shutil.copytree(ROOT, Path(folder, "clone"), ignore=unneeded)
        out = run(first, Path(folder, "clone"))
    metrics = " ".join(re.findall(r"^METRIC (\w+):", out, re.MULTILINE))
    if not out.startswith("version: 8.01 ") or metrics != "muc bcub ceafm ceafe blanc":
        refuse(f"{first} does not print all metrics, but:\n{out}")


def run(command, folder, commands=None):
    """Standard output of a command that has to succeed, with the programs of a folder."""
    path = os.environ["PATH"]
    path = path if commands is None else f"{commands}{os.pathsep}{path}"
    done = subprocess.run(
        command,
        shell=True,
        cwd=folder,
        env=os.environ | {"PATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        refuse(f"{command} ends with {done.returncode}:\n{done.stdout}{done.stderr}")
    return done.stdout


def main(dist):
    """Check the wheel of a folder."""
    text = (ROOT / "scorer" / "version.py").read_text("utf-8")
    version = re.search(r'__version__ = "(.+)"', text)[1]
    wheels = sorted(Path(dist).resolve().glob("*.whl"))
    if len(wheels) != 1:
        refuse(f"{dist} holds {len(wheels)} wheels, and not one")
    check_ready(version)
    check_contents(wheels[0])
    check_links(wheels[0])
    check_installed(wheels[0], version)
    check_beside_another_conll(wheels[0])
    check_first_command()
    sys.stdout.write(
        f"release-check: {wheels[0].name} holds what it should, and scores in a clean environment\n"
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
