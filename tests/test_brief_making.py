"""What the brief gathers: what changed since this agent's last log, whose notes, and what is near the task."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from ledger.errors import WrongUsage
from ledger.model.event import (
    Event,
    FactCreated,
    FactHelped,
    FactIgnored,
    FactInvalidated,
    FactMoved,
    FactRedacted,
    FactReinstated,
    FactSuperseded,
    FactUpdated,
    ThreadClosed,
    ThreadReopened,
)
from ledger.model.logset import LogRef
from ledger.model.session import Entry
from ledger.model.task_states import CANCELLED, DONE, HANDOFF_READY, IN_PROGRESS
from memory.api import Memory
from memory.brief.brief_place import agent_of, branch_of, changed_files
from memory.cache.cache_file import Cache
from memory.cache.rebuild import build
from memory.write.draft import SessionDraft
from projection.brief.values import (
    ASKED,
    ATTEMPTS,
    CHANGES,
    CONTRADICTIONS,
    DECISIONS,
    HANDED,
    REST,
    ROLE,
    SESSIONS,
    TASKS,
    THREADS,
    Brief,
)
from projection.policy.model import Policy
from tests.conftest import NOW_MS, Repo, Run

MINUTE = 60_000


class Team:
    """Agents that write one after the other into one home."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._now = NOW_MS

    def says(self, agent: str, *events: Event, type: str = "work", **header: str) -> str:
        """Let an agent append a log; return its stem."""
        self._now += MINUTE
        memory = Memory.open(str(self.path), agent=agent)
        memory._clock = lambda: self._now
        title = f"{agent} {self._now}"
        receipt = memory.append(
            SessionDraft(title=title, type=type, header=tuple(header.items()), events=events)
        )
        memory.close()
        return receipt.stem

    def brief(self, agent: str, **asked: object) -> Brief:
        """Return an agent's brief."""
        memory = Memory.open(str(self.path), agent=agent)
        made = memory.brief(**asked)  # type: ignore[arg-type]
        memory.close()
        return made


@pytest.fixture
def team(repo: Repo) -> Team:
    return Team(repo.path)


def born(id: str, kind: str = "fact", **meta: str) -> FactCreated:
    pairs = (("kind", kind), *meta.items()) if kind != "fact" else tuple(meta.items())
    return FactCreated(
        id, f"The text of {id}.", " " if kind in ("thread", "finding") else "", pairs
    )


def changes(made: Brief) -> list[tuple[str, str, str]]:
    """Return (id, what happened, who says so) of what changed."""
    return [
        (line.id, line.change, line.by)
        for section in made.sections
        if section.name == CHANGES
        for line in section.lines
    ]


def ids(made: Brief, name: str) -> list[str]:
    return [line.id for one in made.sections if one.name == name for line in one.lines]


def test_what_changed_since_this_agents_last_log(team: Team) -> None:
    """Corrections first, newest first; then what was born, then what was closed; each agent its own."""
    team.says("ada", born("a"), born("b"), born("c", "decision"), born("t", "thread"))
    team.says("bob", born("new-one"), ThreadClosed("t"))
    team.says("bob", FactUpdated("a", "Another text of a."))
    last = team.says("eve", born("d"), FactSuperseded("c", "d"), FactInvalidated("b"))
    assert changes(team.brief("ada")) == [
        ("c", "superseded by d", "eve"), ("b", "invalidated", "eve"), ("a", "updated", "bob"),
        ("new-one", "new", "bob"), ("t", "closed", "bob"),
    ]  # fmt: skip
    assert [one[0] for one in changes(team.brief("bob"))] == ["c", "b"]
    made = team.brief("eve")
    assert changes(made) == []
    assert (made.place.last, made.place.since) == (last, 0)
    assert team.brief("ada").place.since == 3


@pytest.mark.deep(reason="what_changed_since_this_agents_last_log is the small one")
def test_who_was_never_here_gets_the_newest_corrections(team: Team) -> None:
    """And not everything as news."""
    team.says("ada", born("a"), born("b"))
    team.says("ada", FactUpdated("a", "Corrected."))
    for number in range(25):  # more logs than are looked through
        team.says("ada", born(f"n-{number}"))
    made = team.brief("bob")
    assert (made.place.last, made.place.agent) == ("", "bob")
    assert changes(made) == [("a", "updated", "ada")]
    assert made.sections[0].title == "Newest corrections"


def test_an_import_is_no_session(team: Team) -> None:
    """Whoever brought a ledger over has not worked in it."""
    team.says("ada", born("a"), type="import")
    assert team.brief("ada").place.last == ""


def test_what_does_not_hold_any_more_is_no_news(team: Team) -> None:
    """Born and redacted, closed and reopened, superseded and true after all."""
    team.says("ada", born("old"), born("t", "thread"))
    team.says("bob", born("secret"), ThreadClosed("t"), FactInvalidated("old"))
    team.says("bob", FactRedacted("secret"), type="edit")
    team.says("bob", FactReinstated("old"), type="edit")
    assert changes(team.brief("ada")) == [("old", "reinstated", "bob"), ("t", "closed", "bob")]


def test_withheld_texts_are_not_shown(team: Team) -> None:
    """Not in its section, nor as a change, nor as what replaces another fact; and not by a task."""
    team.says("ada", born("a", "decision"), born("b", "decision"), born("c"))
    team.says("bob", FactUpdated("a", "The password is swordfish."), FactSuperseded("c", "a"))
    team.says("bob", FactRedacted("a"), type="edit")
    for asked in ({}, {"task": "password swordfish"}, {"json": True}):
        made = team.brief("ada", **asked)
        assert "swordfish" not in made.text
        assert "The text of a." not in made.text
        assert "(redacted)" in made.text
    assert ids(made, DECISIONS) == ["b"]


def test_role(team: Team) -> None:
    """Notes and patterns that name the role, or that a log of it brought; nobody else's."""
    team.says("ada", born("by-log", "pattern"), born("decided", "decision"), role="reviewer")
    team.says("ada", born("by-footer", role="reviewer"), born("by-tag", tags="x, reviewer"))
    team.says("ada", born("other", "pattern"), role="builder")
    made = team.brief("ada", role="reviewer")
    assert ids(made, ROLE) == ["by-log", "by-footer", "by-tag"]
    assert ids(made, DECISIONS) == ["decided"]
    assert ids(made, REST) == []
    assert ids(team.brief("ada"), ROLE) == []
    assert ids(team.brief("ada"), REST) == ["other", "by-tag", "by-log"]


ROLES = ("builder", "judge", "planner")


@pytest.mark.parametrize("seed", range(3))
def test_role_notes_stand_in_no_other_roles_brief(team: Team, seed: int) -> None:
    """Whatever the kind and whatever happened to them; without a role what names none stands."""
    rng = random.Random(seed)
    kinds = ("invariant", "decision", "thread", "pattern", "fact", "note", "stack")
    notes: dict[str, set[str]] = {}
    alone: set[str] = set()
    for number in range(14):
        header = {"role": rng.choice(ROLES)} if rng.random() < 0.6 else {}
        acts: list[Event] = []
        before = sorted(notes)
        for part in range(rng.randrange(1, 4)):
            name, kind = f"fact-{number}-{part}", rng.choice(kinds)
            named = rng.sample(ROLES, rng.choice((0, 0, 1, 2)))
            acts.append(born(name, kind, **({"role": ", ".join(named)} if named else {})))
            if named:
                alone.add(name)
            if named or (kind in ("pattern", "note") and header):
                notes[name] = set(named or header.values())
        if before and rng.random() < 0.5:
            old = rng.choice(before)
            acts.append(rng.choice((FactInvalidated(old), FactSuperseded(old, acts[0].id))))
        team.says(rng.choice("abc"), *acts, **header)
    everything = team.brief("a", budget_chars=40_000)
    assert "The text of fact-" in everything.text
    assert not [name for name in alone if f"The text of {name}." in everything.text]
    for role in ROLES:
        for asked in ({}, {"task": "what is the text of the fact"}):
            made = team.brief("nobody", role=role, budget_chars=40_000, **asked)
            shown = {line.id for section in made.sections for line in section.lines}
            others = {name for name, roles in notes.items() if role not in roles}
            assert not shown & others
            assert not [name for name in others if f"The text of {name}." in made.text]
            live = {one.fact.id for one in Memory.open(str(team.path)).view().live}
            lost = [name for name in live - others if f"The text of {name}." not in made.text]
            assert lost == []


def test_task_branch_and_changed_files(team: Team, repo: Repo) -> None:
    """The rest comes by what it has to do with them; what they do not name stays in its order."""
    facts = [born(f"filler-{number}") for number in range(6)]
    about = FactCreated("queue", "Webhooks wait in a queue; see `shop/queue.py`.")
    team.says("ada", about, FactCreated("bill", "Invoices are billed monthly."))
    team.says("ada", *facts)
    assert ids(team.brief("ada"), REST)[:1] != ["queue"]
    asked = team.brief("ada", task='make "webhooks" -idempotent')
    assert ids(asked, ASKED)[0] == "queue" and "queue" not in ids(asked, REST)
    assert ids(team.brief("ada", changed=("shop/queue.py",)), REST)[0] == "queue"
    repo.git("checkout", "-q", "-b", "feat/monthly-billed")
    assert ids(team.brief("ada"), REST)[0] == "bill"
    assert ids(team.brief("ada", branch="main"), REST)[0] != "bill"


def test_the_last_sessions_are_told_lately(team: Team, run: Run) -> None:
    """A line each, the newest five, work alone; without a log whose words were withheld."""
    stems = [team.says("ada", born(f"f-{number}")) for number in range(7)]
    team.says("eve", born("g"), type="edit")
    made = team.brief("ada")
    assert ids(made, SESSIONS) == stems[:1:-1]
    (section,) = [one for one in made.sections if one.name == SESSIONS]
    assert [line.by for line in section.lines] == ["ada"] * 5
    assert section.lines[0].text.startswith("ada 17952")
    assert run("redact", stems[-1], "--reason", "too much").code == 0
    made = team.brief("ada")
    assert ids(made, SESSIONS) == stems[-2:0:-1]
    assert section.lines[0].text not in made.text


def test_of_a_session_its_newest_log_is_told(team: Team) -> None:
    """What continues a session stands for it, whoever wrote between; a work log alone stands for itself."""
    team.says("ada", born("a"), session="s")
    alone = [team.says("ada", born("b"), session="old"), team.says("eve", born("c"), session="s")]
    last = [team.says("ada", born("d"), type="continued", session="s")]
    last = [team.says("ada", born("e"), type="continued", session="s")]
    assert ids(team.brief("ada", task="f"), SESSIONS) == [*last, *alone[::-1]]


def test_archived_facts_come_with_the_task(team: Team) -> None:
    """What faded is found for a task, and says that it is archived."""
    team.says("ada", FactCreated("queue", "Webhooks wait in a queue."))
    for number in range(22):
        team.says("ada", born(f"filler-{number}"))
    assert "queue" not in ids(team.brief("ada"), REST)
    made = team.brief("ada", task="webhooks")
    assert ids(made, ASKED)[0] == "queue" and "- queue (faded): Webhooks wait" in made.text
    (line,) = [one for section in made.sections for one in section.lines if one.id == "queue"]
    assert line.tier == "archived"


def test_refusals(team: Team) -> None:
    """Too small a budget is refused, and says what there is."""
    with pytest.raises(WrongUsage) as refused:
        team.brief("ada", budget_chars=999)
    assert refused.value.hint == "the least is 1000, the usual 7500"


def test_empty(team: Team) -> None:
    """A home without a log has a brief too."""
    made = team.brief("ada")
    assert (made.sections, made.live, made.archived) == ((), 0, 0)
    assert made.text.endswith("\n\nNothing is left out. `diurna show ID` shows a fact whole.\n")


# ---- what is to be done ------------------------------------------------------------------------------


def test_a_task_is_followed_from_hand_to_hand(team: Team) -> None:
    """Who has it sees it first; a handoff reaches whom it names, and what was done is told once."""
    team.says(
        "ada",
        born("ship", "task", priority="high"),
        born("plan", "task"),
        born("state-phase", "state"),
    )
    team.says("ada", FactMoved("ship", IN_PROGRESS))
    mine, other = team.brief("ada"), team.brief("bob")
    assert (
        ids(mine, TASKS)
        == ids(other, TASKS)[1:2] + ["state-phase", "plan"]
        == ["ship", "state-phase", "plan"]
    )
    (line,) = [one for part in other.sections for one in part.lines if one.id == "ship"]
    assert (line.kind, line.state) == ("task", "in-progress by ada, high")
    left = born("left", "handoff", serves="ship", to="bob", **{"from": "ada"})
    team.says("ada", FactMoved("ship", HANDOFF_READY), left)
    assert ids(team.brief("ada"), HANDED) == []
    made = team.brief("bob")
    assert (ids(made, HANDED), ids(made, CHANGES)) == (["left"], [])
    assert "- left (for ship) by ada: The text of left.\n" in made.text
    team.says(
        "bob", FactMoved("ship", IN_PROGRESS), FactMoved("plan", CANCELLED), ThreadClosed("left")
    )
    assert ids(team.brief("bob"), HANDED) == []
    team.says("bob", FactMoved("ship", DONE))
    assert changes(team.brief("ada")) == [
        ("ship", "done", "bob"), ("left", "closed", "bob"), ("plan", "cancelled", "bob"),
    ]  # fmt: skip
    assert ids(team.brief("ada"), TASKS) == ["state-phase"]


def test_two_who_claim_a_task_at_once_see_it(team: Team) -> None:
    """Among the contradictions, of both briefs, with both names."""
    team.says("ada", born("ship", "task"))
    for agent in ("ada", "bob"):  # each as if in a clone of its own
        team.says(agent, FactMoved("ship", IN_PROGRESS, was=()), type="edit")
    for agent in ("ada", "bob"):
        made = team.brief(agent)
        assert (ids(made, CONTRADICTIONS), ids(made, TASKS)) == (["ship"], [])
        assert "in-progress by ada" in made.text and "in-progress by bob" in made.text


@pytest.mark.deep(reason="task_branch_and_changed_files is the small one")
def test_what_failed_before_is_told_to_whoever_takes_the_task(team: Team) -> None:
    """By the id of the task, or because it is theirs; archived attempts too."""
    team.says(
        "ada",
        born("ship", "task"),
        FactCreated("retry", "Retry the queue.", "", (("kind", "task"),)),
    )
    for number in range(2):
        tried = born(
            f"try-{number}", "attempt", about="ship", outcome="failed", iteration=str(number)
        )
        team.says("ada", tried, born(f"worked-{number}", "attempt", about="ship", outcome="worked"))
    team.says(
        "ada", FactCreated("queue", "The queue is tried again."), born("known", serves="retry")
    )
    for number in range(25):
        team.says("ada", born(f"filler-{number}"))
    assert ids(team.brief("bob"), ATTEMPTS) == []
    made = team.brief("bob", task="ship")
    assert ids(made, ATTEMPTS) == ["try-1", "try-0"]
    assert [one.title for one in made.sections[:2]] == ["For this task", "Failed before"]
    assert ids(made, ASKED)[0] == "ship" and "ship" not in ids(made, TASKS)
    team.says("bob", FactMoved("ship", IN_PROGRESS))
    assert ids(team.brief("bob"), ATTEMPTS) == ["try-1", "try-0"]
    assert "try-0" not in team.brief("ada").text
    judged = born("try-judged", "attempt", about="ship", outcome="failed", role="judge")
    team.says("ada", judged, FactInvalidated("try-1"))
    for number in range(25):
        team.says("eve", born(f"more-{number}"))
    assert ids(team.brief("bob", task="ship"), ATTEMPTS) == ["try-0"]
    assert ids(team.brief("bob", task="ship", role="judge"), ATTEMPTS) == ["try-judged", "try-0"]
    team.says(
        "bob", FactMoved("ship", HANDOFF_READY), born("left", "handoff", serves="ship", to="eve")
    )
    assert ids(team.brief("bob"), ATTEMPTS) == []
    assert ids(team.brief("eve"), ATTEMPTS) == ["try-0"]
    asked = team.brief("ada", task="retry")
    assert (ids(asked, ATTEMPTS), ids(asked, ASKED)[:1]) == ([], ["retry"])
    assert "queue" in ids(asked, ASKED)  # found by the words of the task
    assert ids(team.brief("ada", task="unknown"), TASKS) == ["retry", "ship"]


def test_a_finding_that_came_back_is_named_so(team: Team) -> None:
    """Before all open threads; one that is fixed stands nowhere."""
    team.says("ada", born("finding-00000001", "finding"), born("finding-00000002", "finding"))
    team.says("ada", born("open", "thread"), ThreadClosed("finding-00000001"))
    assert ids(team.brief("ada"), THREADS) == ["open", "finding-00000002"]
    assert "finding-00000001" not in team.brief("ada").text
    team.says("ada", ThreadReopened("finding-00000001"))
    made = team.brief("ada")
    assert ids(made, THREADS)[0] == "finding-00000001"
    assert "- finding-00000001 (finding, regressed): " in made.text


def test_how_far_a_pattern_has_come_is_said_of_it(team: Team) -> None:
    """On its line; one that did not hold up is in no brief, whatever it is asked for."""
    for name in ("rises", "falls", "fresh"):
        team.says("ada", born(name, "pattern", role="Code Judge"))
    for number in range(3):
        evidence = FactHelped("rises", f"`make check` exit 0, run {number}")
        team.says(
            "ada", evidence, FactIgnored("falls", "builder"), session=f"s{number}", branch="b"
        )
    assert ids(team.brief("bob"), REST) == []
    made = team.brief("bob", role="code judge")
    assert set(ids(made, ROLE)) == {"rises", "fresh"}
    assert "- rises (pattern, standing verified): " in made.text
    assert "- fresh (pattern, standing observed): " in made.text
    for asked in ({"task": "falls"}, {"task": "the text of falls"}):
        assert "falls (" not in team.brief("bob", role="code judge", **asked).text


@pytest.mark.parametrize(("role", "chars"), [("Judge", 3_200), ("builder", 2_000)])
def test_who_looks_for_faults_is_told_more(team: Team, role: str, chars: int) -> None:
    """800 tokens for an auditor, a judge and a sentinel, and 500 for others; the policy may say otherwise."""
    long = "word " * 60
    notes = [FactCreated(f"n-{n:02}", long, "", (("role", role),)) for n in range(30)]
    team.says("ada", *notes)
    made = team.brief("bob", role=role, budget_chars=9_000)
    section, *_ = made.sections
    assert section.name == ROLE
    begins = tuple(f"- {line.id}: " for line in section.lines)
    written = sum(len(line) for line in made.text.split("\n") if line.startswith(begins))
    assert chars - 450 < written <= chars


# ---- who asks, and where ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("config", "name"),
    [
        ("[user]\n\tname = Ada Lovelace\n", "Ada Lovelace"),
        ('[user]\n\tname = "Ada; Lovelace" # she\n', "Ada; Lovelace"),
        ("[user] name = Ada\n", "Ada"),
        ("[USER]\n\tNAME=Ada\n[user]\n\temail = a@example.invalid\n", "Ada"),
        ("[user]\n\tname = Eve\n\tname = Ada\n", "Ada"),
        ("[user]\n\tname = A\\\n  da\n", None),
        ("[user \"x\"]\n\tname = Eve\n", "Global"),
        ("[alias]\n\tname = Eve\n", "Global"),
        ("[include]\n\tpath = more\n", "Included"),
        ("[user]\n\tname = Eve\n[include]\n\tpath = more\n", "Included"),
        ("", "Global"),
    ],
)  # fmt: skip
def test_who_asks_is_whom_git_names(
    repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, config: str, name: str | None
) -> None:
    """Read off plain files or asked, the name is what git says."""
    everyone = tmp_path / "everyone"
    everyone.write_text("[user]\n\tname = Global\n")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(everyone))
    repo.write(".git/more", "[user]\n\tname = Included\n")
    kept = "[core]\n\trepositoryformatversion = 0\n\tbare = false\n"
    repo.write(".git/config", kept + config)
    said = repo.git("config", "user.name").rstrip("\n")
    memory = Memory.open(str(repo.path))
    assert agent_of(memory.home) == said
    if name is not None:
        assert said == name


def test_where(team: Team, repo: Repo) -> None:
    """The branch that is checked out, and what is changed on it, without the memory's own files."""
    home = Memory.open(str(repo.path)).home
    assert branch_of(home) == "main"
    assert changed_files(home) == ()
    repo.write("code.py", "print('changed')\n")
    repo.write("new dir/neu é.py", "pass\n")
    repo.write("memory/continuity.md", "edited\n")
    assert changed_files(home) == ("code.py", "new dir/")
    repo.git("checkout", "-q", "--detach")
    assert branch_of(home) == ""


# ---- the newest logs --------------------------------------------------------------------------------


def newest(cache: Cache) -> dict[str, str]:
    return dict(cache.base.execute("SELECT name, stem FROM newest").fetchall())


@pytest.mark.parametrize("seed", range(5))
def test_the_newest_logs_are_known_in_whatever_order_they_came(seed: int) -> None:
    """Added log by log, late ones too, the cache knows what one that was built at once knows."""
    rng = random.Random(seed)
    acts: tuple[tuple[Event, ...], ...] = (
        (FactUpdated("a", "x"),), (FactUpdated("a", None),), (FactCreated("a", "y"),), (),
        (FactInvalidated("a"),), (ThreadClosed("a"),), (FactReinstated("a"),),
    )  # fmt: skip
    logs = []
    for number in range(40):
        stem = f"2026-11-20-10{number:02}00000-{number:012x}"
        kind = rng.choice(("work", "edit", "import"))
        entry = Entry(stem, kind == "work", rng.choice("abc"), kind, (), rng.choice(acts))
        logs.append((LogRef(stem, f"sessions/{stem}.md", f"{number:040x}"), entry))
    policy = ("", Policy(), "")
    whole = build("", "c" * 40, [r for r, _ in logs], [e for _, e in logs], (), policy)
    rng.shuffle(logs)
    warm = build("", "0" * 40, [], [], (), policy)
    for done in range(0, 40, 8):
        part = logs[done : done + 8]
        warm.advance(
            warm.commit, f"{done + 1:040x}", [r for r, _ in part], [e for _, e in part], ()
        )
    assert newest(warm) == newest(whole)
    for agent in "abc":
        mine = [e.stem for _, e in logs if e.agent == agent and e.type != "import"]
        assert whole.newest_of(agent) == max(mine)
    corrections = [e.stem for _, e in logs if e.acts in (acts[0], acts[4], acts[6])]
    assert whole.newest_correction() == max(corrections)
