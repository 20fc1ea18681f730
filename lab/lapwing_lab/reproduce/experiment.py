"""Experiments: predicted steps, plans and cuts that answer rows, each by its command line."""

from __future__ import annotations

import io
import json
import math
import tempfile
from collections.abc import Mapping
from contextlib import redirect_stdout
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from lapwing.commands.partition import PartitionRequest, partition_mask
from lapwing.core._core import KSection
from lapwing.core.partition import (
    CostModel,
    Grid,
    Mask,
    Partition,
    block_partition,
    partition_cost,
    weighted_blocks,
)
from lapwing.partition.regions import cut_mask, find_region, write_region
from numpy.typing import NDArray

from lapwing_lab.bench.partition.windows import laid_out
from lapwing_lab.machine.charges import stage_charges
from lapwing_lab.machine.machine import Machine, load_machine
from lapwing_lab.predict.entry import Entry
from lapwing_lab.predict.events import entry_of, forecast_of, require_known
from lapwing_lab.predict.outlines import outline_of_rank, outlines_of
from lapwing_lab.predict.subject import Cut, Subject, cut_into, subject_of

Numbers = Mapping[str, float]

# of the tides that candidates of a partition are priced by
_HALO = 2  # cells
_STAGES = ("momentum_x", "momentum_y", "continuity")
_BOX = (60, 60)  # whose costs a machine file is asked for


@dataclass(frozen=True)
class Predicted:
    """A strategy priced by `lapwing predict`, on any blocks, and the numbers of its step."""

    case: str
    machine: str
    ranks: int
    strategy: str = "blocking"
    sets: tuple[str, ...] = ()
    blocks: tuple[int, int, int] | None = None  # none: with the least halo
    # cells along y of the first half of the ranks to those of the second; none: alike
    rows: tuple[int, int] | None = None
    faster: float = 1.0  # times as fast as the processors of the machine file

    @property
    def command(self) -> str:
        """The command line of its kind, with what only this module can do behind it. Local."""
        rows = f" # rows {self.rows[0]} to {self.rows[1]}" if self.rows else ""
        faster = f" # processors {self.faster:g} times as fast" if self.faster != 1 else ""
        blocks = f" # {'x'.join(map(str, self.blocks))} blocks" if self.blocks else ""
        told = _options(replace(self, blocks=None))
        return f"lapwing predict {told} --strategy '{self.strategy}'{blocks}{rows}{faster}"

    def run(self) -> Numbers:
        """Predict. Local."""
        machine, subject = load_machine(self.machine), _subject(self.case, self.sets)
        cut = subject.cut(machine, self.ranks)
        if self.blocks is not None:
            cut = cut_into(machine, cut.grid, self.blocks, self.ranks)
        if self.rows is not None:
            half = self.ranks // 2
            speeds = [self.rows[0]] * half + [self.rows[1]] * (self.ranks - half)
            cut = replace(cut, partition=weighted_blocks(cut.partition, speeds), pattern=None)
        return _numbers(self._priced(machine, subject, cut))

    def _priced(self, machine: Machine, subject: Subject, cut: Cut) -> Entry:
        make = subject.make(cut.pattern or cut)
        outlines = outlines_of(cut, make, self.strategy, machine.ranks_per_node)
        require_known(self.case, outlines)
        stages = subject.stages or tuple(outlines.outlines[0].stages)
        charges = stage_charges(machine, subject.model, cut.box, stages)
        faster = [self.faster] * self.ranks
        found = forecast_of(machine, None, outlines, charges, faster)
        return entry_of(outlines, found, self.strategy, cut.grid.box.volume, cut.blocks)


@cache
def _subject(case: str, sets: tuple[str, ...]) -> Subject:
    return subject_of(case, sets)


def _numbers(entry: Entry) -> Numbers:
    names = ("step", "compute", "processor", "waiting", "messages", "bytes")
    return {name: float(getattr(entry, name)) for name in names}


def _options(one: Predicted) -> str:
    blocks = f" --blocks {'x'.join(map(str, one.blocks))}" if one.blocks else ""
    sets = "".join(f" --set {part}" for part in one.sets)
    return f"{one.case} --machine {one.machine} --ranks {one.ranks}{blocks}{sets}"


@dataclass(frozen=True)
class Planned:
    """The tasks of the rank in the middle, and which cells they compute while messages travel."""

    case: str
    blocks: tuple[int, int, int]
    strategy: str
    sets: tuple[str, ...] = ()
    machine = ""  # a plan has no times

    @property
    def command(self) -> str:
        """The command line that prints the tasks. Local."""
        ranks, rank = math.prod(self.blocks), _middle(self.blocks)
        sets = "".join(f" --set {part}" for part in self.sets)
        strategy = f"--strategy '{self.strategy}'"
        return f"lapwing plan {self.case} --ranks {ranks} --rank {rank} {strategy}{sets}"

    def run(self) -> Numbers:
        """Shares of the first stage computed before each of its arrivals, by number. Local."""
        subject = _subject(self.case, self.sets)
        grid = subject.cut(load_machine("infiniband"), 1).grid
        partition = block_partition(grid, self.blocks)
        cut = Cut(grid, self.blocks, partition)
        rank = _middle(self.blocks)
        outline = outline_of_rank(partition, subject.make(cut), self.strategy, rank, 1)
        tasks: list[dict[str, Any]] = outline.data()["steps"][0]["tasks"]  # type: ignore[index]
        first = [one for one in tasks if one["entry"] <= 1]
        cells, done = {"0": 0.0, "1": 0.0, "2": 0.0}, 0
        for one in first:
            done += one["kind"] == "arrive"
            cells[str(min(done, 2))] += one["cells"]
        return {number: value / sum(cells.values()) for number, value in cells.items()}


def _middle(blocks: tuple[int, int, int]) -> int:
    return blocks[0] * (blocks[1] // 2) + blocks[0] // 2


@dataclass(frozen=True)
class Searched:
    """Cuts of a region of the earth by all of `lapwing partition`, and the numbers of each."""

    region: str
    ranks: int
    per_node: int = 1
    machine = ""  # its costs are lapwing's own

    @property
    def command(self) -> str:
        """The command lines that make the mask and cut it. Local."""
        nodes = f" --ranks-per-node {self.per_node}" if self.per_node > 1 else ""
        mask = f"lapwing mask --region {self.region} --out {self.region}.nc"
        return f"{mask} && lapwing partition {self.region}.nc -n {self.ranks}{nodes}"

    def run(self) -> Numbers:
        """Write the mask and cut it: numbers by method, like "ksection cost". Local."""
        with tempfile.TemporaryDirectory(prefix="lapwing-reproduce-") as folder:
            mask, file = Path(folder, "mask.nc"), Path(folder, "found.json")
            write_region(find_region(self.region, None, None), mask)
            request = PartitionRequest(
                mask, str(self.ranks), ranks_per_node=self.per_node, json=file, method="all"
            )
            with redirect_stdout(io.StringIO()):
                partition_mask(request)
            found = json.loads(file.read_text())
        names = ("cost", "imbalance", "halo_off", "halo_on", "messages", "candidates", "seconds")
        return {
            f"{entry['method']} {name}": float(entry[name])
            for entry in found["entries"]
            for name in names
            if entry[name] is not None
        }


@dataclass(frozen=True)
class Candidates:
    """Every k-section of a region with the same cuts in all branches, and its exchanges priced."""

    region: str
    ranks: int
    machine: str

    @property
    def command(self) -> str:
        """The command line that cuts the region, with what only this module can do. Local."""
        searched = Searched(self.region, self.ranks).command
        return f"{searched} --method ksection # every candidate on {self.machine}"

    def run(self) -> Numbers:
        """Price all candidates: how times go with costs, and the cheapest. Local; a minute."""
        machine = load_machine(self.machine)
        wet = cut_mask(find_region(self.region, None, None)).wet
        model = CostModel(width=_HALO, ranks_per_node=machine.ranks_per_node)
        grid, mask = Grid(wet.shape), Mask(wet)
        candidates = KSection(grid, mask, self.ranks, model, nodes_first=False)
        cuts = [candidates.partition(n) for n in range(candidates.count)]
        costs = [partition_cost(one, mask, model).cost for one in cuts]
        times = [_exchange(machine, one, wet) for one in cuts]
        cheapest = times[int(np.argmin(costs))]
        return {
            "candidates": len(cuts),
            "r": float(np.corrcoef(costs, times)[0, 1]),
            "fastest": min(times),
            "slowest": max(times),
            "cheapest": cheapest,
            "faster": sum(one < cheapest for one in times),
        }


def _exchange(machine: Machine, partition: Partition, wet: NDArray[np.bool_]) -> float:
    """Seconds of a step of the tide beyond computing, on the slowest rank. Local."""
    outlines = laid_out(partition, "blocking", machine.ranks_per_node, wet)
    charges = stage_charges(machine, "coast", _BOX, _STAGES)
    found = forecast_of(machine, None, outlines, charges)
    return float(found.step - max(rank.compute for rank in found.ranks))


Experiment = Predicted | Planned | Searched | Candidates
