"""The page of the shallow-water model."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from lapwing_bench.kept import markdown
from lapwing_bench.kept.page import Made, Measurement, Page, Results
from lapwing_bench.kept.results import Kept, Spread
from lapwing_bench.shallow_water.request import CPP, HAND, NUMBA, NUMPY, OF_PEER, PEER, USUAL

DOUBLE = ("--works", "360x180", "--double", "--samples", "5")
SHIPPED = ("--methods", ",".join((CPP, *OF_PEER)))

MEASUREMENTS = (
    Measurement("shallow-water-ranks", ("shallow-water", "--ranks", "2")),
    Measurement("shallow-water-one", ("shallow-water", "--ranks", "1", *DOUBLE, *SHIPPED)),
    Measurement("shallow-water-two", ("shallow-water", "--ranks", "2", *DOUBLE, *SHIPPED)),
)
# what must be reached, of a method and of mpi4jax in the same run
REQUIRED = {(CPP, "3600x1800"): 5.0, (CPP, "360x180"): 3.0}
REQUIRED |= {(NUMBA, "3600x1800"): 2.5, (NUMBA, "360x180"): 1.2}


def _speeds(results: Results) -> str:
    kept = results["ranks"]
    rows = []
    for method in USUAL:
        cells = [f"`{method}`"]
        for work in kept.works():
            speeds = kept.spread(work, method, "steps_per_second")
            cells += [markdown.spread(speeds), markdown.spread(_over(kept, work, method, PEER))]
        rows.append(cells)
    headings = ["method"]
    for work in kept.works():
        headings += [f"{work}: steps/s", "over mpi4jax"]
    return f"{markdown.conditions(kept)}\n\n{markdown.table(headings, rows)}"


def _over(kept: Kept, work: str, method: str, other: str) -> Spread | None:
    return kept.spread(work, method, f"over_{other}")


def _reading(results: Results) -> str:
    kept = results["ranks"]
    lines = []
    for (method, work), least in REQUIRED.items():
        over = _over(kept, work, method, PEER)
        if over is None:
            raise KeyError(PEER)
        word = "reached" if over.mid >= least else "missed"
        lines.append(
            f"`{method}` at {work}: {markdown.spread(over)} times as fast as mpi4jax; the "
            f"goal was {least:g}: {word}."
        )
    hand = [_over(kept, work, CPP, HAND) for work in kept.works()]
    found = markdown.between([one.mid for one in hand if one is not None])
    lines.append(f"`cpp` is {found} times as fast as the same kernel with MPI by hand.")
    lines.append(f"In float32, after {_steps(kept)} steps: {_agreement(kept)}.")
    return "\n".join(f"- {line}" for line in lines)


def _steps(kept: Kept) -> str:
    steps = [kept.values(work, CPP, "steps")[0] for work in kept.works()]
    return " and ".join(f"{one:,.0f}" for one in steps)


def _agreement(kept: Kept) -> str:
    parts = []
    for method in (HAND, NUMBA, NUMPY, PEER):
        most = [_apart(kept, work, method) for work in kept.works() if kept.values(work, method)]
        if most:
            same = "the same bits" if max(most) == 0 else f"at most {max(most):.1e} apart"
            parts.append(f"`{method}` and `{CPP}` have {same}")
    return ", ".join(parts)


def _apart(kept: Kept, work: str, method: str, fields: Sequence[str] = "huv") -> float:
    return max(median(kept.values(work, method, f"apart_{field}")) for field in fields)


def _shipped(results: Results) -> str:
    rows = []
    for name, ranks in (("one", "1"), ("two", "2")):
        kept = results[name]
        (work,) = kept.works()
        apart = [f"{_apart(kept, work, method, 'h'):.1e}" for method in OF_PEER]
        rows.append([ranks, f"{kept.values(work, CPP, 'steps')[0]:.0f}", *apart])
    headings = ["ranks", "steps", "as it ships", "friction of v by v", "and the exchange"]
    return f"{markdown.conditions(results['two'])}\n\n{markdown.table(headings, rows)}"


BLOCKS: dict[str, Made] = {"speeds": _speeds, "reading": _reading, "shipped": _shipped}

PAGE = Page("shallow-water", MEASUREMENTS, BLOCKS)
