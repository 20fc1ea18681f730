"""Arrays that come and go, in Python. Run by test_array_exchange.py on 1 to 4 ranks."""

import logging
from collections.abc import Callable
from typing import Any, Literal

import numpy as np
import pytest
from lapwing import ArrayExchange, Domain, Extent, FieldSpec, UserError
from lapwing.core.mpi_runtime import start
from numpy.typing import DTypeLike, NDArray

world = start().COMM_WORLD
WIDTH = 2

domain = Domain((12, 10), periodic=True)
nx, ny = domain.box.shape[:2]
lo = domain.box.lo


def expected(width: int = WIDTH, factor: int = 1) -> NDArray[np.float64]:
    """Cells of the box and `width` more on each side: each holds its owner's coordinates."""
    i = np.arange(lo[0] - width, lo[0] + nx + width) % 12
    j = np.arange(lo[1] - width, lo[1] + ny + width) % 10
    return np.asarray(factor * (1.0 + np.add.outer(i, 100.0 * j)))


def owned_only(
    width: int = WIDTH,
    factor: int = 1,
    order: Literal["C", "F"] = "C",
    dtype: DTypeLike = np.float64,
) -> NDArray[Any]:
    """The same with nothing in the halo."""
    array = np.zeros((nx + 2 * width, ny + 2 * width), dtype, order=order)
    inside = (slice(width, -width),) * 2
    array[inside] = expected(width, factor)[inside]
    return array


halos = ArrayExchange(domain, "u", "v", halo=WIDTH, transport="p2p")
assert halos.transport == "p2p"
assert len(halos.plan.fields) == 2
assert "u" in repr(halos)

# other memory each time, in C order, Fortran order, backwards, as every other value of a larger one
for n in range(5):
    u, v = owned_only(factor=n + 1), owned_only(factor=2, order="F")
    halos.run(u, v)
    assert np.array_equal(u, expected(factor=n + 1))
    assert np.array_equal(v, expected(factor=2))
backwards = np.ascontiguousarray(owned_only()[::-1, ::-1])[::-1, ::-1]
sparse = np.zeros((2 * (nx + 4), 3 * (ny + 4)))[::2, ::3]
sparse[...] = owned_only()
moving = halos.start(backwards, sparse)
moving.wait()
assert np.array_equal(backwards, expected())
assert np.array_equal(sparse, expected())

# several types, levels and components, each with a description of its own
specs = [
    FieldSpec("a", "float32", [Extent((1, 1, 0), (1, 1, 0))]),
    FieldSpec("b", "int64", [Extent((2, 2, 0), (2, 2, 0))], 3, 2),
]
mixed = ArrayExchange(domain, *specs)
a = owned_only(1, dtype=np.float32)
b = np.zeros((nx + 4, ny + 4, 3, 2), np.int64)
b[...] = owned_only()[:, :, None, None]
mixed.run(a, b)
assert np.array_equal(a, expected(1))
assert np.array_equal(b, np.broadcast_to(expected()[:, :, None, None], b.shape))

# copies, for arrays that must not be written
frozen = owned_only()
frozen.flags.writeable = False
one, two = halos.filled(frozen, owned_only(factor=3))
assert np.array_equal(one, expected())
assert np.array_equal(two, expected(factor=3))
assert not np.array_equal(frozen, one) or domain.ranks == 0
single = ArrayExchange(domain, "u", halo=WIDTH)
assert np.array_equal(single.filled(frozen), expected())

# what is wrong is told before anything is sent, on this rank
good = owned_only()
for arrays, words in (
    ((good,), "arrays of the exchange: got 1; expected 2, one for each of u, v"),
    ((good, frozen), "array of field v: got one that must not be written"),
    ((good[1:], good), r"array of field u: got \("),
    ((good, good.astype(np.float32)), "array of field v: got another type"),
    ((good, good.astype(">f8")), "array of field v: got values >f8"),
    ((good, [1.0]), "array of field v: got list"),
    ((good, good + 1j), "array of field v: got another type"),
):
    with pytest.raises(UserError, match=words):
        halos.run(*arrays)
    with pytest.raises(UserError, match="got"):
        halos.start(*arrays)
moving = halos.start(good, owned_only())
if domain.ranks > 1:
    with pytest.raises(UserError, match="former start"):
        halos.run(good, owned_only())
moving.wait()
assert np.array_equal(good, expected())

# what ranks agree on is told on all of them
both: Any = "both"
wrongs: tuple[tuple[Callable[[], object], str], ...] = (
    (lambda: ArrayExchange(domain), "fields of the exchange: got none"),
    (lambda: ArrayExchange(domain, "u", transport="direct"), "transport: got direct"),
    (lambda: ArrayExchange(domain, "u", transport="pigeon"), "pigeon"),
    (lambda: ArrayExchange(domain, "u", corners=both), "corners of the exchange"),
    (lambda: ArrayExchange(domain, "u", order="w"), "order of field u"),
    (lambda: ArrayExchange(domain, f"u{world.rank}"), "fields of the exchange"),
)
for wrong, words in wrongs:
    if domain.ranks == 1 and words == "fields of the exchange":
        wrong()  # one rank agrees with itself
        continue
    with pytest.raises(UserError, match=words):
        wrong()


# what the library logs
class Kept(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        lines.append(record.getMessage())


lines: list[str] = []
log = logging.getLogger("lapwing")
log.addHandler(Kept())
log.setLevel(logging.DEBUG)
ArrayExchange(domain, "logged", transport="p2p")
assert any("logged" in line and f"rank {world.rank}" in line for line in lines)

domain.close()
print(f"rank {world.rank} is content")
