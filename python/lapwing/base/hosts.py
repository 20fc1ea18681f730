"""The hosts on which a launcher starts ranks, if this machine is not the only one.

Four variables of the environment name them; `lapwing netlab` sets them for its COMMAND:

- LAPWING_HOSTS: addresses with commas between them.
- LAPWING_HOSTS_AGENT: a program that is called as ssh is, `AGENT [-x] HOST COMMAND`.
- LAPWING_HOSTS_NETWORK: the network of the addresses, like 10.77.0.0/24.
- LAPWING_HOSTS_FRONT: this machine's address there, where processes on the hosts report to.

Ranks fill one host after the other, equally many on each except for the last.
"""

from __future__ import annotations

import fcntl
import os
import socket
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from lapwing.base.error import user_error

_HOSTS = "LAPWING_HOSTS"
_AGENT, _NETWORK, _FRONT = (f"{_HOSTS}_{part}" for part in ("AGENT", "NETWORK", "FRONT"))
_SIOCGIFADDR = 0x8915  # asks Linux for the address of an interface


@dataclass(frozen=True)
class Hosts:
    """Addresses of hosts, what starts processes there, their network, and our address in it."""

    addresses: tuple[str, ...]
    agent: str
    network: str
    front: str

    def variables(self) -> dict[str, str]:
        """The variables for the environment of a command. Local."""
        return {
            _HOSTS: ",".join(self.addresses),
            _AGENT: self.agent,
            _NETWORK: self.network,
            _FRONT: self.front,
        }

    def launcher_options(self, launcher: str, ranks: int) -> list[str]:
        """The options of an mpiexec that is to start `ranks` ranks here, without their number.

        Local. `launcher`: whose it is, "MPICH", "Intel MPI" or "Open MPI".
        """
        slots = -(-ranks // len(self.addresses))  # the last hosts may have fewer or none
        places = ",".join(f"{address}:{slots}" for address in self.addresses)
        if launcher == "Open MPI":
            return [
                *("--prtemca", "plm_ssh_agent", self.agent),
                *("--prtemca", "prte_if_include", self.network),
                *("--mca", "btl_tcp_if_include", self.network),
                *("--host", places, "--map-by", ":OVERSUBSCRIBE", "--bind-to", "none"),
            ]
        agent = ["-launcher", "ssh", "-launcher-exec", self.agent]
        if launcher == "Intel MPI":  # tells hosts this machine's name instead, and knows no slots
            interface = _interface_of(self.front)
            named = ["-iface", interface] if interface else []
            return [*agent, *named, "-ppn", str(slots), "-hosts", ",".join(self.addresses)]
        return [*agent, "-localhost", self.front, "-hosts", places]


def _interface_of(address: str) -> str:
    """The network interface of this machine that has an address; "" if none has. Local."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asked:
        for _, name in socket.if_nameindex():
            try:
                told = fcntl.ioctl(asked.fileno(), _SIOCGIFADDR, struct.pack("256s", name.encode()))
            except OSError:
                continue  # it has no address of this kind
            if socket.inet_ntoa(told[20:24]) == address:
                return name
    return ""


def hosts_given(environment: Mapping[str, str] | None = None) -> Hosts | None:
    """The hosts that the environment names, None where it names none.

    Local. `environment`: instead of os.environ. Raises UserError where a part is missing.
    """
    variables = os.environ if environment is None else environment
    if not variables.get(_HOSTS):
        return None
    missing = [name for name in (_AGENT, _NETWORK, _FRONT) if not variables.get(name)]
    if missing:
        raise user_error(
            _HOSTS,
            f"hosts without {' and '.join(missing)}",
            "all four variables or none",
            f"unset {_HOSTS}, or set the others too",
        )
    addresses = tuple(variables[_HOSTS].split(","))
    return Hosts(addresses, *(variables[name] for name in (_AGENT, _NETWORK, _FRONT)))


def with_hosts(command: Sequence[str], hosts: Hosts, launcher: str) -> list[str]:
    """A user's own `mpiexec ... -n N ...` with the options that start it on these hosts. Local.

    `launcher`: whose it is. Raises UserError where it does not say how many ranks.
    """
    for option, number in pairwise(command):
        if option in ("-n", "-np", "--n", "--np") and number.isdecimal() and int(number) > 0:
            return [command[0], *hosts.launcher_options(launcher, int(number)), *command[1:]]
    raise user_error(
        " ".join(command), "no number of ranks", f"{command[0]} -n N PROGRAM", "add -n N"
    )
