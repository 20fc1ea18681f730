"""The picture of a simulated strong scaling: nodes against updates per second of a node."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from lapwing.base.atomic_file import complete_or_absent
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from lapwing_bench.lattice.scaling import CUTS, METHODS, Scaled

_COLOURS = dict(zip(CUTS, ("#1f6fb2", "#d9822b", "#2f9e5b", "#7b2d8e"), strict=True))
_MARKS = dict(zip(CUTS, "osv^", strict=True))


def draw_scaling(path: Path, scalings: dict[str, Sequence[Scaled]]) -> None:
    """Draw a panel per machine to a PNG file, complete or not at all. Local."""
    figure = Figure(figsize=(6.5 * len(scalings), 5.0), layout="constrained")
    FigureCanvasAgg(figure)
    panels = figure.subplots(1, len(scalings), squeeze=False)[0]
    for axes, (machine, rows) in zip(panels, scalings.items(), strict=True):
        for cut, colour in _COLOURS.items():
            chosen = [row for row in rows if row.cut == cut]
            nodes = [row.nodes for row in chosen]
            first, *_, last = METHODS
            simulated = [row.rate(row.step[first]) / row.nodes for row in chosen]
            hidden = [row.rate(row.step[last]) / row.nodes for row in chosen]
            modelled = [row.rate(row.modelled) / row.nodes for row in chosen]
            axes.plot(nodes, simulated, color=colour, marker=_MARKS[cut], markersize=5, label=cut)
            axes.plot(nodes, hidden, color=colour, linestyle=":", linewidth=1.2)
            axes.plot(nodes, modelled, color=colour, linestyle="--", linewidth=1.0)
        for style, label in (("-", METHODS[0]), (":", METHODS[-1]), ("--", "model")):
            axes.plot([], [], color="#555555", linestyle=style, linewidth=1.0, label=label)
        axes.set_xscale("log", base=2)
        axes.set_ylim(bottom=0.0)
        axes.xaxis.set_major_formatter("{x:g}")
        axes.set_xlabel("nodes of 24 ranks")
        axes.set_ylabel("simulated speed of a node (MLUP/s)")
        axes.set_title(machine, fontsize=11)
        axes.grid(color="#dddddd", linewidth=0.6)
        axes.set_axisbelow(True)
        axes.legend(fontsize=9, loc="lower left")
    with complete_or_absent(path) as part:
        figure.savefig(part, format="png", dpi=100, metadata={"Software": None})
