"""The common part of the commands: options, exit codes, and how errors are reported."""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable, Sequence
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, NoReturn, ParamSpec

import typer
from typer.core import TyperCommand

from lapwing.base.agreement import describe, exit_code

if TYPE_CHECKING:
    from mpi4py.MPI import Comm

    from lapwing.run.request import Request

Options = ParamSpec("Options")

MOST = 2**31 - 1  # that MPI and C++ count ranks, steps and cells to
MANY_RANKS = 32  # whose start takes longer than a second look at a case
FEW_RANKS = 4  # the fewest with neighbours along both axes and across a corner

EXIT_CODES = (
    "Exit codes: 0 done; 1 the answer is no; 2 the request was wrong; "
    "3 something outside failed, or the model became unstable."
)

Debug = Annotated[bool, typer.Option("--debug", help="Print tracebacks with errors.")]

CaseName = Annotated[
    str,
    typer.Argument(
        help="Name of a shipped case, path of a TOML file, or a model of your own: FILE.py:CLASS "
        "or MODULE:CLASS.",
        metavar="CASE",
    ),
]

Ranks = Annotated[
    int | None,
    typer.Option(
        min=1,
        max=MOST,
        help="Ranks to start with mpiexec. Default: 1, or those of an mpiexec already there.",
        metavar="N",
    ),
]

OnlyStrategies = Annotated[
    str | None,
    typer.Option(help="Only these, separated by commas, of: {strategies}.", metavar="S,..."),
]

OnlyTransports = Annotated[
    str | None,
    typer.Option(help="Only these, separated by commas, of: {transports}.", metavar="T,..."),
]

Transport = Annotated[
    str | None,
    typer.Option(
        help="How messages move: {transports}; auto is the fastest, by measurement.",
        metavar="T",
    ),
]

Sets = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        help="Change a key of the case, as in `lapwing run`: time.step=10.",
        metavar="KEY=VALUE",
    ),
]

Json = Annotated[
    Path | None, typer.Option(help="File for all that was found, as JSON.", metavar="FILE")
]

Progress = Annotated[
    Literal["auto", "bar", "plain", "none"],
    typer.Option(help="A bar, a line every 10 s, or nothing. auto: a bar on a terminal."),
]


class NamingCommand(TyperCommand):
    """A command whose help names the strategies and transports that there are, where it says so.

    They are asked for when help is printed, not before: the extension that knows them takes its
    time to load, and may be missing.
    """

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Print the help with the names in it."""
        try:
            from lapwing.core.names import strategy_names, transport_names

            strategies, transports = ", ".join(strategy_names()), ", ".join(transport_names())
        except ImportError:
            strategies = transports = "`lapwing doctor` says why their names are not known"
        for option in self.params:
            if isinstance(text := getattr(option, "help", None), str):
                text = text.replace("{strategies}", strategies).replace("{transports}", transports)
                option.help = text  # type: ignore[attr-defined]
        super().format_help(ctx, formatter)


def answered(command: Callable[Options, int]) -> Callable[Options, None]:
    """A command that ends with the exit code of a function; what it raises is told as a block."""

    @wraps(command)
    def answering(*positional: Options.args, **options: Options.kwargs) -> None:
        answer(lambda: command(*positional, **options), bool(options["debug"]))

    return answering


def on_case(
    request: Request,
    work: Callable[[Comm], int],
    more: Sequence[str] = (),
    stops: bool = False,
    check: Callable[[int], object] | None = None,
) -> int:
    """Do the work of a command on the ranks of its case, and return the exit code.

    Where there are none yet, this process finds their number and starts them; rank 0 of them reads
    the case. Many ranks are started only for a request that `check` has found right for their
    number, by default as `make_setup`. `more`: options for the ranks, of what only this process
    knows. `stops`: as of `launch`.
    """
    from lapwing.run.launch import on_ranks
    from lapwing.run.request import make_setup, ranks_of

    def prepare() -> int:
        ranks = ranks_of(request, None)
        if ranks > MANY_RANKS:
            check(ranks) if check is not None else make_setup(request, ranks)
        return ranks

    return on_ranks(prepare, work, lambda: more, stops)


class Told(logging.Handler):
    """The log of the library as lines of a command: warnings on stderr, the rest on stdout."""

    def emit(self, record: logging.LogRecord) -> None:
        """Print the message."""
        if record.levelno >= logging.WARNING:
            words = f"lapwing: {record.levelname.lower()}: {record.getMessage()}"
            print(words, file=sys.stderr, flush=True)
        else:
            print(record.getMessage(), flush=True)


def tell_log() -> None:
    """Let commands print what the library logs, once."""
    log = logging.getLogger("lapwing")
    if not any(isinstance(handler, Told) for handler in log.handlers):
        log.addHandler(Told(logging.INFO))
        log.setLevel(logging.INFO)
        log.propagate = False


def answer(work: Callable[[], int], debug: bool) -> None:
    """End the command with the exit code of `work`, printing what it raises as one block."""
    tell_log()
    try:
        code = work()
    except Exception as problem:
        refuse(problem, debug)
    raise typer.Exit(code)


def refuse(problem: Exception, debug: bool = False) -> NoReturn:
    """End the command with the exit code of a problem, which is printed as one block."""
    from lapwing.run.launch import speaks

    if speaks():
        print(describe(problem, debug), file=sys.stderr)
    raise typer.Exit(exit_code(problem))
