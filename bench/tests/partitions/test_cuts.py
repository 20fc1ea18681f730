"""Cuts of a sea for ranks that run: METIS's of small blocks own every wet cell once."""

import numpy as np
import pytest
from lapwing.core.partition import CostModel
from lapwing_bench.partitions.cuts import (
    OBJECTIVES,
    kway,
    metis_blocks,
    metis_parts,
    rectangles,
    sea_of,
    searched,
)
from numpy.typing import NDArray

RANKS = 6


def gulf() -> NDArray[np.bool_]:
    """A sea with a cape, an island and a lake."""
    wet = np.ones((60, 44), dtype=np.bool_)
    wet[:25, 30:], wet[40:46, 10:14] = False, False
    wet[5:8, 36:40] = True
    return wet


def owners_of(boxes: list[tuple[int, int, int, int, int]], shape: tuple[int, int]) -> object:
    owners = np.full(shape, -1, dtype=np.int64)
    for rank, i, k, j, m in boxes:
        assert np.all(owners[i:k, j:m] == -1)
        owners[i:k, j:m] = rank
    return owners.tolist()


def test_rectangles_cover_what_is_owned_once() -> None:
    owners = np.random.default_rng(3).integers(-1, 3, (9, 7))
    boxes = list(rectangles(owners))
    assert owners_of(boxes, owners.shape) == owners.tolist()
    assert list(rectangles(np.zeros((4, 5), dtype=np.int64))) == [(0, 0, 4, 0, 5)]


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_blocks_by_metis_own_every_wet_cell(objective: str) -> None:
    sea = sea_of(gulf(), CostModel(ranks_per_node=2))
    cut = metis_blocks(sea, RANKS, objective, seed=1)
    assert cut.partition is not None
    assert cut.partition.ranks == RANKS
    owned = np.zeros(sea.wet.shape, dtype=np.int64)
    for one in cut.partition.subdomains:
        owned[one.box.lo[0] : one.box.hi[0], one.box.lo[1] : one.box.hi[1]] += 1
    assert np.all(owned[sea.wet] == 1)
    assert owned.max() == 1
    price = cut.price(sea, RANKS, sea.model)
    assert 1 <= price.imbalance < 1.3
    assert cut.cells >= sea.wet.sum() / RANKS


def test_parts_are_balanced_and_differ_by_seed() -> None:
    sea = sea_of(gulf(), CostModel())
    cut = metis_parts(sea, RANKS, "volume", seed=0)
    assert cut.partition is None
    assert cut.price(sea, RANKS, sea.model).imbalance < 1.05
    assert cut.boxes > RANKS
    several = {kway(sea.wet, sea.wet.shape, RANKS, "cut", n).tobytes() for n in range(4)}
    assert len(several) > 1


def test_methods_that_search_are_all_there() -> None:
    sea = sea_of(gulf(), CostModel(ranks_per_node=2))
    found = {cut.method: cut for cut in searched(sea, RANKS)}
    assert list(found) == [
        "all blocks", "wet blocks", "assigned", "ksection", "ksection, nodes first"
    ]  # fmt: skip
    cost = {name: cut.price(sea, RANKS, sea.model).cost for name, cut in found.items()}
    assert cost["ksection"] <= min(cost["all blocks"], cost["wet blocks"])
