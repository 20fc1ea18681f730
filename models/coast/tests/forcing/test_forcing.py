"""Forcing files: what they do to the sea, and which are refused."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import netCDF4
import numpy as np
import pytest
from lapwing.base.error import UserError
from lapwing.model.case import geometry_of, load_case
from lapwing_coast import model
from test_layered import CLOSED, SMALL, content, values

MakeSea = Callable[..., Any]  # see conftest.py
Lapwing = Callable[..., Any]  # see conftest.py of the whole repository
RunOnRanks = Callable[..., Any]  # there too
Write = Callable[..., str]

UNITS = {"wind_x": "N m-2", "wind_y": "N m-2", "heat": "W m-2", "freshwater": "m s-1"}
NO_NUMBERS = ("forcing.wind_x=0", "forcing.heat=0")
DURATION = "run.duration=100min"  # ten steps


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Write a forcing file: write(times, units of the time, name=values or (values, unit))."""

    def written(
        times: Any,
        units: str = "hours since 2000-01-01 00:00:00",
        calendar: str = "",
        **series: Any,
    ) -> str:
        path = tmp_path / "wind.nc"
        with netCDF4.Dataset(path, "w") as file:
            file.createDimension("time", len(times))
            time = file.createVariable("time", "f8", ("time",))
            time.units = units
            if calendar:
                time.calendar = calendar
            time[:] = times
            for name, said in series.items():
                numbers, unit = said if isinstance(said, tuple) else (said, UNITS.get(name, "1"))
                one = file.createVariable(name, "f8", ("time",))
                one.units = unit
                one[:] = numbers
        return f"forcing.file={path}"

    return written


def test_a_ramp_warms_by_its_integral(make_sea: MakeSea, write: Write) -> None:
    """Heat that rises from 0 to 200 W/m2 and rain that ceases, over the run, in dates and hours."""
    file = write(
        [-1, 1, 3], "hours since 2000-01-01 01:00", heat=[0, 0, 200], freshwater=[2e-7, 1e-7, 0]
    )
    start = ("run.start=2000-01-01 02:00", "run.duration=2h")
    sea = make_sea(SMALL, *CLOSED, *NO_NUMBERS, "initial.shape=uniform", *start, file)
    heat, salt = content(sea, "temperature"), content(sea, "salinity")
    cells, seconds = 31 * 27, 12 * sea.run.dt
    sea.run.advance(12)
    warmed = (content(sea, "temperature") - heat) / cells  # K m
    freshened = (content(sea, "salinity") - salt) / cells  # g/kg m
    assert seconds == 7200.0
    assert warmed == pytest.approx(seconds * 100.0 / (1025.0 * 3990.0), rel=1e-9)
    assert freshened == pytest.approx(-seconds * 35.0 * 0.5e-7, rel=1e-9)


def test_equal_values_have_the_bits_of_the_number(make_sea: MakeSea, write: Write) -> None:
    """Every quantity, at times of which some fall into a step."""
    numbers = {"wind_x": 0.05, "wind_y": -0.03, "heat": 100.0, "freshwater": 1e-7}
    file = write([0, 0.21, 7], **{name: [number] * 3 for name, number in numbers.items()})
    plain = make_sea(SMALL, *(f"forcing.{name}={number}" for name, number in numbers.items()))
    forced = make_sea(SMALL, *NO_NUMBERS, DURATION, file)
    for sea in (plain, forced):
        sea.run.advance(10)
    for name in plain.run.state:
        assert np.array_equal(values(plain, name), values(forced, name)), name


def test_numbers_hold_for_what_the_file_has_not(make_sea: MakeSea, write: Write) -> None:
    """The wind of the case, the heat of the file."""
    plain = make_sea(SMALL, "forcing.heat=0")
    forced = make_sea(SMALL, "forcing.heat=0", DURATION, write([0, 2], heat=[0, 0]))
    for sea in (plain, forced):
        sea.run.advance(5)
    assert np.abs(values(forced, "flow_x")).max() > 0
    assert np.array_equal(values(plain, "flow_x"), values(forced, "flow_x"))


def test_restart_has_the_same_bits(make_sea: MakeSea, continued: MakeSea, write: Write) -> None:
    """In the middle of a wind that turns."""
    file = write([0, 1, 2], wind_x=[0, 0.1, -0.1], wind_y=[0.1, 0, 0], heat=[0, 300, 0])
    case = (SMALL, *NO_NUMBERS, DURATION, "time.micro_steps=5", file)
    whole = continued(*case)
    calm = make_sea(SMALL, *NO_NUMBERS, "time.micro_steps=5")
    calm.run.advance(9)
    assert not np.array_equal(values(whole, "flow_x"), values(calm, "flow_x"))


@pytest.mark.parametrize(
    ("changes", "sets", "parts"),
    [
        ({"heat": None}, (), ("none of the variables", "wind_x, wind_y, heat", "rename")),
        ({"times": [2, 2]}, (), ("2 and then 2", "later", "sort")),
        ({"times": [0, 1]}, (), ("0 s to 3600 s", "0 s to 6000 s", "run.duration")),
        ({"times": [1, 3]}, (), ("3600 s to 10800 s", "cover the run", "run.start")),
        ({"units": "hours since the start"}, (), ("hours since the start", "a DATE", "units")),
        ({"units": "m"}, (), ("'m'", "a DATE", "units")),
        ({"calendar": "noleap"}, (), ("noleap", "standard", "convert")),
        ({"heat": [1, np.nan]}, (), ("number 1", "finite", "fill")),
        ({"heat": ([1, 1], "J m-2")}, (), ("'J m-2'", "'W m-2'", "convert")),
        ({}, ("forcing.heat=5",), ("5 in the case", "one of them", "leave the number out")),
    ],
)
def test_bad_files_are_refused(
    write: Write, changes: dict[str, Any], sets: tuple[str, ...], parts: tuple[str, str, str]
) -> None:
    """With what it is about, what was found, what would do and how to fix it."""
    good = {"times": [0, 2], "heat": [1, 1]}
    file = write(**{name: it for name, it in (good | changes).items() if it is not None})
    case = load_case(SMALL, {"coast": model}, (*NO_NUMBERS, DURATION, file, *sets))
    pattern = "forcing.*: got .*{}.*; expected .*{}.*; .*{}".format(*parts)
    with pytest.raises(UserError, match=pattern):
        geometry_of(case)


def test_other_dimensions_are_refused(tmp_path: Path) -> None:
    """A field in place of a series."""
    with netCDF4.Dataset(tmp_path / "wind.nc", "w") as file:
        file.createDimension("time", 2)
        file.createDimension("x", 3)
        file.createVariable("time", "f8", ("time",)).units = "hours since 2000-01-01"
        file["time"][:] = [0, 2]
        file.createVariable("heat", "f8", ("time", "x")).units = "W m-2"
    sets = (*NO_NUMBERS, DURATION, f"forcing.file={tmp_path / 'wind.nc'}")
    with pytest.raises(UserError, match=r"heat: got .*'x'.*; expected .*time alone.*; average"):
        geometry_of(load_case(SMALL, {"coast": model}, sets))


def test_files_that_are_none_are_refused(tmp_path: Path) -> None:
    """No file of this name, and one that is no NetCDF."""

    def refused(match: str) -> None:
        sets = (*NO_NUMBERS, f"forcing.file={tmp_path / 'wind.nc'}")
        with pytest.raises(UserError, match=match):
            geometry_of(load_case(SMALL, {"coast": model}, sets))

    refused(r"forcing.file: got .*wind.nc, no such file; expected a NetCDF file.*; correct the")
    (tmp_path / "wind.nc").write_text("calm")
    refused(r"forcing.file: got .*wind.nc.*; expected a NetCDF file.*; write the file again")


def test_a_file_that_nobody_has_read_is_refused(make_sea: MakeSea, write: Write) -> None:
    """By those who make the geometry themselves."""
    file = write([0, 2], heat=[1, 1])
    with pytest.raises(UserError, match=r"forcing.file: .*nobody.*; expected .*; .*geometry_of"):
        make_sea(SMALL, *NO_NUMBERS, DURATION, file, inputs=False)


OTHER_FORCING = """
import dataclasses
import sys

from lapwing.model.case import geometry_of, load_case
from lapwing.core.domain import Domain
from lapwing.base.error import UserError
from lapwing_coast import model

case = load_case("kelvin3d-small", {"coast": model}, sys.argv[1:])
geometry = geometry_of(case)
domain = Domain(geometry.grid)
geometry.forcing.values["heat"][0] += domain.rank
try:
    model.create(domain, case.settings, geometry, strategy="blocking", transport="p2p")
except UserError as error:
    assert "forcing of the layers" in str(error), str(error)
    print("refused on", domain.rank)
domain.close()
"""


def test_ranks_that_differ_are_refused(run_on_ranks: RunOnRanks, write: Write) -> None:
    """On every rank."""
    file = write([0, 2], heat=[1, 1])
    output = run_on_ranks(2, OTHER_FORCING, *NO_NUMBERS, DURATION, file).stdout
    assert output.count("refused on") == 2


@pytest.mark.ranks
def test_the_case_that_a_run_leaves_finds_the_file(
    lapwing: Lapwing, write: Write, tmp_path: Path
) -> None:
    """A name relative to the case file, from another folder, on two ranks and then on one."""
    write([0, 2], heat=[1, 100])
    shipped = model.cases[SMALL].read_text(encoding="utf-8")
    text = shipped.replace("wind_x = 0.05 # N/m2\nheat = 100.0  # W/m2", 'file = "wind.nc"')
    assert text != shipped
    (tmp_path / "mine.toml").write_text(text, encoding="utf-8")
    few = ("--progress", "none", "--set", DURATION)
    answer = lapwing("run", "mine.toml", *few, "--out", "deep/first", "--ranks", 2)
    assert answer.code == 0, answer.err
    assert 'file = "../../wind.nc"' in (tmp_path / "deep/first/case.toml").read_text()
    answer = lapwing("run", "deep/first/case.toml", *few, "--out", "second")
    assert answer.code == 0, answer.err
    answer = lapwing("compare", "deep/first/output.nc", "second/output.nc")
    assert (answer.code, answer.out) == (0, "bitwise equal\n")
