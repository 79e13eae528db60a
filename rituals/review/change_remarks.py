"""Say what a change takes away, decides anew or breaks of what facts say: few lines, strongest first.

Said besides is every secret and personal text that its logs bring. A name that many share is no reason to
speak: of a decision two names have to change, or a path that is its own. Whoever names a fact in a log of
the change knows of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from ledger.escape import prose
from ledger.git.code_diff import FileDiff
from ledger.home import IN_TREE
from ledger.model.findings import ERROR, Finding
from ledger.model.layout import SESSIONS_DIR
from ledger.model.record import Record
from memory.api import Memory
from memory.cache.ending_commits import ended
from memory.cache.head_store import Wait
from projection.brief.wording import label, plain, shortened
from projection.fold.fact_history import Fact
from projection.fold.projection_state import Standing
from projection.text.claims import FOLDER, MODULE, NAME, PATH, TARGET, VERSION, Claim
from projection.text.clipping import telling
from projection.text.until_conditions import DATE, check_of, until_in, until_of
from rituals.check.check_registry import bare, order
from rituals.check.linted_files import text_findings
from rituals.hosts.context.broken_rules import broken
from rituals.hosts.context.moment_contents import constrained, may_be_told, of_names, rules_of
from rituals.hosts.shell import read
from rituals.review.code_change import Change, change_of, untold_work
from rituals.review.manifests import is_manifest, manifest_questions
from rituals.review.named_things import (
    LEAST_LINES,
    Named,
    asked_about,
    changed_code,
    changed_names,
    known_ends,
    lost_names,
    named_by,
    paths_of,
    taken_paths,
)

GONE, BREAKS = "change-gone", "change-breaks"
VERSION_SAID, ENDS, DECIDED = "change-version", "change-ends", "change-decided"
_DECIDING = frozenset(("decision", "convention", "invariant"))
#: A name in more files than this is everywhere; of a decision so many names have to change.
_MOST_FILES, _LEAST_NAMES = 14, 2
#: A change of more files than this sweeps through all: no decision is what it is about.
_SWEEP_FILES = 100
_GONE_HINT = "say what holds now, or that it is false: `diurna edit`, `diurna forget`"
_TEXT_CHARS, _LINE_CHARS, _NAMES_SHOWN = 100, 60, 3
#: What says of a path, in its clause, that each change of it is to be looked at; and where clauses end.
_MUST = re.compile(r"\b(?:must|never|always|keeps?|unchanged|in step|frozen)\b", re.IGNORECASE)
_CLAUSE = re.compile(r"[;:()\n]|[,.]\s|\s[—–-]\s")
#: Else a decision is told where so many lines of its file changed, and half of all.
_LOT_LINES = 40
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


class Said(Record):
    """What is said of a change."""

    #: what new logs hold that must not be there, and the strongest lines
    findings: tuple[Finding, ...]
    more: tuple[Finding, ...] = ()  #: the lines that had no room


def said_of(memory: Memory, range: str, folder: str, *, untold: bool = False) -> Said:
    """Return what memory has on a range of commits; files of findings are named from the top.

    Memory is asked as it is before the change: beside the code at the commit that the range starts from,
    else at its tip.

    Args:
        memory: the home, open.
        range: as `change_of` reads it.
        folder: where somebody works.
        untold: say, too, where no log tells of the work.

    Raises:
        WrongUsage, NotFound: as `change_of`.
    """
    home = memory.home
    change = change_of(home, range, folder)
    kept = home.kind != IN_TREE
    if not kept:  # the state at the tip is kept, and may be that of before the change
        logs = f"{home.prefix}{SESSIONS_DIR}"
        before, now = change.git.resolve(f"{change.trunk}:{logs}", f"{home.tip()}:{logs}")
        kept = before == now != ""
    state = memory.tip_state() if kept else memory.state(change.trunk)
    held = [
        bare(finding) if finding.severity != ERROR else finding
        for log in change.logs
        for finding in text_findings(log.path, log.data, memory.policy.privacy.personal)
        if finding.code not in _QUIET
    ]
    strongest = remarks(state.standings(), change)
    if untold:
        strongest += untold_work(memory, change)
    said = (*sorted(dict.fromkeys(held), key=order), *strongest[:_MOST])
    return Said(said, tuple(strongest[_MOST:]))


def remarks(standings: Iterable[Standing], change: Change) -> list[Finding]:
    """Return what there is to say, strongest first, of each fact once.

    `standings` are those of memory before the change.
    """
    standings = list(standings)
    ids = {one.id for one in asked_about(standings)} - change.said
    known = [one for one in standings if one.fact.id in ids and may_be_told(one)]
    # what a range does is news to whoever wrote a fact, whenever its commits were made
    named = [one._replace(written_ms=0) for one in named_by(known)]
    findings = [*_gone(named, change), *_broken(known, change)]
    findings += [*_versions(named, change), *_ended(known, change)]
    quiet = {id for one in findings for id in one.about.split()} | change.named
    claimed: dict[str, list[Claim]] = {}
    for one in named:
        claimed.setdefault(one.fact.id, []).append(one.claim)
    heard = [one for one in known if one.fact.id in claimed.keys() - quiet]
    return [*findings, *_decided(heard, claimed, change)]


def _gone(named: list[Named], change: Change) -> Iterator[Finding]:
    """Name what facts name and the change takes away for good."""
    taken = known_ends([one.path for one in change.files if not one.after])
    tops = {one.path.partition("/")[0] for one in change.files if not one.after}
    paths = [
        one
        for one in named
        if (one.claim.kind == MODULE or _is_place(one.claim) or one.claim.subject in tops)
        and not taken.isdisjoint(paths_of(one))
    ]
    places: dict[tuple[str, str], list[tuple[str, str, int]]] = {}
    wanted = [path for one in paths for path in paths_of(one)]
    near = of_names(change.code.files(), wanted) if wanted else []
    near += [one.path for one in change.files if one.after]  # a file may have gone there
    for place in taken_paths(paths, change.code, near) if paths else ():
        gone = places.setdefault((place.named.claim.subject, place.now), [])
        gone.append((place.named.fact.id, place.path, 0))
    names = [one for one in named if one.claim.kind == NAME]
    lost = lost_names(changed_code(change.files), {one.claim.subject for one in names})
    lost = {name: lost[name] for name in lost.keys() - change.code.present(lost)}
    for one in names:
        if one.claim.subject in lost:
            file, line = lost[one.claim.subject]
            places.setdefault((one.claim.subject, ""), []).append((one.fact.id, file.path, line))
    together: dict[tuple[str, str], list[str]] = {}
    for (subject, now), some in places.items():
        facts = " ".join(dict.fromkeys([fact for fact, _, _ in some]))
        together.setdefault((facts, now), []).append(subject)
    for (facts, now), subjects in together.items():
        _, path, line = places[subjects[0], now][0]
        went = f"is `{prose(now)}` now" if now else "this takes away"
        ids = facts.split()
        who = f"{_listed(ids)} name{'s' * (len(ids) == 1)}"
        said = f"{who} {_listed([f'`{prose(one)}`' for one in subjects])}, which {went}"
        yield Finding(GONE, said, path, line, _GONE_HINT, facts)


def _listed(names: list[str]) -> str:
    """Join names; of many the first, and how many more."""
    shown, more = names[:_NAMES_SHOWN], len(names) - _NAMES_SHOWN
    if len(names) == 1:
        return names[0]
    last = f"{more} more" if more > 0 else shown.pop()
    return f"{', '.join(shown)} and {last}"


def _versions(named: list[Named], change: Change) -> Iterator[Finding]:
    """Name the versions and tasks that facts state and the change's manifests state otherwise."""
    touched = [one.path for one in change.files if is_manifest(one.path)]
    wanted = [one for one in named if one.claim.kind in (VERSION, TARGET)]
    for one in manifest_questions(wanted, change.code, change.code.files()) if touched else ():
        code = VERSION_SAID if one.rule == "version-changed" else GONE
        named_in = [path for path in touched if f"`{prose(path)}`" in one.evidence[-1]]
        path = (named_in or touched)[0]
        yield Finding(code, one.said.rstrip("."), path, 0, one.proposal, one.facts[0])


def _ended(known: list[Standing], change: Change) -> Iterator[Finding]:
    """Name the facts that the change ends, as they say themselves, and those whose check it breaks."""
    waits = [
        Wait(one.fact.id, one.fact.heads[0].id, words, "" if until.checks else change.base, 0)
        for one in known
        for words in (until_of(one.fact.meta)[0], check_of(one.fact.meta))
        if (until := until_in(words)) and until.form != DATE
    ]
    before = ended(change.git, change.base, [one for one in waits if not one.birth])
    for wait, end in ended(change.git, change.head, waits).items():
        if wait in before:
            continue  # the check failed by then
        until = until_in(wait.until)
        path = next((one.path for one in change.files if until and one.path == until.place), "")
        does = "fails its check" if until and until.checks else "ends"
        said = f"{wait.fact} {does} with this: {plain(end.said)}"
        yield Finding(ENDS, said, path, 0, f"by commit {end.commit[:7]}", wait.fact)


def _broken(known: list[Standing], change: Change) -> Iterator[Finding]:
    """Name the rules that the change breaks: by a command in a script, by an edit of what nobody edits.

    The rules are read as at the moment of a command (`rituals.hosts.context.moment_contents`).
    """
    rules = rules_of(known, {})
    for file in change.files:
        breaks = [
            (row, f"edits {prose(file.path)}", 0) for row in rules.at([file.path], changed=True)
        ]
        for line in file.lines if rules.signs and _COMMANDS.search(file.path) else ():
            said = _LEAD.sub("", line.text)
            if line.added and any(sign in said for sign in rules.signs):
                does = f"runs `{shortened(plain(said), _LINE_CHARS)}`"
                rows_here = broken(said, read(said), rules.against)
                breaks += [(row, does, line.number) for row in rows_here]
        for row, does, number in breaks:
            fact = known[int(row)].fact
            said = f"{_cited(fact)} — this {does}"
            yield Finding(BREAKS, said, file.path, number, "", fact.id)


def _decided(
    known: list[Standing], claimed: Mapping[str, list[Claim]], change: Change
) -> list[Finding]:
    """Name the decisions of which the change touches two names, or a path that is theirs.

    `claimed` is by fact what it names.
    """
    files = changed_code(change.files)
    if len(files) > _SWEEP_FILES:
        return []
    deciding = [one.fact for one in known if one.fact.kind in _DECIDING]
    own = _own_paths(known, claimed, files, change)
    wanted = {claim.subject for some in claimed.values() for claim in some if claim.kind == NAME}
    places = changed_names(files, wanted)
    several = {}
    for fact in deciding:
        names = [claim.subject for claim in claimed[fact.id] if claim.kind == NAME]
        several[fact.id] = touched = [name for name in names if name in places]
        if len(touched) < max(_LEAST_NAMES, len(names) / 2):
            touched.clear()
    spread = change.code.spread(name for some in several.values() for name in some)
    ranked = []
    for fact in deciding:
        few = [name for name in several[fact.id] if spread.get(name, 0) <= _MOST_FILES]
        lines = {file.path: len(file.lines) for name in few for file, _ in places[name]}
        if len(few) < _LEAST_NAMES or sum(lines.values()) < LEAST_LINES:
            few = []
        paths = own.get(fact.id, {})
        if names := [*paths, *few]:
            at = [(file.path, line) for name in few for file, line in places[name]]
            at += [(path, 0) for path in paths.values()]
            shown = ", ".join(map(prose, names[:_NAMES_SHOWN])) + ", …" * (
                len(names) > _NAMES_SHOWN
            )
            said = f"{_cited(fact, names)} — changed: {shown}"
            strength = len(few) + _LEAST_NAMES * len(paths)
            ranked.append((strength, Finding(DECIDED, said, *at[0], "", fact.id)))
    return [one for _, one in sorted(ranked, key=lambda pair: (-pair[0], pair[1].about))]


def _own_paths(
    known: list[Standing],
    claimed: Mapping[str, list[Claim]],
    files: Iterable[FileDiff],
    change: Change,
) -> dict[str, dict[str, str]]:
    """Return by fact the paths that it constrains and the change changes, each with a file of it."""
    ends = known_ends([one.path for one in files if one.lines and one.after])
    near = [
        one
        for one in known
        if any(_is_place(claim) and claim.subject in ends for claim in claimed[one.fact.id])
    ]
    own: dict[str, dict[str, str]] = {}
    paths = constrained(near, change.git, change.head, change.code.files()) if near else {}
    for path, rows in paths.items():
        below = [one for one in files if f"{one.path}/".startswith(f"{path}/")]
        inside = [one for one in below if one.lines and one.after]
        for fact in [near[row].fact for row in rows] if inside else ():
            named = [claim.subject for claim in claimed[fact.id] if _is_place(claim)]
            said = [name for name in named if f"/{path}".endswith(f"/{name}")]
            clauses = [one for one in _CLAUSE.split(fact.text) if _MUST.search(one)] if said else []
            binds = any(name in clause for name in said for clause in clauses)
            if said and (binds or _much(fact, inside, change)):
                own.setdefault(fact.id, {})[path] = inside[0].path
    return own


def _much(fact: Fact, files: Sequence[FileDiff], change: Change) -> bool:
    """Tell whether so much of a path changed that a fact which only names it is to be looked at."""
    lines = sum(len(one.lines) for one in files)
    if fact.kind != "decision":
        return lines >= LEAST_LINES
    if lines < _LOT_LINES:
        return False
    whole = change.code.contents([one.after for one in files]).values()
    return 2 * lines >= sum(data.count(b"\n") for data in whole)


def _is_place(claim: Claim) -> bool:
    """Tell whether a claim names a place: the bare name of a folder only says what is in it."""
    return claim.kind == PATH or (claim.kind == FOLDER and "/" in claim.subject)


def _cited(fact: Fact, names: Sequence[str] = ()) -> str:
    said = shortened(plain(telling(fact.text, names, _TEXT_CHARS)), _TEXT_CHARS)
    return f"{fact.id} ({label(fact.kind)}): {said}"
