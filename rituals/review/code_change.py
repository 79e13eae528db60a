"""Say what a change of the code takes away or breaks of what facts say: few lines, strongest first.

Said besides is every secret and personal text that its logs bring. Whoever names a fact in a log of the
change knows of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ledger.codec.log import decode
from ledger.errors import NotFound, WrongUsage
from ledger.escape import prose
from ledger.git.cli import Git
from ledger.git.code_diff import FileDiff, code_diff
from ledger.git.code_history import Code
from ledger.git.repository import find_repository
from ledger.home import IN_TREE, OWN_REPOSITORY, Home
from ledger.model.event import FactReferenced
from ledger.model.finding_codes import ERROR, Finding
from ledger.model.layout import SESSIONS_DIR, stem_of
from ledger.model.log_names import is_stem
from memory import EndingFact, Memory, ended_facts
from projection.brief.inert_text import label, plain, shortened
from projection.fold.live_view import Standing
from projection.text.claims import PATH, claims
from projection.text.clipping import telling
from projection.text.until_conditions import DATE, check_of, until_in, until_of
from rituals.check.check_registry import bare, order
from rituals.check.linted_files import text_findings
from rituals.hosts.context.moment_answer import broken
from rituals.hosts.context.moment_contents import may_be_told, rules_of
from rituals.hosts.shell import read
from rituals.review.code_questions import named_by, taken_names, taken_paths

_DEEP = "in CI, check out with the whole history (`fetch-depth: 0`), or fetch what is missing"
_GONE_HINT = "say what holds now, or that it is false: `diurna edit`, `diurna forget`"
_DECIDING = frozenset(("decision", "convention", "invariant"))
_TEXT_CHARS, _LINE_CHARS, _IDS_SHOWN = 100, 60, 3
#: Files whose lines are commands, and what stands before one in them.
_COMMANDS = re.compile(
    r"(?:^|/)(?:[^/]+\.(?:sh|bash|mk)|(?:GNU)?[Mm]akefile|[Jj]ustfile|Dockerfile[^/]*|"
    r"\.(?:github/workflows|gitea/workflows|ci)/[^/]+|\.gitlab-ci\.yml)$"
)
_LEAD = re.compile(r"^(?:RUN|CMD|-?\s*run:\s*\|?|- |[@-]+)\s*")
#: More lines nobody reads.
_MOST = 3
#: What its author asked to be let be is none.
_QUIET = ("secret-waived", "conflict-marker")


def said_of(
    memory: Memory, range: str, folder: str
) -> tuple[tuple[Finding, ...], tuple[Finding, ...]]:
    """Return what memory has on a range of commits; files of findings are named from the top.

    First what new logs hold that must not be there, and the strongest lines; then those that had no room.

    Memory is asked as it is before the change: beside the code at the commit that the range starts from,
    else at its tip.

    Args:
        memory: the home, open.
        range: `BASE...HEAD` from where they parted, `BASE..HEAD` from BASE; HEAD where none is said.
        folder: where somebody works: its repository has the code where the home has one of its own.

    Raises:
        WrongUsage: the range names no base.
        NotFound: there is no such commit, or no code.
    """
    home = memory.home
    git, trunk, base, head = _ends(home, range, folder)
    inside = home.prefix if home.kind == IN_TREE else ""
    logs, kept = f"{inside}{SESSIONS_DIR}", not inside
    if inside:  # the state at the tip is kept, and may be that of before the change
        before, now = git.resolve(f"{trunk}:{logs}", f"{home.tip()}:{logs}")
        kept = before == now != ""
    state = memory.tip_state() if kept else memory.state(trunk)
    files = code_diff(git, base, head, inside)
    held, told = _brought(git, files, f"{logs}/", memory) if inside else ([], set())
    known = [
        one
        for one in state.standings()
        if one.live
        and may_be_told(one)
        and len(one.fact.heads) == 1
        and not (one.fact.id in told or one.fact.closed or one.fact.raised)
    ]
    code = [one for one in files if not (inside and one.path.startswith(inside))]
    remarks = [
        *_gone(known, Code(git, head, inside, base)),
        *_broken(known, code),
        *_ended(known, git, base, head, {one.path for one in code}),
    ]
    named = {id for one in remarks for id in one.about.split()}
    known = [one for one in known if one.fact.id not in named]
    remarks += _decided(known, [one.path for one in code if one.after])
    held = sorted(dict.fromkeys(held), key=order)
    return (*held, *remarks[:_MOST]), tuple(remarks[_MOST:])


def _brought(
    git: Git, files: tuple[FileDiff, ...], folder: str, memory: Memory
) -> tuple[list[Finding], set[str]]:
    """Return what new logs hold that must not be there, and of which facts they say something."""
    new = [one for one in files if one.path.startswith(folder) and one.after and not one.before]
    new = [one for one in new if is_stem(stem_of(one.path))]
    held: list[Finding] = []
    told: set[str] = set()
    for one, data in zip(new, git.blobs([one.after for one in new]), strict=True):
        held += text_findings(one.path, data or b"", memory.policy.privacy.personal)
        events = decode(data or b"", sealed=False)[0].events
        told.update([event.id for event in events if not isinstance(event, FactReferenced)])
    loud = [one for one in held if one.code not in _QUIET]
    return [bare(one) if one.severity != ERROR else one for one in loud], told


def _ends(home: Home, range: str, folder: str) -> tuple[Git, str, str, str]:
    """Return the repository of the code, and what the range names: its trunk, where it starts, its end."""
    repository = home.repository if home.kind != OWN_REPOSITORY else find_repository(folder)
    if repository is None or (home.kind == OWN_REPOSITORY and repository == home.repository):
        raise NotFound("there is no code here", hint="run it in the repository of the code")
    git = repository.git()
    left, dots, right = range.partition("...")
    exact = not dots and ".." in range
    if exact:
        left, _, right = range.partition("..")
    if not left or ".." in right:
        raise WrongUsage(f"{range!r} is no range of commits", hint="say BASE...HEAD: main...HEAD")
    trunk, head = git.resolve(f"{left}^{{commit}}", f"{right or 'HEAD'}^{{commit}}")
    if not (trunk and head):
        raise NotFound(f"there is no commit {(right or 'HEAD') if trunk else left}", hint=_DEEP)
    base = trunk
    if not exact:
        base = git.run("merge-base", trunk, head, check=False).decode().strip()
    if not base:
        raise NotFound(f"{left} and {right or 'HEAD'} have no commit in common here", hint=_DEEP)
    return git, trunk, base, head


def _gone(known: list[Standing], code: Code) -> Iterator[Finding]:
    """Name what facts name and the change takes away for good."""
    # what a range does is news to whoever wrote a fact, whenever its commits were made
    named = [one._replace(written_ms=0) for one in named_by(known)]
    places: dict[tuple[str, str, str], list[str]] = {}
    for one in (*taken_paths(named, code), *taken_names(named, code)):
        ids = places.setdefault((one.named.claim.subject, one.now, one.path), [])
        ids.append(one.named.fact.id)
    for (subject, now, path), ids in places.items():
        shown = ids[: _IDS_SHOWN - 1] if len(ids) > _IDS_SHOWN else ids[:-1]
        last = f"{len(ids) - len(shown)} more" if len(ids) > _IDS_SHOWN else ids[-1]
        who = f"{', '.join(shown)} and {last} name" if shown else f"{last} names"
        went = f"is `{prose(now)}` now" if now else "this takes away"
        said = f"{who} `{prose(subject)}`, which {went}"
        yield Finding("change-gone", said, path, 0, _GONE_HINT, " ".join(ids))


def _broken(known: list[Standing], files: list[FileDiff]) -> Iterator[Finding]:
    """Name the rules that the change breaks: by a command in a script, by an edit of what nobody edits.

    The rules are read as at the moment of a command (`rituals.hosts.context.moment_contents`).
    """
    rules = rules_of(known, {})
    for file in files:
        breaks = [
            (row, f"edits {prose(file.path)}", 0) for row in rules.at([file.path], changed=True)
        ]
        for line in file.lines if rules.signs and _COMMANDS.search(file.path) else ():
            said = _LEAD.sub("", line.text)
            if line.added and any(sign in said for sign in rules.signs):
                does = f"runs `{shortened(plain(said), _LINE_CHARS)}`"
                breaks += [
                    (row, does, line.number) for row in broken(said, read(said), rules.against)
                ]
        for row, does, number in breaks:
            fact = known[int(row)].fact
            cited = shortened(plain(telling(fact.text, (), _TEXT_CHARS)), _TEXT_CHARS)
            said = f"{fact.id} ({label(fact.kind)}): {cited} — this {does}"
            yield Finding("change-breaks", said, file.path, number, "", fact.id)


def _ended(
    known: list[Standing], git: Git, base: str, head: str, changed: set[str]
) -> Iterator[Finding]:
    """Name the facts that the change ends, as they say themselves, and those whose check it breaks."""
    waits = [
        EndingFact(one.fact.id, one.fact.heads[0].id, words, "" if until.checks else base, 0)
        for one in known
        for words in (until_of(one.fact.meta)[0], check_of(one.fact.meta))
        if (until := until_in(words)) and until.form != DATE
    ]
    before = ended_facts(git, base, [one for one in waits if not one.birth])
    for wait, end in ended_facts(git, head, waits).items():
        until = until_in(wait.until)
        if wait not in before and until:  # else the check failed by then
            does = "fails its check" if until.checks else "ends"
            said = f"{wait.fact} {does} with this: {plain(end.said)}"
            hint = f"by commit {end.commit[:7]}"
            path = until.place if until.place in changed else ""
            yield Finding("change-ends", said, path, 0, hint, wait.fact)


def _decided(known: list[Standing], changed: list[str]) -> Iterator[Finding]:
    """Name the decisions, conventions and invariants that name a file which the change edits."""
    for fact in [one.fact for one in known if one.fact.kind in _DECIDING]:
        named = [
            one.subject for one in claims(fact.text) if one.kind == PATH and "/" in one.subject
        ]
        touched = [path for path in changed for one in named if f"/{path}".endswith(f"/{one}")]
        if touched:
            cited = shortened(plain(telling(fact.text, (), _TEXT_CHARS)), _TEXT_CHARS)
            said = f"{fact.id} ({label(fact.kind)}): {cited} — this edits {prose(touched[0])}"
            yield Finding("change-decided", said, touched[0], 0, "", fact.id)
