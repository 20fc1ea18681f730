"""PyClaw on many ranks: the names of `clawpack.pyclaw`, on domains that lapwing cuts.

    import lapwing_pyclaw as pyclaw

in the place of `from clawpack import pyclaw` is all that a script changes. Every rank computes one
box of the patch; results have the bits of one process. Everything else is PyClaw's own.
"""

import sys
from typing import Any

import clawpack
from clawpack import pyclaw
from clawpack.pyclaw import BC, Dimension, limiters

from lapwing_pyclaw.cfl import CFL
from lapwing_pyclaw.controller import Controller
from lapwing_pyclaw.geometry import Domain, Patch
from lapwing_pyclaw.solution import Solution
from lapwing_pyclaw.solvers import (
    ClawSolver1D,
    ClawSolver2D,
    ClawSolver3D,
    SharpClawSolver1D,
    SharpClawSolver2D,
    SharpClawSolver3D,
)
from lapwing_pyclaw.state import State

__all__ = [
    "BC",
    "CFL",
    "ClawSolver1D",
    "ClawSolver2D",
    "ClawSolver3D",
    "Controller",
    "Dimension",
    "Domain",
    "Patch",
    "SharpClawSolver1D",
    "SharpClawSolver2D",
    "SharpClawSolver3D",
    "Solution",
    "State",
    "in_place_of_petclaw",
    "limiters",
]


def __getattr__(name: str) -> Any:
    """Whatever else PyClaw has. Local."""
    return getattr(pyclaw, name)


def in_place_of_petclaw() -> None:
    """Let `import clawpack.petclaw` give this package, for scripts that know `use_petsc=True`.

    Local; call it before such a script imports it.
    """
    sys.modules["clawpack.petclaw"] = clawpack.petclaw = sys.modules[__name__]
