"""`lapwing verify`: shipped cases are right, and a model that is wrong is found and named."""

import json
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from answers import assert_wrong_request
from lapwing import UserError
from lapwing.commands.verify import TRIAL
from lapwing.core import mpi_runtime
from lapwing.core.names import check_strategy, chosen_strategies, strategy_names

pytestmark = [pytest.mark.ranks, pytest.mark.any_mpi]

# the fixture in conftest.py
Lapwing = Callable[..., Any]


FEW = ("--transport", "p2p,shared", "--threads", "1")
CORES = len(os.sched_getaffinity(0))

HEAT = """
import lapwing, numpy as np

def model(comm, strategy, transport):
    domain = lapwing.Domain((24, 20), comm, periodic=True)
    heat, new = domain.field("heat", halo=8), domain.field("new", halo=8)
    heat.set(lambda i, j: np.sin(0.4 * i + 0.3 * j * j))

    def spread(box, heat, new):
        around = heat[2:, 1:-1] + heat[:-2, 1:-1] + heat[1:-1, 2:] + heat[1:-1, :-2]
        new[...] = heat[1:-1, 1:-1] + 0.2 * (around - 4 * heat[1:-1, 1:-1])

    def back(box, new, heat):
        heat[...] = new

    stages = [
        lapwing.Stage(spread, reads=[(heat, lapwing.Extent.cross(1))], writes=[new]),
        lapwing.Stage(back, reads=[new], writes=[heat]),
    ]
    return lapwing.Step(domain, stages, strategy=strategy, transport=transport)
"""

# reads the corner of a halo although it declared a cross: there the halo keeps what it held before
BEYOND = HEAT.replace("new[...] = heat[1:-1, 1:-1] +", "new[...] = heat[2:, 2:] +")


@pytest.mark.parametrize(("case", "ranks"), [("kelvin-small", n) for n in (1, 2, 3, 4)])
def test_shipped_cases_give_the_bits_of_one_rank(lapwing: Lapwing, case: str, ranks: int) -> None:
    answer = lapwing("verify", case, "--ranks", ranks, *FEW, timeout=110)
    assert answer.code == 0, answer.out + answer.err
    assert f"{ranks} rank" in answer.out
    for strategy in strategy_names():
        assert re.search(rf"^{re.escape(strategy)} +equal +equal *$", answer.out, re.M), answer.out
    assert "all that could be tried give the bits of one rank\n" in answer.out


def test_threads_give_the_bits_of_one(lapwing: Lapwing) -> None:
    few = ("--strategy", "blocking,tiled,deep:2+tiled", "--transport", "p2p,shared")
    answer = lapwing("verify", "kelvin-small", "--ranks", 2, *few, "--after", 50, timeout=110)
    assert answer.code == 0, answer.out + answer.err
    assert re.search(r"^strategy +p2p +shared +p2p x 2 +p2p x 3 *$", answer.out, re.M), answer.out
    marks = [("equal" if number <= CORES else "-") for number in (2, 3)]
    for strategy in ("blocking", "tiled", "deep:2+tiled"):
        row = " +".join([re.escape(strategy), "equal", "equal", *marks])
        assert re.search(rf"^{row} *$", answer.out, re.M), answer.out
    refused = re.search("transport p2p x 3: .*threads of a rank: got 3;", answer.out)
    assert bool(refused) == (CORES < 3)
    assert "x 2, x 3: threads in each rank" in answer.out


@pytest.mark.slow
def test_every_transport_on_a_real_coast(lapwing: Lapwing) -> None:
    answer = lapwing("verify", "northsea", "--strategy", "blocking", "--after", 300, timeout=110)
    assert answer.code == 0, answer.out + answer.err
    assert "northsea: 4 ranks" in answer.out
    assert "DIFFERS" not in answer.out


@pytest.mark.parametrize("policy", ["needed", "literal"])
def test_a_case_with_layers(lapwing: Lapwing, policy: str) -> None:
    """On uneven subdomains, whoever says which halos travel."""
    few = ("--strategy", "blocking,5s,edge-first,dataflow:4,deep:2", "--steps", 5)
    policy = f"exchanges.policy={policy}"
    answer = lapwing(
        "verify", "kelvin3d-small", "--ranks", 3, *FEW, *few, "--after", 50, "--set", policy
    )
    assert answer.code == 0, answer.out + answer.err
    assert "temperature 9" in answer.out  # per cent, or it compares water at rest
    assert "all that could be tried give the bits of one rank\n" in answer.out


@pytest.mark.parametrize("ranks", [1, 2, 3, 4])
def test_a_model_in_a_file(lapwing: Lapwing, tmp_path: Path, ranks: int) -> None:
    (tmp_path / "heat.py").write_text(HEAT)
    options = ("--ranks", ranks, "--steps", 7, *FEW, "--json", "found.json")
    answer = lapwing("verify", "heat.py", *options, timeout=110)
    assert answer.code == 0, answer.out + answer.err
    assert f"heat.py: {ranks} rank" in answer.out
    found = json.loads((tmp_path / "found.json").read_text())
    assert found["schema"] == "lapwing-verify-1"
    assert found["changed"] == {"heat": 1.0, "new": 1.0}
    assert {outcome["verdict"] for outcome in found["outcomes"]} == {"equal"}
    for outcome in found["outcomes"]:
        tried = outcome["strategy"] == "auto"
        decided = outcome["taken"] != ""
        # a busy machine may leave it undecided for as long as verify waits
        assert decided == (tried and not outcome["steps"] > TRIAL), outcome
        # one rank has nothing to try; else the comparison comes after the trial
        assert (outcome["steps"] > 7 + 100) == (tried and ranks > 1), outcome
        if decided:
            order = outcome["taken"].partition(":")[0]
            assert order in ("blocking", "edge-first", "dataflow", "deep")
            took = f"auto with {outcome['transport']} took {outcome['taken']}, compared after"
            assert took in answer.out
    assert len(found["outcomes"]) == 2 * len(strategy_names())


@pytest.mark.parametrize("ranks", [2, 4])
def test_a_stage_that_reads_what_it_did_not_declare(
    lapwing: Lapwing, tmp_path: Path, ranks: int
) -> None:
    (tmp_path / "heat.py").write_text(BEYOND)
    answer = lapwing(
        "verify", "heat.py", "--ranks", ranks, "--strategy", "blocking", *FEW, "--json", "f.json"
    )
    assert answer.code == 1, answer.out + answer.err
    assert "blocking  DIFFERS  DIFFERS" in answer.out
    assert "2 of 2 differ from one rank" in answer.out
    found = json.loads((tmp_path / "f.json").read_text())
    for outcome in found["outcomes"]:
        assert outcome["verdict"] == "differs"
        for difference in outcome["differences"]:
            assert difference["field"] in ("heat", "new")
            assert difference["step"] == 1
            assert difference["cells"] == len(corners_of(ranks))
            assert tuple(difference["first"]) == min(corners_of(ranks))
    first = min(corners_of(ranks))
    sentence = (
        f"strategy blocking, transport p2p: field new differs first after step 1, in "
        f"{len(corners_of(ranks))} value{'s' if ranks > 2 else ''}, the first at {first}"
    )
    assert sentence in " ".join(answer.out.split())


def test_checked_stages_name_what_they_read(lapwing: Lapwing, tmp_path: Path) -> None:
    """On one rank too, where nothing differs."""
    (tmp_path / "wrong.py").write_text(BEYOND)
    (tmp_path / "right.py").write_text(HEAT)
    few = ("--strategy", "blocking", "--transport", "p2p", "--check")
    for ranks in (1, 2):
        right = lapwing("verify", "right.py", "--ranks", ranks, *few)
        assert right.code == 0, right.out + right.err
        assert "check: no stage reads or writes what it does not declare" in right.out
        wrong = lapwing("verify", "wrong.py", "--ranks", ranks, *few)
        assert wrong.code == 1, wrong.out + wrong.err
        said = " ".join(wrong.out.split())
        assert "stage spread: got a read of field heat beyond what the stage declares" in said
        assert "heat with extent around(1)" in said
        assert ("equal by luck" in said) == (ranks == 1)


def test_a_shipped_case_declares_what_it_reads(lapwing: Lapwing) -> None:
    few = ("--strategy", "blocking", "--transport", "p2p", "--check")
    answer = lapwing("verify", "kelvin-small", "--ranks", 3, *few)
    assert answer.code == 0, answer.out + answer.err
    assert "check: no stage" in answer.out


def test_a_model_without_a_step_cannot_be_checked(lapwing: Lapwing) -> None:
    answer = lapwing("verify", "tiny", "--ranks", 2, "--after", 5, "--check")
    assert answer.code == 2, answer.out + answer.err
    assert "--check" in answer.err


def corners_of(ranks: int) -> list[tuple[int, int]]:
    """The cells whose neighbour (i + 1, j + 1) lies across a corner between ranks.

    The corner of the grid itself is wrong on one rank too, in the same way.
    """
    parts = {2: (2, 1), 4: (2, 2)}[ranks]
    east = [24 // parts[0] * (m + 1) - 1 for m in range(parts[0])]
    north = [20 // parts[1] * (n + 1) - 1 for n in range(parts[1])]
    return [(i, j) for i in east for j in north if (i, j) != (23, 19)]


def test_an_object_with_advance_and_fields(lapwing: Lapwing, tmp_path: Path) -> None:
    by_hand = (
        HEAT.replace(
            "    return lapwing.Step(",
            "    class Model:\n"
            "        fields = {'the heat': heat}\n"
            "        def advance(self, steps):\n"
            "            for _ in range(steps): self.step.run()\n"
            "    made = Model()\n"
            "    made.step = lapwing.Step(",
        ).rstrip()
        + "\n    return made\n"
    )
    (tmp_path / "heat.py").write_text(by_hand)
    answer = lapwing("verify", "heat.py", "--ranks", 2, "--strategy", "blocking", *FEW)
    assert answer.code == 0, answer.out + answer.err
    assert "the heat 100%" in answer.out


def test_what_cannot_be_tried_is_said(lapwing: Lapwing, tmp_path: Path) -> None:
    refusing = HEAT.replace(
        "    return lapwing.Step(",
        "    if transport == 'shared': raise lapwing.UserError('transport: got shared; expected "
        "another; change it')\n    return lapwing.Step(",
    )
    (tmp_path / "heat.py").write_text(refusing)
    answer = lapwing("verify", "heat.py", "--ranks", 2, "--strategy", "blocking", *FEW)
    assert answer.code == 0, answer.out + answer.err
    assert re.search(r"^blocking +equal +- *$", answer.out, re.M)
    assert "-  transport shared: transport: got shared" in answer.out


def test_a_field_that_never_moves_proves_nothing(lapwing: Lapwing, tmp_path: Path) -> None:
    (tmp_path / "heat.py").write_text(re.sub(r"    heat\.set.*\n", "", HEAT))
    answer = lapwing("verify", "heat.py", "--ranks", 2, "--strategy", "blocking", *FEW)
    assert answer.code == 0, answer.out + answer.err
    assert "heat, new never changed, so little is proven of it" in answer.out


WRONG: dict[str, tuple[str, list[str], str]] = {
    "no file": ("", ["nothing.py"], "No such file"),
    "no function": ("x = 1", [], "no class with `create` in m.py"),
    "no Python": ("def model(:", [], "invalid syntax"),
    "returns nothing": ("def model(comm, strategy, transport): pass", [], "returns"),
    "another communicator": (HEAT.replace(", comm, periodic", ", periodic"), [], "communicator"),
    "settings": (HEAT, ["--set", "a=1"], "--set"),
    "unknown strategy": (HEAT, ["--strategy", "blokcing"], "'blocking'"),
    "unknown transport": (HEAT, ["--transport", "pigeons"], "one of: auto, p2p"),
    "no threads": (HEAT, ["--threads", "2,none"], "whole numbers from 1"),
    "no name": (HEAT, ["--transport", ","], "separated by commas"),
    "a folder": (HEAT, ["--json", "."], "--json"),
    "too many ranks": (HEAT.replace("(24, 20)", "(1, 1)"), [], "got"),
}


@pytest.mark.parametrize("what", WRONG)
def test_wrong_request(lapwing: Lapwing, tmp_path: Path, what: str) -> None:
    text, options, words = WRONG[what]
    if text:
        (tmp_path / "m.py").write_text(text)
        options = ["m.py", *options]
    answer = lapwing("verify", *options, "--ranks", 2)
    assert_wrong_request(answer, words)


def test_a_kernel_that_raises_on_one_rank(lapwing: Lapwing, tmp_path: Path) -> None:
    raising = HEAT.replace(
        "    def back(box, new, heat):",
        "    def back(box, new, heat):\n"
        "        if domain.rank == 1: raise ArithmeticError('too hot')",
    )
    (tmp_path / "m.py").write_text(raising)
    answer = lapwing("verify", "m.py", "--ranks", 3, *FEW)
    assert answer.code == 3, answer.out + answer.err
    assert "ArithmeticError: too hot" in answer.err
    assert "lapwing: in stage back of step 1" in answer.err
    assert "on rank 1 of 3" in answer.err
    assert "strategy blocking, transport p2p, on rank 1" in answer.err


UNSTABLE = """
import lapwing, numpy as np

def model(comm, strategy, transport):
    domain = lapwing.Domain((24, 20), comm)
    mask, flow = domain.field("mask", halo=1), domain.field("flow", halo=1)
    mask.set(lambda i, j: np.where((i == 3) & (j == 4), np.nan, 1.0))  # not finite by intent
    flow.set(lambda i, j: np.where((i == 7) & (j == 5), 0.3, 1.0))  # 1 settles down, 0.3 does not

    def relax(box, mask, flow):
        with np.errstate(invalid="ignore"):
            flow[...] = np.sqrt(flow - 0.24)

    stage = lapwing.Stage(relax, reads=[mask, flow], writes=[flow])
    return lapwing.Step(domain, [stage], strategy=strategy, transport=transport)
"""


@pytest.mark.parametrize("steps", [3, 50])  # of 50 every third is looked at
def test_an_unstable_model_is_told_from_a_wrong_one(
    lapwing: Lapwing, tmp_path: Path, steps: int
) -> None:
    """The bits of a NaN depend on the order of operands: not even the first is compared."""
    (tmp_path / "m.py").write_text(UNSTABLE)
    answer = lapwing("verify", "m.py", "--ranks", 2, "--steps", steps, *FEW)
    assert answer.code == 4, answer.out + answer.err
    assert "error: m.py, run on one rank\n" in answer.err
    assert "field flow is not finite at (7, 5) after 3 steps: the case is unstable" in answer.err
    assert "choose fewer steps (--steps, --after)" in answer.err
    assert "DIFFERS" not in answer.out


def test_values_that_were_never_finite_are_a_mask(lapwing: Lapwing, tmp_path: Path) -> None:
    (tmp_path / "m.py").write_text(UNSTABLE)
    few = ("--strategy", "blocking", *FEW, "--steps", 2)
    answer = lapwing("verify", "m.py", "--ranks", 2, *few)
    assert answer.code == 0, answer.out + answer.err


@pytest.mark.parametrize(("after", "told"), [(0, "field level"), (10, "level is NaN")])
def test_an_unstable_case_is_named_with_its_field(lapwing: Lapwing, after: int, told: str) -> None:
    """True if it is so before the comparison or only meanwhile."""
    few = ("--strategy", "blocking", *FEW, "--steps", 7, "--set", "trouble.nan_step=5")
    answer = lapwing("verify", "tiny", "--ranks", 2, *few, "--after", after)
    assert answer.code == 4, answer.out + answer.err
    assert "error: tiny, run on one rank" in answer.err
    assert told in answer.err
    assert "choose fewer steps" in answer.err


def test_the_ranks_of_mpiexec_are_used(lapwing: Lapwing, tmp_path: Path) -> None:
    (tmp_path / "heat.py").write_text(HEAT)
    before = mpi_runtime.launcher_command(3)
    answer = lapwing("verify", "heat.py", "--strategy", "blocking", *FEW, before=before)
    assert answer.code == 0, answer.out + answer.err
    assert "heat.py: 3 ranks" in answer.out


def test_names_of_strategies() -> None:
    for name in (*strategy_names(), "6s:0.75", "deep:3", "deep:3+3s"):
        check_strategy("it", name)
    assert check_strategy("it", "deep(2)+dataflow(4)") == "deep:2+dataflow:4"
    assert chosen_strategies("it", ["edge-first(B),6s(0.30)", "6s:0.3"]) == (
        "edge-first:B",
        "6s:0.3",
    )
    for name in ("blocking2", "", "blocking(2)", "deep:0", "6s:2", "deep"):
        with pytest.raises(UserError, match=r"it: got .*; expected one of: blocking, "):
            check_strategy("it", name)
