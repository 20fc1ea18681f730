"""Numbers, texts and names of any size are judged before anything is computed."""

import time
from collections.abc import Callable
from pathlib import Path

import netCDF4
import numpy as np
import pytest
from command_server import Answer
from trust_places import memory_group, needs_memory_groups

Lapwing = Callable[..., Answer]

LONG = "a" * 300
HUGE = "99999999999"


def assert_refused(answer: Answer, *words: str) -> None:
    text = answer.out + answer.err
    assert answer.code == 2, text
    assert "Traceback" not in text
    assert len(text) < 4000
    for word in words:
        assert word in " ".join(text.replace("│", " ").split()), text


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ("run.duration=inf", ("run.duration",)),
        ("run.duration=1e300", ("run.duration", "end before the year 10000")),
        ("run.start=9999-12-31", ("run.start",)),
        ("time.step=1e-300", ("steps", "a longer step")),
        ("output.every=inf", ("output.every",)),
        ("run.check_every=99999999999999999999", ("run.check_every", "2147483647")),
        ("grid.spacing_x=" + "9" * 400, ("grid.spacing_x", "a number")),
        ("title=" + "x" * 5000, ("title", "at most 1000 characters")),
        ("depth.depth=" + "[" * 100_000, ("depth.depth",)),
        ("grid.mask=" + LONG, ("grid.mask", "File name too long")),
    ],
)
def test_settings(lapwing: Lapwing, change: str, words: tuple[str, ...]) -> None:
    began = time.monotonic()
    assert_refused(lapwing("run", "kelvin-small", "--set", change, "--out", "here"), *words)
    assert time.monotonic() - began < 10


@pytest.mark.parametrize("case", ["kelvin-small", "gravity-wave", "taylor-green"])
def test_a_grid_for_which_there_is_no_memory(lapwing: Lapwing, case: str) -> None:
    began = time.monotonic()
    cells = ("--set", "cells_x=1000000000", "--set", "cells_y=1000000000")
    assert_refused(
        lapwing("run", case, *cells, "--out", "here"),
        "1000000000 x 1000000000", "the memory of this machine",
    )  # fmt: skip
    assert time.monotonic() - began < 10


@pytest.mark.root
@pytest.mark.ranks
def test_fields_are_compared_with_what_a_control_group_leaves(
    lapwing: Lapwing, tmp_path: Path
) -> None:
    """The mask fits into it, and the fields into the machine: none is touched."""
    if missing := needs_memory_groups():
        pytest.skip(missing)
    with memory_group(600 << 20)(tmp_path) as group:
        cells = ("--set", "cells_x=3000", "--set", "cells_y=3000")
        answer = lapwing(
            "run", "kelvin-small", "--ranks", 2, *cells, "--out", "here", before=group.before
        )
    assert answer.code in (2, 3), answer.out + answer.err
    assert "bytes available on this node" in answer.err, answer.err
    assert "signal 9" not in answer.err


@pytest.mark.parametrize(
    "command",
    [
        ("run", "kelvin-small", "--ranks", HUGE),
        ("run", "kelvin-small", "--blocks", f"{HUGE}x1"),
        ("run", "kelvin-small", "--io-ranks", HUGE),
        ("plan", "kelvin-small", "--ranks", HUGE),
        ("run", LONG),
        ("run", "kelvin-small", "--out", LONG),
        ("run", "kelvin-small", "--restart", LONG),
        ("census", "kelvin-small", "--json", LONG),
        ("compare", LONG, LONG),
    ],
)
def test_commands(lapwing: Lapwing, command: tuple[str, ...]) -> None:
    assert_refused(lapwing(*command))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("x = " + "[" * 100_000 + "]" * 100_000, ("case file case.toml", "nested")),
        ('model = ["coast"]', ("model", "['coast']")),
        ("model = 7", ("model", "7")),
        ('model = "coast"\ntitle = "' + "x" * 5_000_000 + '"', ("title", "1000 characters")),
        ('model = "coast"\ntitle = ["x"]', ("title", "text in quotes")),
        ('model = "coast"\n[run]\nblocks = [99999999999, 1]', ("run.blocks.0", "2147483647")),
    ],
)
def test_case_files(lapwing: Lapwing, tmp_path: Path, text: str, words: tuple[str, ...]) -> None:
    (tmp_path / "case.toml").write_text(text)
    began = time.monotonic()
    assert_refused(lapwing("run", "case.toml", "--out", "here"), *words)
    assert time.monotonic() - began < 10


@pytest.fixture
def sea(tmp_path: Path) -> Path:
    """A mask of 110 x 90 cells, all of them wet."""
    with netCDF4.Dataset(tmp_path / "sea.nc", "w") as file:
        file.createDimension("lat", 90)
        file.createDimension("lon", 110)
        file.createVariable("wet", "i1", ("lat", "lon"))[:] = np.ones((90, 110), dtype=np.int8)
    return tmp_path / "sea.nc"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("-n", HUGE), ("-n", "9900, the wet points")),
        (("-n", "9" * 5000), ("-n",)),
        (("-n", "9800"), ("-n", "9800", "1 to 5000", "8 wet points per rank")),
        (("-n", "12", "--width", HUGE), ("--width",)),
        (("-n", "12", "--width", "10000"), ("--width", "10000", "0 to 100")),
        (("-n", "12", "--ranks-per-node", HUGE), ("--ranks-per-node",)),
        (("-n", "12", "--threads", HUGE), ("threads",)),
        (("-n", "12", "--plot", LONG), ("--plot", "File name too long")),
    ],
)
def test_partition(
    lapwing: Lapwing, sea: Path, options: tuple[str, ...], words: tuple[str, ...]
) -> None:
    began = time.monotonic()
    assert_refused(lapwing("partition", sea.name, *options), *words)
    assert time.monotonic() - began < 10
