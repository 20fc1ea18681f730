"""`lapwing report`: a run as one page, against the files that the run left."""

import base64
import json
import os
import shutil
import subprocess
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from answers import assert_wrong_request

# the fixtures in conftest.py
Lapwing = Callable[..., Any]
Printed = Callable[..., str]


class Page(HTMLParser):
    """The content of a page that a reader sees, and its links."""

    def __init__(self, file: Path) -> None:
        super().__init__()
        self.points_to: list[str] = []
        self.rows: list[list[str]] = []
        self.in_cell = False
        self.text = ""
        self.feed(file.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.points_to += [value or "" for name, value in attrs if name in ("src", "href")]
        if tag == "tr":
            self.rows.append([])
        self.in_cell = tag in ("td", "th", "small")
        if tag in ("td", "th"):
            self.rows[-1].append("")

    def handle_data(self, data: str) -> None:
        self.text += data
        if self.in_cell:
            self.rows[-1][-1] += data.strip()

    def handle_endtag(self, tag: str) -> None:
        self.in_cell = False

    def rows_of(self, name: str) -> list[list[str]]:
        """The rows of all tables that begin with these words."""
        return [row for row in self.rows if row and row[0] == name]


@pytest.mark.ranks
def test_a_page_has_what_the_run_left(printed: Printed, tmp_path: Path) -> None:
    printed("run", "kelvin-small", "--ranks", 2, "--out", "run", pictures=True)
    assert "run/report.html" in printed("report", "run")
    page = Page(tmp_path / "run/report.html")
    assert len(page.points_to) == 2  # sea level, partition
    assert all(where.startswith("data:image/png;base64,") for where in page.points_to)
    assert page.rows_of("sea_level")[0][1:3] == ["sea level above its undisturbed height", "m"]
    for name in ("output.nc", "restart.lapwing", "case.toml", "profile.json"):
        size = (tmp_path / "run" / name).stat().st_size
        assert page.rows_of(name)[0][1] == f"{size:,}"
    assert 'duration = "2 d"' in page.text
    assert "lapwing census run/case.toml" in page.text
    assert "lapwing timeline run/case.toml" in page.text


@pytest.mark.ranks
def test_numbers_of_a_page_are_those_of_the_profile(printed: Printed, tmp_path: Path) -> None:
    printed("run", "kelvin-small", "--ranks", 2, "--out", "run")
    printed("report", "run", "--out", "page.html")
    page = Page(tmp_path / "page.html")
    profile = json.loads((tmp_path / "run/profile.json").read_text())
    assert (profile["schema"], profile["steps"]) == ("lapwing-profile-1", 1728)
    ranks = profile["ranks"]
    for stage in ("momentum_x", "momentum_y", "continuity", "open_boundary"):
        per_step = [1e6 * rank["stages"][stage] / 1728 for rank in ranks]
        assert page.rows_of(stage)[0][1:3] == [f"{sum(per_step) / 2:,.2f}", f"{max(per_step):,.2f}"]
    # 41 rows of 8 bytes at the cut: see BY_HAND in test_census.py
    assert page.rows_of("bytes") == [["bytes", "820.0", "492.0"]]
    for rank in ranks:
        assert sum(rank["stages"].values()) == pytest.approx(rank["compute"])
        assert rank["compute"] + rank["halo_start"] + rank["halo_wait"] <= rank["stepping"]


@pytest.mark.ranks
def test_a_census_and_a_picture_come_with_it(printed: Printed, tmp_path: Path) -> None:
    printed("run", "kelvin-small", "--ranks", 2, "--out", "run")
    case = ("run/case.toml", "--ranks", 2)
    printed("census", *case, "--steps", 20, "--json", "run/census.json")
    (tmp_path / "run/timeline.png").write_bytes(b"drawn by lapwing timeline")
    printed("report", "run")
    page = Page(tmp_path / "run/report.html")
    assert [row[1:4] for row in page.rows_of("for momentum_x")] == [["0.5", "0.5", "164"]] * 2
    assert "What this page could also have" not in page.text
    drawn = (tmp_path / "run/timeline.png").read_bytes()
    assert "data:image/png;base64," + base64.b64encode(drawn).decode() in page.points_to


def test_what_is_not_there_is_named(printed: Printed, tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    (tmp_path / "run/case.toml").write_text("title = '<script>alert(1)</script>'\n")
    printed("report", "run")
    assert "<script>" not in (tmp_path / "run/report.html").read_text()
    page = Page(tmp_path / "run/report.html")
    assert "the run has not come to its end" in page.text
    assert "profile.json" in page.text


@pytest.mark.parametrize(
    ("file", "content", "words"),
    [
        ("profile.json", "{", "JSON of lapwing-profile-1"),
        ("profile.json", '{"schema": "other-1"}', "lapwing-profile-1"),
        ("profile.json", '{"schema": "lapwing-profile-1"}', "JSON of lapwing-profile-1"),
        ("profile.json", '{"schema": "lapwing-profile-1", "ranks": []}', "JSON of"),
        (
            "census.json",
            '{"schema": "lapwing-census-1", "exchanges": [{}]}',
            "JSON of lapwing-census-1",
        ),
        ("case.toml", "[", "TOML"),
        ("output.nc", "no NetCDF", "output.nc"),
    ],
)
def test_files_that_cannot_be_read_are_named(
    lapwing: Lapwing, tmp_path: Path, file: str, content: str, words: str
) -> None:
    (tmp_path / "run").mkdir()
    (tmp_path / "run/case.toml").write_text("title = 'a run'\n")
    (tmp_path / "run" / file).write_text(content)
    answer = lapwing("report", "run")
    assert_wrong_request(answer, f"run/{file}", words)
    assert not (tmp_path / "run/report.html").exists()


def test_another_folder_is_refused(lapwing: Lapwing, tmp_path: Path) -> None:
    assert_wrong_request(lapwing("report", "nowhere"), "no such folder", "lapwing run CASE")
    assert_wrong_request(lapwing("report", tmp_path), "no case.toml in it")


@pytest.mark.ranks
@pytest.mark.skipif(not shutil.which("chromium"), reason="chromium is not installed")
def test_a_browser_shows_it_without_a_network(printed: Printed, tmp_path: Path) -> None:
    printed("run", "kelvin-small", "--ranks", 2, "--out", "run", pictures=True)
    printed("report", "run")
    options = (
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--host-resolver-rules=MAP * ~NOTFOUND",
    )
    shown = subprocess.run(
        ["chromium", *options, "--dump-dom", (tmp_path / "run/report.html").as_uri()],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
        env=dict(os.environ) | {"HOME": str(tmp_path)},
    )
    assert "Where the time of a step goes" in shown.stdout
    assert shown.stdout.count("<img") == 2
