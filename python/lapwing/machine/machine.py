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
people to read: [memory], [calls], [mpi], and rows of [[link]] and [[overlap]] (docs/probe.md).

Tables may be missing: what needs one says so.
"""

from __future__ import annotations

import math
import tomllib
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lapwing.base.error import user_error
from lapwing.base.names import remedy_for

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

# the numbers of each table, and whether they are counts
_NUMBERS: dict[str, dict[str, type[int] | type[float]]] = {
    "nodes": {"count": int, "ranks_per_node": int},
    "network": {"latency": float, "bandwidth": float},
    "node": {"latency": float, "bandwidth": float},
}


@dataclass(frozen=True)
class Link:
    """How messages travel: seconds that an empty one takes, and bytes per second."""

    latency: float  # s
    bandwidth: float  # bytes/s
    shared: bool = False  # within a node: by the messages of all its ranks, else each has it


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
            raise user_error(
                f"machine {self.name}",
                f"no table [[compute.{model}]]",
                "seconds per cell of each stage",
                "add them to a copy of the file, or name another machine",
            )
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
    table = _read(path)
    _refuse_unknown(table, _TABLES, f"table [{{}}] of {path}")
    nodes = _numbers(path, table, "nodes")
    return Machine(
        name=path.stem,
        title=str(table.get("title", path.stem)),
        nodes=int(nodes["count"]),
        ranks_per_node=int(nodes["ranks_per_node"]),
        links={name: _link(path, table, name) for name in _LINK_REMEDIES if name in table},
        compute={
            model: _costs(path, f"compute.{model}", rows)
            for model, rows in _table(path, table, "compute", {}).items()
        },
    )


def _read(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as problem:
        raise user_error(
            f"--machine {path}",
            str(problem),
            f"a machine file, or one of {', '.join(machine_names())}",
            "mend the file or its name",
        ) from None


def _refuse_unknown(found: Iterable[str], known: Collection[str], place: str) -> None:
    """What is misspelt would count as missing; `place`: where a name stands, with {} for it."""
    for name in found:
        if name not in known:
            expected = f"one of {', '.join(known)}"
            raise user_error(
                place.format(name), "an unknown name", expected, remedy_for(name, [*known])
            )


def _table(path: Path, table: dict[str, Any], name: str, default: Any = None) -> dict[str, Any]:
    found = table.get(name, default)
    if not isinstance(found, dict):
        raise user_error(
            f"table [{name}] of {path}",
            _shown(found),
            "a table",
            "see a shipped machine file for its shape",
        )
    return found


def _shown(value: Any) -> str:
    return "nothing" if value is None else repr(value)


def _link(path: Path, table: dict[str, Any], name: str) -> Link:
    """A link, and for the inside of a node whether its ranks share it."""
    found = dict(_table(path, table, name))
    shared = found.pop("shared", False) if name == "node" else False
    if not isinstance(shared, bool):
        raise user_error(f"{name}.shared in {path}", repr(shared), "true or false", "change it")
    return Link(**_numbers(path, {name: found}, name), shared=shared)


def _numbers(path: Path, table: dict[str, Any], name: str) -> dict[str, float]:
    """The numbers of one table, every one there and above 0."""
    found, wanted = _table(path, table, name), _NUMBERS[name]
    _refuse_unknown(found, wanted, f"{name}.{{}} in {path}")
    for key, kind in wanted.items():
        _require_positive(f"{name}.{key} in {path}", found.get(key), kind)
    return {key: kind(found[key]) for key, kind in wanted.items()}


def _require_positive(what: str, value: Any, kind: type) -> None:
    valid = isinstance(value, int) or (kind is float and isinstance(value, float))
    if not valid or isinstance(value, bool) or not (value > 0 and math.isfinite(value)):
        expected = "a whole number above 0" if kind is int else "a finite number above 0"
        raise user_error(what, _shown(value), expected, "change it")


def _costs(path: Path, where: str, rows: Any) -> list[ComputeCost]:
    """What computing costs by the size of the box, from the tables of a model."""
    if not isinstance(rows, list) or not rows or not all(isinstance(row, dict) for row in rows):
        expected = "tables, one per size of a rank's box"
        raise user_error(
            f"{where} in {path}", repr(rows), expected, f"write [[{where}]] above each"
        )
    return [_cost(path, where, dict(row)) for row in rows]


def _cost(path: Path, where: str, seconds: dict[str, Any]) -> ComputeCost:
    box = seconds.pop("box", None)
    if not isinstance(box, list) or len(box) not in (2, 3):
        expected = "cells along x and y, like [60, 60], or x, y and z"
        raise user_error(f"{where}.box in {path}", _shown(box), expected, "change it")
    for cells in box:
        _require_positive(f"{where}.box in {path}", cells, int)
    for name, value in seconds.items():
        _require_positive(f"{where}.{name} in {path}", value, float)
    return ComputeCost(tuple(box), seconds)
