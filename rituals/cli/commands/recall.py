"""Run `diurna recall`: ask, and print the hits, what they cost, and what was saved."""

from __future__ import annotations

import os

from ledger.errors import WrongUsage
from ledger.model.layout import ASKS_FILE
from ledger.model.record import TYPE_CHECKING, cached
from memory import (
    COMMON_NOTES,
    DOCUMENT_KIND,
    FULL,
    INDEX,
    LEVELS,
    MAYBE,
    NO_FACT,
    SESSION_KIND,
    SMALL_MODEL_BYTES,
    TIMELINE,
    WITHIN,
    Filters,
)
from projection.fold.live_view import TIERS
from rituals.cli.operation import SINCE, UNTIL, option, word
from rituals.cli.output import counted

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from memory import Answer, Hit
    from projection.policy.model import Policy
    from rituals.cli.context import Invocation
    from rituals.cli.output import Line

#: What stands above the hits of a kind, where an answer has others too.
_PARTS = {SESSION_KIND: "what was said", DOCUMENT_KIND: "what documents say"}
_HITS = ("hits", "facts", "passages")


def recall(
    call: Invocation, *,
    query: tuple[str, ...] = word("[QUERY]..."),
    ids: str = option("These memories instead of a question.", "ID,…"),
    level: str = option("index: a line each. full: all of it. timeline: the sessions around a fact, a "
        "log, a time, a commit or what answers best; with a filter or --ids what is around hits.", "LEVEL",
        choices=LEVELS),
    before: str = option("With --level timeline: how far back, 30m, 48h, 7d, 2w (48h).", "TIME"),
    after: str = option("With --level timeline: how far on (24h).", "TIME"),
    limit: int = option(
        "At most so many hits or sessions (10).", "N", default=10, most=1000, spelled="-n"),
    in_: str = option("Facts or logs alone; the repository's documents; homes of others.",
        f"[{'|'.join(WITHIN)}]", choices=WITHIN),
    kind: tuple[str, ...] = option("Facts of this kind, or `session`. Repeatable.", "KIND", many=True),
    tier: tuple[str, ...] = option(
        "Facts of this tier: {choices}. Repeatable.", "TIER", choices=TIERS, many=True),
    tag: tuple[str, ...] = option("Facts with this tag. Repeatable.", "TAG", many=True),
    entity: tuple[str, ...] = option("Facts about this entity. Repeatable.", "NAME", many=True),
    agent: tuple[str, ...] = option("From logs of this agent. Repeatable.", "NAME", many=True),
    role: tuple[str, ...] = option("For this role, or from its logs. Repeatable.", "ROLE", many=True),
    branch: tuple[str, ...] = option(
        "From logs written on this branch of the code. Repeatable.", "NAME", many=True),
    since: str = SINCE, until: str = UNTIL,
    as_of: str = option("As of a time, a stem or a commit.", "POINT"),
    superseded: bool = option("Superseded and invalidated facts too."),
    yours: bool = option("Your own home's too (`diurna init --personal`)."),
    no_vectors: bool = option("By words alone, also where a model is here (`diurna install --model`)."),
    explain: bool = option("Say what each score is made of."),
    org: bool = option("Ask all ledgers of the organisation that you may read (`diurna org`)."),
    team: str = option("With --org: those of this team alone.", "NAME"),
    repo: str = option("With --org: this one alone, by name or address.", "NAME"),
) -> None:  # fmt: skip
    """Find what answers a question, in few tokens: first one line each, then more of what matters.

    "quoted words" must follow each other, begin* stands for every word that begins so, and behind `--` a
    hit must not contain what -word or -"quoted words" name.

    Facts are found by meaning, too, where a sentence model is on this machine (`install --model`, or a
    folder with an .onnx file and tokenizer.json that $DIURNA_MODEL names) and vectors were made, behind
    the start of a session or by `check --fix`. A model of over 50 MB is left to mcp and web.

    Examples:
      diurna recall how are webhooks retried
      diurna recall --kind decision --since 2026-11-01 -- retry -timeout
      diurna recall --yours how do I like commit messages
      diurna recall --ids webhook-retry-queue --level full
      diurna recall --level timeline webhook-retry-queue --before 7d
    """
    filters = Filters(
        kind, tier, tag, entity, agent, role, branch, since, until, in_, as_of, superseded, yours
    )
    words = " ".join(query)
    how: dict[str, Any] = {"limit": limit, "explain": explain}
    if level == TIMELINE and filters == Filters(kind, agents=agent[:1]):
        if not (ids or no_vectors or explain or org or team or repo):
            from memory import timeline
            from rituals.cli.commands.log import around

            at: dict[str, Any] = {
                "before": before or "48h",
                "after": after or "24h",
                "limit": limit,
            }
            told = timeline(call.reader(), words, agent="".join(agent), kinds=kind, **at)
            return around(call, words, told, chosen=bool(agent or kind))
    if org:
        if in_ or ids:
            raise WrongUsage("--in and --ids are of one memory", hint="leave --org or them out")
        from rituals.org.org_search import filters_of
        from rituals.org.org_search import recall as recall_org

        full, wanted = level == FULL, filters_of(filters, repo, team)
        found = recall_org(words, wanted, folder=call.folder(), full=full, **how)
        return _answer(call, words, FULL if full else INDEX, found, org=True)
    if before or after:
        raise WrongUsage(
            "--before and --after go with --level timeline, and with no filter of hits"
        )
    some = [one.strip() for one in ids.split(",") if one.strip()]
    if bool(some) == bool(words.strip()):
        raise WrongUsage(
            "ask a question, or name ids with --ids",
            hint="`diurna recall how are webhooks retried`, `diurna recall --ids ID,ID`",
        )
    if some:
        return named(call, some, level or FULL)
    reader, level = call.reader(), level or INDEX
    how["model_bytes"] = 0 if no_vectors else SMALL_MODEL_BYTES
    answer = reader.recall(words, filters=filters._replace(documents=True), level=level, **how)
    if not answer.hits:
        for one in kind:
            if one != SESSION_KIND:
                check_kind(reader.policy, one)
    _answer(call, words, level, answer)


def named(call: Invocation, ids: list[str], level: str) -> None:
    """Show memories by their ids; to the session that asks they are opened by that.

    Raises:
        NotFound: an id names nothing.
    """
    answer = call.reader().get(ids, level=level)
    call.opened([hit.id for hit in answer.hits])
    _answer(call, "", level, answer)


def check_kind(policy: Policy, kind: str) -> None:
    """Check that a kind is one of the policy's.

    Raises:
        WrongUsage: it is none.
    """
    if kind not in {one.name for one in policy.kinds}:
        kinds = ", ".join(one.name for one in policy.kinds)
        raise WrongUsage(f"there is no kind {kind}", where="--kind", hint=f"kinds: {kinds}")


def _answer(call: Invocation, query: str, level: str, answer: Answer, *, org: bool = False) -> None:
    """Answer with what was recalled; what is of an `org` is not asked for by its ids."""
    saved = max(0, answer.whole - answer.tokens)
    for note in answer.notes if not call.json else ():
        # what quotes nothing but a plain word is not looked through for secrets: it takes longer than all
        fixed = note in (NO_FACT, MAYBE) or any(
            note.startswith(start) and note.removeprefix(start).isalpha() for start in COMMON_NOTES
        )
        call.out.talk(("note:", "cyan"), f" {note}", fixed=fixed)
    hint = "`diurna recall --ids ID,ID` shows all of what matters"
    call.answer(
        _object(query, level, answer, saved) if call.json else {},
        _lines(call, level, answer, saved, org=org),
        nothing="no memory answers that",
        hints=(hint,) if answer.hits and level != FULL and not org else (),
    )


def _object(query: str, level: str, answer: Answer, saved: int) -> dict[str, object]:
    from rituals.answers.record_to_dict import fields_of

    return {
        **fields_of(answer, "tokens whole perhaps notes"),
        **{name: list(map(hit_object, getattr(answer, name))) for name in _HITS},
        "query": query,
        "level": level,
        "saved": saved,
    }


def _lines(
    call: Invocation, level: str, answer: Answer, saved: int, *, org: bool
) -> Iterator[Line]:
    if not answer.hits:
        return
    short = cached(None)(call.out.short)
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
        # its marks can be longer
        whole = f", {hit.whole} in full" if hit.tokens < hit.whole else ""
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
    reader = call.reader()
    if not os.path.exists(f"{reader.home.repository.commondir}/{ASKS_FILE}"):
        return {}
    from ledger.wal.kept_asks import asks_in, shown_title
    from memory import hides_text

    hidden, logs = hides_text(reader.home), reader.snapshot.cache()
    asks = [one for one in asks_in(reader.home.repository.commondir) if not hidden(one.text)]
    entries = [(hit, logs.entry(hit.stem)) for hit in answer.passages if hit.title and asks]
    return {hit.id: shown_title(hit.title, entry.session, asks) for hit, entry in entries if entry}


def hit_object(hit: Hit) -> dict[str, object]:
    """Describe a hit."""
    from rituals.answers.record_to_dict import fields_of, mark_object

    more = [name for name in ("passage", "parts") if getattr(hit, name)]
    more += ["known=known.word known_by=known.by"] if hit.known.word else []
    fields = f"id kind tier date stem agent score line text tokens whole {' '.join(more)}"
    return {**fields_of(hit, fields), **mark_object(hit.mark)}
