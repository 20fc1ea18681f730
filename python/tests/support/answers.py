"""Checks of a command's answer."""

from command_server import Answer


def assert_wrong_request(answer: Answer, *words: str) -> None:
    """The command ended with code 2 and one error: what it got, what was expected, what to do."""
    assert answer.code == 2, answer.out + answer.err
    for word in words:
        assert word in answer.err
    assert answer.err.count("error:") == 1
    for part in ("got:", "expected:", "remedy:"):
        assert part in answer.err
    assert "Traceback" not in answer.err
