"""What the shells complete, asked of the shells themselves, and the manual page."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from conll import formats
from scorer import registry
from scorer.cli import commands
from scorer.cli import main as manual
from scorer.cli.commands.completion import SHELLS, completions
from scorer.report.forms import names

ROOT = Path(__file__).parents[2]
FILES = ["fixtures/example.key.conll", "fixtures/example.response.conll"]


def needed(program):
    """Where a program is.

    Its tests are skipped without it, but not where CI is set, as `make shells` fetches it.
    """
    path = shutil.which(program)
    if path is None:
        missing = f"there is no {program} on the path; `make shells` installs it"
        if "CI" in os.environ:
            pytest.fail(missing)
        pytest.skip(missing)
    return path


CEAF = {f"{name}{variant}" for name in ("ceafe", "ceafm") for variant in ("", "_sys", "_conll_v4")}
COMPLETED = [
    (["scorer", "l"], {"leaderboard"}),
    (["scorer", "co"], {"codabench", "compare", "completion", "convert"}),
    (["scorer", "score", "--per-"], {"--per-document"}),
    (["scorer", "score", "--format", "j"], {"json", "jsonl"}),
    (["scorer", "score", "--format", "m"], {"markdown"}),
    (["scorer", "score", "--preset", "crac2"], {"crac22", "crac23", "crac24", "crac25"}),
    (["scorer", "score", "--metrics", "ceaf"], {"ceaf_e", "ceaf_m", *CEAF}),
    (["scorer", "score", "--key-format", "conll"], {"conll", "conll2012"}),
    (["scorer", "score", "fixtures/exam"], set(FILES)),
    (["scorer", "score", FILES[0], "fixtures/example.r"], {FILES[1]}),
    (["scorer", "score", *FILES, "-o", "READ"], {"README.md"}),
    (["scorer", "help", "f"], {"formats"}),
    (["scorer", "completion", "z"], {"zsh"}),
]
"""Words, and what may stand for the last of them."""

LINES = [" ".join(words) for words, _ in COMPLETED]
NEXT = "next line"
"""What stands before the answers to each line."""

BASH = f"""
source "$0"
for line; do
    echo '{NEXT}'
    COMP_WORDS=($line) COMPREPLY=()
    COMP_CWORD=$(( ${{#COMP_WORDS[@]}} - 1 ))
    $(complete -p scorer | sed 's/.* -F \\([^ ]*\\) .*/\\1/')
    printf '%s\\n' "${{COMPREPLY[@]}}"
done
"""
FISH = f"source $argv[1]; for line in $argv[2..]; echo '{NEXT}'; complete -C $line; end"
ZSH = """
autoload -U compinit; compinit -u -D
eval "$(<$ZDOTDIR/script)"
bindkey '^I' complete-word
compadd() {
    [[ "${@[1,(i)(-|--)]}" == *-(O|A|D)\\ * ]] && { builtin compadd "$@"; return $?; }
    local -a offered; builtin compadd -A offered "$@"; print -rl -- $offered >> $ZDOTDIR/found
}
PS1=READY
"""
"""What zsh reads as it starts: what is offered goes to a file and not to the line."""


def ask_zsh(path, folder):
    """What zsh finds for lines that are typed on a terminal, when TAB follows.

    Each is deleted then.
    """
    (folder / ".zshrc").write_text(ZSH)
    import pty  # which Windows lacks, as it does zsh

    ours, theirs = pty.openpty()
    environment = {**os.environ, "ZDOTDIR": str(folder), "TERM": "dumb"}
    with subprocess.Popen(
        [path, "-i"], stdin=theirs, stdout=theirs, stderr=theirs, cwd=ROOT, env=environment
    ) as process:
        os.close(theirs)
        for line in [
            *(f"{line}\t\x15print '{NEXT}' >> $ZDOTDIR/found\n" for line in LINES),
            "exit\n",
        ]:
            seen = b""
            while b"READY" not in seen:
                seen += os.read(ours, 1024)
            os.write(ours, line.encode())
        try:
            while os.read(ours, 1024):
                pass
        except OSError:  # how Linux ends the reading
            pass
        process.wait(timeout=60)
    os.close(ours)
    return (folder / "found").read_text()


@pytest.fixture(scope="module", params=SHELLS)
def completed(request, tmp_path_factory):
    """What a shell offers for the last word of each line.

    It takes longer to start than to answer.
    """
    path = needed(request.param)
    script = tmp_path_factory.mktemp("completion") / "script"
    done = subprocess.run(
        [sys.executable, "-m", "scorer", "completion", request.param],
        capture_output=True,
        check=True,
    )
    assert done.stdout.decode() == completions(request.param)
    script.write_bytes(done.stdout)
    if request.param == "zsh":
        *answers, rest = ask_zsh(path, script.parent).split(f"{NEXT}\n")
    else:
        options = {"bash": ["--norc", "-c", BASH], "fish": ["--no-config", "-c", FISH]}
        environment = {**os.environ, "HOME": str(script.parent)}
        command = [path, *options[request.param], str(script), *LINES]
        asked = subprocess.run(
            command,
            cwd=ROOT,
            env=environment,
            capture_output=True,
            text=True,
            check=True,
            timeout=60,
        )
        rest, *answers = asked.stdout.split(f"{NEXT}\n")
    assert not rest
    # fish adds what each one is, after a TAB.
    offered = [{line.partition("\t")[0] for line in answer.splitlines()} for answer in answers]
    return request.param, dict(zip(LINES, offered, strict=True))


@pytest.mark.parametrize(("words", "expected"), COMPLETED)
def test_a_shell_completes(completed, words, expected):
    shell, offered = completed
    if shell == "zsh":
        # It offers files without the folder that stands on the line already.
        expected = {word.removeprefix("fixtures/") for word in expected}
    assert offered[" ".join(words)] == expected


@pytest.mark.parametrize("shell", SHELLS)
def test_all_words_are_in_the_script(shell):
    script = completions(shell)
    for word in (
        *commands.names(),
        *names(framed=True),
        *registry.words(),
        *formats.names(),
        "--all-warnings",
        "--no-pager",
    ):
        assert re.search(rf"(?<!\w){re.escape(word.removeprefix('--'))}(?!\w)", script), word


def test_without_shtab(main, monkeypatch):
    monkeypatch.setitem(sys.modules, "shtab", None)
    assert main("completion", "bash") == (
        2, "", (
            "scorer completion: completion takes shtab; pip install "
            "'conll-scorer[completion]'\n"
        ),
    )  # fmt: skip


def test_no_other_command_imports_shtab():
    code = (
        "import sys; from scorer.cli.main import main; main(['formats']); sys.exit('shtab' in "
        "sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)


# The manual page
# -----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def printed():
    """The page as text, without a lint's complaint."""
    path = needed("mandoc")
    linted = subprocess.run(
        [path, "-T", "lint", "-W", "warning"],
        input=manual.manual_page().encode(),
        capture_output=True,
        check=False,
    )
    assert (linted.returncode, linted.stdout) == (0, b"")
    done = subprocess.run(
        [path, "-T", "utf8", "-O", "width=200"],
        input=manual.manual_page().encode(),
        capture_output=True,
        check=True,
    )
    return re.sub(r".\x08", "", done.stdout.decode())


@pytest.mark.parametrize("name", commands.names())
def test_the_manual_page_says_all_that_help_says(name, printed):
    section = re.search(rf"^SCORER {name.upper()}\n(.*?)^\S", printed, re.MULTILINE | re.DOTALL)[1]
    said = " ".join(section.split())
    command = commands.get(name)
    for paragraph in (command.__doc__, command.EPILOG):
        for line in paragraph.splitlines():
            assert " ".join(line.split()) in said
    from scorer.cli.main import make_parser

    for action in make_parser([name]).commands[name].arguments[1:]:
        for word in (*action.option_strings, (action.help or "") % vars(action)):
            assert " ".join(word.split()) in said


def test_the_manual_page_is_dated(monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "86400")
    first = manual.manual_page()
    assert first.startswith(".TH SCORER 1 1970-01-02 ")
    assert manual.manual_page() == first


def test_the_manual_page_is_printed():
    done = subprocess.run(
        [sys.executable, "-m", "scorer.cli.main"], capture_output=True, check=True
    )
    assert done.stdout.startswith(b".TH SCORER 1 ")
