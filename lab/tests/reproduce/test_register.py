"""Registers of reports: complete, checked, and quoted rightly by pages."""

from __future__ import annotations

import re
import shlex
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from lapwing.__main__ import app
from lapwing.base.error import UserError
from lapwing_lab.reproduce import register as registers
from lapwing_lab.reproduce.register import REPORTS, Register, Row, load_register
from lapwing_lab.reproduce.reproduce import reproduce
from typer.core import TyperGroup
from typer.main import get_command

ROOT = Path(__file__).parents[3]
# the rows that a reading of each report counted; what follows from them are more
COUNTED = {
    "getm": ("A", 90),
    "lbm": ("B", 63),
    "hirlam-overlap": ("C", 61),
    "hirlam-transpose": ("D", 54),
    "polcoms": ("E", 47),
}


@pytest.fixture(params=REPORTS)
def report(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def test_every_counted_row_is_there(report: str) -> None:
    letter, count = COUNTED[report]
    ids = {row.id for row in load_register(report).row}
    assert {f"{letter}{n + 1}" for n in range(count)} <= ids


def test_every_row_has_a_state_or_an_answer(report: str) -> None:
    answers = import_module(f"lapwing_lab.reproduce.answers.{report.replace('-', '_')}").ANSWERS
    used = set()
    for row in load_register(report).row:
        assert row.state is not None or row.answer in answers, row.id
        used.add(row.answer)
    assert answers.keys() <= used, "answers of no row"


def test_commands_of_rows_are_there(report: str) -> None:
    for row in load_register(report).row:
        kind, _, words = row.command.partition(" ")
        if kind == "pytest":
            path, _, name = words.partition("::")
            assert f"def {name}(" in (ROOT / path).read_text(), row.command
        elif kind == "make":
            target = words.split()[-1]
            assert re.search(rf"^{target}:", (ROOT / "Makefile").read_text(), re.M), row.command
        else:
            assert kind in ("lapwing", ""), row.command


def parse(command: str) -> None:
    """Read a command line of lapwing without running it; raise what refuses it."""
    if " && " in command:
        for one in command.split(" && "):
            parse(one)
        return
    words = shlex.split(command, comments=True)[1:]
    context: Any = get_command(app).make_context("lapwing", words)
    while isinstance(context.command, TyperGroup):
        rest = [*context._protected_args, *context.args]
        name, child, rest = context.command.resolve_command(context, rest)
        assert child is not None, command
        context = child.make_context(name, rest, parent=context)


def test_commands_of_rows_are_read(report: str) -> None:
    _, rows = reproduce(report, runs=False)
    commands = {one.command for one in rows if one.command.startswith("lapwing ")}
    assert len(commands) > 10
    for command in sorted(commands):
        parse(command)


def test_most_rows_are_answered_by_a_command() -> None:
    rows = [row for report in REPORTS for row in load_register(report).row]
    answered = [row for row in rows if row.command or row.answer]
    assert len(rows) >= 315
    assert len(answered) >= 290


def wrong(folder: Path, row: str, monkeypatch: pytest.MonkeyPatch) -> Register:
    text = f'title = "t"\nsource = "s"\n[[row]]\nid = "A1"\nplace = "p"\nsays = "s"\n{row}'
    (folder / "getm.toml").write_text(text)
    monkeypatch.setattr(registers, "FOLDER", folder)
    return load_register("getm")


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("", "neither answer nor state"),
        ('answer = "flat"\nstate = "held"', "both answer and state"),
        ('state = "not held"\ncommand = "lapwing"', "no why"),
        ('state = "held"', "no command"),
        ('answer = "flat"\ninput = true', "why it is an input"),
        ('state = "held"\ncommand = "lapwing"\ninput = true', "why it is an input"),
        ('state = "maybe"', "state"),
        ('answer = "flat"\ncolumns = ["1"]\n[row.report.total]\nsum = [1.0, 2.0]', "2 numbers"),
        ('answer = "flat"\ncolumns = ["1"]\nfitted = ["2"]', "fitted"),
        ('answer = "flat"\nhow = "so"', "unknown key|no key|how"),
    ],
)
def test_rows_that_say_too_little_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, row: str, message: str
) -> None:
    with pytest.raises(UserError, match=message):
        wrong(tmp_path, row, monkeypatch)


def row_of(report: str, name: str) -> Row:
    return next(row for row in load_register(report).row if row.id == name)


def test_pages_quote_what_zones_cost_getm() -> None:
    before, after = row_of("getm", "A50"), row_of("getm", "A54b")
    assert before.columns != after.columns  # of five shapes and of eight
    plain = {"40x60": (68.55, 51.10), "30x40": (36.51, 23.11), "24x40": (30.40, 17.85)}
    for number, box in enumerate(before.columns):
        plain[box] = (before.series["total"][number], before.series["A and B"][number])
    totals = [after.series["total"][n] / plain[box][0] for n, box in enumerate(after.columns)]
    computing = [after.series["A and B"][n] / plain[box][1] for n, box in enumerate(after.columns)]
    page = " ".join((ROOT / "docs" / "measurements" / "reports.md").read_text().split())
    assert f"{min(computing):.2f} to {max(computing):.2f} times as long" in page
    assert f"the routine {min(totals):.2f} to {max(totals):.2f} times" in page


def test_version_b_is_faster_in_two_of_eight_runs() -> None:
    whole, b = row_of("getm", "A43").series["sum"], row_of("getm", "A55").series["sum"]
    faster = [
        box for box, x, y in zip(row_of("getm", "A43").columns, whole, b, strict=True) if y < x
    ]
    assert faster == ["60x60", "40x24"]


def test_getm_contradicts_itself_as_its_rows_say() -> None:
    def of(name: str) -> dict[str, float]:
        row = row_of("getm", name)
        series = row.series.get("total") or row.series["sum"]
        return dict(zip(row.columns, series, strict=True))

    plain, zones = of("A42"), of("A44")
    assert plain["24x40"] < plain["40x24"]
    assert zones["40x60"] < zones["60x40"]
    assert zones["30x40"] < zones["40x30"]
    assert of("A52")["40x40"] / of("A50")["40x40"] == pytest.approx(0.985, abs=0.001)
    for name in ("A56b", "A75b"):
        assert row_of("getm", name).state == "not held"
