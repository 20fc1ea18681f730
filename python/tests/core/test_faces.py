"""Halos between the faces of a grid against a walker that crosses one side at a time."""

import functools
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from lapwing import (
    Domain,
    Extent,
    Faces,
    FieldSpec,
    Grid,
    Mask,
    Partition,
    Subdomain,
    UserError,
    best_blocks,
    block_partition,
    cubed_sphere,
    halo_plan,
)

RunOnRanks = Callable[..., Any]  # the fixture in conftest.py

TESTS = Path(__file__).parents[1]
PROGRAM, SUPPORT = TESTS / "mpi_programs/images/faces.py", TESTS / "support"

# the cubed sphere of MITgcm as xgcm is told of it
XGCM = {
    "face": {
        0: {"X": ((4, "Y", False), (1, "X", False)), "Y": ((5, "Y", False), (2, "X", False))},
        1: {"X": ((0, "X", False), (3, "Y", False)), "Y": ((5, "X", False), (2, "Y", False))},
        2: {"X": ((0, "Y", False), (3, "X", False)), "Y": ((1, "Y", False), (4, "X", False))},
        3: {"X": ((2, "X", False), (5, "Y", False)), "Y": ((1, "X", False), (4, "Y", False))},
        4: {"X": ((2, "Y", False), (5, "X", False)), "Y": ((3, "Y", False), (0, "X", False))},
        5: {"X": ((4, "X", False), (1, "Y", False)), "Y": ((3, "X", False), (0, "Y", False))},
    }
}


def sphere(n: int) -> Grid:
    return Grid((6 * n, n), faces=cubed_sphere())


def test_a_cubed_sphere_has_twelve_edges_with_one_owner() -> None:
    connections = cubed_sphere().connections
    assert len(connections) == 12
    assert {(face, side) for face, side, *_ in connections} | {
        (face, side) for *_, face, side, _ in connections
    } == {(face, side) for face in range(6) for side in ("west", "east", "south", "north")}
    for _, side, _, other_side, _ in connections:
        assert (side in ("east", "north")) != (other_side in ("east", "north"))


def test_what_xgcm_is_told_can_be_read() -> None:
    assert Faces.from_xgcm(XGCM) == cubed_sphere()


@pytest.mark.parametrize(
    ("links", "words"),
    [
        ({"face": {0: {"X": (None, (1, "X", False))}, 1: {}}}, "does not lead back"),
        ({"face": {1: {"X": (None, (1, "X", False))}}}, "expected numbers from 0"),
        ({"face": {0: {"Z": (None, (0, "Z", False))}}}, "name its axes of x and y"),
        ({"face": {0: {"X": (None, 3)}}}, "pass what xgcm.Grid takes"),
        ({"face": {0: {}}}, "no links"),
        ({}, "pass what xgcm.Grid takes"),
    ],
)
def test_other_dictionaries_are_refused(links: Any, words: str) -> None:
    with pytest.raises(UserError, match=words):
        Faces.from_xgcm(links)


def test_a_side_is_connected_once() -> None:
    faces = Faces(2)
    faces.connect(0, "east", 1, "west")
    with pytest.raises(
        UserError, match="east of face 0 to connect: got one that meets west of face 1 already"
    ):
        faces.connect(0, "east", 1, "north")
    with pytest.raises(UserError, match="got the same side"):
        faces.connect(1, "north", 1, "north")
    with pytest.raises(UserError, match="face to connect: got 2; expected 0 to 1"):
        faces.connect(0, "north", 2, "west")
    with pytest.raises(UserError, match="side of a face: got top; expected west, east, south"):
        faces.connect(0, "top", 1, "north")


@pytest.mark.parametrize(
    ("size", "options", "words"),
    [
        ((43, 7), {}, "43 cells along x; expected a multiple of 6: equal faces"),
        ((42, 8), {}, "faces of 7 x 8 cells; expected squares"),
        ((42, 7), {"periodic": (True, False)}, "expected no periodic x or y and no north fold"),
    ],
)
def test_grids_that_have_no_such_faces(size: Any, options: Any, words: str) -> None:
    with pytest.raises(UserError, match=words):
        Grid(size, faces=cubed_sphere(), **options)


def test_fields_that_cannot_live_on_faces() -> None:
    partition = block_partition(sphere(4), ranks=2)
    wide = FieldSpec("t", extents=[Extent((4, 0), (0, 0))])
    with pytest.raises(UserError, match="widths of 0 to 3 cells, the face along x"):
        halo_plan(partition, 0, [wide])
    with pytest.raises(UserError, match="field u: got no pair, at xface points"):
        halo_plan(partition, 0, [FieldSpec("u", location="xface")])
    u = FieldSpec("u", location="xface", pair=("u", "v"))
    with pytest.raises(UserError, match=r"without v; .*exchange both together"):
        halo_plan(partition, 0, [u])
    with pytest.raises(UserError, match=r"pair of field u.*describe both alike"):
        halo_plan(partition, 0, [u, FieldSpec("v", location="xface", pair=("u", "v"))])
    with pytest.raises(UserError, match="pair of field w: got u, v; expected two names, its own"):
        halo_plan(partition, 0, [FieldSpec("w", pair=("u", "v"))])
    both_upper = Faces(2)
    both_upper.connect(0, "east", 1, "east", True)
    halves = block_partition(Grid((8, 4), faces=both_upper), ranks=2)
    halo_plan(halves, 0, [FieldSpec("t")])
    with pytest.raises(UserError, match="connects east of face 0 with east of face 1"):
        halo_plan(halves, 0, [FieldSpec("psi", location="corner")])


def test_ranks_get_equal_parts_of_faces() -> None:
    for ranks in range(1, 13):
        partition = block_partition(sphere(12), ranks=ranks)
        cells = np.zeros(ranks)
        for one in partition.subdomains:
            assert one.box.lo[0] // 12 == (one.box.hi[0] - 1) // 12
            cells[one.rank] += one.box.volume
        if 144 * 6 % ranks == 0 and ranks <= 6:
            assert cells.min() == cells.max(), (ranks, cells)
    with pytest.raises(UserError, match="a multiple of the faces"):
        best_blocks(sphere(12), 4)
    with pytest.raises(UserError, match="cells of one face, of 12 columns each"):
        Partition(sphere(12), 1, [Subdomain(0, sphere(12).box)])


def test_plans_grids_and_fields_are_pickled() -> None:
    grid = sphere(4)
    assert pickle.loads(pickle.dumps(grid)) == grid
    assert pickle.loads(pickle.dumps(grid)).faces == cubed_sphere()
    pair = [
        FieldSpec(name, location=at, vector=True, pair=("u", "v"))
        for name, at in (("u", "xface"), ("v", "yface"))
    ]
    plan = halo_plan(block_partition(grid, ranks=2), 0, pair)
    assert pickle.loads(pickle.dumps(plan)) == plan
    assert pickle.loads(pickle.dumps(pair)) == pair
    assert halo_plan(block_partition(grid, ranks=2), 0, [FieldSpec("t")]) is not None
    with pytest.raises(UserError, match="centers: a plan does not know the cells beyond a face"):
        plan.wet_only(Mask(np.ones((24, 4))))


def test_a_domain_says_faces_with_sizes_only() -> None:
    with pytest.raises(UserError, match="expected it with sizes only"):
        Domain(sphere(4), faces=cubed_sphere())


@pytest.fixture(scope="module")
def bits_on(run_on_ranks: RunOnRanks) -> Callable[[int], set[str]]:
    """The digest that the program prints on a number of ranks."""

    @functools.cache
    def bits(ranks: int) -> set[str]:
        output = run_on_ranks(ranks, PROGRAM.read_text(), str(SUPPORT), timeout=110).stdout
        lines = [line for line in output.splitlines() if line.startswith("bits ")]
        assert len(lines) == 1, output
        return set(lines)

    return bits


@pytest.mark.parametrize(
    "ranks", [1, 2, *(pytest.param(n, marks=pytest.mark.slow) for n in (3, 4)), 6]
)
def test_transports_and_strategies_give_the_bits_of_one_rank(
    bits_on: Callable[[int], set[str]], ranks: int
) -> None:
    assert bits_on(ranks) == bits_on(1)
