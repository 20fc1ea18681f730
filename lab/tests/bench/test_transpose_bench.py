"""`lapwing bench transpose`: complete in short form, right for all ways, clear when refusing."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from lapwing.base.error import UserError
from lapwing_lab.bench.measure.options import Shape
from lapwing_lab.bench.transpose.request import COPIES, method_names

RunBench = Callable[..., Any]  # the fixtures in conftest.py
Parse = Callable[..., Any]


@pytest.mark.ranks
@pytest.mark.parametrize("ranks", [2, 4])
def test_every_work_and_method_is_checked_measured_and_written(
    run_bench: RunBench, tmp_path: Path, ranks: int, parse: Parse
) -> None:
    file = tmp_path / "transpose.json"
    options = ("--work", "21x18x10", "--samples", "2", "--json", str(file))
    done = run_bench("transpose", "--ranks", str(ranks), *options)
    assert done.returncode == 0, done.stdout + done.stderr
    document = json.loads(file.read_text())
    assert document["schema"] == "lapwing-bench-1"
    end = "" if ranks == 2 else "@4"
    works = {f"21x18x10@{way}{end}" for way in parse("transpose", [], ranks).ways}
    methods: dict[str, set[str]] = {}
    for row in document["results"]:
        methods.setdefault(row["work"], set()).add(row["method"])
        assert len(row["samples"]) == 2
        assert row["extra"]["limit_share"] > 0
    assert methods.keys() == works
    missing = {name for name in method_names() if f"not measured: {name}:" in done.stdout}
    for names in methods.values():
        assert names == set(method_names()) - missing | {"memcpy-limit"}
        assert {"p2p", "alltoallv", "alltoallw", "auto", "hand-alltoallv", "hand-p2p"} <= names
    assert "auto took " in done.stdout


def test_fewer_methods_keep_what_ratios_are_to(parse: Parse) -> None:
    request = parse(
        "transpose", ["--methods", "shared", "--ways", "fft-tri", "--work", "8x8x8,9x8x8"], 4
    )
    assert tuple(request.chosen) == ("shared", "hand-alltoallv", *COPIES)
    assert request.full_name(request.work[1], "fft-tri") == "9x8x8@fft-tri@4"
    assert parse("transpose", [], 6).blocks("twod-fft") == (3, 2)
    assert parse("transpose", [], 6).blocks("fft-tri-kept") == (2, 3)
    assert (
        parse("transpose", [], 2).full_name(Shape((256, 192, 64)), "twod-fft")
        == "256x192x64@twod-fft"
    )


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["--work", "256x192"], "expected numbers from 1 on like 256x192x64"),
        (["--work", "8x8x1"], "--work: got 8x8x1; expected sizes NXxNYxNZ of at least 2 cells"),
        (["--ways", "tri-fft"], "expected names among twod-fft, twod-fft-kept, fft-tri"),
        (["--methods", "pigeon"], "expected names among p2p, alltoallv, alltoallw"),
        (["--samples", "1"], "a whole number from 2"),
    ],
)
def test_wrong_options_are_refused(arguments: list[str], text: str, parse: Parse) -> None:
    with pytest.raises(UserError, match=text):
        parse("transpose", arguments, 2)
