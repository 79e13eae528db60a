"""Whose bytes a projection file has: nothing that a person committed is written over (FORMAT.md, P5)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path

import pytest

from ledger.errors import EditNotUnderstood, HandEdited, SyncRefused
from ledger.model.event import FactRedacted, FactUpdated
from memory.api import Memory
from rituals.check.check_registry import lint
from tests.campaigns.homes import IN_TREE, OWN_BRANCH, OWN_REPOSITORY, draft, make_home, open_memory
from tests.campaigns.homes import git as run_git
from tests.campaigns.homes import hermetic as hermetic  # a fixture
from tests.conftest import Run, sampled
from tests.teams import WAYS, Clone, Team, edits, level
from tests.teams import published as published  # the fixture `team`

NOTES = "\n## Random notes\n\nDo not lose this.\n"


def page(clone: Clone) -> Path:
    return Path(clone.memory.home.folder) / "continuity.md"


def commit_edit(clone: Clone) -> bytes:
    """Reword a fact and add a section that is none, in one commit; return the file."""
    file = page(clone)
    text = file.read_text().replace("As it was.", "As a person says.")
    at = text.index("\n## ")
    file.write_text(text[:at] + NOTES + text[at:])
    clone.git("commit", "-q", "-a", "-m", "by hand")
    return file.read_bytes()


def committed(clone: Clone) -> bytes:
    home = clone.memory.home
    return run_git(clone.folder, "show", f"{home.tip()}:{home.prefix}continuity.md").encode()


def kept(clone: Clone, data: bytes) -> None:
    """Check that a file is as a person wrote it, and that everything says so with its lines."""
    assert committed(clone) == page(clone).read_bytes() == data
    lines = data.decode().split("\n")
    wanted = {lines.index("## Random notes") + 1, lines.index("Do not lose this.") + 1}
    memory = clone.memory
    assert {one.line for one in memory.left_alone()} == wanted
    with pytest.raises(EditNotUnderstood) as refused:
        memory.publish()
    assert {one.line for one in refused.value.findings} == wanted
    assert wanted <= {one.line for one in lint(clone.memory) if one.file == "continuity.md"}
    assert committed(clone) == page(clone).read_bytes() == data


# ---- an edit of which a part is understood ---------------------------------------------------------


def pull(clone: Clone) -> None:
    clone.git("pull", "-q")


def pull_rebase(clone: Clone) -> None:
    clone.git("pull", "-q", "--rebase")


def sync(clone: Clone) -> None:
    clone.sync()


@pytest.mark.deep(reason="no_command_writes_over_a_persons_page is the small one")
@pytest.mark.parametrize(
    ("team", "arrive"), sampled(product(WAYS, [pull, pull_rebase, sync]), 4), indirect=["team"]
)
def test_an_edit_that_is_not_understood_as_a_whole_stays(
    team: Team, arrive: Callable[[Clone], None]
) -> None:
    """As one that nobody committed: no half of it is a log, and nothing ever writes over the file."""
    one, two = team.one, team.clone("two")
    data = commit_edit(two)
    two.git("push", "-q")
    arrive(one)
    for clone in (one, two):
        with pytest.raises(EditNotUnderstood):
            clone.memory.absorb()
        assert clone.memory.state()["alpha"].fact.text == "As it was."
        kept(clone, data)
    one.create("beta")
    one.append("On alpha", FactUpdated("alpha", "As an agent says later."))
    two.create("gamma")
    for clone in (one, two, one, two):
        clone.sync()
    for clone in (one, two):
        assert edits(clone) == []
        assert clone.memory.state()["alpha"].fact.text == "As an agent says later."
        assert clone.facts() == {"alpha", "beta", "gamma"}
        kept(clone, data)
    assert one.memory.home.tip() == two.memory.home.tip()


@pytest.mark.deep(reason="no_command_writes_over_a_persons_page is the small one")
@pytest.mark.parametrize(
    ("team", "commits"), sampled(product(WAYS, [True, False]), 5), indirect=["team"]
)
def test_once_the_person_takes_it_out_the_file_is_written_again(team: Team, commits: bool) -> None:
    """Whether they commit that or not: the log says all that they wrote, against what they saw."""
    one, two = team.one, team.clone("two")
    commit_edit(two)
    two.git("push", "-q")
    one.sync()
    one.append("On alpha", FactUpdated("alpha", "As an agent says later."))
    one.sync()
    two.sync()
    file = page(two)
    file.write_text(file.read_text().replace(NOTES, "") + "\n- A new fact of mine.\n")
    if commits:
        two.git("commit", "-q", "-a", "-m", "the notes went elsewhere")
        two.git("push", "-q")
    else:
        two.memory.absorb()
        two.sync()
    one.sync()
    for clone in (one, two):
        clone.memory.publish()
        state = clone.memory.state()
        texts = {version.text for version in state["alpha"].fact.heads}
        assert texts == {"As a person says.", "As an agent says later."}, "none wins silently"
        assert "A new fact of mine." in {one.fact.text for one in state.standings()}
        assert len(edits(clone)) == 1
        assert clone.memory.left_alone() == ()
    one.sync()
    two.sync()
    one.sync()
    level(one, two)


@pytest.mark.parametrize("team", sampled(WAYS, 3), indirect=True)
def test_an_edit_on_both_sides_of_a_join_is_for_a_person(team: Team) -> None:
    """Two files that Diurna did not write can not both stand: nothing moves."""
    one, two = team.one, team.clone("two")
    commit_edit(two)
    two.git("push", "-q")
    file = page(one)
    file.write_text(file.read_text() + "\nMy own words.\n")
    one.git("commit", "-q", "-a", "-m", "mine")
    before = one.memory.home.tip()
    with pytest.raises(SyncRefused, match=r"continuity\.md was changed here and on the remote"):
        one.sync()
    assert "My own words." in file.read_text()
    assert run_git(one.folder, "merge-base", "--is-ancestor", before, "HEAD") == ""


@pytest.mark.deep(reason="no_command_writes_over_a_persons_page is the small one")
@pytest.mark.parametrize("team", sampled(WAYS, 3), indirect=True)
def test_a_join_keeps_the_side_that_a_person_wrote(team: Team) -> None:
    """The other side published meanwhile: the newer commit does not win over a person."""
    one, two = team.one, team.clone("two")
    data = commit_edit(two)
    two.git("push", "-q")
    one.create("beta")
    one.memory.publish()
    for clone in (one, two, one):
        clone.sync()
    for clone in (one, two):
        assert clone.memory.state()["alpha"].fact.text == "As it was."
        kept(clone, data)
        assert edits(clone) == []
    assert one.memory.home.tip() == two.memory.home.tip()


def test_status_absorb_lint_and_publish_name_it(
    tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each with the line; absorb and publish end with 1, for they did not do it."""
    team = Team(tmp_path, IN_TREE)
    team.one.create("alpha", "As it was.")
    team.one.memory.publish()
    data = commit_edit(team.one)
    line = data.decode().split("\n").index("## Random notes") + 1
    monkeypatch.chdir(team.one.folder)
    for command, code in (
        ("check --absorb", 1), ("status", 0), ("check --ci", None), ("check --publish", 1),
    ):  # fmt: skip
        ran = run(*command.split())
        assert f"continuity.md:{line}" in ran.out + ran.err, command
        assert code is None or ran.code == code
    assert page(team.one).read_bytes() == data
    assert edits(team.one) == []


@pytest.mark.parametrize("team", sampled(WAYS, 4), indirect=True)
def test_a_page_that_stays_names_what_was_redacted_since(team: Team) -> None:
    """F9: its bytes are a person's, so they stay, and nobody is left to think that the text is gone."""
    team.one.create("beta", "The vault opens with a word.")
    team.one.memory.publish()
    data = commit_edit(team.one)
    memory = team.one.memory
    team.one.append("It went out", FactRedacted("beta", "a secret"))
    line = data.decode().split("\n").index("- The vault opens with a word.") + 1
    found = {one.line: one.message for one in memory.left_alone() if "redacted" in one.message}
    assert found == {line: "the text of beta was redacted since"}
    assert committed(team.one) == data


# ---- what was never Diurna's -----------------------------------------------------------------------


HOMES = (OWN_REPOSITORY, IN_TREE, OWN_BRANCH)


@pytest.fixture(params=HOMES)
def home(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Memory]:
    """A home with a fact, that publishes with each log."""
    folder = tmp_path / "home"
    made = make_home(folder, request.param)
    memory = open_memory(folder)
    policy = memory.home.repository.git().run("show", f"{made.reference}:{made.prefix}diurna.toml")
    memory.commit_files([("diurna.toml", policy.replace(b'"trunk"', b'"append"'))], "policy")
    memory.append(draft("a"))
    yield memory


def put(memory: Memory, *files: tuple[str, bytes | None]) -> str:
    """Commit files as a person does, with plain git; return the commit."""
    home = memory.home
    folder = Path(home.repository.where)
    if home.kind == OWN_BRANCH:
        folder = folder.parent / "worktree"
        if not folder.exists():
            run_git(home.repository.where, "worktree", "add", "-q", str(folder), home.branch)
    for path, data in files:
        full = folder / home.prefix / path
        if data is None:
            full.unlink()
        else:
            full.parent.mkdir(parents=True, exist_ok=True)
            full.write_bytes(data)
    run_git(folder, "add", "-A", "-f", home.prefix or ".")
    run_git(folder, "-c", "user.name=P", "-c", "user.email=p@x", "commit", "-q", "-m", "by hand")
    return home.tip()


def blob(memory: Memory, path: str) -> str:
    home = memory.home
    return run_git(home.repository.where, "rev-parse", f"{home.tip()}:{home.prefix}{path}").strip()


#: Where a person's file stands, and what it takes the place of.
TAKEN = (
    ("continuity.md/x", "continuity.md"), ("archive/INDEX.md/x", ""), ("archive/2025-Q1.md/x", ""),
    ("archive/2025-Q1.md", ""), ("archive/INDEX.md", ""), ("archive", ""), ("continuity.md", "continuity.md"),
)  # fmt: skip


@pytest.mark.parametrize(("home", "taken"), sampled(product(HOMES, TAKEN), 3), indirect=["home"])
def test_d4_a_persons_own_file_where_a_projection_goes_is_left(
    home: Memory, taken: tuple[str, str]
) -> None:
    """The log is committed, the projection part is not, and the hint takes nothing away."""
    path, replaced = taken
    first: tuple[tuple[str, bytes | None], ...] = (
        ((replaced, None),) if "/" in path and replaced else ()
    )
    for gone in first:
        put(home, gone)
    put(home, (path, b"# Mine\n\nA person's own words.\n"))
    before = blob(home, path)
    receipt = open_memory(home.home.repository.where).append(draft("b"))
    assert receipt.commit
    (said, *_) = receipt.findings
    assert (
        said.code == "hand-edited" and "--force" not in said.hint and "rm" not in said.hint.split()
    )
    again = open_memory(home.home.repository.where)
    assert set(again.state()) == {"a", "b"}
    assert blob(again, path) == before
    with pytest.raises(HandEdited):
        again.publish()
    with pytest.raises(HandEdited):
        again.write_projection(again.state())
    assert blob(again, path) == before
    wanted = b"# Mine\n\nA person's own words.\n"
    if home.home.checked_out:
        assert (Path(home.home.folder) / path).read_bytes() == wanted
    again.append(draft("c"))
    assert blob(again, path) == before


#: Every command that writes projection files.
WRITERS = (
    ("append", "--title", "T", "--new", "id=b The text of b."), ("check", "--publish"), ("check", "--replay", "--write"),
    ("check", "--absorb"), ("review",), ("check", "--fix"), ("hook", "post-merge", "0"), ("init",), ("sync",),
    ("review", "--confirm", "a"), ("edit", "--restore", "a", "--reason", "r"),
    ("import", "ledger", ".", "--write"), ("check", "--ci"), ("show",),
)  # fmt: skip


@pytest.mark.deep(only=("in-tree-comm", "own-reposito"))
@pytest.mark.parametrize(
    ("home", "where"), sampled(product(HOMES, ["committed", "work tree"]), 5), indirect=["home"]
)
def test_no_command_writes_over_a_persons_page(
    home: Memory, where: str, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Prose in `continuity.md` and a page of the archive stay byte for byte, whatever is run."""
    folder = Path(home.home.repository.where)
    own = home.home.kind == OWN_BRANCH
    shown = folder / ".memory" if own else Path(home.home.folder)
    words = (shown / "continuity.md").read_bytes() + b"\nA person's own words.\n"
    files = (("continuity.md", words), ("archive/2025-Q1.md", b"# Mine\n\nMy words.\n"))
    if where == "committed":
        put(home, *files)
    else:
        for path, data in files:
            (shown / path).parent.mkdir(exist_ok=True)
            (shown / path).write_bytes(data)
    run_git(folder, "init", "-q", "--bare", str(folder.parent / "hub.git"))
    run_git(folder, "remote", "add", "origin", str(folder.parent / "hub.git"))
    monkeypatch.chdir(folder)
    for command in WRITERS:
        ran = run(*command)
        assert ran.code in (0, 1, 2), (command, ran.err)
        for path, data in files:
            if where == "committed":
                spec = f"{home.home.tip()}:{home.home.prefix}{path}"
                assert run_git(folder, "show", spec).encode() == data, (command, path)
            if where == "work tree" or not own:
                assert (shown / path).read_bytes() == data, (command, path)


def test_a_mirror_folder_of_the_users_is_theirs(tmp_path: Path) -> None:
    """What they committed as `.memory/continuity.md` on their own branch is in git, and not the ledger's."""
    folder = tmp_path / "home"
    make_home(folder, OWN_BRANCH)
    file = folder / ".memory" / "continuity.md"
    file.write_text("# Mine\n")
    run_git(folder, "add", "-f", ".memory/continuity.md")
    run_git(folder, "commit", "-q", "-m", "mine")
    receipt = open_memory(folder).append(draft("a"))
    assert {one.code for one in receipt.findings} == {"hand-edited"}
    assert file.read_text() == "# Mine\n"
    assert run_git(folder, "status", "--porcelain") == ""


def test_what_diurna_wrote_is_its_own_however_it_came(home: Memory) -> None:
    """Put back, squashed or cherry-picked by a person: the next publish writes it anew."""
    folder = Path(home.home.repository.where)
    old = run_git(folder, "show", f"{home.home.reference}:{home.home.prefix}continuity.md").encode()
    open_memory(folder).append(draft("b"))
    put(home, ("continuity.md", old))
    again = open_memory(folder)
    assert again.left_alone() == ()
    again.append(draft("c"))
    assert again.drift() == ()
    if home.home.kind == OWN_BRANCH:
        return
    run_git(folder, "checkout", "-q", "--orphan", "squashed")
    run_git(folder, "-c", "user.name=P", "-c", "user.email=p@x", "commit", "-q", "-m", "all in one")
    squashed = open_memory(folder)
    squashed.snapshot.discard()
    assert squashed.left_alone() == ()
    squashed.append(draft("d"))
    assert squashed.drift() == ()


def test_a_commit_of_diurnas_that_was_amended_is_a_persons(home: Memory) -> None:
    """The subject alone proves nothing."""
    if home.home.kind == OWN_BRANCH:
        pytest.skip("never checked out")
    folder = Path(home.home.repository.where)
    file = Path(home.home.folder) / "continuity.md"
    file.write_text(file.read_text() + "\nMy own words.\n")
    run_git(folder, "commit", "-q", "-a", "--amend", "--no-edit")
    receipt = open_memory(folder).append(draft("b"))
    assert [one.code for one in receipt.findings] == ["hand-edited"]
    assert file.read_text().endswith("\nMy own words.\n")
