"""Fixtures for tests that need more than one rank, and the settings of property-based tests."""

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import settings
from lapwing.core import mpi_runtime

# The same examples in every run; `pytest --hypothesis-profile=search` looks for new ones.
settings.register_profile("steady", deadline=None, derandomize=True, database=None)
settings.register_profile("search", deadline=None, print_blob=True)
settings.load_profile("steady")

# Unbuffered, a rank writes a line and its end separately, and lines of ranks run into another.
os.environ.pop("PYTHONUNBUFFERED", None)

RunOnRanks = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="session")
def run_on_ranks() -> RunOnRanks:
    """Run Python code on N ranks of lapwing's MPI.

    run_on_ranks(ranks, code, *arguments, timeout=60, environment=None, check=True) returns the
    completed process with its output as text. Where `check` is true and the exit code is not 0, or
    where it takes too long, the test fails and shows the output.
    """

    def run(
        ranks: int,
        code: str,
        *arguments: str,
        timeout: float = 60,
        environment: Mapping[str, str] | None = None,
        check: bool = True,
    ) -> subprocess.CompletedProcess[str]:
        launcher = subprocess.Popen(
            [*mpi_runtime.launcher_command(ranks), sys.executable, "-c", code, *arguments],
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
        return subprocess.CompletedProcess(launcher.args, launcher.returncode, output)

    return run


@pytest.fixture(scope="session")
def tiny_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that offers python/tests/support/tiny_model.py as an installed package would."""
    folder = tmp_path_factory.mktemp("tiny")
    source = Path(__file__).parent / "python" / "tests" / "support" / "tiny_model.py"
    shutil.copy(source, folder)
    about = folder / "tiny_model-0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: tiny-model\nVersion: 0\n")
    (about / "entry_points.txt").write_text("[lapwing.models]\ntiny = tiny_model:model\n")
    (folder / "tiny.toml").write_text(TINY_CASE)
    return folder


TINY_CASE = """\
model = "tiny"
title = "A tiny sea"
step = "60 s"

[run]
duration = "30 min"
check_every = 7

[output]
every = "5 min"

[grid]
nx = 12
ny = 10
"""


@dataclass(frozen=True)
class Answer:
    """What a command did: exit code, standard output and standard error."""

    code: int
    out: str
    err: str


Lapwing = Callable[..., Answer]


@pytest.fixture
def lapwing(tiny_folder: Path, tmp_path: Path) -> Lapwing:
    """Run `lapwing ARGUMENTS` in an empty folder, with the tiny model installed.

    lapwing(*arguments, timeout=60, before=(), environment=None) returns exit code and output; a
    command that does not end in time fails the test. `before`: a command in front, like mpiexec.
    """

    def run(
        *arguments: object,
        timeout: float = 60,
        before: Sequence[str] = (),
        environment: Mapping[str, str] | None = None,
    ) -> Answer:
        command = [*before, sys.executable, "-m", "lapwing", *map(str, arguments)]
        variables = mpi_runtime.launcher_environment({**os.environ, **(environment or {})})
        variables |= {"PYTHONPATH": str(tiny_folder), "COLUMNS": "100", "NO_COLOR": "1"}
        job = subprocess.Popen(
            command,
            env=variables,
            cwd=tmp_path,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        try:
            out, err = job.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            os.killpg(job.pid, signal.SIGTERM)
            out, err = job.communicate(timeout=10)
            pytest.fail(f"no end after {timeout} s: lapwing {arguments}\n{out}\n{err}")
        return Answer(job.returncode, out, err)

    return run
