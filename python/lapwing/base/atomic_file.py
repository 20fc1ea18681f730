"""Files that appear complete or not at all."""

from __future__ import annotations

import errno
import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from lapwing.base.error import OutsideError, UserError, outside_error, user_error


def part_of(path: Path) -> Path:
    """The name that a file has until it is complete: next to it, wherever a link leads. Local."""
    target = path.resolve() if path.is_symlink() else path
    return target.with_name(target.name + ".part")


@contextmanager
def complete_or_absent(path: Path) -> Iterator[Path]:
    """A name to write to; the file gets its own name when the block ends without an error. Local.

    The file under the temporary name is flushed to the disk before the renaming, so a
    power cut leaves the old file or the new one. A symbolic link stays one. Devices and FIFOs are
    not replaced: the complete file is written to them.
    """
    if _is_a_stream(path):
        with TemporaryDirectory(prefix="lapwing-") as folder:
            yield Path(folder, "complete")
            # behind what is there, as /dev/stdout may be a file that others write to
            with Path(folder, "complete").open("rb") as source, path.open("ab") as stream:
                shutil.copyfileobj(source, stream)
        return
    part = part_of(path)
    try:
        yield part
        publish(part, path)
    finally:
        part.unlink(missing_ok=True)


def _is_a_stream(path: Path) -> bool:
    """True if it is there and is no file: a device, a FIFO, or /dev/stdout and its like."""
    of_system = any(path.absolute().is_relative_to(top) for top in ("/dev/fd", "/proc"))
    of_system = of_system or path.absolute() in map(Path, ("/dev/stdout", "/dev/stderr"))
    return path.exists() and not path.is_dir() and (of_system or not path.is_file())


def publish(part: Path, path: Path) -> None:
    """Flush a complete file to the disk and give it its own name, or its link's. Local."""
    target = path.resolve() if path.is_symlink() else path
    _flush(part)
    part.replace(target)
    sync_folder(target.parent)  # the renaming itself


def sync_folder(folder: Path) -> None:
    """Flush the names in a folder to the disk. Local; OSError."""
    _flush(folder)


def _flush(target: Path) -> None:
    handle = os.open(target, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def save_png(figure: Any, path: Path, dpi: int, **more: Any) -> None:
    """Write a figure of matplotlib, complete or not at all. Local.

    No date or version in the file: the same run gives the same picture.
    """
    with complete_or_absent(path) as part:
        figure.savefig(part, format="png", dpi=dpi, metadata={"Software": None}, **more)


def is_file(path: Path) -> bool:
    """True if a file of that name exists; False if the name is too long for a file. Local."""
    try:
        return path.is_file()
    except OSError:
        return False


def make_folder(folder: Path) -> None:
    """Make an output folder and try to write into it. Local; UserError when that fails."""
    trial = folder / ".lapwing-trial.part"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        trial.write_bytes(b"")
        trial.unlink()
    except OSError as problem:
        raise _unusable(folder, problem.strerror or str(problem)) from None


def check_folder(folder: Path) -> None:
    """True if an output folder could be made and written to; makes nothing.

    Local. UserError when it could not.
    """
    try:
        nearest = next(path for path in (folder, *folder.absolute().parents) if path.exists())
    except OSError as problem:  # too long a name
        raise _unusable(folder, problem.strerror or str(problem)) from None
    if not nearest.is_dir():
        raise _unusable(folder, f"{os.strerror(errno.ENOTDIR)}: {nearest}")
    if not os.access(nearest, os.W_OK | os.X_OK):
        read_only = os.statvfs(nearest).f_flag & os.ST_RDONLY
        why = os.strerror(errno.EROFS if read_only else errno.EACCES)
        raise _unusable(folder, f"{why}: {nearest}")


def check_file(option: str, file: Path | None) -> None:
    """Raise UserError where no file can be written under that name. Local; writes nothing."""
    if file is None:
        return
    got = _unwritable(file)
    if got:
        raise user_error(
            f"{option} {file}",
            got,
            "a file name in a folder that exists and can be written to",
            "choose another name, or make its folder",
        )


def check_picture(file: Path | None) -> None:
    """`check_file` for `--plot`: pictures are PNG files, so another ending is refused. Local."""
    check_file("--plot", file)
    if file is not None and file.suffix.lower() not in ("", ".png"):
        expected, remedy = "a PNG file", f"write --plot {file.with_suffix('.png')}"
        raise user_error(f"--plot {file}", f"a name that ends in {file.suffix}", expected, remedy)


def _unwritable(file: Path) -> str:
    """The reason why nothing can be written under a name; empty if it can be."""
    try:
        if _is_a_stream(file):
            return "" if os.access(file, os.W_OK) else "what may not be written to"
        part = part_of(file.absolute())
        folder = part.parent
        part.exists()  # OSError where that name is too long
        if file.is_dir():
            return "a folder"
    except (OSError, RuntimeError, ValueError) as problem:  # too long a name, links in a circle
        return getattr(problem, "strerror", None) or str(problem)
    if not folder.is_dir():
        return f"no folder {folder}"
    if not os.access(folder, os.W_OK | os.X_OK):
        return f"a folder that may not be written to, {folder}"
    return ""


def write_json_file(file: Path, document: dict[str, Any]) -> None:
    """Write a document as JSON, complete or not at all.

    Local. OutsideError when the disk refuses.
    """
    write_text_file(str(file), file, json.dumps(document, indent=1) + "\n")


def write_text_file(name: str, file: Path, text: str) -> None:
    """Write a text, complete or not at all; `name` is the name of the file in messages.

    Local. OutsideError when the disk refuses.
    """
    with writing(file, name), complete_or_absent(file) as part:
        part.write_text(text, encoding="utf-8")


def _unusable(folder: Path, got: str) -> UserError:
    return user_error(
        f"--out {folder}",
        got,
        "a folder that can be made and written to",
        "choose another --out, or fix its permissions",
    )


@contextmanager
def writing(path: Path, name: str = "") -> Iterator[None]:
    """Turn what a disk can do into an OutsideError with the `name` of the file, or its path."""
    try:
        yield
    except (UserError, OutsideError):
        raise
    except (OSError, RuntimeError) as problem:  # the NetCDF library raises RuntimeError
        raise outside_error(
            name or str(path),
            f"{problem}{_free_space(path.parent)}",
            "to write it",
            "look at the free space of that disk",
        ) from problem


def _free_space(folder: Path) -> str:
    """Say how full the disk is, as the NetCDF library does not; empty where it is unknown."""
    try:
        return f" ({shutil.disk_usage(folder).free / 2**20:.1f} MiB free on that disk)"
    except OSError:
        return ""
