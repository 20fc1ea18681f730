"""`a.at(x=+1)` and slices of the same stages: the same bits, and errors beyond the declaration."""

from typing import Any

import lapwing
import numpy as np
import pytest
from lapwing import ahead, around, behind, cross


def fields_on(domain: lapwing.Domain) -> list[lapwing.Field]:
    u, v = domain.field("u"), domain.field("v", levels=3, order="z")
    return [u, v, domain.field("w", components=2), domain.field("mean", levels=3)]


def fill(domain: lapwing.Domain, u: Any, v: Any, w: Any, mean: Any) -> None:
    u.set(lambda i, j: np.sin(1.0 + i * 0.7 + j * j * 0.3))
    v.set(lambda i, j, k: np.cos(i + 0.1 * j * k))
    for box in domain.boxes:
        i, j = np.arange(box.lo[0], box.hi[0]), np.arange(box.lo[1], box.hi[1])
        w[box] = np.sin(i[:, None, None] + 0.3 * j[:, None] + np.arange(2.0))


def stage_of(kernel: Any, u: Any, v: Any, w: Any, mean: Any) -> lapwing.Stage:
    reads = [(u, ahead("x"), behind("y", 2)), (v, cross(1)), (w, around(1)), (mean, 0)]
    return lapwing.Stage(kernel, reads=reads, writes=[mean])


def by_slices(box: Any, u: Any, v: Any, w: Any, mean: Any) -> None:
    apart = u[1:, 2:] - u[:-1, 2:] + u[:-1, :-2] * u[1:, 1:-1]
    inner = v[1:-1, 1:-1] * v[2:, 1:-1] + v[1:-1, :-2]
    mean[...] = mean * 0.5 + apart[:, :, None] + inner + w[2:, 2:, :1] * w[:-2, 1:-1, 1:]


def by_names(box: Any, u: Any, v: Any, w: Any, mean: Any) -> None:
    apart = u.at(x=+1) - u.at() + u.at(y=-2) * u.at(x=+1, y=-1)
    inner = v.at() * v.at(x=+1) + v.at(y=-1)
    corner, west = w.at(x=+1, y=+1), w.at(x=-1)
    mean[...] = mean.at() * 0.5 + apart[:, :, None] + inner + corner[..., :1] * west[..., 1:]


found: list[Any] = []
for strategy in ("blocking", "dataflow", "deep:2"):
    for kernel in (by_slices, by_names):
        domain = lapwing.Domain((24, 20), periodic=(True, False))
        fields = fields_on(domain)
        step = lapwing.Step(domain, [stage_of(kernel, *fields)], strategy=strategy)
        fill(domain, *fields)
        step.run(5)
        found.append(fields[-1].gather())
        if domain.rank == 0:
            assert np.ptp(found[-1]) > 0.1
            assert found[-1].tobytes() == found[0].tobytes(), (strategy, kernel)
        domain.close()


def refused(words: list[str], **shift: int) -> None:
    said: list[str] = []  # of the last call of this kernel

    def kernel(box: Any, u: Any, v: Any, mean: Any) -> None:
        said.clear()
        for name, a in (("u", u), ("v", v), ("mean", mean)):
            try:
                a.at(**shift)
            except lapwing.UserError as problem:
                said.append(f"{name}: {problem}")
        assert u.at().base is not None
        assert not u.at(x=+1).flags.writeable
        assert type(u.at()) is np.ndarray
        assert type(u + 1) is np.ndarray
        assert type(np.sqrt(abs(u))) is np.ndarray
        assert isinstance(u.sum(), float)
        assert mean.at().flags.writeable
        with pytest.raises(lapwing.UserError, match="a part of it"):
            u[1:].at()

    domain = lapwing.Domain((12, 10))
    u, v, mean = domain.field("u"), domain.field("v", levels=3), domain.field("mean")
    reads = [(u, ahead("x"), behind("y")), (v, cross(1))]
    lapwing.Step(domain, [lapwing.Stage(kernel, reads=reads, writes=[mean])]).run()
    assert len(said) == len(words), said
    for text, word in zip(said, words, strict=True):
        assert word in text, (word, said)
    domain.close()


refused(["u: field u at(x=-1): got cells", "mean"], x=-1)
refused(["at most Extent(ahead(x), behind(y))", "mean"], y=1)
refused(["v: field v at(x=+1, y=-1)", "mean"], x=1, y=-1)  # a cross has no corners
refused(["u", "v: field v at(z=+1)", "mean"], z=1)
print("the same bits")
