"""`recall --in docs`: passages of the repository's documents, as HEAD has them; no facts, no uses."""

from __future__ import annotations

import os
import re

import pytest

from tests.conftest import each_row
from tests.world import IN_TREE, OWN_BRANCH, Place, World

AGENTS = """\
# Agents

Use uv, never pip.

## Tests

Run `pytest -q` before each commit.
Note: the container of the database must be up.

## Facts

Webhooks are retried three times.
"""
FILES = {
    "AGENTS.md": AGENTS,
    "docs/adr/0001.md": "# ADR 1\n\nStatus: accepted\n\n## Decision\n\nOne queue for each shop.\n",
    "docs/notes.txt": "The queue of notes.\n",
    "node_modules/x/AGENTS.md": "A queue of others.\n",
}


def with_documents(home: Place) -> Place:
    for path, text in FILES.items():
        home.write(path, text)
    home.commit_all("documents")
    return home


@pytest.fixture
def shop(world: World) -> Place:
    return with_documents(world.home(IN_TREE))


def name(home: Place, *patterns: str) -> None:
    """Let the policy name documents."""
    said = re.sub(r"\n\[recall\]\nfiles = .*\n", "", home.show_file("diurna.toml").decode())
    home.plant({"diurna.toml": f"{said}\n[recall]\nfiles = {list(patterns)}\n"})


def ids(home: Place, question: str) -> list[str]:
    return [hit["id"] for hit in home.run("recall", "--in", "docs", question).json["hits"]]


def test_documents_for_agents_are_known_at_once(shop: Place) -> None:
    """By heading, with a place that an editor takes; a section called Facts is one like all others."""
    assert ids(shop, "database container tests")[0] == "AGENTS.md:5"
    told = shop.text("recall", "--in", "docs", "webhooks retried")
    assert told.startswith(
        "AGENTS.md:10  document  Agents / Facts: Webhooks are retried three times."
    )
    assert ids(shop, "queue") == ["docs/adr/0001.md:5"] and "what holds" not in told
    (hit, *_) = shop.run("recall", "--in", "docs", "uv").json["passages"]
    assert (hit["kind"], hit["stem"], hit["tier"], hit["agent"]) == ("document", "", "", "")


@each_row(
    "patterns, found",
    [
        (["docs/"], {"docs/adr/0001.md", "docs/notes.txt"}),
        (["docs"], {"docs/adr/0001.md"}),
        (["docs/*.txt"], {"docs/adr/0001.md", "docs/notes.txt"}),
        (["docs/*.md"], {"docs/adr/0001.md"}),
        (["docs/**/*.t?t"], {"docs/adr/0001.md", "docs/notes.txt"}),
        (["node_modules/**/*.md", "note*"], {"docs/adr/0001.md", "node_modules/x/AGENTS.md", "docs/notes.txt"}),
        (["./notes.txt", "[n]otes.txt"], {"docs/adr/0001.md", "docs/notes.txt"}),
        (["a..b/*", "[", "docs/\\", ":(exclude)docs", "-x"], {"docs/adr/0001.md"}),
    ],
)  # fmt: skip
def test_the_policy_names_more(shop: Place, patterns: list[str], found: set[str]) -> None:
    """By patterns as `.gitignore` has them."""
    name(shop, *patterns)
    assert {one.partition(":")[0] for one in ids(shop, "queue")} == found


def test_documents_are_those_of_head(shop: Place) -> None:
    """Whatever the work tree holds."""
    name(shop, "000*")
    shop.write("docs/adr/0001.md", "Nothing of it.")
    shop.write("0002.txt", "\nAnother queue.")
    assert ids(shop, "queue") == ["docs/adr/0001.md:5"]
    shop.commit_all("changed")
    assert ids(shop, "queue") == ["0002.txt:2"]


@pytest.mark.parametrize("kind", [IN_TREE, OWN_BRANCH])
def test_what_the_home_is_made_of_is_no_document(world: World, kind: str) -> None:
    """A home on a branch of its own has nothing in HEAD, and asks the code's documents."""
    home = world.home(kind, facts={"one": "decision: One queue for each shop."})
    home.run("check", "--publish")
    home.write("AGENTS.md", "A queue.\n")
    home.write("archive/AGENTS.md", "An old queue.\n")
    home.commit_all()
    if kind == IN_TREE:
        name(home, "**/*.md")
    assert sorted(ids(home, "queue")) == ["AGENTS.md:1", "archive/AGENTS.md:1"]


def test_levels_and_places(shop: Place) -> None:
    """A line, what is around it, the whole section; and one passage by its place, beside a fact by its id."""
    shop.note("id=use-uv stack: We use uv.")
    question = ("recall", "--in", "docs", "database container", "--level")
    around = shop.text(*question, "timeline")
    assert around.startswith("AGENTS.md:5  Tests  [") and "> ## Tests Run" in around
    assert shop.text(*question, "full").startswith("## Tests\n\nRun `pytest -q`")
    shown = shop.run("recall", "--ids", "AGENTS.md:8,use-uv,AGENTS.md:5").json["hits"]
    assert [hit["id"] for hit in shown] == ["AGENTS.md:8", "use-uv", "AGENTS.md:5"]
    assert shown[0]["text"].startswith("## Tests") and shown[1]["line"] == "We use uv."


@each_row(
    "words, code, said",
    [
        (["--ids", "code.py:1"], 1, "code.py is no document that recall knows"),
        (["--ids", "../../etc/passwd:1"], 1, "is no document that recall knows"),
        (["--ids", "AGENTS.md:0"], 1, "has no passage at line 0"),
        (["--in", "docs", "uv", "--kind", "stack"], 2, "documents have no kind"),
        (["--in", "docs", "uv", "--since", "2026-11-01"], 2, "documents have no"),
    ],
)  # fmt: skip
def test_what_is_asked_wrongly(shop: Place, words: list[str], code: int, said: str) -> None:
    """A place that is none, and filters of facts, are refused."""
    assert said in shop.run("recall", *words, code=code).err


def test_no_uses_and_no_facts(shop: Place) -> None:
    """What was asked of documents leaves memory and repository as they were."""
    shop.note("id=use-uv stack: We use uv.")
    before = shop.shape(), shop.show("use-uv")
    assert ids(shop, "uv") == ["AGENTS.md:1"]
    assert (shop.shape(), shop.show("use-uv")) == before


BESIDE: tuple[tuple[tuple[str, ...], list[str]], ...] = (
    (("retried webhooks",), ["AGENTS.md:10"]),
    (("how is the elephant retried today",), []),  # they say a little of it
    (("retried webhooks", "--in", "facts"), []),
    (("retried webhooks", "--kind", "decision"), []),
    (("retried webhooks", "--agent", "x"), []),
    (("retried webhooks", "-n", "2"), []),  # there is no room
)


def test_documents_stand_behind_what_memory_says(shop: Place) -> None:
    """By their places, without a filter alone; what memory says is the same as without them."""
    shop.note(
        "id=twice decision: Webhooks are retried twice.", "id=b decision: A retried one is told."
    )
    bare = shop.fork("bare")
    bare.git("rm", "-q", "AGENTS.md")
    bare.git("commit", "-qm", "gone")
    for asked, places in BESIDE:
        hits = shop.run("recall", *asked).json["hits"]
        assert [hit["id"] for hit in hits if hit["kind"] == "document"] == places, asked
        own = [hit["id"] for hit in bare.run("recall", *asked).json["hits"]]
        assert own + places == [hit["id"] for hit in hits], asked
        assert ("what documents say" in shop.text("recall", *asked)) == bool(places)


def test_what_is_large_binary_or_a_link_is_passed_over(
    shop: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And said, where it is for size or number."""
    limits = "memory.recall.document_passages."
    monkeypatch.setattr(f"{limits}DOCUMENT_LIMIT_BYTES", 1000)
    shop.write("docs/large.md", "A large queue. " * 100)
    shop.write("docs/bytes.md", b"queue \0 queue")
    shop.write("docs/empty.md", "")
    (shop.folder / "docs/link.md").symlink_to("/etc/passwd")
    shop.commit_all()
    name(shop, "docs/*")
    ran = shop.run("recall", "--in", "docs", "queue", json=False)
    assert "note: 1 documents are left out" in ran.err
    assert sorted(ids(shop, "queue")) == ["docs/adr/0001.md:5", "docs/notes.txt:1"]
    monkeypatch.setattr(f"{limits}DOCUMENTS_LIMIT", 1)
    shop.write("docs/z.md", "A queue.")
    shop.commit_all()
    assert re.search(
        r"note: \d documents are left out",
        shop.run("recall", "--in", "docs", "queue", json=False).err,
    )


def test_an_index_that_is_damaged_or_can_not_be_kept(
    shop: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same answer; and it is not made anew while the documents are the same."""
    found = ids(shop, "database container")
    (kept,) = (shop.common / "diurna/cache").glob("*.docs.recall")
    made = kept.stat().st_ino
    shop.git("commit", "-q", "--allow-empty", "-m", "nothing")
    assert ids(shop, "database container") == found and kept.stat().st_ino == made
    kept.write_bytes(b"nonsense")
    assert ids(shop, "database container") == found
    kept.unlink()
    monkeypatch.setattr("memory.cache.rebuild.take_away", lambda *_, **__: os.stat("/nowhere"))
    assert ids(shop, "database container") == found and not kept.exists()


def test_without_any_document_it_says_so(world: World) -> None:
    home = world.home(IN_TREE)
    home.git("rm", "-rq", "docs")
    home.commit_all()
    ran = home.run("recall", "--in", "docs", "uv", json=False)
    assert not ran.out and "`[recall] files` of the policy names none" in ran.err


def test_text_of_a_document_is_shown_escaped(shop: Place) -> None:
    """As everything that was written by others."""
    shop.write("AGENTS.md", "# Agents\n\nA queue\x1b[31m of \u202etxt.\n")
    shop.commit_all()
    for level in ("index", "timeline", "full"):
        out = shop.text("recall", "--in", "docs", "queue", "--level", level)
        assert "queue" in out and "\x1b" not in out and "\u202e" not in out
