"""The request of `lapwing netlab run`: nodes with links, alike or in groups, and a command.

Links and groups are those of machine files: a link's rate in bit/s is 8 times its bandwidth, and
its delay one way the latency, which comes to that of the emulation.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass

from lapwing.base.error import user_error

from lapwing_lab.machine.machine import Machine, load_machine
from lapwing_lab.machine.shape import Group, Link, Shape

NODES = (1, 64)


@dataclass(frozen=True)
class _Measure:
    """A property of a link: its units in options, and its least and most."""

    units: dict[str, float]
    example: str
    limits: str
    least: float
    most: float

    def holds(self, value: float) -> bool:
        """True if an emulated link can have this value. Local."""
        return self.least <= value <= self.most


_RATE = _Measure(
    {"kbit": 1e3, "mbit": 1e6, "gbit": 1e9}, "1gbit or 200mbit", "100kbit to 100gbit", 1e5, 1e11
)  # bit/s
_DELAY = _Measure({"us": 1e-6, "ms": 1e-3, "s": 1.0}, "60us", "1us to 10s", 1e-6, 10.0)  # s

_ADDRESS = "10.77.0.{}"  # on the links; private to the cluster, so it meets no other
NETWORK = _ADDRESS.format("0/24")
FRONT = _ADDRESS.format(254)  # where the launcher listens

# Options of which one rules the others out.
_WAYS = (("nodes", "rate", "delay"), ("group", "joint"), ("machine",))


@dataclass(frozen=True)
class NetworkOptions:
    """The options that describe the network, as they were written; None or (): not given."""

    nodes: int | None = None
    rate: str | None = None
    delay: str | None = None
    group: tuple[str, ...] = ()
    joint: str | None = None
    machine: str | None = None


@dataclass(frozen=True)
class NetlabRequest:
    """Groups of nodes and the links between them, and what to run across all nodes."""

    shape: Shape  # one group: nodes that are alike, without a joint link
    command: tuple[str, ...]
    pid: int  # of the process that asked: part of the names of the nodes

    @property
    def nodes(self) -> int:
        """The number of nodes, of all groups."""
        return sum(group.nodes for group in self.shape.groups)

    def link(self, node: int) -> Link:
        """The link of a node. Local."""
        return self.shape.groups[self.shape.group_of(node)]

    def address(self, node: int) -> str:
        """The address of a node on the network. Local."""
        return _ADDRESS.format(node + 1)

    def name(self, node: int) -> str:
        """The host name of a node, unlike that of any other on this machine. Local."""
        return f"lapwing-{self.pid}-{node}"

    def to_text(self) -> str:
        """The request as one argument of a command line. Local."""
        return json.dumps(asdict(self))

    @classmethod
    def from_text(cls, text: str) -> NetlabRequest:
        """Parse what `to_text` returned. Local."""
        parts = json.loads(text)
        groups, joint = (parts["shape"][name] for name in ("groups", "joint"))
        shape = Shape(
            tuple(Group(**one) for one in groups),
            None if joint is None else Link(**joint),
        )
        return cls(shape, tuple(parts["command"]), parts["pid"])


def all_links(shape: Shape) -> list[Link]:
    """The link of the nodes of each group, and the joint one where there is one. Local."""
    joint = [shape.joint] if shape.joint is not None else []
    return [*shape.groups, *joint]


def rate(link: Link) -> float:
    """Bits per second. Local."""
    return 8 * link.bandwidth


def in_words(shape: Shape) -> str:
    """The number of nodes, and the rates and delays of their links, as text. Local."""
    groups = [
        f"{group.nodes} node{'' if group.nodes == 1 else 's'} at {_rate_and_delay(group)}"
        for group in shape.groups
    ]
    joint = "" if shape.joint is None else f", joined at {_rate_and_delay(shape.joint)},"
    return " and ".join(groups) + joint


def _rate_and_delay(link: Link) -> str:
    late = f" and {1e6 * link.latency:g} us" if link.latency else ""
    return f"{rate(link) / 1e6:g} Mbit/s{late}"


# ---- from options


def parse(options: NetworkOptions, command: Sequence[str], pid: int) -> NetlabRequest:
    """The request in the options. Local; raises UserError."""
    shape = _shape(options)
    if not command:
        expected = "a command behind --"
        raise user_error("COMMAND", "nothing", expected, "write `-- lapwing bench overlap`, say")
    return NetlabRequest(shape, tuple(command), pid)


def _shape(options: NetworkOptions) -> Shape:
    _require_one_way(options)
    if options.machine is not None:
        return _emulated(load_machine(options.machine))
    if options.group or options.joint is not None:
        return _joined(options.group, options.joint)
    nodes = 2 if options.nodes is None else options.nodes
    _require_nodes("--nodes", nodes, "give such a number")
    bits = 1e9 if options.rate is None else _quantity("--rate", options.rate, _RATE)
    latency = 0.0 if options.delay is None else _quantity("--delay", options.delay, _DELAY)
    return Shape((Group(latency, bits / 8, nodes=nodes),))


def _require_one_way(options: NetworkOptions) -> None:
    """Raise UserError for options that rule each other out."""
    given = [[name for name in way if getattr(options, name) not in (None, ())] for way in _WAYS]
    used = [f"--{names[0]}" for names in given if names]
    if len(used) > 1:
        expected = "--nodes, --rate and --delay, or --group and --joint, or --machine"
        raise user_error(" and ".join(used), "several networks", expected, "use one of these")


def _joined(groups: Sequence[str], joint: str | None) -> Shape:
    """Groups of nodes from `--group` and `--joint`."""
    if len(groups) < 2:
        got = "one of them" if groups else "none, but --joint"
        expected = "two groups or more, which --joint connects"
        remedy = "add a --group, or use --nodes, --rate and --delay for nodes that are alike"
        raise user_error("--group", got, expected, remedy)
    if joint is None:
        expected = "RATE[,DELAY] of the link that each group has to the others"
        raise user_error("--joint", "none with --group", expected, "add --joint 200mbit,1ms, say")
    shape = Shape(tuple(map(_group, groups)), _link("--joint", joint))
    nodes = sum(group.nodes for group in shape.groups)
    _require_nodes("--group", nodes, "make groups smaller")
    return shape


def _group(text: str) -> Group:
    match = re.fullmatch(r"\s*([0-9]{1,9})\s*@(.*)", text)
    if match is None or int(match[1]) == 0:
        expected = "NODES@RATE[,DELAY] with 1 node or more"
        raise user_error("--group", repr(text), expected, "write 2@1gbit or 2@100mbit,60us")
    link = _link("--group", match[2])
    return Group(link.latency, link.bandwidth, nodes=int(match[1]))


def _link(option: str, text: str) -> Link:
    """A link from RATE[,DELAY]."""
    rate_text, comma, delay = text.partition(",")
    bandwidth = _quantity(option, rate_text, _RATE) / 8
    return Link(_quantity(option, delay, _DELAY) if comma else 0.0, bandwidth)


def _require_nodes(name: str, nodes: int, remedy: str) -> None:
    if not NODES[0] <= nodes <= NODES[1]:
        raise user_error(name, f"{nodes} nodes", f"{NODES[0]} to {NODES[1]}", remedy)


def _quantity(option: str, text: str, measure: _Measure) -> float:
    match = re.fullmatch(r"(\d+(?:\.\d+)?)([a-z]+)", text.strip().lower())
    value = float(match[1]) * measure.units.get(match[2], 0.0) if match else 0.0
    if not measure.holds(value):
        expected = f"a number and one of {', '.join(measure.units)}, {measure.limits}"
        raise user_error(option, repr(text), expected, f"write {measure.example}")
    return value


# ---- from a machine file


def _emulated(machine: Machine) -> Shape:
    """The groups and links of a machine file; UserError for what cannot be emulated."""
    name, shape = f"machine {machine.name}", machine.shape
    remedy = "change it in a copy of the file"
    for what, there in (
        ("a torus", bool(shape.torus)),
        ("a fat tree", shape.fat_tree is not None),
        ("nodes of several speeds", len(set(shape.speeds)) > 1),
        ("ranks spread over the nodes", shape.placement != "filled"),
    ):
        if there:
            expected = "nodes of one speed on a switch, or groups of them, filled one by one"
            raise user_error(name, what, expected, remedy)
    _require_nodes(name, machine.nodes, remedy)
    link = machine.link("network")
    alike = Group(link.latency, link.bandwidth, nodes=machine.nodes)
    groups = shape.groups or (alike,)
    emulated = Shape(groups, shape.joint if len(groups) > 1 else None)
    for link in all_links(emulated):
        _require_link(name, link)
    return emulated


def _require_link(name: str, link: Link) -> None:
    bits, remedy = rate(link), "change it in a copy of the file"
    if not _RATE.holds(bits):
        raise user_error(name, f"a link of {bits / 1e6:g} Mbit/s", _RATE.limits, remedy)
    if not _DELAY.holds(link.latency):
        raise user_error(name, f"a latency of {link.latency:g} s", _DELAY.limits, remedy)
