"""What other packages offer to lapwing: models and benchmarks, found through entry points."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib.metadata import entry_points
from typing import Any

from lapwing.base.error import outside_error
from lapwing.model.model import Model

# Called on every rank, after MPI has started, with the arguments that follow its name on the
# command line; returns an exit code, or None for 0. An attribute `default_ranks` says how many
# ranks to start where the user does not; 1 without it. `takes` and `examples` are for the help.
Benchmark = Callable[[list[str]], int | None]


def _load(group: str) -> dict[str, Any]:
    found = {}
    for entry in entry_points(group=group):
        try:
            found[entry.name] = entry.load()
        except (ImportError, AttributeError) as problem:
            raise outside_error(
                f"{group} {entry.name!r}",
                str(problem),
                f"the package behind {entry.value!r} to load",
                "reinstall it, and ask `lapwing doctor` what is missing",
            ) from problem
    return found


def installed_models() -> dict[str, Model]:
    """The installed models by name. Local; OutsideError when one cannot be imported."""
    return _load("lapwing.models")


def installed_benchmarks() -> dict[str, Benchmark]:
    """The installed benchmarks by name. Local; OutsideError when one cannot be imported."""
    benchmarks: dict[str, Benchmark] = {}
    for offered in _load("lapwing.bench").values():
        table: Mapping[str, Benchmark] = offered
        benchmarks.update(table)
    return benchmarks
