"""Answer `diurna recall --org`: ask the organisation's database, and print what answers."""

from __future__ import annotations

from ledger.environment import variables
from ledger.errors import NotFound, WrongUsage
from memory.recall.hits.snippets import one_line
from memory.recall.recall_values import Answer, Filters, Hit, Part, tokens_of
from projection.document.fact_remarks import Mark
from projection.fold.testimony import Testimony
from rituals.org.org_database import SERVER, connect, told
from rituals.org.org_search import Asker, Found, OrgAnswer, Place, filters_of, link_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from rituals.cli.context import Invocation

#: By which a person asks.
TOKEN = "DIURNA_ORG_TOKEN"  # noqa: S105 - the name of a variable
NEAREST = "nobody seems to know; nearest:"
_LINE_CHARS = 200


def ask(call: Invocation, question: str, filters: Filters, given: Mapping[str, Any]) -> OrgAnswer:
    """Ask the organisation's database.

    Raises:
        NotFound: it is not said who asks, or where the database is.
    """
    token = variables().get(TOKEN, "")
    if not token:
        raise NotFound(
            f"it is not said who asks: ${TOKEN}", hint="`diurna org token PERSON` makes one"
        )
    if given["within"] or given["ids"]:
        raise WrongUsage("--in and --ids are of one memory", hint="leave --org or them out")
    with connect("", SERVER) as base, told():
        asker = Asker(base, token)
        wanted = filters_of(filters, given["repo"], given["team"])
        return asker.recall(question, wanted, given["limit"], Place(_here(call)))


def _here(call: Invocation) -> str:
    """Return the address of the repository that one stands in, "" in none."""
    from ledger.git.repository import find_repository

    found = find_repository(call.folder())
    if found is None:
        return ""
    url = found.git().text("config", "--get", "remote.origin.url", check=False).strip()
    return url or found.where


def answer_of_org(found: OrgAnswer, explain: bool) -> Answer:
    """Return what was found as `recall` prints it."""
    hits = [_fact_hit(one, explain) for one in found.facts] + [_log_hit(row) for row in found.logs]
    notes = (*found.notes, NEAREST) if hits and not found.sure else found.notes
    tokens = sum([hit.tokens for hit in hits])
    return Answer(tuple(hits), tokens, sum([hit.whole for hit in hits]), notes)


def _fact_hit(one: Found, explain: bool) -> Hit:
    row = one.row
    id = f"{row['name']}/{row['id']}"
    said = "superseded or false" if row["untrue"] else "closed" if row["closed"] else ""
    line = one_line(f"{said}: {row['text']}" if said else row["text"])
    told = Testimony(row["known"], row["known_by"])
    day = row["created"] or row["stem"][:10]
    who = told.said or row["agent"] or "nobody named"
    text = f"{id}  {row['kind']}  {row['tier']}  {day}  {line}  ({who})"
    link = link_of(row) or f"{row['url']} {row['tip'][:12]}:{row['path'] or ''}"
    text += f"\n    {link}"
    parts = tuple([Part(name, value) for name, value in one.parts]) if explain else ()
    mark = Mark(row["closed"], row["untrue"], (), said)
    return Hit(
        id, row["kind"], row["tier"], day, row["stem"], row["agent"] or "", one.score, line, text,
        tokens_of(text), tokens_of(row["text"]), parts, mark, "", told,
    )  # fmt: skip


def _log_hit(row: dict[str, Any]) -> Hit:
    id, day = f"{row['name']}/{row['stem']}", row["ended"][:10]
    line = one_line(f"{row['title']}: {row['body']}")[:_LINE_CHARS]
    text = f"{id}  session  {day}  {line}  ({row['agent'] or 'nobody named'})"
    return Hit(
        id, "session", "", day, row["stem"], row["agent"], 0.0, line, text, tokens_of(text),
        tokens_of(row["body"]),
    )  # fmt: skip
