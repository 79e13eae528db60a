"""Explain in a sentence what each word and each small picture of the pages means."""

from __future__ import annotations

from projection.fold.projection_state import TIERS
from projection.policy.model import Windows
from rituals.serve.web.tip_view import Asked, Page, TipView

#: What people call the tiers, where that is not their name.
TIER_WORDS = {tier: tier for tier in TIERS} | {"archive-candidate": "fading"}


#: A word of the pages, and what it means: a sentence in which `{working}`, `{active}` and `{archive}`
#: stand for windows of the policy.
Term = tuple[str, str]


#: Where a fact stands; each fact is in one of them.
TIERS_SAID: tuple[Term, ...] = tuple(zip(TIER_WORDS.values(), (
    "It never fades: its kind lasts, as an invariant does, or a review made it so.",
    "New: it came in the last {working}, and was used once at most.",
    "In use: somebody used or confirmed it in the last {active}. Open threads stay here.",
    "Nobody used it for longer. After {archive} without a use it goes to the archive.",
    "Nobody used it for {archive}, it is done, or somebody put it away. It is still found.",
    "It does not hold any more: another fact took its place, or somebody said that it is false.",
), strict=True))  # fmt: skip
WORDS = (
    ("fact", "One sentence or more that memory keeps, with an id of its own."),
    ("session", "One log: what an agent or a person did, and what it taught. A work session "
         "did some work; imports, reviews and decisions are sessions too, and make nothing older."),
    ("used", "A session names the fact. That keeps it from fading."),
    ("sessions ago", "How many work sessions came after the one that used or confirmed the "
         "fact last."),
    ("sessions left", "How many more work sessions without a use it takes until the fact is "
         "archived."),
    ("confirmed", "A person or an agent looked, and it holds. That counts as a use."),
    ("decided", "A person said so."),
    ("said", "An agent recorded it."),
    ("quoted", "A machine found it in the words of a session."),
    ("imported", "It came from another tool or a document."),
    ("live", "It stands in one of the first four tiers, and agents are shown it."),
    ("faded", "It went to the archive because nobody used it."),
    ("closed", "The thread, task or finding is done."),
    ("false now", "It was replaced, or called false. Search finds it, marked as false."),
    ("stands", "It is what holds, also beside others that say otherwise."),
    ("contradicted", "Two sides stand against each other, and nobody decided yet. Review "
         "asks which one holds."),
    ("resting", "It was shown to sessions so often without a use that briefs leave it out."),
    ("never used again", "No session behind the one that brought the fact names it."),
    ("never used", "It is live, and no session behind the one that brought it names it."),
    ("as of", "The list as it stood at the end of a day, or at a tag, a commit or a log."),
    ("thread", "A question or a piece of work that is open until somebody closes it."),
    ("review", "Questions that memory asks people now and then, such as whether an invariant "
         "still holds."),
)  # fmt: skip
PICTURES = (
    ("areas", "How many facts stood in each tier, session after session; the newest on the "
         "right."),
    ("marks below them", "Tags and months: each leads to what held at the end of it."),
)  # fmt: skip
_SAID = dict((*WORDS, *PICTURES, *TIERS_SAID))
#: What stands where a policy is not at hand.
_PLAIN = {
    "working": "few work sessions",
    "active": "work sessions",
    "archive": "many work sessions",
}


def meaning(word: str, windows: Windows | None = None) -> str:
    """Say what a word means, with the windows of a policy; "" for one that is not explained."""
    said = _PLAIN
    if windows is not None:
        said = {name: _window(*windows.of(name)) for name in _PLAIN}
    return _SAID.get(word, "").format(**said)


def _window(sessions: int, days: int) -> str:
    return f"{sessions} work sessions" + (f" (and {days} work days)" if days else "")


def help(tip: TipView, asked: Asked) -> Page:
    """Return the page that explains the others."""
    windows = tip.state.policy.windows
    groups = {
        title: [(word, meaning(word, windows)) for word, _ in terms]
        for title, terms in (("Tiers", TIERS_SAID), ("Pictures", PICTURES), ("Words", WORDS))
    }
    withheld = sum([one.fact.redacted for one in tip.standings.values()])
    return Page("help", "Help", {"groups": groups, "tiers": [*TIER_WORDS], "withheld": withheld})
