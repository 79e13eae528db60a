"""Find the items of a slice by the models that the user configured, in their order."""

from __future__ import annotations

from ledger.escape import visible
from ledger.secrets.scanner import without_secrets
from rituals.hosts.extraction.extracted_items import SOURCES, Extraction
from rituals.hosts.extraction.extractor_failure import NoAnswer
from rituals.hosts.extraction.item_checks import KINDS, checked
from rituals.hosts.user_settings import HTTP, Settings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from rituals.hosts.transcripts.slices import Slice, Turn


def extract(
    part: Slice,
    known: Sequence[tuple[str, str]],
    settings: Settings,
    environment: Mapping[str, str],
    kinds: Collection[str] = KINDS,
) -> Extraction:
    """Find what others have to know in what was said.

    A slice in which nobody said anything asks no model. Where all configured ones fail, nothing is
    found, and why is told. `known` has ids and texts of the facts that may be superseded.
    """
    turns = [turn for turn in part.turns if turn.text and turn.role in ("user", "assistant")]
    if not turns or not settings.extractors:
        return Extraction((), SOURCES)
    return _by_models(_clean(turns), known, settings, environment, kinds)


def _clean(turns: Sequence[Turn]) -> list[Turn]:
    """Take secrets out of what is going to leave the machine, and show what can not be seen."""
    return [
        turn._replace(text=_clean_text(turn.text), asked=_clean_text(turn.asked)) for turn in turns
    ]


def _clean_text(text: str) -> str:
    return visible(without_secrets(text))


def _by_models(
    turns: Sequence[Turn],
    known: Sequence[tuple[str, str]],
    settings: Settings,
    environment: Mapping[str, str],
    kinds: Collection[str],
) -> Extraction:
    """Ask one after the other until one gives an answer that can be read."""
    from rituals.hosts.extraction.endpoint import ask_endpoint
    from rituals.hosts.extraction.model_answer import items_in
    from rituals.hosts.extraction.model_prompt import prompt_for
    from rituals.hosts.extraction.program import PROGRAMS, ask_program

    prompt = prompt_for(turns, known, kinds)
    failures: list[str] = []
    name = ""
    for extractor in settings.extractors:
        name = f"http:{settings.model}" if extractor == HTTP else PROGRAMS[extractor][0]
        try:
            if extractor == HTTP:
                answer = ask_endpoint(prompt, settings, environment)
            else:
                answer = ask_program(extractor, prompt, environment)
            given = items_in(answer)
        except NoAnswer as failure:
            failures.append(f"{name}: {failure}")
            continue
        items, dropped = checked(given, turns, [one for one, _ in known], kinds)
        return Extraction(items, name, dropped)
    return Extraction((), name, failed="; ".join(failures))
