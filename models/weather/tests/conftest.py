"""Shared parts of the tests of the weather model; mypy leaves it out, for its name."""

from atmosphere import make_air

__all__ = ["make_air"]
