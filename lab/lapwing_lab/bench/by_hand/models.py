"""The models of the benchmark: by lapwing's steps, and by their stages with messages by hand."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from lapwing.core.domain import Domain, Field
from lapwing.core.partition import Grid, Partition, block_partition
from lapwing.model.case import load_case
from lapwing.model.registry import installed_models
from lapwing.run.creation import create_run
from lapwing_coast import _kernels
from numpy.typing import NDArray

from lapwing_lab._core import HandStep
from lapwing_lab.bench.by_hand.request import HAND, TIDE, ByHandRequest
from lapwing_lab.bench.measure.options import near_square

DEPTH = 60.0  # m
TURNING = 100.0  # m2/s, of the gyres


@dataclass
class Model:
    """A model that steps one way: `run` a number of steps, and the fields that it moves on."""

    run: Callable[[int], object]
    fields: list[Field]
    step: Any = None  # a lapwing.Step that may still try strategies

    @property
    def settled(self) -> bool:
        """True if it steps as it always will. Local."""
        return self.step is None or self.step.report.strategy != "auto"

    def cells(self, domain: Domain) -> list[NDArray[np.float64]]:
        """The cells that this rank owns of its fields. Local."""
        return [np.array(field[box]) for field in self.fields for box in domain.boxes]


def partition_of(request: ByHandRequest, work: str) -> Partition:
    """Blocks of the grid of a work, one for each rank. Local."""
    less, more = near_square(request.ranks)
    if work == TIDE:
        case = load_case(TIDE, installed_models(), [])
        return block_partition(
            case.model.geometry(case.settings, case.folder).grid, (less, more, 1)
        )
    nx, ny, _ = request.size
    grid = Grid((nx * less, ny * more), periodic=(True, True))
    return block_partition(grid, (less, more, 1))


def make_model(request: ByHandRequest, work: str, method: str, domain: Domain) -> Model:
    """A model by a method. Collective; UserError where the strategy does not fit it."""
    strategy = "blocking" if method == HAND else method
    make = _tide if work == TIDE else _tracer
    model, advance, tick, fields = make(request, domain, strategy)
    if method != HAND:
        return Model(advance, fields, model.step)
    hand = HandStep(domain, model.step)
    return Model(lambda steps: hand.run(steps, tick), fields)


Made = tuple[Any, Callable[[int], object], Callable[[], None], list[Field]]


def _tide(request: ByHandRequest, domain: Domain, strategy: str) -> Made:
    """The tide of the North Sea."""
    case = load_case(TIDE, installed_models(), [])
    geometry = case.model.geometry(case.settings, case.folder)
    run: Any = create_run(
        case.model,
        domain,
        case.settings,
        geometry,
        strategy=strategy,
        transport=request.transport,
    )
    return run, run.advance, run._coast.tick, list(run.state.values())


def _tracer(request: ByHandRequest, domain: Domain, strategy: str) -> Made:
    """A tracer in gyres that fill the grid."""
    nx, ny, _ = domain.partition.grid.size
    settings = _kernels.TracerSettings()
    settings.levels = request.size[2]
    depth = np.asfortranarray(np.full((nx, ny), DEPTH))
    tracer = _kernels.TracerAdvection(domain, settings, depth, strategy, request.transport)
    i, j = np.ogrid[: nx + 1, : ny + 1]
    stream = TURNING * np.sin(2 * np.pi * i / nx) * np.sin(2 * np.pi * j / ny)
    values = {
        "flow_x": np.diff(stream, axis=1)[1:, :, None],
        "flow_y": -np.diff(stream, axis=0)[:, 1:, None],
        "tracer": np.random.default_rng(1).random((nx, ny, request.size[2])),
    }
    for name, whole in values.items():
        cells = Field(domain, getattr(tracer, name))
        for box in domain.boxes:
            cells[box] = whole[box.lo[0] : box.hi[0], box.lo[1] : box.hi[1]]
    tracer.tracer.modified()
    tracer.set_flow()
    return tracer, tracer.advance, lambda: None, [Field(domain, tracer.tracer)]
