"""Write logs, pages and messages without what was withheld, for a history that is written anew."""

from __future__ import annotations

from collections.abc import Iterable

from ledger.codec.fact_blocks import parse_footer, write_footer
from ledger.codec.log import decode, encode
from ledger.errors import DiurnaError
from ledger.model.event import Event, FactCreated, FactHelped, FactRedacted, FactUpdated
from ledger.model.ids import is_purged, purged_text
from ledger.model.layout import COMMIT_SUBJECT
from ledger.model.log_names import is_sealed
from ledger.model.session import SessionLog
from memory.redaction.withheld_repeats import Withheld
from memory.redaction.withheld_texts import without_beside, without_lines, without_words
from projection.document.page_renderer import COMPUTED_KEYS
from projection.fold.fact_history import REDACTED_TEXT
from projection.fold.withholding import names, structural

#: What stands before a text on its line.
_LEAD = " \t-*+#>"
_TICKS = ("[ ] ", "[x] ", "[X] ")
#: The start of a line that says as much as the line; subjects were cut without a mark.
_CUT_CHARS = 12


class Purge:
    """Takes what is withheld out of bytes.

    Args:
        facts: whose texts, footers and remarks go.
        logs: stems of those whose words go.
        texts: of these facts, as git has them, and the words of the logs.
        telling: knows all lines that must be nowhere.
    """

    def __init__(
        self, facts: frozenset[str], logs: frozenset[str], texts: Iterable[str], telling: Withheld
    ) -> None:
        self._facts, self._logs, self.telling = facts, logs, telling
        self.texts = tuple(sorted({one for one in texts if not is_purged(one)}))
        self._lines = tuple(
            sorted({line.strip() for one in self.texts for line in one.split("\n")} - {""})
        )

    def log(self, stem: str, data: bytes) -> bytes:
        """Return a log without it."""
        log, _ = decode(data, sealed=is_sealed(stem))
        try:
            if encode(log) == data:
                return encode(self._bare(log, stem in self._logs))
        except (DiurnaError, ValueError):
            pass
        return self.page(data, texts=True)  # written by hand: line for line

    def _bare(self, log: SessionLog, wordless: bool) -> SessionLog:
        gone = {
            event.remark
            for event in log.events
            if names(event, self._facts) and not isinstance(event, FactRedacted)
        }
        events = tuple([self._event(event, gone) for event in log.events])
        log = log._replace(events=events)
        if wordless:
            return without_words(log)
        title = log.title if without_lines(log.title, self.texts) else REDACTED_TEXT
        prose = without_lines(log.prose, self.texts).strip("\n")
        return log._replace(title=title, prose=prose)

    def _event(self, event: Event, gone: set[str]) -> Event:
        if isinstance(event, FactRedacted):
            return event
        if event.remark in gone and (
            not isinstance(event, FactHelped) or self.telling.stands_in(event.remark.encode())
        ):
            event = event._replace(remark="")
        if not isinstance(event, FactCreated | FactUpdated) or event.id not in self._facts:
            return event
        text = None if event.text is None else purged_text(event.text)
        meta = tuple([pair for pair in structural(event.meta) if pair[1]])
        return event._replace(text=text, meta=meta)

    def page(self, data: bytes, *, texts: bool = False) -> bytes:
        """Return a page without it, line for line; what followed a text on lines of its own goes.

        `texts`: it is a log: the name of its version stands in the place of a text.
        """
        first = {one.split("\n")[0].strip(): one for one in reversed(self.texts)}
        kept: list[str] = []
        said = data.decode("utf-8", "surrogateescape")
        for line in (without_beside(said, self._facts) if texts else said).split("\n"):
            if line.lstrip()[:4] == "<!--":
                kept.append(line if texts else self._footer(line))
                continue
            if not line.strip() or not self._hit(line):
                kept.append(line)
                continue
            bare = line.lstrip(_LEAD)
            tick = next((one for one in _TICKS if bare.startswith(one)), "")
            lead = line[: len(line) - len(bare)] + tick
            text = first.get(bare[len(tick) :].strip())
            if text is not None and texts:
                kept.append(lead + purged_text(text))
            elif lead.strip() or text is not None:
                kept.append(lead + REDACTED_TEXT)
        return "\n".join(kept).encode("utf-8", "surrogateescape")

    def _footer(self, line: str) -> str:
        """Return the footer of a page without what a redacted fact's may not say."""
        bare = line.strip()
        fact, meta, _ = parse_footer(bare) or ("", (), [])
        if fact not in self._facts:
            return line
        shown = structural(meta)
        kept = tuple([one for one in meta if one in shown or one[0] in COMPUTED_KEYS])
        return line if kept == meta else line[: line.index("<")] + write_footer(fact, kept)

    def _hit(self, line: str) -> bool:
        return not without_lines(line, self.texts).strip()

    def message(self, data: bytes) -> bytes:
        """Return a commit's message without it; the start of a line counts where it tells."""
        lines = data.decode("utf-8", "surrogateescape").split("\n")
        for at, line in enumerate(lines):
            bare = line.removeprefix(COMMIT_SUBJECT).strip()
            lead = line[: len(line) - len(line.removeprefix(COMMIT_SUBJECT))]
            cut = len(bare) >= _CUT_CHARS and any(
                " ".join(one.split()).startswith(bare) for one in self._lines
            )
            if bare and (cut or self._hit(bare) or self.telling.stands_in(bare.encode())):
                lines[at] = lead + REDACTED_TEXT
        return "\n".join(lines).encode("utf-8", "surrogateescape")
