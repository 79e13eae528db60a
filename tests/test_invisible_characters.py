"""Nothing that nobody can see, and nothing that a terminal obeys, leaves towards a terminal or a model.

One function writes such characters visibly, `ledger.escape.visible`. Here every command of the registry is
run over a ledger that is full of them, into a pipe and on a terminal, and every answer of the MCP server.
"""

from __future__ import annotations

import io
import json
import os
import re
import subprocess
import sys
import unicodedata
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger.escape import is_plain, visible
from ledger.model.findings import Finding
from rituals.cli.app import main
from rituals.cli.command_registry import ENTRIES
from rituals.cli.terminal.sarif_text import annotation
from tests.conftest import each_row

if TYPE_CHECKING:
    from tests.conftest import Repo, Run

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


# ---- every command --------------------------------------------------------------------------------


def hostile(repo: Repo, run: Run) -> str:
    """Fill a ledger with what nobody can see, wherever something can stand; return a stem."""
    repo.git("config", "user.name", NAMED)
    policy = repo.path / "memory/diurna.toml"
    policy.write_text(policy.read_text().replace('project = "shop"', f'project = "{NAMED}"'))
    every = " ".join(f"x{one}y" for one in UNSEEN)
    repo.write(
        "memory/sessions/2026-07-01-101500.md",
        f"---\nagent: {NAMED}\nhost: h{NAMED}\n---\n# Title {every}\n\nProse {every}\n\nWe decided {every}.\n\n"
        "## Memory References\n\n- Created: bad, worse, thread, twin, twix\n- Referenced: nowhere (a remark "
        f"{every})\n\n## Facts\n\n- Evil {every}\n  <!-- id: bad | tags: t{NAMED} | entity: e{NAMED} | "
        f"role: r{NAMED} | x: y{NAMED} -->\n- Worse, see [[bad]] `code{NAMED}.py`\n  <!-- id: worse | kind: k{NAMED} "
        f"| serves: bad -->\n- [ ] Do it {every}\n  <!-- id: thread -->\n- Orders are {every} deleted.\n"
        "  <!-- id: twin -->\n- Orders are never deleted.\n  <!-- id: twix -->\n",
    )  # fmt: skip
    repo.write(
        "memory/sessions/2026-07-02-101500.md",
        f"# Two {every}\n\n## Memory References\n\n- Updated: bad (was 00000000)\n- Closed: thread\n"
        f"- Superseded: worse → twin\n- Oddverb{NAMED}: bad\n\n## Facts\n\n- Another {every}\n  <!-- id: bad -->\n",
    )
    repo.write(f"memory/sessions/2026-07-03-101500-{NAMED}.md", f"# {NAMED}\n")
    repo.write(f"memory/sessions/x\x1b[31m{NAMED}.md", "# T\n")
    repo.git("add", "-A")
    repo.git("commit", "-q", "-m", f"by {NAMED}")
    repo.git("branch", "-m", f"b{NAMED}")
    assert run("append", "--title", "Plain", "--ref", "bad").code == 0
    repo.write("draft.md", f"# Draft {NAMED}\n\nProse {every}\n\n## Oddity\n")
    edited = repo.path / "memory/continuity.md"
    if not edited.exists():
        run("check", "--publish")
    edited.write_text(edited.read_text() + f"\n## Notes {NAMED}\n\n- mine {every}\n")
    return str(run("log", "--json").json["sessions"][0]["stem"])


def commands(stem: str) -> dict[str, tuple[tuple[str, ...], ...]]:
    """Return how each command of the registry is called; one that is missing here is missing below."""
    return {
        "private": ((), ("--json",)),
        "status": ((), ("--json",)),
        "show": ((), ("bad",), ("worse", "--json"), ("--as-of", stem), (f"no{NAMED}",), ("--list",), ("--list", "--json"),
                 ("--list", "--all"), ("--list", "evil"), ("--list", f"no{NAMED}"), ("--about",), ("--about", f"e{NAMED}"),
                 ("--about", "--json"), ("--links", "bad"), ("--links", "worse", "--json")),
        "undo": (("--dry-run",), ("--agent", f"a{NAMED}"), (f"no{NAMED}",)),
        "undo --redo": ((), ("--agent", f"a{NAMED}")),
        "note": ((f"k{NAMED}: t t",), ("--rule", f"r{NAMED}", f"m {NAMED}"), (f"Note it {NAMED}", "--ref", f"r{NAMED}", "--dry-run"), ("-",)),
        "brief": ((), ("--json",), ("--agent", NAMED, "--for", f"r{NAMED}")),
        "recall": (("orders",), ("evil", "--json"), (f"x{NAMED}",), ("evil", "--level", "full"),
                   ("--level", "timeline", "bad"), ("--level", "timeline", stem), ("--level", "timeline", "evil", "--json")),
        "why": (("bad",), ("bad", "--json"), (f"no{NAMED}",), (f"no{NAMED}.py:1",), ("bad", "--versions"), ("bad", "--versions", "--json")),
        "log": ((), ("--json",), ("--agent", NAMED), (stem,), ("draft.md",), ("draft.md", "--json"), ("2026-07-01-101500",),
                ("--changes", "2026-07-01..2026-11-30"), ("--changes", f"{NAMED}..{stem}"),
                ("--changes", "2026-07-01..2026-11-30", "--json")),
        "view": ((), ("state",), ("progress",), ("decisions", "--json"), ("sessions",), ("daily", "2026-07-01"), ("weekly",),
                 ("actions",), ("entities",), ("entities", f"e{NAMED}"), ("roles",), ("daily", f"d{NAMED}"), (f"v{NAMED}",)),
        "export": (("events",), ("vault", "../vault"), ("vault", "draft.md"), (f"w{NAMED}",)),
        "import": (("events", "draft.md"), ("events", f"f{NAMED}"), ("events", "-"), ("jsonl", f"f{NAMED}"),
                   ("jsonl", "draft.md"), ("jsonl", "draft.md", "--json"), ("memoryforge", "draft.md", "-v"), ("codex",)),
        "task": ((), ("list", "--all", "--json"), ("add", f"Do {NAMED}", "--goal", f"g{NAMED}"), ("start", f"t{NAMED}"),
                 ("move", "thread", f"s{NAMED}"), ("pick",), (f"a{NAMED}",)),
        "review --learn": ((), ("--json",), ("--ask", "--dry-run")),
        "review": (("--dry-run",), ("--dry-run", "--json")),
        "review --report": ((), ("--json",)),
        "conflicts": ((), ("--json",), ("bad",)),
        "check --ci": ((), ("--format", "github"), ("--format", "sarif"), ("--json",), ("draft.md", f"n{NAMED}.md")),
        "check --diff": (("HEAD~1",), (f"HEAD{NAMED}...HEAD",), ("HEAD~1", "--format", "github"), ("HEAD~1", "--sarif")),
        "check": ((), ("--all",), ("--json",), ("--deep",)),
        "check --replay": ((),),
        "check --absorb": (("--dry-run",), ()),
        "check --publish": (("--dry-run",), ()),
        "append": (("draft.md",), ("--new", f"k{NAMED}: t"), ("--ref", f"r{NAMED}"), ("--title", "One\x1b[2J")),
        "conflicts --resolve": (("bad",), ("bad", "--choose", f"c{NAMED}"), (f"r{NAMED}",)),
        "edit --restore": (("bad", f"v{NAMED}"), ("worse", "--reason", f"why {NAMED}")),
        "forget --archive": (("twix", "--reason", f"why {NAMED}"), (f"a{NAMED}", "--reason", "x")),
        "edit": (("bad", f"t{NAMED}", "--dry-run"), ("bad",), (f"e{NAMED}", "x")),
        "close": (("bad",), (f"c{NAMED}",)),
        "forget": (("bad", "--false", "--dry-run"), ("bad",), (f"f{NAMED}", "--archive", "--reason", "x")),
        "review --confirm": (("bad",), (f"c{NAMED}",)),
        "redact": (("twin", "--reason", f"why {NAMED}"), (f"r{NAMED}", "--reason", "x")),
        "capture": (("--show",), ("--session", f"s{NAMED}"), ("--host", "claude", "--session", f"s{NAMED}")),
        "sync": ((), (f"origin{NAMED}",)),
        "init": (("--dry-run",), (f"dir{NAMED}", "--dry-run")),
        "install": (("--dry-run", "claude"), (f"h{NAMED}",)),
        "install --remove": (("--dry-run",), (f"h{NAMED}",)),
        "completion": (("bash",), (f"s{NAMED}",)),
        "hook": (("post-merge",), (f"event{NAMED}",)),
        "org": ((f"a{NAMED}",), ("init", f"u{NAMED}"), ("add", f"p{NAMED}")),
        "mcp": ((f"--{NAMED}",),), "web": ((f"--{NAMED}",), ("--port", f"p{NAMED}")),
    }  # fmt: skip


class Terminal(io.StringIO):
    """What a person looks at."""

    def isatty(self) -> bool:
        """Say that it is one."""
        return True


@pytest.mark.deep(reason="nor_does_the_short_way_in is the small one")
@pytest.mark.parametrize("terminal", [False, True], ids=["pipe", "terminal"])
def test_no_command_says_what_nobody_sees(
    terminal: bool, repo: Repo, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither stdout nor stderr of any command, piped or not, has a hidden character of the ledger."""
    stem = hostile(repo, run)
    monkeypatch.setenv("NO_COLOR", "1")
    table = commands(stem)
    assert {entry.name for entry in ENTRIES} == {name.split()[0] for name in table}
    for name, calls in table.items():
        for arguments in calls:
            out, err = (Terminal(), Terminal()) if terminal else (io.StringIO(), io.StringIO())
            monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"")))
            monkeypatch.setattr(sys, "stdout", out)
            monkeypatch.setattr(sys, "stderr", err)
            try:
                code = main([*name.split(), *arguments])
            finally:
                monkeypatch.setattr(sys, "stdout", sys.__stdout__)
                monkeypatch.setattr(sys, "stderr", sys.__stderr__)
            said = out.getvalue(), err.getvalue().replace("\r\x1b[K", "")
            assert code < 3, (name, arguments, said)
            assert (name, arguments, [hidden(text) for text in said]) == (name, arguments, [[], []])


@pytest.mark.parametrize(
    "command", ["show", "brief", "brief --json", "view actions", "append draft.md"]
)
def test_nor_does_the_short_way_in(command: str, repo: Repo, run: Run) -> None:
    """`show`, `brief`, `view` and `append FILE` without the command line's libraries, into a pipe."""
    hostile(repo, run)
    repo.git("checkout", "-q", "--", "memory/continuity.md")
    environment = {key: value for key, value in os.environ.items() if key != "DIURNA_NOW"}
    start = "import sys; from rituals.cli.entry import main; sys.exit(main())"
    done = subprocess.run(
        [sys.executable, "-P", "-c", start, *command.split()],
        capture_output=True,
        env={**environment, "PYTHONPATH": str(Path(__file__).parent.parent)},
    )
    said = done.stdout.decode(), done.stderr.decode()
    assert done.returncode == 0, said
    assert [hidden(text) for text in said] == [[], []]
    assert command != "show" or "\\u202e" in said[0]


def test_json_is_the_data_itself(repo: Repo, run: Run) -> None:
    """What is escaped in a `--json` answer reads back as the very characters; text on the disk is raw."""
    hostile(repo, run)
    (fact,) = run("show", "twin", "--json").json["facts"]
    assert fact["text"] == "Orders are " + " ".join(f"x{one}y" for one in UNSEEN) + " deleted."
    run("check", "--publish", "--json")
    tree = repo.git("show", "HEAD:memory/sessions/2026-07-01-101500.md")
    assert "\u202e" in tree


def test_annotations_show_what_a_runner_would_obey() -> None:
    """A file name with an escape is written visibly, in its place and in the sentence."""
    said = annotation(
        Finding("bad-name", "no log: x\x1b[31m\u202e", "sessions/x\x1b[31m:\u200b.md"), "memory/"
    )
    assert said == (
        "::warning file=memory/sessions/x\\u001b[31m%3A\\u200b.md,title=diurna bad-name::"
        "no log: x\\u001b[31m\\u202e"
    )


def test_a_model_is_told_nothing_that_nobody_sees(repo: Repo, run: Run) -> None:
    """Every tool and document of the MCP server."""
    pytest.importorskip("mcp")
    import anyio

    from tests.mcp_clients import connected, open_home, text_of

    stem = hostile(repo, run)

    async def story() -> list[str]:
        found: list[str] = []
        calls: tuple[tuple[str, dict[str, Any]], ...] = (
            ("brief", {}), ("recall", {"query": "evil orders"}), ("recall", {"query": "evil", "level": "full"}),
            ("get", {"ids": ["bad", "twin", stem, "2026-07-01-101500"]}), ("status", {}), ("resolve", {"id": "bad"}),
            ("append", {"title": "T", "updated": [{"id": f"no{NAMED}", "text": "x"}]}),
        )  # fmt: skip
        async with connected(Path.cwd(), open_home) as client:
            for tool, arguments in calls:
                result = await client.call_tool(tool, arguments)
                found += [
                    text_of(result),
                    json.dumps(result.structured_content, ensure_ascii=False),
                ]
                found += [str(json.loads(found[-2]))] if found[-2][:1] == "{" else []
            for uri in ("diurna://continuity", "diurna://fact/bad"):
                read = await client.read_resource(uri)
                found += [one.text for one in read.contents if hasattr(one, "text")]
            started = await client.get_prompt("session-start", {"task": "evil"})
            found += [str(message.content) for message in started.messages]
        return found

    for said in anyio.run(story):
        assert hidden(said.replace("\\\\", "")) == []
