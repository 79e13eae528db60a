"""Write a policy as the file that it stands in."""

from __future__ import annotations

from projection.policy.model import (
    BUILT_IN_KINDS,
    BY_BRIEF,
    OFF,
    Background,
    Branches,
    Briefs,
    Capture,
    Commits,
    Inbox,
    Kind,
    Learning,
    Moments,
    Policy,
    Recall,
    Upstream,
    Windows,
)
from projection.policy.policy_keys import quoted

_PERSONAL = """\
personal = true  # what is only yours: facts with `personal: true` come here, and into no other home
# push   = true  # a sync sends it to its remote; else only `diurna sync --push` does
"""
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

# Requests of other projects, which nobody accepts but you, and projects to ask (`diurna task request`):
#
# [inbox]
# accept = true
# to     = { orders = "https://git.example.org/orders.git" }

# Change a built-in kind of fact, or add one of your own:
#
# [kinds.glossary]
# section = "Glossary"
# decays  = true
"""


def write_policy(policy: Policy) -> str:
    """Write a policy as the commented `diurna.toml` that `diurna init` makes."""
    windows, review, privacy = policy.windows, policy.review, policy.privacy
    trunk = f"trunk   = {quoted(policy.trunk)}  # where no origin/HEAD names it\n" * bool(
        policy.trunk
    )
    paced = _paced(windows)
    only = "" if paced else ", never in days"
    text = f"""\
# The policy of this Diurna home. A key that is left out has its default.

format  = {policy.format}
project = {quoted(policy.project)}
publish = {quoted(policy.publish)}  # when continuity.md is committed: "append", "trunk" or "review"
{trunk}{_personal(policy)}
[windows]  # how long a fact lives unused, counted in work sessions{only}
working = {windows.working}
active  = {windows.active}
archive = {windows.archive}
{paced}
[review]  # when a review is due, and what it looks at
every = {review.every}
{_facts(review.max_facts)}
max_lines = {review.max_lines}
closed_thread_lines = {review.closed_thread_lines}
verify_invariants_every = {review.verify_invariants_every}
stale_thread_after = {review.stale_thread_after}
{_ask(policy.ask)}
[privacy]  # what an append does with a log that holds them
secrets  = {quoted(privacy.secrets)}  # "redact" or "refuse"
personal = {quoted(privacy.personal)}  # home folders and e-mail addresses: "warn", "redact" or "keep"
"""
    return text + _EXAMPLES + _changed(policy)


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


def _ask(how: str) -> str:
    """Write how a scheduled job asks, where it does."""
    return f"ask = {quoted(how)}  # how a scheduled job asks\n" * (how != OFF)


def _facts(most: int) -> str:
    """Write how many facts may be there before a review is due."""
    if most == BY_BRIEF:
        return "# max_facts = 60  # instead of as many as a brief has room for; 0 is no limit"
    return f"max_facts = {most}"


def _changed(policy: Policy) -> str:
    """Write the tables that say something else than their defaults."""
    text = ""
    if policy.capture != Capture():
        text += "\n[capture]  # what sessions of agents leave in memory by themselves\n"
        text += _changes(policy.capture)
    if policy.views.publish:
        text += f"\n[views]\npublish = {_list(policy.views.publish)}\n"
    if policy.brief != Briefs():
        text += f"\n[brief]  # what agents read first\n{_changes(policy.brief)}"
    if policy.commit != Commits():
        text += (
            "\n[commit]  # true: Diurna commits each log; false: it goes with your next commit\n"
        )
        text += _changes(policy.commit)
    if policy.branches != Branches():
        text += f"\n[branches]  # answers go by what HEAD holds\n{_changes(policy.branches)}"
    if policy.background != Background():
        text += f"\n[background]  # what is done by itself\n{_changes(policy.background)}"
    if policy.learning != Learning():
        text += f"\n[learning]\n{_changes(policy.learning)}"
    if policy.moment != Moments():
        text += f"\n[moment]  # what a session is told when it is needed\n{_changes(policy.moment)}"
    if policy.recall != Recall():
        text += f"\n[recall]\nlanguage = {quoted(policy.recall.language)}\n"
        if policy.recall.files:
            text += f"files = {_list(policy.recall.files)}\n"
    if policy.upstream:
        text += "".join(["\n[upstream]\n", *map(_upstream, policy.upstream)])
    if policy.inbox != Inbox():
        to = ", ".join([_upstream(one).rstrip("\n") for one in policy.inbox.to])
        text += f"\n[inbox]\naccept = {str(policy.inbox.accept).lower()}\nto = {{ {to} }}\n"
    return text + "".join([_kind(kind) for kind in policy.kinds if kind not in BUILT_IN_KINDS])


def _kind(kind: Kind) -> str:
    decays = "true" if kind.decays else "false"
    return f"\n[kinds.{kind.name}]\nsection = {quoted(kind.section)}\ndecays  = {decays}\n"


def _personal(policy: Policy) -> str:
    said = _PERSONAL if policy.personal else ""
    if policy.push:
        return said.replace("# push  ", "push    ") or "push    = true\n"
    return said


def _upstream(one: Upstream) -> str:
    return f"{one.name} = {quoted(one.url)}\n"


def _changes(table: Background | Branches | Briefs | Capture | Commits | Learning | Moments) -> str:
    """Write the keys of a table that say something else than their defaults."""
    lines = []
    for key, value, usual in zip(table._fields, table, type(table)(), strict=True):
        if value != usual:
            said = _list(value) if isinstance(value, tuple) else str(value).lower()
            lines.append(f"{key} = {quoted(value) if isinstance(value, str) else said}\n")
    return "".join(lines)


def _list(words: tuple[str, ...]) -> str:
    return f"[{', '.join([quoted(word) for word in words])}]"
