"""Kept results: measuring twice, one file, and tables that are what the file says."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from lapwing.base.error import OutsideError, UserError
from lapwing_lab.bench.kept import tables as made
from lapwing_lab.bench.kept.measuring import Measurement, group_of, measure, measurements
from lapwing_lab.bench.kept.results import WITHOUT_SAMPLES, Kept, Spread, kept, read, write
from lapwing_lab.bench.kept.tables import BLOCK, Tables, conditions, pages

ROOT = Path(__file__).parents[3]


def test_tables_of_pages_are_what_their_results_say() -> None:
    tables = Tables(ROOT)
    for file, text in pages(ROOT).items():
        assert tables.written(text) == text, f"{file.name}: `make measurement-tables`"


def test_every_table_is_on_a_page_once_and_without_gaps() -> None:
    shown = [one["name"] for text in pages(ROOT).values() for one in BLOCK.finditer(text)]
    assert sorted(shown) == sorted(Tables(ROOT).tables)
    for name in shown:
        block = Tables(ROOT).written(f"<!-- table {name} -->\n<!-- end -->")
        cells = [cell.strip() for row in block.split("\n| ")[3:] for cell in row.split("|")]
        assert cells.count("-") <= 2, f"{name}: cells without a number"


GROUPS = sorted(measurements(ROOT))


def kept_results(group: str) -> dict[str, Kept]:
    return read(ROOT / "lab" / "results" / f"{group}.json")


@pytest.mark.parametrize("group", GROUPS)
def test_every_measurement_has_its_results_and_the_reverse(group: str) -> None:
    assert [one.name for one in measurements(ROOT)[group]] == list(kept_results(group))


@pytest.mark.parametrize("group", GROUPS)
def test_every_kept_result_with_samples_names_its_commit(group: str) -> None:
    for found in kept_results(group).values():
        known = found.document["commit"] != "unknown"
        assert known or found.document["schema"] == WITHOUT_SAMPLES


@pytest.mark.parametrize("group", GROUPS)
def test_no_kept_exchange_is_negative_or_nothing(group: str) -> None:
    for found in kept_results(group).values():  # refuses what is below 0
        for work in found.works() if group == "exchange" else ():
            for method in found.methods(work):
                assert min(found.values(work, method, "least")) > 0


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
    return kept("lapwing bench it", [report(1.0, 5.0), report(2.0, 5.0), report(4.0)], WHEN, "abc")


def test_a_file_has_what_all_invocations_have_with_all_samples(three: Kept) -> None:
    assert three.works() == ["w0"]
    assert three.document["commit"] == "abc"
    assert three.document["results"][0]["samples"] == [[1, 1, 3], [2, 2, 6], [4, 4, 12]]
    assert three.values("w0", "shared") == [1.0, 2.0, 4.0]
    assert three.values("w0", "shared", "most") == [3.0, 6.0, 12.0]
    assert three.values("w0", "shared", "speedup") == [1.0, 0.5, 0.25]
    assert three.values("w0", "p2p") == []
    assert three.spread("w0", "p2p") is None


def test_a_number_that_never_changes_is_kept_once() -> None:
    same = kept("it", [report(2.0), report(2.0)], WHEN[:2])
    assert same.document["results"][0]["extra"] == {"speedup": 0.5}
    assert same.values("w0", "shared", "speedup") == [0.5, 0.5]


def test_counts_keep_all_their_digits() -> None:
    rows = [{"work": "w", "method": "m", "samples": [1.0], "extra": {"a": 1673839, "b": 0.1234567}}]
    one = kept("it", [report() | {"results": rows}], WHEN[:1])
    assert one.document["results"][0]["extra"] == {"a": 1673839, "b": 0.12346}
    assert "`it`, once, 1 December 2026:" in conditions(one)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"schema": "lapwing-bench-1"}, "expected lapwing-kept-2"),
        ({"results": [{"work": "w", "method": "m", "samples": [], "extra": {}}]}, "no samples"),
        ({"results": [{"work": "w", "method": "m", "samples": [[]], "extra": {}}]}, "no samples"),
        ({"results": [{"work": "w", "method": "m", "least": [-1e-6]}]}, "a sample of -1e-06 s"),
    ],
)
def test_a_file_that_cannot_be_right_says_what_to_do(
    tmp_path: Path, change: dict[str, Any], words: str
) -> None:
    file = tmp_path / "old.json"
    file.write_text(json.dumps({"it": {"schema": "lapwing-kept-2", "results": []} | change}))
    with pytest.raises(UserError, match=f"old.json, it.*{words}.*make measurements") as refused:
        read(file)
    assert "\n" not in str(refused.value)


def test_numbers_and_their_spread(three: Kept) -> None:
    assert made.spread(Spread(1.0, 1.0, 1.0)) == "1.00"
    assert made.spread(Spread(-0.05, -0.03, 0.01)) == "-0.0300 (-0.0500 to 0.0100)"
    assert made.spread(None) == "-"
    assert [made.number(n) for n in (0.0, 0.00123456, 12.3456, 1234.5, 0.9996)] == [
        *("0", "0.00123", "12.3", "1,234", "1.00")
    ]
    words = " ".join(conditions(three).split())
    assert "`lapwing bench it`, 3 invocations, 1 December 2026 and 3 December 2026" in words
    assert words.endswith("MPICH 5.0.2, commit abc.")


# ---- tables

DESCRIPTION = """
[measure.tried]
it = { run = "lapwing bench it" }

[table.one]
from = "tried/it"
rows = "methods"
headings = ["method"]
labels = ["`{method}`"]
columns = [
  { each = "works", heading = "{work}, ms", show = "{time:ms!}; {speedup}" },
  { each = "works", heading = "by hand", fastest = ["hand-*"], show = "{time:s}, METHOD" },
  { heading = "hand over shared", work = "w0", ratio = ["hand-b", "shared"] },
]
"""
PAGE = "before\n\n<!-- table one -->\n\nold\n\n<!-- end -->\n\nbehind\n"


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """Sources with one description, one file of results and one page."""
    for folder in ("lab/results", "docs/measurements"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "lab/kept.toml").write_text(DESCRIPTION)
    (tmp_path / "docs" / "measurements" / "page.md").write_text(PAGE)
    methods = {"shared": 1.0, "hand-a": 3.0, "hand-b": 2.0}
    rows = [r for m, t in methods.items() for r in report(t, t / 4, method=m)["results"]]
    found = kept("lapwing bench it", [report() | {"results": rows}] * 2, WHEN[:2], "abc")
    write(tmp_path / "lab/results/tried.json", "it", found)
    return tmp_path


def test_a_table_is_made_and_the_rest_of_the_page_stays(tree: Path) -> None:
    text = Tables(tree).written(PAGE)
    assert text.startswith("before\n\n<!-- table one -->\n\n`lapwing bench it`, 2 invocations")
    assert text.endswith("\n\n<!-- end -->\n\nbehind\n")
    assert "| method | w0, ms | by hand | w1, ms | by hand | hand over shared |" in text
    hand = "2.00, `hand-b`"
    row = f"| `shared` | 1,000; 1.00 | {hand} | 250; 4.00 | 0.500, `hand-b` | 2.00 |"
    assert row in text


COUNTED = """
[table.cuts]
from = "tried/cuts"
conditions = []
rows = "both"
headings = ["ranks", "method"]
labels = ["{size}", "{method}"]
columns = [
  { heading = "blocks", show = "{x:n}x{y:n}", missing = "" },
  { heading = "halo", show = "{on+off:n}" },
  { heading = "cost", show = "{cost:.2~}" },
  { heading = "over blocks", ratio = ["section", "block"], of = "on+off", as = "change" },
  { heading = "of blocks", ratio = ["section", "block"], of = "cost", as = "share" },
]
"""


def test_counts_have_sums_ranges_and_ratios(tree: Path) -> None:
    def row(method: str, **extra: float) -> dict[str, Any]:
        return {"work": "sea@60", "method": method, "samples": [1.0], "extra": extra}

    rows = [
        row("block", x=8, y=7, on=1000, off=24, cost=2.0, cost_least=2.0, cost_most=2.0),
        row("section", on=500, off=12, cost=1.5, cost_least=1.25, cost_most=1.75),
    ]
    found = kept("it", [report() | {"results": rows}], WHEN[:1], "abc")
    write(tree / "lab/results/tried.json", "cuts", found)
    (tree / "lab/kept.toml").write_text(DESCRIPTION + COUNTED)
    lines = Tables(tree).written("<!-- table cuts -->\n<!-- end -->").splitlines()
    assert lines[4] == "| 60 | block | 8x7 | 1,024 | 2.00 | -50 % | 75 % |"
    assert lines[5] == "| 60 | section |  | 512 | 1.50 (1.25-1.75) | -50 % | 75 % |"


def test_a_page_that_differs_from_its_results_fails_the_check(tree: Path) -> None:
    def run(*words: str) -> int:
        command = [sys.executable, "-m", "lapwing_lab.bench.kept", "tables", "--root", str(tree)]
        return subprocess.run([*command, *words], check=False).returncode

    assert [run("--check"), run(), run("--check")] == [1, 0, 0]
    file = tree / "lab/results/tried.json"
    file.write_text(file.read_text().replace("0.25", "0.26"))
    assert run("--check") == 1


def test_unknown_tables_and_missing_results_are_named(tree: Path) -> None:
    with pytest.raises(UserError, match=r"got two; expected one of one; describe it in lab"):
        Tables(tree).written(PAGE.replace("one", "two"))
    (tree / "lab/results/tried.json").unlink()
    with pytest.raises(UserError, match="make measurements PAGES=tried"):
        Tables(tree).written(PAGE)


# ---- measuring


def test_groups_are_known_by_name() -> None:
    found = measurements(ROOT)
    names = [one.name for one in group_of(found, "zones")]
    assert names == ["shapes", "predicted-tiles", "cases", "coast"]
    with pytest.raises(UserError, match=r"PAGES: got zone; expected some of exchange"):
        group_of(found, "zone")


def test_a_command_runs_the_programs_of_its_environment() -> None:
    run = "lapwing netlab run -- lapwing bench it --every '10 min'"
    command = Measurement("tried", "it", run).command(Path("f.json"))
    lapwing = str(Path(sys.prefix, "bin", "lapwing"))
    assert command == [
        *(lapwing, "netlab", "run", "--", lapwing, "bench", "it", "--every", "10 min"),
        *("--json", "f.json"),
    ]


def test_a_script_that_computes_the_same_is_run_once(tmp_path: Path) -> None:
    script = tmp_path / "it.py"
    script.write_text(
        "import json, sys\nprint('ran')\n"
        f"open(sys.argv[-1], 'w').write(json.dumps({report(1.0)!r}))\n"
    )
    one = Measurement("tried", "it", f"python {script} --all", once=True)
    (file,) = measure([one], tmp_path, 2, patience=0)
    found = read(file)["it"]
    assert found.invocations == 1
    assert found.document["command"] == f"python {script} --all"


@pytest.mark.ranks
def test_measuring_keeps_what_every_invocation_found(tmp_path: Path) -> None:
    run = "lapwing bench zoning --ranks 2 --works 24x40x60@levels --methods dataflow --samples 2"
    (file,) = measure([Measurement("tried", "it", run)], tmp_path / "results", 2, patience=0)
    found = read(file)["it"]
    assert found.invocations == 2
    assert found.document["command"] == run
    assert len(found.document["commit"].split()[0]) == 12
    for row in found.document["results"]:
        assert len(row["samples"]) == 2


def test_a_benchmark_that_fails_is_told(tmp_path: Path) -> None:
    with pytest.raises(OutsideError, match="exit code 2"):
        measure([Measurement("tried", "it", "lapwing bench exchange --works 5d")], tmp_path, 2, 0)
