"""The evidence audit on a planted repository: what it must find, beside what only looks so.

Every row is a fact; the facts were written at `WRITTEN`, between two stretches of history.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import pytest

from ledger.git.cli import Git
from ledger.git.code_history import Code
from ledger.model.ids import version_id
from projection.fold.fact_history import Fact, Version
from projection.fold.live_view import Standing
from rituals.review.code_questions import evidence_questions
from rituals.review.questions import Question
from tests.conftest import each_row
from tests.pages import rows
from tests.world import Place, World

WRITTEN = "2026-06-15-120000000-0c1d2e3f4a5b"
#: 1 and 10 June, and 1 July, at noon.
BEFORE, EARLY, AFTER = "1780315200 +0000", "1781092800 +0000", "1782907200 +0000"

CLIENT = "".join(f"def call_{n}(url):\n    return fetch(url, {n})\n\n\n" for n in range(12))
EXAMPLES = ("path/to/file.py", "your/app.py", "a/bar/c.py", "src/foo.d/bar.py")
START = {
    **dict.fromkeys(EXAMPLES, "x\n"),
    "src/api/client.py": CLIENT,
    "src/api/server.py": (
        "MAX_RETRIES = 5\nkey = os.environ['PAYMENTS_KEY']\n\n\ndef retry_webhook(event):\n    return event\n\n\n"
        "class PaymentGateway:\n    def charge_card(self):\n        pass\n\n\ndef keep_alive():\n    pass\n"
    ),
    "src/queue/worker.py": "def work_off():\n    pass\n",
    "src/queue/broker.py": "def hand_out():\n    pass\n",
    "web/cart.ts": "export async function reserveStock(id: string) {}\nconst pageSize = 20;\nexport class CartView {}\n",
    "svc/main.go": "package main\n\nfunc (s *Server) HandleOrder(w int) {}\n\ntype OrderBook struct {}\n",
    "lib/legacy_mailer.py": "print('mail')\n",
    "lib/mailer.py": "print('mail')\n",
    "old/config.yml": "a: 1\n",
    "config/settings.yaml": "a: 1\n",
    "scripts/deploy.sh": "echo\n",
    "scripts/seed.sh": "echo\n",
    "tools/gen/__main__.py": "print()\n",
    "tools/fmt.py": "print()\n",
    "tests/test_client.py": "def test_one():\n    pass\n",
    "docs/guide.md": "`retry_webhook` retries. See `PaymentGateway`.\n",
    ".env": "A=1\n",
    ".editorconfig": "root = true\n",
    "dist/bundle.js": "1\n",
    "notes/early.md": "gone before any fact\n",
}


class Row(NamedTuple):
    """A planted fact: its text and the rule that must find it, "" for none."""

    text: str
    rule: str = ""


PLANTED = {
    name: Row(text.replace("\\n", "\n"), rule.strip("-"))
    for name, rule, text in rows(Path(__file__).with_name("planted_facts.md").read_text("utf-8"))
}


class Planted(NamedTuple):
    """The planted repository and what the audit says of it."""

    place: Place
    code: Code
    found: dict[str, list[Question]]
    standings: list[Standing]


def standing(name: str, text: str, stem: str = WRITTEN, tier: str = "active") -> Standing:
    """Make a live fact that was written at an instant."""
    version = Version(version_id(text), text, stem)
    fact = Fact(name, "fact", (version,), (), stem[:10], stem, stem[:10], 2, stem, stem)
    return Standing(fact, tier)


@pytest.fixture(scope="module")
def planted(tmp_path_factory: pytest.TempPathFactory) -> Planted:
    """The repository, and one audit of all the facts."""
    with World(tmp_path_factory.mktemp("planted")) as world:
        place = world.repository(commits=0)

    def commit(files: Mapping[str, str | None], when: str, subject: str) -> None:
        place.commit_on("main", files, subject, when=when)

    commit(START, BEFORE, "start")
    commit({"notes/early.md": None}, EARLY, "drop early notes")
    commit({"lib/legacy_mailer.py": None, "old/config.yml": None}, AFTER, "Drop the old mailer")
    commit(
        {"scripts/deploy.sh": None, "tests/test_client.py": None, "tools/gen/__main__.py": None,
         "src/queue/worker.py": None, "src/queue/broker.py": None, **dict.fromkeys(EXAMPLES)},
        AFTER,
        "Drop the queue",
    )  # fmt: skip
    commit(
        {"src/api/client.py": None, "src/http/client.py": CLIENT + "LAST = 1\n"},
        AFTER,
        "Move the client",
    )
    commit(
        {
            "src/api/server.py": "def keep_alive():\n    pass\n",
            "web/cart.ts": "export class CartView {}\n",
            "svc/main.go": "package main\n",
        },
        AFTER,
        "Payments <!-- move --> to `a` service",
    )
    ignored: dict[str, str | None] = {
        ".env": None,
        ".editorconfig": None,
        "dist/bundle.js": None,
        ".gitignore": ".env\ndist/\n",
    }
    commit(ignored, AFTER, "Ignore what is made")
    place.write(".gitignore", ".env\ndist/\n")  # git asks the work tree what is ignored
    standings = [standing(name, row.text) for name, row in PLANTED.items()]
    code = Code(Git(str(place.folder)), place.git("rev-parse", "HEAD"))
    found: dict[str, list[Question]] = {}
    for question in evidence_questions(standings, code):
        found.setdefault(question.facts[0], []).append(question)
    return Planted(place, code, found, standings)


@each_row("name", PLANTED)
def test_planted(name: str, planted: Planted) -> None:
    """Each planted fact is found by its rule alone, and each look-alike by none."""
    rules = {question.rule for question in planted.found.get(name, ())}
    assert rules == ({PLANTED[name].rule} if PLANTED[name].rule else set())


def test_evidence_says_where_and_by_whom(planted: Planted) -> None:
    """A finding names what was looked for, at which commit, and the commit that took it away."""
    (question,) = planted.found["gone-file"]
    head, queue = (
        planted.code.commit[:7],
        planted.place.git("log", "--format=%H", "-1", "--", "lib"),
    )
    assert question.said == "gone-file names the file `lib/legacy_mailer.py`, which is gone."
    assert question.evidence == (
        f"no path ends in `lib/legacy_mailer.py` at {head}",
        f'`lib/legacy_mailer.py` was deleted in {queue[:7]} (2026-07-01, "Drop the old mailer")',
    )
    (renamed,) = planted.found["renamed"]
    assert renamed.said == "renamed names `src/api/client.py`, which is `src/http/client.py` now."
    assert renamed.swaps == (("src/api/client.py", "src/http/client.py"),)
    (name,) = planted.found["gone-method"]
    assert "`def charge_card(self):` left `src/api/server.py` in" in name.evidence[1]
    assert "\"Payments < !-- move -- > to 'a' service\"" in name.evidence[1]


@pytest.mark.parametrize("at", ["2026-07-01-120000000", "2026-07-02-120000000"])
def test_a_text_written_after_the_removal_is_no_finding(at: str, planted: Planted) -> None:
    """What history did until a text was written, in that moment too, is no news to its author."""
    later = [
        standing(one.fact.id, one.fact.text, f"{at}-0c1d2e3f4a5b") for one in planted.standings
    ]
    assert evidence_questions(later, planted.code) == []


def test_a_removal_in_the_second_of_a_text_is_found(planted: Planted) -> None:
    """Git counts whole seconds, a log thousandths: which came first, nobody can tell."""
    at = "2026-07-01-120000001-0c1d2e3f4a5b"
    soon = [standing(one.fact.id, one.fact.text, at) for one in planted.standings]
    assert len({one.rule for one in evidence_questions(soon, planted.code)}) > 3


def test_what_is_not_live_is_not_looked_at(planted: Planted) -> None:
    """Archived, closed, redacted, false and disputed facts name what they like."""
    one = standing("a", PLANTED["gone-file"].text)
    fact = one.fact
    other = Version("deadbeef", "another", WRITTEN)
    rests = [
        one._replace(reason="faded"),
        one._replace(fact=fact._replace(closed=True)),
        one._replace(fact=fact._replace(redacted=True)),
        one._replace(fact=fact._replace(superseded_by=("b",))),
        one._replace(fact=fact._replace(heads=(*fact.heads, other))),
    ]
    assert evidence_questions(rests, planted.code) == []
    assert len(evidence_questions([one], planted.code)) == 1


def test_the_ledger_is_no_code(planted: Planted) -> None:
    """Below the folder of the ledger nothing is looked for and nothing counts as there."""
    code = Code(planted.code._git, planted.code.commit, "lib/")
    assert "lib/mailer.py" not in code.files()
    found = evidence_questions([standing("a", PLANTED["gone-file"].text)], code)
    assert found == []


def test_same_question_same_key(planted: Planted) -> None:
    """The key depends on rule, fact, subject and text, not on the order in which facts are looked at."""
    again = evidence_questions(list(reversed(planted.standings)), planted.code)
    assert {q.key for q in again} == {q.key for some in planted.found.values() for q in some}
    assert len({q.key for q in again}) == len(again)


@pytest.mark.parametrize(
    "setting",
    ["color.ui=always", "grep.lineNumber=true", "grep.column=true", "grep.patternType=perl",
     "diff.noprefix=true", "diff.mnemonicPrefix=true", "diff.renames=copies", "log.showSignature=true",
     "diff.algorithm=histogram", "log.decorate=full", "core.quotePath=true"],
)  # fmt: skip
def test_the_users_settings_change_nothing(setting: str, planted: Planted) -> None:
    """However the user likes git's output, the audit reads the same."""
    names = "gone-file renamed gone-method".split()
    some = [one for one in planted.standings if one.fact.id in names]
    key, _, value = setting.partition("=")
    planted.place.git("config", key, value)
    try:
        found = evidence_questions(some, planted.code)
        assert planted.code.present(["keep_alive", "retry_webhook"]) == {"keep_alive"}
    finally:
        planted.place.git("config", "--unset", key)
    wanted = [one for name in names for one in planted.found[name]]
    assert sorted(one.key for one in found) == sorted(one.key for one in wanted)


def test_only_what_was_taken_away_is_lost(planted: Planted) -> None:
    """Not what the same commits added."""
    found = planted.code.lost(["retry_webhook", "LAST"], 0)
    assert [(one.name, one.line) for one in found] == [
        ("retry_webhook", "def retry_webhook(event):")
    ]
