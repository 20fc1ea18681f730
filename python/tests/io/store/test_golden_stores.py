"""The bytes of stores: the ones that lapwing's first writer left, which was written in Python."""

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

RunOnRanks = Callable[..., Any]

HERE = Path(__file__).parent
PROGRAM = """
import sys
sys.path.insert(0, sys.argv.pop(1))
import golden_stores
"""


def digests(store: Path) -> dict[str, str]:
    """The first digits of the SHA-256 of each file in a store."""
    return {
        str(file.relative_to(store)): hashlib.sha256(file.read_bytes()).hexdigest()[:16]
        for file in store.rglob("*")
        if file.is_file()
    }


@pytest.mark.parametrize("ranks", [1, 3])
def test_stores_have_the_bytes_of_before(
    run_on_ranks: RunOnRanks, tmp_path: Path, ranks: int
) -> None:
    expected = json.loads((HERE / "golden_stores.json").read_text())
    assert sum(map(len, expected.values())) > 150
    run_on_ranks(ranks, PROGRAM, str(HERE), str(tmp_path))
    assert {store.name: digests(store) for store in tmp_path.glob("*.zarr")} == expected
