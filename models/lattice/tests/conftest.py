"""Shared parts of the tests of the lattice model; mypy leaves it out, for its name."""

from fluid import make_fluid

__all__ = ["make_fluid"]
