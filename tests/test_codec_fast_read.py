"""Laws of the line scanner (`ledger.codec.outline_by_lines`) and of the fast path (`ledger.codec.fast_read`)."""

from __future__ import annotations

import random
import re
import subprocess
import sys
from itertools import product

from hypothesis import example, given, settings
from hypothesis import strategies as st
from markdown_it.common.html_blocks import block_names

from ledger.codec.fast_read import scan
from ledger.codec.log import decode, encode, entry_of
from ledger.codec.outline import outline_by_markdown
from ledger.codec.outline_by_lines import _BLOCK_TAGS, code_ranges, outline_by_lines
from ledger.model.event import FactCreated, FactReferenced, FactUpdated
from ledger.model.session import SessionLog
from tests.conftest import examples
from tests.test_ledgers_of_before import files_of

LAWS = settings(max_examples=examples(100, 400), deadline=None)
STEM = "2026-11-21-083012417-000000000000"

PIECES = (
    "## Memory References", "## Facts", "##", "## x ##", "## C#", "## #", "##\tx\t#", "##x", "### y", "# z", " ## Facts",
    "   ## Memory References", "    ## Facts", "```", "````", "```py", "``` a`b", "~~~", "~~~~ `x",
    " ```", "  ```", "   ~~~", "    ```", "``` ", "```\t", "> ```", "> ## Facts", "- ```", "- a", "-",
    "-  b", "-\tc", "* * *", "- - -", "+ p", "1. one", "2. two", "12) d", "  in", "   in", "    in",
    "\tin", "", "", " ", "text", "more text", "<!--", "-->", "<!-- c -->", "  <!-- id: a -->",
    "<!-- open", "text -->", "  <!--", "<div>", "</div>", "<DIV class='a'", "<div/>", "<span>",
    "<span", "<https://x.y>", "<a b=c>", "</a>", "<script>", "</script>", "<pre", "x</PRE>", "<?php",
    "?>", "<!DOCTYPE", "<!x>", "<![CDATA[", "]]>", "===", "---", "[r]: /u 'a", "[r]:", "a'", ">", "> q",
    "  - n", "    - m", "- > ```", "- <!--", "1. ```", "   ```", "<\u212aink>", "<hr\x0c", "> - a", "`x",
    "- Referenced: a, b", "- Created: c", "- Updated: d (was 00000000)", "- Closed: e — why, f",
    "- Superseded: a → b", "- Superseded: a (invalidated)", "- Invalidated: g", "- Other: a",
    "- fact\n  <!-- id: c -->", "- [ ] do\n  <!-- id: d | kind: thread | x: y -->", "<<<<<<< a",
    "- t\n\n  ```\n  <!-- id: q -->\n  ```\n  <!-- id: c | created: 2026-02-30 -->", "=======",
    ">>>>>>> b", "---\nagent: a\ntype: review\n---", "---\nagent:  a\nnew: b\n---", "- Referenced: a,b",
)  # fmt: skip
#: What is nearly one of them.
ODD = (
    "<div=x", "<div.", "<hr/", "<p>", "<p/>", "</p/>", "<h7>", "<1>", "<a/", "<b/>x", "<!-->", "<!-- --> x",
    "<! x", "<!é", "<?x?>", "<pre>a</pre>", "<style/>", "<a", "1) a", "2) b", "0123456789. x", "123456789. y",
    "-- -", "* a", "*", "~~~~", "`````", "\\## a",
)  # fmt: skip
documents = st.lists(st.sampled_from(PIECES), max_size=14).map(lambda d: "\n".join(d).split("\n"))

CANONICAL = SessionLog(
    (("agent", "claude"), ("after", STEM), ("type", "edit"), ("branch", "main")),
    "A log",
    "Prose.\n\n## Next\n\n```py\n## Facts\n```\n\nmore",
    (
        FactReferenced("a-b"),
        FactReferenced("c", "why, so (x)"),
        FactCreated("d.e", "One line.", meta=(("kind", "decision"), ("tags", "x, y"))),
        FactCreated("f", "Lines\n\n  - in\n\n```\n<!-- id: x -->\n```", " ", (("kind", "thread"),)),
        FactUpdated("g", "New", ("0123abcd", "89abcdef")),
    ),
)


@LAWS
@given(documents)
def test_line_scanner_agrees_with_the_parser_or_is_in_doubt(lines: list[str]) -> None:
    """Where the line scanner answers, a CommonMark parser gives the same outline."""
    assert agrees(lines) in (True, None)


def test_each_beginning_of_a_line_hides_what_it_hides_to_the_parser() -> None:
    """Whatever stands before and behind it; in doubt the scanner is of few of them."""
    frames = (
        "{}\n## a\n\n## b", "- x\n{}\n## a", "- x\n\n{}\n## a", " {}\n## a", "   {}\n\n## a",
        "1. x\n{}\n## a\n```\n## b\n-->\n?>\n]]>\n</pre>\n\n## c", "1. a\n{}\n   ```\n   ## a\n   ```\n## b",
        "{0}\n{0}\n-->\n?>\n]]>\n</pre>\n\n{0}\n## a\n-->\n?>\n]]>\n</pre>",
        "{}\n   <div>\n   ## a\n\n## b", "t\n\n{}\n   ```\n   ## a\n   ```\n## b",
        "t\n{}\n   ```\n   ## a\n   ```\n## b",
    )  # fmt: skip
    found = [agrees(frame.format(one).split("\n")) for frame in frames for one in (*PIECES, *ODD)]
    assert False not in found and found.count(None) <= 525


def agrees(lines: list[str]) -> bool | None:
    """Tell whether scanner, guess and parser are of one mind; None where the scanner is in doubt."""
    found = outline_by_lines(lines)
    if found is None:
        return None
    return found == outline_by_markdown(lines) == outline_by_lines(lines, guess=True)


@LAWS
@given(documents)
@example(["---", "agent: a", "---", "# t", "", "## Memory References", "", "- Referenced: a"])
@example(["", "## Memory References", "", "- Referenced: a, -b"])
@example(
    "\n## Memory References\n- Updated: a (was 00000000x\n## Facts\n- f\n  <!-- id: a -->".split(
        "\n"
    )
)
@example(["## Facts", "", "- a", "", "## Memory References", "", "- Referenced: a"])
@example(
    ["", "## Memory References", "", "- Created: a", "", "## Facts", "- - -", "  <!-- id: a -->"]
)
def test_fast_path_agrees_with_the_full_reading(lines: list[str]) -> None:
    """Where `scan` answers, `decode` reads the same without a finding."""
    data = ("\n".join(lines) + "\n").encode()
    entry = scan(STEM, data)
    if entry is not None:
        log, findings = decode(data, sealed=True)
        assert findings == ()
        assert entry == entry_of(STEM, log)


@LAWS
@given(
    st.data(),
    st.sampled_from([
        "", "\n", " ", "  ", "-", ",", ", ", "a", "[x] ", "-->", "<!--", "|", "`", "```", "##", "\t", "\x0c",
        "→", "—", "(", ")", ": ", "\u2028", "\ufeff", "\r", "\n## Facts\n", "\n\n## Facts\n\n- z", "x", ".",
        "\n- ", "\n  ", "<div>", "\n## memory references (again)\n", "kind: b | ", "id: c", "[X] ", "[ ]",
    ]),
)  # fmt: skip
def test_fast_path_agrees_on_damaged_logs(data: st.DataObject, piece: str) -> None:
    """The two readers agree on canonical logs that were changed in a few places."""
    text = encode(CANONICAL).decode()
    for _ in range(data.draw(st.integers(1, 2))):
        begin = data.draw(st.integers(0, len(text)))
        end = min(len(text), begin + data.draw(st.integers(0, 3)))
        text = text[:begin] + piece + text[end:]
    raw = text.encode()
    entry = scan(STEM, raw)
    if entry is not None:
        log, findings = decode(raw, sealed=True)
        assert findings == ()
        assert entry == entry_of(STEM, log)


def test_the_fast_path_answers_for_most_logs() -> None:
    """Where it gives no answer the laws above say nothing: it gives one for most logs, and for odd text often enough."""
    logs = [
        (name, data)
        for shape in ("worked-0", "tasks-0")
        for name, data in files_of(shape).items()
        if name[:2] == "se"
    ]
    answered = [scan(name.rpartition("/")[2][:-3], data) for name, data in logs]
    assert sum(one is not None for one in answered) > 0.9 * len(logs)
    chance = random.Random(5)
    texts = ["\n".join(chance.choices(PIECES, k=chance.randrange(14))) for _ in range(500)]
    assert sum(outline_by_lines(text.split("\n")) is not None for text in texts) > 250
    assert sum(scan(STEM, f"{text}\n".encode()) is not None for text in texts) > 100


#: What hides lines, as FORMAT.md has it: a fence and its like, and HTML that is no block.
FENCED = r"^(?:(`{3,})[^`\n]*|(~{3,})(?!~).*)\n(?:.*\n)*? {0,3}(?:\1`*|\2~*)[ \t]*$"
TAG = "(?:script|pre|style|textarea)"
HIDDEN = "|".join([FENCED] + [
    rf"^{begin}(?!.*{end}).*\n(?:.*\n)*?{before}{end}.*$"
    for begin, before, end in [
        ("<!--", "(?:(?!<!--|-->).)*", "-->"), (r"<\?", ".*", r"\?>"), ("<![A-Z]", ".*", ">"),
        (r"<!\[CDATA\[", ".*", "]]>"), (rf"<{TAG}(?=[\s>]|$)", ".*", f"</{TAG}>"),
    ]
])  # fmt: skip
FENCES = ("```", "````", "```p", "``` a`b", "~~~", "~~~~ `x", " ```", "   ~~~~", "    ```", "``` \t", "\t~~~", "`` `", "a", "")  # fmt: skip
COMMENTS = ("<!--", "<!-- a", "<!-- a --> b", "b -->", "<?a", "b?>", "<!a", "b>", "<![CDATA[", "]]>", "<Pre", "<style>", "a</pRe>", "</script>b", "a")  # fmt: skip


def test_what_is_closed_hides_its_lines() -> None:
    """To the reader of headings; to those of prose a fence may be indented, and there is no other."""

    def hidden(form: str, text: str) -> list[tuple[int, int]]:
        found = [one.span() for one in re.finditer(form, text, re.MULTILINE | re.IGNORECASE)]
        return [(text.count("\n", 0, one), text.count("\n", 0, end) + 1) for one, end in found]

    for lines in (*product(FENCES, repeat=3), *product(COMMENTS, repeat=3)):
        assert code_ranges(lines) == hidden(FENCED, "\n".join(map(str.strip, lines))), lines
        found = outline_by_lines(list(lines))
        assert found is None or list(found.hidden) == hidden(HIDDEN, "\n".join(lines)), lines


def test_tag_names_are_those_of_the_parser() -> None:
    """The scanner knows the block-level tags that the parser knows."""
    assert frozenset(block_names) == _BLOCK_TAGS


def test_fast_path_loads_nothing_heavy() -> None:
    """Importing the codec loads no regular expressions, typing, dataclasses or parser."""
    heavy = "re typing dataclasses enum json datetime pathlib markdown_it hashlib".split()
    code = f"import sys, ledger.codec.log, ledger.codec.fast_read; print([m for m in {heavy} if m in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", f"import sys; sys.path.insert(0, '.'); {code}"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stdout.strip() == "[]"
