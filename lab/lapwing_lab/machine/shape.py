"""The connections between the nodes of a machine, and the differences between nodes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, Literal

from lapwing_lab.machine.quantity import Bandwidth, Count, Pairs, Quantity, Within

_MOST_NODES = 1_000_000  # each has a speed; also the most ranks per node
_Number = Annotated[int, Within(int, 1, _MOST_NODES)]
_SPEED = Annotated[float, Within(float, 0, above=True, unit="ratios ")]
_SPEEDS = Pairs(Count, _SPEED, "[[4, 1.0], [4, 0.5]]: nodes and their speed")


@dataclass(frozen=True)
class Link:
    """A link of messages: seconds that an empty one takes, and bytes per second."""

    latency: Annotated[float, Quantity("seconds", positive=True, bare=True)]  # s
    bandwidth: Bandwidth  # bytes/s
    shared: bool = False  # within a node: by the messages of all its ranks, else each has it
    # of [network]: bytes that a node sends after a pause at `burst_bandwidth`
    burst: Annotated[float, Quantity("bytes", positive=True)] = 0.0
    burst_bandwidth: Bandwidth = 0.0  # bytes/s; 0: no burst

    @property
    def peak(self) -> float:
        """Bytes per second that a message can get at most."""
        return self.burst_bandwidth or self.bandwidth


@dataclass(frozen=True)
class Group(Link):
    """Nodes with links of their own to a switch that never blocks."""

    nodes: Count = field(kw_only=True)


@dataclass(frozen=True)
class FatTree:
    """A tree of switches: of each level from the nodes on, how many it has below and above it."""

    down: tuple[Count, ...]
    up: tuple[Count, ...]


@dataclass(frozen=True)
class Network(Link):
    """The links between nodes that are alike, and what they connect."""

    torus: tuple[Count, ...] = ()  # nodes along each axis, links between neighbours
    fat_tree: FatTree | None = None


@dataclass(frozen=True)
class Nodes:
    """The nodes of a machine."""

    count: _Number
    ranks_per_node: _Number
    speeds: Annotated[tuple[tuple[int, float], ...], _SPEEDS] = ()  # 1: as the costs say
    # one node after the other; dealt out to all; or as many ranks in each [[group]], whose nodes
    # they fill
    placement: Literal["filled", "spread", "groups"] = "filled"
    last_node: Annotated[int, Within(int, 0, _MOST_NODES)] = 0  # its ranks, if fewer; 0: as others


@dataclass(frozen=True)
class Shape:
    """The network between the nodes. Without groups, torus or tree it is one switch."""

    groups: tuple[Group, ...] = ()  # joined by `joint`: a link from each to the others
    joint: Link | None = None
    torus: tuple[int, ...] = ()
    fat_tree: FatTree | None = None
    speeds: tuple[float, ...] = ()  # of every node; none: all are 1
    placement: str = "filled"
    last_node: int = 0  # ranks that it holds; 0: as many as the others

    def group_of(self, node: int) -> int:
        """The number of a node's group. Local."""
        end = 0
        for number, group in enumerate(self.groups):
            end += group.nodes
            if node < end:
                return number
        return 0
