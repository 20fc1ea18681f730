"""`lapwing partition`: ways to cut a sea, and what each costs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from lapwing.base.agreement import DONE
from lapwing.commands.options import MOST, Debug, Json, answered


@answered
def partition(
    mask: Annotated[
        Path,
        typer.Argument(
            help="A map of the sea: of `lapwing mask`, or of another program.", metavar="MASK"
        ),
    ],
    ranks: Annotated[
        str, typer.Option("--ranks", "-n", help="Ranks, or several.", metavar="N[,N...]")
    ],
    wet: Annotated[
        str,
        typer.Option(
            help='Cells that are wet, by variables of the file: "depth > 10", '
            '"hFacC\\[0] > 0", "elevation < 0 and ice == 0".',
            metavar="EXPR",
        ),
    ] = "",
    axes: Annotated[
        str,
        typer.Option(
            help="Order of the map's dimensions, where the file says none.", metavar="x,y|y,x"
        ),
    ] = "",
    variable: Annotated[
        str, typer.Option(help="The map, where the file has several.", metavar="NAME")
    ] = "",
    size: Annotated[
        str,
        typer.Option(help="Cells along x and y, for a file without a header.", metavar="NX,NY"),
    ] = "",
    method: Annotated[
        str,
        typer.Option(
            help="block, assigned (several blocks per rank), ksection, metis (needs pymetis), "
            "or all, in one table."
        ),
    ] = "all",
    ranks_per_node: Annotated[
        int, typer.Option(min=1, max=MOST, help="One node after the other.", metavar="P")
    ] = 1,
    width: Annotated[int, typer.Option(min=0, max=MOST, help="Cells of halo.", metavar="W")] = 2,
    speeds: Annotated[
        str | None,
        typer.Option(help="Speeds of the ranks: numbers, or a file of them.", metavar="S,S,...|F"),
    ] = None,
    costs: Annotated[
        str | None,
        typer.Option(
            help="Costs of a wet and a dry point, of a halo point from off and on the node, and of "
            "a message; or a TOML file with a table \\[partition] of them. "
            "Default: wet=1,dry=0.05,off=5,on=1,latency=0.",
            metavar="NAME=C,...|F",
        ),
    ] = None,
    threads: Annotated[int, typer.Option(min=1, max=MOST, help="Of the search.", metavar="T")] = 1,
    plot: Annotated[
        Path | None, typer.Option(help="PNG of the k-section or the last row.", metavar="FILE")
    ] = None,
    json: Json = None,
    layout: Annotated[
        str | None,
        typer.Option(
            help="Write a layout file: mom6, mitgcm, nemo, nemo-4.0, nemo-3.6, hycom, getm, roms, "
            "croco, cice, or ranks: a map of the rank of each cell.",
            metavar="MODEL",
        ),
    ] = None,
    layout_file: Annotated[
        Path | None, typer.Option(help="Name of the layout file.", metavar="FILE")
    ] = None,
    debug: Debug = False,
) -> int:
    """Cut a sea into subdomains by several methods, and say what each costs.

    [b]max/mean wet[/b] is the imbalance: how much longer the fullest rank computes
    than the mean. A halo point costs more from another node. Layout files tell
    other models their blocks, and which of them get no rank.

    The mask is a NetCDF or .npy file, or the grid file of another model.
    1 is wet unless the file says otherwise. Notes tell how it was read; what
    is unclear is refused, and the error names the option that settles it.

    Examples:

    lapwing partition shelf.nc -n 60,120,512,720

    lapwing partition topog.nc -n 120 --wet "depth > 10"

    lapwing partition shelf.nc -n 720 --ranks-per-node 24 --plot shelf.png

    lapwing partition shelf.nc -n 120 --method block --layout mom6 --layout-file mask_table
    """

    from lapwing.partition.command import PartitionRequest, partition_mask

    request = PartitionRequest(
        mask=mask,
        ranks=ranks,
        wet=wet,
        axes=axes,
        variable=variable,
        size=size,
        method=method,
        ranks_per_node=ranks_per_node,
        width=width,
        speeds=speeds,
        costs=costs,
        threads=threads,
        plot=plot,
        json=json,
        layout=layout,
        layout_file=layout_file,
    )
    partition_mask(request)
    return DONE
