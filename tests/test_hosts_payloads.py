"""The quick reader of JSON says what `json` says."""

from __future__ import annotations

import json
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rituals.hosts.payloads import read_object, write_object
from tests.conftest import each_row, examples

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)
ODD = [
    b"", b"{", b"[]", b'"x"', b"null", b"1", b"\xff\xfe{}", b"\0" * 9, b"[" * 100_000, b'{"a":' * 100_000, b"{}x", b"{} {}",
    b'{"a": ' + b"9" * 5000 + b"}", b'{"a": 1,}', b"{'a': 1}", b'{"a" 1}', b'{"a": \x01}', b'{"a": "\n"}', b'{"a": nul}', b"{1: 2}",
    b'{"a": "\\ud800"}', b'{"a": 1e999}', b'{"a": "\\x"}', b' \r\n\t{"a": [1, {"b": null}]}\n', b'{"a": 1, "a": 2}', b"\xef\xbb\xbf{}",
]  # fmt: skip


def plain(data: bytes) -> object:
    try:
        found = json.loads(data.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


@settings(max_examples=examples(20, 100))
@given(st.dictionaries(st.text(), VALUES), st.booleans(), st.integers(0, 1))
def test_what_json_writes_is_read(value: object, plain_text: bool, cut: int) -> None:
    """And what is cut off is none."""
    data = json.dumps(value, ensure_ascii=not plain_text).encode("utf-8", "replace")
    data = data[: len(data) - cut]
    assert read_object(data) == plain(data)


@each_row("data", ODD)
@each_row("without", ["", "_json", "json.decoder"])
def test_what_is_odd_is_read_as_json_reads_it(
    data: bytes, without: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where the interpreter has no scanner of its own, and where nobody has loaded `json`."""
    wanted = plain(data)
    with monkeypatch.context() as patch:
        if without == "_json":
            patch.setitem(sys.modules, "_json", None)
        elif without:
            patch.delitem(sys.modules, without)
        assert read_object(data) == wanted


@given(st.binary(max_size=40) | st.text('{}[]":, \\u12ae-+.tfn', max_size=30).map(str.encode))
def test_any_bytes_are_read_as_json_reads_them(data: bytes) -> None:
    """None where they are no object, and never a fault."""
    assert read_object(data) == plain(data)


TEXTS = st.text(st.characters(codec=None))


@given(st.recursive(TEXTS, lambda inner: st.dictionaries(TEXTS, inner), max_leaves=5))
def test_an_object_is_written_as_json_writes_it(said: object) -> None:
    """Whatever stands in it, lone surrogates too."""
    whole = {"additionalContext": said}
    assert write_object(whole) == json.dumps(whole)


FINITE = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=10,
)


@given(st.dictionaries(st.text(), FINITE), st.booleans())
def test_what_is_written_is_what_json_writes(said: dict[str, object], ascii_only: bool) -> None:
    """The same bytes, in ASCII and beyond."""
    assert write_object(said, ascii_only=ascii_only) == json.dumps(said, ensure_ascii=ascii_only)
