"""What the forms of pages record: the log of the command line, byte for byte; what is refused changes nothing.

`Twins` are two copies of one home. A browser without a screen writes into the one, the command line into the
other.
"""

from __future__ import annotations

import hashlib
import json
import re
import shlex
from functools import cached_property
from html import unescape
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ledger.model.event import FactUpdated
from memory import Memory, SessionDraft
from tests.conftest import NOW_MS, Ran, Run
from tests.pages import rows, section
from tests.web.homes import PAYLOADS, laid
from tests.web_client import Answer, Client, client_of, main_of
from tests.world import git

AGENT = "Ada"
TABLES = Path(__file__).with_name("web_forms.md")


def version(text: str) -> str:
    """Name a text as FORMAT.md does: by eight digits of its hash."""
    return hashlib.sha256(text.encode()).hexdigest()[:8]


V20 = version("A request may take twenty seconds, then it is cut.")
SHOPS = version("Prices stand in a table for each shop.")
FRIDAYS = version("We deploy on Fridays.")
SECRET = "ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


def fields_in(html: str, action: str = "") -> list[tuple[str, str]]:
    """Return what the first form of a page, or the one of an action, would send as a browser reads it."""
    forms = re.findall(r'<form[^>]* method="post" action="([^"]*)"(.*?)</form>', html, re.DOTALL)
    (form, *_) = [body for to, body in forms if action in ("", unescape(to))]
    found = re.findall(r'<input type="(?:hidden|text)" name="([^"]*)" value="([^"]*)"', form)
    found += re.findall(r'<textarea[^>]* name="([^"]*)"[^>]*>\n(.*?)</textarea>', form, re.DOTALL)
    chosen = r'<select name="([^"]*)">.*?<option(?: value="([^"]*)")? selected>([^<]*)<'
    for name, value, word in re.findall(chosen, form, re.DOTALL):
        found.append((name, "" if word == "as it is" else value or word))
    return [(unescape(name), unescape(value)) for name, value in found]


class Twins:
    """Two copies of one home.

    Args:
        folder: where they are.
        run: the command line.
        patch: sets its environment.
    """

    def __init__(self, folder: Path, run: Run, patch: pytest.MonkeyPatch) -> None:
        self.ours, self._folder, self.now = folder / "ours" / "one", folder, NOW_MS
        laid("undecided", self.ours)
        self._run, self._patch = run, patch
        patch.setenv("DIURNA_AGENT", AGENT)
        self.client = client_of(
            self.ours, writes=True, open_memory=lambda home: Memory(home, agent=AGENT, clock=lambda: self.now)
        ).login()  # fmt: skip

    @cached_property
    def theirs(self) -> Path:
        """The other copy, as the home was before a command was run in it."""
        folder = self._folder / "theirs" / "one"
        laid("undecided", folder)
        return folder

    def send(self, address: str, *pairs: tuple[str, str], token: str = "") -> Answer:
        """Send a form as it stands."""
        own = ("token", token or self.client.form_token()), ("next", "/help")
        return self.client.post(address, [*own, *pairs])

    def form(self, name: str, *pairs: tuple[str, str]) -> Done:
        """Send a form a second later; what it recorded is read from the page behind it."""
        self.now += 1000
        answer = self.send(f"/act/{name}", *pairs)
        page = (
            self.client.get(answer.headers["location"]).text
            if answer.status == 303
            else answer.text
        )
        return Done(answer, main_of(page))

    def line(self, *arguments: str, stdin: str = "") -> Ran:
        """Run a command at the moment of the last form."""
        self._patch.setenv("DIURNA_NOW", str(self.now))
        end = arguments.index("--") if "--" in arguments else len(arguments)
        named = (*arguments[:end], "--home", str(self.theirs), *arguments[end:])
        return self._run(*named, stdin=stdin.encode())

    def facts(self) -> dict[str, dict[str, object]]:
        """Return what the command line says of all facts of the pages."""
        said = self._run("show", "--list", "--all", "--json", "--home", str(self.ours)).json
        return {one["id"]: one for one in said["facts"]}

    def newest(self) -> str:
        """Return the text of the newest log of the pages."""
        return git(self.ours, "show", f"HEAD:{max(logs_of(self.ours))}")

    def shape(self) -> tuple[str, ...]:
        """Return all that a refusal leaves as it is."""
        return git(self.ours, "show-ref"), git(self.ours, "status", "--porcelain")

    def agree(self) -> bool:
        """Tell whether both homes have the same logs."""
        return logs_of(self.ours) == logs_of(self.theirs)


class Done:
    """What came of a form.

    Args:
        answer: to it.
        page: what stands on the page behind it.
    """

    def __init__(self, answer: Answer, page: str) -> None:
        self.status, self.page = answer.status, page
        where = answer.headers.get("location", "")
        self.stem = where.partition("done=")[2].partition("#")[0]
        command = re.search(
            r'on the command line: <code class="command">(.*?)</code>', page, re.DOTALL
        )
        self.command = unescape(command[1]) if command else ""
        self.title = unescape((re.findall(r"<b>Recorded:</b> (.*?)</p>", page) or [""])[0])
        self.undo = 'action="/act/undo"' in page


def logs_of(folder: Path) -> dict[str, str]:
    """Return the committed logs of a home: path -> blob."""
    rows = [one.split() for one in git(folder, "ls-tree", "-r", "HEAD").splitlines()]
    return {path: blob for _, _, blob, path in rows if "sessions/" in path}


@pytest.fixture
def twins(tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> Twins:
    return Twins(tmp_path, run, monkeypatch)


Fields = tuple[tuple[str, str], ...]


def words(cell: str) -> tuple[str, ...]:
    """Return the words of a cell of the tables, as a shell reads them."""
    named = re.sub(
        r"\b(V20|SHOPS|FRIDAYS)\b", lambda found: str(globals()[found[1]]), cell.strip("`")
    )
    return tuple(word.encode().decode("unicode_escape") for word in shlex.split(named))


def fields(cell: str) -> Fields:
    return tuple((name, value) for name, _, value in (word.partition("=") for word in words(cell)))


SAME = {
    case: (form, fields(pairs), words(command))
    for case, form, pairs, command in rows(section(TABLES, "Recorded"))
}
#: Forms that are recorded at once: nothing is seen before.
AT_ONCE = ("confirm", "resolve", "shut")
#: Each has one beside it that is nearly the same.
TWIN_CASES = ("confirm many", "a circle", "close", "other names", "false")
CASES = [name for name in SAME if name not in TWIN_CASES]


@pytest.mark.deep(only=TWIN_CASES[:2])
@pytest.mark.parametrize(
    "cases", [*([case] for case in CASES), TWIN_CASES[::2], TWIN_CASES[1::2]], ids=", ".join
)
def test_a_form_records_what_the_command_records(twins: Twins, cases: list[str]) -> None:
    """Byte for byte, the name of the log too, as its preview has shown it, which wrote nothing.

    The command that the notice names is just that one. The same form once more is told that nothing is left,
    or why not, and changes nothing.
    """
    before, shape = logs_of(twins.ours), twins.shape()
    for name, pairs, command in [SAME[case] for case in cases]:
        shown = ""
        twins.now += 1000
        if name not in AT_ONCE:
            seen = twins.send(f"/preview/{name}", *pairs)
            assert seen.status == 200 and "Nothing is written yet" in seen.text
            assert twins.shape() == shape
            shown = unescape(seen.text.partition('aria-label="The log">')[2].partition("</pre>")[0])
        twins.now -= 1000
        done = twins.form(name, *pairs)
        assert tuple(shlex.split(done.command)) == ("diurna", *command)
        ran = twins.line(*command)
        assert ran.code == 0, ran.err
        earlier, before = before, logs_of(twins.ours)
        assert before == logs_of(twins.theirs)
        (new,) = set(before) - set(earlier)
        assert done.stem and done.stem in new and done.title
        log, shape = git(twins.ours, "show", f"HEAD:{new}"), twins.shape()
        assert shown in ("", log) and f"agent: {AGENT}\n" in log
        assert "type: edit\n" in log
        again = twins.form(name, *pairs)
        assert again.status in (200, 409) and (
            "Nothing was left" in again.page or 'role="alert"' in again.page
        )
        assert twins.shape() == shape


@pytest.mark.deep(reason="a_form_records_what_the_command_records has one step each")
def test_work_goes_its_way_by_forms_as_by_commands(twins: Twins) -> None:
    """A thread closed and opened again; a task added, begun, handed over, taken over, moved and finished."""
    id = ""
    for name, *cells in rows(section(TABLES, "One after the other")):
        pairs, command = (cell.replace("{id}", id) for cell in cells)
        done = twins.form(name, *fields(pairs))
        assert done.stem and done.title, (name, done.page)
        assert shlex.split(done.command) == ["diurna", *words(command)] or not id
        ran = twins.line(*shlex.split(done.command)[1:])
        assert ran.code == 0 and twins.agree(), (name, ran.err)
        if name == "add-task":
            (id,) = re.findall(r'<p class="meta"><a class="id" href="/fact/([^"]+)"', done.page)
    facts = twins.facts()
    assert facts[id]["closed"] and not facts["storm"]["closed"]


def questions(twins: Twins, address: str) -> list[str]:
    """Return the keys of the questions that a page asks."""
    found = re.findall(r'name="key" value="([^"]+)"', twins.client.get(address).text)
    return list(dict.fromkeys(found))


def on_a_terminal(patch: pytest.MonkeyPatch) -> None:
    patch.setattr("rituals.cli.context.Invocation.interactive", lambda self: True)


@pytest.mark.deep(reason="the jobs of the inbox are the small ones")
def test_several_questions_are_answered_with_one_log(
    twins: Twins, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As whoever answers them one after the other on a terminal, and leaves the review then; in whichever way."""
    on_a_terminal(monkeypatch)
    rule = "/review?rule=invariant-due"
    keys = [*questions(twins, "/review?rule=contradiction"), *questions(twins, rule)][:2]
    both = [("key", one) for one in keys]
    done = twins.form("answer", *both, ("key", "gone"), ("say", "accept"))
    torn = json.loads(twins.line("conflicts", "--json").out)["contradictions"]
    left = "l\n" * len({one["id"] for one in torn})
    assert twins.line("review", stdin=f"{left}a\na\nq\n").code == 0 and twins.agree()
    assert done.title == "Answer to 2 questions"
    again = twins.form("answer", *both, ("say", "accept"))
    assert "to record: each of these questions is not asked any more" in again.page
    for pairs in (
        (("say", "ask"), ("text", "Who keeps the doors?")),
        (("say", "reword"), ("text", "Doors are kept by two.")),
        (("say", "false"),),
    ):
        assert twins.form("answer", ("key", questions(twins, rule)[0]), *pairs).stem


@pytest.mark.deep(but="archive", reason="archive is the small one")
@pytest.mark.parametrize("case", ("archive", "close", "confirm one"))
def test_what_was_recorded_a_moment_ago_is_undone(twins: Twins, case: str) -> None:
    """And done again by the next one: as `diurna undo` and `--redo` do, byte for byte."""
    name, pairs, command = SAME[case]
    done = twins.form(name, *pairs)
    assert done.undo and twins.line(*command).code == 0
    steps = (("Undo: ", "undo"), ("Redo: ", "undo --redo"), ("Undo: ", "undo"))
    for title, line in steps[: 3 if case == "close" else 2]:
        done = twins.form("undo", ("stem", done.stem))
        assert twins.line(*line.split()).code == 0 and twins.agree()
        assert done.title.startswith(title) and done.command == f"diurna {line}"


def test_what_no_log_takes_back_offers_no_undo(twins: Twins) -> None:
    """A circle that is broken is refused by `diurna undo` as well."""
    name, pairs, _ = SAME["a circle"]
    done = twins.form(name, *pairs)
    assert done.stem and not done.undo
    assert twins.form("undo", ("stem", done.stem)).status == 409


def test_a_notice_is_said_once_and_for_a_log_of_this_server_alone(twins: Twins) -> None:
    made = twins.form("confirm", ("id", "calm"))
    for stem in (
        made.stem,
        "",
        "x",
        *[name.rpartition("/")[2][:-3] for name in logs_of(twins.ours)],
    ):
        assert "Recorded:" not in twins.client.get(f"/help?done={stem}").text


REFUSED = {
    "too many": ("confirm", tuple(("id", f"a-{n}") for n in range(201))),
    "too large a form": ("confirm", (("x", "y"),) * 401),
    "too long a reason": ("archive", (("id", "calm"), ("reason", "x" * 16_001))),
    **{case: (form, fields(pairs)) for case, form, pairs in rows(section(TABLES, "Refused"))},
}


def test_what_is_refused_changes_nothing_and_says_why(twins: Twins) -> None:
    """A sentence, and no advice to do it by force; in a review somebody else's answer is no refusal."""
    shape = twins.shape()
    for case, (name, pairs) in REFUSED.items():
        done = twins.form(name, *pairs)
        if done.status in (404, 409):
            assert "Your memory is as it was." in done.page, case
        else:
            assert done.status == 400 or "Nothing was left to record" in done.page, (
                case,
                done.page,
            )
        assert "--force" not in done.page, case
        assert case != "too many" or "201 are ticked, and one log takes 200" in done.page
    assert twins.shape() == shape


def test_what_came_meanwhile_is_not_decided_unseen(twins: Twins) -> None:
    """A form says which text, or which sides, its page showed; what came since refuses it, and is shown."""
    calm, sides = version("Nobody contradicts this one."), []
    card = twins.client.get("/review").text.partition('id="c-limit"')[2].partition("</article>")[0]
    sides = [
        ("side", one) for one in dict.fromkeys(re.findall(r'name="side" value="([^"]+)"', card))
    ]
    other = next(value for _, value in sides if value != V20)
    memory = Memory.open(str(twins.ours), agent="codex")
    late = FactUpdated("calm", "Somebody does.", (calm,)), FactUpdated("limit", "Forty.", (V20,))
    memory.append(SessionDraft("Late", "", late))
    memory.close()
    shape = twins.shape()
    for name in ("reword", "replace", "deny", "withhold"):
        done = twins.form(name, ("id", "calm"), ("text", "x y"), ("reason", "z"), ("seen", calm))
        assert done.status == 409 and "says something else by now" in done.page, name
        assert "Somebody does." in done.page, name
    for said in (("text", "Both."), ("choose", other), ("choose", V20), ("choose", "1")):
        done = twins.form("resolve", ("id", "limit"), said, *sides)
        assert done.status == 409 and "Other sides of limit stand" in done.page, said
        assert "Forty." in done.page and "thirty seconds" in done.page
    assert twins.shape() == shape
    again = dict(
        fields_in(twins.form("reword", ("id", "calm"), ("text", "x y"), ("seen", calm)).page)
    )
    assert again["text"] == "x y" and again["seen"] == version("Somebody does.")
    assert twins.form(
        "reword", *[one for one in again.items() if one[0] not in ("token", "next")]
    ).stem


def test_two_tabs_that_decide_differently(twins: Twins) -> None:
    """The first one holds; the second is told what holds by now, and changes nothing."""
    assert twins.form("resolve", ("id", "limit"), ("choose", V20)).stem
    shape = twins.shape()
    done = twins.form("resolve", ("id", "limit"), ("choose", version("Ten.")))
    assert done.status == 409 and f"it says {V20}" in done.page and twins.shape() == shape


def test_a_preview_tells_what_is_near_and_what_git_keeps(twins: Twins) -> None:
    """Also where the log is no work, of which an append would say nothing; of what is withheld no word."""
    many = "A shop sends at most 90 orders a second to the gateway."
    for name, pairs, word in (
        ("note", (("text", many),), "<b>Near:</b>"),
        ("note", (("text", "Nobody contradicts this one here."),), ">calm</a>"),
        ("reword", (("id", "calm"), ("text", many)), "<b>Near:</b>"),
        ("note", (("text", f"The token is {SECRET}."),), "secret"),
        ("withhold", (("id", "calm"), ("reason", "a name")), "Git still has it"),
    ):
        page = main_of(twins.send(f"/preview/{name}", *pairs).text)
        assert word in page and SECRET not in page.partition("The log, as")[2], (name, page)
        assert ("No undo takes this back" in page) == (name == "withhold")
    assert "Nobody contradicts" not in page.partition("The log, as")[2]


def test_a_secret_in_what_is_posted_is_redacted_and_said(twins: Twins) -> None:
    done = twins.form("archive", ("id", "calm"), ("reason", f"the token is {SECRET}"))
    assert done.stem and SECRET not in twins.newest() and SECRET not in done.page
    assert "<b>Noticed:</b>" in done.page


def test_what_can_not_be_committed_now_waits_and_that_is_said(twins: Twins, run: Run) -> None:
    """Where a person is in the middle of a bisect, the log is durable and nothing else is touched."""
    git(twins.ours, "bisect", "start")
    shape, before = twins.shape(), logs_of(twins.ours)
    done = twins.form("confirm", ("id", "calm"))
    assert done.status == 409 and "Not committed yet" in done.page and twins.shape() == shape
    git(twins.ours, "bisect", "reset")
    assert run("status", "--home", str(twins.ours)).code == 0
    assert run("check", "--publish", "--home", str(twins.ours)).code == 0
    (new,) = set(logs_of(twins.ours)) - set(before)
    assert "Confirm calm" in git(twins.ours, "show", f"HEAD:{new}")


# ---- what was typed -------------------------------------------------------------------------------

#: What each form asks for: fields of text, of one line, and the others; "" before those that are about
#: no fact.
ASKS = {
    "note": ("text", "kind", "entity", "body"), "reword": ("id", "text", "kind", "until", "entity", "tags", "reason"),
    "deny": ("id", "reason", "instead"), "replace": ("id", "text", "kind", "entity", "body"),
    "withhold": ("id", "reason"), "close": ("id", "reason"), "reopen": ("id", "reason"),
    "archive": ("id", "reason"), "return": ("id", "reason"), "reinstate": ("id", "reason"),
    "add-task": ("text", "priority", "criterion", "owner", "depends", "goal", "workstream", "question", "risk"),
    "start": ("id", "take_over"), "move": ("id", "state", "why"), "done": ("id", "why"),
    "hand-over": ("id", "to", "done", "remaining", "first", "warning", "question", "confidence"),
}  # fmt: skip
_CHOSEN = ("kind", "priority", "state", "take_over", "id")


@pytest.fixture(scope="module", autouse=True)
def writer(tmp_path_factory: pytest.TempPathFactory) -> Client:
    """A browser that may write into a home, and has seen its review; no test of these writes."""
    folder = laid("undecided", tmp_path_factory.mktemp("write") / "one")
    found = client_of(folder, writes=True).login()
    assert found.get("/review").status == 200
    return found


def about(name: str) -> dict[str, str]:
    """Return the fact that a form is about, if any."""
    task = name in ("start", "move", "done", "hand-over")
    return {"id": "wire" if task else "calm"} if "id" in ASKS[name] else {}


def typed(client: Client, address: str, fields: dict[str, str], token: str = "") -> Answer:
    return client.post(
        address, {"token": token or client.form_token(), "next": "/fact/calm", **fields}
    )


def test_each_form_has_a_page_of_its_own(writer: Client) -> None:
    """With what it asks for; without its fact, or under another name, there is none."""
    for name, asks in ASKS.items():
        page = writer.get(
            f"/write/{name}?{'&'.join(map('='.join, about(name).items()))}&next=/fact/calm"
        )
        assert page.status == 200, name
        found = set(
            re.findall(r' name="([^"]+)"', page.text.partition('<form class="own card"')[2])
        )
        assert found - {"token", "next", "seen"} == set(asks), name
        if about(name):
            assert writer.get(f"/write/{name}?id=nobody-knows").status == 404
            assert writer.get(f"/write/{name}").status == 400
    assert writer.get("/write/nothing").status == 404


TYPED = st.text(
    st.one_of(st.characters(codec="utf-8", exclude_characters="\0\r"), st.sampled_from("<>&\"'`\n{}%\u202e")),
    min_size=1, max_size=60,
)  # fmt: skip


@settings(max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_what_was_typed_stands_in_the_page_that_refuses(
    writer: Client, data: st.DataObject
) -> None:
    """Whatever it was, in whichever form, escaped, to be sent again with a token that is taken."""
    name = data.draw(st.sampled_from(sorted(ASKS)))
    fields = {one: data.draw(TYPED).replace("\n", " ") for one in ASKS[name] if one not in _CHOSEN}
    for address in (f"/act/{name}", f"/preview/{name}"):
        stale = typed(writer, address, {**about(name), **fields}, token="stale")
        assert stale.status == 403
        again = dict(fields_in(main_of(stale.text)))
        assert {key: again[key] for key in fields} == fields
        assert again["token"] == writer.form_token()
        assert {key: again[key] for key in about(name)} == about(name)


def test_whoever_looked_first_goes_back_to_what_was_typed(writer: Client) -> None:
    """The page of what would be recorded carries all that was typed, to be written or to be changed."""
    said = {
        "text": "Ten\u202e seconds,\n  at <most>.",
        "kind": "decision",
        "entity": 'A "b"',
        "body": "\nWhy",
    }
    page = typed(writer, "/preview/note", said)
    assert page.status == 200 and "⟨U+202E⟩" in page.text and "&lt;most&gt;" in page.text
    for found in (page, typed(writer, "/write/note", said)):
        carried = dict(fields_in(main_of(found.text)))
        assert {key: carried[key] for key in said} == said


def test_other_forms_keep_their_words_too(writer: Client) -> None:
    """A contradiction that somebody else settled, an answer in own words: they stand there to be sent again."""
    for name, fields in (
        ("resolve", {"id": "calm", "text": "My <own> words.", "side": "x"}),
        ("answer", {"key": "k", "say": "reword", "text": "My <own> words."}),
    ):
        for token in ("", "stale"):
            refused = typed(writer, f"/act/{name}", fields, token)
            if refused.status != 200:  # else nothing was left to record
                again = dict(fields_in(main_of(refused.text)))
                assert {key: again[key] for key in fields} == fields
                assert again["token"] == writer.form_token()


@pytest.mark.deep(reason="test_web_inert has them in what is recorded")
def test_no_field_of_any_form_is_markup(writer: Client) -> None:
    """In the page that refuses, in what would be recorded, and in the form that it goes back to."""
    raw = (
        "<script>",
        "<img",
        "<svg on",
        "<iframe",
        "<base",
        "<meta http",
        "<style",
        "<details open",
    )
    for payload in PAYLOADS:
        for name, asks in ASKS.items():
            fields = {**about(name), **dict.fromkeys(set(asks) - {"id"}, payload.replace("\r", ""))}
            for address, token in (
                (f"/act/{name}", "stale"),
                (f"/preview/{name}", ""),
                (f"/write/{name}", ""),
            ):
                page = main_of(typed(writer, address, fields, token).text)
                assert not [one for one in raw if one in page], (name, address)


def test_what_only_shows_keeps_what_was_typed(tmp_path: Path) -> None:
    """Without `--write` nothing can be sent, and the words stand there all the same."""
    laid("undecided", tmp_path / "one")
    reader = client_of(tmp_path / "one").login()
    assert "diurna web --write" in reader.get("/write/note").text
    refused = reader.post("/act/note", {"token": "x", "text": "My <own> words."})
    assert refused.status == 403 and "My &lt;own&gt; words." in refused.text
    assert "<form class" not in main_of(refused.text)
    assert 'href="/write/note' not in reader.get("/").text


# ---- the page of the review -----------------------------------------------------------------------


def test_an_answer_goes_on_at_the_next_card(twins: Twins) -> None:
    """Never at the top, and each card has a place of its own; the newest contradiction comes first."""
    page = twins.client.get("/review").text
    cards = re.findall(r'<article class="card asked" id="([^"]+)"', page)
    assert len(set(cards)) == len(cards) >= 7
    for here, following in pairwise(cards):
        card = page[page.index(f'id="{here}"') :].partition("</article>")[0]
        for goes_on in re.findall(r'name="next" value="/review#([^"]+)"', card):
            assert goes_on == following or (here.startswith("c-") and goes_on == "g-invariant-due")
            assert f'id="{goes_on}"' in page
    assert 'href="/review#c-limit"' in twins.client.get("/fact/limit").text
    answer = twins.client.post("/act/resolve", fields_in(page, "/act/resolve"))
    assert "#" in answer.headers["location"]
