"""`lapwing bench partition`: steps on the cuts of a sea by several methods, which alternate.

All begin at rest, run equally many steps and must end with the same bits on every wet cell.
"""

from __future__ import annotations

import gc
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from lapwing.core.domain import Domain
from lapwing.core.partition import CostModel
from lapwing.model.case import Case, geometry_of, load_case
from lapwing.model.model import Geometry, Run
from lapwing.model.registry import installed_models
from lapwing.partition.methods import Sea
from lapwing.run.creation import create_run
from mpi4py import MPI
from rich.table import Table

from lapwing_lab.bench.measure import columns
from lapwing_lab.bench.measure.method import slowest
from lapwing_lab.bench.measure.report import Result, ratio
from lapwing_lab.bench.measure.session import Session
from lapwing_lab.bench.partition.cuts import (
    OBJECTIVES,
    WET_BLOCKS,
    Cut,
    by_own_costs,
    metis_blocks,
    sea_of,
    searched,
    seeds_of,
    without_land,
)
from lapwing_lab.bench.partition.request import PartitionRequest

WARM_UP = 2  # samples that are not kept
LONG = 0.03  # s, of a sample
FIRST = 8  # steps that tell how many make a sample
HALO = 2  # cells, of the modelled cost


@dataclass
class Runner:
    """A case on one of its cuts."""

    cut: Cut
    domain: Domain
    run: Run

    @property
    def name(self) -> str:
        """For a table."""
        return self.cut.method if self.cut.seed is None else f"{self.cut.method} {self.cut.seed}"


def run(request: PartitionRequest) -> int:
    """Measure all cases and print the table. Collective over the world."""
    with Session(request, len(request.works), request.samples) as session:
        for work in request.works:
            session.results += _measured(session, work)
            session.bar.finish(work)
    words = "of the slowest rank; speed-up over wet blocks: median (middle half)"
    return session.tell(_table(session.results), words, width=140)


def _measured(session: Session[PartitionRequest], work: str) -> list[Result]:
    """All cuts of a case, alternating. Collective."""
    request = session.request
    case = load_case(work, installed_models())
    geometry = geometry_of(case)
    ranks, first = MPI.COMM_WORLD.size, MPI.COMM_WORLD.rank == 0
    sea = sea_of(geometry.wet, CostModel(width=HALO, ranks_per_node=ranks))
    cuts = MPI.COMM_WORLD.bcast(cuts_of(sea, ranks, request.seeds) if first else None)
    runners = [_runner(request, case, geometry, cut) for cut in cuts]
    tried = min(slowest(MPI.COMM_WORLD, partial(one.run.advance, FIRST)) for one in runners)
    steps = request.steps or max(1, round(LONG * FIRST / tried))
    by_name = {one.name: one for one in runners}
    taken = session.alternate_runs(work, by_name, lambda one, n: one.run.advance(n), steps, WARM_UP)
    _require_same_bits(runners, geometry)
    best = next(taken[one.name] for one in runners if one.cut.method == WET_BLOCKS)
    found = [_result(work, sea, one, taken[one.name], best) for one in runners]
    domains = [one.domain for one in runners]
    by_name.clear()
    runners.clear()
    gc.collect()
    for domain in domains:
        domain.close()
    return found


def cuts_of(sea: Sea, ranks: int, seeds: int) -> list[Cut]:
    """Those that run, METIS's of small blocks among them. Local."""
    # as in the kernels of the model, which compute land and blend it out
    land_counts = CostModel(dry=1, width=sea.model.width, ranks_per_node=sea.model.ranks_per_node)
    found = list(searched(sea, ranks))
    by_metis = [
        metis_blocks(sea, ranks, objective, seed)
        for objective in OBJECTIVES
        for seed in seeds_of(seeds)
    ]
    tiled = [without_land(one, sea) for one in found if one.method in (WET_BLOCKS, "ksection")]
    return [*found, *tiled, *by_own_costs(sea, ranks, land_counts), *by_metis]


def _runner(request: PartitionRequest, case: Case, geometry: Geometry, cut: Cut) -> Runner:
    """The case at rest on a cut. Collective."""
    domain = Domain(cut.partition)
    model = create_run(
        case.model,
        domain,
        case.settings,
        geometry,
        strategy="blocking",
        transport=request.transport,
    )
    return Runner(cut, domain, model)


def _require_same_bits(runners: list[Runner], geometry: Geometry) -> None:
    """Raise unless all have the same state on all wet cells. Collective."""
    first: dict[str, Any] = {}
    for one in runners:
        for name, state in one.run.state.items():
            whole = state.gather()
            if whole is None:  # rank 0 has it
                continue
            mine = np.asarray(whole)[geometry.wet]
            if not np.array_equal(first.setdefault(name, mine), mine):
                raise RuntimeError(f"bench partition: {one.name} ends with other bits in {name}")


def _result(work: str, sea: Sea, one: Runner, seconds: list[float], best: list[float]) -> Result:
    price = one.cut.price(sea, MPI.COMM_WORLD.size, sea.model)
    told = {"cost": price.cost, "imbalance": price.imbalance, "cells": float(one.cut.cells.max())}
    return Result(work, one.name, seconds, told | ratio("speed_up", best, seconds))


def _table(results: list[Result]) -> Table:
    return columns.table(
        results,
        [
            ("max/mean wet", columns.number("imbalance", decimals=3)),
            ("most cells", lambda result: f"{result.extra['cells']:,.0f}"),
            ("cost", lambda result: f"{result.extra['cost']:,.0f}"),
            *columns.times("us", 1, "median us", "min us", "max us"),
            ("speed-up", columns.spread("speed_up", 3)),
        ],
    )
