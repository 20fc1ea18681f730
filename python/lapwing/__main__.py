"""The command line `lapwing`, or `python -m lapwing`; `lapwing.commands` has the commands."""

from __future__ import annotations

import importlib.metadata
import importlib.util
from pathlib import Path
from typing import Annotated

import typer

from lapwing.base.stop import quiet_without_reader
from lapwing.commands.group import Commands, add_installed, add_own
from lapwing.commands.options import EXIT_CODE_WORDS

app = typer.Typer(
    name="lapwing",
    cls=Commands,
    epilog=EXIT_CODE_WORDS,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
)

add_own(app)
add_installed(app)


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
    """Run the command line; ends the process with one of EXIT_CODES, or 141.

    141: what read its output has gone.
    """
    with quiet_without_reader():
        app()


if __name__ == "__main__":
    main()
