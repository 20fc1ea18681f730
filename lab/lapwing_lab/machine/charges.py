"""The costs that a machine charges a case: of its stages, messages and ranks as they are passed on.

`lapwing simulate` and `lapwing predict` charge alike.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from lapwing.base.error import user_error

from lapwing_lab.machine.costs import BETWEEN, OTHER, MessageCost, StageCost
from lapwing_lab.machine.machine import Machine
from lapwing_lab.machine.shape import Link


def node_of(machine: Machine, rank: int, ranks: int) -> int:
    """The node of a rank, as `placement` of the machine file says. Local."""
    if machine.shape.placement == "spread":
        return rank % -(-ranks // machine.ranks_per_node)
    if machine.shape.placement == "groups":
        first_node, first_rank = _group_of(machine, rank, ranks)
        return first_node + (rank - first_rank) // machine.ranks_per_node
    return rank // machine.ranks_per_node


def _group_of(machine: Machine, rank: int, ranks: int) -> tuple[int, int]:
    """The first node of the group of a rank, and the first rank there."""
    groups = machine.shape.groups
    number = rank * len(groups) // ranks
    return sum(group.nodes for group in groups[:number]), -(-number * ranks // len(groups))


def require_room(machine: Machine, ranks: int) -> None:
    """Raise UserError for more ranks than the machine holds. Local."""
    most = _most_ranks(machine)
    if ranks > most:
        expected = f"at most {most}, the {machine.nodes} nodes of {machine.name} full"
        raise user_error("--ranks", str(ranks), expected, "start fewer, or name a larger machine")


def _most_ranks(machine: Machine) -> int:
    """As many as the nodes hold; where groups share them alike, as the smallest group allows."""
    shape = machine.shape
    if shape.placement == "groups":
        smallest = min(group.nodes for group in shape.groups)
        return len(shape.groups) * smallest * machine.ranks_per_node
    fewer = machine.ranks_per_node - shape.last_node if shape.last_node else 0
    return machine.nodes * machine.ranks_per_node - fewer


def rank_speeds(machine: Machine, ranks: int) -> list[float]:
    """The speed of each rank's node. Local."""
    of_node = machine.shape.speeds or (1.0,) * machine.nodes
    return [of_node[node_of(machine, rank, ranks)] for rank in range(ranks)]


def stage_charges(
    machine: Machine, model: str, box: Sequence[int], stages: Sequence[str]
) -> dict[str, dict[str, float]]:
    """The cost of every stage where a rank has that box, s, and that between steps. Local.

    One name of a machine file may serve all axes. UserError, with the command that measures them,
    where the file lacks a model or stage.
    """
    table = machine.computing(model, tuple(box)).stages
    costs = {stage: _cost_of(stage, table) for stage in stages}
    missing = [stage for stage, cost in costs.items() if cost is None]
    if missing:
        raise user_error(
            f"compute.{model} of machine {machine.name}",
            f"nothing for {', '.join(missing)}",
            f"seconds for {', '.join(stages)}, or for {OTHER}: of all that are not named",
            "add them: `python lab/programs/stage_costs.py CASE` measures them on this machine",
        )
    if BETWEEN in table:
        costs[BETWEEN] = table[BETWEEN]
    found = {stage: cost.widened(box) for stage, cost in costs.items() if cost is not None}
    names = ("cell", "row", "call", "byte", "crowded")
    return {stage: {name: getattr(cost, name) for name in names} for stage, cost in found.items()}


def _cost_of(stage: str, table: Mapping[str, StageCost]) -> StageCost | None:
    """By its name, that without what follows the last underscore, or that of all others."""
    return table.get(stage) or table.get(stage.rpartition("_")[0]) or table.get(OTHER)


def link_charges(link: Link) -> dict[str, float]:
    """A link in the numbers of a message's cost. Local."""
    names = ("latency", "bandwidth", "burst", "burst_bandwidth")
    return {name: getattr(link, name) for name in names}


def message_charges(machine: Machine, mpi: str | None) -> dict[str, dict[str, Any]]:
    """Return the finite costs of messages on each link, empty without any. Local.

    UserError for an MPI that the file does not have.
    """
    found: dict[str, dict[str, Any]] = {}
    costs = dict(machine.message_costs(mpi).links)
    if "network" in machine.links and machine.link("network").burst > 0:
        costs.setdefault("network", MessageCost(send=0.0, receive=0.0))
    if machine.shape.groups and "network" in costs:
        costs.setdefault("joint", costs["network"])
    for name, cost in costs.items():
        table = asdict(cost) | link_charges(machine.link(name))
        table["calls"] = table.pop("progress") == "calls"
        found[name] = {key: value for key, value in table.items() if value != math.inf}
    return found
