"""Say how the reading of ledgers goes: what failed or lags, by code, and how large all is."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from rituals.org.org_database import Connection
    from rituals.org.org_jobs import Job
    from rituals.org.org_reading import Done

_SUMS = """
SELECT count(*) AS ledgers, coalesce(sum(l.logs), 0) AS logs, coalesce(sum(l.facts), 0) AS facts,
  count(*) FILTER (WHERE l.tip = '' AND j.problem <> ALL ('{NoMemory,Copy}')) AS unread,
  count(*) FILTER (WHERE j.problem <> '' AND j.problem <> ALL ('{NoMemory,Copy}')) AS failing,
  count(*) FILTER (WHERE j.problem = 'NoMemory') AS without_memory,
  count(*) FILTER (WHERE j.problem = 'Copy') AS copies,
  count(*) FILTER (WHERE j.due <= now()) AS due,
  count(*) FILTER (WHERE j.leased_until > now()) AS working,
  coalesce(extract(epoch FROM now() - min(j.due) FILTER (WHERE j.due <= now()))::int, 0)
    AS oldest_due_seconds,
  coalesce(percentile_cont(0.5) WITHIN GROUP (ORDER BY j.lag), 0) AS lag_p50_seconds,
  coalesce(percentile_cont(0.95) WITHIN GROUP (ORDER BY j.lag), 0) AS lag_p95_seconds,
  (SELECT count(*) FROM org.shelf) AS shelves, pg_database_size(current_database()) AS bytes
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
#: Figures that only grow; others are of the moment.
_COUNTED = ("kills", "written_bytes")
#: So many ledgers that failed are named.
_NAMED = 50


#: The parts of a reading, as `Done` has their seconds.
_PARTS = ("fetch", "fold", "rows", "write")


def add_figures(base: Connection[Any], job: Job, code: str, done: Done | None) -> None:
    """Add what one job did to the sums: reads by code, seconds by part, bytes, and lost workers."""
    values = {("reads", code or "ok"): 1.0, ("kills", ""): float(job.lost)}
    if done:
        values |= {("seconds", part): getattr(done, part) for part in _PARTS}
        values["written_bytes", ""] = float(done.bytes)
    names, labels = zip(*sorted(values), strict=True)
    base.execute(
        "INSERT INTO org.figure AS f SELECT * FROM unnest(%s::text[], %s::text[], %s::float8[])"
        " ON CONFLICT (name, label) DO UPDATE SET value = f.value + excluded.value",
        (list(names), list(labels), [values[key] for key in sorted(values)]),
    )


def _figures(base: Connection[Any]) -> dict[str, Any]:
    """Return what was added up: a number, or numbers by label."""
    found: dict[str, Any] = {
        "reads": {},
        "seconds": dict.fromkeys(_PARTS, 0.0),
        "kills": 0,
        "written_bytes": 0,
    }
    for name, label, value in base.execute("SELECT * FROM org.figure ORDER BY name, label"):
        if isinstance(found.get(name), dict):
            found[name][label] = round(value, 3) if name == "seconds" else int(value)
        else:
            found[name] = int(value)
    return found


def status(base: Connection[Any]) -> dict[str, Any]:
    """Return sums over all ledgers, those that failed, and the shelves with their readers and sizes."""
    (sums,) = _objects(base, _SUMS)
    return {
        **sums,
        **_figures(base),
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
    half, most = found["lag_p50_seconds"], found["lag_p95_seconds"]
    yield f"half were read {half:.1f} s after they were due, 95 % within {most:.1f} s"
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
    lines = []
    for key, value in {**sums, **_figures(base)}.items():
        if isinstance(value, dict):
            of = "part" if key == "seconds" else "code"
            lines += [
                f'diurna_org_{key}_total{{{of}="{one}"}} {some}' for one, some in value.items()
            ]
        else:
            lines.append(f"diurna_org_{key}{'_total' * (key in _COUNTED)} {value}")
    return "".join([f"{line}\n" for line in lines])
