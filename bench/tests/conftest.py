"""What the tests of the benchmarks share: running one as a user does."""

import subprocess
import sys
from collections.abc import Callable

import pytest
from lapwing.core import mpi_runtime

RunBench = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="session")
def run_bench() -> RunBench:
    """Run `lapwing bench NAME ARGUMENTS`: run_bench(name, *arguments, timeout=100)."""

    def run(name: str, *arguments: str, timeout: float = 100) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "lapwing", "bench", name, *arguments],
            env=mpi_runtime.launcher_environment(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=timeout,
            check=False,
        )

    return run
