"""What the model and its output servers say to each other besides the values themselves."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from lapwing.io.agenda import Agenda
from lapwing.io.boundary_file import BoundaryFile
from lapwing.io.variable_description import Description
from lapwing.run.servers.delivery import Item

Boxes = list[tuple[int, tuple[int, int, int], tuple[int, int, int]]]  # rank, lo, hi


@dataclass(frozen=True)
class Manifest:
    """To a server: what the model has and where, so that files can be made and values received."""

    boxes: Boxes  # of the partition of the model
    described: Mapping[str, Description]
    items: Mapping[str, list[Item]]  # by the name of the delivery
    dt: float
    agenda: Agenda
    first: int  # the step that the run starts from
    boundary: BoundaryFile | None = None  # whose records the last server reads
    boundary_items: tuple[Item, ...] = ()


@dataclass(frozen=True)
class Comes:
    """To a server: all ranks of the model are sending what is due after a step."""

    delivery: str
    step: int


@dataclass(frozen=True)
class Fetch:
    """To the server that reads: all ranks of the model are ready to receive this record."""

    record: int


@dataclass(frozen=True)
class Finish:
    """To all servers: nothing more comes; `good`: only because the state is bad."""

    good: bool


@dataclass(frozen=True)
class End:
    """To all servers: finish what can be finished, and end with this code."""

    code: int


@dataclass(frozen=True)
class Kept:
    """From a server: the restart file of this step is complete."""

    step: int


@dataclass(frozen=True)
class Fetched:
    """From the server that reads: the record that it was asked for is on its way."""


@dataclass(frozen=True)
class Unread:
    """From the server that reads: what comes is nothing, as the record could not be read."""

    kind: str  # of the exception
    text: str


@dataclass(frozen=True)
class Finished:
    """From a server: its files are complete."""


@dataclass(frozen=True)
class Failed:
    """From a server: it could not write, and only takes what comes from now on."""

    kind: str  # of the exception
    text: str
