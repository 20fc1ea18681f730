"""`lapwing predict` of what `lapwing plan --json` wrote: as of the case itself."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from answers import assert_wrong_request
from lapwing.base.error import UserError
from lapwing_lab.predict.entry import PredictionRequest
from lapwing_lab.predict.predict import predict

LapwingIn = Callable[..., Any]

STRATEGIES = "blocking,dataflow,deep:2"


@pytest.fixture(scope="module")
def plan(lapwing_in: LapwingIn, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The description of a small case on six ranks."""
    file = tmp_path_factory.mktemp("plan") / "plan.json"
    answer = lapwing_in(
        file.parent, "plan", "kelvin", "--ranks", 6, "--strategy", STRATEGIES, "--json", file
    )
    assert answer.code == 0, answer.out + answer.err
    assert f"JSON     {file}" in " ".join(answer.out.split("\n"))
    return file


pytestmark = pytest.mark.ranks


@pytest.mark.any_mpi
def test_a_description_is_predicted_as_its_case(plan: Path) -> None:
    names = tuple(STRATEGIES.split(","))
    told = predict(PredictionRequest(str(plan), "infiniband", ()))
    made = predict(PredictionRequest("kelvin", "infiniband", (6,), names))
    assert [one.strategy for one in told.entries] == list(names)
    for ours, theirs in zip(told.entries, made.entries, strict=True):
        # events of the same moment may come in another order, which changes a last digit
        assert (ours.step, ours.compute, ours.waiting) == pytest.approx(
            (theirs.step, theirs.compute, theirs.waiting), rel=1e-12
        )
        assert (ours.messages, ours.bytes, ours.cells) == (
            theirs.messages,
            theirs.bytes,
            theirs.cells,
        )


@pytest.mark.any_mpi
def test_the_file_says_who_computes_and_sends_what(plan: Path) -> None:
    told = json.loads(plan.read_text())
    assert told["schema"] == "lapwing.step/1"
    assert (told["model"], len(told["boxes"])) == ("coast", 6)
    assert told["charged"] == ["momentum_x", "momentum_y", "continuity"]
    blocking = told["strategies"][0]
    stages = {stage["name"]: stage for stage in blocking["stages"][0]}
    assert stages["momentum_x"]["writes"] == ["transport_x"]
    assert "sea_level" in stages["momentum_x"]["reads"]
    assert [rank["rank"] for rank in blocking["ranks"]] == list(range(6))
    for rank in blocking["ranks"]:
        for step in rank["steps"]:
            for phases in step["exchanges"]:
                for phase in phases:
                    for peer, size, _ in phase["sends"]:
                        theirs = blocking["ranks"][peer]["steps"]
                        received = [
                            (one[0], one[1])
                            for other in theirs
                            for entry in other["exchanges"]
                            for one_phase in entry
                            for one in one_phase["receives"]
                        ]
                        assert (rank["rank"], size) in received


@pytest.mark.any_mpi
@pytest.mark.parametrize(
    ("change", "options", "words"),
    [
        ({"schema": "lapwing.step/0"}, (), "got schema lapwing.step/0; expected lapwing.step/1"),
        (None, (), "expected JSON as `lapwing plan --json` writes it"),
        ({}, ("--ranks", "4"), "expected: 6, what "),
        ({}, ("--strategy", "5s"), "expected: blocking, dataflow, deep:2, what "),
        ({}, ("--set", "time.step=1"), "none that changes or needs the case"),
    ],
)
def test_what_is_refused(
    plan: Path,
    lapwing_in: LapwingIn,
    tmp_path: Path,
    change: dict[str, Any] | None,
    options: tuple[str, ...],
    words: str,
) -> None:
    file = tmp_path / "changed.json"
    file.write_text("{" if change is None else json.dumps(json.loads(plan.read_text()) | change))
    if not options:
        with pytest.raises(UserError, match="lapwing plan CASE --json") as caught:
            predict(PredictionRequest(str(file), "infiniband", ()))
        assert words in str(caught.value)
        return
    answer = lapwing_in(tmp_path, "predict", file, "--machine", "infiniband", *options)
    assert_wrong_request(answer, words)


@pytest.mark.any_mpi
def test_damaged_ranks_are_refused(plan: Path, tmp_path: Path) -> None:
    told = json.loads(plan.read_text())
    del told["strategies"][0]["ranks"][0]["steps"][0]["tasks"][0]["kind"]
    (tmp_path / "plan.json").write_text(json.dumps(told))
    with pytest.raises(UserError, match="description of a rank: got values that are missing"):
        predict(PredictionRequest(str(tmp_path / "plan.json"), "infiniband", ()))
