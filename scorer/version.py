"""The version of this package, in a module of its own since every room names it."""

__version__ = "0.1.0"
