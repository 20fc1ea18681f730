"""The task list of a strategy as text for people."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table

from lapwing.inspect.tasks.task_order import Done, TaskOrder

_WIDTH = 104  # columns


def print_task_order(plan: TaskOrder, ranks: int, exchanges: str) -> None:
    """Print what travels, and every task in its order. Local. `exchanges`: Step.describe()."""
    console = Console(width=_WIDTH, highlight=False, markup=False)
    boxes = ", ".join(box_text(box) for box in plan.owned) or "no cell"
    console.print(f"strategy {plan.strategy}, rank {plan.rank} of {ranks}, which owns {boxes}")
    console.print(
        f"{100 * plan.hidden_share():.0f} % of its cells are computed while messages travel"
    )
    console.print()
    console.print("exchanges and stages")
    console.print(exchanges.rstrip())
    for step in range(plan.steps):
        console.print()
        console.print(f"tasks of step {step} of {plan.steps}")
        console.print(_table(plan, step))
    console.print()


def _table(plan: TaskOrder, step: int) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 2))
    table.add_column("", justify="right")
    for heading in ("task", "box", "meanwhile travels", "after"):
        table.add_column(heading, overflow="fold")
    place_of = {
        done.number: str(here) for here, done in enumerate(d for d in plan.order if d.step == step)
    }
    for place, done in enumerate(plan.order):
        if done.step != step:
            continue
        travelling = plan.travelling(place) if done.task.kind == "compute" else []
        table.add_row(
            place_of[done.number],
            what(done),
            box_text(done.task.box) if done.task.kind == "compute" else "",
            "; ".join(f"{flight.fields} ({flight.sides})" for flight in travelling),
            " ".join(place_of[before] for before in done.task.after),
        )
    return table


def what(done: Done) -> str:
    """A task in words. Local."""
    task = done.task
    if task.kind == "start":
        return f"start {task.subject}" + (" of the next step" if task.ahead else "")
    if task.kind == "arrive":
        return f"arrival of {task.subject}, phase {task.phase}"
    return f"{task.kind} {task.subject}"


def box_text(box: object) -> str:
    """A box in few letters: [0:120, 0:60]. Local."""
    return repr(box).removeprefix("Box")
