"""`conflicts`, `resolve`, `why --versions`, `restore`, `confirm` and `redact` as they are typed."""

from __future__ import annotations

from pathlib import Path

import pytest

from ledger.model.ids import version_id
from rituals.cli.context import Invocation
from tests.conftest import Repo, Run, formed, laid_once

TEN, TWENTY, THIRTY = "Ten seconds.", "Twenty seconds.", "Thirty seconds."
V10, V20, V30 = (version_id(text) for text in (TEN, TWENTY, THIRTY))


def update(repo: Repo, run: Run, fact: str, text: str, was: str) -> None:
    """Append an update as somebody who saw another version."""
    log = (
        f"---\nagent: codex\n---\n# Say {text}\n\n## Memory References\n\n"
        f"- Updated: {fact} (was {was})\n\n## Facts\n\n- {text}\n  <!-- id: {fact} -->\n"
    )
    assert run("append", "-", stdin=log.encode()).code == 0


@laid_once
def torn(repo: Repo, run: Run) -> None:
    """Two versions of a fact and two successors of another stand."""
    new = ("--new", f"id=limit {TEN}", "--new", "id=old O.", "--new", "id=b B.", "--new", "id=c C.")
    assert run("append", "--title", "Base", *new).code == 0
    update(repo, run, "limit", TWENTY, V10)
    update(repo, run, "limit", THIRTY, V10)
    both = ("--supersede", "old=b", "--supersede", "old=c")
    assert run("append", "--title", "Twice", *both).code == 0


def test_conflicts_are_listed_in_full(torn: Repo, run: Run) -> None:
    """A transcript: every side with its text, version, log, agent and date, and how to resolve it."""
    ran = run("conflicts")
    assert (ran.code, ran.err) == (0, "")
    assert ran.said == (
        "limit — changed on several sides (text)\n"
        f"  1  {V20}  by codex, 2026-11-21T08:30:12.418Z\n"
        "     in STEM\n"
        "     Twenty seconds.\n"
        f"  2  {V30}  by codex, 2026-11-21T08:30:12.419Z\n"
        "     in STEM\n"
        "     Thirty seconds.\n"
        f"  resolve: diurna conflicts limit --choose {V20}\n"
        "old — superseded by several facts (successor)\n"
        "  1  b  by claude-code, 2026-11-21T08:30:12.420Z\n"
        "     in STEM\n"
        "     B.\n"
        "  2  c  by claude-code, 2026-11-21T08:30:12.420Z\n"
        "     in STEM\n"
        "     C.\n"
        "  resolve: diurna conflicts old --choose b\n"
    )
    first, second = run("conflicts", "--json").json["contradictions"]
    assert (first["id"], first["kind"], first["said"]) == (
        "limit",
        "text",
        "changed on several sides",
    )
    assert set(first["choices"][0]) == {"id", "text", "stem", "agent", "date", "closed"}
    assert [choice["id"] for choice in second["choices"]] == ["b", "c"]
    assert run("conflicts", "old", "--json").json["contradictions"] == [second]
    assert run("conflicts", "b").err == "no contradiction about b\n"
    assert run("conflicts", "nothing").code == 1
    status = run("status")
    assert "disputed  2: limit (text), old (successor)\n" in status.out
    assert (
        "hint: `diurna conflicts` shows every side, `diurna conflicts ID --choose N` decides\n"
        in status.err
    )
    told = run("status", "--json").json
    assert told["contradictions"] == ["limit", "old"]
    assert told["disputed"][1] == {"id": "old", "kinds": ["successor"]}


def test_resolve_by_a_choice(torn: Repo, run: Run) -> None:
    """A transcript: the plan, the log, the same again, and another choice too late."""
    before = torn.shape()
    plan = run("conflicts", "limit", "--choose", V30[:4], "--dry-run")
    assert plan == (0, f"would record: limit says {V30}: Thirty seconds.\n", "")
    assert torn.shape() == before
    ran = run("conflicts", "limit", "--choose", V30[:4])
    assert (ran.code, ran.err) == (0, "")
    assert ran.said == f"STEM  committed in COMMIT on main\nlimit says {V30}: Thirty seconds.\n"
    again = run("conflicts", "limit", "--choose", V30)
    assert again == (0, "nothing to do: limit has no contradiction\n", "")
    other = run("conflicts", "limit", "--choose", V20)
    assert (other.code, other.out, other.err) == (
        1, "", f"diurna: conflicts: there is no contradiction about limit any more: it says {V30}\n"
        "hint: `diurna edit limit --restore VERSION` lets one of `why --versions` stand again\n",
    )  # fmt: skip
    answer = run(
        "conflicts", "old", "--choose", "2", "--agent", "Grace", "--title", "C it is", "--json"
    )
    (event,) = answer.json["events"]
    assert (event["event"], event["id"], event["new"]) == ("Superseded", "b", "c")
    newest = run("log", "-n", "1", "--json").json["sessions"][0]
    assert (newest["agent"], newest["title"], newest["type"]) == ("Grace", "C it is", "edit")
    assert run("conflicts").err == "no contradiction\n"
    assert run("check", "--ci").out == "all in order\n"


def test_resolve_by_a_text(torn: Repo, run: Run, tmp_path: Path) -> None:
    """From an option or a file; an empty one, or both, is wrong usage."""
    text = tmp_path / "text.md"
    text.write_text("It depends:\n\n- ten seconds at night\n")
    for wrong in (
        ("--text", " "),
        ("--text", "x", "--file", str(text)),
        ("--text", "x", "--choose", "1"),
    ):
        assert run("conflicts", "limit", *wrong).code == 2
    assert run("conflicts", "limit", "--file", str(text)).code == 0
    (fact,) = run("show", "limit", "--json").json["facts"]
    assert fact["text"] == "It depends:\n\n- ten seconds at night"
    assert run("conflicts", "limit", "--file", str(text)).out.startswith("nothing to do")


def test_resolve_asks_on_a_terminal_only(
    torn: Repo, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without one, saying nothing is wrong usage, with the list; with one, a number answers."""
    said = (
        f"diurna: conflicts: which holds of limit? (1) {V20} by codex: Twenty seconds.; "
        f"(2) {V30} by codex: Thirty seconds.\n"
        "hint: diurna conflicts limit --choose N, or --text for a new text\n"
    )
    assert run("conflicts", "--resolve", "limit") == (2, "", said)
    monkeypatch.setattr(Invocation, "piped", lambda self: False)
    ran = run("conflicts", "--resolve", "limit", stdin=b"7\n2\n")
    assert (ran.code, ran.out.split("\n")[-2]) == (0, f"limit says {V30}: Thirty seconds.")
    assert ran.out.startswith("limit — changed on several sides (text)\n  1  ")
    assert "which holds?" in ran.err
    assert (
        run("conflicts", "--resolve", "limit").out == "nothing to do: limit has no contradiction\n"
    )
    assert run("conflicts", "--resolve", "old", stdin=b"").code == 130


def test_called_false_here_and_reworded_there_is_told_everywhere(repo: Repo, run: Run) -> None:
    """One superseded the fact as it was; another, who had not seen that, reworded it."""
    assert (
        run("append", "--title", "Base", "--new", f"id=limit {TEN}", "--new", "id=b B.").code == 0
    )
    assert run("append", "--title", "B instead", "--supersede", "limit=b").code == 0
    assert run("conflicts").err == "no contradiction\n"
    update(repo, run, "limit", TWENTY, V10)
    shown = run("conflicts")
    assert shown.said == (
        "limit — called false on one side, reworded on another (reworded)\n"
        f"  1  {V20}  by codex, 2026-11-21T08:30:12.419Z\n"
        "     in STEM\n"
        "     Twenty seconds.\n"
        "  2  b  by claude-code, 2026-11-21T08:30:12.418Z\n"
        "     in STEM\n"
        "     B.\n"
        f"  resolve: diurna conflicts limit --choose {V20}\n"
    )
    assert "disputed  1: limit (reworded)\n" in run("status").out
    brief = run("brief").out
    assert "Twenty seconds." in brief and "called false (replaced by b)" in brief
    assert (
        "limit was called false (replaced by b)"
        in run("check", "--ci").err + run("check", "--ci").out
    )
    review = run("review", "--dry-run")
    assert "Contradicted, see `diurna conflicts` (1): limit (reworded)\n" in review.out
    assert f"{TWENTY}\n  <!-- id: limit " in run("show").out
    (fact,) = run("show", "limit", "--json").json["facts"]
    assert fact["contradiction"] and fact["superseded_by"] == [] and fact["tier"] == "active"
    assert [call["new"] for call in fact["denied"]] == ["b"]
    assert run("conflicts", "limit", "--choose", "2").code == 0
    assert run("conflicts").err == "no contradiction\n"
    assert run("show", "limit", "--json").json["facts"][0]["superseded_by"] == ["b"]
    assert run("edit", "--restore", "limit", "--reason", "It holds.").code == 0
    assert run("show", "limit", "--json").json["facts"][0]["tier"] == "active"


def test_history_and_restore(torn: Repo, run: Run) -> None:
    """A transcript: each version with who, when and why, the heads marked; an old one comes back."""
    assert run("conflicts", "limit", "--choose", V30).code == 0
    ran = run("why", "limit", "--versions")
    assert (ran.code, ran.err) == (0, "")
    assert ran.said == (
        "limit\n\n"
        f"  1  {V10}\n"
        "     2026-11-21T08:30:12.417Z  Created by claude-code: Base\n"
        "     in STEM\n     Ten seconds.\n\n"
        f"  2  {V20}  replaces {V10}\n"
        "     2026-11-21T08:30:12.418Z  Updated by codex: Say Twenty seconds.\n"
        "     in STEM\n     Twenty seconds.\n\n"
        f"  3  {V30}  stands  replaces {V10}\n"
        "     2026-11-21T08:30:12.419Z  Updated by codex: Say Thirty seconds.\n"
        "     in STEM\n     Thirty seconds.\n\n"
        f"  4  {V30}  stands  replaces {V20}, {V30}\n"
        "     2026-11-21T08:30:12.421Z  Updated by claude-code: Resolve limit\n"
        "     in STEM\n     Thirty seconds.\n"
    )
    versions = run("why", "limit", "--versions", "--json").json["versions"]
    assert [one["stands"] for one in versions] == [False, False, True, True]
    assert versions[1]["was"] == [V10]
    done = run("edit", "--restore", "limit", V10[:5])
    assert (done.code, formed(done.out)) == (
        0, "STEM  committed in COMMIT on main\n"
        f"limit says {V10} again, of STEM, in place of {V30}\n",
    )  # fmt: skip
    assert run("edit", "--restore", "limit", V10) == (
        0,
        f"nothing to do: limit says {V10} already\n",
        "",
    )
    wrong = run("edit", "--restore", "limit", "zz")
    assert (wrong.code, wrong.err) == (
        1, f"diurna: edit: zz is no version of limit\nhint: one of {V10}, {V20}, {V30}\n"
    )  # fmt: skip
    assert run("why", "limits", "--versions").code == 1


def test_reinstate_and_the_chain_in_why(torn: Repo, run: Run) -> None:
    """A transcript: superseded, said to hold after all, and the chain with what does not count."""
    assert run("append", "--title", "D", "--new", "id=d D.", "--supersede", "b=d").code == 0
    assert run("edit", "--restore", "b").code == 2
    assert run("edit", "--restore", "b", "--reason", " ").code == 2
    ran = run("edit", "--restore", "b", "--reason", "D was a test.")
    assert (ran.code, ran.said) == (
        0, "STEM  committed in COMMIT on main\n"
        "b holds again; what 1 log said against it is taken back: STEM\n"
        "tier     b: superseded → active (holds again)\n",
    )  # fmt: skip
    assert ran.err == "hint: d holds beside it now; if it is false: diurna append --invalidate\n"
    again = run("edit", "--restore", "b", "--reason", "D was a test.")
    assert again.out == "nothing to do: b holds; nothing is said against it\n"
    why = run("why", "b").said
    assert why.endswith("\nsupersessions\n  old → b  STEM\n  b → d  (does not count)  STEM\n")
    assert "remark: D was a test." in why
    chain = run("why", "d", "--json").json["chain"]
    assert [(link["old"], link["new"], link["counts"]) for link in chain] == [
        ("old", "b", True), ("b", "d", False)
    ]  # fmt: skip
    assert "cycle" not in run("check", "--ci").err


def test_a_point_in_time_shows_what_held_then(repo: Repo, run: Run) -> None:
    """`show --as-of` each log: before it was superseded, while it was, and after it was reinstated."""
    stems = [
        run("append", "--title", "Base", "--new", "id=a A.", "--new", "id=b B.", "--json").json[
            "stem"
        ],
        run("append", "--title", "B", "--supersede", "a=b", "--json").json["stem"],
        run("edit", "--restore", "a", "--reason", "Both hold.", "--json").json["stem"],
    ]
    shown = [run("show", "a", "--as-of", stem, "--json").json["facts"][0] for stem in stems]
    assert [fact["tier"] == "superseded" for fact in shown] == [False, True, False]
    assert [fact["superseded_by"] for fact in shown] == [[], ["b"], []]
    assert "A." not in run("show", "--as-of", stems[1]).out
    assert "A." in run("show", "--as-of", stems[0]).out and "A." in run("show").out


def test_confirm_and_what_is_due(repo: Repo, run: Run) -> None:
    """A transcript: status names what is due, a confirmation takes it from there."""
    policy = repo.path / "memory" / "diurna.toml"
    policy.write_text(policy.read_text().replace("every = 40", "every = 2"))
    repo.git("commit", "-q", "-am", "sooner")
    assert run("append", "--title", "One", "--new", "invariant: id=never Never do it.").code == 0
    assert "\nconfirm " not in run("status").out
    for title in ("Two", "Three"):
        assert run("append", "--title", title).code == 0
    status = run("status")
    assert "confirm   1 due: never\n" in status.out
    assert "hint: `diurna review --confirm ID…` records that a person looked" in status.err
    assert run("status", "--json").json["confirm"] == {"due": ["never"], "every": 2}
    ran = run("review", "--confirm", "never")
    assert ran.said == "STEM  committed in COMMIT on main\nnever is confirmed\n"
    again = run("review", "--confirm", "never")
    assert again.out == "nothing to do: confirmed before, and nothing was recorded since\n"
    assert run("status", "--json").json["confirm"]["due"] == []
    assert run("review", "--confirm", "nothing").code == 1
    assert run("review", "--confirm").code == 2


def test_redact_says_what_git_still_holds(repo: Repo, run: Run) -> None:
    """A transcript: withheld, where it still is, how to rotate, what is a person's to decide."""
    repo.publish_when("review")
    # of a fact called `login` the id of an object can read as a credential, one in eight
    new = ("--new", "id=guest The password is hunter2.")
    stem = run("append", "--title", "hunter2", *new, "--json").json["stem"]
    assert run("check", "--publish").code == 0
    assert run("redact", "guest").code == 2
    plan = run("redact", stem, "--reason", "A password.", "--dry-run")
    assert plan.code == 0 and plan.said.startswith(
        "would record: the words of STEM are withheld\n"
        "would record: the text of guest is withheld\n"
    )
    ran = run("redact", stem, "--reason", "A password.")
    assert (ran.code, ran.said) == (
        0, "STEM  committed in COMMIT on main\n"
        "the words of STEM are withheld\n"
        "the text of guest is withheld\n"
        "git still has it, for `git grep`, for agents and for the forge's search:\n"
        f"  in the file {repo.path}/memory/continuity.md\n"
        f"  in the file {repo.path}/memory/sessions/2026-11/21/STEM.md\n"
        "  in the history of sessions/2026-11/21/STEM.md, brought by commit COMMIT by Ada\n"
        "  in 2 commits, 2 files of them\n"
        "  refs/heads/main lead to it\n"
        "rewriting the history is for a person to decide, with everybody who has a clone;\n"
        "`diurna redact … --purge --dry-run` shows what that would be\n",
    )  # fmt: skip
    held = {repo.git("rev-parse", f"HEAD~2:memory/sessions/2026-11/21/{stem}.md").strip(),
            repo.git("rev-parse", "HEAD~1:memory/continuity.md").strip()}  # fmt: skip
    json = run("redact", stem, "--reason", "A password.", "--json").json
    assert set(json["git"]["files"]) == held and json["git"]["messages"] == []
    assert "revoke it where it was issued, issue another" in ran.err
    assert "hint: `diurna check --publish` takes it out of continuity.md\n" in ran.err
    assert run("check", "--publish").code == 0
    for command in (("show",), ("show", "--json"), ("why", "guest"), ("log",), ("log", "--json"),
                    ("why", "--versions", "guest"), ("log", "--changes", f"{stem}.."), ("check", "--ci",), ("conflicts",)):  # fmt: skip
        shown = run(*command)
        assert (shown.code, "hunter2" in shown.out + shown.err) == (0, False), command
    assert "hunter2" not in (repo.path / "memory" / "continuity.md").read_text()
    again = run("redact", stem, "guest", "--reason", "A password.", "--json").json
    assert (again["already"], len(again["held"])) == ("withheld already", 1)
    for words in ("--force", " rm ", "reset", "delete"):
        assert words not in ran.out + ran.err
    assert run("redact", "nothing", "--reason", "x").code == 1
