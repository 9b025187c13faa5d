"""What is private: values that look secret are left out of records, and files are made for their owner alone."""

from __future__ import annotations

import errno
import os
import re
from pathlib import Path

LEFT_OUT = "(left out)"

# In the name of a variable or an option. A job's UUID is its password with PSM2, and so are Open MPI's "transports".
_SECRET = re.compile(
    r"TOKEN|SECRET|PASS(?!ED|IVE)|PWD|CRED(?!IT)|COOKIE|JWT|AUTH|PRIVATE"
    r"|(?:^|[_.-])(?:PW|PSK|OTP|UUID|(?:API|ACCESS|SSH|CRYPT|PRIV|SIGN|SIGNING|HOST|JOB|SHARED|MASTER)?KEYS?)(?:$|[_.-])"
    r"|PRECONDITION_TRANSPORTS",
    re.IGNORECASE,
)
# The user and password of an address: name://user:password@host.
_OF_ADDRESS = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*://)[^/\s:@]*:[^/\s@]*@")
_VALUE = r"""("[^"]*"|'[^']*'|[^\s,;"']+)"""
# name=value, name: value, and --name value.
_ASSIGNMENT = re.compile(rf"([A-Za-z_][\w.-]*)(=|:[ ]?){_VALUE}|(?<!\S)(--?[A-Za-z][\w.-]*)(\s+)(?!-){_VALUE}")
_PRIVATE_FILE, _PRIVATE_FOLDER = 0o600, 0o700


def is_secret(name: str) -> bool:
    """Return whether the name of a variable or an option looks like that of a password, key or token."""
    return _SECRET.search(name) is not None


def without_secrets(text: str) -> str:
    """Return a text without the users and passwords of its addresses and the values that it gives to secrets."""
    return _ASSIGNMENT.sub(_shown, _OF_ADDRESS.sub(rf"\1{LEFT_OUT}@", text))


def _shown(match: re.Match[str]) -> str:
    name, between, value = match[1] or match[4], match[2] or match[5], match[3] or match[6]
    return f"{name}{between}{LEFT_OUT if is_secret(name) else without_secrets(value)}"


def shown_value(name: str, value: str) -> str:
    """Return the value of a variable as records have it."""
    return LEFT_OUT if is_secret(name) else without_secrets(value)


def for_owner(path: str, flags: int) -> int:
    """Open a file, as the `opener` of `open`: a new one can be read by its owner alone, another keeps its mode."""
    return os.open(path, flags, _PRIVATE_FILE)


def write_for_owner(path: Path, text: str) -> None:
    """Write a text into a file; a new file is readable by its owner only."""
    with open(path, "w", encoding="utf-8", opener=for_owner) as file:
        file.write(text)


def make_folder(path: Path) -> None:
    """Make a folder and what is missing above it, for its owner alone; a folder that is there keeps its mode.

    Raises FileNotFoundError if it belongs into a home folder that does not exist (an account of a service has none):
    that is not made.
    """
    home = Path.home()
    if path.is_relative_to(home) and not home.is_dir():
        raise FileNotFoundError(errno.ENOENT, "the home folder does not exist", str(home))
    for folder in (*reversed(path.parents), path):
        if not folder.is_dir():
            folder.mkdir(_PRIVATE_FOLDER, exist_ok=True)
