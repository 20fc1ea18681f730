"""`lapwing predict`: what a step would take, rank by rank, without a rank that runs."""

from __future__ import annotations

from dataclasses import dataclass

from lapwing.base.error import user_error
from lapwing.core.names import check_strategy

from lapwing_lab.machine.machine import Machine, load_machine
from lapwing_lab.predict.closed_form import by_formula
from lapwing_lab.predict.described import by_description, is_description
from lapwing_lab.predict.entry import Entry, PredictionRequest
from lapwing_lab.predict.events import by_events
from lapwing_lab.predict.subject import Subject, subject_of

_MOST = 1_000_000  # ranks


@dataclass(frozen=True)
class Prediction:
    """All entries of a request."""

    request: PredictionRequest
    machine: Machine
    entries: list[Entry]

    def first(self, strategy: str) -> Entry:
        """The entry with the fewest ranks of a strategy, from which speed-up counts. Local."""
        mine = (entry for entry in self.entries if entry.strategy == strategy)
        return min(mine, key=lambda entry: entry.ranks)

    def speed_up(self, entry: Entry) -> float:
        """Times as many cells per second as one rank, taking the first entry as perfect. Local."""
        first = self.first(entry.strategy)
        return first.ranks * (entry.cells / entry.step) / (first.cells / first.step)

    def efficiency(self, entry: Entry) -> float:
        """Speed-up per rank. Local."""
        return self.speed_up(entry) / entry.ranks


def predict(request: PredictionRequest) -> Prediction:
    """Price every number of ranks and strategy of the request. Local.

    UserError for what is wrong with the request, and what cannot be predicted: each by its name.
    """
    machine = load_machine(request.machine)
    if is_description(request.case):
        return Prediction(request, machine, by_description(request, machine))
    if not request.ranks:
        expected = "one number or more, like 16,64"
        raise user_error("--ranks", "nothing", expected, "only a description has ranks of its own")
    subject = subject_of(request.case, request.sets)
    strategies = chosen(request, subject)
    cuts = [subject.cut(machine, ranks) for ranks in request.ranks]
    price = by_formula if request.model == "closed-form" else by_events
    entries = [
        price(request, machine, subject, cut, strategy) for cut in cuts for strategy in strategies
    ]
    return Prediction(request, machine, entries)


def parse_ranks(text: str) -> tuple[int, ...]:
    """Numbers of ranks from a text like "16,64", each once. Local; UserError for any other."""
    parts = [part.strip() for part in text.split(",")]
    if not all(part.isascii() and part.isdigit() and 0 < int(part) <= _MOST for part in parts):
        expected = f'numbers from 1 to {_MOST} with commas between, like "16,64,256"'
        raise user_error("--ranks", repr(text), expected, "change it")
    return tuple(dict.fromkeys(int(part) for part in parts))


def chosen(request: PredictionRequest, subject: Subject) -> tuple[str, ...]:
    """The strategies to predict. Local; UserError for unknown ones, and for auto."""
    names = request.strategies or (subject.strategy,)
    if request.model == "closed-form" and not request.strategies:
        return ("blocking",)
    if names == ("auto",) and not request.strategies:
        return "blocking", "dataflow"
    found = dict.fromkeys(check_strategy("--strategy", name) for name in names)
    if "auto" in found:
        got = "'auto', which takes one of the others by measurement"
        remedy = "name those that it tries: blocking,edge-first,dataflow,deep:2"
        raise user_error("--strategy", got, "strategies with a task list", remedy)
    return tuple(found)
