"""The group of all commands: a module each, and what other packages add, lapwing-lab above all."""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.metadata import entry_points
from typing import Any

import typer
from typer.core import TyperGroup

from lapwing.base.agreement import WRONG_REQUEST
from lapwing.commands.options import EXIT_CODE_WORDS, NamingCommand, refuse

# in the order of the help: each command, and the first line of its own help
COMMANDS = {
    "run": "Run a case, and leave a NetCDF file, a restart file and pictures in a folder.",
    "report": "Make one HTML page of a run: speed, pictures, where the time went, settings.",
    "plan": "Print what a rank does in which order under a strategy, and draw it.",
    "census": "Count the exchanges of a case by stage and field, and split the time of each.",
    "port": "Say which halo exchanges of a Fortran model are needless, missing or combinable.",
    "verify": "Run every strategy with every transport, and compare with one rank bit by bit.",
    "compare": "Compare the variables of two files bit by bit: NetCDF files, or stores (Zarr).",
    "mask": "Cut the land-sea mask of a part of the earth into a file.",
    "partition": "Cut a sea into subdomains by several methods, and say what each costs.",
    "list": "List the cases, machines, strategies and transports that there are.",
    "doctor": "Say what is installed, what is missing, and the command that fixes it.",
}

LAB = ("timeline", "probe", "predict", "simulate", "reproduce", "tune", "netlab", "bench")

_OWN_EXIT_CODES = {
    "compare": "Exit codes: 0 bitwise equal; 1 different; 2 a file cannot be read.",
    "port": "Exit codes: 0 no halo was stale; 1 one was; 2 the file cannot be read.",
    "doctor": "Exit codes: 0 all is there; 1 something necessary is missing.",
}


class Commands(TyperGroup):
    """The commands of `lapwing`, imported when they are used; their list needs no module.

    A command that belongs to lapwing-lab says how to install it.
    """

    lists = False  # True while the help of the group is made

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Print the help, with one line for each command."""
        self.lists = True
        super().format_help(ctx, formatter)
        self.lists = False

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """The command of a name, or None."""
        found = super().get_command(ctx, cmd_name)
        if found is None and cmd_name in LAB:
            print(
                f"lapwing {cmd_name}: is a command of lapwing-lab, which is not installed; run "
                "`make lab` or `pip install ./lab` in lapwing's sources",
                file=sys.stderr,
            )
            raise typer.Exit(WRONG_REQUEST)
        return found if self.lists or cmd_name not in COMMANDS else _imported(cmd_name)


def _imported(name: str) -> Any:
    """A command of lapwing's own, from its module. Local."""
    alone = typer.Typer(rich_markup_mode="rich", add_completion=False)
    epilog = _OWN_EXIT_CODES.get(name, EXIT_CODE_WORDS)
    try:
        command = getattr(import_module(f"lapwing.commands.{name}"), name)
    except ImportError as problem:
        refuse(problem)
    alone.command(name, cls=NamingCommand, epilog=epilog)(command)
    return typer.main.get_command(alone)


def add_own(app: typer.Typer) -> None:
    """List lapwing's own commands in the application. Local; imports none of them."""
    for name, words in COMMANDS.items():
        app.command(name, help=words)(lambda: None)


def add_installed(app: typer.Typer) -> None:
    """Let each entry point `lapwing.commands`, a function, add its commands to the application.

    Local; one that cannot be imported is reported on stderr and left out, so that `lapwing doctor`
    can say why.
    """
    for entry in entry_points(group="lapwing.commands"):
        try:
            add = entry.load()
        except (ImportError, AttributeError) as problem:
            print(f"lapwing: without the commands of {entry.value}: {problem}", file=sys.stderr)
        else:
            add(app)
