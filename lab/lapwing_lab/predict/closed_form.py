"""The step by the formula of the coarray report: bytes over bandwidths, one after the other.

Sembritzki, Hager, Krammer, Treibig and Wellein, Evaluation of the Coarray Fortran Programming Model
on the Example of a Lattice Boltzmann Code (PGAS 2012), section 3.3.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
from lapwing.base.error import user_error

from lapwing_lab import _core
from lapwing_lab.machine.charges import message_charges, node_of, stage_charges
from lapwing_lab.machine.costs import BETWEEN
from lapwing_lab.machine.machine import Machine
from lapwing_lab.predict.entry import Entry, PredictionRequest
from lapwing_lab.predict.events import require_known, stage_costs
from lapwing_lab.predict.outlines import Outlines, outlines_of
from lapwing_lab.predict.subject import Cut, Subject

_HIDES_NOTHING = "blocking"


def by_formula(
    request: PredictionRequest, machine: Machine, subject: Subject, cut: Cut, strategy: str
) -> Entry:
    """The step of a cut by the formula

        T = a e L_e + S_e / B_e + a e L_a + S_a / B_a + C,

    Local. a: axes that are cut; e: exchanges per step (the report: 1); L, s, with the calls at both
    ends, and B, bytes/s in each direction, of network and node; S: what the busiest node sends,
    bytes; C: computing of a rank with all cores at work, s. S comes from the plans, where the
    report has 5 * 8 N^2 per face. C is of one process: as printed, the report divides its traffic
    by the bandwidth M of a whole node; here its share counts, as in `step_seconds` of
    lab/lapwing_lab/bench/lattice/scaling.py.
    UserError for a strategy that hides something.
    """
    if strategy != _HIDES_NOTHING:
        expected = f"{_HIDES_NOTHING}: the formula knows a step that hides nothing"
        remedy = "leave it out, or use --model events"
        raise user_error("--strategy", repr(strategy), expected, remedy)
    outlines = outlines_of(cut, subject.make(cut.pattern or cut), strategy, machine.ranks_per_node)
    require_known(request.case, outlines)
    first = outlines.outlines[0]
    stages = subject.stages or tuple(first.stages)
    costs = stage_costs(stage_charges(machine, subject.model, cut.box, stages))
    slowest = max(
        outlines.outlines, key=lambda outline: _core.compute_seconds(outline, costs, 1.0, 1.0)
    )
    compute = _core.compute_seconds(slowest, costs, 1.0, 1.0) + _between(outlines, costs)
    rounds = sum(blocks > 1 for blocks in cut.blocks) * first.exchanges
    calls = message_charges(machine, request.mpi)
    messages = 0.0
    for name, sent in zip(("network", "node"), _sent(machine, outlines), strict=True):
        link = machine.link(name)
        if sent > 0:
            own = calls.get(name, {})
            latency = own.get("send", 0.0) + link.latency + own.get("receive", 0.0)
            messages += rounds * latency + sent / link.bandwidth
    return Entry(
        cut.partition.ranks,
        strategy,
        cut.grid.box.volume,
        cut.blocks,
        compute + messages,
        compute,
        math.nan,
        math.nan,
        max(outline.messages for outline in outlines.outlines),
        max(outline.bytes for outline in outlines.outlines),
        int(np.flatnonzero(outlines.of_rank == outlines.outlines.index(slowest))[0]),
    )


def _between(outlines: Outlines, costs: Mapping[str, _core.KernelCost]) -> float:
    """The time between two steps of the rank that owns most, with all cores at work, s."""
    cost = costs.get(BETWEEN)
    if cost is None:
        return 0.0
    return max(
        (cells * cost.cell + rows * cost.row + cost.call) * cost.crowded
        for cells, rows in outlines.owned
    )


def _sent(machine: Machine, outlines: Outlines) -> tuple[float, float]:
    """Bytes that the busiest node sends to others, and within itself, per step."""
    ranks = len(outlines.of_rank)
    nodes = np.array([node_of(machine, rank, ranks) for rank in range(ranks)])
    off, on = np.zeros(nodes.max() + 1), np.zeros(nodes.max() + 1)
    rows = [[one.sent_to.get(peer, 0.0) for peer in one.peers] for one in outlines.outlines]
    for rank, (number, peers) in enumerate(zip(outlines.of_rank, outlines.peers, strict=True)):
        sent, inside = np.array(rows[number]), nodes[peers] == nodes[rank]
        on[nodes[rank]] += sent[inside].sum()
        off[nodes[rank]] += sent[~inside].sum()
    return float(off.max()), float(on.max())
