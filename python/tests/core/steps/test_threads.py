"""Threads that share the kernels of a rank: the bits of one thread, and what is refused."""

import os
import subprocess
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import lapwing
import pytest
from lapwing import UserError
from lapwing.core.steps.rows import holds_lock
from lapwing.run.threads import threads_of

RunOnRanks = Callable[..., "subprocess.CompletedProcess[str]"]

CORES = len(os.sched_getaffinity(0))
several = pytest.mark.skipif(CORES < 2, reason="one core")

WAVE = """
import lapwing
from lapwing import ahead, behind

def there(box, old, new, *, time):
    new[...] = 0.5 * (old.at(y=+1) + old.at(y=-1)) + 0.01 * time

def back(box, new, old, *, step_number):
    old[...] = 0.3 * new.at(y=-1) + 0.6 * new.at(y=0) + step_number % 3

def wave(strategy, threads, kernels=(there, back)):
    with lapwing.Domain((24, 40), periodic=True) as domain:
        old, new = domain.field("old"), domain.field("new")
        stages = [
            lapwing.Stage(kernels[0], [(old, ahead("y"), behind("y"))], [new]),
            lapwing.Stage(kernels[1], [(new, behind("y"))], [old]),
        ]
        step = lapwing.Step(domain, stages, strategy=strategy, threads=threads, dt=0.5)
        old.set(lambda i, j: (3 * i + 5 * j) % 7)
        step.run(9)
        assert step.report.threads == threads and step.step_number == 9
        return old[domain.box].tobytes()
"""


@several
def test_threads_have_the_bits_of_one(run_on_ranks: RunOnRanks) -> None:
    """Kernels find the number and the time of their own step, whatever thread runs them."""
    program = (
        WAVE
        + """
one = wave("blocking", 1)
for strategy in ("blocking", "dataflow", "tiled:4", "deep:3+tiled:3"):
    assert one == wave(strategy, 2), strategy
print("same bits")
"""
    )
    done = run_on_ranks(2, program)
    assert done.stdout.split("\n").count("same bits") == 2
    assert done.stdout.count("the kernels of stages there, back hold Python's lock") == 4  # rank 0


@several
def test_what_a_kernel_raises_in_a_thread_is_raised() -> None:
    calls = []

    def kernel(box: Any, old: Any, new: Any) -> None:
        calls.append(box)
        new[...] = old
        if len(calls) > 3:
            raise ZeroDivisionError("in a thread")

    with lapwing.Domain((8, 40)) as domain:
        old, new = domain.field("old"), domain.field("new")
        step = lapwing.Step(domain, [lapwing.Stage(kernel, [old], [new])], threads=2)
        step.run(1)
        assert len(calls) == 2  # a part for each thread
        with pytest.raises(ZeroDivisionError) as problem:
            step.run(3)
        assert any("in stage kernel of step 2" in note for note in problem.value.__notes__)


@several
def test_a_kernel_may_write_its_own_fields_only_in_each_thread() -> None:
    with lapwing.Domain((8, 40)) as domain:
        old, new, other = (domain.field(name) for name in ("old", "new", "other"))

        def kernel(box: Any, old: Any, new: Any) -> None:
            new[...] = old
            other.set(lambda i, j: 0.0 * i)

        step = lapwing.Step(domain, [lapwing.Stage(kernel, [old], [new])], threads=2)
        with pytest.raises(UserError, match="field other, written within stage kernel"):
            step.run(1)


@pytest.mark.parametrize(
    ("threads", "words"),
    [
        (CORES + 1, f"threads of a rank: got {CORES + 1}; expected 1 to {CORES}"),
        (0, "threads of a rank: got 0; expected 1 to"),
        (1.5, "threads of a rank: got 1.5; expected a whole number"),
    ],
)
def test_threads_that_cannot_be_are_refused(threads: Any, words: str) -> None:
    with lapwing.Domain((8, 8)) as domain:
        old, new = domain.field("old"), domain.field("new")
        stages = [lapwing.Stage(lambda box, old, new: None, [old], [new], name="none")]
        for make in (
            lambda: lapwing.Step(domain, stages, threads=threads),
            lambda: lapwing.set_threads(domain, threads),
        ):
            with pytest.raises(UserError) as problem:
                make()
            assert words in str(problem.value)


def test_a_launcher_that_binds_leaves_one_thread(run_on_ranks: RunOnRanks) -> None:
    program = """
import os, lapwing
os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
domain = lapwing.Domain((8, 8))
try:
    lapwing.set_threads(domain, 2)
except lapwing.UserError as error:
    print(error)
"""
    said = run_on_ranks(2, program).stdout.splitlines()
    assert said == 2 * [
        "rank 0: threads of a rank: got 2; expected 1 to 1, the cores that the launcher gave rank "
        "0; use fewer threads, or let the launcher give a rank more cores (srun --cpus-per-task, "
        "mpiexec --bind-to none)"
    ]


def test_compiled_kernels_hold_no_lock_where_they_say_so() -> None:
    numba = pytest.importorskip("numba", reason="Numba is not installed: `make numba`")

    def kernel(box: Any) -> None:
        """Do nothing."""

    assert holds_lock(kernel)
    assert holds_lock(numba.njit(kernel))
    assert not holds_lock(numba.njit(nogil=True)(kernel))


@pytest.mark.parametrize(
    ("asked", "given", "threads", "words"),
    [
        (0, "", 1, ""),
        (0, "1", 1, ""),
        (0, "4", 4, "OMP_NUM_THREADS=4: 4 threads in each rank"),
        (0, "5", 1, "more than 8 cores have room for with 2 ranks: one thread in each"),
        (0, "4,2", 1, ""),  # of nested regions
        (2, "4", 2, ""),
        (1, "4", 1, ""),
    ],
)
def test_openmp_says_how_many_where_the_case_does_not(
    asked: int, given: str, threads: int, words: str
) -> None:
    domain: Any = SimpleNamespace(node=SimpleNamespace(ranks=2, cores=8))
    number, told = threads_of(domain, asked, {"OMP_NUM_THREADS": given} if given else {})
    assert number == threads
    assert words in told
    assert bool(words) == bool(told)
