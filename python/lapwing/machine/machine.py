"""Machine files: the measured numbers of a computer, in TOML.

    title = "..."

    [nodes]
    count = 15           # how many there are
    ranks_per_node = 4

    [network]            # between nodes
    latency = 65e-6      # s, one way
    bandwidth = 125e6    # bytes/s in each direction, shared by the ranks of a node

    [node]               # between ranks of one node
    latency = 2e-6       # s
    bandwidth = 1e9      # bytes/s
    shared = false       # true: by the messages of all ranks of the node, else each has it

    [[compute.coast]]    # calibrated seconds per cell of each stage, by the box of a rank
    box = [60, 60]       # cells along x and y, or x, y and z
    momentum_x = 2.2e-07 # s

    [partition]          # coefficients of `lapwing partition --costs`

`lapwing probe` writes such files, without costs of kernels, and adds what else it has measured, for
people to read: [memory], [calls], [mpi], and rows of [[link]] and [[overlap]]
(docs/guide/machine-files.md).

Tables may be missing: what needs one says so.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

from lapwing.base.error import user_error
from lapwing.base.settings import Where, convert, read_toml, unknown_key

Numbers = TypeVar("Numbers")

_SHIPPED = Path(__file__).parent / "machines"

# every table that a file may have
_TABLES = (
    *("title", "nodes", "network", "node", "compute", "partition"),
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
class Link:
    """How messages travel: seconds that an empty one takes, and bytes per second."""

    latency: float  # s
    bandwidth: float  # bytes/s
    shared: bool = False  # within a node: by the messages of all its ranks, else each has it


@dataclass(frozen=True)
class _Nodes:
    count: int
    ranks_per_node: int


@dataclass(frozen=True)
class ComputeCost:
    """What computing costs where a rank has a box of that size."""

    box: tuple[int, ...]  # cells along x and y, or x, y and z
    seconds: Mapping[str, float]  # per cell, by stage; interface stands for interface_x and so on


@dataclass(frozen=True)
class Machine:
    """The numbers of a machine file."""

    name: str
    title: str
    nodes: int
    ranks_per_node: int
    links: Mapping[str, Link]  # network: between nodes; node: between the ranks of one
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

    def seconds_per_cell(self, model: str, box: tuple[int, ...]) -> ComputeCost:
        """The costs of the size of box that is nearest in cells. Local.

        UserError where the file has none for the model.
        """
        if model not in self.compute:
            got = f"no table [[compute.{model}]]"
            remedy = "add them to a copy of the file, or name another machine"
            raise user_error(f"machine {self.name}", got, "seconds per cell of each stage", remedy)
        cells = math.prod(box)
        return min(
            self.compute[model],
            key=lambda cost: (
                abs(math.log(math.prod(cost.box) / cells)),
                abs(cost.box[0] - box[0]),
            ),
        )


def machine_names() -> list[str]:
    """Names of the machine files that come with lapwing. Local."""
    return sorted(path.stem for path in _SHIPPED.glob("*.toml"))


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
    nodes = _numbers(_Nodes, table.get("nodes"), where.inside("nodes"))
    return Machine(
        name=path.stem,
        title=str(table.get("title", path.stem)),
        nodes=nodes.count,
        ranks_per_node=nodes.ranks_per_node,
        links={
            link: _numbers(Link, table[link], where.inside(link))
            for link in _LINK_REMEDIES
            if link in table
        },
        compute={
            # a line would be that of the first of several tables
            model: _costs(rows, replace(where, text="", path=("compute", model)))
            for model, rows in dict(table.get("compute", {})).items()
        },
    )


def _read(path: Path) -> tuple[dict[str, Any], Where]:
    try:
        text = path.read_text(encoding="utf-8")
        return read_toml(text), Where(path.name, text)
    except (OSError, ValueError) as problem:  # of the disk, in UTF-8 or TOML
        raise user_error(
            f"--machine {path}",
            str(problem),
            f"a machine file, or one of {', '.join(machine_names())}",
            "fix the file or its name",
        ) from None


def _numbers(kind: type[Numbers], table: Any, where: Where) -> Numbers:
    """The numbers of one table, every one there and above 0."""
    found: Numbers = convert(kind, table, where)
    for name, value in vars(found).items():
        if name != "shared":
            _require_positive(value, where.inside(name))
    return found


def _require_positive(value: float, where: Where) -> None:
    if not (value > 0 and math.isfinite(value)):
        raise user_error(where.name(), repr(value), "a finite number above 0", "change it")


def _costs(rows: Any, where: Where) -> list[ComputeCost]:
    """What computing costs by the size of the box, from the tables of a model."""
    if not isinstance(rows, list) or not rows or not all(isinstance(row, dict) for row in rows):
        expected = "tables, one per size of a rank's box"
        remedy = f"write [[{'.'.join(where.path)}]] above each"
        raise user_error(where.name(), repr(rows), expected, remedy)
    return [_cost(row, where) for row in rows]


def _cost(row: dict[str, Any], where: Where) -> ComputeCost:
    box = row.get("box")
    if not isinstance(box, list) or len(box) not in (2, 3):
        expected = "cells along x and y, like [60, 60], or x, y and z"
        raise user_error(where.inside("box").name(), repr(box), expected, "change it")
    numbers = {
        name: convert(list[int] if name == "box" else float, value, where.inside(name))
        for name, value in row.items()
    }
    for name, value in numbers.items():
        for number in value if name == "box" else (value,):
            _require_positive(number, where.inside(name))
    return ComputeCost(tuple(numbers.pop("box")), numbers)
