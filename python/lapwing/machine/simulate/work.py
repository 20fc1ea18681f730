"""The work of `lapwing simulate`: a case of a model or a box per rank, told to its driver."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

from lapwing.base.error import user_error
from lapwing.core.partition import Grid, best_blocks, block_partition
from lapwing.model.case import load_case
from lapwing.model.registry import installed_models
from lapwing.run.request import require_block_per_rank

# stages of the works that the driver brings, as their costs are named in machine files
STAGES = {
    "coast": ("momentum_x", "momentum_y", "continuity"),
    "lattice": ("stream_and_collide", "collide_around", "collide_within"),
    "tracer": tuple(f"{part}_{axis}" for part in ("interface", "update") for axis in "xyz"),
}
_OWN_WORK = re.compile(r"(coast|tracer)-([1-9]\d*)x([1-9]\d*)")
_TRACER_LAYERS = 60


@dataclass(frozen=True)
class SimulationRequest:
    """What the user asked of `lapwing simulate`."""

    case: str  # a shipped case or a path, or a work like coast-60x60
    machine: str
    ranks: int
    strategies: tuple[str, ...] = ()  # or `plain`; none: all
    transport: str = "p2p"
    samples: int = 3
    steps: int = 24  # per sample: whole cycles of alternating steps, and of `deep`
    sets: tuple[str, ...] = ()
    blocks: tuple[int, ...] | None = None  # along x, y (and z); None: with the least halo
    alone: bool = True  # also the step with computing that takes no time
    in_line: bool = False  # ranks numbered along x first; else those of a node lie close together


@dataclass(frozen=True)
class Work:
    """What is simulated: the lines that tell the driver, and the size of a rank's box."""

    model: str
    lines: list[str]
    grid: tuple[int, ...]  # cells along x, y and, where there are several, z
    blocks: tuple[int, ...]  # likewise
    layers: int = 1
    periodic: bool = False  # along any axis

    @property
    def box(self) -> tuple[int, ...]:
        """The largest box of a rank, cells along each axis."""
        return tuple(-(-cells // n) for cells, n in zip(self.grid, self.blocks, strict=True))


def make_work(request: SimulationRequest) -> Work:
    """The work that a request names. Local; UserError for a case that cannot be simulated."""
    own = _OWN_WORK.fullmatch(request.case)
    if own is not None:
        return _own_work(own[1], (int(own[2]), int(own[3])), request)
    case = load_case(request.case, installed_models(), request.sets)
    lines = getattr(case.model, "simulation", None)
    if lines is None:
        raise user_error(
            f"model {case.model.name}",
            "no method `simulation`",
            f"a model that is built into the simulation: {', '.join(STAGES)}",
            "choose another case, or a work like coast-60x60",
        )
    geometry = case.model.geometry(case.settings, case.folder)
    blocks = _blocks(geometry.grid, request)
    x, y, z = geometry.grid.size
    axes = 3 if z > 1 else 2
    return Work(
        case.model.name,
        _cut_lines(lines(case.settings, geometry), geometry.grid, blocks),
        (x, y, z)[:axes],
        blocks[:axes],
        periodic=any(geometry.grid.periodic),
    )


def _blocks(grid: Grid, request: SimulationRequest) -> tuple[int, int, int]:
    """Blocks along each axis, none of them empty."""
    if request.blocks is None:
        return best_blocks(grid, request.ranks)
    require_block_per_rank("--blocks", request.blocks, request.ranks)
    x, y, z = (*request.blocks, 1)[:3]
    block_partition(grid, (x, y, z))  # refuses more blocks than cells
    return x, y, z


def _own_work(model: str, box: tuple[int, int], request: SimulationRequest) -> Work:
    """The sea of GETM's report, cut such that every rank has that box and the sea is squarish."""
    if request.blocks is not None:
        raise user_error(
            "--blocks",
            "x".join(map(str, request.blocks)),
            f"none with a box per rank like {request.case}",
            "leave it out, or name a case",
        )
    ranks = request.ranks
    across = min(
        (n for n in range(1, ranks + 1) if ranks % n == 0),
        key=lambda n: abs(math.log(n * box[0] / (ranks // n * box[1]))),
    )
    blocks = (across, ranks // across)
    grid = (box[0] * blocks[0], box[1] * blocks[1])
    layers = _TRACER_LAYERS if model == "tracer" else 1
    lines = [f"work {model}", f"layers {layers}", "depth flat 60"]
    return Work(model, _cut_lines(lines, Grid(grid), (*blocks, 1)), grid, blocks, layers)


def _cut_lines(lines: Sequence[str], grid: Grid, blocks: Sequence[int]) -> list[str]:
    return [
        "grid " + " ".join(map(str, grid.size)),
        "periodic " + " ".join(str(int(closed)) for closed in grid.periodic),
        "blocks " + " ".join(map(str, blocks)),
        *lines,
    ]
