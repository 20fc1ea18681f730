"""`lapwing run` with requests that cannot be served: exit code 2, one block, nothing left."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from answers import assert_wrong_request
from lapwing.core import mpi_runtime

pytestmark = [pytest.mark.ranks, pytest.mark.any_mpi]

# the fixture in conftest.py
Lapwing = Callable[..., Any]


def names(folder: Path) -> list[str]:
    """The contents of a folder, except for the lock that an ended job may leave."""
    there = folder.iterdir() if folder.exists() else ()
    return sorted(path.name for path in there if path.name != ".lapwing.lock")


# ---- requests that are wrong: exit code 2, one block, nothing in the folder

WRONG: dict[str, tuple[list[str], str]] = {
    "unknown strategy": (["--strategy", "blokcing"], "'blocking'"),
    "unknown strategy in the case": (["--set", "run.strategy=foo"], "one of: blocking"),
    "unknown transport": (["--transport", "pigeons"], "one of: auto, p2p"),
    "more ranks than cells": (["--ranks", "13", "--set", "ny=1", "--set", "land=false"], "13"),
    "more blocks than rows": (["--blocks", "1x11"], "blocks along y"),
    "unknown key": (["--set", "duratoin=3h"], "'run.duration'"),
    "ambiguous or wrong type": (["--set", "grid.nx=many"], "a whole number"),
    "no length of time": (["--set", "duration=3 lightyears"], '"3h"'),
    "unknown choice": (["--set", "precision=singel"], "'single'"),
    "no equals sign": (["--set", "duration"], "table.key=value"),
    "unknown variable": (["--set", "output.variables=['levle']"], "'level'"),
    "costs in a file that is not there": (
        ["--set", "run.partition=ksection", "--set", "run.costs=none.toml"],
        "run.costs none.toml",
    ),
    "cost of nothing": (
        ["--set", "run.partition=ksection", "--set", "run.costs=fun=1"],
        "unknown key 'fun'",
    ),
    "mask without wet cells": (["--set", "all_dry=true"], "no wet cell"),
    "fewer than no servers": (["--io-ranks", "-1"], "0 or more"),
    "servers only": (["--io-ranks", "2", "--ranks", "2"], "raise --ranks or lower --io-ranks"),
    "a server too many": (["--io-ranks", "3", "--ranks", "5"], "output.nc, restart.lapwing"),
    "blocks and servers": (["--io-ranks", "1", "--ranks", "3", "--blocks", "3x1"], "of the model"),
    "blocks and ranks differ": (["--blocks", "2x2", "--ranks", "3"], "4 blocks"),
    "no blocks": (["--blocks", "two"], '"4x2" or "1x2x2"'),
    "too many axes": (["--blocks", "1x2x2x1"], '"4x2" or "1x2x2"'),
    "no restart file": (["--restart", "nowhere"], "No such file"),
    "strange date": (["--set", "start=tomorrow"], "run.start"),
}


@pytest.mark.parametrize("what", WRONG)
def test_wrong_request(lapwing: Lapwing, tmp_path: Path, what: str) -> None:
    options, words = WRONG[what]
    answer = lapwing("run", "tiny", "--out", "here", *options)
    assert_wrong_request(answer, words)
    assert "error: rank 0" not in answer.err
    assert not (tmp_path / "here").exists()


@pytest.mark.parametrize("ranks", [1, 3])
def test_grid_smaller_than_halo(lapwing: Lapwing, tmp_path: Path, ranks: int) -> None:
    answer = lapwing("run", "tiny", "--out", "here", "--ranks", ranks, "--set", "halo=40")
    assert answer.code == 2, answer.out + answer.err
    assert answer.err.count("error:") == 1
    assert "halo" in answer.err
    assert not (tmp_path / "here").exists()


def test_what_the_model_refuses_leaves_no_folder(lapwing: Lapwing, tmp_path: Path) -> None:
    answer = lapwing("run", "kelvin-small", "--set", "time.step=1h")
    assert answer.code == 2
    assert "time step\n  got:      3600 s" in answer.err
    assert not (tmp_path / "out").exists()


def test_wrong_request_under_mpiexec_is_printed_once(lapwing: Lapwing, tmp_path: Path) -> None:
    before = mpi_runtime.launcher_command(3)
    answer = lapwing("run", "tiny", "--out", "here", "--set", "nz=4", before=before)
    assert answer.code == 2
    assert answer.err.count("error:") == 1
    answer = lapwing("run", "tiny", "--out", "here", "--ranks", 2, before=before)
    assert answer.code == 2
    assert "3, the ranks that mpiexec has started" in answer.err
    assert names(tmp_path / "here") == []


def test_unknown_case_names_the_nearest(lapwing: Lapwing) -> None:
    answer = lapwing("run", "tinny")
    assert answer.code == 2
    assert "did you mean 'tiny'?" in answer.err


def test_unknown_key_in_a_file_names_the_line(
    lapwing: Lapwing, tmp_path: Path, tiny_folder: Path
) -> None:
    text = (tiny_folder / "tiny.toml").read_text().replace("nx = 12", "nnx = 12")
    (tmp_path / "mine.toml").write_text(text)
    answer = lapwing("run", "mine.toml")
    assert answer.code == 2
    assert "mine.toml, line 13: grid.nnx" in answer.err
    assert "did you mean 'nx'?" in answer.err


def test_output_folder_that_cannot_be_made(lapwing: Lapwing, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    answer = lapwing("run", "tiny", "--ranks", 2, "--out", "file/here")
    assert answer.code == 2
    assert "--out file/here" in answer.err


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_output_folder_without_permission(lapwing: Lapwing, tmp_path: Path) -> None:
    (tmp_path / "closed").mkdir(mode=0o500)
    answer = lapwing("run", "tiny", "--ranks", 2, "--out", "closed")
    assert answer.code == 2
    assert "Permission denied" in answer.err


# ---- restart files


@pytest.fixture
def restart_file(lapwing: Lapwing, tmp_path: Path) -> Path:
    answer = lapwing("run", "tiny", "--set", "duration=10min", "--out", "before")
    assert answer.code == 0, answer.err
    return tmp_path / "before" / "restart.lapwing"


@pytest.mark.parametrize("ranks", [1, 2])
def test_truncated_and_corrupted_restart(
    lapwing: Lapwing, tmp_path: Path, restart_file: Path, ranks: int
) -> None:
    good = restart_file.read_bytes()
    damaged = bytearray(good)
    damaged[-100] ^= 1
    for content, words in (
        (good[:-50], "truncated"),
        (good[:40], "begins otherwise"),
        (b"", "begins otherwise"),
        (bytes(damaged), "corrupted"),
    ):
        (tmp_path / "bad").write_bytes(content)
        answer = lapwing("run", "tiny", "--ranks", ranks, "--restart", "bad", "--out", "here")
        assert answer.code == 2, answer.err
        assert words in answer.err
        assert names(tmp_path / "here") == []


def test_restart_of_another_case(lapwing: Lapwing, tmp_path: Path, restart_file: Path) -> None:
    for change, words in (("pace=0.5", "pace = 0.25"), ("nx=13", "[12, 10, 1]")):
        answer = lapwing("run", "tiny", "--set", change, "--restart", restart_file, "--out", "here")
        assert answer.code == 2
        assert words in answer.err
        assert names(tmp_path / "here") == []


def test_restart_beyond_the_end(lapwing: Lapwing, restart_file: Path) -> None:
    answer = lapwing("run", "tiny", "--set", "duration=5min", "--restart", restart_file)
    assert answer.code == 2
    assert "run.duration" in answer.err
