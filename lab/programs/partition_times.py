"""Does a better partition pay? Modelled costs of cuts of a sea, and how long a step takes on them.

python lab/programs/partition_times.py [--ranks 60,120,512,720] [--machines hector-xt4,infiniband]
    [--case shelf] [--seeds 5] [--strategy blocking] [--methods ksection assigned] [--measure 2]
    [--json FILE]

Cuts the sea as `lapwing partition` does, and by METIS for each objective with several seeds;
predicts a step of every cut on every machine, each rank by its own tasks and messages; steps for
real on --measure ranks (0: not), by `lapwing bench partitions`. Prints tables in Markdown and how
costs and times go together; --json writes both, of predictions, as a benchmark writes its results.
Seven minutes of one core for the shelf, then a minute of real steps.
"""

from __future__ import annotations

import argparse
import json
import math
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
from lapwing.base.error import OutsideError, UserError
from lapwing.core.partition import CostModel, PartitionCost
from lapwing.core.versions import write_report
from lapwing.model.case import geometry_of, load_case
from lapwing.model.registry import installed_models
from lapwing.partition.methods import METIS_VERSION, OwnerCost, Sea
from lapwing.partition.regions import reachable
from lapwing_lab import _core
from lapwing_lab.bench.measure.markdown import print_head, print_row
from lapwing_lab.bench.measure.options import several
from lapwing_lab.bench.partition.cuts import (
    OBJECTIVES,
    WET_BLOCKS,
    Cut,
    by_own_costs,
    metis_blocks,
    metis_parts,
    sea_of,
    searched,
    seeds_of,
    without_land,
)
from lapwing_lab.bench.partition.windows import laid_out
from lapwing_lab.machine.charges import stage_charges
from lapwing_lab.machine.machine import Machine, load_machine
from lapwing_lab.predict.events import forecast_of, stage_costs
from lapwing_lab.predict.outlines import Outlines
from lapwing_lab.simulate.simulate import simulate
from lapwing_lab.simulate.work import SimulationRequest
from scipy.stats import rankdata

RANKS = (60, 120, 512, 720)
MACHINES = ("hector-xt4", "infiniband")
HALO = 2  # cells, of the modelled costs
MODEL, STAGES = "coast", ("momentum_x", "momentum_y", "continuity")
BOX = (60, 60)  # whose costs a machine file is asked for
VALUE = 8  # bytes
PAYS = 0.98  # of a step: what is less is worth a search
PLAIN = ("imbalance", "halo", "cost", "own", "step", "skipping", "dry")  # of a timed cut itself
FORMS = {  # of the numbers of a method: a factor, and how they are written
    "imbalance": (1, "{:.3f}"),
    **dict.fromkeys(("boxes", "cells", "halo", "cost", "own"), (1, "{:,.0f}")),
    "step": (1e6, "{:,.1f}"),
    "step_over": (1, "{:.3f}"),
    "skipping": (1e6, "{:,.1f}"),
    "skipping_over": (1, "{:.3f}"),
    "dry": (1, "{:.3f}"),
    "simulated": (1e6, "{:,.1f}"),
}
COLUMNS = (
    *("boxes", "most cells", "halo", "cost", "own cost"),
    *("step us", "over wet blocks", "land left out us", "over wet blocks"),
    "a dry cell",
)
WHO = "Pearson", "Spearman"
TOGETHER = "together"  # the method of results that has correlations
PAIRS = (("cost", "step"), ("cost", "skipping"), ("own", "step"))
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
    step: float  # s, with all land computed
    skipping: float  # s, where stages leave land out
    dry: float = math.nan  # a cell of land that is left out, in wet cells that take as long
    simulated: float = math.nan  # s, where that was asked for


@dataclass(frozen=True)
class LaidOut:
    """A cut, what it counts, and what each rank does in a step, where that was found."""

    cut: Cut
    price: PartitionCost | OwnerCost
    outlines: Outlines | None
    skipping: Outlines | None  # the same where stages leave land out


class Study:
    """A sea, and what each rank does on its cuts, which is laid out once for all machines."""

    def __init__(
        self, case: str, strategy: str, seeds: int, simulates: bool, methods: Sequence[str] = ()
    ) -> None:
        """Read the case, without the waters that touch no side: METIS's parts collect ponds."""
        wet = geometry_of(load_case(case, installed_models())).wet
        rim = np.ones_like(wet)
        rim[1:-1, 1:-1] = False
        self._wet = np.asfortranarray(reachable(wet, rim))
        self._strategy, self._seeds, self._simulates = strategy, seeds, simulates
        self._methods = {WET_BLOCKS, *methods} if methods else None  # none: all
        self._kept: dict[tuple[int, int], list[LaidOut]] = {}

    def on(self, machine: Machine, ranks: int) -> list[Timed]:
        """Return all cuts of the sea into `ranks` ranks, on a machine. Local."""
        model = CostModel(width=HALO, ranks_per_node=machine.ranks_per_node)
        sea = sea_of(self._wet, model)
        key = ranks, machine.ranks_per_node
        if key not in self._kept:
            cuts = filter(self._is_wanted, self._cuts(sea, ranks))
            self._kept[key] = [self._laid_out(sea, ranks, one) for one in cuts]
        kept = self._kept[key]
        own = own_costs(machine, next(one for one in kept if one.cut.method == WET_BLOCKS))
        others = filter(self._is_wanted, by_own_costs(sea, ranks, own))
        more = [self._laid_out(sea, ranks, one) for one in others]
        rows = [_timed(machine, ranks, own, one) for one in (*kept, *more)]
        return [self._simulated(machine, row) for row in rows] if self._simulates else rows

    def _is_wanted(self, one: Cut) -> bool:
        return self._methods is None or one.method in self._methods

    def _simulated(self, machine: Machine, row: Timed) -> Timed:
        """The row with the step in the simulator, of one seed. Local."""
        if row.cut.seed not in (None, 1):
            return row
        asked = SimulationRequest(
            f"{MODEL}-{BOX[0]}x{BOX[1]}",
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
        for one in searched(sea, ranks):
            yield one
            if one.method in (WET_BLOCKS, "ksection"):
                yield without_land(one, sea)
        for objective in OBJECTIVES:
            for seed in seeds_of(self._seeds):
                yield metis_blocks(sea, ranks, objective, seed)
                yield metis_parts(sea, ranks, objective, seed)

    def _laid_out(self, sea: Sea, ranks: int, cut: Cut) -> LaidOut:
        price, per_node = cut.price(sea, ranks, sea.model), sea.model.ranks_per_node
        if cut.owners is not None and cut.seed != 1:  # boxes by the thousand: once is enough
            return LaidOut(cut, price, None, None)
        whole, less = (
            laid_out(cut.partition, self._strategy, per_node, wet) for wet in (None, self._wet)
        )
        return LaidOut(cut, price, whole, less)


def own_costs(machine: Machine, one: LaidOut) -> CostModel:
    """The coefficients of a cost that a machine file stands for, with the messages of a cut. Local.

    Per cell, land or not, what the stages take; per halo point its bytes on their link, which the
    ranks of a node share, and in and out of the message, half of them in columns; per neighbour its
    messages.
    """
    price, outlines = one.price, one.outlines
    assert outlines is not None
    cell = sum(stage["cell"] for stage in _charges(machine).values())  # s
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


def repriced(price: PartitionCost | OwnerCost, model: CostModel) -> float:
    """The cost of what was counted by other coefficients, of the slowest rank. Local."""
    counts = [
        getattr(price, name)
        if isinstance(price, OwnerCost)
        else np.array([getattr(one, name) for one in price.ranks])
        for name in ("wet", "dry", "halo_off", "halo_on", "messages")
    ]
    weights = model.wet, model.dry, model.off, model.on, model.latency
    return float(np.max(np.tensordot(weights, counts, axes=1)))


def _timed(machine: Machine, ranks: int, own: CostModel, one: LaidOut) -> Timed:
    price = one.price
    step = skipping = dry = math.nan
    if one.outlines is not None and one.skipping is not None:
        charges = _charges(machine)
        step, skipping = (
            forecast_of(machine, None, outlines, charges).step
            for outlines in (one.outlines, one.skipping)
        )
        dry = dry_cost(machine, one)
    halo = int(np.sum(price.halo_on) + np.sum(price.halo_off))
    cost = repriced(price, own)
    return Timed(ranks, one.cut, price.imbalance, halo, price.cost, cost, step, skipping, dry)


def dry_cost(machine: Machine, one: LaidOut) -> float:
    """Return what a cell of land that is left out costs, a wet cell being 1: of all ranks. Local.

    A stretch of water costs a call and a row more, and holds some land.
    """
    assert one.outlines is not None
    assert one.skipping is not None
    stages = stage_costs(_charges(machine))
    whole, less = (
        sum(_core.compute_seconds(each, stages, 0, 1) for each in outlines.outlines)
        for outlines in (one.outlines, one.skipping)
    )
    wet = one.price.wet if isinstance(one.price, OwnerCost) else [r.wet for r in one.price.ranks]
    cells, water = float(one.cut.cells.sum()), float(np.sum(wet))
    if water == cells:
        return math.nan
    return (less - whole * water / cells) / (whole * (1 - water / cells))


# ---- tables


def print_rows(rows: Sequence[Timed]) -> None:
    """A row per method, over all seeds that have a value: median (least to most). Local."""
    best = _of(rows, WET_BLOCKS)
    for method, numbers in numbers_of(rows).items():
        shown = [
            _spread([factor * value for value in numbers[name]], form)
            for name, (factor, form) in FORMS.items()
            if name != "simulated" or not math.isnan(numbers[name][0])
        ]
        print_row(str(best.ranks), method, *shown)


def numbers_of(rows: Sequence[Timed]) -> dict[str, dict[str, list[float]]]:
    """Return the numbers of the table for each method, over all its seeds. Local."""
    best = _of(rows, WET_BLOCKS)
    found = {}
    for method in dict.fromkeys(one.cut.method for one in rows):
        same = [one for one in rows if one.cut.method == method]
        numbers = {name: [getattr(one, name) for one in same] for name in PLAIN}
        numbers["boxes"] = [one.cut.boxes for one in same]
        numbers["cells"] = [int(one.cut.cells.max()) for one in same]
        numbers["step_over"] = [one.step / best.step for one in same]
        numbers["skipping_over"] = [one.skipping / best.skipping for one in same]
        numbers["simulated"] = [same[0].simulated]
        found[method] = numbers
    return found


def _spread(values: Sequence[float], form: str) -> str:
    known = [value for value in values if not math.isnan(value)]
    if not known:
        return ""
    low, middle, high = (form.format(f(known)) for f in (min, median, max))
    return middle if low == high else f"{middle} ({low} to {high})"


def _of(rows: Sequence[Timed], method: str) -> Timed:
    """Return the first row of a method."""
    return next(one for one in rows if one.cut.method == method)


# ---- how costs and times go together


def correlation(one: Sequence[float], other: Sequence[float]) -> tuple[float, float]:
    """Return Pearson's and Spearman's coefficient, which takes places in order. Local."""
    pearson = np.corrcoef(one, other)[0, 1]
    return float(pearson), float(np.corrcoef(rankdata(one), rankdata(other))[0, 1])


Together = tuple[str, int, list[float]]  # ranks, cuts, and a pair of numbers for each of PAIRS


def correlations(tables: Sequence[Sequence[Timed]]) -> Iterator[Together]:
    """Correlate values over the wet blocks, for each number of ranks and for all. Local."""
    every = []
    for rows in tables:
        best = _of(rows, WET_BLOCKS)
        pairs = [(best, one) for one in rows if not math.isnan(one.step)]
        every += pairs
        yield _together(str(best.ranks), pairs)
    yield _together("all", every)


def _together(name: str, pairs: Sequence[tuple[Timed, Timed]]) -> Together:
    """Correlate each cost and time; a pair is the wet blocks and a cut into as many ranks."""

    def over(what: str) -> list[float]:
        return [getattr(one, what) / getattr(best, what) for best, one in pairs]

    both = (correlation(over(cost), over(time)) for cost, time in PAIRS)
    return name, len(pairs), [number for pair in both for number in pair]


def print_correlations(tables: Mapping[str, Sequence[Sequence[Timed]]]) -> None:
    """Print how costs and times go together on each machine. Local."""
    heads = (f"{who}: {cost}, {time}" for cost, time in PAIRS for who in WHO)
    print_head("machine", "ranks", "cuts", *heads)
    for machine, found in tables.items():
        for ranks, cuts, numbers in correlations(found):
            print_row(machine, ranks, str(cuts), *(f"{number:.2f}" for number in numbers))


def verdict(machine: str, rows: Sequence[Timed]) -> str:
    """Compare methods with wet blocks, and with what their costs had said. Local."""
    best = _of(rows, WET_BLOCKS)
    words = []
    for method in dict.fromkeys(one.cut.method for one in rows):
        same = [one for one in rows if one.cut.method == method and not math.isnan(one.step)]
        cost, step, skipping = (
            median(getattr(one, what) for one in same) / getattr(best, what)
            for what in ("cost", "step", "skipping")
        )
        told = f"cost {cost - 1:+.0%}, step {step - 1:+.0%}, with land left out {skipping - 1:+.0%}"
        if method != WET_BLOCKS:
            words.append(f"- {method} {'pays' if step < PAYS else 'does not pay'}: {told}")
    return "\n".join([f"{machine}, {best.ranks} ranks:", *words])


# ---- the file


def write_results(file: Path, tables: Mapping[str, Sequence[Sequence[Timed]]]) -> None:
    """The tables as a benchmark's results: of each number its median, least and most. Local.

    Works are MACHINE@RANKS; the method TOGETHER has the correlations.
    """
    results = []
    for machine, found in tables.items():
        for rows in found:
            work = f"{machine}@{rows[0].ranks}"
            results += [_result(work, *one) for one in numbers_of(rows).items()]
        for ranks, cuts, numbers in correlations(found):
            names = [f"{cost}_{time}_{who}" for cost, time in PAIRS for who in WHO]
            extra = {"cuts": cuts, **dict(zip(names, numbers, strict=True))}
            results.append(_row(f"{machine}@{ranks}", TOGETHER, [0.0], extra))
    write_report(file, "lapwing-bench-1", {"results": results}, {"pymetis": METIS_VERSION})


def _result(work: str, method: str, numbers: Mapping[str, Sequence[float]]) -> dict[str, Any]:
    extra = {}
    for name, values in numbers.items():
        if known := [value for value in values if not math.isnan(value)]:
            extra[name] = median(known)
            extra |= {f"{name}_least": min(known), f"{name}_most": max(known)}
    steps = [step for step in numbers["step"] if not math.isnan(step)]
    return _row(work, method, steps, extra)


def _row(work: str, method: str, samples: list[float], extra: dict[str, float]) -> dict[str, Any]:
    return {"work": work, "method": method, "samples": samples, "extra": extra}


# ---- real ranks


def measured(ranks: int, works: str, seeds: int) -> None:
    """Run `lapwing bench partitions`, and print how costs and times go together there. Local."""
    with tempfile.TemporaryDirectory(prefix="lapwing-partitions-") as folder:
        file = Path(folder) / "samples.json"
        words = f"bench partitions --ranks {ranks} --works {works} --seeds {seeds} --json {file}"
        subprocess.run([*LAPWING, *words.split()], check=True)
        rows = json.loads(file.read_text())["results"]
    said = "cost", "cells"
    print_head("case", "cuts", *(f"{who}: {what}, time" for what in said for who in WHO))
    for work in dict.fromkeys(row["work"] for row in rows):
        mine = [row for row in rows if row["work"] == work]
        cells = [work, str(len(mine))]
        for what in said:
            values = [row["extra"][what] for row in mine]
            both = correlation(values, [row["median"] for row in mine])
            cells += [f"{number:.2f}" for number in both]
        print_row(*cells)


def main() -> None:
    """Print the tables of all machines, then what real ranks say."""
    options = _options()
    study = Study(options.case, options.strategy, options.seeds, options.simulate, options.methods)
    tables: dict[str, list[list[Timed]]] = {name: [] for name in options.machines}
    for name in options.machines:
        print(f"\n{options.case} on {name}, {options.strategy}\n")
        simulated = ["simulated us"] if options.simulate else []
        print_head("ranks", "method", "max/mean wet", *COLUMNS, *simulated)
        for ranks in options.ranks:
            tables[name].append(study.on(load_machine(name), ranks))
            print_rows(tables[name][-1])
    print()
    print_correlations(tables)
    print()
    for name, found in tables.items():
        for rows in found:
            print(verdict(name, rows))
    if options.json is not None:
        write_results(options.json, tables)
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
    parser.add_argument("--methods", nargs="+", default=(), help="with wet blocks; or all")
    parser.add_argument("--simulate", action="store_true", help="steps too; some ranks only")
    parser.add_argument("--measure", type=int, default=2, metavar="RANKS", help="0: no real steps")
    parser.add_argument("--works", default="shelf,northsea,shelf3d-small", help="of real steps")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the predictions")
    return parser.parse_args()


if __name__ == "__main__":
    try:
        main()
    except (UserError, OutsideError) as problem:
        sys.exit(str(problem))
