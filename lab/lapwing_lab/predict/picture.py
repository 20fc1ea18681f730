"""A prediction as a picture: step time and efficiency against the number of ranks."""

from __future__ import annotations

from pathlib import Path

from lapwing.base.atomic_file import save_png
from matplotlib.figure import Figure
from matplotlib.ticker import LogFormatter

from lapwing_lab.predict.predict import Prediction


def draw_prediction(path: Path, prediction: Prediction) -> None:
    """Draw the step of each strategy, and the computing in it, to a PNG file. Local.

    OutsideError when the disk refuses.
    """
    figure = Figure(figsize=(10, 4), layout="constrained")
    times, shares = figure.subplots(1, 2)
    strategies = dict.fromkeys(entry.strategy for entry in prediction.entries)
    for strategy in strategies:
        mine = [entry for entry in prediction.entries if entry.strategy == strategy]
        mine.sort(key=lambda entry: entry.ranks)
        ranks = [entry.ranks for entry in mine]
        times.plot(ranks, [1e6 * entry.step for entry in mine], marker="o", label=strategy)
        efficiency = [100 * prediction.efficiency(entry) for entry in mine]
        shares.plot(ranks, efficiency, marker="o", label=strategy)
    first = [entry for entry in prediction.entries if entry.strategy == next(iter(strategies))]
    first.sort(key=lambda entry: entry.ranks)
    ranks, compute = [e.ranks for e in first], [1e6 * e.compute for e in first]
    times.plot(ranks, compute, color="0.6", ls="--", label="computing")
    times.set(xscale="log", yscale="log", xlabel="ranks", ylabel="step, us")
    shares.set(xscale="log", xlabel="ranks", ylabel="efficiency, %", ylim=(0, None))
    times.yaxis.set_major_formatter(LogFormatter())
    times.yaxis.set_minor_formatter(LogFormatter(minor_thresholds=(2, 0.5)))
    for axes in (times, shares):
        axes.set_xticks(ranks, [str(rank) for rank in ranks])
        axes.set_xticks([], minor=True)
    times.legend(frameon=False)
    name = f"{prediction.request.case} on {prediction.machine.name}"
    figure.suptitle(f"{name}, {prediction.request.model}")
    save_png(figure, path, 110)
