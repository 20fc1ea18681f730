"""No communication in the model's source: who runs a case chooses, and lapwing does it."""

import re
from pathlib import Path

from lapwing.strategy import strategy_names

MODEL = Path(__file__).parents[1]

# calls that move halos, and what cuts loops for them; a step brings both
COMMUNICATION = re.compile(
    r"\bMPI_[A-Z]|\bmpi4py\b|\bexchange\b|\bExchange\b|\bPending\b|\bzones?\b|\bZone\b"
)


def sources() -> dict[str, str]:
    """The text of every file that the model consists of, by name; cases are what users choose."""
    files = [
        path
        for kind in ("*.cpp", "*.hpp", "*.py")
        for path in sorted(MODEL.rglob(kind))
        if "tests" not in path.relative_to(MODEL).parts
    ]
    return {str(path.relative_to(MODEL)): path.read_text() for path in files}


def found(pattern: re.Pattern[str]) -> list[str]:
    """Where the pattern is: file, line and what was found."""
    return [
        f"{name}:{number}: {match.group()}"
        for name, text in sources().items()
        for number, line in enumerate(text.splitlines(), start=1)
        for match in pattern.finditer(line)
    ]


def test_the_sources_are_looked_at() -> None:
    assert {"src/coast.cpp", "src/tracer.cpp", "lapwing_coast/run.py"} <= set(sources())
    assert found(re.compile(r"lapwing::Step\b"))


def test_no_zone_and_no_exchange() -> None:
    assert found(COMMUNICATION) == []


def test_no_strategy_name() -> None:
    names = "|".join(re.escape(name) for name in [*strategy_names(), "1s"])
    assert found(re.compile(rf"""["'](?:{names})["']|\b(?:dataflow|edge.first)\b""")) == []
