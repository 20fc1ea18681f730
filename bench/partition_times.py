"""Does a better partition pay? Modelled costs of cuts of a sea, and how long a step takes on them.

python bench/partition_times.py [--ranks 60,120,512,720] [--machines hector-xt4,infiniband]
    [--case shelf] [--seeds 5] [--strategy blocking] [--measure 2]

Cuts the sea as `lapwing partition` does, and by METIS for each objective with several seeds;
predicts a step of every cut on every machine, each rank by its own tasks and messages; steps for
real on --measure ranks (0: not), by `lapwing bench partitions`. Prints tables in Markdown and how
costs and times go together. An hour for the shelf on one core, most of it to lay out the ranks.
"""

from __future__ import annotations

import argparse
import json
import math
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median

import numpy as np
from lapwing.base.error import OutsideError, UserError
from lapwing.core.domain import Domain
from lapwing.core.partition import CostModel
from lapwing.machine.charges import stage_charges
from lapwing.machine.machine import Machine, load_machine
from lapwing.machine.predict.events import forecast_of
from lapwing.machine.predict.outlines import Outlines, outlines_of_each
from lapwing.machine.predict.subject import MakeStep
from lapwing.machine.simulate.simulate import simulate
from lapwing.machine.simulate.work import SimulationRequest
from lapwing.model.case import geometry_of, load_case
from lapwing.model.registry import installed_models
from lapwing.partition.methods import Sea
from lapwing_bench.measure.options import several
from lapwing_bench.partitions.cuts import (
    OBJECTIVES,
    WET_BLOCKS,
    Cut,
    by_own_costs,
    metis_blocks,
    metis_parts,
    sea_of,
    searched,
)
from lapwing_coast import _kernels
from lapwing_coast.run import numbers
from lapwing_coast.sea import make_sea
from scipy.stats import rankdata

RANKS = (60, 120, 512, 720)
MACHINES = ("hector-xt4", "infiniband")
HALO = 2  # cells, of the modelled costs
MODEL, STAGES = "coast", ("momentum_x", "momentum_y", "continuity")
BOX = (60, 60)  # whose costs a machine file is asked for
VALUE = 8  # bytes
PAYS = 0.98  # of a step: what is less is worth a search
COLUMNS = (
    *("boxes", "most cells", "halo", "cost", "own cost"),
    *("step us", "compute", "over wet blocks", "simulated us"),
)
WHO, COSTS = ("Pearson", "Spearman"), ("cost", "own cost")
LAPWING = (sys.executable, "-m", "lapwing")


@dataclass(frozen=True)
class Timed:
    """A cut, what it costs, and its step on a machine."""

    ranks: int
    cut: Cut
    imbalance: float
    halo: int  # wet points of all ranks
    cost: float  # by POLCOMS's coefficients
    own: float  # by those of the machine
    step: float  # s; nan: its parts are no boxes
    compute: float  # s, of the rank with most
    simulated: float = math.nan  # s, where that was asked for


class Study:
    """A sea, and what each rank does on its cuts, which is laid out once for all machines."""

    def __init__(self, case: str, strategy: str, seeds: int, simulates: bool) -> None:
        """Read the case."""
        loaded = load_case(case, installed_models())
        self._case, self._simulates = case, simulates
        geometry = geometry_of(loaded)
        self._wet = geometry.wet
        depth, boundaries = make_sea(loaded.settings, geometry)
        settings = numbers(loaded.settings)

        def make(domain: Domain, strategy: str) -> tuple[object, object]:
            made = _kernels.Coast(domain, settings, depth, boundaries, strategy, "p2p")
            return made.step, made

        self._make: MakeStep = make
        self._strategy, self._seeds = strategy, seeds
        self._kept: dict[tuple[int, int], list[tuple[Cut, Outlines | None]]] = {}

    def on(self, machine: Machine, ranks: int) -> list[Timed]:
        """All cuts of the sea into so many ranks, on a machine. Local."""
        model = CostModel(width=HALO, ranks_per_node=machine.ranks_per_node)
        sea = sea_of(self._wet, model)
        key = ranks, machine.ranks_per_node
        if key not in self._kept:
            self._kept[key] = [(one, self._laid_out(sea, one)) for one in self._cuts(sea, ranks)]
        pairs = self._kept[key]
        own = own_costs(machine, sea, *next(p for p in pairs if p[0].method == WET_BLOCKS))
        more = [(one, self._laid_out(sea, one)) for one in by_own_costs(sea, ranks, own)]
        rows = [_timed(machine, sea, ranks, own, *pair) for pair in (*pairs, *more)]
        return [self._simulated(machine, row) for row in rows] if self._simulates else rows

    def _simulated(self, machine: Machine, row: Timed) -> Timed:
        """The row with the step in the simulator, of one seed. Local."""
        if row.cut.partition is None or row.cut.seed:
            return row
        asked = SimulationRequest(
            self._case,
            machine.name,
            row.ranks,
            (self._strategy,),
            samples=1,
            alone=False,
            partition=row.cut.partition,
        )
        (found,) = simulate(asked).measured()
        return replace(row, simulated=found.step)

    def _cuts(self, sea: Sea, ranks: int) -> Iterator[Cut]:
        yield from searched(sea, ranks)
        for cut in (metis_parts, metis_blocks):
            for objective in OBJECTIVES:
                yield from (cut(sea, ranks, objective, seed) for seed in range(self._seeds))

    def _laid_out(self, sea: Sea, cut: Cut) -> Outlines | None:
        if cut.partition is None:
            return None
        per_node = sea.model.ranks_per_node
        return outlines_of_each(cut.partition, self._make, self._strategy, per_node)


def own_costs(machine: Machine, sea: Sea, cut: Cut, outlines: Outlines | None) -> CostModel:
    """The coefficients of a cost that a machine file stands for, with the messages of a cut. Local.

    Per cell, land or not, what the stages take; per halo point its bytes on their link, which the
    ranks of a node share, and in and out of the message, half of them in columns; per neighbour its
    messages.
    """
    assert outlines is not None
    cell = sum(stage["cell"] for stage in _charges(machine).values())  # s
    price = cut.price(sea, len(outlines.of_rank), sea.model)
    points = float(np.sum(price.halo_off) + np.sum(price.halo_on))
    sent = sum(one.bytes for one in outlines.outlines) / points
    messages = sum(one.messages for one in outlines.outlines) / float(np.sum(price.messages))
    packing, network = machine.packing, machine.link("network")
    copied = 2 * sent * (packing.byte + packing.row / VALUE / 2)  # s
    call = machine.message_costs(None).links.get("network")
    late = network.latency + (call.send + call.receive if call is not None else 0)
    return CostModel(
        wet=1,
        dry=1,
        off=(sent * machine.ranks_per_node / network.bandwidth + copied) / cell,
        on=(sent / machine.link("node").bandwidth + copied) / cell,
        latency=messages * late / cell,
        width=HALO,
        ranks_per_node=machine.ranks_per_node,
    )


def _charges(machine: Machine) -> dict[str, dict[str, float]]:
    return stage_charges(machine, MODEL, BOX, STAGES)


def _timed(
    machine: Machine, sea: Sea, ranks: int, own: CostModel, cut: Cut, outlines: Outlines | None
) -> Timed:
    price = cut.price(sea, ranks, sea.model)
    step = compute = np.nan
    if outlines is not None:
        found = forecast_of(machine, None, outlines, _charges(machine))
        step, compute = found.step, max(one.compute for one in found.ranks)
    halo = int(np.sum(price.halo_on) + np.sum(price.halo_off))
    cost = cut.price(sea, ranks, own).cost
    return Timed(ranks, cut, price.imbalance, halo, price.cost, cost, step, compute)


# ---- tables


def print_rows(rows: Sequence[Timed]) -> None:
    """A row per method, over all seeds: median (least to most). Local."""
    best = _of(rows, WET_BLOCKS)
    for method in dict.fromkeys(one.cut.method for one in rows):
        same = [one for one in rows if one.cut.method == method]
        columns: list[tuple[Sequence[float], str]] = [
            ([one.cut.boxes for one in same], "{:,.0f}"),
            ([one.cut.cells or math.nan for one in same], "{:,.0f}"),
            ([one.halo for one in same], "{:,.0f}"),
            ([one.cost for one in same], "{:,.0f}"),
            ([one.own for one in same], "{:,.0f}"),
        ]
        if same[0].cut.partition is not None:
            columns += [
                ([1e6 * one.step for one in same], "{:,.1f}"),
                ([one.compute / one.step for one in same], "{:.0%}"),
                ([one.step / best.step for one in same], "{:.3f}"),
                ([1e6 * one.simulated for one in same if one.cut.seed in (None, 0)], "{:,.1f}"),
            ]
        imbalance = _spread([one.imbalance for one in same], "{:.3f}")
        shown = [_spread(values, form) for values, form in columns] + [""] * (9 - len(columns))
        print_row([str(best.ranks), method, imbalance, *shown])


def print_row(words: Sequence[str]) -> None:
    """Print a row of a table in Markdown. Local."""
    print("| " + " | ".join(words) + " |", flush=True)


def print_head(*words: str) -> None:
    """Print the head of a table in Markdown. Local."""
    print_row(words)
    print_row(["---"] * len(words))


def _spread(values: Sequence[float], form: str) -> str:
    if any(math.isnan(value) for value in values):
        return ""
    low, middle, high = (form.format(f(values)) for f in (min, median, max))
    return middle if low == high else f"{middle} ({low} to {high})"


def _of(rows: Sequence[Timed], method: str) -> Timed:
    """The first of a method."""
    return next(one for one in rows if one.cut.method == method)


# ---- how costs and times go together


def correlation(one: Sequence[float], other: Sequence[float]) -> tuple[float, float]:
    """Pearson's and Spearman's: of the values, and of their places in order. Local."""
    pearson = np.corrcoef(one, other)[0, 1]
    return float(pearson), float(np.corrcoef(rankdata(one), rankdata(other))[0, 1])


def print_correlations(machine: str, tables: Sequence[Sequence[Timed]]) -> None:
    """A row per number of ranks, and two of all: as they are, and over wet blocks. Local."""
    run = [[one for one in rows if one.cut.partition is not None] for rows in tables]
    every = [one for rows in run for one in rows]
    for name, rows in [*((str(rows[0].ranks), rows) for rows in run), ("all", every)]:
        times = [one.step for one in rows]
        costs = ([one.cost for one in rows], [one.own for one in rows])
        _print_correlation(machine, name, times, costs)
    best = {rows[0].ranks: _of(rows, WET_BLOCKS) for rows in run}
    times = [one.step / best[one.ranks].step for one in every]
    costs = (
        [one.cost / best[one.ranks].cost for one in every],
        [one.own / best[one.ranks].own for one in every],
    )
    _print_correlation(machine, "all, over wet blocks", times, costs)


def _print_correlation(
    machine: str, name: str, times: Sequence[float], costs: Sequence[Sequence[float]]
) -> None:
    both = [number for cost in costs for number in correlation(cost, times)]
    print_row([machine, name, str(len(times)), *(f"{number:.2f}" for number in both)])


def verdict(machine: str, rows: Sequence[Timed]) -> str:
    """Whether any of the methods pays, and what their costs had said. Local."""
    best = _of(rows, WET_BLOCKS)
    words = []
    for method in dict.fromkeys(one.cut.method for one in rows if one.cut.partition is not None):
        if method == WET_BLOCKS:
            continue
        same = [one for one in rows if one.cut.method == method]
        time = median(one.step for one in same) / best.step
        cost = median(one.cost for one in same) / best.cost
        pays = "pays" if time < PAYS else "does not pay"
        words.append(f"{method} {pays}: {time - 1:+.1%} of the step, {cost - 1:+.1%} of the cost")
    return f"{machine}, {best.ranks} ranks, over wet blocks: " + "; ".join(words)


# ---- real ranks


def measured(ranks: int, works: str, seeds: int) -> None:
    """Run `lapwing bench partitions`, and print how costs and times go together there. Local."""
    with tempfile.TemporaryDirectory(prefix="lapwing-partitions-") as folder:
        file = Path(folder) / "samples.json"
        words = f"bench partitions --ranks {ranks} --works {works} --seeds {seeds} --json {file}"
        subprocess.run([*LAPWING, *words.split()], check=True)
        rows = json.loads(file.read_text())["results"]
    print_head("case", "cuts", "Pearson", "Spearman")
    for work in dict.fromkeys(row["work"] for row in rows):
        mine = [row for row in rows if row["work"] == work]
        costs = [row["extra"]["cost"] for row in mine]
        both = correlation(costs, [row["median"] for row in mine])
        print_row([work, str(len(mine)), *(f"{number:.2f}" for number in both)])


def main() -> None:
    """Print the tables of all machines, then what real ranks say."""
    options = _options()
    study = Study(options.case, options.strategy, options.seeds, options.simulate)
    tables: dict[str, list[list[Timed]]] = {name: [] for name in options.machines}
    for name in options.machines:
        print(f"\n{options.case} on {name}, {options.strategy}\n")
        print_head("ranks", "method", "max/mean wet", *COLUMNS)
        for ranks in options.ranks:
            tables[name].append(study.on(load_machine(name), ranks))
            print_rows(tables[name][-1])
    print()
    print_head("machine", "ranks", "cuts", *(f"{who}, {cost}" for cost in COSTS for who in WHO))
    for name, found in tables.items():
        print_correlations(name, found)
    print()
    for name, found in tables.items():
        for rows in found:
            print(verdict(name, rows))
    if options.measure:
        print(f"\nreal steps on {options.measure} ranks\n", flush=True)
        measured(options.measure, options.works, min(options.seeds, 2))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Does a better partition pay?")
    parser.add_argument("--ranks", type=several(int), default=RANKS)
    parser.add_argument("--machines", type=several(str), default=MACHINES)
    parser.add_argument("--case", default="shelf", help="of the coast model, without layers")
    parser.add_argument("--seeds", type=int, default=5, help="of METIS, for each objective")
    parser.add_argument("--strategy", default="blocking")
    parser.add_argument("--simulate", action="store_true", help="steps too; a small sea only")
    parser.add_argument("--measure", type=int, default=2, metavar="RANKS", help="0: no real steps")
    parser.add_argument("--works", default="shelf,northsea,shelf3d-small", help="of real steps")
    return parser.parse_args()


if __name__ == "__main__":
    try:
        main()
    except (UserError, OutsideError) as problem:
        sys.exit(str(problem))
