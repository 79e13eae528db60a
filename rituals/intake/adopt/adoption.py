"""Adopt a ledger in the agent-memory layout: plan first, then apply.

At most two commits are made, each whole or not at all. The first, where it is needed, keeps what git does
not have yet, byte for byte as it stands: session logs, and the pages that the projection is written over.
The second brings policy, attributes, the `import` logs and the projection, so a home without its texts
never exists. The logs of the other tool are never touched.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable

from ledger.codec.log import read_entry
from ledger.errors import DraftRefused, StorageFailed, WriteRefused
from ledger.git.commit_record import Identity
from ledger.git.repository import Repository, default_branch, find_repository
from ledger.home import checked_out_home
from ledger.model.event import FactCreated, FactUpdated
from ledger.model.findings import Finding
from ledger.model.layout import ATTRIBUTES, ATTRIBUTES_FILE, POLICY_FILE, SESSIONS_DIR
from ledger.model.logset import LogRef, log_refs
from ledger.model.order import stamp_of
from ledger.model.record import Record
from ledger.model.session import LOG_LIMIT_BYTES, Entry
from ledger.model.sha256 import blob_id
from ledger.secrets.log_redaction import guard_events
from ledger.wal.atomic_files import make_folder
from memory.api import Memory
from memory.worktree.merge_drivers import ensure_drivers
from memory.worktree.projection_files import changes, committed_projection, projection_files
from projection.policy.model import TOLD, TRUNK, Capture, Policy, Review
from projection.policy.template import write_policy
from projection.policy.toml import read_policy
from rituals.intake.adopt import adopted_files, compat
from rituals.intake.adopt.adopted_past import guarded_past, recall_past
from rituals.intake.adopt.adoption_plan import (
    MACHINE,
    AdoptionPlan,
    before_it,
    is_by_hand,
    plan_by_hand,
    sealed,
    state_with,
)
from rituals.intake.adopt.adoption_source import Ground, in_the_way, is_page, survey
from rituals.intake.adopt.differences import differences
from rituals.intake.adopt.import_logs import archive_reasons, events_of, said_by
from rituals.intake.adopt.read_facts import facts as read_facts
from rituals.intake.adopt.unclaimed_text import passages, questions

_REVIEW_KEYS = (
    ("review_every", "every"),
    ("continuity_max_facts", "max_facts"),
    ("continuity_max_lines", "max_lines"),
    ("closed_narrative_max_lines", "closed_thread_lines"),
    ("verify_invariants_every", "verify_invariants_every"),
    ("stale_thread_after", "stale_thread_after"),
)
_NUMBER = re.compile(r"\b([a-z_]++):[ \t]*+([0-9]{1,9})(?![0-9])")
_TITLE = re.compile(r"^# Continuity(?: +[—–-]+ +|: *)(\S[^\n]*)", re.MULTILINE)
_NAME_LIMIT_CHARS = 200


class Adoption(Record):
    """What an adoption did."""

    memory: Memory  #: the adopted ledger, open
    commits: tuple[str, ...]  #: that were made, oldest first; empty when it was adopted already
    stems: tuple[str, ...]  #: of the import logs


def plan_adoption(start: str, progress: Callable[[int, int], None] | None = None) -> AdoptionPlan:
    """Plan the adoption of a ledger; nothing is written.

    Args:
        start: the folder that holds `memory/`, or the memory folder itself.
        progress: told how many of how many logs are read.

    Raises:
        NotFound: it is no such layout.
        WriteRefused: it can not be adopted there; all that stands in the way is said.
        DraftRefused: texts are too large for the format; all of them are said.
    """
    memory = adopted_files.read(start)
    ground = survey(start, memory)
    try:
        plan = _planned(memory, ground, progress)
    except DraftRefused as problem:
        if not ground.refused:
            raise
        texts = [
            WriteRefused(one.message, where=one.where, hint=one.hint) for one in problem.findings
        ]
        raise in_the_way([*ground.refused, *texts]) from problem
    if ground.refused:
        raise in_the_way(ground.refused)
    return plan


def _planned(
    memory: adopted_files.AgentMemory, ground: Ground, progress: Callable[[int, int], None] | None
) -> AdoptionPlan:
    policy, policy_data, noticed = _policy(memory, ground)
    refs, entries, odd = _ledger(memory, ground, progress)
    facts, findings = read_facts(memory)
    if is_by_hand(memory, bool(facts)):
        plan = plan_by_hand(AdoptionPlan(
            memory, ground, False, policy, policy_data, _attributes(memory),
            refs=tuple(refs), entries=tuple(entries), findings=(*noticed, *ground.findings, *odd),
            by_hand=True,
        ))  # fmt: skip
        return plan if plan.already else plan._replace(steps=_steps(plan, []))
    written = not memory.continuity or MACHINE in memory.continuity
    if ground.marked and (written or any(entry.type == "import" for entry in entries)):
        return AdoptionPlan(memory, ground, True, policy, findings=before_it(ground, entries))
    pages = [adopted_files.CONTINUITY, *(file for file, _ in memory.archive if is_page(file))]
    pages = [page for page in pages if page != adopted_files.ARCHIVE_INDEX]
    loose = passages(memory, pages, {fact.id for fact in facts})
    imported = [*facts, *(passage.fact for passage in loose)]
    asked = questions(memory, {fact.id for fact in imported})
    imported += asked
    said = said_by(entries)
    recalled = recall_past(memory, ground, facts, said, entries, progress)
    events, crooked, notes = events_of(
        imported, said, archive_reasons(memory), recalled.past.standing, recalled.again
    )
    guarded = [guard_events(tuple(one), policy.privacy.personal) for one in events]
    past, secrets = guarded_past(recalled.logs, policy.privacy.personal)
    hidden = [finding for _, found in guarded for finding in found] + secrets
    plan = AdoptionPlan(
        memory, ground, False, policy, policy_data, _attributes(memory),
        tuple(one for one, _ in guarded), loose, tuple(refs), tuple(entries), past=past,
        questions=len(asked),
    )  # fmt: skip
    imports_now = sealed(plan, 0, "adopt", "")  # their stamps are made when they are written
    state = state_with(plan, imports_now)
    ours = {one.ref.path for one in imports_now}
    told = [one._replace(file="") if one.file in ours else one for one in state.findings()]
    return plan._replace(
        differences=differences(compat.computed(memory), state, memory.logs, entries),
        findings=(
            *memory.findings, *noticed, *ground.findings, *findings, *crooked, *hidden, *odd,
            *told, *recalled.findings,
        ),
        steps=_steps(plan, notes),
    )  # fmt: skip


def _policy(
    memory: adopted_files.AgentMemory, ground: Ground
) -> tuple[Policy, bytes, tuple[Finding, ...]]:
    """Convert `decay-policy.md`, or keep the `diurna.toml` that is there."""
    if ground.marked and ground.repository:
        blob = f"{ground.tip}:{ground.prefix}{POLICY_FILE}"
        (oid,) = ground.repository.git().resolve(blob)
        (data,) = ground.repository.git().blobs([oid])
        return read_policy(data or b""), b"", ()
    text = adopted_files.text_of(memory.policy)
    numbers: dict[str, int] = {}
    for match in _NUMBER.finditer(text):
        numbers.setdefault(match[1], int(match[2]))
    review = Review(**{ours: numbers[key] for key, ours in _REVIEW_KEYS if key in numbers})
    asked = compat.windows(text)
    active = max(asked.active, asked.working)
    windows = asked._replace(active=active, archive=max(asked.archive, active))
    findings: tuple[Finding, ...] = ()
    if windows != asked:
        said = f"the windows {tuple(asked)} are out of order; {tuple(windows)} are used"
        findings = (Finding("policy-invalid", said, adopted_files.POLICY),)
    policy = Policy(_project(memory, ground), windows=windows, review=review)
    if ground.prefix:
        found = default_branch(ground.repository) if ground.repository else ""
        policy = policy._replace(
            publish=TRUNK, trunk=found or ground.branch, capture=Capture(keep=TOLD)
        )
    return policy, write_policy(policy).encode(), findings


def _project(memory: adopted_files.AgentMemory, ground: Ground) -> str:
    """Name the project as the title of `continuity.md` does, else as its folder is named."""
    found = _TITLE.search(adopted_files.text_of(memory.continuity))
    for name in (found[1] if found else "", os.path.basename(ground.place), "project"):
        plain = "".join([char if char.isprintable() else " " for char in name]).strip()
        if plain and len(plain) <= _NAME_LIMIT_CHARS:
            return plain
    return "project"


def _attributes(memory: adopted_files.AgentMemory) -> bytes:
    """Add what is missing to the attributes that are there; b"" when nothing is."""
    try:
        with open(
            f"{memory.root}/{ATTRIBUTES_FILE}", encoding="utf-8", errors="surrogateescape"
        ) as f:
            there = f.read()
    except FileNotFoundError:
        return ATTRIBUTES.encode()
    missing = [line for line in ATTRIBUTES.splitlines() if line not in there.splitlines()]
    if not missing:
        return b""
    between = "" if not there or there.endswith("\n") else "\n"
    return (there + between + "\n".join(missing) + "\n").encode("utf-8", "surrogateescape")


def _ledger(
    memory: adopted_files.AgentMemory, ground: Ground, progress: Callable[[int, int], None] | None
) -> tuple[list[LogRef], list[Entry], list[Finding]]:
    """Read the session logs that the adopted ledger will hold: git's, and those that are kept."""
    prefix = ground.prefix
    folder = prefix + SESSIONS_DIR + "/"
    rows = {path: (mode, blob, path) for mode, blob, path in ground.committed}
    contents = {blob_id(data): data for _, data in memory.logs}
    for path, data in ground.kept:
        rows[prefix + path] = ("100644", blob_id(data), prefix + path)
    listed = [row for path, row in sorted(rows.items()) if path.startswith(folder)]
    refs, odd = log_refs(listed, prefix)
    findings = list(odd)
    missing = sorted({ref.blob for ref in refs if ref.blob not in contents})
    if missing and ground.repository:
        for blob, fetched in zip(missing, ground.repository.git().blobs(missing), strict=True):
            if fetched is not None:
                contents[blob] = fetched
    kept: list[LogRef] = []
    entries: list[Entry] = []
    for number, ref in enumerate(refs):
        if progress is not None and number % 64 == 0:
            progress(number, len(refs))
        read = contents.get(ref.blob)
        if read is None or len(read) > LOG_LIMIT_BYTES:
            code = "unreadable" if read is None else "too-large"
            findings.append(Finding(code, "this log can not be read and does not count", ref.path))
            continue
        entry, noticed = read_entry(ref.stem, read, ref.path)
        findings += noticed
        kept.append(ref)
        entries.append(entry._replace(stem=ref.key))
    return kept, entries, findings


def _steps(plan: AdoptionPlan, notes: list[str]) -> tuple[str, ...]:
    ground, memory, prefix = plan.ground, plan.memory, plan.ground.prefix
    on, page = f"on {ground.branch}", f"{prefix}{adopted_files.CONTINUITY}"
    kept = [path for path, _ in ground.kept]
    others = [path for path in kept if not path.startswith(f"{SESSIONS_DIR}/")]
    logs = len(kept) - len(others)
    windows = "/".join([str(number) for number in plan.policy.windows[:3]])
    own = _several(plan.questions, "question")
    unread = [(adopted_files.POLICY, memory.policy), (adopted_files.VISION, memory.vision)]
    unread += [(adopted_files.QUESTIONS, memory.questions)]
    left = [name for name, data in unread if data]
    left += [f"{adopted_files.THREADS}/"] * bool(memory.threads) + list(memory.beside)
    steps: list[tuple[object, str]] = [
        (ground.repository is None, f"make a git repository in {ground.place}"),
        (logs, f"commit {logs} session log{'s' * (logs != 1)} {on}, byte for byte as they are"),
        *[(1, f"commit {prefix}{path} {on} as it is, so that history keeps it") for path in others],
        (plan.policy_data, f"write {prefix}{POLICY_FILE} with the windows {windows}"),
        (plan.attributes, f"write {prefix}{ATTRIBUTES_FILE}"),
        *_brought(plan),
        *[
            (
                1,
                f"import {fact.file}:{fact.line}, which has no footer, as `{fact.id}` ({fact.kind})",
            )
            for fact, _ in plan.passages
        ],
        (plan.questions, f"make facts of kind `question` of {own} of {adopted_files.QUESTIONS}"),
        *[(1, note) for note in notes],
        (plan.left, f"leave {page} as it is: not all of it is bullets"),
        (not plan.left, f"publish {page} and the archive {on}"),
        (left, f"leave {', '.join(left)} in place; Diurna does not read them again"),
        (
            prefix not in ("", "memory/"),
            f"the home is found from {prefix} on, or with --home {prefix}",
        ),
    ]
    return tuple([said for holds, said in steps if holds])


def _brought(plan: AdoptionPlan) -> list[tuple[object, str]]:
    """Say what the import logs and those of the past bring, each where there is something of it."""
    now = f" by {_several(len(plan.imports), 'import log')}" if plan.imports else ""
    told = [log for log in plan.past if log.commit]
    since = stamp_of(told[0].at_ms)[:10] if told else ""
    texts = sum(isinstance(e, FactCreated | FactUpdated) for log in told for e in log.events)
    commits = _several(len({log.commit for log in told}), "commit")
    reviews = sum(log.type == "review" for log in plan.past)
    checks = len(plan.past) - len(told) - reviews
    return [
        (1, f"bring the texts of {_several(len(plan.facts), 'fact')} into the ledger{now}"),
        (
            told,
            f"bring what they said before, {_several(texts, 'text')} by {commits} since {since}, "
            "each at its time and by its author",
        ),
        (reviews, f"bring {_several(reviews, 'review')} that the page and logs tell of"),
        (
            checks,
            f"bring {_several(checks, 'confirmation')} of invariants that the page tells of",
        ),
    ]


def _several(count: int, noun: str) -> str:
    return f"one {noun}" if count == 1 else f"{count} {noun}s"


def apply_adoption(plan: AdoptionPlan, clock: Callable[[], int], agent: str = "") -> Adoption:
    """Adopt the ledger as planned.

    `clock` gives ms since 1970; `agent` writes the import logs, "" for the name git commits with.

    Raises:
        WriteRefused: the ledger changed since it was read; nothing was written.
        StorageFailed: what was written does not read back.
    """
    ground = plan.ground
    if adopted_files.read(plan.memory.root) != plan.memory:
        raise _changed()
    repository = ground.repository or _make_repository(ground.place)
    home = checked_out_home(repository, ground.prefix)
    memory = Memory(home, agent=agent, clock=clock, in_process=False)
    if plan.already:
        return Adoption(memory, (), ())
    if home.tip() != ground.tip:
        raise _changed()
    commits: list[str] = []
    if ground.kept:
        commits.append(
            memory.commit_files(ground.kept, "diurna: keep the memory as it is, before adoption")
        )
    occasion = memory.occasion()
    imports = sealed(plan, occasion.now_ms, _agent(agent, occasion.identity), home.tip()[:7])
    state = state_with(plan, imports)
    files: list[tuple[str, bytes | None]] = [(one.ref.path, one.data) for one in imports]
    if plan.policy_data:
        files.append((POLICY_FILE, plan.policy_data))
    if plan.attributes:
        files.append((ATTRIBUTES_FILE, plan.attributes))
    if not plan.left:
        files += changes(
            projection_files(state), committed_projection(home, home.tip(), state.policy)
        )
    said = f"diurna: {plan.title[0].lower()}{plan.title[1:]}"
    commits.append(memory.commit_files(files, said))
    ensure_drivers(home)
    if memory.state().summary != state.summary or (memory.drift() and not plan.left):
        raise StorageFailed(
            "the adopted ledger does not read back as it was planned",
            where=home.folder,
            hint="diurna verify says more; the commit before the last one has everything as it was",
        )
    return Adoption(memory, tuple(commits), tuple(one.ref.stem for one in imports))


def _agent(agent: str, identity: Identity) -> str:
    return agent or identity.name


def _changed() -> WriteRefused:
    return WriteRefused(
        "the ledger changed while its adoption was being planned", hint="run the command again"
    )


def _make_repository(place: str) -> Repository:
    make_folder(place, 0o777)
    Repository(place, place, place).git().run("init", "-q", "-b", "main")
    found = find_repository(place)
    if found is None:
        raise StorageFailed(f"git made no repository in {place}")
    return found
