"""Write `continuity.md`: the live view of a ledger as markdown that people read and edit.

Pure: the same view gives the same bytes, whatever the order of its facts (FORMAT.md, sections 4 and
7). Texts are written as they are; a text can not forge structure, because only its first line stands
in column 0, behind its bullet, and the footer is always the last line of its block
(fault:G13 and fault:G14). `parse` reads every form back that is written here, byte for byte.

The forms, once::

    - First line of the text.
      Further lines, indented by two spaces; blank lines stay empty.
      <!-- id: ... | created: ... | ... -->

    - **Contradiction**: 2 versions stand, none wins.
      - One text.
        <!-- version: 3fa9c1d2 | log: STEM -->
      - The other text.
        <!-- version: 9bc1d2e3 | log: STEM -->
      <!-- id: ... | ... | heads: 3fa9c1d2, 9bc1d2e3 -->
"""

from __future__ import annotations

from ledger.model.layout import FORMAT_VERSION
from ledger.model.session import ASKED_KEY
from projection.fold.fact_history import NO_TEXT, REDACTED_TEXT, Fact, Version
from projection.fold.live_view import TIERS, LiveView, Standing
from projection.policy.model import CLOSABLE, CONTRADICTIONS, Policy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

TITLE = "Continuity — "
NOTE = (
    "Diurna computes this file from the session logs. Edit its bullets: before it is written again, the "
    "edit becomes a log of its own, and what is not understood is named and left as it is."
)
#: The labels of the state block, in their order.
NOT_KNOWN = "not known"
STATE_LABELS = (
    *("As of", "Sessions", "Last session", "Last review", "Last invariant check", "Facts"),
)
NONE = "none"
#: How the first line of a contradicted fact starts.
LEAD = "**Contradiction**: "
#: Footer keys that are computed: a fact's own footer can not set them here.
COMPUTED_KEYS = frozenset(
    (
        "id", "kind", "created", "last_used", "uses", "tier", "origin", "verified", "heads", "moves",
        "reason",
    )
)  # fmt: skip
_BOXES = ("[ ] ", "[x] ", "[X] ")


def render(view: LiveView) -> str:
    """Write a live view as the text of `continuity.md`.

    Facts with a kind that the policy does not name stand in sections of their own after all others.
    """
    summary = view.summary
    title = f"# {TITLE}{one_line(view.policy.project)}".rstrip(" ")
    parts = [title, f"> {NOTE}", _state_block(view)]
    parts += contradictions(view.contradicted)
    for title, standings in _sections(view.policy, view.live):
        parts.append(f"## {title}")
        for standing, kind in standings:
            parts.append(block(standing.fact, standing.tier, kind))
    parts.append(machine(FORMAT_VERSION, summary.logs, summary.newest, summary.digest))
    return "\n\n".join(parts) + "\n"


def contradictions(contradicted: Iterable[Fact]) -> list[str]:
    """Write the section of the facts that are torn apart, as its parts; none where there is none."""
    torn = sorted([fact for fact in contradicted if fact.torn_apart], key=lambda fact: fact.id)
    items = [item(conflict(fact)) for fact in torn]
    return [f"## {CONTRADICTIONS}", *items] if items else []


def block(fact: Fact, tier: str, kind: str = "", reason: str = "") -> str:
    """Write one fact with its footer, without a final newline.

    `kind` is "" where the section implies it; `reason` is why it is archived, "" for a live fact.
    """
    mark = ("x" if fact.closed else " ") if fact.kind in CLOSABLE else ""
    heads = fact.heads
    versions: tuple[Version, ...] = ()
    if fact.redacted:
        body = item(REDACTED_TEXT, mark)
    elif len(heads) == 1:
        body = item(heads[0].text, mark)
    elif heads:
        versions = fact.versions
        body = contradicted(versions, mark)
    else:
        body = item(NO_TEXT, mark)
    out = f"{body}\n  <!-- id: {fact.id}"
    if kind:
        out += f" | kind: {footer_value(kind)}"
    created, last_used, origin = fact.created, fact.last_used, fact.origin
    if not (created + origin).replace("-", "").isalnum():  # an import may have brought anything
        created, origin = footer_value(created), footer_value(origin)
    if created:
        out += f" | created: {created}"
    if last_used:
        out += f" | last_used: {last_used}"
    out += f" | uses: {fact.uses} | tier: {tier}"
    if origin:
        out += f" | origin: {origin}"
    if fact.supersedes:
        out += f" | supersedes: {', '.join(fact.supersedes)}"
    for key, value in fact.meta:
        if key in (*COMPUTED_KEYS, ASKED_KEY) or (key == "supersedes" and fact.supersedes):
            continue
        key = footer_value(key).replace(":", "-")
        value = footer_value(value)
        if value and key and key not in COMPUTED_KEYS:
            out += f" | {key}: {value}"
    if fact.verified:
        out += f" | verified: {fact.verified}"
    if versions:
        out += f" | heads: {', '.join([v.id for v in versions])}"
    if fact.moves:
        out += f" | moves: {', '.join([f'{move.state} in {move.stem}' for move in fact.moves])}"
    if reason:
        out += f" | reason: {reason}"
    return out + " -->"


def item(text: str, mark: str = "") -> str:
    """Write a text as a list item; `mark` is its checkbox: "" none, " " open, "x" closed.

    A text without a checkbox that starts like one gets a backslash before it, which markdown hides.
    """
    if mark:
        head = f"- [{mark}] "
    elif text[:1] in ("[", "\\") and is_boxed(text.lstrip("\\")):
        head = "- \\"
    else:
        head = "- "
    first, *rest = text.split("\n")  # empty ones stay empty
    return head + "\n".join([first, *[f"  {line}" if line else "" for line in rest]])


def contradicted(versions: Iterable[Version], mark: str = "") -> str:
    """Write all standing versions of one fact as a list item, without the fact's footer."""
    nested = [
        f"{item(version.text)}\n  {footer((('version', version.id), ('log', version.stem)))}"
        for version in versions
    ]
    return item("\n".join([lead(len(nested)), *nested]), mark)


def lead(versions: int | str) -> str:
    """Write the first line of a contradicted fact with so many versions."""
    return f"{LEAD}{versions} versions stand, none wins."


def conflict(fact: Fact) -> str:
    """Say what contradicts what in a fact, and what resolves it."""
    said, id = [], fact.id
    versions = fact.versions if len(fact.heads) > 1 else ()
    rivals = fact.rivals if len(fact.rivals) > 1 else ()
    circle, moves = fact.circle if fact.circular else (), fact.moves if fact.torn else ()
    if versions:
        was = ", ".join([version.id for version in versions])
        said.append(
            f"{len(versions)} versions stand, none wins; "
            f"`Updated: {id} (was {was})` with the text that holds resolves it."
        )
    if rivals:
        said.append(
            f"{len(rivals)} successors stand, none wins; "
            "superseding or invalidating all but one of them resolves it."
        )
    if circle:
        said.append("It stands in a circle of supersessions; reinstating what holds resolves it.")
    if fact.denied:
        said.append(
            "It was called false by who did not know this text; "
            f"`diurna conflicts {id} --choose SIDE` says which holds."
        )
    if moves:
        said.append(
            f"{len(moves)} moves stand, none wins; `diurna conflicts {id} --state STATE` says which holds."
        )
    lines = [f"`{id}`: {' '.join(said)}"]
    lines.extend(f"- version `{version.id}` of {version.stem}" for version in versions)
    lines.extend(f"- successor `{rival}`" for rival in rivals)
    lines.extend(f"- circle `{other}`" for other in circle)
    lines.extend(
        f"- superseded by `{new}` in {stem}" if new else f"- invalidated in {stem}"
        for stem, new in fact.denied
    )
    lines.extend(f"- moved to {move.state} in {move.stem}" for move in moves)
    return "\n".join(lines)


def footer(pairs: Iterable[tuple[str, str]]) -> str:
    """Write footer pairs as one comment."""
    return f"<!-- {' | '.join([f'{key}: {value}' for key, value in pairs])} -->"


def machine(format: int, logs: int, newest: str, digest: str) -> str:
    """Write the last line of `continuity.md`, by which drift shows without a replay."""
    return (
        f"<!-- diurna: format {format} | logs: {logs} | newest: {newest or NONE} "
        f"| digest: {digest} -->"
    )


def footer_value(value: str) -> str:
    """Make a string safe to stand in a footer: no `|`, no line end, no end of comment.

    Deterministic, and the identity for every value that `append` accepts (FORMAT.md, section 3.3).
    """
    if "|" in value:
        value = value.replace("|", "¦")
    if ">" in value:
        value = value.replace("-->", "→").replace("--!>", "→")
    return one_line(value)


def one_line(text: str) -> str:
    """Put a string on one line, without blanks around it."""
    if "\n" in text or "\r" in text or "\t" in text:
        text = text.replace("\n", " ").replace("\r", " ").replace("\t", " ")
    return text.strip(" ")


def is_boxed(text: str) -> bool:
    """Tell whether the first line of a text starts with a checkbox."""
    return text[:4] in _BOXES or (text[:4].rstrip("\n") + " " in _BOXES and text[3:4] in ("", "\n"))


def _state_block(view: LiveView) -> str:
    summary = view.summary
    last = one_line(summary.last_session) or NONE
    agent = one_line(summary.last_agent)
    values = (
        one_line(summary.newest) or NONE,
        str(summary.sessions),
        f"{last} ({agent})" if agent else last,
        one_line(summary.last_review) or NONE,
        one_line(summary.last_check) or NONE,
        ", ".join([f"{count} {tier}" for tier, count in zip(TIERS, view.tiers, strict=False)])
        or NOT_KNOWN,
    )
    return "\n".join(
        [f"- {label}: {value}" for label, value in zip(STATE_LABELS, values, strict=True)]
    )


def _sections(
    policy: Policy, live: Iterable[Standing]
) -> list[tuple[str, list[tuple[Standing, str]]]]:
    """Sort facts into sections; a fact's kind stands beside it where the section has several."""
    by_kind: dict[str, list[Standing]] = {}
    for standing in live:
        by_kind.setdefault(standing.fact.kind, []).append(standing)
    known = [kind.name for kind in policy.kinds]
    order = [*known, *sorted(by_kind.keys() - set(known))]
    titles = {name: section_title(policy, name) for name in order}
    shared = [titles[name] for name in known]
    sections: dict[str, list[tuple[Standing, str]]] = {}
    for name in order:
        title = titles[name]
        section = sections.setdefault(title, [])  # the first kind of a section gives it its place
        implied = name in known and shared.count(title) == 1
        kind = "" if implied else name
        section.extend([(standing, kind) for standing in by_kind.get(name, ())])
    for section in sections.values():
        section.sort(key=lambda one: (one[0].fact.created, one[0].fact.id))
    return [(title, section) for title, section in sections.items() if section]


def section_title(policy: Policy, kind: str) -> str:
    """Return the title of the section in which facts of a kind stand."""
    return one_line(policy.kind(kind).section) or "Facts"
