"""Each term of the pages is explained where it stands, and on the page of help; a site says what it leaves out."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

pytest.importorskip("jinja2")

from projection.fold.projection_state import TIERS
from projection.policy.model import PACED
from rituals.serve.web.html.templates import HERE, Renderer, tier
from rituals.serve.web.pages.terms import PICTURES, TIER_WORDS, TIERS_SAID, WORDS, meaning
from tests.conftest import Repo, Run


def test_a_term_is_explained_in_a_sentence_and_each_once() -> None:
    """With the numbers of the policy, where it is at hand."""
    terms = (*TIERS_SAID, *WORDS, *PICTURES)
    assert len({term.word for term in terms}) == len({term.place for term in terms}) == len(terms)
    for term in terms:
        for said in (meaning(term.word), meaning(term.word, PACED)):
            assert said.endswith(".") and "{" not in said and len(said) < 200, said
    assert "20 work sessions (and 30 work days)" in meaning("fading", PACED)


def test_templates_name_no_other_term_and_each_tier_says_what_it_means() -> None:
    """What a template explains is known; a tier has its sentence for whoever points at it."""
    known = {term.word for term in (*WORDS, *PICTURES, *TIERS_SAID)}
    named = {
        word
        for path in (HERE / "templates").iterdir()
        for word in re.findall(r"term\(\"([^\"]+)\"\)", path.read_text("utf-8"))
    }
    assert named and named <= known
    for name in TIERS:
        assert f'title="{meaning(TIER_WORDS[name])}">{TIER_WORDS[name]}</span>' in tier(name)
    assert (
        Renderer()
        .term("never used again")
        .startswith('<a class="term" href="/help#never-used-again"')
    )


@pytest.mark.deep(reason="test_web_export has it of a small site")
def test_a_site_says_what_it_leaves_out(repo: Repo, run: Run, tmp_path: Path) -> None:
    """How many facts have no words; each page leads there."""
    run("note", "id=secret decision: The gate opens at noon.")
    run("redact", "secret", "--reason", "it is private")
    assert run("export", "site", str(tmp_path / "site")).code == 0
    said = (tmp_path / "site/help.html").read_text()
    assert 'id="left-out">What this site leaves out' in said and "1 fact." in said
    assert "Personal memory" in said and "noon" not in said
    for page in (tmp_path / "site").rglob("*.html"):
        assert 'help.html#left-out">' in page.read_text(), page


@pytest.mark.deep(
    reason="test_repository_shapes::c7_a_shallow_clone_works_and_says_what_it_can_not_see is the small one"
)
def test_where_history_is_cut_a_site_is_refused_or_says_so(
    repo: Repo, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who wrote what is not known there: no page names the newest commit for it. `why` says it as well."""
    run("note", "id=first decision: We use tabs.")
    run("note", "id=second decision: We use commas.")
    cut = tmp_path / "cut"
    repo.git("clone", "-q", "--depth", "1", repo.path.as_uri(), str(cut))
    monkeypatch.chdir(cut)
    ran = run("export", "site", "../site")
    assert ran.code != 0 and "history of this clone is cut" in ran.err
    assert "hint: git fetch --unshallow" in ran.err and not (tmp_path / "site").exists()
    assert run("export", "site", "../site", "--allow-shallow").code == 0
    pages = list((tmp_path / "site").rglob("*.html"))
    assert pages and all("The history of this clone is cut" in one.read_text() for one in pages)
    assert "the history is cut here, so nobody knows the commit" in run("why", "first").out
    monkeypatch.chdir(repo.path)
    assert "cut" not in run("why", "first").out
    assert run("export", "site", str(tmp_path / "whole")).code == 0
    assert "is cut" not in (tmp_path / "whole/index.html").read_text()
    ran = run("export", "events", "--allow-shallow")
    assert ran.code == 2 and "--allow-shallow goes with" in ran.err
