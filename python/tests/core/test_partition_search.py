"""Searches for partitions: what the wrappers refuse, and halos that arrive on what they find."""

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from lapwing import (
    Extent,
    FieldSpec,
    Grid,
    Mask,
    Partition,
    UserError,
    block_partition,
    halo_plan,
)
from lapwing.core.partition import (
    CostModel,
    CutOrders,
    KSection,
    Search,
    accepted_imbalance,
    assigned_block_partition,
    balanced_partition,
    computed_cells,
    ksection_partition,
    partition_cost,
    wet_block_partition,
    with_node_order,
)
from numpy.typing import NDArray
from plan_executor import FieldMemory, execute
from plan_strategies import masks

Columns = NDArray[np.bool_]
PROGRAM = Path(__file__).parents[1] / "mpi_programs" / "partitions.py"


def check_valid(partition: Partition, wet: Columns) -> None:
    """Every wet cell has one owner, every rank a wet cell, and boxes end where water does."""
    owners = np.zeros(wet.shape, np.int64)
    for subdomain in partition.subdomains:
        lo, hi = subdomain.box.lo, subdomain.box.hi
        own = wet[lo[0] : hi[0], lo[1] : hi[1]]
        assert own[0].any()
        assert own[-1].any()
        assert own[:, 0].any()
        assert own[:, -1].any()
        owners[lo[0] : hi[0], lo[1] : hi[1]] += 1
    assert np.all(owners[wet] == 1)
    assert owners.max() == 1
    assert {s.rank for s in partition.subdomains} == set(range(partition.ranks))


def check_halos(partition: Partition, wet: Columns, width: int) -> None:
    """Wet cells within `width` of every box arrive."""
    grid = partition.grid
    reach = [min(width, n) for n in grid.size[:2]] + [0]
    spec = FieldSpec("f", "int64", extents=[Extent(reach, reach)])
    memory = FieldMemory(partition, spec)
    codes = np.arange(wet.size).reshape(wet.shape)
    for number, box in enumerate(memory.owned):
        cells = codes[box.lo[0] : box.hi[0], box.lo[1] : box.hi[1]]
        memory.at(number, box)[..., 0] = cells[:, :, None]
    plans = [halo_plan(partition, r, [spec]).wet_only(Mask(wet)) for r in range(partition.ranks)]
    execute(plans, [memory], [memory])
    for box, array in zip(memory.allocated, memory.arrays, strict=True):
        home, inside = [], []
        for a, n in enumerate(wet.shape):
            cells = np.arange(box.lo[a], box.hi[a])
            inside.append((cells >= 0) & (cells < n) | grid.periodic[a])
            home.append(cells % n)
        here = wet[np.ix_(*home)] & np.logical_and.outer(*inside)
        np.testing.assert_array_equal(array[here, 0, 0], codes[np.ix_(*home)][here])


@st.composite
def seas(draw: st.DrawFn) -> tuple[Grid, Columns]:
    grid = Grid(
        [draw(st.integers(1, 18)), draw(st.integers(1, 18))],
        [draw(st.booleans()), draw(st.booleans())],
    )
    return grid, draw(masks(grid))


@given(seas(), st.integers(1, 9), st.integers(1, 3), st.integers(1, 3), st.sampled_from(Search))
@settings(max_examples=100)
def test_halos_arrive_on_what_is_found(
    sea: tuple[Grid, Columns], ranks: int, width: int, per_node: int, search: Search
) -> None:
    grid, wet = sea
    assume(ranks <= wet.sum())
    mask, model = Mask(wet), CostModel(width=width, ranks_per_node=per_node)
    boxes = ksection_partition(grid, mask, ranks, model, search=search).partition
    blocks = wet_block_partition(grid, mask, ranks, model).partition
    several = assigned_block_partition(grid, mask, ranks, model).partition
    assert boxes.ranks == several.ranks == ranks
    assert blocks.ranks <= ranks
    for partition in (boxes, blocks, several):
        for ordered in (partition, with_node_order(partition, per_node)):
            check_valid(ordered, wet)
            check_halos(ordered, wet, width)


def a_bay() -> tuple[Grid, Mask]:
    wet = np.ones((24, 18), np.bool_)
    wet[10:, 6:] = False
    return Grid(wet.shape), Mask(wet)


def test_costs_and_candidates_can_be_asked_for() -> None:
    grid, mask = a_bay()
    found = ksection_partition(grid, mask, 6, search=Search.ORDERS)
    ksection = KSection(grid, mask, 6)
    assert found.candidates == ksection.count == CutOrders(6).count == 8
    costs = [
        partition_cost(ksection.partition(n), mask, CostModel()).cost for n in range(ksection.count)
    ]
    assert partition_cost(found.partition, mask, CostModel()).cost == min(costs)
    best = ksection_partition(grid, mask, 6, threads=2)
    assert best.partition == ksection_partition(grid, mask, 6).partition
    assert partition_cost(best.partition, mask, CostModel()).cost <= min(costs)
    assert accepted_imbalance(2500 * 64, 64) == pytest.approx(1.03)


def test_ways_to_cut() -> None:
    assert [CutOrders(4).at(n) for n in range(4)] == [
        [(0, 2), (0, 2)],
        [(0, 2), (1, 2)],
        [(1, 2), (0, 2)],
        [(1, 2), (1, 2)],
    ]
    assert CutOrders(97).at(0) == []
    for n in (-1, 4):
        with pytest.raises(UserError):
            CutOrders(4).at(n)
    with pytest.raises(UserError):
        CutOrders(0)


def test_a_rank_costs_what_it_computes_and_receives() -> None:
    grid = Grid((8, 4))
    mask = Mask(np.ones((8, 4)))
    halves = block_partition(grid, (2, 1))
    cost = partition_cost(halves, mask, CostModel(width=1, latency=7))
    assert cost.cost == 16 + 5 * 4 + 7
    assert (cost.halo_off, cost.halo_on, cost.messages, cost.imbalance) == (8, 0, 2, 1)
    near = partition_cost(halves, mask, CostModel(width=1, ranks_per_node=2))
    assert [(r.wet, r.dry, r.halo_on, r.cost) for r in near.ranks] == [(16, 0, 4, 20)] * 2


SEARCHES: list[Callable[..., Any]] = [
    ksection_partition,
    wet_block_partition,
    assigned_block_partition,
]


@pytest.mark.parametrize("search", SEARCHES)
def test_searches_that_make_no_sense(search: Callable[..., Any]) -> None:
    grid, mask = a_bay()
    for ranks in (0, -3, 1.5, "two", 2**31):
        with pytest.raises(UserError, match=f"ranks: got {ranks!r}"):
            search(grid, mask, ranks)
    with pytest.raises(UserError, match="mask: got 24 x 18 columns; expected 18 x 24"):
        search(Grid((18, 24)), mask, 2)
    with pytest.raises(UserError, match="speeds: got 1 number"):
        search(grid, mask, 2, CostModel(speeds=[1.0]))
    for model in (
        CostModel(width=-1),
        CostModel(ranks_per_node=0),
        CostModel(wet=-1),
        CostModel(off=float("nan")),
        CostModel(speeds=[1.0, 0.0]),
    ):
        with pytest.raises(UserError):
            search(grid, mask, 2, model)


def test_threads_and_nodes_that_make_no_sense() -> None:
    grid, mask = a_bay()
    for threads in (0, 1.5, -1, 1025):
        with pytest.raises(UserError, match=f"threads: got {threads}"):
            ksection_partition(grid, mask, 2, threads=threads)  # type: ignore[arg-type]
    for per_node in (0, 2.5, -1):
        with pytest.raises(UserError, match=f"ranks_per_node: got {per_node}"):
            with_node_order(block_partition(grid, (2, 2)), per_node)  # type: ignore[arg-type]


def test_more_ranks_than_wet_points() -> None:
    wet = np.zeros((5, 4), np.bool_)
    wet[1, 2] = wet[4, 0] = True
    grid, mask = Grid(wet.shape), Mask(wet)
    with pytest.raises(UserError, match="ranks: got 3; expected 1 to 2"):
        ksection_partition(grid, mask, 3)
    for search in (wet_block_partition, assigned_block_partition):
        partition = search(grid, mask, 3).partition
        assert partition.ranks <= 2
        check_valid(partition, wet)


@pytest.mark.parametrize("ranks", [3, 4])
def test_exchanges_on_what_is_found(
    run_on_ranks: Callable[..., "subprocess.CompletedProcess[str]"], ranks: int
) -> None:
    output = run_on_ranks(ranks, PROGRAM.read_text(), timeout=120).stdout
    assert [f"rank {r} is content" in output for r in range(ranks)] == [True] * ranks


def stretches(row: Columns) -> list[tuple[int, int]]:
    """The parts of a row that stages compute, as they put them together: first, behind the last."""
    parts: list[tuple[int, int]] = []
    for i in np.flatnonzero(row):
        if parts and i - parts[-1][1] <= 32:
            parts[-1] = parts[-1][0], int(i) + 1
        else:
            parts.append((int(i), int(i) + 1))
    return parts


def computed_by_ranks(partition: Partition, wet: Columns) -> list[int]:
    """Cells of the stretches in each box: those of a rank begin and end with water of its own."""
    cells = [0] * partition.ranks
    for one in partition.subdomains:
        (x, y), (end_x, end_y) = one.box.lo[:2], one.box.hi[:2]
        for row in wet[x:end_x, y:end_y].T:
            cells[one.rank] += sum(end - begin for begin, end in stretches(row))
    return cells


def archipelago() -> Columns:
    """A sea whose west has islands in every row: what is wet there is half of what is computed."""
    wet = np.ones((240, 120), dtype=bool)
    wet[:120] = (np.arange(120) // 12 % 2 == 0)[:, None]
    return wet


def ksection_of(grid: Grid, ranks: int, model: CostModel) -> Callable[[Mask], Partition]:
    """The search for a k-section that `balanced_partition` takes."""
    return lambda mask: ksection_partition(grid, mask, ranks, model).partition


def test_computed_cells_are_the_stretches_of_rows() -> None:
    random = np.random.default_rng(1)
    for share in (0.01, 0.05, 0.5):
        wet = random.random((301, 7)) < share
        expected = np.zeros_like(wet)
        for j, row in enumerate(wet.T):
            for begin, end in stretches(row):
                expected[begin:end, j] = True
        assert (computed_cells(wet) == expected).all()


def test_balanced_partition_balances_the_land_that_is_computed_too() -> None:
    wet = archipelago()
    grid, model = Grid(wet.shape), CostModel()
    for ranks in (6, 12):
        balanced = balanced_partition(grid, wet, ranks, model, ksection_of(grid, ranks, model))
        check_valid(balanced, wet)
        most = max(computed_by_ranks(balanced, wet))
        by_water = ksection_partition(grid, Mask(wet), ranks, model).partition
        assert most < 0.8 * max(computed_by_ranks(by_water, wet))
        assert most < 1.06 * computed_cells(wet).sum() / ranks


@given(st.data(), st.integers(4, 60), st.integers(4, 30), st.integers(1, 6))
@settings(max_examples=30, deadline=None)
def test_balanced_partition_never_costs_more_than_blocks(
    data: st.DataObject, nx: int, ny: int, ranks: int
) -> None:
    grid, model = Grid((nx, ny)), CostModel()
    wet = data.draw(masks(grid))
    assume(wet.sum() >= ranks)
    balanced = balanced_partition(grid, wet, ranks, model, ksection_of(grid, ranks, model))
    check_valid(balanced, wet)
    assert len(balanced.subdomains) == ranks
    blocks = wet_block_partition(grid, Mask(wet), ranks, model).partition
    if len(blocks.subdomains) == ranks:
        computed = Mask(computed_cells(wet))
        most = partition_cost(blocks, computed, model).cost
        assert partition_cost(balanced, computed, model).cost <= most
