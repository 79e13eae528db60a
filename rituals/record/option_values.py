"""Read the values of append's options: `id=my-id entity="Payments API" decision: Text.`, `OLD=NEW`, ids.

What is no kind of the policy and no key belongs to the text of a new fact; where it looks like one, that
is a slip: a kind is told, a key is refused, with the right spelling.
"""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches
from unicodedata import combining, normalize

from ledger.errors import DraftRefused, WrongUsage
from ledger.model.findings import Finding
from ledger.model.ids import is_fact_id
from ledger.model.session import META_KEYS
from memory.write.draft_checks import FOOTERS, meant_key
from projection.graph.graph_neighbours import names_in
from projection.policy.model import DEFAULT_KIND
from rituals.record.request import NewFact, Pairs, Supersession
from rituals.record.slips import ALIKE, KEPT, kind_of, meant_kind, no_text, unknown_kind

#: What may stand before the text of a new fact.
KEYS = ("id", "tags", "entity", *FOOTERS)


def parsed(
    text: str, kinds: tuple[str, ...], kind: str = DEFAULT_KIND
) -> tuple[NewFact, Finding | None]:
    """Read `kind: text`; `id=my-id`, `entity=NAME,NAME` and other keys may stand around the kind.

    What stands before the colon and means no kind of the policy belongs to the text. `kind` is that of a
    text that names none. Where a kind or a key is none and looks like one, that is said beside it.
    """
    said: dict[str, str] = {}
    rest = _take(private_last(text), said)
    head, colon, tail = rest.partition(":")
    meant, tag = kind_of(head, kinds) if colon else ("", "")
    if meant:
        kind, rest = meant, _take(tail.strip(), said)
        wrong = _key_slip(rest, said, behind=True)
    else:
        wrong = _misread(rest, said, kinds)
    tags = names_in(said.get("tags", ""))
    new = NewFact(
        rest,
        _as_id(said.get("id", "")),
        kind,
        (*tags, tag) if tag and tag not in tags else tags,
        names_in(said.get("entity", "")),
        tuple([(key, said[key]) for key in FOOTERS if said.get(key)]),
    )
    return new, wrong


def private_last(text: str) -> str:
    """Return a text that begins with its words: what nobody keeps of it hides neither kind nor key."""
    text = text.strip()
    end = text.lower().find("</private>") + len("</private>")
    begins = text[:9].lower() == "<private>" and end > 9
    return f"{text[end:].strip()} {text[:end]}" if begins and text[end:].strip() else text


def _as_id(said: str) -> str:
    """Return an id as ids are written: without capitals and accents, where that makes one."""
    bare = "".join([one for one in normalize("NFKD", said).lower() if not combining(one)])
    return bare if is_fact_id(bare) else said


def new_facts(
    texts: Sequence[str], kinds: tuple[str, ...], place: str, hint: str, *, anyway: bool = False
) -> tuple[tuple[NewFact, ...], tuple[Finding, ...]]:
    """Read new facts that somebody gave at a place of the command line; say which kinds are none.

    Raises:
        DraftRefused: a key is none, and it is not to be taken `anyway`.
        WrongUsage: one has no text; the hint says how one is given.
    """
    read = [parsed(text, kinds) for text in texts]
    at = f"{place}: " if place.startswith("--") else ""
    slips = [wrong._replace(message=f"{at}{wrong.message}") for _, wrong in read if wrong]
    if not anyway and (keys := tuple([one for one in slips if one.code == "bad-footer"])):
        raise DraftRefused(keys)
    for text, (new, _) in zip(texts, read, strict=True):
        if not new.text:
            raise WrongUsage(no_text(text), where=place, hint=hint)
    found = tuple([one for one in slips if one.code != "bad-footer"])
    return tuple([new for new, _ in read]), found


def parse_supersede(text: str) -> Supersession:
    """Read `OLD=NEW`.

    Raises:
        WrongUsage: it has another form.
    """
    old, equals, new = text.partition("=")
    if not (equals and old.strip() and new.strip()):
        raise WrongUsage(
            f"{text!r} does not say what replaces what",
            where="--supersede",
            hint="write --supersede OLD=NEW; what is false without a successor: --invalidate OLD",
        )
    return Supersession(old.strip(), new.strip())


def parse_pairs(values: tuple[str, ...], option: str, what: str = "") -> Pairs:
    """Read `ID=WORDS` of an option; what stands alone is an id without words.

    `option`, and `what` its words are called, are for messages; `what` is "" where they may be left out.

    Raises:
        WrongUsage: one has another form, or says something twice of one id.
    """
    found: dict[str, str] = {}
    for value in values:
        id, _, words = (part.strip() for part in value.partition("="))
        if not id or (what and not words):
            raise WrongUsage(
                f"{value[:80]!r} does not say {what or 'which fact'}", where=option,
                hint=f"write {option} ID={what or 'ROLE'}",
            )  # fmt: skip
        if id in found:
            raise WrongUsage(f"{id} stands twice", where=option, hint="say it once")
        found[id] = words
    return tuple(found.items())


def parse_ids(values: tuple[str, ...]) -> tuple[str, ...]:
    """Read ids that may be given one by one or as comma lists; each once, in order."""
    found = [part.strip() for value in values for part in value.split(",")]
    return tuple(dict.fromkeys(part for part in found if part))


def _misread(rest: str, said: dict[str, str], kinds: tuple[str, ...]) -> Finding | None:
    """Say what is wrong with a text that names no kind; None where it reads as it was meant."""
    head, colon, tail = rest.partition(":")
    words = head.split()
    before_kind = bool(colon and len(words) > 1 and kind_of(words[-1], kinds)[0])
    wrong = _key_slip(rest, said, behind=False, sure=before_kind)
    if wrong is not None or not words or not colon or tail[:1].strip():
        return wrong
    if before_kind and said:
        return _blank_slip(words, *list(said.items())[-1])
    return _kind_slip(head.strip(), kinds)


def _key_slip(
    rest: str, said: dict[str, str], *, behind: bool, sure: bool = False
) -> Finding | None:
    """Say what is wrong with a key that nothing takes."""
    key, equals, value = rest.partition("=")
    if not equals or not _is_name(key) or not value[:1].strip():
        return None
    low = key.lower()
    meant = meant_key(low) or next(iter(get_close_matches(low, KEYS, 1, ALIKE)), "")
    if not (low in META_KEYS or low == "kind" or meant or (sure and not behind)):
        return None
    if low in said:
        message = f"{low}= stands twice"
        hint = "join several names with commas: `entity=Redis,API`; "
    else:
        message = f"a new fact has no key {key}="
        hint = f"did you mean {meant}=? " if meant else ""
        hint += f"keys: {', '.join(f'{one}=' for one in KEYS)}; "
        if low == "kind":
            hint += "the kind stands with a colon before the text: `decision: TEXT`; "
    hint += f"where it belongs to the text, put it in back-ticks: `{key}=…`"
    return Finding("bad-footer", message, hint=hint)


def _blank_slip(words: list[str], key: str, value: str) -> Finding:
    """Say how a value with blanks is written."""
    more = " ".join(words[:-1])
    message = f"{more!r} stands between {key}= and the kind {words[-1]}"
    return Finding(
        "bad-footer", message, hint=f'a value with blanks stands in quotes: {key}="{value} {more}"'
    )


def _kind_slip(head: str, kinds: tuple[str, ...]) -> Finding | None:
    """Say that what stands before the colon is no kind, where it looks like one."""
    looks = _is_name(head) and head.islower()
    if not meant_kind(head, kinds) and not looks:
        return None
    found = unknown_kind(head, kinds, kept=KEPT, form="`{}: …`")
    way_out = f"where it belongs to the text, say the kind first: `{DEFAULT_KIND}: {head}: …`"
    return found._replace(hint=f"{found.hint}; {way_out}")


def _is_name(text: str) -> bool:
    """Tell whether a text has the form of a kind or a key: one word of letters, digits and hyphens."""
    bare = text.replace("-", "").replace("_", "")
    return text.isascii() and bare.isalnum() and text[0].isalpha()


def _take(text: str, said: dict[str, str]) -> str:
    """Take `key=value` off the start of a text, each key once; return what is behind."""
    while True:
        key, equals, rest = text.partition("=")
        if not equals or key not in KEYS or key in said:
            return text
        end = _value_end(rest)
        quoted = rest[0] == rest[end - 1] == "'" if end > 1 else False
        said[key] = rest[1 : end - 1] if quoted else rest[:end].replace('"', "")
        text = rest[end:].strip()


def _value_end(text: str) -> int:
    """Return where a value ends: at the first blank that stands in no quotes."""
    closing = text.find("' ", 1) + 1 or len(text) * text.endswith("'")
    if text[:1] == "'" and closing > 1:
        return closing
    quoted = False
    for place, char in enumerate(text):
        if char == '"' and (quoted or text.find('"', place + 1) > 0):
            quoted = not quoted
        elif char.isspace() and not quoted:
            return place
    return len(text)
