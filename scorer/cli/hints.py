"""Names here of options, commands and values that people know by other names."""

from __future__ import annotations

OPTIONS = {
    "--json": "--format json",
    "--csv": "--format csv",
    "--latex": "--format latex",
    "--md": "--format markdown",
    "--html": "--format html",
    "--threshold": "--fail-under",
    "--min-f1": "--fail-under",
    "--rank-by": "--sort",
    "--head": "--match head",
    "--exclude": "--documents",
    "--by": "--group-by",
    "--n-samples": "--trials",
    "--resamples": "--trials",
    "--test": "--method",
    "--verbose": "--all-warnings",
    "--format": "--to",
    "--bootstrap": "scorer compare",
    "--ci": "scorer compare",
    "--confidence": "scorer compare",
    "--per-document": "scorer score --per-document",
}
"""What an option that a command lacks is called here, or the command that does it."""

COMMANDS = {
    "evaluate": "score",
    "eval": "score",
    "report": "score",
    "diff": "compare",
    "significance": "compare",
    "rank": "leaderboard",
    "stats": "check --summary",
    "validate": "check",
    "version": "--version",
    "list": "metrics",
}
"""What a command is called here."""

VALUES = {"corefud": "crac25", "conll": "conll12", "ontonotes": "conll12"}
"""What a preset is called here."""
