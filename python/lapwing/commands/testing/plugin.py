"""The plugin: a marker that runs a test on ranks, and a fixture that verifies a model.

Loaded into every session of pytest where lapwing is installed, so it imports little.
"""

from __future__ import annotations

import inspect
import os
import subprocess
import sys
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from lapwing.commands.testing.rank_reports import FOLDER, RankReports, write_report

MARKER = "lapwing(ranks, timeout=60): runs the test on so many ranks of MPI, which mpiexec starts"
DEFAULT_TIMEOUT = 60.0  # s


def pytest_configure(config: pytest.Config) -> None:
    """Declare the marker."""
    config.addinivalue_line("markers", MARKER)


# ---- in the session that the user started


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Let marked tests run on ranks; their fixtures are set up there, not here."""
    if os.environ.get(FOLDER):
        return
    for item in items:
        mark = item.get_closest_marker("lapwing")
        if mark is None or not isinstance(item, pytest.Function):
            continue
        item.fixturenames.clear()
        item.runtest = partial(run_on_ranks, item, mark)  # type: ignore[method-assign]


def run_on_ranks(item: pytest.Function, mark: pytest.Mark) -> None:
    """Run a marked test on its ranks, and fail with what each of them reports."""
    __tracebackhide__ = True
    from lapwing.core import mpi_runtime  # not where pytest starts

    ranks, timeout = asked_of(item.nodeid, mark)
    reports = RankReports(ranks, item.nodeid)
    with reports:
        environment = mpi_runtime.launcher_environment({**os.environ, FOLDER: str(reports.folder)})
        job = subprocess.Popen(
            [*mpi_runtime.launcher_command(ranks), *rank_command(item)],
            cwd=item.config.invocation_params.dir,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=reports.output,
            stderr=subprocess.STDOUT,
        )
        reports.watch(job, timeout)
    if skipped := reports.skipped():
        pytest.skip(skipped)
    if problem := reports.problem():
        pytest.fail(problem, pytrace=False)


def asked_of(test: str, mark: pytest.Mark) -> tuple[int, float]:
    """Ranks and seconds of a marker; the test fails where it says neither. Local."""
    ranks = mark.args[0] if mark.args else mark.kwargs.get("ranks")
    timeout = mark.kwargs.get("timeout", DEFAULT_TIMEOUT)
    words = len(mark.args) <= 1 and not {*mark.kwargs} - {"ranks", "timeout"}
    if isinstance(ranks, int) and ranks > 0 and isinstance(timeout, int | float) and words:
        return ranks, float(timeout)
    got = ", ".join([*map(repr, mark.args), *(f"{k}={v!r}" for k, v in mark.kwargs.items())])
    pytest.fail(
        f"marker lapwing of {test}: got ({got}); expected ranks=N, a positive number, and perhaps "
        "timeout=SECONDS; write @pytest.mark.lapwing(ranks=4)",
        pytrace=False,
    )


def rank_command(item: pytest.Function) -> list[str]:
    """The command that runs this test alone in each rank."""
    config = item.config
    given = [f"--rootdir={config.rootpath}", f"--import-mode={config.getoption('importmode')}"]
    if config.inipath is not None:
        given += ["-c", str(config.inipath)]
    for plugin in config.getoption("plugins") or []:
        given += ["-p", plugin]
    path, *inside = item.nodeid.split("::")
    test = "::".join([str(config.rootpath / path), *inside])
    quiet = ["-q", "--runxfail", "-p", "no:cacheprovider", "-o", "addopts="]
    return [sys.executable, "-m", "pytest", *given, *quiet, test]


# ---- in each rank


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Any:
    """Say in the end where each rank was, if it takes too long."""
    write_report("begun", item.nodeid)
    return (yield)


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Leave what became of the test for the session that started the ranks."""
    if report.when == "call" or report.outcome != "passed":
        words = report.longreprtext
        if report.outcome == "skipped" and isinstance(report.longrepr, tuple):
            words = report.longrepr[2].removeprefix("Skipped: ")
        sections = "".join(f"\n--- {name}\n{text.rstrip()}" for name, text in report.sections)
        write_report(report.outcome, words + (sections if report.outcome == "failed" else ""))


def pytest_collectreport(report: pytest.CollectReport) -> None:
    """The same of a file that cannot be imported there."""
    if report.outcome == "failed":
        write_report("failed", report.longreprtext)


# ---- the fixture


Model = str | Path | Callable[..., Any] | type


@pytest.fixture
def verify() -> Callable[..., None]:
    """Compare every strategy and transport of a model with one rank, bit by bit.

    verify(model, ranks=4, steps=20, strategies=None, transports=None, check=False, timeout=300):
    `model`: a class as `lapwing run` takes it, a function `model(comm, strategy, transport)`, or
    "FILE.py:CLASS"; `strategies`, `transports`: names, all by default; `check`: first with wrong
    values wherever a stage does not say that it reads. Runs `lapwing verify`; the test fails with
    what that prints where bits differ.
    """
    return verified


def verified(
    model: Model,
    *,
    ranks: int = 4,
    steps: int = 20,
    strategies: Iterable[str] | None = None,
    transports: Iterable[str] | None = None,
    check: bool = False,
    timeout: float = 300,
) -> None:
    """The work of the fixture."""
    __tracebackhide__ = True
    command = [sys.executable, "-m", "lapwing", "verify", subject_of(model)]
    command += ["--ranks", str(ranks), "--steps", str(steps), "--progress", "none"]
    for option, names in (("--strategy", strategies), ("--transport", transports)):
        if names is not None:
            command += [option, ",".join(names)]
    command += ["--check"] if check else []
    try:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=timeout,
        )
    except subprocess.TimeoutExpired as late:
        told = late.stdout.decode() if isinstance(late.stdout, bytes) else late.stdout or ""
        pytest.fail(f"lapwing verify: no end after {timeout:g} s\n{told}", pytrace=False)
    if done.returncode != 0:
        pytest.fail(f"{' '.join(command[2:])}\n{done.stdout}", pytrace=False)


def subject_of(model: Model) -> str:
    """The name that `lapwing verify` gives a model: FILE.py or FILE.py:CLASS. Local."""
    if isinstance(model, str | Path):
        return str(model)
    name = getattr(model, "__qualname__", "")
    if not inspect.isclass(model) and not (inspect.isfunction(model) and name == "model"):
        pytest.fail(
            f"model of verify: got {model!r}; expected a class, a function named model, or "
            "'FILE.py:CLASS'; pass one of these, from the top of its file",
            pytrace=False,
        )
    file = str(inspect.getsourcefile(model))
    return f"{file}:{name}" if inspect.isclass(model) else file
