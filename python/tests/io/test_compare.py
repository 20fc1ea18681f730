"""`lapwing compare`: bits, numbers and exit codes."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import netCDF4
import numpy as np
import pytest
from lapwing.base.error import UserError
from lapwing.io.compare import compare_files

# the fixture in conftest.py
Lapwing = Callable[..., Any]
Write = Callable[..., Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def make(
        name: str,
        values: Any,
        kind: str = "f8",
        times: list[int] | None = None,
        variable: str = "level",
        **attributes: str,
    ) -> Path:
        values = np.asanyarray(values)
        path = tmp_path / name
        with netCDF4.Dataset(path, "w") as data:
            data.setncatts(attributes)
            data.createDimension("time", None)
            data.createDimension("x", values.shape[1])
            data.createVariable("time", "f8", ("time",))[:] = (
                np.arange(len(values)) if times is None else times
            )
            made = data.createVariable(variable, kind, ("time", "x"))
            made.units = "m"
            made[:] = values
        return path

    return make


VALUES = [[1.0, 2.0, np.nan], [4.0, -0.0, 6.0]]


def test_equal_in_spite_of_attributes(write: Write) -> None:
    assert compare_files(write("a", VALUES, history="x"), write("b", VALUES)) == []


def test_numbers_of_a_difference(write: Write) -> None:
    other = np.array(VALUES)
    other[0, 1] += 1e-9
    other[1, 0] -= 2.0
    (difference,) = compare_files(write("a", VALUES), write("b", other))
    assert (difference.variable, difference.count, difference.total) == ("level", 2, 6)
    assert difference.largest == 2.0
    assert difference.relative == 0.5
    assert difference.first == (0, 1)
    assert difference.units == "m"


def test_zeros_of_other_sign_differ_in_bits_only(write: Write) -> None:
    other = np.array(VALUES)
    other[1, 1] = 0.0
    (difference,) = compare_files(write("a", VALUES), write("b", other))
    assert (difference.count, difference.largest, difference.relative) == (1, 0.0, 0.0)


def test_nan_against_a_number_is_infinitely_far(write: Write) -> None:
    other = np.array(VALUES)
    other[0, 2] = 3.0
    (difference,) = compare_files(write("a", VALUES), write("b", other))
    assert (difference.count, difference.largest) == (1, np.inf)


def test_fill_values_are_bits_like_others(write: Write) -> None:
    masked = np.ma.masked_invalid(VALUES)
    filled = masked.filled(netCDF4.default_fillvals["f8"])
    assert compare_files(write("a", masked), write("b", filled)) == []
    assert len(compare_files(write("a", masked), write("b", VALUES))) == 1


@pytest.mark.parametrize("kind", ["i4", "i1", "u2", "f4"])
def test_other_types(write: Write, kind: str) -> None:
    values = np.arange(6).reshape(2, 3)
    assert compare_files(write("a", values, kind), write("b", values, kind)) == []
    (difference,) = compare_files(write("a", values, kind), write("b", values + 1, kind))
    assert (difference.count, difference.largest) == (6, 1.0)


def test_other_variables_types_and_shapes(write: Write) -> None:
    a, b = write("a", VALUES), write("b", VALUES, variable="depth")
    reasons = {d.variable: d.reason for d in compare_files(a, b)}
    assert reasons == {"level": "missing in the second file", "depth": "missing in the first file"}
    (difference,) = compare_files(a, write("c", VALUES, "f4"))
    assert difference.reason == "types float64 and float32"
    reasons = {d.variable: d.reason for d in compare_files(a, write("d", VALUES[:1]))}
    assert reasons["level"] == "shapes (2, 3) and (1, 3)"


def test_common_times(write: Write) -> None:
    a = write("a", [*VALUES, [7.0, 8.0, 9.0]], times=[0, 10, 20])
    b = write("b", [[7.0, 8.0, 9.0], [1.0, 1.0, 1.0]], times=[20, 30])
    assert compare_files(a, b, common_times=True) == []
    assert len(compare_files(a, b)) == 2
    with pytest.raises(UserError, match="no common time"):
        compare_files(a, write("c", VALUES, times=[40, 50]), common_times=True)


@pytest.mark.ranks  # starts processes, none of MPI; here so that both MPIs see the command
def test_exit_codes_and_words(lapwing: Lapwing, write: Write, tmp_path: Path) -> None:
    a, b = write("a.nc", VALUES), write("b.nc", [[1.0, 2.5, np.nan], [4.0, -0.0, 6.0]])
    equal = lapwing("compare", a, a)
    assert (equal.code, equal.out) == (0, "bitwise equal\n")
    other = lapwing("compare", a, b)
    assert other.code == 1
    assert other.out == (
        "level: 1 of 6 values differ, largest 0.5 m, relative 0.2, first at [0, 1]\n"
    )
    (tmp_path / "text.nc").write_text("no NetCDF")
    (tmp_path / "half.nc").write_bytes(a.read_bytes()[:700])
    for bad in ("text.nc", "half.nc", "nowhere.nc"):
        answer = lapwing("compare", a, bad)
        assert answer.code == 2
        assert "a readable NetCDF file" in answer.err
        assert "Traceback" not in answer.err


def test_groups_count(tmp_path: Path, lapwing: Lapwing) -> None:
    def make(name: str, value: float, inner: str = "inner") -> Path:
        with netCDF4.Dataset(tmp_path / name, "w") as data:
            data.createDimension("x", 3)
            group = data.createGroup("outer").createGroup(inner)
            group.createVariable("level", "f8", ("x",))[:] = [1.0, value, 3.0]
            group.set_auto_maskandscale(False)
        return tmp_path / name

    a = make("a.nc", 2.0)
    assert compare_files(a, make("same.nc", 2.0)) == []
    (found,) = compare_files(a, make("b.nc", 2.5))
    assert (found.variable, found.count, found.largest) == ("outer/inner/level", 1, 0.5)
    answer = lapwing("compare", "a.nc", make("c.nc", 2.0, "other"))
    assert answer.code == 1
    assert "outer/inner/level: missing in the second file" in answer.out
    assert "outer/other/level: missing in the first file" in answer.out
