"""`lapwing tune`: the search against made-up times, its file, and what is wrong with either."""

import json
import os
import tomllib
from collections.abc import Callable, Sequence
from dataclasses import replace
from math import prod
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from lapwing.base.error import UserError
from lapwing.core import mpi_runtime
from lapwing.core.names import strategy_names, transport_names
from lapwing.core.steps.tuned import Document, Finding, RunFinding, load, save
from lapwing.run.request import Request, make_setup
from lapwing.run.tuned import keep_finding
from lapwing_lab.tune.candidate import Candidate, Timed
from lapwing_lab.tune.command import answer
from lapwing_lab.tune.race import ROUNDS, race
from lapwing_lab.tune.request import TuneRequest
from lapwing_lab.tune.search import exhaustive, search
from lapwing_lab.tune.space import Space, space_of
from lapwing_lab.tune.trial import Trials, period_of

# the fixture in conftest.py
Lapwing = Callable[..., Any]
LapwingIn = Callable[..., Any]

CUTS = ("2 x 1 blocks", "1 x 2 blocks", "k-section")
TRANSPORTS = tuple(transport_names())
STRATEGIES = tuple(strategy_names()[:-1])  # without auto
OWN = Candidate("2 x 1 blocks", "auto", "blocking")
SPACE = Space(OWN, dict.fromkeys(CUTS, None), TRANSPORTS, STRATEGIES)  # type: ignore[arg-type]


class MadeUp(Trials):
    """Trials whose times are known: a factor for each part of a candidate, and some noise."""

    def __init__(self, factors: dict[str, float], noise: Sequence[float] = (1.0,)) -> None:
        self.factors, self.noise, self.calls = factors, noise, 0
        self.room, self.runs = 16, 0

    def _race(self, rivals: Sequence[Timed], rounds: int, drop: bool) -> None:
        for one in rivals:
            one.runs += 1
        race(rivals, self.take, rounds, drop=drop)
        self.runs += sum(one.runs for one in rivals)

    def take(self, candidate: Candidate) -> float:
        self.calls += 1
        noise = self.noise[self.calls % len(self.noise)]
        parts = (candidate.cut, candidate.transport, candidate.strategy)
        together = self.factors.get(f"{candidate.transport} {candidate.strategy}", 1.0)
        return noise * together * 1e-3 * prod(self.factors.get(part, 1.3) for part in parts)


def quiet(_: str, __: list[Timed]) -> None:
    """Where nobody looks at tables."""


# ---- the search


def test_the_search_finds_the_fastest_in_a_tenth_of_the_runs() -> None:
    factors = {"1 x 2 blocks": 0.9, "shared": 0.7, "dataflow": 0.8}
    noise = (1.0, 1.01, 0.99, 1.02)
    tried = MadeUp(factors, noise)
    found = search(SPACE, tried, quiet)
    assert found.best.candidate == Candidate("1 x 2 blocks", "shared", "dataflow")
    assert found.ratio == pytest.approx(0.9 * 0.7 * 0.8 / 1.3**3, rel=0.03)
    every = exhaustive(SPACE, MadeUp(factors, noise), quiet)
    assert every.best.candidate == found.best.candidate
    assert every.candidates == len(CUTS) * len(TRANSPORTS) * len(STRATEGIES)
    assert found.runs < 0.1 * every.runs


def test_parts_that_are_fast_only_together_meet_in_the_end() -> None:
    factors = {"2 x 1 blocks": 1.0, "auto": 1.0, "p2p": 1.02, "blocking": 1.0, "deep:2": 1.02}
    found = search(SPACE, MadeUp({**factors, "p2p deep:2": 0.8}), quiet)
    assert found.best.candidate == Candidate("2 x 1 blocks", "p2p", "deep:2")


def test_where_all_are_alike_the_own_stays() -> None:
    found = search(SPACE, MadeUp({}), quiet)
    assert found.best.candidate == OWN
    assert found.ratio == 1.0
    assert found.runs < 0.1 * exhaustive(SPACE, MadeUp({}), quiet).runs


def test_a_tenth_of_the_runs_is_enough_for_two_cuts_that_are_alike_in_all() -> None:
    small = replace(SPACE, cuts=dict.fromkeys(CUTS[:2], None))  # type: ignore[arg-type]
    found, every = (find(small, MadeUp({}), quiet) for find in (search, exhaustive))
    assert found.runs <= 0.1 * every.runs, (found.runs, every.runs)


def test_shares_of_the_middle_are_candidates_unless_strategies_are_named() -> None:
    request = Request("kelvin-small", ranks=1)
    comm: Any = mpi_runtime.start().COMM_SELF
    setup = make_setup(request, 1)
    every = space_of(TuneRequest(request), setup, comm).strategies
    alphas = sorted(float(one[3:]) for one in every if one.startswith("6s:"))
    assert alphas == [0.1, 0.3, 0.5, 0.7, 0.9]
    named = TuneRequest(request, strategies=("6s:0.2",))
    assert space_of(named, setup, comm).strategies == ("blocking", "6s:0.2")


def test_a_slow_rival_leaves_early_and_the_first_stays() -> None:
    names = ("slow", "fast", "near", "far")
    steps = dict(zip(names, (2.0, 1.0, 1.04, 1.1), strict=True))
    rivals = [Timed(Candidate("", "", name)) for name in names]
    race(rivals, lambda candidate: steps[candidate.strategy])
    assert [len(one.seconds) for one in rivals] == [ROUNDS, ROUNDS, 5, 3]
    assert [one.dropped for one in rivals] == [False, False, True, True]


def test_a_short_run_has_whole_periods_of_each_strategy() -> None:
    assert period_of(("blocking", "dataflow:3", "deep:2", "deep:4+dataflow")) == 8
    assert period_of(("deep:3", "deep:40")) == 120


def test_where_all_are_near_few_stay() -> None:
    rivals = [Timed(Candidate("", "", str(n))) for n in range(8)]
    race(rivals, lambda candidate: 1.0 + 1e-3 * int(candidate.strategy))
    assert [len(one.seconds) for one in rivals] == [ROUNDS] * 3 + [3] * 5


def test_a_disturbed_round_drops_nobody() -> None:
    noise = iter([1.0, 9.0, 1.0, 1.0, *[1.0] * 20])
    rivals = [Timed(Candidate("", "", name)) for name in ("one", "other")]
    race(rivals, lambda _: next(noise))
    assert not any(one.dropped for one in rivals)


def test_no_rival_drops_out_of_an_exhaustive_race() -> None:
    rivals = [Timed(Candidate("", "", name)) for name in ("one", "other")]
    race(rivals, lambda candidate: len(candidate.strategy), drop=False)
    assert [len(one.seconds) for one in rivals] == [ROUNDS, ROUNDS]


# ---- the command, and runs that follow

QUICK = ("--transport", "p2p,shared", "--strategy", "blocking,dataflow", "--progress", "none")
SHORT = ("--set", "duration=20min", "--progress", "none")
TUNED = "kelvin-small.tuned.toml"
CORES = len(os.sched_getaffinity(0))


@pytest.fixture(scope="module")
def tuned(lapwing_in: LapwingIn, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A folder in which kelvin-small is tuned for 2 ranks, and what the command printed."""
    folder = tmp_path_factory.mktemp("tuned")
    answer = lapwing_in(folder, "tune", "kelvin-small", "--ranks", 2, *QUICK, "--json", "tune.json")
    assert answer.code == 0, answer.err
    return folder, answer.out


def finding(tuned: tuple[Path, str]) -> RunFinding:
    """The finding for two ranks; one rank with two threads may have been faster."""
    (found,) = [one for one in load(tuned[0] / TUNED).run if one.ranks == 2]
    return found


def other(found: RunFinding, **changes: Any) -> Document:
    """A tuned file with an answer that no search would give, or of something else."""
    answer = {"blocks": [1, 2, 1], "strategy": "deep:2", "transport": "neighbor"}
    return Document(run=[replace(found, **{**answer, **changes})])


def test_tune_says_what_it_does_and_keeps_the_answer(tuned: tuple[Path, str]) -> None:
    folder, out = tuned
    found = finding(tuned)
    assert (found.case, found.ranks, found.nodes, found.grid) == ("kelvin-small", 2, 1, [47, 41, 1])
    assert found.strategy in ("blocking", "dataflow")
    assert found.transport in ("auto", "p2p", "shared")
    assert "18 candidates, of 3 cuts, 3 transports and 2 strategies" in out
    assert "1 x 1 blocks of 2 threads" in out
    assert "now    2 x 1 blocks, transport auto, strategy blocking" in out
    assert f"transport {found.transport}, strategy {found.strategy}" in out
    assert f"tuned    {TUNED}" in out
    document = json.loads((folder / "tune.json").read_text())
    assert document["schema"] == "lapwing-tune-1"
    assert document["candidates"] == 18
    assert set(document["contests"]) == {"cut", "transport", "strategy", "the best together"}
    answers = [(one.strategy, one.transport) for one in load(folder / TUNED).run]
    assert (document["best"]["strategy"], document["best"]["transport"]) in answers
    contested = {one["candidate"]["cut"] for one in document["contests"]["cut"] if one["seconds"]}
    assert ("1 x 1 blocks of 2 threads" in contested) == (CORES > 1)
    assert document["runs"] == sum(
        one["runs"] for ranked in document["contests"].values() for one in ranked
    )


def run(lapwing: Lapwing, *arguments: object, ranks: int = 2) -> str:
    """What a short run says, with its lines put together."""
    answer = lapwing("run", "kelvin-small", "--ranks", ranks, *SHORT, *arguments)
    assert answer.code == 0, answer.err
    return " ".join(answer.out.split())


def test_a_run_does_as_the_file_says_and_names_it(
    lapwing: Lapwing, tuned: tuple[Path, str], tmp_path: Path
) -> None:
    plain = run(lapwing, "--out", "plain")
    assert "tuned" not in plain
    save(tmp_path / TUNED, other(finding(tuned)))
    out = run(lapwing, "--out", "tuned")
    assert "2 (1 x 2 blocks), strategy deep:2, transport neighbor" in out
    assert f"tuned cut, strategy and transport as {TUNED} says" in out
    assert lapwing("compare", "plain/output.nc", "tuned/output.nc").code == 0
    case = tomllib.loads((tmp_path / "tuned" / "case.toml").read_text())
    assert (case["run"]["strategy"], case["run"]["transport"]) == ("deep:2", "neighbor")
    served = run(lapwing, "--io-ranks", 1, ranks=3)
    assert "2 (1 x 2 blocks), strategy deep:2, transport neighbor" in served


def test_the_answer_of_fewer_ranks_has_their_threads(tuned: tuple[Path, str]) -> None:
    def cut(ranks: int, threads: int) -> Any:
        case = SimpleNamespace(run=SimpleNamespace(threads=threads))
        blocks = (ranks, 1, 1)
        return SimpleNamespace(partition=SimpleNamespace(ranks=ranks), case=case, blocks=blocks)

    cuts = {"2 x 1 blocks": cut(2, 0), "1 x 1 blocks of 2 threads": cut(1, 2)}
    space = Space(OWN, cuts, TRANSPORTS, STRATEGIES)
    assert space.crews == ["1 x 1 blocks of 2 threads"]
    fewer = Candidate(space.crews[0], "p2p", "tiled")
    kept = answer(finding(tuned), space, fewer, "quickly")
    assert (kept.ranks, kept.threads, kept.blocks) == (1, 2, [1, 1, 1])
    assert (kept.strategy, kept.transport) == ("tiled", "p2p")


@pytest.mark.skipif(CORES < 2, reason="one core")
def test_a_run_takes_threads_from_the_file(
    lapwing: Lapwing, tuned: tuple[Path, str], tmp_path: Path
) -> None:
    alone = other(finding(tuned), ranks=1, threads=2, blocks=[1, 1, 1], transport="p2p")
    save(tmp_path / TUNED, alone)
    out = run(lapwing, ranks=1)
    assert f"tuned 2 threads, cut, strategy and transport as {TUNED} says" in out
    assert "2 threads each" in out
    assert "threads each" not in run(lapwing, "--threads", 1, ranks=1)


@pytest.mark.parametrize(
    ("changes", "arguments", "words"),
    [
        ({"ranks": 4, "blocks": [2, 2, 1]}, (), "ranks 2 instead of 4"),
        ({"processor": "another"}, (), "instead of 'another'"),
        ({"settings": "0123"}, (), "(other settings)"),
        ({}, ("--strategy", "blocking"), "passed over: the command line has --strategy"),
        ({}, ("--set", "transport=p2p"), "passed over: the command line has --set transport"),
        ({}, ("--blocks", "2x1"), "passed over: the command line has --blocks"),
        ({"case": "other"}, ("--set", f"run.tuned={TUNED}"), "'kelvin-small' instead of 'other'"),
    ],
)
def test_what_does_not_fit_is_told_and_passed_over(
    lapwing: Lapwing,
    tuned: tuple[Path, str],
    tmp_path: Path,
    changes: dict[str, Any],
    arguments: tuple[str, ...],
    words: str,
) -> None:
    save(tmp_path / TUNED, other(finding(tuned), **changes))
    out = run(lapwing, *arguments)
    assert words in out
    assert "2 (2 x 1 blocks), strategy blocking" in out


def test_a_broken_file_is_told_where_nobody_named_it(lapwing: Lapwing, tmp_path: Path) -> None:
    (tmp_path / TUNED).write_text("[[run]\n")
    assert f"tuned file {TUNED}: got" in run(lapwing)
    named = lapwing("run", "kelvin-small", "--ranks", 2, *SHORT, "--set", f"run.tuned={TUNED}")
    assert named.code == 2
    assert named.err.count(f"error: tuned file {TUNED}") == 1
    tune = lapwing("tune", "kelvin-small", "--ranks", 2, *QUICK)
    assert tune.code == 2
    assert "remove it and measure again" in " ".join(tune.err.split())


def test_a_file_of_a_case_has_its_answer_next_to_it(lapwing: Lapwing, tmp_path: Path) -> None:
    folder = tmp_path / "cases"
    folder.mkdir()
    text = 'model = "coast"\n[run]\nduration = "20min"\n[grid]\ncells_x = 24\ncells_y = 20\n'
    (folder / "mine.toml").write_text(text)
    arguments = ("--transport", "p2p", "--strategy", "blocking", "--progress", "none")
    tune = lapwing("tune", "cases/mine.toml", "--ranks", 2, *arguments)
    assert tune.code == 0, tune.err
    assert (folder / "mine.tuned.toml").exists()
    answer = lapwing("run", "cases/mine.toml", "--ranks", 2, "--progress", "none")
    assert "as cases/mine.tuned.toml says" in " ".join(answer.out.split())


def test_a_prediction_leaves_out_what_is_slow(lapwing: Lapwing, tmp_path: Path) -> None:
    stages = "".join(f'{name} = "1 ns"\n' for name in ("momentum_x", "momentum_y", "continuity"))
    text = (
        "[nodes]\ncount = 2\nranks_per_node = 1\n"
        '[network]\nlatency = "1 ms"\nbandwidth = "1 GB/s"\n'
        '[node]\nlatency = "1 us"\nbandwidth = "1 GB/s"\n'
        f"[[compute.coast]]\nbox = [60, 60]\n{stages}"
    )
    (tmp_path / "slow.toml").write_text(text)
    arguments = ("--strategy", "blocking,edge-first,deep:4", "--transport", "p2p")
    tune = lapwing(
        "tune", "kelvin-small", "--ranks", 2, *arguments, "--progress", "none",
        "--machine", "slow.toml",
    )  # fmt: skip
    assert tune.code == 0, tune.err
    assert "left out, predicted for slow.toml: edge-first" in tune.out
    assert "deep:4" in tune.out
    (tmp_path / "none.toml").write_text(text.partition("[[compute")[0])
    unknown = lapwing(
        "tune", "kelvin-small", "--ranks", 2, *arguments, "--progress", "none",
        "--machine", "none.toml",
    )  # fmt: skip
    assert unknown.code == 0, unknown.err
    assert "not predicted: machine none: got no table [[compute.coast]]" in unknown.out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("kelvin-smal", "--ranks", 2), "did you mean 'kelvin-small'?"),
        (("kelvin-small",), "lapwing tune kelvin-small --ranks 2"),
        (("kelvin-small", "--ranks", 4000), "use fewer ranks"),
        (("kelvin-small", "--ranks", 2, "--strategy", "auto"), "leave it out"),
        (("kelvin-small", "--ranks", 2, "--strategy", "fast"), "one of: blocking, 3s"),
        (("kelvin-small", "--ranks", 2, "--transport", "p3p"), "did you mean 'p2p'?"),
        (("kelvin-small", "--ranks", 2, "--machine", "nowhere"), "a machine file, or one of"),
        (("kelvin-small", "--ranks", 512, "--machine", "getm-cluster"), "at most"),
        (("kelvin-small", "--ranks", 2, "--json", "nowhere/a.json"), "no folder"),
        (("kelvin-small", "--ranks", 2, "--set", "run.tuned=nowhere/a.toml"), "no folder"),
    ],
)
def test_what_cannot_be_tuned_is_refused_by_name(
    lapwing: Lapwing, tmp_path: Path, arguments: tuple[object, ...], words: str
) -> None:
    answer = lapwing("tune", *arguments)
    assert answer.code == 2, answer.out
    assert words in " ".join(answer.err.split())
    assert list(tmp_path.glob("*.tuned.toml")) == []


# ---- the file


def test_a_finding_takes_the_place_of_an_earlier_one_alone(tmp_path: Path) -> None:
    file = tmp_path / "a.tuned.toml"
    first = RunFinding(
        "a", "1", [8, 8, 1], 2, 1, "mpi", "cpu", "block", [2, 1, 1], "p2p", "3s", "words"
    )
    step = Finding(["s"], [8, 8, 1], "1", 2, 2, "p2p", "mpi", "cpu", "deep:2", "words")
    save(file, Document([step], [first]))
    more = replace(first, ranks=4, blocks=[2, 2, 1])
    keep_finding(file, more)
    later = replace(first, partition="ksection", blocks=[], strategy="dataflow")
    keep_finding(file, later)
    assert load(file) == Document([step], [more, later])


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"strategy": "deepest"}, "run.0.strategy: got 'deepest'"),
        ({"strategy": "auto"}, "run.0.strategy: got 'auto'"),
        ({"transport": "pigeon"}, "run.0.transport: got 'pigeon'"),
        ({"blocks": [3, 1, 1]}, "run.0.blocks: got .* on 2 ranks"),
        ({"blocks": [2, 1]}, "run.0.blocks: got"),
        ({"blocks": [-2, -1, 1]}, "run.0.blocks: got"),
        ({"partition": "ksection"}, "run.0.blocks: got"),
        ({"partition": "metis"}, "run.0.partition: got 'metis'"),
    ],
)
def test_an_answer_that_no_run_could_use_is_named(
    tmp_path: Path, changes: dict[str, Any], problem: str
) -> None:
    file = tmp_path / "a.tuned.toml"
    right = RunFinding(
        "a", "1", [8, 8, 1], 2, 1, "mpi", "cpu", "block", [2, 1, 1], "p2p", "3s", "words"
    )
    save(file, Document(run=[replace(right, **changes)]))
    with pytest.raises(UserError, match=problem):
        load(file)
