"""Pictures: that they appear, and the numbers behind them. How they look was judged by eye."""

from pathlib import Path

import numpy as np
import pytest
from lapwing.core.partition import Box, Grid, Mask, Partition, Subdomain, block_partition, trimmed
from lapwing.model import Axis, Geometry
from lapwing.run.partition_colours import PartitionPicture
from lapwing.run.plot import (
    Words,
    _borders,
    _colour_range,
    _heights_at_edges,
    draw_map,
    draw_partition,
    draw_section,
)
from matplotlib import image


@pytest.fixture(params=["m", "degrees"])
def geometry(request: pytest.FixtureRequest) -> Geometry:
    nx, ny = 12, 8
    wet = np.ones((nx, ny), dtype=bool)
    wet[:4, :3] = False
    if request.param == "m":
        x = Axis(2000.0 * np.arange(float(nx)), "m", "x")
        y = Axis(2000.0 * np.arange(float(ny)), "m", "y")
    else:
        x = Axis(
            np.linspace(-1.0, 1.0, nx).astype(np.float64), "degrees_east", "longitude", "longitude"
        )
        y = Axis(
            np.linspace(60.0, 61.2, ny).astype(np.float64), "degrees_north", "latitude", "latitude"
        )
    return Geometry(Grid((nx, ny)), wet, x, y)


def test_pictures_are_complete_and_repeatable(tmp_path: Path, geometry: Geometry) -> None:
    values = np.random.default_rng(1).normal(size=geometry.wet.shape)
    partition = block_partition(geometry.grid, (3, 2))
    words = Words("title", "subtitle", "level (m)")
    for name in ("a", "b"):
        draw_map(tmp_path / f"{name}.png", values, geometry.wet, geometry, words)
        draw_partition(tmp_path / f"{name}p.png", partition, geometry, words)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.png", "ap.png", "b.png", "bp.png"]
    assert (tmp_path / "a.png").read_bytes() == (tmp_path / "b.png").read_bytes()
    pixels = image.imread(tmp_path / "a.png")
    assert min(pixels.shape[:2]) > 300
    # a degree of longitude is half as long as one of latitude at 60 N, so that map is narrow
    assert (pixels.shape[1] > pixels.shape[0]) == (geometry.x.units == "m")


def test_sections_and_arrows_are_drawn(tmp_path: Path, geometry: Geometry) -> None:
    """Also of a row that begins with land, and of an axis on which everything would be a line."""
    nx, ny = geometry.wet.shape
    words = Words("title " * 20, "subtitle", "level (m)")
    heights = np.linspace(-20.0, 0.0, nx)[:, None] * np.linspace(1.0, 0.0, 4)
    heights[~geometry.wet[:, 1]] = np.nan  # they are unknown on land
    values = np.where(geometry.wet[:, 1:2], heights[:, 1:], np.nan)
    draw_section(tmp_path / "section.png", values, heights, 1, geometry, words)
    speed = np.ones((nx, ny))
    arrows = (0.0 * speed, -speed)
    draw_map(tmp_path / "plain.png", speed, geometry.wet, geometry, words)
    draw_map(tmp_path / "map.png", speed, geometry.wet, geometry, words, arrows)
    still = (0.0 * speed, 0.0 * speed)
    draw_map(tmp_path / "still.png", speed, geometry.wet, geometry, words, still)
    assert (tmp_path / "still.png").read_bytes() == (tmp_path / "plain.png").read_bytes()
    assert (tmp_path / "map.png").read_bytes() != (tmp_path / "plain.png").read_bytes()
    strip = Geometry(
        geometry.grid, geometry.wet, Axis(geometry.x.values * 100, "m", "x"), geometry.y
    )
    draw_map(tmp_path / "strip.png", speed, geometry.wet, strip, words)
    for name in ("section", "map", "strip"):
        pixels = image.imread(tmp_path / f"{name}.png")
        assert min(pixels.shape[:2]) > 300
        assert max(pixels.shape[:2]) < 1500


def test_arrows_without_length_leave_no_dots(tmp_path: Path) -> None:
    """Where obstacles are, or water at rest, nothing is drawn."""
    x, y = (Axis(np.arange(16, dtype=np.float64), "1", name) for name in "xy")
    geometry = Geometry(Grid((16, 16)), np.ones((16, 16), dtype=bool), x, y)
    speed = np.where(np.arange(16)[:, None] < 8, 1.0, 0.0) * np.ones((16, 16))
    words = Words("title", "subtitle", "speed (1)")
    draw_map(tmp_path / "plain.png", speed, geometry.wet, geometry, words)
    draw_map(tmp_path / "map.png", speed, geometry.wet, geometry, words, (0.0 * speed, speed))
    plain, drawn = (image.imread(tmp_path / f"{name}.png") for name in ("plain", "map"))
    assert (plain != drawn).any()
    at_rest = (plain == plain[plain.shape[0] // 2, 3 * plain.shape[1] // 4]).all(axis=2)
    assert at_rest.mean() > 0.2
    assert (plain == drawn)[at_rest].all()


def test_bottoms_meet_between_cells_and_end_at_land() -> None:
    wet = np.array([True, True, False, True])
    heights = np.array([[-10.0, 0.0], [-20.0, 1.0], [np.nan, np.nan], [-6.0, 0.5]])
    edges = _heights_at_edges(heights, wet)
    assert edges[:, 0].tolist() == [-10.0, -15.0, -20.0, -6.0, -6.0]
    assert edges[:, 1].tolist() == [0.0, 0.5, 1.0, 0.5, 0.5]


def test_coast_runs_along_the_edges_of_cells() -> None:
    wet = np.ones((3, 3), dtype=bool)
    wet[0, 0] = False
    edges = np.arange(4.0)
    assert sorted(_borders(wet, edges, edges).tolist()) == [[[0, 1], [1, 1]], [[1, 0], [1, 1]]]


@pytest.mark.parametrize("ranks_per_node", [1, 3, 7])
def test_neighbouring_nodes_have_different_colours(ranks_per_node: int) -> None:
    wet = np.ones((60, 55), dtype=bool)
    partition = trimmed(block_partition(Grid(wet.shape), (12, 11)), Mask(wet))
    picture = PartitionPicture(partition, wet, ranks_per_node)
    colours, nodes = picture.colours(), picture.nodes
    node_colours = {}
    for node in range(nodes.max() + 1):
        seen = np.unique(colours[nodes == node].round(6), axis=0)
        assert len(seen) == 1  # all blocks have 25 cells, so no shades
        node_colours[node] = tuple(seen[0])
    for a, b in ((nodes[1:], nodes[:-1]), (nodes[:, 1:], nodes[:, :-1])):
        for one, other in np.unique(np.stack([a[a != b], b[a != b]], axis=1), axis=0):
            assert node_colours[one] != node_colours[other]


def test_the_fullest_rank_is_marked_and_others_are_paler() -> None:
    wet = np.ones((12, 4), dtype=bool)
    wet[9, 0] = False
    boxes = [Box((0, 0, 0), (8, 4, 1)), Box((8, 0, 0), (10, 4, 1))]  # last columns have no owner
    partition = Partition(Grid((12, 4)), 2, [Subdomain(n, box) for n, box in enumerate(boxes)])
    picture = PartitionPicture(partition, wet, 1)
    assert [s.rank for s in picture.fullest()] == [0]
    colours = picture.colours()
    assert colours[0, 0].min() < colours[8, 0].min() < 1
    assert np.all(colours[11] == 1)
    assert not np.array_equal(colours[9, 0], colours[9, 1])
    assert np.unique(picture.nodes).tolist() == [-1, 0, 1]


def test_a_large_mask_is_drawn_coarser_with_its_own_counts() -> None:
    wet = np.ones((4500, 60), bool)
    wet[1000:2501] = False
    wet[4000:, 31:] = False
    partition = block_partition(Grid(wet.shape), (3, 2))
    picture = PartitionPicture(partition, wet, 1)
    assert picture.wet.shape == picture.owners.shape == (2000, 60)
    assert picture.wet_cells.sum() == np.count_nonzero(wet)
    np.testing.assert_array_equal(picture.wet_cells[:2], [1000 * 30, 499 * 30])
    x = picture.lines[0]
    assert set(np.diff(x)) == {2, 3}
    assert not picture.wet[(x[:-1] >= 1000) & (x[1:] <= 2501)].any()
    assert picture.wet[x[1:] <= 1000].all()
    assert (picture.owners[x[1:] <= 1500, :30] == 0).all()
    assert (picture.owners[x[:-1] >= 3000, 30:] == 5).all()
    assert picture.colours().shape == (2000, 60, 3)


def test_colours_are_symmetric_where_values_have_both_signs() -> None:
    low, high, colours = _colour_range(np.ma.array([-0.34, 0.1]))
    assert low == -high
    assert high == pytest.approx(0.34)
    assert colours == "RdBu_r"
    assert _colour_range(np.ma.array([5.0, 9.0]))[2] == "viridis"
    assert _colour_range(np.ma.array([0.0, 0.0]))[:2] == (0.0, 1.0)
    assert _colour_range(np.ma.array([0.3, 0.3 + 1e-15]))[:2] == pytest.approx((0.0, 0.3))
    assert _colour_range(np.ma.array([0.01, 0.3]))[0] == 0.0
    assert _colour_range(np.ma.array([-2.0, -2.0]))[:2] == (-2.0, 0.0)
    assert _colour_range(np.ma.array(np.zeros(3), mask=True))[:2] == (0.0, 1.0)
