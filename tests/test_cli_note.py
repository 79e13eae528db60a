"""`note`, `ls`, and what is proposed for a command that does not exist."""

from __future__ import annotations

from tests.conftest import Repo, Run


def kinds(run: Run) -> dict[str, tuple[str, str]]:
    """Return kind and text of every fact, by id."""
    return {one["id"]: (one["kind"], one["text"]) for one in run("show", "--json").json["facts"]}


# ---- note --------------------------------------------------------------------------------------------


def test_a_note_is_an_append_of_its_texts(repo: Repo, run: Run) -> None:
    """A transcript: one log, a fact for each text, with kinds, ids and references as append has them."""
    assert run("note", "id=uv decision: We use uv.").code == 0
    ran = run(
        "note", "id=cores CI runs on two cores.", "thread: id=cache Why is it cold?", "--ref", "uv"
    )
    assert (ran.code, ran.err) == (0, "")
    assert ran.said == (
        "STEM  written to memory/sessions/2026-11/21/STEM.md (not committed)\ncreated  cores\ncreated  cache\n"
    )
    assert kinds(run) == {
        "uv": ("decision", "We use uv."),
        "cores": ("fact", "CI runs on two cores."),
        "cache": ("thread", "Why is it cold?"),
    }
    titles = [one["title"] for one in run("log", "--json").json["sessions"]]
    assert titles == ["CI runs on two cores. (and 1 more)", "We use uv."]
    assert run("show", "uv", "--json").json["facts"][0]["uses"] == 2


def test_a_note_says_and_refuses_what_an_append_does(repo: Repo, run: Run) -> None:
    """The same receipt, dry run, retry and secret; what it refuses stands in refusals.txt."""
    before = repo.shape()
    dry = run("note", "id=uv We use uv.", "--dry-run", "--json").json
    same = run(
        "append", "--title", "We use uv.", "--new", "id=uv We use uv.", "--dry-run", "--json"
    )
    assert dry == same.json and dry["dry_run"] is True
    assert repo.shape() == before
    assert run("note", "id=uv We use uv.").code == 0
    assert "already recorded" in run("note", "id=uv We use uv.").out
    told = run("note", "The password = 'hTg5-Kq8z-Wv2x-Rb7m' is in use.")
    assert told.code == 0 and "secret" in told.err
    assert "hTg5" not in run("log").out + run("show").out
    assert run("note", "A thing of its own.", "--agent", "codex", "--session", "s1").code == 0
    assert run("log", "-n", "1", "--json").json["sessions"][0]["agent"] == "codex"


def test_a_note_from_a_pipe(repo: Repo, run: Run) -> None:
    """Lines are facts; with bullets, bullets are, and what is indented belongs to its bullet."""
    assert (
        run("note", stdin=b"decision: id=uv We use uv.\n\nid=cores CI has two cores.\r\n").code == 0
    )
    piped = b"- decision: id=retry Retries:\n  - three\n\n  - with jitter\n\n* [ ] id=cache Warm it\n1. id=x Ten.\n"
    assert run("note", "-", stdin=piped).code == 0
    assert kinds(run) == {
        "uv": ("decision", "We use uv."),
        "cores": ("fact", "CI has two cores."),
        "retry": ("decision", "Retries:\n- three\n\n- with jitter"),
        "cache": ("thread", "Warm it"),
        "x": ("fact", "Ten."),
    }


def test_one_kind_for_all(repo: Repo, run: Run) -> None:
    """`--kind` is that of every text which names none."""
    piped = b"id=uv We use uv.\nthread: id=ci Is CI slow?\nfact: id=two Two cores.\n"
    assert run("note", "--kind", "decision", stdin=piped).code == 0
    assert {id: kind for id, (kind, _) in kinds(run).items()} == {
        "uv": "decision", "ci": "thread", "two": "fact",
    }  # fmt: skip


def test_ls_by_pattern(repo: Repo, run: Run) -> None:
    """A part of id or text in any case, or with `*` and `?` the whole id; several have to fit at once."""
    run("note", "id=uv We like it.", "id=web-one The first.", "id=web-two The second.")
    for pattern, ids in (
        ("like", "uv"), ("WEB", "web-one web-two"), ("web-*", "web-one web-two"), ("web second", "web-two"),
        ("*one", "web-one"), ("?v", "uv"),
    ):  # fmt: skip
        listed = run("show", "--list", *pattern.split()).out.splitlines()
        assert [line.split()[0] for line in listed] == ids.split()
