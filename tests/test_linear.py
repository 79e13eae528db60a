"""No text is slow: twice of it takes at most two and a half times as many steps, wherever a text is read.

The gate counts steps, of every 37th pair of a shape and a reader, and reads as much text as would be too dear
for it (`tests.processor_time`) where one step takes a time that grows (fault:G10 and fault:G23);
`python -m tests.campaigns.matrices` takes all.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import partial

import pytest

from ledger.codec.canonical_draft import problems, read_draft
from ledger.errors import DiurnaError
from ledger.model.finding_codes import Finding
from ledger.secrets.log_redaction import first_of, guard
from ledger.secrets.match import without_private
from memory.recall.log_reader import passages_of
from projection.document.edit_events import absorb
from projection.policy.model import Policy
from projection.text.claims import claims
from projection.text.session_digest import gist
from projection.text.session_lines import in_short, parts_in_short
from rituals.check.linted_files import lint_files
from rituals.hosts.shell import read as read_shell
from rituals.intake.decision_records import decision_of
from tests.conftest import sampled
from tests.processor_time import steps

#: What is repeated: each of them hurts some way of reading.
SHAPES = {
    "addresses": "a@b.co ", "addresses in one word": "a@b.co", "addresses on lines": "a@b.co\n",
    "pre": "<pre>\n", "raw tags": "<script>\n<pre>\n", "blocks": "<div>\n\n", "comments": "<!--\n",
    "fences": "```\n~~~~\n`````\n", "quotes": "> ", "lists": "- ", "bullets": "- a: b\n", "brackets": "[[",
    "parentheses": "(", "stars": "**a ", "back-ticks": "`", "footers": "<!-- id: a -->\n",
    "facts": "- x\n  <!-- id: a -->\n", "sections": "## Facts\n", "escapes": "\\u0041", "entities": "&#65;",
    "zero-width": "a\u200b", "colours": "\x1b[31mA", "joined strings": '"a" + ', "broken words": "a1B2c3D4\n",
    "percent": "%41", "passwords": "password=a1b2c3d4e5f6 ", "names": "password: \n", "told": "the password is ",
    "keys": "-----BEGIN PRIVATE KEY-----\n", "web tokens": "eyJa.", "links": "://",
    "url passwords": "https://a:b1c2d3@h.co/ ", "cards": "4556 7375 8689 9855 ", "digits": "4556737586899855",
    "telephones": "+49 30 8754321 ", "homes": "/home/alice/x ", "one word": "a", "titles": "a\n---\n",
    "hooks": "https://hooks.x/", "hooks in one word": "://hook", "cookies": "Cookie: a=", "cells": "| token ",
    "json web keys": '"kty":"x","d', "phrases": "phrase: abc def ghi ", "piped": "echo aaaaaaaa", "drawn": "ab_Cd3",
    "hashes": "$argon2id$", "values in tags": "<password>", "names on lines": "password:\n", "x keys": "x-key ",
    "blanks": " ", "dashes": "_-", "dots": "a.", "prompts in code": "`$ ", "marks on one letter": "\u0301\u0316",
    "crosses": "<<", "piped commands": "|a", "private": "<private>", "private ends": "</private",
    "names run on": "парол", "wide names run on": "密码是", "wide names": "口令", "codes": "recovery code ",
    "numbers asked for": "PIN of ", "accents": "clé ", "pairs of a login": "admin / ",
    "mine": "my salary is ", "signs": "我女儿",
}  # fmt: skip
_TIMES = 2.5


def lint(text: str) -> None:
    """As `diurna check --ci FILE` does."""
    lint_files([("draft.md", text.encode())], "warn")


def append(text: str) -> None:
    """As `diurna append` does, with the text as prose."""
    log = read_draft(f"# T\n\n{text}\n".encode())
    guard(log)
    problems(log)


def append_fact(text: str) -> None:
    """As `diurna append` does, with the text as that of a fact."""
    said = text.replace("\n", "\n  ")
    facts = f"## Memory References\n\n- Created: a\n\n## Facts\n\n- x{said}\n  <!-- id: a -->\n"
    guard(read_draft(f"# T\n\n{facts}".encode()))


def absorbed(text: str) -> None:
    """As `diurna check --absorb` reads an edited continuity.md."""
    head = "# Continuity — x\n\n## Facts\n\n"
    absorb(head, f"{head}{text}\n", Policy(), lambda _: None)


READERS: dict[str, Callable[[str], object]] = {
    "lint": lint, "append": append, "append of a fact": append_fact, "absorb": absorbed, "digest": gist,
    "recall": passages_of, "in short": in_short, "parts": parts_in_short, "claims": claims,
    "decision record": lambda text: decision_of(f"# T\n\n## Decision\n\n{text}"), "shell": read_shell,
    "private parts": without_private,
}  # fmt: skip


def refusing(read: Callable[[str], object], text: str) -> None:
    """Read a text; a refusal is an answer."""
    with suppress(DiurnaError):
        read(text)


PAIRS = pytest.mark.parametrize(
    ("shape", "reader"),
    [
        *sampled([(shape, reader) for shape in SHAPES for reader in READERS], 37),
        ("blanks", "claims"), ("brackets", "decision record"), ("piped commands", "shell"),
        ("private", "private parts"),
        ("names run on", "lint"), ("wide names run on", "lint"), ("codes", "lint"),
    ],
)  # fmt: skip


@PAIRS
def test_twice_the_text_takes_twice_the_steps(shape: str, reader: str) -> None:
    """And eight times of it is read in the time that an item of the gate has; quadratic work takes minutes."""
    read, unit = READERS[reader], SHAPES[shape]
    text = unit * ((1 << 13) // len(unit))
    once, twice = [steps(partial(refusing, read, text * times)) for times in (1, 2)]
    assert twice <= _TIMES * once + 500
    refusing(read, text * 4)


def test_what_is_found_everywhere_is_counted() -> None:
    """A text full of addresses is told a hundred times and once more, not a hundred thousand times."""
    found = lint_files([("draft.md", b"/home/ada/src\n" * 1000)], "warn")
    said = [one.message for one in found if one.code == "personal-data"]
    assert len(said) == 101
    assert said[-1] == "and 900 more places like this one"
    two = [Finding("drift", str(at)) for at in range(100)], [Finding("lint", "x")] * 101
    assert [one.message for one in first_of([*two[0], *two[1]])] == [
        *map(str, range(100)), *"x" * 100, "and 1 more places like this one",
    ]  # fmt: skip
    assert first_of(two[0]) == two[0]
