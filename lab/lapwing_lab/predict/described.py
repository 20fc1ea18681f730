"""Predictions from a description that `lapwing plan --json` wrote, for the ranks in it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from lapwing.base.error import user_error
from lapwing.commands.tasks.description import read_description
from lapwing.core._core import RankOutline
from lapwing.core.names import check_strategy

from lapwing_lab.machine.charges import require_room, stage_charges
from lapwing_lab.machine.machine import Machine
from lapwing_lab.predict.entry import Entry, PredictionRequest
from lapwing_lab.predict.events import entry_of, forecast_of, require_known
from lapwing_lab.predict.outlines import Outlines


def is_description(case: str) -> bool:
    """True if the name of a case is that of a file of `lapwing plan --json`. Local."""
    return case.endswith(".json")


def by_description(request: PredictionRequest, machine: Machine) -> list[Entry]:
    """The entries of all strategies of a description. Local.

    UserError for a file that is none, for options that only a case has, and for costs that the
    machine file lacks.
    """
    found = read_description(Path(request.case))
    ranks = len(found["boxes"])
    there = tuple(one["strategy"] for one in found["strategies"])
    wanted = tuple(check_strategy("--strategy", name) for name in request.strategies) or there
    _check(request, ranks, wanted, there)
    require_room(machine, ranks)
    return [
        _entry(request, machine, found, one)
        for one in found["strategies"]
        if one["strategy"] in wanted
    ]


def _check(
    request: PredictionRequest, ranks: int, wanted: Sequence[str], strategies: Sequence[str]
) -> None:
    told = f"what {request.case} holds"
    again = "leave the option out, or name the case"
    if request.ranks not in ((), (ranks,)):
        got = ",".join(map(str, request.ranks))
        raise user_error("--ranks", got, f"{ranks}, {told}", again)
    for name in wanted:
        if name not in strategies:
            raise user_error("--strategy", repr(name), f"{', '.join(strategies)}, {told}", again)
    if request.sets or request.model != "events":
        got = f"--set {request.sets[0]}" if request.sets else f"--model {request.model}"
        raise user_error("options", got, "none that changes or needs the case", again)


def _entry(
    request: PredictionRequest, machine: Machine, found: dict[str, Any], one: dict[str, Any]
) -> Entry:
    outlines = [RankOutline.of(rank) for rank in one["ranks"]]
    peers = [np.array(outline.peers, dtype=np.intp) for outline in outlines]
    all_of_them = Outlines(outlines, np.arange(len(outlines)), peers, _owned(found["boxes"]))
    require_known(request.case, all_of_them)
    sides = [np.subtract(box[1], box[0]) for boxes in found["boxes"] for box in boxes]
    axes = 3 if found["grid"][2] > 1 else 2
    largest = tuple(int(n) for n in np.max(sides, axis=0)[:axes])
    stages = tuple(found["charged"] or outlines[0].stages)
    charges = stage_charges(machine, found["model"], largest, stages)
    forecast = forecast_of(machine, request.mpi, all_of_them, charges)
    cells = int(np.prod(found["grid"]))
    return entry_of(all_of_them, forecast, one["strategy"], cells, (len(outlines), 1, 1))


def _owned(boxes: list[Any]) -> list[tuple[int, int]]:
    """Cells in the boxes of each rank, and the rows that they lie in."""
    sides = [[np.subtract(high, low).tolist() for low, high in of_rank] for of_rank in boxes]
    return [(sum(x * y * z for x, y, z in one), sum(y * z for _, y, z in one)) for one in sides]
