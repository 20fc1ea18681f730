"""`lapwing bench zoning`: complete in short form, the same bits by all strategies, refusals."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from lapwing.base.error import UserError
from lapwing_lab.bench.models.request import ZoningRequest

METHODS = ZoningRequest().chosen
UNDIVIDED = ZoningRequest.UNDIVIDED

RunBench = Callable[..., Any]  # the fixtures in conftest.py
Parse = Callable[..., Any]


@pytest.mark.ranks
@pytest.mark.any_mpi
def test_file_has_kernels_of_all_strategies_and_the_engine(
    run_bench: RunBench, tmp_path: Path
) -> None:
    file = tmp_path / "zoning.json"
    work = "24x40x60"
    methods = ",".join(METHODS)
    few = ("--works", work, "--samples", "2", "--methods", methods, "--json", str(file))
    done = run_bench("zoning", *few)
    assert done.returncode == 0, done.stdout + done.stderr
    rows = {(row["work"], row["method"]): row for row in json.loads(file.read_text())["results"]}
    for method in METHODS:
        assert len(rows[work, method]["samples"]) == 2
        assert rows[work, method]["extra"]["over_undivided"] > 0.2
    assert rows[work, UNDIVIDED]["extra"]["over_undivided"] == 1.0
    # zones of four sides in two subdomains, or it has measured nothing
    few, many = (rows[work, method]["extra"]["tasks"] for method in (UNDIVIDED, "dataflow"))
    assert many > 2 * few
    assert rows["engine", "dataflow"]["extra"]["seconds_per_task"] < 100e-6


def test_all_works_in_both_layouts_are_measured_by_default(parse: Parse) -> None:
    request = parse("zoning", [], 2)
    assert request.works == ZoningRequest.WORKS
    assert len(request.works) == 6
    assert request.chosen[0] == UNDIVIDED


@pytest.mark.parametrize(
    ("arguments", "ranks", "named"),
    [
        (["--works", "10x10x10"], 2, "--works"),
        (["--methods", "deep:2"], 2, "--methods"),  # computes other cells
        (["--samples", "1"], 2, "--samples"),
        ([], 3, "--ranks"),
    ],
)
def test_wrong_requests_are_refused_by_name(
    arguments: list[str], ranks: int, named: str, parse: Parse
) -> None:
    with pytest.raises(UserError, match=named):
        parse("zoning", arguments, ranks)
