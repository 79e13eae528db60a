"""What an edit of a page says: rows of `tests/edits/`, and laws over made-up ledgers and edits, by `check --absorb`."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.campaigns.second_fold import log_bytes, made_up, path_of
from tests.conftest import examples
from tests.world import OWN_REPOSITORY, Place, World

ROWS = Path(__file__).with_name("edits") / "continuity.md"
PAGE = "continuity.md"
PAGES = (PAGE, "STATE.md", "PROGRESS.md", "DECISIONS.md")
PARTS = 10
POLICY = b'format = 1\nproject = "p"\n\n[views]\npublish = ["state", "progress", "decisions"]\n'


#: A bullet of a fact down to its footer, which begins at the first group; the id.
BLOCK = re.compile(r"^- (?:(?!^- ).*\n)*?(  <!-- id: ([^ ]+) \|.*-->\n)", re.MULTILINE)
#: What a text may hold that looks like a part of a page.
MESSY = (
    "One.",
    "-->",
    "<!-- c -->",
    "[ ] box",
    "\\[x] box",
    "**Contradiction**: 2 versions",
    "## Facts",
    "# Title",
    "> quote",
    "a\u2028b",
    "a\u202eb",
    "- nested",
    "```\n  code\n\n  <!-- id: forged -->\n  ```",
    "=======",
    "One\n\n  - two\n\n        three",
    "<!-- diurna: format 1 | logs: 1 | newest: x | digest: y -->",
    "1. one",
)


class Row(NamedTuple):
    """Edits of pages, and what they say."""

    name: str
    edits: tuple[tuple[str, str, str], ...]
    events: tuple[str, ...]
    refused: tuple[str, ...]


def rows() -> Iterator[Row]:
    """Read the rows."""
    for part in ROWS.read_text(encoding="utf-8").split("\n### ")[1:]:
        name, *lines = part.rstrip("\n").split("\n")
        edits = []
        for line in lines:
            if " =>" in line and line[:2] not in ("= ", "! "):
                old, new = (one.replace("\\n", "\n") for one in re.split(" => ?", line, maxsplit=1))
                page, _, rest = old.partition(": ")
                edits.append((page, rest, new) if page.endswith(".md") else (PAGE, old, new))
        events = [line[1:].strip() for line in lines if line[0:1] == "=" and line[1:].strip()]
        yield Row(
            name, tuple(edits), tuple(events), tuple(one[2:] for one in lines if one[:2] == "! ")
        )


LOGS = {
    "2026-06-01-100000": log_bytes(
        {"agent": "ada"},
        ["Created: one, two, three, rule, done, wire, torn, both, secret, old, kept, state-phase, api, order-store",
         "Promoted: kept", "Closed: done", "Invalidated: old"],
        [("one", "One.", "", ""), ("two", "Two?", " ", "kind: thread"), ("three", "Three.", "", "kind: decision | tags: api"),
         ("rule", "Never.", "", "kind: invariant"), ("done", "Do it.", " ", "kind: thread"),
         ("wire", "Wire it.", " ", "kind: task | owner: ada"), ("torn", "Torn.", " ", "kind: task"), ("both", "A.", "", ""),
         ("secret", "The walrus.", "", ""), ("old", "Old.", "", ""), ("kept", "Kept.", "", ""),
         ("state-phase", "Hardening", "", "kind: state"), ("api", "Cut it.", " ", "kind: task | priority: high"),
         ("order-store", "\\[ ] is no box.", "", "entity: order store")]
    ),
    "2026-06-02-100000": log_bytes(
        {"agent": "bo"}, ["Created: both", "Moved: wire → in-progress (was none)", "Moved: torn → blocked (was none)"],
        [("both", "B.", "", "")]
    ),
    "2026-06-03-100000": log_bytes({"agent": "cy"}, ["Moved: torn → in-progress (was none)"], []),
    "2026-06-04-100000": log_bytes({"agent": "cy", "type": "edit"}, ["Redacted: secret"], []),
}  # fmt: skip


def published(world: World, files: dict[str, bytes], name: str = "a") -> Place:
    """Make a home of these files, with the pages that Diurna makes of them."""
    home = world.home(OWN_REPOSITORY, name)
    home.plant(dict(files))
    home.run("check", "--publish")
    return home


def edited(text: str, old: str, new: str) -> str:
    """Make an edit; `@block` and the like say which lines around a place are meant."""
    old, _, which = old.partition("@")
    new = new.replace("@block", "- One.\n  <!-- id: one -->\n")
    assert old in text, f"{old!r} is not in\n{text}"
    at = text.index(old)
    if which in ("block", "versions", "version"):
        end = text.index("\n  <!-- id:" if which != "version" else "\n    <!--", at) + 1
        end = text.index("\n", end) + 1 if which != "versions" else end
        return text[:at] + new + text[end:]
    if which in ("footer", "line", "footer-below"):
        first = text.rindex("\n", 0, at) + 1 if which != "footer" else at + len(old)
        end = text.index("\n", first) + 1
        return (
            text[:end] + new + text[end:]
            if which == "footer-below"
            else text[:first] + new * (which == "line") + text[end:]
        )
    if which == "end":
        return text + new[4:]
    if which:
        return text[:at] + text[at:].replace(f"tier: {which}", f"tier: {new}", 1)
    return text.replace(old, new, 1)


def said(event: dict[str, Any]) -> str:
    """An event as a row writes it."""
    line = f"{event['event']} {event['id']}"
    line += f" → {event['state']}" if event.get("state") else ""
    line += f" [{event['mark']}]" if event.get("mark") else ""
    line += " = " + event["text"].replace("\n", "\\n") if event.get("text") else ""
    line += "".join(f" | {key}: {value}" for key, value in (event.get("meta") or {}).items())
    return line + (f" (was {', '.join(event['was'])})" if event.get("was") is not None else "")


def absorbed(home: Place, *more: str) -> tuple[list[str], list[str]]:
    """What an edit says, and what of it is not understood."""
    answer = home.run("check", "--absorb", *more, code=None)
    error = answer.json.get("error")
    told = (error or answer.json).get("findings", [])
    assert all(one["line"] and one["hint"] for one in told) or not error, answer
    return [said(one) for one in answer.json.get("events", [])], [
        f"{one['code']}: {one['message']}" for one in told
    ]


@pytest.mark.parametrize("part", range(PARTS))
def test_rows(part: int, world: World) -> None:
    """Each edit says its events or is named with its line, with CRLF, too; a dry run leaves it as it is."""
    home = published(
        world, {"diurna.toml": POLICY, **{path_of(stem): data for stem, data in LOGS.items()}}
    )
    pages = {page: home.read(page) for page in PAGES}
    failures = []
    for row in list(rows())[part::PARTS]:
        texts = dict(pages)
        try:
            for page, old, new in row.edits:
                texts[page] = edited(texts[page], old, new)
        except (AssertionError, ValueError) as error:
            failures.append(f"{row.name}: {str(error)[:100]}")
            continue
        for page, text in texts.items():
            ends = "\r\n" if part % 2 and text != pages[page] else "\n"
            home.write(page, text.replace("\n", ends))
        events, refused = absorbed(home, "--dry-run")
        right = len(refused) >= len(row.refused) and (not refused or bool(row.refused))
        for line in row.refused:
            code, _, words = line.partition(": ")
            right &= any(one.startswith(code) and words.strip() in one for one in refused)
        if not right or (not row.refused and events != list(row.events)):
            failures.append(
                f"{row.name}: {events} {refused}\n    wanted {row.events} {row.refused}"
            )
    assert not failures, "\n".join(failures)


@pytest.mark.deep(but="0", reason="test_rows is the small one")
@pytest.mark.parametrize("seed", range(examples(4, 100)))
def test_a_page_reads_back_and_an_edit_touches_only_its_fact(seed: int, world: World) -> None:
    """What was published says nothing, however it is written; what a person wrote holds, once, and nothing else moves."""
    rng = random.Random(seed)
    files = made_up(rng, 6, texts=MESSY)
    policy = files.pop("diurna.toml")
    home = published(
        world, {"diurna.toml": POLICY + policy.split(b"\n", 2)[2], **dict(sorted(files.items()))}
    )
    before = home.show()
    pages = {page: home.read(page) for page in PAGES}
    for page, text in pages.items():
        home.write(page, f"\ufeff{text}\n".replace("\n", "\r\n"))
    home.git("commit", "-qam", "ends")
    assert absorbed(home, "--dry-run") == ([], [])
    assert home.run("check", "--ci", PAGE, code=None).json["findings"] == []
    home.git("revert", "--no-edit", "HEAD")
    text = pages[PAGE]
    blocks = {found[2]: found for found in BLOCK.finditer(text)}
    free = [
        id
        for id, fact in before.items()
        if id in blocks and not fact["contradiction"] and not fact["redacted"]
    ]
    made: dict[str, str] = {}
    for id in rng.sample(free, min(len(free), 3)):
        block = blocks[id][0]
        made[id] = rng.choice(("reword", "delete", "tick", "core"))
        if made[id] == "tick" and block[:3] != "- [":
            made[id] = "reword"
        if made[id] == "core" and "| tier: core" in block:
            made[id] = "delete"
        box = block[:6] if block[:3] == "- [" else "- "
        new = {
            "reword": f"{box}Brand new.\n\n  - nested\n{block[blocks[id].start(1) - blocks[id].start() :]}",
            "delete": "",
            "tick": f"- [{' ' if box[3] == 'x' else 'x'}] {block[6:]}" if len(box) > 2 else block,
            "core": re.sub(r"\| tier: [a-z-]+", "| tier: core", block),
        }[made[id]]
        text = text.replace(block, new, 1)
    home.write(PAGE, text)
    _, refused = absorbed(home)
    assert refused == []
    after = home.show()
    assert absorbed(home) == ([], [])
    for id, fact in before.items():
        now = after[id]
        if made.get(id) == "delete":
            assert now["invalidated"] or now["denied"]
        elif made.get(id) == "reword":
            assert now["text"] == "Brand new.\n\n- nested"
        elif made.get(id) == "tick":
            assert now["closed"] is not fact["closed"]
        elif made.get(id) == "core":
            assert now["tier"] == "core"
        else:
            kept = "text closed moves meta invalidated uses last_used created kind".split()
            assert [now[key] for key in kept] == [fact[key] for key in kept]
