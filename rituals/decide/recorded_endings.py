"""Record which facts a commit of the trunk ended, or a day, as their footers say (FORMAT.md, U4).

One log for each commit, which its header names: where HEAD does not have that commit, the fact holds.
"""

from __future__ import annotations

from ledger.errors import GitFailed
from ledger.git.ancestry import Mainline
from ledger.git.repository import Repository, head, read_reference, remote_branches
from ledger.home import IN_TREE
from ledger.model.log_names import stamp_of
from ledger.model.session import EDIT
from memory import (
    Memory,
    SessionDraft,
    Truths,
    code_trunk,
    ending_facts,
    has_code,
    read_truths,
    with_ends,
    write_truths,
)
from projection.document.fact_remarks import ENDED
from projection.text.until_conditions import DATE
from rituals.decide.decision import over, titled


def record_ended(memory: Memory, *, hold: bool = False, dry_run: bool = False) -> tuple[str, ...]:
    """Record the facts of a home that have ended, and return a line of each.

    `hold`: the logs wait until they are in nobody's way, as captured ones do (W14).

    Raises:
        DiurnaError: git can not tell, or the log can not be recorded.
    """
    endings = _ended_facts(memory)
    facts = {id: fact for id, *_ in endings if (fact := memory.fact(id))}
    for commit in dict.fromkeys([commit for _, commit, _, _ in endings]):
        some = [one for one in endings if one[1] == commit]
        header = (("commit", commit), ("branch", _code_branch(memory)[0])) if commit else ()
        draft = SessionDraft(
            titled("End", tuple([id for id, *_ in some])),
            "\n".join([f"- {line}" for _, _, _, line in some]),
            tuple([over(facts[id], f"{ENDED} {commit or day}") for id, _, day, _ in some]),
            "diurna", EDIT, header, anyway=True,
        )  # fmt: skip
        (memory.hold if hold else memory.append)(draft, again=True, dry_run=dry_run)
    return tuple([line for _, _, _, line in endings])


def ended_lines(memory: Memory, *, dry_run: bool = False) -> tuple[str, ...]:
    """Record the same and return it in words; where git can not tell, what was asked for goes on."""
    try:
        return record_ended(memory, dry_run=dry_run)
    except GitFailed:
        return ()


def _ended_facts(memory: Memory) -> list[tuple[str, str, str, str]]:
    """Return the facts that have ended and are not recorded so yet, by the commits of the trunk alone.

    Of each its id; the commit by which it ended, whole, "" where a day ended it; that day, or the
    commit's; and all that as one reads it.
    """
    home = memory.home
    waits = memory.ask(lambda cache: ending_facts(home, cache))
    if not waits:
        return []
    today = stamp_of(memory.occasion().now_ms)[:10]
    days = [(one, one.until.removeprefix(f"{DATE} ")) for one in waits]
    ended = [
        (one.fact, "", day, f"{one.fact} ended on {day}")
        for one, day in days
        if day != one.until and day <= today
    ]
    branch, tip = _code_branch(memory)
    if not (tip and has_code(home)) or home.repository.promisor:
        return ended
    # a ledger in the tree is told what its own branch went through, as far as the trunk has it
    reference, commit = head(home.repository) if home.kind == IN_TREE else (branch, tip)
    kept = with_ends(home, read_truths(home) or Truths("", "", ()), waits, (reference, commit))
    if kept.heads:
        write_truths(home, kept)
    ends = [one for known, one in kept.ends if known == commit]
    trunk = Mainline(home.repository.git(), tip)
    strays = trunk.lacking("", [one.place for one in ends]) if commit != tip else frozenset()
    for fact, _, place, gone in ends:
        if gone.code == ENDED and place not in strays:
            line = f"{fact} ended by {place[:7]}, {gone.subject}, {gone.date}"
            ended.append((fact, place, gone.date, line))
    return ended


def _code_branch(memory: Memory) -> tuple[str, str]:
    """Return the branch that the work on the code comes together on, and its commit; "" for none."""
    name = code_trunk(memory.home, memory.policy)
    tips = trunk_tips(memory.home.repository, name)
    return (name, tips[0]) if tips else ("", "")


def trunk_tips(repository: Repository, name: str) -> list[str]:
    """Return the commits of a branch here and as it was fetched, none for no name."""
    places = (f"refs/heads/{name}", *remote_branches(repository, name)) if name else ()
    return [tip for place in places if (tip := read_reference(repository, place))]
