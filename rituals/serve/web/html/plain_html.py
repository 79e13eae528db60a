"""Make every text of memory fit to be shown: nothing invisible, nothing secret, all of it escaped."""

from __future__ import annotations

from functools import lru_cache

from markupsafe import Markup, escape

from ledger.escape import numbered, visible
from ledger.secrets.scanner import without_secrets

#: A secret that has fewer characters is a word that anybody may write.
_TELLING_CHARS = 12
_KEPT_TEXTS = 8192


@lru_cache(_KEPT_TEXTS)
def plain(text: str) -> str:
    """Return a text as a page may show it: what nobody can see by its number, and no secret."""
    return visible(without_secrets(text) if len(text) >= _TELLING_CHARS else text, numbered)


def seen(text: str) -> Markup:
    """Write a text as it is: no markup of its own passes."""
    return escape(plain(text))


def shown_whole(text: str) -> bool:
    """Tell whether a page shows a text as it is, so that what a form sends back is the text itself."""
    return plain(text) == text


def shown(value: object) -> object:
    """Prepare what a template writes: all that is not markup already is `plain`."""
    if type(value) is Markup or not isinstance(value, str):
        return value
    return plain(value)
