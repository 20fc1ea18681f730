"""`lapwing port`: what a port has counted, in plain words, and files that it left torn or not."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from answers import assert_wrong_request
from lapwing.commands.port import SCHEMA, read_port

Lapwing = Callable[..., Any]  # the fixture in conftest.py

ROW: dict[str, Any] = {
    **{"call": "update_halo", "field": "u", "site": "", "width": 1, "calls": 4, "fills": True},
    **{"needless": 0, "messages": 4, "bytes": 1000, "combined": 0, "with": "", "stale": 0},
    **{"saved_messages": 0, "most_cells": 50, "first_step": 0},
}
CHECK: dict[str, Any] = ROW | {"call": "check_halo", "field": "z", "messages": 0, "bytes": 0}
STALE: dict[str, Any] = CHECK | {"site": "set_faces", "stale": 3, "first_step": 2}
ROWS: tuple[dict[str, Any], ...] = (
    ROW | {"site": "step_u"},
    ROW | {"field": "v", "needless": 4},
    ROW | {"field": "w", "needless": 1, "combined": 3, "with": "u", "saved_messages": 12},
    CHECK | {"field": "u"},
)


def left_by(*rows: dict[str, Any], **head: Any) -> dict[str, Any]:
    usual = {"schema": SCHEMA, "ranks": 2, "steps": 4, "set_up_calls": 1, "fixed": True}
    return usual | head | {"rows": list(rows)}


def write(folder: Path, content: dict[str, Any]) -> None:
    (folder / "port.json").write_text(json.dumps(content))


def test_each_site_says_what_it_could_do_without(lapwing: Lapwing, tmp_path: Path) -> None:
    write(tmp_path, left_by(*ROWS))
    answer = lapwing("port")
    assert answer.code == 0, answer.err
    lines = [line.strip() for line in answer.out.splitlines()]
    assert lines[0] == "port.json: 4 steps on 2 ranks, without 1 call of the set-up"
    assert lines[2:11] == [
        "update_halo of u in step_u, width 1: 4 calls, 4 messages and 1,000 bytes each",
        "needed every time",
        "update_halo of v, width 1: 4 calls, 4 messages and 1,000 bytes each",
        "NEEDLESS every time: it changed no halo; without: 16 messages and 4,000 bytes less",
        "update_halo of w, width 1: 4 calls, 4 messages and 1,000 bytes each",
        "NEEDLESS 1 of 4 times: it changed no halo; without: 4 messages and 1,000 bytes less",
        "COMBINE with u 3 of 4 times: 12 messages less, the same bytes",
        "check_halo of u, width 1: 4 calls",
        "the halo was fresh every time",
    ]
    sums = dict(line.split("   ", 1) for line in lines[12:16])
    assert {name: value.strip() for name, value in sums.items()} == {
        "all exchanges in the steps": "48 messages and 12,000 bytes",
        "without the needless ones": "20 messages and 5,000 bytes less",
        "with the others combined": "12 messages less; 3,000 bytes travel with others",
        "halos that were missing": "0 checks found some",
    }
    assert "fixed=" not in answer.out


def test_a_halo_that_was_missing_is_an_answer_of_its_own(lapwing: Lapwing, tmp_path: Path) -> None:
    write(tmp_path, left_by(STALE, fixed=False))
    answer = lapwing("port", "port.json")
    assert answer.code == 1, answer.err
    assert "check_halo of z in set_faces, width 1: 4 calls\n" in answer.out
    assert "MISSING 3 of 4 times: the halo was stale, first in step 2, in up to 50" in answer.out
    assert "1 check found some" in answer.out
    assert "say fixed=.true." in answer.out


def test_a_rank_without_neighbours_says_nothing_about_halos(
    lapwing: Lapwing, tmp_path: Path
) -> None:
    write(tmp_path, left_by(ROW | {"fills": False, "needless": 4}, ranks=1))
    answer = lapwing("port")
    assert answer.code == 0, answer.err
    assert "NEEDLESS" not in answer.out
    assert "no halo cell has an owner on 1 rank: run it on more" in answer.out
    assert "without the needless ones     0 messages and 0 bytes less" in answer.out


def test_json_has_verdicts_and_sums(lapwing: Lapwing, tmp_path: Path) -> None:
    write(tmp_path, left_by(*ROWS, STALE))
    assert lapwing("port", "--json", "told.json").code == 1
    told = json.loads((tmp_path / "told.json").read_text())
    assert told["schema"] == "lapwing-port-1"
    assert {"machine", "versions"} <= set(told)
    verdicts = ["needed", "needless", "partly needless", "fresh", "missing"]
    assert [site["verdict"] for site in told["sites"]] == verdicts
    for site, row in zip(told["sites"], (*ROWS, STALE), strict=True):
        assert {name: site[name] for name in row} == row
    assert told["sites"][2]["joined"] == {"messages": 12, "bytes": 3000}
    assert told["total"] == {
        "moved": {"messages": 48, "bytes": 12000},
        "unneeded": {"messages": 20, "bytes": 5000},
        "joined": {"messages": 12, "bytes": 3000},
    }


WRONG: dict[str, tuple[str, str]] = {
    "torn": (json.dumps(left_by(*ROWS))[:300], "no whole JSON"),
    "empty": ("", "no whole JSON"),
    "deep": ("[" * 100_000, "no whole JSON"),
    "another version": (json.dumps(left_by() | {"schema": "lapwing-port-calls-2"}), "calls-2"),
    "another file": ('{"schema": "lapwing-census-1"}', "lapwing-census-1"),
    "a list": ("[1]", "without a schema"),
    "no rows": (json.dumps({**left_by(), "rows": 3}), "without sense"),
    "a number as text": (json.dumps(left_by(ROW | {"calls": "4"})), "calls is '4'"),
    "a negative number": (json.dumps(left_by(ROW | {"bytes": -1})), "bytes is -1"),
    "more than there are": (json.dumps(left_by(ROW | {"needless": 5})), "calls of u"),
    "a key that lacks": (json.dumps(left_by({"call": "update_halo"})), "field"),
    "no step": (json.dumps(left_by(steps=0)), "port%begin_step"),
}


@pytest.mark.parametrize("what", WRONG)
def test_files_that_no_port_left_are_named(lapwing: Lapwing, tmp_path: Path, what: str) -> None:
    content, words = WRONG[what]
    (tmp_path / "port.json").write_text(content)
    assert_wrong_request(lapwing("port", "--json", "told.json"), "port.json", words)
    assert not (tmp_path / "told.json").exists()


def test_no_file_is_named_with_what_leaves_one(lapwing: Lapwing, tmp_path: Path) -> None:
    assert_wrong_request(lapwing("port", "nowhere.json"), "no such file", "port%finish")
    assert_wrong_request(lapwing("port", "."), "a folder")
    write(tmp_path, left_by(*ROWS))
    assert_wrong_request(lapwing("port", "--json", "nowhere/told.json"), "no folder")


def test_names_move_no_cursor(tmp_path: Path) -> None:
    write(tmp_path, left_by(ROW | {"field": "u\x1b[2J"}))
    assert read_port(tmp_path / "port.json").sites[0].field == "u?[2J"


def test_help_teaches(lapwing: Lapwing) -> None:
    answer = lapwing("port", "--help")
    assert answer.code == 0
    for word in ("FILE", "--json", "Exit codes", "lapwing_port", "mpiexec", "Example"):
        assert word in answer.out
