"""The checksum with which the line of a record ends: CRC-32 of the bytes before it (docs/contract.md)."""

from __future__ import annotations

import zlib

import msgspec

_NAME = b',"crc32":"'
_DIGITS = 8
_LENGTH = len(_NAME) + _DIGITS + len(b'"}')


def sealed(line: bytes) -> bytes:
    """Return a record, a JSON object without the end of its line, with its checksum as the last member."""
    body = line[:-1]
    return body + _NAME + _digits(body) + b'"}'


def is_sealed(line: bytes) -> bool:
    """Return whether a line without its end has a checksum, right or wrong."""
    return line.startswith(_NAME, max(0, len(line) - _LENGTH)) and line.endswith(b'"}')


def verify(line: bytes) -> None:
    """Raise `msgspec.ValidationError` if a line has a checksum and is not what was written."""
    if is_sealed(line) and line[-_DIGITS - 2 : -2] != _digits(memoryview(line)[:-_LENGTH]):
        raise msgspec.ValidationError("its checksum does not match")


class Seals:
    """True if the records of one file have checksums: all of them, or none, as those of older engines."""

    def __init__(self) -> None:
        """Start without any line."""
        self.present: bool | None = None

    def take(self, line: bytes) -> None:
        """Verify the next line, without its end; raises `msgspec.ValidationError` if it or its checksum changed."""
        verify(line)
        present = is_sealed(line)
        if self.present not in (None, present):
            raise msgspec.ValidationError("some lines of the file end with a checksum and others do not")
        self.present = present


def _digits(body: bytes | memoryview) -> bytes:
    return b"%08x" % zlib.crc32(body)
