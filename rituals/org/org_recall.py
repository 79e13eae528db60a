"""Answer a recall over all ledgers of an organisation, as hits that are printed as those of one memory."""

from __future__ import annotations

from ledger.git.repository import find_repository
from ledger.model.record import Record
from ledger.remote.forge import forge_at
from ledger.remote.remote import without_credentials
from memory.recall.hits.snippets import one_line
from memory.recall.recall_values import Answer, Filters, Hit, Part, tokens_of
from projection.document.fact_remarks import Mark
from projection.fold.testimony import Testimony
from rituals.org.org_search import Asker, filters_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory.recall.rank.rank_types import Scored
    from rituals.org.org_search import Row

NEAREST = "nobody seems to know; nearest:"
_LINE_CHARS = 200


class Scope(Record):
    """Of which ledgers one asks, and from where."""

    repo: str = ""  #: by name or address, "" for all
    team: str = ""
    folder: str = ""  #: the working directory: the repository there counts more


def recall(
    question: str,
    filters: Filters,
    scope: Scope,
    limit: int = 10,
    *,
    explain: bool = False,
    full: bool = False,
    asker: Asker | None = None,
) -> Answer:
    """Find what answers a question in all ledgers that the one who asks may read.

    A process that asks again keeps its `asker`; with `full` hits have all of their text.
    """
    wanted = filters_of(filters, scope.repo, scope.team)
    asked = asker or Asker()
    try:
        found = asked.recall(question, wanted, limit, _address(scope.folder))
    finally:
        if asker is None:
            asked.close()
    hits = [_fact_hit(*one, explain, full) for one in found.facts]
    hits += [_log_hit(row, full) for row in found.logs]
    notes = (*found.notes, NEAREST) if hits and not found.sure else found.notes
    tokens = sum([hit.tokens for hit in hits])
    return Answer(tuple(hits), tokens, sum([hit.whole for hit in hits]), notes)


def _address(folder: str) -> str:
    """Return the address of the repository of a folder, "" for none."""
    found = find_repository(folder) if folder else None
    if found is None:
        return ""
    url = found.git().text("config", "--get", "remote.origin.url", check=False).strip()
    return url or found.where


def _fact_hit(row: Row, scored: Scored, explain: bool, full: bool) -> Hit:
    said = "superseded or false" if row["false"] else "closed" if row["closed"] else ""
    line = (str if full else one_line)(f"{said}: {row['text']}" if said else row["text"])
    id, day = f"{row['name']}/{row['id']}", str(row["created"] or row["stem"][:10])
    known = Testimony(row["known"], row["known_by"])
    who = known.said if known.by or not row["author"] else ""
    text = f"{id}  {row['kind']}  {row['tier']}  {day}  {line}  ({who or _writer(row, known.word)})"
    text += f"\n    {_place(row)}"
    parts = tuple([Part(name, value) for name, value in scored.parts]) if explain else ()
    mark = Mark(row["closed"], row["false"], (), said)
    return Hit(
        id, row["kind"], row["tier"], day, row["stem"], row["agent"] or "", scored.score, line, text,
        tokens_of(text), tokens_of(row["text"]), parts, mark, "", known,
    )  # fmt: skip


def _log_hit(row: Row, full: bool) -> Hit:
    id, day = f"{row['name']}/{row['stem']}", row["ended"][:10]
    said = f"{row['title']}: {row['body']}"
    line = said if full else one_line(said)[:_LINE_CHARS]
    text = f"{id}  session  {day}  {line}  ({_writer(row)})\n    {_place(row)}"
    return Hit(
        id, "session", "", day, row["stem"], row["agent"], 0.0, line, text, tokens_of(text),
        tokens_of(row["body"]),
    )  # fmt: skip


def _place(row: Row) -> str:
    """Say where the log of a row is: on the forge, else in which file of which commit."""
    commit, path = row["commit"] or row["tip"], row["path"] or ""
    there = f"{without_credentials(row['url'])} {commit[:12]}:{path}"
    return forge_at(row["url"]).file(path, commit) or there


def _writer(row: Row, word: str = "") -> str:
    """Return who wrote a log: the agent, or who committed it, as far as git tells."""
    by = f"committed by {row['author']}" if row["author"] else ""
    return row["agent"] or ", ".join(filter(None, [word, by])) or "nobody named"
