"""The list of mutants follows the sources."""

import subprocess
import sys
from pathlib import Path

MUTATE = Path(__file__).parent / "mutants/mutate.py"


def test_every_mutant_can_be_applied() -> None:
    """A source that moved or changed would leave a mutant out, as `make mutants` tells late."""
    checked = subprocess.run(
        [sys.executable, MUTATE, "--check"], capture_output=True, text=True, timeout=60, check=False
    )
    assert checked.returncode == 0, checked.stderr
    assert int(checked.stdout.split()[1]) >= 60
