"""Layout files of other models: their cuts, what they drop, and that they read back."""

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from lapwing.base.error import UserError
from lapwing.io.mask_file import read_mask
from lapwing.partition.layouts import (
    KINDS,
    Layout,
    block_edges,
    check_layout,
    plan_layout,
    read_layout,
    write_layout,
)
from lapwing_coast import model
from layout_readers import MAP, map_of


def sizes(kind: str, cells: int, blocks: int, halo: int = 0) -> list[int]:
    return [int(n) for n in np.diff(block_edges(kind, cells, blocks, halo))]


@pytest.mark.parametrize(
    ("cells", "blocks", "expected"),
    [
        (18, 4, [5, 4, 4, 5]),  # the example in FMS: 5445 or 4554, but not 4455
        (12, 4, [3, 3, 3, 3]),
        (10, 3, [4, 2, 4]),  # ceil(10/3) at both ends, the rest between
        (11, 3, [4, 3, 4]),
        (9, 4, [3, 2, 2, 2]),  # odd cells, even blocks: no mirror
        (10, 7, [2, 2, 2, 1, 1, 1, 1]),  # 7 is not below 10/2: no mirror
        (10, 5, [2, 2, 2, 2, 2]),
        (12, 5, [3, 2, 2, 2, 3]),
        (5, 5, [1, 1, 1, 1, 1]),
        (7, 1, [7]),
    ],
)
def test_cuts_of_fms(cells: int, blocks: int, expected: list[int]) -> None:
    assert sizes("mom6", cells, blocks) == expected


@given(st.integers(1, 400), st.data())
def test_cuts_of_fms_span_the_axis(cells: int, data: st.DataObject) -> None:
    blocks = data.draw(st.integers(1, cells))
    found = sizes("mom6", cells, blocks)
    assert sum(found) == cells
    assert len(found) == blocks
    assert min(found) >= 1
    if blocks % 2 == cells % 2 or (blocks % 2 and blocks < cells // 2):
        assert found == found[::-1]


@pytest.mark.parametrize(
    ("cells", "blocks", "expected"),
    [(10, 3, [4, 3, 3]), (12, 4, [3, 3, 3, 3]), (11, 4, [3, 3, 3, 2]), (10, 5, [2] * 5)],
)
def test_cuts_of_nemo(cells: int, blocks: int, expected: list[int]) -> None:
    assert sizes("nemo", cells, blocks) == expected


def test_cuts_of_mitgcm() -> None:
    assert sizes("mitgcm", 90, 5) == [18] * 5


@pytest.mark.parametrize(
    ("kind", "cells", "blocks", "expected"),
    [
        ("getm", 10, 4, [3, 3, 3, 1]),
        ("cice", 10, 4, [3, 3, 3, 1]),
        ("hycom", 25, 3, [9, 8, 8]),
        ("roms", 13, 4, [3, 3, 3, 2]),  # 11 interior points, chunks of 3: half of 1 is 0
        ("croco", 12, 4, [2, 3, 3, 2]),  # 10 interior points, 1 missing at either end
        ("nemo-4.0", 12, 3, [4, 3, 3]),  # 10 inner cells
    ],
)
def test_cuts_of_others(kind: str, cells: int, blocks: int, expected: list[int]) -> None:
    assert sizes(kind, cells, blocks, 1) == expected


@pytest.mark.parametrize("kind", ["roms", "croco", "nemo-4.0", "nemo-3.6"])
def test_blocks_have_no_cell_at_the_edge(kind: str) -> None:
    edges = block_edges(kind, 22, 4, 2)
    assert (edges[0], edges[-1]) == (1, 21)


@pytest.mark.parametrize(
    ("kind", "cells", "blocks", "halo", "words"),
    [
        ("mitgcm", 1980, 7, 2, r"7 for 1980 cells; .* one size; take 6 or 9, or add land"),
        ("mitgcm", 60, 20, 4, r"20 for 60 cells, 3 .*; expected at least 4.* OLx, OLy of.* 15$"),
        ("mitgcm", 62, 31, 3, r"2 in the smallest; expected at least 3, .*; take 2$"),
        ("mitgcm", 6, 2, 7, r"3 in the smallest; .*; no number works: take another grid or halo"),
        ("nemo", 40, 25, 1, r"1 in the smallest; expected at least 2, .* nn_hls of.*; take 20$"),
        ("hycom", 60, 20, 2, r"at least 6, the width nbdy of the halo; take 10$"),
        ("getm", 60, 28, 2, r"28 for 60 cells; .*; take 20 or 30$"),
        ("getm", 60, 60, 2, r"1 in the smallest; expected at least 2, the width of.*; take 30$"),
        ("roms", 60, 31, 2, r"31 for 58 cells; .*; take 29$"),
        ("croco", 62, 30, 3, r"30 for 60 cells, 2 .*; expected at least 3, the width Npts of.* 20"),
        ("cice", 60, 40, 2, r"40 for 60 cells; .*; take 30 or 60$"),
    ],
)
def test_wrong_numbers_name_the_nearest_that_work(
    kind: str, cells: int, blocks: int, halo: int, words: str
) -> None:
    with pytest.raises(UserError, match=words) as error:
        block_edges(kind, cells, blocks, halo, "x")
    for number in re.findall(r"\d+", str(error.value).partition("; take ")[2]):
        block_edges(kind, cells, int(number), halo)


def test_dropped_by_hand() -> None:
    """Blocks of 2 x 2 cells; the first is in the south-west."""
    wet = map_of(MAP)
    assert wet.shape == (8, 6)
    # In the north-west 3 blocks have land only: (0, 2), (1, 2); in the south (0, 0). A rim of one
    # cell reaches wet cells from all but (0, 2).
    assert set(plan_layout("mom6", wet, (4, 3), halo=0).dropped) == {(0, 0), (0, 2), (1, 2)}
    for kind in ("mom6", "mitgcm", "nemo", "getm"):
        layout = plan_layout(kind, wet, (4, 3), halo=1)
        assert layout.dropped == ((0, 2),)
        assert layout.ranks == 11
    assert plan_layout("mom6", wet, (4, 3), halo=2).dropped == ()
    assert set(plan_layout("cice", wet, (4, 3)).dropped) == {(0, 0), (0, 2), (1, 2)}


def test_hycom_keeps_a_tile_in_each_row() -> None:
    """HYCOM stops at an empty row: here the upper of three has land only, 6 cells from water."""
    wet = np.zeros((24, 40), dtype=bool)
    wet[2:20, :5] = True
    layout = plan_layout("hycom", wet, (4, 3))
    assert layout.dropped == ((1, 1), (2, 1), (3, 1), (1, 2), (2, 2), (3, 2))
    assert layout.halo == 6


def test_hycom_looks_beyond_the_corners() -> None:
    """Six cells to the north and south of a tile count, one to the east and west."""
    wet = np.zeros((40, 40), dtype=bool)
    wet[0, 0] = True
    beyond = np.zeros((4, 4), dtype=bool)
    for cell in ((9, 34), (20, 26)):  # (x, y): west of the third column, south of the last row
        sea = wet.copy()
        sea[cell] = True
        for block in set(np.ndindex(4, 4)) - set(plan_layout("hycom", sea, (4, 4)).dropped):
            beyond[block] = True
    assert beyond[2, 3]
    assert beyond[1, 3]
    assert not beyond[3].any()


def test_a_mask_that_hycom_takes_for_periodic_is_refused() -> None:
    wet = np.zeros((24, 24), dtype=bool)
    wet[3:, 5] = True
    with pytest.raises(UserError, match=r"1 wet cells in the last column; expected land there"):
        plan_layout("hycom", wet, (2, 2))
    with pytest.raises(UserError, match=r"1 wet cells in the last row; expected land there"):
        plan_layout("hycom", wet.T, (2, 2))


@pytest.mark.parametrize("kind", KINDS)
def test_masked_and_nan_cells_are_dry(kind: str) -> None:
    """netCDF4 hands over masked arrays, xarray NaN; what is under a mask is any number."""
    wet = np.zeros((24, 24), dtype=bool)
    wet[1:6, 1:20] = True
    expected = plan_layout(kind, wet, (3, 2))
    if kind != "roms":
        assert expected.dropped
    hidden = np.ma.array(np.where(wet, 1, 9.97e36), mask=~wet)
    same = np.ma.array(np.ones(wet.shape, "i1"), mask=~wet)
    for array in (hidden, same, np.where(wet, 1.0, np.nan), wet.astype("u1"), wet.tolist()):
        assert plan_layout(kind, array, (3, 2)) == expected
    with pytest.raises(UserError, match="no wet cell"):
        plan_layout(kind, np.ma.array(wet, mask=True), (3, 2))


@pytest.mark.parametrize(
    ("kind", "halo", "width"),
    [
        *(("nemo", 1, 2), ("nemo", 3, 3), ("nemo-4.0", 2, 1), ("nemo-3.6", 2, 1)),
        *(("hycom", 2, 6), ("hycom", 7, 7), ("roms", 1, 2), ("croco", 0, 2), ("croco", 3, 3)),
        *(("cice", 2, 1), ("getm", 2, 2), ("mom6", 4, 4), ("mitgcm", 4, 4)),
    ],
)
def test_halos_that_models_have(kind: str, halo: int, width: int) -> None:
    wet = np.zeros((40, 40), dtype=bool)
    wet[5:30, 5:30] = True
    assert plan_layout(kind, wet, (2, 2), halo).halo == width


@pytest.mark.parametrize("kind", KINDS)
def test_a_mask_without_land_drops_nothing(kind: str, tmp_path: Path) -> None:
    wet = np.ones((24, 18), dtype=bool)
    if kind == "hycom":  # which would take the grid for a periodic one
        wet[-1] = wet[:, -1] = False
    layout = write_layout(kind, wet, (3, 2), tmp_path / "file")
    assert (layout.dropped, layout.ranks) == ((), 6)
    assert read_layout(kind, tmp_path / "file") == layout
    check_layout(layout, wet)


@pytest.mark.parametrize(
    ("kind", "blocks"), [(kind, (13, 10 if kind == "mitgcm" else 11)) for kind in KINDS]
)
def test_a_real_coast(kind: str, blocks: tuple[int, int], tmp_path: Path) -> None:
    wet = read_mask(Path(model.cases["northsea"]).parent / "northsea_mask.nc").wet
    if kind == "hycom":
        wet[-1] = wet[:, -1] = False
    layout = write_layout(kind, wet, blocks, tmp_path / "file")
    check_layout(read_layout(kind, tmp_path / "file"), wet)
    if kind == "roms":
        assert layout.dropped == ()
        return
    assert 20 < len(layout.dropped) < 60
    wrong = Layout(kind, layout.size, blocks, layout.dropped[1:], layout.halo)
    i, j = layout.dropped[0]
    with pytest.raises(UserError, match=rf"block \({i + 1}, {j + 1}\) kept though it is dry"):
        check_layout(wrong, wet)


@pytest.mark.parametrize("kind", KINDS)
def test_a_layout_that_drops_water_is_refused(kind: str) -> None:
    wet = np.ones((24, 18), dtype=bool)
    wet[-1] = wet[:, -1] = False
    layout = Layout(kind, (24, 18), (3, 2), ((1, 0), (2, 1)), 2)
    with pytest.raises(UserError, match=r"block \(2, 1\) dropped though it is wet, and 1 others"):
        check_layout(layout, wet)
    with pytest.raises(UserError, match=r"a grid of \(24, 18\) cells; expected \(18, 24\)"):
        check_layout(layout, wet.T)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"kind": "pop"}, r"--layout: got 'pop'; expected one of mom6, mitgcm, nemo, nemo-4.0"),
        ({"blocks": (9, 1)}, r"blocks along x: got 9; expected 1 to 8"),
        ({"blocks": (0, 1)}, r"blocks: got 0; expected 1 to"),
        ({"blocks": (2,)}, r"blocks: got 1 numbers; expected 2"),
        ({"halo": -1}, r"halo: got -1"),
        ({"kind": "nemo", "blocks": (4, 1), "halo": 3}, r"2 in the smallest; expected at least 3"),
        ({"kind": "mitgcm", "blocks": (1, 4)}, r"blocks along y: got 4 for 6 cells.* take 3 or 6"),
        ({"kind": "croco", "halo": 4}, r"halo: got 4; expected at most 3"),
        ({"wet": np.zeros((8, 6))}, r"mask: got no wet cell"),
        ({"wet": np.ones(8)}, r"mask: got 1 dimensions; expected \[nx, ny\]"),
    ],
)
def test_bad_requests(change: dict[str, Any], message: str, tmp_path: Path) -> None:
    request = {"kind": "mom6", "wet": map_of(MAP), "blocks": (4, 3), "halo": 1}
    with pytest.raises(UserError, match=message):
        write_layout(path=tmp_path / "file", **{**request, **change})
    assert not (tmp_path / "file").exists()
