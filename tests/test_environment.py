"""docs/reference/environment.md names every variable of the environment that the sources read."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "reference" / "environment.md"
# what runs; tests have variables of their own, and those of CMake are no part of the environment
READ = (
    *("python/lapwing", "python/src", "cpp/src", "cpp/include", "fortran/src", "models"),
    *("adapters", "packaging", "lab/lapwing_lab", "lab/peers", "lab/simulate"),
)
SUFFIXES = (".py", ".cpp", ".hpp", ".h", ".f90", ".F90")
MADE = {"LAPWING_HOSTS": ("AGENT", "NETWORK", "FRONT")}  # names that hosts.py puts together


def read_by_sources() -> set[str]:
    """The names that stand alone in quotes, which is how a variable is looked up."""
    files = (file for folder in READ for file in (ROOT / folder).rglob("*"))
    names = {
        name
        for file in files
        if file.suffix in SUFFIXES and "tests" not in file.parts
        for name in re.findall(r'"(LAPWING_[A-Z_]+)"', file.read_text())
    }
    parts = {f"{name}_{part}" for name, parts in MADE.items() for part in parts}
    return names | parts


def test_every_variable_is_documented_and_no_other() -> None:
    documented = set(re.findall(r"^\| `(LAPWING_[A-Z_]+)` \|", PAGE.read_text(), re.M))
    if (ROOT / "lab").exists():
        assert read_by_sources() == documented
    else:  # the page documents those of the laboratory too
        assert read_by_sources() <= documented


def test_parts_of_names_are_those_of_the_sources() -> None:
    text = (ROOT / "python/lapwing/base/hosts.py").read_text()
    for name, parts in MADE.items():
        assert all(f"{name}_{part}" in text for part in parts)
