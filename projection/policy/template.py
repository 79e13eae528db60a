"""Write a policy as the file that it stands in."""

from __future__ import annotations

from projection.policy.keys import quoted
from projection.policy.model import BUILT_IN_KINDS, Capture, Policy, Recall


def write_policy(policy: Policy) -> str:
    """Write a policy as the commented `diurna.toml` that `diurna init` makes."""
    windows, review, privacy = policy.windows, policy.review, policy.privacy
    named = f"trunk   = {quoted(policy.trunk)}  # where no origin/HEAD names it\n"
    trunk = named if policy.trunk else ""
    text = f"""\
# The policy of this Diurna home. A key that is left out has its default.

format  = {policy.format}
project = {quoted(policy.project)}
publish = {quoted(policy.publish)}  # when continuity.md is committed: "append", "trunk" or "review"
{trunk}
[windows]  # how long a fact lives unused, counted in work sessions, never in days
working = {windows.working}
active  = {windows.active}
archive = {windows.archive}

[review]  # when a review is due, and what it looks at
every = {review.every}
max_facts = {review.max_facts}
max_lines = {review.max_lines}
closed_thread_lines = {review.closed_thread_lines}
verify_invariants_every = {review.verify_invariants_every}
stale_thread_after = {review.stale_thread_after}

[privacy]  # what an append does with a log that holds them
secrets  = {quoted(privacy.secrets)}  # "redact" or "refuse"
personal = {quoted(privacy.personal)}  # home folders and e-mail addresses: "warn", "redact" or "keep"

# Views that stand beside continuity.md as files, STATE.md and so on:
#
# [views]
# publish = ["state", "progress", "decisions"]

# Change a built-in kind of fact, or add one of your own:
#
# [kinds.glossary]
# section = "Glossary"
# decays  = true
"""
    if policy.capture != Capture():
        text += f"\n[capture]\n{_capture(policy.capture)}"
    if policy.views.publish:
        names = ", ".join([quoted(name) for name in policy.views.publish])
        text += f"\n[views]\npublish = [{names}]\n"
    if policy.recall != Recall():
        text += f"\n[recall]\nlanguage = {quoted(policy.recall.language)}\n"
    for kind in policy.kinds:
        if kind not in BUILT_IN_KINDS:
            decays = "true" if kind.decays else "false"
            text += f"\n[kinds.{kind.name}]\nsection = {quoted(kind.section)}\ndecays  = {decays}\n"
    return text


def _capture(capture: Capture) -> str:
    said = [("keep", capture.keep), ("trust", capture.trust), ("approve", capture.approve)]
    lines = [f"{key} = {quoted(value)}\n" for key, value in said if value]
    if capture.decision_words:
        words = ", ".join([quoted(word) for word in capture.decision_words])
        lines.append(f"decision_words = [{words}]\n")
    return "".join(lines)
