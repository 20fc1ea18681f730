"""Boundary values of a file: who reads it changes no bit, and what is wrong with it is said."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import netCDF4
import numpy as np
import pytest
import xarray

Lapwing = Callable[..., Any]  # the fixture in conftest.py

EVERY = ("--set", "output.every=10min", "--set", "output.precision=double")
SHORT = (*EVERY, "--set", "run.duration=50min")


@pytest.fixture(scope="module")
def drive(lapwing_in: Lapwing, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run whose records others are driven by, between walls, so that its edges change."""
    folder = tmp_path_factory.mktemp("drive")
    walls = ("--set", "boundary.relaxation=0")
    answer = lapwing_in(folder, "run", "area-small", *SHORT, *walls, "--out", ".")
    assert answer.code == 0, answer.err
    return folder / "output.nc"


def driven(path: Path) -> tuple[str, ...]:
    return ("--set", f"boundary.file={path}", "--set", "initial.amplitude=500")


def values(path: Path, name: str) -> Any:
    with netCDF4.Dataset(path) as file:
        return np.ma.filled(file[name][:], 0.0)


@pytest.mark.slow
@pytest.mark.ranks
def test_who_reads_changes_no_bit(lapwing: Lapwing, tmp_path: Path, drive: Path) -> None:
    asked = ("run", "area-small", *SHORT, *driven(drive))
    for out, how in (
        ("own", ()),
        ("ranks", ("--ranks", "3")),
        ("served", ("--ranks", "3", "--io-ranks", "1")),
        ("two", ("--ranks", "4", "--io-ranks", "2", "--strategy", "dataflow")),
    ):
        answer = lapwing(*asked, *how, "--out", out)
        assert answer.code == 0, answer.err
        for file in ("output.nc", "restart.lapwing"):
            same = (tmp_path / out / file).read_bytes() == (tmp_path / "own" / file).read_bytes()
            assert same, f"{out} {file}"
    # half of the way with servers, the rest without; the record at hand is that of the moment
    first = ("--set", "run.duration=25min", "--ranks", "2", "--io-ranks", "1", "--out", "first")
    assert lapwing(*asked, *first).code == 0
    assert lapwing(*asked, "--restart", "first/restart.lapwing", "--out", "on").code == 0
    restarts = [(tmp_path / out / "restart.lapwing").read_bytes() for out in ("own", "on")]
    assert restarts[0] == restarts[1]


@pytest.mark.ranks
def test_the_edge_is_what_the_file_says(lapwing: Lapwing, tmp_path: Path, drive: Path) -> None:
    """The outermost points follow the file, between its records along a line."""
    asked = ("run", "area-small", *EVERY, *driven(drive), "--set", "run.duration=45min")
    assert lapwing(*asked, "--set", "output.every=5min", "--out", "inside").code == 0
    given, found = (values(p, "surface_pressure") for p in (drive, tmp_path / "inside/output.nc"))
    assert np.array_equal(found[2::2, 0], given[1:5, 0])
    middle = 0.5 * (given[1] + given[2])
    assert np.allclose(found[3, :, 0], middle[:, 0], rtol=0, atol=1e-9)
    assert np.abs(given[4, 0] - given[1, 0]).max() > 0.1  # Pa: it does change


def spoilt(drive: Path, path: Path, spoil: Callable[[Any], None]) -> Path:
    shutil.copy(drive, path)
    with netCDF4.Dataset(path, "a") as file:
        spoil(file)
    return path


def missing_value(file: Any) -> None:
    file["temperature"][3, 4, 5, 6] = np.nan


def masked_value(file: Any) -> None:
    file["surface_pressure"][3, 5, 6] = np.ma.masked


@pytest.mark.ranks
@pytest.mark.parametrize(
    ("servers", "spoil", "name"),
    [
        (0, missing_value, "temperature"),
        (1, missing_value, "temperature"),
        (0, masked_value, "surface_pressure"),
    ],
)
def test_a_record_that_cannot_be_used(
    lapwing: Lapwing,
    drive: Path,
    tmp_path: Path,
    servers: int,
    spoil: Callable[[Any], None],
    name: str,
) -> None:
    """It is found on the way, perhaps by a server: everybody stops, and it is named."""
    file = spoilt(drive, tmp_path / "nan.nc", spoil)
    ranks = ("--ranks", 2 + servers, "--io-ranks", servers)
    answer = lapwing("run", "area-small", *SHORT, *driven(file), *ranks, "--out", "stopped")
    assert answer.code == 2, answer.err
    assert f"nan.nc, {name}" in answer.err
    assert "not finite in record 3" in answer.err


@pytest.mark.parametrize(
    ("sets", "words"),
    [
        (("boundary.file=nowhere.nc",), ("nowhere.nc, no such file", "surface_pressure")),
        (("boundary.relaxation=0",), ("with boundary.relaxation = 0", "a frame to draw to")),
        (("run.duration=2h",), ("0 s to 3000 s after run.start", "cover the run, 0 s to 7200 s")),
        (
            ("grid.cells_x=45",),
            ("surface_pressure, x", "cells of the file from 0 to", "larger area"),
        ),
        (("levels.count=8",), ("wind_x", "shape (6, 9, 31, 37)")),
    ],
)
def test_files_that_do_not_fit(
    lapwing: Lapwing, drive: Path, sets: tuple[str, ...], words: tuple[str, ...]
) -> None:
    more = [part for one in sets for part in ("--set", one)]
    answer = lapwing("run", "area-small", *SHORT, *driven(drive), *more, "--out", "x")
    assert answer.code == 2, answer.err
    for word in words:
        assert word in " ".join(answer.err.split()), answer.err


@pytest.mark.ranks
def test_a_file_on_a_coarser_grid_is_interpolated(
    lapwing: Lapwing, drive: Path, tmp_path: Path
) -> None:
    """Every second point of a file, its rows from north to south: the edge is a line between."""
    coarse = tmp_path / "coarse.nc"
    with xarray.open_dataset(drive, decode_times=False, mask_and_scale=False) as file:
        every = {name: slice(None, None, 2) for name in file.dims if str(name).startswith("x")}
        turned = {name: slice(None, None, -2) for name in file.dims if str(name).startswith("y")}
        file.isel(every | turned).to_netcdf(coarse)
    asked = ("run", "area-small", *EVERY, *driven(coarse), "--set", "run.duration=40min")
    for ranks in (1, 3):
        answer = lapwing(*asked, "--ranks", ranks, "--out", f"n{ranks}")
        assert answer.code == 0, answer.err
    given, found = (values(p, "surface_pressure") for p in (drive, tmp_path / "n1/output.nc"))
    west, expected = found[1:, :, 0], given[1 : len(found), :, 0].copy()
    expected[:, 1::2] = 0.5 * (expected[:, :-1:2] + expected[:, 2::2])
    assert np.allclose(west, expected, rtol=1e-14, atol=0)
    one, three = ((tmp_path / f"n{n}" / "restart.lapwing").read_bytes() for n in (1, 3))
    assert one == three


def test_a_file_without_a_variable(lapwing: Lapwing, drive: Path, tmp_path: Path) -> None:
    file = spoilt(drive, tmp_path / "lack.nc", lambda nc: nc.renameVariable("humidity", "damp"))
    answer = lapwing("run", "area-small", *SHORT, *driven(file), "--out", "x")
    assert answer.code == 2
    assert "humidity got: no such variable" in " ".join(answer.err.split())
