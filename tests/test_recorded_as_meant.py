"""What a log is taken for: a repetition, an answer to what its writer saw, a secret; and a remote that stays shut."""

from __future__ import annotations

import pytest

from tests.world import OWN_BRANCH, OWN_REPOSITORY, Place, World


@pytest.fixture
def shop(world: World) -> Place:
    """A home with a task."""
    return world.home(OWN_REPOSITORY, facts={"ship": "task: Ship it."})


def test_a_log_repeats_one_of_the_same_agent(world: World) -> None:
    """Where both are committed, and where both wait: what another agent says is a log of its own."""
    shop = world.home(OWN_REPOSITORY)
    for title, head, waiting in (("Tuesday", "main", 0), ("Wednesday", "--detach", 2)):
        shop.git("checkout", "-q", head)
        before = set(shop.logs())
        for agent in "aab":
            shop.run("append", "--title", title, "--agent", agent, code=None)
        assert len(shop.waiting()) == waiting
        assert len(set(shop.logs()) - before) == 2 - waiting


@pytest.mark.parametrize("seen", [True, False])
def test_a_move_answers_the_moves_that_its_writer_names(shop: Place, seen: bool) -> None:
    """Named, it takes their place; one that names none stands beside what came meanwhile."""
    started = shop.session("Start", "--move", "ship=in-progress")
    was = started if seen else "none"
    log = f"# Stuck\n\n## Memory References\n\n- Moved: ship → blocked (was {was})\n"
    shop.append(log)
    sides = shop.run("conflicts").json["contradictions"]
    assert [one["id"] for one in sides] == ([] if seen else ["ship"])


def test_a_reference_that_never_can_be_moved_ends_a_sync(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Git says of it what it says of one that is locked for a moment; that is not waited for without end."""
    monkeypatch.setattr("ledger.remote.transport._LOCK_SECONDS", 0.1)
    shop, _ = world.team(OWN_REPOSITORY, "b", facts={"uv": "convention: Use uv."})
    shop.git("update-ref", "-d", "refs/remotes/origin/main")
    shop.git("update-ref", "refs/remotes/origin/main/beside", "HEAD")
    assert "cannot lock ref" in shop.run("sync", code=1).err
    shop.git("update-ref", "-d", "refs/remotes/origin/main/beside")
    shop.sync()


def test_a_commit_of_the_code_stands_for_the_second_in_which_it_was_made(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No commit of the code holds logs of an own branch: what came by then counts (`--as-of`)."""
    shop = world.home(OWN_BRANCH, facts={"first": "decision: One."})
    second = world.clock.now_ms // 1000 + 60
    with monkeypatch.context() as patch:
        patch.setenv("GIT_COMMITTER_DATE", f"{second} +0000")
        shop.git("commit", "-q", "--allow-empty", "-m", "tagged")
    for id, later_ms in (("within", 999), ("behind", 1000)):
        world.clock.now_ms = second * 1000 + later_ms - 1000  # a command is told a second more
        shop.note(f"id={id} decision: {id} is said.")
    assert set(shop.show("--as-of", "HEAD")) == {"first", "within"}


@pytest.mark.parametrize(
    ("typed", "right"),
    [
        ("id=fromA decision: A is so.", ("froma", "decision", "A is so.")),
        ("id=Ünïcode U is so.", ("unicode", "fact", "U is so.")),
        ("<private>x y</private> decision: A is so.", ("", "decision", "A is so.")),
        ("- [ ] write docs", ("", "thread", "write docs")),
        ("never: Push to main.", ("", "fact", "never: Push to main.")),
    ],
)
def test_a_form_is_read_as_people_type_it(shop: Place, typed: str, right: tuple[str, ...]) -> None:
    """Capitals and accents of an id, what nobody keeps before the kind, an item; a rule keeps its sense."""
    answer = shop.run("note", typed, json=False)
    ((id, fact),) = [(id, one) for id, one in shop.show().items() if id != "ship"]
    assert (id if right[0] else "", fact["kind"], fact["text"]) == right
    assert ("a rule is a `convention: …`" in answer.err) == typed.startswith("never")
