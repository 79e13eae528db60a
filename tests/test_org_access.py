"""Who may not read a ledger learns neither rows nor counts, nor that there is one."""

from __future__ import annotations

from pathlib import Path

import pytest

from ledger.model.event import FactCreated, FactSuperseded, FactUpdated
from rituals.org import org_ledgers
from rituals.org.org_database import DatabaseFailed, connect, connect_owner, initialise
from rituals.org.org_reading import TABLES
from rituals.org.org_search import Asker
from tests.conftest import Run
from tests.org_cluster import Cluster, Remote, ask, cluster, database, logged_in, needs_postgres
from tests.org_cluster import psycopg as psycopg
from tests.test_org_reading import log, work

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
    with connect_owner(where) as base:
        org_ledgers.add(base, [str(shop.folder)], "sales", ["bob", "ada"])
        if hidden:
            org_ledgers.add(base, [str(vault.folder)], "guards", ["ada"])
    work(where, tmp_path / f"mirrors-{hidden}")


QUESTIONS = (
    "how often are webhooks retried", "postgres queue invoices", WORD, f"{WORD[:6]}*", "zanzibarquoka",
    f'"the {WORD}"', f"webhooks -{WORD}", "webhooks --superseded", f"{WORD}-retry", "invoices wait",
    "retried --repo vault", "retried --repo shop", "retried --team guards", "retried --team sales",
    f"retried --entity {WORD}", "retried --since 2026-01-01", "what is open",
    "'; DROP TABLE org.fact; --", "a\\'b", "the of", "…",
)  # fmt: skip


def test_two_readers_ask_three_repositories(
    database: str, tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each is answered from what they may read; who reads nothing more, from the next question on, has no answer."""
    monkeypatch.chdir(tmp_path)
    fill(database, tmp_path, hidden=True)
    Remote(tmp_path / "mail.git").push(
        dict([log(7, FactCreated("nine", "Webhooks of the mailer are retried nine times."))])
    )
    assert (
        run(
            "org",
            "add",
            "-",
            "--reader",
            "ada",
            "--reader",
            "bob",
            stdin=f"{tmp_path}/mail.git\n".encode(),
        ).code
        == 0
    )
    work(database, tmp_path / "mirrors-True")

    def found(role: str) -> list[str]:
        monkeypatch.setenv("DIURNA_ORG", logged_in(database, role))
        told = run("recall", "--org", "--json", "how often are webhooks retried").json["hits"]
        monkeypatch.setenv("DIURNA_ORG", database)
        return [str(one["id"]) for one in told if "retry" in one["id"] or one["id"] == "mail/nine"]

    vault = f"vault/{WORD}-retry"
    assert found("bob") == ["mail/nine"] and sorted(found("ada")) == ["mail/nine", vault]
    assert run("org", "readers", "mail", "-", stdin=b"ada\n").out == "mail is read by ada\n"
    assert found("bob") == [] and sorted(found("ada")) == ["mail/nine", vault]


@pytest.mark.deep(reason="two_readers_ask_three_repositories is the small one")
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
        monkeypatch.setenv("DIURNA_ORG", logged_in(where, "bob"))
        told = []
        for question in QUESTIONS:
            for more in ((), ("--explain",), ("--json",)):
                words, *options = question.split(" --")
                given = [part for one in options for part in f"--{one}".split(" ", 1)]
                ran = run("recall", "--org", *given, *more, "--", *words.split())
                told.append((question, more, ran.code, ran.out, ran.err))
        asker, asked = Asker(), [WORD, "retri", "postgr"]
        functions = [
            asker.rows("counts", asked, "{}"), asker.rows("counts", asked, '{"repo": "vault"}'),
            asker.rows("beginning", [""], 1000, "{}"), asker.rows("find_logs", f"{WORD} queue", "{}", 10),
            [{**one, "ledger": 0} for one in asker.rows("find", asked, asked, [1.0, 2.0, 3.0], "{}", 10)],
        ]  # fmt: skip
        asker.close()
        answers.append([*told, ("functions", (), 0, repr(functions), "")])
    assert answers[0] == answers[1]
    shown = [out for question, _, _, out, _ in answers[1] if WORD not in question]
    assert not any(WORD in out for out in shown) and any("shop/queue" in out for out in shown)
    monkeypatch.setenv("DIURNA_ORG", logged_in(where, "ada"))
    assert f"vault/{WORD}-retry" in run("recall", "--org", WORD).out


@pytest.mark.deep(reason="two_readers_ask_three_repositories is the small one")
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
        monkeypatch.setenv("DIURNA_ORG", logged_in(where, "ada"))
        answers.append([
            run("recall", "--org", option, time, "--", *words.split())
            for option in ("--since", "--until") for time in times for words in ("retried", "queue cache", "invoices wait")
        ])  # fmt: skip
    assert answers[0] == answers[1] and len({one.out for one in answers[0]}) > 3


@pytest.mark.deep(reason="two_readers_ask_three_repositories is the small one")
def test_a_grant_that_is_taken_away_holds_no_longer(
    database: str, tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Roles, and who their members are, hold from the next question on, also of a connection that is open."""
    monkeypatch.chdir(tmp_path)
    fill(database, tmp_path, hidden=True)
    askers = {role: Asker() for role in ("ada", "bob", "eve")}

    def sees(role: str) -> bool:
        with monkeypatch.context() as patch:
            patch.setenv("DIURNA_ORG", logged_in(database, role))
            try:
                found = askers[role].recall(WORD, {}, 10, "")[0]
            except DatabaseFailed as problem:
                assert "42501" in str(problem)
                return False
        return any(row["name"] == "vault" for row, _ in found)

    def seeing() -> list[str]:
        return [role for role in askers if sees(role)]

    def readers(*roles: str) -> str:
        ran = run("org", "readers", "vault", "-", stdin="\n".join(roles).encode())
        return ran.out or ran.err

    assert seeing() == ["ada"]
    assert readers("bob") == "vault is read by bob\n" and seeing() == ["bob"]
    assert "the server has no role mallory" in readers("bob", "mallory") and seeing() == ["bob"]
    assert readers("guards") == "vault is read by guards\n" and seeing() == []
    ask(database, "GRANT guards TO eve")
    assert seeing() == ["eve"]
    ask(database, "REVOKE guards FROM eve")
    assert seeing() == []
    assert readers("public") == "vault is read by public\n" and seeing() == ["ada", "bob", "eve"]
    assert readers() == "vault is read by nobody\n" and seeing() == []
    assert run("org", "readers", "vault").out == "vault is read by nobody\n"
    assert run("org", "status", "--json").json["readers"] == {"ada": 1, "bob": 1}
    for one in askers.values():
        one.close()


def test_readers_have_no_sql(database: str, tmp_path: Path) -> None:
    """They may execute four functions: no table, plan or statistic says what others have; a grant by mistake neither."""
    fill(database, tmp_path, hidden=True)
    tables = (*TABLES, "ledger", "reader", "schema")
    with connect(logged_in(database, "bob")) as base:
        for table in tables:
            for asked in ("SELECT 1 FROM org.{}", "EXPLAIN SELECT 1 FROM org.{}"):
                with pytest.raises(psycopg.errors.InsufficientPrivilege):
                    base.execute(asked.format(table).encode())
        assert base.execute("SELECT * FROM pg_stats WHERE schemaname = 'org'").fetchall() == []
        for call in ("mine('{}')", "lexeme('a')"):
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                base.execute(f"SELECT org.{call}".encode())
        plan = base.execute(
            "EXPLAIN ANALYZE SELECT * FROM org.counts(%s, '{}')", ([WORD],)
        ).fetchall()
        assert "Function Scan" in plan[0][0] and not any("org.word" in row[0] for row in plan)
        assert dict(
            base.execute("SELECT * FROM org.counts(%s, '{}')", ([WORD, "queue"],)).fetchall()
        ) == {"": 5, "queue": 2}
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            base.execute("SET ROLE diurna")
    functions = "SELECT proname FROM pg_proc WHERE pronamespace = 'org'::regnamespace AND has_function_privilege('bob', oid, 'EXECUTE')"
    assert sorted(ask(database, functions)) == [
        ("beginning",),
        ("counts",),
        ("find",),
        ("find_logs",),
    ]
    assert ask(database, functions.replace("'bob'", "'eve'")) == []
    walls = "SELECT relname FROM pg_class WHERE relnamespace = 'org'::regnamespace AND relkind = 'r' AND NOT (relrowsecurity AND relforcerowsecurity)"
    assert ask(database, walls) == [("schema",)]
    ask(database, "ANALYZE")
    texts = "SELECT tablename, attname FROM pg_stats WHERE schemaname = 'org' AND most_common_vals::text || histogram_bounds::text ~ %s"
    assert ask(database, texts, WORD) == []
    with connect_owner(database) as base:
        base.execute("GRANT SELECT ON ALL TABLES IN SCHEMA org TO bob")
    with connect(logged_in(database, "bob")) as base:
        for table in (*TABLES, "ledger", "reader"):
            assert base.execute(f"SELECT count(*) FROM org.{table}".encode()).fetchone() == (0,)


def _grow(where: str, name: str, count: int, word: str) -> None:
    """Add facts and logs with a word to a ledger, without statistics of them."""
    ((ledger,),) = ask(where, "SELECT id FROM org.ledger WHERE name = %s", name)
    ask(where, "INSERT INTO org.fact(ledger, id, kind, tier, entity, untrue, stem, said, mark, words)"
        " SELECT %s, 'grown-' || n, 'fact', 'working', '', false, '2026-03-01', '{}', '', (%s || ':1 w' || n || ':2')::tsvector"
        " FROM generate_series(1, %s::int) n", ledger, word, count)  # fmt: skip
    ask(
        where,
        "INSERT INTO org.word SELECT %s, %s, array_agg(number) FROM org.fact WHERE id LIKE 'grown-%%'",
        ledger,
        word,
    )
    ask(
        where,
        "INSERT INTO org.word SELECT ledger, 'w' || number, ARRAY[number] FROM org.fact WHERE id LIKE 'grown-%'",
    )
    ask(
        where,
        "INSERT INTO org.log_word SELECT %s, %s, array_agg(number) FROM org.fact WHERE id LIKE 'grown-%%'",
        ledger,
        word,
    )


def _blocks(where: str, role: str, word: str) -> list[int]:
    """Return how many blocks each function reads for a word, as who asks can see it, when all of it is known."""
    read = []
    with connect(logged_in(where, role)) as base:
        for call in (f"counts('{{{word}}}', '{{}}')", f"beginning('{{{word}}}', 64, '{{}}')", f"find_logs('{word}', '{{}}', 50)",
                     f"find('{{{word}}}', '{{{word}}}', '{{1}}', '{{}}', 100)"):  # fmt: skip
            asked = f"EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) SELECT * FROM org.{call}".encode()
            for _ in range(3):
                plan = base.execute(asked).fetchall()[0][0][0]["Plan"]
            read.append(plan["Shared Hit Blocks"] + plan["Shared Read Blocks"])
    return read


@pytest.mark.deep(reason="readers_have_no_sql is the small one")
@pytest.mark.parametrize("analyzed", [False, True])
def test_what_is_hidden_costs_a_reader_nothing(
    database: str, tmp_path: Path, analyzed: bool
) -> None:
    """A word that a hidden ledger has 20,000 times reads as many blocks as one that nobody has; of one's own, few."""
    fill(database, tmp_path, hidden=True)
    _grow(database, "vault", 20_000, "zorbhidden")
    if analyzed:
        ask(database, "ANALYZE")
    assert _blocks(database, "bob", "zorbhidden") == _blocks(database, "bob", "zorbnobody")
    assert _blocks(database, "ada", "zorbhidden")[0] > _blocks(database, "ada", "zorbnobody")[0]
    assert max(_blocks(database, "ada", "w17171")) < 200  # by index: all of it has 1,000 and more
