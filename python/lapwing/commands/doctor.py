"""`lapwing doctor`: what this installation lacks."""

from __future__ import annotations

from lapwing.base.agreement import DONE, NO
from lapwing.commands.options import Debug, answered


@answered
def doctor(debug: Debug = False) -> int:
    """Say what is installed, what is missing, and the command that fixes it."""

    from lapwing.inspect.doctor import examine, is_healthy, print_checks

    checks = examine()
    print_checks(checks)
    return DONE if is_healthy(checks) else NO
