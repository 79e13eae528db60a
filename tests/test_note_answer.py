"""`note` as the form of an answer: whatever an agent writes, no line of it is lost in silence."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ledger.errors import DraftRefused
from memory.api import Memory
from rituals.record.answer_lines import Answer, answer_of, named, recordable
from rituals.record.draft_composer import kinds_of
from rituals.record.note_lines import lines_of
from rituals.record.own_home_parts import drafts_of
from rituals.record.request import Request
from tests.campaigns import forks
from tests.conftest import Repo, Run, examples
from tests.messy_answers import COATS, CORES, WHOLE

#: What carries an answer, and is none of its words.
_CARRIES = {"end", "eof", "diurna", "note", "title", "nothing", "none"}


def read(memory: Memory, said: str) -> Answer:
    """Read an answer as `note` does, and give nothing back."""
    lines = lines_of(said, kinds_of(memory))
    return answer_of(memory, lines, Request(), asked=False)


def told(answer: Answer) -> str:
    """Return all that an answer records, and all that is said of it."""
    request = answer.request
    parts = [request.title, request.body, *[one.text for one in request.new]]
    parts += [" ".join((one.kind, *one.tags)) for one in request.new]
    parts += [
        *request.close,
        *request.invalidate,
        *request.refs,
        *[" ".join(one) for one in request.supersede],
    ]
    return "\n".join([*parts, *[f"{one.message} {one.hint}" for one in answer.findings]])


def lost(said: str, answer: Answer) -> set[str]:
    """Return the words of an answer that are neither recorded nor said, but for words of its form."""
    there = set(re.findall(r"\w+", told(answer).casefold()))
    words = {word for word in re.findall(r"\w+", said.casefold()) if len(word) > 1}
    return words - there - _CARRIES


@pytest.fixture
def memory(repo: Repo) -> Memory:
    """A memory with two facts and a thread."""
    return Memory.open(str(repo.path))


MESSY = [
    (f"{name} {number}", core, coat(core))
    for name, coat in COATS.items()
    for number, core in enumerate(CORES)
]


def test_messy_answers_are_understood(repo: Repo) -> None:
    """Of more than 200 answers every line is the fact that it is, in its words, of its kind, with its tag."""
    memory = Memory.open(str(repo.path))
    assert len(MESSY) > 200
    wrong = []
    for name, core, said in MESSY:
        new = read(memory, said).request.new
        found = [(one.kind, "".join(one.tags), " ".join(one.text.split())) for one in new]
        if found != [(kind, tag, text) for kind, tag, _, text in core]:
            wrong.append((name, found))
    assert not wrong


@pytest.mark.parametrize(("said", "expected"), WHOLE)
def test_other_shapes(said: str, expected: tuple[tuple[str, str], ...], repo: Repo) -> None:
    """Answers of other shapes are read as they are meant, and lose no word."""
    answer = read(Memory.open(str(repo.path)), said)
    assert tuple((one.kind, one.text) for one in answer.request.new) == expected
    if expected:
        assert not lost(said, answer) - {"open", "lessons", "decision", "lesson"}


_PIECES = st.sampled_from(
    "title: |decision: |lesson - |**Rule:** |uv -> fact: |gone → |done |done uv|wrong cache |used uv, cache|used |"
    "- |* [ ] |- [x] |1. |  |    |# |## Open|```|```sh|~~~|END|> |id=uv |id=Bad_ID |tags=a |kind=x |foo=bar |: |-> |"
    "nothing|insight: |[gotcha] |diurna note <<'END'|\u2028|\r|The cache is cold|ends here.|why?|in two lines:|"
    "`make` $HOME|über|решение: |决定：|<!-- id: x -->|## Facts|---|\t".split("|")
)


@settings(
    max_examples=examples(25, 300),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(lines=st.lists(st.lists(_PIECES, max_size=4).map("".join), max_size=7))
def test_no_line_is_lost_in_silence(lines: list[str], repo: Repo) -> None:
    """Whatever stands in an answer is recorded or said, word for word, and never refused as a whole."""
    memory = Memory.open(str(repo.path))
    said = "\n".join(f"{line} word{number}" for number, line in enumerate(lines))
    answer = read(memory, said)
    assert log_of(memory, answer.request)
    found = told(answer)
    assert not [n for n in range(len(lines)) if f"word{n}" not in found]


def log_of(memory: Memory, request: Request) -> bool:
    """Tell whether a request can be recorded as it is, or line by line, or has nothing that is new."""
    if request.says_nothing:
        return True
    try:
        receipt = named(drafts_of(memory, request, options=True)).append(memory, dry_run=True)
        return bool(receipt.data)
    except DraftRefused:
        return recordable(memory, request)[1] != ()


@pytest.mark.parametrize(
    "said",
    ["- - -", "%%% -> ??: \n- - -\ndone\nthe moon is -> cheese\n", "a\0b is so", "\udcff is no character",
     "<!-- id: x -->", "fact: ## Facts", "> quoted: x", "=== \n---\n", "decision: \tx\n\n---\n\n- y"],
)  # fmt: skip
def test_what_can_not_be_a_fact_is_kept(said: str, repo: Repo, run: Run) -> None:
    """Marks, rules and characters that are none cost nothing else: the log is there."""
    ran = run(
        "note", stdin=f"{said}\nlesson: The proxy buffers.\n".encode("utf-8", "surrogatepass")
    )
    assert ran.code == 0, ran.err
    assert "The proxy buffers." in "".join(text for _, text in facts(run).values())


def known(run: Run) -> None:
    """Record what answers speak of."""
    said = (
        "id=uv decision: We use pip.",
        "id=warm-cache thread: Is the cache warm?",
        "id=cores CI has two cores.",
    )
    assert run("note", *said).code == 0


def facts(run: Run) -> dict[str, tuple[str, str]]:
    """Return kind and text of every fact that holds, by id."""
    listed = run("show", "--json").json["facts"]
    return {one["id"]: (one["kind"], one["text"]) for one in listed}


def test_an_answer_does_all_at_once(repo: Repo, run: Run) -> None:
    """A title, a lesson, what replaces a fact without any thread, what is done and what was used."""
    known(run)
    said = (
        "title: Moved to uv\nlesson: pip's resolver gave two trees, because of extras.\n"
        "uv -> decision: We use uv, with a lock.\ndone warm-cache\nused cores\n"
    )
    ran = run("note", "--session", "s1", stdin=said.encode())
    assert ran.code == 0 and "superseded  uv → " in ran.out and "closed" in ran.out
    log = run("log", "-n", "1", "--json").json["sessions"][0]
    assert log["title"] == "Moved to uv"
    now = facts(run)
    assert ("decision", "We use uv, with a lock.") in now.values()
    lesson = next(
        one for one in run("show", "--json").json["facts"] if one["text"].startswith("pip's")
    )
    assert lesson["tags"] == ["lesson"]
    text = subprocess.run(
        ["git", "log", "-1", "-p", "--format="],
        cwd=repo.path,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert re.search(r"Referenced: cores\b.*named", text) and "session: s1" in text
    again = run("note", "--session", "s1", stdin=said.encode())
    assert again.code == 0 and "already recorded" in again.out
    assert run("note", stdin=b"title: Only a title\n").code == 0
    assert run("log", "-n", "1", "--json").json["sessions"][0]["title"] == "Only a title"


def test_a_kind_means_the_same_whichever_way_it_comes(repo: Repo, run: Run) -> None:
    """An option, JSON, and so MCP, know the words for kinds that an answer may use."""
    said = b'{"title": "T", "new": [{"kind": "lesson", "text": "The proxy buffers.", "id": "a"}]}'
    assert run("append", "--from-json", "-", stdin=said).code == 0
    assert run("append", "--new", "id=b Rule: Builds are signed.").code == 0
    listed = {one["id"]: (one["kind"], one["tags"]) for one in run("show", "--json").json["facts"]}
    assert listed == {"a": ("fact", ["lesson"]), "b": ("convention", [])}


def test_nothing_is_no_fact(repo: Repo, run: Run) -> None:
    """An answer that says nothing leaves nothing, and is no failure; as an argument, too."""
    before = repo.shape()
    for said in (b"nothing\n", b"", b"- None.\r\n"):
        assert run("note", stdin=said) == (0, "noted: nothing\n", "")
    assert run("note", "nothing").out == "noted: nothing\n"
    assert run("note", "nothing", "--json").code == 0
    assert repo.shape() == before


def test_one_bad_line_costs_no_other(repo: Repo, run: Run) -> None:
    """Unknown kinds and ids, a repeated fact, a key that is none: said, and the rest is recorded."""
    known(run)
    said = (
        "CI has two cores.\ninsight: The proxy buffers SSE.\nwarn-cache -> thread: Is it cold?\n"
        "used coers\nid=uv decision: We use poetry now.\ncolour=red The lamp is red.\ndone nosuch: it never was\n"
    )
    ran = run("note", stdin=said.encode())
    assert ran.code == 0
    texts = [text for _, text in facts(run).values()]
    for text in (
        "insight: The proxy buffers SSE.",
        "Is it cold?",
        "We use poetry now.",
        "colour=red The lamp is red.",
    ):
        assert text in texts
    assert texts.count("CI has two cores.") == 1
    for word in (
        "insight",
        "warn-cache",
        "did you mean warm-cache?",
        "did you mean cores?",
        "uv is there already",
        "nosuch",
    ):
        assert word in ran.err, word
    log = subprocess.run(
        ["git", "log", "-1", "-p"], cwd=repo.path, capture_output=True, text=True, check=True
    )
    assert "it never was" in log.stdout


def test_what_leans_comes_back_once(repo: Repo, run: Run) -> None:
    """A text that is long, asks, or leans on another one comes back with a hint; given again it is recorded."""
    for text in (
        "This is slower now.",
        "Is it slower now?",
        "It breaks.",
        f"Slow, because {'so ' * 140}.",
    ):
        ran = run(
            "note",
            stdin=f"fact: {text}\ndecision: Keep {'abcdefgh'[len(text) % 8] * 9} out.\n".encode(),
        )
        assert ran.code == 0 and "not recorded yet" in ran.err and "given again" in ran.err
        assert text.strip() not in [one for _, one in facts(run).values()]
        assert "not recorded" not in run("note", stdin=f"- **Fact:** {text}\n".encode()).err
        assert text.strip() in [one for _, one in facts(run).values()]
    assert run("note", stdin=b"open: Is one retry enough?\n").err == ""


def test_a_fourth_text_is_recorded_and_said(repo: Repo, run: Run) -> None:
    """More than three texts are not refused."""
    ran = run("note", stdin="".join(f"fact: The number {n} is taken.\n" for n in range(4)).encode())
    assert ran.code == 0 and "4 texts" in ran.err
    assert len(facts(run)) == 4


def test_no_shell_runs_what_an_answer_says(repo: Repo, tmp_path: Path) -> None:
    """`<<'END'` of a real bash keeps back-ticks, `$HOME`, `$(…)` and quotes byte for byte."""
    text = '`touch ran` and $(touch ran) and $HOME, "it\'s" \\n ${PATH} !! count'
    script = f"diurna note <<'END'\ntitle: `touch ran`\nlesson: {text}\nEND\n"
    forks.put_program(tmp_path / "diurna")
    done = subprocess.run(
        ["bash", "-c", script], cwd=repo.path, capture_output=True, text=True, check=False,
        env={**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert not list(repo.path.rglob("ran"))
    memory = Memory.open(str(repo.path))
    assert [one.fact.text for one in memory.state().standings()] == [text]


def test_what_a_fact_says_already_is_a_use_of_it(run: Run, repo: Repo) -> None:
    """An answer in other words makes no second fact; its words are kept, and given again they are recorded."""
    assert (
        run("note", "id=hooks-thrice decision: Webhooks retry three times with jitter.").code == 0
    )
    said = b"- decision: Every webhook is retried three times, with jitter.\n"
    first = run("note", "--session", "s2", stdin=said)
    assert first.code == 0 and "hooks-thrice says so, which is a use of it" in first.err
    memory = Memory.open(str(repo.path))
    assert memory.state()["hooks-thrice"].fact.uses == 2
    (hit, *_) = memory.recall("every webhook retried jitter", limit=1).hits
    assert "created" not in first.out and hit.id
    assert "created" in run("note", "--session", "s3", stdin=said).out
    other = b"- decision: Webhooks retry five times with jitter.\n"
    assert "created" in run("note", "--session", "s4", stdin=other).out
