"""Every example runs as its first screen says, on any number of ranks with the same numbers."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
HEAT = ROOT / "examples" / "01_heat" / "heat.py"


@pytest.mark.mpi
def test_heat_is_the_same_on_any_number_of_ranks(run_on_ranks) -> None:
    printed = [run_on_ranks(n, HEAT.read_text()).stdout.strip() for n in (1, 2, 4)]
    heat, *others = [line.rpartition(", on")[0] for line in printed]
    # 400 pi is the integral of the initial bell; the scheme conserves it
    assert float(re.search(r"heat ([\d.]+)", heat)[1]) == pytest.approx(1256.637061, abs=1e-4)
    assert others == [heat, heat]


@pytest.mark.mpi
def test_the_readme_shows_the_heat_example_and_what_it_prints(run_on_ranks) -> None:
    text = (ROOT / "README.md").read_text()
    program = re.search(r"```python\n(.*?)```", text, re.DOTALL)[1]
    assert program == HEAT.read_text()
    command, printed = re.search(
        r"```console\n(?:\$ .*\n)*?\$ (\S.*?heat\.py)\n(.*?)\n", text, re.DOTALL
    ).groups()
    assert "mpiexec -n 2" in command
    assert run_on_ranks(2, program).stdout.strip() == printed
