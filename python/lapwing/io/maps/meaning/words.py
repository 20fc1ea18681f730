"""Words about water and land in the names and attributes of a variable, in any case and order."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

WATER = frozenset({"water", "seawater", "sea", "ocean", "ocn", "wet", "sftof", "seafloor"})
LAND = frozenset(
    {"land", "lnd", "dry", "continent", "island", "landmass", "lsm", "sftlf", "slm", "slf"}
    | {"lndmsk", "lmask"}
)
_BOTH = frozenset({"landsea", "sealand", "wetdry", "ls"})  # and so they say nothing
# These are no sea, and yet not all of them are land: only the user knows
OTHER = frozenset({"ice", "lake", "river", "inland", "cloud", "snow", "glacier", "vegetation"})
# A text with one of them reverses the meaning of its other words
_TURNED = frozenset({"inverse", "inverted", "complement", "opposite", "reversed"})
_NO = frozenset({"not", "no", "non", "without", "excluding", "except"})
# Words of names that do not change the meaning of the rest
_NEUTRAL = """
mask binary flag flags area fraction frac fr point points cell cells geog t c h rho center grid
centre open model the a of is map
"""
# Words of names that say mask, and where in a cell it is
_MASKS = frozenset(
    {"mask", "msk", "imask", "umask", "vmask", "grid", "cell", "psi", "rho", *"uvtcqfwh"}
)
_ALLOWED = WATER | LAND | _NO | {*_NEUTRAL.split()}
_NUMBERS = {"true": 1, "false": 0, "one": 1, "ones": 1, "zero": 0, "zeros": 0}
_UNITS = frozenset({"degree", "degrees", "deg", "arc", "km", "m", "min", "sec", "minute", "second"})

_TOKEN = re.compile(r"[A-Za-z]+|(?<![\w./])[0-9]{1,9}(?:\.0*)?(?![\w/])")
_CLAUSE = re.compile(r"[,;|()\[\]\n]|(?<!\d)/(?!\d)|\.\s")
_NUMBER = r"(?<![\w./])([0-9]{1,9})(?:\.0*)?(?![\w/])"
_CLASS = r"((?:(?:not?|non)[\s-]+)?[A-Za-z_]+)"
_EXPLICIT = (
    re.compile(rf"{_NUMBER}\s*(?:[=:]+|-+|[=-]+>)\s*{_CLASS}"),  # 0 = land, 0: land, 0-sea
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
    """The kinds of surface that a whole name stands for: none unless every word is known. Local.

    Numbers in it, as in LSM_1, count copies and mean nothing.
    """
    words = [word for word in tokens(name) if not word.isdigit()]
    known = set(words) <= _ALLOWED | _BOTH
    return kinds(words) if known else set()


def named_kinds(text: str) -> set[bool]:
    """The kinds of surface that any word of a name or text has in it: "maskland". Local."""
    text = " ".join(tokens(text))
    return {wet for wet, known in ((True, WATER), (False, LAND)) if _has_any(text, known)}


def _has_any(text: str, known: Iterable[str]) -> bool:
    return any(word in text for word in known)


def is_plain_mask(name: str) -> bool:
    """True if every word of a name says mask, or where in a cell it is: mask_u, imask. Local."""
    return set(tokens(name)) <= _MASKS


def may_be_land(name: str) -> bool:
    """True if a word of a name has one in it for land, ice, lakes or the like: maskland. Local."""
    return _has_any(" ".join(tokens(name)), LAND | OTHER | _BOTH - {"ls"} | {"terrain"})


def of_something_else(text: str) -> bool:
    """True if a text mentions ice, lakes, rivers or the like, turned masks or 0 or 1. Local."""
    return not (OTHER | _TURNED | {"0", "1"}).isdisjoint(tokens(text))


def mentions_other(text: str) -> bool:
    """True if a text mentions ice, lakes, rivers or the like. Local."""
    return not OTHER.isdisjoint(tokens(text))


def turned(text: str) -> bool:
    """True if a text says that a mask is the inverse of another. Local."""
    return not _TURNED.isdisjoint(tokens(text))


Explained = dict[int, set[bool]]


def numbers_explained(text: str, *, sure: bool = False) -> Explained:
    """The kinds of surface of numbers that a text explains: "0-sea, 1-land", "1 for land". Local.

    A number with an empty set has another meaning ("2-ice"). A text that explains one number
    alone must begin a clause with it, and explains nothing if `sure`.
    """
    return _explicit(text, sure) or _in_clauses(text, sure)


def explains_unknown(text: str, *, prose: bool) -> bool:
    """True if a text gives 0 or 1 a meaning ("1=terre"), or, if `prose`, has one in it. Local."""
    signs = {
        int(one)
        for pattern in _EXPLICIT
        for found in pattern.findall(text)
        for one in found
        if one.isdigit()
    }
    return not signs.isdisjoint({0, 1}) or (prose and _has_bare_number(tokens(text)))


def _has_bare_number(words: Sequence[str]) -> bool:
    """True if 0 or 1 stands among words, and no unit after it as in "1 km"."""
    return any(
        word in ("0", "1") and following not in _UNITS for word, following in pairwise([*words, ""])
    )


def signs_explained(text: str) -> Explained:
    """The kinds of surface of numbers that a text joins to words by a sign: "1=land". Local."""
    return _explicit(text, False)


def _gathered(pairs: Iterable[tuple[int, bool | None]]) -> Explained:
    found: Explained = {}
    for number, kind in pairs:
        found.setdefault(number, set()).update(() if kind is None else (kind,))
    # 0 and 1 must be among them: "30 arc-second land mask" explains no value
    return found if any(found.get(n) for n in (0, 1)) else {}


def _explicit(text: str, sure: bool) -> Explained:
    """Numbers and words joined by a sign."""
    for pattern in _EXPLICIT:
        found = _gathered(_pairs(pattern.findall(text)))
        if sum(len(kinds) for kinds in found.values()) > 1:
            return found
        if found and not sure:
            starts = (pattern.match(clause.strip()) for clause in _clauses(text, pattern))
            firm = [one for one in starts if one and not re.search(r"\d\s*-", one[0])]
            return _gathered(_pairs([one.groups() for one in firm]))
    return {}


def _clauses(text: str, pattern: re.Pattern[str]) -> list[str]:
    """The clauses of a text; "land (0)" is split before the words of the pattern only."""
    return [text] if pattern is _EXPLICIT[2] else _CLAUSE.split(text)


def _pairs(found: Iterable[Sequence[str]]) -> Iterator[tuple[int, bool | None]]:
    """The number and the kind of each pair of a number and a word, in any order."""
    for first, second in found:
        number, word = (first, second) if first.isdigit() else (second, first)
        if word not in _UNITS:
            yield int(number), meaning(word)


def _in_clauses(text: str, sure: bool) -> Explained:
    """Numbers and words that alternate within a clause: "1 for land", "0 over sea 1 over land"."""
    clauses = [tokens(clause) for clause in _CLAUSE.split(text)]
    found = _gathered(pair for words in clauses for pair in _alternating(words))
    if found.get(0) and found.get(1):
        return found
    if sure:
        return {}
    firm = [words for words in clauses if words and (words[0].isdigit() or words[0] == "where")]
    return _gathered(pair for words in firm for pair in _alternating(words))


def _alternating(words: list[str]) -> Iterator[tuple[int, bool | None]]:
    """Pairs of a number and what it means, where the words of a clause alternate so."""
    if any(a.isdigit() and b in _UNITS for a, b in pairwise(words)):
        return
    told = [word for word in words if word.isdigit() or word in WATER | LAND | OTHER | _NO]
    groups = _groups(told)
    numbers = [int(one[0]) for one in groups if one[0].isdigit()]
    others = [one for one in groups if not one[0].isdigit()]
    digits = [one[0].isdigit() for one in groups]
    if all(a != b for a, b in pairwise(digits)) and len(numbers) == len(others):
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
