"""What a client reads names tools and no command line: every hint and message, and the brief."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("mcp")
from rituals.serve.mcp.wording import brief_in_tools, hint_in_tools, message_in_tools
from tests.conftest import Repo, Run, each_row
from tests.mcp_clients import COMMAND_LINE

#: What texts of the source are made of that name a command line.
PIECES = st.sampled_from(
    ["`diurna review`", "`diurna append --new`", "`diurna show a --json`", "diurna sync,", "say", "it;", "ID",
     "`--anyway`", "--take-over", "(`--ref a`)", "`--supersede a=b`", "diurna conflicts ID --choose HASH", "`a`."]
)  # fmt: skip


@given(st.lists(PIECES, min_size=1, max_size=6).map(" ".join))
def test_whatever_is_said_names_no_command_line(said: str) -> None:
    """As a hint and as a message: whatever an error is made of, no command line is left in it."""
    for told in (hint_in_tools(said), message_in_tools(said)):
        assert not COMMAND_LINE.search(told)
        assert told.strip() or not said.strip()


@each_row(
    "hint, told",
    [
        ("did you mean web-two?", "did you mean web-two?"),
        ("`diurna show --list --all` lists all ids, archived ones too", "`recall` finds ids by their words"),
        ("`diurna recall --ids 2026-11-21-x`", "`get` of 2026-11-21-x"),
        ("`diurna why a.b tells when and by whom`", "`get` of a.b"),
        ("`diurna conflicts limit --choose SIDE` says which holds", "`resolve` says which holds"),
        ('if it is meant as it is, say `--anyway` (`"anyway": true` in JSON)',
         "if it is meant as it is, say `anyway`: true"),
        ("say `--ref a` or `--update a TEXT` instead; where both are recorded, `diurna append --supersede b=a` makes one",
         "say `refs` with a or `update` of a instead; where both are recorded, `supersede` of b by a makes one"),
        ("`diurna init` brings the one that a remote has, else makes one; --home PATH names one",
         "a person has to look at it, where the memory is"),
        ("free some space; `diurna check` says more", "free some space"),
    ],
)  # fmt: skip
def test_hints(hint: str, told: str) -> None:
    """What a tool can do is said of the tool; a clause for a person at a command line is left out."""
    assert hint_in_tools(hint) == told


def test_a_brief_names_tools_and_keeps_what_is_recorded(repo: Repo, run: Run) -> None:
    """Only its own first and last words change: a fact that names a command keeps it."""
    text = "We run `diurna review` and `diurna recall WORDS` each Friday."
    assert run("append", "--title", "Rule", "--new", f"id=rule decision: {text}").code == 0
    brief = run("brief").out
    told = brief_in_tools(brief)
    assert "`diurna show ID`" in brief and text in told
    assert not COMMAND_LINE.search(told.replace(text, ""))
    assert "`get`" in told.splitlines()[-1]
    yours = "\n## Yours, in no shared memory (`--home personal`)\n\n- personal/a: Say `--home personal`.\n"
    assert brief_in_tools(yours) == yours.replace(" (`--home personal`)", "", 1)
    head = "What stands between\n\n<diurna-memory-x>\nState: s.\nReview due: 3 facts (limit 2) (`diurna review`).\n"
    assert "(`diurna review`)" not in brief_in_tools(
        f"{head}\n## A\n\n- b\n</diurna-memory-x>\n\nNothing.\n"
    )
