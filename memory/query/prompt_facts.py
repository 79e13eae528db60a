"""Find what answers a prompt so surely that an agent is told it unasked, and the passages to look in.

A prompt is an order more often than a question, and most of them ask nothing that memory knows. So of the
first facts that recall finds only those are told that have much of the prompt close together, in words
that name something, and lack none that tells more than what they have. Constants are round numbers.
"""

from __future__ import annotations

from _bisect import bisect_right

from ledger.environment import now_ms
from ledger.home import Home
from ledger.model.log_names import day_seen
from ledger.model.session import says_personal
from memory.cache.cache_file import Cache
from memory.query.reader import open_snapshot
from memory.recall.bm25_ranking import Search, search
from memory.recall.fact_hits import Facts
from memory.recall.fts_tables import Index
from memory.recall.index_catch_up import ask_once
from memory.recall.question import ENGLISH, listed_words
from memory.recall.recall_values import Filters, without_operators
from memory.recall.rules import SURE, Candidate, ordered, verdict
from memory.recall.word_lookups import Lookups
from memory.replay.reader_marks import marks_at
from projection.brief.inert_text import label, plain, untagged
from projection.policy.model import Moments
from projection.text.clipping import telling

#: How much of a prompt is read, and how many facts are told at most.
PROMPT_CHARS, TOLD = 1_500, 3
#: What a fact must have: the share of the prompt, and of it in one stretch of the text; what its words
#: tell together, and how many they are; its heaviest word against the heaviest that it lacks; its
#: score against that of the first.
COVERED, TOGETHER, TELLING, WORDS, HEAVIEST, NEAR_FIRST = 0.45, 0.45, 4.0, 2, 0.75, 0.50
#: What is kept of a fact's text for a line, which shows less.
KEPT_CHARS = 400
#: The number of words in one stretch of a text.
STRETCH = 30
#: Of so many of the newest logs passages of so many characters are told, and so many of them at most; what
#: names the session, and its log; and the part of a log that a machine lists.
_LOGS, _PASSAGE_CHARS, _MOST, _STEM_CHARS = 200, 560, 600, 18
_LISTED = "Observed"


def answers_to(home: Home, prompt: str) -> tuple[Moments, tuple[tuple[str, str, str], ...]]:
    """Return the facts that answer a prompt, best first, and what the policy says of telling them.

    Most prompts have none. The prompt is as typed; its quotes, dashes and stars ask for nothing. Of each
    fact its id, what it is, and its text on a line, from the sentence on that answers where it is long.
    """
    words = without_operators(prompt[:PROMPT_CHARS])

    def answer(cache: Cache, index: Index) -> tuple[Moments, tuple[tuple[str, str, str], ...]]:
        policy = cache.policy
        if not words or not policy.moment.prompt:
            return policy.moment, ()
        facts = Facts(cache, index, Filters(), marks=marks_at(home, cache))
        found = search(Lookups(index, policy.recall.language), words, facts.keeps, told=0)
        candidates = facts.candidates(found.facts, TOLD)
        best = ordered([one for one in candidates if not says_personal(one.standing.fact.meta)])
        if verdict([one.scored for one in best], found.total) != SURE:
            return policy.moment, ()
        least = NEAR_FIRST * best[0].scored.score
        sure = [one for one in best[:TOLD] if one.scored.score >= least and is_sure(one, found)]
        return policy.moment, tuple(map(_told, sure))

    return ask_once(open_snapshot(home), answer)


def _told(one: Candidate) -> tuple[str, str, str]:
    """Return a fact that answers: its id, what a reader has to know before its text, and that."""
    fact = one.standing.fact
    faded = not fact.closed and not one.standing.live
    said = {"closed": fact.closed, "faded": faded, "contradicted": fact.contradicted}
    marks = [mark for mark, holds in said.items() if holds]
    text = untagged(plain(telling(fact.text, one.scored.words, KEPT_CHARS)))
    return fact.id, ", ".join([label(fact.kind), *marks, one.date]), text


def passages_told(home: Home, cache: Cache) -> list[tuple[str, ...]]:
    """Return the passages of the newest logs that are short enough to be told whole, in ledger order.

    Each is its place, its day, the part and the title of the log, its session, and its words on a line.
    What is withheld is left out, and what a machine listed.
    """
    from memory.query.visible_logs import readable
    from memory.recall.log_reader import passages_of
    from memory.recall.passage_hits import heading_above, title_of
    from memory.redaction.withheld_texts import named_in, redacted_logs, visible_text
    from memory.replay.read_logs import read_bytes

    gone = redacted_logs(cache) if cache.redacted else frozenset[str]()
    refs = cache.refs("ORDER BY stem DESC LIMIT ?", (_LOGS,))[::-1]
    found: list[tuple[str, ...]] = []
    for ref, data in read_bytes(home, [one for one in refs if one.stem not in gone]):
        entry, text = cache.entry(ref.key), readable(data)
        if entry is None:
            continue
        if cache.redacted:
            text = visible_text(home, cache, text, named_in(entry))
        lines = text.split("\n")
        for one in passages_of(text):
            said, part = one.text.strip().split("\n"), heading_above(lines, one.line)
            while said and (said[0][:1] == "#" or not said[0].strip()):
                part = said.pop(0).lstrip("#").strip() or part
            words, day = untagged(plain("\n".join(said))), day_seen(entry.clock, now_ms())
            if part != _LISTED and 0 < len(words) <= _PASSAGE_CHARS:
                place = f"{ref.stem[:_STEM_CHARS]}:{one.line}"
                found.append(
                    (place, day, plain(part), plain(title_of(lines)), entry.session, words)
                )
    return found[-_MOST:]


def is_sure(one: Candidate, found: Search) -> bool:
    """Tell whether a fact, as a search scored it, answers so surely that it is told unasked."""
    scored, weights = one.scored, {term.raw: term.weight for term in found.terms}
    places = [
        (at, term.raw, term.weight) for term in found.terms for at in term.posted.at(scored.row)
    ]
    held = set(scored.words) - listed_words(ENGLISH, "chores")
    telling = [weights.get(word, 0.0) for word in held]
    return (
        scored.covered >= COVERED
        and _in_one_stretch(sorted(places)) >= TOGETHER * found.total
        and len(held) >= WORDS
        and sum(telling) >= TELLING
        and max(telling) >= HEAVIEST * scored.lacked
    )


def _in_one_stretch(places: list[tuple[int, str, float]]) -> float:
    """Return the most that the different words in one stretch of a text tell together."""
    best = 0.0
    for at, (start, *_) in enumerate(places):
        near = places[at : bisect_right(places, start + STRETCH, key=lambda one: one[0])]
        best = max(best, sum({word: weight for _, word, weight in near}.values()))
    return best
