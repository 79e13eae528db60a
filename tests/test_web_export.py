"""What a site withholds: redacted, personal and secret words are in none of its bytes, names included."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from ledger.errors import WriteRefused
from ledger.home import discover
from memory.api import Memory
from rituals.cli.commands import web
from rituals.serve.web.site import export_site
from tests.conftest import NOW_MS, Repo, Run, sampled
from tests.planted_secrets import others, tokens
from tests.small_ledgers import tree_of

OWN = "Quillfeather"


def exported(repo: Repo, folder: Path) -> tuple[dict[str, int], str]:
    """Export the home; return every byte of the site, names of files included."""
    memory = Memory(discover(str(repo.path)), clock=lambda: NOW_MS)
    report = export_site(memory, str(folder))
    memory.close()
    held = tree_of(folder)
    return report, "\n".join([f"{name}\n{data.decode()}" for name, data in held.items()])


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
    monkeypatch.setattr("rituals.review.learning_plan.plan_learning", None)
    _, said = exported(repo, tmp_path / "site")
    assert "We use tabs." in said
    assert not (tmp_path / "site/review/learn.html").exists()
    assert "Worth keeping" not in said and "met again and again" not in said


@pytest.mark.deep(reason="test_web_inert::no_secret_of_an_old_log_is_written is the small one")
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
            export_site(memory, str(repo.path / folder))
        assert problem.value.hint
    assert tree_of(repo.path) == before


def test_where_it_is_published_stands_in_each_page_only_if_it_is_said(
    repo: Repo, run: Run, tmp_path: Path
) -> None:
    """The canonical link names the file; all other links stay relative."""
    assert run("note", "id=shared decision: We use tabs.").code == 0
    memory = Memory(discover(str(repo.path)))
    export_site(memory, str(tmp_path / "site"), "https://shop.example/memory/")
    for path, data in tree_of(tmp_path / "site").items():
        if path.endswith(".html"):
            text = data.decode()
            assert f'<link rel="canonical" href="https://shop.example/memory/{path}">' in text
            assert text.count("shop.example") == 1


def test_a_site_has_no_form_that_records_and_loads_nothing_of_a_server(
    repo: Repo, run: Run, tmp_path: Path
) -> None:
    """Its forms are those of the search, which has each fact."""
    run("note", "id=one fact: One holds.")
    run("task", "add", "Wire it", "--id", "wire")
    assert run("export", "site", str(tmp_path / "site")).code == 0
    for path in (tmp_path / "site").rglob("*.html"):
        text = path.read_text()
        assert re.findall(r"<form[^>]*>", text) and not re.findall(
            r'<form(?![^>]*role="search")', text
        )
        assert "live.js" not in text and "data-mark" not in text and 'href="/' not in text
    search = (tmp_path / "site/search.html").read_text()
    assert "One holds." in search and 'href="fact/one.html"' in search and "Wire it" in search
    assert not (tmp_path / "site/static/live.js").exists()


def test_a_long_export_says_how_far_it_is_where_no_bar_is_drawn(
    repo: Repo, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a pipe a line for so many pages, and none for a small site."""
    run("note", "id=one fact: One.")
    assert "pages" not in run("export", "site", str(tmp_path / "quiet")).err
    monkeypatch.setattr(web, "_PAGES", 10)
    said = run("export", "site", str(tmp_path / "site")).err
    assert re.findall(r"(?m)^diurna export: (10|20) of \d+ pages$", said) == ["10", "20"]
