"""All that reads markdown agrees what is fenced code: what is never closed hides nothing (FORMAT.md, S3)."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ledger.codec.outline import outline
from ledger.codec.outline_by_lines import code_ranges, prose_lines
from memory.recall.log_reader import passages_of
from projection.document.page_parser import parse
from projection.fold.fact_links import links_in
from projection.text.claims import claims
from projection.text.normalize import sentences
from projection.text.session_digest import gist

FENCES = ("```", "~~~", "````", "~~~~", "```sh", "~~~ text", "``` a`b")
#: A line of a document: a fence, or `None` for words that name the line they stand on.
DOCUMENTS = st.lists(st.one_of(st.sampled_from(FENCES), st.none()), max_size=14)


def words(number: int) -> str:
    """Return a sentence that every reader takes something from, told by its number."""
    return f"Line [[fact-{number}]] of `src/m{number}.py` decides nothing more here."


def written(document: list[str | None]) -> list[str]:
    """Write a document; a blank line behind each line, so that each is a paragraph of its own."""
    lines = []
    for number, line in enumerate(document):
        lines += [words(number) if line is None else line, ""]
    return lines


def seen(document: list[str | None], said: str) -> set[int]:
    """Return the numbers of the lines of which a reader tells."""
    numbers = (number for number, line in enumerate(document) if line is None)
    return {number for number in numbers if f"m{number}.py" in said or f"fact-{number} " in said}


@given(DOCUMENTS)
@example(["```", None, "~~~", None])
@example(["~~~", None, "```", None, "~~~", None])
@example(["````", None, "```", None, "````", None])
@example(["```", None, "```sh", None, "```", None])
@example([None, "``` a`b", None, "```", None])
@example(["````", None, "~~~", "```"])
def test_all_readers_agree_on_what_is_code(document: list[str | None]) -> None:
    """The outline says which lines are code; nobody reads those, and everybody reads all others."""
    lines = written(document)
    text = "\n".join(lines)
    hidden = {n for start, end in outline(lines).hidden for n in range(start, end)}
    prose = {n for n, line in enumerate(document) if line is None and 2 * n not in hidden}
    assert {n for start, end in code_ranges(lines) for n in range(start, end)} == hidden
    assert seen(document, "\n".join(prose_lines(text))) == prose
    assert seen(document, " ".join(sentences(text))) == prose
    assert seen(document, repr(gist(text))) <= prose
    assert seen(document, " ".join([*links_in(text), ""])) == prose
    assert seen(document, " ".join([one.subject for one in claims(text)])) == prose


@given(DOCUMENTS)
def test_headings_in_code_head_nothing(document: list[str | None]) -> None:
    """A section of facts, a marker of a conflict, a bullet of the projection: in code they are text."""
    lines = ["## Facts" if line is None else line for line in document]
    hidden = {n for start, end in outline(lines).hidden for n in range(start, end)}
    first = next((n for n, line in enumerate(lines) if line[:2] == "##" and n not in hidden), None)
    found = passages_of("\n".join([*lines, "Behind it all."]))
    assert ("Behind it all." in "\n".join([one.text for one in found])) == (first is None)
    bullets = ["- A fact." if line is None else line for line in document]
    blocks = parse("\n".join(["# Continuity — x", "", "## Facts", "", *bullets]))[0].blocks
    assert len(blocks) == sum(
        line == "- A fact." and n not in hidden for n, line in enumerate(bullets)
    )


@pytest.mark.parametrize("fence", ["```", "~~~", "```sh"])
def test_what_is_never_closed_hides_nothing(fence: str) -> None:
    """Neither from a digest, nor the lines of a merge that was never settled."""
    said = gist(f"# Title\n\nWe decided to use sqlite.\n\n{fence}\nWe decided to drop redis.\n")
    assert "drop redis" in repr(said)
    conflict = "<<<<<<< ours\nWe decided a.\n=======\nWe decided b.\n>>>>>>> theirs\n"
    assert "decided" not in repr(gist(f"# Title\n\n{fence}\n{conflict}"))
    closed = gist(f"# Title\n\nWe decided to use sqlite.\n\n{fence}\n{conflict}{fence[:3]}\n")
    assert "use sqlite" in repr(closed)
