"""Show one file of the code: which commits wrote it, and what was decided in the sessions around them."""

from __future__ import annotations

from ledger.errors import NotFound, WrongUsage
from ledger.git.repository import head
from ledger.model.order import key_of
from memory.cache.broken_truth_file import has_code
from projection.fold.fact_history import Fact
from projection.text.claims import PATH, claims
from rituals.serve.web.page_value import Asked, Page
from rituals.serve.web.tip_view.tip_view import TipView

_HINT = "`diurna why FILE` says why"


def file(tip: TipView, asked: Asked) -> Page:
    """Return the page of a file of HEAD, by its path from the top; `line` asks for one line of it.

    Raises:
        NotFound: HEAD has no such file or line, or the code is in another repository.
    """
    path, line = asked["path"], asked.get("line", "")
    place = f"{path}:{line}" if line else path
    try:
        found = tip.reasons(place) if has_code(tip.memory.home) else None
    except WrongUsage as problem:
        raise NotFound(problem.message, hint=_HINT) from None
    if found is None:
        raise NotFound(f"HEAD has no file {path}", hint=_HINT)
    stems = [one.log.stem for one in found.sessions]
    persons = tip.log_writers.persons([key_of(stem) for stem in stems])
    values = {
        "found": found,
        "path": path,
        "place": place,
        "numbered": found.place.line,
        "head": head(tip.memory.home.repository)[1],
        "persons": {stem: persons[key_of(stem)] for stem in stems},
    }
    return Page("file", place, values)


def files_named(tip: TipView, fact: Fact) -> tuple[str, ...]:
    """Return the files of HEAD that a fact names by their paths from the top."""
    named = [one.subject for one in claims(fact.text) if one.kind == PATH and "/" in one.subject]
    if not (named and has_code(tip.memory.home)):
        return ()
    there = tip.memory.home.repository.git().call(
        "ls-tree", "-z", "--name-only", "HEAD", "--", *named
    )[1]
    return tuple(there.decode("utf-8", "surrogateescape").split("\0")[:-1])
