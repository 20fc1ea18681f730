"""The markers that tests are selected by."""

import pytest


def names(item: pytest.Item) -> set[str]:
    return {marker.name for marker in item.iter_markers()}


def test_undeclared_markers_are_errors(pytestconfig: pytest.Config) -> None:
    assert "--strict-markers" in pytestconfig.getini("addopts")
    declared = {line.partition(":")[0] for line in pytestconfig.getini("markers")}
    assert {
        "ranks",
        "any_mpi",
        "root",
        "simgrid",
        "compiler",
        "slow",
        "every_shape",
    } <= declared


def test_who_uses_a_fixture_that_starts_ranks_is_marked(
    request: pytest.FixtureRequest, run_on_ranks: object
) -> None:
    """Of all that were collected, this one among them, which carries no marker by hand."""
    starting = [one for one in request.session.items if "run_on_ranks" in one.fixturenames]  # type: ignore[attr-defined]
    assert request.node in starting
    assert [one.nodeid for one in starting if "ranks" not in names(one)] == []


def test_what_is_not_repeated_starts_ranks(request: pytest.FixtureRequest) -> None:
    """The marker any_mpi says nothing of other tests."""
    marked = [one for one in request.session.items if "any_mpi" in names(one)]
    assert [one.nodeid for one in marked if "ranks" not in names(one)] == []
