"""Find candidates in captured logs: what a person might want to keep of what sessions told.

Nothing keeps them. They are found when somebody looks, in the logs of the newest sessions, so they are
forgotten by themselves, and end with what is redacted. Kept is only the hash of what was refused, beside
git. A file that an older release let facts wait in is read as long as it is there.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence

from ledger.home import Home
from ledger.model.layout import STATE_DIR
from ledger.model.logset import LogRef
from ledger.model.session import Entry
from ledger.secrets.scanner import without_secrets
from ledger.wal.atomic_files import make_folder, replace_file
from memory.cache.cache_file import Cache
from memory.redaction.withheld_texts import named_in, redacted_logs, shown
from memory.replay.log_bytes import read_bytes
from projection.text.normalize import sentences
from projection.text.passage_cues import LEANING
from rituals.hosts.payloads import read_file
from rituals.hosts.quoted_items import Item
from rituals.review.learning import learning_cues
from rituals.review.learning.offer import CANDIDATE, Offer, offered

#: So many sessions are looked at, the newest, and of each so many candidates are offered.
SESSIONS, _EACH = 20, 3
_REFUSED = f"{STATE_DIR}/candidates/refused"
_FILES, _FILE_BYTES = 2_000, 4 << 20
#: What a log tells of dialogs and of turns, and between question and answer (FORMAT.md, W19).
_ANSWERED, _TURNS, _ARROW = "## Answered", "## Turns", " → "
_ASKED = "> "
_RECOMMENDED = re.compile(
    r"\s*\((?:recommended|recomendado|empfohlen|recommandé|推荐)\)", re.IGNORECASE
)
#: How many words an answer has that decides something, and a request of a person that is more than one.
_ANSWER_WORDS, _REQUEST_WORDS = 2, 5
_LEAST_CHARS, _MOST_CHARS = 50, 320
_NO_BLANKS = "\u2e80"
_WITHHELD = "[redacted"
_QUESTIONS = ("?", "？")  # noqa: RUF001
#: By what a person says how it is to be from now on.
_LASTING = re.compile(
    r"\b(?:always|never|should always|no longer|from now on|remember|make sure|we don't|must|prefer"
    r"|immer|nie|niemals|ab jetzt|nicht mehr|toujours|jamais|désormais|siempre|nunca|de ahora en adelante"
    r"|sempre|a partir de agora|всегда|никогда|больше не|впредь)\b|总是|一律|以后|不要再|从现在起|必须",
    re.IGNORECASE,
)
#: Why, in other languages than the one that `cues.reason` reads.
_REASON = re.compile(
    r"\b(?:root cause|weil|damit|sonst|statt|parce que|sinon|au lieu de|porque|para que|si no|en vez de"
    r"|em vez de|senão|потому что|чтобы|иначе|вместо)\b|因为|所以|否则|而不是|原因",
    re.IGNORECASE,
)


def offers_of_captured(
    home: Home, cache: Cache, logs: Sequence[tuple[LogRef, Entry]], since: str
) -> list[Offer]:
    """Offer what the newest captured sessions told: answers in dialogs, reasons, requests that last.

    `logs` are in ledger order; only those from the stem `since` on count.
    """
    gone = redacted_logs(cache)
    by_session: dict[str, list[tuple[LogRef, Entry]]] = {}
    for ref, entry in reversed(logs):
        if entry.reach and ref.stem >= since and ref.stem not in gone:
            by_session.setdefault(entry.session or ref.stem, []).append((ref, entry))
    found: list[Offer] = []
    for session, told in list(by_session.items())[:SESSIONS]:
        texts = dict(read_bytes(home, [ref for ref, _ in told]))
        here: list[tuple[int, Offer]] = []
        for ref, entry in told:
            text = shown(
                home, cache, texts.get(ref, b"").decode("utf-8", "replace"), named_in(entry)
            )
            for rank, line, item in _candidates(text):
                place = (f"{ref.stem}:{line}",)
                fits = offered(CANDIDATE, item, place, item.salience, (session,))
                here += [(rank, offer) for offer in fits]
        here.sort(key=lambda one: (one[0], -one[1].weight))
        found += [offer for _, offer in here[:_EACH]]
    return found


def _candidates(text: str) -> Iterator[tuple[int, int, Item]]:
    """Yield what a log has: its pattern's rank, its line, and what would be recorded."""
    section = ""
    for number, paragraph in _paragraphs(text):
        first = paragraph[0]
        if first.startswith("## "):
            section = first.rstrip()
        elif section == _ANSWERED:
            for more, line in enumerate(paragraph):
                if line.startswith("- ") and (item := _decided(line[2:])):
                    yield 0, number + more, item
        elif section == _TURNS and first.startswith(_ASKED):
            if item := _wanted(" ".join([line.removeprefix(_ASKED) for line in paragraph])):
                yield 2, number, item
        elif section == _TURNS and not first.startswith(("#", "|", "```")):
            for sentence in sentences("\n".join(paragraph)):
                if item := _reasoned(sentence):
                    yield 1, number, item


def _paragraphs(text: str) -> Iterator[tuple[int, list[str]]]:
    """Yield what stands between empty lines, and at which line; code with empty lines in it is one."""
    begun, paragraph, fenced = 1, list[str](), False
    for number, line in enumerate((*text.split("\n"), ""), 1):
        fenced ^= line.startswith("```")
        if line.strip() or fenced:
            begun = begun if paragraph else number
            paragraph.append(line)
        elif paragraph:
            yield begun, paragraph
            paragraph = []


def _decided(line: str) -> Item | None:
    """Return what the answer to a dialog decides; None where it asks back, or says a bare yes."""
    question, _, answer = _RECOMMENDED.sub("", line).partition(_ARROW)
    answer = answer.strip()
    if (
        not (question and answer) or answer.endswith(_QUESTIONS) or _count(answer) < _ANSWER_WORDS
        or len(line) > 2 * _MOST_CHARS or _WITHHELD in line
    ):  # fmt: skip
        return None
    return Item("decision", f"{question.strip()}{_ARROW}{answer}", line, 8)


def _wanted(line: str) -> Item | None:
    """Return what a person wants to be so from now on."""
    fits = _count(line) >= _REQUEST_WORDS and len(line) <= _MOST_CHARS and _WITHHELD not in line
    wanted = fits and not line.rstrip().endswith(_QUESTIONS) and _LASTING.search(line)
    return Item("convention", line, line, 6) if wanted else None


#: A sentence that begins so goes on from the one before it, or only guesses.
_GOES_ON = re.compile(
    r"(?:because|or|and|so|once|otherwise|maybe|perhaps|probably|therefore|also|instead|sonst|daher|deshalb"
    r"|vielleicht|und|oder|sinon|donc|peut-être|ou|et|porque|entonces|quizás|o|y|talvez|então|e|иначе|поэтому"
    r"|может|и|или)\b|所以|否则|因此|可能|而且|但",
    re.IGNORECASE,
)


def _reasoned(sentence: str) -> Item | None:
    """Return what a report found out and gives the reason for, where the sentence stands alone."""
    size = len(sentence) * (2 if max(sentence) >= _NO_BLANKS else 1)
    bare = sentence.lstrip("-*_`\"' ")
    first = bare.partition(" ")[0].lower().strip(",.:")
    if (
        not _LEAST_CHARS <= size <= _MOST_CHARS or first in LEANING or bare[:1].islower()
        or _GOES_ON.match(bare) or _WITHHELD in sentence
        or sentence.rstrip().endswith((*_QUESTIONS, ":"))
        or not (learning_cues.reason(sentence) or _REASON.search(sentence))
    ):  # fmt: skip
        return None
    modal, passing = learning_cues.modal.search(sentence), learning_cues.passing(sentence)
    weight = 4 + 2 * bool(modal) - 2 * bool(passing)
    return Item("pattern", sentence.replace("**", ""), sentence, weight, tags=("lesson",))


def _count(text: str) -> int:
    """Count the words of a text; of a script without blanks, pairs of characters."""
    return len(text) // 2 if text and max(text) >= _NO_BLANKS else len(text.split())


def refused(commondir: str) -> frozenset[str]:
    """Return the keys of what a person does not want to be offered again."""
    try:
        with open(f"{commondir}/{_REFUSED}", encoding="ascii") as file:
            return frozenset(file.read(_FILE_BYTES).split())
    except (OSError, ValueError):
        return frozenset()


def refuse(commondir: str, keys: Iterable[str]) -> None:
    """Remember what a person does not want to be offered again: hashes, and no word of it.

    Raises:
        StorageFailed: the disk refused.
    """
    path = f"{commondir}/{_REFUSED}"
    make_folder(os.path.dirname(path))
    kept = sorted(refused(commondir).union(keys))
    replace_file(path, ("\n".join(kept) + "\n").encode(), 0o600, durable=True)


def offers_that_wait(commondir: str) -> Iterator[Offer]:
    """Offer what an older release let wait for a person, in files that stay as they are."""
    folder = os.path.dirname(f"{commondir}/{_REFUSED}")
    try:
        names = sorted(name for name in os.listdir(folder) if name.endswith(".json"))
    except OSError:
        return
    for name in names[:_FILES]:
        said = read_file(f"{folder}/{name}", _FILE_BYTES)
        items = said.get("items")
        session = str(said.get("session"))
        for one in items if isinstance(items, list) else ():
            given = one if isinstance(one, dict) else {}
            kind, text, quote = (
                without_secrets(value) if isinstance(value := given.get(key), str) else ""
                for key in ("kind", "text", "quote")
            )
            if kind and text:
                item = Item(kind, text, quote)
                yield from offered(CANDIDATE, item, (session,), 0, (session,))
