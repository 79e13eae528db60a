"""Fetch the sentence model by which recall weighs meaning: once, and only where somebody said so."""

from __future__ import annotations

import os
from hashlib import sha256

from ledger.errors import NotFound, StorageFailed, WriteRefused
from ledger.model.record import Record
from ledger.wal.atomic_files import make_folder
from memory import TOKENIZER, model_folder

NAME, LICENCE = "all-MiniLM-L6-v2, 8 bits a weight", "Apache-2.0"
BASE = (
    "https://huggingface.co/Xenova/all-MiniLM-L6-v2/resolve/"
    "751bff37182d3f1213fa05d7196b954e230abad9"
)
SECONDS = 60.0


class Part(Record):
    """One file of the model."""

    name: str  #: here
    path: str  #: below the address
    size: int  #: bytes
    sha256: str


PARTS = (
    Part(
        "model.onnx",
        "onnx/model_quantized.onnx",
        22_972_370,
        "afdb6f1a0e45b715d0bb9b11772f032c399babd23bfc31fed1c170afc848bdb1",
    ),
    Part(
        TOKENIZER,
        TOKENIZER,
        711_661,
        "da0e79933b9ed51798a3ae27893d3c5fa4a201126cef75586296df9b4d2c62a0",
    ),
)


def free_folder() -> str:
    """Return the folder that the model comes to.

    Raises:
        WriteRefused: there is a model.
    """
    folder = model_folder()
    if os.path.lexists(folder):
        hint = "it is used as it is; `$DIURNA_MODEL` names another folder"
        raise WriteRefused(f"{folder} is there", hint=hint)
    return folder


def fetch_model(folder: str) -> None:
    """Fetch the model; the folder is there with all of it, or not at all.

    Raises:
        NotFound: the address does not have it.
        StorageFailed: what came is something else, or the disk refused.
    """
    from shutil import rmtree
    from tempfile import mkdtemp

    above = os.path.dirname(folder)
    make_folder(above)
    aside = mkdtemp(prefix=".model-", dir=above)
    try:
        for part in PARTS:
            data = _fetched(f"{BASE}/{part.path}", part)
            with open(f"{aside}/{part.name}", "xb") as file:
                file.write(data)
        os.rename(aside, folder)
    except OSError as problem:
        raise StorageFailed(f"can not write {folder}: {problem.strerror}") from problem
    finally:
        rmtree(aside, ignore_errors=True)


def _fetched(url: str, part: Part) -> bytes:
    from http.client import HTTPException
    from urllib.request import urlopen

    try:
        with urlopen(url, timeout=SECONDS) as answer:  # noqa: S310 - https alone
            data: bytes = answer.read(part.size + 1)
    except (OSError, HTTPException, ValueError) as problem:
        raise NotFound(f"{url}: {problem}", hint="nothing was written") from problem
    known = sha256(data).hexdigest()
    if known != part.sha256:
        message = f"{url} has other bytes: their sha256 is {known}"
        raise StorageFailed(message, hint=f"{part.sha256} was expected; nothing was written")
    return data
