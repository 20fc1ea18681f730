"""`lapwing compare`: two NetCDF files, bit by bit."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from lapwing.base.agreement import DONE, NO
from lapwing.base.atomic_file import check_file
from lapwing.commands.options import Debug, Json, answered
from lapwing.io.compare import Difference, compare_files


@answered
def compare(
    a: Annotated[Path, typer.Argument(help="A NetCDF file, or a store.", metavar="A.nc")],
    b: Annotated[Path, typer.Argument(help="Another one.", metavar="B.nc")],
    common_times: Annotated[
        bool,
        typer.Option(
            "--common-times",
            help="Compare only the records whose time is in both files, as after a restart.",
        ),
    ] = False,
    json: Json = None,
    debug: Debug = False,
) -> int:
    """Compare the variables of two files bit by bit: NetCDF files, or stores (Zarr).

    Prints for each variable that differs how many values do, the largest
    absolute difference (in the variable's units) and the largest relative
    one. Attributes are not compared.

    Example: lapwing compare out/one/output.nc out/four/output.nc
    """
    check_file("--json", json)
    differences = compare_files(a, b, common_times)
    _print(differences)
    if json is not None:
        _write(json, a, b, differences)
    return NO if differences else DONE


def _write(file: Path, a: Path, b: Path, differences: list[Difference]) -> None:
    """Write what differs as JSON. Local; OutsideError when the disk refuses."""
    from lapwing.core.versions import write_report  # loads the extension

    found = {"files": [str(a), str(b)], "differences": [asdict(one) for one in differences]}
    write_report(file, "lapwing-compare-1", found)
    print(f"JSON  {file}")


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
