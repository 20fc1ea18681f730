"""Fields moved between domains that cut one grid differently, on any number of ranks."""

from typing import Any

import lapwing
import numpy as np
from lapwing import Domain, Grid, Partition, Stage, Step, UserError, around, block_partition
from lapwing.core.partition import Mask, ksection_partition
from mpi4py import MPI

world = MPI.COMM_WORLD
n = world.size
nx, ny, nz = 13, 12, 5
wet = np.ones((nx, ny), dtype=bool)
wet[:3, :4] = False
rows = block_partition(Grid((nx, ny), (True, False)), (1, n))
sections = ksection_partition(rows.grid, Mask(wet), n).partition
reversed_rows = Partition(
    rows.grid, n, [lapwing.Subdomain(n - 1 - one.rank, one.box) for one in rows.subdomains]
)
cuts = [rows, sections, reversed_rows, block_partition(rows.grid, (n, 1))]

SHAPES: list[dict[str, Any]] = [
    {"name": "flat", "halo": 1},
    {"name": "deep", "halo": 2, "levels": nz, "order": "z"},
    {"name": "counts", "halo": 0, "dtype": "int32"},
    {"name": "open", "halo": 1, "dtype": bool, "location": "xface"},
    {"name": "parts", "halo": 1, "components": 3, "order": "c"},
]


def fields_on(domain: Domain) -> list[lapwing.Field]:
    """A field of each shape."""
    return [domain.field(**shape) for shape in SHAPES]


def code_of(field: lapwing.Field, box: lapwing.Box) -> Any:
    """Values of the cells of a box that tell the cell."""
    i, j, _ = np.meshgrid(
        *(np.arange(lo, hi) for lo, hi in zip(box.lo, box.hi, strict=True)), indexing="ij"
    )
    flat = (i + 100 * j)[:, :, 0]
    if field.spec.type == "bool":
        return flat % 3 == 1
    if field.spec.levels or field.spec.components > 1:
        return flat[:, :, None] + 10000 * np.arange(field[box].shape[2])
    return flat


for before in cuts:
    for after in cuts:
        with Domain(before, world) as old, Domain(after, world) as new:
            sources, targets = fields_on(old), fields_on(new)
            for field in sources:
                for box in old.boxes:
                    field[box] = code_of(field, box)
            lapwing.move(sources, targets)
            owned = np.zeros((nx, ny), dtype=bool)
            for one in before.subdomains:
                owned[one.box.lo[0] : one.box.hi[0], one.box.lo[1] : one.box.hi[1]] = True
            for field in targets:
                for box in new.boxes:
                    there = owned[box.lo[0] : box.hi[0], box.lo[1] : box.hi[1]]
                    wanted = np.array(code_of(field, box))
                    wanted[~there] = 0
                    np.testing.assert_array_equal(field[box], wanted, field.name)

# halos are stale: a step behind the move exchanges them
with Domain(rows, world) as old, Domain(reversed_rows, world) as new:
    h, moved, total = old.field("h"), new.field("h"), new.field("total")

    def add(box: lapwing.Box, h: Any, total: Any) -> None:
        """Add the neighbours along y to a cell."""
        total[...] = h.at(y=-1) + h.at() + h.at(y=+1)

    step = Step(new, [Stage(add, reads=[(moved, around(1))], writes=[total])])
    step.run()
    h.set(lambda i, j: 1.0 + i * j)
    lapwing.move([h], [moved])
    step.run()
    for box in new.boxes:
        for j in range(max(1, box.lo[1]), min(ny - 1, box.hi[1])):
            i = np.arange(box.lo[0], box.hi[0])
            row = total[box][:, j - box.lo[1]]
            np.testing.assert_array_equal(row, 3.0 * (1.0 + i * j))

    def refused(words: str, *arguments: Any) -> None:
        """The move is refused on all ranks, with these words."""
        try:
            lapwing.move(*arguments)
        except UserError as problem:
            told = str(problem)
        else:
            told = "no error"
        assert words in told, told

    refused("sources of a move: got []", [], [moved])
    refused("targets of a move: got []", [h], [])
    refused("sources of a move: got [7]", [7], [moved])
    refused("sources of a move: got h on", [moved, h], [moved, moved])
    refused("1 sources, 2 targets", [h], [moved, total])
    refused("fields of a transpose", [h], [new.field("x", dtype="float32")])
    with Domain((nx, ny + n), world) as other:
        refused("got", [h], [other.field("h")])
    if n > 1:
        with Domain(block_partition(rows.grid, (1, 1)), MPI.COMM_SELF) as alone:
            refused("domains of a move: got domains of 1 and", [alone.field("h")], [moved])

print(f"rank {world.rank} is content")
