"""Old and new names: every way of the table answers as the command that scripts know, byte for byte."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rituals.cli.command_registry import FIRST, WAYS, find
from rituals.cli.command_words import taken_way

if TYPE_CHECKING:
    from tests.conftest import Repo, Run

#: How people say it now, and how scripts say it. What would be recorded is only planned: `--dry-run`.
TABLE = (
    ("edit uv --restore --reason Right --dry-run", "restore uv --reason Right --dry-run"),
    ("edit --restore uv 00 --dry-run", "restore uv 00 --dry-run"),
    ("forget uv --back --reason Asked", "archive uv --back --reason Asked"),
    ("show --list", "ls"),
    ("show --list --kind decision --all", "ls --kind decision --all"),
    ("show --list nothing-like-it", "ls nothing-like-it"),
    ("show --list --nonsense", "ls --nonsense"),
    ("show --about", "entity"),
    ("show --about=Redis", "entity Redis"),
    ("show --links uv --hops 2", "links uv --hops 2"),
    ("log --around uv --before 7d", "timeline uv --before 7d"),
    ("log -n 1 --around", "timeline -n 1"),
    ("log --changes 2020-01-01..", "diff 2020-01-01.."),
    ("log --changes ..now", "diff ..now"),
    ("review --confirm stay --dry-run", "confirm stay --dry-run"),
    ("review --confirm", "confirm"),
    ("review --learn", "learn"),
    ("review --report --kind decision", "report --kind decision"),
    ("conflicts --resolve limit", "resolve limit"),
    ("conflicts limit --choose 1 --dry-run", "resolve limit --choose 1 --dry-run"),
    ("conflicts limit --choose=2 --dry-run", "resolve limit --choose=2 --dry-run"),
    ("conflicts limit --text --choose --dry-run", "resolve limit --text --choose --dry-run"),
    ("conflicts limit --file nowhere.md", "resolve limit --file nowhere.md"),
    ("conflicts limit --closed", "resolve limit --closed"),
    ("conflicts limit --open", "resolve limit --open"),
    ("conflicts limit --state done", "resolve limit --state done"),
    ("check --diff HEAD...HEAD --json", "impact HEAD...HEAD --json"),
    ("check --format github --diff=HEAD~9", "impact --format github HEAD~9"),
    ("check --ci --strict", "lint --strict"),
    ("check --sarif", "lint --format sarif"),
    ("check --format github", "lint --format github"),
    ("check --accept unknown-id --reason Known --dry-run", "verify --accept unknown-id --reason Known --dry-run"),
    ("check --accept-all --reason Known --dry-run", "verify --accept-all --reason Known --dry-run"),
    ("check --unaccept unknown-id --reason Known", "verify --unaccept unknown-id --reason Known"),
    ("check --restore --dry-run", "verify --restore --dry-run"),
    ("check memory/continuity.md", "lint memory/continuity.md"),
    ("check -- memory/continuity.md nowhere.md", "lint -- memory/continuity.md nowhere.md"),
    ("export site ../site --base https://a.example --dry-run", "web --export ../site --base https://a.example --dry-run"),
    ("install --remove claude --dry-run", "uninstall claude --dry-run"),
)  # fmt: skip
#: Alike to look at: the word is the value of an option, the text of something, or not where it counts.
NO_WAYS = ("show --kind --list", "show -- --list", "note --list", "import claude docs", "log docs")


@pytest.fixture
def ledger(repo: Repo, run: Run) -> Repo:
    """A ledger with a contradiction, an entity, a document, and an id that nobody knows."""
    repo.write(
        "docs/adr/0001-queue.md", "# Queue\n\nStatus: accepted\n\n## Decision\n\nWe use Redis.\n"
    )
    repo.git("add", "docs")
    repo.git("commit", "-q", "-m", "docs")
    new = (
        "id=uv entity=Redis decision: We use uv.",
        "id=stay invariant: Orders stay.",
        "id=limit Ten.",
    )
    run("append", "--title", "Base", *(word for text in new for word in ("--new", text)))
    run("append", "--title", "Dangling", "--ref", "nobody", "--anyway")
    here = repo.git("branch", "--show-current").strip()
    repo.git("switch", "-q", "-c", "side")
    run("append", "--update", "limit", "Twenty.")
    repo.git("switch", "-q", here)
    run("append", "--update", "limit", "Thirty.")
    repo.git("merge", "-q", "--no-edit", "side")
    assert len(run("conflicts", "--json").json["contradictions"]) == 1
    return repo


def _asked(run: Run, line: str, *more: str) -> tuple[int, str, str]:
    """Run a line; put NAME in the place of the name that was typed, which a refusal says."""
    words = line.split()
    place = words.index("--") if "--" in words else len(words)
    arguments = [*words[:place], *more, *words[place:]]
    ran = run(*arguments)
    called, _ = taken_way(arguments, lambda name: None)
    forms = ("diurna: {}: ", "diurna {} --help", '"where": "{}"')
    out, err = ran.out, ran.err
    for form in forms:
        for name in (called, words[0]):
            out, err = (one.replace(form.format(name), form.format("NAME")) for one in (out, err))
    return ran.code, out, err


def test_the_old_name_answers_as_the_new_one(ledger: Repo, run: Run) -> None:
    """Text, JSON, exit code and what is said beside them; nothing of the ledger changes."""
    before = ledger.shape()
    for new, old in TABLE:
        for more in ((), ("--json",)):
            assert _asked(run, new, *more) == _asked(run, old, *more), (new, more)
    assert ledger.shape() == before


def test_every_way_is_in_the_table() -> None:
    """Each word stands in a line of the table, and names commands that are there."""
    for way in WAYS:
        assert find(way.command) and find(way.calls[0])
        first = f"{way.command} {way.word or 'memory'}"
        news = [new for new, old in TABLE if new.split()[0] == way.command
                and old.split()[0] == way.calls[0]]  # fmt: skip
        assert [new for new in news if way.word in new.replace("=", " ").split()] or (
            way.word == FIRST and any(new.startswith(first) for new in news)
        ), way


@pytest.mark.parametrize("line", NO_WAYS)
def test_what_only_looks_like_a_way_is_none(line: str) -> None:
    """A word that is a value, a text, or another command's stays what it is."""
    from rituals.cli.app import diurna

    arguments = line.split()
    load = lambda name: diurna.get_command(None, name)  # type: ignore[arg-type]  # noqa: E731
    assert taken_way(arguments, load) == (arguments[0], arguments)


def test_help_of_a_way_is_the_help_of_what_answers(run: Run) -> None:
    """`diurna show --list --help` tells the options that `--list` takes, under the name that was typed."""
    for way in WAYS:
        if way.kept or not way.word:
            continue
        said = run(way.command, way.word, "--help")
        usage, _, rest = said.out.partition("\n")
        assert (said.code, rest) == (0, run(way.calls[0], "--help").out.partition("\n")[2])
        assert usage.startswith(f"Usage: diurna {way.command} {way.word} ")
        assert run("help", way.command, way.word) == said
