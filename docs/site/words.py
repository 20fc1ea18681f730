"""Plain words: `python docs/site/words.py` finds what the table in CONTRIBUTING.md replaces.

Part of `make lint`. It reads pages without their code, and comments and texts of sources. The
second column of the table is what to write, the third what is searched, the fourth where: in all
files, or in pages only.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
ROW = re.compile(
    r"^\| (?P<avoid>[^|]+) \| (?P<write>[^|]+) \| `(?P<pattern>.+)` \| (?P<where>all|pages) \|$"
)

# what people read of a file, by its kind: a pattern of the pieces
WHOLE = re.compile(r".+", re.S)
C_TEXT = re.compile(r'//[^\n]*|"(?:[^"\\\n]|\\.)*"')
PYTHON_TEXT = re.compile(r'""".*?"""|#[^\n]*|"(?:[^"\\\n]|\\.)*"', re.S)
READ = {
    **dict.fromkeys((".cpp", ".hpp", ".h"), C_TEXT),
    **dict.fromkeys((".py", ".pyi"), PYTHON_TEXT),
    **dict.fromkeys((".toml", ".txt", ".cmake", ".yml"), re.compile(r"#[^\n]*")),
    ".md": WHOLE,
}
CODE = re.compile(r"^```.*?^```$", re.M | re.S)  # what programs print is theirs


Rule = tuple[re.Pattern[str], str]  # what is searched, and what to write


def rules() -> dict[str, list[Rule]]:
    """The words of the table, as patterns with what to write, by where they are searched. Local."""
    found: dict[str, list[Rule]] = {"all": [], "pages": []}
    for row in map(ROW.match, (ROOT / "CONTRIBUTING.md").read_text().splitlines()):
        if row:
            pattern = row["pattern"].replace("\\|", "|")
            # names of code stand between backticks, behind a dot or before "="
            searched = re.compile(rf"(?<![`\w.])(?:{pattern})(?![\w=])", re.I)
            found[row["where"]].append((searched, row["write"]))
    return found


def files() -> list[Path]:
    """The files in the repository that are read, but this one. Local."""
    listed = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    paths = [ROOT / name for name in listed.stdout.split()]
    return [p for p in paths if p.suffix in READ and p.exists() and p != Path(__file__)]


def blanked(text: str, pattern: re.Pattern[str]) -> str:
    """The text with what the pattern matches as empty lines. Local."""
    return pattern.sub(lambda found: "\n" * found[0].count("\n"), text)


def faults(path: Path, found_in: dict[str, list[Rule]]) -> Iterator[str]:
    """Places with such a word, and what to write; rows of the table itself do not count. Local."""
    text = path.read_text()
    searched = found_in["all"] + (found_in["pages"] if path.suffix == ".md" else [])
    if path.suffix == ".md":
        text = "\n".join(s for s in blanked(text, CODE).split("\n") if not ROW.match(s))
    for piece in READ[path.suffix].finditer(text):
        for pattern, write in searched:
            for found in pattern.finditer(piece[0]):
                line = text.count("\n", 0, piece.start() + found.start()) + 1
                yield f"{path.relative_to(ROOT)}:{line}: {found[0]!r}; write: {write}"


def main() -> int:
    """Print all faults; 1 if there are any, 2 without rules."""
    searched = rules()
    if not all(searched.values()):
        print("CONTRIBUTING.md: no table of words; expected | avoid | write | `pattern` | where |")
        return 2
    read = files()
    found = [fault for path in read for fault in faults(path, searched)]
    print("\n".join(found) or f"words: {len(read)} files are in plain English")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
