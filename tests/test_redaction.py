"""Redaction (F9, L2, L3, fault:E7): withheld at every point of time, in every command and index."""

from __future__ import annotations

import inspect
import json
import os
import shutil
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest

from ledger.codec.validate import problems
from ledger.errors import DiurnaError, SyncRefused
from ledger.home import discover
from ledger.model.event import (
    Event,
    FactCreated,
    FactRedacted,
    FactReferenced,
    FactSuperseded,
    FactUpdated,
    FactVerified,
)
from ledger.model.ids import version_id
from ledger.model.session import SessionLog
from ledger.wal.atomic_files import Lock
from memory.api import Memory
from memory.redaction.withheld_texts import without_beside, without_lines
from memory.repair import redacted_copies as cleaning
from memory.write.draft import SessionDraft
from projection.fold.full_replay import State
from projection.views.view_table import VIEWS
from rituals.cli.command_builder import command_of
from rituals.cli.command_registry import ENTRIES
from rituals.decide.redaction import redaction
from rituals.hosts.observed.observation_spool import Observation, spool_of
from rituals.serve.mcp.arguments import Caller
from rituals.serve.mcp.tools import TOOLS
from rituals.sync.backoff import Timer
from rituals.sync.sync_rounds import sync
from tests.campaigns.homes import OWN_BRANCH, lay, make_home
from tests.conftest import Ran, Repo, Run, each_row, sampled
from tests.teams import Clone, Team

#: Words that stand nowhere else: in two texts of a fact, in the title, prose and remarks of a log, in the
#: footer of the fact, and beside its id.
TEXT, LATER, WORDS = "zanzibarquokka", "ultramarineferret", "heliotropemarmot"
NAMED, BESIDE = "vermilionpangolin", "cobaltcapybara"
TOKENS = (TEXT, LATER, WORDS, NAMED, BESIDE)
#: What spelling help would name if an index had it.
MISSPELLED = "zanzibarqoukka ultramarineferet heliotropemramot vermilionpangolim cobaltcapibara"
#: The footer of the fact; what of it is structure is shown.
FOOTER = (
    ("kind", "thread"), ("tags", f"safe, {NAMED}"), ("entity", f"{NAMED} Vault"), ("role", NAMED),
    ("serves", f"plain, {NAMED}!"), ("source", f"told by {NAMED}"), ("floor", NAMED),
)  # fmt: skip


class Told:
    """A ledger with a redacted fact and a redacted log: the points of its past, and what can be asked."""

    def __init__(self, repo: Repo, run: Run) -> None:
        self.repo, self.run = repo, run
        self.stems: list[str] = []
        self.before = ""

    def tell(self) -> None:
        """Make the ledger."""
        repo, run = self.repo, self.run
        made: list[str | Ran] = [
            run("append", "--title", "First", "--new", "id=plain Orders are kept a year.", "--json"),
            self.says("The vault", FactCreated("vault", f"The code of the vault is {TEXT} for now.",
                      " ", FOOTER, f"as {BESIDE} said")),
            self.says("Again", FactUpdated("vault", f"The code is {LATER} by now.", remark=BESIDE,
                      meta=(("floor", f"{NAMED} 2"),)), FactReferenced("plain")),
            run("append", "--from-json", "-", "--json", stdin=(
                f'{{"title": "About {WORDS}", "body": "We saw the {WORDS} at noon.\\n\\nAnd left.",'
                f'"refs": ["plain"]}}').encode()),
            self.says("After", FactReferenced("vault", f"the password is {BESIDE}"),
                      FactVerified("vault", BESIDE), FactCreated("old", "It is kept on paper."),
                      FactSuperseded("old", "vault", f"{BESIDE} has it")),
            self.says("Beyond", FactReferenced("vault"), FactReferenced("plain", "a remark that stays")),
        ]  # fmt: skip
        self.stems = [one if isinstance(one, str) else str(one.json["stem"]) for one in made]
        self.before = repo.git("rev-parse", "HEAD").strip()
        assert run("check", "--publish").code == 0
        assert all(run("recall", token, "--superseded").out for token in TOKENS[:4])
        assert (
            NAMED in run("show", "--about").out + run("show", "vault").out
            and BESIDE in run("why", "vault").out
        )
        assert run("brief", "--task", TEXT).code == 0

    def says(self, title: str, *events: Event) -> str:
        """Append a log as a program does; return its stem."""
        return Memory(discover(str(self.repo.path))).append(SessionDraft(title, "", events)).stem

    def redact(self) -> None:
        for target in ("vault", self.stems[3]):
            assert self.run("redact", target, "--reason", "Private.").code == 0
        assert self.run("check", "--publish").code == 0

    @property
    def points(self) -> list[str]:
        """What can be written where a point of time is wanted: all before the redaction."""
        return [self.stems[2], self.stems[3][:10], self.before]


@pytest.fixture
def told(repo: Repo, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Told:
    def make(folder: Path) -> None:
        shutil.copytree(repo.path, folder, symlinks=True)
        monkeypatch.chdir(folder)
        made = Told(Repo(folder), run)
        made.tell()
        _MADE[:] = [*made.stems, made.before]

    folder = tmp_path / "told"
    lay("a ledger of which something is to be redacted", folder, make)
    monkeypatch.chdir(folder)
    told = Told(Repo(folder), run)
    *told.stems, told.before = _MADE
    return told


#: The stems of the logs that were laid, and the commit.
_MADE: list[str] = []


#: Commands that do not answer from this ledger, and why.
_ELSEWHERE = {
    "init": "makes a home", "hook": "is called by git",
    "org": "its rows are walked in test_org_worker",
    "mcp": "serves until it is stopped; its tools are walked below",
    "web": "serves until it is stopped; its pages are walked in test_web_*",
    "install": "writes settings of other programs",
    "completion": "prints a script; what it completes with is read off the cache",
}  # fmt: skip
#: What stands in the help for a value that is no point of time.
_NO_POINT = frozenset(
    'NAME KIND TIER TAG ROLE TEXT FILE FILE|- ID,… LEVEL FORMAT TYPE PATH SIDE CHARACTERS N REASON "KIND:'
    " OLD=NEW ID SESSION HOST".split()
)


def arguments_of(told: Told, name: str) -> list[list[str]]:
    """What a command's argument may be; KeyError for one that nobody wrote down here."""
    logs = told.repo.path / "memory" / "sessions"
    first, log = [next(logs.rglob(f"{stem}.md")) for stem in (told.stems[0], told.stems[3])]
    a, b, c = told.points
    known: dict[str, list[list[str]]] = {
        "id": [["vault"]],
        "ids": [["vault"], ["plain", "vault"]],
        "targets": [["vault"], [told.stems[3]]],
        "version": [
            [version_id(f"The code of the vault is {TEXT} for now.")],
            ["--reason", "Private."],
        ],
        "texts": [[MISSPELLED], ["The code of the vault."]],
        "text": [["The vault has another code."]],
        "stems": [[], [told.stems[1]], [told.stems[3]]],
        "patterns": [[], ["vault"], ["*", MISSPELLED.split()[0]]],
        "query": [[MISSPELLED], ["code vault"]],
        "name": [["vault"], [MISSPELLED.split()[3]], ["safe"]],
        "anchor": [["vault"], [told.stems[3]], [MISSPELLED]],
        "what": [[told.stems[1]], [told.stems[3]], [str(log)]],
        "range": [[f"{a}.."], [f"{told.stems[0]}..{a}"], [f"{c}..{b}"], [f"{told.stems[0]}..{c}"]],
        "file": [[str(first)]],  # what is appended is shown as it is
        "files": [[], [str(log)]],
        "remote": [[]],
        "findings": [[]],
        "shell": [["bash"]],
        "action": [["list"]],
        "words": [[]],
        "message": [[]],
        "source": [["jsonl"]],  # what another tool says is not of this memory
        "argument": [[]],
        "dir": [[]],
        "switch": [["on"], ["off"], []],
        "paths": [[], [str(told.repo.path)]],
    }
    return known[name]


def invocations(told: Told, name: str, command: click.Command) -> Iterator[list[str]]:
    """Every command line that shows something of the past: each argument, each option by itself."""
    base: list[list[str]] = [[]]
    for one in command.params:
        if isinstance(one, click.Argument):
            values = (
                [[view] for view in VIEWS]
                if (name, one.name) == ("view", "name")
                else arguments_of(told, one.name or "")
            )
            base = [[*before, *more] for before in base for more in values]
    options = [one for one in command.params if isinstance(one, click.Option)]
    required: list[str] = []
    for one in options:
        if one.required:
            required += [one.opts[0], "Private."]
        elif one.name == "dry_run":
            required += ["--dry-run"]
    for line in base:
        yield [name, *line, *required]
    last = base[-1] if name == "recall" else base[0]
    for one in options:
        if one.required or one.name in ("dry_run", "help", "home", "http"):
            continue
        if one.is_flag:
            yield [name, *last, *required, one.opts[0]]
        elif isinstance(one.type, click.Choice):
            for choice in one.type.choices:
                yield [name, *last, *required, one.opts[0], str(choice)]
        elif not _NO_POINT.isdisjoint((one.metavar or "").split()):
            continue
        else:
            for point in told.points:
                for line in base:
                    yield [name, *line, *required, one.opts[0], point]
                    yield [name, *line, *required, one.opts[0], point, "--json"]


@pytest.mark.deep(reason="no_method_of_memory_returns_it is the small one")
def test_no_command_shows_what_is_redacted_at_any_point_of_time(told: Told) -> None:
    """Whatever is asked of a command that the registry names, on standard output or error (F9)."""
    told.redact()
    commands: dict[str, click.Command] = {
        entry.name: command_of(entry.name) for entry in ENTRIES if entry.name not in _ELSEWHERE
    }
    lines = [(name, line) for name in commands for line in invocations(told, name, commands[name])]
    assert len(lines) > 100
    leaks = []
    for _, line in sampled(lines, 3):
        ran = told.run(*line)
        assert ran.code != 3, (line, ran.err)
        if any(token in ran.out + ran.err for token in TOKENS):
            leaks.append((line, ran.out, ran.err))
    assert not leaks, "".join(f"{line}\n{out[:300]}{err[:300]}\n\n" for line, out, err in leaks)


def test_spelling_help_knows_no_withheld_word(told: Told) -> None:
    """A word near a withheld one is looked for as it is; near one that may be shown, it is helped."""
    assert (
        TEXT in told.run("recall", "zanzibarqoukka").err + told.run("recall", "zanzibarqoukka").out
    )
    told.redact()
    for word in MISSPELLED.split():
        ran = told.run("recall", word)
        assert not [token for token in TOKENS if token in ran.out + ran.err]
    for point in told.points:
        assert told.run("recall", TEXT, "--as-of", point, "--json").json["hits"] == []


def values_of(told: Told, name: str) -> list[Any]:
    """What a tool's or a method's parameter may be."""
    if name in ("as_of", "since", "until", "start", "end"):
        return told.points
    log = next((told.repo.path / "memory" / "sessions").rglob(f"{told.stems[1]}.md"))
    known: dict[str, list[Any]] = {
        "query": [MISSPELLED, "code vault"], "fact": ["vault"], "name": ["vault", "safe"], "ids": [["vault"]],
        "stem": [told.stems[1], told.stems[3]], "anchor": ["vault", told.stems[3]], "id": ["vault"],
        "text": [log.read_text()], "level": ["index", "timeline", "full"], "task": ["code of vault"],
        "kinds": [("thread",)], "facts": [()], "title": ["Of no use"], "superseded": [True],
        "question": [lambda cache: (cache.view(), cache.histories(), cache.findings())],
    }  # fmt: skip
    return known.get(name, [])


def test_no_tool_of_the_server_shows_it(told: Told) -> None:
    """Each tool, with each of its parameters that can be about the past."""
    told.redact()
    memory = Memory(discover(str(told.repo.path)))
    said = []
    for tool in TOOLS:
        fields = tool.takes.model_fields
        need = {n: values_of(told, n)[0] for n, field in fields.items() if field.is_required()}
        every = [need, *[{**need, n: v} for n in fields for v in values_of(told, n)]]
        for given in every:
            try:
                answer = tool.run(memory, tool.takes(**given), Caller())
            except (DiurnaError, ValueError) as problem:
                said.append((tool.name, given, str(problem)))
            else:
                said.append((tool.name, given, json.dumps(answer)))
    assert len(said) > 20
    assert not [one for one in said if any(token in one[2] for token in TOKENS)]


#: Methods of `Memory` that write, or answer nothing of what was said.
_WRITE = frozenset(
    "append drain remake commit_files join absorb absorb_first absorb_committed publish write_projection close open "
    "occasion identity asker kept waiting bring_back hold held land_held ride".split()
)


def shown(answer: object) -> str:
    """All that an answer tells whoever prints it."""
    if isinstance(answer, State):
        return repr((answer.standings(), answer.view(), answer.findings()))
    return str(answer)


def test_no_method_of_memory_returns_it(told: Told) -> None:
    """The library's door withholds as the command line does."""
    told.redact()
    memory = Memory(discover(str(told.repo.path)))
    said = []
    for name, method in inspect.getmembers(Memory, inspect.isfunction):
        if name.startswith("_") or name in _WRITE:
            continue
        parameters = list(inspect.signature(method).parameters.values())[1:]
        need = {
            one.name: values_of(told, one.name)[0]
            for one in parameters
            if one.default is inspect.Parameter.empty
        }
        for given in [
            need,
            *[{**need, p.name: v} for p in parameters for v in values_of(told, p.name)],
        ]:
            try:
                said.append((name, given, shown(getattr(memory, name)(**given))))
            except DiurnaError as problem:
                said.append((name, given, str(problem)))
    assert {"state", "recall", "diff", "why"} <= {one[0] for one in said}
    assert not [one for one in said if any(token in one[2] for token in TOKENS)]


def test_what_holds_no_free_text_is_shown_of_a_redacted_fact(told: Told) -> None:
    """Id, kind, dates, counts and ids that it names, now and then; its entity is unknown, other remarks stay."""
    assert told.run("show", "--about", f"{NAMED} Vault").code == 0
    told.redact()
    for asked in ([], ["--as-of", told.points[0]]):
        out = told.run("show", "vault", "--json", *asked).json
        (fact,) = out.get("facts", [out])
        assert (fact["id"], fact["kind"], fact["text"]) == ("vault", "thread", "(redacted)")
        assert "plain" in str(fact) and told.stems[1][:10] in str(fact)
    for name in (f"{NAMED} Vault", "safe"):
        assert told.run("show", "--about", name).code == 1
    assert "a remark that stays" in told.run("why", "plain").out
    assert "supersedes" in str(told.run("why", "vault").out).lower()


def test_footers_that_come_after_the_redaction_stay_withheld(told: Told) -> None:
    """By an update, with new keys and names, and a remark."""
    told.redact()
    token = "tangerinebadger"
    meta = (("tags", token), ("entity", token), ("cellar", token), ("supersedes", f"old, {token}!"))
    told.says("More", FactUpdated("vault", "It is open.", meta=meta, remark=f"see {token}"),
              FactReferenced("vault", f"or {token}"))  # fmt: skip
    assert told.run("check", "--publish").code == 0
    for line in (["show", "vault"], ["show", "--json"], ["why", "vault"], ["show", "--about"], ["recall", "open"],
                 ["brief"], ["recall", token, "--json"], ["status"], ["show", "--tag", token]):  # fmt: skip
        ran = told.run(*line)
        assert token not in (ran.out + ran.err).replace(f'"{token}"', "").replace(
            f"for: {token}", ""
        )
    assert all("/spool/kept/" in name for name in kept_with(told.repo.path / ".git", token))
    assert told.run("redact", "vault", "--reason", "Again.").code == 0
    assert kept_with(told.repo.path / ".git", token) == []
    assert token not in (told.repo.path / "memory" / "continuity.md").read_text()


@each_row(
    "line",
    [
        "- Referenced: vault (cobaltcapybara)",
        "- Referenced: plain, vault — cobaltcapybara",
        "- Verified: plain\n- Closed: vault (was 01234567)\n  (or cobaltcapybara, that\n  is)",
        "- Created:\n  - plain (it stays)\n  - vault (cobaltcapybara)",
        "- `vault` cobaltcapybara said so",
        "- Superseded: plain → vault — cobaltcapybara",
        "\nvault has the password cobaltcapybara.",
        "- Touched: vault, with cobaltcapybara",
        "- Referenced (cobaltcapybara): vault",
        "- Referenced: plain, vault says cobaltcapybara",
        "- Created:\n  - plain (it stays)\n  - The vault has cobaltcapybara!",
    ],
)
def test_no_bullet_keeps_a_word_beside_a_redacted_id(line: str) -> None:
    """However a person wrote it; every line keeps its number, and other bullets their words."""
    text = f"# A\n\nIt went well.\n\n## Memory References\n\n- Referenced: plain (here)\n{line}\n\n"
    text += "## Facts\n\n- A text.\n  <!-- id: vault | kind: fact | tags: cobaltcapybara, x | serves: plain -->\n"
    kept = without_beside(text, frozenset({"vault"}))
    assert "cobaltcapybara" not in kept
    assert kept.count("\n") == text.count("\n")
    assert "- Referenced: plain (here)\n" in kept and "It went well." in kept
    assert "<!-- id: vault | kind: fact | serves: plain -->" in kept
    assert without_beside(text, frozenset({"other"})) == text


def test_a_short_text_is_withheld_where_it_stands_alone() -> None:
    """As a line, a bullet or a thread, ticked or not; within a longer line it may be any word."""
    lines = ["no", "- no", "  - [ ] no", "- [x] no", "[X] no", "noon", "- [ ] say no", "yes no"]
    kept = without_lines("\n".join(lines), ["no"]).split("\n")
    assert kept == [*[""] * 5, *lines[5:]]


def test_what_held_a_text_is_named_by_stem_and_blob() -> None:
    """Anything else is refused before it is stored."""
    log = SessionLog((("agent", "a"), ("type", "edit")), "T", "", (FactRedacted("a"),))
    assert problems(log) == ()
    for held in (("no stem", "0" * 40), ("2026-05-02", "g" * 40), ("2026-05-02", "0" * 39)):
        (one,) = problems(log._replace(events=(FactRedacted("a", held=(held,)),)))[:1]
        assert one.code == "bad-event"


def test_a_text_is_withheld_where_a_title_cuts_it() -> None:
    """Up to the `…`; a title is a line like others, also where Diurna says before it what was done."""
    text = "The keys of the vault lie under the gamma stone behind the mill."
    lines = ["# The keys of the vault lie under…", "x: The keys of the vault lie un… (a)", "# Task: hunter2",
             "Undo: hunter2", "# The keys of the vault are…", "A mill… The keys of the vault", "Task: hunt"]  # fmt: skip
    kept = without_lines("\n".join(lines), [text, "hunter2"]).split("\n")
    assert kept == [*[""] * 4, *lines[4:]]


def test_a_title_that_says_the_text_is_withheld_with_it(repo: Repo, run: Run) -> None:
    """A note bears its text as title, a long one cut; so does the log that took it back, which brings none."""
    words = ["kappaquokka", "gammaferret", "deltamarmot"]
    run("note", f"id=short decision: The {words[0]} is undone.")
    run("undo")
    run(
        "note",
        f"id=long decision: The keys lie under the {words[1]} stone behind the {words[2]} mill, {'far ' * 20}.",
    )
    assert run("recall", words[0]).code == 0 and words[1] in run("log").out
    assert run("redact", "short", "long", "--reason", "Private.").code == 0
    for line in (["log"], ["log", "--json"], ["recall", "kappaqoukka"], ["recall", "stone"], ["recall", "--level", "timeline"],
                 ["why", "short", "--versions"], ["why", "long"], ["undo", "--dry-run"]):  # fmt: skip
        ran = run(*line)
        assert not [word for word in words if word in ran.out + ran.err], line
    assert kept_with(repo.path / ".git", *words) == []


# ---- what lies beside git ------------------------------------------------------------------------------


def packed_in(data: bytes) -> Iterator[bytes]:
    """Yield what a note of commits holds of whole objects, as `ledger.wal.intents` packs them."""
    for one in data.split(b"\0"):
        if len(one) > 40 and one[:4] == b"7801" and not one.strip(b"0123456789abcdef"):
            yield zlib.decompress(bytes.fromhex(one.decode()))


def kept_with(folder: Path, *tokens: str) -> list[str]:
    """Return the files of Diurna's under a git directory, and its mirror, in which a token stands."""
    found = []
    for path in sorted([*folder.rglob("diurna*/**/*"), *(folder.parent / ".memory").rglob("*")]):
        if path.is_file():
            data = path.read_bytes()
            texts = [data, *packed_in(data)]
            if any(token.encode() in text for token in tokens for text in texts):
                found.append(str(path.relative_to(folder.parent)))
    return found


def test_nothing_that_is_kept_beside_git_holds_it(told: Told) -> None:
    """Caches, index, briefs, copies in the spool, notes of faults and what was set aside.

    What the same logs say of other facts stays.
    """
    git = told.repo.path / ".git"
    state = git / "diurna"
    (state / "bug-1.log").write_text(
        f"Traceback\n  text='The code is {LATER} by now.'\nIt is kept on paper.\n"
    )
    (state / "stale").mkdir(exist_ok=True)
    blob = told.repo.git("rev-parse", f"HEAD:memory/{path_of(told, 1)}").strip()
    (state / "stale" / f"objects%2F{blob[:2]}%2F{blob[2:]}.17").write_bytes(b"damaged")
    told.run("recall", "anything")
    before = kept_with(git, *TOKENS)
    assert any(name.endswith(".sqlite") for name in before), before
    assert any("kept/" in name for name in before), before
    assert any(name.endswith((".recall", ".shown", ".briefs")) for name in before), before
    told.redact()
    for command in (("show",), ("recall", "code"), ("brief",), ("status",)):
        assert told.run(*command).code == 0
        assert kept_with(git, *TOKENS) == []
    assert (state / "bug-1.log").read_text() == "Traceback\n(redacted)\nIt is kept on paper.\n"
    assert not list((state / "stale").iterdir())


def test_what_sessions_left_is_cleaned_and_keeps_its_numbers(told: Told) -> None:
    """An observation with the text goes, those around it stay what they are; a checkpoint goes."""
    git = str(told.repo.path / ".git")
    spool = spool_of(git, "claude", "s-1")
    lines = ["wrote a", f'He said "no". The code is {LATER} by now.', "wrote b"]
    for number, what in enumerate(lines):
        spool.add(Observation(number + 1, "decision", "user", what, once=str(number)))
    began = spool.read().began
    state = told.repo.path / ".git" / "diurna"
    checkpoint = state / "checkpoints" / "claude-s-1.json"
    checkpoint.parent.mkdir()
    checkpoint.write_text(f'{{"task": "The code is {LATER} by now."}}')
    cut = checkpoint.with_name("claude-s-3.json")
    cut.write_text(f'{{"task": "The code is {LATER}\\u2026"}}')
    said, answer = state / "said" / "opencode-s-2.jsonl", state / "captured" / "claude-s-1.answer"
    for path in (said, answer):
        path.parent.mkdir(exist_ok=True)
    said.write_text(f'\n{{"parts": ["The code is {LATER} by now."]}}\n{{"parts": ["behind"]}}\n')
    place = said.read_bytes().index(b"behind")
    items = [{"text": f"The code is {LATER} by now."}, {"text": "ü stays"}]
    answer.write_text(json.dumps({"name": "t", "items": items}))
    told.redact()
    assert kept_with(Path(git), *TOKENS) == []
    assert said.read_bytes().index(b"behind") == place
    assert json.loads(answer.read_text())["items"] == [{"text": "ü stays"}]
    held = spool.read()
    assert ([one.what for one in held.observations], held.count) == (["wrote a", "wrote b"], 3)
    assert held.began == began and [one.what for one in spool.read(2).observations] == ["wrote b"]
    assert not checkpoint.exists() and not cut.exists()


def test_what_a_dead_process_left_half_written_goes_too(told: Told) -> None:
    """A new file of a cache that nobody writes any more, and the journal of a cache that is gone."""
    folder = told.repo.path / ".git" / "diurna" / "cache"
    left = folder / "0.sqlite.1234.tmp", folder / "1.sqlite-journal"
    for path in left:
        path.write_text(TEXT)
        os.utime(path, (0, 0))
    told.redact()
    assert not any(path.exists() for path in left)


def path_of(told: Told, number: int) -> str:
    stem = told.stems[number]
    return f"sessions/{stem[:7]}/{stem[8:10]}/{stem}.md"


@pytest.mark.deep(reason="footers_that_come_after_the_redaction_stay_withheld is the small one")
def test_a_later_update_of_a_redacted_fact_is_kept_nowhere_either(told: Told) -> None:
    """Its text is withheld from the first moment; said again, the redaction takes out its copy too."""
    told.redact()
    token = "tangerinebadger"
    assert (
        told.run("append", "--update", "vault", f"It is {token} now.", "--title", "More").code == 0
    )
    for command in (
        ("show", "vault"),
        ("recall", token),
        ("why", "vault"),
        ("brief", "--task", token),
    ):
        ran = told.run(*command)
        assert token not in ran.out.replace(f"looked for: {token}", "") + ran.err
    again = told.run("redact", "vault", "--reason", "Again.", "--json").json
    assert again["already"] == "" and len(again["events"]) == 1
    assert kept_with(told.repo.path / ".git", token, *TOKENS) == []
    assert told.run("redact", "vault", "--reason", "Again.", "--json").json["already"]


@pytest.mark.parametrize("step", ["_clear_caches", "_clear_kept", "_clear_notes", "_record"])
def test_a_cleaning_that_was_killed_is_gone_on_with(
    told: Told, step: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The next command, also one that only reads, does the rest."""

    def killed(*arguments: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(cleaning, step, killed)
        told.run("redact", "vault", "--reason", "Private.")
    assert told.run("show", "plain").code == 0
    assert kept_with(told.repo.path / ".git", TEXT, LATER) == []


def test_what_has_to_wait_is_seen_to_by_the_next_command(told: Told) -> None:
    """While another process holds the lock the copies stay, and go with the first command after that."""
    git = told.repo.path / ".git"
    told.redact()
    os.unlink(next(git.glob("diurna/cache/*.redacted")))
    stem = told.stems[1]
    kept = git / "diurna" / "spool" / "kept" / stem
    kept.write_bytes((told.repo.path / "memory" / path_of(told, 1)).read_bytes())
    with Lock(str(git / "diurna" / "lock")):
        assert told.run("show", "plain").code == 0
        assert kept.exists()
    assert told.run("show", "plain").code == 0
    assert not kept.exists()


@pytest.mark.deep(reason="caches_of_other_branches_go_with_it is the small one")
def test_a_redaction_cleans_the_other_clones_when_it_arrives(tmp_path: Path) -> None:
    """By a sync, and by a plain `git pull`: the first command that reads the event."""
    team = Team(tmp_path)
    one = team.one
    one.create("vault", f"The code is {TEXT} for now.")
    one.sync()
    others = [team.clone("two"), team.clone("three")]
    for other in others:
        other.append("Mine", FactReferenced("vault"))
        assert other.memory.recall(TEXT).hits
        other.sync()
        assert kept_with(other.folder / ".git", TEXT)
    one.sync()
    one.append("No more", FactRedacted("vault"))
    one.sync()
    assert kept_with(one.folder / ".git", TEXT) == []
    others[0].sync()
    others[1].git("pull", "-q", "--no-rebase", "origin", "main")
    for other in others:
        assert other.memory.recall("code").hits == ()
        assert kept_with(other.folder / ".git", TEXT) == []


# ---- taken out of the history --------------------------------------------------------------------------


def objects_with(repo: Repo, *tokens: str) -> list[str]:
    """Return the objects, reachable or not, in which a token stands."""
    listed = repo.git("cat-file", "--batch-all-objects", "--batch-check").split("\n")
    names = [line.split(" ") for line in listed if line]
    said = {name: repo.git("cat-file", kind, name) for name, kind, _ in names if kind != "tree"}
    return [name for name, text in said.items() if any(token in text for token in tokens)]


def purge(repo: Repo, *, replace: str = "") -> None:
    """Rewrite the history as a person would with the files that `redact` named, and forget the old one."""
    ids = repo.path.parent / "purge"
    filter_ = (
        f"git ls-files -s | grep -F -f {ids} | cut -f2 | xargs -r -d '\\n' git rm -q --cached --"
    )
    if replace:
        filter_ = (
            f"git ls-files -s | grep -F -f {ids} | while read -r m blob s path; do git update-index "
            f"--cacheinfo $m,$(git cat-file blob $blob | sed 's/{replace}/gone/g' | "
            "git hash-object -w --stdin),$path; done"
        )
    repo.git("filter-branch", "-f", "--index-filter", filter_, "--", "--all")
    for name in repo.git("for-each-ref", "--format=%(refname)", "refs/original").split():
        repo.git("update-ref", "-d", name)
    repo.git("reset", "-q", "--hard")
    repo.git("reflog", "expire", "--expire=now", "--all")
    repo.git("gc", "-q", "--prune=now")


@pytest.mark.deep(reason="no_sync_brings_back_what_was_purged is the small one")
@pytest.mark.parametrize("replace", ["", f"{TEXT}\\|{LATER}"])
def test_a_purged_text_never_comes_back(told: Told, replace: str, monkeypatch: Any) -> None:
    """Redacted, taken out of the history, collected: no later command writes it again (fault:E7)."""
    monkeypatch.setenv("FILTER_BRANCH_SQUELCH_WARNING", "1")
    run, repo = told.run, told.repo
    assert run("check", "--ci").code == 0
    assert run("redact", "vault", "--reason", "Private.").code == 0
    assert run("check", "--publish").code == 0
    said = run("redact", "vault", "--reason", "Private.", "--json").json
    (repo.path.parent / "purge").write_text("".join(f"{one}\n" for one in said["git"]["files"]))
    purge(repo, replace=replace)
    assert objects_with(repo, TEXT, LATER) == []
    for number in range(2):
        done = run("append", "--title", f"Later {number}", "--ref", "plain")
        assert (done.code, "warning" in done.err) == (0, False), done
        assert run("check", "--publish").code == 0
        said = run("check", "--ci", "--json").json["findings"]
        assert [one for one in said if one["severity"] == "error"] == []
        assert run("check", "--ci").code == 0
        repo.git("gc", "-q", "--prune=now")
    assert "nothing to restore" in run("check", "--restore").err
    assert run("check", "--fix").code in (0, 1)
    for command in (
        ("show",),
        ("recall", "code vault"),
        ("log",),
        ("brief",),
        ("status",),
        ("review", "--yes"),
    ):
        assert run(*command).code == 0
    assert objects_with(repo, TEXT, LATER) == []
    assert kept_with(repo.path / ".git", TEXT, LATER) == []
    assert run("show", "plain").out.count("Orders are kept a year.") == 1


@pytest.mark.deep(reason="a_redaction_of_other_bytes_allows_nothing is the small one")
def test_only_the_logs_that_a_redaction_names_may_go(told: Told, monkeypatch: Any) -> None:
    """Another log that goes with them, or one of other bytes, is an error as ever."""
    monkeypatch.setenv("FILTER_BRANCH_SQUELCH_WARNING", "1")
    run, repo = told.run, told.repo
    told.redact()
    assert run("check", "--ci").code == 0
    ids = repo.path.parent / "purge"
    other = repo.git("rev-parse", f"HEAD:memory/{path_of(told, 5)}").strip()
    ids.write_text(f"{other}\n")
    purge(repo)
    found = run("check", "--ci", "--json").json["findings"]
    assert {one["code"] for one in found if one["severity"] == "error"} == {"history-rewritten"}


@pytest.mark.deep(reason="a_redaction_of_other_bytes_allows_nothing is the small one")
def test_a_redacted_log_may_be_deleted_and_no_other(told: Told) -> None:
    """By a commit of its own as by a purge; what the redaction does not name is told and comes back."""
    run, repo = told.run, told.repo
    told.redact()
    for number, code in ((1, 0), (3, 0), (4, 0), (5, 1)):
        repo.git("rm", "-q", f"memory/{path_of(told, number)}")
        repo.git("commit", "-q", "-m", "gone")
        run("check", "--publish")
        assert run("check", "--ci").code == code
    found = run("check", "--ci", "--json").json["findings"]
    errors = {one["file"] for one in found if one["severity"] == "error"}
    assert errors == {path_of(told, 5)}
    assert run("check", "--restore").code == 0
    run("check", "--publish")
    assert run("check", "--ci").code == 0
    assert not (repo.path / "memory" / path_of(told, 1)).exists()


def test_a_redaction_of_other_bytes_allows_nothing(told: Told) -> None:
    """The event names a log by its stem and its bytes; a wrong blob id is no leave to delete it."""
    run, repo = told.run, told.repo
    held = ((told.stems[4], "0" * 40),)
    memory = Memory(discover(str(repo.path)))
    memory.append(SessionDraft("Sly", "", (FactRedacted("plain", held=held),), type="edit"))
    repo.git("rm", "-q", f"memory/{path_of(told, 5)}")
    repo.git("commit", "-q", "-m", "gone")
    run("check", "--publish")
    assert run("check", "--ci").code == 1


@pytest.mark.parametrize("who", ["one", "two"])
def test_no_sync_brings_back_what_was_purged(tmp_path: Path, who: str, monkeypatch: Any) -> None:
    """A clone with the old history, or a remote that has it still: a person has to decide."""
    monkeypatch.setenv("FILTER_BRANCH_SQUELCH_WARNING", "1")
    team = Team(tmp_path)
    one = team.one
    one.create("plain")
    one.create("vault", f"The code is {TEXT} for now.")
    one.sync()
    two = team.clone("two")
    one.append("No more", FactRedacted("vault"))
    one.sync()
    two.append("Mine", FactReferenced("plain"))
    holding = redaction(one.memory, ("vault",), "Private.").git
    (one.folder.parent / "purge").write_text("".join(f"{b}\n" for b in holding.blobs))
    purge(Repo(one.folder))
    late = one
    if who == "two":
        one.git("push", "-q", "--force", "origin", "main")
        late = two
    before, hub = late.git("rev-parse", "HEAD"), Repo(team.hub).git("rev-parse", "main")
    for adopt in (False, True):
        with pytest.raises(SyncRefused, match="was redacted and taken out of the history"):
            sync(late.memory, "", adopt=adopt, timer=Timer(sleep=lambda seconds: None))
    assert late.git("rev-parse", "HEAD") == before
    assert Repo(team.hub).git("rev-parse", "main") == hub
    assert "refs/diurna/lost" not in late.git("for-each-ref")
    assert not objects_with(Repo(one.folder), TEXT) or who == "one"


def test_the_mirror_and_other_work_trees_are_cleaned_too(tmp_path: Path) -> None:
    """An own branch that publishes by hand: its mirror; and the caches of another branch, from a work tree."""
    home = make_home(tmp_path / "shop", OWN_BRANCH)
    clone = Clone(tmp_path / "shop")
    policy = clone.git("show", "memory:diurna.toml").replace('"append"', '"review"') + "\n"
    clone.memory.commit_files([("diurna.toml", policy.encode())], "by hand")
    clone.create("vault", f"The code is {TEXT} for now.")
    clone.memory.publish()
    assert any(name.startswith(".memory/") for name in kept_with(clone.folder / ".git", TEXT))
    clone.append("No more", FactRedacted("vault"))
    assert kept_with(clone.folder / ".git", TEXT) == []
    assert "(redacted)" in (clone.folder / ".memory" / "continuity.md").read_text()
    assert home.reference == clone.memory.home.reference


def test_caches_of_other_branches_go_with_it(told: Told, tmp_path: Path, monkeypatch: Any) -> None:
    """Whoever redacts in one work tree cleans what was kept for the branch of another."""
    repo = told.repo
    repo.git("branch", "feature")
    repo.git("worktree", "add", "-q", str(tmp_path / "side"), "feature")
    monkeypatch.chdir(tmp_path / "side")
    assert TEXT not in told.run("recall", LATER).out and LATER in told.run("show", "vault").out
    monkeypatch.chdir(repo.path)
    assert len(list((repo.path / ".git" / "diurna" / "cache").glob("*.sqlite"))) == 2
    told.redact()
    assert kept_with(repo.path / ".git", *TOKENS) == []
    monkeypatch.chdir(tmp_path / "side")
    repo.git("-C", str(tmp_path / "side"), "merge", "-q", "main")
    assert "(redacted)" in told.run("show", "vault").out
    assert kept_with(repo.path / ".git", *TOKENS) == []
