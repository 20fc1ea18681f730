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
    r"|\bcomm\(\)|\btogether\(|\brequire_same\b|\bHaloReturn\b|\bagree_on_modified\b|\bvoid ?\*"
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


LONGEST = 15  # lines of a formula


def body_of(function: str, text: str) -> str:
    """What is between the braces of a function, or of a lambda with that name."""
    name = re.escape(function)
    begins = [
        *re.finditer(rf"^(?!\s*return)[^\n=;]*(?<![\w.]){name}\([^;]*?\)[^;{{]*{{", text, re.M),
        *re.finditer(rf"\bauto {name} = \[[^\]]*\]\([^)]*\)[^{{]*{{", text),
    ]
    assert begins, function
    start = end = begins[0].end()
    depth = 1
    while depth:
        depth += {"{": 1, "}": -1}.get(text[end], 0)
        end += 1
    return text[start : end - 1]


def lines_of_formula(function: str, text: str) -> int:
    """Lines of the innermost loop of a function, or of all of it where it has none."""
    lines = [line for line in body_of(function, text).splitlines() if line.strip()]
    loops = [number for number, line in enumerate(lines) if line.lstrip().startswith("for (")]
    if not loops:
        return len(lines)
    first = loops[-1]
    indent = len(lines[first]) - len(lines[first].lstrip())
    rest = lines[first + 1 :]
    inside = [len(line) - len(line.lstrip()) > indent for line in rest]
    return 1 + (inside.index(False) if False in inside else len(inside))


@pytest.mark.parametrize("model", NAMES)
def test_formulas_are_short_and_where_the_page_says(model: str) -> None:
    page = (MODELS / model / "README.md").read_text()
    section = page.split("## Where each formula is")[1].split("\n## ")[0]
    folder = MODELS / re.search(r"In `models/([\w/]+)`", section)[1]
    rows = re.findall(r"^\| [^|]+ \| ((?:`[^`]+`(?:, )?)+) \| `([^`]+)` \|$", section, re.M)
    assert len(rows) == section.count("\n| ") - 2  # but the head
    lengths = {
        (file, function): lines_of_formula(function, (folder / file).read_text())
        for functions, file in rows
        for function in re.findall(r"`([^`]+)`", functions)
    }
    assert {key: lines for key, lines in lengths.items() if lines > LONGEST} == {}
    assert len(lengths) > 4
