"""The word index in the cache, and what is compared by it: warm = cold, whatever came in between."""

from __future__ import annotations

import random
import subprocess
import sys
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from ledger.codec.log import entry_of
from ledger.errors import DraftRefused
from ledger.model.event import (
    Event,
    FactCreated,
    FactInvalidated,
    FactRedacted,
    FactSuperseded,
    FactUpdated,
)
from ledger.model.logset import LogRef
from ledger.model.session import Entry, SessionLog
from memory.api import Memory
from memory.cache import word_index as wordindex
from memory.cache.cache_file import Cache
from memory.cache.rebuild import build
from memory.cache.schema import likeness
from memory.cache.word_index import WordIndex
from memory.query.live_pairs import Comparison, compare_facts
from memory.replay.ledger_snapshot import Snapshot
from memory.write.draft import SessionDraft
from projection.compare.candidates import queries, subjects
from projection.policy.model import Policy
from projection.text.normalize import index_words, statements
from tests.conftest import Repo
from tests.planted_pairs import pairs


def compare(
    snapshot: Snapshot,
    changed: Iterable[str] | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Comparison:
    """Compare the live facts of a ledger by the words that its cache has."""
    cache = snapshot.cache()
    index = WordIndex(cache)
    index.follow()
    with cache:
        live = {standing.fact.id: standing.fact for standing in cache.view().live}
        words = {fact: known for fact, known in index.words().items() if fact in live}
    return compare_facts(live, words, changed, progress)


POLICY = ("", Policy(), "")


def log(number: int, *acts: Event) -> tuple[LogRef, Entry]:
    """Return a log that says this."""
    stem = f"2026-11-20-10{number // 60:02}{number % 60:02}000-{number:012x}"
    ref = LogRef(stem, f"sessions/{stem}.md", f"{number:040x}")
    return ref, entry_of(stem, SessionLog((("agent", "a"),), "T", "", acts))


def cold(logs: list[tuple[LogRef, Entry]]) -> Cache:
    """Return a new cache of these logs, indexed."""
    cache = build("", "c" * 40, [ref for ref, _ in logs], [entry for _, entry in logs], (), POLICY)
    WordIndex(cache).follow()
    return cache


def answers(cache: Cache, texts: list[str]) -> list[list[str]]:
    """Return what the index proposes for each text."""
    index = WordIndex(cache)
    index.follow()
    read = [(text, statements(text)) for text in texts]
    return [
        index.candidates(queries(said, index_words(text)), subjects(said)) for text, said in read
    ]


def history(seed: int, size: int) -> list[tuple[LogRef, Entry]]:
    """Return logs in which facts are born, change, and become false, in a random order."""
    rng = random.Random(seed)
    texts = [text for pair in pairs() for text in (pair.one, pair.two)]
    names = [f"fact-{number}" for number in range(size)]
    found = []
    for number in range(2 * size):
        name, other = rng.sample(names, 2)
        acts: tuple[Event, ...] = (FactCreated(name, rng.choice(texts)),)
        chance = rng.random()
        if chance < 0.3:
            acts = (FactUpdated(name, rng.choice(texts)),)
        elif chance < 0.4:
            acts = (FactSuperseded(name, other),)
        elif chance < 0.45:
            acts = (FactInvalidated(name),)
        elif chance < 0.5:
            acts = (FactRedacted(name),)
        found.append(log(number, *acts))
    rng.shuffle(found)
    return found


@pytest.mark.parametrize("seed", range(6))
def test_warm_is_cold(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """An index that followed log by log proposes what one that was built at once proposes."""
    monkeypatch.setattr(wordindex, "_CHUNK_FACTS", 7)
    logs = history(seed, 40)
    texts = [pair.one for pair in pairs()][::5]
    rng = random.Random(seed)
    start = rng.randrange(len(logs))
    refs, entries = [ref for ref, _ in logs[:start]], [entry for _, entry in logs[:start]]
    warm = build("", "0" * 40, refs, entries, (), POLICY)
    done = start
    while done < len(logs):
        step = rng.randint(1, 9)
        part = logs[done : done + step]
        refs, entries = [ref for ref, _ in part], [entry for _, entry in part]
        assert warm.advance(warm.commit, f"{done + 1:040x}", refs, entries, ())
        done += step
        if rng.random() < 0.5:
            WordIndex(warm).follow()
    expected = cold(logs)
    assert answers(warm, texts) == answers(expected, texts)
    known, fresh = WordIndex(warm).words(), WordIndex(expected).words()
    assert {fact: words for fact, words in known.items() if words} == fresh
    for index, of in ((warm, known), (expected, fresh)):
        posts = index.base.execute("SELECT sum(length(facts)) / 2 FROM posts").fetchone()[0]
        assert posts == sum(len(words) for words in of.values())


def test_a_circle_that_is_cut_brings_facts_back() -> None:
    """A late log may make a supersession count no more: the index follows that, too."""
    logs = [
        log(1, FactCreated("a", "Use PostgreSQL for storage."), FactCreated("b", "Use SQLite for storage.")),
        log(9, FactSuperseded("b", "a")),
    ]  # fmt: skip
    cache = cold(logs)
    text = ["Use MySQL for storage."]
    assert answers(cache, text) == [["a"]]
    ref, entry = log(5, FactSuperseded("a", "b"))
    assert cache.advance(cache.commit, "d" * 40, [ref], [entry], ())
    assert answers(cache, text) == answers(cold([*logs, (ref, entry)]), text) == [["b"]]


# ---- real homes -----------------------------------------------------------------------------------

TABS, SPACES = "Indent with tabs.", "Indent with spaces."


@pytest.fixture
def memory(repo: Repo) -> Memory:
    """An open home with one fact."""
    found = Memory.open(str(repo.path), agent="claude-code")
    found.append(SessionDraft("First", events=(FactCreated("use-tabs", TABS),)))
    return found


def codes(memory: Memory, *acts: Event, strict: bool = False, dry_run: bool = False) -> list[str]:
    """Append a log and return the codes of its findings."""
    receipt = memory.append(SessionDraft("Next", events=acts), strict=strict, dry_run=dry_run)
    return [finding.code for finding in receipt.findings]


@pytest.mark.parametrize(
    ("there", "new"),
    [
        ("Orders are never deleted, only cancelled.", "Orders are deleted after a year."),
        ("Orders are never deleted, only cancelled.", "Orders can be deleted by admins."),
        ("We use Postgres for the queue.", "Redis instead of Postgres."),
        ("Sessions are stored in Postgres.", "Redis instead of Postgres."),
        ("Redis instead of Postgres.", "Sessions are stored in Postgres."),
        ("We use yarn to install packages.", "pnpm replaces yarn."),
        ("The orders API is written in Flask.", "The orders API moved from Flask to FastAPI."),
        ("The frontend uses Redux for its state.", "The frontend no longer uses Redux."),
    ],
)
def test_append_tells_what_is_overturned(memory: Memory, there: str, new: str) -> None:
    """An exception to what never happens, and what took a thing's place, are found among other facts."""
    fillers = [FactCreated(f"filler-{n}", f"Shelf {n} holds the {n} books.") for n in range(30)]
    memory.append(SessionDraft("There", events=(FactCreated("there", there), *fillers)))
    receipt = memory.append(SessionDraft("New", events=(FactCreated("new", new),)), dry_run=True)
    (found,) = [one for one in receipt.findings if one.code == "opposite-fact"]
    assert found.message.startswith("new contradicts `there`: ")


def test_append_tells_before_it_writes(memory: Memory) -> None:
    """A new text that says the opposite of a fact is told; with `strict` nothing changes."""
    tip = memory.home.tip()
    with pytest.raises(DraftRefused, match="use-spaces contradicts `use-tabs`"):
        codes(memory, FactCreated("use-spaces", SPACES), strict=True)
    assert codes(memory, FactCreated("use-spaces", SPACES), dry_run=True) == ["opposite-fact"]
    assert memory.home.tip() == tip
    assert memory.waiting() == []
    assert codes(memory, FactCreated("use-spaces", SPACES)) == ["opposite-fact"]


@pytest.mark.parametrize(
    "acts",
    (
        (FactCreated("use-spaces", SPACES), FactSuperseded("use-tabs", "use-spaces")),
        (FactCreated("use-spaces", SPACES), FactInvalidated("use-tabs")),
        (FactCreated("use-spaces", SPACES), FactUpdated("use-tabs", "Makefiles have tabs.")),
        (FactUpdated("use-tabs", SPACES),),
        (FactCreated("other", "Wrap lines at 100 characters."),),
    ),
)
def test_what_the_draft_settles_itself_is_no_news(memory: Memory, acts: tuple[Event, ...]) -> None:
    """A fact that the same log supersedes, invalidates or rewrites is not held against it."""
    assert codes(memory, *acts, strict=True) == []


def test_facts_of_one_draft_are_compared_too(memory: Memory) -> None:
    """Two new facts of one log may deny each other."""
    events = (FactCreated("a", "Retry three times."), FactCreated("b", "Retries are done 3 times."))
    assert codes(memory, *events) == ["similar-fact"]


def test_only_work_is_looked_at(memory: Memory) -> None:
    """An import or a checkpoint says again what others said."""
    draft = SessionDraft("Again", events=(FactCreated("b", TABS),), type="import")
    assert memory.append(draft, strict=True).findings == ()


def test_a_fact_that_another_clone_brought_is_known(repo: Repo, memory: Memory) -> None:
    """What a pull, a reset or a lost cache changed is in the next answer."""
    assert codes(memory, FactCreated("a", SPACES), dry_run=True) == ["opposite-fact"]
    before = memory.home.tip()
    assert codes(memory, FactInvalidated("use-tabs")) == []
    assert codes(memory, FactCreated("a", SPACES), dry_run=True) == []
    repo.git("reset", "-q", "--hard", before)
    assert codes(memory, FactCreated("a", SPACES), dry_run=True) == ["opposite-fact"]
    memory.close()
    for file in (repo.path / ".git/diurna/cache").iterdir():
        file.unlink()
    assert codes(memory, FactCreated("a", SPACES), dry_run=True) == ["opposite-fact"]


@pytest.mark.parametrize("table", ("posts", "texts", "changed"))
def test_a_damaged_index_costs_a_rebuild(memory: Memory, table: str) -> None:
    """A cache without its tables is built anew, and the answer is the same."""
    codes(memory, FactCreated("a", SPACES), dry_run=True)
    memory.snapshot.cache().base.execute(f"DROP TABLE {table}")
    found = codes(memory, FactCreated("a", SPACES))
    assert "opposite-fact" in found
    assert "cache-rebuilt" in found


def test_compare_finds_what_append_told(memory: Memory) -> None:
    """A review finds the same pairs; with what changed it finds those with a changed side."""
    codes(memory, FactCreated("use-spaces", SPACES))
    codes(memory, FactCreated("a", "Retry three times."), FactCreated("b", "Retries: three times."))
    steps: list[tuple[int, int]] = []
    found = compare(memory.snapshot, progress=lambda done, total: steps.append((done, total)))
    assert [(one.one, one.two) for one in found.overlaps] == [("a", "b")]
    assert [(one.one, one.two) for one in found.oppositions] == [("use-spaces", "use-tabs")]
    assert steps[-1] == (4, 4)
    assert compare(memory.snapshot, {"a", "gone"}) == found._replace(oppositions=())
    assert compare(memory.snapshot, {"use-tabs"}) == found._replace(overlaps=())
    codes(memory, FactSuperseded("use-tabs", "use-spaces"))
    assert compare(memory.snapshot) == found._replace(oppositions=())


def test_spelling_is_compared_only_where_it_has_to_be(repo: Repo, memory: Memory) -> None:
    """An append loads rapidfuzz for two words that may be one, and not for others."""
    root = str(Path(__file__).parent.parent)
    for text, loaded in (
        ("Wrap lines at 100 characters.", False),
        ("Indent with spaces.", False),
        ("Indnt with tabs.", True),
    ):
        code = (
            f"import sys; sys.path.insert(0, {root!r})\n"
            "from memory import Memory, SessionDraft\nfrom ledger.model.event import FactCreated\n"
            f"memory = Memory.open({str(repo.path)!r})\n"
            f"memory.append(SessionDraft('N', events=(FactCreated('n', {text!r}),)), dry_run=True)\n"
            "print('rapidfuzz' in sys.modules)"
        )
        done = subprocess.run([sys.executable, "-P", "-c", code], capture_output=True, text=True)
        assert done.stdout == f"{loaded}\n", done.stderr


def test_logs_of_one_agent_and_type_that_name_the_same_ids_are_alike() -> None:
    """Whatever the order of the ids, and whether equal names are one object: nothing else counts."""
    name = "ada"
    entry = Entry("2026-01-02", True, name, "work", (name, "b"), ())
    again = Entry("2026-01-03", True, "".join(list(name)), "work", ("b", "".join(list(name))), ())
    assert likeness(entry) == likeness(again)
    for other in (
        entry._replace(agent="b"),
        entry._replace(type="edit"),
        entry._replace(named=("b",)),
    ):
        assert likeness(other) != likeness(entry)
