"""The version of this package: apart from everything else, as every room names it."""

__version__ = "0.1.0"
