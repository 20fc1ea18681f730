"""`lapwing list`: the names that the options and arguments of commands take."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Column, Table

from lapwing.base.agreement import DONE
from lapwing.base.atomic_file import check_file
from lapwing.base.table import PLAIN
from lapwing.commands.options import Debug, Json, answered
from lapwing.commands.tasks.words import TRANSPORTS, about_strategy
from lapwing.core.names import strategy_names, transport_names
from lapwing.core.versions import write_report
from lapwing.model.registry import installed_models, load_group

Names = Mapping[str, str]  # a line about each thing that has a name


class Kind(StrEnum):
    """The kinds of names."""

    CASES = "cases"
    MACHINES = "machines"
    STRATEGIES = "strategies"
    TRANSPORTS = "transports"


@answered
def list(
    kind: Annotated[
        Kind | None,
        typer.Argument(help="One of the lists. Default: all.", metavar="[KIND]"),
    ] = None,
    json: Json = None,
    debug: Debug = False,
) -> int:
    """List the cases, machines, strategies and transports that there are.

    Cases come with the models that are installed, machines with lapwing-lab. A
    strategy with a number takes others too: deep:K, dataflow:TILES and
    tiled:ROWS from 1, 6s:ALPHA from 0 to 1; deep:K goes together with another
    order, as in deep:4+tiled. An MPI or a machine may lack some transports.

    Examples:

    lapwing list

    lapwing list cases --json cases.json
    """
    check_file("--json", json)
    found = {one: names_of(one) for one in ([kind] if kind else Kind)}
    _print(found)
    if json is not None:
        write_report(json, "lapwing-list-1", {one.value: names for one, names in found.items()})
        print(f"JSON  {json}")
    return DONE


def names_of(kind: Kind) -> Names:
    """The names of a kind, with a line about each. Local; OutsideError as `installed_models`."""
    if kind is Kind.CASES:
        models = installed_models().values()
        return {case: f"{model.name}: {model.title}" for model in models for case in model.cases}
    if kind is Kind.MACHINES:
        added = load_group("lapwing.lists").get(kind.value)
        return {} if added is None else dict(added())
    if kind is Kind.STRATEGIES:
        return {name: about_strategy(name) for name in strategy_names()}
    return {name: TRANSPORTS[name] for name in transport_names()}


def _print(found: Mapping[Kind, Names]) -> None:
    """Print each list under its name. Local."""
    console = Console(highlight=False)
    for kind, names in found.items():
        console.print(f"[bold]{kind.value}[/bold]")
        table = Table("", Column(overflow="fold"), show_header=False, **PLAIN)
        for name, about in names.items():
            table.add_row(f"  {name}", about)
        console.print(table if names else "  none: they come with lapwing-lab (`make lab`)")
