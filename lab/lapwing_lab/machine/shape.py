"""The connections between the nodes of a machine, and the differences between nodes."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from lapwing.base.error import shown, user_error
from lapwing.base.settings import Where, convert

from lapwing_lab.machine.quantity import positive

PLACEMENTS = ("filled", "spread")


@dataclass(frozen=True)
class Link:
    """A link of messages: seconds that an empty one takes, and bytes per second."""

    latency: float  # s
    bandwidth: float  # bytes/s
    shared: bool = False  # within a node: by the messages of all its ranks, else each has it
    burst: float = 0.0  # bytes that a node sends after a pause at `burst_bandwidth`
    burst_bandwidth: float = 0.0  # bytes/s; 0: no burst

    @property
    def peak(self) -> float:
        """Bytes per second that a message can get at most."""
        return self.burst_bandwidth or self.bandwidth


@dataclass(frozen=True)
class Group:
    """Nodes with links of their own to a switch that never blocks."""

    nodes: int
    link: Link


@dataclass(frozen=True)
class FatTree:
    """A tree of switches: of each level from the nodes on, how many it has below and above it."""

    down: tuple[int, ...]
    up: tuple[int, ...]


@dataclass(frozen=True)
class Shape:
    """The network between the nodes. Without groups, torus or tree it is one switch."""

    groups: tuple[Group, ...] = ()  # joined by `joint`: a link from each to the others
    joint: Link | None = None
    torus: tuple[int, ...] = ()  # nodes along each axis, links between neighbours
    fat_tree: FatTree | None = None
    speeds: tuple[float, ...] = ()  # of every node, 1: as the costs say; none: all are 1
    placement: str = "filled"  # nodes one after the other, or ranks dealt out to all of them

    def group_of(self, node: int) -> int:
        """The number of a node's group. Local."""
        end = 0
        for number, group in enumerate(self.groups):
            end += group.nodes
            if node < end:
                return number
        return 0


def read_shape(table: Mapping[str, Any], nodes: int, where: Where) -> Shape:
    """The shape that a machine file says. Local.

    UserError with the name of what cannot be: groups without links, or with another number of
    nodes than there are, a torus or tree of another size.
    """
    network, at = _table(table.get("network", {}), where.inside("network")), where.inside("network")
    groups = _groups(table.get("group", []), where.inside("group"))
    joint = table.get("joint")
    if bool(groups) != (joint is not None):
        got = "groups without a link between them" if groups else "a link between no groups"
        expected = "[[group]] tables and [joint] together"
        raise user_error(where.inside("joint").name(), got, expected, "add what is missing")
    if groups:
        _require_nodes(sum(group.nodes for group in groups), nodes, where.inside("group"))
    own = table.get("nodes", {})  # a table, or `nodes` could not have been read
    torus = _whole(network.get("torus", []), at.inside("torus"))
    if torus:
        _require_nodes(math.prod(torus), nodes, at.inside("torus"))
    shapes = [bool(groups), bool(torus), "fat_tree" in network]
    if sum(shapes) > 1:
        raise user_error(at.name(), "several shapes", "groups, torus or fat_tree", "choose one")
    return Shape(
        groups,
        read_link(joint, where.inside("joint")) if joint is not None else None,
        torus,
        _fat_tree(network["fat_tree"], nodes, at.inside("fat_tree")) if shapes[2] else None,
        _speeds(own.get("speeds", []), nodes, where.inside("nodes").inside("speeds")),
        _placement(own.get("placement", "filled"), where.inside("nodes").inside("placement")),
    )


SHAPE_KEYS = ("torus", "fat_tree")  # of [network]
BURST_KEYS = ("burst", "burst_bandwidth")  # of [network]
_LINK_KEYS = ("latency", "bandwidth", "shared")
NODE_KEYS = ("speeds", "placement")  # of [nodes]


def read_link(table: Any, where: Where, more: tuple[str, ...] = ()) -> Link:
    """The numbers of a link, every one there and above 0; plain ones are in s and bytes/s. Local.

    `more`: keys that others read.
    """
    keys = (*_LINK_KEYS, *more)
    for key in _table(table, where):
        if key not in keys:
            raise where.unknown(key, keys)
    for name in ("latency", "bandwidth"):
        if name not in table:
            raise user_error(where.name(), f"no key {name!r}", "latency and bandwidth", "add it")
    return Link(
        positive("seconds", table["latency"], where.inside("latency"), bare=True),
        positive("bytes per second", table["bandwidth"], where.inside("bandwidth"), bare=True),
        convert(bool, table.get("shared", False), where.inside("shared")),
        *_burst(table, where),
    )


def _burst(table: Mapping[str, Any], where: Where) -> tuple[float, float]:
    """Bytes, and the bytes/s that they pass at: more than the link's bandwidth."""
    if not any(name in table for name in BURST_KEYS):
        return 0.0, 0.0
    for name in BURST_KEYS:
        if name not in table:
            got = f"no key {name!r}"
            raise user_error(where.name(), got, "burst and burst_bandwidth together", "add it")
    size = positive("bytes", table["burst"], where.inside("burst"))
    speed = positive(
        "bytes per second", table["burst_bandwidth"], where.inside("burst_bandwidth"), bare=True
    )
    least = positive("bytes per second", table["bandwidth"], where.inside("bandwidth"), bare=True)
    if speed <= least:
        at, expected = where.inside("burst_bandwidth").name(), f"more than bandwidth, {least:g}"
        raise user_error(at, f"{speed:g} bytes/s", expected, "change one of them")
    return size, speed


def _table(value: Any, where: Where) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise user_error(where.name(), shown(value), "a table", "change the value")
    return value


def _groups(rows: Any, where: Where) -> tuple[Group, ...]:
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise user_error(where.name(), shown(rows), "tables [[group]]", "write them")
    groups = []
    for row in rows:
        link = read_link(row, where, ("nodes",))
        if "nodes" not in row:
            raise user_error(where.name(), "no key 'nodes'", "how many nodes it has", "add it")
        groups.append(Group(_count(row["nodes"], where.inside("nodes")), link))
    return tuple(groups)


def _count(value: Any, where: Where) -> int:
    number: int = convert(int, value, where)
    if number < 1:
        raise user_error(where.name(), str(number), "1 or more", "change it")
    return number


def _whole(values: Any, where: Where) -> tuple[int, ...]:
    numbers: list[int] = convert(list[int], values, where)
    for number in numbers:
        _count(number, where)
    return tuple(numbers)


def _require_nodes(found: int, nodes: int, where: Where) -> None:
    if found != nodes:
        expected = f"{nodes}, as nodes.count says"
        raise user_error(where.name(), f"{shown(found)} nodes", expected, "change one of them")


def _fat_tree(table: Any, nodes: int, where: Where) -> FatTree:
    if not isinstance(table, Mapping) or set(table) != {"down", "up"}:
        expected = "down and up, like { down = [16, 8], up = [1, 4] }"
        raise user_error(where.name(), shown(table), expected, "write both")
    down, up = (_whole(table[key], where.inside(key)) for key in ("down", "up"))
    if not down or len(down) != len(up) or up[0] != 1:
        expected = "as many numbers in both, and 1 first in up: a node has one link"
        raise user_error(where.name(), f"{list(down)} and {list(up)}", expected, "change them")
    _require_nodes(math.prod(down), nodes, where.inside("down"))
    return FatTree(down, up)


def _speeds(rows: Any, nodes: int, where: Where) -> tuple[float, ...]:
    """Pairs of a number of nodes and their speed."""
    if not isinstance(rows, list) or any(not isinstance(r, list) or len(r) != 2 for r in rows):
        expected = "pairs of nodes and their speed, like [[4, 1.0], [4, 0.5]]"
        raise user_error(where.name(), shown(rows), expected, "change it")
    counts = [_count(count, where) for count, _ in rows]
    if counts:
        _require_nodes(sum(counts), nodes, where)
    speeds: list[float] = []
    for count, (_, speed) in zip(counts, rows, strict=True):
        number: float = convert(float, speed, where)
        if not (number > 0 and math.isfinite(number)):
            raise user_error(where.name(), shown(speed), "ratios above 0", "change it")
        speeds += [number] * count
    return tuple(speeds)


def _placement(value: Any, where: Where) -> str:
    if value not in PLACEMENTS:
        expected = f"one of: {', '.join(PLACEMENTS)}"
        raise user_error(where.name(), shown(value), expected, "choose one of them")
    return str(value)
