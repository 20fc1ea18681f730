"""The common options of benchmarks, and their command.

A request is a dataclass whose fields are the options of a command: typer fills it from the command
line.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields
from inspect import Parameter, Signature
from typing import Any, ClassVar, get_type_hints

import typer
from lapwing.base.error import UserError
from lapwing.commands.options import EXIT_CODE_WORDS, Debug, Json, NamingCommand, Progress, answer
from typer.main import get_command

from lapwing_lab.bench.measure import options


@dataclass(frozen=True, kw_only=True)
class Request:
    """The options of all benchmarks."""

    BOUND: ClassVar[bool] = True  # each rank is bound to a core of its own while it is measured

    ranks: int = options.ranks(2)
    json: Json = None
    progress: Progress = "auto"
    debug: Debug = False


class BenchCommand(NamingCommand):
    """A command that raises UserError where an option has a value that it cannot have."""

    def make_context(self, *arguments: Any, **more: Any) -> Any:
        """Read the options."""
        try:
            return super().make_context(*arguments, **more)
        except typer.BadParameter as problem:
            option = problem.param.opts[0] if problem.param else "options"
            raise UserError(f"{option}: {problem.message}") from problem


def _parameters(request: type[Any]) -> Iterator[Parameter]:
    """The fields as typer asks a function for its options: where a parser knows, of any type."""
    kinds = get_type_hints(request, include_extras=True)
    for one in fields(request):
        said = one.metadata.get("option", one.default)
        kind = Any if getattr(said, "parser", None) else kinds[one.name]
        yield Parameter(one.name, Parameter.KEYWORD_ONLY, default=said, annotation=kind)


def command_of(
    request: type[Any], title: str, run: Callable[[dict[str, Any]], int]
) -> BenchCommand:
    """The command whose options are the fields of a request, and whose help is its text. Local.

    `run` gets the options by field, as the request takes them, and returns the exit code.
    """

    def command(**options: Any) -> None:
        answer(lambda: run(options), options["debug"])

    command.__signature__ = Signature(list(_parameters(request)))  # type: ignore[attr-defined]
    command.__doc__ = request.__doc__
    app = typer.Typer(rich_markup_mode="rich", add_completion=False)
    app.command(title, cls=BenchCommand, epilog=EXIT_CODE_WORDS)(command)
    made = get_command(app)
    assert isinstance(made, BenchCommand)
    return made
