"""Mistakes in stages are errors on all ranks. Run by test_step.py on 1 to 4 ranks."""

from collections.abc import Callable
from typing import Any

import numpy as np
from lapwing import Box, Domain, Extent, Reduction, Stage, Step, UserError
from lapwing.core.mpi_runtime import start

world = start().COMM_WORLD
last = world.rank == world.size - 1


def all_raise(call: Callable[[], object], *texts: str) -> None:
    """Every rank gets a UserError with all of the texts, and the four parts of an error."""
    try:
        call()
    except UserError as error:
        parts = (*texts, ": got ", "; expected ")
        problem = "" if all(part in str(error) for part in parts) else f"{texts} not in: {error}"
    else:
        problem = f"no error; expected {texts}"
    problems = [p for p in world.allgather(problem) if p]
    assert not problems, problems


def kernel(box: Box, *arrays: Any) -> None:
    raise AssertionError("never called")


domain = Domain((12, 11), periodic=True)
heat, new = domain.field("heat", halo=2), domain.field("new", halo=1)
good = Stage(kernel, reads=[(heat, 1)], writes=[new])
Step(domain, [good])


def step(bad: Any, **options: Any) -> Callable[[], object]:
    """A step that is wrong on the last rank only."""
    return lambda: Step(domain, [bad if last else good], **options)


def stage(**parts: Any) -> Stage:
    return Stage(**{"kernel": kernel, "reads": [(heat, 1)], "writes": [new], "name": "s", **parts})


all_raise(
    step(stage(reads=[(heat, 3)])), "extent of field heat in stage s", "around(3)", "around(2)"
)
all_raise(step(stage(reads=[(heat, Extent((0, 0, 0), (3, 0, 0)))])), "pass halo=3")
all_raise(step(stage(reads=[(heat, -1)])), "extent of field heat in stage s: got -1")
all_raise(step(stage(reads=[(heat, 1.5)])), "extent of field heat in stage s: got 1.5")
all_raise(step(stage(repeats=1)), "stage s", "1 stages to repeat, without a reduction")
all_raise(step(stage(rim=-1)), "rim of stage s: got -1")
all_raise(step(stage(reduction="maximum")), "reduction of stage s: got 'maximum'")
all_raise(lambda: Reduction("mean"), "kind of the reduction: got 'mean'")
all_raise(step(stage(writes=[heat])), "field heat read with", "written in place", "another field")
all_raise(
    step(stage(kernel=lambda box, new, heat: None)),
    "kernel of stage s: got the fields in the order new, heat",
    "by position: heat, new",
)
all_raise(step(stage(kernel=3)), "kernel of stage s: got 3", "pass the function itself")
all_raise(step(stage(kernel=kernel, reads=heat)), "reads of stage s: got field heat", "brackets")
all_raise(step(stage(writes=new)), "writes of stage s: got field new", "brackets")
all_raise(step(stage(reads=["heat"])), "reads of stage s: got 'heat'")
all_raise(step(stage(writes=[None])), "writes of stage s: got None")
all_raise(step(stage(reads=[(heat, 1), heat])), "field heat twice")
all_raise(step(stage(updates=[new, new])), "updates of stage s", "field new twice")
all_raise(step(stage(reads=[(heat, 1)], updates=[heat])), "updates of stage s", "field heat twice")
all_raise(step(stage(updates=[new], writes=[new])), "writes of stage s", "field new twice")
all_raise(step(stage(writes=[new, new])), "writes of stage s", "field new twice")
all_raise(step(Stage(lambda box: None, name="idle")), "fields of stage idle", "none")
all_raise(step(stage(on=(0, 4))), "region of stage s: got (0, 4)")
all_raise(lambda: Step(domain, [good, [good]]), "stage of the step: got [Stage(")  # type: ignore[arg-type]

# a cycle that no order of loops can run: from the third stage into the loop of the first two
least = Reduction("minimum")
loop = stage(reduction=least, repeats=2)
all_raise(
    lambda: Step(domain, [good, loop, stage(name="t", reduction=least, repeats=2 if last else 0)]),
    "stage t: got 2 stages to repeat, from within the loop of stage s",
)
all_raise(step(stage(reduction=least, repeats=2)), "stage s: got 2 stages to repeat")

all_raise(step("stage"), "stage of the step: got 'stage'")
all_raise(step(kernel), "stage of the step: got", "Stage(kernel)")
all_raise(step(good, strategy=4), "strategy: got 4")
all_raise(lambda: Step(domain, []), "no stages")
all_raise(lambda: Step(domain, [[]]), "no stages")
all_raise(lambda: Step(domain, 7), "stage of the step: got 7")  # type: ignore[arg-type]
all_raise(lambda: Step(domain, [good], strategy="blokcing"), "strategy: got blokcing", "blocking")
all_raise(lambda: Step(domain, [good], transport="pigeons"), "pigeons")
all_raise(lambda: Step(3, [good]), "domain of the step: got 3")  # type: ignore[arg-type]

other = Domain((12, 11), periodic=True)
stranger = other.field("heat", halo=2)
all_raise(step(stage(reads=[(stranger, 1)])), "field heat of stage s", "another domain")
all_raise(step(stage(writes=[stranger])), "field heat of stage s", "another domain")
other.close()

# what differs between ranks, each being right by itself
if world.size > 1:
    all_raise(step(stage(reads=[(heat, 2)])), "schedule of the step", f"rank {world.size - 1}")
    all_raise(lambda: Step(domain, [good] * (2 if last else 1)), "schedule of the step")

# an array that another one took the memory of, on the last rank
owned = domain.box
array = np.zeros([size + 2 for size in owned.shape[:2]])
moved = Step(
    domain,
    [Stage(lambda box, *arrays: None, reads=[(domain.wrap("mine", array), 1)], writes=[new])],
)
moved.run(1)
if last:
    array.resize([64 * size for size in array.shape], refcheck=False)
all_raise(lambda: moved.run(1), "array of field mine", "memory that has moved")

fine = Step(domain, [Stage(lambda box, *arrays: None, reads=[(heat, 1)], writes=[new])])
all_raise(lambda: fine.run(-1), "steps to run: got -1")
all_raise(lambda: fine.run("two"), "steps to run: got 'two'")  # type: ignore[arg-type]
all_raise(lambda: setattr(fine, "position", 1), "position of the step: got 1")
fine.run(3)
assert fine.report.times.steps == 3
domain.close()
if world.size == 1:
    print("skipped: step_errors.py: what only several ranks can get wrong")
print(f"rank {world.rank} is content")
