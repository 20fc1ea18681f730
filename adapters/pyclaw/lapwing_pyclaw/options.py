"""Options of PyClaw's solvers whose results would depend on the ranks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from clawpack import riemann
from lapwing.base.error import user_error

Problem = tuple[str, str, str, str]  # option, what it is, what is expected, remedy

FORTRAN_LIMITERS = range(6)  # philim.f90 returns what it finds in memory for any other number
SHARP_LIMITERS = range(1, 6)  # reconstruct.f90 keeps the value of the cell before for any other
PYTHON_LIMITERS = {*range(17), 19, 20}  # the others in tvd.py take extremes over all cells
WENO_ORDERS = range(5, 18, 2)
GIVEN_EIGENVECTORS = (1, 2), (2, 2), (2, 3)  # lim_type, char_decomp that call `evec`
RIGHT = (1, 0), (2, 0), (2, 1), *GIVEN_EIGENVECTORS


def refuse(solver: Any, problems: Iterator[Problem]) -> None:
    """Raise lapwing.UserError for the first of them. Every rank has the same options."""
    for option, got, expected, remedy in problems:
        raise user_error(
            f"{option} of {type(solver).__name__}", f"{got} on several ranks", expected, remedy
        )


def limiters(solver: Any, known: Any) -> Iterator[Problem]:
    """Numbers of limiters that the kernels do not know, or that look at all cells."""
    given = solver.limiters if isinstance(solver.limiters, list) else [solver.limiters]
    for number in given:
        if number not in known:
            numbers = ", ".join(str(one) for one in known)
            yield "limiters", str(number), f"one of {numbers}", "choose another limiter"


def few_ghosts(solver: Any, least: int) -> Iterator[Problem]:
    """Fewer ghost cells than the stencil reads."""
    if solver.num_ghost < least:
        remedy = f"set solver.num_ghost = {least}"
        yield "num_ghost", str(solver.num_ghost), f"{least} or more", remedy


def idle_waves(solver: Any) -> Iterator[Problem]:
    """More waves than the Riemann solver sets: the others are what was in memory."""
    name = getattr(solver.rp, "__name__", "").rpartition(".")[2].replace("_ptwise", "")
    waves = riemann.static.num_waves.get(name)
    if waves is not None and solver.num_waves is not None and solver.num_waves > waves:
        yield (
            "num_waves",
            str(solver.num_waves),
            f"{waves}, as {name} sets no more",
            f"set solver.num_waves = {waves}",
        )


def of_classic(solver: Any) -> Iterator[Problem]:
    """Options that the classic algorithm does not have on several ranks."""
    if solver.num_dim == 3 and solver.dimensional_split:
        yield (
            "dimensional_split",
            "True",
            "False, as PyClaw's sweeps in 3D leave out ghost cells that the next sweep reads",
            "set solver.dimensional_split = False, or run on one rank",
        )
    yield from few_ghosts(solver, 2)
    yield from idle_waves(solver)
    known = PYTHON_LIMITERS if solver.kernel_language == "Python" else FORTRAN_LIMITERS
    yield from limiters(solver, known)


def of_sharpclaw(solver: Any) -> Iterator[Problem]:
    """Options that SharpClaw does not have on several ranks."""
    yield from idle_waves(solver)
    if solver.kernel_language == "Python":
        if solver.lim_type != -1:
            yield (
                "kernel_language",
                "'Python'",
                "'Fortran', as the CFL number of the other takes in one face too many",
                "set solver.kernel_language = 'Fortran', or run on one rank",
            )
        return
    if solver.lim_type == 1:
        yield from second_order(solver)
    if solver.lim_type == 2:
        yield from weno(solver)
    if solver.lim_type == 3:
        yield from few_ghosts(solver, 3)
    elif (solver.lim_type, solver.char_decomp) not in RIGHT:
        yield from reconstruction(solver)
    if (solver.lim_type, solver.char_decomp) in GIVEN_EIGENVECTORS and lacks_eigenvectors(solver):
        yield (
            "char_decomp",
            str(solver.char_decomp),
            "0 or 1, as PyClaw's own module has no eigenvectors (its evec ends the program)",
            "set solver.char_decomp = 0, or solver.fmod to a module compiled with an evec",
        )


def second_order(solver: Any) -> Iterator[Problem]:
    """Options that the TVD reconstructions (lim_type = 1) do not have on several ranks."""
    if solver.char_decomp == 1:
        yield (
            "char_decomp",
            "1 with lim_type = 1",
            "0, as PyClaw's tvd2_wave leaves the upper face of the last cell at first order",
            "set solver.char_decomp = 0 or solver.lim_type = 2, or run on one rank",
        )
    if solver.char_decomp in (0, 2):
        given = len(solver.limiters) if isinstance(solver.limiters, list) else 1
        numbers = solver.num_waves if given == 1 else given
        if numbers < solver.num_eqn:
            yield (
                "lim_type",
                f"1 with {numbers} limiters for {solver.num_eqn} equations",
                "a limiter per equation: PyClaw has one per wave, and reads memory beyond them",
                "set solver.lim_type = 2, or run on one rank",
            )
    yield from few_ghosts(solver, 2)
    yield from limiters(solver, SHARP_LIMITERS)


def weno(solver: Any) -> Iterator[Problem]:
    """Orders of WENO (lim_type = 2) whose ghost cells are too few, or that PyClaw lacks."""
    if solver.weno_order not in WENO_ORDERS:
        yield (
            "weno_order",
            str(solver.weno_order),
            "an odd number from 5 to 17",
            "set solver.weno_order = 5",
        )


def reconstruction(solver: Any) -> Iterator[Problem]:
    """Pairs of lim_type and char_decomp that PyClaw's kernels do not have."""
    yield (
        "lim_type",
        f"{solver.lim_type} with char_decomp = {solver.char_decomp}",
        "lim_type 1 or 2 with a char_decomp that PyClaw documents for it, or 3",
        "set solver.lim_type = 2 and solver.char_decomp = 0",
    )


def lacks_eigenvectors(solver: Any) -> bool:
    """True if the kernels will be PyClaw's own, whose `evec` is a stub. Local."""
    own = f"clawpack.pyclaw.sharpclaw.sharpclaw{solver.num_dim}"
    return solver.fmod is None or getattr(solver.fmod, "__name__", "") == own
