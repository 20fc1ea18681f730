"""PyClaw's own 2D examples, as its tests set them up, on this job's ranks.

Arguments: problem, file for the results, and "serial" for PyClaw itself. Run by test_pyclaw.py.
"""

import importlib
import sys
from typing import Any

import numpy as np

PROBLEMS: dict[str, tuple[str, dict[str, Any]]] = {
    "acoustics": ("acoustics_2d_homogeneous.acoustics_2d", {"solver_type": "classic"}),
    "acoustics_sharpclaw": ("acoustics_2d_homogeneous.acoustics_2d", {"solver_type": "sharpclaw"}),
    "acoustics_interface": (
        "acoustics_2d_variable.acoustics_2d_interface",
        {"solver_type": "classic", "num_cells": (50, 50)},
    ),
    "advection": (
        "advection_2d.advection_2d",
        {"solver_type": "classic", "dimensional_split": False, "transverse_waves": 2},
    ),
    "quadrants": ("euler_2d.quadrants", {"riemann_solver": "roe"}),
    "shock_bubble": (
        "euler_2d.shock_bubble_interaction",
        {"mx": 160, "my": 40, "tfinal": 0.2, "num_output_times": 1},
    ),
    "dam_break": (
        "shallow_2d.radial_dam_break",
        {"solver_type": "classic", "riemann_solver": "roe"},
    ),
    "sill": ("shallow_2d.sill", {}),
}


def controller(problem: str, serial: bool = False, **more: Any) -> Any:
    """PyClaw's controller of a problem, without output, on lapwing's ranks unless serial."""
    name, settings = PROBLEMS[problem]
    module: Any = importlib.import_module(f"clawpack.pyclaw.examples.{name}")
    if not serial:
        import lapwing_pyclaw

        lapwing_pyclaw.in_place_of_petclaw()
        module.pyclaw = lapwing_pyclaw  # of those that import it at their top
    claw = module.setup(use_petsc=not serial, **settings, **more)
    claw.output_format = None
    return claw


def main(problem: str, path: str, serial: bool = False) -> None:
    claw = controller(problem, serial)
    claw.keep_copy = True
    status = claw.run()
    frames = [frame.state.get_q_global() for frame in claw.frames]
    times = [frame.t for frame in claw.frames]
    if frames[0] is not None:
        numbers: dict[str, Any] = {name: float(value) for name, value in status.items()}
        numbers |= {"times": times, "delta": claw.solution.domain.patch.delta}
        np.savez(path, *frames, **numbers)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], "serial" in sys.argv)
