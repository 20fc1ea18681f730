"""The one table of what counts as water: which values of a map are wet, by what the file says.

The flags of CF, standard names and texts that explain numbers decide. Where there is none of them,
names and standard names that say land or water do, and texts that say water: 1 is what they name.
A map called mask, and the only one of a file, has 1 for water. What contradicts itself, what says
land and water and no number, and a text alone that says land, is refused: "land mask" is an idiom
for maps of both kinds.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lapwing.base.error import UserError, shown, user_error
from lapwing.io.maps.meaning import words
from lapwing.io.maps.request import MapSource

if TYPE_CHECKING:
    import xarray

_STANDARD_NAMES = {  # CF's, with 0 and 1: the meaning of 1
    "sea_binary_mask": True,
    "land_binary_mask": False,
    "sea_area_fraction": True,
    "land_area_fraction": False,
}
MASK_NAMES = (
    "wet",
    "mask",
    "tmask",
    "sea_mask",
    "wet_c",
    "mask_rho",
)  # 1 is water, unless words say otherwise
_WET_NAMES = ("tmask", "mask_rho")  # used by models in which 1 is water
_TEXTS = ("standard_name", "long_name", "description", "comment", "flag_meanings")
_FLAGS = ("flag_values", "flag_masks", "flag_meanings")
_BEYOND = 2**63  # numbers that no variable holds
_PERCENT = ("%", "percent", "percentage", "pct")


@dataclass(frozen=True)
class Flag:
    """A value that a map may have, or bits of it; true if it means water."""

    value: int
    mask: int | None  # the bits that are compared with `value`; None: all of them
    wet: bool | None  # None: neither water nor land
    meaning: str = ""

    def cells(self, values: NDArray[Any], whole: NDArray[np.int64] | None) -> NDArray[np.bool_]:
        """The cells that have it; `whole`: the values as whole numbers, where bits count."""
        if self.mask is None or whole is None:
            return np.asarray(values == self.value)
        return np.asarray((whole & self.mask) == self.value)


Flags = tuple[Flag, ...]


@dataclass(frozen=True)
class Water:
    """The values of a map that are water and land; every other value is refused."""

    name: str  # the variable's name
    flags: Flags
    why: str = ""  # a run's note, if 1 is not simply water

    def judge(self, values: NDArray[Any]) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """The wet cells of a block, and those whose value is neither water nor land. Local.

        Hidden values (NaN) are neither wet nor refused.
        """
        bits = any(flag.mask is not None for flag in self.flags)
        finite = np.isfinite(values)
        whole = np.where(finite, values, 0).astype(np.int64) if bits else None
        sides = {side: np.zeros(values.shape, dtype=np.bool_) for side in (True, False)}
        for flag in self.flags:
            if flag.wet is not None:
                sides[flag.wet] |= flag.cells(values, whole)
        known = (sides[True] ^ sides[False]) & finite
        return sides[True] & known, ~(known | np.isnan(values))

    def described(self, wet: bool = True) -> str:
        """The values of water, or of land, for messages. Local."""
        found = [str(flag.value) for flag in self.flags if flag.wet is wet]
        return " or ".join(found) or "none"


def water_of(source: MapSource, name: str, variable: xarray.Variable, alone: bool) -> Water:
    """Find which values of a variable are water; `alone`: it is the only map of its file. Local.

    UserError for percentages, for words that contradict each other, and for words that mention
    water and land and explain no number.
    """
    about, attributes = source.about(name), variable.attrs
    if str(attributes.get("units", "")).strip().lower() in _PERCENT:
        raise _a_share(source, name, "a map in percent", 50)
    strong = _strong(about, variable)
    if strong:
        flags = _agreed(source, name, strong)
        why = _says(name, flags, " and ".join(strong))
        return Water(name, flags, why)
    return _by_kind(source, name, attributes, alone)


def mentions_water(name: str, variable: xarray.Variable) -> bool:
    """True if a variable says by its name or its attributes that it maps water and land. Local."""
    given = variable.attrs
    if given.get("standard_name") in _STANDARD_NAMES or words.name_kinds(name):
        return True
    if any(flag.wet is not None for flag in _enum_flags(variable)):
        return True
    texts = [str(given.get(word, "")) for word in _TEXTS]
    if any(words.numbers_explained(text) for text in texts):
        return True
    if any(words.meaning(one) is not None for one in texts[-1].split()):
        return True
    return any(words.kinds(words.tokens(text)) and "mask" in text.lower() for text in texts)


# ---- what explains numbers


def _strong(about: str, variable: xarray.Variable) -> dict[str, Flags]:
    """The flags of all sources that explain numbers, by the name of the source."""
    attributes = variable.attrs
    found: dict[str, Flags] = {}
    flags = _cf_flags(about, attributes) or _option_flags(attributes)
    if flags:
        found["flag_meanings"] = flags
    enum = _enum_flags(variable)
    if enum:
        found["its enum type"] = enum
    one = _STANDARD_NAMES.get(str(attributes.get("standard_name", "")))
    if one is not None:
        found["standard_name"] = _two(one)
    others = dict(attributes)
    others["comment"] = others.pop("comment", "")  # the last, which one number alone may contradict
    for word, given in others.items():
        explained = {} if flags and word in _FLAGS else _explained(word, given, not found)
        if explained:
            found[word] = tuple(
                Flag(number, None, next(iter(kinds)) if len(kinds) == 1 else None)
                for number, kinds in explained.items()
            )
    return {source: _completed(flags) for source, flags in found.items()}


def _explained(word: str, given: Any, first: bool) -> words.Explained:
    """The numbers that an attribute explains; one without a known name must join them by signs.

    A comment that explains one number alone is no reason, but may contradict others.
    """
    text = _text(given)
    if word in _TEXTS:
        return words.numbers_explained(text, sure=first and word == "comment")
    return words.signs_explained(text) if word != "history" else {}


def _text(given: Any) -> str:
    """An attribute as a text; several texts are joined, and numbers give no text."""
    if isinstance(given, list | tuple | np.ndarray):
        return " ".join(one for one in given if isinstance(one, str))
    return given if isinstance(given, str) else ""


def _two(one_is_water: bool) -> Flags:
    return Flag(1, None, one_is_water), Flag(0, None, not one_is_water)


def _completed(flags: Flags) -> Flags:
    """A text that explains 1 alone explains 0 too: "1 where there is land"."""
    first = flags[0]
    alone = len(flags) == 1 and first.mask is None and first.value in (0, 1)
    if alone and first.wet is not None:
        return first, Flag(1 - first.value, None, not first.wet)
    return flags


def _cf_flags(about: str, attributes: Mapping[str, Any]) -> Flags:
    """flag_values, flag_masks and flag_meanings; nothing if there are no values."""
    meanings = _text(attributes.get("flag_meanings")).replace(",", " ").split()
    values = _whole_numbers(attributes.get("flag_values"))
    masks = _whole_numbers(attributes.get("flag_masks"))
    if not meanings or not (values or masks):
        return ()
    for word, given in (("flag_values", values), ("flag_masks", masks)):
        if given and len(given) != len(meanings):
            raise user_error(
                f"{about}: {word}",
                f"{len(given)} numbers",
                f"{len(meanings)}, one for each of the flag_meanings {' '.join(meanings)}",
                "correct the attributes of the file",
            )
        if any(abs(number) >= _BEYOND for number in given):
            raise user_error(
                f"{about}: {word}",
                f"the number {max(given, key=abs)}",
                "numbers below 2^63",
                "correct the attributes of the file, or say which cells are wet by an expression",
            )
    bits: Iterable[int | None] = masks or [None] * len(meanings)
    return tuple(
        Flag(value, mask, words.meaning(text), text)
        for value, mask, text in zip(values or masks, bits, meanings, strict=True)
    )


def _enum_flags(variable: xarray.Variable) -> Flags:
    """The names and numbers of an enum type of NetCDF-4."""
    kind = variable.encoding.get("dtype")
    named = getattr(kind, "metadata", None) or {}
    found: Mapping[str, int] = named.get("enum") or {}
    return tuple(Flag(int(n), None, words.meaning(text), text) for text, n in found.items())


def _option_flags(attributes: Mapping[str, Any]) -> Flags:
    """option_0 = "land", as files of ROMS say it."""
    found = []
    for number in range(10):
        for word in (f"option_{number}", f"option({number})"):
            text = attributes.get(word)
            if text is not None:
                found.append(Flag(number, None, words.meaning(str(text)), str(text)))
    return tuple(found)


def _whole_numbers(given: Any) -> list[int]:
    """Numbers of an attribute, which may be a text like "0, 1" or "0b 1b"; [] for anything else."""
    if given is None:
        return []
    parts = np.atleast_1d(np.asarray(given)).tolist()
    if isinstance(given, str):
        parts = [part.rstrip("bBsSlLuU.") for part in given.replace(",", " ").split()]
    try:
        numbers = [float(part) for part in parts]
    except (TypeError, ValueError):
        return []
    return [int(one) for one in numbers] if all(one.is_integer() for one in numbers) else []


def _agreed(source: MapSource, name: str, strong: Mapping[str, Flags]) -> Flags:
    """The flags of the first source, which other sources must not contradict."""
    told: dict[int, bool] = {}
    for flags in strong.values():
        for flag in flags:
            wet = flag.wet
            if flag.mask is None and wet is not None and told.setdefault(flag.value, wet) != wet:
                raise _contradiction(source, name, strong)
    flags = next(iter(strong.values()))
    if not any(flag.wet for flag in flags) and not any(flag.wet is False for flag in flags):
        raise _unclear(source, name, f"meanings without water or land ({_listed(flags)})")
    return flags


def _listed(flags: Flags) -> str:
    kinds = {True: "water", False: "land", None: ""}
    return ", ".join(f"{flag.value} {flag.meaning or kinds[flag.wet]}".strip() for flag in flags)


def _says(name: str, flags: Flags, why: str) -> str:
    """A run's note on the flags; nothing if 1 is water and 0 is land."""
    wet = [flag.value for flag in flags if flag.wet]
    if wet == [1] and all(flag.mask is None for flag in flags):
        return ""
    if [flag.value for flag in flags if flag.wet is False] == [1]:
        return f"land is 1 in {name} ({why}): inverted"
    return f"water is {' or '.join(map(str, wet))} in {name} ({why})"


# ---- what only names water or land


def _by_kind(source: MapSource, name: str, attributes: Mapping[str, Any], alone: bool) -> Water:
    """1 is what the name and the texts name; water where they name nothing and it is a mask."""
    texts = {word: _text(attributes.get(word)) for word in _TEXTS}
    told = {
        "its name": {True} if name in _WET_NAMES else words.name_kinds(name),
        **{f"{word} {shown(text)}": _kinds(text) for word, text in texts.items()},
    }
    clear = {what: kinds for what, kinds in told.items() if len(kinds) == 1}
    if {True} in clear.values() and {False} in clear.values():
        got = f"words that contradict each other: {' and '.join(clear)}"
        raise _unclear(source, name, got)
    turned = [what for what, text in zip([*told][1:], texts.values(), strict=True) if _odd(text)]
    if clear and not turned:
        first, kinds = next(iter(clear.items()))
        if kinds == {False} and not first.startswith(("its name", "standard_name")):
            raise _unclear(
                source, name, f"{first}, which is said where 1 is land and where it is 0"
            )
        why = "" if kinds == {True} else f"land is 1 in {name} (by {first}): inverted"
        return Water(name, _two(kinds == {True}), why)
    mentioned = turned or [what for what, kinds in told.items() if kinds]
    if mentioned:
        raise _unclear(source, name, f"{mentioned[-1]}, and nothing that says what 1 is")
    if foreign := _in_unknown_words(attributes):
        raise _unclear(source, name, f"{foreign}, which explains numbers in words of its own")
    return _by_default(source, name, alone)


def _in_unknown_words(attributes: Mapping[str, Any]) -> str:
    """The attribute that explains 0 or 1 with words that the table lacks: "1=terre". "" if none."""
    for word, given in attributes.items():
        text = _text(given)
        if word != "history" and words.explains_unknown(text, prose=word in _TEXTS):
            return f"{word} {shown(text)}"
    return ""


def _odd(text: str) -> bool:
    return bool(text) and words.turned(text)


def _by_default(source: MapSource, name: str, alone: bool) -> Water:
    """1 is water in what is called a mask, and in the only map of a file: both are noted."""
    plain = name in MASK_NAMES or words.is_plain_mask(name)
    if words.may_be_land(name) or not (alone or plain):
        raise _unclear(source, name, "no attribute that says what 1 is")
    bare = source.path.suffix == ".npy"  # an array alone, of which the help says what 1 is
    said = f"1 is taken as water in {name}: the file does not say"
    return Water(name, _two(True), "" if bare else said)


def _kinds(text: str) -> set[bool]:
    """The kinds that a text names; both where it names ice, lakes, 0 or 1, which may be either."""
    found = words.kinds(words.tokens(text))
    other = words.of_something_else(text) and (found or words.mentions_other(text))
    return {True, False} if other else found


# ---- refusals


def _contradiction(source: MapSource, name: str, strong: Mapping[str, Flags]) -> UserError:
    told = "; ".join(f"{word}: {_listed(flags)}" for word, flags in strong.items())
    return _unclear(source, name, f"attributes that contradict each other ({told})")


def _side(source: MapSource, name: str) -> bool | None:
    """True if the name says water, False if it says land, or else the texts; None if neither."""
    given = source.data[name].attrs
    texts = " ".join(_text(given.get(word)) for word in _TEXTS)
    for text in (name, texts):
        found = words.named_kinds(text)
        if found:
            return found.pop() if len(found) == 1 else None
    return None


def _unclear(source: MapSource, name: str, got: str) -> UserError:
    return user_error(
        source.about(name),
        got,
        "one meaning of its values",
        f"say which are water: {source.request.option('wet', f'{name} == 1')}, or "
        f"{source.request.option('wet', f'{name} == 0')}",
    )


def _a_share(source: MapSource, name: str, got: str, half: float) -> UserError:
    """Refuse a map of shares: how much water makes a cell wet is the user's choice."""
    side = _side(source, name)
    signs = {True: ">", False: "<", None: "><"}[side]
    options = [source.request.option("wet", f"{name} {sign} {half:g}") for sign in signs]
    expected = "0 (dry) or 1 (wet) in every cell"
    remedy = f"say where water begins: {', or '.join(options)}"
    return user_error(source.about(name), got, expected, remedy)


def unexplained(source: MapSource, water: Water, values: NDArray[Any], cell: str) -> UserError:
    """Make the error of values that are neither water nor land. Local.

    `values`: all of them in a block; `cell`: how messages call the cell of the first.
    """
    value = values[0]
    explained = any(flag.meaning for flag in water.flags)
    if not explained and ((values > 0) & (values < 1)).any():
        return _a_share(source, water.name, f"the share {value:g} in {cell}", 0.5)
    named = [one.meaning for one in water.flags if one.value == value and one.meaning]
    wet, dry = water.described(), water.described(wet=False)
    condition = f"{water.name} == {value:g}" if explained else f"{water.name} > 0"
    if not explained and wet == "0":
        condition = f"{water.name} {'< 50' if 10 < values.max() <= 100 else '== 0'}"
    return user_error(
        source.about(water.name),
        f"values other than {dry} (dry) and {wet} (wet): "
        f"{cell} is {value:g}{f' ({named[0]})' if named else ''}",
        f"{dry} or {wet} in every cell",
        f"say which cells are wet: {source.request.option('wet', condition)}",
    )
