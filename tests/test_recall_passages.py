"""Passages: every word of a log's prose is in one, lines are right, and no text takes long."""

from __future__ import annotations

import re
from functools import partial
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.recall.log_reader import PASSAGE_CHARS, PASSAGES_LIMIT, passages_of
from tests.conftest import examples, sampled
from tests.processor_time import steps

LINES = st.lists(
    st.sampled_from(
        ["", "# Title", "## Part", "user: where is it?", "assistant: There. " + "It is there. " * 60,
         "Some prose of one line.", "x" * 1500, "a: b", "**Ada:** said", "- a point", "    code", "```",
         "word " * 300, "\t", "Ada: on Monday", "text with trailing blanks   "]
    ),
    max_size=25,
)  # fmt: skip


@settings(max_examples=examples(80, 300))
@given(lines=LINES, header=st.booleans())
def test_every_word_is_in_a_passage_and_lines_are_right(lines: list[str], header: bool) -> None:
    """Nothing of the prose is lost or told twice, and a passage's line is that of its first words."""
    text = ("---\nagent: a\n---\n" if header else "") + "\n".join(lines)
    all_lines = text.split("\n")
    found = passages_of(text)
    said = " ".join(passage.text for passage in found).split()
    assert "".join(said) == "".join("\n".join(lines).split())
    last = 0
    for passage in found:
        first = passage.text.split("\n")[0].strip()
        assert first in all_lines[passage.line - 1]
        assert passage.line >= last
        last = passage.line


def test_sections_of_facts_are_left_out() -> None:
    """Facts are found as facts: the sections that hold them are no passages."""
    text = "# T\n\nBefore.\n\n## Memory References\n\n- Created: a\n\n## Facts\n\n- X.\n\n## Next\n\nAfter.\n"
    found = passages_of(text)
    assert re.findall(r"\w+", " ".join(passage.text for passage in found)) == [
        "T",
        "Before",
        "Next",
        "After",
    ]
    assert text.split("\n")[found[-1].line - 1] == "## Next"


@pytest.mark.parametrize("who", ["Ada: ", ""])
def test_what_is_a_little_long_is_one_passage(who: str) -> None:
    """A turn or a paragraph is cut where it is longer than two passages."""
    said = (who + "word " * (PASSAGE_CHARS // 2))[: 2 * PASSAGE_CHARS - 1] + "x"
    assert [one.text for one in passages_of(f"Before.\n\n{said}\n")][1:] == [said]
    assert len(passages_of(f"Before.\n\n{said}x\n")) > 3


@pytest.mark.deep(only="# \\n")
@pytest.mark.parametrize(
    "piece", sampled(["x", "\n", "a:\n", "a: b\n", "# \n", "- \n", "## Facts\n", "word ", "---\n", "**a:** ", "Aa", "\n\n"], 4)
)  # fmt: skip
def test_hostile_texts_take_linear_time(piece: str) -> None:
    """A text ten times as long takes about ten times as many steps, and gives no more passages than the limit."""
    small, large = piece * (6_000 // len(piece)), piece * (60_000 // len(piece))
    once, more = [steps(partial(passages_of, text)) for text in (small, large)]
    assert more < 15 * once + 1000
    assert len(passages_of(10 * large)) <= PASSAGES_LIMIT


def test_a_long_list_is_cut_between_its_items() -> None:
    """A passage of a list begins with an item, so that what is shown of it can be read."""
    items = [
        f"- Item {number} says one thing.\n  And it goes on with another." for number in range(60)
    ]
    found = passages_of("# List\n\n" + "\n".join(items))
    assert len(found) > 3
    assert all(one.text.startswith("- Item") for one in found[1:])


TOLD = st.lists(
    st.sampled_from(
        ["### Turn 1 of 2", "### fix(ci): keep it\nIt is kept.", "# A", "## Turns", "## Commits", "Note: it is so. ", "**What holds**",
         "The cause was this: " + "a reason of some length. " * 30, "- One item of many. " * 9, "Done.", "It failed, because:"]
    ),
    max_size=30,
)  # fmt: skip


@settings(max_examples=examples(80, 200))
@given(blocks=TOLD)
def test_passage_of_one_turn(blocks: list[str]) -> None:
    """No passage is of two turns or commits, whatever it begins with."""
    found = passages_of("# T\n\n## Turns\n\n" + "\n\n".join(blocks))
    for passage in found:
        lines = [line for line in passage.text.split("\n") if line.strip()]
        behind = [place for place, line in enumerate(lines) if line[0] != "#"]
        assert not behind or not any(line[0] == "#" for line in lines[behind[0] :])
    for passage, behind_it in pairwise(found):
        bare = all(line[:1] in ("", "#") for line in passage.text.split("\n"))
        assert not bare or behind_it.text[0] == "#", "a heading stands with what follows it"


def test_a_heading_stands_with_what_follows_it() -> None:
    """A heading is no passage where something stands under it, nor is what announces a list left behind."""
    long = "It keeps the cache outside, because the tree was dirty. " * 30
    items = "\n".join(f"- {number} of them is told at some length here." for number in range(9))
    filler = "Filler of a length. " * 20
    text = f"# T\n\n## Turns\n\n### Turn 1 of 1\n\n{long}\n\n{filler}\n\n**Left:**\n\n{items}\n"
    found = passages_of(text)
    assert found[0].text.split("\n")[-1].startswith("It keeps")
    assert not any(passage.text.endswith("**Left:**") for passage in found)
    assert any("**Left:**\n\n- 0 of" in passage.text for passage in found)
    first, _ = passages_of("## What happened\n\nIt broke at night,\nAda: I saw it.\n")
    assert first.text.endswith("at night,")
