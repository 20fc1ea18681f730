"""`lapwing mask`: the coast of a part of the earth as a file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from lapwing.base.agreement import DONE
from lapwing.commands.options import Debug, answered


@answered
def mask(
    region: Annotated[
        str,
        typer.Option(help="shelf, guinea, northsea, or bounds in degrees.", metavar="NAME|S,N,W,E"),
    ],
    out: Annotated[Path, typer.Option(help="NetCDF file to write.", metavar="FILE")],
    minutes: Annotated[
        float | None,
        typer.Option(
            help="Size of a cell in arc-minutes. Default: 2 for northsea, else 1.", metavar="M"
        ),
    ] = None,
    connected: Annotated[
        bool | None,
        typer.Option(
            "--connected/--no-connected",
            help="Keep only the sea that can be reached from the region's sides. Default: "
            "connected for northsea (from its open sides), else all of it.",
        ),
    ] = None,
    debug: Debug = False,
) -> int:
    """Cut the land-sea mask of a part of the earth into a file.

    The coasts come from the package global-land-mask (30 arc-seconds, public
    domain data). A cell is wet where the source cell at its centre is, in
    northsea where at least half of its source cells are.
    Cases name the file in [b]grid.mask[/b]. Your own mask or depths work too:
    NetCDF, or a .npy array with y (latitude) first as maps come. 1 is wet and 0 is
    dry, unless the file says otherwise.

    Examples:

    lapwing mask --region shelf --out shelf.nc

    lapwing mask --region=-5,7,-8,12 --minutes 2 --connected --out gulf.nc
    """

    from lapwing.partition.regions import find_region, print_mask, write_region

    wanted = find_region(region, minutes, connected)
    print_mask(write_region(wanted, out), out)
    return DONE
