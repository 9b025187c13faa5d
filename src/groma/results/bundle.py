"""A run as one file: a zip archive of its documents, records and report, the same bytes for the same run.

A bundle comes from elsewhere, so it is read with care: only the names that a run has are taken, each once, up to a
number and a size, and they are written to a directory of their own that goes when the program ends.
"""

from __future__ import annotations

import atexit
import re
import shutil
import tempfile
import zipfile
import zlib
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from groma.errors import UNDECODABLE, InputError, writing
from groma.secret import LEFT_OUT, for_owner, is_secret, without_credentials

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

SUFFIX = ".groma.zip"
MOST_FILES = 200_000
MOST_BYTES = 4 << 30  # of all files, unpacked

_FILES = r"run\.json|catalog\.json|report\.html|pvm\.jsonl"
_OF_LAUNCH = r"launches/\d{1,9}/(?:plan\.json|launch\.json|points\.jsonl(?:\.ranks)?|nodes\.json)"
_NAME = re.compile(rf"([A-Za-z0-9_][A-Za-z0-9._+-]{{0,199}})/((?:{_FILES})|(?:{_OF_LAUNCH}))")
_ASSIGNMENT = re.compile(r"([A-Za-z_]\w*)=([^\s,]+)")
_SHORTEST = 4  # of secret values that are looked for in other texts
_EPOCH = (1980, 1, 1, 0, 0, 0)  # the first that a zip archive can state
_CHUNK = 1 << 20


def stage(run: Path, folder: Path) -> Path:
    """Copy a run's documents and records to `folder`, without the values of secrets; return the copy.

    Raises InputError where there is no run.
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
        zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive,
    ):
        for name in sorted(_present(staged)):
            entry = zipfile.ZipInfo(f"{staged.name}/{name}", _EPOCH)
            entry.compress_type, entry.external_attr, entry.create_system = zipfile.ZIP_DEFLATED, 0o644 << 16, 3
            with archive.open(entry, "w", force_zip64=True) as file, (staged / name).open("rb") as source:
                shutil.copyfileobj(source, file, _CHUNK)
    return target


def opened(path: Path) -> Path:
    """Return the directory of the run that a bundle holds, or `path` itself where it is no file.

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
    folder = Path(tempfile.mkdtemp(prefix="groma-bundle-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    try:
        with zipfile.ZipFile(path) as archive:
            run = _extract(archive, path, folder)
    except (zipfile.BadZipFile, zlib.error, EOFError) as error:
        raise InputError(f"{path} is no whole bundle ({_reason(error)}); make it again with groma bundle") from None
    except (RuntimeError, OSError, ValueError) as error:
        # RuntimeError: an encrypted file or an unknown compression. ValueError: a place before the archive's beginning.
        raise InputError(f"{path} cannot be read ({_reason(error)}); make it again with groma bundle") from None
    if not (run / "run.json").is_file():
        raise InputError(f"{path} holds no run, it has no run.json; make it with groma bundle")
    return run


def _extract(archive: zipfile.ZipFile, path: Path, folder: Path) -> Path:
    """Write the members to the folder; raises InputError for one that no run has, and where they are too many."""
    members = archive.infolist()
    if len(members) > MOST_FILES:
        raise InputError(f"{path} has more than {MOST_FILES} files; it is no bundle of a run")
    bytes_left, names = MOST_BYTES, dict[str, None]()
    run = ""
    for member in members:
        match = _NAME.fullmatch(member.filename)
        if match is None or member.filename in names or match[1] != (run or match[1]):
            raise InputError(f"{path} has the file {member.filename[:80]!r}, which no bundle has; it was not opened")
        run, names[member.filename] = match[1], None
        place = folder / member.filename
        place.parent.mkdir(parents=True, exist_ok=True)
        with archive.open(member) as source, place.open("wb") as file:
            while chunk := source.read(_CHUNK):
                bytes_left -= len(chunk)
                if bytes_left < 0:
                    raise InputError(f"{path} unpacks to more than {MOST_BYTES >> 30} GiB; it was not opened")
                file.write(chunk)
    return folder / run


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
    text = without_credentials(value)
    text = _ASSIGNMENT.sub(lambda match: f"{match[1]}={LEFT_OUT}" if is_secret(match[1]) else match[0], text)
    for secret in secrets:
        text = text.replace(secret, LEFT_OUT)
    return text


def _reason(error: Exception) -> str:
    return str(error).split("\n", maxsplit=1)[0][:120] or type(error).__name__
