"""The messages and deliveries between the model and its output servers.

Rank 0 of the model orders a server to do something by the name of a method and its arguments; a
server answers with one of the objects here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from lapwing.core.domain import Domain, Field
from lapwing.core.partition import Box, Partition, Subdomain
from lapwing.io.agenda import Agenda
from lapwing.io.boundary.boundary_file import BoundaryFile
from lapwing.io.result_files import OUTPUT, POINTS, RESTART
from lapwing.io.variable_description import Description
from lapwing.run.request import Setup
from lapwing.run.servers.crew import Crew, shared_out
from lapwing.run.servers.delivery import Delivery, Item, Source, partition_of_points

# The file that each is for, in the order in which they are made and sent.
FIXED, MAPS, COLUMNS, STATE = "fixed", "maps", "columns", "state"
BOUNDARY = "boundary"  # records of boundary values, which come from the last server
FILES = {FIXED: OUTPUT, MAPS: OUTPUT, COLUMNS: POINTS, STATE: RESTART}


@dataclass(frozen=True)
class Manifest:
    """The model's fields and their place, for a server that makes files and receives values."""

    boxes: list[tuple[int, list[int], list[int]]]  # rank, lo and hi, of the model's partition
    described: Mapping[str, Description]
    items: Mapping[str, list[Item]]  # by the name of the delivery
    dt: float
    agenda: Agenda
    first: int  # the step that the run starts from
    boundary: BoundaryFile | None  # whose records the last server reads


@dataclass(frozen=True)
class Kept:
    """Sent by a server: the restart file of this step is complete."""

    step: int


@dataclass(frozen=True)
class Fetched:
    """Sent by the server that reads: the requested record is on its way."""


@dataclass(frozen=True)
class Unread:
    """Sent by the server that reads: the values are invalid, as the record could not be read."""

    kind: str  # the exception's
    text: str


@dataclass(frozen=True)
class Finished:
    """Sent by a server: its files are complete."""


@dataclass(frozen=True)
class Failed:
    """Sent by a server: it could not write, and only receives from now on."""

    kind: str  # the exception's
    text: str


def server_of(delivery: str, crew: Crew, setup: Setup) -> int:
    """The rank in the world that gets a delivery. Local."""
    shares = shared_out(len(crew.servers), bool(setup.points))
    return crew.servers[-1 if delivery == BOUNDARY else shares[FILES[delivery]]]


def make_deliveries(
    crew: Crew,
    setup: Setup,
    manifest: Manifest,
    sources: Mapping[str, Source],
    slots: Sequence[Mapping[str, Field]] = (),
) -> tuple[Domain, dict[str, Delivery]]:
    """Make a domain of all ranks, on which servers own nothing, and the deliveries on it.

    Collective over the world. `sources`: the model's values, `slots`: fields for boundary values,
    on its ranks. OutsideError on all ranks when one lacks the memory.
    """
    boxes = [Subdomain(rank, Box(lo, hi)) for rank, lo, hi in manifest.boxes]
    cells = Partition(setup.geometry.grid, crew.world.size, boxes)
    domain = Domain(cells, crew.world)
    made: dict[str, Delivery] = {}
    for name, items in manifest.items.items():
        if not items:
            continue
        partition = partition_of_points(setup.points, cells) if name == COLUMNS else cells
        server = server_of(name, crew, setup)
        into = slots if name == BOUNDARY else None
        made[name] = Delivery(domain, partition, items, server, sources.get(name), into)
    return domain, made
