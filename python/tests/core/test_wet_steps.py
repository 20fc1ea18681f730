"""Steps of Python kernels that leave land out of computing and messages."""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from lapwing import Domain, Mask, UserError, set_land
from lapwing.core import _core

RunOnRanks = Callable[..., Any]  # the fixture in conftest.py

# a sea whose land holds another value in every cell, which kernels read across the coast
PROGRAM = textwrap.dedent(
    """
    import numpy as np
    from lapwing import Domain, Mask, Stage, Step, set_land
    from lapwing.core import _core

    wet = np.random.default_rng(3).random((24, 20)) > 0.4
    wet[:, 7:12] = False

    wet[:, 14:] = False

    def run(form):
        with Domain((24, 20), periodic=(True, False)) as domain:
            set_land(domain, None if form is None else Mask(wet), form or "off")
            assert _core.wet_messages(domain) == (form or "off")
            cells = []
            a = domain.field("a", constant_on_land=True)
            b = domain.field("b", constant_on_land=True)
            assert _core.constant_on_land(domain) == ["a", "b"]
            water = domain.field("water", dtype="int32")

            def mix(box, to, source, water):
                nx, ny, _ = box.shape
                cells.append(nx * ny)
                mean = sum(source[i : i + nx, j : j + ny] for i in (0, 2) for j in (0, 1, 2)) / 6
                to[...] = np.where(water != 0, mean + 0.1 * to, to)

            def there(box, b, a, water):
                mix(box, b, a, water)

            def back(box, a, b, water):
                mix(box, a, b, water)

            stages = [
                Stage(there, reads=[b, (a, 1), water], writes=[b]),
                Stage(back, reads=[a, (b, 1), water], writes=[a]),
            ]
            step = Step(domain, stages, transport="p2p")
            water.set(lambda i, j: wet[i, j])
            a.set(lambda i, j: np.sin(3.0 * i + 5.0 * j))
            b.set(lambda i, j: np.cos(3.0 * i - 5.0 * j))
            step.run(4)
            a.set(lambda i, j: np.where(wet[i, j], a.owned[...], 3.0 + i + 0.1 * j))
            step.run(3)
            cells.clear()
            step.run(2)
            values = [field.gather() for field in (a, b)]
            sent = domain.mpi.allreduce(step.report.volume.bytes)
            bits = None if values[0] is None else b"".join(one.tobytes() for one in values)
            return sent, domain.mpi.allreduce(sum(cells)), domain.mpi.bcast(bits)

    whole, everything, bits = run(None)
    assert everything == 4 * 24 * 20
    for form in ("off", "clip", "patches", "lists", "auto"):
        sent, computed, same = run(form)
        assert same == bits, form
        assert sent < whole or whole == 0 or form == "off", (form, sent, whole)
        assert 4 * wet.sum() <= computed < 0.8 * everything, (form, computed)
    """
)


@pytest.mark.parametrize("ranks", [1, 2, 3])
def test_python_steps_have_the_same_bits(run_on_ranks: RunOnRanks, ranks: int) -> None:
    run_on_ranks(ranks, PROGRAM)


def test_a_mask_of_another_size_and_an_unknown_form_are_refused() -> None:
    with Domain((8, 12)) as domain:
        with pytest.raises(UserError, match="mask"):
            set_land(domain, Mask(np.ones((2, 3))), "lists")
        with pytest.raises(UserError, match="form of wet messages: got holes; expected one of"):
            set_land(domain, Mask(np.ones((8, 12))), "holes")
        with pytest.raises(UserError, match="mask of the land: got none"):
            set_land(domain, None, "clip")
        with pytest.raises(UserError, match="mask of the land: got ndarray; expected a lapwi"):
            set_land(domain, np.ones((8, 12)), "clip")  # type: ignore[arg-type]
        assert _core.wet_messages(domain) == "off"
        set_land(domain, None, "off")
