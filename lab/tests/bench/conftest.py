"""What the tests of the benchmarks share: running one as a user does."""

import subprocess
import sys
from collections.abc import Callable, Sequence

import pytest
from lapwing.core import mpi_runtime
from lapwing_lab.bench import every, requests
from lapwing_lab.bench.measure.request import Request

RunBench = Callable[..., subprocess.CompletedProcess[str]]
Parse = Callable[[str, Sequence[str], int], Request]


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


@pytest.fixture(scope="session")
def parse() -> Parse:
    """The request in the options of a benchmark: parse(name, arguments, ranks)."""

    def parsed(name: str, arguments: Sequence[str], ranks: int) -> Request:
        options = every[name].make_context(name, list(arguments)).params
        return requests[name](**options | {"ranks": ranks})

    return parsed
