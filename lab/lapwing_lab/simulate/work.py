"""The work of `lapwing simulate`: a case of a model or a box per rank, told to its driver."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lapwing.base.error import user_error
from lapwing.core.partition import Grid, Partition, best_blocks, block_partition
from lapwing.model import SimulatedWork
from lapwing.model.case import load_case
from lapwing.model.registry import installed_models
from lapwing.run.request import require_block_per_rank

from lapwing_lab.simulate.start import Start, start_of

_WITH_BOX = re.compile(r"(.+)-([1-9]\d*)x([1-9]\d*)")  # a work and the box of each rank


@dataclass(frozen=True)
class SimulationRequest:
    """The options of `lapwing simulate` as the user gave them."""

    case: str  # a shipped case or a path, or a work like NAME-60x60
    machine: str
    ranks: int
    strategies: tuple[str, ...] = ()  # or `plain`; none: all
    transport: str = "p2p"
    mpi: str | None = None  # whose messages the machine file describes; None: the first one's
    samples: int = 3
    steps: int = 24  # per sample: whole cycles of alternating steps, and of `deep`
    sets: tuple[str, ...] = ()
    blocks: tuple[int, ...] | None = None  # along x, y (and z); None: with the least halo
    alone: bool = True  # also the step with computing that takes no time
    weighted: bool = False  # blocks as large as the nodes of their ranks are fast
    in_line: bool = False  # ranks numbered along x first; else those of a node lie close together
    partition: Partition | None = None  # instead of blocks; of a work with a box, its grid too


@dataclass(frozen=True)
class Work:
    """The simulated work: the document for the driver, and the size of a rank's box."""

    model: str  # whose costs it has
    stages: tuple[str, ...]
    document: dict[str, Any]
    grid: tuple[int, ...]  # cells along x, y and, where there are several, z
    blocks: tuple[int, ...]  # likewise
    layers: int = 1
    periodic: bool = False  # along any axis
    start: Start = field(default_factory=Start)

    @property
    def box(self) -> tuple[int, ...]:
        """The largest box of a rank, cells along each axis."""
        return tuple(-(-cells // n) for cells, n in zip(self.grid, self.blocks, strict=True))


def parse_box(case: str) -> tuple[str, tuple[int, int]] | None:
    """The work and the box of each rank in a text like NAME-60x60; None for any other. Local."""
    found = _WITH_BOX.fullmatch(case)
    return None if found is None else (found[1], (int(found[2]), int(found[3])))


def simulated_sources() -> list[Path]:
    """Return the folders of the installed models that can be simulated. Local."""
    models = installed_models().values()
    return sorted({getattr(model, "sources") for model in models if hasattr(model, "works")})  # noqa: B009


def make_work(request: SimulationRequest) -> Work:
    """The work that a request names. Local; UserError for a case that cannot be simulated."""
    models = installed_models()
    works: dict[str, SimulatedWork] = {}
    for model in models.values():
        works.update(getattr(model, "works", {}))
    boxed = parse_box(request.case)
    if boxed is not None and boxed[0] in works and works[boxed[0]].of_box is not None:
        return _boxed_work(boxed[0], works[boxed[0]], boxed[1], request)
    case = load_case(request.case, models, request.sets)
    name = case.model.name
    simulation = getattr(case.model, "simulation", None)
    if simulation is None:
        of_box = next((work for work in works if works[work].of_box is not None), "NAME")
        expected = f"a model that is built into the simulation: {', '.join(works)}"
        remedy = f"choose another case, or a work like {of_box}-60x60"
        raise user_error(f"model {name}", "no method `simulation`", expected, remedy)
    geometry = case.model.geometry(case.settings, case.folder)
    blocks = _blocks(geometry.grid, request)
    told = dict(simulation(case.settings, geometry))
    kind: str = told.pop("work", name)
    start = start_of(case) if works[kind].from_start else Start()
    stages = (*start.stages, *works[kind].stages, *told.pop("outside", ()))
    document = _document(kind, told, geometry.grid, blocks)
    axes = 3 if geometry.grid.size[2] > 1 else 2
    size, periodic = tuple(geometry.grid.size[:axes]), any(geometry.grid.periodic)
    return Work(name, stages, document, size, blocks[:axes], periodic=periodic, start=start)


def _blocks(grid: Grid, request: SimulationRequest) -> tuple[int, int, int]:
    """Blocks along each axis, none of them empty."""
    if request.blocks is None:
        return best_blocks(grid, request.ranks)
    require_block_per_rank("--blocks", request.blocks, request.ranks)
    x, y, z = (*request.blocks, 1)[:3]
    block_partition(grid, (x, y, z))  # refuses more blocks than cells
    return x, y, z


def _boxed_work(
    name: str, work: SimulatedWork, box: tuple[int, int], request: SimulationRequest
) -> Work:
    """A grid that is cut such that every rank has that box, and that is squarish."""
    if request.blocks is not None:
        expected = f"none with a box per rank like {request.case}"
        remedy = "leave it out, or name a case"
        raise user_error("--blocks", "x".join(map(str, request.blocks)), expected, remedy)
    settings = dict(work.of_box or {})
    if work.literal:
        listed = work.literal if is_literal(request.case, work, request.sets) else ()
        settings["listed"] = [list(pair) for pair in listed]
    ranks = request.ranks
    across = min(
        (n for n in range(1, ranks + 1) if ranks % n == 0),
        key=lambda n: abs(math.log(n * box[0] / (ranks // n * box[1]))),
    )
    blocks = (across, ranks // across)
    grid = (box[0] * blocks[0], box[1] * blocks[1])
    cut = request.partition
    whole = Grid(grid) if cut is None else Grid(cut.grid.size, cut.grid.periodic)
    document = _document(name, settings, whole, (*blocks, 1))
    return Work(name, work.stages, document, grid, blocks, work.layers)


def is_literal(case: str, work: SimulatedWork, sets: Sequence[str]) -> bool:
    """True if the exchanges of a box per rank are literal: the one thing to set of it.

    Local. UserError for anything else that is set.
    """
    literal = False
    for one in sets:
        key, _, value = one.partition("=")
        policy = value.strip().strip("\"'")
        if key.strip() != "exchanges.policy" or not work.literal:
            known = "exchanges.policy=literal" if work.literal else "none"
            expected = f"what can be set of {case}: {known}"
            raise user_error("--set", one, expected, "leave it out, or name a case")
        if policy not in ("needed", "literal"):
            raise user_error(f"--set {key}", policy, "needed or literal", "choose one of them")
        literal = policy == "literal"
    return literal


def _document(
    name: str, settings: Mapping[str, Any], grid: Grid, blocks: Sequence[int]
) -> dict[str, Any]:
    return {
        "work": name,
        name: dict(settings),
        "grid": {"size": list(grid.size), "periodic": list(grid.periodic)},
        "blocks": list(blocks),
    }
