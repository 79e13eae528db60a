"""What a session used is proved, written with its evidence and counted once; what it asked teaches."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.campaigns import uses as campaign
from tests.conftest import Repo
from tests.host_door import TALK, Door, named
from tests.world import OWN_REPOSITORY, Place, World

FACTS = {
    "retry-three": "decision: Webhooks retry three times with jitter.",
    "pay-cents": "invariant: Amounts are stored as integer cents; never use float for money.",
    "uv": "convention: Dependencies are installed with uv, not pip.",
    "node-22": "stack: CI and production run Node 22; Node 18 is not supported.",
    "no-stash": "convention: Put work aside in a commit on a branch, never with git stash.",
    "cache-try": "fact: Cache the parsed invoices in Redis to make the export faster; it did not help.",
    "mirror-try": "outcome=failed attempt: Mirror the wiki pages into Confluence by night.",
    "backups-oslo": "decision: Backups are kept in Oslo for ninety days.",
    "exports-s3": "decision: Exports are written to the archive bucket at night.",
}
_TOOLS = {
    "bash": "Bash",
    "parts": "shell",
    "write": "Write",
    "get": "mcp__diurna__get",
    "ask": "mcp__diurna__recall",
}


@pytest.fixture
def home(world: World) -> Place:
    """A home in which what is captured lands at once."""
    return world.home(OWN_REPOSITORY, facts=FACTS)


def write(file: Any, who: str, text: str) -> None:
    """Let a transcript of Claude grow by a step."""
    if who in ("user", "assistant"):
        content: list[dict[str, Any]] = [{"type": "text", "text": text}]
    else:
        given = {
            "bash": {"command": text}, "parts": {"command": ["bash", "-lc", text]}, "write": {"file_path": "src/a.py", "content": text}, "get": {"ids": [text]},
            "ask": {"query": text, "limit": 3},
        }[who]  # fmt: skip
        content = [{"type": "tool_use", "id": f"t-{text[:9]}", "name": _TOOLS[who], "input": given}]
        who = "assistant"
    file.write(json.dumps({"type": who, "message": {"role": who, "content": content}}) + "\n")


def used(
    home: Place, name: str, *steps: tuple[str, str], shown: pytest.MonkeyPatch | None = None
) -> list[str]:
    """Let a session of Claude say and do something, and end; return the lines by which it uses facts."""
    before = set(home.logs())
    if shown:
        with pytest.MonkeyPatch.context() as patch:
            assert "node-22" in Door(Repo(home.folder), patch).session(session=name).start()
    tell(home, name, *steps)
    logs = [data.decode() for stem, data in sorted(home.logs().items()) if stem not in before]
    return re.findall("(?m)^- Referenced: (.*)", "\n".join(logs))


def tell(home: Place, name: str, *steps: tuple[str, str]) -> None:
    """Let a transcript of Claude grow by steps, and be captured."""
    path = home.world.folder / f"{name}.jsonl"
    with path.open("a") as file:
        for who, text in steps:
            write(file, who, text)
    home.run("capture", *named(path, name), json=False)


def session(home: Place, name: str, *steps: tuple[str, str], **more: Any) -> list[str]:
    """The same; return what of it uses facts, as `ID how`."""
    return [" ".join(re.findall(r"[\w-]+", line)[:2]) for line in used(home, name, *steps, **more)]


def asked(home: Place, name: str, *steps: tuple[str, str]) -> dict[str, list[str]]:
    """The same; return fact -> the questions behind which it was used."""
    found = {}
    for line in used(home, name, *steps):
        if said := re.search(", asked ((“[^”]*”(, )?)+)", line):
            found[line.partition(" ")[0]] = re.findall("“([^”]*)”", said[1])
    return found


#: What is said or done in a session, and what of it is a use.
PROVED: dict[str, tuple[tuple[tuple[str, str], ...], list[str]]] = {
    "named by the agent": ((("assistant", "As memory says (retry-three), they retry."),), ["retry-three named"]),
    "opened by a command in parts": ((("parts", "diurna show pay-cents"),), ["pay-cents opened"]),
    "opened in a line": (
        (("bash", "cd web && env A=b diurna recall --ids retry-three,pay-cents"),),
        ["pay-cents opened", "retry-three opened"],
    ),
    "said again": (
        (("assistant", "Stock webhooks retry three times with jitter, like the others."),), ["retry-three restated"],
    ),
}  # fmt: skip


@pytest.mark.parametrize("part", range(3))
def test_a_use_is_proved(home: Place, part: int) -> None:
    """Opened by its id, named, or said again: whoever does it; counted once a session, and the fact stays."""
    for name in [*PROVED][part::3]:
        steps, right = PROVED[name]
        before = {id: fact["uses"] for id, fact in home.show().items()}
        assert sorted(session(home, name.replace(" ", "-"), *steps)) == right, name
        session(home, name.replace(" ", "-"), *steps)
        after = {id: fact["uses"] for id, fact in home.show().items()}
        assert after == before | {id: before[id] + 1 for id in (one.partition(" ")[0] for one in right)}, name  # fmt: skip


def test_followed_is_only_what_was_shown(home: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    """A number with its word, or the program that a rule prescribes; not where nobody had told of it."""
    steps = ("write", "node-version: 22"), ("bash", "uv pip install rich")
    assert sorted(session(home, "shown", *steps, shown=monkeypatch)) == [
        "node-22 followed",
        "uv followed",
    ]
    assert session(home, "alone", *steps) == []


NOTHING: list[tuple[tuple[str, str], ...]] = [
    (("bash", "kubectl drain node-22-eu"), ("assistant", "node-22-eu is drained; see ops/retry-three.md")),
    (("write", "tip: float = 0.0"), ("assistant", "Amounts are integer cents, and money is never a float here.")),
    (("assistant", "\n".join(f"- {id}: {text}" for id, text in FACTS.items())),),
]  # fmt: skip


@pytest.mark.parametrize("number", range(len(NOTHING)))
def test_what_proves_nothing(home: Place, number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Longer names, broken rules, recitals, at the command line; the table has more."""
    shown = monkeypatch if {who for who, _ in NOTHING[number]} & {"write", "bash"} else None
    assert session(home, "s", *NOTHING[number], ("assistant", TALK), shown=shown) == []


def test_a_log_has_twenty_uses_at_most(world: World) -> None:
    """What was opened stands first."""
    home = world.home(
        OWN_REPOSITORY, facts={f"f-{n}": f"decision: Number {n} is special." for n in range(30)}
    )
    steps = [("assistant", f"I kept f-{n}.") for n in range(30)]
    found = session(home, "s", *steps, ("bash", "diurna show f-28 f-29"))
    assert len(found) == 20 and {"f-28 opened", "f-29 opened"} <= set(found)


def test_who_asks_again_to_remember_makes_no_copy(home: Place) -> None:
    """What memory has but for case, marks and space is used; what says more, or the opposite, is no copy."""
    others = (
        "remember: WEBHOOKS retry *three* times,  with jitter!",
        "Remember: webhooks retry three times with jitter",
    )
    for number, text in enumerate(others):
        session(home, f"s-{number}", ("user", text))
    assert home.texts().keys() == FACTS.keys() and home.show()["retry-three"]["uses"] == 3
    for number, text in enumerate((
        "Webhooks retry five times with jitter.", "Webhooks never retry three times with jitter.",
    )):  # fmt: skip
        session(home, f"t-{number}", ("user", f"remember: {text}"))
    assert home.show()["retry-three"]["uses"] == 3


def test_a_quote_passes_the_gates(home: Place) -> None:
    """A secret, and what a person typed, is beside no reference; the use counts all the same."""
    token = "ghp_" + "hTg5Kq8zWv2xRb7mPf3yLd9sJc6nQa4tEu1w"
    session(home, "s", ("assistant", f"retry-three with GITHUB_TOKEN={token} works."))
    said = ("assistant", "> My wife has cancer, so we have to wait for retry-three.")
    session(home, "t", ("user", "My wife has cancer, so we have to wait."), said)
    for number, words in enumerate(("my wife has cancer so retry-three", f"is {token} the token")):
        steps = (
            ("user", "My wife has cancer, so retry-three has to wait."),
            ("bash", f"diurna recall '{words}'"),
        )
        assert asked(home, f"u-{number}", *steps, OPENS) == {}
    assert home.show()["retry-three"]["uses"] == 5
    assert not any(
        word in data for data in home.logs().values() for word in (token.encode(), b"wife")
    )


@pytest.mark.parametrize(
    "more",
    [
        "",
        ", as it has been for all of us from the start of it, and as it is to be for those who will be with us, without them",
    ],
)
def test_the_evidence_goes_with_the_fact(home: Place, more: str) -> None:
    """Neither the evidence nor the sentence that restates it is shown or found once the fact is redacted."""
    said = f"In the plum service webhooks retry three times with jitter as well{more}."
    session(home, "s", ("assistant", f"{said}\n\n{TALK}"))
    assert "plum" in home.text("why", "retry-three")
    home.run("redact", "retry-three", "--reason", "out")
    for command in (("why", "retry-three"), ("recall", "plum"), ("log",), ("show",)):
        assert "plum" not in home.text(*command, code=None), command
    assert home.show()["retry-three"]["uses"] >= 2


@pytest.mark.parametrize("line", ["show", "recall --ids", "why", "recall --level timeline"])
def test_what_a_session_opens_is_named_by_its_next_log(home: Place, line: str) -> None:
    """Whatever command is given the id, whoever writes the log, once; a retry says nothing more."""
    env = {"CLAUDE_CODE_SESSION_ID": "s-1"}
    home.run(*line.split(), "retry-three", env=env)
    home.run("show", env=env)
    home.run("recall", "webhooks", env=env)
    home.run("show", "pay-cents", env=env | {"DIURNA_HOOKS": "off"})
    home.run("show", "uv")  # nobody's session
    home.run("show", "no-stash", env={"CLAUDE_CODE_SESSION_ID": "s-2"})  # another's
    for _ in range(2):
        home.run("note", "decision: Exports are written to S3 at night.", env=env)
    home.run("note", "wrong pay-cents", env=env)
    steps = home.run("why", "retry-three").json["events"]
    assert [one["remark"] for one in steps if one["event"] == "Referenced"] == ["opened"]
    uses = {id: fact["uses"] for id, fact in home.show().items()}
    assert [uses[id] for id in ("retry-three", "uv", "no-stash")] == [2, 1, 1]


def test_a_silent_session_opens_nothing(home: Place) -> None:
    """Nor does a disk that refuses, or a link in the place of the note, end a command."""
    env = {"CLAUDE_CODE_SESSION_ID": "s-1"}
    home.run("private", "on", env=env, code=None)
    home.run("show", "retry-three", env=env)
    assert not [one for one in (home.common / "diurna").rglob("*.opened") if one.stat().st_size]
    home.run("private", "off", env=env, code=None)
    other = {"CLAUDE_CODE_SESSION_ID": "s-2"}
    home.run("show", "uv", env=other)
    (note,) = (home.common / "diurna/news").glob("*.opened")
    note.unlink()
    note.symlink_to(home.folder / "elsewhere")
    home.run("show", "retry-three", env=other)
    assert not (home.folder / "elsewhere").exists()
    note.unlink()
    note.write_text(f"{'9' * 5000} retry-three\n12 uv\n")
    home.run("note", "decision: Exports are written to S3 at night.", env=other)


def test_a_fact_is_found_by_how_it_is_asked_for(home: Place) -> None:
    """By `--asked`, a line of an answer, or a key; nothing shows the words, and they go with a redaction."""
    home.run(
        "note", "--asked", "which zebra do we ship", "id=ship-it decision: Parcels go by rail."
    )
    home.run("note", 'asked="where is the walrus; walrus place" id=kept-there Backups are in Oslo.')
    home.run("note", "--asked", "x", "One fact is here.", "Another fact is there.", code=2)
    home.run("note", stdin="id=third decision: Carts expire.\nasked: which quokka\n")
    for word, id in (("zebra", "ship-it"), ("walrus", "kept-there"), ("quokka", "third")):
        assert [hit["id"] for hit in home.run("recall", word).json["hits"]] == [id]
    for shown in (("show",), ("show", "ship-it"), ("show", "--list"), ("brief",), ("why", "ship-it"), ("recall", "zebra"),
                  ("view", "entities"), ("recall", "--ids", "ship-it,kept-there")):  # fmt: skip
        for said in (home.text(*shown), home.run(*shown, code=None).out):
            assert "walrus" not in said and "which zebra" not in said, shown
    home.run("redact", "ship-it", "--reason", "out")
    assert home.run("recall", "zebra", code=None).json["hits"] == []


# ---- what is asked and then opened teaches ---------------------------------------------------------------

ASKED = "how often is a lost delivery sent anew"
LONG = f"lost delivery {'x' * 106}"
ASKS, OPENS = ("bash", f"diurna recall '{ASKED}'"), ("bash", "diurna show retry-three")
TEACHES: dict[str, tuple[tuple[tuple[str, str], ...], list[str]]] = {
    "opened": ((ASKS, OPENS), [ASKED]),
    "with options": ((("bash", f"diurna recall --in facts -n 5 --json {ASKED} | head -3"), OPENS), [ASKED]),
    "behind a sentence": ((ASKS, ("assistant", "Let me open what it found."), OPENS), [ASKED]),
    "named": ((ASKS, ("assistant", "As retry-three says, three times.")), [ASKED]),
    "said again": ((ASKS, ("assistant", "Webhooks retry three times with jitter."), OPENS), [ASKED]),
    "by a person": ((("user", f"{ASKED}?"), OPENS), []),
    "by a tool": ((("ask", ASKED), ("get", "retry-three")), [ASKED]),
    "and in vain before": (
        (("bash", "diurna recall 'lost delivery'"), ("bash", "diurna recall 'parcel posted twice'"), ASKS, OPENS),
        [ASKED, "parcel posted twice", "lost delivery"],
    ),
    "and something else before": ((("bash", "diurna recall 'lost delivery'"), ("bash", "ls"), ASKS, OPENS), [ASKED]),
    "something between": ((ASKS, ("bash", "grep -rn retry src"), OPENS), []),
    "another order between": ((ASKS, ("user", "do something else"), OPENS), []),
    "ids": ((("bash", "diurna recall --ids pay-cents"), OPENS), []),
    "a word": ((("bash", "diurna recall retry"), OPENS), []),
    "its own words": ((("bash", "diurna recall 'retry-three webhooks retry three times with jitter'"), OPENS), []),
    "as long as can be": ((("bash", f"diurna recall '{LONG}'"), OPENS), [LONG]),
    "and used before": ((OPENS, ASKS, OPENS), [ASKED]),
    "a story": ((("bash", f"diurna recall '{'lost delivery ' * 20}'"), OPENS), []),
    "said by a person": ((ASKS, ("user", "Webhooks retry three times with jitter.")), []),
    "another program": ((("bash", f"grep -rn '{ASKED}' ."), OPENS), []),
    "opened with many": ((ASKS, ("bash", "diurna show retry-three uv pay-cents")), []),
}  # fmt: skip


@pytest.mark.parametrize("part", range(4))
def test_the_next_act_says_what_was_meant(home: Place, part: int) -> None:
    """Opened, named or said again right behind the question, whoever asked; else nothing is learned."""
    for number, (name, (steps, right)) in enumerate([*TEACHES.items()][part::4]):
        learned = asked(home, f"s-{number}", *steps)
        assert learned == ({"retry-three": right} if right else {}), name


def test_each_option_of_recall_is_none_of_the_question(home: Place) -> None:
    """Those that take a value, as the help has them; nor does what is opened at once know the answer."""
    valued = re.findall(r"(?m)^  (-[\w-]+) [A-Z\[]", home.text("recall", "--help"))
    assert len(valued) > 15
    given = " ".join(f"{option} x" for option in valued if option != "--ids")
    steps = ("bash", f"diurna recall {given} '{ASKED}'"), OPENS
    assert asked(home, "s", *steps) == {"retry-three": [ASKED]}
    calls = {"Bash": {"command": ASKS[1]}, "mcp__diurna__get": {"ids": ["retry-three"]}}
    content = [{"type": "tool_use", "id": name, "name": name, "input": calls[name]} for name in calls]  # fmt: skip
    said = {"type": "assistant", "message": {"role": "assistant", "content": content}}
    (home.world.folder / "t.jsonl").write_text(json.dumps(said) + "\n")
    assert asked(home, "t") == {} and home.show()["retry-three"]["uses"] == 3


def recalled(home: Place, words: str, *options: str) -> list[str]:
    """Return the facts that are found."""
    hits = home.run("recall", "--no-vectors", "--in", "facts", *options, words, code=None).json
    return [hit["id"] for hit in hits["hits"]]


def test_asked_in_a_third_way_it_is_found(home: Place) -> None:
    """By words of a question before, and none of the fact's; shown nowhere, and gone with the fact."""
    third = "is a delivery that got lost sent a second time"
    assert recalled(home, third) == []
    session(home, "s", ASKS, OPENS)
    before = home.run("log").json["sessions"][-1]["stem"]
    assert recalled(home, third) == ["retry-three"]
    assert recalled(home, third, "--as-of", before) == []
    home.run("check", "--publish")
    for shown in (
        ("why", "retry-three"),
        ("show", "retry-three"),
        ("brief",),
        ("recall", "webhooks"),
        ("show",),
    ):
        assert "delivery" not in home.text(*shown), shown  # fmt: skip
    session(home, "t", ASKS, ("bash", "diurna show pay-cents"))
    assert sorted(recalled(home, ASKED)) == ["pay-cents", "retry-three"]
    home.run("redact", "retry-three", "--reason", "out")
    assert "retry-three" not in recalled(home, ASKED)
    session(home, "u", ASKS, ("bash", "diurna show pay-cents"))
    assert sum(data.count(ASKED.encode()) for data in home.logs().values()) == 2


def test_the_newest_eight_questions_count(home: Place) -> None:
    """Of many the older are forgotten (W13), also where the index is made anew."""
    words = "plum cherry apple peach lemon melon grape mango olive".split()
    questions = [f"{word} {word}crate" for word in words]
    for number, question in enumerate(questions):
        tell(home, f"s-{number}", ("bash", f"diurna recall '{question}'"), OPENS)
    for _ in range(2):
        assert [recalled(home, one) for one in questions[:2]] == [[], ["retry-three"]]
        shutil.rmtree(home.common / "diurna/cache")


TABLE = (Path(__file__).parent / "hosts" / "uses.txt").read_text()


def test_what_proves_a_use_of_what_was_shown() -> None:
    """Each line of the table: what is said, run or written, and which facts that uses, by which words."""
    facts, _, rows = TABLE.partition("\n\n")
    known = [campaign.fact(line) for line in facts.split("\n")]
    told = [row.partition(" =>") for row in rows.strip().split("\n")]
    assert [(did, campaign.proved(known, did)) for did, _, _ in told] == [
        (did, right.strip()) for did, _, right in told
    ]


@pytest.mark.skipif(not campaign.BENCH.is_dir(), reason="the shared bench is not here")
def test_the_labelled_pairs() -> None:
    """Of what is seen nearly all is right, and most of what is there is seen."""
    seen = campaign.seen_in(campaign.rows(campaign.BENCH / "moment/uses.jsonl"))
    assert seen.precision >= campaign.PRECISION, seen.wrong
    assert seen.recall >= campaign.RECALL and not seen.others, seen.missed
