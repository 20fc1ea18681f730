"""All deliveries of a run, made by model and servers together, and which server gets which."""

from __future__ import annotations

from collections.abc import Mapping

from lapwing.core.domain import Domain
from lapwing.core.partition import Box, Partition, Subdomain
from lapwing.io.result_files import OUTPUT, POINTS, RESTART
from lapwing.run.request import Setup
from lapwing.run.servers.crew import Crew, shared_out
from lapwing.run.servers.delivery import Delivery, Source, partition_of_points
from lapwing.run.servers.orders import Manifest

# The file that each is for, in the order in which they are made and sent.
FIXED, MAPS, COLUMNS, STATE = "fixed", "maps", "columns", "state"
FILES = {FIXED: OUTPUT, MAPS: OUTPUT, COLUMNS: POINTS, STATE: RESTART}


def server_of(delivery: str, crew: Crew, setup: Setup) -> int:
    """The rank in the world that gets a delivery. Local."""
    shares = shared_out(len(crew.servers), bool(setup.points))
    return crew.servers[shares[FILES[delivery]]]


def make_deliveries(
    crew: Crew, setup: Setup, manifest: Manifest, sources: Mapping[str, Source]
) -> tuple[Domain, dict[str, Delivery]]:
    """Make a domain of all ranks, on which servers own nothing, and the deliveries on it.

    Collective over the world. `sources`: the model's values, on its ranks. OutsideError on all
    ranks when one has not the memory.
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
        made[name] = Delivery(domain, partition, items, server, sources.get(name))
    return domain, made
