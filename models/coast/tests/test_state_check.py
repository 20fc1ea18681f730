"""The check that ends a run: it names step, field, cell and rank."""

import subprocess
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from lapwing.core.partition import Box
from lapwing.model import StateError

MakeSea = Callable[..., Any]  # see conftest.py
RunOnRanks = Callable[..., subprocess.CompletedProcess[str]]


def cell(i: int, j: int) -> Box:
    return Box((i, j, 0), (i + 1, j + 1, 1))


@pytest.mark.parametrize("name", ["sea_level", "transport_x", "transport_y"])
@pytest.mark.parametrize("value", [np.nan, -np.nan, np.inf, -np.inf])
def test_not_finite(make_sea: MakeSea, name: str, value: float) -> None:
    sea = make_sea("kelvin-small")
    sea.run.advance(7)
    sea.run.check_state()
    sea.run.state[name][cell(20, 13)] = value
    with pytest.raises(
        StateError, match=rf"{name} = (nan|inf|-inf) at step 7, cell \(20, 13\), rank 0"
    ):
        sea.run.check_state()


def test_first_field_and_row_are_named(make_sea: MakeSea) -> None:
    sea = make_sea("kelvin-small")
    sea.run.state["transport_x"][cell(0, 0)] = np.nan
    sea.run.state["sea_level"][cell(3, 9)] = np.nan
    sea.run.state["sea_level"][cell(30, 8)] = np.nan
    with pytest.raises(StateError, match=r"sea_level = nan .* cell \(30, 8\)"):
        sea.run.check_state()


def test_dry_cell(make_sea: MakeSea) -> None:
    sea = make_sea("kelvin-small")
    sea.run.state["sea_level"][cell(5, 6)] = -60.0
    with pytest.raises(
        StateError, match=r"sea_level = -60 at step 0, cell \(5, 6\).*expected water"
    ):
        sea.run.check_state()


def test_nan_spreads_no_further_than_the_stencil(make_sea: MakeSea) -> None:
    """Two cells per step at most: the kernels read no more than they say."""
    sea = make_sea("kelvin-small")
    sea.run.state["sea_level"][cell(20, 20)] = np.nan
    sea.run.advance(2)
    bad = np.argwhere(np.isnan(sea.level))
    assert np.abs(bad - 20).max() <= 4


MPI_CODE = """
import numpy as np
from lapwing.model.case import load_case
from lapwing.core.domain import Domain
from lapwing.model import StateError
from lapwing.core.partition import Box
from lapwing_coast import model


case = load_case("kelvin-small", {"coast": model})
geometry = model.geometry(case.settings, case.folder)
domain = Domain(geometry.grid)
run = model.create(
    domain, case.settings, geometry, strategy="blocking", transport="auto"
)
run.advance(433)
run.check_state()
whole = run.state["sea_level"].gather()
if domain.rank == 0:
    print("digest", hash(whole.tobytes()), np.abs(whole).max() > 0.4)
cell = Box((40, 35, 0), (41, 36, 1))
owner = [d.rank for d in domain.partition.subdomains if d.box.contains(cell)][0]
if domain.rank == owner:
    run.state["transport_y"][cell] = np.nan
try:
    run.check_state()
except StateError as error:
    assert f"transport_y = nan at step 433, cell (40, 35), rank {owner};" in str(error), str(error)
    print("caught on", domain.rank)
domain.close()
"""


def test_ranks_agree(run_on_ranks: RunOnRanks) -> None:
    """1 to 4 ranks: the same bits of the sea level, and the same error on every rank."""
    digests = set()
    for ranks in (1, 2, 3, 4):
        output = run_on_ranks(ranks, MPI_CODE, environment={"PYTHONHASHSEED": "0"}).stdout
        assert output.count("caught on") == ranks
        digests.add(next(line for line in output.splitlines() if line.startswith("digest")))
    assert len(digests) == 1
    assert digests.pop().endswith("True")
