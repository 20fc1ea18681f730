"""What a simulation gave: a table for people, and a JSON file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from lapwing.base.atomic_file import write_json_file
from lapwing.core.versions import machine, versions
from lapwing.machine.simulate import simgrid
from lapwing.machine.simulate.simulate import Simulated, Simulation

_WIDTH = 100  # columns

_WORDS = """
us: microseconds of simulated time, per step of the slowest rank. compute: charged to the rank with
most, at the machine file's seconds per cell. alone: the step with computing that takes no time,
which is the chain of dependent communication. hidden: (alone + compute - step) / the lesser of
both, with the least computing of all methods. over longer: step / the longer of both. SMPI always
moves messages on: this shows orders and chains, not who makes MPI progress (`lapwing netlab` does).
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
    """Write all values as JSON under the schema lapwing-simulate-1. Local."""
    write_json_file(file, document(simulation))


def document(simulation: Simulation) -> dict[str, Any]:
    """The simulation as a document: request, machine, versions, raw samples. Local."""
    request, work = simulation.request, simulation.work
    return {
        "schema": "lapwing-simulate-1",
        "work": request.case,
        "ranks": request.ranks,
        "blocks": list(work.blocks),
        "box": list(work.box),
        "layers": work.layers,
        "transport": request.transport,
        "steps_per_sample": request.steps,
        "simulated_machine": asdict(simulation.machine),
        "machine": machine(),
        "versions": versions() | {"simgrid": simgrid.VERSION},
        "same_bits": not simulation.disagreeing(),
        "results": [
            asdict(result) | (_measures(simulation, result) if not result.problem else {})
            for result in simulation.results
        ],
    }


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
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column("method")
    for heading in ("step us", "compute us", "alone us", "hidden", "over longer", "messages"):
        table.add_column(heading, justify="right")
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
