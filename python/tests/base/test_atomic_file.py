"""Files that appear complete or not at all; what is no regular file is written through."""

import os
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from lapwing.base.atomic_file import check_file, complete_or_absent, part_of, write_text_file
from lapwing.base.error import OutsideError, UserError


def write(path: Path, text: str) -> None:
    check_file("--json", path)
    write_text_file(str(path), path, text)


def test_file_that_fails_leaves_the_old_one(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_text("old")
    with pytest.raises(KeyError), complete_or_absent(path) as part:  # noqa: PT012
        part.write_text("half")
        raise KeyError
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_symbolic_link_stays_one(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    link, target = tmp_path / "link", tmp_path / "there" / "target"
    link.symlink_to("there/target")
    for text in ("first", "second"):  # at first it points to nothing
        write(link, text)
        assert link.is_symlink()
        assert target.read_text() == text
    assert part_of(link) == target.with_name("target.part")
    assert sorted(p.name for p in tmp_path.rglob("*")) == ["link", "target", "there"]


def test_a_link_that_leads_nowhere_is_refused(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("no/such/folder")
    (tmp_path / "circle").symlink_to("circle")
    for name in ("link", "circle"):
        with pytest.raises(UserError, match=f"--json .*{name}"):
            check_file("--json", tmp_path / name)


def test_a_fifo_is_written_through(tmp_path: Path) -> None:
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    read: list[str] = []
    reader = threading.Thread(target=lambda: read.append(fifo.read_text()), daemon=True)
    reader.start()
    write(fifo, "through")
    reader.join(timeout=10)
    assert read == ["through"]
    assert stat.S_ISFIFO(fifo.stat().st_mode)
    assert list(tmp_path.iterdir()) == [fifo]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can make a device")
def test_a_device_is_written_through(tmp_path: Path) -> None:
    null, full = tmp_path / "null", tmp_path / "full"
    os.mknod(null, 0o666 | stat.S_IFCHR, os.makedev(1, 3))
    os.mknod(full, 0o666 | stat.S_IFCHR, os.makedev(1, 7))
    try:
        null.write_text("a trial")
    except OSError:
        pytest.skip("no devices on this disk")
    write(null, "away")
    with pytest.raises(OutsideError, match="No space left"):
        write(full, "away")
    assert all(stat.S_ISCHR(path.stat().st_mode) for path in (null, full))
    assert len(list(tmp_path.iterdir())) == 2


@pytest.mark.parametrize("to", ["pipe", "file"])
def test_standard_output_is_written_through(tmp_path: Path, to: str) -> None:
    code = (
        "from pathlib import Path; from lapwing.base.atomic_file import *; "
        "print('before', flush=True); p = Path('/dev/stdout'); check_file('--json', p); "
        "write_text_file('out', p, 'through\\n')"
    )
    command = [sys.executable, "-c", code]
    if to == "pipe":
        assert subprocess.run(command, capture_output=True, text=True, check=True).stdout == (
            "before\nthrough\n"
        )
        return
    with (tmp_path / "file").open("w") as file:
        subprocess.run(command, stdout=file, check=True)
    assert (tmp_path / "file").read_text() == "before\nthrough\n"
