"""Say hints in the words of the tools: a client has no command line, and no use for the name of a command.

What a hint says of a command that a tool stands for is said of that tool. A clause about any other
command is left out: it is for a person.
"""

from __future__ import annotations

import re

from ledger.model.findings import Finding
from projection.brief.brief_values import YOURS_FLAG, YOURS_TITLE

#: Where nothing is left of a hint.
_PERSON = "a person has to look at it, where the memory is"
_IN_TOOLS = tuple(
    (re.compile(pattern), said)
    for pattern, said in (
        (r"`(?:diurna append )?--supersede ([^`\s=]+)=([^`\s]+)`", r"`supersede` of \1 by \2"),
        (r"`diurna show --list[^`]*` lists (?:all |the )?ids[^;]*", "`recall` finds ids by their words"),
        (r"`diurna show --list` lists facts, `diurna log` sessions", "`recall` finds facts and sessions"),
        (r"`diurna (?:why|show|log) (?!-)([^`\s]+)[^`]*`", r"`get` of \1"),
        (r"`diurna recall --ids ([^`\s]+)`", r"`get` of \1"),
        (r"`diurna task ([a-z]+)[^`]*`", r"`task` with the action `\1`"),
        (r"`diurna task`", "`task`"),
        (r"`--take-over`", "`take_over`"),
        (r"`?\bdiurna conflicts (?!-)[^`\s]+ --(?:choose|text|state)[^`;,.]*`?", "`resolve`"),
        (r"`diurna (recall|append|status|brief)\b[^`]*`", r"`\1`"),
        (r"\bdiurna (recall|append|status|brief)\b(?: [A-Z-]\S*)*", r"`\1`"),
        (r"`--ref ([^`\s]+)`", r"`refs` with \1"),
        (r"`--(update|close|reopen|reactivate|invalidate) ([^`\s]+)[^`]*`", r"`\1` of \2"),
        (r"`--(new|update|close|reopen|reactivate|invalidate)\b[^`]*`", r"`\1`"),
        (r'`--anyway` \(`"anyway": true` in JSON\)', "`anyway`: true"),
        (r"`?--(choose|text)\b(?: [A-Z]+)?`?", r"`\1`"),
    )
)  # fmt: skip
_COMMAND = re.compile(r"\bdiurna [a-z]|(?<![\w-])--[a-z]")
_OPTION = re.compile(r"`?(?<![\w-])--([a-z-]+)`?")
_NAMED = re.compile(r"`?\bdiurna ([a-z]+)[^`;,.]*`?")


def hint_in_tools(hint: str) -> str:
    """Return a hint without a word of a command line."""
    said = hint
    for pattern, instead in _IN_TOOLS:
        said = pattern.sub(instead, said)
    left = [one for one in said.split("; ") if one.strip() and not _COMMAND.search(one)]
    return "; ".join(left) if left else _PERSON


def message_in_tools(message: str) -> str:
    """Return a message with options and commands by their bare names; nothing of it is left out."""
    return (
        _NAMED.sub(r"`\1`", _OPTION.sub(r"`\1`", message)) if _COMMAND.search(message) else message
    )


def finding_in_tools(finding: Finding) -> Finding:
    """Return a finding as a client reads it."""
    hint = hint_in_tools(finding.hint) if finding.hint else ""
    return finding._replace(message=message_in_tools(finding.message), hint=hint)


def brief_in_tools(text: str) -> str:
    """Return a brief whose own words name tools; what is recorded in it stays as it is."""
    text = text.replace(f"\n## {YOURS_TITLE} {YOURS_FLAG}\n", f"\n## {YOURS_TITLE}\n", 1)
    head, section, rest = text.partition("\n## ")
    body, tag, tail = f"{head.replace(' (`diurna review`)', '')}{section}{rest}".rpartition("\n</")
    tail = re.sub(r"`diurna recall WORDS`", "`recall`", tail)
    return f"{body}{tag}{re.sub(r'`diurna show ID`', '`get`', tail)}"
