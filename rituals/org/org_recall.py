"""Answer a recall over all ledgers of an organisation, as hits that are printed as those of one memory."""

from __future__ import annotations

from threading import get_ident

from ledger.environment import variables
from ledger.errors import NotFound
from ledger.git.repository import find_repository
from ledger.model.record import Record
from ledger.remote.remote import without_credentials
from memory.recall.hits.snippets import one_line
from memory.recall.recall_values import Answer, Filters, Hit, Part, tokens_of
from projection.document.fact_remarks import Mark
from projection.fold.testimony import Testimony
from rituals.org.org_database import SERVER, DatabaseFailed, connect, told
from rituals.org.org_search import Asker, Found, Place, filters_of, link_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeVar

    from rituals.org.org_database import Connection

    T = TypeVar("T")

#: By which a person asks.
TOKEN = "DIURNA_ORG_TOKEN"  # noqa: S105 - the name of a variable
NEAREST = "nobody seems to know; nearest:"
_LINE_CHARS = 200


class Scope(Record):
    """Of which ledgers one asks, and from where."""

    repo: str = ""  #: by name or address, "" for all
    team: str = ""
    folder: str = ""  #: the working directory: the repository there counts more


class OrgReader:
    """Asks as the person of $DIURNA_ORG_TOKEN, by one connection as long as it holds."""

    def __init__(self) -> None:
        self._base: Connection[Any] | None = None
        self._asker: Asker | None = None
        self._key: tuple[str, int] = ("", 0)

    def ask(self, question: Callable[[Asker], T]) -> T:
        """Answer a question; one that meets a connection that broke meanwhile is asked anew.

        Raises:
            NotFound: it is not said who asks, or where the database is.
            DatabaseFailed: it can not be asked.
        """
        token = variables().get(TOKEN, "")
        if not token:
            raise NotFound(
                f"it is not said who asks: ${TOKEN}", hint="`diurna org token PERSON` makes one"
            )
        key = token, get_ident()  # what an asker reads words with is its thread's
        if key != self._key:
            self.close()
        asker = self._asker
        if asker is not None and self._base is not None:
            try:
                with told():
                    return question(asker)
            except DatabaseFailed:
                if not self._base.closed:
                    raise
                self.close()
        self._base, self._key = connect("", SERVER), key
        self._asker = Asker(self._base, token)
        with told():
            return question(self._asker)

    def close(self) -> None:
        """End the connection, and forget what was counted for this person."""
        if self._base is not None:
            self._base.close()
        self._base = self._asker = None


def recall(
    question: str,
    filters: Filters,
    scope: Scope,
    limit: int = 10,
    *,
    explain: bool = False,
    full: bool = False,
    reader: OrgReader | None = None,
) -> Answer:
    """Find what answers a question in all ledgers that the one who asks may read.

    A process that asks again keeps its `reader`; with `full` hits have all of their text.

    Raises:
        NotFound: it is not said who asks, or where the database is.
        DiurnaError: the database can not be asked, or not for that.
    """
    place = Place(_address(scope.folder))
    wanted = filters_of(filters, scope.repo, scope.team)
    asked = reader or OrgReader()
    try:
        found = asked.ask(lambda asker: asker.recall(question, wanted, limit, place))
    finally:
        if reader is None:
            asked.close()
    hits = [_fact_hit(one, explain, full) for one in found.facts]
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


def _fact_hit(one: Found, explain: bool, full: bool) -> Hit:
    row = one.row
    said = "superseded or false" if row["untrue"] else "closed" if row["closed"] else ""
    line = (str if full else one_line)(f"{said}: {row['text']}" if said else row["text"])
    text = fact_text(row, line)
    parts = tuple([Part(name, value) for name, value in one.parts]) if explain else ()
    mark = Mark(row["closed"], row["untrue"], (), said)
    return Hit(
        f"{row['name']}/{row['id']}", row["kind"], row["tier"], day_of(row), row["stem"],
        row["agent"] or "", one.score, line, text, tokens_of(text), tokens_of(row["text"]), parts, mark,
        "", Testimony(row["known"], row["known_by"]),
    )  # fmt: skip


def fact_text(row: dict[str, Any], line: str) -> str:
    """Tell a fact of a ledger in two lines: what it says, when and by whom, and where its log is."""
    said = f"{row['name']}/{row['id']}  {row['kind']}  {row['tier']}  {day_of(row)}  {line}"
    return f"{said}  ({who_of(row)})\n    {_place_of(row)}"


def _place_of(row: dict[str, Any]) -> str:
    """Say where the log of a row is: on the forge, else in which file of which commit."""
    commit = (row["commit"] or row["tip"])[:12]
    return link_of(row) or f"{without_credentials(row['url'])} {commit}:{row['path'] or ''}"


def who_of(row: dict[str, Any]) -> str:
    """Return whose word a fact is, and how that is known."""
    told = Testimony(row["known"], row["known_by"])
    who = told.said if told.by or not row["author"] else ""
    return who or writer_of(row, told.word)


def writer_of(row: dict[str, Any], word: str = "") -> str:
    """Return who wrote a log: the agent, or who committed it, as far as git tells."""
    by = f"committed by {row['author']}" if row["author"] else ""
    return row["agent"] or ", ".join(filter(None, [word, by])) or "nobody named"


def day_of(row: dict[str, Any]) -> str:
    """Return the day of a fact."""
    return str(row["created"] or row["stem"][:10])


def _log_hit(row: dict[str, Any], full: bool) -> Hit:
    id, day = f"{row['name']}/{row['stem']}", row["ended"][:10]
    said = f"{row['title']}: {row['body']}"
    line = said if full else one_line(said)[:_LINE_CHARS]
    text = f"{id}  session  {day}  {line}  ({writer_of(row)})\n    {_place_of(row)}"
    return Hit(
        id, "session", "", day, row["stem"], row["agent"], 0.0, line, text, tokens_of(text),
        tokens_of(row["body"]),
    )  # fmt: skip
