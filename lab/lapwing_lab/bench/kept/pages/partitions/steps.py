"""Steps on cuts of seas: predicted (lab/programs/partition_times.py), and real on two ranks."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lapwing_lab.bench.kept import markdown
from lapwing_lab.bench.kept.page import Made, Measurement, Results
from lapwing_lab.bench.kept.pages.partitions.costs import number
from lapwing_lab.bench.kept.results import Kept
from lapwing_lab.bench.partitions.cuts import OWN, PARTS, WET_BLOCKS

MACHINES = {"hector-xt4": "XT4", "infiniband": "InfiniBand"}
# as `lab/programs/partition_times.py` names what it writes
TOGETHER = "together"  # the method that has correlations
WHO = ("Pearson", "Spearman")
PAIRS = {
    "cost, step": "cost_step",
    "cost, land skipped": "cost_skipping",
    "own cost, step": "own_step",
}
SECTION, TILED = "ksection", "ksection, tiles"
METIS = "metis blocks, cut"
# the cuts of the table of predictions; sentences below it tell of the others
SHOWN = ("all blocks", WET_BLOCKS, "assigned", SECTION, TILED, METIS, f"{PARTS}, cut")

MEASUREMENTS = (
    Measurement(
        "partitions-predicted",
        ("--machines", ",".join(MACHINES), "--measure", "0"),
        script="partition_times.py",
        once=True,
    ),
    Measurement("partitions-steps", ("partitions", "--ranks", "2", "--samples", "15")),
)


# ---- predicted


def _ranks(kept: Kept) -> list[str]:
    """The numbers of ranks of the predictions, in words."""
    found = dict.fromkeys(work.partition("@")[2] for work in kept.works())
    return [one for one in found if one != "all"]


def _spread(kept: Kept, work: str, method: str, key: str) -> str:
    """Of all seeds of METIS: median (least-most)."""
    names = (f"{key}_least", key, f"{key}_most")
    low, middle, high = (_written(key, number(kept, work, method, name)) for name in names)
    return middle if low == high else f"{middle} ({low}-{high})"


def _written(key: str, value: float) -> str:
    return f"{value:,.0f}" if key == "cost" else f"{value:.2f}"


def _predicted(results: Results) -> str:
    """A row for each shown cut into the fewest and the most ranks: steps on each machine."""
    kept = results["predicted"]
    all_ranks = _ranks(kept)
    rows = [
        [*_cut(kept, ranks, method), *_on_each(kept, ranks, method)]
        for ranks in (all_ranks[0], all_ranks[-1])
        for method in kept.methods(f"{next(iter(MACHINES))}@{ranks}")
        if method in SHOWN
    ]
    headings = ["ranks", "cut", "max/mean wet", "boxes", "most cells", "cost"]
    for name in MACHINES.values():
        headings += [f"{name}, us", "over wet blocks", "land skipped"]
    return f"{markdown.conditions(kept)}\n\n{markdown.table(headings, rows)}"


def _cut(kept: Kept, ranks: str, method: str) -> list[str]:
    """What a cut is, which does not depend on the machine."""
    work = f"{next(iter(MACHINES))}@{ranks}"
    counts = (f"{number(kept, work, method, key):,.0f}" for key in ("boxes", "cells"))
    imbalance = f"{number(kept, work, method, 'imbalance'):.3f}"
    return [ranks, method, imbalance, *counts, _spread(kept, work, method, "cost")]


def _on_each(kept: Kept, ranks: str, method: str) -> list[str]:
    """Its steps on each machine: us, over wet blocks, and over them where land is skipped."""
    cells = []
    for machine in MACHINES:
        work = f"{machine}@{ranks}"
        cells.append(markdown.number(1e6 * number(kept, work, method, "step")))
        cells += [_spread(kept, work, method, key) for key in ("step_over", "skipping_over")]
    return cells


def _together(results: Results) -> str:
    """How cost and time go together on the fewest, the most and all numbers of ranks."""
    kept = results["predicted"]
    ranks_of = _ranks(kept)
    rows = []
    for machine, name in MACHINES.items():
        for ranks in (ranks_of[0], ranks_of[-1], "all"):
            work = f"{machine}@{ranks}"
            cells = [name, ranks, f"{number(kept, work, TOGETHER, 'cuts'):.0f}"]
            for pair in PAIRS.values():
                both = (number(kept, work, TOGETHER, f"{pair}_{who}") for who in WHO)
                cells.append(", ".join(f"{one:.2f}" for one in both))
            rows.append(cells)
    return markdown.table(["machine", "ranks", "cuts", *PAIRS], rows)


def _over(kept: Kept, machine: str, method: str, key: str) -> list[float]:
    """A number of a cut over that of wet blocks, for each number of ranks."""
    works = [f"{machine}@{ranks}" for ranks in _ranks(kept)]
    return [number(kept, work, method, key) / number(kept, work, WET_BLOCKS, key) for work in works]


def changes(ratios: Sequence[float]) -> str:
    """In words: how much less or more each is. Local."""
    percents = [round(100 * (one - 1)) for one in ratios]
    kinds = ["more" if one > 0 else "less" for one in percents]
    shown = [f"{abs(one)} %" for one in percents]
    if len(set(kinds)) > 1:
        return _listed([f"{one} {kind}" for one, kind in zip(shown, kinds, strict=True)])
    return f"{_listed(shown)} {kinds[0]}"


def _listed(words: Sequence[str]) -> str:
    return " and ".join(filter(None, (", ".join(words[:-1]), words[-1])))


def _on_machines(kept: Kept, method: str, key: str) -> str:
    """How a method changes a time over wet blocks, on each number of ranks of each machine."""
    return ", ".join(
        f"{changes(_over(kept, machine, method, key))} ({name})"
        for machine, name in MACHINES.items()
    )


def _predicted_reading(results: Results) -> str:
    kept = results["predicted"]
    cost, step = (
        [one for machine in MACHINES for one in _over(kept, machine, SECTION, key)]
        for key in ("cost", "step")
    )
    lines = [
        f"The k-section costs {markdown.percents([1 - one for one in cost])} less than wet blocks, "
        f"and takes {markdown.between(step, 2)} times as long.",
        "**If kernels skipped land**, the k-section would take "
        f"{_on_machines(kept, SECTION, 'skipping')}; METIS's blocks (cut) "
        f"{_on_machines(kept, METIS, 'skipping')}.",
        _objectives(kept),
        "**Searched by own costs**, blocks take "
        f"{_on_machines(kept, f'{WET_BLOCKS}{OWN}', 'step')}; the k-section "
        f"{_on_machines(kept, f'{SECTION}{OWN}', 'step')}.",
    ]
    head = f"Times over those on wet blocks, on {_listed(_ranks(kept))} ranks:"
    return "\n".join([head, "", *(f"- {line}" for line in lines)])


def _objectives(kept: Kept) -> str:
    """What `volume` changes, and how much seeds differ on most ranks."""
    machine = next(iter(MACHINES))
    volume, cut = (_over(kept, machine, f"{PARTS}, {one}", "cost") for one in ("volume", "cut"))
    work = f"{machine}@{_ranks(kept)[-1]}"
    apart = [
        number(kept, work, METIS, f"{key}_most") / number(kept, work, METIS, f"{key}_least") - 1
        for key in ("cost", "step_over")
    ]
    shown = [f"{one:.0%}".replace("%", " %") for one in apart]
    ratios = [one / other for one, other in zip(volume, cut, strict=True)]
    return (
        f"**`volume`**: METIS's parts cost {changes(ratios)} than those by cut edges. Seeds "
        f"of its blocks (cut) differ by {shown[0]} in cost and {shown[1]} in time on "
        f"{_ranks(kept)[-1]} ranks of the {MACHINES[machine]}."
    )


# ---- real steps


def _steps(results: Results) -> str:
    """A row for each cut, without own costs and second seeds: most cells, and the speed-up."""
    kept = results["steps"]
    works = kept.works()
    methods = dict.fromkeys(
        method
        for work in works
        for method in kept.methods(work)
        if not method.endswith((OWN, " 2"))
    )
    rows = []
    for method in methods:
        cells = [method]
        for work in works:
            cells.append(f"{number(kept, work, method, 'cells'):,.0f}")
            cells.append(markdown.spread(kept.spread(work, method, "speed_up")))
        rows.append(cells)
    headings = ["cut"]
    for work in works:
        usual = markdown.time(kept, work, WET_BLOCKS)
        headings += [f"`{work}`: most cells", f"speed-up over {usual} us"]
    return f"{markdown.conditions(kept)}\n\n{markdown.table(headings, rows)}"


def _steps_reading(results: Results) -> str:
    kept = results["steps"]
    works = kept.works()
    cells, costs = (
        _listed([f"{_correlation(kept, work, key):.2f}" for work in works])
        for key in ("cells", "cost")
    )
    work = works[0]
    wider, cheaper = (
        number(kept, work, SECTION, key) / number(kept, work, WET_BLOCKS, key)
        for key in ("cells", "cost")
    )
    fast, tiled = (
        markdown.spread(kept.spread(work, method, "speed_up")) for method in (SECTION, TILED)
    )
    return (
        f"Over the cuts of {_listed([f'`{one}`' for one in works])}, most cells and time correlate "
        f"by {cells} (Pearson), cost and time by {costs}. On `{work}` the k-section has "
        f"{cheaper:.2f} times the cost of wet blocks, {wider:.2f} times the cells on its larger "
        f"rank, and is {fast} times as fast; without land in its boxes {tiled} times."
    )


def _correlation(kept: Kept, work: str, key: str) -> float:
    """Pearson's, of a number of the cuts and the time of a step on them."""

    def all_of(name: str) -> list[float]:
        return [number(kept, work, method, name) for method in kept.methods(work)]

    return float(np.corrcoef(all_of(key), all_of("median"))[0, 1])


BLOCKS: dict[str, Made] = {
    "predicted": _predicted,
    "predicted-reading": _predicted_reading,
    "together": _together,
    "steps": _steps,
    "steps-reading": _steps_reading,
}
