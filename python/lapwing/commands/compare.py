"""`lapwing compare`: whether two output files hold the same bits."""

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
