"""The description of a step as data: what `lapwing plan --json` writes, and other programs read.

A document of this schema holds, for each strategy, the stages with the fields that they read and
write, and for each rank its tasks, in the order of its schedule, and its messages. All is of the
steady state; nothing was run.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lapwing.base.error import user_error
from lapwing.core.versions import write_report
from lapwing.model.case import geometry_of

if TYPE_CHECKING:
    from lapwing.core._core import FieldSpec, StepReport
    from lapwing.model.case import Case
    from lapwing.run.request import Setup

SCHEMA = "lapwing.step/1"

Described = dict[str, Any]


def describe_stages(report: StepReport) -> list[list[Described]]:
    """The stages of each step of the cycle, with the fields that they read and write. Local."""
    return [
        [
            {"name": name, "reads": _names(reads), "writes": _names(writes)}
            for name, reads, writes in stages
        ]
        for stages in report.stages
    ]


def _names(fields: Sequence[FieldSpec]) -> list[str]:
    return [field.name for field in fields]


def describe_strategy(
    strategy: str, stages: list[list[Described]], ranks: Sequence[Described]
) -> Described:
    """A strategy's part of a description. Local. `ranks`: RankOutline.data() of each rank."""
    return {"strategy": strategy, "stages": stages, "ranks": list(ranks)}


def charged_stages(case: Case) -> tuple[str, ...]:
    """The stages whose time a machine file must know, by the model; () where it means all. Local.

    Others, as open boundaries, take next to no time.
    """
    model: Any = case.model
    if not hasattr(model, "simulation"):
        return ()
    told = model.simulation(case.settings, geometry_of(case))
    stages = model.works[told.get("work", model.name)].stages
    return (*stages, *told.get("outside", ()))


def write_description(file: Path, setup: Setup, strategies: Sequence[Described]) -> None:
    """Write a description of a case on its ranks. Local; OutsideError when the disk refuses."""
    partition = setup.partition
    boxes: list[list[Any]] = [[] for _ in range(partition.ranks)]
    for subdomain in partition.subdomains:
        boxes[subdomain.rank].append([list(subdomain.box.lo), list(subdomain.box.hi)])
    content = {
        "case": setup.case.name,
        "model": setup.case.model.name,
        "charged": list(charged_stages(setup.case)),
        "grid": list(partition.grid.size),
        "boxes": boxes,  # per rank: first cell, and the cell after the last
        "strategies": list(strategies),
    }
    write_report(file, SCHEMA, content)


def read_description(file: Path) -> Described:
    """Read what `write_description` wrote.

    Local. UserError for any other file, and for another version of the schema.
    """
    name = f"description {file}"
    remedy = "write it again with `lapwing plan CASE --json`"
    try:
        found = json.loads(file.read_text(encoding="utf-8"))
        schema = str(found["schema"])
    except (OSError, ValueError, KeyError, TypeError) as problem:
        expected = "JSON as `lapwing plan --json` writes it"
        raise user_error(name, str(problem) or "no schema", expected, remedy) from None
    if schema != SCHEMA:
        raise user_error(name, f"schema {schema}", SCHEMA, remedy)
    return dict(found)
