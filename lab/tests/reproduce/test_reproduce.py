"""`lapwing reproduce`: registers filled from kept numbers, states by errors, bad requests."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from lapwing.base.error import UserError
from lapwing_lab.reproduce import reproduce as module
from lapwing_lab.reproduce.answer import Answer, Curves, filled
from lapwing_lab.reproduce.experiment import Experiment, Numbers, Planned, Predicted
from lapwing_lab.reproduce.kept import Kept
from lapwing_lab.reproduce.page import write_page
from lapwing_lab.reproduce.register import REPORTS, Register, Row
from lapwing_lab.reproduce.reproduce import reproduce, write_rows

# the fixture in conftest.py
Lapwing = Callable[..., Any]

TABLE = Row(
    "A1", "Table 1", "says", answer="table", columns=("4", "16", "64"), fitted=("16",), unit="s",
    report={"total": {"sum": (4.0, 2.0, 1.0)}},
)  # fmt: skip


@pytest.mark.parametrize("report", REPORTS)
def test_all_rows_are_filled_from_what_is_kept(report: str) -> None:
    _, rows = reproduce(report, runs=False)
    assert len(rows) > 40
    for one in rows:
        assert one.state in ("held", "not held", "not testable")
        assert one.text or one.state == "held" or one.errors(), one.row.id


@pytest.mark.parametrize("report", REPORTS)
def test_pages_show_what_is_kept(report: str, tmp_path: Path) -> None:
    register, rows = reproduce(report, runs=False)
    write_page(tmp_path / f"{report}.md", report, register, rows)
    page = Path(__file__).parents[3] / "docs" / "reports" / f"{report}.md"
    assert page.read_text() == (tmp_path / f"{report}.md").read_text(), "make reproduce"


@pytest.mark.parametrize(
    ("values", "holds", "state"),
    [
        ((4.2, 9.9, 1.05), None, "held"),  # of the fitted column no error counts
        ((4.2, 2.0, 1.25), None, "not held"),  # worst above 20 %
        ((4.4, 2.0, 1.1), None, "not held"),  # median above 8 %
        ((9.0, 9.0, 9.0), True, "held"),  # a statement
        ((4.0, 2.0, 1.0), False, "not held"),
    ],
)
def test_errors_of_free_columns_decide(
    tmp_path: Path, values: tuple[float, ...], holds: bool | None, state: str
) -> None:
    kept = Kept(tmp_path / "kept.json")
    answers = {"table": lambda kept, row: Answer({"sum": values}, holds)}
    (found,) = filled(Register("t", "s", (TABLE,)), answers, kept)
    assert found.state == state
    assert len(found.errors()) == 2


def test_what_an_answer_finds_and_why_are_both_told(tmp_path: Path) -> None:
    row = Row("A1", "section 1", "says", answer="one", why="It was measured once.")
    answers = {"one": lambda kept, row: Answer(holds=True, text="It is 4 %.")}
    (found,) = filled(Register("t", "s", (row,)), answers, Kept(tmp_path / "kept.json"))
    assert (found.state, found.text) == ("held", "It is 4 %. It was measured once.")


def test_an_input_is_no_finding(tmp_path: Path) -> None:
    row = Row("A1", "section 1", "says", answer="one", input=True, why="An input.")
    answers = {"one": lambda kept, row: Answer(holds=True, text="It is 4 %.")}
    (found,) = filled(Register("t", "s", (row,)), answers, Kept(tmp_path / "kept.json"))
    assert (found.state, found.text) == ("not testable", "It is 4 %. An input.")


def test_kept_numbers_are_used_until_their_machine_changes(tmp_path: Path) -> None:
    machine = tmp_path / "machine.toml"
    text = (
        "[nodes]\ncount = 4\nranks_per_node = 1\n"
        '[network]\nlatency = "1 us"\nbandwidth = "1 GB/s"\n'
        '[node]\nlatency = "1 us"\nbandwidth = "1 GB/s"\n'
        '[[compute.coast]]\nbox = [20, 20]\nother = "1 ns"\n'
    )
    machine.write_text(text)
    one = Predicted("coast-20x20", str(machine), 4)
    file = tmp_path / "kept.json"
    with pytest.raises(UserError, match=r"none of .*--fresh"):
        Kept(file, runs=False)(one)
    found = Kept(file)(one)
    assert found["step"] > found["compute"] == pytest.approx(20 * 20 * 3e-9)
    assert Kept(file, runs=False)(one) == found
    machine.write_text(text.replace("1 ns", "2 ns"))
    with pytest.raises(UserError, match=r"another machine file.*--fresh"):
        Kept(file)(one)
    assert Kept(file, fresh=True)(one)["compute"] == pytest.approx(2 * found["compute"])


def test_running_some_experiments_again_keeps_the_others(tmp_path: Path) -> None:
    file = tmp_path / "kept.json"
    one, other = (Planned("kelvin", (n, 2, 1), "blocking") for n in (1, 2))
    first = Kept(file)
    first(one)
    first(other)
    Kept(file, fresh=True, some=True)(one)
    assert set(json.loads(file.read_text())["experiments"]) == {one.command, other.command}
    Kept(file, fresh=True)(one)
    assert set(json.loads(file.read_text())["experiments"]) == {one.command}


@pytest.mark.parametrize("key", ["schema", "lapwing"])
def test_kept_numbers_of_another_version_are_refused(tmp_path: Path, key: str) -> None:
    file = tmp_path / "kept.json"
    Kept(file)._write()
    document = json.loads(file.read_text())
    file.write_text(json.dumps(document | {key: "0"}))
    with pytest.raises(UserError, match=rf"kept.json: got {key} 0; expected {key} .*--fresh"):
        Kept(file)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("hirlam",), "report got: 'hirlam' expected: one of: getm, lbm"),
        (("getm", "--table", "Table 9"), "--table got: 'Table 9' expected: a place with numbers"),
        (
            ("getm", "--table", "Table 5-1", "--column", "17"),
            "--column got: 17 .* 16, 24, 36, 48, 60",
        ),
        (("polcoms", "--column", "4"), "--column got: 4 expected: no --column.* leave it out"),
        (("polcoms", "--table", "xyz"), r"--table got: 'xyz' expected: a place \(POLCOMS, "),
    ],
)
def test_what_is_not_there_is_told(lapwing: Lapwing, words: tuple[str, ...], message: str) -> None:
    answer = lapwing("reproduce", *words)
    assert answer.code == 2
    assert re.search(message, " ".join((answer.out + answer.err).split()))


def test_a_table_is_printed_and_written(lapwing: Lapwing, tmp_path: Path) -> None:
    out = tmp_path / "rows.json"
    answer = lapwing("reproduce", "getm", "--table", "Table 5-1", "--column", 60, "--json", out)
    assert answer.code == 0, answer.err
    assert "59.58" in answer.out
    assert "23.57" in answer.out
    document = json.loads(out.read_text())
    assert document["schema"] == "lapwing-reproduce-1"
    (row,) = document["rows"]
    assert row["columns"] == ["40x24"]
    assert row["report"]["sum"] == [59.58]
    assert len(row["errors"]) == len(row["report"])


def test_numbers_of_ranks_are_those_of_columns() -> None:
    columns = {"60x60": 16, "24x40": 60, "56": 56, "8 processors": 8, "fit": None, "mean": None}
    assert {name: module.ranks_in(name) for name in columns} == columns


EVERY = {"getm": 12, "lbm": 12, "hirlam-overlap": 12, "hirlam-transpose": 6, "polcoms": 9}


@pytest.mark.slow
@pytest.mark.parametrize("report", REPORTS)
def test_kept_numbers_are_what_is_found_today(report: str, monkeypatch: pytest.MonkeyPatch) -> None:
    kept, asked, again = Kept.__call__, set[str](), []

    def call(self: Kept, one: Experiment) -> Numbers:
        numbers = kept(self, one)
        if one.command not in asked:
            asked.add(one.command)
            if len(asked) % EVERY[report] == 1:
                again.append(one.command)
                found = {name: value for name, value in one.run().items() if "seconds" not in name}
                assert found == pytest.approx({name: numbers[name] for name in found}), one.command
        return numbers

    monkeypatch.setattr(Kept, "__call__", call)
    reproduce(report, runs=False)
    assert len(again) >= len(asked) / EVERY[report] > 0


def test_a_figure_without_numbers_is_drawn_with_a_table_of_its_curves(tmp_path: Path) -> None:
    row = Row("A1", "Figure 1", "It falls", answer="one", unit="s")
    line = Curves("ranks", "a step, s", (4, 16), {"1s": (2.5, math.nan)}, {"1s": (2.0, 0.5)})
    answers = {"one": lambda kept, row: Answer(holds=True, text="So it is.", curves=line)}
    register = Register("A report", "by whom", (row, replace(row, id="A2")))
    rows = filled(register, answers, Kept(tmp_path / "kept.json"))
    write_page(tmp_path / "one.md", "one", register, rows)
    page = (tmp_path / "one.md").read_text()
    assert page.count("### A1: Figure 1, a step, s") == 1
    assert "### A2" not in page  # the same curves once
    assert "| ranks | 4 | 16 |" in page
    assert "| 1s | 2.5 |  |" in page
    assert "| 1s, the report's model | 2 | 0.5 |" in page
    assert (tmp_path / "images" / "one.png").stat().st_size > 1000
    write_rows(tmp_path / "one.json", "one", rows)
    document = json.loads((tmp_path / "one.json").read_text(), parse_constant=pytest.fail)
    assert document["rows"][0]["curves"]["lines"] == {"1s": [2.5, None]}
