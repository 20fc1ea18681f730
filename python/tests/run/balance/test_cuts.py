"""Partitions whose boxes cost about the same."""

from itertools import pairwise

import lapwing.run.balance.cuts as cuts_by_cost
import numpy as np
import pytest
from lapwing.base.error import UserError
from lapwing.core.partition import Box, Grid, Mask, Partition, Subdomain, block_partition
from lapwing.run.balance.cost_map import CostMap, require_box_per_rank
from lapwing.run.balance.cuts import blocks_by_cost, even_cuts, rectangles_by_cost

NX, NY = 48, 32


def quarter(start: int, heavy: float = 3.0) -> np.ndarray:
    """Seconds of columns: a quarter of the sea, from `start` along x, costs more."""
    costs = np.ones((NX, NY))
    costs[start : start + NX // 4] = heavy
    return costs


def most(partition: Partition, costs: np.ndarray) -> float:
    known = CostMap(np.ones(costs.shape, dtype=bool))
    known.costs = costs
    return float(known.of_ranks(partition).max())


def owners(partition: Partition) -> np.ndarray:
    """How many ranks own a cell."""
    found = np.zeros(partition.grid.size, dtype=int)
    for one in partition.subdomains:
        found[tuple(map(slice, one.box.lo, one.box.hi))] += 1
    return found


@pytest.mark.parametrize("parts", [1, 2, 3, 6])
@pytest.mark.parametrize("cells", [12, 29, 40])
def test_even_cuts_of_a_line_are_the_best(
    cells: int, parts: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No other cuts have a cheaper most expensive interval, where any width will do."""
    monkeypatch.setattr(cuts_by_cost, "_NARROW", 1)
    costs = np.random.default_rng(cells * parts).random(cells) ** 4
    line = np.array([costs])
    cuts = even_cuts(line, parts)
    assert (cuts[0], cuts[-1], len(cuts)) == (0, len(costs), parts + 1)
    assert min(np.diff(cuts)) >= 1
    sums = np.concatenate([[0.0], np.cumsum(costs)])
    best = [*sums]  # of the first cells in one interval
    for used in range(2, parts + 1):
        best = [
            min(
                (max(best[cut], sums[end] - sums[cut]) for cut in range(used - 1, end)), default=1e9
            )
            for end in range(len(costs) + 1)
        ]
    found = max(sums[b] - sums[a] for a, b in pairwise(cuts))
    assert found <= best[-1] * (1 + 1e-5)


@pytest.mark.parametrize("start", [0, 12, 20, 36])
def test_two_blocks_share_a_costly_quarter(start: int) -> None:
    costs = quarter(start)
    found = blocks_by_cost(block_partition(Grid((NX, NY)), (2, 1)), costs)
    assert most(found, costs) <= costs.sum() / 2 + 3 * NY, "one column of cells more than half"
    assert found.aligned


def test_blocks_keep_their_place_and_cuts_along_z() -> None:
    equal = block_partition(Grid((NX, NY, 6)), (2, 2, 2))
    found = blocks_by_cost(equal, quarter(0))
    assert (owners(found) == 1).all()
    assert found.aligned
    for one, other in zip(equal.subdomains, found.subdomains, strict=True):
        assert (one.rank, one.box.lo[2], one.box.hi[2]) == (
            other.rank,
            other.box.lo[2],
            other.box.hi[2],
        )
    assert most(found, quarter(0)) < most(equal, quarter(0))


def test_equal_costs_keep_the_blocks() -> None:
    equal = block_partition(Grid((NX, NY)), (3, 2))
    assert blocks_by_cost(equal, np.ones((NX, NY))) == equal


@pytest.mark.parametrize("ranks", [2, 3, 5, 8])
def test_rectangles_share_the_costs(ranks: int) -> None:
    wet = np.ones((NX, NY), dtype=bool)
    wet[:10, :10] = False
    costs = np.where(wet, quarter(20), 0.0)
    former = block_partition(Grid((NX, NY)), ranks=ranks)
    found = rectangles_by_cost(former, costs, Mask(wet))
    assert found is not None
    assert found.ranks == ranks
    assert owners(found).max() == 1
    assert (owners(found)[..., 0] == 1)[wet].all(), "water has an owner"
    assert most(found, costs) < 1.25 * costs.sum() / ranks


def test_no_rectangles_where_a_rank_would_get_no_water() -> None:
    wet = np.zeros((4, 1), dtype=bool)
    wet[0] = True
    former = block_partition(Grid((4, 1)), (2, 1))
    assert rectangles_by_cost(former, np.ones((4, 1)), Mask(wet)) is None


def test_a_map_gets_sharper_with_each_partition_and_follows_a_load() -> None:
    """The costs of ranks alone lead to cuts that share a costly quarter, wherever it is."""
    grid, known = Grid((NX, NY)), CostMap(np.ones((NX, NY), dtype=bool))
    partition = block_partition(grid, (2, 1))
    for start in (12, 30):
        costs = quarter(start)
        for _ in range(5):
            seconds = [float(costs[slice(*ends)].sum()) for ends in along_x(partition)]
            known.learn(partition, seconds)
            np.testing.assert_allclose(known.of_ranks(partition), seconds)
            partition = blocks_by_cost(partition, known.costs)
        assert most(partition, costs) < 1.05 * costs.sum() / 2


def along_x(partition: Partition) -> list[tuple[int, int]]:
    return [(one.box.lo[0], one.box.hi[0]) for one in partition.subdomains]


def test_ranks_that_share_columns_and_one_that_took_nothing() -> None:
    partition = block_partition(Grid((8, 8, 4)), (2, 1, 2))
    known = CostMap(np.ones((8, 8), dtype=bool))
    for _ in range(3):
        known.learn(partition, [0.0, 3.0, 0.0, 1.0])
        assert known.costs[4:].sum() == pytest.approx(4.0)
        assert 0.0 < known.costs[:4].sum() < 1e-6
        assert known.of_ranks(partition)[[1, 3]] == pytest.approx([2.0, 2.0])


def test_several_boxes_on_a_rank_are_refused() -> None:
    boxes = [Box((x, 0, 0), (x + 2, 4, 1)) for x in (0, 2, 4)]
    owned = [Subdomain(n % 2, box) for n, box in enumerate(boxes)]
    with pytest.raises(UserError, match=r"run\.rebalance: got a partition with 1 to 2 boxes"):
        require_box_per_rank(Partition(Grid((6, 4)), 2, owned))


def test_intervals_are_not_narrower_than_eight_cells() -> None:
    costs = np.zeros((1, 64))
    costs[0, :4] = 1.0
    assert min(np.diff(even_cuts(costs, 4))) == 8
    assert min(np.diff(even_cuts(costs[:, :12], 4))) == 3
