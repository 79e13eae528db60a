"""Explain in a sentence what each word and each small picture of the pages means."""

from __future__ import annotations

from ledger.model.record import Record
from projection.fold.projection_state import TIERS
from projection.policy.model import Windows
from rituals.serve.web.page_value import Asked, Page
from rituals.serve.web.tip_view.tip_view import TipView

#: What people call the tiers, where that is not their name.
TIER_WORDS = {tier: tier for tier in TIERS} | {"archive-candidate": "fading"}


class Term(Record):
    """A word of the pages, and what it means."""

    word: str
    said: (
        str  #: a sentence; `{working}`, `{active}` and `{archive}` stand for windows of the policy
    )

    @property
    def place(self) -> str:
        """The name of its place on the page of help."""
        return self.word.replace(" ", "-")


#: Where a fact stands; each fact is in one of them.
TIERS_SAID = tuple(
    Term(TIER_WORDS[tier], said)
    for tier, said in zip(
        TIERS,
        (
            "It never fades: its kind lasts, as an invariant does, or a review made it so.",
            "New: it came in the last {working}, and was used once at most.",
            "In use: somebody used or confirmed it in the last {active}. Open threads stay here.",
            "Nobody used it for longer. After {archive} without a use it goes to the archive.",
            "Nobody used it for {archive}, it is done, or somebody put it away. It is still found.",
            "It does not hold any more: another fact took its place, or somebody said that it is false.",
        ),
        strict=True,
    )
)
WORDS = (
    Term("fact", "One sentence or more that memory keeps, with an id of its own."),
    Term("session", "One log: what an agent or a person did, and what it taught. A work session "
         "did some work; imports, reviews and decisions are sessions too, and make nothing older."),
    Term("used", "A session names the fact. That keeps it from fading."),
    Term("sessions ago", "How many work sessions came after the one that used or confirmed the "
         "fact last."),
    Term("sessions left", "How many more work sessions without a use it takes until the fact is "
         "archived."),
    Term("confirmed", "A person or an agent looked, and it holds. That counts as a use."),
    Term("decided", "A person said so."),
    Term("said", "An agent recorded it."),
    Term("quoted", "A machine found it in the words of a session."),
    Term("imported", "It came from another tool or a document."),
    Term("live", "It stands in one of the first four tiers, and agents are shown it."),
    Term("faded", "It went to the archive because nobody used it."),
    Term("closed", "The thread, task or finding is done."),
    Term("false now", "It was replaced, or called false. Search finds it, marked as false."),
    Term("stands", "It is what holds, also beside others that say otherwise."),
    Term("contradicted", "Two texts stand for one fact, or two facts exclude each other. Review "
         "asks which one holds."),
    Term("resting", "It was shown to sessions so often without a use that briefs leave it out."),
    Term("never used again", "No session behind the one that brought the fact names it."),
    Term("live and never used", "It is live, and no session behind the one that brought it names it."),
    Term("as of", "The list as it stood at the end of a day, or at a tag, a commit or a log."),
    Term("thread", "A question or a piece of work that is open until somebody closes it."),
    Term("review", "Questions that memory asks people now and then, such as whether an invariant "
         "still holds."),
)  # fmt: skip
PICTURES = (
    Term("areas", "How many facts stood in each tier, session after session; the newest on the "
         "right."),
    Term("marks below them", "Tags and months: each leads to what held at the end of it."),
)  # fmt: skip
_SAID = {term.word: term for term in (*WORDS, *PICTURES, *TIERS_SAID)}
#: What stands where a policy is not at hand.
_PLAIN = {
    "working": "few work sessions",
    "active": "work sessions",
    "archive": "many work sessions",
}


def meaning(word: str, windows: Windows | None = None) -> str:
    """Say what a word means, with the windows of a policy; "" for one that is not explained."""
    if word not in _SAID:
        return ""
    if windows is None:
        return _SAID[word].said.format(**_PLAIN)
    return _SAID[word].said.format(**{name: _window(*windows.of(name)) for name in _PLAIN})


def _window(sessions: int, days: int) -> str:
    return f"{sessions} work sessions" + (f" (and {days} work days)" if days else "")


def help(tip: TipView, asked: Asked) -> Page:
    """Return the page that explains the others."""
    windows = tip.state.policy.windows
    groups = {
        title: [(term, meaning(term.word, windows)) for term in terms]
        for title, terms in (("Tiers", TIERS_SAID), ("Pictures", PICTURES), ("Words", WORDS))
    }
    withheld = sum([one.fact.redacted for one in tip.standings.values()])
    return Page("help", "Help", {"groups": groups, "withheld": withheld})
