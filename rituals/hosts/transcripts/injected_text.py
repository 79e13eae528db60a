"""Cut out of a turn what programs put there: what memory told an agent never comes back into it as news.

Linear in the text.
"""

from __future__ import annotations

import re

from projection.brief.lines import EVIDENCE
from rituals.hosts.host_events import BEGINS

#: What hosts put between tags into the turns of a person.
_HOST_TAGS = (
    "system-reminder command-name command-message local-command-stdout local-command-stderr "
    "local-command-caveat bash-input bash-stdout bash-stderr task-notification ide_opened_file "
    "ide_selection ide_diagnostics user-prompt-submit-hook environment_context user_instructions "
    "INSTRUCTIONS turn_aborted user_shell_command subagent_notification skills_instructions "
    "skill hook_context hook_prompt session_context current_datetime attached_files "
    "open_and_recently_viewed_files "
    "teammate-message skill-context user_action command-contents system_reminder system_notification"
).split()
_OPENING = re.compile(
    r"(?:<|&lt;)((?:diurna-[a-z]{1,32}-[0-9a-f]{4,64}|qwen:[a-z-]{1,64}|"
    + "|".join(map(re.escape, _HOST_TAGS))
    + r"))(?=[\s>&])|<!-- (diurna):begin\b"
)
#: The marks alone, around words of the person.
_UNWRAPPED = re.compile(r"</?(?:command-args|user_query)>")
#: The name of a log: no answer of ours that repeats what memory holds is without one.
_STEM = re.compile(r"\b\d{4}-\d\d-\d\d-\d{7,9}\b")
#: What stands on lines before and behind an envelope.
_OURS = (
    EVIDENCE, "`diurna recall WORDS` finds them", "All facts are shown. `diurna show ID`",
    "Project memory lives in Diurna; ",
)  # fmt: skip
#: How lines begin that a host puts between turns, and our line about the state of the project.
_NOTES = (
    "[Memory] ", "# AGENTS.md instructions for ", "[Request interrupted by user",
    "Full transcript available at: ",
)  # fmt: skip
#: How turns begin that a host writes in a person's place: skills and commands in full, plans that were
#: approved, what hooks, tasks and other agents report, summaries of what went before.
_WRITTEN = (
    BEGINS, "Base directory for this skill: ", "Stop hook feedback", "Implement the following plan:",
    "PLEASE IMPLEMENT THIS PLAN:", "A previous agent produced the plan below",
    "Caveat: The messages below", "This session is being continued from a previous conversation",
    "Another Claude session sent a message",
    "Generate a file named AGENTS.md that serves as a contributor guide",
    "Please analyze this codebase and create a CLAUDE.md file",
    "You are an AI agent that brings the power of Gemini directly into the terminal.",
    "Another language model started to solve this problem", "The following is the Codex agent history",
    '{"task_id"',
)  # fmt: skip
#: What an editor puts before the words of a person.
_AROUND, _REQUEST = (
    ("# Context from my IDE setup:", "# Files mentioned by the user:"),
    "## My request for Codex:",
)


def without_injected(text: str) -> str:
    """Return what a person or an agent said themselves, without blanks at its ends."""
    if "<" in text or "&lt;" in text:
        text = _UNWRAPPED.sub("", _without_blocks(text))
    if _STEM.search(text) or any(mark in text for mark in (*_OURS, *_NOTES)):
        lines = [line for line in text.split("\n") if not any(mark in line for mark in _OURS)]
        text = "\n".join(
            [one for one in lines if not (one.startswith(_NOTES) or _STEM.search(one))]
        )
    return text.strip()


def words_of(text: str) -> str:
    """Return what a person typed themselves of their turn; "" where a host wrote it in their place."""
    if text.startswith(_AROUND):
        text = text.partition(_REQUEST)[2] or text
    text = without_injected(text)
    return "" if text.startswith(_WRITTEN) else text


def _without_blocks(text: str) -> str:
    """Cut out what stands between tags; without an end where it is ours, or all that there is."""
    kept: list[str] = []
    at = 0
    endless: set[str] = set()
    for found in _OPENING.finditer(text):
        name = found[1] or found[2]
        if found.start() < at or name in endless:
            continue
        escaped = found[0].startswith("&")
        mark = f"&lt;/{name}&gt;" if escaped else f"</{name}>" if found[1] else "diurna:end -->"
        end = text.find(mark, found.end())
        if end < 0 and not name.startswith("diurna-") and text[: found.start()].strip():
            endless.add(name)
            continue
        kept.append(text[at : found.start()])
        at = len(text) if end < 0 else end + len(mark)
    kept.append(text[at:])
    return "".join(kept)
