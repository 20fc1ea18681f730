"""`lapwing bench`: measurements, each a command that another package brings."""

from __future__ import annotations

from typing import Any

import typer
from lapwing.base.error import OutsideError, UserError, user_error
from lapwing.commands.options import EXIT_CODES, refuse
from typer.core import TyperCommand, TyperGroup


class BenchGroup(TyperGroup):
    """The benchmarks that are installed, asked for when they are needed and not before."""

    def list_commands(self, ctx: Any) -> list[str]:
        """The names of all."""
        return list(_installed())

    def get_command(self, ctx: Any, cmd_name: str) -> TyperCommand:
        """The benchmark of a name; UserError where there is none."""
        benchmarks = _installed()
        if cmd_name not in benchmarks:
            listed = ", ".join(sorted(benchmarks)) or "none is installed"
            known = f"a benchmark ({listed})"
            raise user_error("NAME", repr(cmd_name), known, "choose one of them")
        return benchmarks[cmd_name]

    def invoke(self, ctx: Any) -> Any:
        """Run the benchmark that was named; a wrong request ends in a block of lines."""
        try:
            return super().invoke(ctx)
        except UserError as problem:
            refuse(problem)


def installed_benchmarks() -> dict[str, TyperCommand]:
    """The commands of `lapwing bench` by name. Local; OutsideError when one cannot be imported."""
    from lapwing.model.registry import load_group

    benchmarks: dict[str, TyperCommand] = {}
    for offered in load_group("lapwing.bench").values():
        benchmarks.update(offered)
    return benchmarks


def _installed() -> dict[str, TyperCommand]:
    try:
        return installed_benchmarks()
    except OutsideError as problem:
        refuse(problem)


bench = typer.Typer(
    cls=BenchGroup,
    epilog=EXIT_CODES,
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
