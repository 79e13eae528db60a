"""Two teams that say opposite things are found, by the library's own comparison and for whoever may read both."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from ledger.model.event import (
    FactArchived,
    FactCreated,
    FactRedacted,
    FactSuperseded,
    FactUpdated,
    ThreadClosed,
)
from memory.query.reader import Reader
from projection.compare.pair_comparison import claim, opposition
from projection.graph.graph_neighbours import folded, names_in
from rituals.org import org_clashes, org_registry
from rituals.org.org_clashes import LEDGERS_MOST, Clash, clashes, compared, sure
from rituals.org.org_database import SERVER, WORKER, connect
from rituals.org.org_search import Asker
from tests.conftest import Run, examples
from tests.org_cluster import Remote, ask, cluster, database, needs_postgres
from tests.test_org_access import WORD, token
from tests.test_org_reading import place, work
from tests.test_org_worker import log

__all__ = ["cluster", "database"]
pytestmark = needs_postgres
THREE, NINE = "Webhooks are retried three times.", "Webhooks are retried nine times."
#: Of what is said what, in spellings of each.
TEXTS = {
    "webhook": (*[f"Webhooks are retried {n} times." for n in ("three", "nine", "12")],
                "Webhooks are never retried."),
    "Queue, `webhook`": ("Invoices are queued in Kafka.", "Use RabbitMQ for invoices that are queued.",
                         "Webhooks are retried nine times."),
    "queue": ("Invoices are queued in Kafka.", "Invoices are queued in RabbitMQ."),
    "to-ken": ("Tokens expire after 15 minutes.", "Tokens expire after 2 hours. They are kept in Redis.",
               "Tokens never expire."),
    "to ken": ("Tokens expire after 15 minutes, or after 2 hours.", "Tokens expire after 3 hours."),
}  # fmt: skip


@pytest.fixture(autouse=True)
def nothing_kept() -> Iterator[None]:
    """Begin as a process does."""
    org_clashes._lists.clear()
    org_clashes._of_entity.clear()
    return iter(())


def fact(id: str, text: str, entity: str = "webhook", kind: str = "decision") -> FactCreated:
    """Make a fact about an entity."""
    return FactCreated(id, text, "", (("kind", kind), ("entity", entity)))


def found(where: str, person: str = "bob", **wanted: Any) -> tuple[Clash, ...]:
    """Ask as somebody, as a server does."""
    with connect(where, SERVER) as base:
        return clashes(Asker(base, token(where, person)), **wanted)


def sides(some: tuple[Clash, ...]) -> list[str]:
    """Name the two sides of each."""
    return [
        " ".join(f"{row['name']}/{row['id']}" for row in (one.first, one.second)) for one in some
    ]


def read(where: str, tmp_path: Path, *remotes: Remote, readers: tuple[str, ...] = ("*",)) -> None:
    """Register ledgers that are new, and read all of them."""
    with connect(where, WORKER) as base:
        org_registry.add(base, [str(one.folder) for one in remotes], "", readers)
    ask(where, "UPDATE org.job SET due = now(), tries = 0 RETURNING 1")
    work(where, tmp_path / "mirrors")


def test_what_two_ledgers_say_is_shown_until_one_of_them_says_otherwise(
    database: str, tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each side names its repository, person, day and file; what is settled in one leaves the list."""
    shop, mail = Remote(tmp_path / "shop.git"), Remote(tmp_path / "mail.git")
    theirs = dict([log(2, fact("limit", NINE, "WebHook"), fact("which", THREE, kind="thread"))])
    shop.push(dict([log(1, fact("retry", THREE))]))
    mail.push(theirs)
    read(database, tmp_path, shop, mail)
    (one,) = found(database)
    assert sides((one,)) == ["mail/limit shop/retry"]  # the newer one first
    assert one[:3] == ("WebHook", "Webhooks retried times", '"nine" against "three" (number)')
    keys = "name url team tip commit path id kind tier text created agent author known known_by"
    assert set(keys.split()) <= one.first.keys() and one.first["path"] in theirs
    assert (one.first["tip"], one.second["url"]) == (mail.tip(), str(shop.folder))
    for wanted in ({"repo": "shop"}, {"repo": str(mail.folder)}, {"entity": "`WEBHOOK`"}):
        assert found(database, **wanted) == (one,)
    assert not any(found(database, **{key: "x"}) for key in ("repo", "team", "entity"))
    monkeypatch.setenv("DIURNA_ORG_TOKEN", token(database, "bob"))
    told = run("org", "clashes").out
    assert told.startswith('WebHook: "nine" against "three" (number)\n  mail/limit  decision')
    assert mail.tip()[:12] in told and "  shop/retry  decision" in told and "ada)" in told
    (shown,) = run("org", "clashes", "--json").json["clashes"]
    assert [(side["name"], side["id"]) for side in shown["sides"]] == [
        ("mail", "limit"), ("shop", "retry"),
    ]  # fmt: skip
    assert (
        run("org", "clashes", "--repo", "bank").out == run("org", "clashes", "--differ").out == ""
    )
    monkeypatch.setenv("DIURNA_ORG_TOKEN", "")
    assert "it is not said who asks" in run("org", "clashes").err
    ends: tuple[tuple[object, ...], ...] = (
        (FactSuperseded("limit", "same"), fact("same", THREE)),
        (FactRedacted("limit", "it was private"),),
        (FactArchived("limit", "nobody asks"),),
        (FactUpdated("limit", THREE),),
    )
    for events in ends:
        mail.push(theirs | dict([log(3, *events)]))
        read(database, tmp_path)
        assert found(database) == ()
        mail.push(theirs)
        read(database, tmp_path)
        assert sides(found(database)) == sides((one,))
        assert found(database)[0].first["tip"] == mail.tip()


def test_what_is_hidden_changes_no_clash(
    database: str, tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A ledger that one may not read is no side, and is not counted: neither to two ledgers, nor to too many."""
    shops = [Remote(tmp_path / f"shop{number}.git") for number in range(LEDGERS_MOST)]
    for number, remote in enumerate(shops):
        remote.push(dict([log(number, fact("retry", NINE if number == 7 else THREE))]))
    vault = Remote(tmp_path / "vault.git")
    vault.push(dict([log(40, fact("retry", NINE), fact("key", f"{WORD} is kept in Redis.", WORD))]))
    read(database, tmp_path, *shops, readers=("bob", "ada"))

    def told() -> list[tuple[int, str, str]]:
        monkeypatch.setenv("DIURNA_ORG_TOKEN", token(database, "bob"))
        options = ((), ("--json",), ("--differ",), ("--repo", "vault"), ("--team", "x"))
        return [
            (ran.code, ran.out, ran.err)
            for ran in (run("org", "clashes", *more) for more in options)
        ]

    before, answers = found(database), told()
    assert len(before) == LEDGERS_MOST - 1
    read(database, tmp_path, vault, readers=("ada",))
    assert found(database, "ada") == ()  # of 21 ledgers, it is everybody's word
    org_clashes._lists.clear()
    org_clashes._of_entity.clear()
    assert (found(database), told()) == (before, answers)  # to the byte
    assert found(database, "eve") == ()
    with connect(database, WORKER) as base:
        for number in range(1, LEDGERS_MOST):
            if number != 7:
                org_registry.set_readers(
                    base, org_registry.ledger_named(base, f"shop{number}"), ["bob"]
                )
    assert sides(found(database, "ada")) == ["vault/retry shop0/retry", "shop7/retry shop0/retry"]
    assert len(found(database)) == LEDGERS_MOST - 1


def test_the_past_that_forks_share_is_no_clash(database: str, tmp_path: Path) -> None:
    """What a fork reworded, or replaced twice, is one fact on two sides; what both decided since is not."""
    past = dict([log(1, fact("retry", THREE), fact("old", "Tokens never expire.", "token"))])
    own, fork = Remote(tmp_path / "own.git"), Remote(tmp_path / "fork.git")
    own.push(past | dict([log(2, fact("queue", "Invoices are queued in Kafka.", "queue"))]))
    new, newer = (fact(f"new{n}", f"Tokens expire after {n} hours.", "token") for n in (2, 3))
    fork.push(past | dict([
        log(3, FactUpdated("retry", NINE), FactSuperseded("old", "new2"), new),
        log(4, FactSuperseded("new2", "new3"), newer),
        log(5, fact("queue2", "Invoices are queued in RabbitMQ.", "queue")),
    ]))  # fmt: skip
    read(database, tmp_path, own, fork)
    assert sides(found(database)) == ["fork/queue2 own/queue"]


@pytest.mark.parametrize(
    ("one", "two", "told"),
    [
        ("Audit logs are retained for 90 days.", "Audit logs are retained for 10 years.", [False]),
        ("Require 85% coverage of lines.", "Require 60% coverage of lines.", [True]),
        ("Invoices are queued in Kafka.", "Invoices are queued in RabbitMQ.", [False]),
        ("Queues: Use Kafka for invoices.", "Invoices are queued in RabbitMQ.", [True]),
        ("Users are kept in Postgres.", "Users are kept in MySQL.", [False]),
        ("Users of the shop are kept in Postgres.", "MySQL holds the users of shops.", []),
        (
            "Tokens expire after 15 minutes, others after 2 hours.",
            "Tokens expire after 3 hours.",
            [],
        ),
        (
            "Tokens expire after 15 minutes. Guests have 3 hours.",
            "Tokens expire after 3 hours.",
            [],
        ),
        ("Weekly backups leave the building.", "Daily backups are encrypted.", []),
        ("Each flag has an owner who removes it.", "Flags belong to the owner of the code.", []),
        ("Reads are cached (Redis is optional).", "Reads are cached in Redis.", []),
    ],
)
@pytest.mark.parametrize("crowd", [200, 1])
def test_a_choice_of_ones_own_is_a_difference(
    one: str, two: str, told: list[bool], crowd: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Over ledgers less counts than within one, and what a repository does itself contradicts nobody."""
    monkeypatch.setattr(org_clashes, "CROWD", crowd)
    row = {"id": "a", "kind": "fact", "stem": "", "created": "", "also": None, "entity": "x"}
    rows = [{**row, "ledger": number, "text": text} for number, text in enumerate((one, two))]
    assert [found.chosen for found in compared(rows)] == told


@pytest.mark.parametrize("seed", range(examples(3)))
def test_pairs_are_those_of_the_library(database: str, tmp_path: Path, seed: int) -> None:
    """Over random ledgers and steps the list is what the comparison finds over all pairs, one by one."""
    rng = random.Random(seed)
    remotes = [Remote(tmp_path / f"r{number}.git") for number in range(4)]
    files: list[dict[str, bytes]] = [{} for _ in remotes]
    total = 0
    for _ in range(3):
        for number, remote in enumerate(remotes):
            for _ in range(rng.randint(1, 3)):
                at, entity = len(files[number]), rng.choice(sorted(TEXTS))
                old, new = f"r{number}-{rng.randint(0, at)}", f"r{number}-{at}"
                made = fact(
                    new,
                    rng.choice(TEXTS[entity]),
                    entity,
                    rng.choice(("decision", "thread", "fact")),
                )
                ends = (FactRedacted(old, "x"), ThreadClosed(old), FactSuperseded(old, new),
                        FactUpdated(old, rng.choice(TEXTS["webhook"])))  # fmt: skip
                more = (rng.choice(ends),) if rng.random() < 0.3 else ()
                files[number].update([log(20 * number + at, made, *more)])
            remote.push(files[number])
        read(database, tmp_path, *remotes)
        some, chosen = found(database), found(database, chosen=True)
        assert sorted(map(side_set, sides(some + chosen))) == sorted(brute(remotes))
        newest = [one.first["stem"] for one in some]
        assert newest == sorted(newest, reverse=True)
        total += len(some) + len(chosen)
    assert total


def side_set(pair: str) -> tuple[str, ...]:
    """Name a pair whatever its order."""
    return tuple(sorted(pair.split()))


def brute(remotes: list[Remote]) -> set[tuple[str, ...]]:
    """Compare each live fact of each ledger with each of all others."""
    facts = []
    for remote in remotes:
        reader = Reader(place(remote))
        name = remote.folder.stem
        facts += [
            (name, one.fact._replace(id=f"{name}/{one.fact.id}"))
            for one in reader.state().standings()
            if one.live and dict(one.fact.meta).get("entity")
        ]
        reader.close()
    pairs = set()
    for (here, one), (there, two) in combinations(facts, 2):
        names = [set(map(folded, names_in(dict(f.meta)["entity"]))) for f in (one, two)]
        one, two = sorted((one, two), key=lambda fact: fact.id)
        against = opposition(claim(one), claim(two))
        if (
            here != there
            and names[0] & names[1]
            and against
            and sure(against, claim(one), claim(two))
        ):
            pairs.add(tuple(sorted((one.id, two.id))))
    return pairs
