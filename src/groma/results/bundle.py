"""A run as one file: a zip archive of its documents, records and report, the same bytes for the same run.

A bundle comes from elsewhere, so it is read with care: only the names that a run has are taken, each once, up to a
number and a size, and they are written to a directory of their own that goes when the program ends, also by a signal.
Names and sizes are looked at before anything is written.
"""

from __future__ import annotations

import atexit
import os
import re
import shutil
import signal
import tempfile
import threading
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from types import FrameType
from typing import Any

import msgspec

from groma.errors import UNDECODABLE, InputError, writing
from groma.text.secret import LEFT_OUT, for_owner, is_secret, without_secrets
from groma.text.sizes import format_size

SUFFIX = ".groma.zip"
MOST_FILES = 200_000
MOST_BYTES = 4 << 30  # of all files, unpacked
# Larger ones that unpack to more times their size hold no records: those of a real run unpack to 4 to 60 times it.
MOST_TIMES, FREE_BYTES = 200, 64 << 20

_FILES = r"run\.json|catalog\.json|reasons\.json|report\.html|pvm\.jsonl"
_OF_LAUNCH = r"launches/\d{1,9}/(?:plan\.json|launch\.json|points\.jsonl(?:\.ranks)?|nodes\.json)"
_NAME = re.compile(rf"([A-Za-z0-9_][A-Za-z0-9._+-]{{0,199}})/((?:{_FILES})|(?:{_OF_LAUNCH}))")
_SHORTEST = 4  # of secret values that are looked for in other texts
_EPOCH = (1980, 1, 1, 0, 0, 0)  # the first that a zip archive can state
_CHUNK = 1 << 20
_ENDING = (signal.SIGTERM, signal.SIGHUP)
_folders: list[Path] = []


def stage(run: Path, folder: Path) -> Path:
    """Copy a run's documents and records to `folder`, without the values of secrets; return the copy.

    Raises InputError if there is no run.
    """
    if not (run / "run.json").is_file():
        raise InputError(f"{run} is not a run directory, it has no run.json: give the path of a run")
    target = folder / _plain(run.resolve().name)
    stating = [name for name in _present(run) if name.endswith(("run.json", "launch.json"))]
    secrets = _secrets((run / name).read_bytes() for name in stating)
    for name in _present(run):
        place = target / name
        place.parent.mkdir(parents=True, exist_ok=True)
        if name in stating:
            place.write_bytes(_without((run / name).read_bytes(), secrets))
        else:
            shutil.copyfile(run / name, place)
    return target


def pack(staged: Path, target: Path) -> Path:
    """Write the bundle of a staged run, in the order of names and without times; raises OutputError."""
    with (
        writing(target),
        open(target, "wb", opener=for_owner) as packed,
        zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive,
    ):
        for name in sorted(_present(staged)):
            entry = zipfile.ZipInfo(f"{staged.name}/{name}", _EPOCH)
            entry.compress_type, entry.external_attr, entry.create_system = zipfile.ZIP_DEFLATED, 0o644 << 16, 3
            with archive.open(entry, "w", force_zip64=True) as file, (staged / name).open("rb") as source:
                shutil.copyfileobj(source, file, _CHUNK)
    return target


def opened(path: Path) -> Path:
    """Return the directory of the run that a bundle holds, or `path` itself if it is no file.

    The directory goes when the program ends. Raises InputError for a file that is no bundle, or a damaged one.
    """
    if not path.is_file():
        return path
    status = path.stat()
    return _unpacked(path.resolve(), status.st_mtime_ns, status.st_size)


def beside(path: Path, name: str) -> Path:
    """Return where a file made of a run goes: into its directory, or beside its bundle with the bundle's name."""
    return path.with_name(f"{path.name.removesuffix(SUFFIX)}-{name}") if path.is_file() else path / name


@lru_cache(maxsize=64)
def _unpacked(path: Path, changed_ns: int, size: int) -> Path:
    del changed_ns, size  # a file that changes is read again
    try:
        with zipfile.ZipFile(path) as archive:
            name = _checked(archive, path)
            folder = temporary_folder("groma-bundle-")
            for member in archive.infolist():
                _extract(archive, member, folder / member.filename)
    except (zipfile.BadZipFile, zlib.error, EOFError) as error:
        raise InputError(f"{path} is no complete bundle ({_reason(error)}); make it again with groma bundle") from None
    except (RuntimeError, OSError, ValueError) as error:
        # RuntimeError: an encrypted file or an unknown compression. ValueError: a place before the archive's beginning.
        raise InputError(f"{path} cannot be read ({_reason(error)}); make it again with groma bundle") from None
    return folder / name


def _checked(archive: zipfile.ZipFile, path: Path) -> str:
    """Return the name of the run; raises InputError for a file that no run has, and if files are too many or large.

    Nothing is read but the list of the archive; no file unpacks to more bytes than that states (`zipfile`).
    """
    members = archive.infolist()
    if len(members) > MOST_FILES:
        raise InputError(f"{path} has more than {MOST_FILES} files; it is no bundle of a run")
    matches = [_NAME.fullmatch(member.filename) for member in members]
    run = next((match[1] for match in matches if match), "")
    names: set[str] = set()
    for member, match in zip(members, matches, strict=True):
        if match is None or match[1] != run or member.filename in names:
            raise InputError(f"{path} has the file {member.filename[:80]!r}, which no bundle has; it was not opened")
        names.add(member.filename)
    if f"{run}/run.json" not in names:
        raise InputError(f"{path} holds no run, it has no run.json; make it with groma bundle")
    _refuse_large(path, sum(member.file_size for member in members))
    return run


def _refuse_large(path: Path, unpacked: int) -> None:
    if unpacked > MOST_BYTES:
        raise InputError(f"{path} unpacks to more than {MOST_BYTES >> 30} GiB; it was not opened")
    if unpacked > max(FREE_BYTES, MOST_TIMES * path.stat().st_size):
        raise InputError(f"{path} unpacks to more than {MOST_TIMES} times its size; no bundle does, it was not opened")
    place = tempfile.gettempdir()
    if unpacked > shutil.disk_usage(place).free:
        raise InputError(
            f"{path} unpacks to {format_size(unpacked)}, and {place} has less free space; free some, or set TMPDIR"
        )


def _extract(archive: zipfile.ZipFile, member: zipfile.ZipInfo, place: Path) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    with archive.open(member) as source, place.open("wb") as file:
        shutil.copyfileobj(source, file, _CHUNK)


def _present(run: Path) -> Iterator[str]:
    """Yield the names of a bundle's files that a run has."""
    for path in sorted([*run.glob("*"), *(run / "launches").glob("*/*")]):
        name = path.relative_to(run).as_posix()
        if path.is_file() and re.fullmatch(rf"{_FILES}|{_OF_LAUNCH}", name):
            yield name


def _plain(name: str) -> str:
    """Return a name that a bundle's directory may have."""
    return re.sub(r"^[^A-Za-z0-9_]", "_", re.sub(r"[^A-Za-z0-9._+-]", "_", name))[:200] or "run"


def _secrets(documents: Iterable[bytes]) -> list[str]:
    """Return the values of variables whose names look secret, the longest first."""
    secrets: set[str] = set()
    for document in documents:
        with suppress(*UNDECODABLE):
            secrets |= set(_secrets_in(msgspec.json.decode(document)))
    return sorted(secrets, key=lambda value: (-len(value), value))


def _secrets_in(value: Any) -> Iterator[str]:  # noqa: ANN401 - whatever the JSON holds
    if isinstance(value, list):
        for element in value:
            yield from _secrets_in(element)
    elif isinstance(value, dict):
        for name, member in value.items():
            if isinstance(member, str) and is_secret(name) and len(member) >= _SHORTEST:
                yield member
            yield from _secrets_in(member)


def _without(document: bytes, secrets: Sequence[str]) -> bytes:
    """Return a JSON document without the values of secrets, wherever they stand; one that is torn is left out."""
    try:
        value = msgspec.json.decode(document)
    except UNDECODABLE:
        return b""
    return msgspec.json.format(msgspec.json.encode(_cleared(value, secrets)), indent=1) + b"\n"


def _cleared(value: Any, secrets: Sequence[str]) -> Any:  # noqa: ANN401 - as above
    if isinstance(value, dict):
        return {
            name: LEFT_OUT if isinstance(member, str) and is_secret(name) else _cleared(member, secrets)
            for name, member in value.items()
        }
    if isinstance(value, list):
        return [_cleared(element, secrets) for element in value]
    if not isinstance(value, str):
        return value
    text = without_secrets(value)
    for secret in secrets:
        text = text.replace(secret, LEFT_OUT)
    return text


def _reason(error: Exception) -> str:
    return str(error).split("\n", maxsplit=1)[0][:120] or type(error).__name__


def temporary_folder(prefix: str) -> Path:
    """Make a folder for this process alone, which goes when the process ends."""
    if not _folders:
        atexit.register(_remove)
    if threading.current_thread() is threading.main_thread():
        for number in _ENDING:
            if signal.getsignal(number) is signal.SIG_DFL:
                signal.signal(number, _end)
    _folders.append(Path(tempfile.mkdtemp(prefix=prefix)))
    return _folders[-1]


def _remove() -> None:
    while _folders:
        shutil.rmtree(_folders.pop(), ignore_errors=True)


def _end(number: int, _frame: FrameType | None) -> None:
    """Remove the folders, and end by the same signal."""
    _remove()
    signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)
