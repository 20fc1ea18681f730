"""A machine file as SimGrid sees it: its platform and the places of the ranks."""

from __future__ import annotations

from lapwing.base.error import user_error
from lapwing.machine.machine import Machine

SPEED = 1e9  # flop/s of every simulated core: computing is charged in seconds, so any would do

_DOCUMENT = """<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <cluster id="machine" prefix="node-" suffix="" radical="0-{last}" speed="{speed:.17g}f"
           core="{ranks_per_node}" bw="{bandwidth:.17g}Bps" lat="{half_latency:.17g}s"
           sharing_policy="SPLITDUPLEX"
           loopback_bw="{node_bandwidth:.17g}Bps" loopback_lat="{node_latency:.17g}s"/>
</platform>
"""


def platform(machine: Machine) -> str:
    """The platform file: nodes with a link up and a link down each. Local.

    The ranks of a node share its links. The switch between them never blocks: as no link of its
    own, which would make SimGrid share out all messages of the machine together. A message crosses
    two links, each with half the latency. UserError where the file lacks a link.
    """
    network, node = machine.link("network"), machine.link("node")
    return _DOCUMENT.format(
        last=machine.nodes - 1,
        speed=SPEED,
        ranks_per_node=machine.ranks_per_node,
        bandwidth=network.bandwidth,
        half_latency=network.latency / 2,
        node_bandwidth=node.bandwidth,
        node_latency=node.latency,
    )


def hosts(machine: Machine, ranks: int) -> str:
    """The host file: the node of each rank, nodes filled one after the other. Local.

    UserError for more ranks than the machine holds.
    """
    most = machine.nodes * machine.ranks_per_node
    if ranks > most:
        raise user_error(
            "--ranks",
            str(ranks),
            f"at most {most}, the {machine.nodes} nodes of {machine.name} full",
            "start fewer, or name a larger machine",
        )
    return "".join(f"node-{rank // machine.ranks_per_node}\n" for rank in range(ranks))
