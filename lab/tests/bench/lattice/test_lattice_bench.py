"""`lapwing bench lattice` on a few cells: complete, and consistent in itself."""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from lapwing.base.error import UserError
from lapwing_lab import _core
from lapwing_lab.bench.lattice.lbmpy import lattice_of
from lapwing_lab.bench.lattice.request import METHODS

RunBench = Callable[..., "subprocess.CompletedProcess[str]"]
RunOnRanks = Callable[..., "subprocess.CompletedProcess[str]"]

Parse = Callable[..., Any]  # the fixture in conftest.py


@pytest.mark.ranks
@pytest.mark.any_mpi
def test_rates_follow_from_times(run_bench: RunBench, tmp_path: Path) -> None:
    file = tmp_path / "lattice.json"
    options = ("--works", "8", "--steps", "2", "--samples", "2", "--per-rank")
    ways = ("--methods", "two-lattice,in-place", "--blocks", "1x1x2,2x1x1,1x1x1")
    done = run_bench("lattice", "--ranks", "2", *options, *ways, "--json", str(file))
    assert done.returncode == 0, done.stdout + done.stderr
    document = json.loads(file.read_text())
    assert document["schema"] == "lapwing-bench-1"
    rows = {(row["work"], row["method"]): row for row in document["results"]}
    works = {"8-per-rank": 2, "8-per-rank@2x1x1": 2, "8-per-rank@1x1x1": 1}
    moved = {"copy-blocked": 456, "copy-pieces": 456}  # bytes per cell: 3 of 19 values, or 2
    moved |= {"copy-nontemporal": 304} if _core.has_nontemporal_stores() else {}
    assert set(rows) == {
        (work, method) for work in works for method in (*moved, "two-lattice", "in-place")
    }
    for work, ranks in works.items():
        cells = ranks * 8**3
        bandwidths = {copy: rows[work, copy]["extra"]["bandwidth"] for copy in moved}
        for copy, size in moved.items():
            assert bandwidths[copy] == pytest.approx(size * cells / rows[work, copy]["median"])
        # the fastest copy, and the most bytes per second of any
        fastest = max(bandwidths[copy] / moved[copy] for copy in moved)
        limits = {"two-lattice": fastest, "in-place": max(bandwidths.values()) / 304}
        for method, limit in limits.items():
            row = rows[work, method]
            rate = cells / row["median"]
            assert row["extra"]["mlups"] == pytest.approx(rate / 1e6)
            assert row["extra"]["limit_share"] == pytest.approx(rate / limit)
            whole = rows["8-per-rank", method]["extra"]["mlups"] / 2
            share = row["extra"]["mlups"] / ranks / whole
            assert row["extra"]["rank_over_first"] == pytest.approx(share)


@pytest.mark.any_mpi
def test_other_ranks_sleep_and_hear_of_failures(run_on_ranks: RunOnRanks) -> None:
    program = """
import time

from lapwing.base.error import UserError
from lapwing_lab.bench.measure.domains import on_first_ranks
from mpi4py import MPI

world = MPI.COMM_WORLD


def work(comm):
    if world.rank != 0:
        raise AssertionError("not of the first ranks")
    time.sleep(0.5)
    return comm.size


began = time.process_time()
assert on_first_ranks(world, 1, work) == (1 if world.rank == 0 else None)
assert time.process_time() - began < 0.25


def failing(comm):
    raise UserError("no luck")


try:
    on_first_ranks(world, 1, failing)
except UserError as problem:
    print(f"{world.rank}: {problem}", flush=True)
"""
    done = run_on_ranks(2, program)
    assert {line[:2] for line in done.stdout.splitlines() if "no luck" in line} == {"0:", "1:"}


def test_requests(parse: Parse) -> None:
    request = parse("lattice", [], 2)
    assert request.works == (128, 256)
    assert request.methods == METHODS
    assert request.cuts == ((1, 1, 2),)
    assert request.cells(128, (1, 1, 2)) == (128, 128, 128)
    weak = parse("lattice", ["--per-rank", "--works", "96", "--blocks", "2x1x1"], 2)
    assert weak.cells(96, (2, 1, 1)) == (192, 96, 96)
    for bad, message in (
        (["--methods", "push"], "--methods"),
        (["--blocks", "1x1x3"], "3 blocks; expected at most 2"),
        (["--blocks", "2x1"], "--blocks"),
        (["--works", "3"], "--works"),
    ):
        with pytest.raises(UserError, match=message):
            parse("lattice", bad, 2)


def test_lattices_of_lbmpy_are_padded_like_ours() -> None:
    lattice = lattice_of((4, 5, 6))
    assert lattice.shape == (6, 7, 8, 19)
    assert (lattice == 1.0 / 19.0).all()
    assert lattice.ctypes.data % 64 == 0
    assert [stride % 64 for stride in lattice.strides] == [8, 0, 0, 0]  # rows begin on lines
    assert lattice.strides[3] % 4096 == 27 * 64
