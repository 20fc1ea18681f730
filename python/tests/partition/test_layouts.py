"""Layout files of other models: their cuts, what they drop, and that they read back."""

from collections.abc import Callable
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

Array = np.ndarray[Any, Any]

# [y, x] with the north at the top, as on a map: 8 x 6 cells, land in the west and north-east
MAP = """\
....####
....####
...#####
########
...#####
....####
"""


def map_of(text: str) -> Array:
    """The wet cells [nx, ny] of a map whose first line is the north."""
    rows = [[character == "#" for character in line] for line in text.split()]
    return np.array(rows[::-1]).T


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
    [(10, 3, [4, 3, 3]), (12, 4, [3, 3, 3, 3]), (11, 4, [3, 3, 3, 2]), (5, 5, [1] * 5)],
)
def test_cuts_of_nemo(cells: int, blocks: int, expected: list[int]) -> None:
    assert sizes("nemo", cells, blocks) == expected


def test_cuts_of_mitgcm() -> None:
    assert sizes("mitgcm", 90, 5) == [18] * 5
    with pytest.raises(UserError, match=r"got 7 for 1980 cells; .*; take 6 or 9"):
        block_edges("mitgcm", 1980, 7)


def test_dropped_by_hand() -> None:
    """Blocks of 2 x 2 cells; the first is in the south-west."""
    wet = map_of(MAP)
    assert wet.shape == (8, 6)
    # In the north-west 3 blocks have land only: (0, 2), (1, 2); in the south (0, 0). A rim of one
    # cell reaches wet cells from all but (0, 2).
    assert set(plan_layout("mom6", wet, (4, 3), halo=0).dropped) == {(0, 0), (0, 2), (1, 2)}
    for kind in KINDS:
        layout = plan_layout(kind, wet, (4, 3), halo=1)
        assert layout.dropped == ((0, 2),)
        assert layout.ranks == 11
    assert plan_layout("mom6", wet, (4, 3), halo=2).dropped == ()


def test_mask_table_by_hand(tmp_path: Path) -> None:
    write_layout("mom6", map_of(MAP), (4, 3), tmp_path / "mask_table", halo=0)
    assert (tmp_path / "mask_table").read_text() == (
        "3\n4, 3\n# 8 x 6 cells in 4 x 3 blocks, 3 of them dropped: 9 ranks; halo 0\n"
        "1,1\n1,3\n2,3\n"
    )


def test_data_exch2_by_hand(tmp_path: Path) -> None:
    write_layout("mitgcm", map_of(MAP), (4, 3), tmp_path / "data.exch2", halo=2)
    text = (tmp_path / "data.exch2").read_text()
    namelist = "\n".join(line for line in text.splitlines() if not line.startswith("#"))
    assert " ".join(namelist.split()) == (
        "&W2_EXCH2_PARM01 W2_mapIO = 1, preDefTopol = 1, dimsFacets = 8, 6, blankList = 9, &"
    )
    for words in ("sNx = 2, sNy = 2, OLx = 2, OLy = 2", "nSx = 1, nSy = 1, nPx = 11, nPy = 1"):
        assert words in text
    assert "W2_maxNbTiles" not in text


def test_many_blank_tiles_need_a_larger_table(tmp_path: Path) -> None:
    wet = np.zeros((60, 6), dtype=bool)
    wet[-2:] = True
    layout = write_layout("mitgcm", wet, (30, 3), tmp_path / "data.exch2")
    assert layout.ranks == 6
    assert "W2_maxNbTiles = 90 or more" in (tmp_path / "data.exch2").read_text()
    assert read_layout("mitgcm", tmp_path / "data.exch2") == layout


def test_nammpp_by_hand(tmp_path: Path) -> None:
    write_layout("nemo", map_of(MAP), (4, 3), tmp_path / "nammpp", halo=2)
    assert (tmp_path / "nammpp").read_text().splitlines()[1:] == [
        "! processes to start, ocean subdomains (jpnij before 4.2): 11",
        "&nammpp",
        "   jpni   = 4",
        "   jpnj   = 3",
        "   nn_hls = 2",
        "/",
        "! land subdomains, which NEMO leaves out itself: ii, ij, inner cells along i and j",
        "! 1 3  1-2  5-6",
    ]


@st.composite
def seas(draw: st.DrawFn) -> tuple[Array, tuple[int, int], int]:
    """A mask of patches, blocks that every model can make, and a halo."""
    m, n = draw(st.integers(1, 6)), draw(st.integers(1, 6))
    size = (m * draw(st.integers(3, 7)), n * draw(st.integers(3, 7)))
    random = np.random.default_rng(draw(st.integers(0, 10**6)))
    coarse = random.random((5, 5)) < draw(st.sampled_from([0.1, 0.3, 1.0]))
    wet = np.kron(coarse, np.ones((9, 9), dtype=bool))[: size[0], : size[1]]
    wet[0, 0] = True
    return wet, (m, n), draw(st.integers(0, 3))


def dry_by_hand(kind: str, wet: Array, blocks: tuple[int, int], halo: int) -> set[tuple[int, int]]:
    """Block by block, with slices."""
    rim = halo if kind == "mom6" else 1
    x, y = (block_edges(kind, n, m, halo) for n, m in zip(wet.shape, blocks, strict=True))
    found = set()
    for i in range(blocks[0]):
        for j in range(blocks[1]):
            near = wet[max(x[i] - rim, 0) : x[i + 1] + rim, max(y[j] - rim, 0) : y[j + 1] + rim]
            if not near.any():
                found.add((i, j))
    return found


@pytest.mark.parametrize("kind", KINDS)
@given(seas())
def test_round_trip(
    kind: str, tmp_path_factory: pytest.TempPathFactory, sea: tuple[Array, tuple[int, int], int]
) -> None:
    wet, blocks, halo = sea
    path = tmp_path_factory.mktemp("layout") / "file"
    written = write_layout(kind, wet, blocks, path, halo)
    assert set(written.dropped) == dry_by_hand(kind, wet, blocks, halo)
    read = read_layout(kind, path)
    assert read == written
    check_layout(read, wet)


@pytest.mark.parametrize("kind", KINDS)
def test_a_mask_without_land_drops_nothing(kind: str, tmp_path: Path) -> None:
    wet = np.ones((12, 8), dtype=bool)
    layout = write_layout(kind, wet, (3, 2), tmp_path / "file")
    assert (layout.dropped, layout.ranks) == ((), 6)
    assert read_layout(kind, tmp_path / "file") == layout
    check_layout(layout, wet)


@pytest.mark.parametrize(
    ("kind", "blocks"), [("mom6", (13, 11)), ("mitgcm", (12, 10)), ("nemo", (13, 11))]
)
def test_a_real_coast(kind: str, blocks: tuple[int, int], tmp_path: Path) -> None:
    wet = read_mask(Path(model.cases["northsea"]).parent / "northsea_mask.nc").wet
    if kind == "mitgcm":
        blocks = (13, 10)  # 390 x 300 cells
    layout = write_layout(kind, wet, blocks, tmp_path / "file")
    assert 20 < len(layout.dropped) < 60
    check_layout(read_layout(kind, tmp_path / "file"), wet)
    wrong = Layout(kind, layout.size, blocks, layout.dropped[1:], layout.halo)
    i, j = layout.dropped[0]
    with pytest.raises(UserError, match=rf"block \({i + 1}, {j + 1}\) kept though it is dry"):
        check_layout(wrong, wet)


@pytest.mark.parametrize("kind", KINDS)
def test_a_layout_that_drops_water_is_refused(kind: str) -> None:
    wet = np.ones((12, 8), dtype=bool)
    layout = Layout(kind, (12, 8), (3, 2), ((1, 0), (2, 1)), 2)
    with pytest.raises(UserError, match=r"block \(2, 1\) dropped though it is wet, and 1 others"):
        check_layout(layout, wet)
    with pytest.raises(UserError, match=r"a grid of \(12, 8\) cells; expected \(8, 12\)"):
        check_layout(layout, wet.T)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"kind": "roms"}, r"--layout: got 'roms'; expected one of mom6, mitgcm, nemo"),
        ({"blocks": (9, 1)}, r"blocks along x: got 9; expected 1 to 8"),
        ({"blocks": (0, 1)}, r"blocks: got 0; expected 1 to"),
        ({"blocks": (2,)}, r"blocks: got 1 numbers; expected 2"),
        ({"halo": -1}, r"halo: got -1"),
        ({"kind": "nemo", "blocks": (4, 1), "halo": 3}, r"2 in the smallest; expected at least 3"),
        ({"kind": "mitgcm", "blocks": (1, 4)}, r"blocks along y: got 4 for 6 cells.* take 3 or 6"),
        ({"wet": np.zeros((8, 6))}, r"mask: got no wet cell"),
        ({"wet": np.ones(8)}, r"mask: got 1 dimensions; expected \[nx, ny\]"),
    ],
)
def test_bad_requests(change: dict[str, Any], message: str, tmp_path: Path) -> None:
    request = {"kind": "mom6", "wet": map_of(MAP), "blocks": (4, 3), "halo": 1}
    with pytest.raises(UserError, match=message):
        write_layout(path=tmp_path / "file", **{**request, **change})
    assert not (tmp_path / "file").exists()


@pytest.mark.parametrize(
    ("kind", "text", "message"),
    [
        ("mom6", "", r"got nothing in line 1; expected 1 whole numbers"),
        ("mom6", "two\n4, 3\n", r"got 'two' in line 1"),
        ("mom6", "1\n4 x 3\n1,1\n", r"got '4 x 3' in line 2; expected 2 whole numbers"),
        ("mom6", "2\n4, 3\n1,1\n", r"got 1 blocks; expected 2"),
        ("mom6", "1\n4, 3\n1;1\n", r"got '1;1' in line 3"),
        ("mom6", "1\n4, 3\n5,1\n", r"got block 5, 1; expected blocks of 4 x 3"),
        ("mom6", "2\n4, 3\n1,1\n1,1\n", r"got a block twice"),
        ("mom6", "1\n1, 1\n1,1\n", r"got all blocks dropped"),
        ("mitgcm", "&W2_EXCH2_PARM01\n&\n", r"got no dimsFacets"),
        (
            "mitgcm",
            "dimsFacets = 0, 4\nsNx = 2, sNy = 2\nOLx = 1\nnPx = 1\nblankList = 1,\n",
            r"got tiles of 2 x 2; expected a size that divides 0 x 4",
        ),
        ("nemo", "&nammpp\n jpni = 4\n/\n", r"got no jpnj"),
        ("nemo", f"jpni = {'9' * 5000}\n", r"got Exceeds the limit"),
    ],
)
def test_bad_files(kind: str, text: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "file").write_text(text)
    with pytest.raises(UserError, match=r"layout file .*file: " + message):
        read_layout(kind, tmp_path / "file")


Change = Callable[[str], str]


@pytest.mark.parametrize(
    ("kind", "change", "message"),
    [
        ("mitgcm", lambda t: t.replace("nPx = 11", "nPx = 12"), r"got nPx = 12; expected 11"),
        ("mitgcm", lambda t: t.replace("sNx = 2", "sNx = 3"), r"got tiles of 3 x 2"),
        ("mitgcm", lambda t: t.replace(" 9,", " 13,"), r"got block 1, 4; expected blocks of 4 x 3"),
        ("nemo", lambda t: t.replace("! 1 3  1-2  5-6\n", ""), r"got 11 processes; expected 12"),
    ],
)
def test_changed_files(kind: str, change: Change, message: str, tmp_path: Path) -> None:
    path = tmp_path / "file"
    write_layout(kind, map_of(MAP), (4, 3), path)
    path.write_text(change(path.read_text()))
    with pytest.raises(UserError, match=message):
        read_layout(kind, path)


def test_a_mask_table_of_another_tool(tmp_path: Path) -> None:
    """As check_mask writes it: no comment, spaces as it likes, and a halo of 1 unless told."""
    (tmp_path / "mask_table").write_text(" 1\n 4 , 3\n\n1,3\n")
    layout = read_layout("mom6", tmp_path / "mask_table")
    assert layout == Layout("mom6", None, (4, 3), ((0, 2),), 1)
    check_layout(layout, map_of(MAP))


def test_missing_file(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"layout file .*nowhere: got .*No such file"):
        read_layout("nemo", tmp_path / "nowhere")
