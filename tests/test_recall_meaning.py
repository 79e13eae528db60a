"""Meaning is weighed where the user has a model, which is fetched only where somebody says so; else nothing changes."""

from __future__ import annotations

import hashlib
import json
import os
import struct
import sys
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import find_spec
from pathlib import Path

import pytest

from rituals.setup import meaning_model
from tests.world import OWN_REPOSITORY, Place, World

FACTS = {
    "pauses": "Failed deliveries wait longer each time.",
    "store": "Postgres holds all orders.",
    "friday": "Nobody ships on Fridays.",
}
#: Words of one group mean the same to the model that is made here.
GROUPS = (
    "failed deliveries pauses callbacks backoff",
    "postgres orders store database",
    "ships friday",
)
ASKED = ("recall", "backoff callbacks")


def packed(value: int) -> bytes:
    """Return a number as a protocol buffer has it (the format of ONNX)."""
    return bytes([value]) if value < 128 else bytes([value & 127 | 128]) + packed(value >> 7)


def message(*fields: tuple[int, bytes | int]) -> bytes:
    """Return a message of fields: each its number, and bytes or a number."""
    return b"".join(
        packed(number << 3) + packed(said) if isinstance(said, int)
        else packed(number << 3 | 2) + packed(len(said)) + said
        for number, said in fields
    )  # fmt: skip


def model_in(folder: Path) -> Path:
    """Make the smallest model there is: the vector of a word is that of its group."""
    words, rows = {"[UNK]": 0}, [[1.0] + [0.0] * len(GROUPS)]
    for place, group in enumerate(GROUPS, 1):
        for word in group.split():
            words[word] = len(rows)
            rows.append([5.0 * (at == place) for at in range(len(GROUPS) + 1)])

    def named(name: bytes, kind: int, *sizes: bytes) -> bytes:
        shape = message(*[(1, message((2, one))) for one in sizes])
        return message((1, name), (2, message((1, message((1, kind), (2, shape))))))

    numbers = b"".join(struct.pack(f"<{len(row)}f", *row) for row in rows)
    table = message((1, len(rows)), (1, len(rows[0])), (2, 1), (8, b"table"), (9, numbers))
    gather = message((1, b"table"), (1, b"input_ids"), (2, b"hidden"), (4, b"Gather"))
    given, gives = named(b"input_ids", 7, b"a", b"b"), named(b"hidden", 1, b"a", b"b", b"c")
    graph = message((1, gather), (2, b"words"), (5, table), (11, given), (12, gives))
    folder.mkdir()
    (folder / "tiny.onnx").write_bytes(message((1, 8), (7, graph), (8, message((2, 13)))))
    cut = {"type": "WordLevel", "vocab": words, "unk_token": "[UNK]"}
    said = {"version": "1.0", "added_tokens": [], "pre_tokenizer": {"type": "Whitespace"}}
    said |= {"normalizer": {"type": "Lowercase"}, "model": cut}
    (folder / "tokenizer.json").write_text(json.dumps(said))
    return folder


@pytest.fixture
def home(world: World) -> Place:
    """A home with a few facts."""
    return world.home(OWN_REPOSITORY, facts=FACTS)


def vectors_of(home: Place) -> bytes:
    """Return what is kept of vectors, nothing where there is no file."""
    return b"".join(one.read_bytes() for one in home.folder.rglob("*.vectors"))


@pytest.mark.deep(reason="libraries are loaded; the lane of the wheel runs it")
@pytest.mark.skipif(not find_spec("onnxruntime"), reason="the extra `meaning` is not there")
def test_meaning_counts_once_vectors_are_there(
    home: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Facts that mean the same are found once vectors are made; what is redacted has none."""
    words_alone = home.text(*ASKED, "--explain")
    monkeypatch.setenv("DIURNA_MODEL", str(model_in(tmp_path / "model")))
    assert home.text(*ASKED, "--explain") == words_alone  # nobody waits for vectors
    assert "made 3 vectors of facts" in home.text("check", "--fix")
    found = home.text(*ASKED, "--explain")
    assert found.startswith("pauses ") and "  meaning\n" in found and "  words\n" in found
    assert home.text(*ASKED, "--explain", "--no-vectors") == words_alone
    assert "near     pauses " in home.text("note", "Callbacks backoff.", "--dry-run")
    home.note("id=bill Orders are billed in the database.")
    home.aside()
    assert [one["id"] for one in home.run("recall", "postgres").json["facts"]] == ["store", "bill"]
    kept = vectors_of(home)
    home.run("redact", "pauses", "--reason", "Private.")
    assert not vectors_of(home) and "made 3 vectors" in home.text("check", "--fix")
    assert 0 < len(vectors_of(home)) < len(kept)
    assert [one["id"] for one in home.run(*ASKED).json["facts"]] == []


def test_without_it_nothing_is_loaded_and_nothing_changes(
    home: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A stand-in for the package tells that it was loaded: only by what makes vectors, where there is a model."""
    trap, loaded, asked = tmp_path / "trap", tmp_path / "loaded", ("recall", "orders", "--explain")
    trap.mkdir()
    (trap / "onnxruntime.py").write_text(f"open({str(loaded)!r}, 'w')\nraise ImportError\n")
    monkeypatch.syspath_prepend(trap)
    monkeypatch.delitem(sys.modules, "onnxruntime", raising=False)
    monkeypatch.setenv("DIURNA_MODEL", str(tmp_path / "model"))
    without = home.text(*asked)
    assert "all in order" in home.text("check", "--fix")
    model_in(tmp_path / "model")
    assert home.text(*asked) == without and not loaded.exists()
    said = home.run("check", "--fix", code=1, json=False).out
    assert "the extra `meaning` is not installed" in said and loaded.exists()


def test_a_model_is_fetched_where_somebody_says_so(
    home: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    parts = [tmp_path / "mirror" / one for one in ("onnx/model_quantized.onnx", "tokenizer.json")]
    parts[0].parent.mkdir(parents=True)
    for part in parts:
        part.write_text(f"what is in {part.name}")
    files = partial(SimpleHTTPRequestHandler, directory=str(tmp_path / "mirror"))
    server = ThreadingHTTPServer(("127.0.0.1", 0), files)
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    url = f"http://127.0.0.1:{server.server_port}"
    monkeypatch.setenv("DIURNA_MODEL", str(tmp_path / "models/one"))
    monkeypatch.setattr(meaning_model, "BASE", url)
    fetch = ("install", "--model")
    for more, code, said in (
        (("--dry-run",), 0, "23.0 MB"),
        ((), 2, "nothing is fetched unasked"),
        (("--yes",), 1, "has other bytes"),
    ):
        answer = home.run(*fetch, *more, code=code, json=False)
        assert said in answer.out + answer.err and not (tmp_path / "models/one").exists()
        assert not list(tmp_path.glob("models/.*"))
    sums = [hashlib.sha256(part.read_bytes()).hexdigest() for part in parts]
    made = [one._replace(sha256=sum_) for one, sum_ in zip(meaning_model.PARTS, sums, strict=True)]
    monkeypatch.setattr(meaning_model, "PARTS", made)
    monkeypatch.setattr(meaning_model, "BASE", f"{url}/none")
    assert "404" in home.run(*fetch, "--yes", code=1, json=False).err
    monkeypatch.setattr(meaning_model, "BASE", url)
    said = home.text(*fetch, "--yes")
    assert sums[0] in said and "licence" in said
    assert sorted(os.listdir(tmp_path / "models/one")) == ["model.onnx", "tokenizer.json"]
    assert "is there" in home.run(*fetch, "--yes", code=1, json=False).err
    server.shutdown()
    server.server_close()
