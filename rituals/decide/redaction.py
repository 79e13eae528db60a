"""Withhold a text or the words of a log from all that is shown, and say what still has it.

Nothing is taken out of git. Who can read the repository can read the text, so a secret has to be rotated;
the plan names the logs that hold it, where they went, and what of git a person would have to rewrite.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ledger.codec.log import decode
from ledger.errors import NotFound, WrongUsage
from ledger.git.cli import Git
from ledger.model.event import Event, FactCreated, FactRedacted, FactUpdated
from ledger.model.ids import blob_id, is_fact_id
from ledger.model.layout import ARCHIVE_DIR, EDITABLE, SESSIONS_DIR
from ledger.model.log_names import LogRef, is_sealed, is_stem, stem_in
from ledger.model.record import Record
from ledger.wal.atomic_files import plain_bytes
from memory import (
    Memory,
    Purge,
    Withheld,
    held_logs,
    log_named,
    read_bytes,
    texts_in,
    withheld_holders,
    withheld_texts,
)
from projection.fold.fact_history import REDACTED_TEXT
from projection.fold.full_replay import State
from projection.text.normalize import plain
from rituals.decide.decision import Decision
from rituals.record.request import because

ROTATE = (
    "whoever can read this repository, a clone or a backup can still read what was withheld. A secret: "
    "revoke it where it was issued, issue another, and put that one where it is needed; from then on it "
    "does not matter what the history holds"
)


_ID_TELLS = (
    "the id {} says words of it too, and stands wherever the fact is named: no redaction changes it"
)
#: So many words of an id, of so many letters each, tell something.
_WORDS, _WORD_CHARS = 3, 3
#: How many files are read at once: bounds the memory.
_AT_ONCE = 500
REMOTES = "refs/remotes/"


class Holder(Record):
    """A file of the home that holds what was withheld, and the commit that brought it."""

    path: str  #: relative to the home
    commit: str  #: the start of its id
    author: str  #: of the commit
    remotes: tuple[str, ...]  #: the remote-tracking branches that have it


class Redaction(Record):
    """What is to be withheld: the decision, and where git goes on holding it."""

    decision: Decision
    facts: tuple[str, ...]
    logs: tuple[str, ...]
    git: Holding


def redaction(
    memory: Memory, targets: tuple[str, ...], reason: str, *, words_only: bool = False
) -> Redaction:
    """Plan to withhold facts and logs.

    Targets are ids of facts, and stems of logs. The reason is recorded, and must not repeat what is to be
    withheld. With `words_only` of a log only its title, prose and remarks go, not the texts of facts that
    it brought.

    Raises:
        NotFound: there is no such fact or log.
        WrongUsage: a log has a name that no event can say; or the reason repeats what is to be withheld.
    """
    state, cache = memory.state(), memory.cache()
    logs, facts = [], []
    for target in dict.fromkeys(map(memory.named, targets)):
        if target in state:
            facts.append(target)
            continue
        if not is_stem(target):
            raise NotFound(f"there is no fact {target}", hint=memory.near_hint(target))
        stem = log_named(cache, target).stem
        if not is_fact_id(stem):
            hint = "redact its facts by their ids"
            raise WrongUsage(f"no event can name the log {stem}", hint=hint)
        logs.append(stem)
        if not words_only:
            facts += [fact for fact in _brought(state, stem) if fact not in facts]
    git = holding_of(memory, facts, logs)
    if git.purge.telling.repeats(reason):
        hint = "say why, not what: the reason is recorded"
        raise WrongUsage("the reason contains what is to be withheld", hint=hint)
    events: list[Event] = [
        FactRedacted(name)
        for name in (*logs, *facts)
        # said before, but not of these logs: they came since, or it was said when it named none
        if name not in cache.redacted
        or not held_logs(cache, (name,)).issuperset(withheld_holders(memory.home, cache, name))
    ]
    decision = Decision(already="withheld already")
    if events:
        does = [
            f"the {f'words of {one.id} are' if one.id in logs else f'text of {one.id} is'} withheld"
            for one in events
        ]
        hints = [_ID_TELLS.format(fact) for fact in facts if _tells(fact, git.purge.texts)]
        counts = ((len(facts), "fact"), (len(logs), "log"))
        parts = [f"{many} {what}{'s' * (many > 1)}" for many, what in counts if many]
        said, title = tuple([because(event, reason) for event in events]), " and ".join(parts)
        decision = Decision(
            f"Redact {title}", tuple(does), said, reason=reason, hints=(ROTATE, *hints)
        )
    return Redaction(decision, tuple(facts), tuple(logs), git)


def _tells(fact: str, texts: Iterable[str]) -> bool:
    """Tell whether an id is made of words of some texts, as ids once were."""
    said = {word for text in texts for word in plain(text).split()}
    words = [word for word in fact.replace(".", "-").split("-") if len(word) >= _WORD_CHARS]
    return len([word for word in words if word in said]) >= _WORDS


def _brought(state: State, stem: str) -> list[str]:
    """Return the facts of which a log brought a text."""
    texts = (FactCreated, FactUpdated)
    return [
        fact
        for fact, history in sorted(state.histories.items())
        if any(stem_in(act.stem) == stem and isinstance(act.event, texts) for act in history.acts)
        and fact in state
    ]


class Holding(Record):
    """What git has."""

    #: (path from the root, blob id) of the files that hold it: logs, `continuity.md`, pages of the
    #: archive; sorted
    places: tuple[tuple[str, str], ...]
    commits: int  #: how many commits brought them
    messages: tuple[str, ...]  #: the commits that say it in their message, the newest first
    #: branches, tags, stashes and remote-tracking branches that lead to them, sorted
    references: tuple[str, ...]
    holders: tuple[Holder, ...]  #: the logs among the files
    purge: Purge  #: takes it out of bytes

    @property
    def blobs(self) -> tuple[str, ...]:
        """The ids of the files, sorted."""
        return tuple(sorted({blob for _, blob in self.places}))


def _purge_of(memory: Memory, facts: Iterable[str], logs: Iterable[str]) -> Purge:
    """Return what takes facts' texts and logs' words out of bytes."""
    home, cache = memory.home, memory.cache()
    redacted, wordless = frozenset(facts), frozenset(logs)
    texts = {*withheld_texts(home, cache, redacted)}
    telling = Withheld(home, cache, redacted, wordless)
    refs = [ref for stem in sorted(wordless) if (ref := cache.log_ref(stem)) is not None]
    # a purge that was killed may have gone through the tip, and not through other references
    held = sorted(held_logs(cache, (*redacted, *wordless)))
    before = zip(held, home.repository.git().blobs(blob for _, blob in held), strict=True)
    was = [(LogRef(one[0], "", one[1]), data) for one, data in before if data is not None]
    for ref, data in (*read_bytes(home, refs), *was):
        telling.read(ref.stem, data)
        texts |= texts_in(ref, data, redacted)
        if ref.stem in wordless:
            log = decode(data, sealed=is_sealed(ref.stem))[0]
            texts |= {log.title, log.prose} - {"", REDACTED_TEXT}
    return Purge(redacted, wordless, texts, telling)


def holding_of(memory: Memory, facts: Sequence[str], logs: Sequence[str]) -> Holding:
    """Look for texts of facts and words of logs in all that git keeps: branches, stashes, reflogs.

    Facts are named by their ids, logs by their stems.
    """
    home, cache = memory.home, memory.cache()
    git = home.repository.git()
    purge = _purge_of(memory, facts, logs)
    paths = [home.prefix + path for path in (SESSIONS_DIR, *EDITABLE, ARCHIVE_DIR)]
    out = git.run(
        "--literal-pathspecs", "log", "--all", "--reflog", "-m", "--root",
        "--no-show-signature", "--no-renames", "--raw", "--no-abbrev", "--full-history",
        "--format=%x01%H%x02%B%x02%aN%x02", "--", *paths, check=False,
    )  # fmt: skip
    brought: dict[str, set[str]] = {}
    first: dict[str, tuple[str, str, str]] = {}  # path, oldest commit and its author, by blob
    messages: dict[str, None] = {}
    for block in out.split(b"\x01")[1:]:
        name, message, by, rows = block.split(b"\x02", 3)
        commit, author = name.decode("ascii"), by.decode("utf-8", "replace")
        if purge.message(message) != message:
            messages[commit] = None
        for row in rows.split(b"\n"):
            meta, _, path = row.partition(b"\t")
            words = meta.split()
            if row[:1] == b":" and words[4][:1] != b"D":
                blob = words[3].decode("ascii")
                brought.setdefault(blob, set()).add(commit)
                first[blob] = path.decode("utf-8", "surrogateescape"), commit, author
    blobs = {blob for one in (*logs, *facts) for _, blob in withheld_holders(home, cache, one)}
    blobs &= brought.keys()
    names = sorted(brought.keys() - blobs)
    for start in range(0, len(names), _AT_ONCE):
        part = names[start : start + _AT_ONCE]
        pairs = zip(part, git.blobs(part), strict=True)
        blobs |= {blob for blob, data in pairs if data and purge.telling.stands_in(data)}
    commits = {commit for blob in blobs for commit in brought[blob]} | set(messages)
    logs_at = sorted([first[blob] for blob in blobs if first[blob][0].startswith(paths[0])])
    held = []
    for file, commit, author in logs_at:
        away = [one for one in _leading(git, [commit]) if one.startswith(REMOTES)]
        on = tuple([one.removeprefix(REMOTES) for one in away if not one.endswith("/HEAD")])
        held.append(Holder(file.removeprefix(home.prefix), commit[:7], author, on))
    return Holding(
        tuple(sorted([(first[blob][0], blob) for blob in blobs])),
        len(commits),
        tuple(messages),
        tuple(sorted(_leading(git, commits))) if commits else (),
        tuple(held),
        purge,
    )


def _leading(git: Git, commits: Iterable[str]) -> list[str]:
    """Return the references that lead to one of some commits."""
    words = [word for commit in sorted(commits) for word in ("--contains", commit)]
    return git.text("for-each-ref", "--format=%(refname)", *words, check=False).split()


def work_trees(git: Git) -> list[dict[str, str]]:
    """Return what git knows of each work tree of a clone: `worktree`, `HEAD`, `branch` and more."""
    blocks = git.text("worktree", "list", "--porcelain").split("\n\n")
    rows = [[line.partition(" ")[::2] for line in block.split("\n") if line] for block in blocks]
    return [dict(some) for some in rows if some]


def standing(memory: Memory, holding: Holding) -> tuple[str, ...]:
    """Return the files of all work trees of this clone in which it stands, sorted."""
    blobs, there = set(holding.blobs), []
    for tree in work_trees(memory.home.repository.git()):
        for path in {path: f"{tree['worktree']}/{path}" for path, _ in holding.places}.values():
            data = plain_bytes(path)
            there += [path] if data is not None and blob_id(data) in blobs else []
    return tuple(sorted(there))


def held_lines(git: Holding, stands: Sequence[str]) -> tuple[str, ...]:
    """Say, a line each, what of git still has it; `stands` are the files of work trees that do."""
    if not (stands or git.commits):
        return ()
    files = len(git.blobs)
    return (
        "git still has it, for `git grep`, for agents and for the forge's search:",
        *[f"  in the file {path}" for path in stands],
        *[f"  in the message of commit {commit[:12]}" for commit in git.messages],
        *[
            f"  in the history of {one.path}, brought by commit {one.commit} by {one.author}"
            + (f", also on {', '.join(one.remotes)}" if one.remotes else "")
            for one in git.holders
        ],
        f"  in {git.commits} commit{'s' * (git.commits != 1)}, {files} file{'s' * (files != 1)} of them",
        f"  {', '.join(git.references) or 'no branch'} lead to it",
        "rewriting the history is for a person to decide, with everybody who has a clone;",
        "`diurna redact … --purge --dry-run` shows what that would be",
    )
