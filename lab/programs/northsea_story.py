"""One picture of a run of northsea: the tide, and where the time of a step goes on this machine.

lapwing run northsea --out OUT --ranks N
lapwing timeline northsea --out OUT/steps --ranks N --strategy blocking,dataflow
python lab/programs/northsea_story.py OUT
"""

import json
import sys
from pathlib import Path

from lapwing.base.atomic_file import save_png
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.image import imread

COLOURS = {"compute": "#2166ac", "pack": "#fdae61", "unpack": "#fee090", "wait": "#d73027"}
REST = "#cccccc"
TITLES = {
    "blocking": "exchange, then compute\n(blocking)",
    "dataflow": "compute meanwhile\n(dataflow)",
}


def seconds_by_kind(trace: Path) -> tuple[dict[str, float], float]:
    """Microseconds of each kind of work, mean of the ranks, and from first to last."""
    events = [e for e in json.loads(trace.read_text())["traceEvents"] if e["ph"] == "X"]
    ranks = len({event["pid"] for event in events})
    spent = dict.fromkeys(COLOURS, 0.0)
    for event in events:
        kind = event["cat"] if event["cat"] in spent else "compute"
        spent[kind] += event["dur"] / ranks
    span = max(e["ts"] + e["dur"] for e in events) - min(e["ts"] for e in events)
    return spent, span


def draw_bars(axes: Axes, folder: Path) -> None:
    """A bar per strategy: computing, packing, unpacking, waiting, and what lies between."""
    spans = []
    for place, strategy in enumerate(TITLES):
        spent, span = seconds_by_kind(folder / f"timeline_{strategy}.json")
        bottom = 0.0
        parts = {**spent, "between": max(span - sum(spent.values()), 0.0)}
        for kind, length in parts.items():
            label = kind if place == 0 else None
            axes.bar(place, length, 0.6, bottom, color=COLOURS.get(kind, REST), label=label)
            bottom += length
        axes.text(place, bottom, f"{span:.0f} us\n", ha="center", va="center", fontsize=9)
        spans.append(span)
    axes.set_xticks(range(len(TITLES)), list(TITLES.values()))
    axes.set_ylim(0, 1.1 * max(spans))
    axes.set_ylabel("two steps, microseconds (mean of the ranks)")
    change = 100 * (spans[1] / spans[0] - 1)
    axes.set_title(f"Hiding the messages: {change:+.0f} % on this machine", fontsize=11, loc="left")
    axes.legend(
        frameon=False,
        fontsize=8,
        loc="lower center",
        ncols=5,
        columnspacing=1.0,
        bbox_to_anchor=(0.45, -0.27),
    )
    axes.spines[["top", "right"]].set_visible(False)


def main(out: Path) -> None:
    """Draw OUT/story.png."""
    figure = Figure(figsize=(10.5, 5.4), layout="constrained")
    FigureCanvasAgg(figure)
    tide, bars = figure.subplots(1, 2, width_ratios=(1.1, 1))
    tide.imshow(imread(out / "sea_level.png"))
    tide.axis("off")
    draw_bars(bars, out / "steps")
    save_png(figure, out / "story.png", dpi=110)
    print(f"{'story':<11} {out / 'story.png'}")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
