"""Write what the page of the past asks where there is no server: a script that holds how facts stood.

As `search_data`, a script that calls nothing and holds text. Of each fact it has the sessions at whose end
it stood otherwise than before, and the text that it had then if it was live; never a redacted one.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from html.parser import HTMLParser

from projection.document.page_renderer import section_title
from projection.fold.projection_state import SUPERSEDED, TIERS, Standing
from projection.lifecycle.life import Life
from rituals.serve.web.html import html_markdown
from rituals.serve.web.html.address import address_of
from rituals.serve.web.html.plain_html import plain
from rituals.serve.web.html.templates import brief
from rituals.serve.web.pages.terms import TIER_WORDS
from rituals.serve.web.tip_view.past_points import releases
from rituals.serve.web.tip_view.tip_view import TipView

_TEXT_CHARS = 2000


def past_data(tip: TipView, url: Callable[[str], str]) -> bytes:
    """Return the script; `url` tells where an address of ours stands for the page of the past."""
    made = _PastData(tip, lambda id: url(address_of("/fact", id)) if id in tip.standings else "")
    facts = [made.fact(life) for life in tip.lives.lives]
    places = {life.id: place for place, life in enumerate(tip.lives.lives)}
    said = {
        "dates": [stem[:10] for stem in tip.work],
        "tiers": [[name, TIER_WORDS[name]] for name in TIERS],
        "now": tip.state.view().tiers,
        "releases": [[one.name, one.session] for one in releases(tip)],
        "sections": made.sections,
        "since": {
            name: [[session, places[id]] for session, id in changes]
            for name, changes in tip.past.changes.items()
        },
        "texts": list(made.texts.values()),
        "facts": facts,
    }
    rows = json.dumps(said, ensure_ascii=False, separators=(",", ":"))
    return f"globalThis.diurnaPast={rows};\n".encode("utf-8", "replace")


class _PastData:
    """Gathers what the script holds."""

    def __init__(self, tip: TipView, file: Callable[[str], str]) -> None:
        self._tip, self._file = tip, file
        policy = tip.state.policy
        self.sections = list(
            dict.fromkeys([section_title(policy, one.name) for one in policy.kinds])
        )
        #: by fact and version: it is said once, and one of another name is another text
        self.texts: dict[tuple[str, str], list[object]] = {}
        self._numbers: dict[tuple[str, str], int] = {}

    def fact(self, life: Life) -> list[object]:
        """Return [id, file, what became of it, whether it is closed, versions now, uses, turns].

        A turn is [session, tier, section or -1 where it is not live, whether it is closed, versions].
        """
        now = self._tip.standings[life.id]
        turns: list[list[object]] = []
        for session in self._tip.past.turns(life):
            then = self._tip.past.standing(life.id, session)
            said = self._turn(then) if then is not None else []
            if said and (not turns or turns[-1][1:] != said):
                turns.append([session, *said])
        became = now.reason
        if became == SUPERSEDED:
            became = f"superseded by {', '.join(now.fact.superseded_by)}"
        uses = [number + 1 for number in self._tip.uses.get(life.id, ())]
        return [
            life.id, self._file(life.id), became, int(now.fact.closed), self._versions(now), uses, turns
        ]  # fmt: skip

    def _turn(self, then: Standing) -> list[object]:
        title = section_title(self._tip.state.policy, then.fact.kind)
        if title not in self.sections:
            self.sections.append(title)
        section = self.sections.index(title) if then.live else -1
        versions = self._versions(then) if then.live else []
        return [TIERS.index(then.tier), section, int(then.fact.closed), versions]

    def _versions(self, standing: Standing) -> list[int]:
        """Number the texts that stand."""
        fact, found = standing.fact, []
        for version in fact.heads:
            key = fact.id, version.id
            if key not in self.texts:
                self._numbers[key] = len(self.texts)
                self.texts[key] = Parts(html_markdown.line(brief(version.text), self._file)).parts
            found.append(self._numbers[key])
        return found


class Parts(HTMLParser):
    """Takes what was written of a text apart: text, or [element, text, where a link leads].

    Args:
        written: markup that is ours.
    """

    def __init__(self, written: str) -> None:
        super().__init__()
        self.parts: list[object] = []
        self._inside: list[tuple[str, str]] = []
        self.feed(str(written))
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Begin an element; of a break stays the blank."""
        if tag == "br":
            self.handle_data("\n")
        else:
            self._inside.append((tag, dict(attrs).get("href") or ""))

    def handle_endtag(self, tag: str) -> None:
        """End it."""
        if tag != "br":
            self._inside.pop()

    def handle_data(self, data: str) -> None:
        """Keep a text, with the element in which it stands."""
        if not self._inside:
            self.parts.append(data)
            return
        links = [one for one in self._inside if one[1]]
        self.parts.append([(links or self._inside)[-1][0], data, *[href for _, href in links]])


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
