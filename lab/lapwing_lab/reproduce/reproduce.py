"""`lapwing reproduce`: a report's register, filled."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from importlib import import_module
from pathlib import Path

from lapwing.base.error import UserError, user_error
from lapwing.base.table import PLAIN, make_table
from lapwing.core.versions import write_report
from rich.console import Console
from rich.table import Table

from lapwing_lab.reproduce.answer import Answers, Filled, filled, summary
from lapwing_lab.reproduce.kept import Kept
from lapwing_lab.reproduce.register import FOLDER, Register, Row, load_register

_WIDTH = 118  # columns


def reproduce(
    report: str,
    *,
    fresh: bool = False,
    table: str | None = None,
    ranks: int | None = None,
    runs: bool = True,
) -> tuple[Register, list[Filled]]:
    """Fill the register of a report, or the rows of one of its tables. Local.

    `fresh`: runs every experiment again. `ranks`: only columns with that many. `runs`: whether
    experiments that are not kept are run. UserError for a report, table or number of ranks that
    does not exist, and for kept numbers of another version.
    """
    register = load_register(report)
    if table is not None:
        register = replace(register, row=register.at(table))
    answers: Answers = import_module(f"{_ANSWERS}.{report.replace('-', '_')}").ANSWERS
    some = table is not None
    kept = Kept(FOLDER / f"{report}.json", fresh=fresh, runs=runs, some=some)
    found = filled(register, answers, kept)
    if ranks is not None:
        found = _on_ranks(found, ranks)
    return register, found


_ANSWERS = "lapwing_lab.reproduce.answers"


def ranks_in(column: str) -> int | None:
    """The number of ranks of a column: a number, or the subdomains of GETM's shapes. Local."""
    from lapwing_lab.reproduce.answers.getm_tables import BLOCKS, ranks_of

    if column in BLOCKS:
        return ranks_of(column)
    first = column.split()[0]
    return int(first) if first.isdigit() else None


def _on_ranks(rows: Sequence[Filled], ranks: int) -> list[Filled]:
    """The rows with columns of that number of ranks, and these columns alone."""
    found = []
    for one in rows:
        keep = [n for n, name in enumerate(one.row.columns) if ranks_in(name) == ranks]
        if keep:
            found.append(_columns(one, keep))
    if not found:
        raise _unknown_ranks(rows, ranks)
    return found


def _unknown_ranks(rows: Sequence[Filled], ranks: int) -> UserError:
    known = {ranks_in(column) for one in rows for column in one.row.columns} - {None}
    if not known:
        expected = "no --column, as these rows have no columns of ranks"
        return user_error("--column", str(ranks), expected, "leave it out")
    numbers = ", ".join(map(str, sorted(n for n in known if n is not None)))
    expected = f"a number of ranks in the tables: {numbers}"
    return user_error("--column", str(ranks), expected, "choose one of them")


def _columns(one: Filled, keep: Sequence[int]) -> Filled:
    def some(values: Sequence[float]) -> tuple[float, ...]:
        return tuple(values[n] for n in keep)

    row: Row = replace(
        one.row,
        columns=tuple(one.row.columns[n] for n in keep),
        report={p: {name: some(v) for name, v in of.items()} for p, of in one.row.report.items()},
    )
    return replace(
        one, row=row, values={n: some(v) for n, v in one.values.items() if n in row.series}
    )


def print_rows(register: Register, rows: Sequence[Filled]) -> None:
    """Print the rows and how many hold. Local."""
    console = Console(width=_WIDTH, highlight=False)
    console.print(f"{register.title}: {register.source}")
    console.print(_table(rows))
    for one in rows:
        if one.values and len(rows) <= 4:
            Console(width=2 * _WIDTH, highlight=False).print(_numbers(one))
    found = summary(rows)
    console.print(
        f"{found['rows']} rows: {found['held']} held, {found['not held']} not held, "
        f"{found['not testable']} not testable here; {found['answered']} answered by a command"
    )
    for part in ("compute", "halo", "total"):
        if part in found:
            one = found[part]
            console.print(
                f"{part}: {one['numbers']} times of free columns, off by {one['median']:.1%} in "
                f"the median, {one['worst']:.1%} at worst"
            )


def _table(rows: Sequence[Filled]) -> Table:
    table = make_table(("row", "place", "state"), (), **PLAIN)
    table.add_column("the report, and what is found here")
    for one in rows:
        table.add_row(one.row.id, one.row.place, one.state, f"{one.row.says}. {one.text}")
    return table


def _numbers(one: Filled) -> Table:
    table = make_table((f"{one.row.place}, lapwing (report)",), one.row.columns, **PLAIN)
    for name, told in one.row.series.items():
        if name in one.values:
            pairs = zip(one.values[name], told, strict=True)
            table.add_row(name, *(f"{a:.4g} ({b:.4g})" for a, b in pairs))
    return table


def write_rows(file: Path, report: str, rows: Sequence[Filled]) -> None:
    """Write the filled rows as JSON under the schema lapwing-reproduce-1. Local."""
    content = {
        "report": report,
        "summary": summary(rows),
        "rows": [
            {
                "id": one.row.id,
                "place": one.row.place,
                "says": one.row.says,
                "state": one.state,
                "command": one.command,
                "text": one.text,
                "columns": list(one.row.columns),
                "report": one.row.series,
                "lapwing": {name: list(values) for name, values in one.values.items()},
                "errors": one.errors(),
                "curves": one.curves and one.curves.data(),
            }
            for one in rows
        ],
    }
    write_report(file, "lapwing-reproduce-1", content)
