"""A prediction as a table, in words and as JSON."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

from lapwing.base.table import PLAIN, make_table
from lapwing.core.versions import write_report
from rich.console import Console
from rich.table import Table

from lapwing_lab.predict.amdahl import amdahl
from lapwing_lab.predict.entry import Entry
from lapwing_lab.predict.predict import Prediction

_WIDTH = 110  # columns
_MOST_WAITS = 4  # lines of --explain

_WORDS = """
Per step. compute: of the rank with most, at the machine file's costs of stages. processor: packing,
sending, receiving and unpacking; waiting: with nothing to do; both of the slowest rank, the one
that waits least. messages, bytes: sent by the rank with most. speed-up: from the first row of the
strategy, taken as perfect, in cells per second; efficiency: speed-up per rank.
"""


def print_prediction(prediction: Prediction, explain: bool = False) -> None:
    """Print the table, and what the slowest ranks wait for. Local."""
    console = Console(width=_WIDTH, highlight=False)
    request = prediction.request
    console.print(f"{request.case} on machine {prediction.machine.name}, {request.model}")
    console.print(_table(prediction))
    console.print(_WORDS)
    for strategy in _strategies(prediction):
        serial = _serial(prediction, strategy)
        if math.isfinite(serial):
            console.print(f"{strategy}: Amdahl's serial fraction {100 * serial:.3g} %")
    if explain:
        for entry in prediction.entries:
            console.print("\n".join(_explained(entry)))


def _serial(prediction: Prediction, strategy: str) -> float:
    mine = [entry for entry in prediction.entries if entry.strategy == strategy]
    if len({entry.cells for entry in mine}) > 1:  # the work grows with the ranks
        return math.nan
    return amdahl([entry.ranks for entry in mine], [entry.step for entry in mine])


def _strategies(prediction: Prediction) -> list[str]:
    return list(dict.fromkeys(entry.strategy for entry in prediction.entries))


def _table(prediction: Prediction) -> Table:
    numbers = ("ranks", "step", "compute", "processor", "waiting", "messages", "bytes")
    table = make_table(("strategy",), (*numbers, "speed-up", "efficiency"), **PLAIN)
    for strategy in _strategies(prediction):
        for entry in prediction.entries:
            if entry.strategy != strategy:
                continue
            times = (entry.step, entry.compute, entry.processor, entry.waiting)
            table.add_row(
                strategy,
                str(entry.ranks),
                *(_time(seconds) for seconds in times),
                f"{entry.messages:g}",
                f"{entry.bytes:.0f}",
                f"{prediction.speed_up(entry):.1f}",
                f"{100 * prediction.efficiency(entry):.1f} %",
            )
    return table


def _time(seconds: float) -> str:
    if math.isnan(seconds):
        return ""
    return f"{1e3 * seconds:.3f} ms" if seconds >= 1e-2 else f"{1e6 * seconds:.1f} us"


def _explained(entry: Entry) -> Iterator[str]:
    """The time of the slowest rank by what it is spent on, in lines."""
    if math.isnan(entry.waiting):
        yield f"\n{entry.ranks} ranks: the closed form knows no ranks, so none is the slowest"
        return
    yield (
        f"\n{entry.ranks} ranks, {entry.strategy}: rank {entry.slowest} waits least; its step of "
        f"{_time(entry.step)} is {_time(entry.compute)} at most of computing, "
        f"{_time(entry.processor)} of messages on the processor and {_time(entry.waiting)} of "
        "waiting"
    )
    for what, peer, seconds in entry.waits[:_MOST_WAITS]:
        whom = f"whose last message came from rank {peer}" if peer >= 0 else "of all ranks"
        yield f"  {_time(seconds)} for {what}, {whom}"


def write_prediction(file: Path, prediction: Prediction) -> None:
    """Write all entries as JSON under the schema lapwing-predict-1. Local.

    OutsideError when the disk refuses.
    """
    request = prediction.request
    content = {
        "case": request.case,
        "model": request.model,
        "predicted_machine": asdict(prediction.machine),
        "entries": [_told(prediction, entry) for entry in prediction.entries],
        "serial_fraction": {
            strategy: _told_number(_serial(prediction, strategy))
            for strategy in _strategies(prediction)
        },
    }
    write_report(file, "lapwing-predict-1", content)


def _told(prediction: Prediction, entry: Entry) -> dict[str, object]:
    return {
        "ranks": entry.ranks,
        "strategy": entry.strategy,
        "blocks": list(entry.blocks),
        "step_seconds": entry.step,
        "compute": entry.compute,
        "halo": entry.halo,
        "processor": _told_number(entry.processor),
        "waiting": _told_number(entry.waiting),
        "messages": entry.messages,
        "bytes": entry.bytes,
        "speed_up": prediction.speed_up(entry),
        "efficiency": prediction.efficiency(entry),
        "slowest_rank": entry.slowest,
        "waits": [
            {"for": what, "peer": peer, "seconds": seconds} for what, peer, seconds in entry.waits
        ],
    }


def _told_number(value: float) -> float | None:
    """Return a value for JSON, which has no nan."""
    return value if math.isfinite(value) else None
