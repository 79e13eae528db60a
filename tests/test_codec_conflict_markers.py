"""Markers of a merge that nobody settled: in git's plain style and in diff3, outside closed code."""

from __future__ import annotations

from ledger.codec.outline import marker_line
from tests.conftest import each_row

PLAIN = "<<<<<<< ours\na\n=======\nb\n>>>>>>> theirs\n"
DIFF3 = "<<<<<<< ours\na\n||||||| 4f2a91c\nc\n=======\nb\n>>>>>>> theirs\n"


@each_row(
    "text, line",
    [
        (PLAIN, 1),
        (DIFF3, 1),
        ("# T\n\n" + DIFF3, 3),
        ("a\n||||||| merged common ancestors\nb\n", 2),
        ("a\n||||||| 4f2a91c\r\nb\n", 2),
        ("a\n=======\nb\n>>>>>>> theirs\n", 4),
        ("<<<<<<<\n", 1),
        ("a\n", 0),
        ("Heading\n=======\n", 0),
        (">>>>>>> quoted seven times\n", 0),
        ("||||||| |\n", 0),
        ("||||||||\n", 0),
        ("<<<<<<<< eight\n", 0),
        (" <<<<<<< ours\n", 0),
        (f"```\n{DIFF3}```\n", 0),
        (f"```\n{DIFF3}```\n\n||||||| base\n", 11),
        (f"```\n{DIFF3}", 2),  # a fence that is never closed hides nothing
        ("", 0),
    ],
)
def test_the_first_line_that_a_merge_left_is_found(text: str, line: int) -> None:
    """One line of them is enough; code, tables, quotes and headings are none."""
    assert marker_line(text) == line
