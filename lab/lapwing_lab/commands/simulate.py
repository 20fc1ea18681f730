"""`lapwing simulate`: the real code on a simulated network."""

from __future__ import annotations

from typing import Annotated

import typer
from lapwing.commands import completion
from lapwing.commands.options import MOST, Debug, Json, Sets, answered, strategies_option

from lapwing_lab.commands.options import ChargedMpi, Machine


@answered
def simulate(
    case: Annotated[
        str,
        typer.Argument(
            help="A case of the coast or lattice model, cut over the ranks, or a box per rank: "
            "coast-60x60, tracer-40x24.",
            metavar="CASE",
            autocompletion=completion.cases,
        ),
    ],
    machine: Machine,
    ranks: Annotated[int, typer.Option(min=1, max=MOST, help="Ranks to simulate.", metavar="N")],
    blocks: Annotated[
        str | None,
        typer.Option(
            help="Blocks of a case along x, y and, where the grid has a z axis to cut, z, one per "
            "rank. Default: the blocks with the least halo.",
            metavar="MxN[xP]",
        ),
    ] = None,
    strategy: Annotated[list[str] | None, strategies_option("all of them")] = None,
    transport: Annotated[
        str, typer.Option(help="p2p or persistent: SMPI has no more.", metavar="T")
    ] = "p2p",
    mpi: ChargedMpi = None,
    steps: Annotated[int, typer.Option(min=2, help="Steps per sample.", metavar="K")] = 24,
    weighted: Annotated[
        bool,
        typer.Option("--weighted", help="Give ranks on fast nodes more cells, on slow ones fewer."),
    ] = False,
    set_: Sets = None,
    json: Json = None,
    debug: Debug = False,
) -> int:
    """Run the C++ library and the model's kernels in simulated time, on tens of ranks.

    SimGrid's SMPI is the MPI, and a machine file the computer: its latencies,
    bandwidths, ranks per node and seconds per cell. The kernels compute, and
    all methods must end with the same bits; what their computing takes is
    charged, not measured, so that a laptop shows a cluster. The strategies are
    compared with [b]plain[/b]: MPI_Isend, interior, MPI_Waitall, edges,
    where the grid does not close on itself. All ranks share this machine's
    memory: 350^3 cells of the lattice model need 15 GB and more.
    It needs SimGrid, which `make simgrid` compiles once.

    Examples:

    lapwing simulate coast-60x60 --machine getm-cluster --ranks 16

    lapwing simulate kelvin --machine my-cluster.toml --ranks 36 --strategy blocking --json k.json

    lapwing simulate taylor-green --machine lbm-xe6 --ranks 48 --blocks 8x6x1
    """

    from lapwing.base.agreement import DONE, NO
    from lapwing.base.atomic_file import check_file
    from lapwing.run.request import parse_blocks

    from lapwing_lab.simulate.simulate import print_simulation, write_simulation
    from lapwing_lab.simulate.simulate import simulate as run
    from lapwing_lab.simulate.work import SimulationRequest

    check_file("--json", json)
    strategies = tuple(part.strip() for one in strategy or () for part in one.split(","))
    request = SimulationRequest(
        case,
        machine,
        ranks,
        strategies,
        transport,
        mpi,
        steps=steps,
        sets=tuple(set_ or ()),
        blocks=parse_blocks(blocks) if blocks else None,
        weighted=weighted,
    )
    simulation = run(request)
    print_simulation(simulation)
    if json is not None:
        write_simulation(json, simulation)
    return NO if simulation.disagreeing() else DONE
