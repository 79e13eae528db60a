"""`diurna append`: transcripts on real repositories, and what it must not touch."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from ledger.model.session import LOG_LIMIT_BYTES
from tests.conftest import each_row, formed

if TYPE_CHECKING:
    from tests.conftest import Repo, Run

LOG = """# Wire the queue

What happened.

## Memory References

- Created: webhook-queue

## Facts

- Webhooks go through a queue.
  <!-- id: webhook-queue | kind: decision -->
"""


def committed(repo: Repo, stem: str) -> str:
    """Return a log's bytes as git has them, by the start of its stem."""
    folder = f"memory/sessions/{stem[:7]}/{stem[8:10]}/"
    (path,) = [
        name for name in repo.git("ls-tree", "--name-only", "HEAD", folder).split() if stem in name
    ]
    return repo.git("show", f"HEAD:{path}")


def test_append_from_options(repo: Repo, run: Run) -> None:
    """Options become a canonical log; agent, time, branch and commit are filled in."""
    head = repo.git("rev-parse", "HEAD").strip()
    ran = run(
        "append", "--title", "Wire the queue", "--role", "builder", "--session", "s-1",
        "--new", "decision: Webhooks retry three times.", "--new", "thread: id=storm A storm?",
    )  # fmt: skip
    assert (ran.code, ran.err) == (0, "")
    assert ran.said == ("STEM  committed in COMMIT on main\ncreated  laduge\ncreated  storm\n")
    stem = ran.out.split()[0]
    assert stem == "2026-11-21-0830124"
    assert committed(repo, stem) == (
        "---\nagent: claude-code\nended: 2026-11-21T08:30:12.417Z\nrole: builder\nsession: s-1\n"
        f"branch: main\ncommit: {head}\n---\n# Wire the queue\n\n"
        "## Memory References\n\n- Created: laduge, storm\n\n"
        "## Facts\n\n- Webhooks retry three times.\n"
        "  <!-- id: laduge | kind: decision -->\n"
        "- [ ] A storm?\n  <!-- id: storm | kind: thread -->\n"
    )


def test_the_header_says_at_which_commit_and_whether_more_was_done(
    bare_repo: Repo, run: Run
) -> None:
    """Of a branch of memory's own: `dirty` where a tracked file differs, and nothing where none does (C3)."""
    assert run("init", "--branch", "memory").code == 0
    bare_repo.write("new.py", "")
    said = [run("note", "decision: Prices are cached.", "--json").json["stem"]]
    bare_repo.write("code.py", "print('howdy')\n")
    said += [run("note", "decision: Orders are queued.", "--json").json["stem"]]
    head = bare_repo.git("rev-parse", "HEAD").strip()
    heads = [
        bare_repo.git("show", f"memory:sessions/{stem[:7]}/{stem[8:10]}/{stem}.md").split("---")[1]
        for stem in said
    ]
    assert [head.split("branch: main\n")[1] for head in heads] == [
        f"commit: {head}\n", f"commit: {head}\ndirty: yes\n",
    ]  # fmt: skip


def test_append_every_event(repo: Repo, run: Run) -> None:
    """Each option writes its event."""
    assert (
        run("append", "--new", "id=a One", "--new", "thread: id=b Two", "--new", "id=c C").code == 0
    )
    ran = run(
        "append", "--ref", "a,b", "--refs", "c", "--update", "a", "One more", "--close", "b",
        "--new", "id=d Four", "--supersede", "c=d", "--json",
    )  # fmt: skip
    assert ran.code == 0
    log = committed(repo, ran.json["stem"])
    was = "(was "
    assert "- Referenced: a, b, c\n- Created: d\n- Updated: a " + was in log
    assert "- Superseded: c → d (was 6b23c0d5)\n- Closed: b (was 94a72c07)\n" in log
    ran = run("append", "--reopen", "b", "--invalidate", "a", "--reactivate", "d", "--json")
    assert "- Invalidated: a (was 08c3eb64)\n- Reactivated: d\n- Reopened: b\n" in committed(
        repo, ran.json["stem"]
    )


def test_append_json_answer(repo: Repo, run: Run) -> None:
    """The keys that scripts rely on, with the tiers that changed."""
    run("append", "--new", "id=a One")
    ran = run("append", "--title", "t", "--ref", "a,b", "--new", "id=c Three", "--json", "--anyway")
    said = ran.json
    assert set(said) == {
        "format", "stem", "commit", "facts", "did", "tiers", "findings", "already", "path", "waits",
    }  # fmt: skip
    assert said["commit"] == repo.git("rev-parse", "HEAD").strip()
    assert said["facts"] == ["c"]
    assert said["did"] == {"created": ["c"]}
    assert said["tiers"] == [
        {"id": "a", "before": "working", "after": "active", "course": "gains"},
        {"id": "c", "before": "", "after": "working", "course": ""},
    ]
    assert [finding["code"] for finding in said["findings"]] == ["unknown-id"]
    assert said["already"] is False


def test_append_says_what_it_did(repo: Repo, run: Run) -> None:
    """A transcript of every verb, by id; of the tiers only what became of facts that the log named."""
    names = "abcdefgh"
    new = [word for name in names for word in ("--new", f"id={name} The text of {name}.")]
    run("append", *new, "--new", "id=t1 thread: One?", "--new", "id=t2 thread: Two?")
    assert run("append", "--ref", "a,b", "--close", "t2", "--invalidate", "h").said == (
        "STEM  committed in COMMIT on main\n"
        "invalidated  h\n"
        "closed   t2\n"
        "tier     a: working → active (gains)\n"
        "tier     b: working → active (gains)\n"
        "tier     t2: working → active (gains)\n"
    )
    for number in range(12):  # nothing of what fades by the way is told
        assert (
            run("append", "--title", f"Idle {number}").said == "STEM  committed in COMMIT on main\n"
        )
    log = (
        "# All\n\n## Memory References\n\n- Referenced: d\n- Updated: a\n- Superseded: b → x\n"
        "- Invalidated: c\n- Reactivated: e\n- Closed: t1\n- Reopened: t2\n- Verified: f\n"
        "- Promoted: g\n- Reinstated: h\n- Created: x\n\n## Facts\n\n- A.\n  <!-- id: a -->\n"
        "- X.\n  <!-- id: x -->\n"
    )
    ran = run("append", "-", stdin=log.encode())
    assert (ran.code, ran.said) == (0,
        "STEM  committed in COMMIT on main\n"
        "created  x\nupdated  a\nsuperseded  b → x\ninvalidated  c\nreactivated  e\n"
        "closed   t1\nreopened  t2\nverified  f\npromoted  g\nreinstated  h\n"
        "tier     d: archive-candidate → active (gains)\n"
        "tier     a: archive-candidate → active (gains)\n"
        "tier     e: archive-candidate → active (gains)\n"
        "tier     t2: archive-candidate → active (gains)\n"
        "tier     f: archive-candidate → active (gains)\n"
        "tier     g: archive-candidate → core (gains)\n"
        "tier     h: superseded → active (holds again)\n"
    )  # fmt: skip
    ran = run(
        "append",
        "-",
        stdin=b"---\ntype: edit\n---\n# Down\n\n## Memory References\n\n- Demoted: g\n",
    )
    assert ran.said.endswith("demoted  g\ntier     g: core → active (fades)\n")


@pytest.mark.deep(reason="append_from_options is the small one")
def test_append_as_a_plain_command_says_the_same(
    repo: Repo, spawn: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The short way through `rituals.cli.fast_path` prints what the command line prints."""
    monkeypatch.delenv("DIURNA_NOW")
    said = []
    for name, more in (("one", ()), ("two", ("--role", "tester"))):
        born = f"# Born\n\n## Memory References\n\n- Created: {name}\n\n## Facts\n\n- [ ] The {name}?\n  <!-- id: {name} -->\n"
        assert spawn("append", "-", *more, stdin=born.encode()).code == 0
        log = f"# Done\n\n## Memory References\n\n- Closed: {name}\n"
        ran = spawn("append", "-", *more, stdin=log.encode())
        assert (ran.code, ran.err) == (0, "")
        said.append(ran.said.replace(name, "NAME"))
    assert said[0] == said[1]
    assert said[0].endswith("\nclosed   NAME\ntier     NAME: working → active (gains)\n")


def test_append_from_a_file(repo: Repo, run: Run) -> None:
    """A markdown file is read; front matter is optional; options add to it."""
    repo.write("log.md", LOG)
    ran = run("append", "log.md", "--agent", "bob", "--new", "id=more More")
    assert (ran.code, ran.err) == (0, "")
    assert ran.said == "STEM  committed in COMMIT on main\ncreated  webhook-queue\ncreated  more\n"
    log = committed(repo, ran.out.split()[0])
    assert log.startswith("---\nagent: bob\n")
    assert "# Wire the queue\n\nWhat happened.\n" in log


def test_append_from_stdin(repo: Repo, run: Run) -> None:
    """Standard input is read for `-`, and where nothing else is said."""
    assert run("append", "-", stdin=LOG.encode()).code == 0
    assert run("append", "--agent", "bob", stdin=LOG.replace("queue", "line").encode()).code == 0
    assert repo.git("rev-list", "--count", "HEAD").strip() == "4"


def test_append_options_leave_stdin_alone(
    repo: Repo, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With content from options, standard input is never read."""
    monkeypatch.setattr("rituals.cli.context._stdin", lambda: pytest.fail("read"))
    assert run("append", "--title", "t").code == 0


def test_append_body(repo: Repo, run: Run) -> None:
    """Prose comes from a file."""
    repo.write("notes.md", "Why it went so.\n\n## Next\n\nSleep.\n")
    ran = run("append", "--title", "t", "--body", "notes.md", "--json")
    assert "# t\n\nWhy it went so.\n\n## Next\n\nSleep.\n" in committed(repo, ran.json["stem"])


def test_append_from_json(repo: Repo, run: Run) -> None:
    """JSON says the whole log; options may say whose it is."""
    draft = b'{"title": "J", "new": [{"text": "CI has two cores.", "tags": ["ci"]}], "agent": "x"}'
    ran = run("append", "--from-json", "-", "--host", "cron", "--json", stdin=draft)
    assert ran.code == 0
    log = committed(repo, ran.json["stem"])
    assert "agent: x\n" in log
    assert "host: cron\n" in log
    assert "  <!-- id: durito | tags: ci -->\n" in log


def test_append_twice_is_once(repo: Repo, run: Run) -> None:
    """A retry is answered with the log that is there, also where ids were made from texts."""
    command = ("append", "--title", "t", "--new", "fact: Retry twice.")
    first = run(*command)
    again = run(*command)
    assert again.code == 0
    assert again.said == "STEM  already recorded in COMMIT on main\n"
    assert again.out.split()[0] == first.out.split()[0]
    assert run(*command, "--json").json["already"] is True
    assert repo.git("rev-list", "--count", "HEAD").strip() == "3"


def test_append_again(repo: Repo, run: Run) -> None:
    """`--again` records the same once more."""
    assert run("append", "--title", "t").code == 0
    assert run("append", "--title", "t", "--again", "--json").json["already"] is False


def test_append_makes_ids_unique(repo: Repo, run: Run) -> None:
    """A new text whose id is taken gets the next number; a retry of it is known too."""
    run("append", "--new", "id=givoti Once we retried twice.")
    command = ("append", "--new", "fact: Retry twice!", "--json")
    assert run(*command).json["facts"] == ["givoti-2"]
    assert run(*command).json["already"] is True


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
    arguments, stdin = WAYS[way]
    assert run("note", "id=old decision: One.").code == 0
    for number, (kind, (meant, tag, hint)) in enumerate(SAID_KINDS.items()):
        said = {"id": f"a{number}", "kind": kind, "text": f"Number {number} is {number} times one."}
        ran = run(*[one.format(**said) for one in arguments], stdin=stdin.format(**said).encode())
        assert ran.code == 0, ran.err
        fact = run("show", said["id"], "--json").json["facts"][0]
        assert (fact["kind"], "".join(fact["tags"])) == (meant, tag)
        assert fact["text"] == (f"{kind}: {said['text']}" if hint else said["text"])
        assert ran.err.count(f"there is no kind {kind}; the word is kept in the") == bool(hint)
        assert hint in ran.err
        if way == "markdown" and hint:
            assert f"old: there is no kind {kind}\n" in ran.err  # and it keeps its own
            assert run("show", "old", "--json").json["facts"][0]["kind"] == "convention"
    assert not [
        one for one in run("check", "--ci", "--json").json["findings"] if "kind" in one["code"]
    ]


def test_anyway_records_the_kind_that_json_says(repo: Repo, run: Run) -> None:
    """Whoever means it keeps a kind of their own; what looks like one in a text is told as well."""
    draft = b'{"new": [{"kind": "tread", "text": "Fix it.", "id": "a"}], "anyway": true}'
    ran = run("append", "--from-json", "-", stdin=draft)
    assert ran.code == 0
    assert ran.err.startswith("warning: new.0.kind: there is no kind tread\nhint: did you mean")
    assert run("show", "a", "--json").json["facts"][0]["kind"] == "tread"


@pytest.mark.parametrize("text", ["Note: it is slow.", "https://x.org is down", "fact: howto: x"])
def test_what_names_no_kind_is_a_text(text: str, repo: Repo, run: Run) -> None:
    """Words with a colon that nobody takes for a kind bring no remark."""
    for command in (("note", text), ("append", "--new", f"{text} Twice.")):
        ran = run(*command)
        assert ran.code == 0 and "kind" not in ran.err


@pytest.mark.parametrize("way", ["options", "json", "markdown"])
def test_append_refuses_an_id_that_nobody_knows(way: str, repo: Repo, run: Run) -> None:
    """By every way in: exit 1, the id that was meant, nothing written; `--anyway` writes it."""
    assert run("append", "--new", "id=retry-storm thread: Can it?").code == 0
    arguments, stdin = {
        "options": (("--close", "retry-strom"), b""),
        "json": (("--from-json", "-"), b'{"close": ["retry-strom"]}'),
        "markdown": (("-",), b"# T\n\n## Memory References\n\n- Closed: retry-strom\n"),
    }[way]
    before = repo.shape()
    ran = run("append", *arguments, stdin=stdin)
    assert (ran.code, ran.out) == (1, "")
    assert ran.err == (
        "diurna: append: there is no fact retry-strom\n"
        "hint: did you mean retry-storm? if it is meant as it is, say `--anyway` "
        '(`"anyway": true` in JSON)\n'
    )
    assert run("append", *arguments, "--json", stdin=stdin).json["error"]["findings"][0] == {
        "code": "unknown-id", "severity": "warning", "message": "there is no fact retry-strom",
        "file": "", "line": 0,
        "hint": 'did you mean retry-storm? if it is meant as it is, say `--anyway` (`"anyway": true` '
        "in JSON)",
    }  # fmt: skip
    assert repo.shape() == before
    ran = run("append", *arguments, "--anyway", stdin=stdin)
    assert ran.code == 0
    assert ran.err.startswith("warning: retry-strom is not in this ledger (yet)\n")


def test_append_dry_run_changes_nothing(repo: Repo, run: Run) -> None:
    """A dry run prints the log and leaves the repository as it was."""
    before = repo.shape()
    ran = run("append", "--title", "t", "--new", "id=a One", "--dry-run")
    assert (ran.code, ran.err) == (0, "")
    assert ran.said.startswith("would append STEM\n---\nagent: claude-code\n")
    assert ran.out.endswith("- One\n  <!-- id: a -->\n")
    said = run("append", "--title", "t", "--new", "id=a One", "--dry-run", "--json").json
    assert (said["dry_run"], said["commit"]) == (True, "")
    assert said["log"] in ran.out
    assert repo.shape() == before


def test_append_stage(repo: Repo, run: Run) -> None:
    """`--stage` writes and stages the log, and leaves the commit to the user."""
    head = repo.git("rev-parse", "HEAD")
    ran = run("append", "--stage", "--title", "t", "--new", "id=a One")
    assert (ran.code, ran.said) == (0, "STEM  staged in the index\ncreated  a\n")
    assert repo.git("rev-parse", "HEAD") == head
    assert repo.git("status", "--porcelain").startswith("A  memory/sessions/2026-11/21/")
    repo.git("commit", "-q", "-m", "mine")
    assert run("show", "a").code == 0


# ---- refusals -------------------------------------------------------------------------------------


def test_nothing_to_append(repo: Repo, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither options nor input: wrong usage, with an example."""
    ran = run("append", stdin=b" \n")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err == (
        "diurna: append: standard input is empty; nothing to append\n"
        'hint: for example: diurna append --title "What I did" --new "fact: What I learned."\n'
    )
    monkeypatch.setattr("rituals.cli.context.Invocation.piped", lambda _: False)
    ran = run("append")
    assert ran.code == 2
    assert ran.err.startswith("diurna: append: there is nothing to append\nhint: for example: ")


@pytest.mark.parametrize(
    "arguments",
    [
        ("--from-json", "-", "--title", "x"),
        ("-", "--from-json", "-"),
        ("-", "--body", "-"),
        ("log.md", "--body", "log.md"),
        ("--supersede", "a"),
        ("--new", "..."),
    ],
)
def test_two_sources_are_wrong_usage(arguments: tuple[str, ...], repo: Repo, run: Run) -> None:
    """What can not be meant together ends with 2 and changes nothing."""
    repo.write("log.md", LOG)
    before = repo.shape()
    ran = run("append", *arguments, stdin=b"{}")
    assert ran.code == 2
    assert repo.shape() == before


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--ref", "No_Such"), "diurna: append: --ref: not a fact id: 'No_Such'\n"),
        (("--new", "id=../x y"), "diurna: append: --new: not a fact id: '../x'\n"),
        (("nowhere.md",), "diurna: nowhere.md: there is no such file\n"),
        (("memory",), "diurna: memory: Is a directory\n"),
        (("--type", "dream"), "diurna: append: unknown type of log: dream\n"),
        (("--title", "a\nb"), "diurna: append: the title holds a line break"),
        (("--agent", "a\x1bb\nc: d"), "diurna: append: agent holds a line break"),
        (("--title", "a\udcffb"), "diurna: append: a lone surrogate"),
        (("--new", "id=a x <!-- id: b -->"), ""),
    ],
)
def test_refusals(arguments: tuple[str, ...], said: str, repo: Repo, run: Run) -> None:
    """What can not be stored is refused with the reason, and nothing changes."""
    before = repo.shape()
    ran = run("append", *arguments, "--title", "t") if "--title" not in arguments else run(
        "append", *arguments
    )  # fmt: skip
    if said:
        assert (ran.code, ran.out) == (1, "")
        assert formed(ran.err).startswith(said)
        assert repo.shape() == before


def test_several_refusals_are_all_said(repo: Repo, run: Run) -> None:
    """Each thing that is wrong with a draft is named, in text and JSON."""
    ran = run("append", "--ref", "A,B", "--json")
    assert [finding["code"] for finding in ran.json["error"]["findings"]] == ["bad-id", "bad-id"]
    assert "also: --ref: not a fact id: 'B'\n" in ran.err


def test_the_prose_is_a_text_or_a_file(repo: Repo, run: Run) -> None:
    """`@FILE` reads one; the bare name of one that is there still does, and is told; a wrong name is refused."""
    file = str(repo.write("notes.md", "It went well."))
    bare, said = (
        run("append", "--title", "A", "--body", file),
        run("append", "--title", "B", "--body", f"@{file}"),
    )
    assert (
        bare.err == f"note: {file} is read as a file; `--body @{file}` says so\n" and said.err == ""
    )
    for text in ("It went well, e.g. in src/x.py.", "Done.", "fine", "Two\nlines with a/path."):
        assert run("append", "--title", "T", "--body", text).err == ""
        assert text in _newest(repo)
    head = repo.git("rev-parse", "HEAD")
    for wrong in ("notse.md", "docs/notes", "@notse.md", "@two words"):
        ran = run("append", "--title", "T", "--body", wrong)
        assert ran.code == 1 and "there is no such file" in ran.err and "hint: " in ran.err
    assert repo.git("rev-parse", "HEAD") == head


def _newest(repo: Repo) -> str:
    return max(
        (repo.path / "memory/sessions").rglob("*.md"), key=lambda path: path.name
    ).read_text()


def test_existing_fact_is_not_made_twice(repo: Repo, run: Run) -> None:
    """A chosen id that exists is refused, with what to do instead."""
    run("append", "--new", "id=a One")
    ran = run("append", "--new", "id=a Two")
    assert ran.code == 1
    assert "the fact a exists already: One" in ran.err
    assert "--update a" in ran.err


def test_g7_too_large(repo: Repo, run: Run) -> None:
    """More than a log may hold is refused before it is read whole."""
    before = repo.shape()
    ran = run("append", "-", stdin=b"x" * (LOG_LIMIT_BYTES + 5))
    assert ran.code == 1
    assert ran.err.startswith("diurna: standard input: more than 1048576 bytes")
    assert run("append", "--from-json", "-", stdin=b" " * (LOG_LIMIT_BYTES + 5)).code == 1
    assert repo.shape() == before


def test_g1_not_utf8(repo: Repo, run: Run) -> None:
    """Bytes that are no text are refused with their line."""
    ran = run("append", "-", stdin=b"# T\n\n\xff\n")
    assert ran.code == 1
    assert ran.err.startswith("diurna: standard input:3: not UTF-8")


def test_stdin_is_closed(repo: Repo, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """A process without standard input says so."""
    before = repo.shape()
    repo.write("x", "")
    monkeypatch.setattr("io.TextIOWrapper", lambda _: None)
    ran = run("append", "-")
    assert sys.stdin is None
    assert ran.code == 1
    assert "standard input" in ran.err
    (repo.path / "x").unlink()
    assert repo.shape() == before


def test_c10_waits_in_the_spool(repo: Repo, run: Run) -> None:
    """A log that can not be committed now waits, is named, and lands with the next command."""
    repo.git("checkout", "-q", "--detach")
    ran = run("append", "--title", "Later", "--json")
    assert ran.code == 1
    stem = ran.json["error"]["stem"]
    assert ran.json["error"]["code"] == "WaitsInSpool"
    assert stem in ran.json["error"]["message"]
    assert ran.json["error"]["hint"].endswith("; HEAD was on main before: `git switch main`")
    shown = run("log")
    assert shown.code == 0
    assert shown.err == (
        "no session log yet\n"
        f"warning: a session log waits in the spool: {stem}\n"
        "hint: the next `diurna append` or `diurna check --publish` commits what waits\n"
    )
    repo.git("checkout", "-q", "main")
    assert run("check", "--publish").code == 0
    assert stem[:18] in run("log").out
    assert run("log").err == ""


def test_fallback_identity_is_said(repo: Repo, run: Run) -> None:
    """Where git knows no name a fixed one is used, and said."""
    repo.git("config", "--unset", "user.name")
    ran = run("append", "--title", "t")
    assert ran.code == 0
    assert ran.err.startswith("info: git has no user.name")


# ---- the user's work ------------------------------------------------------------------------------


def test_d1_d2_the_users_work_is_untouched(repo: Repo, run: Run) -> None:
    """Staged, dirty and untracked files stay exactly as they were; nothing is swept in."""
    repo.write("staged.py", "staged\n")
    repo.git("add", "staged.py")
    repo.write("staged.py", "staged, then edited\n")
    repo.write("code.py", "dirty\n")
    repo.write("new/untracked.txt", "untracked\n")
    status = repo.git("status", "--porcelain", "-uall")
    index = repo.git("ls-files", "-s", "--", "staged.py", "code.py")
    ran = run("append", "--title", "t", "--new", "id=a One", "--json")
    assert ran.code == 0
    assert repo.git("status", "--porcelain", "-uall") == status
    assert repo.git("ls-files", "-s", "--", "staged.py", "code.py") == index
    assert (repo.path / "staged.py").read_text() == "staged, then edited\n"
    assert (repo.path / "code.py").read_text() == "dirty\n"
    changed = repo.git("diff", "--name-only", "HEAD~1", "HEAD").split()
    assert changed == ["memory/continuity.md", f"memory/{ran.json['path']}"]


def test_d3_status_is_as_clean_as_before(repo: Repo, run: Run) -> None:
    """After an append nothing of ours shows as staged or deleted."""
    assert repo.git("status", "--porcelain") == ""
    assert run("append", "--title", "t").code == 0
    assert repo.git("status", "--porcelain") == ""
    assert list(Path(repo.path / "memory/sessions").rglob("*.md"))


def test_logs_that_others_are_writing_are_no_news(
    repo: Repo, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An append has committed all that waited; what waits behind it is on its way, and not told."""
    from memory import Memory

    monkeypatch.setattr(Memory, "waiting", lambda _: ["2026-11-21-083012417-0123456789ab", "b"])
    assert run("append", "--title", "Mine").err == ""
    assert run("log").err.startswith(
        "warning: 2 logs wait in the spool: 2026-11-21-083012417-0123456789ab and 1 more\nhint: "
    )


@each_row("arguments, stdin, said",
    [
        (("--new", ""), b"", "--new: '' gives the fact no text\nhint: for example: --new "),
        (("--new", "decision:"), b"", "--new: 'decision:' gives the fact no text\nhint: "),
        (("--new", "id=x"), b"", "--new: 'id=x' gives the fact no text\nhint: "),
        (("--close", "x", "--reopen", "x"), b"",
         "append: `Closed: x` and `Reopened: x` stand in one log\nhint: write two logs"),
        (("--update", "x", "1", "--update", "x", "2"), b"",
         "append: `Updated: x` stands twice\nhint: say it once\n"),
        (("--title", "x", "--body", "-"), b"a\n\n```\nb\n",
         "append: a code fence is never closed that begins in line 3 of the prose\nhint: close it"),
        (("--title", "x", "--body", "-"), b"## Facts\n",
         "append: the prose holds a section `## Facts`\nhint: give it another heading"),
        (("--update", "x"), b"", "append: Option '--update' requires 2 arguments\n"
         "hint: see `diurna append --help`\n"),
        (("nowhere.md",), b"", "nowhere.md: there is no such file\nhint: name a file "),
        (("memory",), b"", "memory: Is a directory\nhint: name a file "),
        (("--from-json", "-"), b"{", "standard input: Invalid JSON: "),
        (("--from-json", "-"), b"[]", "standard input: the JSON has to be an object\nhint: keys: "),
        (("--from-json", "-"), b'{"titel": "x"}',
         "standard input: titel: there is no such key\nhint: keys: title, body, "),
        (("--from-json", "-"), b'{"new": [{"text": "a", "txt": "b"}]}',
         "standard input: new.0.txt: there is no such key\nhint: keys: text, id, kind, tags, entity, footers\n"),
        (("--from-json", "-"), b'{"new": [{"text": ""}]}',
         "append: new.0.text: '' gives the fact no text\nhint: for example: "),
        (("--from-json", "-"), b'{"supersede": [{"old": "a"}]}',
         "standard input: supersede.0.new: it has to be there\nhint: keys: old, new\n"),
        (("--from-json", "-"), b'{"refs": ["Bad Id"]}', "append: refs.0: not a fact id: 'Bad Id'\n"),
    ],
)  # fmt: skip
def test_wrong_input_says_what_and_what_next(
    arguments: tuple[str, ...], stdin: bytes, said: str, repo: Repo, run: Run
) -> None:
    """A refusal names the option, file or key as the user wrote it, and has a hint; nothing changes."""
    before = repo.shape()
    ran = run("append", *arguments, stdin=stdin)
    assert ran.code in (1, 2)
    assert ran.out == ""
    assert ran.err.startswith(f"diurna: {said}")
    assert "\nhint: " in ran.err
    assert repo.shape() == before


def test_what_can_not_be_meant_is_said_at_once(repo: Repo, run: Run) -> None:
    """Relying on an id that nobody knows is refused or told, closing what is no thread is told."""
    born = "--new", "id=a One", "--new", "id=bats thread: Two"
    before = repo.shape()
    for ran in (run("append", *born, "--ref", "bast"), run("note", "One.", "--ref", "zz")):
        assert ran.code == 1
        assert ran.err.startswith("diurna: --ref: there is no fact ")
        assert "say `--anyway`" in ran.err
    assert repo.shape() == before
    ran = run("append", *born, "--ref", "mistyped", "--anyway")
    assert ran.code == 0
    assert ran.err.startswith(
        "warning: mistyped is not in this ledger (yet)\nhint: check the spelling"
    )
    ran = run("append", "--from-json", "-", stdin=b'{"title": "J", "refs": ["bast", "a"]}')
    assert ran.code == 0
    assert "there is no fact bast; that reference is left out" in ran.err
    assert "bast" not in run("append", "--ref", "a", "--dry-run").out
    assert run("append", "--close", "a").err == (
        "warning: a is of kind fact, which is never closed or reopened\n"
        "hint: what is false now is invalidated or superseded\n"
    )
    assert run("append", "--close", "b").err == ""  # the start of one id alone


def test_relying_on_what_is_false_is_told(repo: Repo, run: Run) -> None:
    """A superseded or invalidated fact can be named, and the agent learns at once what holds instead."""
    run("append", "--title", "a", "--new", "id=old fact: One.", "--new", "id=gone fact: Two.")
    run("append", "--title", "b", "--new", "id=new fact: Three.", "--supersede", "old=new",
        "--invalidate", "gone")  # fmt: skip
    ran = run("append", "--title", "c", "--ref", "old", "--ref", "new", "--reactivate", "gone")
    assert ran.code == 0
    assert "old is false: new superseded it" in ran.err
    assert "hint: `diurna why old`" in ran.err
    assert "gone is false: it was invalidated" in ran.err
    assert "new is false" not in ran.err
