"""The results of a probe, and what follows from them for a machine file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from statistics import median
from typing import Any

from lapwing_lab import _core
from lapwing_lab.machine.costs import MessageCost
from lapwing_lab.machine.shape import Link
from lapwing_lab.machine.stream_copy import CopyTimes
from lapwing_lab.probe.bursts import Bursts
from lapwing_lab.probe.links import WAYS, Fit, Kind, Overlap, Series
from lapwing_lab.probe.processor import OwnTimes, message_cost, wire_latency

# a lattice Boltzmann step as the report counts it, which the coefficients of partitions are for
CELL_BYTES = 3 * 19 * 8  # to and from memory, per cell
HALO_BYTES = 5 * 8  # per cell of a face

_QUIET = 0.25  # of the cores, wanted by others


@dataclass
class Probed:
    """All measurements of one run."""

    ranks: int
    nodes: int
    ranks_per_node: int  # of the fullest node
    copies: list[CopyTimes]
    calls: Mapping[str, list[float]]  # samples, s
    traits: dict[str, Any]  # of the MPI, as the machine file has them
    series: list[Series] = field(default_factory=list)
    overlaps: list[Overlap] = field(default_factory=list)
    own_times: dict[str, OwnTimes] = field(default_factory=dict)  # by link
    bursts: dict[str, Bursts] = field(default_factory=dict)  # by link
    packing: tuple[float, float] = (0.0, 0.0)  # s per byte and per row
    eager: dict[str, int | None] = field(default_factory=dict)  # bytes, by link; None: no limit met
    skipped: dict[str, str] = field(default_factory=dict)  # what was not measured, and why
    most_bytes: int = 0  # of the longest message tried
    load: float = 0.0  # processes that wanted a core in the minute before

    @property
    def place(self) -> str:
        """Ranks and nodes in words."""
        counts = ((self.ranks, "rank"), (self.nodes, "node"))
        return " on ".join(f"{n} {noun}" if n == 1 else f"{n} {noun}s" for n, noun in counts)

    @property
    def call_medians(self) -> dict[str, float]:
        """The median of each small call, s."""
        return {name: median(samples) for name, samples in self.calls.items()}

    @cached_property
    def fits(self) -> dict[Kind, Fit]:
        """Latency and bandwidth of every kind of message."""
        return {one.kind: one.fit() for one in self.series}

    @property
    def longest_overlaps(self) -> list[Overlap]:
        """The samples of the longest message that was put during computing."""
        size = max((one.size for one in self.overlaps), default=0)
        return [one for one in self.overlaps if one.size == size]

    @property
    def links(self) -> list[str]:
        """The links that were measured."""
        return list(dict.fromkeys(series.link for series in self.series))

    def link(self, name: str) -> Link:
        """The link as the machine file has it: latency of ping-pong, one way, less what
        `message_cost` charges besides; bandwidth of each direction while both are busy, from the
        ring: its line, or where there is a burst its longest message. Local.
        """
        latency = wire_latency(self._ping_pong(name), self.message_cost(name))
        if (found := self._burst(name)) is None:
            return Link(latency, self.fits[name, "ring", WAYS[0], "contiguous"].each_way)
        burst, peak = found
        return Link(latency, self._sustained(name), burst=burst, burst_bandwidth=peak)

    def _sustained(self, link: str) -> float:
        kind = (link, "ring", WAYS[0], "contiguous")
        return next(one for one in self.series if one.kind == kind).sustained

    def _burst(self, link: str) -> tuple[float, float] | None:
        if link not in self.bursts:
            return None
        return self.bursts[link].fit(self._sustained(link), self.own_times[link].per_byte)

    def _ping_pong(self, link: str) -> Fit:
        return self.fits[link, "ping-pong", WAYS[0], "contiguous"]

    def message_cost(self, name: str) -> MessageCost:
        """The other entries of the machine file about the messages of a link. Local."""
        kinds = {series.kind: series for series in self.series}
        two_sided = [one for one in self.longest_overlaps if (one.link, one.way) == (name, WAYS[0])]
        cost = message_cost(
            self.own_times[name],
            kinds[name, "ping-pong", WAYS[0], "contiguous"],
            kinds[name, "ring", WAYS[0], "element-wise"],
            two_sided[0] if two_sided else None,
            self.eager.get(name),
            self.call_medians.get("test_pending", 0.0),
        )
        return cost if self._burst(name) is None else replace(cost, bandwidth_by_size=())

    @property
    def busy(self) -> bool:
        """True if others used so much of the machine that times are not its own."""
        return self.load > _QUIET * float(self.traits["cores_per_node"])

    def copy(self, streams: str, method: str = "blocked") -> CopyTimes:
        """The copy by most processes. Local."""
        found = [one for one in self.copies if (one.streams, one.method) == (streams, method)]
        return max(found, key=lambda one: one.processes)

    def alone(self, streams: str, method: str = "blocked") -> CopyTimes:
        """The copy by fewest processes. Local."""
        found = [one for one in self.copies if (one.streams, one.method) == (streams, method)]
        return min(found, key=lambda one: one.processes)

    @property
    def cache(self) -> int:
        """Bytes that a rank has of the last cache while all compute. Local."""
        return int(_core.cache_share(self.ranks_per_node))

    def partition_costs(self) -> dict[str, float]:
        """Coefficients of a partition, in units of the time of one cell of a lattice step. Local.

        Empty where no link was measured. Where nothing leaves a node, `off` is `on`.
        """
        if not self.links:
            return {}
        memory = self.copy("2x19")
        cell = CELL_BYTES * memory.processes / memory.bandwidth  # s, with all processes busy
        inside = "node" if "node" in self.links else "network"
        outside = "network" if "network" in self.links else "node"
        on, off = self.link(inside), self.link(outside)
        sharing = self.ranks_per_node if "network" in self.links else 1
        return {
            "off": HALO_BYTES * sharing / off.bandwidth / cell,
            "on": HALO_BYTES / on.bandwidth / cell,
            "latency": self._ping_pong(outside).latency / cell,
        }
