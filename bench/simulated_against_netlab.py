"""Simulated and predicted against real: cases on emulated clusters, by what a probe says of them.

python bench/simulated_against_netlab.py [--nodes 2,4] [--rates 100mbit,1gbit] [--cases ...]

As root on an idle machine: each emulated cluster (`lapwing netlab`) is probed once, the stages of
each case are timed there, one rank on its node, and then the case runs, is simulated and is
predicted with that machine file. Prints a row per run in Markdown and how far off the others are.
Run it in the environment of each MPI.
"""

from __future__ import annotations

import argparse
import json
import math
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from lapwing.machine.predict.entry import PredictionRequest
from lapwing.machine.predict.predict import predict
from lapwing.machine.simulate.simulate import simulate
from lapwing.machine.simulate.work import SimulationRequest
from lapwing.model.case import load_case
from lapwing.model.registry import installed_models
from lapwing_bench.measure.options import near_square, several

# a tide, layers and air
CASES = ("kelvin-small", "kelvin3d-small", "jet-small")
STRATEGIES = ("blocking", "dataflow(4)")
STEPS = 8000  # 400 pieces, between which a run agrees on more than halos
LAPWING = (sys.executable, "-m", "lapwing")


@dataclass(frozen=True)
class Compared:
    """The time of a step, s."""

    cluster: str
    case: str
    strategy: str
    real: float
    simulated: float
    predicted: float

    @property
    def off(self) -> tuple[float, float]:
        """Of the simulation and of the prediction, as shares of the real time."""
        return self.simulated / self.real - 1, self.predicted / self.real - 1


def main() -> None:
    """Print a row per cluster, case and strategy, then the errors."""
    parser = argparse.ArgumentParser(
        description="The simulator and predictions against emulated clusters."
    )
    parser.add_argument("--nodes", type=several(int), default=(2, 4))
    parser.add_argument("--rates", type=several(str), default=("100mbit", "1gbit"))
    parser.add_argument("--cases", type=several(str), default=CASES)
    parser.add_argument("--quick", action="store_true", help="a quick probe, for a first look")
    options = parser.parse_args()
    print("| cluster | case | strategy | real us | simulated us | off | predicted us | off |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    compared = []
    for nodes in options.nodes:
        for rate in options.rates:
            for one in on_cluster(nodes, rate, options.cases, options.quick):
                row = (one.cluster, one.case, one.strategy)
                times = [f"{1e6 * one.real:.0f}"]
                for seconds, off in zip((one.simulated, one.predicted), one.off, strict=True):
                    times += [f"{1e6 * seconds:.0f}", f"{off:+.1%}"]
                print("| " + " | ".join((*row, *times)) + " |", flush=True)
                compared.append(one)
    for nth, name in enumerate(("simulated", "predicted")):
        errors = [abs(one.off[nth]) for one in compared]
        print(f"{name}: off by {median(errors):.1%} in the median, {max(errors):.1%} at worst")


def on_cluster(nodes: int, rate: str, cases: Sequence[str], quick: bool) -> Iterator[Compared]:
    """Probe a cluster of one rank per node, then run and simulate all cases on it."""
    with tempfile.TemporaryDirectory(prefix="lapwing-compared-") as folder:
        machine = Path(folder) / "cluster.toml"
        more = ("--quick",) if quick else ()
        inside(nodes, rate, *LAPWING, "probe", "--out", str(machine), "--overwrite", *more)
        _add_node(machine)
        for case in cases:
            _add_costs(machine, case, nodes, rate)
            for strategy in STRATEGIES:
                real = real_step(case, nodes, rate, strategy, Path(folder))
                asked = SimulationRequest(
                    case, str(machine), nodes, (strategy,), steps=24, samples=3, alone=False
                )
                found = next(r for r in simulate(asked).results if r.method == strategy)
                (told,) = predict(
                    PredictionRequest(case, str(machine), (nodes,), (strategy,))
                ).entries
                yield Compared(f"{nodes} x {rate}", case, strategy, real, found.step, told.step)


def inside(nodes: int, rate: str, *command: str) -> str:
    """What a command prints in an emulated cluster, one rank per node. OutsideError: it fails."""
    around = (*LAPWING, "netlab", "run", "--nodes", str(nodes), "--rate", rate, "--")
    return subprocess.run(
        [*around, *command], check=True, capture_output=True, text=True, timeout=3600
    ).stdout


def real_step(case: str, nodes: int, rate: str, strategy: str, folder: Path) -> float:
    """Seconds of a step of a real run, of the slowest rank; its one record is the last."""
    out = folder / f"{case}-{strategy}"
    settings = load_case(case, installed_models()).settings
    length = STEPS * settings.time.step  # s
    layers = getattr(settings, "layers", None)
    if layers is not None and layers.levels > 0:
        length *= settings.time.micro_steps
    sets = (
        *(f"run.{key}={value}" for key, value in (("strategy", strategy), ("transport", "p2p"))),
        *(f"{key}={length}" for key in ("run.duration", "output.every")),
    )
    words = [word for one in sets for word in ("--set", one)]
    inside(nodes, rate, *LAPWING, "run", case, "--ranks", str(nodes), "--out", str(out), *words)
    profile = json.loads((out / "profile.json").read_text())
    return float(max(rank["stepping"] for rank in profile["ranks"]) / profile["steps"])


def _add_node(machine: Path) -> None:
    """A link within nodes, which no message takes: a node has one rank."""
    text = machine.read_text()
    if "[node]" not in text:
        machine.write_text(f'{text}\n[node]\nlatency = "1 us"\nbandwidth = "10 GB/s"\n')


def _add_costs(machine: Path, case: str, nodes: int, rate: str) -> None:
    """What the stages of a case cost on every rank of the cluster, on a box like that of a rank."""
    x, y = _box_of(case, nodes)
    program = str(Path(__file__).parent / "stage_costs.py")
    table = inside(nodes, rate, sys.executable, program, case, f"{x}x{y}", "--thin")
    machine.write_text(f"{machine.read_text()}\n{table}")


def _box_of(case: str, nodes: int) -> tuple[int, int]:
    loaded = load_case(case, installed_models())
    size = loaded.model.geometry(loaded.settings, loaded.folder).grid.size
    blocks = near_square(nodes)
    return math.ceil(size[0] / blocks[0]), math.ceil(size[1] / blocks[1])


if __name__ == "__main__":
    main()
