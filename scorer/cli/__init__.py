"""The command `scorer`."""

from scorer.cli.main import run

__all__ = ["run"]
