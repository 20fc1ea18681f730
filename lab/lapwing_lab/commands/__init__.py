"""The commands that lapwing-lab adds to `lapwing`, one module each."""

from __future__ import annotations

import typer
from lapwing.commands.options import EXIT_CODE_WORDS, NamingCommand

from lapwing_lab.commands.bench import bench
from lapwing_lab.commands.netlab import netlab
from lapwing_lab.commands.predict import predict
from lapwing_lab.commands.probe import probe
from lapwing_lab.commands.reproduce import reproduce
from lapwing_lab.commands.simulate import simulate
from lapwing_lab.commands.timeline import timeline
from lapwing_lab.commands.tune import tune

PANEL = "Measure, predict and explain (lapwing-lab)"

_OWN_EXIT_CODES: dict[object, str] = {
    simulate: "Exit codes: 0 all methods end with the same bits; 1 they do not; 2 the request was "
    "wrong; 3 something outside failed.",
}


def add_commands(app: typer.Typer) -> None:
    """Add all to the application. Local; what a command needs is imported when it runs."""
    for command in (timeline, probe, predict, simulate, reproduce, tune):
        epilog = _OWN_EXIT_CODES.get(command, EXIT_CODE_WORDS)
        app.command(cls=NamingCommand, epilog=epilog, rich_help_panel=PANEL)(command)
    app.add_typer(bench, name="bench", rich_help_panel=PANEL)
    app.add_typer(netlab, name="netlab", rich_help_panel=PANEL)
