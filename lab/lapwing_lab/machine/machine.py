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

    [[compute.coast]]    # calibrated seconds per cell of each stage, by the box of a rank
    box = [60, 60]       # cells along x and y, or x, y and z
    momentum_x = 2.2e-07 # s
    continuity = { cell = "37 ns", row = "0.1 us", call = "2 us" }

    [partition]          # coefficients of `lapwing partition --costs`

`lapwing probe` writes such files, without costs of kernels, and adds what else it has measured, for
people to read: [memory], [calls], [mpi], and rows of [[link]] and [[overlap]]
(docs/guide/machine-files.md).

Tables may be missing: what needs one says so.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from lapwing.base.error import user_error
from lapwing.base.settings import Where, convert, read_toml, unknown_key

from lapwing_lab.machine.costs import (
    ComputeCost,
    MessageCost,
    MessageCosts,
    PackingCost,
    interpolated,
    read_messages,
    read_models,
    read_packing,
)
from lapwing_lab.machine.shape import (
    BURST_KEYS,
    NODE_KEYS,
    SHAPE_KEYS,
    Link,
    Shape,
    read_link,
    read_shape,
)

_SHIPPED = Path(__file__).parent / "machines"
_MOST_NODES = 1_000_000  # each has a speed; also the most ranks per node

# every table that a file may have
_TABLES = (
    *(
        "title",
        "nodes",
        "network",
        "node",
        "group",
        "joint",
        "messages",
        "packing",
        "compute",
        "partition",
    ),
    *("memory", "calls", "mpi", "link", "overlap"),
)

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
    messages: Mapping[str, Mapping[str, MessageCost]]  # by MPI and link; none: they cost nothing
    packing: PackingCost
    compute: Mapping[str, list[ComputeCost]]  # by model

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
        return MessageCosts(self.messages[mpi], self.packing)

    def computing(self, model: str, box: tuple[int, ...]) -> ComputeCost:
        """The costs of a box of that size, interpolated between those of the file. Local.

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
    return tuple(sorted(path.stem for path in _SHIPPED.glob("*.toml")))


def load_machine(name: str) -> Machine:
    """Read the machine file of that path, or the shipped one of that name. Local.

    UserError for a file that cannot be read, a number that is missing, and a table or number that
    cannot be: each with its name. What a link lacks is told by `Machine.link`.
    """
    path = Path(name)
    if not path.exists() and (_SHIPPED / f"{name}.toml").exists():
        path = _SHIPPED / f"{name}.toml"
    table, where = _read(path)
    for key in table.keys() - set(_TABLES):
        expected = "a table of a machine file"
        raise unknown_key(where.inside(key).name(), key, _TABLES, expected)
    count, ranks_per_node = _nodes(table.get("nodes"), where.inside("nodes"))
    shape = read_shape(table, count, where)
    return Machine(
        name=path.stem,
        title=convert(str, table.get("title", path.stem), where.inside("title")),
        nodes=count,
        ranks_per_node=ranks_per_node,
        links=_links(table, shape, where),
        shape=shape,
        messages=read_messages(table.get("messages", {}), where.inside("messages")),
        packing=read_packing(table.get("packing", {}), where.inside("packing")),
        compute=read_models(table.get("compute", {}), where.inside("compute")),
    )


def _read(path: Path) -> tuple[dict[str, Any], Where]:
    try:
        text = path.read_text(encoding="utf-8")
        return read_toml(text), Where(path.name, text)
    except (OSError, ValueError) as problem:  # of the disk, in UTF-8 or TOML
        raise user_error(
            f"--machine {path}",
            (problem.strerror or str(problem)) if isinstance(problem, OSError) else str(problem),
            f"a machine file, or one of {', '.join(machine_names())}",
            "fix the file or its name",
        ) from None


def _links(table: Mapping[str, Any], shape: Shape, where: Where) -> dict[str, Link]:
    """The links by name; where there are groups, the network is that of the first."""
    more = {"network": (*BURST_KEYS, *SHAPE_KEYS)}
    found = {
        link: read_link(table[link], where.inside(link), more.get(link, ()))
        for link in ("network", "node")
        if link in table
    }
    if shape.groups and "network" in found:
        got = "both [network] and [[group]]"
        raise user_error(where.inside("network").name(), got, "one of them", "leave one out")
    if shape.groups and shape.joint is not None:
        found |= {"network": shape.groups[0].link, "joint": shape.joint}
    return found


def _nodes(table: Any, where: Where) -> tuple[int, int]:
    """The number of nodes, and of ranks on each."""
    if table is None:
        raise user_error(where.name(), "no table [nodes]", "count and ranks_per_node", "add it")
    counts = table
    if isinstance(table, Mapping):
        counts = {key: value for key, value in table.items() if key not in NODE_KEYS}
    given: _Nodes = convert(_Nodes, counts, where)
    for name, number in vars(given).items():
        if not 1 <= number <= _MOST_NODES:
            expected = f"1 to {_MOST_NODES}"
            raise user_error(where.inside(name).name(), str(number), expected, "change it")
    return given.count, given.ranks_per_node


@dataclass(frozen=True)
class _Nodes:
    count: int
    ranks_per_node: int
