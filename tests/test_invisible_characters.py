"""Nothing that nobody can see, and nothing that a terminal obeys, leaves towards a terminal or a model.

Every door is asked (`tests/asked_doors.py`) over a ledger that is full of such characters: each command, tool
and page. What may stay is said by `hidden`, a second opinion by what Unicode tells of each character.
"""

from __future__ import annotations

import io
import json
import os
import re
import subprocess
import sys
import unicodedata
from contextlib import redirect_stderr, redirect_stdout
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger.escape import is_plain, visible
from rituals.cli.app import main
from tests.asked_doors import Doors
from tests.conftest import each_row
from tests.world import ROOT, Place, World

#: One of every sort: controls, overrides, zero-width, joiners in a row and astray, fillers, selectors, tags.
UNSEEN = (
    "\x1b[31m", "\x07", "\x9b2J", "\x7f", "\xad", "\u034f", "\u061c", "\u115f", "\u1160", "\u17b4", "\u180b",
    "\u180d", "\u180e", "\u200b", "\u200c\u200d\u200c", " \u200d ", "\u200e", "\u200f", "\u202e", "\u2060",
    "\u2066", "\u2800", "\u3164", "\ufe00", "\ufe0f", "\ufeff", "\uffa0", "\ufffb", "\U000e0041", "\U000e0100",
)  # fmt: skip
#: What can stand in the name of a branch, a file or an author, none of which holds a line break.
NAMED = "a\u202eb\u200bc\u3164d\ufe0fe\U000e0041f"
#: What is to stay as it is.
SEEN = (
    "❤\ufe0f",
    "❤\ufe0f\u200d🔥",
    "1\ufe0f\u20e3",
    "👩\u200d💻",
    "می\u200cشود",
    "क्\u200dष",
    "naïve → 漢字\xa0x",
    "שלום!\u200f",
    "C++\u200f שלום",
    "(שָׁלוֹם)\u200e.",
    "مَ؟\u061c 3",
)
#: Marks of direction that no letter written so stands beside: they would turn round what follows them.
TURNING = (
    "5 \u200f- 3",
    "\u200f(API) שלום",
    "ש 5\u200f",
    "\u061c5-3 ש",
    "ש\u061c",
    "م\u202e\u200f",
    "م\u200f\u200e",
    "\u061c\ufffbم",
    "ש\x0c\u200f",
    "\u061c\u070f5",
)


@each_row("text", UNSEEN)
def test_what_nobody_sees_is_written_visibly(text: str) -> None:
    """Between letters, at both ends and behind an emoji; as JSON writes it, so that it can be read back."""
    for said in (f"a{text}b", text, f"❤{text}{text}", f"{text} {text}", f"م{text}{text}م"):
        shown = visible(said)
        assert hidden(shown) == []
        if "\\" not in said:
            assert json.loads(f'"{shown}"') == said
        assert visible(shown) == shown


@each_row("text", SEEN)
def test_what_scripts_and_emoji_need_stays(text: str) -> None:
    """A single joiner between what it joins, a selector behind a symbol, blanks of any width."""
    assert visible(text) == text
    assert visible(f"{text}\n\t{text}") == f"{text}\n\t{text}"


@each_row("text", TURNING)
def test_a_mark_that_could_turn_round_words_and_numbers_is_written_visibly(text: str) -> None:
    """It stays beside a letter that turns them round already, and is no cover for an override."""
    assert hidden(text) and hidden(visible(text)) == []
    assert not set("\u200f\u061c\u202e") & set(visible(text))


@given(st.text(st.sampled_from("ab ❤מم👩क\u20e31-!\n\t\u064b" + "".join(UNSEEN))))
def test_visible_leaves_nothing_hidden_and_is_a_fixed_point(text: str) -> None:
    """Whatever stands beside whatever."""
    shown = visible(text)
    assert hidden(shown) == []
    assert visible(shown) == shown
    assert shown == text or not is_plain(text)


def hidden(text: str) -> list[str]:
    """Return what in a text nobody can see; a second opinion, by what Unicode says of each character."""
    found = []
    for at, char in enumerate(text):
        category = unicodedata.category(char)
        name = unicodedata.name(char, "")
        if char in "\u200e\u200f\u061c":
            letter = "a" if char == "\u061c" else "[ra]"
            before, behind = _turns(text[:at]), _turns(text[at + 1 :])
            if not (re.search(f"{letter} *$", before) or re.match(f" *{letter}", behind)) or (
                before.endswith("m") or behind.startswith("m")
            ):
                found.append(char)
        elif char in "\u200c\u200d\ufe0e\ufe0f":
            around = (text[at - 1] if at else "", text[at + 1 : at + 2])
            alone = not any(one in "\u200c\u200d \n" for one in around[:1]) and around[0]
            if char in "\ufe0e\ufe0f":
                good = alone and (
                    unicodedata.category(around[0])[0] in "SP" or around[1] == "\u20e3"
                )
            else:
                good = alone and around[1].strip() and not (around[0] + around[1]).isascii()
            if not good:
                found.append(char)
        elif (
            (category in ("Cc", "Cf", "Cs", "Zl", "Zp") and char not in "\n\t")
            or "FILLER" in name
            or "VARIATION SELECTOR" in name
            or "VOWEL INHERENT" in name
            or char in "\u034f\u2800"
        ):
            found.append(char)
    return found


def _turns(text: str) -> str:
    """Write for each character which way it goes: `r` and `a` letters, a blank where it follows others."""
    ways = {"R": "r", "AL": "a", "WS": " ", "ON": " ", "ES": " ", "ET": " ", "CS": " ", "NSM": " "}
    unseen = re.compile(
        "[\x0c\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0d\uffa0\U000e0000-\U0010ffff]"
    )
    return "".join(
        "m" if char in "\u200c\u200d\ufe0e\ufe0f\u200e\u200f\u061c"
        else "x" if unseen.match(char) else ways.get(unicodedata.bidirectional(char), "x")
        for char in text
    )  # fmt: skip


# ---- at the doors ---------------------------------------------------------------------------------------

EVERY = " ".join(f"x{one}y" for one in UNSEEN)
LOGS = {
    "sessions/2026-07-01-101500.md":
        f"---\nagent: {NAMED}\nhost: h{NAMED}\n---\n# Title {EVERY}\n\nProse {EVERY}\n\nWe decided {EVERY}.\n\n"
        "## Memory References\n\n- Created: bad, worse, thread, twin, twix\n- Referenced: nowhere (a remark "
        f"{EVERY})\n\n## Facts\n\n- Evil {EVERY}\n  <!-- id: bad | tags: t{NAMED} | entity: e{NAMED} | "
        f"role: r{NAMED} | x: y{NAMED} -->\n- Worse, see [[bad]] `code{NAMED}.py`\n  <!-- id: worse | kind: k{NAMED} "
        f"| serves: bad -->\n- [ ] Do it {EVERY}\n  <!-- id: thread -->\n- Orders are {EVERY} deleted.\n"
        "  <!-- id: twin -->\n- Orders are never deleted.\n  <!-- id: twix -->\n",
    "sessions/2026-07-02-101500.md":
        f"# Two {EVERY}\n\n## Memory References\n\n- Updated: bad (was 00000000)\n- Closed: thread\n"
        f"- Superseded: worse → twin\n- Oddverb{NAMED}: bad\n\n## Facts\n\n- Another {EVERY}\n  <!-- id: bad -->\n",
    f"sessions/2026-07-03-101500-{NAMED}.md": f"# {NAMED}\n",
    f"sessions/x\x1b[31m{NAMED}.md": "# T\n",
}  # fmt: skip


def hostile(world: World) -> Place:
    """A ledger with what nobody can see, wherever something can stand."""

    def make(apart: World) -> None:
        home = apart.home()
        home.git("config", "user.name", NAMED)
        home.plant(LOGS, f"by {NAMED}")
        home.git("branch", "-m", f"b{NAMED}")
        home.session("Plain", "--ref", "bad")
        home.run("check", "--publish")
        page = home.read("memory/continuity.md")
        home.write("memory/continuity.md", f"{page}\n## Notes {NAMED}\n\n- mine {EVERY}\n")
        home.write("draft.md", f"# Draft {NAMED}\n\nProse {EVERY}\n\n## Oddity\n")

    world.laid("hostile to eyes", make)
    return world.place("a")


def doors_of(home: Place) -> Doors:
    stem = home.run("log").json["sessions"][0]["stem"]
    stems = ("2026-07-01-101500", "2026-07-02-101500", stem)
    return Doors(
        home, fact="bad", other="worse", stems=stems, points=(stem, "2026-07-01"),
        words=("evil orders", f"x{NAMED}"), names=(f"e{NAMED}", f"t{NAMED}"), versions=(f"v{NAMED}",),
    )  # fmt: skip


@pytest.mark.deep(
    reason="nor_does_the_short_way_in and a_command_says_nothing_unseen are the small ones"
)
@pytest.mark.parametrize("part", range(4))
def test_no_command_says_what_nobody_sees(world: World, part: int) -> None:
    """Neither stdout nor stderr of any command has a hidden character of the ledger, or of what it is given."""
    doors = doors_of(hostile(world))
    said = [(line, hidden(text)) for line, text in doors.commands(doors.lines()[part::4])]
    assert [(line, found) for line, found in said if found] == []


ASKED = (
    ("status",), ("log",), ("view", f"v{NAMED}"), ("recall", "evil"), ("why", "bad"), ("check",), ("edit", f"e{NAMED}", "x"),
    ("log", "draft.md"), ("check", "--ci", "--format", "github"), ("note", f"k{NAMED}: t t"), ("export", f"w{NAMED}"),
    ("init", f"dir{NAMED}", "--dry-run"), ("sync", f"origin{NAMED}"), ("hook", f"event{NAMED}"), ("org", f"a{NAMED}"),
    ("import", "jsonl", f"f{NAMED}"), ("install", f"h{NAMED}"), ("completion", f"s{NAMED}"), ("mcp", f"--{NAMED}"),
)  # fmt: skip


@pytest.mark.parametrize("part", range(3))
def test_a_command_says_nothing_unseen(world: World, part: int) -> None:
    """Nor of what it is given: each command that takes a name is given one."""
    home = hostile(world)
    said = {line: home.run(*line, code=None, json=False) for line in ASKED[part::3]}
    assert [line for line, one in said.items() if one.code > 2 or hidden(one.out + one.err)] == []


def test_it_is_written_visibly_in_its_place(world: World) -> None:
    """In a refusal and in an annotation, which a runner would obey; `--json` reads back as the data."""
    home = hostile(world)
    annotated = home.text("check", "--ci", "--format", "github", code=None)
    assert "::warning file=memory/sessions/x\\u001b[31ma\\u202eb\\u200bc" in annotated
    assert "\\u202e" in home.run("edit", f"e{NAMED}", "x", code=None, json=False).err
    assert home.show("twin")["twin"]["text"] == f"Orders are {EVERY} deleted."
    assert "\u202e" in home.show_file("sessions/2026-07-01-101500.md").decode()


class Terminal(io.StringIO):
    """What a person looks at."""

    def isatty(self) -> bool:
        """Say that it is one."""
        return True


def test_nor_does_a_terminal_show_it(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is coloured, cut and aligned for a person has none of it either."""
    monkeypatch.chdir(hostile(world).folder)
    monkeypatch.setenv("NO_COLOR", "1")
    for command in (
        "show --list",
        "log",
        "recall evil",
        "view progress",
        "status",
        "brief",
        "why bad",
        "check",
    ):
        screen = Terminal()
        with redirect_stdout(screen), redirect_stderr(screen):
            assert main(command.split()) < 2
        shown = screen.getvalue().replace("\r\x1b[K", "")
        assert (command, bool(shown), hidden(shown)) == (command, True, [])


@pytest.mark.parametrize(
    "command", ["show", "brief", "brief --json", "view progress", "append draft.md"]
)
def test_nor_does_the_short_way_in(command: str, world: World) -> None:
    """`show`, `brief`, `view` and `append FILE` without the command line's libraries, into a pipe."""
    home = hostile(world)
    home.git("checkout", "-q", "--", "memory/continuity.md")
    start = "import sys; from rituals.cli.entry import main; sys.exit(main())"
    done = subprocess.run(
        [sys.executable, "-P", "-c", start, *command.split()],
        capture_output=True, cwd=home.folder, env={**os.environ, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    said = done.stdout.decode(), done.stderr.decode()
    assert done.returncode == 0, said
    assert [hidden(text) for text in said] == [[], []]
    assert command != "show" or "\\u202e" in said[0]


def test_a_model_is_told_nothing_that_nobody_sees(world: World) -> None:
    """Every tool and document of the MCP server."""
    pytest.importorskip("mcp")
    import anyio

    from tests.mcp_clients import connected, open_home, text_of

    home = hostile(world)
    stem = home.run("log").json["sessions"][0]["stem"]

    async def story() -> list[str]:
        found: list[str] = []
        calls: tuple[tuple[str, dict[str, Any]], ...] = (
            ("brief", {}), ("recall", {"query": "evil orders"}), ("recall", {"query": "evil", "level": "full"}),
            ("get", {"ids": ["bad", "twin", stem, "2026-07-01-101500"]}), ("status", {}), ("resolve", {"id": "bad"}),
            ("append", {"title": "T", "updated": [{"id": f"no{NAMED}", "text": "x"}]}),
        )  # fmt: skip
        async with connected(home.folder, open_home) as client:
            for tool, arguments in calls:
                result = await client.call_tool(tool, arguments)
                found += [
                    text_of(result),
                    json.dumps(result.structured_content, ensure_ascii=False),
                ]
                found += [str(json.loads(found[-2]))] if found[-2][:1] == "{" else []
            read = await client.read_resource("diurna://continuity")
            found += [one.text for one in read.contents if hasattr(one, "text")]
            started = await client.get_prompt("session-start", {"task": "evil"})
            found += [str(message.content) for message in started.messages]
        return found

    for said in anyio.run(story):
        assert hidden(said.replace("\\\\", "")) == []
