"""`lapwing probe`: this machine measured."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from lapwing.commands.options import Debug, Progress, answered, ranks_option


@answered
def probe(
    out: Annotated[
        Path,
        typer.Option(
            help="The machine file; samples and a picture get its name with .json and .png.",
            metavar="FILE",
        ),
    ] = Path("machine.toml"),
    ranks: Annotated[int | None, ranks_option("one per core")] = None,
    samples: Annotated[
        int | None, typer.Option(help="Samples of each time. Default: 11.", metavar="N")
    ] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="Fewer sizes and samples: seconds, and rough.")
    ] = False,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Replace files that are there.")
    ] = False,
    progress: Progress = "auto",
    debug: Debug = False,
) -> int:
    """Measure latency, bandwidth, memory and overlap, and write a machine file.

    Messages go around a ring and back and forth, within a node and between nodes,
    sent, put and got, in one piece, with gaps, and one by one; a line through
    their times gives [b]latency[/b] and [b]bandwidth[/b]. Then: how much of a
    message is hidden behind computing, with and without calls of MPI in
    between; what memory gives to copies with 2 and with 2 x 19 streams; what
    small calls cost; and what this MPI does (eager limit, progress in the
    background, neighbourhood collectives). docs/guide/machine-files.md explains each number.
    Ten seconds on 2 ranks of one node. The machine should be quiet, and its nodes full.

    Parts that need two ranks on a node, or two nodes, are skipped by name
    where there are none. `lapwing partition --costs` and, where two nodes were
    measured and costs of kernels added, `lapwing simulate --machine` take the
    file.

    Examples:

    lapwing probe --ranks 2 --out laptop.toml

    lapwing netlab run --nodes 2 --rate 1gbit -- lapwing probe --out gigabit.toml

    mpiexec -n 64 lapwing probe --out cluster.toml
    """

    from lapwing.base.progress import resolved
    from lapwing.run.launch import on_ranks

    from lapwing_lab.probe.request import ProbeRequest, checked

    request = ProbeRequest(out, ranks, quick, samples, overwrite, progress, debug)

    def measure(comm: object) -> int:
        from lapwing_lab.probe.probe import run_probe

        return run_probe(request, comm)  # type: ignore[arg-type]

    # only this process knows whether there is a terminal
    return on_ranks(
        lambda: checked(request, None), measure, lambda: ["--progress", resolved(progress)]
    )
