"""Emulated clusters as numbers, names and command lines; nothing is made here."""

import subprocess
from pathlib import Path

import pytest
from lapwing.base.error import OutsideError, UserError
from lapwing_lab.netlab import netlab
from lapwing_lab.netlab.cluster import agent_script, node_script
from lapwing_lab.netlab.links import (
    bridge_commands,
    bridge_of,
    cable_command,
    device_commands,
    joint_cable_command,
    joint_commands,
    port_commands,
)
from lapwing_lab.netlab.request import (
    FRONT,
    NetlabRequest,
    NetworkOptions,
    all_links,
    in_words,
    parse,
    rate,
)

COMMAND = ("lapwing", "bench", "overlap")


def asked(options: NetworkOptions) -> NetlabRequest:
    return parse(options, COMMAND, 4711)


def request(nodes: int = 2, rate: str = "1gbit", delay: str | None = None) -> NetlabRequest:
    return asked(NetworkOptions(nodes, rate, delay))


def joined(*groups: str, joint: str | None = "200mbit,1ms") -> NetlabRequest:
    return asked(NetworkOptions(group=groups, joint=joint))


def lines(commands: list[list[str]]) -> list[str]:
    return [" ".join(words) for words in commands]


@pytest.mark.parametrize(
    ("text", "bits"),
    [("1gbit", 1e9), ("200mbit", 2e8), ("2.5Gbit", 2.5e9), ("500kbit", 5e5), (" 10gbit ", 1e10)],
)
def test_rates(text: str, bits: float) -> None:
    assert rate(request(rate=text).link(0)) == bits


@pytest.mark.parametrize(("text", "delay"), [("60us", 60e-6), ("1.5ms", 1.5e-3), ("1s", 1.0)])
def test_delays(text: str, delay: float) -> None:
    assert request(delay=text).link(1).latency == pytest.approx(delay)


def test_defaults() -> None:
    made = asked(NetworkOptions())
    assert (made.nodes, rate(made.link(0)), made.link(0).latency) == (2, 1e9, 0)


@pytest.mark.parametrize(
    "text", ["", "fast", "1", "1 gbit", "1gbps", "-1gbit", "0gbit", "1e99gbit"]
)
def test_bad_rates_name_units_and_limits(text: str) -> None:
    with pytest.raises(UserError, match=r"--rate: got .*kbit, mbit, gbit, 100kbit to 100gbit; "):
        request(rate=text)


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
        parse(NetworkOptions(), (), 1)


def test_names_carry_the_process_and_addresses_the_network() -> None:
    made = request(3)
    assert [made.name(node) for node in range(3)] == [f"lapwing-4711-{n}" for n in range(3)]
    assert [made.address(node) for node in range(3)] == ["10.77.0.1", "10.77.0.2", "10.77.0.3"]
    assert FRONT not in {made.address(node) for node in range(64)}


@pytest.mark.parametrize(
    "made", [request(3, "200mbit", "60us"), joined("1@1gbit", "2@100mbit,60us")]
)
def test_a_request_survives_a_command_line(made: NetlabRequest) -> None:
    assert NetlabRequest.from_text(made.to_text()) == made


def test_links_are_shaped_with_small_packets_and_bursts() -> None:
    assert lines(device_commands(request(), 1, netem=False)) == [
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
    with_netem = lines(device_commands(delayed, 0, netem=True))
    assert with_netem[-1].startswith("tc qdisc add dev eth0 parent 1:1 netem delay 60us")
    assert with_netem[:-1] == lines(device_commands(delayed, 0, netem=False))


def test_ports_are_shaped_where_several_nodes_may_send_to_one() -> None:
    assert len(port_commands(request(2), 0)) == 1
    shaped = lines(port_commands(request(3), 0))[1]
    assert shaped.startswith("tc qdisc add dev port0 root handle 1: tbf rate 1000000000bit")


# ---- groups


def test_groups_have_links_of_their_own() -> None:
    made = joined("1@1gbit", " 2 @ 100mbit, 60us ")
    assert made.nodes == 3
    assert [rate(made.link(node)) for node in range(3)] == [1e9, 1e8, 1e8]
    assert [made.link(node).latency for node in range(3)] == pytest.approx([0, 60e-6, 60e-6])
    joint = made.shape.joint
    assert joint is not None
    assert (rate(joint), joint.latency) == (2e8, 1e-3)
    assert len(all_links(made.shape)) == 3


def test_networks_in_words() -> None:
    assert in_words(request(2).shape) == "2 nodes at 1000 Mbit/s"
    assert in_words(joined("1@1gbit", "2@500kbit").shape) == (
        "1 node at 1000 Mbit/s and 2 nodes at 0.5 Mbit/s, joined at 200 Mbit/s and 1000 us,"
    )


def test_groups_have_bridges_of_their_own() -> None:
    made = joined("1@1gbit", "2@100mbit")
    assert [bridge_of(made, node) for node in range(3)] == ["group0", "group1", "group1"]
    assert bridge_of(request(), 0) == "lapwing"
    made_bridges = [line for line in lines(bridge_commands(made)) if line.endswith("type bridge")]
    assert [line.split()[3] for line in made_bridges] == ["lapwing", "group0", "group1"]
    assert lines(port_commands(made, 2)) == [
        "ip link set port2 gso_max_size 16384 master group1 up",
        # a node of the other group may send faster
        "tc qdisc add dev port2 root handle 1: tbf rate 100000000bit burst 32kb latency 50ms",
    ]


def test_a_link_joins_each_group_with_the_front() -> None:
    assert lines([joint_cable_command(1)]) == ["ip link add up1 type veth peer name down1"]
    two = lines(joint_commands(joined("1@1gbit", "2@100mbit"), 1, netem=False))
    shaper = "root handle 1: tbf rate 200000000bit burst 32kb latency 50ms"
    assert two == [
        "ip link set up1 gso_max_size 16384 master group1 up",
        f"tc qdisc add dev up1 {shaper}",
        "ip link set down1 gso_max_size 16384 master lapwing up",
    ]
    three = joined("1@1gbit", "2@100mbit", "3@1gbit")
    assert lines(joint_commands(three, 1, netem=False)) == [
        *two,
        f"tc qdisc add dev down1 {shaper}",  # two groups may send to it
    ]
    delays = set(lines(joint_commands(three, 1, netem=True))) - set(
        lines(joint_commands(three, 1, netem=False))
    )
    assert delays == {"tc qdisc add dev up1 parent 1:1 netem delay 1000us limit 100000"}


@pytest.mark.parametrize("text", ["", "2", "1gbit", "2x1gbit", "0@1gbit", "-1@1gbit", "1.5@1gbit"])
def test_bad_groups_are_told_how_to_write_them(text: str) -> None:
    with pytest.raises(UserError, match=r"--group: got .*NODES@RATE\[,DELAY\].*write 2@1gbit"):
        joined("2@1gbit", text)


@pytest.mark.parametrize("text", ["2@", "2@1", "2@fast", "2@60us", "2@1gbit@1gbit", "2@2tbit"])
def test_bad_rates_of_groups(text: str) -> None:
    with pytest.raises(UserError, match=r"--group: got .* one of kbit, mbit, gbit, .*write 1gbit"):
        joined("2@1gbit", text)


@pytest.mark.parametrize("text", ["2@1gbit,", "2@1gbit,60", "2@1gbit,1min", "2@1gbit,1us,1us"])
def test_bad_delays_of_groups(text: str) -> None:
    with pytest.raises(UserError, match=r"--group: got .* one of us, ms, s, .*write 60us"):
        joined("2@1gbit", text)


@pytest.mark.parametrize("text", ["", "1", "quick", "1gbit 1ms", "1gbit,1"])
def test_bad_joints(text: str) -> None:
    with pytest.raises(UserError, match=r"--joint: got .* a number and one of "):
        joined("1@1gbit", "1@1gbit", joint=text)


def test_groups_without_a_link_between_them() -> None:
    with pytest.raises(UserError, match=r"--joint: got none .*RATE\[,DELAY\].*add --joint"):
        joined("1@1gbit", "1@1gbit", joint=None)


def test_a_link_between_no_groups() -> None:
    with pytest.raises(UserError, match=r"--group: got none, but --joint; expected two groups"):
        joined()


@pytest.mark.parametrize("joint", ["1gbit", None])
def test_one_group(joint: str | None) -> None:
    with pytest.raises(UserError, match=r"--group: got one of them; .*use --nodes, --rate and"):
        joined("2@1gbit", joint=joint)


def test_groups_of_too_many_nodes_together() -> None:
    with pytest.raises(UserError, match=r"--group: got 65 nodes; expected 1 to 64; "):
        joined("60@1gbit", "5@1gbit")


@pytest.mark.parametrize(
    ("options", "named"),
    [
        (NetworkOptions(nodes=2, group=("1@1gbit", "1@1gbit"), joint="1gbit"), "--nodes and --gr"),
        (NetworkOptions(rate="1gbit", group=("1@1gbit", "1@1gbit")), "--rate and --group"),
        (NetworkOptions(delay="1us", joint="1gbit"), "--delay and --joint"),
        (NetworkOptions(nodes=2, machine="office"), "--nodes and --machine"),
        (NetworkOptions(joint="1gbit", machine="office"), "--joint and --machine"),
    ],
)
def test_options_of_several_networks(options: NetworkOptions, named: str) -> None:
    with pytest.raises(UserError, match=rf"{named}.*: got several networks; .*use one of these"):
        asked(options)


# ---- machine files

LINK = 'latency = "20 us"\nbandwidth = "1 Gbit/s"\n'
SLOW = 'latency = "1 ms"\nbandwidth = "100 Mbit/s"\n'
GROUPS = f"[[group]]\nnodes = 1\n{LINK}[[group]]\nnodes = 2\n{SLOW}[joint]\n{SLOW}"


def from_machine(folder: Path, network: str, nodes: str = "count = 3") -> NetlabRequest:
    file = folder / "mine.toml"
    file.write_text(f"[nodes]\n{nodes}\nranks_per_node = 1\n{network}")
    return asked(NetworkOptions(machine=str(file)))


def test_the_nodes_and_groups_of_a_machine_file(tmp_path: Path) -> None:
    made = from_machine(tmp_path, GROUPS)
    by_hand = joined("1@1gbit,20us", "2@100mbit,1ms", joint="100mbit,1ms")
    assert made.nodes == 3
    links, expected = all_links(made.shape), all_links(by_hand.shape)
    assert [rate(link) for link in links] == [rate(link) for link in expected]
    delays = [link.latency for link in expected]
    assert [link.latency for link in links] == pytest.approx(delays)


def test_a_machine_file_of_nodes_that_are_alike() -> None:
    made = asked(NetworkOptions(machine="getm-cluster"))
    assert (made.nodes, rate(made.link(0)), made.shape.joint) == (15, 528e6, None)
    assert made.link(0).latency == pytest.approx(65e-6)


def test_one_group_of_a_machine_file_is_not_joined(tmp_path: Path) -> None:
    made = from_machine(tmp_path, f"[[group]]\nnodes = 3\n{LINK}[joint]\n{SLOW}")
    assert (made.nodes, made.shape.joint) == (3, None)


NETWORK = f"[network]\n{LINK}"
TREE = "fat_tree = { down = [3], up = [1] }\n"


@pytest.mark.parametrize(
    ("network", "nodes", "got"),
    [
        (f"{NETWORK}torus = [3]\n", "count = 3", "a torus"),
        (f"{NETWORK}{TREE}", "count = 3", "a fat tree"),
        (NETWORK, "count = 3\nspeeds = [[2, 1.0], [1, 0.5]]", "nodes of several speeds"),
        (NETWORK, 'count = 3\nplacement = "spread"', "ranks spread over the nodes"),
        (NETWORK, "count = 65", "65 nodes; expected 1 to 64"),
        (NETWORK.replace("1 G", "200 G"), "count = 3", "a link of 200000 Mbit/s; expected 100kbit"),
        (GROUPS.replace("1 ms", "11 s"), "count = 3", "a latency of 11 s; expected 1us to 10s"),
        ("", "count = 3", r"no table \[network\]"),
    ],
)
def test_machine_files_that_cannot_be_emulated(
    tmp_path: Path, network: str, nodes: str, got: str
) -> None:
    with pytest.raises(UserError, match=f"machine mine: got {got}.*; "):
        from_machine(tmp_path, network, nodes)


def test_machine_files_that_are_not_there() -> None:
    with pytest.raises(UserError, match=r"--machine no-such\.toml: got "):
        asked(NetworkOptions(machine="no-such.toml"))


# ---- nodes


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
    # as the launcher of Intel MPI calls it
    assert call("-q", "-x", "10.77.0.1", "echo here").stdout == "--target=11\nhere\n"
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
