"""The step of all ranks, event by event: tasks and messages at the costs of a machine."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
from lapwing.base.error import user_error

from lapwing_lab import _core
from lapwing_lab.machine.charges import (
    link_charges,
    message_charges,
    node_of,
    rank_speeds,
    stage_charges,
)
from lapwing_lab.machine.machine import Machine
from lapwing_lab.predict.entry import Entry, PredictionRequest
from lapwing_lab.predict.outlines import Outlines, outlines_of
from lapwing_lab.predict.subject import Cut, Subject

# steps at least, rounded up to whole cycles: until ranks have found their rhythm, and as many that
# count; as in the simulator, and fewer where many ranks are as good as many steps
_STEPS, _STEPS_OF_MANY = 24, 8
_MANY = 4096  # ranks


def by_events(
    request: PredictionRequest, machine: Machine, subject: Subject, cut: Cut, strategy: str
) -> Entry:
    """The step of a cut by the tasks and messages of every rank. Local.

    UserError for costs that the machine file lacks, and stages that no task list shows.
    """
    outlines = outlines_of(cut, subject.make(cut.pattern or cut), strategy, machine.ranks_per_node)
    require_known(request.case, outlines)
    stages = subject.stages or tuple(outlines.outlines[0].stages)
    charges = stage_charges(machine, subject.model, cut.box, stages)
    found = forecast_of(machine, request.mpi, outlines, charges)
    return entry_of(outlines, found, strategy, cut.grid.box.volume, cut.blocks)


def entry_of(
    outlines: Outlines,
    found: _core.Forecast,
    strategy: str,
    cells: int,
    blocks: tuple[int, int, int],
) -> Entry:
    """Return the entry of a forecast for a strategy on a grid of `cells` cells. Local."""
    of_rank = found.ranks  # a copy
    slowest = min(range(len(of_rank)), key=lambda rank: of_rank[rank].waiting)
    times = of_rank[slowest]
    return Entry(
        len(outlines.of_rank),
        strategy,
        cells,
        blocks,
        found.step,
        max(rank.compute for rank in of_rank),
        times.messages,
        times.waiting,
        max(outline.messages for outline in outlines.outlines),
        max(outline.bytes for outline in outlines.outlines),
        slowest,
        [(wait.what, wait.peer, wait.seconds) for wait in times.waits],
    )


def forecast_of(
    machine: Machine,
    mpi: str | None,
    outlines: Outlines,
    charges: dict[str, dict[str, float]],
    faster: Sequence[float] = (),
) -> _core.Forecast:
    """The steps of all ranks at what their stages and messages cost. Local.

    `faster`: how many times as fast each rank computes as the machine says; none: as it says.
    """
    ranks, cycle = len(outlines.of_rank), outlines.outlines[0].nodes
    steps = cycle * math.ceil((_STEPS if ranks <= _MANY else _STEPS_OF_MANY) / cycle)
    return _core.forecast(
        outlines.outlines,
        stage_costs(charges),
        forecast_machine(machine, mpi),
        places(machine, outlines, faster),
        steps,
        steps,
    )


def require_known(case: str, outlines: Outlines) -> None:
    """Raise UserError for stages whose work no task list shows. Local."""
    unknown = outlines.outlines[0].unknown
    if unknown:
        raise user_error(
            f"case {case}",
            f"stage {unknown[0]}, which ends with work of all ranks or repeats until a test holds",
            "stages of kernels and halos alone",
            "use `lapwing simulate`, or choose settings without it",
        )


def stage_costs(charges: dict[str, dict[str, float]]) -> dict[str, _core.KernelCost]:
    """Costs of stages as C++ takes them. Local."""
    return {name: _filled(_core.KernelCost(), row) for name, row in charges.items()}


def _filled(costs: Any, values: dict[str, Any]) -> Any:
    for name, value in values.items():
        setattr(costs, name, value)
    return costs


def forecast_machine(machine: Machine, mpi: str | None) -> _core.ForecastMachine:
    """Links, packing and limits of an MPI as C++ takes them. Local."""
    found = _core.ForecastMachine()
    charges = message_charges(machine, mpi)
    names = ["network", "node", "joint"] if machine.shape.groups else ["network", "node"]
    if machine.nodes == 1 and "network" not in machine.links:
        names = ["node"]
    links = {}
    for name in names:
        table: dict[str, Any] = link_charges(machine.link(name)) | charges.get(name, {})
        if "bandwidth_by_size" in table:
            table["bandwidth_by_size"] = [list(pair) for pair in table["bandwidth_by_size"]]
        links[name] = _filled(_core.MessageCost(), table)
    found.links = links
    found.shape = _network_shape(machine)
    packing = machine.packing
    found.packing = _filled(_core.PackingCost(), {"byte": packing.byte, "row": packing.row})
    memory = machine.memory
    found.memory = _filled(
        _core.MemoryCost(),
        {
            "cache": memory.cache,
            "node": memory.bandwidth,
            "core": min(memory.core_bandwidth, memory.bandwidth),
            "cores": machine.ranks_per_node,
        },
    )
    found.nodes_share = machine.link("node").shared
    # as the simulator: the least limit of all links
    found.eager = found.detached = min(cost.eager_limit for cost in links.values())
    return found


def _network_shape(machine: Machine) -> _core.NetworkShape:
    shape, found = machine.shape, _core.NetworkShape()
    if shape.groups:
        found.groups = [shape.group_of(node) for node in range(machine.nodes)]
        found.group_links = [[one.latency, one.bandwidth] for one in shape.groups]
    found.torus = list(shape.torus)
    if shape.fat_tree is not None:
        found.tree_down = list(shape.fat_tree.down)
        found.tree_up = list(shape.fat_tree.up)
    return found


def places(
    machine: Machine, outlines: Outlines, faster: Sequence[float] = ()
) -> list[_core.ForecastRank]:
    """The work, place and speed of each rank. Local."""
    ranks = len(outlines.of_rank)
    nodes = [node_of(machine, rank, ranks) for rank in range(ranks)]
    on_node = Counter(nodes)
    others = machine.ranks_per_node - 1
    speeds = np.multiply(rank_speeds(machine, ranks), faster or 1.0).tolist()
    return [
        _core.ForecastRank(
            int(outlines.of_rank[rank]),
            node,
            (on_node[node] - 1) / others if others > 0 else 1.0,
            speeds[rank],
            outlines.peers[rank].tolist(),
            *outlines.owned[outlines.of_rank[rank]],
        )
        for rank, node in enumerate(nodes)
    ]
