"""Separate waters of a mask, which are counted in strips."""

import numpy as np
import pytest
from lapwing.partition import waters
from lapwing.partition.waters import Waters, waters_of
from scipy.ndimage import label


@pytest.mark.parametrize("strip", [1, 50, 400])
def test_strips_give_the_waters_of_the_whole(strip: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Snakes and ponds cross the ends of strips, and come back."""
    monkeypatch.setattr(waters, "_STRIP", strip)
    random = np.random.default_rng(5)
    for share in (0.3, 0.5, 0.6, 0.7, 1.0):
        wet = random.random((23, 31)) < share
        found, count = label(wet)
        assert waters_of(wet) == Waters(count, int(np.bincount(found[wet]).max()))


def test_corners_do_not_join_waters() -> None:
    assert waters_of(np.eye(3, dtype=np.bool_)) == Waters(3, 1)


def test_large_masks_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(waters, "MOST", 8)
    assert waters_of(np.ones((3, 3), dtype=np.bool_)) is None


def test_what_a_table_says() -> None:
    assert Waters(1, 20).text(20) == "one body of water"
    assert Waters(1506, 91).text(100).startswith("1,506 separate waters, the largest holds 91 % of")
