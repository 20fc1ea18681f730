"""Layout files by hand, files of other tools, and files that their models would not accept."""

import re
from collections.abc import Callable
from pathlib import Path

import netCDF4
import numpy as np
import pytest
from lapwing.base.error import UserError
from lapwing.partition.layouts import Layout, check_layout, read_layout, write_layout
from layout_readers import MAP, map_of


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


def test_lines_of_blank_tiles_are_short(tmp_path: Path) -> None:
    """MITgcm cuts lines off after 200 characters and says nothing."""
    path = tmp_path / "data.exch2"
    wet = np.zeros((300, 300), dtype=bool)
    wet[:5, :5] = True
    layout = write_layout("mitgcm", wet, (50, 50), path)
    assert len(layout.dropped) > 2000
    assert max(line.count(",") for line in path.read_text().splitlines()) <= 10
    assert max(map(len, path.read_text().splitlines())) <= 80
    head, _, tail = path.read_text().partition("blankList =")
    path.write_text(f"{head}blankList = {' '.join(tail.split())[:-1]}\n &\n")
    with pytest.raises(UserError, match=r"characters in line 11; expected at most 200"):
        read_layout("mitgcm", path)


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
        "! processes to start, one for each ocean subdomain: 11",
        "! NEMO 4.2 and later; the main branch makes nn_hls at least 2, and blocks are cut for it",
        "&nammpp",
        "   jpni   = 4",
        "   jpnj   = 3",
        "   nn_hls = 2",
        "/",
        "! land subdomains, which NEMO leaves out itself: ii, ij, inner cells along i and j",
        "! 1 3  1-2  5-6",
    ]


def block_of(text: str) -> list[str]:
    """The lines without comments."""
    return [line.split("!")[0].strip() for line in text.splitlines() if line[:1] not in "!#"]


def test_blocks_of_older_nemo_by_hand(tmp_path: Path) -> None:
    """4.0 and 3.6 know no nn_hls, and only 3.6 knows jpnij; a name too many stops them."""
    wet = np.pad(map_of(MAP), 1)  # with the outermost cells, which no subdomain has
    for kind, more in (("nemo-4.0", []), ("nemo-3.6", ["jpnij  = 11"])):
        write_layout(kind, wet, (4, 3), tmp_path / kind)
        text = (tmp_path / kind).read_text()
        assert block_of(text) == ["&nammpp", "jpni   = 4", "jpnj   = 3", *more, "/"]
        assert text.endswith("! 1 3  2-3  6-7\n")


def test_patch_input_by_hand(tmp_path: Path) -> None:
    wet = np.zeros((60, 13), dtype=bool)
    wet[:6, 3:12] = True
    write_layout("hycom", wet, (9, 2), tmp_path / "patch.input")
    assert (tmp_path / "patch.input").read_text() == (
        "  npes   npe   mpe   idm   jdm  ibig  jbig  nreg\n"
        "     2     9     2    60    13     7     7     0\n"
        "\n"
        "ispt(  1) =      1     0     0     0     0     0     0     0\n"
        "                 0\n"
        "iipe(  1) =      7     0     0     0     0     0     0     0\n"
        "                 0\n"
        "ispt(  2) =      1     0     0     0     0     0     0     0\n"
        "                 0\n"
        "iipe(  2) =      7     0     0     0     0     0     0     0\n"
        "                 0\n"
        "\n"
        "jspt(  1) =      1     8\n"
        "jjpe(  1) =      7     6\n"
        "\n"
        "60 x 13 cells in 9 x 2 blocks, 16 of them dropped: 2 ranks; halo 6\n"
    )


def test_par_setup_by_hand(tmp_path: Path) -> None:
    """Seven columns in tiles of two: the last sticks out; the one in the north-west is land."""
    wet = map_of(MAP)[:7]
    write_layout("getm", wet, (4, 3), tmp_path / "par_setup.dat")
    rows = block_of((tmp_path / "par_setup.dat").read_text())
    assert rows[:5] == [
        "11",
        "2 2 7 6",
        "0 0 0  -1 -1 4 5 1 -1 -1 -1",
        "1 2 0  0 4 5 6 2 -1 -1 -1",
        "2 4 0  1 5 6 7 3 -1 -1 -1",
    ]
    assert rows[-1] == "10 6 4  9 -1 -1 -1 -1 -1 7 6"


def test_numbers_of_roms_and_croco_by_hand(tmp_path: Path) -> None:
    wet = np.pad(np.kron(map_of(MAP), np.ones((2, 2))), 1)
    write_layout("roms", wet, (4, 3), tmp_path / "roms.in")
    assert block_of((tmp_path / "roms.in").read_text()) == [
        *("Lm == 16", "Mm == 12", "NtileI == 4", "NtileJ == 3")
    ]
    write_layout("croco", wet, (4, 3), tmp_path / "param.h")
    text = (tmp_path / "param.h").read_text()
    assert block_of(text) == ["parameter (NP_XI=4,  NP_ETA=3,  NNODES=11)"]
    assert "LLm0 = 16 and MMm0 = 12" in text


@pytest.mark.parametrize(
    ("kind", "text", "message"),
    [
        ("mom6", "", r"got nothing in line 1; expected 1 whole numbers"),
        ("mom6", "two\n4, 3\n", r"got 'two' in line 1"),
        ("mom6", "1\n4 x 3\n1,1\n", r"got '4 x 3' in line 2; expected 2 whole numbers"),
        ("mom6", "1\n4, 3\n          1,1\n", r"got 0 blocks; expected 1"),
        ("mom6", "1\n4, 3\n" + " " * 9 + "1" * 119 + ",1\n", r"got '.* in line 3; expected 2"),
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
        ("mitgcm", lambda t: t.replace("OLx = 2", "OLx = 3"), r"tiles of 2 x 2; expected at least"),
        ("nemo-3.6", lambda t: re.sub("(jpnij  =) .*", r"\1 5", t), r"got jpnij = 5; expected 1"),
        ("getm", lambda t: t.replace("1 2 0  0 4", "1 2 0  0 -1"), r"neighbours 0 -1 .*process 1"),
        ("getm", lambda t: t.replace("\n1 2 0", "\n1 3 0"), r"got offsets 3 0 of process 1"),
        ("getm", lambda t: t.replace("\n1 2 0", "\n0 2 0"), r"missing or twice there"),
        ("getm", lambda t: t.replace("\n11\n", "\n13\n"), r"got 13 processes; expected 1 to 12"),
        ("hycom", lambda t: t.replace("     0\n", "     2\n", 1), r"got 4 x 3 tiles and nreg = 2"),
        (
            "hycom",
            lambda t: t.replace("    29", "    30", 1),
            r"tile of 14 cells from 30 .*; .* 29",
        ),
        ("hycom", lambda t: t.replace("    11  ", "    10  "), r"got npes = 10; expected 11"),
        ("hycom", lambda t: t[: t.index("jjpe")], r"got 11 lines; expected more"),
        (
            "hycom",
            lambda t: t.replace("iipe(  2) =     ", "iipe(  2) = x14"),
            r"got 'x1414' in line 7",
        ),
        ("croco", lambda t: re.sub(r"NNODES=\d+", "NNODES=5", t), r"got NNODES=5; expected 1"),
        ("roms", lambda t: t.replace("NtileJ", "Ntilej"), r"got no NtileJ"),
    ],
)
def test_changed_files(kind: str, change: Change, message: str, tmp_path: Path) -> None:
    path = tmp_path / "file"
    wet = map_of(MAP)
    if kind in ("nemo-3.6", "croco", "roms"):
        wet = np.kron(wet, np.ones((3, 3)))
    if kind == "hycom":
        wet = np.kron(wet, np.ones((7, 7)))
        wet[-1] = wet[:, -1] = 0
    write_layout(kind, wet, (4, 3), path, 2)
    path.write_text(change(path.read_text()))
    with pytest.raises(UserError, match=message):
        read_layout(kind, path)


@pytest.mark.parametrize(
    ("text", "blocks", "dropped"),
    [
        ("2 land blocks\n4, 3 (i, j)\n1,1 south-west\n 2\t1\n", (4, 3), ((0, 0), (1, 0))),
        ("1\n4,3\n          what FMS skips\n# 1,1\n\n+2 , 1\r\n", (4, 3), ((1, 0),)),
        ("0\n", (0, 0), ()),
        ("0 none\nno layout\n1,1\n", (0, 0), ()),
        ("0\n4, 3\n1,1\n", (4, 3), ()),
    ],
)
def test_a_mask_table_as_fms_reads_it(
    text: str, blocks: tuple[int, int], dropped: tuple[tuple[int, int], ...], tmp_path: Path
) -> None:
    """Words behind the numbers are ignored, as are lines after a count of 0."""
    (tmp_path / "mask_table").write_bytes(text.encode())
    layout = read_layout("mom6", tmp_path / "mask_table")
    assert (layout.blocks, layout.dropped) == (blocks, dropped)
    if not any(blocks):
        assert layout.ranks == 0
        check_layout(layout, map_of(MAP))  # drops nothing


def test_a_patch_input_of_another_tool(tmp_path: Path) -> None:
    """As partit writes it: counts of sea behind the numbers, and nothing below the rows."""
    wet = np.zeros((30, 20), dtype=bool)
    wet[:4, :4] = True
    path = tmp_path / "patch.input"
    written = write_layout("hycom", wet, (3, 2), path)
    head, numbers, rest = path.read_text().split("\n", 2)
    rows = rest[: rest.index("\n\n30 x 20")]
    path.write_text(f"{head}  minsea\n{numbers}      16\n{rows}\n")
    assert read_layout("hycom", path) == written


def test_a_weights_file_without_numbers(tmp_path: Path) -> None:
    """Any wght file is good for CICE, but does not say how large the blocks are."""
    path = tmp_path / "wght.nc"
    write_layout("cice", map_of(MAP), (4, 3), path)
    with netCDF4.Dataset(path, "a") as file:
        file.nprocs = np.int32(7)
    with pytest.raises(UserError, match=r"got nprocs = 7; expected 9, the blocks with weights"):
        read_layout("cice", path)
    with netCDF4.Dataset(path, "a") as file:
        file.delncattr("block_size_y")
    with pytest.raises(UserError, match=r"got block_size_y = None; expected an attribute"):
        read_layout("cice", path)
    path.write_text("no NetCDF")
    with pytest.raises(UserError, match=r"expected a NetCDF file with wght\(nj, ni\)"):
        read_layout("cice", path)


def test_a_mask_table_of_another_tool(tmp_path: Path) -> None:
    """As check_mask writes it: no comment, spaces as it likes, and a halo of 1 unless told."""
    (tmp_path / "mask_table").write_text(" 1\n 4 , 3\n\n1,3\n")
    layout = read_layout("mom6", tmp_path / "mask_table")
    assert layout == Layout("mom6", None, (4, 3), ((0, 2),), 1)
    check_layout(layout, map_of(MAP))


def test_missing_file(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"layout file .*nowhere: got .*No such file"):
        read_layout("nemo", tmp_path / "nowhere")
