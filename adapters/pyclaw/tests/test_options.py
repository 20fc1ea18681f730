"""Options of PyClaw's solvers on ranks: the bits of one process, or refused on all of them."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("clawpack", reason="PyClaw is not installed: `make pyclaw`")

from pyclaw_cases import BITS, CASES
from pyclaw_kept import SECONDS, SERIAL, Kept, same_bits

pytestmark = [pytest.mark.timeout(2 * SECONDS), pytest.mark.any_mpi]

PROGRAM = Path(__file__).with_name("pyclaw_cases.py")
RANKS = [2, pytest.param(3, marks=pytest.mark.slow)]
RIGHT = [name for name, (_, expected) in CASES.items() if expected == BITS]
REFUSED = [name for name, (_, expected) in CASES.items() if expected != BITS]


@pytest.fixture(scope="module")
def kept(run_on_ranks: Callable[..., Any], tmp_path_factory: pytest.TempPathFactory) -> Kept:
    return Kept(run_on_ranks, PROGRAM, tmp_path_factory.mktemp("cases"))


@pytest.mark.parametrize("ranks", RANKS)
@pytest.mark.parametrize("name", RIGHT)
def test_a_case_has_the_bits_of_one_process(name: str, ranks: int, kept: Kept) -> None:
    same_bits(kept.results(SERIAL, name), kept.results(ranks, name))


@pytest.mark.parametrize("ranks", RANKS)
@pytest.mark.parametrize("name", REFUSED)
def test_a_case_is_refused_on_all_ranks(name: str, ranks: int, kept: Kept) -> None:
    errors = kept.errors(ranks, name)
    assert len(errors) == ranks
    for error in errors:
        assert error.startswith("UserError")
        assert CASES[name][1] in error
