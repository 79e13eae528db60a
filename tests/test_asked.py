"""What is asked and then opened teaches: a fact is found by the words in which it was asked for before."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ledger.codec.log import decode
from ledger.model.event import FactCreated, FactRedacted, FactReferenced
from ledger.model.evidence import HOWS, Proof, proof_in
from memory.api import Memory
from memory.recall.hits.fact_hits import QUESTIONS
from memory.recall.recall_values import Filters
from memory.write.draft import SessionDraft
from rituals.cli.option_table import RECALL
from rituals.hosts.capture.deeds import Known
from rituals.hosts.capture.uses import VALUED, uses
from rituals.hosts.transcripts.turns import Turn
from tests.campaigns.homes import OWN_REPOSITORY, make_home, open_memory
from tests.campaigns.homes import hermetic as hermetic  # a fixture
from tests.captured_sessions import captured_texts, observe, tell
from tests.conftest import each_row

RETRY = Known("retry-three", "decision", "Webhooks retry three times with jitter.")
CENTS = Known("pay-cents", "invariant", "Amounts are stored as integer cents.")
ASKED = "how often is a lost delivery sent anew"


def recalls(words: str) -> tuple[str, str]:
    return "tool", f"diurna recall {words}"


OPENS = ("tool", "diurna show retry-three")


def behind(*said: tuple[str, str]) -> dict[str, tuple[str, ...]]:
    """The questions behind which the facts are used in such a session."""
    turns = [
        Turn(role, "" if role == "tool" else text, at, "Bash" if role == "tool" else "",
             given=text if role == "tool" else "")
        for at, (role, text) in enumerate(said)
    ]  # fmt: skip
    return {one.id: one.asked for one in uses((RETRY, CENTS), turns, ()) if one.asked}


@pytest.mark.parametrize(
    "said",
    [
        (recalls(f"'{ASKED}'"), OPENS),
        (recalls(f"--in facts -n 5 --json {ASKED} | head -3"), OPENS),
        (recalls(f"'{ASKED}'"), ("assistant", "Let me open what it found."), OPENS),
        (recalls(f"'{ASKED}'"), ("assistant", "As retry-three says, three times.")),
        (recalls(f"'{ASKED}'"), ("assistant", "Webhooks retry three times with jitter."), OPENS),
        (("user", f"{ASKED}?"), OPENS),
    ],
)
def test_the_next_act_says_what_was_meant(said: tuple[tuple[str, str], ...]) -> None:
    """Opened, named or said again right behind the question, whoever asked."""
    assert [one.rstrip("?") for one in behind(*said)["retry-three"]] == [ASKED]


def test_what_was_asked_in_vain_stands_behind() -> None:
    """The last question found it; those before it, with nothing between, did not."""
    tried = [recalls("'lost delivery'"), recalls("'parcel posted twice'"), recalls(f"'{ASKED}'")]
    assert behind(*tried, OPENS) == {"retry-three": (ASKED, "parcel posted twice", "lost delivery")}
    assert behind(tried[0], ("tool", "ls"), tried[2], OPENS) == {"retry-three": (ASKED,)}


def test_a_tool_of_mcp_asks_too() -> None:
    asks = Turn(
        "tool", "", 0, "mcp__diurna__recall", given=json.dumps({"query": ASKED, "limit": 3})
    )
    opens = Turn("tool", "", 9, "mcp__diurna__get", given=json.dumps({"ids": ["retry-three"]}))
    (use,) = uses((RETRY,), [asks, opens], ())
    assert use.asked == (ASKED,)
    at_once = opens._replace(at=0)
    assert uses((RETRY,), [asks, at_once], ())[0].asked == ()  # it had not read the answer


@each_row(
    "said",
    [
        (recalls(f"'{ASKED}'"), ("tool", "grep -rn retry src"), OPENS),
        (recalls(f"'{ASKED}'"), ("user", "do something else"), OPENS),
        (recalls("--ids pay-cents"), OPENS),
        (recalls("retry"), OPENS),
        (recalls("'webhooks retry three times'"), OPENS),
        (recalls("'" + "lost delivery " * 20 + "'"), OPENS),
        (("user", "please look at lost deliveries"), OPENS),
        (recalls(f"'{ASKED}'"), ("user", "Webhooks retry three times with jitter.")),
        (("tool", f"grep -rn '{ASKED}' ."), OPENS),
    ],
)
def test_what_teaches_nothing(said: tuple[tuple[str, str], ...]) -> None:
    """Something else came between, or the words are the fact's own, one alone, or a story."""
    assert behind(*said) == {}


def test_who_opens_many_has_not_found_one() -> None:
    facts = [Known(f"fact-{n}", "fact", f"Number {n}.") for n in range(4)]
    asks = Turn("tool", "", 0, "Bash", given=f"diurna recall '{ASKED}'")
    opens = Turn("tool", "", 1, "Bash", given="diurna show fact-0 fact-1 fact-2")
    assert all(not one.asked for one in uses(facts, [asks, opens], ()))


def test_the_options_with_a_value_are_those_of_recall() -> None:
    known = {option.name for option in RECALL if option.metavar}
    assert known == VALUED


@pytest.mark.parametrize(
    "asked", [(), (ASKED,), (ASKED, "again: “ ".translate({0x201C: " "}), "x, by the y")]
)
def test_the_evidence_reads_as_it_was_written(asked: tuple[str, ...]) -> None:
    for how in HOWS:
        for by in ("", "agent"):
            for words in ("", "said: so, asked"):
                proof = Proof(how, 12, by, words, asked)
                assert proof_in(proof.remark) == proof


class Scene:
    """A home with two facts, in which sessions ask and open."""

    def __init__(self, home: Path) -> None:
        self.home = home
        make_home(home, OWN_REPOSITORY)
        self.memory = open_memory(home)
        born = tuple(
            FactCreated(one.id, one.text, meta=(("kind", one.kind),)) for one in (RETRY, CENTS)
        )
        self.memory.append(SessionDraft(title="What holds", events=born))

    def session(self, number: int, *questions: str, opened: str = "retry-three") -> None:
        """A captured session that asks, and opens what it found."""
        name = f"87bdddb9-cbd9-45fd-89ce-{number:012d}"
        transcript = self.home.parent / f"{name}.jsonl"
        observe(self.home, 1, session=name)
        with transcript.open("a", encoding="utf-8") as file:
            for given in (
                *[f"diurna recall '{one}'" for one in questions],
                f"diurna show {opened}",
            ):
                use = {"type": "tool_use", "id": given, "name": "Bash", "input": {"command": given}}
                said = {"type": "assistant", "message": {"role": "assistant", "content": [use]}}
                file.write(json.dumps(said) + "\n")
        tell(self.memory, transcript, session=name)

    def remarks(self) -> list[str]:
        logs = [decode(text.encode(), sealed=True)[0] for text in captured_texts(self.memory)]
        events = [event for log in logs for event in log.events]
        return [event.remark for event in events if isinstance(event, FactReferenced)]

    def found(self, words: str, memory: Memory | None = None) -> list[str]:
        answer = (memory or self.memory).recall(words, vectors=False)
        return [hit.id for hit in answer.hits if not hit.id.startswith("2")]


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    return Scene(tmp_path / "home")


def test_asked_in_a_third_way_it_is_found(scene: Scene) -> None:
    """The words of the fact are none of those that somebody asks in; the words asked before are some."""
    third = "is a delivery that got lost sent a second time"
    assert scene.found(third) == []
    scene.session(1, ASKED)
    assert scene.remarks()[0].startswith("opened ") and f"asked “{ASKED}”" in scene.remarks()[0]
    assert scene.found(third) == ["retry-three"]
    assert scene.found(third, open_memory(scene.home)) == ["retry-three"]
    (hit,) = scene.memory.recall(third, vectors=False).facts
    assert hit.text.startswith("retry-three  decision") and RETRY.text in hit.text
    assert scene.memory.recall(third, vectors=False, level="full").facts
    before = Filters(as_of=scene.memory.log()[-1].stem)
    assert scene.memory.recall(RETRY.text, filters=before).facts
    assert not scene.memory.recall(third, filters=before, vectors=False).facts


def test_it_is_shown_nowhere(scene: Scene) -> None:
    """Neither by what says why, nor in an answer, nor on the page; the log alone has it."""
    scene.session(1, ASKED)
    memory = scene.memory
    said = f"{memory.why('retry-three')}{memory.get(['retry-three'], level='full')}{memory.brief().text}"
    assert "opened" in said and "delivery" not in said
    memory.publish()
    assert "delivery" not in (scene.home / "continuity.md").read_text("utf-8")


def test_the_newest_questions_count(scene: Scene) -> None:
    """Of many the older are forgotten, also where the index is made anew."""
    words = "plum cherry apple peach lemon melon grape mango olive guava".split()
    questions = [f"{word} {word}crate" for word in words]
    for number, question in enumerate(questions):
        scene.session(number, question)
    (scene.home / ".git/diurna/cache").rename(scene.home / ".git/forgotten")
    for memory in (scene.memory, open_memory(scene.home)):
        found = [scene.found(question, memory) for question in questions]
        assert found == [[]] * (len(words) - QUESTIONS) + [["retry-three"]] * QUESTIONS


def test_a_question_passes_the_gates(scene: Scene) -> None:
    """What is about a person, or a secret, is beside no reference; the use counts."""
    token = "ghp_" + "hTg5Kq8zWv2xRb7mPf3yLd9sJc6nQa4tEu1w"
    scene.session(1, "does my wife have cancer again this year")
    scene.session(2, f"is {token} the token of deliveries")
    assert len(scene.remarks()) == 2 and not any("asked" in one for one in scene.remarks())
    assert scene.memory.state()["retry-three"].fact.uses == 3


def test_it_is_redacted_with_the_fact(scene: Scene) -> None:
    """The question is found no more, beside another fact neither, and is not kept again."""
    scene.session(1, ASKED)
    scene.session(2, ASKED, opened="pay-cents")
    assert set(scene.found(ASKED)) == {"retry-three", "pay-cents"}
    scene.memory.append(SessionDraft(title="Out", events=(FactRedacted("retry-three"),)))
    for memory in (scene.memory, open_memory(scene.home)):
        assert "retry-three" not in scene.found(ASKED, memory)
        assert "delivery" not in str(memory.why("retry-three"))
    scene.session(3, ASKED, opened="pay-cents")
    assert sum(ASKED in one for one in scene.remarks()) == 2
