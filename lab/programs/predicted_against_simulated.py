"""Predicted against simulated: steps of `lapwing predict` next to those of `lapwing simulate`.

python lab/programs/predicted_against_simulated.py [--ranks 16,36,64] [--works ...] [--machines ...]
    [--shape "torus = [4, 2, 2]"]

Needs SimGrid (`make simgrid`). Prints a row per machine, work, number of ranks and strategy in
Markdown, how far off the prediction is, and how many pairs of strategies that differ by more than
5 % it puts in the right order.
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from pathlib import Path

from lapwing.base.error import UserError
from lapwing_lab.bench.measure.markdown import print_errors, print_head, print_row
from lapwing_lab.bench.measure.options import several
from lapwing_lab.machine import machine as machine_module
from lapwing_lab.machine.machine import load_machine
from lapwing_lab.predict.entry import PredictionRequest
from lapwing_lab.predict.predict import predict
from lapwing_lab.simulate.simulate import simulate
from lapwing_lab.simulate.work import SimulationRequest

MACHINES = ("getm-cluster", "getm-cluster-today", "infiniband", "lbm-xe6")
# a tide, air and a lattice, small enough to be computed for real in minutes
WORKS = ("coast-60x60", "coast-40x24", "jet-small", "taylor-green")
RANKS = (16, 36)
STRATEGIES = ("blocking", "3s", "6s", "edge-first", "dataflow", "dataflow:4", "deep:2")
MACHINE_FILES = Path(machine_module.__file__).parent / "machines"
_OTHER = 'other = "5 ns"\n'  # of stages that a machine file does not have: any would do
_DIFFERENT = 0.05  # of pairs of strategies that count


@dataclass(frozen=True)
class Compared:
    """The time of a step by one strategy, s."""

    strategy: str
    predicted: float
    simulated: float

    @property
    def off(self) -> float:
        """The error of the prediction, as a share of the simulated step."""
        return self.predicted / self.simulated - 1


def main() -> None:
    """Print all rows, then the errors and the pairs in order."""
    parser = argparse.ArgumentParser(description="Predicted against simulated steps.")
    parser.add_argument("--machines", type=several(str), default=MACHINES)
    parser.add_argument("--works", type=several(str), default=WORKS)
    parser.add_argument("--ranks", type=several(int), default=RANKS)
    parser.add_argument("--strategies", type=several(str), default=STRATEGIES)
    about = 'like "torus = [4, 2, 2]": of the network, instead of the file\'s, with a node per rank'
    parser.add_argument("--shape", default="", help=about)
    options = parser.parse_args()
    print_head("machine", "work", "ranks", "strategy", "predicted us", "simulated us", "off")
    off: list[float] = []
    pairs: list[bool] = []
    with tempfile.TemporaryDirectory(prefix="lapwing-predicted-") as folder:
        for name, work, ranks in product(options.machines, options.works, options.ranks):
            machine = complete(name, Path(folder), ranks, options.shape)
            try:
                rows = list(compared(machine, work, ranks, options.strategies))
            except UserError as problem:  # more blocks than cells
                print(f"{name}, {work}, {ranks} ranks: {problem}", file=sys.stderr)
                continue
            for row in rows:
                times = (f"{1e6 * seconds:.1f}" for seconds in (row.predicted, row.simulated))
                print_row(name, work, str(ranks), row.strategy, *times, f"{row.off:+.1%}")
            off += [row.off for row in rows]
            pairs += ordered(rows)
    print()
    print_errors(f"{len(off)} steps", off)
    print(f"{sum(pairs)} of {len(pairs)} pairs of strategies in order")


def complete(name: str, folder: Path, ranks: int, shape: str) -> str:
    """A copy of a shipped machine file in which no model and no stage lacks its costs. Local.

    `shape`: of the network, if not the file's, of a node per rank.
    """
    machine = load_machine(name)
    path = folder / f"{name}.toml"
    text = (MACHINE_FILES / path.name).read_text()
    for model in ("coast", "tracer", "weather", "lattice"):
        head = f"[[compute.{model}]]\n"
        if model in machine.compute:
            text = text.replace(f"{head}box", f"{head}{_OTHER}box")
        else:
            text += f"\n{head}box = [40, 40]\n{_OTHER}"
    if shape:
        text = re.sub(r"(?m)^count = .*", f"count = {ranks}", text)
        text = re.sub(r"(?m)^ranks_per_node = .*", "ranks_per_node = 1", text)
        text = re.sub(r"(?m)^\[network\].*", f"[network]\n{shape}", text)
    path.write_text(text)
    return str(path)


def compared(machine: str, work: str, ranks: int, strategies: Sequence[str]) -> Iterator[Compared]:
    """A row per strategy that the simulator can run. Local."""
    request = SimulationRequest(work, machine, ranks, tuple(strategies), alone=False, samples=1)
    simulated = {one.method: one.step for one in simulate(request).measured()}
    known = tuple(one for one in strategies if one in simulated)
    predicted = predict(PredictionRequest(work, machine, (ranks,), known))
    for entry in predicted.entries:
        yield Compared(entry.strategy, entry.step, simulated[entry.strategy])


def ordered(rows: Sequence[Compared]) -> list[bool]:
    """For pairs of strategies that differ when simulated: true if predicted alike. Local."""
    found = []
    for one, other in combinations(rows, 2):
        fast, slow = sorted((one, other), key=lambda row: row.simulated)
        if slow.simulated > (1 + _DIFFERENT) * fast.simulated:
            found.append(slow.predicted > fast.predicted)
    return found


if __name__ == "__main__":
    main()
