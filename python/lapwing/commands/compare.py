"""`lapwing compare`: two NetCDF files, bit by bit."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from lapwing.base.agreement import DONE, NO
from lapwing.commands.options import Debug, answered
from lapwing.io.compare import Difference, compare_files


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
    differences = compare_files(a, b, common_times)
    _print(differences)
    return NO if differences else DONE


def _print(differences: list[Difference]) -> None:
    """Print what differs, one line per variable, or that nothing does. Local."""
    if not differences:
        print("bitwise equal")
    for one in differences:
        if one.reason:
            print(f"{one.variable}: {one.reason}")
            continue
        index = ", ".join(map(str, one.first))
        print(
            f"{one.variable}: {one.count} of {one.total} values differ, "
            f"largest {one.largest:.3g} {one.units}".rstrip()
            + f", relative {one.relative:.3g}, first at [{index}]"
        )
