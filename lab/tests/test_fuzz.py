"""What fuzzers found, and what reaches all that they reached, stays without a fault."""

import subprocess
import sys
from pathlib import Path

import awkward
import fuzz
import pytest
from targets import TARGETS

FOLDER = Path(__file__).parents[1] / "fuzz"


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", TARGETS)
def test_kept_inputs(name: str) -> None:
    inputs = fuzz.read_kept(name)
    assert inputs
    for data in inputs:
        TARGETS[name](data)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", awkward.TEXTS)
@pytest.mark.timeout(400)  # thousands of case files
def test_awkward_values(name: str) -> None:
    """Sorted by what is wrong, so that one message shows all of it."""
    faults: dict[str, str] = {}
    for text in awkward.TEXTS[name]():
        try:
            TARGETS[name](text.encode())
        except Exception as problem:
            faults.setdefault(f"{type(problem).__name__}: {problem}"[:100], text[:200])
    assert not faults


def test_every_target_keeps_inputs() -> None:
    assert set(TARGETS) == set(fuzz.PYTHON_TARGETS)
    assert all(fuzz.kept(name).exists() for name in (*fuzz.cpp_targets(), *TARGETS))
    size = sum(path.stat().st_size for path in FOLDER.parents[1].rglob("fuzz/corpus/*.hex"))
    assert size < 200_000


def test_the_page_has_the_table() -> None:
    page = (FOLDER / "README.md").read_text()
    assert fuzz.table() in page, "put the table of `python lab/fuzz/fuzz.py` into its README"


@pytest.mark.slow
@pytest.mark.parametrize("name", fuzz.PYTHON_TARGETS)
def test_a_short_run(name: str) -> None:
    pytest.importorskip("atheris", reason="`make fuzz TARGET=case` installs Atheris")
    command = [sys.executable, str(FOLDER / "fuzz.py"), name, "--seconds", "5"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=110, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
