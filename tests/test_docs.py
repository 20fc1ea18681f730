"""The documentation: links lead somewhere, code blocks compile, commands parse, names are there."""

import importlib
import importlib.util
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer
from lapwing.commands.group import LAB

UsageError: Any = typer.BadParameter.__mro__[1]  # of the click that typer brings

ROOT = Path(__file__).parents[1]
PAGES = sorted(
    [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]
    + [ROOT / "examples" / "README.md"]
    + [
        page
        for folder in ("models", "lab", "lab/src", "cpp/src")
        for page in ROOT.glob(f"{folder}/*/README.md")
    ]
)
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.M | re.S)
LINK = re.compile(r"(?<!`)!?\[[^\]]*\]\((?!https?:)([^)\s]+)\)")
SOURCES = (".py", ".cpp", ".hpp", ".toml", ".f90")
LONGEST = 120  # columns of a line of text
# the product must pass without the laboratory
LAB_IS_THERE = (ROOT / "lab").exists()
LAB_IS_INSTALLED = importlib.util.find_spec("lapwing_lab") is not None


def name_of(page: Path) -> str:
    return str(page.relative_to(ROOT))


def blocks(language: str) -> Iterator[tuple[Path, str]]:
    """The code of this language in all pages."""
    for page in PAGES:
        for block in FENCE.finditer(page.read_text()):
            if block[1] == language:
                yield page, block[2]


def anchors(page: Path) -> set[str]:
    """The anchors of a page's headings, as Python-Markdown makes them."""
    found = set()
    for heading in re.findall(r"^#+ (.+)$", FENCE.sub("", page.read_text()), re.M):
        plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "")
        words = re.sub(r"[^\w\s-]", "", plain).strip().lower()
        found.add(re.sub(r"[-\s]+", "-", words))
    return found


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_links_lead_somewhere(page: Path) -> None:
    for link in LINK.findall(FENCE.sub("", page.read_text())):
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        if not LAB_IS_THERE and target.is_relative_to(ROOT / "lab"):
            continue
        assert target.exists(), f"{link}: no such file"
        if anchor:
            assert anchor in anchors(target), f"{link}: {target.name} has {sorted(anchors(target))}"


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_lines_of_text_are_short(page: Path) -> None:
    text = FENCE.sub(lambda block: "\n" * block[0].count("\n"), page.read_text())
    for number, line in enumerate(text.splitlines(), 1):
        if not line.startswith(("|", "![", "[![", "    ")):
            assert len(line) <= LONGEST, f"line {number}: {len(line)} columns"


def test_python_in_pages_compiles() -> None:
    found = list(blocks("python"))
    for page, code in found:
        compile(code, name_of(page), "exec")
    assert len(found) > 5


def parse(words: list[str]) -> None:
    """Parse a command line of lapwing down to its last option, without running it."""
    from lapwing.__main__ import app

    command: Any = typer.main.get_command(app)
    context = command.context_class(command, info_name="lapwing")
    while hasattr(command, "get_command"):
        name, *words = words
        inner = command.get_command(context, name)
        assert inner is not None, f"no command {name!r}"
        command, context = inner, inner.context_class(inner, info_name=name, parent=context)
    if command.name == "run" and "--" in words:  # netlab: of a command
        words, rest = words[: words.index("--") + 1], words[words.index("--") + 1 :]
        if rest[0] == "lapwing":
            parse(rest[1:])
        words += rest
    command.make_context(command.name or "", words, parent=context.parent)


def commands() -> Iterator[tuple[str, list[str]]]:
    """Every line in a block for the shell that starts lapwing, with where it stands."""
    for language in ("sh", "console"):
        for page, block in blocks(language):
            for line in block.replace("\\\n", " ").splitlines():
                words = shlex.split(line.removeprefix("$ "), comments=True)
                if "lapwing" in words:  # behind a launcher, perhaps
                    named = words[words.index("lapwing") + 1 :]
                    if LAB_IS_INSTALLED or named[0] not in LAB:
                        yield f"{name_of(page)}: {line}", named


def test_commands_in_pages_parse() -> None:
    found = list(commands())
    for line, words in found:
        try:
            parse(words)
        except UsageError as problem:
            pytest.fail(f"{line}: {problem.format_message()}")
    assert len(found) > 50


def test_a_wrong_command_is_found() -> None:
    with pytest.raises(UsageError, match="--rank"):
        parse(["run", "kelvin", "--rank", "2"])
    with pytest.raises((UsageError, AssertionError), match="walk"):
        parse(["walk"])


def test_files_that_sources_name_in_the_documentation_exist() -> None:
    for folder in ("python", "cpp", "models", "lab", "packaging", "tests"):
        for file in (f for f in (ROOT / folder).rglob("*") if f.suffix in SOURCES):
            for name in re.findall(r"\bdocs/[\w/.-]+\.md", file.read_text(errors="ignore")):
                assert (ROOT / name).exists(), f"{name_of(file)} names {name}"


def test_the_reference_has_every_public_name_of_python() -> None:
    page = (ROOT / "docs/reference/python.md").read_text()
    named = {line.rpartition(".")[2] for line in re.findall(r"^::: (\S+)$", page, re.M)}
    public = {n for n in vars(importlib.import_module("lapwing.core.public")) if n[0] != "_"}
    assert public - named == set()


def test_public_names_of_python_are_documented() -> None:
    public = vars(importlib.import_module("lapwing.core.public"))
    missing = [name for name, value in public.items() if name[0] != "_" and not value.__doc__]
    assert missing == []


def test_the_reference_has_every_public_name_of_fortran(caplog: pytest.LogCaptureFixture) -> None:
    spec = importlib.util.spec_from_file_location("pages", ROOT / "docs/site/fortran_pages.py")
    assert spec is not None
    assert spec.loader is not None
    pages = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(pages)
    text = pages.fortran_as_markdown(ROOT)
    door = re.sub(r"&\n", "", (ROOT / "fortran/src/lapwing.f90").read_text())
    public = {n for names in re.findall(r"only: (.+)", door) for n in re.split(r",\s*", names)}
    shown = set(re.findall(r"^(?:\*\*|### type\()(\w+)", text, re.M))
    kinds = {f"lapwing_{kind}" for kind in ("real32", "real64", "int32", "bool", "logical")}
    assert len(public) > 20
    assert public - shown == kinds
    assert all(kind in text for kind in kinds)
    assert caplog.text == ""


def test_every_function_of_c_is_called_by_a_test() -> None:
    headers = (ROOT / "cpp/include/lapwing/c").glob("*.h")
    header = "\n".join(path.read_text() for path in headers)
    tests = [*(ROOT / "cpp/tests").rglob("*.cpp"), *(ROOT / "fortran/src").glob("*.f90")]
    called = {n for file in tests for n in re.findall(r"\blapwing_\w+", file.read_text())}
    assert set(re.findall(r"\b(lapwing_\w+)\(", header)) - called == set()


def test_the_readme_is_short() -> None:
    assert len((ROOT / "README.md").read_text().splitlines()) < 80


def test_every_decision_is_in_the_index() -> None:
    index = (ROOT / "docs/decisions/index.md").read_text()
    for record in (ROOT / "docs/decisions").glob("0*.md"):
        assert f"({record.name})" in index, record.name


def test_each_guide_has_a_drawing() -> None:
    guides = sorted((ROOT / "docs/guide").glob("*.md"))
    assert guides
    assert [page.name for page in guides if "(../images/" not in page.read_text()] == []


def test_each_drawing_of_a_guide_is_shown() -> None:
    shown = "".join(page.read_text() for page in (ROOT / "docs/guide").glob("*.md"))
    drawn = sorted((ROOT / "docs/images/guide").glob("*.png"))
    assert [one.name for one in drawn if f"(../images/guide/{one.name})" not in shown] == []
