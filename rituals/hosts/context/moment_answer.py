"""Answer a moment: what memory has on a prompt, within what the policy and the user allow."""

from __future__ import annotations

from rituals.hosts.adapters import PROMPT
from rituals.hosts.context.moment_index import is_prompt, opened
from rituals.hosts.context.needed import NOTHING, Needed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rituals.hosts.moments import Moment

#: What is kept of a fact's text for a line, which shows less.
_TEXT_CHARS = 400


def needed_at(moment: Moment, commondir: str) -> tuple[Needed, bool]:
    """Return what memory has on an event, and whether its index is out of date.

    Args:
        moment: a prompt, or a tool that was run.
        commondir: the common git directory.
    """
    at_prompt = moment.event == PROMPT
    if at_prompt and not is_prompt(moment.prompt):
        return NOTHING, False
    index = opened(commondir, moment.folder, words=at_prompt)
    if at_prompt:
        if index is None:
            return _answer(moment), True
        if index.said("moment")[:1] == "1" and index.may_answer(moment.prompt):
            return _answer(moment), False
    return NOTHING, index is None


def _answer(moment: Moment) -> Needed:
    """Look a prompt up in full."""
    from ledger.errors import HomeNotFound
    from ledger.home import discover
    from memory.query.prompt import answers_to
    from projection.brief.envelope import untagged
    from projection.brief.plain_text import label, plain

    try:
        policy, found = answers_to(discover(moment.folder), moment.prompt)
    except HomeNotFound:
        return NOTHING
    facts = []
    for one in found:
        about = [label(one.standing.fact.kind), *one.marks, one.date]
        text = untagged(plain(one.text(_TEXT_CHARS)))
        facts.append((one.id, ", ".join(about), text))
    return Needed(tuple(facts), most=policy.facts, characters=policy.characters)
