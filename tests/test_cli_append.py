"""`diurna append`: what becomes a log, what it says that it did, and what it says besides. `test_refusals` has the rest."""

from __future__ import annotations

import json
import sys

import pytest

from tests.conftest import Repo, Run

LIMIT = 1 << 20
LOG = """# Wire the queue

What happened.

## Memory References

- Created: webhook-queue

## Facts

- Webhooks go through a queue.
  <!-- id: webhook-queue | kind: decision -->
"""


def committed(repo: Repo, stem: str) -> str:
    """Return a log's bytes as git has them."""
    return repo.git("show", f"HEAD:memory/sessions/{stem[:7]}/{stem[8:10]}/{stem}.md")


def test_append_from_options(repo: Repo, run: Run) -> None:
    """Options become a canonical log; agent, time, branch and commit are filled in; no standard input is read."""
    head = repo.git("rev-parse", "HEAD").strip()
    ran = run(
        "append", "--title", "Wire the queue", "--role", "builder", "--session", "s-1",
        "--new", "decision: Webhooks retry three times.", "--new", "thread: id=storm A storm?",
        stdin=b"\xff",
    )  # fmt: skip
    assert (ran.code, ran.err) == (0, "")
    assert ran.said == (
        "STEM  written to memory/sessions/2026-11/21/STEM.md (not committed)\ncreated  laduge\ncreated  storm\n"
    )
    stem = ran.out.split()[0]
    assert stem == "2026-11-21-0830124"
    (path,) = repo.git("ls-files", f"memory/sessions/2026-11/21/{stem}*").split()
    assert repo.git("show", f"HEAD:{path}") == (
        "---\nagent: claude-code\nended: 2026-11-21T08:30:12.417Z\nrole: builder\nsession: s-1\n"
        f"branch: main\ncommit: {head}\n---\n# Wire the queue\n\n"
        "## Memory References\n\n- Created: laduge, storm\n\n"
        "## Facts\n\n- Webhooks retry three times.\n"
        "  <!-- id: laduge | kind: decision -->\n"
        "- [ ] A storm?\n  <!-- id: storm | kind: thread -->\n"
    )


def test_append_every_event(repo: Repo, run: Run) -> None:
    """Each option writes its event, with the version that it saw; the answer has the tiers that changed."""
    new = ("id=a One", "thread: id=b Two", "id=c C")
    assert run("append", *[word for text in new for word in ("--new", text)]).code == 0
    ran = run(
        "append", "--ref", "a,b", "--refs", "c", "--update", "a", "One more", "--close", "b",
        "--new", "id=d Four", "--supersede", "c=d", "--ref", "zz", "--anyway", "--json",
    )  # fmt: skip
    log = committed(repo, ran.json["stem"])
    assert "- Referenced: a, b, c, zz\n- Created: d\n- Updated: a (was " in log
    assert "- Superseded: c → d (was 6b23c0d5)\n- Closed: b (was 94a72c07)\n" in log
    assert (ran.json["commit"], ran.json["waits"]) == ("", "not committed")
    assert (ran.json["facts"], ran.json["already"]) == (["d"], False)
    assert ran.json["did"] == {
        "created": ["d"], "updated": ["a"], "superseded": ["c → d"], "closed": ["b"],
    }  # fmt: skip
    assert [one["code"] for one in ran.json["findings"]] == ["unknown-id"]
    ran = run("append", "--reopen", "b", "--invalidate", "a", "--reactivate", "d", "--json")
    said = "- Invalidated: a (was 08c3eb64)\n- Reactivated: d\n- Reopened: b\n"
    assert said in committed(repo, ran.json["stem"])


def test_append_says_what_it_did(repo: Repo, run: Run) -> None:
    """A transcript of every verb, by id."""
    names = "abcdefgh"
    new = [word for name in names for word in ("--new", f"id={name} The text of {name}.")]
    run("append", *new, "--new", "id=t1 thread: One?", "--new", "id=t2 thread: Two?")
    assert run("append", "--ref", "a,b", "--close", "t2", "--invalidate", "h").code == 0
    log = (
        "# All\n\n## Memory References\n\n- Referenced: d\n- Updated: a\n- Superseded: b → x\n"
        "- Invalidated: c\n- Reactivated: e\n- Closed: t1\n- Reopened: t2\n- Verified: f\n"
        "- Promoted: g\n- Reinstated: h\n- Created: x\n\n## Facts\n\n- A.\n  <!-- id: a -->\n"
        "- X.\n  <!-- id: x -->\n"
    )
    ran = run("append", "-", stdin=log.encode())
    assert (ran.code, ran.said) == (0,
        "STEM  written to memory/sessions/2026-11/21/STEM.md (not committed)\n"
        "created  x\nupdated  a\nsuperseded  b → x\ninvalidated  c\nreactivated  e\n"
        "closed   t1\nreopened  t2\nverified  f\npromoted  g\nreinstated  h\n"
    )  # fmt: skip
    down = b"---\ntype: edit\n---\n# Down\n\n## Memory References\n\n- Demoted: g\n"
    ran = run("append", "-", stdin=down)
    assert ran.said.endswith("demoted  g\n")


def test_a_log_comes_from_a_file_from_stdin_or_from_json(repo: Repo, run: Run) -> None:
    """Front matter is optional, and options add to it, or say whose it is."""
    repo.write("log.md", LOG)
    repo.write("notes.md", "Why it went so.\n\n## Next\n\nSleep.\n")
    draft = b'{"title": "J", "new": [{"text": "CI has two cores.", "tags": ["ci"]}], "agent": "x"}'
    for arguments, stdin, parts in (
        (["log.md", "--agent", "bob", "--new", "id=more More"], b"",
         ["agent: bob\n", "# Wire the queue\n\nWhat happened.\n", "<!-- id: more -->"]),
        (["-"], LOG.replace("queue", "line").encode(), ["- Created: webhook-line\n"]),
        ([], LOG.replace("queue", "row").encode(), ["- Created: webhook-row\n"]),
        (["--title", "t", "--body", "notes.md"], b"", ["# t\n\nWhy it went so.\n\n## Next\n\nSleep.\n"]),
        (["--from-json", "-", "--host", "cron"], draft,
         ["agent: x\n", "host: cron\n", "  <!-- id: durito | tags: ci -->\n"]),
    ):  # fmt: skip
        ran = run("append", *arguments, "--json", stdin=stdin)
        assert ran.code == 0, ran.err
        log = committed(repo, ran.json["stem"])
        assert [part for part in parts if part not in log] == []


def test_json_says_everything(repo: Repo, run: Run) -> None:
    """Every key of the JSON draft arrives in the log."""
    born = ("x", "u", "o", "q", "e", "l", "n")
    new = [word for name in born for word in ("--new", f"id={name} The {name}.")]
    threads = ["--new", "id=c thread: C?", "--new", "id=d thread: D?", "--new", "id=k task: K."]
    assert run("append", *new, *threads, "--close", "d").code == 0
    data = {
        "title": "t", "body": "b", "agent": "a", "session": "s", "role": "r", "model": "m",
        "host": "h", "refs": ["x"], "new": [{"text": "n", "kind": "stack", "id": "i", "tags": ["g"],
        "entity": ["Redis"], "footers": {"salience": "7"}}],
        "update": [{"id": "u", "text": "v"}], "supersede": [{"old": "o", "new": "i"}],
        "invalidate": ["q"], "close": ["c"], "reopen": ["d"], "reactivate": ["e"], "anyway": True,
        "move": {"k": "in-progress"}, "helped": {"l": "code.py:1"}, "ignored": {"n": ""},
        "verdict": "pass", "about": "x", "tokens": "9",
    }  # fmt: skip
    ran = run("append", "--from-json", "-", "--json", stdin=json.dumps(data).encode())
    assert ran.code == 0, ran.err
    log = committed(repo, ran.json["stem"])
    for key in ("agent", "session", "role", "model", "host", "verdict", "about", "tokens"):
        assert f"\n{key}: {data[key]}\n" in log
    assert "\n# t\n\nb\n" in log
    for part in (
        "- Referenced: x\n", "- Created: i\n", "- Updated: u ", "- Superseded: o → i ", "- Invalidated: q ",
        "- Reactivated: e\n", "- Closed: c ", "- Reopened: d\n", "- Moved: k → in-progress ",
        "- Helped: l — code.py:1", "- Ignored: n\n", "- n\n", "kind: stack", "tags: g", "entity: Redis", "salience: 7",
    ):  # fmt: skip
        assert part in log, log


def test_append_twice_is_once(repo: Repo, run: Run) -> None:
    """A retry is answered with the log that is there, also where ids were made from texts; `--again` says it anew."""
    run("append", "--new", "id=givoti Once we retried twice.")
    command = ("append", "--title", "t", "--new", "fact: Retry twice!", "--json")
    first = run(*command).json
    assert first["facts"][0].startswith("givoti-"), (
        "an id that is taken gets the text's hash behind it"
    )
    again = run(*command)
    assert (again.code, again.json["already"], again.json["stem"]) == (0, True, first["stem"])
    assert run(*command[:-1]).said == "STEM  already recorded in COMMIT on main\n"
    other = ("append", "--title", "t", "--json")
    assert [run(*other, *more).json["already"] for more in ((), (), ("--again",))] == [
        False, True, False,
    ]  # fmt: skip
    said: dict[str, object] = {"title": "t"}
    for key, value in (
        ("agent", "codex"), ("session", "s"), ("verdict", "pass"), ("about", "x"), ("body", "B."),
        ("title", "u"), ("refs", ["givoti"]),
    ):  # fmt: skip
        said[key] = value
        whole = ("append", "--from-json", "-", "--json")
        ran = [run(*whole, stdin=json.dumps(said).encode()) for _ in range(2)]
        assert [one.json["already"] for one in ran] == [False, True], key


_MARKDOWN = """# T

## Memory References

- Created: {id}
- Updated: old

## Facts

- {text}
  <!-- id: {id} | kind: {kind} -->
- Two.
  <!-- id: old | kind: {kind} -->
"""
#: How a kind can be said: the command, and what it reads.
WAYS: dict[str, tuple[tuple[str, ...], str]] = {
    "note": (("note", "id={id} {kind}: {text}"), ""),
    "note --kind": (("note", "id={id} {text}", "--kind", "{kind}"), ""),
    "answer": (("note",), "- id={id} {kind}: {text}\n"),
    "options": (("append", "--new", "id={id} {kind}: {text}"), ""),
    "json": (("append", "--from-json", "-"), '{{"new": [{{"kind": "{kind}", "text": "{text}", "id": "{id}"}}]}}'),
    "markdown": (("append", "-"), _MARKDOWN),
}  # fmt: skip
#: What is said as a kind -> the kind, the tag, and what the remark says.
SAID_KINDS = {
    "decision": ("decision", "", ""),
    "gotcha": ("fact", "lesson", ""),
    "lesson": ("fact", "lesson", ""),
    "todo": ("thread", "", ""),
    "bug": ("thread", "", ""),
    "rule": ("convention", "", ""),
    "decison": ("fact", "", "did you mean"),
    "howto": ("fact", "", "kinds: vision, invariant"),
}


@pytest.mark.parametrize("way", WAYS)
def test_every_way_in_knows_the_same_words_for_kinds_and_refuses_none(
    way: str, repo: Repo, run: Run
) -> None:
    """A word that is no kind stays in the text of a fact, once with a remark; nothing is refused."""
    (arguments, stdin), wanted = WAYS[way], dict[str, tuple[str, str, str]]()
    assert run("note", "id=old decision: One.").code == 0
    kinds = SAID_KINDS if way == "note" else ("gotcha", "todo", "rule", "decison")
    for number, kind in enumerate(kinds):
        meant, tag, hint = SAID_KINDS[kind]
        said = {"id": f"a{number}", "kind": kind, "text": f"Number {number} is {number} times one."}
        ran = run(*[one.format(**said) for one in arguments], stdin=stdin.format(**said).encode())
        assert ran.code == 0, ran.err
        wanted[said["id"]] = meant, tag, f"{kind}: {said['text']}" if hint else said["text"]
        assert ran.err.count(f"there is no kind {kind}; the word is kept in the") == bool(hint)
        assert hint in ran.err
        if way == "markdown" and hint:
            assert f"old: there is no kind {kind}\n" in ran.err  # and it keeps its own
            assert run("show", "old", "--json").json["facts"][0]["kind"] == "convention"
    for fact in run("show", *wanted, "--json").json["facts"]:
        assert (fact["kind"], "".join(fact["tags"]), fact["text"]) == wanted.pop(fact["id"])
    assert not wanted
    findings = run("check", "--ci", "--json").json["findings"]
    assert not [one for one in findings if "kind" in one["code"]]


def test_anyway_records_the_kind_that_json_says(repo: Repo, run: Run) -> None:
    """Whoever means it keeps a kind of their own, and is told."""
    draft = b'{"new": [{"kind": "tread", "text": "Fix it.", "id": "a"}], "anyway": true}'
    ran = run("append", "--from-json", "-", stdin=draft)
    assert ran.code == 0
    assert ran.err.startswith("warning: a: there is no kind tread\nhint: did you mean")
    assert run("show", "a", "--json").json["facts"][0]["kind"] == "tread"


def test_the_prose_is_a_text_or_a_file(repo: Repo, run: Run) -> None:
    """`@FILE` reads one; the bare name of one that is there does, too."""
    file = str(repo.write("notes.md", "It went well."))
    for said in (
        file,
        f"@{file}",
        "It went well, e.g. in src/x.py.",
        "fine",
        "Two\nlines with a/path.",
    ):
        ran = run("append", "--title", f"T {len(said)}", "--body", said, "--json")
        assert ran.err == ""
        text = "It went well." if file in said else said
        assert committed(repo, ran.json["stem"]).endswith(f"\n\n{text}\n")


def test_g7_too_large(repo: Repo, run: Run) -> None:
    """More than a log may hold is refused before it is read whole."""
    before = repo.shape()
    for option in (["-"], ["--from-json", "-"]):
        ran = run("append", *option, stdin=b" " * (LIMIT + 5))
        assert (ran.code, ran.err.partition("\n")[0]) == (
            1, f"diurna: standard input: more than {LIMIT} bytes, the limit for one log",
        )  # fmt: skip
    assert repo.shape() == before


def test_without_a_standard_input_that_is_said(
    repo: Repo, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A terminal gives nothing to append, and a process may have none."""
    with monkeypatch.context() as patch:
        patch.setattr("rituals.cli.context.Invocation.piped", lambda _: False)
        ran = run("append")
        assert ran.code == 2
        assert ran.err.startswith("diurna: append: there is nothing to append\nhint: for example: ")
    monkeypatch.setattr("io.TextIOWrapper", lambda _: None)
    ran = run("append", "-")
    assert (sys.stdin, ran.code, "standard input" in ran.err) == (None, 1, True)


def test_what_is_said_besides(repo: Repo, run: Run) -> None:
    """A fact is never closed; what is false is told, with what holds."""
    run("append", "--new", "id=a One", "--new", "id=old O.", "--new", "id=gone G.")
    assert run("append", "--close", "a").err == (
        "warning: a is of kind fact, which is never closed or reopened\n"
        "hint: what is false now is invalidated or superseded\n"
    )
    instead = ("--new", "id=new N.", "--supersede", "old=new", "--invalidate", "gone")
    assert run("append", "--title", "b", *instead).code == 0
    ran = run("append", "--title", "c", "--ref", "old,new", "--reactivate", "gone")
    assert ran.code == 0
    for said in ("old is false: new superseded it", "gone is false: it was invalidated"):
        assert said in ran.err
    assert "hint: `diurna why old`" in ran.err and "new is false" not in ran.err
