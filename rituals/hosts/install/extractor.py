"""Write down which extractor the user chose, where there is no configuration of theirs yet."""

from __future__ import annotations

import json
import os

from ledger.environment import variables
from ledger.errors import WriteRefused
from ledger.wal.atomic_files import make_folder, replace_file
from rituals.hosts.user_settings import HTTP, settings_path


def is_configured() -> bool:
    """Tell whether the user has a configuration, or can have none."""
    path = settings_path(variables())
    return not path or os.path.lexists(path)


def configure(extractor: str, url: str = "", model: str = "", key_variable: str = "") -> str:
    """Write the user's configuration; return where it is.

    `extractor` is asked before rules; `key_variable` is the environment variable with an endpoint's key,
    "" for none.

    Raises:
        WriteRefused: an endpoint without an address or a model.
        StorageFailed: the disk refused.
    """
    path = settings_path(variables())
    if extractor == HTTP and not (url.startswith(("https://", "http://")) and model):
        raise WriteRefused(
            "an endpoint needs an address that begins with https:// and a model",
            hint=f"[extraction] in {path} says them: use, url, model, key_variable",
        )
    said = {"use": [extractor]} | {
        key: value
        for key, value in (("url", url), ("model", model), ("key_variable", key_variable))
        if value
    }
    lines = [f"{key} = {json.dumps(value)}\n" for key, value in said.items()]
    make_folder(os.path.dirname(path), 0o700)
    replace_file(path, "".join(["[extraction]\n", *lines]).encode(), 0o600, durable=True)
    return path
