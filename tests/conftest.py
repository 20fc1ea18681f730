"""Fixtures for tests of programs as users start them."""

import functools
import subprocess
from collections.abc import Callable

import pytest


@pytest.fixture(scope="session")
def run_on_ranks(
    run_on_ranks: Callable[..., subprocess.CompletedProcess[str]],
) -> Callable[..., subprocess.CompletedProcess[str]]:
    """run_on_ranks of the project with new interpreters: a program must import all that it uses."""
    return functools.partial(run_on_ranks, anew=True)
