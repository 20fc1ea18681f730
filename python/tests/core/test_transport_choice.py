"""What transport auto says of its choice."""

import re
import subprocess
from collections.abc import Callable

RunOnRanks = Callable[..., subprocess.CompletedProcess[str]]

CHOICES = """
import lapwing
domain = lapwing.Domain((60, 40), periodic=True)
heat = domain.field("heat", halo=2)
found, given = lapwing.HaloExchange([heat]), lapwing.HaloExchange([heat], transport="p2p")
assert given.choice == "", given.choice
assert found.choice.startswith(f"auto took {found.transport}"), found.choice
print(found.choice)
del found, given
domain.close()
"""


def test_a_choice_says_what_it_found_and_when_it_has_paid(run_on_ranks: RunOnRanks) -> None:
    lines = run_on_ranks(2, CHOICES).stdout.splitlines()
    assert len(lines) == 2
    assert lines[0] == lines[1]  # all ranks found the same
    assert re.search(r"p2p [0-9.e+]+ us", lines[0])
    assert "onesided" in lines[0]
    assert re.search(r"measuring took [0-9.e+]+ us, (paid after \d+ exchanges|and it is)", lines[0])


def test_one_rank_measures_nothing(run_on_ranks: RunOnRanks) -> None:
    assert "unmeasured" in run_on_ranks(1, CHOICES).stdout
