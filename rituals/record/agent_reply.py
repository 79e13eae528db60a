"""Make a request of an answer's lines: what can be recorded is, all else is said."""

from __future__ import annotations

from ledger.codec.canonical_draft import problems
from ledger.errors import DraftRefused, NotFound, WrongUsage
from ledger.model.event import FactReferenced
from ledger.model.finding_codes import Finding
from ledger.model.ids import is_fact_id
from ledger.model.session import ASKED_KEY, SessionLog, says_personal
from ledger.secrets.match import expression
from memory import footer_value
from projection.policy.model import DEFAULT_KIND
from projection.text.clipping import one_line
from rituals.record.draft_composer import birth, kinds_of
from rituals.record.note_lines import FACT, Line
from rituals.record.option_values import ASKED, DONE, TITLE, USED, WRONG, parsed
from rituals.record.own_home_parts import PREFIX, Drafts, drafts_of
from rituals.record.request import NewFact, Request

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from typing import Any

    from memory import Memory, SessionDraft

CODE = "note-line"
#: How much of its first text the title of a note bears, of a line what is said of it, of a text at most.
_TITLE_CHARS, _SAID_CHARS, _TEXT_CHARS = 72, 60, 400
_REMARK = "named"
#: What may be an id, whole: no part of a path or of a longer name.
_ID = expression(r"(?<![\w./-])[a-z0-9]+(?:[.-][a-z0-9]+)*(?![\w/-])")


def answer_of(
    memory: Memory,
    lines: Sequence[Line],
    header: Request,
    kind: str = "",
    shown: Collection[str] = (),
) -> tuple[Request, tuple[Finding, ...]]:
    """Read lines as one request; return it, and what is to be said of the lines.

    Args:
        memory: knows kinds and ids.
        lines: of the answer.
        header: who says it, and the title that was given beside them.
        kind: of the texts that name none, "" for a fact.
        shown: ids of the facts that its author was shown: a text that names one uses it.
    """
    reading = _Reading(memory, kind, header.title)
    for line in lines:
        reading.take(line, shown)
    return reading.answer(header)


def named(drafts: Drafts) -> Drafts:
    """Say beside the uses of an answer that they were named there."""

    def marked(draft: SessionDraft | None) -> SessionDraft | None:
        return draft and draft._replace(
            events=tuple(
                event._replace(remark=_REMARK) if isinstance(event, FactReferenced) else event
                for event in draft.events
            )
        )

    return drafts._replace(here=marked(drafts.here), own=marked(drafts.own))


def recordable(
    memory: Memory, request: Request, refused: DraftRefused
) -> tuple[Drafts | None, tuple[Finding, ...]]:
    """Return what of a refused request can be recorded; say what can not, and why.

    The drafts are None where nothing is left that is new.

    Raises:
        DraftRefused: it was refused for its one line, or for a reference that was typed.
    """
    lists, said = ("new", "close", "invalidate", "refs"), list[Finding]()
    parts = [(key, one) for key in lists for one in getattr(request, key)]
    if any(one.where == "--ref" for one in refused.findings) or len(parts) < 2:
        raise refused
    kept = bare = request._replace(new=(), close=(), invalidate=(), refs=())
    for key, what in parts:
        added: dict[str, Any] = {key: (*getattr(kept, key), what)}
        tried = kept._replace(**added)
        try:
            named(drafts_of(memory, tried, options=True)).append(memory, dry_run=True)
        except DraftRefused as problem:
            why = problem.findings[0]
            text = _whole(what) if isinstance(what, NewFact) else what
            said.append(Finding(CODE, f"not recorded: {text}: {why.message}", hint=why.hint))
        else:
            kept = tried
    drafts = None if kept == bare else named(drafts_of(memory, kept, options=True))
    return drafts, tuple(said)


class _Reading:
    """One reading of an answer."""

    def __init__(self, memory: Memory, kind: str, title: str) -> None:
        self._memory, self._kind = memory, kind
        self._kinds = kinds_of(memory)
        self._new: list[NewFact] = []
        self._ids: dict[str, list[str]] = {DONE: [], WRONG: [], USED: []}
        self._titles = [title] if title else []
        self._body: list[str] = []
        self._said: list[Finding] = []

    def take(self, line: Line, shown: Collection[str]) -> None:
        """Take one line, with the facts among the shown ones that it names."""
        named = [id for id in _ID.findall(line.text) if id in shown] if shown else []
        self._ids[USED] += [id for id in named if f"`{id}`" in line.text or not self._is_word(id)]
        if line.what == FACT:
            self._take_text(line)
        elif line.what == TITLE and not self._titles:
            self._titles.append(line.text)
        elif line.what == ASKED and self._new:
            said = dict(self._new[-1].footers)
            parts = [one.strip() for one in f"{said.get(ASKED_KEY, '')};{line.text}".split(";")]
            if told := "; ".join(dict.fromkeys(filter(None, parts))):
                said[ASKED_KEY] = footer_value(told)
            self._new[-1] = self._new[-1]._replace(footers=tuple(said.items()))
        elif line.what in self._ids:
            living = self._living(line.ids)
            self._ids[line.what] += living
            if line.text or not living:
                self._body.append(line.said.strip())
        else:
            self._body.append(line.said.strip() if line.what == ASKED else line.text)

    def _is_word(self, id: str) -> bool:
        """Tell whether an id may be meant as a word: its fact is told with it, or is gone."""
        fact = self._memory.fact(id)
        return fact is None or fact.false or id in _ID.findall(fact.text.casefold())

    def _take_text(self, line: Line) -> None:
        replaced = self._living(line.ids)
        whole = line.said.strip() if line.ids and not replaced and line.plain else line.text
        kind = self._kind
        if replaced and not kind and (old := self._memory.fact(replaced[0])):
            kind = old.kind
        new, wrong = parsed(whole, self._kinds, kind or DEFAULT_KIND)
        if wrong:
            kept = "; it is kept as text" if wrong.code == "bad-footer" else ""
            self._said.append(wrong._replace(message=wrong.message + kept))
        log = SessionLog((("agent", "a"),), "T", "", (birth("a", new),))
        if not any(map(str.isalnum, new.text)) or problems(log):
            self._body.append(line.said.strip())
            said = one_line(" ".join(line.said.split()), _SAID_CHARS)
            self._say(f"no fact, kept in the log's prose: {said}")
            return
        known = self._memory.fact(new.id) if new.id else None
        if new.id and not is_fact_id(new.id):
            self._say(f"{new.id} is no id", "ids are lower-case words joined by hyphens or dots")
            new = new._replace(id="")
        elif known is not None and known.text.strip() != new.text.strip():
            hint = f"`{new.id} -> {new.kind}: TEXT` replaces it"
            self._say(f"{new.id} is there already", hint)
            new = new._replace(id="")
        self._new.append(new._replace(replaces=replaced))

    def _living(self, ids: tuple[str, ...]) -> tuple[str, ...]:
        """Return the ids that memory knows, whole, and say which ones it does not."""
        memory, found = self._memory, []
        for said in ids:
            try:
                id = memory.named(said)
                if memory.fact(id) is None and not id.startswith(PREFIX):
                    raise NotFound(f"there is no fact {id}", hint=memory.near_hint(id))
                found.append(id)
            except NotFound as problem:
                message = f"{problem.message}; the line was kept"
                self._said.append(Finding("unknown-id", message, hint=problem.hint))
        return tuple(found)

    def answer(self, header: Request) -> tuple[Request, tuple[Finding, ...]]:
        """Return the request, and what is to be said of it."""
        old = {id for new in self._new for id in new.replaces}
        ended = old.union(self._ids[DONE], self._ids[WRONG])
        request = header._replace(
            title="".join(self._titles) or title_of(self._new),
            body="\n".join([f"> {line}" for text in self._body for line in text.split("\n")]),
            new=tuple(self._new),
            close=_once(self._ids[DONE], old),
            invalidate=_once(self._ids[WRONG], old),
            refs=tuple(dict.fromkeys((*header.refs, *_once(self._ids[USED], ended)))),
        )
        return request, tuple(self._said)

    def _say(self, message: str, hint: str = "") -> None:
        self._said.append(Finding(CODE, message, hint=hint))


def replacing(memory: Memory, lines: tuple[Line, ...], old: tuple[str, ...]) -> tuple[Line, ...]:
    """Let the one text of a note replace facts, as `ID -> KIND: TEXT` does.

    Raises:
        WrongUsage: there is not one text.
        NotFound: there is no such fact.
    """
    if not old:
        return lines
    texts = [line for line in lines if line.what == FACT]
    if len(texts) != 1:
        raise WrongUsage(
            f"--replace is of one text, and there are {len(texts)}",
            hint="in a pipe, `ID -> KIND: TEXT` says of each what it replaces",
        )
    old = tuple([one if one.startswith(PREFIX) else memory.standing(one).fact.id for one in old])
    return tuple([one._replace(ids=(*old, *one.ids)) if one in texts else one for one in lines])


def _once(ids: list[str], without: set[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys([one for one in ids if one not in without]))


def title_of(news: list[NewFact]) -> str:
    """Return the title of a log that brings new facts: how the first begins, and how many come with it."""
    # what is only the user's gives no title to what others read
    told = [one for one in news if not says_personal(one.footers)] or news
    more = f" (and {len(told) - 1} more)" if len(told) > 1 else ""
    return one_line(told[0].text.split("\n")[0], _TITLE_CHARS) + more if told else ""


def _whole(new: NewFact) -> str:
    """Return all that is said of a fact; of a text too long how it begins, and how long it is."""
    asked = dict(new.footers).get(ASKED_KEY)
    text = " ".join((f"{new.text}\nasked: {asked}" if asked else new.text).split())
    if len(text) <= _TEXT_CHARS:
        return text
    lines = new.text.count("\n") + 1
    return f"{one_line(text, _SAID_CHARS)} (characters: {len(text)}, lines: {lines})"
