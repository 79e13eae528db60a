"""Forms of pages: with a token they post, without one they show the command; nothing in them is markup."""

from __future__ import annotations

import re

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from rituals.serve.web.actions.form_plan import OWN_WORDS
from rituals.serve.web.actions.form_shapes import command
from rituals.serve.web.html.templates import HERE, Renderer, address_of

_CALLS = """{% from "forms.html" import act, look, opened with context %}
{{ act("confirm", {"id": ids}, "It still holds", command, primary=True) }}
{{ look("close", ids[0], "Close it", command) }}{{ opened("archive", ids[0], "Put it away", command) }}"""


class Stands:
    """What a form reads of the frame."""

    def __init__(self, token: str) -> None:
        self.token, self.here = token, "/fact/a?x=1&y=2"


def written(token: str, command: str = "diurna review --confirm a b") -> str:
    """Write the macros."""
    environment = Environment(
        loader=FileSystemLoader(HERE / "templates"), autoescape=True, undefined=StrictUndefined
    )
    environment.globals["url"] = address_of
    template = environment.from_string(_CALLS)
    return template.render(frame=Stands(token), ids=["a", "b"], command=command)


def test_a_form_posts_its_fields_and_comes_back() -> None:
    """A list is a field each; the token and the way back stand in every form."""
    said = written("t0ken")
    assert said.count('method="post"') == 2
    assert re.findall(r'action="([^"]+)"', said) == ["/act/confirm", "/preview/close"]
    assert re.findall(r'name="id" value="([^"]+)"', said) == ["a", "b", "a"]
    assert said.count('name="token" value="t0ken"') == 2
    assert said.count('name="next" value="/fact/a?x=1&amp;y=2"') == 2
    assert "data-copy" not in said
    assert 'href="/write/archive?id=a&amp;next=%2Ffact%2Fa%3Fx%3D1%26y%3D2"' in said


def test_without_a_token_stands_the_command() -> None:
    """As a button that copies it, and as text for whoever has no script."""
    said = written("", 'diurna forget a --archive --reason "<b>"')
    assert "<form" not in said
    assert said.count("data-copy=") == 3
    assert said.count("<code") == 3
    assert "<b>" not in said


def test_a_text_is_offered_only_where_a_page_shows_it_as_it_is() -> None:
    """What is invisible or secret would be recorded as it is shown, if it was sent back unchanged."""
    area = '{% from "forms.html" import text_area with context %}{{ text_area("text", 3, text) }}'
    template = Renderer()._environment.from_string(area)

    def offered(text: str) -> str:
        return template.render(frame=Stands("t0ken"), text=text).split(">\n", 1)[1]

    assert offered("\nTwo\n<lines>.") == "\nTwo\n&lt;lines&gt;.</textarea>\n"
    for hidden in ("Ten\u202eseconds.", f"The key is {'AKIA' + 'Q3EGRIZ7' * 2}, as ever."):
        assert offered(hidden) == "</textarea>\n"


def test_a_page_that_only_reads_shows_commands_of_the_forms() -> None:
    """What is empty is left out, what a person has to say is left to them, a hyphen is no option."""
    shown = {
        command("confirm", id=["a", "b"]): "review --confirm a b",
        command(
            "reopen", id="a", title="Reopen a"
        ): "append --type edit --title 'Reopen a' --reopen a",
        command("deny", id="a", reason=OWN_WORDS): "forget a --false --reason '…'",
        command("deny", id="a", instead="b"): "forget a --replaced-by b",
        command("archive", id="a"): "forget a --archive --reason '…'",
        command("start", id="a", take_over=True): "task start a --take-over",
        command("hand-over", id="a", done=OWN_WORDS): "task handoff a --done '…'",
        command("reword", id="a", text="-x", until="date 2027-01-31"): (
            "edit --until 'date 2027-01-31' -- a -x"
        ),
        command("resolve", id="a", closed=True): "conflicts a --closed",
    }
    assert list(shown) == [f"diurna {line}" for line in shown.values()]
