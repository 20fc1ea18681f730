"""The subject of a prediction: a case, or a box per rank, whose steps ranks would run."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from lapwing.commands.tasks.description import charged_stages
from lapwing.core.domain import Domain
from lapwing.core.partition import Grid, Partition, best_blocks, block_partition, with_node_order
from lapwing.model.case import Case, geometry_of, load_case
from lapwing.model.model import SimulatedWork
from lapwing.model.registry import installed_models
from lapwing.run.creation import create_run, step_of
from numpy.typing import NDArray

from lapwing_lab.machine.charges import require_room
from lapwing_lab.machine.machine import Machine
from lapwing_lab.simulate.work import is_literal, parse_box

MakeStep = Callable[[Domain, str], Any]  # a strategy's step on a domain, and what holds it

_PATTERN = 5  # blocks along an axis, of which each end, next to it and the middle differ


@dataclass(frozen=True)
class Cut:
    """A grid cut into a block per rank, ranks of a node close together."""

    grid: Grid
    blocks: tuple[int, int, int]
    partition: Partition
    # the same kinds of blocks in a smaller grid, as its first two, a middle one and its last two
    # along each axis: what ranks do is found there
    pattern: Cut | None = None
    wet: NDArray[np.bool_] | None = None  # [nx, ny], where steps leave out land

    @property
    def box(self) -> tuple[int, ...]:
        """The largest box of a rank, cells along x, y and, where there are several, z. Local."""
        axes = 3 if self.grid.size[2] > 1 else 2
        pairs = zip(self.grid.size[:axes], self.blocks[:axes], strict=True)
        return tuple(-(-cells // blocks) for cells, blocks in pairs)


@dataclass(frozen=True)
class Subject:
    """A case as a prediction sees it: whose costs it has, its cut, and how to make its step."""

    model: str
    stages: tuple[str, ...]  # that a machine file charges; none: all of its step
    strategy: str  # that of the case
    cut: Callable[[Machine, int], Cut]
    make: Callable[[Cut], MakeStep]


def subject_of(case: str, sets: tuple[str, ...] = ()) -> Subject:
    """The subject of that name: a case, or a work with a box per rank like NAME-60x60. Local.

    UserError for a case that is none, and settings that it does not have.
    """
    models = installed_models()
    boxed = parse_box(case)
    works: dict[str, SimulatedWork] = {}
    for model in models.values():
        works.update(getattr(model, "works", {}))
    if boxed is not None and boxed[0] in works and works[boxed[0]].on_domain is not None:
        return _of_box(boxed[0], works[boxed[0]], boxed[1], sets)
    return _of_case(load_case(case, models, sets))


def _of_case(case: Case) -> Subject:
    geometry = geometry_of(case)
    name = case.model.name

    def make(cut: Cut) -> MakeStep:
        def step(domain: Domain, strategy: str) -> Any:
            run = create_run(
                case.model,
                domain,
                case.settings,
                geometry,
                strategy=strategy,
                transport="p2p",
                skip_land=case.run.skip_land,
            )
            return step_of(run, case.name), run

        return step

    def cut(machine: Machine, ranks: int) -> Cut:
        whole = cut_into(machine, geometry.grid, best_blocks(geometry.grid, ranks), ranks)
        return replace(whole, wet=geometry.wet if case.run.skip_land else None)

    return Subject(name, charged_stages(case), case.run.strategy, cut, make)


def _of_box(name: str, work: SimulatedWork, box: tuple[int, int], sets: tuple[str, ...]) -> Subject:
    listed = work.literal if is_literal(name, work, sets) else ()

    def cut(machine: Machine, ranks: int) -> Cut:
        across = min(
            (n for n in range(1, ranks + 1) if ranks % n == 0),
            key=lambda n: abs(math.log(n * box[0] / (ranks // n * box[1]))),
        )
        blocks = (across, ranks // across, 1)
        few = (min(blocks[0], _PATTERN), min(blocks[1], _PATTERN), 1)
        grid, small = (Grid((box[0] * n[0], box[1] * n[1])) for n in (blocks, few))
        whole = cut_into(machine, grid, blocks, ranks)
        return replace(whole, pattern=Cut(small, few, block_partition(small, few)))

    def make(cut: Cut) -> MakeStep:
        assert work.on_domain is not None
        return work.on_domain(cut.grid, listed) if listed else work.on_domain(cut.grid)

    return Subject(name, work.stages, "blocking", cut, make)


def cut_into(machine: Machine, grid: Grid, blocks: tuple[int, int, int], ranks: int) -> Cut:
    """A grid cut into these blocks, as ranks of a machine take them.

    Local. UserError for more ranks than the machine holds, or more blocks than cells.
    """
    require_room(machine, ranks)
    partition = with_node_order(block_partition(grid, blocks), machine.ranks_per_node)
    return Cut(grid, blocks, partition)
