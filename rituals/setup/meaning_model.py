"""Fetch the sentence model by which recall weighs meaning: once, and only where somebody said so."""

from __future__ import annotations

import os
from hashlib import sha256

from ledger.errors import NotFound, StorageFailed, WriteRefused, WrongUsage
from ledger.model.record import Record
from ledger.wal.atomic_files import make_folder
from memory.recall.meaning import TOKENIZER, model_folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import IO

NAME, LICENCE = "all-MiniLM-L6-v2, 8 bits a weight", "Apache-2.0"
BASE = (
    "https://huggingface.co/Xenova/all-MiniLM-L6-v2/resolve/"
    "751bff37182d3f1213fa05d7196b954e230abad9"
)
SECONDS, _CHUNK = 60.0, 1 << 20


class Part(Record):
    """One file of a model."""

    name: str  #: here
    path: str  #: below the address
    size: int  #: 0 where that is not known
    sha256: str


PARTS = (
    Part("model.onnx", "onnx/model_quantized.onnx", 22_972_370,
         "afdb6f1a0e45b715d0bb9b11772f032c399babd23bfc31fed1c170afc848bdb1"),
    Part(TOKENIZER, TOKENIZER, 711_661,
         "da0e79933b9ed51798a3ae27893d3c5fa4a201126cef75586296df9b4d2c62a0"),
)  # fmt: skip


class Plan(Record):
    """What would be fetched: the parts of a model, from an address into a folder that is not there yet."""

    name: str
    licence: str
    base: str
    folder: str
    parts: tuple[Part, ...] = PARTS


def plan_model(base: str, sums: str) -> Plan:
    """Return what would be fetched: from a mirror, or the files whose checksums are given.

    Raises:
        WrongUsage: the address or the checksums are none.
        WriteRefused: there is a model.
    """
    folder, base = model_folder(), (base or BASE).rstrip("/")
    if not base.startswith(("https://", "http://")):
        raise WrongUsage("an address begins with https:// or http://", where=base)
    if os.path.lexists(folder):
        hint = "it is used as it is; `$DIURNA_MODEL` names another folder"
        raise WriteRefused(f"{folder} is there", hint=hint)
    if not sums:
        return Plan(NAME, LICENCE, base, folder)
    both = sums.lower().split(",")
    if len(both) != 2 or not all(len(one) == 64 and one.isalnum() for one in both):
        raise WrongUsage("--sha256 takes two checksums", hint="of the model, and of its tokenizer")
    parts = [one._replace(size=0, sha256=said) for one, said in zip(PARTS, both, strict=True)]
    return Plan("a model of your choice", "what its page says", base, folder, tuple(parts))


def fetch_model(plan: Plan) -> None:
    """Fetch a model; the folder is there with all of it, or not at all.

    Raises:
        NotFound: the address does not have it.
        StorageFailed: what came is something else, or the disk refused.
    """
    from shutil import rmtree
    from tempfile import mkdtemp

    above = os.path.dirname(plan.folder)
    make_folder(above)
    aside = mkdtemp(prefix=".model-", dir=above)
    try:
        for part in plan.parts:
            with open(f"{aside}/{part.name}", "xb") as file:
                _fetch(f"{plan.base}/{part.path}", part, file)
        os.rename(aside, plan.folder)
    except OSError as problem:
        raise StorageFailed(f"can not write {plan.folder}: {problem.strerror}") from problem
    finally:
        rmtree(aside, ignore_errors=True)


def _fetch(url: str, part: Part, file: IO[bytes]) -> None:
    """Write what an address has into a file."""
    from http.client import HTTPException
    from urllib.request import urlopen

    known = sha256()
    try:
        with urlopen(url, timeout=SECONDS) as answer:  # noqa: S310 - http(s) alone
            while data := answer.read(_CHUNK):
                known.update(data)
                file.write(data)
                if part.size and file.tell() > part.size:
                    break
    except (OSError, HTTPException, ValueError) as problem:
        raise NotFound(f"{url}: {problem}", hint="nothing was written") from problem
    if known.hexdigest() != part.sha256:
        said = f"{url} has other bytes: their sha256 is {known.hexdigest()}"
        raise StorageFailed(said, hint=f"{part.sha256} was expected; nothing was written")
