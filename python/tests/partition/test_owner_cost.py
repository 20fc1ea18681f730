"""Parts of any shape: priced as boxes are, and cut by METIS."""

import sys

import numpy as np
import pytest
from lapwing.base.error import OutsideError, UserError
from lapwing.core.partition import (
    CostModel,
    Grid,
    Mask,
    Partition,
    Subdomain,
    block_partition,
    partition_cost,
    trimmed,
)
from lapwing.partition.methods import kway_owners, owner_cost
from numpy.typing import NDArray

MODELS = [
    CostModel(),
    CostModel(width=1, ranks_per_node=4),
    CostModel(wet=2.0, dry=0.5, off=3.0, on=0.25, latency=7.0, width=3, ranks_per_node=5),
    CostModel(width=0),
    CostModel(width=2, ranks_per_node=2, speeds=[1.0 + 0.1 * n for n in range(12)]),
]


def owners_of(partition: Partition, shape: tuple[int, int]) -> NDArray[np.int64]:
    owners = np.full(shape, -1, dtype=np.int64)
    for subdomain in partition.subdomains:
        (i, j), (m, n) = subdomain.box.lo[:2], subdomain.box.hi[:2]
        owners[i:m, j:n] = subdomain.rank
    return owners


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("trim", [False, True])
@pytest.mark.parametrize("share", [1.0, 0.6])
def test_boxes_cost_the_same_as_arrays(model: CostModel, trim: bool, share: float) -> None:
    wet = np.random.default_rng(7).random((37, 29)) < share
    mask = Mask(wet)
    partition = block_partition(Grid(wet.shape), (4, 3))
    if trim:
        partition = trimmed(partition, mask)
    shuffled = [Subdomain(5 * s.rank % 12, s.box) for s in partition.subdomains]
    partition = Partition(partition.grid, 12, shuffled)
    boxes = partition_cost(partition, mask, model)
    array = owner_cost(owners_of(partition, wet.shape), wet, 12, model)
    for name in ("wet", "dry", "halo_on", "halo_off", "messages"):
        assert [getattr(rank, name) for rank in boxes.ranks] == getattr(array, name).tolist()
    assert [rank.cost for rank in boxes.ranks] == pytest.approx(array.costs.tolist())
    assert boxes.cost == pytest.approx(array.cost)
    assert boxes.imbalance == pytest.approx(array.imbalance)


def test_a_halo_wider_than_the_grid() -> None:
    owners = np.array([[0, 1], [0, 1]])
    cost = owner_cost(owners, np.ones((2, 2), dtype=bool), 2, CostModel(width=5))
    assert cost.halo_off.tolist() == [2, 2]


def test_land_has_no_part_and_every_part_some_water() -> None:
    wet = np.ones((40, 30), dtype=bool)
    wet[10:25, 5:20] = False
    owners = kway_owners(wet, 8, CostModel())
    assert np.array_equal(owners >= 0, wet)
    cost = owner_cost(owners, wet, 8, CostModel())
    assert cost.wet.sum() == wet.sum()
    assert cost.dry.sum() == 0
    assert cost.imbalance < 1.1
    assert cost.halo_off.sum() < 2 * wet.sum()


def test_one_part() -> None:
    wet = np.ones((5, 4), dtype=bool)
    assert np.all(kway_owners(wet, 1, CostModel()) == 0)


def test_shares_follow_the_speeds() -> None:
    wet = np.ones((60, 40), dtype=bool)
    model = CostModel(speeds=[1.0, 3.0])
    cost = owner_cost(kway_owners(wet, 2, model), wet, 2, model)
    assert cost.wet[1] == pytest.approx(3 * cost.wet[0], rel=0.1)
    assert cost.imbalance < 1.1


def test_speeds_of_another_number() -> None:
    with pytest.raises(UserError, match=r"speeds: got 2 numbers; expected 3, one per rank"):
        owner_cost(np.zeros((2, 2), dtype=np.int64), np.ones((2, 2), dtype=bool), 3,
                   CostModel(speeds=[1.0, 2.0]))  # fmt: skip


def test_without_pymetis(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pymetis", None)
    with pytest.raises(OutsideError, match=r"package pymetis: got .*pip install pymetis"):
        kway_owners(np.ones((5, 4), dtype=bool), 2, CostModel())
