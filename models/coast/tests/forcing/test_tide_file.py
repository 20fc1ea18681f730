"""Constituents of a file on the cells of the grid, and a Kelvin wave around a corner."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import netCDF4
import numpy as np
import pytest
from lapwing.base.error import UserError
from numpy.typing import NDArray
from test_kelvin_wave import crest_times

Array = NDArray[np.float64]
MakeSea = Callable[..., Any]  # see conftest.py
Lapwing = Callable[..., Any]  # see conftest.py of the whole repository

NO_NUMBERS = ("tide.north.amplitude=[]", "tide.north.phase=[]")
SHAPE = (47, 41)


def write(path: Path, amplitude: Any, phase: Any, periods: Any = (43200.0,)) -> str:
    """Write a file of constituents, maps [constituent, nx, ny]."""
    amplitude, phase = (np.asarray(one, dtype=np.float64) for one in (amplitude, phase))
    with netCDF4.Dataset(path, "w") as file:
        for name, n in zip(("constituent", "x", "y"), amplitude.shape, strict=True):
            file.createDimension(name, n)
        for name, values, unit in (("amplitude", amplitude, "m"), ("phase", phase, "degrees")):
            one = file.createVariable(name, "f8", ("constituent", "y", "x"))
            one.units = unit
            one[:] = np.ma.masked_invalid(values.transpose(0, 2, 1))
        period = file.createVariable("period", "f8", ("constituent",))
        period.units = "s"
        period[:] = periods
    return f"tide.file={path}"


def along_north(value: float) -> Array:
    """A map with a value in the northern row alone; missing elsewhere."""
    values = np.full((1, *SHAPE), np.nan)
    values[:, :, -1] = value
    return values


def test_a_file_has_the_bits_of_the_numbers(make_sea: MakeSea, tmp_path: Path) -> None:
    file = write(tmp_path / "tide.nc", along_north(0.5), along_north(90.0))
    numbers, maps = make_sea("kelvin-small"), make_sea("kelvin-small", *NO_NUMBERS, file)
    for sea in (numbers, maps):
        sea.run.advance(50)
    assert np.abs(maps.level).max() > 0.1
    assert np.array_equal(numbers.level, maps.level)


def test_several_sides_and_constituents(make_sea: MakeSea, tmp_path: Path) -> None:
    """Each cell of two sides has the sum of its own constituents."""
    random = np.random.default_rng(2)
    amplitude, phase = random.uniform(0, 1, (2, *SHAPE)), random.uniform(0, 360, (2, *SHAPE))
    periods = (44714.16, 43200.0)
    file = write(tmp_path / "tide.nc", amplitude, phase, periods)
    sea = make_sea("kelvin-small", *NO_NUMBERS, file, "tide.west.open=true")
    sea.run.advance(7)
    time = 7 * sea.run.dt
    angles = 2 * np.pi * time / np.array(periods)[:, None, None] - np.radians(phase)
    expected = (amplitude * np.cos(angles)).sum(axis=0)
    np.testing.assert_allclose(sea.level[:, -1], expected[:, -1], atol=1e-13)
    np.testing.assert_allclose(sea.level[0, :-1], expected[0, :-1], atol=1e-13)


def test_flats_keep_the_least_depth(make_sea: MakeSea, tmp_path: Path) -> None:
    """A tide of the file that falls below the bottom is held, and the run goes on."""
    file = write(tmp_path / "tide.nc", along_north(3.0), along_north(180.0))
    shallow = ("depth.depth=2", "physics.drying=true", "physics.least_depth=0.1")
    sea = make_sea("kelvin-small", *NO_NUMBERS, file, *shallow)
    assert "tide.north" in sea.run.notes[0]
    sea.run.advance(20)
    sea.run.check_state()
    np.testing.assert_allclose(sea.level[:, -1], -1.9, atol=1e-12)


@pytest.mark.parametrize(
    ("name", "cell"), [("amplitude", (12, 40)), ("phase", (46, 40))], ids=["amplitude", "phase"]
)
def test_a_file_that_misses_a_cell(
    make_sea: MakeSea, tmp_path: Path, name: str, cell: tuple[int, int]
) -> None:
    maps = {"amplitude": along_north(0.5), "phase": along_north(90.0)}
    maps[name][0, *cell] = np.nan
    file = write(tmp_path / "tide.nc", **maps)
    with pytest.raises(UserError) as error:
        make_sea("kelvin-small", *NO_NUMBERS, file)
    cell_text = f"({cell[0]}, {cell[1]})"
    for part in (f"tide.nc: {name}", "constituent 0", cell_text, "every wet cell", "first and end"):
        assert part in str(error.value)
    wet = np.ones(SHAPE, dtype=bool)
    wet[cell] = False
    make_sea("kelvin-small", *NO_NUMBERS, file, wet=wet)  # land needs no tide


def test_bad_files(make_sea: MakeSea, tmp_path: Path) -> None:
    file = write(tmp_path / "tide.nc", along_north(0.5), along_north(90.0))
    with pytest.raises(UserError, match=r"shape \(1, 41, 47\); expected \(1, 40, 47\)"):
        make_sea("kelvin-small", *NO_NUMBERS, file, "grid.cells_y=40")
    with pytest.raises(UserError, match=r"tide.north.amplitude: got 1 rows next to tide.file"):
        make_sea("kelvin-small", file)
    with pytest.raises(UserError, match=r"tide.file: got .*nothing.nc, no such file"):
        make_sea("kelvin-small", *NO_NUMBERS, "tide.file=nothing.nc")
    file = write(tmp_path / "tide.nc", along_north(0.5), along_north(90.0), (0.0,))
    with pytest.raises(UserError, match=r"tide.nc: period"):
        make_sea("kelvin-small", *NO_NUMBERS, file)


def test_a_kelvin_wave_goes_around_a_corner(make_sea: MakeSea) -> None:
    """Along the western coast and then along the southern one it has the same speed and height.

    Away from the corner by more than the Rossby radius, 81 km.
    """
    cells, spacing = 120, 4000.0
    sea = make_sea(
        "kelvin-exact",
        f"grid.cells_x={cells}",
        f"grid.cells_y={cells}",
        f"grid.spacing_x={spacing}",
        f"grid.spacing_y={spacing}",
        "physics.coriolis=3e-4",
        "time.step=60",
        "physics.drag=0",
    )
    west, south = np.arange(95, 35, -5), np.arange(35, 85, 5)  # cells from the corner
    levels = []
    for _ in range(14 * 60):
        sea.run.advance(1)
        levels.append(np.concatenate([sea.level[0, west], sea.level[south, 0]]))
    history, speed = np.array(levels), math.sqrt(9.81 * 60.0)
    times = crest_times(history, 60.0)
    height = history.max(axis=0)
    parts = {"west": (slice(0, len(west)), -west), "south": (slice(len(west), None), south)}
    for name, (part, cell) in parts.items():
        found = 1 / np.polyfit(cell * spacing, times[part], 1)[0]  # m/s
        print(f"Kelvin wave in the {name}: {found:.2f} m/s, exact {speed:.2f}")
        assert abs(found / speed - 1) < 0.02
    kept = height[len(west) :].mean() / height[: len(west)].mean()
    print(f"height in the south over that in the west: {kept:.3f}")
    assert abs(kept - 1) < 0.05


@pytest.mark.ranks
def test_ranks_give_the_same_bits(lapwing: Lapwing, tmp_path: Path) -> None:
    file = write(tmp_path / "tide.nc", along_north(0.5), along_north(90.0))
    sets = [f"--set={one}" for one in (*NO_NUMBERS, file, "duration=3h", "output.every=1h")]
    sets.append("--set=output.precision=double")
    files = []
    for ranks, strategy in ((1, "blocking"), (4, "dataflow")):
        out = tmp_path / str(ranks)
        how = (f"--ranks={ranks}", f"--strategy={strategy}", f"--out={out}")
        answer = lapwing("run", "kelvin-small", *sets, *how)
        assert answer.code == 0, answer.out + answer.err
        files.append(out / "output.nc")
    answer = lapwing("compare", *files)
    assert answer.code == 0, answer.out
