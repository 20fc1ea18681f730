"""Fixtures for tests that start commands or ranks, and the markers that follow from them."""

import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from command_server import LAPWING, Answer, CommandServer, Place, TooLongError, in_new_process
from hypothesis import settings
from lapwing.core import mpi_runtime
from tiny_install import install_tiny

# The same examples in every run; `pytest --hypothesis-profile=search` looks for new ones.
settings.register_profile("steady", deadline=None, derandomize=True, database=None)
settings.register_profile("search", deadline=None, print_blob=True)
settings.load_profile("steady")

# Unbuffered, a rank writes a line and its end separately, and lines of ranks run into another.
os.environ.pop("PYTHONUNBUFFERED", None)

# what a test needs that uses a fixture
NEEDS = {
    "run_on_ranks": "ranks",
    "small_disk": "root",
    "emulated_network": "root",
    "coarray_program": "compiler",
}


def pytest_itemcollected(item: pytest.Item) -> None:
    """Give a test the markers of its fixtures."""
    for fixture in getattr(item, "fixturenames", ()):
        if fixture in NEEDS:
            item.add_marker(NEEDS[fixture])


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run files first that start no ranks: they fail sooner."""
    starting = {item.path for item in items if item.get_closest_marker("ranks")}
    items.sort(key=lambda item: item.path in starting)


# ---- Python programs


RunOnRanks = Callable[..., subprocess.CompletedProcess[str]]

SKIPPED = pytest.StashKey[list[str]]()  # what programs said that they leave out


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    """List what programs left out for their number of ranks."""
    for line, times in Counter(config.stash.get(SKIPPED, [])).items():
        terminalreporter.write_line(f"{times} {line}")


def pytest_sessionfinish(session: pytest.Session) -> None:
    """A worker of pytest-xdist hands over what its programs left out."""
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["skipped"] = session.config.stash.get(SKIPPED, [])


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Collect what the programs of a worker left out."""
    more = getattr(node, "workeroutput", {}).get("skipped", [])
    node.config.stash.setdefault(SKIPPED, []).extend(more)


@pytest.fixture(scope="session")
def run_on_ranks(pytestconfig: pytest.Config, command_server: CommandServer) -> RunOnRanks:
    """Run Python code on N ranks of lapwing's MPI.

    run_on_ranks(ranks, code, *arguments, timeout=60, environment=None, check=True, anew=False)
    returns the completed process with its output as text. Where `check` is true and the exit code
    is not 0, or where it takes too long, the test fails and shows the output. A line "skipped:
    WHAT" of a program, for what it leaves out on `ranks` ranks, goes to the end of pytest's report.
    `anew`: ranks are new interpreters, as always with `environment`; else forks of one that has
    loaded lapwing (rank_server.py).
    """
    skipped = pytestconfig.stash.setdefault(SKIPPED, [])

    def run(
        ranks: int,
        code: str,
        *arguments: str,
        timeout: float = 60,
        environment: Mapping[str, str] | None = None,
        check: bool = True,
        anew: bool = False,
    ) -> subprocess.CompletedProcess[str]:
        python = sys.executable if anew or environment else str(command_server.rank)
        launcher = subprocess.Popen(
            [*mpi_runtime.launcher_command(ranks), python, "-c", code, *arguments],
            env=mpi_runtime.launcher_environment({**os.environ, **(environment or {})}),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        try:
            output, _ = launcher.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            # a killed launcher leaves its ranks behind, a terminated one ends them
            launcher.terminate()
            output, _ = launcher.communicate(timeout=10)
            pytest.fail(f"no end after {timeout} s on {ranks} ranks\n{output}")
        if check and launcher.returncode != 0:
            pytest.fail(f"exit code {launcher.returncode} on {ranks} ranks\n{output}")
        skipped.extend(line for line in output.splitlines() if line.startswith("skipped: "))
        return subprocess.CompletedProcess(launcher.args, launcher.returncode, output)

    return run


# ---- commands


@pytest.fixture(scope="session")
def tiny_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that offers python/tests/support/tiny_model.py as an installed package would."""
    return install_tiny(tmp_path_factory.mktemp("tiny"))


def command_environment(more: Mapping[str, str] | None = None) -> dict[str, str]:
    """The environment of a command: lines of 100 columns, no colours."""
    variables = mpi_runtime.launcher_environment({**os.environ, **(more or {})})
    return {**variables, "COLUMNS": "100", "NO_COLOR": "1"}


@pytest.fixture(scope="session")
def command_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[CommandServer]:
    """What forks for commands and for ranks."""
    server = CommandServer(command_environment(), tmp_path_factory.mktemp("ranks"))
    yield server
    server.close()


LapwingIn = Callable[..., Answer]
Lapwing = Callable[..., Answer]


@pytest.fixture(scope="session")
def lapwing_in(command_server: CommandServer, tiny_folder: Path) -> LapwingIn:
    """Run `lapwing ARGUMENTS` in a folder, with the tiny model installed.

    lapwing_in(folder, *arguments, timeout=60, before=(), environment=None, anew=False,
    pictures=False) returns exit code and output; a command that does not end in time fails the
    test. `before`: a command in front, like mpiexec. `anew`: in a process that has loaded nothing,
    as always with `before` and `environment`; else in a fork of one that has (command_server.py),
    and so are its ranks. All forks hash text alike; ranks of a command `anew` do not.
    `pictures`: whether those of the end of a run are drawn; else they are empty files.
    """

    def run(
        folder: Path,
        *arguments: object,
        timeout: float = 60,
        before: Sequence[str] = (),
        environment: Mapping[str, str] | None = None,
        anew: bool = False,
        pictures: bool = False,
    ) -> Answer:
        words = [str(argument) for argument in arguments]
        variables = command_environment(environment)
        if not pictures:
            variables["TINY_NO_PICTURES"] = "1"
        place = Place(folder, variables, tiny_folder)
        try:
            if anew or before or environment:
                return in_new_process(words, place, timeout, before)
            return command_server.run(words, place, timeout)
        except TooLongError as problem:
            pytest.fail(f"no end after {timeout} s: lapwing {arguments}\n{problem}")

    return run


@pytest.fixture
def lapwing(lapwing_in: LapwingIn, tmp_path: Path) -> Lapwing:
    """Run `lapwing ARGUMENTS` in an empty folder; options are those of `lapwing_in`."""

    def run(*arguments: object, **options: Any) -> Answer:
        return lapwing_in(tmp_path, *arguments, **options)

    return run


@pytest.fixture
def printed(lapwing: Lapwing) -> Callable[..., str]:
    """What `lapwing ARGUMENTS` prints; the test fails unless it ends with 0."""

    def run(*arguments: object, **options: Any) -> str:
        answer = lapwing(*arguments, **options)
        assert answer.code == 0, answer.out + answer.err
        return answer.out

    return run


@pytest.fixture
def begin(tiny_folder: Path, tmp_path: Path) -> Iterator[Callable[..., subprocess.Popen[str]]]:
    """Begin `lapwing ARGUMENTS` in an empty folder and go on once begun() is true, or it has ended.

    By default that is as soon as its ranks have written here/case.toml. What is left is killed.
    """
    jobs: list[subprocess.Popen[str]] = []

    def start(
        *arguments: str,
        begun: Callable[[], bool] = (tmp_path / "here" / "case.toml").exists,
        environment: Mapping[str, str] | None = None,
    ) -> subprocess.Popen[str]:
        job = subprocess.Popen(
            [*LAPWING, *arguments],
            env={**command_environment(environment), "PYTHONPATH": str(tiny_folder)},
            cwd=tmp_path,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        jobs.append(job)
        end = time.monotonic() + 60
        while not begun() and job.poll() is None and time.monotonic() < end:
            time.sleep(0.02)
        return job

    yield start
    for job in jobs:
        with job:
            job.kill()


@pytest.fixture
def ends_by_signal(begin: Callable[..., subprocess.Popen[str]]) -> Callable[..., str]:
    """Check that a command and all that it started end by a signal, and that it says so.

    ends_by_signal(number, arguments, begun, environment=None) sends the signal as soon as begun()
    is true, and returns the standard error.
    """

    def check(
        number: signal.Signals,
        arguments: Sequence[str],
        begun: Callable[[], bool],
        environment: Mapping[str, str] | None = None,
    ) -> str:
        job = begin(*arguments, begun=begun, environment=environment)
        there = begun()
        job.send_signal(number)
        # communicate waits until all that was started has closed its output
        _, err = job.communicate(timeout=30)
        assert there, err
        if number == signal.SIGKILL:
            assert job.returncode == -number
        else:
            assert job.returncode == 3, err
            assert f"ended by {number.name}" in err
        return err

    return check
