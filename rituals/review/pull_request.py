"""Ask by a pull request: a branch with one file of questions, whose merge is the answer (FORMAT.md, R14).

Nothing is pushed here, and no work tree is written but for taking the answered file out. Whoever may merge
may decide: it is the right by which people edit `continuity.md`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ledger.git.commit_record import FALLBACK_EMAIL, FALLBACK_NAME, Commit, Identity
from ledger.git.fast_import import FastImport
from ledger.home import Home
from ledger.model.event import Event
from ledger.model.findings import Finding
from ledger.model.layout import COMMIT_SUBJECT, REVIEW_BRANCH, REVIEW_FILE
from ledger.model.record import Record
from memory.api import Memory
from rituals.review.review_plan import Plan, plan_review
from rituals.review.review_record import Answer, Outcome, events_of, review
from rituals.review.ticks import LIMIT_BYTES, Asking, Form, Refused, answers, asking, read

#: For so long a question waits for its answer before the next plan asks it.
WAIT_SECONDS = 30 * 86_400
#: By whom the file is committed: never the one who answers.
_JOB = Identity(FALLBACK_NAME, FALLBACK_EMAIL)
_ROBOT = "[bot]"
_TAKEN = f"{COMMIT_SUBJECT}take in the answers of {REVIEW_BRANCH}"
#: By what `git blame` begins what it says of a line.
_ROW = re.compile(r"[0-9a-f]{40} \d+ \d+")


class Taken(Record):
    """What became of a file of answers."""

    plan: str  #: that it answers
    stem: str  #: of the log that has the answers, "" for none
    commit: str  #: that has the log
    events: tuple[Event, ...]  #: what it says, or would say
    findings: tuple[Finding, ...]  #: what was noticed
    by: tuple[str, ...]  #: who answered
    #: questions that it does not answer, by their keys in the file, and why
    void: tuple[tuple[str, str], ...]


class Open(Record):
    """A branch that asks, and that nobody merged."""

    reference: str  #: its full name
    plan: str  #: that it asks
    seconds: int  #: when somebody committed to it last, since 1970


class Request(Record):
    """What was asked, or why nothing was."""

    asks: Asking  #: what there is to ask
    commit: str  #: that has the file, "" where none was made
    waits: str  #: the branch that waits for its answers, "" for none
    expired: tuple[str, ...]  #: branches that waited for too long


def request(memory: Memory, code_path: str = "", *, dry_run: bool = False) -> Request:
    """Put what a review would ask onto a branch of its own, on top of the ledger's; nothing is pushed.

    One is open at a time: while one that is younger than `WAIT_SECONDS` waits for its answers, or asks the
    very same, nothing is made.
    """
    home, now = memory.home, memory.occasion().now_ms // 1000
    asks = asking(plan_review(memory, code_path))
    known = list(_open(home))
    young = [one for one in known if now - one.seconds < WAIT_SECONDS or one.plan == asks.plan]
    waits = young[0].reference.rpartition(REVIEW_BRANCH)[2] if young else ""
    found = Request(
        asks, "", waits and REVIEW_BRANCH + waits,
        tuple(dict.fromkeys([REVIEW_BRANCH + one.plan for one in known if one not in young])),
    )  # fmt: skip
    if waits or not asks.questions or dry_run:
        return found
    tip = home.tip()
    wanted = Commit(
        f"refs/heads/{asks.branch}",
        tip,
        "",
        ((home.prefix + REVIEW_FILE, asks.text.encode("utf-8", "replace")),),
        f"{COMMIT_SUBJECT}ask {asks.questions} questions",
        _JOB,
        now,
    )
    return found._replace(commit=FastImport(home.repository).commit(wanted))


def _open(home: Home) -> Iterator[Open]:
    """Yield the branches that ask and were not taken in, here and on remotes; newest first."""
    git, tip = home.repository.git(), home.tip()
    listed = git.run(
        "for-each-ref", "--sort=-committerdate", "--format=%(refname) %(objectname) %(committerdate:unix)",
        f"refs/heads/{REVIEW_BRANCH}", f"refs/remotes/*/{REVIEW_BRANCH}*", check=False,
    ).decode("utf-8", "replace")  # fmt: skip
    for row in listed.splitlines():
        name, commit, seconds = row.rsplit(" ", 2)
        plan = name.rpartition(REVIEW_BRANCH)[2]
        merged = git.call("merge-base", "--is-ancestor", commit, tip)[0] == 0
        if not merged and not _was_taken(home, tip, plan):
            yield Open(name, plan, int(seconds))


def _was_taken(home: Home, tip: str, plan: str) -> bool:
    """Tell whether the file of a plan was taken in, or waits to be, however its branch was merged."""
    git, path = home.repository.git(), home.prefix + REVIEW_FILE
    said = git.run(
        "log", "-n1", "--format=%H", "--fixed-strings", f"--grep={_TAKEN}{plan}", tip, "--", path,
        check=False,
    )  # fmt: skip
    return bool(said.strip()) or f"plan {plan} ".encode() in (_file(home, tip) or b"")


def _file(home: Home, tip: str) -> bytes | None:
    """Return the file of answers at a commit, None for none."""
    git, spec = home.repository.git(), f"{tip}:{home.prefix}{REVIEW_FILE}"
    (size,) = git.sizes([spec]) if tip else (0,)
    if size > LIMIT_BYTES:
        raise Refused(f"it has {size} bytes, and {LIMIT_BYTES} is the limit", where=REVIEW_FILE)
    (data,) = git.blobs([spec]) if size else (None,)
    return data


def take_in(memory: Memory, *, dry_run: bool = False) -> Taken | None:
    """Record the answers of a merged file, as a review whose rest was left, and take the file out.

    None where there is none. Killed in between, the next one finds what is answered, and takes it out.

    Raises:
        Refused: the file is not read; nothing changed.
        DiurnaError: as `review`.
    """
    home = memory.home
    tip = home.tip()
    try:
        data = _file(home, tip)
        form = read(data) if data is not None else None
    except Refused as problem:
        where = f"{home.prefix}{REVIEW_FILE}"
        raise Refused(
            problem.message, where=f"{where}, {problem.where}" if problem.where[:4] == "line" else where,
            hint=problem.hint or "mend it and commit, or let `diurna review --pull-request` ask anew",
        ) from None  # fmt: skip
    if form is None:
        return None
    who = _who(home, tip, form)
    found: dict[str, Answer] = {}
    void: tuple[tuple[str, str], ...] = ()

    def given(plan: Plan) -> dict[str, Answer]:
        nonlocal void
        answered, void = answers(plan, form, who)
        found.update(answered)
        return found

    by = tuple(dict.fromkeys([who[one.line] for one in form.ticks if who.get(one.line)]))
    if by and not dry_run:
        outcome = review(memory, ask=given, by=", ".join(by))
    else:
        plan = plan_review(memory)
        events = events_of(plan, given(plan), left=True)
        outcome = Outcome(plan, events=events)
    if not dry_run:
        memory.drain(share=True)
        memory.commit_files([(REVIEW_FILE, None)], f"{_TAKEN}{form.plan}")
    return Taken(
        form.plan, outcome.stem, outcome.commit, outcome.events, outcome.findings, by, void
    )


def _who(home: Home, tip: str, form: Form) -> dict[int, str]:
    """Return who ticked each answer: by the commit that changed its line last, "" for the job's own.

    Of a squash that a forge commits for the job, it is who wrote it with it.
    """
    if not form.ticks:
        return {}
    ranges = [f"-L{one.line},{one.line}" for one in form.ticks]
    said = home.repository.git().run(
        "blame", "--porcelain", "--ignore-revs-file=", *ranges, tip, "--", home.prefix + REVIEW_FILE
    )
    rows = [row.split() for row in said.decode("utf-8", "replace").split("\n") if _ROW.match(row)]
    people = _people(home, [commit for commit, *_ in rows])
    return {int(line): people[commit] for commit, _, line, *_ in rows}


def _people(home: Home, commits: Sequence[str]) -> dict[str, str]:
    """Return by whom commits are: their author, or the first who wrote them with a robot; "" for none."""
    form = "%H%x00%an <%ae>%x00%(trailers:key=Co-authored-by,valueonly,separator=%x00)%x1e"
    said = home.repository.git().run(
        "log", "--no-walk", f"--format={form}", "--stdin",
        data="".join(f"{one}\n" for one in dict.fromkeys(commits)).encode(),
    )  # fmt: skip
    found = {}
    for row in said.decode("utf-8", "replace").split("\x1e"):
        commit, *people = row.strip("\n").split("\0")
        names = [_person(one) for one in people]
        found[commit] = next(filter(None, names), "")
    return found


def _person(said: str) -> str:
    """Return the name of a person, "" for the job itself or a robot."""
    name, _, email = said.partition(" <")
    name = " ".join(name.split())
    return "" if email.strip(" >") == FALLBACK_EMAIL or name.endswith(_ROBOT) else name
