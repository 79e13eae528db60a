"""Write down for a hook what rules say of commands and of files, and how each is told."""

from __future__ import annotations

from memory.recall.hits.snippets import telling
from projection.brief.envelope import untagged
from projection.brief.single_line import label, plain
from projection.text.command_rules import ANY, EDITS, WARNS_KEY, breaches
from rituals.hosts.context.broken_rules import ASKED_FOR
from rituals.hosts.observed.shell import RUNNERS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from ledger.model.event import Meta
    from projection.fold.projection_state import Standing
    from projection.text.command_rules import Breach

#: How much of a text is kept for a line, which shows less.
TEXT_CHARS = 400
#: What stands before the name of a program; before a path, and one that is only spoken of where it is
#: changed; and before the number of a rule.
PROGRAM, NAMED, EDITED, ROW = "$", "@", "!", "#"


def rows_of(found: Sequence[Standing], files: Mapping[str, Sequence[int]]) -> dict[str, str]:
    """Return the lines of an index for all that speaks against commands, or of files.

    `files` says which of them, by their numbers, speak of which file or folder.
    """
    against: dict[str, list[str]] = {}
    paths = {NAMED + path: [*map(str, rows)] for path, rows in files.items()}
    signs: dict[str, None] = {}
    for row, one in enumerate(found):
        fact = one.fact
        if fact.closed or not one.live:
            continue
        for breach in spoken_against(fact.kind, fact.text, fact.meta):
            if breach.program == EDITS:
                for path in breach.given:
                    paths.setdefault(EDITED + path, []).append(str(row))
                continue
            against.setdefault(breach.program, []).append(" ".join((str(row), *breach.given)))
            plain = [word for word in breach.given if word[:1] != ASKED_FOR]
            signs |= dict.fromkeys(plain if breach.program == ANY else (breach.program,))
    named = {rule.partition(" ")[0] for rules in against.values() for rule in rules}
    named.update([row for rows in paths.values() for row in rows])
    ends = dict.fromkeys(path[1:].rpartition("/")[2] for path in paths)
    return {
        "programs": " ".join(signs),
        "files": "\0".join(ends),
        **{PROGRAM + name: "\0".join(rules) for name, rules in against.items()},
        **{path: " ".join(rows) for path, rows in paths.items()},
        **{ROW + row: _said(found[int(row)], paths, row) for row in sorted(named, key=int)},
    }


def spoken_against(kind: str, text: str, meta: Meta) -> Iterator[Breach]:
    """Yield the commands that break a fact of a kind, with what runs them as it asks for."""
    words = {word.strip("`.,;:()'\"") for word in text.lower().split()}
    for breach in breaches(kind, text, dict(meta).get(WARNS_KEY, "")):
        if breach.program != EDITS:
            asked = [
                ASKED_FOR + word
                for word in sorted(words & RUNNERS.keys())
                if word != breach.program
            ]
            breach = breach._replace(given=(*breach.given, *asked))
        yield breach


def _said(one: Standing, paths: Mapping[str, Sequence[str]], row: str) -> str:
    fact = one.fact
    about = f"{label(fact.kind)}, {fact.heads[-1].stem[:10]}"
    names = [path[1:] for path, rows in paths.items() if row in rows]
    text = untagged(plain(telling(fact.text, names, TEXT_CHARS)))[: 2 * TEXT_CHARS]
    return f"{fact.id}\t{about}\t{text}"
