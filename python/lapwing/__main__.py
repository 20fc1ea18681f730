"""The command line `lapwing`, or `python -m lapwing`; `lapwing.commands` has the commands."""

from __future__ import annotations

import importlib.metadata
import importlib.util
from pathlib import Path
from typing import Annotated

import typer

from lapwing.commands.bench import bench
from lapwing.commands.census import census
from lapwing.commands.machine.netlab import netlab
from lapwing.commands.machine.predict import predict
from lapwing.commands.machine.probe import doctor, probe
from lapwing.commands.machine.simulate import simulate
from lapwing.commands.machine.tune import tune
from lapwing.commands.mask import mask
from lapwing.commands.options import EXIT_CODES, NamingCommand
from lapwing.commands.partition import partition
from lapwing.commands.plan import plan
from lapwing.commands.results import compare, report
from lapwing.commands.run import run
from lapwing.commands.timeline import timeline
from lapwing.commands.verify import verify

app = typer.Typer(
    name="lapwing",
    epilog=EXIT_CODES,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
)

_OWN_EXIT_CODES = {
    compare: "Exit codes: 0 bitwise equal; 1 different; 2 a file cannot be read.",
    simulate: "Exit codes: 0 all methods end with the same bits; 1 they do not; 2 the request was "
    "wrong; 3 something outside failed.",
    doctor: "Exit codes: 0 all is there; 1 something necessary is missing.",
}

# in the order of the help; what a command needs is imported when it runs
commands = (
    *(run, report, plan, timeline, census, verify, compare),
    *(mask, partition, probe, predict, simulate, tune, doctor),
)
for command in commands:
    app.command(cls=NamingCommand, epilog=_OWN_EXIT_CODES.get(command, EXIT_CODES))(command)
app.add_typer(bench, name="bench")
app.add_typer(netlab, name="netlab")


def _print_version(asked: bool) -> None:
    if asked:
        print(f"lapwing {importlib.metadata.version('lapwing')}")
        raise typer.Exit


def _print_cmake_dir(asked: bool) -> None:
    if asked:
        extension = importlib.util.find_spec("lapwing.core._core")
        print(Path(str(extension and extension.origin)).parent / "cmake")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version and exit."
        ),
    ] = False,
    cmake_dir: Annotated[
        bool,
        typer.Option(
            "--cmake-dir",
            callback=_print_cmake_dir,
            is_eager=True,
            help="Print lapwing_DIR for find_package(lapwing) of CMake, and exit.",
        ),
    ] = False,
) -> None:
    """Structured-grid models on many ranks, without communication code in the model."""


def main() -> None:
    """Run the command line; ends the process with an exit code from 0 to 3."""
    app()


if __name__ == "__main__":
    main()
