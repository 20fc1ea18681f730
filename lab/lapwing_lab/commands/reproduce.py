"""`lapwing reproduce`: the tables and statements of the reports, with lapwing's numbers."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from lapwing.commands.options import Debug, Json, answered


@answered
def reproduce(
    report: Annotated[
        str,
        typer.Argument(
            help="getm, lbm, hirlam-overlap, hirlam-transpose or polcoms.", metavar="REPORT"
        ),
    ],
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Compute every number again, not only missing ones.")
    ] = False,
    table: Annotated[
        str | None,
        typer.Option(help="Rows of one place, like 'Table 5-1', or one row.", metavar="PLACE"),
    ] = None,
    ranks: Annotated[
        int | None,
        typer.Option("--column", help="Only columns with that many ranks.", metavar="N", min=1),
    ] = None,
    page: Annotated[
        Path | None,
        typer.Option(help="Page of all rows, with pictures next to it.", metavar="F.md"),
    ] = None,
    json: Json = None,
    debug: Debug = False,
) -> int:
    """Answer what a report says, row by row: held, not held, or not testable here.

    Each table, figure and statement of five reports is a row. Its numbers are
    predicted on the report's machine, or shown by the command that the row names.
    They are kept with lapwing; what is missing is computed.
    An error counts on columns to which no machine file was fitted.

    Examples:

    lapwing reproduce getm --table "Table 5-1" --column 60

    lapwing reproduce hirlam-overlap --page out/hirlam-overlap.md --json out/rows.json
    """
    from lapwing.base.agreement import DONE
    from lapwing.base.atomic_file import check_file

    from lapwing_lab.reproduce.reproduce import print_rows, write_rows
    from lapwing_lab.reproduce.reproduce import reproduce as run

    for option, file in (("--json", json), ("--page", page)):
        check_file(option, file)
    register, rows = run(report, fresh=fresh, table=table, ranks=ranks)
    print_rows(register, rows)
    if page is not None:
        from lapwing_lab.reproduce.page import write_page

        write_page(page, report, register, rows)
        print(f"page  {page}")
    if json is not None:
        write_rows(json, report, rows)
    return DONE
