"""Say in a line what a session came to: the title of its log, and how its last report begins.

Pure and light, as a brief asks it of five logs: no sentence is weighed, none looked through for secrets.
"""

from __future__ import annotations

from projection.text.clipping import sentence_starts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

#: Sections that say nothing of what a session came to.
_APART = ("## Memory References", "## Facts", "## Observed")
#: What begins no prose: headings, what a person asked, code, tables, comments.
_NO_PROSE = ("#", ">", "```", "~~~", "|", "<!--", "---")
#: A sentence of fewer characters is told with the next one.
_SHORT = 40


def report_start(text: str) -> int:
    """Return where the last report of a captured log begins (FORMAT.md, W19), -1 where it tells none."""
    turns = text.find("\n## Turns\n")
    end = text.find("\n## ", turns + 1) if turns >= 0 else -1
    last = text.rfind("\n### Turn ", turns, end if end >= 0 else len(text)) if turns >= 0 else -1
    return text.find("\n", last + 1) if last >= 0 else -1


def in_short(text: str) -> tuple[str, str]:
    """Return the title of a log and the first sentence of its last report, else of its prose; "" for none.

    Args:
        text: the whole log.
    """
    begin = text.find("\n---", 3) + 4 if text[:3] == "---" else 0
    title = next((line[2:] for line in text[begin:].split("\n", 9) if line[:2] == "# "), "").strip()
    said = ""
    for paragraph in _paragraphs(text[max(report_start(text), begin) :]):
        told = said
        for at in [*sentence_starts(paragraph, 0, len(paragraph)), len(paragraph)]:
            told = f"{said} {paragraph[:at].strip()}".strip()
            if len(told) >= _SHORT:
                return title, told.replace("**", "")
        said = told
    return title, said.replace("**", "")


def _paragraphs(text: str) -> Iterator[str]:
    """Yield paragraphs that say something on one line, up to the first section that does not."""
    fence = ""
    for block in text.split("\n\n"):
        lines: list[str] = []
        for line in block.split("\n"):
            bare = line.strip()
            if bare[:3] in ("```", "~~~"):
                fence = "" if fence else bare[:3]
            elif line in _APART:
                return
            elif not fence and not bare.startswith(_NO_PROSE):
                lines.append(bare)
        said = " ".join(" ".join(lines).split()).removeprefix("- ")
        bold = said[:2] == "**" == said[-2:] and said.count("**") == 2
        if said and not bold and not said.rstrip("*").endswith((":", "\uff1a")):
            yield said
