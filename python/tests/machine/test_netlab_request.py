"""Emulated clusters as numbers, names and command lines; nothing is made here."""

import subprocess
from pathlib import Path

import pytest
from lapwing.base.error import OutsideError, UserError
from lapwing.machine.netlab import netlab
from lapwing.machine.netlab.cluster import (
    NetlabRequest,
    agent_script,
    bridge_commands,
    cable_command,
    device_commands,
    node_script,
    parse,
    port_commands,
)

COMMAND = ("lapwing", "bench", "overlap")


def request(nodes: int = 2, rate: str = "1gbit", delay: str | None = None) -> NetlabRequest:
    return parse(nodes, rate, delay, COMMAND, 4711)


@pytest.mark.parametrize(
    ("text", "rate"),
    [("1gbit", 1e9), ("200mbit", 2e8), ("2.5Gbit", 2.5e9), ("500kbit", 5e5), (" 10gbit ", 1e10)],
)
def test_rates(text: str, rate: float) -> None:
    assert request(rate=text).rate == rate


@pytest.mark.parametrize(("text", "delay"), [("60us", 60e-6), ("1.5ms", 1.5e-3), ("1s", 1.0)])
def test_delays(text: str, delay: float) -> None:
    assert request(delay=text).delay == pytest.approx(delay)


def test_no_delay() -> None:
    assert request().delay == 0


@pytest.mark.parametrize(
    "rate", ["", "fast", "1", "1 gbit", "1gbps", "-1gbit", "0gbit", "1e99gbit"]
)
def test_bad_rates_name_units_and_limits(rate: str) -> None:
    with pytest.raises(UserError, match=r"--rate: got .*kbit, mbit, gbit, 100kbit to 100gbit; "):
        request(rate=rate)


@pytest.mark.parametrize("delay", ["60", "0us", "60 us", "11s", "1min"])
def test_bad_delays_name_units_and_limits(delay: str) -> None:
    with pytest.raises(UserError, match=r"--delay: got .* one of us, ms, s, 1us to 10s; "):
        request(delay=delay)


@pytest.mark.parametrize("nodes", [0, -1, 65])
def test_bad_numbers_of_nodes(nodes: int) -> None:
    with pytest.raises(UserError, match=r"--nodes: got .* expected 1 to 64"):
        request(nodes)


def test_no_command() -> None:
    with pytest.raises(UserError, match="COMMAND: got nothing"):
        parse(2, "1gbit", None, (), 1)


def test_names_carry_the_process_and_addresses_the_network() -> None:
    made = request(3)
    assert [made.name(node) for node in range(3)] == [f"lapwing-4711-{n}" for n in range(3)]
    assert [made.address(node) for node in range(3)] == ["10.77.0.1", "10.77.0.2", "10.77.0.3"]
    assert made.front_address not in {made.address(node) for node in range(64)}


def test_a_request_survives_a_command_line() -> None:
    made = request(3, "200mbit", "60us")
    assert NetlabRequest.from_text(made.to_text()) == made


def test_links_are_shaped_with_small_packets_and_bursts() -> None:
    commands = [" ".join(words) for words in device_commands(request(), 1, netem=False)]
    assert commands == [
        "ip address add 10.77.0.2/24 dev eth0",
        "ip link set eth0 gso_max_size 16384 up",
        "tc qdisc add dev eth0 root handle 1: tbf rate 1000000000bit burst 32kb latency 50ms",
    ]
    assert " ".join(cable_command(1, 99)) == "ip link add port1 type veth peer name eth0 netns 99"
    assert ["ip", "address", "add", "10.77.0.254/24", "dev", "lapwing"] in bridge_commands(
        request()
    )


def test_the_kernel_delays_where_it_can() -> None:
    delayed = request(delay="60us")
    with_netem = [" ".join(words) for words in device_commands(delayed, 0, netem=True)]
    assert with_netem[-1].startswith("tc qdisc add dev eth0 parent 1:1 netem delay 60us")
    assert with_netem[:-1] == [" ".join(w) for w in device_commands(delayed, 0, netem=False)]


def test_ports_are_shaped_where_several_nodes_may_send_to_one() -> None:
    assert len(port_commands(request(2), 0)) == 1
    shaped = " ".join(port_commands(request(3), 0)[1])
    assert shaped.startswith("tc qdisc add dev port0 root handle 1: tbf rate 1000000000bit")


def test_a_node_is_a_machine_of_its_own() -> None:
    script = node_script("lapwing-1-0")
    assert "lapwing-1-0 > /proc/sys/kernel/hostname" in script
    assert "mount --bind /dev/shm/boot_id /proc/sys/kernel/random/boot_id" in script
    assert "reno > /proc/sys/net/ipv4/tcp_congestion_control" in script


def test_the_agent_is_called_as_ssh_is(tmp_path: Path) -> None:
    entered = tmp_path / "nsenter"
    entered.write_text(
        '#!/bin/sh\necho "$1"\nwhile [ "$1" != -- ]; do shift; done\nshift\nexec "$@"\n'
    )
    agent = tmp_path / "agent"
    agent.write_text(agent_script({"10.77.0.1": 11, "10.77.0.2": 22}))
    for file in (entered, agent):
        file.chmod(0o755)

    def call(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [agent, *arguments],
            env={"PATH": f"{tmp_path}:/usr/bin:/bin"},
            capture_output=True,
            text=True,
            timeout=10,
            check=False,
        )

    # a shell reads what follows the host, as on the far end of ssh
    done = call("-x", "10.77.0.2", '"printf"', "'%s|'", "a\\ b", "c;", "echo", "d")
    assert done.stdout == "--target=22\na b|c|d\n"
    assert call("10.77.0.1", "echo here").stdout == "--target=11\nhere\n"
    unknown = call("10.77.0.3", "echo never")
    assert (unknown.returncode, unknown.stdout) == (3, "")
    assert "no host 10.77.0.3" in unknown.stderr


def test_missing_programs_are_named_with_their_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.which", lambda name: None if name in ("ip", "tc") else name)
    with pytest.raises(OutsideError, match=r"got no ip and no tc on PATH; .* install iproute2"):
        netlab.require()


def test_other_users_than_root_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.which", lambda name: name)
    monkeypatch.setattr("os.geteuid", lambda: 1000)
    with pytest.raises(OutsideError, match="got user 1000; expected root; "):
        netlab.require()
