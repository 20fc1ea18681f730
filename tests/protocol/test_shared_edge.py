"""The model of the shared-memory protocol has no error, and the search finds each fault in it."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from check import FAULTS, JOBS, MODEL, Job, missing, search

README = Path(__file__).parent / "README.md"

pytestmark = pytest.mark.skipif(bool(missing()), reason=f"no {missing()}: `make system-packages`")


@pytest.mark.parametrize("job", JOBS, ids=lambda job: job.name)
def test_no_order_of_events_is_wrong(job: Job) -> None:
    found = search(job)
    assert found.errors == 0
    assert f"| {job.name} | {job.messages} | {found.states} | 0 |" in README.read_text()
    assert found.states > 100


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_found(fault: str) -> None:
    assert f"#define {fault} " in MODEL.read_text()
    assert search(FAULTS[fault], fault).errors == 1


def test_every_fault_of_the_model_is_tried() -> None:
    text = MODEL.read_text()
    named = {line.split()[1] for line in text.splitlines() if "/*" in line and "#define" in line}
    assert named == set(FAULTS)
