"""`lapwing bench`: the benchmarks of `lapwing_lab.bench`, imported when they are needed."""

from __future__ import annotations

from typing import Any

import typer
from lapwing.base.error import UserError, user_error
from lapwing.commands.options import EXIT_CODE_WORDS, refuse
from typer.core import TyperGroup


class BenchGroup(TyperGroup):
    """The benchmarks, and the works of `models`, which have names of their own."""

    def list_commands(self, ctx: Any) -> list[str]:
        """The names of the benchmarks."""
        from lapwing_lab.bench import listed

        return listed

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """The benchmark of a name; UserError where there is none."""
        from lapwing_lab.bench import every, listed

        if cmd_name not in every:
            known = f"a benchmark ({', '.join(sorted(listed))})"
            raise user_error("NAME", repr(cmd_name), known, "choose one of them")
        return every[cmd_name]

    def invoke(self, ctx: Any) -> Any:
        """Run the benchmark that was named; a wrong request ends in a block of lines."""
        try:
            return super().invoke(ctx)
        except UserError as problem:
            refuse(problem)


bench = typer.Typer(
    cls=BenchGroup,
    epilog=EXIT_CODE_WORDS,
    subcommand_metavar="NAME [OPTIONS]",
    no_args_is_help=True,
    rich_markup_mode="rich",
)


@bench.callback()
def _group() -> None:
    """Measure a part of lapwing.

    [b]lapwing bench NAME --help[/b] tells the options of a benchmark. All take [b]--ranks N[/b],
    [b]--json F[/b], a file for all samples, and [b]--progress[/b] as [b]run[/b] does.
    """
