"""`lapwing bench`: measurements, which other packages register."""

from __future__ import annotations

from typing import Annotated, Any

import typer
from rich.markup import escape
from typer.core import TyperCommand

from lapwing.base.error import OutsideError, user_error
from lapwing.commands.options import Debug, answer


class BenchCommand(TyperCommand):
    """A command whose help says what the benchmarks that there are measure and take.

    They are asked for when help is printed, as only the packages that bring them know.
    """

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Print the help with them in it."""
        self.help = "\n\n".join([self.help or "", *_in_words()])
        super().format_help(ctx, formatter)


def _in_words() -> list[str]:
    """A paragraph per benchmark, and examples. Local."""
    from lapwing.model.registry import installed_benchmarks

    try:
        benchmarks = installed_benchmarks()
    except OutsideError as problem:
        return [escape(str(problem))]
    takes = [f"[b]{n}[/b]: {escape(getattr(b, 'takes', ''))}." for n, b in benchmarks.items()]
    examples = [one for b in benchmarks.values() for one in getattr(b, "examples", ())]
    lines = [f"lapwing {'' if ' -- ' in one else 'bench '}{escape(one)}" for one in examples]
    return [*takes, "Examples:", *lines]


def bench(
    context: typer.Context,
    name: Annotated[str, typer.Argument(help="Name of a benchmark.", metavar="NAME")],
    ranks: Annotated[
        int | None,
        typer.Option(min=1, help="Ranks to start. Default: the benchmark's own.", metavar="N"),
    ] = None,
    debug: Debug = False,
) -> None:
    """Measure a part of lapwing; further options are those of the benchmark.

    All take [b]--json F[/b], a file for all samples, and [b]--progress[/b] as [b]run[/b] does.
    """
    answer(lambda: _bench(name, ranks, context.args, debug), debug)


def _bench(name: str, ranks: int | None, arguments: list[str], debug: bool) -> int:
    from lapwing.base.agreement import end_together
    from lapwing.base.progress import resolved
    from lapwing.core import mpi_runtime
    from lapwing.machine.launch import launch, started_ranks
    from lapwing.model.registry import installed_benchmarks

    benchmarks = installed_benchmarks()
    if name not in benchmarks:
        listed = ", ".join(sorted(benchmarks)) or "none is installed"
        raise user_error("NAME", repr(name), f"a benchmark ({listed})", "choose one of them")
    benchmark = benchmarks[name]
    started = started_ranks()
    wanted = started or ranks or int(getattr(benchmark, "default_ranks", 1))
    if hasattr(benchmark, "check"):
        # one process finds what is wrong with the request before there are ranks
        benchmark.check(arguments, wanted)
    if started is None and wanted > 1:
        # Only this process knows whether there is a terminal; a --progress of the user counts.
        return launch(wanted, ["bench", name, "--progress", resolved("auto"), *arguments])
    world = mpi_runtime.start().COMM_WORLD
    try:
        return int(benchmark(arguments) or 0)
    except Exception as problem:  # of one rank perhaps, for which the others wait
        return end_together(world, problem, f"benchmark {name}", debug)
