"""Find what a timeline is asked about: a time, a log, a fact, a commit, or what answers a question."""

from __future__ import annotations

from ledger.errors import NotFound, WrongUsage
from ledger.model.ids import is_fact_id
from ledger.model.instants import FORMS, span_of
from ledger.model.order import is_date, is_stem, milliseconds_of
from ledger.model.record import Record
from memory.cache.name_lookup import fact_named, log_named
from memory.recall.recall_values import parted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ledger.home import Home
    from memory.cache.cache_file import Cache
    from memory.recall.recall_values import Answer

NOW, DATE, SESSION, FACT, COMMIT, QUERY = "now", "date", "session", "fact", "commit", "query"
#: A log that has less to do with a commit is around it and not of it.
_OF_COMMIT = 0.3


class Anchor(Record):
    """What a timeline is around."""

    asked: str  #: as it was said
    kind: str  #: `now`, `date`, `session`, `fact`, `commit`, or `query` for the best hit of one
    id: str  #: of the fact or the commit, or the stem; "" for a date
    #: the stretches of time it takes, first and last millisecond since 1970, in order
    spans: tuple[tuple[int, int], ...]
    stems: tuple[str, ...] = ()  #: the logs that it stands in


def named_anchor(cache: Cache, asked: str, now_ms: int) -> Anchor | None:
    """Find what an anchor names: the newest log for "", a log, a fact or a time; None for anything else.

    Raises:
        NotFound: it has the form of a stem, and there is no such log, or several begin so.
        WrongUsage: it begins like a time, and is none.
    """
    if not asked:
        newest = cache.summary.newest
        return _logs(asked, NOW, newest, (newest,) if newest else ())
    if is_stem(asked.partition(":")[0]) and not is_date(asked):
        ref = log_named(cache, asked)
        return _logs(asked, SESSION, ref.stem, (ref.key,))
    fact = _fact_named(cache, asked)
    stems = _stems_of(cache, fact) if fact else ()
    if stems:
        return _logs(asked, FACT, fact, stems)
    when = span_of(asked, now_ms)
    if when is None and is_date(asked[:10]):
        raise WrongUsage(f"{asked} is no time", hint=FORMS)
    return Anchor(asked, DATE, "", (when,)) if when else None


def commit_anchor(cache: Cache, home: Home, asked: str) -> Anchor | None:
    """Find the commit of the code that an anchor names, and the logs of it; None where it names none."""
    from memory.query.code_question import REVISION

    if not REVISION.fullmatch(asked):
        return None
    from ledger.git.blame import commit_named, commits_of
    from memory.query.logs_around import logs_around

    git = home.repository.git()
    found = commits_of(git, [commit] if (commit := commit_named(git, asked)) else ())
    for one in found.values():
        around = logs_around(home, cache, one, git)
        stems = tuple([log.ref.key for log in around if log.by and log.by[0][1] >= _OF_COMMIT])
        at = max(0, one.made) * 1000
        return (
            _logs(asked, COMMIT, one.id, stems)
            if stems
            else Anchor(asked, COMMIT, one.id, ((at, at),))
        )
    return None


def answer_anchor(cache: Cache, asked: str, answer: Answer) -> Anchor:
    """Take the best hit of a question as the anchor.

    Raises:
        NotFound: nothing answers it.
    """
    hits = [
        hit for hit in answer.hits if not parted(hit.id)[0]
    ]  # what others hold has its time there
    if not hits:
        raise NotFound(
            f"nothing is named {asked}, and nothing answers to it",
            hint=f"`diurna show --list` lists facts, `diurna log` sessions; {FORMS}",
        )
    best = hits[0]
    return _logs(asked, QUERY, best.id, _stems_of(cache, best.id) or (best.stem,))


def _fact_named(cache: Cache, asked: str) -> str:
    """Return the fact that a word names; "" for words of a question, with which several may begin."""
    try:
        return fact_named(cache, asked) if is_fact_id(asked) else ""
    except NotFound:
        return ""


def _stems_of(cache: Cache, fact: str) -> tuple[str, ...]:
    """Return the logs in which something happened to a fact, and the last that used it, in order."""
    history = cache.some_histories([fact]).get(fact)
    if history is None:
        return ()
    stems = {act.stem for act in history.acts} | ({history.last} if history.last else set())
    return tuple(sorted(stems))


def _logs(asked: str, kind: str, id: str, stems: tuple[str, ...]) -> Anchor:
    instants = sorted({milliseconds_of(stem) for stem in stems})
    return Anchor(asked, kind, id, tuple([(at, at) for at in instants]), stems)
