"""`diurna sync` between real clones over real bare remotes: journeys, races, the network, plain git beside it."""

from __future__ import annotations

from itertools import product

import pytest

from tests.conftest import sampled
from tests.world import IN_TREE, KINDS, OWN_BRANCH, OWN_REPOSITORY, Place, World

Pair = tuple[Place, Place]


@pytest.fixture
def pair(world: World) -> Pair:
    """Two clones of a repository of its own."""
    one, two = world.team(OWN_REPOSITORY, "two")
    return one, two


def create(place: Place, fact: str) -> str:
    return place.note(f"id={fact} fact: The text of {fact}.")


def there(place: Place) -> str:
    """Where the branch is on the remote."""
    return place.world.place("hub.git").tip(place.branch)


def settled(*places: Place) -> None:
    """Check that clones hold the same bytes, in step with what is published, and nothing is amiss."""
    for place in places:
        assert place.tip() == places[0].tip() and place.fsck() == []
        assert place.git("status", "--porcelain") == ""
        kept = ".memory/" if place.kind == OWN_BRANCH else place.prefix
        assert place.read(f"{kept}continuity.md") == place.page()
        place.run("check", "--ci")


# ---- journeys -----------------------------------------------------------------------------------


def test_a_home_that_publishes_by_review_publishes_nothing_in_a_sync(world: World) -> None:
    """M3: what a join would render is not committed; the file stays as the last review left it."""
    policy = {"publish": "review"}
    one, two = world.team(IN_TREE, "two", unsent="a:alpha two:beta", policy=policy)
    before = one.show_file("continuity.md", "origin/main")
    for place in (one, two, one):
        place.sync()
    for place in (one, two):
        assert place.texts().keys() == {"alpha", "beta"}
        assert place.show_file("continuity.md") == before
        assert place.status()["drift"] == ["continuity.md"]


def test_a_fresh_clone_finds_the_branch_on_the_remote(world: World) -> None:
    """An own-branch home that exists only as a remote-tracking branch gets a branch and a mirror."""
    (one,) = world.team(OWN_BRANCH)
    stem = create(one, "alpha")
    one.sync()
    two = one.clone("two")
    assert two.sync()["came"] == [stem]
    assert two.tip("memory") == there(one)
    assert "alpha" in two.read(".memory/continuity.md")
    settled(one, two)


@pytest.mark.deep(reason="the_command_says_what_happened is the small one")
@pytest.mark.parametrize(("kind", "url"), sampled(product(KINDS, ["", "file://"]), 5))
def test_h1_what_memory_learned_is_counted(world: World, kind: str, url: str) -> None:
    """New, superseded and contested facts, by the logs of two agents; then both clones hold the same bytes."""
    one, two = world.team(kind, "two")
    for place in (one, two):
        place.git("remote", "set-url", "origin", f"{url}{world.folder}/hub.git")
    create(one, "old")
    create(one, "word")
    one.sync()
    two.sync()
    two.session("S", "--new", "id=new fact: New.", "--supersede", "old=new")
    two.agent = "three"
    two.run("edit", "word", "Their word.")
    two.sync()
    one.run("edit", "word", "Our word.")
    report = one.sync()
    assert (len(report["came"]), report["agents"]) == (2, 2)
    counts = {"new": 1, "superseded": 1, "contradictions": 1, "updated": 0, "closed": 0}
    assert report["facts"] == counts
    two.sync()
    settled(one, two)


@pytest.mark.parametrize("newer", [0, 1])
def test_a_join_is_dated_as_the_newer_side(pair: Pair, newer: int) -> None:
    """Whoever joins them."""
    dates = []
    for at, place in enumerate(pair):
        create(place, f"of-{at}")
        dates.append(1_800_000_000 + 500 * (at == newer))
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("GIT_COMMITTER_DATE", f"{dates[-1]} +0000")
            place.git("commit", "-q", "--amend", "--no-edit")
    pair[1].git("push", "-q")
    pair[0].sync()
    date, *parents = pair[0].git("log", "-1", "--format=%ct %p").split()
    assert (date, len(parents)) == (str(max(dates)), 2)


def test_the_users_work_is_left_alone(pair: Pair) -> None:
    """fault:D1, fault:D2: what is staged stays staged, what is edited stays edited; another file of the home comes along."""
    one, two = pair
    two.write("README", "read me\n")
    two.commit_all("readme")
    create(two, "beta")
    two.sync()
    create(one, "alpha")
    one.write("staged.txt", "staged")
    one.git("add", "staged.txt")
    one.write("diurna.toml", one.read("diurna.toml") + "# mine\n")
    one.write("loose.txt", "loose")
    one.sync()
    status = one.git("status", "--porcelain").split("\n")
    assert status == [" M diurna.toml", "A  staged.txt", "?? loose.txt"]
    assert one.texts().keys() == {"alpha", "beta"}
    assert one.read("README") == "read me\n"


def test_a_bare_repository_syncs(pair: Pair) -> None:
    """fault:C3: there is no work tree to follow."""
    one, two = pair
    bare = one.clone("bare.git", "--bare")
    create(bare, "from-bare")
    create(one, "alpha")
    for place in (one, bare, two):
        place.sync()
    assert two.texts().keys() == {"from-bare", "alpha"}


# ---- races --------------------------------------------------------------------------------------


@pytest.mark.deep(reason="test_sync_decisions::what_a_sync_meets has a race")
def test_i1_racing_clones_all_land(world: World) -> None:
    """Three clones append and sync three times each, at once: nothing is lost, all settle."""
    places = world.team(OWN_REPOSITORY, "two", "three")
    stems = []
    for number in range(3):
        stems += [create(place, f"of-{at}-{number}") for at, place in enumerate(places)]
        for process in [place.spawn("sync") for place in places]:
            _, err = process.communicate()
            assert process.wait() == 0, err.decode()
    for place in (*places, *places):
        place.sync()
    settled(*places)
    assert places[0].logs().keys() == set(stems)


def test_c4_linked_worktrees_sync_at_once(world: World) -> None:
    """One own branch, two work trees, two syncs at the same time: both end well, both mirrors follow."""

    def make(apart: World) -> None:
        one, two = apart.team(OWN_BRANCH, "two", unsent="two:beta a:alpha")
        two.sync()
        one.git("worktree", "add", "-q", "-b", "topic", "../linked")
        create(apart.place("linked", "linked"), "gamma")

    world.laid("linked worktrees", make)
    one, two, linked = (world.place(*name) for name in (("a",), ("two", "two"), ("linked",) * 2))
    for process in [place.spawn("sync") for place in (one, linked)]:
        _, err = process.communicate()
        assert process.wait() == 0, err.decode()
    two.sync()
    assert one.tip() == linked.tip() == two.tip() == there(one)
    assert linked.texts().keys() == {"alpha", "beta", "gamma"}


# ---- the network --------------------------------------------------------------------------------


def test_i9_an_empty_remote_gets_the_branch(world: World) -> None:
    one, hub = world.home(OWN_REPOSITORY), world.hub()
    create(one, "alpha")
    assert one.sync(str(hub.folder))["went"] == 1
    assert hub.tip("main") == one.tip()
    again = one.sync(str(hub.folder))
    assert (again["went"], again["tries"]) == (0, 0)


def test_i11_which_remote(pair: Pair) -> None:
    """None, several without a preference, the upstream, the one that is named."""
    one, hub = pair[0], pair[0].world.folder / "hub.git"

    def refused(*named: str) -> str:
        answer = one.run("sync", *named, code=1)
        assert answer.said == "NoRemote"
        return answer.err

    one.git("remote", "rename", "origin", "hub")
    assert one.sync()["remote"] == "hub"
    one.git("config", "--unset", "branch.main.remote", ok=False)
    one.git("remote", "add", "backup", str(hub.with_name("backup.git")))
    said = refused()
    assert "2 remotes" in said and "backup, hub" in said
    one.git("config", "branch.main.remote", "hub")
    assert one.sync()["remote"] == "hub"
    one.world.hub("backup.git")
    assert one.sync("backup")["tries"] == 1
    assert "there is nothing at" in refused(f"{hub}x")
    one.git("remote", "remove", "hub")
    one.git("remote", "remove", "backup")
    assert "no remote" in refused()


# ---- the command line ---------------------------------------------------------------------------


def test_the_command_says_what_happened(world: World) -> None:
    """A transcript: nothing to do, something came and went, and `--json`."""
    one, two = world.team(OWN_REPOSITORY, "two", unsent="two:beta two:delta")
    assert one.text("sync") == "in step with origin (main)\n"
    two.sync()
    create(one, "alpha")
    new = "".join(f"  new  {one}  The text of {one}.\n" for one in ("beta", "delta"))
    came = f"2 logs from 1 agent\nmemory  2 facts new\n{new}"
    assert one.text("sync", "--dry-run") == f"would receive  {came}would send  1 log to origin\n"
    assert one.text("sync") == f"received  {came}sent  1 log to origin\n"
    answer = one.sync()
    assert (answer["came"], answer["went"], answer["commit"]) == ([], 0, one.tip())


def test_the_command_says_what_is_in_its_way(world: World) -> None:
    """A transcript: offline, and a wrong name."""
    (one,) = world.team(unsent="a:gamma")
    hub = one.world.folder / "hub.git"
    hub.rename(hub.with_name("away.git"))
    ran = one.run("sync", json=False)
    assert ran.out == f"offline: origin is not there: nothing is at {hub}\n"
    assert ran.err == "hint: 1 commit will go with the next sync that reaches it\n"
    assert one.sync()["ahead"] == 1
    one.git("branch", "-q", "--set-upstream-to=origin/main")
    assert "upstream  origin/main: 1 ahead, 0 behind\n" in one.text("status")
    one.git("update-ref", "refs/remotes/origin/main", "HEAD")
    assert one.run("sync", json=False).err == ""  # nothing waits to go
    assert one.run("sync", "nowhere", json=False, code=1).err == (
        "diurna: sync: there is no remote nowhere\nhint: diurna sync REMOTE, with one of: origin\n"
    )


# ---- beside commits of code ---------------------------------------------------------------------


@pytest.mark.deep(only=("code-code and", "code-a", "code and a log-code", "a log-code and"))
@pytest.mark.parametrize("theirs", ["nothing", "a log", "code", "code and a log"])
@pytest.mark.parametrize("ours", ["code", "a log", "code and a log", "a branch of code and a log"])
def test_code_is_left_to_git(world: World, ours: str, theirs: str) -> None:
    """No commit of a person's is sent, rewritten or fetched into a work tree; git then brings all together."""
    one, two = world.team(IN_TREE, "two")

    def work(place: Place, what: str) -> None:
        if "branch" in what:
            place.git("switch", "-q", "-c", "feat")
        if "code" in what:
            place.write(f"{place.folder.name}.py", "x = 1\n")
            place.commit_all("code")
        if "log" in what:
            create(place, f"of-{place.folder.name}")

    def head() -> str:
        return one.git("rev-parse", "HEAD")

    work(two, theirs)
    two.git("push", "-q")
    work(one, ours)
    tip, before = head(), there(two)
    planned = one.sync("--dry-run")
    assert (head(), there(two)) == (tip, before)
    report = one.sync()
    assert (report["came"], report["left"]) == (planned["came"], planned["left"])
    assert tip in one.git("rev-list", "HEAD").split()
    away, code = "branch" in ours, "code" in ours
    if "code" in theirs and not away:
        assert head() == tip
        with_log = " with 1 log;" if "log" in theirs else ";"
        assert f"`git pull` brings them{with_log} nothing" in report["left"]
    elif code:
        assert there(two) == before
        left = "`git push -u origin feat` makes it" if away else "`git push` sends them with 1 log"
        assert (left in report["left"]) == ("log" in ours) == bool(report["left"])
        assert len(report["came"]) == ("log" in theirs and not away)
        if head() != tip:
            assert one.git("rev-parse", "HEAD^1") == tip
    else:
        assert (report["left"], there(two)) == ("", head())
    assert not one.git("status", "--porcelain")
    one.git("pull", "-q", "--no-rebase", "--no-edit", "origin", "main")
    one.git("push", "-q", "origin", "HEAD:main")
    two.git("pull", "-q", "--no-rebase")
    wanted = {f"of-{name}" for name, what in (("a", ours), ("two", theirs)) if "log" in what}
    assert two.texts().keys() == wanted and two.git("rev-parse", "HEAD") == head()
    assert two.sync()["left"] == ""
