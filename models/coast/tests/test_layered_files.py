"""The files that `lapwing run` leaves of a case with layers."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import netCDF4
import numpy as np
import pytest
from lapwing.core.partition import Grid
from lapwing.model import Axis, Geometry
from lapwing_coast.pictures import layer_heights, section_row, to_centres

# the fixture in conftest.py of the whole repository
Lapwing = Callable[..., Any]

SMALL = ("kelvin3d-small", "--progress", "none", "--set", "output.every=1h")
POINTS = ("--set", "output.points=['mast: 120000, 140000', 'north: 300000, 268000']")


@pytest.mark.slow
@pytest.mark.ranks
def test_a_restart_on_other_ranks_continues_bit_by_bit(lapwing: Lapwing, tmp_path: Path) -> None:
    """From an odd step of odd numbers of micro steps on: the other axis goes first."""
    odd = ("--set", "time.micro_steps=5", "--set", "time.step=2min")
    case = ("run", *SMALL, *POINTS, *odd, "--set", "points_every=20min")
    whole = lapwing(*case, "--set", "duration=5h", "--ranks", 2, "--out", "whole")
    assert whole.code == 0, whole.err
    half = lapwing(*case, "--set", "duration=150min", "--out", "here")
    assert half.code == 0, half.err
    on = ("--restart", "here/restart.lapwing", "--blocks", "1x3", "--out", "here")
    answer = lapwing(*case, "--set", "duration=5h", *on)
    assert answer.code == 0, answer.err
    assert "from step 15 on" in answer.out
    for file in ("output.nc", "points.nc"):
        answer = lapwing("compare", f"whole/{file}", f"here/{file}")
        assert (answer.code, answer.out) == (0, "bitwise equal\n")
    restart = [tmp_path / folder / "restart.lapwing" for folder in ("whole", "here")]
    assert restart[0].read_bytes() == restart[1].read_bytes()


@pytest.mark.ranks
def test_files_of_a_case_with_layers(lapwing: Lapwing, tmp_path: Path) -> None:
    few = ("--set", "output.variables=['temperature', 'tke', 'velocity_x']", *POINTS)
    answer = lapwing("run", *SMALL, *few, "--set", "duration=2h", "--out", "here", pictures=True)
    assert answer.code == 0, answer.err
    names = sorted(path.name for path in (tmp_path / "here").iterdir())
    files = ["case.toml", "output.nc", "partition.png", "points.nc", "profile.json"]
    files.append("restart.lapwing")
    pictures = ["sea_level.png", "surface_speed.png", "temperature_section.png"]
    assert names == sorted([*files, *pictures])
    for name in names:
        assert f"here/{name}" in answer.out
    with netCDF4.Dataset(tmp_path / "here/output.nc") as data:
        assert data["temperature"].dimensions == ("time", "level", "y", "x")
        assert data["tke"].dimensions == ("time", "level_top", "y", "x")
        assert data["velocity_x"].dimensions == ("time", "level", "y", "x_xface")
        # the heights of layers follow from what was not asked for
        assert data["level"].formula_terms == "sigma: level eta: sea_level depth: depth"
        assert data["sea_level"].dimensions == ("time", "y", "x")
        assert data["depth"].dimensions == ("y", "x")
        assert "salinity" not in data.variables
        assert float(data["level"][0]) == pytest.approx(-1 + 0.5 / 12)
        assert float(data["level_top"][-1]) == 0.0
        assert float(data["temperature"][0, 0, 5, 5]) == 10.0  # below
        assert float(data["temperature"][0, -1, 5, 5]) == 15.0
    with netCDF4.Dataset(tmp_path / "here/points.nc") as data:
        assert data["temperature"].dimensions == ("time", "point", "level")
        assert data["temperature"].shape == (3, 2, 12)


@pytest.mark.ranks
def test_the_section_shows_the_flow_where_temperature_is_even(
    lapwing: Lapwing, tmp_path: Path
) -> None:
    short = ("--set", "duration=10min", "--set", "layers.levels=5")
    answer = lapwing("run", "channel", *short, pictures=True)
    assert answer.code == 0, answer.err
    assert (tmp_path / "out/channel/velocity_x_section.png").stat().st_size > 1000
    assert not (tmp_path / "out/channel/temperature_section.png").exists()


@pytest.mark.ranks
def test_output_is_smaller_than_what_it_holds(lapwing: Lapwing, tmp_path: Path) -> None:
    answer = lapwing("run", *SMALL, "--set", "duration=6h", "--out", "here")
    assert answer.code == 0, answer.err
    path = tmp_path / "here/output.nc"
    with netCDF4.Dataset(path) as data:
        raw = sum(one.size * one.dtype.itemsize for one in data.variables.values())
    assert path.stat().st_size < 0.8 * raw


def test_velocities_come_to_the_centres() -> None:
    faces = np.array([[2.0], [4.0], [0.0]])  # the last face of a closed grid holds 0
    assert to_centres(faces, 0).tolist() == [[1.0], [3.0], [2.0]]
    assert to_centres(faces.T, 1).tolist() == [[1.0, 3.0, 2.0]]


def test_layers_reach_from_the_bottom_to_the_surface() -> None:
    heights = layer_heights(
        np.array([1.0, -0.5]), np.array([9.0, 4.5]), np.array([-1.0, -0.5, 0.0])
    )
    assert heights.tolist() == [[-9.0, -4.0, 1.0], [-4.5, -2.5, -0.5]]


def test_a_section_goes_where_water_is() -> None:
    wet = np.zeros((4, 5), dtype=bool)
    wet[1:3, 4] = wet[0, 1] = True
    x, y = (Axis(np.arange(float(n)), "m", "place") for n in (4, 5))
    assert section_row(Geometry(Grid((4, 5)), wet, x, y)) == 4
    wet[3, 2] = True
    assert section_row(Geometry(Grid((4, 5)), wet, x, y)) == 2
