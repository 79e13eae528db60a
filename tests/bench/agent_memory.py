"""Generated ledgers in the agent-memory layout, in the many styles that real ones are written in.

Logs of about 3.3 KB with verbs in any case, remarks, ids with and without back-ticks, bullets that
wrap, stubs, repeated and suffixed headings, files that are no logs; facts of every tier, pinned,
nested, grouped, quoted and archived ones. The same seed gives the same bytes.
"""

from __future__ import annotations

import os
import random

_WORDS = tuple(
    "retry queue webhook timeout proxy cache ledger order schema index worker batch stream token "
    "deploy canary flag metric trace span route broker shard replica quota limit cursor fixture "
    "parser render digest merge branch commit policy window review archive thread session fact".split()
)
_VERBS = (
    "referenced", "Referenced", "REFERENCED", "created", "Created (seeded this session)", "Updated",
    "Thread updated", "Corrected (substance)", "Closed", "Referenced / closed", "New", "Archived",
    "Tier changes", "Reactivated", "Touched",
)  # fmt: skip
_SECTIONS = (
    "Architectural Invariants", "Key Decisions", "Conventions", "Patterns", "User Preferences",
    "Open Threads",
)  # fmt: skip
_TIERS = ("active", "working", "archive-candidate")
_START_DAY = 20_454  # 2026-01-01, in days since 1970
_POLICY = """# Memory Policy

## Lifecycle windows (sessions)
- working_window:   3     # new facts
- active_window:    8
- archive_window:   20    # not referenced for more than this

- review_every: 10
"""


def generate(directory: str | os.PathLike[str], logs: int, facts: int, seed: int = 7) -> None:
    """Write a ledger into `directory/memory`.

    The folder is empty or missing. Logs come besides an `INDEX.md`, a tenth of the facts is archived, and
    the same seed gives the same bytes.
    """
    rng = random.Random(seed)
    root = os.path.join(directory, "memory")
    for folder in ("sessions", "archive", "open-threads"):
        os.makedirs(os.path.join(root, folder), exist_ok=True)
    ids = _ids(rng, facts)
    stems = _stems(rng, logs)
    prose = [" ".join(rng.choices(_WORDS, k=90)).capitalize() + "." for _ in range(60)]
    for number, stem in enumerate(stems):
        recent = ids[max(0, number * facts // max(logs, 1) - 80) :][:120] or ids
        _write(root, f"sessions/{stem}.md", _log(rng, stem, recent, prose))
    _write(root, "sessions/INDEX.md", "# Index\n\nNo log, yet read by the reference tool.\n")
    archived = facts // 10
    _write(root, "continuity.md", _continuity(rng, ids[archived:], stems))
    pages = "".join(f"## Swept\n\n{_fact(rng, id, stems, '')}\n" for id in ids[:archived])
    _write(root, "archive/2026-Q1.md", "\n" + pages)
    _write(root, "archive/INDEX.md", "# Archive Index\n")
    _write(root, "decay-policy.md", _POLICY)
    vision = f"> The north star.\n>\n> {_footer('vision-bench', stems[:1], 'core', 1)}\n"
    _write(root, "vision.md", f"# Vision\n\n{vision}\n## Elevator statement\n\n{prose[0]}\n")


def _write(root: str, name: str, text: str) -> None:
    with open(os.path.join(root, name), "wb") as file:
        file.write(text.encode())


def _ids(rng: random.Random, count: int) -> list[str]:
    ids = []
    for number in range(count):
        words = rng.sample(_WORDS, rng.randint(1, 3))
        form = rng.random()
        tail = f"-{number}" if form < 0.9 else f"-4.{number}" if form < 0.95 else str(number)
        ids.append("-".join(words) + tail)
    return ids


def _stems(rng: random.Random, count: int) -> list[str]:
    from ledger.model.order import stamp_of

    second = _START_DAY * 86_400
    stems = []
    for _ in range(count):
        second += rng.randint(60, 12_000)
        stems.append(stamp_of(second * 1000)[:17])
    return stems


def _named(rng: random.Random, ids: list[str]) -> str:
    id = rng.choice(ids)
    form = rng.random()
    if form < 0.4:
        id = f"`{id}`"
    elif form < 0.5:
        id = f"[[{id}]]"
    elif form < 0.55:
        id = f"**{id}**"
    if rng.random() < 0.2:
        id += f" ({rng.choice(_WORDS)} {rng.choice(ids)})"
    return id


def _log(rng: random.Random, stem: str, ids: list[str], prose: list[str]) -> str:
    lines = [f"# Session ({stem[:10]}T00:00:00.000Z)", "", "**Agent:** Bench", "", "## Summary", ""]
    for text in rng.choices(prose, k=5):
        lines += [text, ""]
    lines += [f"Prose that names {rng.choice(ids)} counts for nothing.", ""]
    form = rng.random()
    if not ids or form < 0.02:
        return "\n".join(lines)
    heading = "## Memory References"
    if form < 0.04:
        heading += " (addendum)"
    elif form < 0.05:
        heading = heading.lower()
    elif form < 0.06:
        heading += "  "
    lines += [heading, ""]
    if form > 0.97:
        return "\n".join([*lines, f"(none — {rng.choice(ids)} unchanged)", ""])
    for _ in range(rng.randint(1, 4)):
        verb, names = rng.choice(_VERBS), [_named(rng, ids) for _ in range(rng.randint(1, 5))]
        style = rng.random()
        if style < 0.4:
            lines.append(f"- {verb}: " + ", ".join(names))
        elif style < 0.7:
            lines += [f"- {verb}: " + ",\n  ".join(names)]
        elif style < 0.85:
            lines += [f"{verb}:", *(f"- {name} — {rng.choice(_WORDS)}" for name in names), ""]
        else:
            lines.append(f"- {names[0]} → {rng.choice(ids)} {verb.lower()}")
    if form > 0.9:
        lines += ["", "### Detail", "", f"also {rng.choice(ids)}", "", "# Loud", rng.choice(ids)]
    if form > 0.8:
        lines += ["", "## Memory Review", "", f"tier of {rng.choice(ids)} changed"]
    if 0.78 < form <= 0.8:
        lines += ["", "## Next", "", "## Memory References", "", f"- referenced: {rng.choice(ids)}"]
    return ("\r\n" if form > 0.96 else "\n").join([*lines, ""])


def _footer(id: str, stems: list[str], tier: str, uses: int) -> str:
    day = stems[0][:10] if stems else "2026-01-01"
    origin = f" | origin: {stems[0]}.md" if stems else ""
    return f"<!-- id: {id} | created: {day} | last_used: {day} | uses: {uses} | tier: {tier}{origin} -->"


def _fact(rng: random.Random, id: str, stems: list[str], box: str) -> str:
    lines = [f"- {box}**{' '.join(rng.sample(_WORDS, 3)).capitalize()}.** Because"]
    for _ in range(rng.randint(0, 4)):
        lines.append("  " + " ".join(rng.choices(_WORDS, k=12)))
    if rng.random() < 0.2:
        lines += ["", "  - a nested point", "  - another one"]
    tier = rng.choice(_TIERS)
    if rng.random() < 0.05:
        tier = rng.choice(("core", "superseded | superseded-by: proxy-cache-1"))
    origin = [rng.choice(stems)] if stems else []
    lines.append("  " + _footer(id, origin, tier, rng.randint(1, 9)))
    return "\n".join(lines) + "\n"


def _continuity(rng: random.Random, ids: list[str], stems: list[str]) -> str:
    example = "`<!-- id: kebab-id | created: YYYY-MM-DD | uses: N | tier: active -->`"
    parts = [f"# Continuity\n\n> Each fact ends so:\n> {example}\n\n---\n"]
    places: dict[str, list[str]] = {section: [] for section in _SECTIONS}
    for id in ids:
        places[rng.choice(_SECTIONS)].append(id)
    for section, members in places.items():
        parts.append(f"## {section}\n")
        for id in members:
            box = rng.choice(("[ ] ", "[x] ", "[x] ")) if section == "Open Threads" else ""
            if rng.random() < 0.03 and section == "Conventions":
                parts.append("- an item that shares the footer below\n- and one more")
            parts.append(_fact(rng, id, stems, box))
    return "\n".join(parts)
