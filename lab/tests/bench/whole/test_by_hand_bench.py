"""`lapwing bench by-hand`: stages with messages by hand have the bits of lapwing's steps."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from lapwing.base.error import UserError

Parse = Callable[..., Any]


@pytest.mark.ranks
@pytest.mark.parametrize("ranks", [2, 4])
def test_models_by_hand_have_the_same_bits(
    run_bench: Callable[..., Any], tmp_path: Path, ranks: int
) -> None:
    file = tmp_path / "hand.json"
    arguments = ("--methods", "blocking,dataflow", "--size", "12x10x6", "--samples", "2")
    done = run_bench("by-hand", "--ranks", str(ranks), *arguments, "--json", str(file), timeout=250)
    assert done.returncode == 0, done.stdout + done.stderr
    rows = {(row["work"], row["method"]): row for row in json.loads(file.read_text())["results"]}
    assert set(rows) == {
        (work, method)
        for work in ("northsea", "tracer")
        for method in ("blocking", "dataflow", "hand")
    }
    for row in rows.values():
        assert row["extra"]["steps_per_second"] == pytest.approx(1 / row["median"])
    assert rows["northsea", "hand"]["extra"]["over_hand"] == 1.0


def test_bad_requests_say_what_was_expected(parse: Parse) -> None:
    for arguments, name in ((["--size", "4x9x3"], "--size"), (["--works", "tide"], "--works")):
        with pytest.raises(UserError, match=rf"^{name}.*: got .*; expected .*; \w+"):
            parse("by-hand", arguments, 2)
    assert parse("by-hand", ["--methods", "auto"], 2).chosen == ["auto", "hand"]
