"""Write what the page of search asks where there is no server: a script that holds every fact as text.

A script, not JSON: a page that was opened from a disk may load no other file. It calls one function of
ours with one value; what stands in it is text of memory, and never becomes more than text.
"""

from __future__ import annotations

import json
from collections.abc import Callable

from rituals.serve.web.html.address import address_of
from rituals.serve.web.html.plain_html import plain
from rituals.serve.web.tip_view.tip_view import TipView

_TEXT_CHARS = 2000


def search_data(tip: TipView, url: Callable[[str], str]) -> bytes:
    """Return the script: (id, file of its page, tier, text) of each fact, live ones first.

    `url` tells where an address of ours stands for the page of search.
    """
    rows = [
        (one.fact.id, url(address_of("/fact", one.fact.id)), one.tier, plain(one.fact.text)[:_TEXT_CHARS])
        for one in sorted(tip.standings.values(), key=lambda one: (not one.live, one.fact.id))
    ]  # fmt: skip
    said = ",\n".join([json.dumps(row, ensure_ascii=False, separators=(",", ":")) for row in rows])
    return f"globalThis.diurnaFacts=[\n{said}\n];\n".encode("utf-8", "replace")
