"""Parity: every public word of C++, Python, Fortran and C, next to each other.

`python docs/site/parity.py` prints the words that a language lacks without a reason. Words are
read from the sources; docs/reference/parity.toml holds what no source says: names that differ
between languages, and the reason for each hole.
"""

from __future__ import annotations

import inspect
import re
import sys
import tomllib
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

from fortran_pages import HIDDEN

ROOT = Path(__file__).resolve().parents[2]
LANGUAGES = {"cpp": "C++", "python": "Python", "fortran": "Fortran", "c": "C"}
HEADERS = ROOT / "cpp/include/lapwing"
MODULES = ROOT / "fortran/src"

TYPE = r"^  type(?:, bind\(C\))? :: {}\n(.*?)^  end type"
PROCEDURE = r"^  [^\n]*(?:subroutine|function) {}\(.*?^  end (?:subroutine|function)"

Words = Iterator[tuple[str, str]]  # a word, "step.run", and the name that users write, "step%run"


@dataclass(frozen=True)
class Row:
    """A word, and its name in each language that has it."""

    word: str
    names: dict[str, str]

    def holes(self) -> list[str]:
        """The languages that lack it. Local."""
        return [language for language in LANGUAGES if language not in self.names]


@dataclass(frozen=True)
class Reason:
    """Why languages lack words, which may be patterns: "partition.*"."""

    words: tuple[str, ...]
    languages: tuple[str, ...]
    why: str

    def each(self) -> list[tuple[str, ...]]:
        """The languages that must lack its words, one by one; at once if all are. Local."""
        whole = len(self.languages) == len(LANGUAGES)
        return [self.languages] if whole else [(language,) for language in self.languages]


def snake(name: str) -> str:
    """A name as all languages could write it: ArrayExchange is array_exchange. Local."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", re.sub("^(?i:lapwing_)", "", name)).lower()


# ---- C++


def cpp_words(left_out: dict[str, str]) -> Words:
    """The names of the installed headers, except headers that are left out for a reason."""
    for header in sorted(HEADERS.rglob("*.hpp")):
        name = str(header.relative_to(HEADERS))
        if not any(fnmatchcase(name, pattern) for pattern in left_out):
            yield from _of_header(header.read_text())


def _of_header(text: str) -> Words:
    """The names in namespace lapwing, with the public members of its types."""
    code = re.sub(
        r"//[^\n]*|^ *#.*(?:\\\n.*)*|\"(?:[^\"\\\n]|\\.)*\"|\[\[\w+\]\]", "", text, flags=re.M
    )
    for head, body in _declarations(code):
        if head == "namespace lapwing":
            for name, inside in _declarations(body):
                yield from _of_declaration(name, inside)


def _of_declaration(head: str, body: str) -> Words:
    kind = re.match(r"(class|struct|enum)(?: class)? (\w+)", _plain(head))
    if head.startswith("namespace") or (kind and not body):
        return  # of the library itself, or announced
    if not kind:
        yield from ((snake(name), name) for name in _declared(head))
        return
    yield snake(kind[2]), kind[2]
    public = kind[1] == "struct"
    for member, _ in _declarations(body) if kind[1] != "enum" else ():
        label = re.match(r"(public|private|protected):\s*", member)
        public = label[1] == "public" if label else public
        for name in _declared(member[label.end() if label else 0 :]) if public else ():
            if name != kind[2]:
                yield f"{snake(kind[2])}.{name}", f"{kind[2]}::{name}"


def _declarations(code: str) -> Iterator[tuple[str, str]]:
    """The declarations of a scope: the text before ";" or a body, and the body."""
    start = depth = opened = 0
    for place, letter in enumerate(code):
        if letter == "{" and depth == 0:
            opened = place
        depth += {"{": 1, "(": 1, "}": -1, ")": -1}.get(letter, 0)
        if depth == 0 and letter in ";}":
            body = code[opened + 1 : place] if letter == "}" else ""
            head = code[start : opened if letter == "}" else place]
            start = place + 1
            if head.strip():
                yield " ".join(head.split()), body


def _plain(head: str) -> str:
    """A declaration without its template parameters and arguments."""
    while re.search(r"<[^<>]*>", head):
        head = re.sub(r"<[^<>]*>", "", head)
    return re.sub(r"^(template )+|\brequires .*", "", head).strip()


def _declared(head: str) -> Iterator[str]:
    """The names that a declaration of functions or of data declares."""
    head = _plain(head)
    if (
        re.match(r"friend|using|typedef|extern|concept|static_assert|operator|enum", head)
        or "operator" in head
    ):
        found = re.match(r"(?:using|concept) (\w+) =", head)
        yield from [found[1]] if found else []
        return
    function = re.match(r"[^(=]*?(~?\w+)\(", head)
    if function:
        yield from [function[1]] if not function[1].startswith("~") else []
        return
    for part in re.sub(r"\([^()]*\)", "", head).split(","):
        name = re.search(r"(\w+)(?:\[[^]]*\])?\s*(?:=.*)?$", part)
        yield from [name[1]] if name else []


# ---- C


def c_words() -> Words:
    """The functions, types and members of lapwing.h: lapwing_step_run is step.run."""
    code = re.sub(
        r"/\*.*?\*/",
        "",
        "\n".join(p.read_text() for p in sorted((HEADERS / "c").glob("*.h"))),
        flags=re.S,
    )
    nouns = {snake(name) for name in re.findall(r"^typedef struct (\w+) \w+;", code, re.M)}
    for name in sorted(nouns):
        yield name, f"lapwing_{name}"
    for kind, members, name in re.findall(
        r"^typedef (struct|enum) \{(.*?)\} (\w+);", code, re.M | re.S
    ):
        yield snake(name), name
        if kind == "enum":
            yield from (
                (f"constant.{snake(one)}", one) for one in re.findall(r"\bLAPWING_\w+", members)
            )
            continue
        for head, _ in _declarations(members):
            head = re.sub(r"\(\*(\w+)\)\(.*", r"\1", head)
            for member in _declared(head):
                yield f"{snake(name)}.{member}", f"{name}.{member}"
    for name in re.findall(r"^(?!typedef)\w[\w *]*?\b(lapwing_\w+)\(", code, re.M):
        noun = max((n for n in nouns if snake(name).startswith(f"{n}_")), key=len, default="")
        word = f"{noun}.{snake(name).removeprefix(noun + '_')}" if noun else snake(name)
        yield word, name
    for name in re.findall(r"^typedef \w+ \(\*(\w+)\)", code, re.M):
        yield snake(name), name
    for name in re.findall(r"^#define LAPWING_(\w+)\(", code, re.M):
        yield name.lower(), f"LAPWING_{name}"


# ---- Fortran


def fortran_words() -> Words:
    """What `use lapwing` brings: types, their procedures and components, optional arguments."""
    for module, names in re.findall(r"^  use (\w+), only: (.*)$", _fortran("lapwing"), re.M):
        for name in (one.strip() for one in names.split(",")):
            yield snake(name), name
            for source in (_fortran(module), _fortran("lapwing_c"), _fortran("lapwing_census")):
                body = re.search(TYPE.format(name), source, re.M | re.S)
                if body:
                    yield from _of_type(name, body[1], source)
                    break


def _fortran(module: str) -> str:
    """A module with what it includes, without comments, a statement per line."""
    text = next(MODULES.glob(f"{module}.[fF]90")).read_text()
    if "lapwing_array.inc" in text:
        text += (MODULES / "lapwing_array.inc").read_text()
    return re.sub(r"!.*", "", re.sub(r" *& *\n *&?", " ", text))


def _of_type(name: str, body: str, source: str) -> Words:
    noun, said = snake(name), f"{snake(name)}%"
    data, _, bound = body.partition("  contains\n")
    for declared in re.findall(r"^    (?!type\(c_)((?:(?!private).)*?) :: (.*)$", data, re.M):
        for one in re.sub(r"\([^()]*\)|=>?[^,]*", "", declared[1]).split(","):
            yield f"{noun}.{one.strip()}", said + one.strip()
    for call, behind in re.findall(
        r"^    (?:procedure|generic) :: (\w+)(?: => (.*))?$", bound, re.M
    ):
        if call not in HIDDEN:
            yield f"{noun}.{call}", said + call
            of = (behind or call).split(",")[0].strip()
            for argument in _optional("WRAP" if call == "wrap" else of, source):
                yield f"{noun}.{call}.{argument}", f"{said}{call}({argument}=)"


def _optional(procedure: str, source: str) -> Iterator[str]:
    """The optional arguments of a procedure, without stat and errmsg, which all have."""
    body = re.search(PROCEDURE.format(procedure), source, re.M | re.S)
    for declared in re.findall(
        r"optional(?:, \w+\(\w+\))* :: (.*)$", body[0] if body else "", re.M
    ):
        for argument in re.sub(r"\([^()]*\)", "", declared).split(","):
            if argument.strip() not in ("stat", "errmsg"):
                yield argument.strip()


# ---- Python


def python_words() -> Words:
    """The names of `lapwing`, public members of its classes, and arguments with a default."""
    import lapwing

    for name in dir(lapwing):
        thing = getattr(lapwing, name)
        yield snake(name), name
        yield from _defaults(snake(name), name, thing)
        for member in _own_members(thing) if isinstance(thing, type) else ():
            yield f"{snake(name)}.{snake(member)}", f"{name}.{member}"
            value = getattr(thing, member, None)
            yield from _defaults(f"{snake(name)}.{member}", f"{name}.{member}", value)


def _own_members(kind: type) -> list[str]:
    """The public members that a class or a base of lapwing defines, not those of str or ndarray."""
    own = [one for one in kind.__mro__ if one.__module__.startswith("lapwing")]
    names = {name for one in own for name in (*vars(one), *vars(one).get("__annotations__", ()))}
    if issubclass(kind, Enum):
        names = set(kind.__members__)
    return sorted(name for name in names if not name.startswith("_"))


def _defaults(word: str, name: str, thing: Any) -> Words:
    try:
        signature = inspect.signature(thing)
    except (TypeError, ValueError):  # of the extension
        return
    for argument in signature.parameters.values():
        if argument.default is not inspect.Parameter.empty:
            yield f"{word}.{argument.name}", f"{name}({argument.name}=)"


# ---- the table


class Parity:
    """All rows, with what docs/reference/parity.toml says of them.

    Constants, and arguments of calls that make no noun, count where another language has the word.
    """

    def __init__(self, data: Path = ROOT / "docs/reference/parity.toml") -> None:
        """Read the sources and the reasons."""
        said = tomllib.loads(data.read_text())
        self.left_out: dict[str, str] = said["headers"]
        self.nouns: dict[str, str] = {
            old: new for new, olds in said["nouns"].items() for old in olds
        }
        self.names: dict[str, str] = {
            old: new for new, olds in said["names"].items() for old in olds
        }
        self.reasons = [
            Reason(tuple(one["words"]), tuple(one.get("in", LANGUAGES)), one["why"])
            for one in said["hole"]
        ]
        self.unused = {*self.nouns, *self.names}
        found: dict[str, dict[str, str]] = defaultdict(dict)
        sources = {
            "cpp": cpp_words(self.left_out),
            "python": python_words(),
            "fortran": fortran_words(),
            "c": c_words(),
        }
        weak: list[tuple[str, str, str]] = []
        for language, words in sources.items():
            for word, name in words:
                row = self.row_of(word)
                if row.count(".") > 1 or row.startswith("constant."):
                    weak.append((row.removeprefix("constant."), language, name))
                elif row == word or language not in found[row]:
                    found[row][language] = name  # the noun itself, before its options
        for row, language, name in weak:
            if row in found:
                found[row].setdefault(language, name)
        self.rows = [Row(word, found[word]) for word in sorted(found)]

    def row_of(self, word: str) -> str:
        """The row of a word: under another noun, or another name, where the data say so."""
        parts = word.split(".")
        for count in range(len(parts), 0, -1):
            noun = ".".join(parts[:count])
            if word not in self.names and noun in self.nouns:
                self.unused.discard(noun)
                word = ".".join([self.nouns[noun], *parts[count:]])
                break
        self.unused.discard(word)
        return self.names.get(word, word)

    def reason(self, word: str, language: str) -> Reason | None:
        """The first reason that says why a language lacks a word; None without one. Local."""
        for reason in self.reasons:
            if language in reason.languages and any(fnmatchcase(word, w) for w in reason.words):
                return reason
        return None

    def reasons_of(self, row: Row) -> list[Reason | None]:
        """The reasons for the holes of a row. Local."""
        return [self.reason(row.word, language) for language in row.holes()][:1]

    def unexplained(self) -> list[str]:
        """The holes without a reason: "step.settle: not in C". Local."""
        return [
            f"{row.word}: not in {LANGUAGES[language]}"
            for row in self.rows
            for language in row.holes()
            if self.reason(row.word, language) is None
        ]

    def idle(self) -> list[str]:
        """What the data say of holes, words and headers that are no more. Local."""
        holes = [(row.word, language) for row in self.rows for language in row.holes()]
        idle = [
            f"{word}: no hole in {' or '.join(LANGUAGES[language] for language in languages)}"
            for reason in self.reasons
            for word in reason.words
            for languages in reason.each()
            if not any(lacks in languages and fnmatchcase(hole, word) for hole, lacks in holes)
        ]
        there = [str(path.relative_to(HEADERS)) for path in HEADERS.rglob("*.hpp")]
        idle += [
            f"{p}: no such header"
            for p in self.left_out
            if not any(fnmatchcase(h, p) for h in there)
        ]
        return idle + [f"{name}: no such word" for name in sorted(self.unused)]


def parity_as_markdown() -> str:
    """Three parts: words of several languages, words of one, and headers that are not compared."""
    parity = Parity()
    numbers = {reason: number for number, reason in enumerate(parity.reasons, 1)}
    shared = [row for row in parity.rows if len(row.names) > 1]
    table = ["| word | " + " | ".join(LANGUAGES.values()) + " |", "|---" * 5 + "|"]
    table += [f"| {row.word} | {' | '.join(_cells(row, parity, numbers))} |" for row in shared]
    reasons = [f"{number}. {reason.why}" for reason, number in numbers.items()]
    alone = ["| words | of | why no other has them |", "|---|---|---|"]
    for reason in parity.reasons:
        for language, said in LANGUAGES.items():
            words = [
                row.names[language]
                for row in parity.rows
                if [*row.names] == [language] and reason in parity.reasons_of(row)
            ]
            if words:
                alone.append(f"| {', '.join(f'`{w}`' for w in words)} | {said} | {reason.why} |")
    headers = [f"| `{name}` | {why} |" for name, why in parity.left_out.items()]
    return "\n".join(
        [
            "## Words of several languages\n",
            *table,
            "\nReasons:\n",
            *reasons,
            "\n## Words of one language\n",
            *alone,
            "\n## Headers that are not compared\n",
            "| header | its words |",
            "|---|---|",
            *headers,
        ]
    )


def _cells(row: Row, parity: Parity, numbers: dict[Reason, int]) -> Iterator[str]:
    for language in LANGUAGES:
        reason = parity.reason(row.word, language)
        lacks = f"[{numbers[reason]}]" if reason else "?"
        yield f"`{row.names[language]}`" if language in row.names else lacks


def main() -> int:
    """Print what is unexplained or idle, and how many words there are."""
    parity = Parity()
    faults = [*parity.unexplained(), *parity.idle()]
    print("\n".join(faults) or "parity: every hole has a reason")
    counts = [
        f"{sum(language in row.names for row in parity.rows)} in {said}"
        for language, said in LANGUAGES.items()
    ]
    print(f"{len(parity.rows)} words: {', '.join(counts)}")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
