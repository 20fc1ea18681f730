"""`lapwing bench auto`: choices are counted, and an exit code says how good they are."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from lapwing.base.error import UserError
from lapwing_lab.bench.exchange.auto import Choices, good


@pytest.mark.ranks
def test_every_choice_is_counted(run_bench: Callable[..., Any], tmp_path: Path) -> None:
    file = tmp_path / "auto.json"
    arguments = ("--works", "2d-60,3x2d-60", "--times", "2", "--samples", "2", "--json", str(file))
    done = run_bench("auto", "--ranks", "2", *arguments)
    assert done.returncode in (0, 1), done.stderr
    rows = {(row["work"], row["method"]): row for row in json.loads(file.read_text())["results"]}
    for work in ("2d-60", "3x2d-60"):
        over = rows[f"{work}:over-best", "auto"]
        assert len(over["samples"]) == over["extra"]["choices"] == 2
        assert over["extra"]["good"] == sum(0 < one <= 1.05 for one in over["samples"])
        again = rows[f"{work}:best-again", "best"]["samples"]
        assert over["extra"]["again"] == sum(0 < one <= 1.05 for one in again)
        assert {"auto", "p2p", "shared"} <= {method for name, method in rows if name == work}
        assert f"{work}, the last choice: auto took " in done.stdout
    fewest = min(
        rows[f"{work}:over-best", "auto"]["extra"]["good"] for work in ("2d-60", "3x2d-60")
    )
    assert done.returncode == (0 if fewest == 2 else 1)
    assert ("too few choices" in done.stderr) == (fewest < 2)


def test_the_best_is_found_in_other_turns_than_it_is_timed_in() -> None:
    choices = Choices()
    first = {"auto": [1.0, 1.1], "p2p": [1.0, 1.0], "shared": [0.5, 2.0]}
    choices.add(first | {"p2p@again": [0.1, 0.1], "shared@again": [9.0, 2.2]})
    assert choices.over_best == [0.55]  # 1.1 / 2.0
    assert choices.best_again == [1.1]  # 2.2 / 2.0
    assert choices.times == {"auto": [1.05], "p2p": [1.0], "shared": [1.25]}


def test_a_choice_within_five_percent_is_good() -> None:
    assert good([0.9, 1.0, 1.05, 1.06, 2.0]) == 3
    assert good([-20.0, 0.0]) == 0  # a host that sped up between touching and exchanging


def test_bad_requests_say_what_was_expected(parse: Callable[..., Any]) -> None:
    with pytest.raises(UserError, match=r"^--times.*: got '0'; expected .*"):
        parse("auto", ["--times", "0"], 2)
