"""What is plain data goes through pickle, and through mpi4py with it."""

import pickle
from typing import Any

import lapwing
import pytest
from lapwing import Box, Extent, FieldSpec, Grid, block_partition

GRID = Grid((9, 8), periodic=True)
CUT = block_partition(GRID, ranks=2)
DATA: dict[str, Any] = {
    "box": Box((0, 1), (3, 4)),
    "extent": Extent((0, 1), (2, 0), corners=False),
    "grid": GRID,
    "partition": CUT,
    "subdomain": CUT.subdomains[1],
    "field": FieldSpec("u", "float32", [Extent.cross(1)], 3, 1, "xface", (2, 0, 1, 3)),
    "strategy": lapwing.Strategy.deep(2, then=lapwing.Strategy.dataflow(4)),
    "corners": lapwing.Corners.DIRECT,
}


@pytest.mark.parametrize("what", DATA)
def test_what_comes_back_is_the_same(what: str) -> None:
    again = pickle.loads(pickle.dumps(DATA[what]))
    assert again == DATA[what]
    assert repr(again) == repr(DATA[what])
    assert type(again) is type(DATA[what])
