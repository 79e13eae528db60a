"""Show one session: what it comes to, what it did to facts, and its log."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable

from ledger.codec.fact_blocks import parse_footer
from ledger.errors import NotFound
from ledger.model.order import key_of, stem_in
from memory.write.draft import did
from projection.text.clipping import clipped
from rituals.serve.web.page_value import Asked, Page
from rituals.serve.web.tip_view.tip_view import TipView

#: Of a log so much is shown: that of an import may be as long as all pages together.
_LOG_CHARS = 40_000


def session(tip: TipView, asked: Asked) -> Page:
    """Return the page of a session log, by its stem or the start of it.

    Raises:
        NotFound: there is no such log.
    """
    digest = tip.memory.digest(asked["stem"])
    at = bisect_left(tip.entries, key_of(digest.stem), key=lambda entry: entry.stem)
    entry = tip.entries[at]
    try:
        text = tip.memory.get([digest.stem]).hits[0].text
    except NotFound:  # its words are withheld
        text = ""
    done = did(entry)
    named = {id for _, ids in done for one in ids for id in one.split(" → ")}
    facts = [one.fact for name in sorted(named) if (one := tip.standings.get(name))]
    values = {
        "digest": digest,
        "entry": entry,
        "did": [(verb, [tuple(one.split(" → ")) for one in ids]) for verb, ids in done],
        "marks": tip.memory.marks(facts),
        "origin": tip.writers([digest.stem]).get(digest.stem),
        "log": readable(text[:_LOG_CHARS]),
        "cut": len(text) > _LOG_CHARS,
        "stem": digest.stem,
        "before": stem_in(tip.entries[at - 1].stem) if at else "",
        "behind": stem_in(tip.entries[at + 1].stem) if at + 1 < len(tip.entries) else "",
    }
    return Page("session", digest.title or clipped(digest.summary, 60) or digest.stem, values)


def addresses(tip: TipView) -> Iterable[str]:
    """Return the addresses of all sessions."""
    return list(dict.fromkeys([f"/session/{stem_in(entry.stem)}" for entry in tip.entries]))


def readable(log: str) -> str:
    """Return a log as markdown: without head and title, and with ids where facts have footers."""
    lines = log.split("\n")
    if lines[0] == "---" and "---" in lines[1:]:
        lines = lines[lines.index("---", 1) + 1 :]
    if lines[0].startswith("# "):  # the page says it
        del lines[0]
    for number, line in enumerate(lines):
        bare = line.strip()
        footer = parse_footer(bare) if bare[:4] == "<!--" else None
        if footer is not None:
            lines[number] = f"{line[: len(line) - len(line.lstrip())]}[[{footer[0]}]]"
    return "\n".join(lines)
