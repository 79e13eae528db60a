"""Check single files before they are appended or committed: drafts, staged logs, projections.

Secrets and personal data are findings that never hold a value.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ledger.codec.canonical_draft import problems
from ledger.codec.fast_read import stamp_findings
from ledger.codec.log import conflicted, decode
from ledger.codec.outline import document_text, marker_line
from ledger.heavy_work import Uncollected
from ledger.model.event import VERBS
from ledger.model.finding_codes import INFO, Finding
from ledger.model.ids import is_fact_id
from ledger.model.layout import ARCHIVE_DIR, EDITABLE, POLICY_FILE, stem_of
from ledger.model.log_names import breaks_seal, is_sealed, is_stem
from ledger.model.session import DEFAULT_TITLE, LOG_LIMIT_BYTES
from ledger.secrets.log_redaction import KEEP, article, first_of
from ledger.secrets.match import LABELLED, SECRET, Hit
from ledger.secrets.scanner import Lines, find_secrets
from memory import committed_projection, name_of, page_copy, work_file
from rituals.check.check_registry import Survey, in_order
from rituals.check.edited_logs import work_tree_findings
from rituals.check.ledger_checks import conflict_findings, gone_policy, policy_problem

_REPLACE_HINT = (
    "replace it where it is valid: git's history holds it for good; "
    "a line with `diurna: allow-secret` is none"
)
_MARKER_HINT = "a log is never changed: say what holds in a new one; a draft can be mended"
_PERSONAL_HINT = 'with `personal = "keep"` below [privacy] in diurna.toml nothing is said of these'


def is_projection(path: str) -> bool:
    """Tell whether a path is that of a projection file, in a home or elsewhere."""
    *folders, name = path.split("/")
    return name in EDITABLE or folders[-1:] == [ARCHIVE_DIR]


def text_findings(path: str, data: bytes, personal: str) -> list[Finding]:
    """Look through one file.

    What is over the limit for a log is not looked at. `personal` is what the policy says of personal data;
    `keep` is silent.
    """
    data = data[:LOG_LIMIT_BYTES]
    text = document_text(data) or data.decode("utf-8", "replace")
    places = find_secrets(text, homes=personal != KEEP)
    found: dict[tuple[int, str], Finding] = {}
    waived = set[int]()
    lines = Lines(text if places else "")
    front = text.find("\n---\n", 3) if text.startswith("---\n") else 0
    for place in places:
        if place.rule == LABELLED and (place.start < front or _is_own(text, place)):
            continue  # our own key, or a verb, names it
        line, secret, said = lines.number(place), place.kind == SECRET, article(place.rule)
        if lines.is_waived(place):
            waived |= {line} if secret else set()
            continue
        one = Finding("personal-data", said, path, line, _PERSONAL_HINT)
        if secret:
            one = Finding("secret-found", f"{said}: {place.shown}", path, line, _REPLACE_HINT)
        found.setdefault((line, place.rule), one)
    said_of = first_of(list(found.values()))
    other = is_projection(path) or path.split("/")[-1] == POLICY_FILE
    left = 0 if other else marker_line(text)
    if left and not conflicted(text):  # a whole conflict is told where the log is read
        said = "a conflict marker that was never resolved"
        said_of.append(Finding("conflict-marker", said, path, left, _MARKER_HINT))
    if waived:
        message = f"{len(waived)} lines say that they are none"
        if len(waived) == 1:
            message = "1 line looks like a secret and says that it is none"
        said_of.append(Finding("secret-waived", message, path, min(waived)))
    return said_of


def texts(survey: Survey) -> Iterator[Finding]:
    """Look for secrets, personal data and leftovers of merges in logs and projections (K5)."""
    from ledger.git.pygit2_store import read_blobs

    home, personal = survey.home, survey.policy[1].privacy.personal
    refs, progress = survey.logs[0], survey.progress
    with Uncollected():
        contents: Iterable[bytes | None] = read_blobs(home.repository, [ref.blob for ref in refs])
        for number, (ref, data) in enumerate(zip(refs, contents, strict=True)):
            if progress is not None and number % 64 == 0:
                progress(number, len(refs))
            yield from text_findings(ref.path, data or b"", personal)
    for one in work_tree_findings(home, survey.listing()) if home.checked_out else ():
        if one.code in ("log-uncommitted", "log-edited"):
            data = work_file(home, one.file) or b""
            yield from text_findings(one.file, data, personal)
            yield from (said for said in of_log(one.file, data) if said.code == "conflict-marker")
    for path, data in _projection(survey):
        yield from text_findings(path, data, personal)


def _projection(survey: Survey) -> Iterator[tuple[str, bytes]]:
    """Yield the projection files: as committed, and the work tree's or the mirror's copy that differs."""
    home = survey.home
    committed = committed_projection(home, survey.tip, survey.policy[1])
    bodies = home.repository.git().blobs(committed.values())
    for path, data in zip(committed, bodies, strict=True):
        yield path, data or b""
        here = work_file(home, path) if home.checked_out else None
        if here is not None and here != data:
            yield path, here
    name, data = name_of(home), page_copy(home)
    if home.repository.top and name not in committed:
        yield name, data or b""


def _is_own(text: str, place: Hit) -> bool:
    """Tell whether it is the id of a fact behind a verb of the ledger: `- Created: mine20540`."""
    line = text[text.rfind("\n", 0, place.start) + 1 : place.start]
    verb = line.removeprefix("- ").partition(":")[0]
    return verb in VERBS and is_fact_id(text[place.start : place.end])


def lint_files(files: Iterable[tuple[str, bytes]], personal: str) -> tuple[Finding, ...]:
    """Check files by themselves; what only the ledger knows is not asked.

    `personal` is what the policy says of personal data.
    """
    found: list[Finding] = []
    for path, data in files:
        found += text_findings(path, data, personal)
        if path.split("/")[-1] == POLICY_FILE:
            found += _of_policy(path, data)
        elif is_projection(path):
            found += conflict_findings(path, data)
        else:
            found += of_log(path, data)
    return in_order(found)


def _of_policy(path: str, data: bytes) -> list[Finding]:
    """Say why a policy could not be read, or which of its keys mean nothing."""
    from projection.policy.toml import PolicyInvalid, read_policy

    try:
        read_policy(data, newer_ok=True)
    except PolicyInvalid as problem:
        return [policy_problem(str(problem))._replace(file=path, hint=problem.hint)]
    return list(gone_policy(data, path))


def of_log(path: str, data: bytes) -> list[Finding]:
    """Say what a reader of the log would, or, of a draft, what an append would refuse."""
    stem = stem_of(path)
    by_hand = is_stem(stem) and not is_sealed(stem)
    log, noticed = decode(data, sealed=not by_hand, file=path)
    found = list(noticed)
    if breaks_seal(stem, data):
        said = "the bytes are not those that the log was sealed with"
        found.append(Finding("seal-broken", said, path, hint="put it back as git has it"))
    elif is_sealed(stem):
        found += stamp_findings(stem, data, path)
    elif not is_stem(stem) and all(one.severity == INFO for one in noticed):
        refused = problems(log._replace(title=log.title or DEFAULT_TITLE))
        found += [one._replace(file=path) for one in refused if one.code != "not-canonical"]
    return found
