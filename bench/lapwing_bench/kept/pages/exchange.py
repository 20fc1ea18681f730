"""The page of the halo exchange."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from lapwing_bench.exchange.request import GHEX_PYTHON, HAND, HAND_PETSC, LIMIT, NUMPY
from lapwing_bench.kept import markdown
from lapwing_bench.kept.page import Made, Measurement, Page, Results
from lapwing_bench.kept.results import Kept

SAMPLES = ("--samples", "21")
CALL, OVER_BEST = "python-call", ":over-best"
MESSAGES = ("p2p", "persistent", "neighbor", "datatype", "onesided")
OURS = ("shared", "shared-wrapped", "auto", "auto-wrapped", *MESSAGES, "direct", "pull")
LESS = "shared,shared-wrapped,auto,p2p,onesided,ghex"


def _bench(*more: str) -> tuple[str, ...]:
    return ("exchange", "--ranks", "2", *SAMPLES, *more)


MEASUREMENTS = (
    Measurement("exchange-rows", _bench()),
    Measurement("exchange-columns", _bench("--shape", "2x1", "--methods", LESS)),
    Measurement("exchange-openmpi", _bench("--methods", LESS), mpi="openmpi"),
    Measurement("exchange-width-1", _bench("--width", "1", "--methods", "shared,onesided")),
    Measurement("exchange-width-10", _bench("--width", "10", "--methods", "shared,onesided")),
    Measurement("exchange-auto", ("auto", "--ranks", "2", "--times", "4")),
)


def _works(kept: Kept) -> list[str]:
    return [work for work in kept.works() if work != CALL]


def fastest(kept: Kept, work: str, among: Sequence[str]) -> str | None:
    """The method with the least median over the invocations; None where there is none. Local."""
    there = [name for name in among if kept.values(work, name)]
    return min(there, key=lambda name: median(kept.values(work, name))) if there else None


def ratios(kept: Kept, work: str, slower: str, faster: str) -> list[float]:
    """Of two methods: time over time, in each invocation. Local."""
    both = zip(kept.values(work, slower), kept.values(work, faster), strict=True)
    return [one / other for one, other in both]


def _cell(kept: Kept, work: str, method: str) -> str:
    """Time and speed-up, each with its spread. Local."""
    if not kept.values(work, method):
        return "-"
    gain = markdown.spread(kept.spread(work, method, "speedup"))
    return f"{markdown.time(kept, work, method)}; {gain}"


def _by_hand(kept: Kept, work: str) -> str:
    name = fastest(kept, work, HAND)
    return f"{markdown.time(kept, work, name)}, `{name}`" if name else "-"


def _compared(results: Results, name: str, methods: Sequence[str]) -> str:
    """A row per work: the fastest by hand, some methods with their speed-ups, and the limit."""
    kept = results[name]
    rows = [
        [
            f"`{work}`",
            _by_hand(kept, work),
            *(_cell(kept, work, method) for method in methods),
            markdown.time(kept, work, LIMIT),
        ]
        for work in _works(kept)
    ]
    headings = ["work", "fastest by hand", *(f"`{method}`" for method in methods), "limit"]
    return f"{markdown.conditions(kept)}\n\n{markdown.table(headings, rows)}"


def _times(results: Results, name: str, methods: Sequence[str]) -> str:
    """A row per work: times of some methods alone."""
    kept = results[name]
    there = [one for one in methods if any(kept.values(work, one) for work in _works(kept))]
    if not there:
        raise KeyError(name)
    rows = [
        [f"`{work}`", *(markdown.time(kept, work, method) for method in there)]
        for work in _works(kept)
    ]
    return markdown.table(["work", *(f"`{method}`" for method in there)], rows)


def _libraries(results: Results) -> str:
    return _times(results, "rows", ("ghex", GHEX_PYTHON, "petsc", HAND_PETSC, NUMPY))


def _widths(results: Results) -> str:
    methods = ("shared", "onesided")
    parts = []
    for name in ("width-1", "width-10"):
        parts.append(_compared(results, name, methods))
    return "\n\n".join(parts)


def _choices(results: Results) -> str:
    """How good the choices of `auto` were, over all invocations."""
    kept = results["auto"]
    rows = []
    for work in (name for name in kept.works() if name.endswith(OVER_BEST)):
        counts = ("good", "again", "choices")
        good, again, choices = (sum(kept.values(work, "auto", key)) for key in counts)
        rows.append(
            [
                f"`{work.removesuffix(OVER_BEST)}`",
                f"{good:.0f} of {choices:.0f}",
                f"{again:.0f} of {choices:.0f}",
                markdown.spread(kept.spread(work, "auto")),
                markdown.number(max(kept.values(work, "auto", "most"))),
            ]
        )
    headings = [
        "work",
        "`auto` within 5 % of the best",
        "the best, made again",
        "over the best",
        "at most",
    ]
    return f"{markdown.conditions(kept)}\n\n{markdown.table(headings, rows)}"


def _reading(results: Results) -> str:
    """What the tables say, in ranges over their rows."""
    kept = results["rows"]
    flat = [work for work in _works(kept) if "2d" in work]
    deep = [work for work in _works(kept) if "3d" in work]
    lines = [
        f"On 2D fields `shared` takes {_gains(kept, flat, 'shared')} of the time of the fastest "
        f"method by hand, on fields with levels {_gains(kept, deep, 'shared')}; the fastest pure "
        f"MPI transport {_gains_of_fastest(kept, flat)} and {_gains_of_fastest(kept, deep)}.",
        f"`shared` reaches {_shares(kept, flat)} of the limit on 2D fields and "
        f"{_shares(kept, deep)} on fields with levels.",
        f"`auto` takes {_of_best(kept)} of the time of the fastest transport.",
    ]
    if any(kept.values(work, "ghex") for work in flat):
        found = [median(ratios(kept, work, "ghex", "shared")) for work in _works(kept)]
        lines.append(f"GHEX in C++ takes {markdown.between(found)} times as long as `shared`.")
    return "\n".join(f"- {line}" for line in lines)


def _gains(kept: Kept, works: Sequence[str], method: str) -> str:
    return markdown.percents([_over(kept, work, method, HAND) for work in works])


def _gains_of_fastest(kept: Kept, works: Sequence[str]) -> str:
    found = [_over(kept, work, fastest(kept, work, MESSAGES), HAND) for work in works]
    return markdown.percents(found)


def _over(kept: Kept, work: str, method: str | None, among: Sequence[str]) -> float:
    """Median over the invocations of the time of a method over that of the fastest of some."""
    other = fastest(kept, work, among)
    if method is None or other is None:
        raise KeyError(work)
    return median(ratios(kept, work, method, other))


def _shares(kept: Kept, works: Sequence[str]) -> str:
    return markdown.percents([median(kept.values(work, "shared", "limit_share")) for work in works])


def _of_best(kept: Kept) -> str:
    others = [name for name in OURS if not name.startswith("auto")]
    works = _works(kept)
    found = [_over(kept, work, "auto", [n for n in others if "wrapped" not in n]) for work in works]
    found += [_over(kept, work, "auto-wrapped", others) for work in works]
    return markdown.percents(found)


BLOCKS: dict[str, Made] = {
    "rows": lambda results: _compared(
        results, "rows", ("shared", "shared-wrapped", "auto", "auto-wrapped", "ghex")
    ),
    "messages": lambda results: _compared(results, "rows", MESSAGES),
    "by-hand": lambda results: _times(results, "rows", HAND),
    "libraries": _libraries,
    "columns": lambda results: _compared(
        results, "columns", ("shared", "shared-wrapped", "auto", "p2p", "onesided", "ghex")
    ),
    "openmpi": lambda results: _compared(
        results, "openmpi", ("shared", "shared-wrapped", "auto", "p2p", "onesided", "ghex")
    ),
    "widths": _widths,
    "limits": lambda results: _times(results, "rows", ("limit-pull", "limit-push", "limit-stream")),
    "choices": _choices,
    "reading": _reading,
}

PAGE = Page("exchange", MEASUREMENTS, BLOCKS)
