"""What a person saved in UTF-16 is read as it is; what is no text is named, and nothing of it recorded."""

from __future__ import annotations

from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Callable

import pytest

from tests.world import IN_TREE, Answer, Place, World

SAID = "Измеряйте Geräte und 大小 vor jedem Commit"
Write = Callable[[str], bytes]
READ: dict[str, Write] = {
    "UTF-8": lambda text: text.encode(),
    "UTF-8 with a mark": lambda text: text.encode("utf-8-sig"),
    "UTF-16, little end first": lambda text: BOM_UTF16_LE + text.encode("utf-16-le"),
    "UTF-16, big end first": lambda text: BOM_UTF16_BE + text.encode("utf-16-be"),
}
UNREAD: dict[str, Write] = {
    "Windows-1251": lambda text: text.replace("ä", "а").replace("大小", "").encode("cp1251"),
    "GB 18030": lambda text: text.encode("gb18030"),
    "UTF-16 without a mark": lambda text: text.encode("utf-16-le"),
    "half of UTF-16": lambda text: BOM_UTF16_LE + text.encode("utf-16-le")[:-1],
    "no text": lambda text: text.encode().replace("大小".encode(), b"\0\xc3\x28"),
}
#: Where a text comes in: the file that holds it (none: a pipe), how it stands there, and the command.
DOORS: dict[str, tuple[str, str, str]] = {
    "a decision record": ("docs/adr/1-x.md", "# Geräte\n\nStatus: accepted\n\n## Decision\n\n{}.\n", "import docs --write"),
    "a store of another tool": ("notes/Rules.md", "---\ntitle: R\n---\n\n- [fact] {}.\n", "import basic-memory notes --write"),
    "JSON lines in a pipe": ("", '{{"text": "{}."}}\n', "import jsonl - --write"),
    "JSON lines in a file": ("said", '{{"text": "{}."}}\n', "import jsonl said --write"),
    "the page": ("memory/continuity.md", "", "check --absorb"),
    "a note": ("", "{}.\n", "note"),
    "a text": ("", "{}.\n", "edit uv -"),
    "a log": ("said", "# T\n\n## Memory References\n\n- Created: n\n\n## Facts\n\n- {}.\n  <!-- id: n -->\n", "append said"),
    "JSON": ("said", '{{"title": "T", "new": [{{"text": "{}."}}]}}', "append --from-json said"),
    "prose": ("said", "{}.\n", "append --title T --body @said"),
}  # fmt: skip


def _comes_in(home: Place, door: str, write: Write) -> Answer:
    file, form, command = DOORS[door]
    home.run("check", "--publish")
    form = form or home.read(file).replace("{", "{{").replace("}", "}}").replace("Use uv", "{}")
    home.commit_all("The page")
    data = write(form.format(SAID))
    if file:
        home.write(file, data)
        if file.startswith("docs/"):
            home.commit_all("Documents")
    return home.run(*command.split(), stdin=b"" if file else data, code=None)


@pytest.mark.parametrize("encoding", [*READ, *UNREAD])
@pytest.mark.parametrize("door", DOORS)
def test_text_is_recorded_as_it_was_written_or_not_at_all(
    door: str, encoding: str, world: World
) -> None:
    """Word for word, at whatever door; and what is no text is named: no half of a word stands for another one."""
    home = world.home(IN_TREE, facts={"uv": "Use uv."})
    before = home.logs()
    answer = _comes_in(home, door, {**READ, **UNREAD}[encoding])
    said = answer.out + answer.err
    if encoding in READ:
        assert answer.code == 0, answer
        assert f"{SAID}." in "".join(data.decode() for data in home.logs().values()), answer
    else:
        assert home.logs() == before and ("no text" in said or "not UTF-8" in said), answer


def test_recall_reads_documents_alike_and_names_what_it_can_not_read(world: World) -> None:
    """Each encoding by its own words; the others are no empty documents."""
    home = world.home(IN_TREE)
    for at, write in enumerate(READ.values()):
        home.write(f"docs/{at}.md", write(f"# walrus{at}\n\n{SAID} walrus{at}.\n"))
    home.write("docs/old.md", UNREAD["GB 18030"](SAID))
    home.commit_all("Documents")
    for at in range(len(READ)):
        told = home.run("recall", "--in", "docs", f"walrus{at}").json
        assert f"{SAID} walrus{at}." in str(told["hits"])
        assert "docs/old.md is not read" in str(told["notes"])
