"""Values that nobody expects, for every key that a file may have: what a fuzzer reaches rarely.

A case, a machine and a tuned file, right except for one key.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import targets
from lapwing.base import settings
from lapwing.model.case import OutputSettings, RunSettings

DIGITS, TEXT = "0x" + "f" * 3900, "x" * 3900
VALUES = (
    *(DIGITS, f"[{DIGITS}]", f"'{TEXT}'", f"['{TEXT}']", f"{{ {TEXT} = 1 }}"),
    *("[]", "[[]]", "[1, 2, 3]", "['a']", "{}", "{ a = 1 }", "[{}]", "[{ a = 1, b = 2 }]"),
    *("true", "nan", "inf", "-inf", "-1", "0", "1e300", "2147483647", "-2147483648"),
    *("0x7fffffffffffffff", "1979-05-27", "07:32:00", "1979-05-27 07:32:00", "''", "'../up'"),
)

Texts = Iterator[str]


def tables_of(keys: set[str]) -> set[str]:
    """The tables that keys are in."""
    parts = (key.split(".") for key in keys)
    return {".".join(words[:n]) for words in parts for n in range(1, len(words))}


def of_case() -> Texts:
    """Cases of every model, and settings of the command line."""
    common = {*settings.leaves(RunSettings, "run."), *settings.leaves(OutputSettings, "output.")}
    for name, model in targets.MODELS.items():
        keys = common | set(settings.leaves(model.settings))
        for key in sorted(keys | tables_of(keys) | {"title"}):
            for value in VALUES:
                yield f'{key} = {value}\nmodel = "{name}"\n'
                yield f'model = "{name}"\n\n---\n{key}={value}\n'
    for value in VALUES:
        yield f"model = {value}\n"


NODES = {"nodes.count": "2", "nodes.ranks_per_node": "1"}
LINK = ("latency", "bandwidth", "shared", "burst", "burst_bandwidth", "torus", "fat_tree.down")
MACHINE = (
    *("title", "compute.coast", "compute.coast.box", "messages.mpich.network.send", "packing.call"),
    *(f"{link}.{key}" for link in ("network", "node", "joint") for key in LINK),
    *("group", "nodes.speeds", "nodes.placement", *NODES, TEXT),
)


def of_machine() -> Texts:
    """Machines of two nodes."""
    for key in sorted({*MACHINE, *tables_of(set(MACHINE))}):
        kept = {one: number for one, number in NODES.items() if not f"{one}.".startswith(f"{key}.")}
        nodes = "".join(f"{one} = {number}\n" for one, number in kept.items())
        for value in VALUES:
            yield f"{key} = {value}\n{nodes}"
            yield f"{key} = {value}\n{nodes}[[compute.tracer]]\nbox = [3, 3]\nupdate = {value}\n"
            yield f"{nodes}[[group]]\nnodes = {value}\nlatency = {value}\n"


def of_tuned() -> Texts:
    """Files with the tuned choices of a step, and of a run."""
    import seeds

    head, _, rows = seeds.TUNED.decode().partition("\n\n")
    for table in (head, rows):
        lines = table.splitlines()
        for number, line in enumerate(lines[1:], start=1):
            for value in VALUES:
                key = line.split("=")[0]
                yield "\n".join([*lines[:number], f"{key}= {value}", *lines[number + 1 :]])
    for key in ("step", "run", "any"):
        for value in VALUES:
            yield f"{key} = {value}\n"


TEXTS: dict[str, Callable[[], Texts]] = {
    "case": of_case,
    "machine": of_machine,
    "tuned": of_tuned,
}
