"""What `lapwing doctor` says of the laboratory."""

import pytest
from lapwing_lab import checks


def test_what_emulated_networks_lack_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lapwing_lab.netlab.netlab.trouble", lambda: "")
    assert checks.emulated_networks().remedy == ""
    monkeypatch.setattr("lapwing_lab.netlab.netlab.trouble", lambda: "no tc on PATH")
    check = checks.emulated_networks()
    assert (check.found, check.necessary) == ("no tc on PATH", False)
    assert "iproute2" in check.remedy
