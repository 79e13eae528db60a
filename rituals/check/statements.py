"""Find what stands in a home that others share, and is about a person by its words."""

from __future__ import annotations

from collections.abc import Iterator

from ledger.codec.log import decode
from ledger.model.findings import Finding
from ledger.model.layout import stem_of
from ledger.model.session import WORKING, SessionLog
from ledger.secrets.person_statements import about_person
from memory.redaction.withheld_texts import ids_in, shown
from memory.replay.log_bytes import read_bytes
from memory.write.personal_guard import is_own, statement
from projection.fold.full_replay import State
from rituals.check.survey import Survey
from rituals.hosts.capture.composition import without_frames

_HINT = "`diurna redact {} --reason WHY` withholds it; history still has it, and others may too"


def shared_statements(survey: Survey) -> Iterator[Finding]:
    """Name the facts and the logs whose words are about a person, where others share the home."""
    if not is_own(survey.home, survey.state.policy):
        yield from _of_facts(survey.state)
        yield from _of_logs(survey)


def _of_facts(state: State) -> Iterator[Finding]:
    """Name those whose texts, or the words that they were found in, are about a person."""
    for fact in [one.fact for one in state.standings() if not one.fact.redacted]:
        quotes = [value.partition('"')[2] for key, value in fact.meta if key == "source"]
        for text in (*[head.text for head in fact.heads], *quotes):
            if topic := about_person(text):
                yield _said(fact.id, topic)
                break


def _of_logs(survey: Survey) -> Iterator[Finding]:
    """Name the logs whose title or prose is about a person, as far as that is not withheld."""
    refs = [ref for ref in survey.logs[0] if not survey.is_withheld(ref.stem)]
    for ref, data in read_bytes(survey.home, refs):
        if data is None:
            continue
        log, _ = decode(data, sealed=False)
        if log.type not in WORKING or not _about(log):
            continue
        text, named = data.decode("utf-8", "replace"), ids_in(log.events)
        cache = survey.memory.snapshot.tip.cache()
        seen, _ = decode(shown(survey.home, cache, text, named).encode(), sealed=False)
        if topic := _about(seen):
            yield _said(ref.stem, topic)._replace(file=ref.path)


def statements_in(path: str, log: SessionLog) -> Iterator[Finding]:
    """Name what one log brings whose words are about a person: its title, its prose, each text."""
    texts = [(event.id, getattr(event, "text", "")) for event in log.events]
    if log.type in WORKING and (topic := _about(log)):
        yield _said(stem_of(path), topic)._replace(file=path)
    for id, text in texts:
        if text and (topic := about_person(text)):
            yield _said(id, topic)._replace(file=path)


def _about(log: SessionLog) -> str:
    """Say what of a person a log is about, by the words that capture went by."""
    return about_person(f"{log.title}\n\n{without_frames(log.prose)}")


def _said(name: str, topic: str) -> Finding:
    return statement(name, topic)._replace(hint=_HINT.format(name))
