"""PyClaw's own examples on ranks: the bits of one process, or refused, as the guide says."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pyclaw_examples import EXAMPLES, rows
from pyclaw_kept import SECONDS, SERIAL, Kept, same_bits

pytestmark = pytest.mark.timeout(2 * SECONDS)

HERE = Path(__file__).parent
GUIDE = HERE.parents[2] / "docs" / "guide" / "pyclaw.md"
RANKS = [2, *(pytest.param(ranks, marks=pytest.mark.slow) for ranks in (1, 3, 4))]


@pytest.fixture(scope="module")
def kept(run_on_ranks: Callable[..., Any], tmp_path_factory: pytest.TempPathFactory) -> Kept:
    pytest.importorskip("clawpack", reason="PyClaw is not installed: `make pyclaw`")
    return Kept(run_on_ranks, HERE / "pyclaw_examples.py", tmp_path_factory.mktemp("examples"))


@pytest.mark.any_mpi
@pytest.mark.parametrize("ranks", RANKS)
@pytest.mark.parametrize("name", [name for name in EXAMPLES if "refused" not in EXAMPLES[name]])
def test_an_example_has_the_bits_of_one_process(name: str, ranks: int, kept: Kept) -> None:
    same_bits(kept.results(SERIAL, name), kept.results(ranks, name))


@pytest.mark.any_mpi
@pytest.mark.parametrize("ranks", [2, *RANKS[2:]])
@pytest.mark.parametrize("name", [name for name in EXAMPLES if "refused" in EXAMPLES[name]])
def test_an_example_is_refused_on_all_ranks(name: str, ranks: int, kept: Kept) -> None:
    errors = kept.errors(ranks, name)
    assert len(errors) == ranks
    assert all(EXAMPLES[name]["refused"] in error for error in errors)


def test_the_guide_has_the_row_of_every_refused_example() -> None:
    page = GUIDE.read_text()
    assert [row for row in rows() if row not in page.splitlines()] == []
    refused = len(list(rows()))
    assert f"{len(EXAMPLES) - refused} of {len(EXAMPLES)}" in page
