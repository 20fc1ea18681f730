"""Words about water and land in the names and attributes of a variable, in any case and order."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import pairwise

WATER = frozenset({"water", "seawater", "sea", "ocean", "ocn", "wet", "sftof", "seafloor"})
LAND = frozenset({"land", "lnd", "dry", "continent", "island", "landmass", "lsm", "sftlf"})
_BOTH = frozenset({"landsea", "sealand", "wetdry", "ls"})  # and so they say nothing
# These are no sea, and yet not all of them are land: only the user knows
OTHER = frozenset({"ice", "lake", "river", "inland", "cloud", "snow", "glacier", "vegetation"})
_NO = frozenset({"not", "no", "non", "without", "excluding", "except"})
# Words of names that leave the meaning of the others as it is
_NEUTRAL = """
mask binary flag flags area fraction frac point points cell cells geog t c h rho center grid
centre open model the a of is map
"""
_ALLOWED = WATER | LAND | _NO | {*_NEUTRAL.split()}
_NUMBERS = {"true": 1, "false": 0, "one": 1, "ones": 1, "zero": 0, "zeros": 0}
_UNITS = frozenset({"degree", "degrees", "deg", "arc", "km", "m", "min", "sec", "minute", "second"})

_TOKEN = re.compile(r"[A-Za-z]+|(?<![\w./])\d+(?:\.0*)?(?![\w/])")
_CLAUSE = re.compile(r"[,;|()\[\]\n]|(?<!\d)/(?!\d)|\.\s")
_NUMBER = r"(?<![\w./])(\d+)(?:\.0*)?(?![\w/])"
_CLASS = r"((?:(?:not?|non)[\s-]+)?[A-Za-z_]+)"
_EXPLICIT = (
    re.compile(rf"{_NUMBER}\s*(?:[=:-]+>?)\s*{_CLASS}"),  # 0 = land, 0: land, 0-sea
    re.compile(rf"{_CLASS}\s*(?:[=:]+)\s*{_NUMBER}"),  # land = 0
    re.compile(rf"{_CLASS}\s*\(\s*{_NUMBER}\s*\)"),  # land (0)
)


def tokens(text: str) -> list[str]:
    """The words of a text in small letters, without plurals and without mask at their end. Local.

    Whole numbers stay, as digits.
    """
    split = re.sub(r"(?<=[a-z])(?=[A-Z])|_", " ", text)
    return [_plain(one) for one in _TOKEN.findall(split)]


def _plain(word: str) -> str:
    word = word.lower()
    if word[0].isdigit():
        return word.split(".")[0]
    if word in _NUMBERS:
        return str(_NUMBERS[word])
    for ending in ("mask", "s", "fraction", "frac"):
        shorter = word.removesuffix(ending)
        if shorter in WATER | LAND | OTHER | _BOTH:
            return shorter
    return word


def kinds(words: Iterable[str]) -> set[bool]:
    """The kinds of surface that words mention: True for water, False for land. Local."""
    found: set[bool] = set()
    no = False
    for word in words:
        if word in WATER | LAND:
            found.add((word in WATER) != no)
        elif word in _BOTH:
            found |= {True, False}
        no = word in _NO
    return found


def meaning(text: str) -> bool | None:
    """True where a flag meaning is water, False where it is land, None where it is neither. Local.

    Water with another word that matters (sea ice, inland water) is neither; land stays land.
    """
    words = tokens(text)
    found = kinds(words)
    if len(found) != 1:
        return None
    if True in found and not set(words) <= _ALLOWED:
        return None
    return found.pop()


def name_kinds(name: str) -> set[bool]:
    """The kinds of surface that a whole name stands for: none unless every word is known. Local."""
    words = tokens(name)
    known = set(words) <= _ALLOWED | _BOTH
    return kinds(words) if known else set()


def of_something_else(text: str) -> bool:
    """True if a text mentions ice, lakes, rivers or the like. Local."""
    return not OTHER.isdisjoint(tokens(text))


def numbers_explained(text: str) -> dict[int, set[bool]]:
    """The kinds of surface of numbers that a text explains: "0-sea, 1-land", "1 for land". Local.

    A number with an empty set has another meaning ("2-ice").
    """
    found: dict[int, set[bool]] = {}
    for number, kind in [*_explicit(text)] or [*_in_clauses(text)]:
        found.setdefault(number, set()).update(() if kind is None else (kind,))
    # 0 and 1 must be among them: "30 arc-second land mask" explains no value
    return found if any(found.get(n) for n in (0, 1)) else {}


def _explicit(text: str) -> Iterator[tuple[int, bool | None]]:
    """Numbers and words joined by a sign."""
    for pattern in _EXPLICIT:
        pairs = [pair if pair[0].isdigit() else pair[::-1] for pair in pattern.findall(text)]
        found = [(int(number), meaning(word)) for number, word in pairs if word not in _UNITS]
        if any(kind is not None for _, kind in found):
            yield from found
            return


def _in_clauses(text: str) -> Iterator[tuple[int, bool | None]]:
    """Numbers and words that alternate within a clause: "1 for land", "0 over sea 1 over land"."""
    for clause in _CLAUSE.split(text):
        words = tokens(clause)
        if any(a.isdigit() and b in _UNITS for a, b in pairwise(words)):
            continue
        told = [word for word in words if word.isdigit() or word in WATER | LAND | OTHER | _NO]
        groups = _groups(told)
        numbers = [int(one[0]) for one in groups if one[0].isdigit()]
        others = [one for one in groups if not one[0].isdigit()]
        digits = [one[0].isdigit() for one in groups]
        alternate = all(a != b for a, b in pairwise(digits))
        if alternate and len(numbers) == len(others):
            for number, group in zip(numbers, others, strict=True):
                yield number, meaning(" ".join(group))


def _groups(words: list[str]) -> list[list[str]]:
    """Numbers alone, and words that follow each other together: [["1"], ["not", "land"]]."""
    groups: list[list[str]] = []
    for word in words:
        if groups and not word.isdigit() and not groups[-1][0].isdigit():
            groups[-1].append(word)
        else:
            groups.append([word])
    return groups
