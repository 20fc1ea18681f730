"""Cuts of a sea for ranks that run: every wet cell belongs to one box."""

from collections.abc import Callable

import numpy as np
import pytest
from lapwing.core.partition import CostModel
from lapwing.partition.methods import Sea
from lapwing_lab.bench.partition import cuts
from lapwing_lab.bench.partition.cuts import (
    OBJECTIVES,
    TOLERANCES,
    Cut,
    graph_of,
    kway,
    metis_blocks,
    metis_parts,
    rectangles,
    sea_of,
    searched,
    without_land,
)
from numpy.typing import NDArray

RANKS = 6


@pytest.fixture(scope="module")
def sea() -> Sea:
    """With a cape, a lake in it and an island."""
    wet = np.ones((60, 44), dtype=np.bool_)
    wet[:25, 30:], wet[40:46, 10:14] = False, False
    wet[5:8, 36:40] = True
    return sea_of(wet, CostModel(ranks_per_node=2))


def owners_of(cut: Cut) -> NDArray[np.int64]:
    """The rank of every cell, -1 where there is none; boxes must not overlap."""
    owners = np.full(cut.partition.grid.size[:2], -1, dtype=np.int64)
    for one in cut.partition.subdomains:
        cells = owners[one.box.lo[0] : one.box.hi[0], one.box.lo[1] : one.box.hi[1]]
        assert np.all(cells == -1)
        cells[...] = one.rank
    return owners


def test_rectangles_cover_what_is_owned_once() -> None:
    table = np.random.default_rng(3).integers(-1, 3, (9, 7))
    found = np.full(table.shape, -1, dtype=np.int64)
    for owner, i, k, j, m in rectangles(table):
        assert np.all(found[i:k, j:m] == -1)
        found[i:k, j:m] = owner
    assert np.array_equal(found, table)
    assert list(rectangles(np.zeros((4, 5), dtype=np.int64))) == [(0, 0, 4, 0, 5)]


@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("share_out", [metis_blocks, metis_parts])
def test_metis_gives_every_wet_cell_to_a_rank(
    share_out: Callable[..., Cut], objective: str, sea: Sea
) -> None:
    cut = share_out(sea, RANKS, objective, seed=1)
    owners = owners_of(cut)
    assert np.all(owners[sea.wet] >= 0)
    assert set(owners[owners >= 0]) == set(range(RANKS))
    assert 1 <= cut.price(sea, RANKS, sea.model).imbalance < 1.3
    if cut.owners is not None:  # parts of cells have no land, and the numbers of their boxes
        assert np.array_equal(owners, cut.owners)


def test_metis_shares_out_blocks_with_the_tolerance_that_costs_least(
    sea: Sea, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One of more than a block of sixteen among them."""
    assert max(TOLERANCES) > 2 * 1000 / 16
    costs = []
    for tolerance in TOLERANCES:
        monkeypatch.setattr(cuts, "TOLERANCES", (tolerance,))
        alone = metis_blocks(sea, RANKS, "cut", seed=1)
        costs.append(alone.price(sea, RANKS, sea.model).cost)
    monkeypatch.undo()
    best = metis_blocks(sea, RANKS, "cut", seed=1).price(sea, RANKS, sea.model).cost
    assert best == min(costs)
    assert len(set(costs)) > 1


def test_seeds_give_other_parts(sea: Sea) -> None:
    cells = graph_of(sea.wet, sea.wet.shape)
    several = {kway(cells, RANKS, "cut", n).tobytes() for n in range(4)}
    assert len(several) > 1


def test_methods_that_search_are_all_there(sea: Sea) -> None:
    found = {cut.method: cut for cut in searched(sea, RANKS)}
    assert list(found) == [
        "all blocks", "wet blocks", "assigned", "ksection", "ksection, nodes first",
        "ksection of computed cells"
    ]  # fmt: skip
    cost = {name: cut.price(sea, RANKS, sea.model).cost for name, cut in found.items()}
    assert cost["ksection"] <= min(cost["all blocks"], cost["wet blocks"])


def test_tiles_leave_land_out_and_every_wet_cell_with_its_rank(sea: Sea) -> None:
    for cut in searched(sea, RANKS):
        before, after = owners_of(cut), owners_of(without_land(cut, sea))
        assert np.array_equal(before[sea.wet], after[sea.wet])
        assert np.all(after[~sea.wet & (before == -1)] == -1)
        assert (after >= 0).sum() <= (before >= 0).sum()
