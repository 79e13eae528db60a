"""Show what happened: sessions by day, newest first; and one of them, what it did and its log."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable
from datetime import date
from typing import Any

from ledger.codec.log import decode
from ledger.errors import NotFound
from ledger.model.event import (
    FactCreated,
    FactInvalidated,
    FactSuperseded,
    FactUpdated,
    ThreadClosed,
)
from ledger.model.ids import WITHHELD
from ledger.model.log_names import NO_DAY, has_time, key_of, log_path, stem_in
from ledger.model.session import CONTINUED, Entry
from memory import deeds, digest
from projection.fold.fact_history import REDACTED_TEXT
from projection.text.clipping import clipped
from rituals.serve.web.pages.filter_bar import OF_LOGS, filter_bar, page_of
from rituals.serve.web.tip_view import Asked, Page, TipView

#: How many sessions stand on a page, and how many sentences and ids of what one did.
_SESSIONS, _MOST, _IDS = 40, 5, 6
_DAY_CHARS = 10


def timeline(tip: TipView, asked: Asked) -> Page:
    """Return the page of the sessions that fit the filter.

    Of a kind that is asked for they made, changed or ended a fact: naming one is not enough.
    """
    bar, tip = filter_bar(tip, asked, "/timeline", OF_LOGS)
    keeps, kind = bar.keeps_log(tip), bar.asks("kind")
    of_kind = {id for id, one in tip.standings.items() if one.fact.kind == kind}
    rows = [
        entry
        for entry in reversed(tip.entries)
        if keeps(entry.stem) and (not kind or any(event.id in of_kind for event in entry.acts))
    ]
    by_day: dict[str, list[Entry]] = {}
    for entry in rows:
        by_day.setdefault(entry.clock[:_DAY_CHARS], []).append(entry)
    shown, pages = page_of(rows, asked, _SESSIONS)
    sessions = tip.sessions([entry.stem for entry in shown])
    days: dict[str, list[dict[str, Any]]] = {}
    for entry in shown:
        if entry.stem in sessions:
            said = sentences(tip, entry)
            told = {
                "session": sessions[entry.stem], "clock": _clock(entry.clock),
                "person": tip.persons.get(entry.stem, ""),
                "said": [one for one in said if kind in ("", one["kind"])],
                "deeds": [] if kind else other_deeds(entry, said, _IDS),
            }  # fmt: skip
            days.setdefault(entry.clock[:_DAY_CHARS], []).append(told)
    values = {
        "bar": bar, "pages": pages, "said": counted(rows), "most": _MOST,
        "days": [
            (date.fromisoformat(day), there, len(by_day[day]), counted(by_day[day]))
            for day, there in days.items()
        ],
    }  # fmt: skip
    return Page("timeline", "Timeline", values)


def counted(entries: Iterable[Entry]) -> str:
    """Say how many work sessions there are, and how many logs of each other type."""
    nouns = {CONTINUED: "further log"}
    types = Counter(
        ["work session" if entry.work else nouns.get(entry.type, entry.type) for entry in entries]
    )
    first = types.pop("work session", 0)
    rows = [("work session", first), *sorted(types.items())]
    return ", ".join([f"{n:,} {name}{'s' * (n != 1)}" for name, n in rows if n or not types])


def _clock(at: str) -> str:
    """Return the time of the day that a stamp has, "" for none."""
    digits = at[11:15]
    return f"{digits[:2]}:{digits[2:]}" if has_time(at) and digits.isdigit() else ""


#: Of a log so much is shown: that of an import may be as long as all pages together.
_LOG_CHARS = 24_000


def session(tip: TipView, asked: Asked) -> Page:
    """Return the page of a session log, by its stem or the start of it.

    Raises:
        NotFound: there is no such log.
    """
    stem = asked["stem"]
    if key_of(stem) not in tip.logs:
        stem = digest(tip.memory.snapshot, stem).stem
    entry = tip.logs[key_of(stem)]
    stem = stem_in(entry.stem)
    try:
        text = tip.memory.get([stem]).hits[0].text
    except NotFound:  # its words are withheld
        text = ""
    log = decode(text.encode(), sealed=False)[0]
    said = sentences(tip, entry)
    deeds = other_deeds(entry, said, len(entry.named) + len(entry.acts))
    named = {one["id"] for one in said}.union(*[ids for deed in deeds for ids in deed["facts"]])
    at = bisect_left(tip.entries, entry.stem, key=lambda entry: entry.stem)
    around = [one.stem for one in tip.entries[max(at - 1, 0) : at + 2]]
    near = tip.sessions(around)
    own = near.get(entry.stem)
    values = {
        "entry": entry,
        "when": when(tip.times([entry.stem])[entry.stem]),
        "said": said,
        "deeds": deeds,
        "marks": tip.memory.marks([tip.standings[id].fact for id in named & set(tip.standings)]),
        "origin": tip.writers([stem]).get(stem),
        "place": tip.memory.home.prefix + log_path(entry.stem),
        #: what the page does not say of it: its prose, and reasons beside ids
        "prose": log.prose[:_LOG_CHARS],
        "reasons": {event.id: event.remark for event in log.events if event.remark},
        "withheld": not text,
        "cut": len(log.prose) > _LOG_CHARS,
        "stem": stem,
        "before": near.get(around[0]) if at else None,
        "behind": near.get(around[-1]) if at + 1 < len(tip.entries) else None,
    }
    title = (own.title or clipped(own.summary, 60)) if own else ""
    return Page("session", title or stem, values)


def when(at: str) -> str:
    """Say on which day and at which time a session ended, as far as that is known."""
    if not at:
        return NO_DAY
    day, clock = date.fromisoformat(at[:_DAY_CHARS]), _clock(at)
    return f"{day:%A}, {day.day} {day:%B %Y}" + (f", {clock} UTC" if clock else "")


#: What is said of a fact in its own words, by the event; a change that is said twice is said once.
_SAID = {
    FactCreated: "new", FactUpdated: "reworded", FactInvalidated: "false", ThreadClosed: "closed",
}  # fmt: skip
#: What `did` calls these.
_VERBS = frozenset(("Created", "Updated", "Invalidated", "Closed"))


def sentences(tip: TipView, entry: Entry) -> list[dict[str, Any]]:
    """Return what became of facts in a session, in the order of the policy's kinds.

    Of each: `word`, its `id` and `kind`, the `text` that it got, "" where none is known, and the facts
    that it stands `instead` of.
    """
    replaced: dict[str, list[str]] = {}
    words: dict[str, tuple[str, str]] = {}
    for event in entry.acts:
        word = _SAID.get(type(event), "")
        if isinstance(event, FactSuperseded):
            replaced.setdefault(event.new, []).append(event.id)
        if word and not (event.id in words and word in ("new", "reworded")):
            own = event.text if isinstance(event, FactCreated | FactUpdated) else ""
            words[event.id] = word, own or ""
    found = []
    for id, (word, own) in (dict.fromkeys(replaced, ("replaces", "")) | words).items():
        now, text = tip.standings.get(id), own or _before(tip, id, entry.stem)
        if text[:1] == WITHHELD or (now is not None and now.fact.redacted):
            text = REDACTED_TEXT
        kind, stands = (now.fact.kind, now.fact.text) if now is not None else ("", "")
        told = {"word": word, "id": id, "kind": kind, "text": text or stands}
        found.append({**told, "instead": replaced.get(id, [])})
    order = {one.name: number for number, one in enumerate(tip.state.policy.kinds)}
    return sorted(found, key=lambda one: order.get(one["kind"], len(order)))


def _before(tip: TipView, id: str, key: str) -> str:
    """Return the text that a fact had before a log, "" for none."""
    history = tip.state.histories.get(id)
    for act in reversed(history.acts if history else ()):
        if act.stem < key and isinstance(act.event, FactCreated | FactUpdated) and act.event.text:
            return act.event.text
    return ""


def other_deeds(entry: Entry, said: Iterable[dict[str, Any]], most: int) -> list[dict[str, Any]]:
    """Return what else a session did to facts, at most so many ids in all.

    The ids of a fact are as they are linked: several where it reads `old → new`.
    """
    told = {one["id"] for one in said}
    instead = {f"{old} → {one['id']}" for one in said for old in one["instead"]}
    found = []
    for verb, ids in deeds(entry):
        rest = [one for one in ids if one not in instead and not (verb in _VERBS and one in told)]
        if rest:
            shown, most = rest[:most], max(most - len(rest), 0)
            facts = [one.split(" → ") for one in shown]
            found.append({"verb": verb.lower(), "facts": facts, "more": len(rest) - len(shown)})
    return found
