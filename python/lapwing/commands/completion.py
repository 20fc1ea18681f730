"""Names that a shell completes in options and arguments, found when the user presses Tab.

The extension and the models that know the names take their time to load, and may be missing: then
nothing is completed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence


def strategies(incomplete: str) -> list[str]:
    """Complete the last name of a list of strategies. Local."""
    return _in_list(incomplete, _strategies)


def transports(incomplete: str) -> list[str]:
    """Complete the last name of a list of transports. Local."""
    return _in_list(incomplete, _transports)


def cases(incomplete: str) -> list[str]:
    """Complete the name of a shipped case; shells complete files by themselves. Local."""
    return _in_list(incomplete, case_names)


def case_names() -> list[str]:
    """The cases of all installed models. Local; OutsideError as `installed_models`."""
    from lapwing.model.registry import installed_models

    return [case for model in installed_models().values() for case in model.cases]


def _strategies() -> Sequence[str]:
    from lapwing.core.names import strategy_names

    return strategy_names()


def _transports() -> Sequence[str]:
    from lapwing.core.names import transport_names

    return transport_names()


def _in_list(incomplete: str, known: Callable[[], Iterable[str]]) -> list[str]:
    """The names that go on with what stands behind the last comma, with all that is before it."""
    before, comma, begun = incomplete.rpartition(",")
    try:
        return [before + comma + name for name in known() if name.startswith(begun)]
    except (ImportError, RuntimeError):  # `lapwing doctor` says why
        return []
