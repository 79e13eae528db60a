"""Replay: from histories and the list of logs to the whole state. Pure."""

from __future__ import annotations

from ledger.digest import sha256
from ledger.event import FactCreated, FactUpdated, FactVerified, ThreadClosed, ThreadReopened
from ledger.findings import Finding
from ledger.ids import version_id
from ledger.layout import log_path
from projection.fact import Fact, History
from projection.fold import cut_edges, edges_of, resolve, rivals
from projection.policy import THREAD_KIND, Policy
from projection.state import Standing, State, Summary
from projection.tiers import clock_of, never_decaying, stand

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from ledger.session import Entry

_MODULUS = 1 << 256
NOTHING = Summary(0, 0, "", "0" * 64)


def log_digest(stem: str, blob: str) -> int:
    """Return one log's term of the digest of the set.

    Args:
        stem: the log's name.
        blob: the git blob id of its bytes, 40 hex digits.
    """
    return int.from_bytes(sha256(f"{stem} {blob}".encode()).digest(), "big")


def set_digest(terms: Iterable[int]) -> str:
    """Return the digest of a set of logs: the sum of the terms modulo 2^256, as 64 hex digits.

    A sum (AdHash, Bellare and Micciancio 1997) so that the digest of a union follows from those of
    its parts, in any order.
    """
    return f"{sum(terms) % _MODULUS:064x}"


def summarise(entries: Iterable[Entry], digests: Iterable[int]) -> Summary:
    """Summarise a set of logs."""
    logs = sessions = 0
    newest = last = agent = review = check = ""
    for entry in entries:
        logs += 1
        stem = entry.stem
        newest = max(newest, stem)
        if entry.work:
            sessions += 1
            if stem > last:
                last, agent = stem, entry.agent
        elif entry.type == "review":
            review = max(review, stem)
        if entry.acts and stem > check:
            for event in entry.acts:
                if isinstance(event, FactVerified):
                    check = stem
    return Summary(logs, sessions, newest, set_digest(digests), last, agent, review, check)


def merge_summaries(a: Summary, b: Summary) -> Summary:
    """Summarise the union of two disjoint sets of logs."""
    last = a if a.last_session >= b.last_session else b
    return Summary(
        a.logs + b.logs,
        a.sessions + b.sessions,
        max(a.newest, b.newest),
        set_digest((int(a.digest, 16), int(b.digest, 16))),
        last.last_session,
        last.last_agent,
        max(a.last_review, b.last_review),
        max(a.last_check, b.last_check),
    )


def replay(
    histories: Mapping[str, History],
    work: Sequence[str],
    summary: Summary,
    policy: Policy,
    findings: tuple[Finding, ...] = (),
) -> State:
    """Make the state.

    Args:
        histories: what all logs say, by fact id.
        work: the stems of all `work` logs in ledger order.
        summary: of the same logs.
        policy: windows and kinds.
        findings: what reading the logs brought up.
    """
    cut = cut_edges(edges_of(histories))
    facts: dict[str, Fact] = {}
    pending: list[str] = []
    contested: list[str] = []
    for fact in sorted(histories):
        found = resolve(fact, histories[fact], cut)
        if found is None:
            pending.append(fact)
            continue
        facts[fact] = found
        if len(found.superseded_by) > 1:
            contested.append(fact)
    for fact in contested:
        facts[fact] = facts[fact]._replace(rivals=rivals(facts[fact], facts))
    clock = clock_of(work, policy.windows)
    lasting = never_decaying(policy)
    standings: dict[str, Standing] = {
        fact: stand(found, clock, policy, lasting, work) for fact, found in facts.items()
    }
    noticed = list(findings)
    noticed += [_unknown(fact, histories[fact]) for fact in pending]
    noticed += [
        Finding(
            "supersession-cycle",
            f"{old} → {new} would close a circle; this newest edge is left out",
            log_path(stem),
            hint=f"append a log that says which of {old} and {new} holds",
        )
        for stem, _, old, new in sorted(cut)
    ]
    noticed += _facts_findings(facts, histories, policy)
    return State(summary, policy, standings, tuple(noticed))


def _unknown(fact: str, history: History) -> Finding:
    stem = history.acts[0].stem if history.acts else history.last
    return Finding(
        "unknown-id",
        f"{fact} is named and no log has brought a text for it",
        log_path(stem) if stem else "",
        hint="it counts from the moment a log creates it with a text",
    )


def _facts_findings(
    facts: Mapping[str, Fact], histories: Mapping[str, History], policy: Policy
) -> list[Finding]:
    """Find what is odd about facts that exist."""
    kinds = {kind.name for kind in policy.kinds}
    found: list[Finding] = []
    for fact, value in facts.items():
        if len(value.heads) > 1:
            said = ", ".join(version.id for version in value.heads)
            found.append(
                Finding(
                    "contradiction",
                    f"{fact} has {len(value.heads)} versions that stand side by side: {said}",
                    hint="append an update of it that names them all: diurna append --update "
                    f'{fact} "the text that holds"',
                )
            )
        if len(value.rivals) > 1:
            found.append(
                Finding(
                    "contradiction",
                    f"{fact} has {len(value.rivals)} live successors: {', '.join(value.rivals)}",
                    hint="append a supersession between them, or an invalidation, to leave one",
                )
            )
        if value.kind not in kinds:
            found.append(
                Finding(
                    "unknown-kind",
                    f"{fact} is of kind {value.kind}, which the policy does not name",
                    hint=f"add [kinds.{value.kind}] to diurna.toml",
                )
            )
        history = histories[fact]
        if len(history.acts) > 1:
            found += _acts_findings(value, history)
    return found


def _acts_findings(fact: Fact, history: History) -> list[Finding]:
    found: list[Finding] = []
    versions: set[str] = {version.id for version in fact.heads}
    named: list[tuple[str, str]] = []
    from ledger.ids import version_id

    for act in history.acts:
        event = act.event
        if isinstance(event, FactCreated | FactUpdated):
            if event.text is not None:
                versions.add(version_id(event.text))
            if isinstance(event, FactUpdated):
                named += [(act.stem, was) for was in event.was or ()]
        elif isinstance(event, ThreadClosed | ThreadReopened) and fact.kind != THREAD_KIND:
            found.append(
                Finding(
                    "not-a-thread",
                    f"{fact.id} was closed or reopened and is of kind {fact.kind}",
                    log_path(act.stem),
                )
            )
    found += [
        Finding("unknown-version", f"{fact.id} has no version {was} (yet)", log_path(stem))
        for stem, was in named
        if was not in versions
    ]
    return found
