"""Hosts given by the environment: what launchers are told of them."""

import pytest
from lapwing.base.error import UserError
from lapwing.base.hosts import Hosts, hosts_given, with_hosts
from lapwing.core import mpi_runtime

TWO = Hosts(("10.77.0.1", "10.77.0.2"), "/agent", "10.77.0.0/24", "10.77.0.254")


def test_hosts_survive_the_environment() -> None:
    assert hosts_given(TWO.variables()) == TWO
    assert hosts_given({}) is None


def test_half_a_list_of_hosts_is_refused() -> None:
    variables = TWO.variables()
    del variables["LAPWING_HOSTS_AGENT"]
    with pytest.raises(UserError, match="hosts without LAPWING_HOSTS_AGENT"):
        hosts_given(variables)


@pytest.mark.parametrize(("ranks", "slots"), [(1, 1), (2, 1), (3, 2), (4, 2), (5, 3)])
def test_ranks_fill_one_host_after_the_other(ranks: int, slots: int) -> None:
    options = TWO.launcher_options("MPICH", ranks)
    assert options[-2:] == ["-hosts", f"10.77.0.1:{slots},10.77.0.2:{slots}"]


@pytest.mark.parametrize(("ranks", "slots"), [(1, 1), (4, 2), (5, 3)])
def test_the_launcher_of_intel_mpi_is_told_the_interface_and_ranks_of_a_host(
    ranks: int, slots: int
) -> None:
    here = Hosts(TWO.addresses, TWO.agent, "127.0.0.0/8", "127.0.0.1")
    options = here.launcher_options("Intel MPI", ranks)
    assert options[:4] == ["-launcher", "ssh", "-launcher-exec", "/agent"]
    assert options[4:6] == ["-iface", "lo"]
    assert options[6:] == ["-ppn", str(slots), "-hosts", "10.77.0.1,10.77.0.2"]
    elsewhere = TWO.launcher_options("Intel MPI", ranks)  # no interface here has its front
    assert elsewhere == [*options[:4], *options[6:]]


def test_launchers_of_both_families_are_told_agent_and_network() -> None:
    mpich = " ".join(TWO.launcher_options("MPICH", 2))
    assert "-launcher ssh -launcher-exec /agent -localhost 10.77.0.254" in mpich
    open_mpi = " ".join(TWO.launcher_options("Open MPI", 2))
    for words in (
        "--prtemca plm_ssh_agent /agent",
        "--prtemca prte_if_include 10.77.0.0/24",
        "--mca btl_tcp_if_include 10.77.0.0/24",
        "--bind-to none",
        "--host 10.77.0.1:1,10.77.0.2:1",
    ):
        assert words in open_mpi


def test_the_launcher_of_lapwing_takes_the_hosts(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"):
        monkeypatch.delenv(name, raising=False)
    for name, value in TWO.variables().items():
        monkeypatch.setenv(name, value)
    options = TWO.launcher_options(mpi_runtime.built_with().launcher, 4)
    assert mpi_runtime.launcher_command(4)[1:] == [*options, "-n", "4"]


def test_a_launcher_of_the_users_own_gets_the_options() -> None:
    command = with_hosts(["mpiexec", "-l", "-n", "3", "model"], TWO, "MPICH")
    assert command == ["mpiexec", *TWO.launcher_options("MPICH", 3), "-l", "-n", "3", "model"]
    with pytest.raises(UserError, match="no number of ranks"):
        with_hosts(["mpiexec", "model"], TWO, "MPICH")
