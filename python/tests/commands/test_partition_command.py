"""`lapwing partition`: its table, its files, and what it says of wrong requests."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import netCDF4
import numpy as np
import pytest
from answers import assert_wrong_request
from lapwing.base.error import UserError
from lapwing.commands import partition as command
from lapwing.core.partition import CostModel, Mask
from lapwing.partition.layouts import (
    KINDS,
    LayoutPlanner,
    check_layout,
    check_ranks,
    choose_layout,
    choose_planned,
    layout_cost,
    layout_partition,
    read_layout,
    read_ranks,
    write_checked_layout,
)
from matplotlib import image
from numpy.typing import NDArray

Lapwing = Callable[..., Any]  # the fixture in conftest.py

KEYS = {"ranks", "method", "imbalance", "halo_on", "halo_off", "messages", "cost", "seconds"}
EXTRA = {"max_messages", "ranks_used", "candidates", "searched", "blocks"}


def bay(nx: int = 60, ny: int = 48) -> NDArray[np.bool_]:
    """Land in two corners and an island, [nx, ny]."""
    x, y = np.meshgrid(np.arange(nx), np.arange(ny), indexing="ij")
    land = (x + y < 0.35 * nx) | ((x - nx) ** 2 + (y - ny) ** 2 < (0.5 * ny) ** 2)
    land |= (abs(x - 0.4 * nx) < 4) & (abs(y - 0.6 * ny) < 5)
    return ~land


@pytest.fixture
def sea(tmp_path: Path) -> Path:
    np.save(tmp_path / "bay.npy", bay().T)
    return tmp_path / "bay.npy"


def entries(path: Path) -> list[dict[str, Any]]:
    told = json.loads(path.read_text())
    assert told["schema"] == "lapwing-partition-1"
    assert {"processor", "cores"} <= told["machine"].keys()
    assert {"lapwing", "mpi"} <= told["versions"].keys()
    found: list[dict[str, Any]] = told["entries"]
    return found


def test_all_methods_in_one_table(lapwing: Lapwing, sea: Path, tmp_path: Path) -> None:
    answer = lapwing("partition", sea, "-n", "6,7", "--json", "table.json")
    assert answer.code == 0, answer.err
    assert answer.err == ""
    wet = bay()
    for words in ("60 x 48 points", f"{100 * wet.mean():.1f} % wet", "max/mean", "off node"):
        assert words in answer.out
    rows = entries(tmp_path / "table.json")
    methods = ["block", "assigned", "ksection", "metis"]
    assert [(row["ranks"], row["method"]) for row in rows] == [
        (n, m) for n in (6, 7) for m in methods
    ]
    for row in rows:
        assert row.keys() == KEYS | EXTRA | {"boxes"}
        assert 1 <= row["ranks_used"] <= row["ranks"]
        assert row["imbalance"] >= 1
        assert row["cost"] >= wet.sum() / row["ranks"]
        assert row["halo_on"] == 0  # every rank is a node of its own
        assert row["halo_off"] > 0
        assert f"{row['imbalance']:.3f}" in answer.out
        assert f"{row['halo_off']:,}" in answer.out
        assert row["messages"] / row["ranks_used"] <= row["max_messages"] < row["ranks"]
        assert (row["blocks"] is not None) == (row["method"] in ("block", "assigned"))
        assert (row["candidates"] is not None) == row["method"].startswith("ksection")
    document = json.loads((tmp_path / "table.json").read_text())
    assert document["mask"] == {
        **{"file": "bay.npy", "size": [60, 48], "wet": int(wet.sum())},
        **{"waters": 1, "largest_water": int(wet.sum())},
    }
    assert "\none body of water\n" in answer.out
    assert document["costs"] == {"wet": 1, "dry": 0.05, "off": 5, "on": 1, "latency": 0}


def test_the_busiest_rank_and_the_waters_are_named(lapwing: Lapwing, tmp_path: Path) -> None:
    """A mask of two seas and a pond."""
    wet = np.ones((40, 12), dtype=np.bool_)
    wet[:, 8], wet[35:, 9:], wet[37, 10] = False, False, True
    np.save(tmp_path / "seas.npy", wet.T)
    answer = lapwing("partition", "seas.npy", "-n", 4, "--method=ksection", "--json=table.json")
    assert answer.code == 0, answer.err
    assert "3 separate waters, the largest holds 75.1 % of the wet cells" in answer.out
    assert "`lapwing mask --connected`" in answer.out
    assert "most of" in answer.out
    told = json.loads((tmp_path / "table.json").read_text())
    assert (told["mask"]["waters"], told["mask"]["largest_water"]) == (3, 320)
    (row,) = told["entries"]
    assert row["max_messages"] >= row["messages"] / 4


def test_the_same_table_every_time(lapwing: Lapwing, sea: Path, tmp_path: Path) -> None:
    for name, threads in (("a.json", 1), ("b.json", 2)):
        options = ("-n", "12", "--ranks-per-node", 4, "--threads", threads, "--json", name)
        answer = lapwing("partition", sea, *options)
        assert answer.code == 0, answer.err
    one, other = (
        [{k: v for k, v in row.items() if k != "seconds"} for row in entries(tmp_path / name)]
        for name in ("a.json", "b.json")
    )
    assert one == other


def test_nodes(lapwing: Lapwing, tmp_path: Path) -> None:
    np.save(tmp_path / "bay.npy", bay(240, 180).T)
    options = ("--method", "block", "--ranks-per-node", 6, "--json", "table.json")
    answer = lapwing("partition", "bay.npy", "-n", 24, *options)
    assert answer.code == 0, answer.err
    assert "6 ranks per node" in answer.out
    rows, ordered = entries(tmp_path / "table.json")
    assert ordered["method"] == "block, node order"
    assert "node order" in answer.out
    assert rows["halo_on"] > 0
    assert ordered["halo_off"] < 0.8 * rows["halo_off"]
    same = ("imbalance", "messages", "blocks", "ranks_used")
    assert [rows[key] for key in same] == [ordered[key] for key in same]
    total = [row["halo_on"] + row["halo_off"] for row in (rows, ordered)]
    assert total[0] == total[1]


def test_costs_come_from_a_machine_file(lapwing: Lapwing, sea: Path, tmp_path: Path) -> None:
    machine = tmp_path / "machine.toml"
    machine.write_text("[partition]\noff = 50\nlatency = 100.0\n")
    rows = []
    for name, costs in {"file": "machine.toml", "text": "off=50,latency=100"}.items():
        told = ("--method", "ksection", "--json", f"{name}.json", "--costs", costs)
        answer = lapwing("partition", sea, "-n", 6, *told)
        assert answer.code == 0, answer.err
        (row,) = entries(tmp_path / f"{name}.json")
        rows.append(row | {"seconds": 0})
    assert rows[0] == rows[1]
    machine.write_text("[partition]\nfun = 1\n")
    answer = lapwing("partition", sea, "-n", 6, "--costs", "machine.toml")
    assert answer.code == 2
    assert "partition.fun" in answer.err


def test_costs_and_speeds_count(lapwing: Lapwing, sea: Path, tmp_path: Path) -> None:
    (tmp_path / "speeds").write_text("1 1\n0.5 1\n")
    rows = {}
    for name, options in {
        "plain": (),
        "dear": ("--costs", "off=50,latency=100", "--width", 1),
        "uneven": ("--speeds", "speeds"),
        "listed": ("--speeds", "1,1,0.5,1"),
    }.items():
        told = ("--method", "ksection", "--json", f"{name}.json", *options)
        answer = lapwing("partition", sea, "-n", 4, *told)
        assert answer.code == 0, answer.err
        (rows[name],) = entries(tmp_path / f"{name}.json")
        rows[name]["seconds"] = 0
    assert rows["dear"]["cost"] > 1.5 * rows["plain"]["cost"]
    assert rows["dear"]["halo_off"] < rows["plain"]["halo_off"]
    assert rows["uneven"] == rows["listed"]
    # the slow rank got less, else it would take twice as long as the others
    assert rows["uneven"]["imbalance"] < 1.2


@pytest.mark.parametrize("method", ["block", "assigned", "ksection"])
@pytest.mark.parametrize("per_node", [pytest.param(1, marks=pytest.mark.slow), 3])
def test_picture(lapwing: Lapwing, sea: Path, tmp_path: Path, method: str, per_node: int) -> None:
    options = ("--method", method, "--ranks-per-node", per_node, "--plot", "bay.png")
    answer = lapwing("partition", sea, "-n", 9, *options)
    assert answer.code == 0, answer.err
    assert f"bay.png: {method}" in answer.out
    pixels = image.imread(tmp_path / "bay.png")
    assert min(pixels.shape[:2]) > 300
    assert len(np.unique(pixels.reshape(-1, pixels.shape[2]), axis=0)) > 50
    assert sorted(p.name for p in tmp_path.iterdir() if "bay" in p.name) == ["bay.npy", "bay.png"]


@pytest.mark.parametrize("kind", KINDS)
def test_layout_file(lapwing: Lapwing, tmp_path: Path, kind: str) -> None:
    wet = bay()
    wet[-1] = wet[:, -1] = False  # HYCOM would take water there for a periodic grid
    np.save(tmp_path / "bay.npy", wet.T)
    options = ("--method", "block", "--layout", kind, "--layout-file", "layout")
    answer = lapwing("partition", "bay.npy", "-n", 24, *options)
    assert answer.code == 0, answer.err
    layout = read_layout(kind, tmp_path / "layout")
    check_layout(layout, wet)
    assert ("        a halo of width" in answer.out) == (layout.halo != 2)
    assert 0 < layout.ranks <= 24
    assert f"{layout.blocks[0]} x {layout.blocks[1]} blocks" in answer.out
    assert f"{layout.ranks} ranks; read back and checked" in answer.out


@pytest.mark.parametrize("kind", ["mom6", "mitgcm", "nemo"])
def test_layout_of_a_sea_without_land(lapwing: Lapwing, tmp_path: Path, kind: str) -> None:
    np.save(tmp_path / "sea.npy", np.ones((120, 180)))
    options = ("--method", "block", "--layout", kind, "--layout-file", "layout")
    answer = lapwing("partition", "sea.npy", "-n", 6, *options)
    assert answer.code == 0, answer.err
    layout = read_layout(kind, tmp_path / "layout")
    assert (layout.dropped, layout.ranks) == ((), 6)


@pytest.mark.parametrize("method", ["all", "assigned", "ksection", "block"])
def test_map_of_ranks(lapwing: Lapwing, sea: Path, tmp_path: Path, method: str) -> None:
    options = ("--method", method, "--layout", "ranks", "--layout-file", "ranks.nc")
    answer = lapwing("partition", sea, "-n", 9, *options)
    assert answer.code == 0, answer.err
    check_ranks(read_ranks(tmp_path / "ranks.nc"), bay())
    shown = "ksection" if method == "all" else method
    assert f"ranks.nc: ranks of {shown}, " in answer.out


@pytest.mark.parametrize("kind", ["mom6", "mitgcm", "nemo", "getm", "roms", "croco"])
def test_the_cheapest_layout_is_found(kind: str) -> None:
    """Against all numbers of blocks; ranks are few, so all can be tried."""
    wet, ranks, model = bay(), 10, CostModel()
    chosen = choose_layout(kind, wet, ranks, model)
    assert chosen.ranks <= ranks
    assert layout_partition(chosen).ranks == chosen.ranks
    best = layout_cost(chosen, Mask(wet), model)
    for m in range(1, 12):
        for n in range(1, 12):
            other = choose_layout(kind, wet, ranks, model, (m, n))  # these where they are allowed
            assert layout_cost(other, Mask(wet), model) >= best


def test_one_table_of_the_mask_does_for_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Making it takes most of the memory; ranks are counted without a list of dropped blocks."""
    planner = LayoutPlanner("mom6", bay(), 2)
    assert planner.ranks((4, 3)) == planner.plan((4, 3)).ranks
    monkeypatch.setattr("lapwing.partition.layouts.plan.Mask", None)
    layout = choose_planned(planner, 10, CostModel())
    write_checked_layout(layout, planner, tmp_path / "mask_table")
    assert read_layout("mom6", tmp_path / "mask_table") == layout


ONE_PER_ROW = np.eye(9, dtype=bool)
BASINS = np.zeros((12, 9), dtype=bool)
BASINS[:4], BASINS[8:, :3] = True, True
CORNER = np.zeros((40, 40), dtype=bool)
CORNER[33:, 35:] = True


@pytest.mark.parametrize(
    ("name", "wet", "ranks"),
    [
        ("one point per row", ONE_PER_ROW, "1,3,9"),
        ("basins", BASINS, "2,5"),
        ("one row", np.ones((30, 1), dtype=bool), "1,7,30"),
        ("one column", np.ones((1, 30), dtype=bool), "4"),
        ("one point", np.ones((1, 1), dtype=bool), "1"),
        ("all land but a corner", CORNER, "3,16"),
        ("no land", np.ones((12, 9), dtype=bool), "6"),
    ],
)
def test_strange_seas(
    lapwing: Lapwing, tmp_path: Path, name: str, wet: NDArray[np.bool_], ranks: str
) -> None:
    np.save(tmp_path / "sea.npy", wet.T)
    answer = lapwing("partition", "sea.npy", "-n", ranks, "--json", "table.json")
    assert answer.code == 0, answer.err
    for row in entries(tmp_path / "table.json"):
        assert 1 <= row["ranks_used"] <= row["ranks"]
        if row["method"] == "ksection":
            assert row["ranks_used"] == row["ranks"]
            assert row["imbalance"] <= wet.sum()


@pytest.mark.parametrize("method", ["block", "assigned", "ksection"])
def test_json_has_the_boxes(lapwing: Lapwing, tmp_path: Path, method: str) -> None:
    """They hold every wet cell once, and as many of a rank as the imbalance says."""
    wet = bay()
    np.save(tmp_path / "sea.npy", wet.T)
    answer = lapwing("partition", "sea.npy", "-n", 6, "--method", method, "--json", "table.json")
    assert answer.code == 0, answer.err
    (row,) = entries(tmp_path / "table.json")
    owned = np.zeros(wet.shape, dtype=int)
    shares = np.zeros(row["ranks_used"])
    for box in row["boxes"]:
        cells = slice(*box["x"]), slice(*box["y"])
        owned[cells] += 1
        shares[box["rank"]] += wet[cells].sum()
    assert owned.max() == 1
    assert (owned[wet] == 1).all()
    assert shares.max() / shares.mean() == pytest.approx(row["imbalance"])


SHARES = np.where(bay(), 1.0, 0.25)
WRONG: dict[str, tuple[list[Any], str]] = {
    "no file": (["nowhere.nc", "-n", 4], "No such file"),
    "a region": (["shelf", "-n", 4], "lapwing mask --region shelf"),
    "shares": (["shares.npy", "-n", 4], '--wet "mask > 0.5"'),
    "wrong dimensions": (["cube.npy", "-n", 4], "2 dimensions"),
    "all land": (["land.npy", "-n", 4], "no wet cell"),
    "more ranks than points": (["bay.npy", "-n", "4,90000"], "the wet points of the mask"),
    "no rank": (["bay.npy", "-n", "0"], "each at least 1"),
    "no number": (["bay.npy", "-n", "4,many"], "numbers of ranks"),
    "unknown method": (["bay.npy", "-n", 4, "--method", "magic"], "block, assigned, ksection"),
    "unknown cost": (["bay.npy", "-n", 4, "--costs", "fun=1"], "unknown key 'fun'"),
    "a long name of a cost": (
        ["bay.npy", "-n", 4, "--costs", "f" * 3000 + "=1"],
        f"unknown key '{'f' * 60}'... (3000 characters)\n",
    ),
    "no machine file": (["bay.npy", "-n", 4, "--costs", "none.toml"], "none.toml"),
    "no cost": (["bay.npy", "-n", 4, "--costs", "off=x"], "--costs: off"),
    "negative cost": (["bay.npy", "-n", 4, "--costs", "off=-1"], "from 0 to 1e12"),
    "too few speeds": (["bay.npy", "-n", 4, "--speeds", "1,2"], "one per rank"),
    "no speed": (["bay.npy", "-n", 2, "--speeds", "1,0"], "positive"),
    "no speeds": (["bay.npy", "-n", 2, "--speeds", "nowhere"], "file of numbers"),
    "many speeds": (["bay.npy", "-n", 2, "--speeds", ",".join(["1.25"] * 200)], "2, one per rank"),
    "no folder for JSON": (["bay.npy", "-n", 4, "--json", "nowhere/t.json"], "no folder"),
    "no folder for a picture": (["bay.npy", "-n", 4, "--plot", "nowhere/t.png"], "no folder"),
    "another kind of picture": (["bay.npy", "-n", 4, "--plot", "t.pdf"], "write --plot t.png"),
    "two pictures": (["bay.npy", "-n", "4,6", "--plot", "t.png"], "one number of ranks"),
    "no boxes": (["bay.npy", "-n", 4, "--method", "metis", "--plot", "t.png"], "boxes to draw"),
    "layout without file": (["bay.npy", "-n", 4, "--layout", "mom6"], "--layout-file"),
    "unknown layout": (
        ["bay.npy", "-n", 4, "--layout", "pop", "--layout-file", "t"],
        "mom6, mitgcm, nemo, nemo-4.0",
    ),
    "layout of a k-section": (
        ["bay.npy", "-n", 4, "--method", "ksection", "--layout", "mom6", "--layout-file", "t"],
        "block or all",
    ),
    "ranks of METIS": (
        ["bay.npy", "-n", 4, "--method", "metis", "--layout", "ranks", "--layout-file", "t"],
        "into boxes",
    ),
    "layout of a periodic grid": (
        ["edge.npy", "-n", 4, "--layout", "hycom", "--layout-file", "t"],
        "wet cells in the last column",
    ),
    "layout for a wide halo": (
        ["bay.npy", "-n", 4, "--layout", "croco", "--layout-file", "t", "--width", 4],
        "MP_3PTS",
    ),
    "layout of two": (
        ["bay.npy", "-n", "4,6", "--layout", "mom6", "--layout-file", "t"],
        "one number of ranks",
    ),
}


@pytest.mark.parametrize("what", WRONG)
def test_wrong_request(lapwing: Lapwing, sea: Path, tmp_path: Path, what: str) -> None:
    np.save(tmp_path / "shares.npy", SHARES.T)
    np.save(tmp_path / "cube.npy", np.ones((2, 3, 4)))
    np.save(tmp_path / "land.npy", np.zeros((5, 4)))
    np.save(tmp_path / "edge.npy", np.eye(9))
    before = sorted(tmp_path.iterdir())
    options, words = WRONG[what]
    answer = lapwing("partition", *options)
    assert_wrong_request(answer, words)
    assert sorted(tmp_path.iterdir()) == before


def test_a_file_of_another_program(lapwing: Lapwing, tmp_path: Path) -> None:
    """Depths without a name that is known, the north first and y last."""
    with netCDF4.Dataset(tmp_path / "topog.nc", "w") as file:
        for name, values in (("lat", np.arange(48.0)[::-1]), ("a", np.arange(60.0))):
            file.createDimension(name, len(values))
            file.createVariable(name, "f8", (name,))[:] = values
        file.createVariable("deep", "f4", ("a", "lat"))[:] = np.where(bay(), 30.0, 2.0)[:, ::-1]
    options = ("-n", 6, "--method", "ksection", "--wet", "deep > 10", "--json", "table.json")
    answer = lapwing("partition", "topog.nc", *options)
    assert answer.code == 0, answer.out + answer.err
    for note in ("wet where deep > 10", "latitude falls in the file: turned to rising"):
        assert answer.out.count(f"note: {note}\n") == 1
    np.save(tmp_path / "bay.npy", bay().T)
    same = lapwing("partition", "bay.npy", *options[:4], "--json", "same.json")
    assert same.code == 0
    boxes = [entries(tmp_path / name)[0]["boxes"] for name in ("table.json", "same.json")]
    assert boxes[0] == boxes[1]
    for wrong, words in (
        (["--wet", "sea > 10"], "the file lacks"),
        (["--axes", "a,b"], "x,y or y,x"),
        (["--variable", "sea"], "the file lacks"),
    ):
        answer = lapwing("partition", "topog.nc", "-n", 6, *wrong)
        assert (answer.code, words in answer.err) == (2, True), answer.err


@pytest.mark.parametrize("option", ["--ranks-per-node", "--threads", "--width"])
def test_wrong_numbers(lapwing: Lapwing, sea: Path, option: str) -> None:
    assert lapwing("partition", sea, "-n", 4, option, -1).code == 2


def test_help_teaches(lapwing: Lapwing) -> None:
    answer = lapwing("partition", "--help")
    assert answer.code == 0
    for word in ("MASK", "--ranks", "-n", "--method", "--costs", "--layout", "Exit codes", "halo"):
        assert word in answer.out


def test_metis_leaves_out_a_sea_beyond_its_memory(
    sea: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(command, "_MOST_FOR_METIS", 100)
    command.partition_mask(command.PartitionRequest(sea, "2"))
    told = capsys.readouterr().out
    assert f"no METIS next to these: the graph of {bay().sum()} wet points" in told
    assert " metis " not in told
    with pytest.raises(UserError, match=r"--method metis: got .* wet points; expected at most 100"):
        command.checked(command.PartitionRequest(sea, "2", method="metis"))


# 57 % and 46 % wet, in thousands of pieces; boxes of 132 and 400 wet points
@pytest.mark.parametrize(
    ("region", "minutes", "ranks"),
    [
        pytest.param("34,42,22,30", "1", "1000", marks=pytest.mark.slow),
        ("60,80,-130,-60", "4", "360"),
    ],
)
def test_archipelagos_are_shared_evenly(
    lapwing: Lapwing, tmp_path: Path, region: str, minutes: str, ranks: str
) -> None:
    cut = lapwing("mask", f"--region={region}", "--minutes", minutes, "--out", "sea.nc")
    assert cut.code == 0, cut.err
    for method in ("ksection", "metis"):
        words = ("--method", method, "--json", f"{method}.json")
        assert lapwing("partition", "sea.nc", "-n", ranks, *words).code == 0
    (boxes,) = entries(tmp_path / "ksection.json")
    (parts,) = entries(tmp_path / "metis.json")
    assert boxes["imbalance"] <= 1.05
    assert boxes["cost"] < 0.95 * parts["cost"]
