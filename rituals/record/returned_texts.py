"""Remember which texts of answers came back once: given again, they are recorded as they are."""

from __future__ import annotations

import os

from ledger.model.layout import STATE_DIR
from ledger.model.sha256 import sha256
from ledger.wal.atomic_files import make_folder, replace_file

FILE = f"{STATE_DIR}/returned"
#: So many are remembered, the newest, by so much of a hash.
_KEPT, _HASH_CHARS = 200, 16


def again(commondir: str, text: str, *, dry_run: bool = False) -> bool:
    """Tell whether a fact's text came back before; else note that it does now, unless `dry_run` is set.

    Raises:
        StorageFailed: the disk refused.
    """
    path = f"{commondir}/{FILE}"
    name = sha256(" ".join(text.split()).encode("utf-8", "surrogatepass")).hexdigest()[:_HASH_CHARS]
    try:
        with open(path, encoding="ascii") as file:
            known = file.read().split()
    except (OSError, ValueError):
        known = []
    if name not in known and not dry_run:
        make_folder(os.path.dirname(path))
        replace_file(path, "\n".join((*known, name)[-_KEPT:]).encode(), 0o600)
    return name in known
