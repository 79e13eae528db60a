"""What a brief does with its room: what a task asks for first, titles, what rests, and the same bytes always."""

from __future__ import annotations

from pathlib import Path

import pytest

from ledger.model.event import FactCreated, FactReferenced, FactSuperseded, FactUpdated
from memory.api import Memory
from projection.brief.lines import LEAST_TEXT_CHARS, TITLE_CHARS
from projection.brief.values import ASKED, CHANGES, DECISIONS, REST, SESSIONS
from projection.brief.wording import title_of, unstressed
from tests.bench.briefs import crowd, read, scored
from tests.bench.ledgers import brought_in
from tests.conftest import Repo, Run, each_row
from tests.test_brief_making import Team, born, ids, team  # noqa: F401 - a fixture

SHARED = Path(__file__).resolve().parents[2] / "shared"
LEDGER, QUESTIONS = SHARED / "ledgers/mercury", SHARED / "bench/facts/questions.jsonl"


@pytest.mark.deep(reason="brief_same_bytes is the small one")
@pytest.mark.skipif(not QUESTIONS.exists(), reason="a real ledger with questions is not there")
def test_brief_crowded(tmp_path: Path) -> None:
    """The fact that answers has a line in the brief for the question, however much else must hold or is open."""
    memory = Memory.open(str(brought_in(LEDGER, tmp_path)), agent="bench")
    questions = read(QUESTIONS, memory)
    asked = len(questions)
    assert asked >= 70
    plain = scored(memory, questions, 7500, tasks=True)
    alone = scored(memory, questions, 7500, tasks=False)
    assert plain.there >= 78 / 80 * asked and plain.share >= 0.72
    assert alone.there >= 60 / 80 * asked and alone.share >= 0.72
    crowd(memory)
    crowded, small = (scored(memory, questions, chars, tasks=True) for chars in (7500, 5000))
    assert crowded.there >= 76 / 80 * asked and small.there >= 72 / 80 * asked
    assert crowded.share >= 0.72
    assert scored(memory, questions, 7500, tasks=False).there >= 46 / 80 * asked
    least = memory.brief(budget_chars=1000, agent="another")
    (first,) = [one for one in least.sections if one.name == CHANGES]
    assert first.lines[0].id == "ot-profiles-alias-backlog"
    memory.close()


def test_brief_same_bytes(team: Team, monkeypatch: pytest.MonkeyPatch) -> None:  # noqa: F811
    """The same ledger and arguments give the same bytes, on any day and with a cache that was made anew."""
    team.says("ada", *[born(f"f-{number}", "decision") for number in range(60)])
    team.says("bob", FactUpdated("f-7", "Another text."), FactSuperseded("f-8", "f-9"))
    asked = [{"json": form, "task": task} for form in (False, True) for task in ("", "text of f-9")]
    first = [team.brief("ada", **one).text for one in asked]
    assert first == [team.brief("ada", **one).text for one in asked]
    monkeypatch.setenv("DIURNA_NOW", "1999999999999")
    for file in (team.path / ".git/diurna/cache").iterdir():
        if file.is_file():
            file.unlink()
    assert first == [team.brief("ada", **one).text for one in asked]


KINDS = (
    "fact",
    "invariant",
    "decision",
    "convention",
    "thread",
    "task",
    "pattern",
    "attempt",
    "finding",
)


@pytest.mark.parametrize("kind", KINDS)
def test_brief_task_is_id(team: Team, kind: str) -> None:  # noqa: F811
    """Whatever the fact of the id is, it comes first; of one that was superseded what stands in its place."""
    team.says("ada", *[born(f"other-{number}", "invariant") for number in range(30)])
    team.says("ada", born("meant", kind), born("old", "decision"))
    for number in range(0, 25, 5):
        team.says("ada", *[born(f"more-{number + each}", "decision") for each in range(5)])
    team.says("ada", FactSuperseded("old", "meant"))
    for task in ("meant", "old"):
        made = team.brief("bob", task=task)
        assert (made.sections[0].name, ids(made, ASKED)[0]) == (ASKED, "meant")
        assert made.text.count("\n- meant") == 1, made.text


LONG = "One sentence that is long enough to stand alone in a brief. " * 1200


@each_row("text, title, cut",
    [
        ("We ship on Mondays.", "We ship on Mondays.", False),
        ("no full stop at all", "no full stop at all", False),
        ("word " * 60, "word " * 22 + "word…", True),
        ("**Bold** says **it all.**", "Bold says it all.", False),
        ("Globs are `src/**/x.py` and lib/**/y, 2 ** 3 ** 4, a**b**c.",) * 2 + (False,),
        ("****", "****", False),
        ("**Only emphasis**", "Only emphasis", False),
        ("Run\n```\nmake check\n```", "Run ⏎ ``` make check ⏎ ```", False),
        ("一句话就够了。" * 30, "一句话就够了。" * 16 + " …", True),
        (LONG[:65_536], "One sentence that is long enough to stand alone in a brief. One sentence that is long enough to stand alone in a…", True),
        ("One sentence that is long enough. It is followed by another one of the kind.\n\n" + "x" * 99,
         "One sentence that is long enough. It is followed by another one of the kind. …", True),
    ],
)  # fmt: skip
def test_title_forms(text: str, title: str, cut: bool) -> None:
    """All of a text where it fits, else whole sentences, else what a cut between words leaves."""
    assert title_of(text, 118) == (title, cut)
    assert len(title) <= 118


def test_stars_are_taken_off_bold_words_alone() -> None:
    """What stays is the text."""
    for text in ("**a", "a**", "** a **", "x** y **z", "***", "**a** **b", "f(**k)"):
        assert unstressed(text).replace("**", "") == text.replace("**", "")
    assert unstressed("**a** **b") == "a **b"
    assert unstressed("(**a**, **b c**)") == "(a, b c)"


def test_a_footer_titles_a_fact(team: Team, run: Run) -> None:  # noqa: F811
    """It stands instead of the text, says that there is more, and is withheld with the fact."""
    said = "Webhooks are sent again three times. Behind that somebody is told."
    team.says("ada", FactCreated("hooks", said, "", (("title", "Three <tries>"),)),
              FactCreated("same", "All of it.", "", (("title", "All of it."),)))  # fmt: skip
    made = team.brief("bob")
    assert "- hooks: Three &lt;tries> …\n" in made.text and "- same: All of it.\n" in made.text
    lines = {
        line.id: (line.cut, line.title)
        for part in made.sections
        for line in part.lines
        if part.name != SESSIONS
    }
    assert lines == {"hooks": (True, True), "same": (False, True)}
    assert "Three" not in team.brief("bob", task="hooks").text.replace("Three &lt;tries>", "")
    assert run("redact", "hooks", "--reason", "private").code == 0
    assert "Three" not in team.brief("bob").text
    ran = run("append", "--title", "T", "--new", f"title={'x' * (TITLE_CHARS + 1)} A fact.")
    assert ran.code and "`title` is" in ran.err and "one line of at most 120 characters" in ran.err


def _policy(repo: Repo, said: str) -> None:
    policy = repo.path / "memory" / "diurna.toml"
    text = (
        policy.read_text()
        .replace("active  = 8", "active  = 30")
        .replace("archive = 20", "archive = 60")
    )
    policy.write_text(text + said)
    repo.git("commit", "-qam", "policy")


@pytest.mark.deep(reason="title_forms and brief_same_bytes are the small ones")
@pytest.mark.parametrize("rest", [20, 5, 0])
def test_used_fact_stays_unused_rests(team: Team, repo: Repo, run: Run, rest: int) -> None:  # noqa: F811
    """Shown to so many captured sessions since its last use, a fact gives its line away, and nothing else."""
    _policy(repo, f"\n[brief]\nrest = {rest}\n" if rest != 20 else "")
    team.says("ada", born("used", "decision"), born("unused", "decision"), born("open", "thread"),
              born("holds", "invariant"), born("plain"))  # fmt: skip
    shown = "used, unused, open, holds"
    for number in range(24):
        if rest and number == rest - 1:
            assert set(ids(team.brief("eve"), DECISIONS)) == {"used", "unused"}
        for part in ("work", "continued"):  # a session counts once
            team.says("ada", FactReferenced("used"), type=part, session=f"s-{number}", shown=shown)
    made = team.brief("eve")
    resting = {"unused"} if rest else set()
    assert set(ids(made, DECISIONS)) == {"used", "unused"} - resting
    assert set(made.also[: made.rests]) == resting and ids(made, REST) == ["plain"]
    assert "open" in made.text and "- holds" in made.text
    assert ("\nAlso there: unused\n" in made.text) == bool(rest)
    (one,) = [one for one in Memory.open(str(repo.path)).view().live if one.fact.id == "unused"]
    assert one.tier == "active" and "unused" in run("show", "--list").out
    asked = team.brief("eve", task="the text of unused")
    assert "unused" in ids(asked, ASKED) and "unused" not in asked.also
    team.says("ada", FactReferenced("unused"))
    assert set(ids(team.brief("eve"), DECISIONS)) == {"used", "unused"}


def test_the_index_names_what_has_no_line(team: Team) -> None:  # noqa: F811
    """Only facts that may be shown, each once, within the room; with those that rest counted in JSON."""
    hidden = FactCreated("hidden-note", "For judges.", "", (("role", "judge"),))
    team.says("ada", hidden, *[born(f"decided-{number}", "decision") for number in range(200)])
    made = team.brief("bob", budget_chars=2000)
    lines = {line.id for part in made.sections for line in part.lines}
    assert made.also and not lines & {*made.also} and len({*made.also}) == len(made.also)
    assert "hidden-note" not in made.also and len(made.text) <= 2000
    assert f"\nAlso there: {', '.join(made.also)}\n" in made.text
    assert made.live + len(lines - {*ids(made, SESSIONS)}) == 201
    whole = team.brief("bob", budget_chars=200_000)
    assert whole.also == () and "Also there" not in whole.text
    assert LEAST_TEXT_CHARS <= 118
