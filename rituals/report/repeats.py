"""Find what happened again in captured sessions although memory had it.

A person who says a fact again to set something right; an attempt that is made once more though it failed;
a command that breaks a rule, before its session was told the rule and after. All is read of what captured
logs tell (FORMAT.md, W19), so it errs towards saying less: what no log tells is not counted.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from math import log

from ledger.codec.log import decode
from ledger.model.captured_reach import span_of
from ledger.model.event import FactReferenced
from ledger.model.evidence import CORRECTED, proof_in
from ledger.model.order import stamp_of
from ledger.model.record import Record
from ledger.model.session import Entry, SessionLog
from ledger.model.session_headers import SHOWN_KEY, TOLD_KEY, shown_in
from projection.fold.fact_history import Fact
from projection.fold.projection_state import INVALIDATED, SUPERSEDED
from projection.graph.fact_links import footer
from projection.lifecycle.life import REINSTATED, Life
from projection.text.normalize import content_words, sentences
from projection.work.failed_attempts import leaves, tried_in_vain
from rituals.hosts.context.broken_rules import Against, broken
from rituals.hosts.context.moment_contents import spoken_against
from rituals.hosts.observed.shell import read
from rituals.hosts.observed.shell_outcomes import PROGRAMS

#: So much of what was tried is done again, and so many of its words.
_AGAIN, _LEAST = 0.55, 3
_DONE = re.compile(r"^- (?:[\d-]{10} [\d:]{5} )?(.*)$")
_TIMES = re.compile(r" \((\d{1,6}) times\)$")


class Repeats(Record):
    """What happened again, by fact: (id, in how many sessions)."""

    sessions: int = 0  #: how many captured sessions were looked at
    corrected: tuple[tuple[str, int], ...] = ()  #: what a person had to say again
    retried: tuple[tuple[str, int], ...] = ()  #: what was tried again though it had failed
    #: (id, commands that broke it before their session was shown or told it, and after)
    broken: tuple[tuple[str, int, int], ...] = ()
    #: (id, how, in how many logs a session proves that it used it so), see `ledger.model.evidence`
    used: tuple[tuple[str, str, int], ...] = ()


class _Known:
    """What memory has, and since when."""

    def __init__(
        self, facts: Iterable[Fact], lives: Mapping[str, Life], told_by: Mapping[str, str]
    ) -> None:
        self._told_by, self._lives = told_by, lives
        self.facts = {fact.id: fact for fact in facts if fact.id in lives and not fact.redacted}
        self.against: dict[str, list[Against]] = {}
        for fact in self.facts.values():
            for one in spoken_against(fact.kind, fact.text, fact.meta):
                self.against.setdefault(one.program, []).append(Against(fact.id, one.given))
        tried = {
            fact.id: frozenset(content_words(what))
            for fact in self.facts.values()
            if (what := tried_in_vain(fact))
        }
        self.tried = {id: words for id, words in tried.items() if len(words) >= _LEAST}
        posts: dict[str, int] = {}
        for fact in self.facts.values():
            for word in content_words(fact.text):
                posts[word] = posts.get(word, 0) + 1
        self._weights = {word: log(1 + len(self.facts) / count) for word, count in posts.items()}

    def had(self, id: str, session: str, began: str, names: Iterable[str]) -> bool:
        """Tell whether memory had a fact when a session began, which did not bring it itself.

        `began` is a stem; `names` are those of the session's transcripts.
        """
        life, source = self._lives[id], footer(self.facts[id], "source")
        before = [
            one.what
            for one in life.moments
            if one.stem <= began and one.what in (SUPERSEDED, INVALIDATED, REINSTATED)
        ]
        return (
            life.born < began
            and self._told_by.get(id) != session
            and not any(source.startswith(f"{name} ") for name in names)
            and before[-1:] in ([], [REINSTATED])
        )

    def tried_in(self, sentence: str) -> Iterator[str]:
        """Yield the attempts that a sentence says are made."""
        said = frozenset(content_words(sentence))
        for id, words in self.tried.items():
            common = words & said
            if len(common) >= _LEAST and self._weight(common) >= _AGAIN * self._weight(words):
                yield id

    def _weight(self, words: Iterable[str]) -> float:
        return sum([self._weights.get(word, 0.0) for word in words])


def repeats_of(
    logs: Iterable[tuple[Entry, bytes]],
    facts: Iterable[Fact],
    lives: Mapping[str, Life],
    told_by: Mapping[str, str],
) -> Repeats:
    """Find what happened again.

    The logs are captured ones with their bytes, in ledger order; `lives` are by the facts' ids, and so is
    `told_by`, the host's session whose log brought a fact.
    """
    known = _Known(facts, lives, told_by)
    began: dict[str, str] = {}
    names: dict[str, list[str]] = {}
    heard: dict[str, set[str]] = {}
    found: dict[str, dict[str, set[str]]] = {"corrected": {}, "retried": {}}
    counts: dict[str, list[int]] = {}
    used: dict[tuple[str, str], int] = {}
    for entry, data in logs:
        text = decode(data, sealed=True)[0]
        session = entry.session or entry.stem
        began.setdefault(session, _began(entry))
        transcript = span_of(text.get("transcript"))
        names.setdefault(session, []).extend([transcript.name] if transcript else [])

        def had(id: str, session: str = session) -> bool:
            return id in known.facts and known.had(id, session, began[session], names[session])

        told = heard.setdefault(session, set())
        now = set(shown_in(text.get(TOLD_KEY))[0])
        told |= set(shown_in(text.get(SHOWN_KEY))[0])
        told_uses = [one for one in text.events if isinstance(one, FactReferenced)]
        proved = [(one.id, proof_in(one.remark)) for one in told_uses]
        proofs = [(id, proof.how) for id, proof in proved if proof is not None]
        for pair in proofs:
            used[pair] = used.get(pair, 0) + 1
        done, ran = _read(text)
        again = [id for said in done if not leaves(said) for id in known.tried_in(said)]
        right = [id for id, how in proofs if how == CORRECTED]
        for what, ids in (("corrected", right), ("retried", again)):
            for id in filter(had, ids):
                found[what].setdefault(id, set()).add(session)
        for line, times in ran:
            for id in filter(had, broken(line, read(line), known.against)):
                count = counts.setdefault(id, [0, 0])
                before = 0 if id in told else 1 if id in now else times
                count[0] += before
                count[1] += times - before
                told |= {id} & now
        told |= now
    corrected, retried = [_most_first(some) for some in found.values()]
    broke = [(id, before, after) for id, (before, after) in counts.items()]
    broke.sort(key=lambda one: (-one[1] - one[2], one[0]))
    uses = [(*pair, count) for pair, count in sorted(used.items()) if pair[0] in known.facts]
    return Repeats(len(began), corrected, retried, tuple(broke), tuple(uses))


def _most_first(found: Mapping[str, set[str]]) -> tuple[tuple[str, int], ...]:
    counted = [(id, len(sessions)) for id, sessions in found.items()]
    return tuple(sorted(counted, key=lambda one: (-one[1], one[0])))


def _began(entry: Entry) -> str:
    """Return when a session began: as its spool says, else when its first log was written."""
    span = span_of(entry.reach[1]) if entry.reach else None
    timed = span and span.name.isdecimal() and len(span.name) < 15
    return stamp_of(int(span.name)) if span and timed else entry.stem


def _read(text: SessionLog) -> tuple[list[str], list[tuple[str, int]]]:
    """Return what the agent says that it did, and what it ran, how often."""
    done: list[str] = []
    ran: list[tuple[str, int]] = []
    section = ""
    for line in text.prose.split("\n"):
        if line[:3] == "## ":
            section = line[3:]
        elif section in ("Turns", "Commits") and line[:2] != "> ":
            done += sentences(line.lstrip("# "))
        elif section == "Observed" and (item := _DONE.match(line)):
            what = item[1]
            times = _TIMES.search(what)
            for part in (what[: times.start()] if times else what).partition(" · ")[0].split("; "):
                command, _, subject = part.partition(": ")
                word = command.partition(" ")[0]
                if word == "git" or word in PROGRAMS:
                    ran.append((command, int(times[1]) if times else 1))
                    done += [subject] if command[:10] == "git commit" else []
    return done, ran
