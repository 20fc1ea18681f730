"""`lapwing bench pack` with three samples: complete, and consistent in itself."""

import json
from pathlib import Path

import pytest
from lapwing_lab import _core
from lapwing_lab.bench.measure.report import write
from lapwing_lab.bench.pack import benchmark as pack

WORKS = _core.pack_works()


@pytest.mark.parametrize("work", WORKS)
def test_memcpy_pack_and_unpack_are_measured(work: str) -> None:
    results = pack.measure(work, 3)
    assert [result.method for result in results] == ["memcpy", "pack", "unpack"]
    for result in results:
        assert len(result.samples) == 3
        rate = result.extra["bytes"] / result.median / 1e9
        assert result.extra["gigabytes_per_second"] == pytest.approx(rate)
    assert results[0].extra["memcpy_share"] == 1


def test_bytes_are_those_of_the_pieces() -> None:
    by_work = {work: pack.measure(work, 1)[0].extra["bytes"] for work in WORKS}
    assert by_work["columns-2"] == 8 * 2 * 2 * 60 * 60
    assert by_work["columns-levels-fastest"] == by_work["columns-2"]
    assert by_work["contiguous"] == by_work["row-and-corners"] == 8 * 2 * 64 * 60


def test_an_unknown_work_is_named() -> None:
    with pytest.raises(ValueError, match="no work of bench pack: elsewhere"):
        _core.time_pack("elsewhere", 1)


def test_file_follows_the_schema(tmp_path: Path) -> None:
    write(tmp_path / "pack.json", pack.measure("cells", 3))
    document = json.loads((tmp_path / "pack.json").read_text())
    assert document["schema"] == "lapwing-bench-1"
    assert {row["method"] for row in document["results"]} == {"memcpy", "pack", "unpack"}
