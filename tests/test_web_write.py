"""Forms that are seen before they are written: what was typed is never lost, and is never markup."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

pytest.importorskip("jinja2")

from rituals.serve.web.actions.form_shapes import FORMS
from rituals.serve.web.actions.form_table import ACTIONS
from tests.campaigns.homes import git, lay
from tests.web.homes import PAYLOADS, undecided
from tests.web_client import Answer, Client, client_of

TASK = "wire"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with what pages decide."""
    folder = tmp_path_factory.mktemp("write") / "one"
    lay("what pages decide", folder, undecided)
    return folder


@pytest.fixture(scope="module")
def client(folder: Path) -> Client:
    """A browser that may write there."""
    return client_of(folder, writes=True).login()


@pytest.fixture(autouse=True)
def nothing_is_written(folder: Path) -> Iterator[None]:
    """No test here writes."""
    before = git(folder, "show-ref"), git(folder, "status", "--porcelain")
    yield
    assert (git(folder, "show-ref"), git(folder, "status", "--porcelain")) == before


def sent_by(page: str) -> dict[str, str]:
    """Return what the form of a page would send, as a browser reads it."""
    form = (
        page.partition('<form class="own card"')[2]
        or page.partition('<form class="act" method="post" action="/act')[2]
    )
    form = form.partition("</form>")[0]
    found = {
        unescape(name): unescape(value)
        for name, value in re.findall(r'<input[^>]* name="([^"]*)" value="([^"]*)"', form)
    }
    for name, value in re.findall(
        r'<textarea[^>]* name="([^"]*)"[^>]*>\n(.*?)</textarea>', form, re.DOTALL
    ):
        found[unescape(name)] = unescape(value)
    for name, value, word in re.findall(
        r'<select name="([^"]*)">.*?<option(?: value="([^"]*)")? selected>([^<]*)<', form, re.DOTALL
    ):
        found[unescape(name)] = unescape("" if word == "as it is" else value or word)
    return found


def about(name: str) -> dict[str, str]:
    """Return the fact that a form of this name is about."""
    if name in ("note", "add-task", "report-finding"):
        return {}
    tasks = ("start", "move", "done", "hand-over")
    return {"id": TASK if name in tasks else "calm"}


def post(client: Client, address: str, fields: dict[str, str], token: str = "") -> Answer:
    return client.post(
        address, {"token": token or client.form_token(), "next": "/fact/calm", **fields}
    )


@pytest.mark.parametrize("name", FORMS)
def test_each_form_has_a_page_of_its_own(client: Client, name: str) -> None:
    """With what it asks for; without its fact, or under another name, there is none."""
    query = "&".join(f"{key}={value}" for key, value in about(name).items())
    page = client.get(f"/write/{name}?{query}&next=/fact/calm")
    assert page.status == 200
    assert set(sent_by(page.text)) >= {"token", "next", *about(name)} - {""}
    for field in FORMS[name].fields:
        assert f'name="{field.name}"' in page.text, field
    if about(name):
        assert client.get(f"/write/{name}?id=nobody-knows").status == 404
        assert client.get(f"/write/{name}").status != 200
    assert client.get("/write/nothing").status == 404


TYPED = st.text(
    st.one_of(st.characters(codec="utf-8", exclude_characters="\0\r"), st.sampled_from("<>&\"'`\n{}%\u202e")),
    min_size=1, max_size=60,
)  # fmt: skip


@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(data=st.data())
def test_what_was_typed_stands_in_the_page_that_refuses(
    client: Client, data: st.DataObject
) -> None:
    """Whatever it was, in whichever form, escaped, to be sent again with a token that is taken."""
    name = data.draw(st.sampled_from(sorted(FORMS)))
    fields = {
        field.name: data.draw(TYPED) if field.rows else data.draw(TYPED).replace("\n", " ")
        for field in FORMS[name].fields if not (field.tick or field.offers)
    }  # fmt: skip
    for address in (f"/act/{name}", f"/preview/{name}"):
        stale = post(client, address, {**about(name), **fields}, token="stale")
        assert stale.status == 403
        again = sent_by(stale.text)
        assert {key: again[key] for key in fields} == fields
        assert again["token"] == client.form_token()
        assert {key: again[key] for key in about(name)} == about(name)


@pytest.mark.parametrize("payload", PAYLOADS)
def test_no_field_of_any_form_is_markup(client: Client, payload: str) -> None:
    """In the page that refuses, in what would be recorded, and in the form that it goes back to."""
    line = payload.replace("\r", "")
    for name, shape in FORMS.items():
        fields = {**about(name), **{field.name: line for field in shape.fields}}
        for address, token in (
            (f"/act/{name}", "stale"),
            (f"/preview/{name}", ""),
            (f"/write/{name}", ""),
        ):
            answer = post(client, address, fields, token)
            assert answer.status in (200, 403, 409), (name, address)
            for raw in (
                "<script>",
                "<img",
                "<svg on",
                "<iframe",
                "<base",
                "<meta http",
                "<style",
                "<details open",
            ):
                assert raw not in answer.text.partition("<main")[2].partition("</main>")[0]


def test_whoever_looked_first_goes_back_to_what_was_typed(client: Client) -> None:
    """The page of what would be recorded carries all that was typed, to be written or to be changed."""
    typed = {
        "text": "Ten\u202e seconds,\n  at <most>.",
        "kind": "decision",
        "entity": 'A "b"',
        "body": "\nWhy",
    }
    page = post(client, "/preview/note", typed)
    assert page.status == 200 and "Nothing is written yet" in page.text
    assert "⟨U+202E⟩" in page.text and "&lt;most&gt;" in page.text
    carried = sent_by(page.text)
    assert {key: carried[key] for key in typed} == typed
    back = post(client, "/write/note", typed)
    assert {key: sent_by(back.text)[key] for key in typed} == typed


def test_other_forms_keep_their_words_too(client: Client) -> None:
    """A contradiction that somebody else settled, an answer in own words: they stand there to be sent again."""
    for name, fields in (
        ("resolve", {"id": "calm", "text": "My <own> words.", "side": "x"}),
        ("answer", {"key": "k", "say": "reword", "text": "My <own> words."}),
        ("learn", {"key": "k", "say": "perhaps", "text": "My <own> words."}),
    ):
        assert name in ACTIONS
        for token in ("", "stale"):
            refused = post(client, f"/act/{name}", fields, token)
            if refused.status == 200:  # nothing was left to record
                continue
            assert refused.status in (403, 409)
            again = sent_by(refused.text)
            assert {key: again[key] for key in fields} == fields
            assert again["token"] == client.form_token()


def test_what_only_shows_keeps_what_was_typed(folder: Path) -> None:
    """Without `--write` nothing can be sent, and the words stand there all the same."""
    reader = client_of(folder).login()
    assert "diurna web --write" in reader.get("/write/note").text
    refused = reader.post("/act/note", {"token": "x", "text": "My <own> words."})
    assert refused.status == 403
    assert (
        "My &lt;own&gt; words." in refused.text
        and "<form class" not in refused.text.partition("<main")[2]
    )
    assert 'href="/write/note' not in reader.get("/").text


def test_a_stale_form_shows_what_the_fact_says_now(client: Client) -> None:
    """The words that were typed stand beside the text that stands; sent again they go by that."""
    refused = post(client, "/act/reword", {"id": "calm", "text": "Mine.", "seen": "00000000"})
    assert refused.status == 409 and "Nobody contradicts this one." in refused.text
    again = sent_by(refused.text)
    assert again["text"] == "Mine." and again["seen"] not in ("", "00000000")
    assert post(client, "/preview/reword", again).status == 200


def test_another_side_that_came_meanwhile_is_shown_beside_the_words(client: Client) -> None:
    """Whoever sends them again has seen all the sides that stand."""
    asked = {"id": "limit", "text": "It depends.", "side": "00000000", "choose": ""}
    refused = post(client, "/act/resolve", asked)
    assert refused.status == 409 and "Other sides of limit stand" in refused.text
    assert "twenty seconds" in refused.text and "thirty seconds" in refused.text
    main = refused.text.partition("<main")[2]
    sides = re.findall(r'name="side" value="([^"]+)"', main)
    assert len(sides) == 2 and "00000000" not in sides
    assert sent_by(refused.text)["text"] == "It depends."
    assert 'name="choose"' not in main
