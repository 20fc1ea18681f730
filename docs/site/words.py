"""Plain words: `python docs/site/words.py` finds those that the table in CONTRIBUTING.md replaces.

Part of `make lint`. The second column of the table is what to write, the third what is searched.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
READ = (".md",)  # what people read
ROW = re.compile(r"^\| (?P<avoid>[^|]+) \| (?P<write>[^|]+) \| `(?P<pattern>.+)` \|$")


def rules() -> list[tuple[re.Pattern[str], str]]:
    """The words of the table, as patterns, with what to write. Local."""
    rows = map(ROW.match, (ROOT / "CONTRIBUTING.md").read_text().splitlines())
    found = [(row["pattern"].replace("\\|", "|"), row["write"]) for row in rows if row]
    return [(re.compile(rf"\b(?:{pattern})\b", re.I), write) for pattern, write in found]


def texts() -> list[Path]:
    """The files in the repository that people read. Local."""
    listed = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return [ROOT / name for name in listed.stdout.split() if name.endswith(READ)]


def faults(path: Path) -> Iterator[str]:
    """Lines with such a word, in words of their own; rows of the table itself do not count."""
    printed = False  # what programs print is theirs
    for number, line in enumerate(path.read_text().splitlines(), 1):
        printed ^= line.startswith("```")
        for pattern, write in () if printed or ROW.match(line) else rules():
            if found := pattern.search(line):
                yield f"{path.relative_to(ROOT)}:{number}: {found[0]!r}; write: {write}"


def main() -> int:
    """Print all faults; 1 if there are any, 2 without rules."""
    if not rules():
        print("CONTRIBUTING.md: no table of words; expected | avoid | write | `pattern` |")
        return 2
    listed = [path for path in texts() if path.exists()]
    found = [fault for path in listed for fault in faults(path)]
    print("\n".join(found) or f"words: {len(listed)} files are in plain English")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
