"""Commands on results: one page of a run, and the comparison of two files."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from lapwing.base.agreement import DONE, NO
from lapwing.commands.options import Debug, answered


@answered
def compare(
    a: Annotated[Path, typer.Argument(help="A NetCDF file.", metavar="A.nc")],
    b: Annotated[Path, typer.Argument(help="Another one.", metavar="B.nc")],
    common_times: Annotated[
        bool,
        typer.Option(
            "--common-times",
            help="Compare only the records whose time is in both files, as after a restart.",
        ),
    ] = False,
    debug: Debug = False,
) -> int:
    """Compare the variables of two NetCDF files bit by bit.

    Prints for each variable that differs how many values do, the largest
    absolute difference (in the variable's units) and the largest relative
    one. Attributes are not compared.

    Example: lapwing compare out/one/output.nc out/four/output.nc
    """

    from lapwing.io.compare import compare_files, print_differences

    differences = compare_files(a, b, common_times)
    print_differences(differences)
    return NO if differences else DONE


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
