"""What tests of the lattice model share; mypy leaves it out, as lab/tests/bench has one of its name."""

from fluid import make_fluid

__all__ = ["make_fluid"]
