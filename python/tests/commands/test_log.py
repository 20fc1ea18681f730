"""The library's log, as commands print it."""

import logging
from collections.abc import Iterator

import pytest
from lapwing.commands.options import tell_log


@pytest.fixture
def log() -> Iterator[logging.Logger]:
    """The library's log as it is within a command; afterwards as it was."""
    library = logging.getLogger("lapwing")
    before = list(library.handlers), library.level, library.propagate
    tell_log()
    yield library.getChild("core")
    library.handlers, library.level, library.propagate = before


def test_commands_print_the_log(log: logging.Logger, capsys: pytest.CaptureFixture[str]) -> None:
    tell_log()  # again: no line comes twice
    log.debug("an exchange")
    log.info("compiling")
    log.warning("a %s size", "slow")
    told = capsys.readouterr()
    assert told.out == "compiling\n"
    assert told.err == "lapwing: warning: a slow size\n"
