"""Bad cases: each is refused with what came, what was expected and what to do."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

import netCDF4
import numpy as np
import pytest
from lapwing.base.error import UserError
from lapwing.core.partition import Grid
from lapwing.model import Axis, Geometry
from lapwing.model.case import load_case
from lapwing_coast import model
from lapwing_coast.place.depth import make_depth
from lapwing_coast.place.geometry import make_geometry
from lapwing_coast.settings import DepthSettings, GridSettings

MakeSea = Callable[..., Any]  # see conftest.py


@pytest.mark.parametrize(
    ("case", "setting", "message"),
    [
        ("kelvin-small", "grid.cells_x=1", r"grid.cells_x: got 1; expected at least 2"),
        ("kelvin-small", "grid.spacing_x=0", r"grid.spacing_x: got 0 m; expected more than 0"),
        ("kelvin-small", "depth.depth=-3", r"depth.depth: got -3 m; expected more than 0"),
        ("kelvin-small", "depth.shape=flst", r"flat"),
        ("kelvin-small", "physics.drag=-1", r"physics.drag: got -1; expected 0 or more"),
        ("kelvin-small", "physics.coriolis=nan", r"physics.coriolis: got nan"),
        ("kelvin-small", "time.step=0", r"time.step: got 0 s; expected more than 0"),
        ("kelvin-small", "tide.period=[0.0]", r"tide.period\[0\]: got 0 s"),
        ("kelvin-small", "tide.ramp=-1", r"tide.ramp: got -1 s; expected 0 or more"),
        ("kelvin-small", "tide.period=[1.0, 2.0]", r"tide.north.amplitude: got 1 rows; expected 2"),
        ("kelvin-small", "tide.north.phase=[[1.0, 2.0]]", r"expected as many as in amplitude"),
        ("kelvin-small", "dt=10", r"did you mean 'time.step'\?"),
        ("kelvin-small", "dx=10", r"did you mean 'grid.spacing_x'\?"),
        ("kelvin-small", "grid.ny=10", r"did you mean 'grid.cells_y'\?"),
        ("kelvin-small", "grid.cells=3", r"unknown key .*cells_[xy]"),
    ],
)
def test_bad_setting(case: str, setting: str, message: str | None) -> None:
    with pytest.raises(UserError, match=message):
        load_case(case, {"coast": model}, [setting])


@pytest.mark.parametrize(
    ("case", "setting", "message"),
    [
        (
            "kelvin",
            "time.step=59",
            r"time step: got 59 s; expected at most 58.29.* s .*60 m; choose",
        ),
        ("northsea", "time.step=60", r"time step: got 60 s; expected at most 31"),
        (
            "kelvin-small",
            "tide.north.end=48",
            r"tide.north.first and end: got 0 and 48; expected .*47",
        ),
        ("kelvin-small", "tide.north.first=47", r"tide.north.first and end: got 47 and 0"),
        ("kelvin-small", "depth.shape=northsea", r"depth.shape: got 'northsea' on axes in m"),
        ("northsea", "tide.south.first=0", None),
        ("northsea", "tide.south.end=160", None),
    ],
)
def test_bad_combination(make_sea: MakeSea, case: str, setting: str, message: str | None) -> None:
    if message is None:  # land in an open segment is fine
        make_sea(case, setting)
        return
    with pytest.raises(UserError, match=message):
        make_sea(case, setting)


def test_open_segment_on_land(make_sea: MakeSea) -> None:
    with pytest.raises(UserError, match=r"tide.south: got an open segment on land"):
        make_sea("northsea", "tide.south.first=0", "tide.south.end=20")


def test_missing_mask(make_sea: MakeSea) -> None:
    with pytest.raises(UserError, match=r"grid.mask .*nowhere.nc: got .*No such file"):
        make_sea("northsea", "grid.mask=nowhere.nc")


def write_mask(path: Path, wet: np.ndarray[Any, Any]) -> Path:
    """A mask of 4 latitudes and 5 longitudes around whatever `wet` is."""
    with netCDF4.Dataset(path, "w") as file:
        for name, size in (("lat", 4), ("lon", 5)):
            file.createDimension(name, size)
            file.createVariable(name, "f8", (name,))[:] = np.arange(size)
        for n, size in enumerate(wet.shape):
            file.createDimension(f"n{n}", size)
        file.createVariable("wet", "i1", ("n0", "n1"))[:] = wet
    return path


def test_mask_without_water(make_sea: MakeSea, tmp_path: Path) -> None:
    mask = write_mask(tmp_path / "dry.nc", np.zeros((4, 5)))
    with pytest.raises(UserError, match=r"dry.nc: got no wet cell; expected at least one"):
        make_sea("northsea", f"grid.mask={mask}", "grid.axes=y,x")


def test_mask_of_another_shape(make_sea: MakeSea, tmp_path: Path) -> None:
    mask = write_mask(tmp_path / "turned.nc", np.ones((5, 4)))
    with pytest.raises(UserError, match=r"turned.nc, wet: got the dimensions \(n0, n1\)"):
        make_sea("northsea", f"grid.mask={mask}")
    with pytest.raises(UserError, match=r"turned.nc, wet: got 4 x 5 cells .*expected 5 x 4"):
        make_sea("northsea", f"grid.mask={mask}", "grid.axes=y,x")


def falling(path: Path) -> Path:
    """Depths of 4 latitudes from the north, 10 m and more where it is deep."""
    with netCDF4.Dataset(path, "w") as file:
        for name, values in (("lat", [53.0, 52.0, 51.0, 50.0]), ("lon", [1.0, 2.0, 3.0])):
            file.createDimension(name, len(values))
            file.createVariable(name, "f8", (name,))[:] = values
        depth = file.createVariable("deep", "f8", ("lat", "lon"))
        depth[:] = [[0.0, 5.0, 20.0], [5.0, 20.0, 20.0], [20.0, 20.0, 20.0], [20.0, 20.0, 20.0]]
    return path


def test_an_expression_says_what_is_wet_and_notes_say_what_was_turned(tmp_path: Path) -> None:
    path = falling(tmp_path / "deep.nc")
    geometry = make_geometry(GridSettings(mask=path, wet="deep > 10"), tmp_path)
    assert geometry.wet.tolist() == [[True, True, False, False], [True] * 3 + [False], [True] * 4]
    assert geometry.notes == (
        "wet where deep > 10",
        "latitude falls in the file: turned to rising",
    )


@pytest.mark.parametrize("shape", ["northsea", "shelf"])
def test_depths_take_longitudes_as_angles(shape: Literal["northsea", "shelf"]) -> None:
    wet = np.ones((14, 3), dtype=bool)
    y = Axis(np.array([52.0, 55.0, 58.0]), "degrees_north", "latitude")
    depths = []
    for first in (-4.0, 356.0):
        x = Axis(first + np.arange(14.0), "degrees_east", "longitude")
        geometry = Geometry(Grid((14, 3)), wet, x, y)
        depths.append(make_depth(DepthSettings(shape=shape), geometry))
    assert np.array_equal(depths[0], depths[1])


@pytest.mark.ranks
def test_a_run_says_it_once(lapwing: Callable[..., Any], tmp_path: Path) -> None:
    path = falling(tmp_path / "deep.nc")
    settings = [f"grid.mask={path}", "grid.wet=deep > 4", "duration=200 s", "output.every=200 s"]
    settings += ["grid.spacing_x=1e4", "tide.north.open=false", "tide.north.amplitude=[[0.0]]"]
    sets = [f"--set={setting}" for setting in settings]
    answer = lapwing("run", "kelvin-small", "--out=deep", "--ranks=2", *sets)
    assert answer.code == 0, answer.out + answer.err
    assert answer.out.count("note   latitude falls in the file: turned to rising") == 1
    assert answer.out.count("note   wet where deep > 4") == 1


def test_numbers_of_cells_next_to_a_mask_of_another_size_are_told(tmp_path: Path) -> None:
    np.save(tmp_path / "sea.npy", np.ones((4, 6), dtype=np.int8))  # [y, x]
    settings = GridSettings(mask=Path("sea.npy"), cells_x=6, cells_y=5)
    geometry = make_geometry(settings, tmp_path)
    assert geometry.wet.shape == (6, 4)
    assert geometry.notes == ("grid.mask has 6 x 4 cells: grid.cells_y = 5 is not used",)
