"""Kept results: measuring twice, one file, and tables that are what the file says."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from lapwing.base.error import OutsideError
from lapwing_bench.kept import markdown
from lapwing_bench.kept.measuring import measure
from lapwing_bench.kept.page import Measurement, Page
from lapwing_bench.kept.pages import PAGES
from lapwing_bench.kept.results import Kept, Spread, kept

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("name", PAGES)
def test_pages_are_what_their_results_say(name: str) -> None:
    page = PAGES[name]
    text = (ROOT / page.document).read_text()
    assert page.written(text, page.kept(ROOT / "bench" / "results")) == text, (
        "`make measurement-tables` writes the page again"
    )


@pytest.mark.parametrize("name", PAGES)
def test_every_block_of_a_page_has_its_results(name: str) -> None:
    page = PAGES[name]
    results = page.kept(ROOT / "bench" / "results")
    for block, made in page.blocks.items():
        assert made(results), f"`make measurements PAGES={name}`: {block}"


@pytest.mark.parametrize("name", PAGES)
def test_measurements_have_names_of_their_page(name: str) -> None:
    names = [one.name for one in PAGES[name].measurements]
    assert len(set(names)) == len(names)
    assert all(one.startswith(f"{name}-") for one in names)


def report(*medians: float, method: str = "shared") -> dict[str, Any]:
    rows = [
        {"work": f"w{n}", "method": method, "samples": [m, m, 3 * m], "extra": {"speedup": 1 / m}}
        for n, m in enumerate(medians)
    ]
    versions = {"mpi": "MPICH Version:      5.0.2", "compiler": "g++ 12.2"}
    machine = {"processor": "a processor", "cores": 2, "usable_cores": 2}
    return {"results": rows, "machine": machine, "versions": versions}


WHEN = [{"began": f"2026-12-0{day}T10:00:00", "load": 0.0} for day in (1, 2, 3)]


@pytest.fixture
def three() -> Kept:
    """Three invocations; the last one lacks a work."""
    return kept("lapwing bench it", [report(1.0, 5.0), report(2.0, 5.0), report(4.0)], WHEN)


def test_a_file_has_what_all_invocations_have(three: Kept) -> None:
    assert three.works() == ["w0"]
    assert three.values("w0", "shared") == [1.0, 2.0, 4.0]
    assert three.values("w0", "shared", "most") == [3.0, 6.0, 12.0]
    assert three.values("w0", "shared", "speedup") == [1.0, 0.5, 0.25]
    assert three.values("w0", "p2p") == []
    assert three.spread("w0", "p2p") is None


def test_a_number_that_never_changes_is_kept_once() -> None:
    same = kept("it", [report(2.0), report(2.0)], WHEN[:2])
    assert same.document["results"][0]["extra"] == {"speedup": 0.5}
    assert same.values("w0", "shared", "speedup") == [0.5, 0.5]


def test_a_command_can_be_typed_as_it_is_shown() -> None:
    one = Measurement("tried-it", ("it", "--every", "10 min"), within=("netlab", "run"))
    assert one.shown == "lapwing netlab run -- lapwing bench it --every '10 min'"


def test_counts_keep_all_their_digits() -> None:
    rows = [{"work": "w", "method": "m", "samples": [1.0], "extra": {"a": 1673839, "b": 0.1234567}}]
    one = kept("it", [report() | {"results": rows}], WHEN[:1])
    assert one.document["results"][0]["extra"] == {"a": 1673839, "b": 0.12346}
    assert "`it`, one invocation, 1 December 2026:" in markdown.conditions(one)


def test_a_script_that_computes_the_same_is_run_once(tmp_path: Path) -> None:
    script = tmp_path / "it.py"
    script.write_text(
        "import json, sys\nprint('ran')\n"
        f"open(sys.argv[-1], 'w').write(json.dumps({report(1.0)!r}))\n"
    )
    one = Measurement("tried-it", ("--all",), script=str(script), once=True)
    (file,) = measure([one], tmp_path, 2, patience=0)
    found = Kept.read(file)
    assert found.invocations == 1
    assert found.document["command"] == f"python bench/{script} --all"


def test_numbers_and_their_spread_in_words(three: Kept) -> None:
    assert markdown.time(three, "w0", "shared", "s") == "2.00 (1.50-3.00)"
    assert markdown.spread(Spread(1.0, 1.0, 1.0)) == "1.00"
    assert markdown.spread(None) == "-"
    assert [markdown.number(n) for n in (0.0, 0.00123456, 12.3456, 1234.5, 21.0)] == [
        "0",
        "0.00123",
        "12.3",
        "1,234",
        "21.0",
    ]
    assert markdown.number(0.9996) == "1.00"
    assert markdown.share(Spread(0.5, 0.914, 1.02)) == "91 % (50-102)"
    assert markdown.share(Spread(0.914, 0.914, 0.914)) == "91 %"
    assert markdown.share(Spread(-0.05, -0.03, 0.01)) == "-3 % (-5 to 1)"
    assert markdown.share(Spread(-0.001, -0.001, -0.001)) == "0 %"
    assert markdown.share(None) == "-"
    assert markdown.between([1.5, 1.26, 1.92]) == "1.26 to 1.92"
    assert markdown.percents([0.5, 0.5]) == "50 %"
    words = markdown.conditions(three)
    assert "`lapwing bench it`, 3 invocations, 1 December 2026 and 3 December 2026" in words
    assert "MPICH 5.0.2, g++ 12.2; no other processes ready to run" in words


def page_of(made: Any) -> Page:
    return Page("tried", (Measurement("tried-it", ("it",)),), {"one": made})


TEXT = "before\n\n<!-- made one -->\n\nold\n\n<!-- end one -->\n\nbehind\n"


def test_a_block_is_made_from_results_and_the_rest_stays(three: Kept) -> None:
    page = page_of(lambda results: f"{results['it'].values('w0', 'shared')[0]}")
    assert page.written(TEXT, {"it": three}) == TEXT.replace("old", "1.0")


def test_a_block_without_results_stays() -> None:
    page = page_of(lambda results: f"{results['it']}")
    assert page.written(TEXT, {}) == TEXT


def test_a_block_that_a_page_lacks_or_does_not_know_is_named() -> None:
    page = page_of(lambda _: "")
    with pytest.raises(KeyError, match="expected each of one once"):
        page.written(TEXT.replace("one", "two"), {})
    with pytest.raises(KeyError, match="expected each of one once"):
        page.written(TEXT + TEXT, {})


@pytest.mark.ranks
def test_measuring_keeps_what_every_invocation_found(tmp_path: Path) -> None:
    arguments = ("exchange", "--ranks", "2", "--works", "2d-60", "--methods", "shared")
    one = Measurement("tried-it", (*arguments, "--samples", "2"))
    (file,) = measure([one], tmp_path / "results", 2, patience=0)
    found = Kept.read(file)
    assert found.invocations == 2
    assert len(found.values("2d-60", "shared")) == 2
    assert found.document["command"] == "lapwing bench " + " ".join((*arguments, "--samples", "2"))
    assert len(found.values("2d-60", "hand-combined", "q1")) == 2
    assert file.stat().st_size < 20_000


def test_a_benchmark_that_fails_is_told(tmp_path: Path) -> None:
    with pytest.raises(OutsideError, match="exit code 2"):
        measure([Measurement("tried-it", ("exchange", "--works", "5d"))], tmp_path, 2, 0)


def test_a_file_of_another_schema_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "old.json"
    file.write_text(json.dumps({"schema": "lapwing-bench-1", "results": []}))
    with pytest.raises(ValueError, match="expected lapwing-kept-1"):
        Kept.read(file)


def test_a_page_that_differs_from_its_results_fails_the_check(tmp_path: Path) -> None:
    page = PAGES["exchange"]
    file = tmp_path / page.document
    file.parent.mkdir(parents=True)
    file.write_text((ROOT / page.document).read_text())
    command = [sys.executable, "-m", "lapwing_bench.kept", "tables", "exchange", "--check"]
    command += ["--root", str(tmp_path)]
    assert subprocess.run(command, check=False).returncode == 0
    rows = [
        {
            "work": work,
            "method": method,
            "samples": [1e-6, 2e-6],
            "extra": {"speedup": 2.0, "limit_share": 0.5},
        }
        for work in ("2d-60", "3d-60")
        for method in ("shared", "auto", "p2p", "hand-shm", "memcpy-limit", "auto-wrapped")
    ]
    made = kept("lapwing bench exchange", [report() | {"results": rows}] * 2, WHEN[:2])
    results = tmp_path / "bench" / "results" / "exchange"
    results.mkdir(parents=True)
    (results / "exchange-rows.json").write_text(json.dumps(made.document))
    assert subprocess.run(command, check=False).returncode == 1
    assert subprocess.run(command[:-3] + command[-2:], check=False).returncode == 0
    assert subprocess.run(command, check=False).returncode == 0
    assert "| `2d-60` | 1.50, `hand-shm` | 1.50; 2.00 |" in file.read_text()
