"""The driver of the benchmarks: what it refuses to print."""

import io
from contextlib import redirect_stdout
from pathlib import Path

import pytest
from lapwing.base.error import OutsideError
from lapwing_lab.bench.measure.report import JUDGED, Result
from lapwing_lab.bench.measure.request import Request
from lapwing_lab.bench.measure.session import Session


def told(samples: list[float], file: Path, part: bool = False) -> str:
    """What a benchmark with these samples prints."""
    session = Session(Request(json=file, progress="none"), 1, len(samples))
    session.results.append(Result("8x3d-60", "auto-wrapped", samples, part=part))
    out = io.StringIO()
    with redirect_stdout(out):
        assert session.tell("a table") == 0
    return out.getvalue()


@pytest.mark.parametrize("bad", [0.0, -7.39e-5])
def test_a_time_that_is_not_above_zero_is_a_failure(tmp_path: Path, bad: float) -> None:
    file = tmp_path / "found.json"
    with pytest.raises(OutsideError, match=r"8x3d-60, auto-wrapped: got a sample of -?[\d.]+ us"):
        told([1e-6] * (JUDGED - 1) + [bad], file)
    assert not file.exists()


def test_times_above_zero_are_told_and_written(tmp_path: Path) -> None:
    file = tmp_path / "found.json"
    assert told([1e-6] * JUDGED, file) == "a table\n"
    assert file.exists()


def test_parts_of_a_step_may_take_no_time_but_no_less(tmp_path: Path) -> None:
    told([0.0] * JUDGED, tmp_path / "found.json", part=True)
    with pytest.raises(OutsideError, match="expected times above 0"):
        told([-1e-9] * JUDGED, tmp_path / "found.json", part=True)
