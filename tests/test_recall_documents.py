"""`recall --in docs`: passages of the repository's documents, as HEAD has them; no facts, no uses."""

from __future__ import annotations

import marshal
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger.errors import NotFound, WrongUsage
from ledger.home import discover
from memory.api import Memory
from memory.recall.documents import document_passages as document_list
from memory.recall.index.document import indexed_document
from memory.recall.recall_values import DOCS, Filters, is_place
from rituals.serve.mcp import tools
from rituals.serve.mcp.arguments import Caller
from tests.conftest import Repo, Run, each_row

IN_DOCS = Filters(within=DOCS)
AGENTS = """\
# Agents

Use uv, never pip.

## Tests

Run `pytest -q` before each commit.
Note: the container of the database must be up.

## Facts

Webhooks are retried three times.
"""
ADR = "# ADR 1\n\nStatus: accepted\n\n## Decision\n\nOne queue for each shop, so that a dead shop blocks no other.\n"


@pytest.fixture
def shop(repo: Repo) -> Repo:
    repo.write("AGENTS.md", AGENTS)
    repo.write("docs/adr/0001.md", ADR)
    repo.write("docs/notes.txt", "The queue of notes.\n")
    repo.write("node_modules/x/AGENTS.md", "A queue of others.\n")
    repo.git("add", "-A")
    repo.git("commit", "-q", "-m", "documents")
    return repo


def name(repo: Repo, *patterns: str) -> None:
    """Let the policy name documents."""
    path = repo.path / "memory/diurna.toml"
    said = re.sub(r"\[recall\]\nfiles = .*\n", "", path.read_text())
    path.write_text(f"{said}[recall]\nfiles = {list(patterns)}\n")
    repo.git("commit", "-q", "-am", "name documents")


def ids(run: Run, *words: str) -> list[str]:
    ran = run("recall", "--in", "docs", *words, "--json")
    assert ran.code == 0, ran.err
    return [hit["id"] for hit in ran.json["hits"]]


def test_documents_for_agents_are_known_at_once(shop: Repo, run: Run) -> None:
    """By heading, with a place that an editor takes; a section called Facts is one like all others."""
    assert ids(run, "database container tests")[0] == "AGENTS.md:5"
    ran = run("recall", "--in", "docs", "webhooks", "retried")
    assert ran.out.startswith(
        "AGENTS.md:10  document  Agents / Facts: Webhooks are retried three times."
    )
    assert "queue" not in ran.out and ids(run, "queue") == ["docs/adr/0001.md:5"]
    assert "what holds" not in ran.out
    (hit, *_) = run("recall", "--in", "docs", "uv", "--json").json["passages"]
    assert (hit["kind"], hit["stem"], hit["tier"], hit["agent"]) == ("document", "", "", "")


def test_the_policy_names_more(shop: Repo, run: Run) -> None:
    """By patterns as `.gitignore` has them, from HEAD, whatever the work tree holds."""
    name(shop, "docs/")
    assert sorted(ids(run, "queue")) == ["docs/adr/0001.md:5", "docs/notes.txt:1"]
    name(shop, "node_modules/**/*.md", "000*")
    assert sorted(ids(run, "queue")) == ["docs/adr/0001.md:5", "node_modules/x/AGENTS.md:1"]
    (shop.path / "docs/adr/0001.md").write_text("Nothing of it.")
    shop.write("0002.txt", "Another queue.")
    assert sorted(ids(run, "queue")) == ["docs/adr/0001.md:5", "node_modules/x/AGENTS.md:1"]
    shop.git("add", "-A")
    shop.git("commit", "-q", "-m", "changed")
    assert sorted(ids(run, "queue")) == ["0002.txt:1", "node_modules/x/AGENTS.md:1"]


@pytest.mark.parametrize("branch", ("", "memory"))
def test_what_the_home_is_made_of_is_no_document(bare_repo: Repo, run: Run, branch: str) -> None:
    """In-tree; a home on a branch of its own has nothing in HEAD, and asks the code's documents."""
    assert run("init", *(("--branch", branch) if branch else ())).code == 0
    run("note", "decision: One queue for each shop.")
    run("check", "--publish")
    bare_repo.write("AGENTS.md", "A queue.\n")
    bare_repo.write("archive/AGENTS.md", "An old queue.\n")
    bare_repo.git("add", "AGENTS.md", "archive")
    bare_repo.git("commit", "-q", "-m", "documents")
    if not branch:
        name(bare_repo, "**/*.md")
    assert sorted(ids(run, "queue")) == ["AGENTS.md:1", "archive/AGENTS.md:1"]


def test_levels_and_places(shop: Repo, run: Run) -> None:
    """A line, what is around it, the whole section; and one passage by its place, beside a fact by its id."""
    run("append", "--title", "A", "--new", "id=use-uv stack: We use uv.")
    around = run("recall", "--in", "docs", "--level", "timeline", "database container").out
    assert around.startswith("AGENTS.md:5  Tests  [") and "> ## Tests Run" in around
    whole = run("recall", "--in", "docs", "--level", "full", "database container").out
    assert whole.startswith("## Tests\n\nRun `pytest -q`")
    shown = run("recall", "--ids", "AGENTS.md:8,use-uv,AGENTS.md:5", "--json").json["hits"]
    assert [hit["id"] for hit in shown] == ["AGENTS.md:8", "use-uv", "AGENTS.md:5"]
    assert shown[0]["text"].startswith("## Tests") and shown[1]["line"] == "We use uv."
    for wrong, said in (
        ("code.py:1", "code.py is no document that recall knows"),
        ("../../etc/passwd:1", "is no document that recall knows"),
        ("AGENTS.md:0", "has no passage at line 0"),
    ):
        ran = run("recall", "--ids", wrong)
        assert ran.code == 1 and said in ran.err


def test_no_uses_and_no_facts(shop: Repo, run: Run) -> None:
    """What was asked of documents leaves memory and repository as they were; filters of facts are refused."""
    run("append", "--title", "A", "--new", "id=use-uv stack: We use uv.")
    before = (shop.shape(), run("show", "use-uv", "--json").out)
    assert ids(run, "uv") == ["AGENTS.md:1"]
    assert (shop.shape(), run("show", "use-uv", "--json").out) == before
    ran = run("recall", "--in", "docs", "uv", "--kind", "stack")
    assert ran.code == 2 and "documents have no kind" in ran.err


BESIDE: tuple[tuple[tuple[str, ...], list[str]], ...] = (
    # what is asked, and which passages of documents stand behind what memory says
    (("retried webhooks",), ["AGENTS.md:10"]),
    (("how is the elephant retried today",), []),  # they say a little of it
    (("retried webhooks", "--in", "facts"), []),
    (("retried webhooks", "--kind", "decision"), []),
    (("retried webhooks", "--agent", "x"), []),
    (("retried webhooks", "-n", "2"), []),  # there is no room
)


@pytest.mark.parametrize(("asked", "holds"), BESIDE)
def test_documents_stand_behind_what_memory_says(
    shop: Repo, run: Run, asked: tuple[str, ...], holds: list[str]
) -> None:
    """Marked, by their places, without a filter alone; what memory says is the same as without them."""
    run(
        "note",
        "id=twice decision: Webhooks are retried twice.",
        "id=b decision: A retried one is told.",
    )
    ran = run("recall", *asked, "--json")
    kinds = [hit["kind"] for hit in ran.json["hits"]]
    assert [hit["id"] for hit in ran.json["hits"] if hit["kind"] == "document"] == holds
    assert kinds == sorted(kinds, key=lambda kind: kind == "document")
    shop.git("rm", "-q", "AGENTS.md")
    shop.git("commit", "-q", "-m", "gone")
    own = [hit["id"] for hit in run("recall", *asked, "--json").json["hits"]]
    assert own == [hit["id"] for hit in ran.json["hits"] if hit["kind"] != "document"]
    shop.git("revert", "-n", "HEAD")
    shop.git("commit", "-q", "-m", "back")
    assert ("what documents say" in run("recall", *asked).out) is bool(holds)


def test_what_is_large_binary_or_a_link_is_passed_over(
    shop: Repo, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And said, where it is for size or number."""
    monkeypatch.setattr(document_list, "DOCUMENT_LIMIT_BYTES", 1000)
    shop.write("docs/large.md", "A large queue. " * 100)
    (shop.path / "docs/bytes.md").write_bytes(b"queue \0 queue")
    (shop.path / "docs/link.md").symlink_to("/etc/passwd")
    shop.write("docs/empty.md", "")
    shop.git("add", "-A")
    shop.git("commit", "-q", "-m", "odd")
    name(shop, "docs/")
    ran = run("recall", "--in", "docs", "queue")
    assert "note: 1 documents are left out" in ran.err
    assert sorted(ids(run, "queue")) == ["docs/adr/0001.md:5", "docs/notes.txt:1"]
    monkeypatch.setattr(document_list, "DOCUMENTS_LIMIT", 1)
    shop.write("docs/z.md", "A queue.")
    shop.git("add", "-A")
    shop.git("commit", "-q", "-m", "one more")
    assert "note: 5 documents are left out" in run("recall", "--in", "docs", "queue").err


def test_what_was_redacted_is_not_shown(shop: Repo, run: Run) -> None:
    """A line of a document that holds it, too: it is neither found nor shown."""
    run(
        "append",
        "--title",
        "A",
        "--new",
        "id=pw fact: The staging supplier is swordfish-tuesday.",
    )
    shop.write("AGENTS.md", f"{AGENTS}\nThe staging supplier is swordfish-tuesday.\n")
    shop.git("commit", "-q", "-am", "a slip")
    assert ids(run, "swordfish tuesday") == ["AGENTS.md:10"]
    assert run("redact", "pw", "--reason", "a secret").code == 0
    assert ids(run, "swordfish tuesday") == []
    assert (
        "swordfish" not in run("recall", "--in", "docs", "--level", "full", "webhooks retried").out
    )


def test_an_index_that_is_damaged_or_can_not_be_kept(
    shop: Repo, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same answer; and it is not made anew while the documents are the same."""
    found = ids(run, "database container")
    (kept,) = (shop.path / ".git/diurna/cache").glob("*.docs.recall")
    made = kept.stat().st_ino
    shop.git("commit", "-q", "--allow-empty", "-m", "nothing")
    assert ids(run, "database container") == found and kept.stat().st_ino == made
    kept.write_bytes(b"nonsense")
    assert ids(run, "database container") == found
    kept.unlink()
    monkeypatch.setattr("memory.recall.documents.document_passages.write_file", lambda *_: False)
    assert ids(run, "database container") == found and not kept.exists()


def test_a_process_that_runs_on_sees_what_changed(shop: Repo) -> None:
    """As the MCP server does; nobody has committed anything at first."""
    memory = Memory(discover(str(shop.path)))
    assert [hit.id for hit in memory.recall("uv pip", filters=IN_DOCS).hits] == ["AGENTS.md:1"]
    shop.write("AGENTS.md", "# Agents\n\n## New\n\nUse uv, never pip.\n")
    shop.git("commit", "-q", "-am", "moved")
    assert [hit.id for hit in memory.recall("uv pip", filters=IN_DOCS).hits] == ["AGENTS.md:3"]
    assert memory.get(["AGENTS.md:3"]).hits[0].line.startswith("Agents / New")
    with pytest.raises(NotFound):
        memory.get(["AGENTS.txt:3"])
    with pytest.raises(WrongUsage):
        memory.recall("uv", filters=IN_DOCS._replace(since="2026-11-01"))
    memory.close()


def test_without_any_document_it_says_so(repo: Repo, run: Run) -> None:
    ran = run("recall", "--in", "docs", "uv")
    assert ran.code == 0 and "`[recall] files` of the policy names none" in ran.err


def test_text_of_a_document_is_shown_escaped(shop: Repo, run: Run) -> None:
    """As everything that was written by others."""
    shop.write("AGENTS.md", "# Agents\n\nA queue\x1b[31m of \u202etxt.\n")
    shop.git("commit", "-q", "-am", "odd")
    for level in ("index", "timeline", "full"):
        out = run("recall", "--in", "docs", "queue", "--level", level).out
        assert "queue" in out and "\x1b" not in out and "\u202e" not in out


@given(st.text(alphabet="ab# \n-:.`*|é", max_size=400))
def test_every_passage_is_where_it_says(text: str) -> None:
    """The line of a passage is the one that it begins on, and nothing of a document is lost."""
    indexed = indexed_document("x.md", "0" * 40, text)
    lines = text.split("\n")
    pieces, *_ = marshal.loads(indexed.row[7])  # noqa: S302 - what was packed here
    for (line, *_), (_, said, _) in zip(pieces, indexed.texts, strict=True):
        assert lines[line - 1].strip() and lines[line - 1].strip()[0] == said.strip()[0]


@each_row(
    "said, holds",
    [
        ("AGENTS.md:1", True), ("docs/a b.md:12", True), ("use-uv", False), ("AGENTS.md", False),
        ("2026-11-21-083012417:4", False), ("a:b", False), (":3", False), ("x:1234567890", False),
    ],
)  # fmt: skip
def test_a_place_is_told_from_other_ids(said: str, holds: bool) -> None:
    assert is_place(said) is holds


@each_row(
    "pattern, path, holds",
    [
        ("docs/*.md", "docs/a.md", True), ("docs/*.md", "docs/b/a.md", False),
        ("docs/**/*.md", "docs/a.md", True), ("docs/**/*.md", "docs/b/c/a.md", True),
        ("docs/", "docs/b/c/a.txt", True), ("docs", "docs", True), ("docs", "docs/a.md", False),
        ("RFC*", "x/RFC-1.md", True), ("RFC*", "RFC/1.md", False), ("a?.md", "ab.md", True),
        ("./a.md", "x/a.md", True), ("a.md", "abmd", False), ("[a]", "[a]", True), ("**", "x/y", True),
    ],
)  # fmt: skip
def test_patterns_are_those_of_gitignore(pattern: str, path: str, holds: bool) -> None:
    assert bool(document_list._pattern(pattern).match(path)) is holds


def test_a_model_asks_for_documents_too(shop: Repo) -> None:
    """By the tools that it has; a place is let through as an id, and nothing else that is no id."""
    memory = Memory(discover(str(shop.path)))
    (hit,) = tools.recall(memory, Caller(), query="database container", within="docs")["hits"]
    assert (hit["id"], hit["kind"], "stem" in hit) == ("AGENTS.md:5", "document", False)
    (whole,) = tools.get(memory, Caller(), ids=[hit["id"]])["hits"]
    assert whole["text"].startswith("## Tests")
    for wrong in ("AGENTS.md", "a\nb:3", "x\x1b:3", "--output=x"):
        with pytest.raises(ValueError, match=r"not a fact id|one line|control"):
            tools.BY_NAME["get"].takes.model_validate({"ids": [wrong]})
    memory.close()
