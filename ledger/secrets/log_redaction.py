"""Redact the secrets of a log before it is stored, and say which they were without their values.

Keeps K1 to K4 (fault:L9, fault:L12 and fault:L13).
"""

from __future__ import annotations

from ledger.codec.fact_blocks import tidy
from ledger.errors import DraftRefused
from ledger.model.event import Event, FactCreated, FactUpdated, facts_in
from ledger.model.finding_codes import Finding
from ledger.model.ids import is_object, is_version_id
from ledger.model.log_names import is_sealed
from ledger.model.session import SessionLog
from ledger.secrets.match import (
    LABELLED,
    PERSONAL,
    PERSONAL_RULES,
    SECRET,
    Hit,
    apart,
    without_private,
)
from ledger.secrets.scanner import Lines, find_secrets, redacted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

#: What to do with personal data.
WARN, REDACT, KEEP = "warn", "redact", "keep"
#: The most times that a part is looked through.
_ROUNDS = 8
#: How many findings of a code are told of one text.
_TOLD = 100
_STRICT_HINT = "take it out, or write `diurna: allow-secret` on its line where it is none"
_NOTHING_LEFT = "a title or a fact says nothing outside of <private>, which is not stored"
_HINT = (
    "if it was ever used, replace it where it is valid; a line with `diurna: allow-secret` is kept"
)


class Look:
    """Redacts one log, part by part.

    Args:
        personal: what to do with personal data: `warn`, `redact` or `keep`.
        parts: is only told all that there is to look through, where it is given.
        lines: whether the whole line of a text goes that has a secret, for nobody chose its words.
    """

    def __init__(
        self, personal: str, parts: list[str] | None = None, *, lines: bool = False
    ) -> None:
        self._personal, self._parts, self._lines = personal, parts, lines
        self.secrets: list[tuple[str, Hit]] = []
        self.private: list[tuple[str, Hit]] = []

    def part(self, where: str, text: str, name: str = "") -> str:
        """Return a part of a log without what must not be stored.

        `where` is as a message calls it; `name` stands before it in the log, which may tell what it is:
        `token: `.
        """
        if self._parts is not None:
            self._parts += () if _is_reference(name, text) else (name + text,)
            return text
        public = without_private(text)
        text = public.strip() if public != text else text
        for _ in range(_ROUNDS):  # what was put out may uncover what stood beside it
            clean = self._once(where, text, name)
            if clean == text:
                break
            text = clean
        return text

    def _once(self, where: str, text: str, name: str) -> str:
        found = find_secrets(name + text, homes=True)
        if not found:
            return text
        out: list[Hit] = []
        lines = Lines(name + text)
        for place in lines.held(found):
            if place.end <= len(name) or (place.rule == LABELLED and place.start <= len(name)):
                continue  # what our own key names
            place = place._replace(start=max(place.start, len(name)))
            line = lines.number(place) if "\n" in text else 0
            said = f"line {line} of {where}" if line else where
            if place.kind == SECRET:
                self.secrets.append((said, place))
                out.append(_line_of(text, place) if self._lines and not name else place)
            elif self._personal != KEEP:
                self.private.append((said, place))
                if self._personal == REDACT:
                    out.append(place)
        return redacted(name + text, apart(out))[len(name) :] if out else text

    def log(self, log: SessionLog) -> SessionLog:
        """Return a log without what must not be stored."""
        return log._replace(
            header=tuple(
                (key, self.part(f"the header's {key}", value, f"{key}: "))
                for key, value in log.header
            ),
            title=self.part("the title", log.title),
            prose=self.part("the prose", log.prose),
            events=tuple(self._event(event) for event in log.events),
        )

    def _event(self, event: Event) -> Event:
        remark = self.part(f"the remark beside {event.id}", event.remark) if event.remark else ""
        if not isinstance(event, FactCreated | FactUpdated):
            return event._replace(remark=remark) if event.remark else event
        where = f"the text of {event.id}"
        text = event.text and tidy(self.part(where, event.text))
        meta = tuple(
            (key, self.part(f"the {key} of {event.id}", value, f"{key}: "))
            for key, value in event.meta
        )
        return event._replace(text=text, meta=meta, remark=remark)


def _line_of(text: str, place: Hit) -> Hit:
    """Return the lines that a place stands on, behind the mark of a list."""
    start = text.rfind("\n", 0, place.start) + 1
    end = text.find("\n", place.end)
    start += len(text[start : place.start]) - len(text[start : place.start].lstrip(" \t>*+-"))
    return place._replace(start=start, end=end if end >= 0 else len(text))


def is_withheld(text: str) -> bool:
    """Tell whether nothing is left of a text but what stands in the place of secrets."""
    lines = text.strip().split("\n")
    return all(
        line.strip(" \t>*+-").startswith("[redacted: ") and line.endswith("]") for line in lines
    )


def guard(
    log: SessionLog, *, personal: str = WARN, strict: bool = False, lines: bool = False
) -> tuple[SessionLog, tuple[Finding, ...]]:
    """Redact the secrets of a log; return what may be stored, and what was noticed.

    `personal` says what to do with personal data: `warn`, `redact` or `keep`; `strict` refuses instead
    of redacting; `lines` puts the whole line out that has a secret.

    Raises:
        DraftRefused: `strict`, or a secret stands where nothing can stand in its place, in an id; or
            nothing is left where something has to stand.
    """
    parts = _names(log)
    Look(personal, parts).log(log)
    data = "\n\n".join(parts)
    try:
        data.encode()
    except UnicodeError:  # nothing that can be stored; the draft's own checks say so
        return log, ()
    tagged = without_private(data) != data
    wanted = [
        one for one in find_secrets(data, homes=True) if personal != KEEP or one.kind != PERSONAL
    ]
    if not tagged and not Lines(data).held(wanted):
        return log, ()
    look = Look(personal, lines=lines)
    clean = look.log(log)
    texts = [event.text for event in clean.events if isinstance(event, FactCreated | FactUpdated)]
    if tagged and (not clean.title.strip() or "" in texts):
        hint = "leave it out, or write it without the tag"
        raise DraftRefused((Finding("private-part", _NOTHING_LEFT, hint=hint),))
    if look.secrets and strict:
        _refuse_secrets([(one, f"in {where}") for where, one in look.secrets], _STRICT_HINT)
    if rest := find_secrets("\n\n".join(_names(clean))):
        where = "where no text can be changed"
        _refuse_secrets([(one, where) for one in rest], "choose another id or name")
    found = []
    for where, one in look.secrets:
        whole = "was not stored, nor the line around it" if lines else "was not stored"
        message = f"{article(one.rule)} in {where} {whole}: {one.shown}"
        found.append(Finding("secret-redacted", message, hint=_HINT))
    if tagged:
        found.append(Finding("private-part", "what stood in <private> was not stored"))
    for where, one in look.private:
        done = "was redacted" if personal == REDACT else "is stored as it stands"
        way_out = 'diurna.toml can say `personal = "redact"` below [privacy]'
        hint = "" if personal == REDACT else way_out
        found.append(Finding("personal-data", f"{article(one.rule)} in {where} {done}", hint=hint))
    return clean, tuple(first_of(list(dict.fromkeys(found))))


def _is_reference(name: str, value: str) -> bool:
    """Tell whether a key names a commit, a log, a text or a session in a form that no secret has."""
    uuid = name == "session: " and [*map(len, value.split("-"))] == [8, 4, 4, 4, 12]
    form = {"commit: ": is_object, "after: ": is_sealed, "imported: ": is_version_id}.get(name)
    return form(value) if form else uuid and not value.strip("-0123456789abcdef")


def first_of(found: list[Finding]) -> list[Finding]:
    """Keep the first findings of each code, and say how many more there are."""
    if len(found) <= _TOLD:
        return found
    kept: list[Finding] = []
    for code in dict.fromkeys([one.code for one in found]):
        alike = [one for one in found if one.code == code]
        kept += alike[:_TOLD]
        if len(alike) > _TOLD:
            said = f"and {len(alike) - _TOLD} more places like this one"
            kept.append(alike[_TOLD]._replace(message=said))
    return kept


def _names(log: SessionLog) -> list[str]:
    """Return what can not be redacted: ids, and the names of keys."""
    names = dict.fromkeys([key for key, _ in log.header])
    for event in log.events:
        names |= dict.fromkeys(facts_in(event))
        if isinstance(event, FactCreated | FactUpdated):
            names |= dict.fromkeys([key for key, _ in event.meta])
    return [*names]


def _refuse_secrets(found: list[tuple[Hit, str]], hint: str) -> NoReturn:
    messages = [f"{article(one.rule)} {where}: {one.shown}" for one, where in found]
    raise DraftRefused(tuple([Finding("secret-found", said, hint=hint) for said in messages]))


def article(rule: str) -> str:
    """Write a rule as a message calls it: `a github-token`."""
    if rule in PERSONAL_RULES:
        return "the path of a home folder"
    return f"{'an' if rule[0] in 'aeio' or rule[:3] == 'npm' or rule[:3] == 'ssh' else 'a'} {rule}"
