"""Make the page that scores in the browser.

python page/build.py PYODIDE.tgz SCORER.whl PAGE.html

The page is one file. It holds Pyodide, the wheel of this project, the pure Python of the packages
that it needs, and the example, all compressed, and the licences of all these. It fetches nothing.
"""

from __future__ import annotations

import gzip
import html
import json
import re
import sys
import tarfile
from base64 import b64encode
from hashlib import sha256, sha512
from importlib.metadata import files
from io import BytesIO
from pathlib import Path
from zipfile import ZipFile, ZipInfo

from scorer.cli.main import main as run_command
from scorer.report.page import FOLDER as TEMPLATES
from scorer.version import __version__

HERE = Path(__file__).parent
FIXTURES = HERE.parent / "fixtures"
PINNED = json.loads((HERE / "pyodide.json").read_text("utf-8"))
PYODIDE_FILES = (
    "pyodide.mjs",
    "pyodide.asm.mjs",
    "pyodide.asm.wasm",
    "python_stdlib.zip",
    "pyodide-lock.json",
)
EXAMPLE_FILES = ("example.key.conll", "example.response.conll")
PACKAGES = ("jinja2", "markupsafe", "tabulate", "wcwidth")
"""What reports need. Of markupsafe its Python is enough."""
EARLIEST = (1980, 1, 1, 0, 0, 0)
"""The time of every file in the archive, so that the same input makes the same page."""


def main(pyodide: str, wheel: str, page: str) -> None:
    """Write the page."""
    embedded = {**pyodide_files(Path(pyodide)), "site.zip": site_archive(Path(wheel))}
    embedded |= {name: (FIXTURES / name).read_bytes() for name in EXAMPLE_FILES}
    Path(page).parent.mkdir(parents=True, exist_ok=True)
    Path(page).write_text(page_of(embedded), encoding="utf-8")


def pyodide_files(archive: Path) -> dict[str, bytes]:
    """Return the files of Pyodide; SystemExit where the package is not the one that is pinned."""
    digest = b64encode(sha512(archive.read_bytes()).digest()).decode()
    if f"sha512-{digest}" != PINNED["integrity"]:
        sys.exit(f"{archive}: not Pyodide {PINNED['version']}, its hash differs; fetch it again")
    with tarfile.open(archive) as opened:
        return {name: opened.extractfile(f"package/{name}").read() for name in PYODIDE_FILES}


def site_archive(wheel: Path) -> bytes:
    """Return a zip archive of the Python packages, without compiled files."""
    contents = {"commands.py": (HERE / "commands.py").read_bytes()}
    with ZipFile(wheel) as opened:
        for name in opened.namelist():
            if ".data/" not in name:
                contents[name] = opened.read(name)
    for package in PACKAGES:
        for path in files(package) or []:
            if path.suffix == ".py" and ".." not in path.parts:
                contents[str(path)] = path.read_binary()
    archive = BytesIO()
    # As one piece it is compressed better than file by file.
    with ZipFile(archive, "w") as written:
        for name, content in sorted(contents.items()):
            written.writestr(ZipInfo(name, EARLIEST), content)
    return archive.getvalue()


def licences() -> str:
    """Return the licences of all parts; SystemExit where a package comes without its own."""
    texts = {"conll-scorer": HERE.parent / "LICENSE"}
    texts |= {name: HERE / "licences" / f"{name}.txt" for name in ("Pyodide", "Python")}
    for package in PACKAGES:
        licence = [path for path in files(package) or [] if path.name.startswith("LICENSE")]
        if not licence:
            sys.exit(f"{package}: no LICENSE is installed with it; install another version")
        texts[package] = Path(licence[0].locate())
    return "\n\n".join(f"{name}\n\n{path.read_text('utf-8')}" for name, path in texts.items())


def page_of(embedded: dict[str, bytes]) -> str:
    """Return the page with its style, scripts and files, and the policy that allows these alone."""
    styles = [Path(TEMPLATES, "plot.css"), Path(TEMPLATES, "page.css"), HERE / "score.css"]
    style = "".join(path.read_text("utf-8") for path in styles)
    script = (HERE / "score.js").read_text("utf-8")
    blocks = []
    for name, content in embedded.items():
        encoded = b64encode(gzip.compress(content, 9, mtime=0)).decode()
        blocks.append(f'<script type="text/plain" data-file="{name}">{encoded}</script>')
    values = {
        "POLICY": policy_of(style, script),
        "STYLE": style,
        "SCRIPT": script,
        "WORKER": (HERE / "worker.js").read_text("utf-8"),
        "FILES": "\n".join(blocks),
        "LICENCES": html.escape(licences()),
        "VERSION": f"conll-scorer {__version__}",
        "PYODIDE": PINNED["version"],
    }
    template = (HERE / "score.html").read_text("utf-8")
    return re.sub(r"@([A-Z]+)@", lambda match: values[match[1]], template)


def policy_of(style: str, script: str) -> str:
    """Return the policy: nothing is fetched, and only these scripts and those of reports run.

    Frames inherit it, so the hashes that reports allow are in it.
    """
    reports = "".join(report(name) for name in ("score", "errors"))
    script_hashes = [hashed(script), *re.findall(r"script-src ('[^']+')", reports)]
    style_hashes = [hashed(style), *re.findall(r"style-src ('[^']+')", reports)]
    directives = {
        "default-src": ["'none'"],
        "connect-src": ["'none'"],
        "script-src": ["blob:", "'wasm-unsafe-eval'", *dict.fromkeys(script_hashes)],
        "style-src": [*dict.fromkeys(style_hashes)],
        "worker-src": ["blob:"],
        "frame-src": ["blob:"],
        "base-uri": ["'none'"],
        "form-action": ["'none'"],
    }
    return "; ".join(f"{name} {' '.join(sources)}" for name, sources in directives.items())


def report(command: str) -> str:
    """Return the HTML report that a command makes of the example."""
    from tempfile import TemporaryDirectory

    paths = [str(FIXTURES / name) for name in EXAMPLE_FILES]
    with TemporaryDirectory() as folder:
        output = Path(folder, "report.html")
        run_command([command, *paths, "--output", str(output), "--quiet"])
        return output.read_text("utf-8")


def hashed(text: str) -> str:
    """Return the source of a policy that allows this text."""
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


if __name__ == "__main__":
    main(*sys.argv[1:])
