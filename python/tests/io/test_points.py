"""Points of a case: which cell stands for them, and the file of their columns."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import netCDF4
import numpy as np
import pytest
from lapwing.base.error import UserError
from lapwing.core.partition import Grid
from lapwing.io.points import find_points
from lapwing.model import Axis, Geometry

# the fixture in conftest.py
Lapwing = Callable[..., Any]


@pytest.fixture
def geometry() -> Geometry:
    """20 x 10 cells of 1 km with centres at whole km; the first 12 columns are land."""
    wet = np.ones((20, 10), dtype=bool)
    wet[:12] = False
    x = Axis(1000.0 * np.arange(20.0), "m", "x")
    y = Axis(1000.0 * np.arange(10.0), "m", "y")
    return Geometry(Grid((20, 10)), wet, x, y)


def test_the_nearest_wet_cell_stands_for_a_point(geometry: Geometry) -> None:
    mast, quay, pole = find_points(
        ["mast: 13400, 2600", "quay 3: pier: 9000.0,3000", "pole: 19500, -500"], geometry
    )
    assert (mast.name, mast.cell, mast.note()) == ("mast", (13, 3), None)
    assert (quay.name, quay.cell, quay.distance) == ("quay 3: pier", (12, 3), 3.0)
    assert quay.note() == "point quay 3: pier: the nearest wet cell is (12, 3), 3.0 cells away"
    assert pole.cell == (19, 0)


def test_degrees_are_not_alike() -> None:
    """At 60 N one degree of longitude is half as long as one of latitude."""
    wet = np.zeros((3, 3), dtype=bool)
    wet[2, 1] = wet[0, 2] = True  # 1.5 degrees of longitude and 1.06 of latitude away
    x = Axis(np.array([-1.0, 0.0, 1.5]), "degrees_east", "longitude")
    y = Axis(np.array([59.0, 60.0, 61.0]), "degrees_north", "latitude")
    (point,) = find_points(["here: 0, 60"], Geometry(Grid((3, 3)), wet, x, y))
    assert point.cell == (2, 1)
    assert point.distance == pytest.approx(1.0)


@pytest.mark.parametrize("longitude", [-3.0, 357.0, 717.0])
def test_longitudes_are_angles(longitude: float) -> None:
    x = Axis(np.arange(350.0, 370.0), "degrees_east", "longitude")
    y = Axis(np.array([59.0, 60.0]), "degrees_north", "latitude")
    sea = Geometry(Grid((20, 2)), np.ones((20, 2), dtype=bool), x, y)
    (point,) = find_points([f"here: {longitude}, 60"], sea)
    assert (point.cell, point.place) == ((7, 1), (longitude, 60.0))
    with pytest.raises(UserError, match=r"got 20 degrees_east"):
        find_points(["there: 20, 60"], sea)


def test_axes_may_run_down(geometry: Geometry) -> None:
    south = Axis(geometry.y.values[::-1].copy(), "m", "y")
    turned = Geometry(geometry.grid, geometry.wet, geometry.x, south)
    (point,) = find_points(["mast: 13400, 2600"], turned)
    assert (point.cell, point.note()) == ((13, 6), None)


@pytest.mark.parametrize(
    ("texts", "words"),
    [
        (["mast 1, 2"], "a name and two coordinates"),
        ([": 1, 2"], "a name and two coordinates"),
        (["mast: 1"], "a name and two coordinates"),
        (["mast: 1, nan"], "a name and two coordinates"),
        (["a: 13000, 0", "a: 14000, 0"], "'a' twice"),
        (["a: 19501, 0"], "-500 to 19500 m"),
        (["a: 19000, -501"], "-500 to 9500 m"),
        (["a: 6900, 2000"], "5.1 cells from the nearest wet cell (12000, 2000)"),
    ],
)
def test_wrong_points_are_refused(geometry: Geometry, texts: list[str], words: str) -> None:
    with pytest.raises(UserError) as problem:
        find_points(texts, geometry)
    assert words in str(problem.value)
    assert "output.points" in str(problem.value)


# ---- the file

POINTS = ("--set", "output.points=['mast: 5000, 7000', 'quay: 2000, 1000', 'buoy: 11000, 9000']")
OFTEN = (*POINTS, "--set", "points_every=2min")


def steps(path: Path) -> list[int]:
    with netCDF4.Dataset(path) as data:
        return [int(step) for step in data["step"][:]]


@pytest.mark.ranks
def test_columns_are_those_of_the_map(lapwing: Lapwing, tmp_path: Path) -> None:
    answer = lapwing("run", "tiny", "--ranks", 3, *POINTS, "--out", "here")
    assert answer.code == 0, answer.err
    assert "point quay: the nearest wet cell is (2, 3), 2.0 cells away" in answer.out
    assert "here/points.nc" in answer.out
    with (
        netCDF4.Dataset(tmp_path / "here/output.nc") as whole,
        netCDF4.Dataset(tmp_path / "here/points.nc") as data,
    ):
        assert data.featureType == "timeSeriesProfile"
        assert data["point_name"].cf_role == "timeseries_id"
        assert list(data["point_name"][:]) == ["mast", "quay", "buoy"]
        assert data["x"][:].tolist() == [5000.0, 2000.0, 11000.0]
        assert data["y"].standard_name == "projection_y_coordinate"
        assert data["level"].dimensions == ("time", "point")
        assert data["bottom"].dimensions == ("point", "level2")
        assert "point_name" in data["flow"].coordinates
        i, j = [5, 2, 11], [7, 3, 9]
        assert data["time"][:].tolist() == whole["time"][:].tolist()
        for name in ("level", "flow"):
            there = np.ma.filled(whole[name][:][:, j, i], -1.0)
            assert np.array_equal(np.ma.filled(data[name][:], -1.0), there)
        assert np.ma.getmaskarray(data["flow"][-1]).tolist() == [False, False, True]  # the end
        assert np.array_equal(
            np.ma.filled(data["bottom"][:], -1.0), np.ma.filled(whole["bottom"][:][:, j, i], -1.0).T
        )


ONLY_COLUMNS = """
import json
import numpy as np
from lapwing.core.domain import Domain
from lapwing.io.points import Point
from lapwing.run.servers.delivery import (
    Delivery, from_columns, item_of_columns, partition_of_points
)

domain = Domain((9, 4))
deep = domain.field("deep", levels=3)
flat = domain.field("flat", dtype=np.float32)
deep.set(lambda i, j, k: 100 * i + 10 * j + k)
flat.set(lambda i, j: i + 0.5 * j)
cells = [(8, 0), (0, 3), (4, 2), (8, 1)]
points = [Point("", (0.0, 0.0), cell, 0.0) for cell in cells]
fields = {"deep": deep, "flat": flat}
items = [item_of_columns(name, field) for name, field in fields.items()]
source = from_columns(list(fields.values()), points)
columns = Delivery(domain, partition_of_points(points, domain.partition), items, 0, source)
columns.start()
columns.wait()
moved = sum(source.size for _, source in columns.copies)
values = domain.mpi.reduce(moved)
messages = domain.mpi.reduce(columns._exchange.plan.messages_sent)
if found := columns.values():
    told = {name: values.tolist() for name, values in found.items()}
    whole = deep._whole is not None  # a way for the whole grid
    owners = {point.owner(domain.partition) for point in points}
    assert messages == len(owners - {0}), messages
    print(json.dumps([domain.rank, values, told, whole]))
domain.close()
"""


@pytest.mark.parametrize("ranks", [1, 3])
def test_only_columns_travel(run_on_ranks: Callable[..., Any], ranks: int) -> None:
    """Four columns of three layers and one without, to rank 0 and to no other rank."""
    lines = run_on_ranks(ranks, ONLY_COLUMNS).stdout.splitlines()
    cells = [(8, 0), (0, 3), (4, 2), (8, 1)]
    told = {
        "deep": [[100 * i + 10 * j + k for k in range(3)] for i, j in cells],
        "flat": [i + 0.5 * j for i, j in cells],
    }
    assert [json.loads(line) for line in lines] == [[0, 4 * (3 + 1), told, False]]


@pytest.mark.slow
@pytest.mark.ranks
def test_points_are_the_same_on_any_ranks_and_change_nothing(
    lapwing: Lapwing, tmp_path: Path
) -> None:
    assert lapwing("run", "tiny", "--out", "plain").code == 0
    assert lapwing("run", "tiny", *OFTEN, "--out", "one").code == 0
    assert lapwing("run", "tiny", *OFTEN, "--blocks", "2x2", "--out", "four").code == 0
    assert steps(tmp_path / "one/points.nc") == list(range(0, 31, 2))
    for file in ("output.nc", "points.nc"):
        assert lapwing("compare", f"one/{file}", f"four/{file}").out == "bitwise equal\n"
    assert lapwing("compare", "one/output.nc", "plain/output.nc").out == "bitwise equal\n"


@pytest.mark.ranks
def test_a_continued_run_appends_to_the_points(lapwing: Lapwing, tmp_path: Path) -> None:
    """Also after an end that is no record, and after a job that was killed."""
    assert lapwing("run", "tiny", *OFTEN, "--out", "whole").code == 0
    assert lapwing("run", "tiny", *OFTEN, "--set", "duration=13min", "--out", "here").code == 0
    assert steps(tmp_path / "here/points.nc") == [0, 2, 4, 6, 8, 10, 12, 13]
    on = ("--restart", "here/restart.lapwing", "--out", "here")
    often = (*OFTEN, "--set", "restart_every=11min")  # 22: a record of points only
    assert lapwing("run", "tiny", *often, *on, environment={"TINY_KILL": "24"}).code != 0
    assert (tmp_path / "here/points.nc.part").exists()
    answer = lapwing("run", "tiny", *often, "--ranks", 2, *on)
    assert answer.code == 0, answer.err
    assert "keeps 12 of 12 records of here/points.nc" in answer.out
    for file in ("output.nc", "points.nc"):
        assert lapwing("compare", f"whole/{file}", f"here/{file}").out == "bitwise equal\n"


@pytest.mark.ranks
def test_points_that_begin_with_a_restart_say_so(lapwing: Lapwing, tmp_path: Path) -> None:
    assert lapwing("run", "tiny", "--set", "duration=20min", "--out", "here").code == 0
    on = ("--restart", "here/restart.lapwing", "--out", "here")
    answer = lapwing("run", "tiny", *OFTEN, *on)
    assert answer.code == 0, answer.err
    assert "here/points.nc begins after step 20" in answer.out
    assert steps(tmp_path / "here/points.nc") == [22, 24, 26, 28, 30]


@pytest.mark.ranks
def test_other_points_are_not_appended_to(lapwing: Lapwing, tmp_path: Path) -> None:
    assert lapwing("run", "tiny", *OFTEN, "--set", "duration=20min", "--out", "here").code == 0
    before = (tmp_path / "here/points.nc").read_bytes()
    other = ("--set", "output.points=['mast: 5000, 7000', 'quay: 2000, 4000', 'b: 11000, 9000']")
    on = ("--restart", "here/restart.lapwing", "--out", "here")
    answer = lapwing("run", "tiny", *other, *on)
    assert answer.code == 2
    assert "quay: 2000, 3000" in answer.err
    assert "quay: 2000, 4000" in answer.err
    assert (tmp_path / "here/points.nc").read_bytes() == before


@pytest.mark.ranks
def test_a_wrong_point_ends_before_the_run(lapwing: Lapwing, tmp_path: Path) -> None:
    answer = lapwing("run", "tiny", "--set", "output.points=['far: 5, 1e6']", "--out", "here")
    assert answer.code == 2
    assert "output.points, far" in answer.err
    assert not (tmp_path / "here").exists()
