"""Each way into a home is tried with what may not come in: what was redacted there (F9), and what a person typed.

A machine leaves it out, whichever way it comes, also from an agent that repeats it, and brings the work that stands
beside it. Who means what was redacted is refused.
"""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import holders
from tests.host_door import TALK, named, say
from tests.world import IN_TREE, KINDS, OWN_BRANCH, OWN_REPOSITORY, Place, World

#: Said as a decision, and redacted as a fact.
SAID = "We decided to pay the customer Zebulon Quark two million for the broken shipment."
#: Stands in every sentence that a person says in private, in languages that a rule knows and in others.
MARK = "Quillfeather"
SENTENCES = (
    f"I take antidepressants from {MARK}, so I am slow in the morning.",
    f"My daughter {MARK} has asthma, so we never deploy on Wednesdays.",
    f"I decided never to work weekends again, {MARK} pays me 40k a year.",
    f"We never ask {MARK} again, he is lazy and his code is awful.",
    f"Tom {MARK} is on sick leave with burnout since the last release.",
    f"Ich nehme seit dem Tod von {MARK} Tabletten gegen die Angst.",
    f"Unter uns gesagt verdient {MARK} viel mehr Geld als wir alle.",
    f"Je quitte la société en mai pour aller chez {MARK} à Lyon.",
    f"Mon fils {MARK} est malade, je ne travaille pas le mercredi.",
    f"Мой сын {MARK} болеет астмой, по средам я не работаю.",
    f"Между нами говоря, {MARK} скоро уйдёт из нашей команды.",
    f"我的女儿{MARK}得了哮喘，所以我星期三从来不上班。",
    f"我每个月从{MARK}那里拿三万块钱的工资，不要告诉别人。",
    f"ฉันกินยาต้านซึมเศร้าจาก{MARK}ทุกเช้าก่อนเริ่มทำงาน",
    f"ลูกสาวของฉันชื่อ{MARK}เป็นโรคหอบหืดมาตั้งแต่เกิด",
    f"娘の{MARK}が喘息なので、水曜日は休みます。",
    f"{MARK}の薬を飲んでいるので、朝は頭が働きません。",
    f"Tôi uống thuốc chống trầm cảm của {MARK} nên buổi sáng làm chậm.",
    f"Con gái tôi {MARK} bị hen suyễn nên thứ tư tôi nghỉ làm.",
    f"Syön masennuslääkkeitä joita {MARK} määräsi, siksi aamut ovat hitaita.",
    f"Tyttärelläni {MARK} on astma, joten en koskaan työskentele keskiviikkoisin.",
    f"أتناول مضادات الاكتئاب من {MARK} لذلك أكون بطيئا في الصباح.",
    f"ابنتي {MARK} مصابة بالربو ولا أعمل أبدا يوم الأربعاء.",
    f"मेरी बेटी {MARK} को दमा है इसलिए मैं बुधवार को काम नहीं करती।",
)
WORK = "We decided that webhooks retry three times, because the broker is slow."
FORBIDDEN = {"redacted": ("Zebulon", (SAID,)), "personal": (MARK, SENTENCES)}


def hook(home: Place, host: str, event: str, transcript: Path | str = "", **payload: Any) -> None:
    """Tell a hook what a session does."""
    given = {"session_id": "s1", "cwd": str(home.folder), "hook_event_name": event, **payload}
    if transcript:
        given["transcript_path"] = str(transcript)
    home.process("hook", host, event, stdin=json.dumps(given).encode(), json=False)


def capture(home: Place, transcript: Path, session: str = "s1") -> Any:
    """Record what a session left."""
    return home.run("capture", *named(transcript, session)).json["sessions"]


# ---- by machine ----------------------------------------------------------------------------------------


def by_transcript(home: Place, said: Sequence[str]) -> None:
    transcript = say(home.world.folder / "s1.jsonl", TALK)
    say(
        transcript,
        *said,
        *(f"Remember that {one[0].lower()}{one[1:]}" for one in said),
        role="user",
    )
    say(transcript, "\n\n".join([TALK, *(f"{one} I noted it." for one in said), WORK]))
    capture(home, transcript)
    say(transcript, *(f"As memory says: {one}" for one in said), role="user")
    say(transcript, TALK)
    capture(home, transcript)


def by_hooks(home: Place, said: Sequence[str]) -> None:
    transcript = say(home.world.folder / "s1.jsonl", TALK, f"{TALK}\n\n{WORK}")
    written = {
        "tool_name": "Write",
        "tool_input": {"file_path": str(home.folder / "a.py"), "content": "x"},
    }
    for text in said[:2]:
        hook(home, "claude", "UserPromptSubmit", transcript, prompt=text)
        hook(home, "claude", "PostToolUse", transcript, tool_name="Bash", tool_use_id=text[:20],
             tool_input={"command": f'git commit -m "{text}"'}, tool_response={"stdout": text})  # fmt: skip
    todos = {"todos": [{"content": text, "status": "completed"} for text in said]}
    tool = {"tool_name": "TodoWrite", "tool_input": todos, "tool_use_id": "t"}
    hook(home, "claude", "PostToolUse", transcript, **tool)
    hook(home, "claude", "PostToolUse", transcript, **written, tool_use_id="w")
    say(transcript, *said, role="user")
    hook(home, "claude", "PreCompact", transcript, trigger="auto")
    hook(home, "claude", "Stop", transcript, last_assistant_message=f"Done. {said[0]}")
    capture(home, transcript)


def by_opencode(home: Place, said: Sequence[str]) -> None:
    texts = [*said, TALK, "\n\n".join([TALK, *said, WORK])]
    messages = [
        {
            "info": {"id": str(number), "role": "user" if number < len(said) else "assistant"},
            "parts": [{"type": "text", "text": text}],
        }
        for number, text in enumerate(texts)
    ]
    for _ in range(20):  # a hook gives up where the machine is busy
        hook(home, "opencode", "session.idle", tool_input={"messages": messages})
        if [*(home.common / "diurna/said").glob("*")]:
            break
    home.run("capture", "--host=opencode", "--session=s1")


def by_the_past(home: Place, said: Sequence[str]) -> None:
    folder = home.world.user / ".claude/projects" / re.sub(r"[^A-Za-z0-9]", "-", str(home.folder))
    folder.mkdir(parents=True)
    first = {"type": "user", "cwd": str(home.folder), "sessionId": "x"}
    (folder / "s9.jsonl").write_text(f'{{"type": "summary"}}\n{json.dumps(first)}\n')
    say(folder / "s9.jsonl", *said, role="user")
    say(folder / "s9.jsonl", *said, f"{TALK}\n\n{WORK}")
    then = home.clock.now_ms / 1000 - 40 * 86_400
    os.utime(folder / "s9.jsonl", (then, then))
    assert home.text("capture", "--past", "--write").endswith("told in 1 log\n")


def by_import(home: Place, said: Sequence[str]) -> None:
    rows: list[dict[str, object]] = [
        {"id": f"m{number}", "text": text, "kind": "decision"}
        for number, text in enumerate((*said, WORK))
    ]
    home.write("facts.jsonl", "".join(f"{json.dumps(row)}\n" for row in rows))
    home.run("import", "jsonl", "facts.jsonl", "--write")


def by_a_record(home: Place, said: Sequence[str]) -> None:
    for number, text in enumerate((*said, WORK)):
        record = f"# Rule {number}\n\n## Status\n\nAccepted\n\n## Decision\n\n{text}\n"
        home.write(f"docs/adr/{number:04}-rule.md", record)
    home.git("add", "docs")
    home.git("commit", "-qm", "by hand: records")
    home.run("import", "docs", "--write")


def by_events(home: Place, said: Sequence[str]) -> None:

    def make(apart: World) -> None:
        other = apart.home(OWN_REPOSITORY, "other")
        for text in (*said, WORK):
            other.note(f"decision: {text}")

    home.world.laid(f"other {said}", make)
    other = home.world.place("other")
    lines = other.text("export", "events")
    ran = home.run("import", "events", "-", stdin=lines)
    assert len(ran.json["left_out"]) == len(said)
    assert home.run("import", "events", "-", stdin=lines).json["commits"] == []


def by_a_ledger(home: Place, said: Sequence[str]) -> None:
    items = "".join(f"- {text}\n" for text in (*said, WORK))
    home.world.place("old").write(
        "memory/continuity.md", f"# Continuity\n\n## Key Decisions\n\n{items}"
    )
    home.world.place("old").write("memory/sessions/2026-01-01-000000.md", f"# S\n\n{said[0]}\n")
    home.run("import", "ledger", "../old", "--write")


BY_MACHINE: dict[str, tuple[Callable[[Place, Sequence[str]], None], str]] = {
    "transcript": (by_transcript, "redacted personal"),
    "hooks": (by_hooks, "redacted personal"),
    "opencode": (by_opencode, "redacted personal"),
    "the past": (by_the_past, "redacted personal"),
    "import": (by_import, "redacted"),
    "a record": (by_a_record, "redacted"),
    "events": (by_events, "redacted"),  # they are another home's, where somebody meant them
    "a ledger": (by_a_ledger, "redacted"),
}


def home_of(world: World, forbidden: str, kind: str = IN_TREE) -> Place:
    """Make a home that keeps digests; what is to be redacted was said and redacted there."""

    def make(apart: World) -> None:
        home = apart.home(kind, policy={"keep": "digest"} if kind == IN_TREE else {})
        if forbidden == "redacted":
            home.note(f"id=said decision: {SAID}")
            home.run("redact", "said", "--reason", "Private.")

    world.laid(f"home of {forbidden} {kind}", make)
    world.place("a").run("show")  # a clone in which something was asked already
    return world.place("a")


def added(home: Place, tip: str) -> str:
    """Return what the commits since then bring to memory, and what waits to be committed."""
    paths = ("memory",) if home.kind == IN_TREE else (".",)
    log = home.git("log", "-p", "--format=", f"{tip}..{home.branch or 'HEAD'}", "--", *paths)
    waiting = [path for path in (home.common / "diurna").glob("spool*/**/*") if path.is_file()]
    said = [line for line in log.split("\n") if line.startswith("+")]
    return "\n".join([*said, *(path.read_bytes().decode("utf-8", "replace") for path in waiting)])


def shown(home: Place) -> str:
    """Return what memory shows of all facts and logs, and what it proposes, without the clone's asks."""
    asked = (
        "show",
        "show --list --all",
        "log --json",
        "brief",
        "review --learn",
        "conflicts",
        "review",
    )
    answers = [home.run(*words.split(), code=None, json=False) for words in asked]
    return re.sub(r"“[^”]*” → ", "", "\n".join(ran.out + ran.err for ran in answers))


@pytest.mark.deep(only=("hooks-personal", "the past-personal"))
@pytest.mark.parametrize(
    ("way", "forbidden"),
    [(way, one) for way, (_, which) in BY_MACHINE.items() for one in which.split()],
)
def test_no_machine_brings_it_in(world: World, way: str, forbidden: str) -> None:
    """Neither fact, digest, title, observed line nor anything beside git; the work beside it comes."""
    home, (mark, said) = home_of(world, forbidden), FORBIDDEN[forbidden]
    tip = home.tip()
    BY_MACHINE[way][0](home, said)
    brought = added(home, tip)
    for _ in range(100):  # a process that a hook has started may be at it
        if "webhooks retry" in brought:
            break
        time.sleep(0.1)
        brought = added(home, tip)
    assert "webhooks retry" in brought and mark not in brought
    assert mark not in shown(home)
    # what a host handed over, and what this clone keeps of a session that still runs
    kept = ("said", "observed", "checkpoints", "asks.jsonl")
    beside = (home.common / "diurna").rglob("*")
    private = {str(path) for path in beside if {*path.parts} & {*kept} or path.suffix == ".briefs"}
    assert set(holders(home.common / "diurna", mark)) <= private
    assert "history-rewritten" not in home.check("--ci")


@pytest.mark.parametrize("kind", KINDS)
def test_what_a_captured_session_leaves_out_is_counted(world: World, kind: str) -> None:
    """In each kind of home; a dry run says the same, and writes nothing."""
    home = home_of(world, "personal", kind)
    transcript = say(world.folder / "s1.jsonl", TALK)
    say(transcript, SENTENCES[1], role="user")
    say(transcript, f"{TALK}\n\n{SENTENCES[1]} I noted it.\n\n{WORK}")
    before, tip = home.logs(), home.tip()
    planned = home.run("capture", *named(transcript, "s1"), "--dry-run").json["sessions"]
    assert home.logs() == before and not home.waiting()
    ((attempt,),) = [one["attempts"] for one in capture(home, transcript)]
    assert attempt["quoted"] == planned[0]["attempts"][0]["quoted"] == 1
    assert "I noted it." in (text := added(home, tip)) and WORK in text
    assert [path for path in holders(home.common, MARK) if "asks" not in path] == []


def test_what_their_own_home_has_is_not_said_again(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The brief told an agent of it, which repeats it: in its words it does not come back, in others it does."""
    home = home_of(world, "personal", OWN_BRANCH)
    monkeypatch.setenv("XDG_DATA_HOME", str(world.folder / "data"))
    home.run("init", "--personal")
    own = world.place("data/diurna/personal")
    own.note("id=mornings Wensleydale mornings are for reviews only.", "--personal")
    transcript = say(world.folder / "s1.jsonl", TALK)
    say(
        transcript,
        "As your notes say, Wensleydale mornings are for reviews only. I go on.\n\n"
        "So, on **Wensleydale** mornings are-for reviews: only those.\n\n"
        f"We decided that reviews happen on Wensleydale mornings only.\n\n{WORK}\n\n{TALK}",
    )
    ((attempt,),) = [one["attempts"] for one in capture(home, transcript)]
    assert attempt["quoted"] == 2
    told = "".join(map(bytes.decode, home.logs().values()))
    assert told.count("Wensleydale") == 1 and "As your notes say" not in told
    assert "webhooks retry" in home.text("recall", "webhooks retry broker")


# ---- by hand -------------------------------------------------------------------------------------------


def by_note(home: Place, text: str) -> list[Any]:
    return [
        home.run("note", said, code=None)
        for said in (f"decision: {text}", f"fact: {text.lower()} indeed", text[:-1] + "!")
    ]


def by_append(home: Place, text: str) -> list[Any]:
    draft = json.dumps({"title": "T", "new": [{"text": text}]})
    return [
        home.run("append", "--title", text, code=None),
        home.run("append", "--title", "T", "--body", "-", stdin=f"Once. {text}\n", code=None),
        home.run("append", "--title", "T", "--new", text, code=None),
        home.run("append", "--from-json", "-", stdin=draft, code=None),
    ]


def by_task(home: Place, text: str) -> list[Any]:
    return [home.run("task", "add", text, code=None)]


def by_mcp(home: Place, *calls: tuple[str, dict[str, Any]]) -> list[Any]:
    """Return what tools of the MCP server answer."""
    pytest.importorskip("mcp")
    import anyio

    from tests.mcp_clients import connected, open_home
    from tests.world import Answer

    said: list[Answer] = []

    async def story() -> None:
        async with connected(home.folder, open_home) as client:
            for tool, given in calls:
                result = await client.call_tool(tool, given)
                told = result.content[0].text  # type: ignore[union-attr]
                said.append(Answer(int(bool(result.is_error)), told, told))

    anyio.run(story)
    return list(said)


def by_a_tool(home: Place, text: str) -> list[Any]:
    drafts = ({"title": text}, {"title": "T", "new": [{"text": text}]})
    return by_mcp(home, *[("append", draft) for draft in drafts])


def by_an_edit(home: Place, text: str) -> list[Any]:
    home.run("check", "--publish")
    page = home.read("memory/continuity.md")
    home.write(
        "memory/continuity.md", page.replace("## Facts\n", f"## Facts\n\n- Kept.\n- {text}\n", 1)
    )
    answers = [home.run("check", "--absorb", code=None)]
    home.git("commit", "-qam", "by hand")
    for option in ("--absorb", "--publish"):
        answers.append(home.run("check", option, code=None))
        assert "--discard-edits" in answers[-1].err
    home.run("check", "--publish", "--discard-edits")
    return answers


def by_learning(home: Place, text: str) -> list[Any]:
    for path in ("a.py", "b.py", "c.py"):
        home.run("note", "--rule", "unclean", "--path", path, "what is left stays")
    (proposal,) = home.run("review", "--learn").json["proposals"]
    return [home.run("review", "--learn", "--accept", proposal["key"], "--text", text, code=None)]


def by_a_decision(home: Place, text: str) -> list[Any]:
    home.note("id=clean thread: Sweep it.")
    return [
        home.run(*words, code=None)
        for words in (
            ["edit", "clean", text],
            ["close", "clean", "--reason", text],
            ["forget", "clean", "--archive", "--reason", text],
        )
    ]


@pytest.mark.parametrize(
    "way", [by_note, by_append, by_task, by_a_tool, by_an_edit, by_learning, by_a_decision]
)
def test_no_way_leads_in_again(world: World, way: Callable[[Place, str], list[Any]]) -> None:
    """Who says what was redacted is refused, and not told what it was; it is shown nowhere, and in no commit."""

    def make(apart: World) -> None:
        home_of(apart, "redacted").note("id=facts A fact that stays.")

    world.laid("where it was redacted", make)
    home = world.place("a")
    tip = home.tip()
    for ran in way(home, SAID):
        assert ran.code == 1 and "redacted here" in ran.err and "Zebulon" not in ran.err, ran
    assert "Zebulon" not in shown(home)
    lines = home.git(
        "log", "-p", "--invert-grep", "--grep=by hand", "--format=", f"{tip}..HEAD", "--", "memory"
    )
    assert [line for line in lines.split("\n") if line.startswith("+") and "Zebulon" in line] == []


def test_who_writes_about_a_person_on_purpose_is_told_nothing(world: World) -> None:
    """A note, a log and what an agent records stand as they are said, without a word about it."""
    home = world.home(IN_TREE)
    body = home.run("append", "--title", "A day", "--body", "-", stdin=SENTENCES[1])
    note = home.run("note", f"id=mine decision: {SENTENCES[0]} Mail ada@engines.co.uk.")
    assert [(ran.code, ran.json["findings"]) for ran in (body, note)] == [(0, [])] * 2
    assert all(ran.code == 0 and "warning" not in ran.out for ran in by_a_tool(home, SENTENCES[2]))
    assert "ada@engines.co.uk" in home.text("show", "mine")
    assert home.run("check", "--ci").json["findings"] == []
