"""Simulated and predicted against real: cases on emulated clusters, by what a probe says of them.

python lab/programs/simulated_against_netlab.py [--nodes 2,4] [--rates 100mbit,1gbit] [--cases ...]
python lab/programs/simulated_against_netlab.py --here 1,2

On an idle machine, as root: each emulated cluster (`lapwing netlab`) is probed once, the stages of
each case are timed there, one rank on its node, and then the case runs, is simulated and is
predicted with that machine file. Prints a row per run in Markdown and how far off the others are.
Run it in the environment of each MPI. With --here the ranks run on this machine itself, and anybody
may start it.
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

from lapwing.model.case import load_case
from lapwing.model.registry import installed_models
from lapwing_lab.bench.measure.markdown import print_errors, print_head, print_row
from lapwing_lab.bench.measure.options import near_square, several
from lapwing_lab.predict.entry import PredictionRequest
from lapwing_lab.predict.predict import predict
from lapwing_lab.simulate.simulate import simulate
from lapwing_lab.simulate.work import SimulationRequest

# a tide, layers and air
CASES = ("kelvin-small", "kelvin3d-small", "jet-small")
STRATEGIES = ("blocking", "dataflow:4")
STEPS = 8000  # 400 pieces, between which a run agrees on more than halos
LAPWING = (sys.executable, "-m", "lapwing")


@dataclass(frozen=True)
class Place:
    """The place where ranks run: this machine, or an emulated cluster with a node for each."""

    ranks: int
    rate: str = ""  # of the links; "": this machine

    @property
    def name(self) -> str:
        """For a table."""
        return f"{self.ranks} x {self.rate}" if self.rate else f"{self.ranks} here"

    def run(self, *command: str) -> str:
        """Return what a command prints there; CalledProcessError if it fails. Local."""
        netlab = (*LAPWING, "netlab", "run", "--nodes", str(self.ranks), "--rate", self.rate, "--")
        return subprocess.run(
            [*(netlab if self.rate else ()), *command],
            check=True,
            capture_output=True,
            text=True,
            timeout=3600,
        ).stdout

    def probe(self, file: Path, *more: str) -> None:
        """Write the machine file of the place. Local."""
        ranks = () if self.rate else ("--ranks", str(self.ranks))
        self.run(*LAPWING, "probe", *ranks, "--out", str(file), "--overwrite", *more)
        # a link that no message takes, as there is a rank per node, or one node
        missing = "node" if self.rate else "network"
        for name in {missing, *(() if self.ranks > 1 else ("node",))}:
            if f"[{name}]" not in (text := file.read_text()):
                file.write_text(f'{text}\n[{name}]\nlatency = "1 us"\nbandwidth = "10 GB/s"\n')


@dataclass(frozen=True)
class Compared:
    """The time of a step, s."""

    place: str
    case: str
    strategy: str
    real: float
    simulated: float
    predicted: float

    @property
    def off(self) -> tuple[float, float]:
        """The errors of simulation and prediction, as shares of the real time."""
        return self.simulated / self.real - 1, self.predicted / self.real - 1


def main() -> None:
    """Print a row per place, case and strategy, then the errors."""
    parser = argparse.ArgumentParser(
        description="The simulator and predictions against real runs, on emulated clusters or here."
    )
    parser.add_argument("--nodes", type=several(int), default=(2, 4))
    parser.add_argument("--rates", type=several(str), default=("100mbit", "1gbit"))
    parser.add_argument("--here", type=several(int), default=(), metavar="RANKS")
    parser.add_argument("--cases", type=several(str), default=CASES)
    parser.add_argument("--quick", action="store_true", help="a quick probe, for a first look")
    options = parser.parse_args()
    clusters = (Place(nodes, rate) for nodes in options.nodes for rate in options.rates)
    places = [Place(ranks) for ranks in options.here] or list(clusters)
    heads = ("real us", "simulated us", "off", "predicted us", "off")
    print_head("place", "case", "strategy", *heads)
    compared = []
    for place in places:
        for one in at(place, options.cases, options.quick):
            print_row(*_cells(one))
            compared.append(one)
    for nth, name in enumerate(("simulated", "predicted")):
        print_errors(name, [one.off[nth] for one in compared])


def _cells(one: Compared) -> list[str]:
    cells = [one.place, one.case, one.strategy, f"{1e6 * one.real:.0f}"]
    for seconds, off in zip((one.simulated, one.predicted), one.off, strict=True):
        cells += [f"{1e6 * seconds:.0f}", f"{off:+.1%}"]
    return cells


def at(place: Place, cases: Sequence[str], quick: bool) -> Iterator[Compared]:
    """Probe a place, then run, simulate and predict all cases there."""
    with tempfile.TemporaryDirectory(prefix="lapwing-compared-") as folder:
        machine = Path(folder) / "machine.toml"
        place.probe(machine, *(("--quick",) if quick else ()))
        for case in cases:
            _add_costs(machine, case, place)
            for strategy in STRATEGIES:
                real = real_step(case, place, strategy, Path(folder))
                asked = SimulationRequest(
                    case, str(machine), place.ranks, (strategy,), steps=24, samples=3, alone=False
                )
                found = next(r for r in simulate(asked).results if r.method == strategy)
                (told,) = predict(
                    PredictionRequest(case, str(machine), (place.ranks,), (strategy,))
                ).entries
                yield Compared(place.name, case, strategy, real, found.step, told.step)


def real_step(case: str, place: Place, strategy: str, folder: Path) -> float:
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
    place.run(*LAPWING, "run", case, "--ranks", str(place.ranks), "--out", str(out), *words)
    profile = json.loads((out / "profile.json").read_text())
    return float(max(rank["stepping"] for rank in profile["ranks"]) / profile["steps"])


def _add_costs(machine: Path, case: str, place: Place) -> None:
    """Return the costs of a case's stages on every rank of a place, on a box of that size."""
    x, y = _box_of(case, place.ranks)
    program = str(Path(__file__).parent / "stage_costs.py")
    table = place.run(sys.executable, program, case, f"{x}x{y}", "--thin")
    machine.write_text(f"{machine.read_text()}\n{table}")


def _box_of(case: str, ranks: int) -> tuple[int, int]:
    loaded = load_case(case, installed_models())
    size = loaded.model.geometry(loaded.settings, loaded.folder).grid.size
    blocks = near_square(ranks)
    return math.ceil(size[0] / blocks[0]), math.ceil(size[1] / blocks[1])


if __name__ == "__main__":
    main()
