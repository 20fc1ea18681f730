"""`lapwing bench overlap`: complete in short form, the same bits by all methods, clear refusals."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from lapwing import strategy_names
from lapwing.base.error import UserError
from lapwing_lab.bench.overlap.request import HAND, SIZES, method_names

RunBench = Callable[..., Any]  # the fixtures in conftest.py
Parse = Callable[..., Any]


@pytest.fixture(scope="module")
def short_run(run_bench: RunBench, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The file of a run of few samples."""
    file = tmp_path_factory.mktemp("bench") / "overlap.json"
    methods = ",".join(method_names())
    few = ("--works", "26KB", "--samples", "2", "--methods", methods, "--json", str(file))
    done = run_bench("overlap", "--ranks", "2", *few)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "not measured: plain" not in done.stdout
    assert "not measured: blocking" not in done.stdout
    document: dict[str, Any] = json.loads(file.read_text())
    return document


@pytest.mark.ranks
def test_file_has_steps_of_all_methods_and_their_parts_alone(short_run: dict[str, Any]) -> None:
    assert short_run["schema"] == "lapwing-bench-1"
    rows = {(row["work"], row["method"]): row for row in short_run["results"]}
    for method in (*HAND, "blocking"):
        assert len(rows["26KB", method]["samples"]) == 2
        assert len(rows["26KB:communicate", method]["samples"]) == 2
    assert len(rows["26KB:compute", "undivided"]["samples"]) == 2


@pytest.mark.ranks
def test_hidden_is_judged_by_the_fastest_communication(short_run: dict[str, Any]) -> None:
    rows = {(row["work"], row["method"]): row for row in short_run["results"]}
    alone = [row["median"] for (work, _), row in rows.items() if work == "26KB:communicate"]
    compute = rows["26KB:compute", "undivided"]["median"]
    for method in ("plain", "tcp-ceiling", "blocking"):
        row = rows["26KB", method]
        extra, best = row["extra"], min(alone)
        assert extra["bytes"] == 64 * 25 * 2 * 8
        hidden = (best + compute - row["median"]) / min(best, compute)
        assert extra["hidden"] == pytest.approx(hidden)
        assert extra["over_longer"] == pytest.approx(row["median"] / max(best, compute))
        assert extra["zoning"] > 0
    assert rows["26KB", "plain"]["extra"]["over_plain"] == 1
    assert rows["26KB", "tcp-ceiling"]["extra"]["over_tcp_ceiling"] == 1


@pytest.mark.ranks
@pytest.mark.slow
def test_three_ranks_and_small_messages_give_the_same_bits(
    run_bench: RunBench, tmp_path: Path
) -> None:
    file = tmp_path / "three.json"
    few = ("--works", "26KB", "--samples", "2", "--methods", "plain-ibsend,blocking")
    done = run_bench("overlap", "--ranks", "3", *few, "--chunk-bytes", "4096", "--json", str(file))
    assert done.returncode == 0, done.stdout + done.stderr
    works = {row["work"].split(":")[0] for row in json.loads(file.read_text())["results"]}
    assert works == {"26KB@3@c4096"}


def test_usual_request(parse: Parse) -> None:
    request = parse("overlap", [], 2)
    assert request.works == tuple(SIZES)
    assert {"plain", "tcp-ceiling", "blocking", "auto"} <= set(request.chosen)
    assert set(request.chosen) <= {"plain", "tcp-ceiling", *strategy_names()}
    assert (request.transport, request.chunk_bytes) == ("auto", 0)


def test_every_ratio_has_its_reference(parse: Parse) -> None:
    assert parse("overlap", ["--methods", "blocking"], 2).chosen == (
        "plain",
        "tcp-ceiling",
        "blocking",
    )


@pytest.mark.parametrize(
    ("arguments", "about"),
    [
        (["--works", "27KB"], "--works: got '27KB'"),
        (["--methods", "magic"], "--methods: got 'magic'"),
        (["--transport", "pigeon"], "--transport: got 'pigeon'"),
        (["--chunk-bytes", "-1"], "--chunk-bytes"),
        (["--samples", "1"], "--samples: got '1'"),
    ],
)
def test_refusals(arguments: list[str], about: str, parse: Parse) -> None:
    with pytest.raises(UserError, match=about):
        parse("overlap", arguments, 2)


def test_one_rank_has_nothing_to_hide(parse: Parse) -> None:
    with pytest.raises(UserError, match="--ranks: got 1"):
        parse("overlap", [], 1)
