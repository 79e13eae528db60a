"""Answer `diurna recall`: ask, and print the hits, what they cost, and what was saved.

And select the facts that `diurna show` shows.
"""

from __future__ import annotations

from collections.abc import Iterator

from ledger.errors import WrongUsage
from memory.recall.recall_values import (
    COMMON_NOTES,
    DOCUMENT_KIND,
    FULL,
    INDEX,
    NO_FACT,
    SESSION_KIND,
    Answer,
    Filters,
    Hit,
)
from memory.replay.reader_marks import as_here
from rituals.answers.record_fields import fields_of, mark_object
from rituals.cli.output import Line, counted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from memory.query.reader import Reader
    from projection.fold.full_replay import State
    from projection.fold.projection_state import Standing
    from projection.policy.model import Policy
    from rituals.cli.context import Invocation


def select(
    memory: Reader,
    state: State,
    ids: tuple[str, ...],
    kind: str,
    tier: str,
    archived: bool,
    *,
    as_of: str = "",
) -> list[Standing]:
    """Choose facts: those named, or those of a kind and a tier, by id.

    `ids` is () for all, `kind` and `tier` are "" for all; with `archived` come archived facts, also when
    no tier is named. The memory is asked for ids that are spelled alike, and without `as_of` for what
    HEAD holds.

    Raises:
        NotFound: a named fact is not there; nothing else is shown then.
        WrongUsage: there is no such kind.
    """
    found = state.standings()
    if ids:
        found = [memory.standing(fact, state) for fact in dict.fromkeys(ids)]
    if not as_of:
        found = as_here(memory.snapshot, found)
    if kind:
        if kind not in {standing.fact.kind for standing in found}:
            check_kind(state.policy, kind)
        found = [standing for standing in found if standing.fact.kind == kind]
    if tier:
        return [standing for standing in found if standing.tier == tier]
    return found if archived or ids else [standing for standing in found if standing.live]


def check_kind(policy: Policy, kind: str) -> None:
    """Check that a kind is one of the policy's.

    Raises:
        WrongUsage: it is none.
    """
    if kind not in {one.name for one in policy.kinds}:
        kinds = ", ".join(one.name for one in policy.kinds)
        raise WrongUsage(f"there is no kind {kind}", where="--kind", hint=f"kinds: {kinds}")


#: What stands above the hits of a kind, where an answer has others too.
_PARTS = {SESSION_KIND: "what was said", DOCUMENT_KIND: "what documents say"}
_HITS = ("hits", "facts", "passages")


def named(call: Invocation, ids: list[str], level: str) -> None:
    """Show memories by their ids; to the session that asks they are opened by that.

    Raises:
        NotFound: an id names nothing.
    """
    answer = call.reader().get(ids, level=level)
    call.opened([hit.id for hit in answer.hits])
    _print(call, "", level, answer)


def of_org(
    call: Invocation, question: str, filters: Filters, scope: tuple[str, str, str], *, full: bool,
    **how: Any,
) -> None:  # fmt: skip
    """Answer a question over all ledgers of an organisation that one may read; see `org_search.Scope`."""
    from rituals.org.org_search import Scope, recall

    found = recall(question, filters, Scope(*scope), full=full, **how)
    _print(call, question, FULL if full else INDEX, found, org=True)


def asked(call: Invocation, question: str, filters: Filters, **how: Any) -> None:
    """Answer a question; `how` as for `Reader.recall`.

    Raises:
        WrongUsage: there is no such kind.
        NotFound: a point of time names nothing.
    """
    reader = call.reader()
    answer = reader.recall(question, filters=filters._replace(documents=True), **how)
    if not answer.hits and filters.kinds:
        for kind in filters.kinds:
            if kind != SESSION_KIND:
                check_kind(reader.policy, kind)
    _print(call, question, how["level"], answer)


def _print(call: Invocation, query: str, level: str, answer: Answer, *, org: bool = False) -> None:
    """Print what was recalled; what is of an `org` is not asked for by its ids."""
    saved = max(0, answer.whole - answer.tokens)
    out = call.out
    for note in answer.notes if not call.json else ():
        out.talk(("note:", "cyan"), f" {note}", fixed=_is_fixed(note))
    hint = "`diurna recall --ids ID,ID` shows all of what matters"
    call.answer(
        lambda: {
            **fields_of(answer, "tokens whole perhaps notes"),
            **{name: list(map(hit_object, getattr(answer, name))) for name in _HITS},
            "query": query,
            "level": level,
            "saved": saved,
        },
        _lines(call, level, answer, saved, org=org),
        nothing="no memory answers that",
        hints=(hint,) if answer.hits and level != FULL and not org else (),
    )


def _lines(
    call: Invocation, level: str, answer: Answer, saved: int, *, org: bool
) -> Iterator[Line]:
    if not answer.hits:
        return
    short = call.out.short
    parts: dict[str, Hit] = {}
    for hit in answer.hits:
        parts.setdefault(_PARTS.get(hit.kind, "what holds"), hit)
    heads = {hit.id: name for name, hit in parts.items() if len(parts) > 1}
    titles = {} if org else _titles(call, answer)
    for number, hit in enumerate(answer.hits):
        if number and (level != INDEX or hit.id in heads):
            yield ""
        if hit.id in heads:
            yield ((heads[hit.id], "bold"),)
        first, *rest = hit.text.split("\n")
        if hit.id in titles:
            first = first.replace(hit.title, titles[hit.id], 1)
        head, tail = (hit.id, first[len(hit.id) :]) if first.startswith(hit.id) else ("", first)
        if hit.stem:
            head, tail = (said.replace(hit.stem, short(hit.stem)) for said in (head, tail))
        whole = (
            f", {hit.whole} in full" if hit.tokens < hit.whole else ""
        )  # its marks can be longer
        cost = "" if level == FULL else f"  [{hit.tokens} tokens{whole}]"
        yield (head, "yellow"), tail, (cost, "dim")
        yield from rest
        if hit.passage:
            yield ((f"    said in {hit.passage.replace(hit.stem, short(hit.stem))}", "dim"),)
        for part in hit.parts:
            remark = f"  {part.remark}" if part.remark else ""
            yield ((f"    {part.value:8.4f}  {part.name}{remark}", "dim"),)
    full = f"; {answer.tokens + saved} in full" if saved > 0 else ""
    yield ((f"{counted(len(answer.hits), 'hit')}, about {answer.tokens} tokens{full}", "dim"),)


def _titles(call: Invocation, answer: Answer) -> dict[str, str]:
    """Return what logs that nobody named are called in this clone, as `diurna log` does, by hit."""
    from ledger.wal.kept_asks import asks_in, shown_title
    from memory.query.reader import hides

    reader = call.reader()
    asks = asks_in(reader.home.repository.commondir)
    if not asks:
        return {}
    hidden, cache = hides(reader.home), reader.snapshot.cache()
    asks = [one for one in asks if not hidden(one.text)]
    sessions = {
        hit.id: entry.session
        for hit in answer.passages
        if hit.title and (entry := cache.entry(hit.stem)) is not None
    }
    return {
        hit.id: shown_title(hit.title, sessions[hit.id], asks)
        for hit in answer.passages
        if hit.id in sessions
    }


def _is_fixed(note: str) -> bool:
    """Tell whether a note quotes nothing but a plain word that thousands of passages have."""
    return note == NO_FACT or any(
        note.startswith(start) and note.removeprefix(start).isalpha() for start in COMMON_NOTES
    )


def hit_object(hit: Hit) -> dict[str, object]:
    """Describe a hit."""
    more = [name for name in ("passage", "parts") if getattr(hit, name)]
    more += ["known=known.word known_by=known.by"] if hit.known.word else []
    fields = f"id kind tier date stem agent score line text tokens whole {' '.join(more)}"
    return {**fields_of(hit, fields), **mark_object(hit.mark)}
