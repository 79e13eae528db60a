"""Fill templates: the one place that makes markup, and where everything is escaped."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path as FilePath

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from ledger.model.record import Record
from projection.fold.state import Summary
from rituals.serve.web.actions import commands
from rituals.serve.web.actions.action import Recorded
from rituals.serve.web.html import markdown
from rituals.serve.web.page import Page

HERE = FilePath(__file__).parent
STATIC = HERE / "static"


class Frame(Record):
    """What stands around every page.

    Args:
        project: its name.
        summary: of the ledger.
        tip: the commit.
        mark: changes whenever memory does.
        menu: (address, name, key) of the navigation.
        due: how many questions wait, 0 where that is not known yet.
        token: that a form has to carry, "" where nothing can be written.
        served: by a server, which can be asked again; else by files.
        done: the log that the last form recorded, "" for none.
        here: the address of the page, to which a form comes back.
        notice: what the log `done` recorded, None unless a form of this server made it.
    """

    project: str
    summary: Summary
    tip: str
    mark: str
    menu: tuple[tuple[str, str, str], ...]
    due: int = 0
    token: str = ""
    served: bool = True
    done: str = ""
    here: str = "/"
    notice: Recorded | None = None


class Renderer:
    """Writes pages.

    Args:
        url: where an address of ours stands for the browser: itself, or a path of files.
    """

    def __init__(self, url: Callable[[str], str] = str) -> None:
        self._environment = Environment(
            loader=FileSystemLoader(HERE / "templates"), autoescape=True, undefined=StrictUndefined,
            trim_blocks=True, lstrip_blocks=True,
        )  # fmt: skip
        self._environment.globals.update(
            url=url, block=markdown.block, line=markdown.line, commands=commands
        )

    def render(self, page: Page, frame: Frame) -> str:
        """Write a page whole."""
        template = self._environment.get_template(f"{page.template}.html")
        return template.render(page.values, frame=frame, page=page)

    def render_alone(self, page: Page) -> str:
        """Write a page that shows nothing of a memory: there is none, or nobody may see it yet."""
        template = self._environment.get_template(f"{page.template}.html")
        return template.render(page.values, page=page)


def static_files() -> Iterable[FilePath]:
    """Return what every page loads: style, script, and nothing from elsewhere."""
    return sorted(STATIC.iterdir())
