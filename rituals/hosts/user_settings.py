"""Read what the user configured (`~/.config/diurna/config.toml`).

Only the user can name a program or an address that is given what was said: no file of a repository is
read here, and no folder that was not named by an absolute path.
"""

from __future__ import annotations

import os
import stat
import tomllib
from collections.abc import Mapping
from typing import Any

from ledger.model.record import Record

HTTP = "http"
#: Whom a session can be given to, in the order that the user says; the last one ends it: nobody is asked.
EXTRACTORS = (HTTP, "claude", "codex", "nobody")
_FILE_BYTES = 64 << 10
_TABLE, _ORDER, _TEXTS = "extraction", "use", ("url", "model", "key_variable")


class Settings(Record):
    """How the user wants items to be found."""

    extractors: tuple[str, ...] = ()  #: those to ask, in order; none where no model is asked
    url: str = ""  #: of an endpoint that speaks as OpenAI's does, up to and with `/v1`
    model: str = ""  #: as it is called there
    #: the environment variable that has the key, "" where the endpoint takes none
    key_variable: str = ""
    wrong: str = ""  #: what in the file can not be meant, one line; nothing of it counts then


def settings(environment: Mapping[str, str]) -> Settings:
    """Read the user's configuration; the defaults where there is none, or where it can not be meant."""
    folder, home = environment.get("XDG_CONFIG_HOME", ""), environment.get("HOME", "")
    if not os.path.isabs(folder):
        folder = f"{home}/.config"
    path = f"{folder}/diurna/config.toml"
    if not os.path.isabs(path):
        return Settings()  # nobody can say where it is
    try:
        table = _said(path).get(_TABLE, {})
        _refuse_wrong(table)
    except FileNotFoundError:
        return Settings()
    except (OSError, ValueError) as problem:
        return Settings(wrong=f"{path}: {' '.join(str(problem).split())[:200]}")
    order = [*dict.fromkeys(table.get(_ORDER, [])), EXTRACTORS[-1]]
    texts = [table.get(key, "") for key in _TEXTS]
    return Settings(tuple(order[: order.index(EXTRACTORS[-1])]), *texts)


def _said(path: str) -> dict[str, Any]:
    """Return what the file says.

    Raises:
        OSError: it can not be read.
        ValueError: it is none that only this user could have written.
    """
    file = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        about = os.fstat(file)
        if not stat.S_ISREG(about.st_mode) or about.st_uid not in (os.geteuid(), 0):
            raise ValueError("no file of this user")
        if about.st_mode & stat.S_IWOTH:
            raise ValueError("everybody may write to it")
        if about.st_size > _FILE_BYTES:
            raise ValueError("too large")
        return tomllib.loads(os.read(file, _FILE_BYTES).decode())
    finally:
        os.close(file)


def _refuse_wrong(table: Any) -> None:
    """Raise ValueError for what can not be meant."""
    if not isinstance(table, dict):
        raise ValueError(f"[{_TABLE}] must be a table")
    order = table.get(_ORDER, [])
    if not isinstance(order, list) or not {*EXTRACTORS}.issuperset(order):
        raise ValueError(f"{_ORDER} must be a list of {', '.join(EXTRACTORS)}")
    for key in [key for key in table if key != _ORDER]:
        if key not in _TEXTS:
            raise ValueError(f"there is no {key}; known are {', '.join((_ORDER, *_TEXTS))}")
        if not isinstance(table[key], str) or not table[key].isprintable():
            raise ValueError(f"{key} must be a text on one line")
    if HTTP in order and not table.get("url", "").startswith(("http://", "https://")):
        raise ValueError("url must begin with https:// or http://")
    if HTTP in order and not table.get("model"):
        raise ValueError("model must say which")
