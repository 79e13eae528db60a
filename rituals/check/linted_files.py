"""Check single files before they are appended or committed: drafts, staged logs, projections.

Secrets and personal data are findings that never hold a value. What logs say of commits is held against
the objects that are here: landings (FORMAT.md, B9), and places that helped.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from ledger.codec.log import conflicted, decode, read_header, stamp_findings
from ledger.codec.outline import document_text, marker_line
from ledger.codec.validate import problems
from ledger.environment import monotonic
from ledger.errors import DiurnaError
from ledger.git.ancestry import missing, whole_ids
from ledger.git.landings import HOWS, history, search
from ledger.heavy_work import Uncollected
from ledger.home import OWN_REPOSITORY, Home
from ledger.model.event import VERB_OF, VERBS, FactHelped, WorkLanded
from ledger.model.evidence import place_in
from ledger.model.findings import INFO, Finding
from ledger.model.ids import is_fact_id
from ledger.model.layout import ARCHIVE_DIR, EDITABLE, POLICY_FILE, log_path, stem_of
from ledger.model.logset import LogRef
from ledger.model.order import breaks_seal, is_sealed, is_stem, stem_in
from ledger.model.session import DEFAULT_TITLE, LOG_LIMIT_BYTES
from ledger.secrets.log_redaction import KEEP, article, first_of
from ledger.secrets.match import LABELLED, SECRET, Hit
from ledger.secrets.scanner import Lines, find_all, find_secrets
from memory.cache.cache_file import Cache
from memory.cache.head_store import read_heads
from memory.replay.read_logs import read_bytes
from memory.replay.unlanded_work import Works, works_of
from rituals.check.check_registry import Survey, in_order
from rituals.check.projection_checks import conflict_findings, gone_policy, policy_problem

Progress = Callable[[int, int], None]

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
    places = find_secrets(text) if personal == KEEP else find_all(text)
    found: dict[tuple[int, str], Finding] = {}
    waived: list[int] = []
    lines = Lines(text if places else "")
    front = text.find("\n---\n", 3) if text.startswith("---\n") else 0
    for place in places:
        if place.rule == LABELLED and (place.start < front or _is_own(text, place)):
            continue  # our own key, or a verb, names it
        line = lines.number(place)
        if lines.is_waived(place):
            if place.kind == SECRET:
                waived.append(line)
            continue
        if (line, place.rule) in found:
            continue
        if place.kind == SECRET:
            said = f"{article(place.rule)}: {place.shown}"
            one = Finding("secret-found", said, path, line, _REPLACE_HINT)
        else:
            said = article(place.rule)
            one = Finding("personal-data", said, path, line, _PERSONAL_HINT)
        found[line, place.rule] = one
    said_of = first_of(list(found.values()))
    other = is_projection(path) or path.split("/")[-1] == POLICY_FILE
    left = 0 if other else marker_line(text)
    if left and not conflicted(text):  # a whole conflict is told where the log is read
        said = "a conflict marker that was never resolved"
        said_of.append(Finding("conflict-marker", said, path, left, _MARKER_HINT))
    if waived:
        many = len(set(waived))
        noun = (
            "line looks like a secret and says that it is"
            if many == 1
            else "lines say that they are"
        )
        message = f"{many} {noun} none"
        said_of.append(Finding("secret-waived", message, path, waived[0]))
    return said_of


def log_findings(
    home: Home, refs: Sequence[LogRef], personal: str, progress: Progress | None = None
) -> list[Finding]:
    """Look through all logs.

    `personal` is what the policy says of personal data; progress is told how many of how many are read.
    """
    from ledger.git.pygit2_store import read_blobs

    found: list[Finding] = []
    with Uncollected():
        contents: Iterable[bytes | None] = read_blobs(home.repository, [ref.blob for ref in refs])
        for number, (ref, data) in enumerate(zip(refs, contents, strict=True)):
            if progress is not None and number % 64 == 0:
                progress(number, len(refs))
            if data is not None:
                found += text_findings(ref.path, data, personal)
    return found


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
    from ledger.errors import PolicyInvalid
    from projection.policy.toml import read_policy

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


#: How many landings are proved in one check, the newest first, and how long that may take.
_MOST, _SECONDS = 40, 5.0
_ROWS = 'SELECT log, stem, "commit", how FROM landings WHERE verb = ? ORDER BY log DESC'
_HINT = (
    "`diurna show STEM` tells who recorded it; where that commit is, the work counts as if it were"
)
_HELP_HINT = (
    "the help still counts; `diurna why` tells who said it, and `--ignored` speaks against it"
)


def unproven(survey: Survey) -> Iterator[Finding]:
    """Name them. Of work whose commits are not here nothing is said, nor of what was found out here."""
    rows, works = survey.memory.ask(lambda cache: _gathered(survey.home, cache))
    if works is None or not rows:
        return
    git, kept, until = survey.home.repository.git(), read_heads(survey.home), monotonic() + _SECONDS
    logs = {log.stem: log for log in works.logs}
    here = whole_ids(git, {commit for _, _, commit, _ in rows})
    for key, stem, commit, how in rows[:_MOST]:
        log = logs.get(stem)
        if log is None or how not in HOWS or not here.get(commit) or monotonic() > until:
            continue
        settled = kept.settled.get(kept.points.get(stem, log.commit))
        work = None if settled is not None and settled.commit == commit else works.of(log)
        if work is None or not whole_ids(git, {work.point})[work.point]:
            continue
        try:
            found = search(git, work, history(git, commit))
        except DiurnaError:
            continue
        if found is None:
            said = f"{stem} is said to have landed in {commit[:7]} ({how}), which does not hold its work"
            yield Finding("landed-unproven", said, log_path(stem_in(key)), hint=_HINT)


def _gathered(home: Home, cache: Cache) -> tuple[list[tuple[str, str, str, str]], Works | None]:
    rows = cache.rows(_ROWS, (VERB_OF[WorkLanded],))
    return rows, works_of(home, cache) if rows else None


def misplaced(survey: Survey) -> Iterator[Finding]:
    """Name them; of a log without a commit, or of one that is not here, nothing is said.

    A home in a repository of its own has no code beside it.
    """
    if survey.home.kind == OWN_REPOSITORY:
        return
    said = [
        (act.stem, fact, place)
        for fact, history in sorted(survey.state.histories.items())
        for act in history.acts
        if isinstance(act.event, FactHelped) and (place := place_in(act.event.remark))
    ]
    keys = {key for key, _, _ in said}
    refs = [ref for ref in survey.logs[0] if ref.key in keys] if said else []
    commits = {
        ref.key: dict(read_header(data)).get("commit", "")
        for ref, data in read_bytes(survey.home, refs)
    }
    git = survey.home.repository.git()
    gone = missing(git, [(commits.get(key, ""), place) for key, _, place in said])
    for key, fact, place in said:
        if (commits.get(key, ""), place) in gone:
            what = f"{fact} is said to have helped at {place.path}:{place.line}"
            message = f"{what}, which is not at {commits[key][:7]}"
            yield Finding("evidence-gone", message, log_path(stem_in(key)), hint=_HELP_HINT)
