"""Lines of `lapwing doctor` on this package: can networks be emulated and simulated here?"""

from __future__ import annotations

from lapwing.base.finding import Finding

from lapwing_lab.netlab import netlab
from lapwing_lab.simulate import simgrid


def examine() -> list[Finding]:
    """Look at both. Local."""
    return [simulator(), emulated_networks()]


def emulated_networks() -> Finding:
    """True if `lapwing netlab` works here: found by trying, with one node. Local."""
    trouble = netlab.trouble()
    found = trouble or "`lapwing netlab` works"
    remedy = "root and `apt-get install iproute2`, in a container a privileged one"
    return Finding("emulated networks", found, remedy if trouble else "", necessary=False)


def simulator() -> Finding:
    """True if SimGrid is built. Local."""
    there = simgrid.is_there()
    found = f"{simgrid.prefix() if there else 'not built'}; for `lapwing simulate`"
    remedy = "" if there else "make simgrid (in lapwing's sources; minutes)"
    return Finding(f"SimGrid {simgrid.VERSION}", found, remedy, necessary=False)
