"""Follow the texts of facts through the versions of the pages, commit by commit.

What a commit says is what its pages have and those of none of its parents do: a text is new with it, or
reworded. Where its parents disagree, the commit says which text holds. A fact that no page has any more
was taken out by the last commit that had it to take out. All facts bear the footers that they have
today; the past has their texts, kinds and checkboxes alone. Pure.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from ledger.errors import DraftRefused
from ledger.model.event import Event, FactArchived, FactUpdated, ThreadClosed, ThreadReopened
from ledger.model.record import Record
from rituals.intake.adopt.import_logs import Said, Standing, birth_of, kind_of, of_kind
from rituals.intake.adopt.page_versions import PageCommit
from rituals.intake.adopt.read_facts import ImportedFact

Facts = Mapping[str, ImportedFact]


class Past(Record):
    """What the commits say of facts."""

    #: a commit and its events, in the order of the commits; none without events
    logs: tuple[tuple[PageCommit, tuple[Event, ...]], ...]
    standing: Mapping[str, Standing]  #: what stands at the end, by fact
    #: the commits that took out the facts which no page has any more, by fact
    gone: Mapping[str, PageCommit]


class _Walk:
    """The facts as the commits so far leave them."""

    def __init__(self, today: Facts, said: Said) -> None:
        self.today, self.said = today, said
        self.standing: dict[str, Standing] = {}
        self.raw: dict[str, str] = {}
        self.gone: dict[str, PageCommit] = {}

    def events(self, commit: PageCommit, here: Facts, before: Sequence[Facts]) -> list[Event]:
        """Return what a commit says, of each fact once."""
        found: list[Event] = []
        for id, fact in here.items():
            self.gone.pop(id, None)
            olds = {_told(facts[id]) for facts in before if id in facts}
            if olds != {_told(fact)}:
                found += self._said(id, fact)
        self.gone.update({id: commit for facts in before for id in facts if id not in here})
        return found

    def _said(self, id: str, fact: ImportedFact) -> list[Event]:
        known = self.standing.get(id)
        if known is not None and (self.raw[id], known.kind, known.mark) == _told(fact):
            return []
        now = None if known else self.today.get(id)
        try:
            event = birth_of(fact, self.said, [])
            meta = birth_of(now, self.said, []).meta if now else event.meta
        except DraftRefused:  # no log can hold it; what stands today is looked at elsewhere
            return []
        text, kind = event.text or "", kind_of(event)
        mark = event.mark or (known.mark if known else "")  # the box that it last had
        self.raw[id], self.standing[id] = fact.text, Standing(text, mark, kind)
        if known is None:
            return [event._replace(meta=of_kind(kind, meta))]
        found: list[Event] = []
        if kind != known.kind:
            found.append(FactUpdated(id, text, meta=(("kind", kind),)))
        elif text != known.text:
            found.append(FactUpdated(id, text))
        if event.mark and event.mark != (known.mark or " ") and id not in self.said.closed:
            found.append(ThreadClosed(id) if event.mark == "x" else ThreadReopened(id))
        return found


def _told(fact: ImportedFact) -> tuple[str, str, str]:
    return fact.text, fact.kind, fact.mark


def past_of(
    commits: Iterable[PageCommit], facts_in: Mapping[str, Facts], today: Facts, said: Said
) -> Past:
    """Return what the commits say.

    `commits` come with parents before children; `facts_in` has the facts of the pages of each commit, by
    commit; `today` has those of the pages in the work tree.
    """
    walk = _Walk(today, said)
    logs: list[tuple[PageCommit, list[Event]]] = []
    for commit in commits:
        before = [facts_in[one] for one in commit.parents if one in facts_in]
        logs.append((commit, walk.events(commit, facts_in[commit.id], before)))
    gone = {id: commit for id, commit in walk.gone.items() if id not in today}
    for commit, events in logs:
        events += [FactArchived(id) for id, last in sorted(gone.items()) if last == commit]
    kept = tuple([(commit, tuple(events)) for commit, events in logs if events])
    return Past(kept, walk.standing, gone)
