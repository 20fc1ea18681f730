"""Plain data goes through pickle, and through mpi4py with it."""

import pickle
from typing import Any

import lapwing
import numpy as np
import pytest
from lapwing import Box, Extent, FieldSpec, Grid, Mask, UserError, block_partition, halo_plan

GRID = Grid((9, 8), periodic=True)
CUT = block_partition(GRID, ranks=2)
WAVES = [FieldSpec("u", extents=[Extent.horizontal(1)], components=2), FieldSpec("v", "int32")]
PLAN = halo_plan(CUT, 1, WAVES)
MASK = Mask([[1, 0, 1], [1, 1, 0], [0, 1, 1]])
LAND = Mask(np.add.outer(np.arange(9), np.arange(8)) % 3 != 0)
WET = PLAN.wet_only(LAND)
DATA: dict[str, Any] = {
    "box": Box((0, 1), (3, 4)),
    "extent": Extent((0, 1), (2, 0), corners=False),
    "grid": GRID,
    "partition": CUT,
    "mask": MASK,
    "subdomain": CUT.subdomains[1],
    "field": FieldSpec("u", "float32", [Extent.cross(1)], 3, 1, "xface", (2, 0, 1, 3)),
    "field with constant land": FieldSpec("u", constant_on_land=True),
    "strategy": lapwing.Strategy.deep(2, then=lapwing.Strategy.dataflow(4)),
    "plan": PLAN,
    "plan of phases": halo_plan(CUT, 0, WAVES, ordered=True),
    "plan that adds": PLAN.reversed(add=True),
    "plan of wet cells": WET,
    "phase": PLAN.phases[0],
    "message": PLAN.phases[0].sends[0],
    "piece": PLAN.phases[0].sends[0].pieces[0],
    "wet share": PLAN.wet_share(WET),
    "corners": lapwing.Corners.DIRECT,
}


@pytest.mark.parametrize("what", DATA)
def test_what_comes_back_is_the_same(what: str) -> None:
    again = pickle.loads(pickle.dumps(DATA[what]))
    assert again == DATA[what]
    if "object at 0x" not in repr(DATA[what]):
        assert repr(again) == repr(DATA[what])
    assert type(again) is type(DATA[what])


@pytest.mark.parametrize("other", [halo_plan(CUT, 0, WAVES), PLAN.reversed(), WET, None, "plan"])
def test_plans_that_differ_are_not_equal(other: object) -> None:
    assert other != PLAN


@pytest.mark.parametrize("other", [Mask(np.ones((9, 8))), Mask(np.ones((8, 9))), None])
def test_masks_that_differ_are_not_equal(other: object) -> None:
    assert other != LAND


def test_a_mask_takes_a_bit_per_column() -> None:
    size = 400
    assert len(pickle.dumps(Mask(np.ones((size, size))))) < size * size // 8 + 200


@pytest.mark.parametrize("what", ["box", "grid", "partition", "mask", "plan", "piece", "message"])
@pytest.mark.parametrize("state", [(), 5, ("text", 1, 2), None])
def test_a_bad_state_is_refused_in_words(what: str, state: object) -> None:
    kind: Any = type(DATA[what])
    with pytest.raises(UserError, match=r"pickled .*what this version of lapwing pickles"):
        kind.__new__(kind).__setstate__(state)


@pytest.mark.parametrize(
    ("what", "state"),
    [
        ("mask", (3, 3, b"")),
        ("mask", (-1, 3, b"")),
        ("mask", (2**40, 2**40, b"")),
        ("plan", (0, [], PLAN.phases, False, False)),
        ("plan", (0, [WAVES[1], WAVES[0]], PLAN.phases, False, False)),
        ("grid", ((0, 1, 1), (False, False, False))),
        ("partition", (GRID, 1, CUT.subdomains)),
    ],
)
def test_parts_that_do_not_fit_each_other_are_refused(what: str, state: Any) -> None:
    kind: Any = type(DATA[what])
    with pytest.raises(UserError, match="expected"):
        kind.__new__(kind).__setstate__(state)
