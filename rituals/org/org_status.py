"""Say how the reading of ledgers goes: what failed or lags, by code, and how large all is."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from rituals.org.org_database import Connection

_SUMS = """
SELECT count(*) AS ledgers, coalesce(sum(l.logs), 0) AS logs, coalesce(sum(l.facts), 0) AS facts,
  count(*) FILTER (WHERE l.tip = '' AND j.problem <> ALL ('{NoMemory,Copy}')) AS unread,
  count(*) FILTER (WHERE j.problem <> '' AND j.problem <> ALL ('{NoMemory,Copy}')) AS failing,
  count(*) FILTER (WHERE j.problem = 'NoMemory') AS without_memory,
  count(*) FILTER (WHERE j.problem = 'Copy') AS copies,
  count(*) FILTER (WHERE j.due <= now()) AS due,
  count(*) FILTER (WHERE j.leased_until > now()) AS working,
  coalesce(extract(epoch FROM now() - min(j.due) FILTER (WHERE j.due <= now()))::int, 0)
    AS oldest_due_seconds
FROM org.ledger l JOIN org.job j ON j.ledger = l.id"""
_PROBLEMS = """
SELECT l.url, l.name, j.problem, j.tries, j.problem_at::text AS since, j.due::text AS next
FROM org.ledger l JOIN org.job j ON j.ledger = l.id
WHERE j.problem <> '' AND j.problem <> ALL ('{NoMemory,Copy}') ORDER BY j.problem_at DESC LIMIT %s"""
_COPIES = """
SELECT l.url, l.name, o.url AS same_as FROM org.ledger l JOIN org.ledger o ON o.id = l.same_as
ORDER BY l.url LIMIT %s"""
_WATCHED = """
SELECT l.url, l.name, w.problem, w.heard_at::text AS heard, w.due::text AS next, w.holds
FROM org.watch w JOIN org.ledger l ON l.id = w.ledger WHERE w.problem <> ''
ORDER BY w.heard_at NULLS FIRST LIMIT %s"""
_SHELVES = """
SELECT s.id, s.readers, count(l.id) AS ledgers, coalesce(sum(l.facts), 0) AS facts,
  (SELECT sum(pg_total_relation_size(('org.' || kind || '_' || s.id)::regclass))::bigint
   FROM unnest('{log,event,fact,version,link,word}'::text[]) AS kind) AS bytes
FROM org.shelf s LEFT JOIN org.ledger l ON l.shelf = s.id GROUP BY s.id ORDER BY s.id"""
#: So many ledgers that failed are named.
_NAMED = 50


def status(base: Connection[Any]) -> dict[str, Any]:
    """Return sums over all ledgers, those that failed, and the shelves with their readers and sizes."""
    (sums,) = _objects(base, _SUMS)
    return {
        **sums,
        "problems": _objects(base, _PROBLEMS, _NAMED),
        "forks": _objects(base, _COPIES, _NAMED),
        "unheard": _objects(base, _WATCHED, _NAMED),
        "shelves": _objects(base, _SHELVES),
    }


def _objects(base: Connection[Any], asked: str, *values: object) -> list[dict[str, Any]]:
    with base.cursor() as cursor:
        cursor.execute(asked.encode(), values)
        names = [column.name for column in cursor.description or ()]
        return [dict(zip(names, _plain(row), strict=True)) for row in cursor]


def _plain(row: tuple[Any, ...]) -> list[Any]:
    """Return the values of a row as JSON has them: sums come as decimals."""
    return [int(one) if hasattr(one, "as_tuple") else one for one in row]


def status_lines(found: Mapping[str, Any]) -> Iterator[str]:
    """Tell the same in lines."""
    yield (
        f"{found['ledgers']} ledgers, {found['unread']} not read yet; {found['logs']} logs, "
        f"{found['facts']} facts"
    )
    yield (
        f"{found['due']} due, the oldest for {found['oldest_due_seconds']} s; {found['working']} are "
        f"being read"
    )
    for one in found["problems"]:
        next_try = f"{one['tries']} tries, next {one['next'][:19]}"
        yield f"{one['name']}: {one['problem']}, {next_try} ({one['url']})"
    for one in found["unheard"]:
        holds = f"as of {one['heard'][:19]}" if one["holds"] else "nobody"
        yield f"{one['name']}: {one['problem']} when asked who reads it; {holds} ({one['url']})"
    for one in found["forks"]:
        yield f"{one['name']}: a fork of {one['same_as']}, and not read twice ({one['url']})"
    if found["without_memory"]:
        yield f"{found['without_memory']} have no memory yet; each is looked at once a day"
    for one in found["shelves"]:
        who = ", ".join(one["readers"]) or "nobody"
        yield f"read by {who}: {one['ledgers']} ledgers, {one['facts']} facts, {one['bytes'] >> 20} MB"


def figures(base: Connection[Any]) -> str:
    """Write the sums as Prometheus reads them: no ledger, reader or text is named."""
    (sums,) = _objects(base, _SUMS)
    return "".join([f"diurna_org_{key} {value}\n" for key, value in sums.items()])
