"""Veros on lapwing: bits on any number of ranks, and those of Veros's own exchange."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

Run = Callable[..., Any]

BASIN = Path(__file__).with_name("veros_basin.py").read_text()
SECONDS = 110

pytest.importorskip("veros", reason="Veros is not installed: `make veros`")
pytestmark = [pytest.mark.timeout(5 * SECONDS), pytest.mark.any_mpi]


@pytest.fixture
def run(run_on_ranks: Run, tmp_path: Path) -> Callable[..., dict[str, Any]]:
    """What steps of a setup compute by an exchange on px x py ranks."""

    def results(setup: str, exchange: str, px: int, py: int, *numbers: int) -> dict[str, Any]:
        given = (str(tmp_path), setup, exchange, *map(str, (px, py, *numbers)))
        run_on_ranks(px * py, BASIN, *given, anew=True, timeout=SECONDS)
        with np.load(tmp_path / f"{exchange}-{px}-{py}.npz") as kept:
            return dict(kept)

    return results


def differing(one: dict[str, Any], other: dict[str, Any]) -> list[str]:
    """Names of arrays whose bits differ in any cell, those of ghost cells too."""
    assert len(one) > 100
    assert one.keys() == other.keys()
    return [name for name in one if one[name].tobytes() != other[name].tobytes()]


def test_bits_do_not_depend_on_ranks(run: Callable[..., dict[str, Any]]) -> None:
    """Blocks differ in size: Veros itself refuses them."""
    steps, size = 6, (31, 43)
    alone = run("acc", "exact", 1, 1, steps, *size)
    assert np.abs(alone["u"]).max() > 1e-3
    assert float(alone["energy k_m"]) > 0
    for px, py in ((2, 1), (1, 3), (2, 2)):
        assert differing(alone, run("acc", "exact", px, py, steps, *size)) == [], f"{px} x {py}"


def test_bits_are_those_of_its_own_exchange(run: Callable[..., dict[str, Any]]) -> None:
    own, lapwing = (run("acc_basic", exchange, 2, 2, 6) for exchange in ("own", "lapwing"))
    assert differing(own, lapwing) == []


def test_blocks_narrower_than_a_halo_are_refused(run_on_ranks: Run, tmp_path: Path) -> None:
    given = (str(tmp_path), "acc_basic", "exact", "1", "2", "1", "30", "3")
    said = run_on_ranks(2, BASIN, *given, anew=True, check=False).stdout
    assert "num_proc: got 1 x 2 blocks of 30 x 3 cells on 2 ranks; expected a block" in said


def test_other_backends_are_refused(run_on_ranks: Run) -> None:
    code = """
import lapwing_veros
lapwing_veros.runtime_settings.backend = "jax"
lapwing_veros.validate_decomposition({"xt": 30, "yt": 42})
"""
    said = run_on_ranks(1, code, anew=True, check=False).stdout
    assert "backend: got jax; expected numpy" in said
