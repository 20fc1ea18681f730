"""Every example runs as its first screen says, on any number of ranks with the same numbers."""

import re
from pathlib import Path

import pytest
from lapwing.core.names import strategy_names

ROOT = Path(__file__).parent.parent
HEAT = ROOT / "examples" / "01_heat" / "heat.py"
SOUND = ROOT / "examples" / "02_overlap" / "sound.py"


def test_heat_is_the_same_on_any_number_of_ranks(run_on_ranks) -> None:
    printed = [run_on_ranks(n, HEAT.read_text()).stdout.strip() for n in (1, 2, 4)]
    heat, *others = [line.rpartition(", on")[0] for line in printed]
    # 400 pi is the integral of the initial bell; the scheme conserves it
    assert float(re.search(r"heat ([\d.]+)", heat)[1]) == pytest.approx(1256.637061, abs=1e-4)
    assert others == [heat, heat]


def test_the_readme_shows_the_heat_example_and_what_it_prints(run_on_ranks) -> None:
    text = (ROOT / "README.md").read_text()
    program = re.search(r"```python\n(.*?)```", text, re.DOTALL)[1]
    assert program == HEAT.read_text()
    command, printed = re.search(
        r"```console\n(?:\$ .*\n)*?\$ (\S.*?heat\.py)\n(.*?)\n", text, re.DOTALL
    ).groups()
    assert "mpiexec -n 2" in command
    assert run_on_ranks(2, program).stdout.strip() == printed


def test_sound_is_the_same_in_any_order_on_any_number_of_ranks(run_on_ranks) -> None:
    runs = [(1, "blocking"), *((2, s) for s in ("6s", "dataflow", "deep(4)", "auto")), (4, "3s")]
    printed = [run_on_ranks(ranks, SOUND.read_text(), strategy).stdout for ranks, strategy in runs]
    loudest = {re.search(r"sound: loudest ([\d.]+),", text)[1] for text in printed}
    assert loudest == {"0.120518567"}
    for text in printed:
        for word in ("flow", "press", "halos", "us per step"):
            assert word in text
        assert "compute flow" in text or "auto took" in text or "auto measures" in text


@pytest.mark.ranks
def test_lapwing_verifies_the_sound_example(lapwing) -> None:
    answer = lapwing("verify", SOUND, "--ranks", 2, "--transports", "p2p", timeout=100)
    assert answer.code == 0, answer.out + answer.err
    assert "sound.py: 2 ranks against one" in answer.out
    assert answer.out.count("  equal") == len(strategy_names())


def test_the_guide_shows_the_first_model_and_the_kernels_of_the_sound_example() -> None:
    guide = (ROOT / "docs" / "guide" / "first-model.md").read_text()
    assert (ROOT / "examples" / "03_first_model" / "heat.cpp").read_text() in guide
    kernels = [b for b in re.findall(r"```python\n(.*?)```", guide, re.DOTALL) if "press" in b]
    assert len(kernels) == 1
    assert kernels[0] in SOUND.read_text()
