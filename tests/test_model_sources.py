"""No communication in the sources of models: who runs a case chooses, and lapwing does it."""

import re
from pathlib import Path

import pytest
from lapwing.core.names import strategy_names

MODELS = Path(__file__).parents[1] / "models"
NAMES = sorted(path.parent.name for path in MODELS.glob("*/CMakeLists.txt"))

# calls that move halos, and what cuts loops for them; a step brings both
COMMUNICATION = re.compile(
    r"\bMPI_[A-Z]|\bmpi4py\b|\bexchange\b|\bExchange\b|\bPending\b|\bzones?\b|\bZone\b"
)


def sources(model: str) -> dict[str, str]:
    """The text of every file that a model consists of, by name; cases are what users choose."""
    folder = MODELS / model
    files = [
        path
        for kind in ("*.cpp", "*.hpp", "*.py")
        for path in sorted(folder.rglob(kind))
        if "tests" not in path.relative_to(folder).parts
    ]
    return {str(path.relative_to(folder)): path.read_text() for path in files}


def found(model: str, pattern: re.Pattern[str]) -> list[str]:
    """Where the pattern is: file, line and what was found."""
    return [
        f"{name}:{number}: {match.group()}"
        for name, text in sources(model).items()
        for number, line in enumerate(text.splitlines(), start=1)
        if not line.startswith("#include")  # a header's path names its layer
        for match in pattern.finditer(line)
    ]


def test_the_sources_are_looked_at() -> None:
    assert {"src/coast.cpp", "src/tracer/tracer.cpp", "lapwing_coast/run.py"} <= set(
        sources("coast")
    )
    assert {"src/weather.cpp", "lapwing_weather/weather_run.py"} <= set(sources("weather"))
    assert {"src/lattice.cpp", "lapwing_lattice/lattice_run.py"} <= set(sources("lattice"))
    assert NAMES == ["coast", "lattice", "weather"]


@pytest.mark.parametrize("model", NAMES)
def test_a_step_of_lapwing_runs_them(model: str) -> None:
    assert found(model, re.compile(r"lapwing::Step\b"))


@pytest.mark.parametrize("model", NAMES)
def test_no_zone_and_no_exchange(model: str) -> None:
    assert found(model, COMMUNICATION) == []


@pytest.mark.parametrize("model", NAMES)
def test_no_strategy_name(model: str) -> None:
    names = "|".join(re.escape(name) for name in [*strategy_names(), "1s"])
    pattern = rf"""["'](?:{names})["']|\b(?:dataflow|edge.first)\b"""
    assert found(model, re.compile(pattern)) == []
