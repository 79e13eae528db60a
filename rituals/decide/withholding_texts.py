"""Withhold a text or the words of a log from all that is shown, and say what still has it.

Nothing is taken out of git. Who can read the repository can read the text, so a secret has to be rotated;
the plan names the logs that hold it, where they went, and what of git a person would have to rewrite.
"""

from __future__ import annotations

from collections.abc import Iterable

from ledger.errors import NotFound, WrongUsage
from ledger.model.event import Event, FactCreated, FactRedacted, FactUpdated
from ledger.model.ids import is_fact_id
from ledger.model.order import is_stem, stem_in
from ledger.model.record import Record
from memory.api import Memory
from memory.cache.name_lookup import log_named
from memory.query.provenance import origins
from memory.redaction.withheld_texts import held_logs, holders
from projection.fold.full_replay import State
from projection.text.normalize import plain
from rituals.decide.decision import Decision
from rituals.decide.remaining_copies import Holding, holding_of, purge_of
from rituals.record.event_reasons import because

ROTATE = (
    "whoever can read this repository, a clone or a backup can still read what was withheld. A secret: "
    "revoke it where it was issued, issue another, and put that one where it is needed; from then on it "
    "does not matter what the history holds"
)


_ID_TELLS = (
    "the id {} says words of it too, and stands wherever the fact is named: no redaction changes it"
)
#: So many words of an id, of so many letters each, tell something.
_WORDS, _WORD_CHARS = 3, 3


class Holder(Record):
    """A log that holds what was withheld, and the commit that brought it."""

    path: str  #: of the log, relative to the home
    commit: str  #: the start of its id, "" where it is not known
    author: str  #: of the commit
    remotes: tuple[str, ...]  #: the remote-tracking branches that have it


class Redaction(Record):
    """What is to be withheld: the decision, and where git goes on holding it."""

    decision: Decision
    facts: tuple[str, ...]
    logs: tuple[str, ...]
    holders: tuple[Holder, ...]
    git: Holding


def redaction(
    memory: Memory, targets: tuple[str, ...], reason: str, *, words_only: bool = False
) -> Redaction:
    """Plan to withhold facts and logs.

    Targets are ids of facts, and stems of logs. The reason is recorded, and must not repeat what is to be
    withheld. With `words_only` of a log only its title, prose and remarks go, not the texts of facts that
    it brought.

    Raises:
        NotFound: there is no such fact or log.
        WrongUsage: a log has a name that no event can say; or the reason repeats what is to be withheld.
    """
    state = memory.state()
    cache = memory.cache()
    logs, facts = [], []
    for target in dict.fromkeys(map(memory.named, targets)):
        if target in state:
            facts.append(target)
            continue
        logs.append(_log_named(memory, target))
        if not words_only:
            facts += [fact for fact in _brought(state, logs[-1]) if fact not in facts]
    purge = purge_of(memory, facts, logs)
    if purge.telling.repeats(reason):
        hint = "say why, not what: the reason is recorded"
        raise WrongUsage("the reason contains what is to be withheld", hint=hint)
    events: list[Event] = [
        FactRedacted(name)
        for name in (*logs, *facts)
        # said before, but not of these logs: they came since, or it was said when it named none
        if name not in cache.redacted
        or not held_logs(cache, (name,)).issuperset(holders(memory.home, cache, name))
    ]
    names = tuple(event.id for event in events)
    counts = ((len(facts), "fact"), (len(logs), "log"))
    title = "Redact " + " and ".join(
        [f"{many} {what}{'s' * (many > 1)}" for many, what in counts if many]
    )
    rest = (
        tuple(facts), tuple(logs), _holders(memory, logs, facts), holding_of(memory, facts, logs),
    )  # fmt: skip
    if not names:
        return Redaction(Decision(title, already="withheld already"), *rest)
    does = tuple(
        f"the words of {name} are withheld" if name in logs else f"the text of {name} is withheld"
        for name in names
    )
    told = tuple(because(event, reason) for event in events)
    hints = [_ID_TELLS.format(fact) for fact in facts if _tells(fact, purge.texts)]
    return Redaction(Decision(title, does, told, reason=reason, hints=(ROTATE, *hints)), *rest)


def _tells(fact: str, texts: Iterable[str]) -> bool:
    """Tell whether an id is made of words of some texts, as ids once were."""
    said = {word for text in texts for word in plain(text).split()}
    words = [word for word in fact.replace(".", "-").split("-") if len(word) >= _WORD_CHARS]
    return len([word for word in words if word in said]) >= _WORDS


def _log_named(memory: Memory, stem: str) -> str:
    """Return the stem of a log."""
    if not is_stem(stem):
        raise NotFound(f"there is no fact {stem}", hint=memory.near_hint(stem))
    stem = log_named(memory.cache(), stem).stem
    if not is_fact_id(stem):
        raise WrongUsage(f"no event can name the log {stem}", hint="redact its facts by their ids")
    return stem


def _brought(state: State, stem: str) -> list[str]:
    """Return the facts of which a log brought a text."""
    return [
        fact
        for fact, history in sorted(state.histories.items())
        if any(
            stem_in(act.stem) == stem and isinstance(act.event, FactCreated | FactUpdated)
            for act in history.acts
        )
        and fact in state
    ]


def _holders(memory: Memory, logs: list[str], facts: list[str]) -> tuple[Holder, ...]:
    """Find the logs that hold what is withheld, in ledger order."""
    found = {
        step.path: step.brought for fact in facts for step in memory.why(fact).steps if step.version
    }
    found.update(origins(memory.snapshot, logs))
    git = memory.home.repository.git()
    remotes: dict[str, tuple[str, ...]] = {"": ()}
    for commit in {one.commit for one in found.values()}:
        if commit not in remotes:
            said = git.run(
                "for-each-ref", "--format=%(refname:short)", "--contains", commit, "refs/remotes",
                check=False,
            )  # fmt: skip
            names = said.decode("utf-8", "replace").split("\n")
            remotes[commit] = tuple(name for name in names if name and "/" in name)
    return tuple(
        Holder(path, one.commit[:7], one.author, remotes[one.commit])
        for path, one in sorted(found.items())
    )
