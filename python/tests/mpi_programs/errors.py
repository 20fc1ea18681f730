"""Mistakes of one rank are errors on all. Run by test_domain.py on 1 to 4 ranks."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from lapwing import (
    Corners,
    Direction,
    Domain,
    Exchange,
    Extent,
    Grid,
    UserError,
    block_partition,
)
from lapwing.core.mpi_runtime import start

world = start().COMM_WORLD
last = world.rank == world.size - 1
CULPRIT = f"rank {world.size - 1}"


def all_raise(call: Callable[[], object], *texts: str) -> None:
    """Every rank gets a UserError with all of the texts."""
    try:
        call()
    except UserError as error:
        problem = "" if all(text in str(error) for text in texts) else f"{texts} not in: {error}"
    else:
        problem = f"no error; expected {texts}"
    problems = [p for p in world.allgather(problem) if p]
    assert not problems, problems


GRID = Grid((9, 8), True)
CUT = block_partition(GRID, ranks=world.size)

# a partition for another number of ranks, too many ranks, other partitions on other ranks
all_raise(
    lambda: Domain(block_partition(GRID, ranks=world.size + 1)),
    f"ranks of the partition: got {world.size + 1}; expected {world.size}",
)
all_raise(lambda: Domain(Grid((1, 1)) if world.size > 1 else (0, 1)), "got", "expected")
if world.size > 1:
    all_raise(lambda: Domain((9, 9) if last else (9, 8)), "partition: got", CULPRIT)
    all_raise(lambda: Domain((9, 8), periodic=last), "periodic", CULPRIT)

# arguments of one rank that are wrong before there is a partition to compare
all_raise(lambda: Domain((0 if last else 9, 8)), "grid size along x: got 0; expected at least 1")
all_raise(
    lambda: Domain((9, 8, 1, 1) if last else (9, 8)), "grid size: got 4 axes; expected 1 to 3"
)
all_raise(lambda: Domain((9.5, 8) if last else (9, 8)), "grid size: got 9.5")  # type: ignore[arg-type]
all_raise(lambda: Domain(None if last else (9, 8)), "grid size: got None")  # type: ignore[arg-type]
all_raise(lambda: Domain(GRID, periodic=last), "periodic: got True with a Grid")
all_raise(lambda: Domain((9, 8), periodic=[True] * (4 if last else 2)), "periodic: got 4 flags")
all_raise(lambda: Domain((9, 8), comm=3), "communicator: got 3; expected an mpi4py communicator")

domain = Domain(CUT)
f = domain.field("f", halo=1)

# fields that differ
if world.size > 1:
    g = domain.field("g", halo=1)
    single = domain.field("f", halo=1, dtype="float32")
    wide = domain.field("f", halo=2)
    all_raise(lambda: Exchange([g if last else f]), "fields of the exchange: got g", CULPRIT)
    all_raise(lambda: Exchange([single if last else f]), "float32", CULPRIT)
    all_raise(lambda: Exchange([wide if last else f]), "around(2)", CULPRIT)
    all_raise(lambda: Exchange([f, g] if last else [f]), "fields", CULPRIT)
    corners = Corners.ORDERED if last else Corners.DIRECT
    all_raise(lambda: Exchange([f], corners=corners), "ordered corners", CULPRIT)
    direction = Direction.ADD_BACK if last else Direction.COPY_BACK
    all_raise(lambda: Exchange([f], direction=direction), "added", CULPRIT)
all_raise(lambda: Exchange([f], transport="pigeon" if last else "p2p"), "pigeon")
h = domain.field("h", halo=1)
all_raise(lambda: Exchange([h, h if last else f]), CULPRIT, "got h twice; expected each once")
mixed: Any = [f, 3] if last else [f]
all_raise(lambda: Exchange(mixed), CULPRIT, "fields of the exchange: got 3")
other = Domain(Grid((9, 8)))
stranger = other.field("f", halo=1)
for alone in (True, False) if world.size > 1 else (False,):
    mixed = [stranger if last else f] if alone else [f, stranger if last else h]
    all_raise(partial(Exchange, mixed), CULPRIT, "9 x 8", "9 (periodic)")
other.close()

# roots that differ or are no rank
for collect in (lambda root: f.gather(root), lambda root: f.scatter(np.zeros((9, 8)), root)):
    if world.size > 1:
        all_raise(
            lambda collect=collect: collect(1 if last else 0),  # type: ignore[misc]
            f"with root 1 on {CULPRIT}; expected",
        )
    for root in (-1, world.size):
        all_raise(lambda collect=collect, root=root: collect(root), f"root: got {root}; expected")  # type: ignore[misc]
    all_raise(lambda collect=collect: collect("a"), "root: got 'a'; expected a whole number")  # type: ignore[misc]
if world.size > 1:
    all_raise(
        lambda: f.gather() if last else f.scatter(np.zeros((9, 8))),
        f"collective call: got gather of FieldSpec(f: float64, center, order xyzc, halo around(1)"
        f") with root 0 on {CULPRIT}; expected scatter",
    )
f.gather(np.int64(0))  # type: ignore[call-overload]

# scatter of what only the root has seen
for bad in (
    np.zeros((9, 9)),
    np.zeros((8, 9)),
    np.zeros((9, 8), complex),
    None,
    [[1.0], [1.0, 2.0]],
):
    all_raise(
        lambda bad=bad: f.scatter(bad if world.rank == 0 else None),  # type: ignore[misc]
        "array scattered to f: got",
        "expected float64 (9, 8)",
    )
f.scatter(np.ones((9, 8), np.float32) if world.rank == 0 else None)
assert np.all(f[domain.box] == 1)
for dtype, lossy in (("float32", "float64"), ("int32", "int64"), ("int32", "float32")):
    narrow = domain.field("narrow", dtype=dtype)
    all_raise(
        lambda narrow=narrow, lossy=lossy: narrow.scatter(np.ones((9, 8), lossy)),  # type: ignore[misc]
        f"array scattered to narrow: got {lossy} (9, 8); expected {dtype} (9, 8)",
        f"array.astype('{dtype}')",
    )

# a start before the end of the last
exchange = Exchange([f])
pending = exchange.start()
all_raise(exchange.start, "exchange of f", "start while a former start is unfinished")
pending.wait()
assert np.all(f[domain.box.grow(Extent.horizontal(1))] == 1)

# arrays that cannot be a field; local
shape = domain.box.grow(Extent.horizontal(1)).shape[:2]
read_only = np.zeros(shape)
read_only.flags.writeable = False
records = np.zeros(shape, [("a", "f8"), ("b", "f4")])
for array, text in (
    (np.zeros((shape[0] + 1, shape[1])), f"array of field a: got ({shape[0] + 1}, {shape[1]})"),
    (np.zeros(domain.box.shape[:2]), "and its halo; allocate it with room for the halo"),
    (read_only, "array of field a: got read-only"),
    (np.zeros(shape, np.float16), "got float16; expected float32, float64, int32, int64 or bool"),
    ([[0.0] * shape[1]] * shape[0], "array of field a: got list; expected arrays of NumPy"),
    (None, "array of field a: got NoneType; expected arrays of NumPy"),
    (np.zeros(shape, ">f8"), "got float64 of the other byte order"),
    (records["a"], "got strides of"),
):
    all_raise(lambda array=array: domain.wrap("a", array, halo=1), text)  # type: ignore[misc]
all_raise(lambda: domain.wrap("a", [], halo=1), "arrays of field a: got 0; expected 1")
all_raise(
    lambda: domain.wrap("a", np.zeros(shape), halo=1, dtype="float32"),
    "array of field a: got float64; expected float32",
)
all_raise(lambda: domain.field("a", halo=20), "halo of field a")
all_raise(
    lambda: domain.field("a", order="y"), "order of field a: got 'y'; expected one of x, z, c"
)
all_raise(lambda: domain.field("a", location="edge"), "location: got edge")
all_raise(lambda: domain.field("a", levels=-1), "levels of field a")
all_raise(lambda: domain.field("a", dtype="complex128"), "element type: got complex128")
all_raise(
    lambda: domain.field("a", components=3, halo=[Extent(), Extent()]), "extents of field a: got 2"
)

# what is no box, no number, no memory; local
all_raise(lambda: f[0, 0], "index of field f: got (0, 0); expected a Box")  # type: ignore[index]
all_raise(lambda: f.array(5), "box number of field f: got 5; expected 0 <= number < 1")
all_raise(lambda: f.array(-1), "box number of field f: got -1")
all_raise(lambda: domain.field("a", halo=1.5), "halo of field a: got 1.5; expected a whole number")  # type: ignore[arg-type]
all_raise(lambda: domain.field("a", components=2**40), "components of field a: got 1099511627776")
all_raise(lambda: domain.field("a", dtype="nonsense"), "element type: got 'nonsense'")
all_raise(lambda: domain.field(3), "name of a field: got 3; expected text")  # type: ignore[arg-type]
assert domain.field("a", halo=np.int64(1), levels=np.int32(2)).spec.levels == 2  # type: ignore[arg-type]

domain.close()
assert domain.closed
huge = Domain((2**30, 2**30))
all_raise(lambda: huge.field("a", halo=0, components=16), "size of field a: got boxes like")
huge.close()
all_raise(lambda: Exchange([f]), "domain: got closed; expected an open domain")
if world.size == 1:
    print("skipped: errors.py: what only several ranks can get wrong")
print(f"rank {world.rank} is content")
