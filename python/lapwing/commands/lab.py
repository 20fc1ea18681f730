"""Commands that other packages add to `lapwing`, those of lapwing-lab above all."""

from __future__ import annotations

import sys
from importlib.metadata import entry_points
from typing import Any

import typer
from typer.core import TyperGroup

from lapwing.base.agreement import WRONG_REQUEST

LAB = ("timeline", "probe", "predict", "simulate", "tune", "netlab", "bench")


class Commands(TyperGroup):
    """The commands of `lapwing`; one that belongs to lapwing-lab says how to install it."""

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
        return found


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
