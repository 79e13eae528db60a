"""Who may not read a ledger learns neither rows nor counts, nor that there is one."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ledger.model.event import FactCreated, FactSuperseded, FactUpdated
from rituals.org import org_registry
from rituals.org.org_database import SERVER, WORKER, connect, initialise
from rituals.org.org_reading import TABLES
from rituals.org.org_search import Asker
from tests.conftest import Run
from tests.org_cluster import Cluster, Remote, ask, cluster, database, needs_postgres
from tests.org_cluster import psycopg as psycopg
from tests.test_org_reading import work
from tests.test_org_worker import log

__all__ = ["cluster", "database"]
pytestmark = needs_postgres
WORD = "zanzibarquokka"
RULE = (("kind", "invariant"), ("created", "2024-02-01"), ("entity", "keys, WebHook"))
CACHE = (("kind", "decision"), ("entity", "cache"))


def lay(tmp_path: Path) -> tuple[Remote, Remote]:
    """Make a ledger that bob may read, and one that only ada may."""
    shop, vault = tmp_path / "shop.git", tmp_path / "vault.git"
    if not shop.exists():
        Remote(shop).push(
            dict([
                log(1, FactCreated("retry", "Webhooks are retried three times.", "", (("entity", "webhook"),))),
                log(2, FactCreated("queue", "The queue of invoices is kept in Postgres."),
                    FactSuperseded("retry", "queue")),
                log(4, FactCreated("cents", "Amounts of the shop are cents.", "", RULE),
                    FactCreated("reader", "Who reads the queue?", "", (("kind", "thread"),)),
                    FactCreated("days", "Keys of the cache are kept seven days.", "", CACHE)),
                log(6, FactUpdated("cents", "Amounts of the shop are integers of cents.", ()), title="Reworded"),
            ])
        )  # fmt: skip
        text = f"Webhooks of the {WORD} are retried nine times in Postgres."
        Remote(vault).push(
            dict([log(3, FactCreated(f"{WORD}-retry", text, "", (("entity", WORD),)),
                      title=text, prose=f"Invoices of {WORD} wait in the queue."),
                  log(5, FactCreated(f"{WORD}-rule", f"Keys of {WORD} are never logged.", "", RULE),
                      FactCreated(f"{WORD}-ask", f"Who turns {WORD}?", "", (("kind", "thread"),)),
                      FactCreated(f"{WORD}-days", "Keys of the cache are kept nine days.", "", CACHE))])
        )  # fmt: skip
    return Remote(shop), Remote(vault)


def fill(where: str, tmp_path: Path, *, hidden: bool) -> None:
    """Read the shop, and the vault too."""
    shop, vault = lay(tmp_path)
    with connect(where, WORKER) as base:
        org_registry.add(base, [str(shop.folder)], "sales", ["bob", "ada"])
        if hidden:
            org_registry.add(base, [str(vault.folder)], "guards", ["ada"])
    work(where, tmp_path / f"mirrors-{hidden}")


def token(where: str, person: str) -> str:
    """Make a person's token."""
    with connect(where, WORKER) as base:
        return org_registry.make_token(base, person)


QUESTIONS = (
    "how often are webhooks retried", "postgres queue invoices", WORD, f"{WORD[:6]}*", "zanzibarquoka",
    f'"the {WORD}"', f"webhooks -{WORD}", "webhooks --superseded", f"{WORD}-retry", "invoices wait",
    "retried --repo vault", "retried --repo shop", "retried --team guards", "retried --team sales",
    f"retried --entity {WORD}", "retried --since 2026-01-01", "what is open",
    "'; DROP TABLE org.fact; --", "a\\'b", "the of", "…",
)  # fmt: skip


#: What pages list, and what of.
LISTS: tuple[tuple[str, dict[str, object]], ...] = (
    ("entity", {"names": ["webhook", WORD]}), ("unconfirmed", {"since": "2026-06-01"}), ("working", {}),
    ("working", {"repo": "vault"}), ("working", {"team": "guards"}), ("fact", {"id": f"{WORD}-rule"}),
    ("fact", {"id": "cents", "repo": "shop"}), ("unconfirmed", {"since": "2026-06-01", "after": ["2000", 1, "a"]}),
)  # fmt: skip


def test_what_is_hidden_changes_no_answer(
    cluster: Cluster, tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each question has the same answer, to the byte and the exit code, with the hidden ledger and without it."""
    monkeypatch.chdir(tmp_path)
    answers = []
    for hidden in (False, True):
        where = cluster.database()
        initialise(where)
        fill(where, tmp_path, hidden=hidden)
        monkeypatch.setenv("DIURNA_ORG", where)
        monkeypatch.setenv("DIURNA_ORG_TOKEN", token(where, "bob"))
        told = []
        for question in QUESTIONS:
            for more in ((), ("--explain",), ("--json",)):
                words, *options = question.split(" --")
                given = [part for one in options for part in f"--{one}".split(" ", 1)]
                ran = run("recall", "--org", *given, *more, "--", *words.split())
                told.append((question, more, ran.code, ran.out, ran.err))
        answers.append(told)
        everything = [row[0] for row in ask(where, "SELECT id FROM org.ledger ORDER BY url")]
        with psycopg.connect(where, autocommit=True) as base:
            base.execute("SET ROLE org_server")
            asker = Asker(base, token(where, "bob"))
            functions = [
                asker.rows("totals", "{}"), asker.rows("counts", [WORD, "retri", "postgr"]),
                asker.rows("totals", '{"repo": "vault"}'), asker.rows("vocabulary", '{"repo": "vault"}'),
                asker.rows("beginning", "", 1000),
                asker.rows("find_logs", f"{WORD} queue", "{}", 10),
                asker.rows("find", [WORD, "retri"], [WORD, "retri"], [1.0, 2.0], "{}", 10),
                asker.rows("tips"), sorted(asker.rows("spoken", ["thread"]), key=str),
                asker.rows("shared", [WORD, "webhook"], ["thread"]),
                [{**one, "read_at": "", "due": ""} for one in asker.rows("ledgers")],
                *[asker.rows("listed", name, json.dumps(wanted), 50) for name, wanted in LISTS],
                [row for ledger in everything for name in ("retry", f"{WORD}-retry", f"{WORD}-rule")
                 for row in (asker.rows("fact_events", ledger, name, 9) + asker.rows("fact_versions", ledger, name, 9))],
            ]  # fmt: skip
        answers[-1].append(("functions", (), 0, repr([
            [{key: value for key, value in row.items() if key not in ("ledger", "state")} for row in rows] for rows in functions
        ]), ""))  # fmt: skip
    assert answers[0] == answers[1]
    assert not any(
        WORD in out for question, _, _, out, _ in answers[1][:-1] if WORD not in question
    )
    assert any("shop/queue" in out for _, _, _, out, _ in answers[1])
    monkeypatch.setenv("DIURNA_ORG_TOKEN", token(where, "ada"))
    assert f"vault/{WORD}-retry" in run("recall", "--org", WORD).out


def test_the_order_of_a_databases_language_decides_nothing(
    cluster: Cluster, tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Points of time are none of its words: in many a language a hyphen counts for nothing."""
    monkeypatch.chdir(tmp_path)
    times = [f"2026-03-01 10:0{number}" for number in range(1, 7)]
    answers = []
    for collation in ("", "en-u-ka-shifted"):
        where = cluster.database(collation)
        initialise(where)
        fill(where, tmp_path, hidden=True)
        monkeypatch.setenv("DIURNA_ORG", where)
        monkeypatch.setenv("DIURNA_ORG_TOKEN", token(where, "ada"))
        answers.append([
            run("recall", "--org", option, time, "--", *words.split())
            for option in ("--since", "--until") for time in times for words in ("retried", "queue cache", "invoices wait")
        ])  # fmt: skip
    assert answers[0] == answers[1] and len({one.out for one in answers[0]}) > 3


def test_a_grant_that_is_taken_away_holds_no_longer(
    database: str, tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Readers, teams and tokens hold from the next question on; unknown is nobody."""
    monkeypatch.chdir(tmp_path)
    fill(database, tmp_path, hidden=True)

    def sees(person: str, made: str = "") -> bool:
        monkeypatch.setenv("DIURNA_ORG_TOKEN", made or token(database, person))
        return f"vault/{WORD}-retry" in run("recall", "--org", WORD).out

    assert not sees("bob")
    assert run("org", "readers", "vault", "bob").code == 0
    assert (sees("bob"), sees("ada")) == (True, False)
    assert run("org", "readers", "vault", "guards").code == 0
    assert (sees("bob"), sees("eve")) == (False, False)
    assert run("org", "team", "guards", "eve", "ada").code == 0
    assert (sees("bob"), sees("eve")) == (False, True)
    assert run("org", "team", "guards", "ada").code == 0
    assert not sees("eve")
    old = run("org", "token", "ada").out.strip()
    assert sees("", old)
    new = run("org", "token", "ada").out.strip()
    assert (sees("", old), sees("", new)) == (False, True)
    assert run("org", "readers", "vault").code == 0
    assert not any((sees("ada"), sees("", "nobody's"), sees("*"), sees("guards")))
    assert run("org", "readers", "vault", "*").code == 0
    assert sees("zoe") and not sees("", "nobody's")
    rows = ask(database, "SELECT count(DISTINCT shelf) FROM org.fact")
    assert rows == [(2,)]  # they went with the ledger, and were not left behind


def test_readers_have_no_sql(database: str, tmp_path: Path) -> None:
    """The role of servers may call its functions and nothing else; a grant by mistake meets the second wall."""
    fill(database, tmp_path, hidden=True)
    others = ("ledger", "job", "watch", "shelf", "member", "token", "migration", "fact_1", "log_2")
    with connect(database, SERVER) as base:
        for table in (*TABLES, "word", *others):
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                base.execute(f"SELECT 1 FROM org.{table}".encode())
        for call in (
            "who('x')",
            "shelves_of('ada')",
            "shelf_for('{ada}')",
            "count_words(1)",
            "index_shelf(1)",
        ):
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                base.execute(f"SELECT org.{call}".encode())
    with psycopg.connect(database, autocommit=True) as base:
        base.execute(
            "GRANT SELECT ON org.fact, org.log, org.event, org.version, org.link, org.word TO org_server"
        )
        base.execute("GRANT EXECUTE ON FUNCTION org.shelves_of TO org_server")
        base.execute("SET ROLE org_server")
        for table in (*TABLES, "word"):
            assert base.execute(f"SELECT count(*) FROM org.{table}".encode()).fetchone() == (0,)


def test_searches_go_by_index(database: str, tmp_path: Path) -> None:
    """Neither row-level security nor the function keeps a search from the index of words."""
    fill(database, tmp_path, hidden=True)
    with connect(database, WORKER) as base:
        base.execute("SET enable_seqscan = off")
        for words, table in (
            ("words @@ '''retri'''::tsquery", "fact"),
            (
                "to_tsvector('english', title || ' ' || body) @@ plainto_tsquery('english', 'queue')",
                "log",
            ),
        ):
            asked = f"EXPLAIN SELECT 1 FROM org.{table} WHERE shelf = ANY ('{{1,2}}'::int[]) AND {words}"
            plan = "\n".join([row[0] for row in base.execute(asked.encode())])
            assert plan.count("Bitmap Index Scan") == 2, plan
        live = "reason = '' AND NOT (untrue OR closed OR redacted)"
        for words, index in (
            (
                f"kind = 'invariant' AND {live} AND greatest(verified, created) < '2026'",
                "confirmed",
            ),
            (
                f"kind IN ('thread', 'task') AND {live} ORDER BY stem DESC, ledger DESC, id DESC",
                "open",
            ),
            ("entity <> '' AND org.names_of(entity) && '{webhook}'", "named"),
        ):
            asked = (
                f"EXPLAIN SELECT 1 FROM org.fact WHERE shelf = ANY ('{{1,2}}'::int[]) AND {words}"
            )
            plan = "\n".join([row[0] for row in base.execute(asked.encode())])
            assert f"fact_{index}_1" in plan and f"fact_{index}_2" in plan, plan
