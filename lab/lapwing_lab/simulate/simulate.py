"""`lapwing simulate`: lapwing's own C++ and real kernels, in simulated time on a machine file."""

from __future__ import annotations

import json
import math
import signal
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from statistics import median
from subprocess import PIPE, STDOUT
from typing import Any

from lapwing.base.error import OutsideError, UserError, user_error
from lapwing.base.table import PLAIN, make_table
from lapwing.core import _core
from lapwing.core.names import check_strategy
from lapwing.core.partition import Partition
from lapwing.core.versions import write_report
from lapwing.run.launch import passing_on
from rich.console import Console
from rich.table import Table

from lapwing_lab.machine.charges import message_charges, rank_speeds, stage_charges
from lapwing_lab.machine.machine import Machine, load_machine
from lapwing_lab.simulate import simgrid
from lapwing_lab.simulate.work import SimulationRequest, Work, make_work, simulated_sources

_WIDTH = 100  # columns

TRANSPORTS = ("p2p", "persistent")  # SMPI lacks, or does not do right, what the others need
_MOST = 2**30  # bytes: more than any message that is simulated
BY_HAND = "plain"  # the step by hand: MPI_Isend, interior, MPI_Waitall, edges


@dataclass(frozen=True)
class Simulated:
    """Times of one method, s of simulated time per step."""

    method: str
    samples: list[float]  # the step
    chain: list[float]  # the same with computing that takes no time; none where not asked for
    compute: float  # of the rank with most
    messages: float  # per step, sent by the rank with most; 0: not counted
    bytes: float
    checksum: str  # of all owned cells at the end
    tasks: str = ""  # the task lists of rank 0, in words
    choice: str = ""  # what `auto` took and why
    problem: str = ""  # why there is nothing else: a strategy that cannot be had here

    @property
    def step(self) -> float:
        """Median step, s."""
        return median(self.samples)

    @property
    def alone(self) -> float:
        """Communication alone: the median step without computing, s; nan where not asked for."""
        return median(self.chain) if self.chain else math.nan


@dataclass(frozen=True)
class Simulation:
    """All methods on one work and one machine."""

    machine: Machine
    request: SimulationRequest
    work: Work
    results: list[Simulated]

    @property
    def compute(self) -> float:
        """Computing of a step that no method can save: the least of all methods, s."""
        return min(result.compute for result in self.measured())

    def measured(self) -> list[Simulated]:
        """The methods that ran. Local."""
        return [result for result in self.results if not result.problem]

    def hidden(self, result: Simulated) -> float:
        """Share hidden of what can be: of communication or computing, whichever is less."""
        least = min(result.alone, self.compute)
        return (result.alone + self.compute - result.step) / least if least > 0 else 1.0

    def over_longer(self, result: Simulated) -> float:
        """Step over the longer of computing and the chain of dependent communication."""
        return result.step / max(result.alone, self.compute)

    def disagreeing(self) -> list[str]:
        """Methods whose state at the end is not that of the first. Local."""
        ran = self.measured()
        return [one.method for one in ran if one.checksum != ran[0].checksum]


def simulate(request: SimulationRequest) -> Simulation:
    """Run every method of the request. Local; starts SimGrid's launcher.

    UserError for what is wrong with the request, and where SimGrid is not there; OutsideError when
    the simulation fails.
    """
    machine = load_machine(request.machine)
    network = simgrid.platform(machine)
    request = _with_names(request)
    work = make_work(request)
    places = simgrid.hosts(machine, request.ranks)
    document = _document(request, machine, work)
    program = simgrid.driver(simulated_sources())
    with tempfile.TemporaryDirectory(prefix="lapwing-simulate-") as folder:
        at = Path(folder)
        (at / "platform.xml").write_text(network)
        (at / "hosts").write_text(places)
        document["out"] = str(at / "results")
        document["state"] = work.start.write(at)
        document["state_step"] = work.start.step
        (at / "request").write_text(json.dumps(document, allow_nan=False))
        _launch(program, request, machine, at)
        results = json.loads((at / "results").read_text())
    found = [Simulated(samples=row.pop("step"), **row) for row in results]
    simulation = Simulation(machine, request, work, found)
    for one in simulation.results:
        if one.problem and one.method in request.strategies:
            raise UserError(one.problem)
    return simulation


def _with_names(request: SimulationRequest) -> SimulationRequest:
    """The request with the one form of each strategy's name. Local; UserError for unknown names."""
    if request.transport not in TRANSPORTS:
        expected = f"one of: {', '.join(TRANSPORTS)}"
        raise user_error("--transport", repr(request.transport), expected, "choose one of them")
    names = (
        name if name == BY_HAND else check_strategy("--strategy", name)
        for name in request.strategies
    )
    return replace(request, strategies=tuple(dict.fromkeys(names)))


def _document(request: SimulationRequest, machine: Machine, work: Work) -> dict[str, Any]:
    """The document for the driver; see lapwing_simulate::Request."""
    # first the step by hand, which knows no grid that closes on itself, nor loops of stages, and a
    # box per rank
    beyond = work.periodic or work.start.stages or request.partition is not None
    by_hand = () if beyond else (BY_HAND,)
    names = (*by_hand, *(request.strategies or _core.strategy_names()))
    return work.document | {
        "ranks_per_node": machine.ranks_per_node,
        "in_line": request.in_line,
        "subdomains": _subdomains(request.partition),
        "nodes_share": machine.link("node").shared,
        "transport": request.transport,
        "warm_up": request.steps,
        "alone": request.alone,
        "samples": request.samples,
        "steps": request.steps,
        "methods": list(dict.fromkeys(names)),
        "stages": stage_charges(machine, work.model, work.box, work.stages),
        "messages": message_charges(machine, request.mpi),
        "packing": asdict(machine.packing),
        "groups": [machine.shape.group_of(node) for node in range(machine.nodes)],
        "speeds": rank_speeds(machine, request.ranks),
        "weighted": request.weighted,
    }


def _subdomains(partition: Partition | None) -> list[dict[str, Any]]:
    """Boxes and their ranks as C++ reads them."""
    subdomains = partition.subdomains if partition is not None else []
    return [
        {"rank": one.rank, "box": {"lo": list(one.box.lo), "hi": list(one.box.hi)}}
        for one in subdomains
    ]


def _options(machine: Machine, mpi: str | None) -> dict[str, str]:
    """SimGrid's settings: a clean network, calls that cost nothing, computing that is charged."""
    costs = machine.message_costs(mpi).links
    # beyond it a message waits for its receive to be posted; SMPI's own default is 0
    limit = min((_MOST, *(cost.eager_limit for cost in costs.values())))
    return _eager(limit) | {
        # a wait polls, and each poll lets this much simulated time pass: by no more is it late
        "smpi/iprobe": f"{machine.link('network').latency / 64:.3g}",
        "smpi/coll-selector": "mpich",
        "smpi/grow-injected-times": "0",
        "smpi/test": "0",
        "smpi/wtime": "0",
        "smpi/init": "0",
        "smpi/simulate-computation": "no",
        "smpi/cpu-threshold": "0",
        "smpi/host-speed": f"{simgrid.SPEED:g}f",
        "network/model": "CM02",  # latency and shared bandwidth, without TCP's ramps
        "network/crosstraffic": "0",
        "network/TCP-gamma": "0",
    }


def _eager(limit: float) -> dict[str, str]:
    """Shorter messages travel, and their sends end, before their receives are posted."""
    names = "smpi/async-small-thresh", "smpi/send-is-detached-thresh"
    return dict.fromkeys(names, f"{limit + 1:.0f}")


def _launch(program: Path, request: SimulationRequest, machine: Machine, folder: Path) -> None:
    """Run the driver under SimGrid, which ends when this process is told to. Local.

    OutsideError with its last words when it fails, and with the signal where one ended it.
    """
    command = [str(simgrid.prefix() / "bin" / "smpirun"), "-np", str(request.ranks)]
    command += ["-platform", str(folder / "platform.xml"), "-hostfile", str(folder / "hosts")]
    command += [f"--cfg={name}:{value}" for name, value in _options(machine, request.mpi).items()]
    command += ["--log=root.thres:error", str(program), str(folder / "request")]
    with (
        subprocess.Popen(command, stdout=PIPE, stderr=STDOUT, text=True, cwd=folder) as job,
        passing_on(job.terminate) as told,
    ):
        output, _ = job.communicate()
    if told:
        raise OutsideError(f"ended by {signal.Signals(told[0]).name}")
    if job.returncode != 0 or not (folder / "results").exists():
        said = [line for line in output.splitlines() if line.strip()]
        raise OutsideError(f"smpirun ended with code {job.returncode}:\n" + "\n".join(said[-20:]))


# ---- the table and the file


_WORDS = """
us: microseconds of simulated time, per step of the slowest rank. compute: charged to the rank with
most, at the machine file's seconds per cell. alone: the step with computing that takes no time,
which is the chain of dependent communication. hidden: (alone + compute - step) / the smaller of
both, with the least computing of all methods. over longer: step / the longer of both. Messages cost
the processor what the machine file says, and move by themselves up to the eager limit.
"""


def print_simulation(simulation: Simulation) -> None:
    """Print the table. Local."""
    console = Console(width=_WIDTH, highlight=False)
    request, work = simulation.request, simulation.work
    console.print(
        f"{request.case}: {_by(work.grid)} cells on {request.ranks} ranks "
        f"({_by(work.blocks)} blocks of {_by(work.box)}"
        f"{f' x {work.layers}' if work.layers > 1 else ''}), "
        f"transport {request.transport}, machine {simulation.machine.name}"
    )
    console.print(_table(simulation))
    console.print(_WORDS)
    if other := simulation.disagreeing():
        first = simulation.measured()[0].method
        console.print(f"[bold]not the bits of {first}: {', '.join(other)}[/bold]")
    else:
        checksum = simulation.measured()[0].checksum
        console.print(f"all methods end with the same bits, checksum {checksum}")
    for result in simulation.results:
        if result.problem or result.choice:
            console.print(f"{result.method}: {result.problem or result.choice}")


def _by(numbers: Sequence[int]) -> str:
    return " x ".join(map(str, numbers))


def write_simulation(file: Path, simulation: Simulation) -> None:
    """Write request, machine and raw samples as JSON under the schema lapwing-simulate-1. Local."""
    request, work = simulation.request, simulation.work
    content = {
        "work": request.case,
        "ranks": request.ranks,
        "blocks": list(work.blocks),
        "box": list(work.box),
        "layers": work.layers,
        "transport": request.transport,
        "steps_per_sample": request.steps,
        "simulated_machine": asdict(simulation.machine),
        "same_bits": not simulation.disagreeing(),
        "results": [
            asdict(result) | (_measures(simulation, result) if not result.problem else {})
            for result in simulation.results
        ],
    }
    write_report(file, "lapwing-simulate-1", content, {"simgrid": simgrid.VERSION})


def _measures(simulation: Simulation, result: Simulated) -> dict[str, float]:
    return {
        "median": result.step,
        "min": min(result.samples),
        "max": max(result.samples),
        "alone": result.alone,
        "hidden": simulation.hidden(result),
        "over_longer": simulation.over_longer(result),
    }


def _table(simulation: Simulation) -> Table:
    numbers = ("step us", "compute us", "alone us", "hidden", "over longer", "messages")
    table = make_table(("method",), numbers, **PLAIN)
    for result in simulation.measured():
        table.add_row(
            result.method,
            f"{1e6 * result.step:.1f}",
            f"{1e6 * result.compute:.1f}",
            f"{1e6 * result.alone:.1f}",
            f"{100 * simulation.hidden(result):.1f} %",
            f"{simulation.over_longer(result):.3f}",
            f"{result.messages:g}" if result.messages else "",
        )
    return table
