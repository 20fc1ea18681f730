"""`lapwing netlab`: an emulated cluster on this machine."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from lapwing.commands.options import EXIT_CODES, Debug, answered

netlab = typer.Typer(no_args_is_help=True, rich_markup_mode="rich")


@netlab.command(epilog=EXIT_CODES)
@answered
def run(
    command: Annotated[
        list[str],
        typer.Argument(help="What to run across the nodes, behind --.", metavar="-- COMMAND..."),
    ],
    nodes: Annotated[int, typer.Option(help="Number of nodes.", metavar="N")] = 2,
    rate: Annotated[
        str, typer.Option(help="Rate of each node's link: 1gbit, 200mbit.", metavar="R")
    ] = "1gbit",
    delay: Annotated[
        str | None,
        typer.Option(help="Delay of a message one way: 60us. Default: none added.", metavar="D"),
    ] = None,
    debug: Debug = False,
) -> int:
    """Run a command on an emulated cluster, and take the cluster away again.

    Each node is a set of namespaces with a link of its own to a bridge, and all
    nodes share the cores of this machine. A COMMAND of lapwing with [b]--ranks N[/b]
    starts its ranks across them, the first ones on the first node; so does a
    COMMAND that begins with [b]mpiexec -n N[/b]. Nothing is left over, also where
    this process is killed. Needs root, Linux, iproute2 and util-linux.

    Examples:

    lapwing netlab run --nodes 2 --rate 1gbit -- lapwing bench overlap --ranks 2

    lapwing netlab run --nodes 2 --rate 200mbit --delay 60us -- lapwing run kelvin --ranks 4
    """
    from lapwing.machine.netlab import netlab as lab
    from lapwing.machine.netlab.cluster import parse

    return lab.run(parse(nodes, rate, delay, command, os.getpid()))


@netlab.callback()
def _group() -> None:
    """An emulated cluster: real MPI over real TCP between network namespaces."""
