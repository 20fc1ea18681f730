"""`lapwing bench stream`: complete in short form, counted as it moves, clear when refusing."""

import json
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from lapwing.base.error import UserError
from lapwing_lab.machine.stream_copy import (
    CopyTimes,
    copy_table,
    default_processes,
    default_set_bytes,
)
from rich.console import Console

RunBench = Callable[..., Any]  # the fixtures in conftest.py
Parse = Callable[..., Any]


@pytest.mark.ranks
@pytest.mark.any_mpi
def test_every_work_and_method_is_measured_and_written(run_bench: RunBench, tmp_path: Path) -> None:
    file = tmp_path / "stream.json"
    options = ("--ranks", "3", "--megabytes", "2", "--samples", "2", "--processes", "1,3")
    done = run_bench("stream", *options, "--json", str(file))
    assert done.returncode == 0, done.stdout + done.stderr
    document = json.loads(file.read_text())
    assert document["schema"] == "lapwing-bench-1"
    found = {(row["work"], row["method"]): row for row in document["results"]}
    works = {"2@1", "2@3", "2x19@1", "2x19@3"}
    assert {work for work, _ in found} == works
    for work in works:
        assert {"literal", "blocked"} <= {method for name, method in found if name == work}
    for (work, method), row in found.items():
        assert len(row["samples"]) == 2
        # bytes by the report's formulas: 3 N for each array and process, 2 N past the caches
        counted = 2 if method == "nontemporal" else 3
        processes = int(work.rpartition("@")[2])
        assert row["extra"]["bytes"] >= counted * (2 << 20) * processes
        assert row["extra"]["bytes"] < 1.05 * counted * (2 << 20) * processes
        share = row["extra"]["gigabytes_per_second"] * 1e9 * row["median"]
        assert share == pytest.approx(row["extra"]["bytes"])
    assert "3 N" in done.stdout


def test_the_table_has_the_shape_of_the_report() -> None:
    copies = [
        CopyTimes(streams, method, processes, 8000, [1e-6, 2e-6, 4e-6])
        for streams in ("2", "2x19")
        for processes in (1, 2)
        for method in ("literal", "nontemporal")
    ]
    assert copies[0].bandwidth == pytest.approx(3 * 8000 / 2e-6)
    assert copies[0].spread == pytest.approx((3 * 8000 / 4e-6, 3 * 8000 / 1e-6))
    assert copies[-1].bandwidth == pytest.approx(2 * 2 * 19 * 8000 / 2e-6)
    console = Console(width=100, record=True, file=StringIO())
    console.print(copy_table(copies))
    rows = [line for line in console.export_text().splitlines() if line.startswith("│")]
    assert [row.split("│")[1].strip() for row in rows] == ["2", "2 x 19", "2", "2 x 19"]
    assert [row.split("│")[2].strip() for row in rows] == ["1", "1", "2", "2"]


def test_defaults_follow_the_machine() -> None:
    assert default_processes(1) == [1]
    assert default_processes(2) == [1, 2]
    assert default_processes(12) == [1, 2, 4, 8, 12]
    assert default_set_bytes(1) >= default_set_bytes(1 << 16) >= 1 << 20


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["--streams", "3"], "expected names among 2, 2x19"),
        (["--methods", "memcpy"], "expected names among literal, blocked, pieces, nontemporal"),
        (["--processes", "0"], "a whole number from 1"),
        (["--processes", "1,3"], "numbers from 1 to 2"),
        (["--processes", "all"], "a whole number from 1"),
        (["--megabytes", "0"], "a whole number from 1"),
        (["--samples", "1"], "a whole number from 2"),
    ],
)
def test_wrong_options_are_refused(arguments: list[str], text: str, parse: Parse) -> None:
    with pytest.raises(UserError, match=text):
        parse("stream", arguments, 2)


def test_processes_are_sorted_and_each_once(parse: Parse) -> None:
    assert parse("stream", ["--processes", "2,1,2"], 2).processes == (1, 2)
    assert parse("stream", [], 2).processes is None
