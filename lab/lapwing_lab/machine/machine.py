"""Machine files: the measured numbers of a computer, in TOML.

    title = "..."

    [nodes]
    count = 15           # how many there are
    ranks_per_node = 4

    [network]            # between nodes
    latency = 65e-6      # s, one way
    bandwidth = 125e6    # bytes/s in each direction, shared by the ranks of a node
    burst = "32 kB"      # optional: so much of a node passes after a pause
    burst_bandwidth = "2 GB/s" # at that speed

    [node]               # between ranks of one node
    latency = 2e-6       # s
    bandwidth = 1e9      # bytes/s
    shared = false       # true: by the messages of all ranks of the node, else each has it

    [[group]]            # instead of [network]: nodes with links of their own
    nodes = 8
    latency = "1 us"
    bandwidth = "12 GB/s"

    [joint]              # between the groups
    latency = "50 us"
    bandwidth = "1 Gbit/s"

    [messages.mpich.network]  # what messages of an MPI cost on a link besides; likewise .node
    send = "8.4 us"           # of the processor, per message; more keys: lapwing_lab.machine.costs
    receive = "20 us"

    [packing]
    byte = "1 ns/byte"
    row = "25 ns"        # per piece that lies in a row in memory

    [memory]
    cache = "16 MiB"     # of the last one, for a rank
    bandwidth = "40 GB/s" # that the ranks of a node share beyond it
    core_bandwidth = "20 GB/s" # that a rank gets at most

    [[compute.coast]]    # calibrated seconds per cell of each stage, by the box of a rank
    box = [60, 60]       # cells along x and y, or x, y and z
    momentum_x = 2.2e-07 # s
    continuity = { cell = "37 ns", row = "0.1 us", call = "2 us" }

    [partition]          # coefficients of `lapwing partition --costs`

`lapwing probe` writes such files, without costs of kernels, and adds what else it has measured:
[calls], [mpi], and rows of [[link]] and [[overlap]]
(docs/guide/machine-files.md).

Tables may be missing: what needs one says so.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from functools import cache
from pathlib import Path
from typing import Annotated

from lapwing.base.error import shown, user_error
from lapwing.base.settings import Where, fill, read_toml, unknown_key

from lapwing_lab.machine.costs import (
    ComputeCost,
    Costs,
    Memory,
    MessageCost,
    MessageCosts,
    Messages,
    PackingCost,
    interpolated,
)
from lapwing_lab.machine.quantity import Tables, Unread
from lapwing_lab.machine.shape import Group, Link, Network, Nodes, Shape

_SHIPPED = Path(__file__).parent / "machines"

# what to do where the numbers of a link are missing
_LINK_REMEDIES = {
    "network": "probe two nodes (`lapwing netlab run --nodes 2 -- lapwing probe` emulates them), "
    "or copy the table from a shipped machine file",
    "node": "probe two ranks on a node (`lapwing probe --ranks 2`), or copy the table from a "
    "shipped machine file",
}


@dataclass(frozen=True)
class Machine:
    """The numbers of a machine file."""

    name: str
    title: str
    nodes: int
    ranks_per_node: int
    links: Mapping[str, Link]  # network: between nodes; node: between the ranks of one
    shape: Shape
    messages: Mapping[str, Messages]  # by MPI and link; none: they cost nothing
    packing: PackingCost
    memory: Memory
    compute: Mapping[str, tuple[ComputeCost, ...]]  # by model

    def link(self, name: str) -> Link:
        """The network, or the inside of a node. Local; UserError where the file has it not."""
        if name not in self.links:
            raise user_error(
                f"machine {self.name}",
                f"no table [{name}]",
                "its latency, s, and bandwidth, bytes/s",
                _LINK_REMEDIES[name],
            )
        return self.links[name]

    def message_costs(self, mpi: str | None) -> MessageCosts:
        """The costs of messages of an MPI, by default of the first in the file. Local.

        UserError for one that the file does not have.
        """
        if mpi is None:
            mpi = next(iter(self.messages), None)
        if mpi is None:
            return MessageCosts(packing=self.packing)
        if mpi not in self.messages:
            known = ", ".join(self.messages) or "none"
            expected = f"an MPI with a table [messages.{mpi}.LINK] in machine {self.name}: {known}"
            raise user_error("--mpi", repr(mpi), expected, "choose one of them, or add the table")
        links = {str(link): cost for link, cost in self.messages[mpi].items()}
        return MessageCosts(links, self.packing)

    def computing(self, model: str, box: tuple[int, ...]) -> ComputeCost:
        """Return the costs of a box of that size, interpolated between boxes of the file. Local.

        UserError where the file has none for the model.
        """
        if model not in self.compute:
            got = f"no table [[compute.{model}]]"
            remedy = (
                "add them to a copy of the file: `python lab/programs/stage_costs.py CASE` "
                "measures them here; or name another machine"
            )
            raise user_error(f"machine {self.name}", got, "seconds per cell of each stage", remedy)
        return interpolated(self.compute[model], box)


@cache  # what a package ships does not change
def machine_names() -> tuple[str, ...]:
    """Names of the machine files that come with lapwing. Local."""
    return tuple(sorted(path.stem for path in _SHIPPED.rglob("*.toml")))


def machine_path(name: str) -> Path:
    """The machine file of that path, or the shipped one of that name. Local."""
    path = Path(name)
    if path.exists() or name not in machine_names():
        return path
    return next(_SHIPPED.rglob(f"{name}.toml"))


def shipped() -> dict[str, str]:
    """The title of each machine file that comes with lapwing, by its name. Local."""
    return {name: load_machine(name).title for name in machine_names()}


def load_machine(name: str) -> Machine:
    """Read the machine file of that path, or the shipped one of that name. Local.

    UserError for a file that cannot be read, a number that is missing, and a table or number that
    cannot be: each with its name. What a link lacks is told by `Machine.link`.
    """
    path = machine_path(name)
    file, where = _read(path)
    _check(file, where)
    network, nodes = file.network, file.nodes
    links: dict[str, Link | None] = {"network": network, "node": file.node, "joint": file.joint}
    if file.group:
        links["network"] = file.group[0]
    return Machine(
        name=path.stem,
        title=file.title or path.stem,
        nodes=nodes.count,
        ranks_per_node=nodes.ranks_per_node,
        links={name: link for name, link in links.items() if link is not None},
        shape=Shape(
            file.group,
            file.joint,
            network.torus if network else (),
            network.fat_tree if network else None,
            tuple(speed for count, speed in nodes.speeds for _ in range(count)),
            nodes.placement,
            nodes.last_node,
        ),
        messages=file.messages,
        packing=file.packing,
        memory=file.memory,
        compute=file.compute,
    )


@dataclass(frozen=True)
class _File:
    """The tables of a machine file."""

    nodes: Nodes
    title: str = ""
    network: Network | None = None
    node: Link | None = None
    group: Annotated[tuple[Group, ...], Tables(Group)] = ()
    joint: Link | None = None
    messages: dict[str, Messages] = field(default_factory=dict)
    packing: PackingCost = field(default_factory=PackingCost)
    compute: dict[str, Costs] = field(default_factory=dict)
    partition: Unread = None
    memory: Memory = field(default_factory=Memory)
    calls: Unread = None
    mpi: Unread = None
    link: Unread = None
    overlap: Unread = None


def _read(path: Path) -> tuple[_File, Where]:
    try:
        text = path.read_text(encoding="utf-8")
        table, where = read_toml(text), Where(path.name, text)
    except (OSError, ValueError) as problem:  # of the disk, in UTF-8 or TOML
        raise user_error(
            f"--machine {path}",
            (problem.strerror or str(problem)) if isinstance(problem, OSError) else str(problem),
            f"a machine file, or one of {', '.join(machine_names())}",
            "fix the file or its name",
        ) from None
    names = [one.name for one in fields(_File)]
    for key in table.keys() - set(names):
        raise unknown_key(where.inside(key).name(), key, names, "a table of a machine file")
    if "nodes" not in table:
        at, expected = where.inside("nodes").name(), "count and ranks_per_node"
        raise user_error(at, "no table [nodes]", expected, "add it")
    return fill(_File, table, where), where


def _check(file: _File, where: Where) -> None:
    """Raise UserError for keys and tables that do not go together."""
    network, count = where.inside("network"), file.nodes.count
    if bool(file.group) != (file.joint is not None):
        got = "groups without a link between them" if file.group else "a link between no groups"
        expected = "[[group]] tables and [joint] together"
        raise user_error(where.inside("joint").name(), got, expected, "add what is missing")
    if file.group and file.network is not None:
        got = "both [network] and [[group]]"
        raise user_error(network.name(), got, "one of them", "leave one out")
    if file.group:
        _require_nodes(sum(group.nodes for group in file.group), count, where.inside("group"))
    if file.nodes.placement == "groups" and not file.group:
        place = where.inside("nodes").inside("placement")
        raise user_error(place.name(), "'groups'", "[[group]] tables to share ranks", "add them")
    if file.nodes.last_node > file.nodes.ranks_per_node:
        place, most = where.inside("nodes").inside("last_node"), file.nodes.ranks_per_node
        got, expected = str(file.nodes.last_node), f"at most ranks_per_node, {most}"
        raise user_error(place.name(), got, expected, "change one of them")
    if speeds := file.nodes.speeds:
        at = where.inside("nodes").inside("speeds")
        _require_nodes(sum(nodes for nodes, _ in speeds), count, at)
    if file.network is not None:
        _check_burst(file.network, network)
        _check_shape(file.network, count, network)
    for name, link in (
        ("node", file.node),
        ("joint", file.joint),
        *(("group", g) for g in file.group),
    ):
        if link is not None and (link.burst or link.burst_bandwidth):
            raise where.inside(name).unknown("burst", ("latency", "bandwidth", "shared"))
    if bool(file.memory.cache) != math.isfinite(file.memory.bandwidth):
        got = f"no key '{'bandwidth' if file.memory.cache else 'cache'}'"
        raise user_error(where.inside("memory").name(), got, "cache and bandwidth", "add it")
    for mpi, links in file.messages.items():
        for name, cost in links.items():
            _check_message(cost, where.inside("messages").inside(mpi).inside(name))


def _check_burst(link: Link, where: Where) -> None:
    burst, speed = link.burst, link.burst_bandwidth
    if bool(burst) != bool(speed):
        got = f"no key '{'burst_bandwidth' if burst else 'burst'}'"
        raise user_error(where.name(), got, "burst and burst_bandwidth together", "add it")
    if burst and speed <= link.bandwidth:
        at, expected = where.inside("burst_bandwidth"), f"more than bandwidth, {link.bandwidth:g}"
        raise user_error(at.name(), f"{speed:g} bytes/s", expected, "change one of them")


def _check_shape(network: Network, count: int, where: Where) -> None:
    tree = network.fat_tree
    if network.torus:
        _require_nodes(math.prod(network.torus), count, where.inside("torus"))
    if tree is None:
        return
    if network.torus:
        raise user_error(where.name(), "several shapes", "torus or fat_tree", "choose one")
    down, up = tree.down, tree.up
    if not down or len(down) != len(up) or up[0] != 1:
        got, at = f"{list(down)} and {list(up)}", where.inside("fat_tree")
        expected = "as many numbers in both, and 1 first in up: a node has one link"
        raise user_error(at.name(), got, expected, "change them")
    _require_nodes(math.prod(down), count, where.inside("fat_tree").inside("down"))


def _check_message(cost: MessageCost, where: Where) -> None:
    if cost.eager_limit != math.inf and cost.progress is None:
        at, expected = where.inside("progress").name(), "who answers: background or calls"
        raise user_error(at, "nothing", expected, "add it")
    sizes = [size for size, _ in cost.bandwidth_by_size]
    if sizes != sorted(set(sizes)):
        at = where.inside("bandwidth_by_size").name()
        raise user_error(at, "sizes out of order", "ascending sizes", "sort them")


def _require_nodes(found: int, count: int, where: Where) -> None:
    if found != count:
        got, expected = f"{shown(found)} nodes", f"{count}, as nodes.count says"
        raise user_error(where.name(), got, expected, "change one of them")
