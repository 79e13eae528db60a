"""What a site withholds: redacted, personal and secret words are in none of its bytes, names included."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import pytest

from ledger.errors import WriteRefused
from ledger.home import discover
from memory.api import Memory
from rituals.cli.commands import web
from rituals.serve.web.export.site import SiteReport, apply_site, plan_site
from rituals.serve.web.pages import session_page
from tests.campaigns import forks
from tests.conftest import NOW_MS, Repo, Run, sampled
from tests.planted_secrets import others, tokens
from tests.small_ledgers import tree_of
from tests.test_redaction import TOKENS, Told

OWN = "Quillfeather"


def exported(repo: Repo, folder: Path) -> tuple[SiteReport, str]:
    """Export the home; return every byte of the site, names of files included."""
    memory = Memory(discover(str(repo.path)), clock=lambda: NOW_MS)
    report = apply_site(plan_site(memory, str(folder)), memory, lambda done, of: None)
    memory.close()
    held = tree_of(folder)
    return report, "\n".join([f"{name}\n{data.decode()}" for name, data in held.items()])


def test_what_is_redacted_is_in_no_byte(repo: Repo, run: Run, tmp_path: Path) -> None:
    """It was on the pages before; the export that follows takes it away, and its files with it."""
    told = Told(repo, run)
    told.tell()
    _, before = exported(repo, tmp_path / "site")
    assert [token for token in TOKENS if token in before], "the site shows what is not redacted"
    told.redact()
    _, after = exported(repo, tmp_path / "site")
    assert [token for token in TOKENS if token in after] == []
    assert "(redacted)" in after or "vault" in after


def test_what_is_only_the_users_is_in_no_byte(repo: Repo, run: Run, tmp_path: Path) -> None:
    """Neither the words of a personal fact nor its id, also where a shared log used it."""
    assert run("init", "--personal").code == 0
    assert run("note", "--personal", f"id=own-way preference: {OWN} likes tabs.").code == 0
    assert run("note", "id=shared decision: We use tabs.").code == 0
    done = run(
        "append", "--title", "Both", "--ref", "shared,own-way",
        "--new", f"personal=true preference: {OWN} reads short answers.",
    )  # fmt: skip
    assert done.code == 0, done.err
    _, said = exported(repo, tmp_path / "site")
    assert "We use tabs." in said
    assert OWN not in said and "own-way" not in said


def test_what_this_machine_could_learn_is_in_no_site(
    repo: Repo, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is for whoever answers it, and no page of a site: it is not even looked at."""
    assert run("note", "id=tabs decision: We use tabs.").code == 0
    monkeypatch.setattr("rituals.review.learning.learning_plan.plan_learning", None)
    _, said = exported(repo, tmp_path / "site")
    assert "We use tabs." in said
    assert not (tmp_path / "site/review/learn.html").exists()
    assert "Worth keeping" not in said and "met again and again" not in said


@pytest.mark.parametrize("seed", sampled([1, 2], 2))
def test_a_secret_of_an_old_log_is_in_no_byte(
    repo: Repo, run: Run, tmp_path: Path, seed: int
) -> None:
    """Written by hand before anybody looked: in the prose, in a fact, in a title, in a remark."""
    secrets = [*tokens(seed), *others(seed)]
    sessions = repo.path / "memory" / "sessions"
    sessions.mkdir(exist_ok=True)
    for number, one in enumerate(secrets):
        first = one.text.splitlines()[0]
        (sessions / f"2026-09-{1 + number % 28:02d}-{100000 + number}.md").write_text(
            f"# Work {number}\n\nWe saw this:\n\n{one.text}\n\n## Memory References\n\n- Created: old-{number}\n"
            f"\n## Facts\n\n- It says {first if one.value in first else number}\n  <!-- id: old-{number} -->\n"
        )
    repo.git("add", "-A")
    repo.git("commit", "-q", "-m", "by hand")
    _, said = exported(repo, tmp_path / "site")
    assert "old-1" in said
    left = [one.kind for one in secrets if one.value in said]
    assert left == []


def test_a_site_is_not_put_into_a_home(repo: Repo, run: Run, tmp_path: Path) -> None:
    """Neither into git's folder, nor over the user's code; nothing is changed."""
    assert run("note", "id=shared decision: We use tabs.").code == 0
    memory = Memory(discover(str(repo.path)))
    before = tree_of(repo.path)
    for folder in (".git/site", "memory", "memory/site", ".", "code.py"):
        with pytest.raises(WriteRefused) as problem:
            plan_site(memory, str(repo.path / folder))
        assert problem.value.hint
    assert tree_of(repo.path) == before


def test_where_it_is_published_stands_in_each_page_only_if_it_is_said(
    repo: Repo, run: Run, tmp_path: Path
) -> None:
    """The canonical link names the file; all other links stay relative."""
    assert run("note", "id=shared decision: We use tabs.").code == 0
    memory = Memory(discover(str(repo.path)))
    plan = plan_site(memory, str(tmp_path / "site"), "https://shop.example/memory/")
    apply_site(plan, memory, lambda done, of: None)
    for path, data in tree_of(tmp_path / "site").items():
        if path.endswith(".html"):
            text = data.decode()
            assert f'<link rel="canonical" href="https://shop.example/memory/{path}">' in text
            assert text.count("shop.example") == 1


def test_two_processes_write_what_one_does(repo: Repo, run: Run, tmp_path: Path) -> None:
    """A site of many pages is written on two cores, byte for byte as on one."""
    for number in range(3):
        assert run("note", f"id=fact-{number} decision: We use tabs, {number} wide.").code == 0
    script = (
        "import sys; from rituals.serve.web.export import site; from rituals.cli.app import main\n"
        "site._WORTH_TWO = int(sys.argv[1]); sys.exit(main(['web', '--export', sys.argv[2]]))"
    )
    for worth, name in (("1", "two"), ("1000000", "one")):
        done = forks.run(
            ["-c", script, worth, str(tmp_path / name)], repo.path, os.environ, loaded=forks.WEB
        )
        assert done.returncode == 0, done.stderr
    held = tree_of(tmp_path / "one")
    assert len(held) > 15 and held == tree_of(tmp_path / "two")


def test_a_site_plans_its_review_and_reads_its_tip_once(
    repo: Repo, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What compares all facts is worked out once for all pages, also for those of the second process."""
    from rituals.review import review_plan as review
    from rituals.serve.web.export import site

    assert run("note", "decision: We use tabs.").code == 0
    asked: list[str] = []

    def counted(tip: str, *given: Any, **more: Any) -> review.Plan:
        asked.append(tip)
        return plan_of(tip, *given, **more)

    plan_of = review.plan_of
    monkeypatch.setattr(review, "plan_of", counted)
    monkeypatch.setattr(site, "may_fork", lambda: False)
    exported(repo, tmp_path / "site")
    assert len(asked) == 1
    memory, other = [Memory(discover(str(repo.path)), clock=lambda: NOW_MS) for _ in range(2)]
    tip = plan_site(memory, str(tmp_path / "site")).tip
    view = tip.elsewhere(other)
    assert view.has("plan") and view.plan is tip.plan and view.memory is other
    assert len(asked) == 2
    for one in (other, memory):
        one.close()


def test_older_sessions_have_a_place_in_the_timeline_instead_of_a_page(
    repo: Repo, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A large site stays small; each link to one leads to where the timeline tells of it."""
    monkeypatch.setattr(session_page, "ALONE", 2)
    for number in range(4):
        run(
            "append",
            "--title",
            f"Session {number}",
            "--new",
            f"id=fact-{number} fact: It is {number}.",
        )
    site = tmp_path / "site"
    assert run("web", "--export", str(site)).code == 0
    assert len(list((site / "session").iterdir())) == 2
    for number in range(4):
        (link,) = re.findall(
            rf'href="([^"]+)">Session {number}</a>', (site / f"fact/fact-{number}.html").read_text()
        )
        assert ("/timeline.html#s-" in link) == (number < 2), link
        if "#" in link:
            place = link.partition("#")[2]
            assert f'id="{place}"' in (site / "timeline.html").read_text()


def test_a_long_export_says_how_far_it_is_where_no_bar_is_drawn(
    repo: Repo, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a pipe a line for so many pages, and none for a small site."""
    run("note", "id=one fact: One.")
    assert "pages" not in run("web", "--export", str(tmp_path / "quiet")).err
    monkeypatch.setattr(web, "_PAGES", 10)
    said = run("web", "--export", str(tmp_path / "site")).err
    assert re.findall(r"(?m)^diurna web: (10|20) of \d+ pages$", said) == ["10", "20"]
