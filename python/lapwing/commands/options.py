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

from lapwing.base.agreement import EXIT_CODES, describe, exit_code
from lapwing.commands import completion

if TYPE_CHECKING:
    from mpi4py.MPI import Comm

    from lapwing.run.request import Request

Options = ParamSpec("Options")

MOST = 2**31 - 1  # the largest number of ranks, steps and cells in MPI and C++
MANY_RANKS = 32  # whose start takes longer than a second look at a case
FEW_RANKS = 4  # the fewest with neighbours along both axes and across a corner

EXIT_CODE_WORDS = (
    "Exit codes: " + "; ".join(f"{code} {words}" for code, words in EXIT_CODES.items()) + "."
)

Debug = Annotated[bool, typer.Option("--debug", help="Print tracebacks with errors.")]

CaseName = Annotated[
    str,
    typer.Argument(
        help="Name of a shipped case, path of a TOML file, or a model of your own: FILE.py:CLASS "
        "or MODULE:CLASS.",
        metavar="CASE",
        autocompletion=completion.cases,
    ),
]


# ---- options that mean the same in every command: docs/reference/commands.md has them in a table


def ranks_option(default: str) -> Any:
    """The option `--ranks`; `default`: the number of ranks without it. Local."""
    return typer.Option(
        "--ranks",
        min=1,
        max=MOST,
        help=f"Ranks to start with mpiexec. Default: {default}, or the ranks of the mpiexec that "
        "started the command.",
        metavar="N",
    )


def strategies_option(default: str) -> Any:
    """The option `--strategy` of a command that compares several. Local."""
    return typer.Option(
        "--strategy",
        help="Orders of computing and communicating to compare, separated by commas or in several "
        f"options: {{strategies}}. Default: {default}.",
        metavar="S,...",
        autocompletion=completion.strategies,
    )


def transports_option(default: str) -> Any:
    """The option `--transport` of a command that compares several. Local."""
    return typer.Option(
        "--transport",
        help="Ways to move messages to compare, separated by commas or in several options: "
        f"{{transports}}. Default: {default}.",
        metavar="T,...",
        autocompletion=completion.transports,
    )


Ranks = Annotated[int | None, ranks_option("1")]

Strategy = Annotated[
    str | None,
    typer.Option(
        help="Order of computing and communicating: {strategies}; auto is the fastest, by "
        "measurement. Default: as the case says.",
        metavar="S",
        autocompletion=completion.strategies,
    ),
]

Transport = Annotated[
    str | None,
    typer.Option(
        help="How messages move: {transports}; auto is the fastest, by measurement. Default: as "
        "the case says.",
        metavar="T",
        autocompletion=completion.transports,
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
    Path | None, typer.Option(help="Write all results to this file, as JSON.", metavar="FILE")
]

Progress = Annotated[
    Literal["auto", "bar", "plain", "none"],
    typer.Option(
        help="A bar, a line every 10 s, or nothing. auto: a bar on a terminal.",
        metavar="auto|bar|plain|none",
    ),
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
