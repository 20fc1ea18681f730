"""Small problems for the options of PyClaw's solvers, with the bits of one process or refused.

Arguments: a folder for the results, and "serial" for PyClaw itself. Run by test_options.py.
"""

import sys
from functools import partial
from typing import Any

import numpy as np
from pyclaw_runs import run_all

BITS = ""  # the result of one process, bit by bit; any other text is part of an error


def controller(pyclaw: Any, solver: Any, state: Any, domain: Any, end: float) -> Any:
    """A controller that runs to one output at `end`, or after six steps of any size if it is 0."""
    claw = pyclaw.Controller()
    claw.tfinal, claw.num_output_times = end, 1
    if end == 0:
        claw.output_style, claw.nstepout = 3, 6
    claw.solution, claw.solver = pyclaw.Solution(state, domain), solver
    return claw


def solver_of(pyclaw: Any, kind: str, riemann: str, options: dict[str, Any]) -> Any:
    """A solver with options; a bc, one for all sides, and functions by name."""
    import clawpack.riemann

    options = dict(options)
    solver = getattr(pyclaw, kind)(getattr(clawpack.riemann, riemann))
    solver.all_bcs = getattr(pyclaw.BC, options.pop("bc", "wall"))
    if options.pop("given", False):
        from clawpack.pyclaw.sharpclaw import euler_sharpclaw1

        solver.fmod = euler_sharpclaw1
    for side, condition in options.pop("custom", {}).items():
        getattr(solver, f"bc_{side}")[0] = pyclaw.BC.custom
        setattr(solver, f"user_bc_{side}", condition)
    if not hasattr(solver, "check_conditions"):  # only solvers on ranks have it
        options.pop("check_conditions", None)
    for name, value in options.items():
        setattr(solver, name, value)
    return solver


def gas(pyclaw: Any, kind: str = "SharpClawSolver1D", **options: Any) -> Any:
    """Gas in a tube, smooth waves and one jump; `blast` for jumps by a factor of 100,000.

    `hole` gives cells a pressure below zero, so that waves there have a speed of NaN.
    """
    hole = options.pop("hole", False)
    cells, end = options.pop("cells", 60), options.pop("end", 0.03)
    blast, riemann = options.pop("blast", False), options.pop("riemann", "euler_with_efix_1D")
    options.setdefault("dt_initial", 0.1 if blast else 1e-5)
    solver = solver_of(pyclaw, kind, riemann, options)
    if solver.kernel_language == "Python":
        from clawpack.riemann import euler_1D_py

        solver.rp = euler_1D_py.euler_roe_1D
    domain = pyclaw.Domain([pyclaw.Dimension(0.0, 1.0, cells, name="x")])
    state = pyclaw.State(domain, 3)
    state.problem_data.update(gamma=1.4, gamma1=0.4, efix=False)
    x = state.grid.x.centers
    state.q[0] = 1.0 if blast else 1 + 0.3 * np.sin(2 * np.pi * x)
    state.q[1] = 0.0 if blast else 0.2 * np.cos(4 * np.pi * x)
    pressure = np.where(x < 0.35, 2.0, 1.0)
    if blast:
        pressure = np.where(x < 0.1, 1e3, np.where(x < 0.9, 1e-2, 1e2))
    if hole:
        pressure = np.where(abs(x - 0.65) < 0.01, -1.0, pressure)
    state.q[2] = pressure / 0.4
    return controller(pyclaw, solver, state, domain, end)


def plane(pyclaw: Any, kind: str = "SharpClawSolver2D", **options: Any) -> Any:
    """Gas in a square, with one jump along a skew line; `hole` as in a tube."""
    cells, end = options.pop("cells", (22, 18)), options.pop("end", 0.03)
    blast, hole = options.pop("blast", 1.0), options.pop("hole", False)
    options.setdefault("dt_initial", 1e-4)
    solver = solver_of(pyclaw, kind, "euler_4wave_2D", options)
    domain = pyclaw.Domain([0.0, 0.0], [1.0, 1.0], list(cells))
    state = pyclaw.State(domain, 4)
    state.problem_data["gamma"] = 1.4
    x, y = state.grid.p_centers
    state.q[0] = 1 + 0.3 * np.sin(2 * np.pi * (x + 2 * y))
    state.q[1], state.q[2] = 0.2 * np.cos(2 * np.pi * y), -0.1 * np.sin(4 * np.pi * x)
    state.q[3] = np.where(x + 0.4 * y < 0.5, 2.0 * blast, 1.0) / 0.4
    if hole:
        state.q[3] = np.where(np.hypot(x - 0.6, y - 0.65) < 0.1, -1.0, state.q[3])
    return controller(pyclaw, solver, state, domain, end)


def room(pyclaw: Any, kind: str, **options: Any) -> Any:
    """Sound in a cube of two materials."""
    cells = options.pop("cells", (10, 9, 8))
    solver = solver_of(pyclaw, kind, "vc_acoustics_3D", {"dt_initial": 1e-3, **options})
    for axis in range(3):
        solver.aux_bc_lower[axis], solver.aux_bc_upper[axis] = (
            solver.bc_lower[axis],
            solver.bc_upper[axis],
        )
    domain = pyclaw.Domain([-1.0] * 3, [1.0] * 3, list(cells))
    state = pyclaw.State(domain, 4, 2)
    x, y, z = state.grid.p_centers
    state.aux[0], state.aux[1] = np.where(x + y < 0.1, 1.0, 2.0), np.where(z < 0.2, 1.0, 1.5)
    state.q[...] = 0.0
    state.q[0] = np.exp(-4 * (x**2 + (y - 0.3) ** 2 + z**2))
    return controller(pyclaw, solver, state, domain, 0.1)


def closes(solver: Any, state: Any) -> None:
    """A tube that becomes a ring after a while."""
    if state.t > 0.01:
        solver.all_bcs = 2  # BC.periodic


def inflow(state: Any, dim: Any, t: float, qbc: Any, auxbc: Any, ghosts: int) -> None:
    """Gas that comes in, by the time and the first cell."""
    qbc[:, :ghosts] = qbc[:, ghosts : ghosts + 1]
    qbc[1, :ghosts] = 0.1 * np.sin(30 * t)


def mirror(state: Any, dim: Any, t: float, qbc: Any, auxbc: Any, ghosts: int) -> None:
    """Cells of the other end of the axis."""
    qbc[:, :ghosts] = qbc[:, -ghosts - 1 : -2 * ghosts - 1 : -1]


class OfOneSize:
    """A condition that knows arrays of one size only, those that it meets first."""

    def __init__(self) -> None:
        """Know none yet."""
        self.size = 0

    def __call__(self, state: Any, dim: Any, t: float, qbc: Any, auxbc: Any, ghosts: int) -> None:
        """Gas that comes in, the same at all times."""
        self.size = self.size or qbc.shape[1]
        if qbc.shape[1] != self.size:
            raise IndexError(f"not {self.size} cells")
        qbc[:, :ghosts] = qbc[:, ghosts : ghosts + 1]


Case = tuple[Any, str]
CASES: dict[str, Case] = {}


def add(expected: str, problem: Any, **named: dict[str, Any]) -> None:
    """Add cases of a problem, all with one outcome."""
    CASES.update({name: (partial(problem, **options), expected) for name, options in named.items()})


CLASSIC = {"kind": "ClawSolver1D"}
PYTHON = {"kernel_language": "Python"}
BLAST = {"blast": True, "cells": 200, "end": 0}
HOLE = {"hole": True, "end": 0, "dt_initial": 0.1}
SSP33 = {"time_integrator": "SSP33", "cfl_max": 0.65, "cfl_desired": 0.6}
SPLIT = {"kind": "ClawSolver2D"}
UNSPLIT = {**SPLIT, "dimensional_split": False, "transverse_waves": 2}
ROOM = {"kind": "ClawSolver3D", "dimensional_split": False}

add(
    BITS,
    gas,
    nan_weno={**BLAST, **SSP33},
    nan_waves={**BLAST, **SSP33, "char_decomp": 1},
    nan_second_order={**BLAST, **SSP33, "lim_type": 1},
    nan_characteristic={**BLAST, **SSP33, "lim_type": 1, "char_decomp": 2, "given": True},
    nan_classic={**HOLE, **CLASSIC, "limiters": 4},
    nan_python={**HOLE, **CLASSIC, **PYTHON, "limiters": 4},
    classic=CLASSIC,
    classic_first_order={**CLASSIC, "order": 1},
    classic_wide={**CLASSIC, "num_ghost": 4},
    classic_thin_ring={**CLASSIC, "cells": 4, "bc": "periodic"},
    python_classic={**CLASSIC, **PYTHON, "limiters": 2},
    python_classic_20={**CLASSIC, **PYTHON, "limiters": 20},
    python_first_order={**PYTHON, "lim_type": -1},
    weno_waves={"char_decomp": 1},
    weno_waves_wide={"char_decomp": 1, "weno_order": 7},
    thin_ring={"cells": 6, "bc": "periodic"},
    thin_ring_17={"cells": 20, "bc": "periodic", "weno_order": 17},
    closes={"before_step": closes},
    inflow={"custom": {"lower": inflow}},
    euler={"time_integrator": "Euler", "cfl_max": 0.3, "cfl_desired": 0.2},
    multistep_2={"time_integrator": "SSPLMMk2", "lmm_steps": 3},
    multistep_3={"time_integrator": "SSPLMMk3", "lmm_steps": 5, "check_lmm_cond": True},
    vouched={"custom": {"lower": OfOneSize()}, "check_conditions": False},
    **{f"weno_{order}": {"weno_order": order} for order in range(5, 18, 2)},
    **{f"classic_limiter_{n}": {**CLASSIC, "limiters": n} for n in range(1, 6)},
    **{f"second_order_{n}": {"lim_type": 1, "limiters": [n]} for n in range(1, 6)},
    **{
        f"characteristic_{n}_{m}": {"lim_type": n, "char_decomp": m, "given": True}
        for n, m in ((1, 2), (2, 2), (2, 3))
    },
)
add(
    BITS,
    plane,
    plane_weno={},
    plane_second_order={"lim_type": 1, "limiters": [4]},
    plane_waves={"char_decomp": 1, "bc": "periodic"},
    plane_split=SPLIT,
    plane_unsplit=UNSPLIT,
    plane_ring={**UNSPLIT, "bc": "periodic"},
    plane_flat={**UNSPLIT, "cells": (30, 1), "bc": "extrap"},
    plane_flat_along_x={**SPLIT, "cells": (1, 30), "bc": "extrap"},
    nan_plane_weno={"blast": 1e9, "dt_initial": 0.1, **SSP33, "end": 0},
    nan_plane_split={**SPLIT, **HOLE},
    nan_plane_unsplit={**UNSPLIT, **HOLE},
)
add(
    BITS,
    room,
    room_unsplit=ROOM,
    room_increments={**ROOM, "transverse_waves": 11, "bc": "periodic"},
    room_flat={"kind": "SharpClawSolver3D", "cells": (9, 1, 10), "bc": "extrap"},
    room_weno={"kind": "SharpClawSolver3D"},
    room_weno_ring={"kind": "SharpClawSolver3D", "bc": "periodic"},
)
add("dimensional_split of ClawSolver3D: got True", room, room_split={"kind": "ClawSolver3D"})
add(
    "lim_type of SharpClawSolver3D: got 1 with 2 limiters for 4 equations",
    room,
    room_second_order={"kind": "SharpClawSolver3D", "lim_type": 1},
)
add(
    "char_decomp of SharpClawSolver",
    gas,
    second_order_waves={"lim_type": 1, "char_decomp": 1},
    no_eigenvectors={"char_decomp": 2},
    no_eigenvectors_3={"char_decomp": 3},
    no_eigenvectors_second_order={"lim_type": 1, "char_decomp": 2},
)
add("char_decomp of SharpClawSolver2D", plane, plane_tvd={"lim_type": 1, "char_decomp": 1})
add(
    "lim_type of SharpClawSolver1D",
    gas,
    no_limiting={"lim_type": 0},
    no_such_decomposition={"lim_type": 1, "char_decomp": 3},
    few_limiters={"lim_type": 1, "riemann": "euler_hlle_1D"},
)
add(
    "limiters of",
    gas,
    classic_limiter_9={**CLASSIC, "limiters": 9},
    second_order_limiter_0={"lim_type": 1, "limiters": [0]},
    python_limiter_18={**CLASSIC, **PYTHON, "limiters": 18},
)
add("num_waves of", gas, idle_wave={**CLASSIC, "num_waves": 4})
add(
    "weno_order of", gas, weno_3={"weno_order": 3}, weno_waves_3={"weno_order": 3, "char_decomp": 1}
)
add("kernel_language of SharpClawSolver1D: got 'Python'", gas, python_weno=PYTHON)
add(
    "num_ghost of",
    gas,
    one_ghost={**CLASSIC, "num_ghost": 1},
    thin={"cells": 5},
    thin_classic={**CLASSIC, "cells": 3},
    thin_17={"cells": 16, "weno_order": 17},
    too_thin_ring={"cells": 4, "weno_order": 17, "bc": "periodic"},
)
add("num_ghost of", plane, plane_thin={**SPLIT, "cells": (30, 1)})
add("user_bc_lower along x of", gas, mirror={"custom": {"lower": mirror}})
add(
    "a custom boundary condition: got IndexError: not",
    gas,
    of_one_size={"custom": {"lower": OfOneSize()}},
)
# the last of SharpClaw in 1D: PyClaw does not free the arrays of this reconstruction
add(BITS, gas, nan_old_weno={**BLAST, **SSP33, "lim_type": 3})


def main(folder: str, serial: bool = False) -> None:
    wanted = [
        (name, problem) for name, (problem, expected) in CASES.items() if not (serial and expected)
    ]
    run_all(wanted, folder, serial)


if __name__ == "__main__":
    main(sys.argv[1], "serial" in sys.argv)
