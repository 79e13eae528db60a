"""Write a policy as the file that it stands in."""

from __future__ import annotations

from projection.policy.model import BUILT_IN_KINDS, BY_BRIEF, Policy

_PERSONAL = "personal = true  # what is only yours: facts with `personal: true` come here alone\n"
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
    head = f"trunk   = {quoted(policy.trunk)}  # where no origin/HEAD names it\n" * bool(
        policy.trunk
    )
    head += _PERSONAL * policy.personal
    push = "push    = true  # a sync sends this home to its remote\n"
    head += push if policy.push else f"# {push}" * policy.personal
    facts = f"max_facts = {review.max_facts}" if review.max_facts != BY_BRIEF else _NO_FACTS
    text = f"""\
# The policy of this Diurna home. A key that is left out has its default.

format  = {policy.format}
project = {quoted(policy.project)}
publish = {quoted(policy.publish)}  # when continuity.md is committed: "append", "trunk" or "review"
{head}
[windows]  # how long a fact lives unused, in work sessions
working = {windows.working}
active  = {windows.active}
archive = {windows.archive}
working_days = {windows.working_days}  # and in days with one: a window is passed by both; 0 asks for none
active_days  = {windows.active_days}
archive_days = {windows.archive_days}
stretch_hours = {windows.stretch_hours}  # what rests no longer is one session; 0: each log is one

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


#: Tables that are written where they say something else than their defaults.
_TABLES = ("capture", "views", "brief", "branches", "background", "learning", "moment", "recall")


def _changed(policy: Policy) -> str:
    """Write the tables that say something else than their defaults."""
    text = ""
    for name in _TABLES:
        table = getattr(policy, name)
        rows = zip(table._fields, table, type(table)(), strict=True)
        keys = [f"{key} = {_value(value)}\n" for key, value, usual in rows if value != usual]
        text += "".join([f"\n[{name}]\n", *keys] if keys else [])
    if policy.upstream:
        text += "".join(
            ["\n[upstream]\n", *[f"{name} = {quoted(url)}\n" for name, url in policy.upstream]]
        )
    for kind in policy.kinds:
        if kind not in BUILT_IN_KINDS:
            title = f"\n[kinds.{kind.name}]\nsection = {quoted(kind.section)}"
            text += f"{title}\ndecays  = {_value(kind.decays)}\n"
    return text


def _value(value: object) -> str:
    if isinstance(value, tuple):
        return f"[{', '.join([quoted(word) for word in value])}]"
    return quoted(value) if isinstance(value, str) else str(value).lower()


def quoted(text: str) -> str:
    """Write a TOML basic string."""
    out = []
    for char in text:
        if char in '"\\':
            out.append("\\" + char)
        elif char < " " or char == "\x7f":
            out.append(f"\\u{ord(char):04x}")
        else:
            out.append(char)
    return f'"{"".join(out)}"'
