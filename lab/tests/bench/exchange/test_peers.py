"""Peers of `lapwing bench exchange`: programs on ranks of their own that alternate."""

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from lapwing.core import mpi_runtime
from lapwing_lab.bench.exchange.peer_program import PeerProgram
from lapwing_lab.bench.measure.method import MethodMissingError

RunOnRanks = Callable[..., subprocess.CompletedProcess[str]]


# Every rank says what a method of a program at a path does on works of all kinds.
EVERY_WORK = """
import sys
from pathlib import Path
from lapwing.core import mpi_runtime
comm = mpi_runtime.start().COMM_WORLD
from lapwing_lab.bench.exchange.exchange import work_of
from lapwing_lab.bench.exchange.request import ExchangeRequest
from lapwing_lab.bench.measure.options import shape_like
from lapwing_lab.bench.exchange.peer_program import PeerMethod, PeerProgram
path, name, cut, width = sys.argv[1:]
program = PeerProgram.at(Path(path))
names = ("3x2d-60", "3d-40x24", "3d-40x24@levels", "8x3d-60@levels")
request = ExchangeRequest(
    ranks=comm.size, works=names, shape=shape_like("2x1")(cut), width=int(width)
)
for work in names:
    method = PeerMethod(comm, work_of(request, work), program, name)
    assert method.wrong_cells() == 0, work
    both, touch = method.sample(3)
    assert both > 0 and touch >= 0
    assert method.wrong_after_sample() == 0, work
    assert method.wrong_cells() == 0, work
    method.close()
    comm.Barrier()
    assert not method.job.folder.exists()
print("all right")
"""


@pytest.fixture(scope="session")
def hand_peer() -> Path:
    """The program that is built with the tests, on the MPI of this environment."""
    for path in sorted(Path(__file__).parents[4].glob("build/*/peers/hand_peer")):
        if PeerProgram.at(path).mpi == mpi_runtime.built_with():
            return path
    pytest.skip("hand_peer is not built: it comes with `make build`")


@pytest.mark.any_mpi
@pytest.mark.parametrize(("ranks", "shape", "width"), [(1, "1x1", 2), (2, "1x2", 2), (4, "2x2", 5)])
@pytest.mark.parametrize("method", ["hand-combined", "hand-separate"])
def test_turns_with_a_program(
    run_on_ranks: RunOnRanks, hand_peer: Path, method: str, ranks: int, shape: str, width: int
) -> None:
    done = run_on_ranks(ranks, EVERY_WORK, str(hand_peer), method, shape, str(width))
    assert done.stdout.count("all right") == ranks


@pytest.mark.any_mpi
@pytest.mark.parametrize("library", ["ghex", "petsc"])
@pytest.mark.parametrize(("shape", "width"), [("1x2", 2), ("2x1", 5)])
def test_libraries_that_are_installed(
    run_on_ranks: RunOnRanks, library: str, shape: str, width: int
) -> None:
    try:
        program = PeerProgram.find(library)
    except MethodMissingError as reason:
        pytest.skip(f"{library}: {reason}")
    done = run_on_ranks(2, EVERY_WORK, str(program.path), library, shape, str(width), timeout=100)
    assert done.stdout.count("all right") == 2


START_NOTHING = """
from dataclasses import replace
from pathlib import Path
import sys
from lapwing.core import mpi_runtime
comm = mpi_runtime.start().COMM_WORLD
from lapwing_lab._core import ExchangeWork
from lapwing_lab.bench.measure.method import MethodMissingError
from lapwing_lab.bench.exchange.peer_program import PeerMethod, PeerProgram
program = PeerProgram.at(Path(sys.argv[1]))
work = ExchangeWork(6, 5, 0, 1, 2, [1, 2], False)
for wrong in ({"path": Path("/bin/false")}, {"launcher": "/not/there/mpiexec"}):
    try:
        PeerMethod(comm, work, replace(program, **wrong), "any")
    except MethodMissingError as reason:
        print(f"missing: {reason}")
"""


@pytest.mark.any_mpi
def test_a_program_that_ends_at_once_is_missing_on_all_ranks(
    run_on_ranks: RunOnRanks, hand_peer: Path
) -> None:
    done = run_on_ranks(2, START_NOTHING, str(hand_peer))
    assert done.stdout.count("did not start: ") == 4
    assert done.stdout.count("No such file or directory: '/not/there/mpiexec'") == 2


END_EARLY = """
import sys
from pathlib import Path
from lapwing.core import mpi_runtime
comm = mpi_runtime.start().COMM_WORLD
from lapwing_lab._core import ExchangeWork
from lapwing_lab.bench.exchange.peer_program import PeerMethod, PeerProgram
program = PeerProgram.at(Path(sys.argv[1]))
method = PeerMethod(comm, ExchangeWork(6, 5, 0, 1, 2, [1, 2], False), program, "hand-combined")
method.job.ask("sing")
"""


@pytest.mark.any_mpi
def test_a_program_that_stops_answering_ends_the_bench(
    run_on_ranks: RunOnRanks, hand_peer: Path
) -> None:
    done = run_on_ranks(2, END_EARLY, str(hand_peer), check=False)
    assert done.returncode != 0
    assert "a peer does not answer" in done.stdout


def test_a_program_that_is_not_there_says_how_to_get_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("sys.prefix", str(tmp_path))
    with pytest.raises(MethodMissingError, match=r"not installed \(no ghex_peer; `make peers`"):
        PeerProgram.find("ghex")
