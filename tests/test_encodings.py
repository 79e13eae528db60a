"""What a person saved in UTF-16 is read as they wrote it; what is no text is named, and nothing of it is recorded."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from tests.world import Answer, Place, World

SAID = "Измеряйте Geräte und 大小 vor jedem Commit"
Write = Callable[[str], bytes]
READ: dict[str, Write] = {
    "UTF-8": lambda text: text.encode(),
    "UTF-8 with a mark": lambda text: text.encode("utf-8-sig"),
    "UTF-16, little end first": lambda text: b"\xff\xfe" + text.encode("utf-16-le"),
    "UTF-16, big end first": lambda text: b"\xfe\xff" + text.encode("utf-16-be"),
}
UNREAD: dict[str, Write] = {
    "Windows-1251": lambda text: text.replace("ä", "а").replace("大小", "").encode("cp1251"),
    "GB 18030": lambda text: text.encode("gb18030"),
    "UTF-16 without a mark": lambda text: text.encode("utf-16-le"),
    "half of UTF-16": lambda text: b"\xff\xfe" + text.encode("utf-16-le")[:-1],
    "no text": lambda text: text.encode().replace("大小".encode(), b"\0\xc3\x28"),
}  # fmt: skip


def _record(home: Place, write: Write) -> Answer:
    home.write(
        "docs/adr/0001-x.md", write(f"# Geräte\n\nStatus: accepted\n\n## Decision\n\n{SAID}.\n")
    )
    home.commit_all("A record")
    return home.run("import", "docs", "--write")


def _store(home: Place, write: Write) -> Answer:
    home.write(
        "notes/Rules.md", write(f"---\ntitle: Rules\n---\n\n## Observations\n- [fact] {SAID}.\n")
    )
    return home.run("import", "basic-memory", "notes", "--write")


def _page(home: Place, write: Write) -> Answer:
    home.run("check", "--publish")
    home.commit_all("The page")
    page = f"{home.prefix}continuity.md"
    home.write(page, write(home.read(page).replace("Use uv", SAID)))
    return home.run("check", "--absorb", code=None)


def _piped(*arguments: str, form: str = "{}.\n") -> Callable[[Place, Write], Answer]:
    return lambda home, write: home.run(*arguments, stdin=write(form.format(SAID)), code=None)


def _filed(*arguments: str, form: str = "{}.\n") -> Callable[[Place, Write], Answer]:
    def run(home: Place, write: Write) -> Answer:
        file = home.write("said", write(form.replace("{}", SAID)))
        return home.run(*[one.replace("FILE", str(file)) for one in arguments], code=None)

    return run


_LOG = "# Geräte\n\n## Memory References\n\n- Created: size\n\n## Facts\n\n- {}.\n  <!-- id: size -->\n"
DOORS: dict[str, Callable[[Place, Write], Answer]] = {
    "a decision record": _record,
    "a store of another tool": _store,
    "JSON lines in a pipe": _piped("import", "jsonl", "-", "--write", form='{{"text": "{}."}}\n'),
    "JSON lines in a file": _filed("import", "jsonl", "FILE", "--write", form='{"text": "{}."}\n'),
    "the page": _page,
    "a note": _piped("note"),
    "a text": _piped("edit", "uv", "-"),
    "a log": _filed("append", "FILE", form=_LOG),
    "JSON": _filed("append", "--from-json", "FILE", form='{"title": "T", "new": [{"text": "{}."}]}'),
    "prose": _filed("append", "--title", "T", "--body", "@FILE"),
}  # fmt: skip


@pytest.fixture
def home(world: World) -> Place:
    """A home with a fact."""
    return world.home(facts={"uv": "Use uv."})


def _recorded(home: Place) -> str:
    return "\n".join(data.decode() for data in home.logs().values())


@pytest.mark.parametrize("encoding", READ)
@pytest.mark.parametrize("door", DOORS)
def test_text_is_recorded_as_it_was_written(door: str, encoding: str, home: Place) -> None:
    """Word for word, at whatever door it comes in."""
    answer = DOORS[door](home, READ[encoding])
    assert answer.code == 0, answer
    assert f"{SAID}." in _recorded(home), answer


@pytest.mark.parametrize("encoding", UNREAD)
@pytest.mark.parametrize("door", DOORS)
def test_of_what_is_no_text_nothing_is_recorded(door: str, encoding: str, home: Place) -> None:
    """And it is named: no half of a word stands for another one."""
    before = home.logs()
    answer = DOORS[door](home, UNREAD[encoding])
    assert home.logs() == before
    said = answer.out + answer.err
    assert "no text" in said or "not UTF-8" in said


def test_recall_reads_documents_alike_and_names_what_it_can_not_read(home: Place) -> None:
    """Each encoding by its own words; the others are no empty documents."""
    words: dict[str, Any] = {f"walrus{at}": write for at, write in enumerate(READ.values())}
    for word, write in words.items():
        home.write(f"docs/{word}.md", write(f"# {word}\n\n{SAID} {word}.\n"))
    home.write("docs/old.md", UNREAD["GB 18030"](SAID))
    home.commit_all("Documents")
    for word in words:
        told = home.run("recall", "--in", "docs", word).json
        assert f"{SAID} {word}." in json.dumps(told, ensure_ascii=False)
        assert "docs/old.md is not read" in str(told["notes"])
