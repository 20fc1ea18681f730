"""Ranks on cores of their own."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from lapwing.core import mpi_runtime
from lapwing_lab.bench.measure.binding import spread

RunOnRanks = Callable[..., subprocess.CompletedProcess[str]]


def test_threads_that_share_a_core_come_last() -> None:
    assert spread([0, 1, 2, 3], ["0-1", "0-1", "2-3", "2-3"]) == [0, 2, 1, 3]
    assert spread([0, 1, 2, 3], ["0,2", "1,3", "0,2", "1,3"]) == [0, 1, 2, 3]
    assert spread([5], ["5"]) == [5]


BOUND = """
import os
from lapwing.core import mpi_runtime
comm = mpi_runtime.start().COMM_WORLD
from lapwing_lab.bench.measure.binding import bound_to_cores, cores_of_ranks
before = os.sched_getaffinity(0)
with bound_to_cores(comm) as bound:
    during = comm.allgather(sorted(os.sched_getaffinity(0)))
    cores = cores_of_ranks(comm)
enough = len(before) >= comm.size
assert bound == enough
if enough:
    assert all(len(one) == 1 for one in during) and cores == [one[0] for one in during]
    assert len(set(cores)) == comm.size and set(cores) <= before
else:
    assert cores == [] and all(set(one) == before for one in during)
assert os.sched_getaffinity(0) == before
print("all right")
"""


def test_ranks_get_cores_of_their_own_where_there_are_enough(run_on_ranks: RunOnRanks) -> None:
    for ranks in (2, 3):
        assert run_on_ranks(ranks, BOUND).stdout.count("all right") == ranks


ON_NODES = """
import json, os
from lapwing.core import mpi_runtime
comm = mpi_runtime.start().COMM_WORLD
from lapwing_lab.bench.measure.binding import bound_to_cores
with bound_to_cores(comm):
    during = comm.allgather(sorted(os.sched_getaffinity(0)))
comm.rank or print("BOUND", json.dumps([sorted(os.sched_getaffinity(0)), during]), flush=True)
"""


@pytest.mark.usefixtures("emulated_network")
def test_ranks_of_emulated_nodes_share_no_core(lapwing: Callable[..., Any], tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(ON_NODES)
    start = mpi_runtime.launcher_command(2)
    nodes = ("netlab", "run", "--nodes", "2", "--rate", "1gbit", "--")
    done = lapwing(*nodes, *start, sys.executable, program, timeout=100)
    assert done.code == 0, done.out + done.err
    [line] = [line for line in done.out.splitlines() if line.startswith("BOUND ")]
    offered, during = json.loads(line.removeprefix("BOUND "))
    if len(offered) < 2:
        pytest.skip("one core")
    assert [len(cores) for cores in during] == [1, 1]
    assert during[0] != during[1]
