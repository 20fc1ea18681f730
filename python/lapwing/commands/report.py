"""`lapwing report`: the results of a run as one page."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from lapwing.base.agreement import DONE
from lapwing.commands.options import Debug, answered


@answered
def report(
    folder: Annotated[Path, typer.Argument(help="Folder of a run's results.", metavar="DIR")],
    out: Annotated[
        Path | None,
        typer.Option(help="The page. Default: DIR/report.html.", metavar="FILE"),
    ] = None,
    debug: Debug = False,
) -> int:
    """Make one HTML page of a run: speed, pictures, where the time went, settings.

    The page holds everything in itself and opens in any browser without a
    network, so it can be sent to a colleague. It shows what is in DIR: what
    `lapwing run` left there, and a census and a timeline if those commands wrote
    them there; it names the commands for what is missing. Nothing is run.

    Examples:

    lapwing run northsea --ranks 2 && lapwing report out/northsea

    lapwing census out/northsea/case.toml --ranks 2 --json out/northsea/census.json

    lapwing timeline out/northsea/case.toml --ranks 2 --out out/northsea

    lapwing report out/northsea --out northsea.html
    """
    from lapwing.base.atomic_file import check_file, write_text_file
    from lapwing.inspect.report.folder import read_folder
    from lapwing.inspect.report.page import make_page

    found = read_folder(folder)
    file = out or folder / "report.html"
    check_file("--out", file)
    write_text_file(str(file), file, make_page(found))
    print(f"report      {file}")
    return DONE
