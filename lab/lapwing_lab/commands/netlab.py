"""`lapwing netlab`: an emulated cluster on this machine."""

from __future__ import annotations

import os
from typing import Annotated

import typer
from lapwing.commands.options import EXIT_CODE_WORDS, Debug, answered

netlab = typer.Typer(no_args_is_help=True, rich_markup_mode="rich")


@netlab.command(epilog=EXIT_CODE_WORDS)
@answered
def run(
    command: Annotated[
        list[str],
        typer.Argument(help="What to run across the nodes, behind --.", metavar="-- COMMAND..."),
    ],
    nodes: Annotated[
        int | None, typer.Option(help="Number of nodes. Default: 2.", metavar="N")
    ] = None,
    rate: Annotated[
        str | None,
        typer.Option(help="Rate of each node's link: 1gbit, 200mbit. Default: 1gbit.", metavar="R"),
    ] = None,
    delay: Annotated[
        str | None,
        typer.Option(help="Delay of a message one way: 60us. Default: none added.", metavar="D"),
    ] = None,
    group: Annotated[
        list[str] | None,
        typer.Option(
            help="Nodes with links of their own: 2@1gbit, 4@100mbit,60us. Give it for each group, "
            "instead of --nodes, --rate and --delay.",
            metavar="N@R[,D]",
        ),
    ] = None,
    joint: Annotated[
        str | None,
        typer.Option(help="Link of each group to the others: 200mbit,1ms.", metavar="R[,D]"),
    ] = None,
    machine: Annotated[
        str | None,
        typer.Option(
            help="Machine file, or the name of a shipped one: its nodes, groups and links, "
            "instead of the options above.",
            metavar="M.toml",
        ),
    ] = None,
    debug: Debug = False,
) -> int:
    """Run a command on an emulated cluster, and take the cluster away again.

    Each node is a set of namespaces with a link of its own to a bridge, and all
    nodes share the cores of this machine. Groups of nodes have a bridge each,
    and a link from it to those of the others. A COMMAND of lapwing with [b]--ranks N[/b]
    starts its ranks across them, the first ones on the first node; so does a
    COMMAND that begins with [b]mpiexec -n N[/b]. Nothing is left over, also where
    this process is killed. Needs root, Linux, iproute2 and util-linux.

    Examples:

    lapwing netlab run --nodes 2 --rate 1gbit -- lapwing bench overlap --ranks 2

    lapwing netlab run --nodes 2 --rate 200mbit --delay 60us -- lapwing run kelvin --ranks 4

    lapwing netlab run --group 2@1gbit --group 2@100mbit --joint 50mbit,1ms -- mpiexec -n 4 ./model
    """
    from lapwing_lab.netlab import netlab as lab
    from lapwing_lab.netlab.request import NetworkOptions, parse

    options = NetworkOptions(nodes, rate, delay, tuple(group or ()), joint, machine)
    return lab.run(parse(options, command, os.getpid()))


@netlab.callback()
def _group() -> None:
    """Emulate a cluster: real MPI over real TCP between network namespaces."""
