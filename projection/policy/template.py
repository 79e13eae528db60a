"""Write a policy as the file that it stands in."""

from __future__ import annotations

from projection.policy.model import (
    BUILT_IN_KINDS,
    BY_BRIEF,
    Kind,
    Policy,
    Recall,
    Windows,
)
from projection.policy.policy_keys import quoted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_PERSONAL = """\
personal = true  # what is only yours: facts with `personal: true` come here, and into no other home
# push   = true  # a sync sends it to its remote; else only `diurna sync --push` does
"""
_NO_FACTS = "# max_facts = 60  # instead of as many as a brief has room for; 0 is no limit"
_EXAMPLES = """
# Views that stand beside continuity.md as files, STATE.md and so on:
#
# [views]
# publish = ["state", "progress", "decisions"]

# How many helps make a learned pattern a candidate, verified and active (FORMAT.md, section 6):
#
# [learning]
# candidate = 2
# verified  = 3
# active    = 5

# Homes of others that are read beside this one; `diurna sync` fetches them, and nothing writes to them:
#
# [upstream]
# org = "https://git.example.org/team/memory.git"

# Change a built-in kind of fact, or add one of your own:
#
# [kinds.glossary]
# section = "Glossary"
# decays  = true
"""


def write_policy(policy: Policy) -> str:
    """Write a policy as the commented `diurna.toml` that `diurna init` makes."""
    windows, review, privacy = policy.windows, policy.review, policy.privacy
    head = (
        f"trunk   = {quoted(policy.trunk)}  # where no origin/HEAD names it\n"
        if policy.trunk
        else ""
    )
    head += _PERSONAL if policy.personal else ""
    if policy.push:
        head = (
            head.replace("# push  ", "push    ") if policy.personal else f"{head}push    = true\n"
        )
    paced = _paced(windows)
    only = "" if paced else ", never in days"
    facts = f"max_facts = {review.max_facts}" if review.max_facts != BY_BRIEF else _NO_FACTS
    text = f"""\
# The policy of this Diurna home. A key that is left out has its default.

format  = {policy.format}
project = {quoted(policy.project)}
publish = {quoted(policy.publish)}  # when continuity.md is committed: "append", "trunk" or "review"
{head}
[windows]  # how long a fact lives unused, counted in work sessions{only}
working = {windows.working}
active  = {windows.active}
archive = {windows.archive}
{paced}
[review]  # when a review is due, and what it looks at
every = {review.every}
{facts}
max_lines = {review.max_lines}
closed_thread_lines = {review.closed_thread_lines}
verify_invariants_every = {review.verify_invariants_every}
stale_thread_after = {review.stale_thread_after}

[privacy]  # what an append does with a log that holds them
secrets  = {quoted(privacy.secrets)}  # "redact" or "refuse"
personal = {quoted(privacy.personal)}  # paths of home folders: "warn", "redact" or "keep"
"""
    return text + _EXAMPLES + _changed(policy)


#: Tables that are written where they say something else than their defaults, and what is said of them.
_TABLES = {
    "capture": "what sessions of agents leave in memory by themselves",
    "views": "",
    "brief": "what agents read first",
    "branches": "answers go by what HEAD holds",
    "background": "what is done by itself",
    "learning": "",
    "moment": "what a session is told when it is needed",
}


def _paced(windows: Windows) -> str:
    """Write what the windows ask for besides, where they ask for it."""
    if windows[3:] == Windows()[3:]:
        return ""
    return f"""\
working_days = {windows.working_days}  # and in days with one: a window is passed by both; 0 asks for none
active_days  = {windows.active_days}
archive_days = {windows.archive_days}
stretch_hours = {windows.stretch_hours}  # what rests no longer is one session; 0: each log is one
"""


def _changed(policy: Policy) -> str:
    """Write the tables that say something else than their defaults."""
    text = ""
    for name, remark in _TABLES.items():
        keys = _changes(getattr(policy, name))
        text += keys and f"\n[{name}]{'  # ' * bool(remark)}{remark}\n{keys}"
    if policy.recall != Recall():
        text += f"\n[recall]\n{_changes(policy.recall, always='language')}"
    if policy.upstream:
        text += "".join(
            ["\n[upstream]\n", *[f"{name} = {quoted(url)}\n" for name, url in policy.upstream]]
        )
    for name, section, decays in policy.kinds:
        if Kind(name, section, decays) not in BUILT_IN_KINDS:
            text += f"\n[kinds.{name}]\nsection = {quoted(section)}\ndecays  = {_value(decays)}\n"
    return text


def _changes(table: Any, always: str = "") -> str:
    """Write the keys of a table that say something else than their defaults, and one in any case."""
    rows = zip(table._fields, table, type(table)(), strict=True)
    said = [(key, value) for key, value, usual in rows if value != usual or key == always]
    return "".join([f"{key} = {_value(value)}\n" for key, value in said])


def _value(value: object) -> str:
    if isinstance(value, tuple):
        return f"[{', '.join([quoted(word) for word in value])}]"
    return quoted(value) if isinstance(value, str) else str(value).lower()
