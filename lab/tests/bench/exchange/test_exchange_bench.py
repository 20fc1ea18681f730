"""`lapwing bench exchange`: complete in short form, right in every shape, clear when refusing."""

import json
import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from lapwing.base.error import OutsideError, UserError
from lapwing_lab.bench.exchange.exchange import _results
from lapwing_lab.bench.exchange.request import HAND, MEANS, method_names
from lapwing_lab.bench.exchange.timing import Sampling, Timed
from lapwing_lab.bench.measure.method import Method
from lapwing_lab.bench.measure.options import near_square

RunBench = Callable[..., Any]  # the fixtures in conftest.py
Parse = Callable[..., Any]
RunOnRanks = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="module")
def short_run(
    run_bench: RunBench, tmp_path_factory: pytest.TempPathFactory
) -> tuple[str, dict[str, Any]]:
    """What a run of few samples prints, and its file."""
    file = tmp_path_factory.mktemp("bench") / "exchange.json"
    works = "2d-60,3x2d-60,3d-40x24@levels"
    done = run_bench(
        "exchange", "--ranks", "2", "--works", works, "--samples", "2", "--json", str(file)
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout, json.loads(file.read_text())


@pytest.mark.ranks
def test_file_names_every_work_and_method(short_run: tuple[str, dict[str, Any]]) -> None:
    text, document = short_run
    assert document["schema"] == "lapwing-bench-1"
    assert {"machine", "versions"} <= document.keys()
    methods: dict[str, set[str]] = {}
    for row in document["results"]:
        methods.setdefault(row["work"], set()).add(row["method"])
        assert len(row["samples"]) == 2
    assert methods.pop("python-call") == {"run"}
    assert methods.keys() == {"2d-60", "3x2d-60", "3d-40x24@levels"}
    always = {"p2p", "p2p-wrapped", "mpi4py", *HAND, *MEANS, "memcpy-limit"}
    for work, names in methods.items():
        missing = {name for name in method_names() if f"not measured: {name}:" in text}
        only_here = {"p2p-separate"} if work != "3x2d-60" else set()
        assert names == set(method_names()) - missing - only_here | {"memcpy-limit"}
        assert always <= names


@pytest.mark.ranks
def test_results_say_how_they_compare(short_run: tuple[str, dict[str, Any]]) -> None:
    _, document = short_run
    rows = {(row["work"], row["method"]): row for row in document["results"]}
    row = rows["2d-60", "p2p"]
    assert row["extra"]["bytes"] == (64 * 64 - 60 * 60) * 8
    limit = rows["2d-60", "memcpy-limit"]
    assert row["extra"]["limit_share"] == pytest.approx(limit["median"] / row["median"])
    means = [rows["2d-60", one]["median"] for one in MEANS]
    assert limit["median"] == min(means)
    fastest = min(HAND, key=lambda one: rows["2d-60", one]["median"])
    assert rows["2d-60", fastest]["extra"]["speedup"] == 1.0


@pytest.mark.ranks
def test_all_methods_of_a_work_have_as_many_rounds(short_run: tuple[str, dict[str, Any]]) -> None:
    _, document = short_run
    rounds: dict[str, set[float]] = {}
    for row in document["results"]:
        if row["work"] != "python-call":
            rounds.setdefault(row["work"], set()).add(row["extra"]["rounds"])
    assert all(len(one) == 1 and min(one) >= 5 for one in rounds.values())


@pytest.fixture
def two_cores() -> Iterator[None]:
    """At most two cores for what is started meanwhile."""
    mine = os.sched_getaffinity(0)
    os.sched_setaffinity(0, sorted(mine)[:2])
    yield
    os.sched_setaffinity(0, mine)


@pytest.mark.ranks
@pytest.mark.usefixtures("two_cores")
def test_samples_are_long_where_ranks_share_cores(run_bench: RunBench, tmp_path: Path) -> None:
    file = tmp_path / "shared.json"
    choice = ("--works", "2d-60", "--methods", "p2p", "--samples", "2", "--json", str(file))
    done = run_bench("exchange", "--ranks", "4", *choice)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "OVERSUBSCRIBED: 4 ranks on" in done.stdout
    assert "each the mean of the exchanges of 50 ms or more" in " ".join(done.stdout.split())
    rows = [row for row in json.loads(file.read_text())["results"] if row["work"] == "2d-60@4"]
    assert {row["method"] for row in rows} == {"p2p", *HAND, *MEANS, "memcpy-limit"}
    for row in rows:
        assert row["extra"]["oversubscribed"] == 1


class Moody(Method):
    """A method whose first exchanges fall into one turn of the scheduler; it counts them all."""

    def __init__(self, lucky: int) -> None:
        self.lucky = lucky
        self.done = 0
        self.seconds = 0.0

    def sample(self, rounds: int) -> tuple[float, float]:
        self.done += rounds
        each = 1e-6 if self.done <= self.lucky else 1e-3
        self.seconds += rounds * each
        return each, 1e-7

    def wrong_cells(self) -> int:
        return 0

    def wrong_after_sample(self) -> int:
        return 0


def test_a_time_below_zero_ends_the_benchmark_unless_it_is_a_trial() -> None:
    timed = Timed(Moody(0), Sampling())
    timed.samples = [(1e-6, 2e-6)] * 5  # rewriting alone took longer than with the exchange
    (bad,) = _results("2d-60", {"p2p": timed}, 1)
    with pytest.raises(OutsideError, match="2d-60, p2p: got a sample of -1 us"):
        bad.require_positive()  # as `tell` does with all
    timed.samples = timed.samples[:2]
    (trial,) = _results("2d-60", {"p2p": timed}, 1)
    trial.require_positive()
    assert trial.samples == [-1e-6, -1e-6]


@pytest.mark.parametrize("lucky", [0, 16, 1000, 10**7])
def test_every_sample_where_ranks_share_cores_is_long(lucky: int) -> None:
    sampling = Sampling(seconds=10e-3, rounds=(5, 100_000), least=50e-3, oversubscribed=True)
    method = Moody(lucky)
    timed = Timed(method, sampling)
    timed.find_rounds()
    assert method.seconds < 2.0  # no try goes by the luck of the one before
    for _ in range(3):
        before = method.seconds
        timed.take()
        assert 0.0499 < method.seconds - before < 0.3
    assert all(1e-6 <= each + 1e-7 <= 1.0001e-3 for each in timed.seconds)


def test_a_sample_of_ranks_with_cores_of_their_own_is_one_batch() -> None:
    method = Moody(10**7)
    timed = Timed(method, Sampling())
    timed.find_rounds()
    before = method.done
    timed.take()
    assert timed.rounds == method.done - before == 500


# All shapes of 4 ranks, both memory orders, widths that one loop has unrolled and that it has not.
CHECK_SHAPES = """
from lapwing.core import mpi_runtime
mpi_runtime.start()
from lapwing_lab.bench.exchange.exchange import partition_of, right_methods
from lapwing_lab.bench.exchange.request import HAND, MEANS, ExchangeRequest
from lapwing_lab.bench.measure.domains import on_domain
from lapwing_lab.bench.measure.options import Shape
for shape, width in (((1, 4), 2), ((2, 2), 10), ((4, 1), 1)):
    works = ("3x2d-60", "3d-40x24", "3d-40x24@levels")
    request = ExchangeRequest(ranks=4, works=works, shape=Shape(shape), width=width)

    def check(domain):
        methods = right_methods(request, work, {}, domain)
        assert {"p2p", "mpi4py", *HAND, *MEANS} <= set(methods)
        for name, method in methods.items():
            method.sample(3)
            assert method.wrong_after_sample() == 0, name
            method.close()

    for work in works:
        on_domain(partition_of(request, work), check)
    print(f"{shape}: every value in its place")
"""


@pytest.mark.slow
def test_methods_agree_in_every_shape(run_on_ranks: RunOnRanks) -> None:
    output = run_on_ranks(4, CHECK_SHAPES).stdout
    assert output.count("every value in its place") == 4 * 3


def test_a_method_that_moves_nothing_is_found_out() -> None:
    from lapwing import Domain
    from lapwing_lab import _core
    from lapwing_lab.bench.exchange.python_exchange import new_array

    work = _core.ExchangeWork(6, 5, 0, 2, 2, [1, 1], False)
    arrays = _core.WorkArrays(work, [new_array(work) for _ in range(2)])
    domain = Domain((6, 5))
    method = _core.python_method(domain, arrays, lambda: None)
    assert method.wrong_cells() == 2 * (10 * 9 - 6 * 5)
    method.sample(4)
    assert method.wrong_after_sample() == 2 * (10 * 9 - 6 * 5)
    del method
    domain.close()


def test_a_method_that_moves_only_what_is_checked_is_found_out() -> None:
    from lapwing import Domain
    from lapwing_lab import _core
    from lapwing_lab.bench.exchange.python_exchange import new_array

    work = _core.ExchangeWork(6, 5, 0, 1, 2, [1, 1], False)
    array = new_array(work)
    calls: list[int] = []

    def first_time() -> None:
        if not calls:
            array[:2], array[-2:] = array[6:8], array[2:4]
            array[:, :2], array[:, -2:] = array[:, 5:7], array[:, 2:4]
        calls.append(1)

    domain = Domain((6, 5))
    method = _core.python_method(domain, _core.WorkArrays(work, [array]), first_time)
    assert method.wrong_cells() == 0
    method.sample(5)
    assert method.wrong_after_sample() == 10 * 9 - 6 * 5
    del method
    domain.close()


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        (["--works", "2d-61"], "--works"),
        (["--works", "2d-60@levels"], "--works"),
        (["--methods", "p2p,pigeon"], "--methods"),
        (["--shape", "3x1"], "--shape"),
        (["--shape", "wide"], "--shape"),
        (["--width", "0"], "--width"),
        (["--width", "13"], "--width"),
        (["--samples", "1"], "--samples"),
    ],
)
def test_bad_requests_say_what_was_expected(arguments: list[str], name: str, parse: Parse) -> None:
    with pytest.raises(UserError, match=rf"^{name}.*: got .*; expected .*; \w+"):
        parse("exchange", arguments, 2)


def test_unknown_options_end_with_code_2(run_bench: RunBench) -> None:
    done = run_bench("exchange", "--colour", "red")
    assert done.returncode == 2
    assert "--colour" in done.stderr


def test_bad_request_ends_with_code_2(run_bench: RunBench, tmp_path: Path) -> None:
    done = run_bench("exchange", "--works", "4d-60", "--json", str(tmp_path / "none.json"))
    assert done.returncode == 2
    assert done.stderr.count("error: --works") == 1
    for part in ("got:      '4d-60'", "expected: names among 2d-60", "remedy:"):
        assert part in done.stderr
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("ranks", "blocks"), [(1, (1, 1)), (2, (1, 2)), (4, (2, 2)), (6, (2, 3)), (9, (3, 3))]
)
def test_default_blocks(ranks: int, blocks: tuple[int, int]) -> None:
    assert near_square(ranks) == blocks


def test_work_names_say_what_is_unusual(parse: Parse) -> None:
    assert parse("exchange", [], 2).full_name("2d-60") == "2d-60"
    assert parse("exchange", [], 4).full_name("3d-60@levels") == "3d-60@levels@4"
    assert (
        parse("exchange", ["--width", "10", "--shape", "2x1"], 2).full_name("2d-60")
        == "2d-60@w10@2x1"
    )
