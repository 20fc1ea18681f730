"""More on stages: scattered values, demands, loops, work at the end, the number of a step."""

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import lapwing
import numpy as np
import pytest
from lapwing import Box, Reduction, Stage, UserError

PROGRAMS = Path(__file__).parents[2] / "mpi_programs"
RunOnRanks = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.mark.parametrize("ranks", [1, 2, 3])
def test_the_words_of_stages_give_the_bits_of_one_rank(
    run_on_ranks: RunOnRanks, ranks: int
) -> None:
    program = (PROGRAMS / "stage_words.py").read_text()
    assert run_on_ranks(ranks, program).stdout.count("has the bits of one") == ranks


def refused(words: str, **parts: Any) -> None:
    """A step of one stage is none, for these words."""
    with lapwing.Domain((12, 8)) as domain:
        a, b = domain.field("a"), domain.field("b", components=2, halo=[lapwing.ahead("x")] * 2)
        made = {name: made(a, b) for name, made in parts.items()}
        with pytest.raises(UserError) as problem:
            lapwing.Step(
                domain, [Stage(**{"kernel": lambda box, *arrays: 0.0, "name": "s", **made})]
            )
        assert words in str(problem.value)


@pytest.mark.parametrize(
    ("words", "parts"),
    [
        (
            "scatters of stage s: got field b twice",
            {"writes": lambda a, b: [b], "scatters": lambda a, b: [b]},
        ),
        ("scatters of stage s: got field b; expected a list", {"scatters": lambda a, b: b}),
        (
            "stage s: got a field that it scatters, and work or a number",
            {"scatters": lambda a, b: [b], "reduction": lambda a, b: Reduction("maximum")},
        ),
        (
            "as_wide_as of field a in stage s: got 3; expected a Reduction",
            {"reads": lambda a, b: [(a, 1, lapwing.as_wide_as(3, [1]))]},  # type: ignore[arg-type]
        ),
        (
            "a demand that no stage before it reduces",
            {"reads": lambda a, b: [(a, 1, lapwing.as_wide_as(Reduction("maximum"), [1]))]},
        ),
        ("then of stage s: got 3", {"reads": lambda a, b: [a], "then": lambda a, b: 3}),
    ],
)
def test_words_that_do_not_fit_are_refused(words: str, parts: dict[str, Any]) -> None:
    refused(words, **parts)


def test_a_kernel_asks_for_its_step_by_name() -> None:
    with lapwing.Domain((12, 8)) as domain:
        level = domain.field("level")

        @lapwing.stage(writes=[level])
        def rise(box: Box, level: Any, *, step_number: int) -> None:
            level[...] = step_number

        step = lapwing.Step(domain, [rise])
        step.run(3)
        assert (level.owned == 2.0).all()
        step.check()
        step.run(2)
        assert (level.owned == 4.0).all()


@pytest.mark.parametrize("strategy", ["blocking", "tiled:2", "deep:4+tiled:2"])
def test_a_tile_that_goes_through_several_steps_finds_the_number_of_each(strategy: str) -> None:
    with lapwing.Domain((12, 40), periodic=(True, False)) as domain:
        a, b = domain.field("a"), domain.field("b")
        seen: list[int] = []

        @lapwing.stage(reads=[(a, lapwing.behind("y"), lapwing.ahead("y"))], writes=[b])
        def mean(box: Box, a: Any, b: Any, *, step_number: int) -> None:
            b[...] = 0.5 * (a.at(y=-1) + a.at(y=+1)) + step_number
            seen.append(step_number)

        @lapwing.stage(reads=[b], writes=[a], on=Box((0, 1), (12, 39)))
        def keep(box: Box, b: Any, a: Any) -> None:
            a[...] = b

        step = lapwing.Step(domain, [mean, keep], strategy=strategy)
        a.set(lambda i, j: np.sin(0.3 * i) + 0.01 * j)
        step.run(9)
        want = np.sin(0.3 * np.arange(12.0))[:, None] + 0.01 * np.arange(40.0)
        for number in range(9):
            want[:, 1:-1] = 0.5 * (want[:, :-2] + want[:, 2:]) + number
        assert np.array_equal(a.owned, want)
        assert step.step_number == 9
        assert set(seen) == set(range(9))
        assert (seen == sorted(seen)) == (
            "deep" not in strategy
        )  # tiles went back to earlier steps


def test_an_argument_by_name_that_no_stage_knows_is_refused() -> None:
    with lapwing.Domain((12, 8)) as domain:
        level = domain.field("level")

        @lapwing.stage(writes=[level])
        def rise(box: Box, level: Any, *, moment: float) -> None:
            level[...] = moment

        with pytest.raises(UserError, match="kernel of stage rise: got a function of"):
            lapwing.Step(domain, [rise])


def test_a_loop_of_no_stages_is_none() -> None:
    assert lapwing.repeated([], lapwing.while_above(0)) == []
    assert lapwing.repeated([], 3) == []


def test_updates_is_what_a_stage_reads_and_writes_at_its_cells() -> None:
    def add(box: Box, around: Any, own: Any, copy: Any) -> None:
        own += around.at(x=-1)
        copy[...] = own

    ends = []
    with lapwing.Domain((12, 8), periodic=True) as domain:
        for both in (False, True):
            a, b, c = (domain.field(name) for name in "abc")
            far = (a, lapwing.behind("x"))
            words: dict[str, Any] = {"reads": [far, b], "writes": [b, c]} if both else {
                "reads": [far], "updates": [b], "writes": [c]
            }  # fmt: skip
            step = lapwing.Step(domain, [Stage(add, **words)])
            a.set(lambda i, j: i + 100.0 * j)
            b.fill(1.0)
            step.run(3)
            assert step.report.volume.messages == 0
            ends.append((b.gather(), c.gather()))
    for of_words, of_lists in zip(*ends, strict=True):
        assert of_words is not None
        np.testing.assert_array_equal(of_words, of_lists)
    first = ends[0][0]
    assert first is not None
    assert first[1, 0] == 1.0
    assert first[2, 3] == 1.0 + 3 * 301.0
