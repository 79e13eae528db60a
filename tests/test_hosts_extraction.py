"""Extraction: what a model claims is checked, and what answers badly does no harm."""

from __future__ import annotations

import json
import os
import random
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rituals.hosts import extraction
from rituals.hosts.extraction import Extraction, NoAnswer, extract, items_in
from rituals.hosts.quoted_items import MOST_ITEMS, checked
from rituals.hosts.transcripts.slices import Slice, Turn
from rituals.hosts.user_settings import Settings, settings
from tests.conftest import each_row
from tests.pages import GUIDE
from tests.test_negations import sentences

SAID = "We keep  SQLite for\nthe cache, because it needs no server."
TURNS = (
    Turn("user", "Which store?", 0),
    Turn("assistant", SAID, 40),
    Turn("tool", "", 90, "Bash"),
    Turn(
        "user", "Should we add Redis later? Do not use Mongo here. Schöne Tabs, bitte immer.", 120
    ),
)
PART = Slice("t.jsonl", 0, 200, TURNS)
GOOD = {
    "kind": "decision",
    "text": "The cache is in SQLite, which needs no server.",
    "quote": "We keep SQLite for the cache",
    "salience": 7,
}
KEY = "sk-very-secret-key-0123456789"
TOKEN = "ghp" + "_x7Kq2LmN9pRs4TvW8yZb3CdF6gHj1KlM5nPq"


def one(**changes: Any) -> tuple[Any, int]:
    """The item that is left of a good one with these changes, and how many were dropped."""
    items, dropped = checked([{**GOOD, **changes}], TURNS, ["cache-store"])
    return (items[0] if items else None), dropped


def test_a_quote_is_found_word_for_word() -> None:
    """White space apart; the item says at which byte its line is."""
    item, dropped = one(quote=" We keep SQLite\nfor the  cache,")
    assert (item.quote, item.at, dropped) == ("We keep SQLite for the cache,", 40, 0)
    assert (item.kind, item.text, item.salience) == ("decision", GOOD["text"], 7)


@each_row("quote",
    [
        "we keep SQLite for the cache", "We keep SQLite for the caches", "We keep SQLite", "SQLite",
        "We keep SQLite … no server", "e keep SQLite for the cach", "for the cache Should we", "", 7, None,
        ["We keep SQLite for the cache"], "Bash", "use Mongo here", "add Redis later", "add Redis later?",
        "Which store? We keep SQLite", "\ud800 keep SQLite",
    ],
)  # fmt: skip
def test_what_nobody_said_is_dropped(quote: object) -> None:
    """Changed, elided, cut out of a word, over two turns, behind a negation, out of a question, too short."""
    if quote == "We keep SQLite":
        assert one(quote=quote)[0] is not None
    else:
        assert one(quote=quote) == (None, 1)


@each_row("change",
    [
        {"kind": "rumour"}, {"kind": None}, {"text": " "}, {"text": "x" * 501}, {"text": 5},
        {"salience": "high"}, {"salience": True}, {"quote": "x" * 2000},
    ],
)  # fmt: skip
def test_what_is_no_item_is_dropped(change: dict[str, Any]) -> None:
    """And counted."""
    assert one(**change) == (None, 1)


def test_fields_are_brought_into_bounds() -> None:
    """Unknown ids, too many tags, bars in names, saliences beyond the scale, secrets."""
    item, _ = one(
        salience=99.0, tags=["a", "a", "b|c", "d,e", "x" * 99, 5, "f", "g", "h"], entity="the\ncache",
        personal="yes", supersedes=["cache-store", "made-up", 3], obsolete_when="it | moves",
        text=f"The key is {TOKEN}.",
    )  # fmt: skip
    assert item.salience == 10 and item.tags == ("a", "b c", "d e", "f", "g")
    assert (item.entity, item.personal, item.supersedes) == ("the cache", False, ("cache-store",))
    assert item.obsolete_when == "it / moves" and TOKEN not in item.text
    assert one(supersedes="cache-store", personal=True)[0].supersedes == ("cache-store",)
    for odd in (float("nan"), float("inf"), -1e400):
        assert 1 <= one(salience=odd)[0].salience <= 10


def test_at_most_twelve_items_are_kept() -> None:
    """Those that weigh most, none twice; the others are counted."""
    answers = [{**GOOD, "text": f"Fact {number}.", "salience": number % 10} for number in range(30)]
    items, dropped = checked([*answers, answers[3]], TURNS, [])
    assert len(items) == MOST_ITEMS and dropped == 31 - MOST_ITEMS
    assert [item.salience for item in items][:3] == [9, 9, 9]


ARRAY = json.dumps([GOOD, {**GOOD, "text": "Other.", "tags": []}])


@each_row("answer, count",
    [
        (ARRAY, 2), (f"```json\n{ARRAY}\n```", 2), (f"Here [1] they are: {ARRAY} Anything else?", 2),
        ('{"items": ' + ARRAY + "}", 2), (ARRAY[:-1], 2), (ARRAY[:-20], 1), ("[]", 0), ("```\n[ ]\n```", 0),
        ("[\n  " + ARRAY[1:-1] + ",\n]", 2), ("Nothing here: []", 0), ("\ufeff" + ARRAY, 2),
    ],
)  # fmt: skip
def test_an_array_is_found(answer: str, count: int) -> None:
    """In fences, in prose, cut off; an empty one is an answer."""
    assert len(items_in(answer)) == count


@each_row("answer",
    [
        "", "I found nothing worth keeping.", "[1, 2]", ARRAY[:30], json.dumps(GOOD), '{"tags": [], "x": 1}',
        "[" * 100_000, "[{" * 100_000, '[{"a": ' + "[" * 100_000, "null",
    ],
)  # fmt: skip
def test_no_array_is_no_answer(answer: str) -> None:
    """Prose, numbers, an item alone, what is cut off before its first item is whole."""
    with pytest.raises(NoAnswer):
        items_in(answer)


@given(st.text() | st.lists(st.sampled_from(list('[]{},"a:\\ 1'))).map("".join))
def test_any_answer_gives_objects_or_none(answer: str) -> None:
    """And what it gives can be checked."""
    try:
        found = items_in(answer)
    except NoAnswer:
        return
    assert checked(found, TURNS, [])[0] == ()


Respond = Callable[[BaseHTTPRequestHandler], None]


class Server(ThreadingHTTPServer):
    """An endpoint that answers as it is told."""

    daemon_threads = True
    respond: Respond
    asked: list[tuple[str, dict[str, str], dict[str, Any]]]

    def settings(self, **more: Any) -> Settings:
        """Those of a user who has this endpoint."""
        return Settings(("http",), f"http://127.0.0.1:{self.server_port}/v1", "tiny", **more)


class Handler(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        assert isinstance(self.server, Server)
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.asked.append((self.path, dict(self.headers), body))
        self.server.respond(self)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    """An endpoint, for which there is half a second."""
    monkeypatch.setattr(extraction, "SECONDS", 0.5)
    server = Server(("127.0.0.1", 0), Handler)
    server.asked = []
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield server
    server.shutdown()
    server.server_close()
    thread.join()


def saying(text: str, status: int = 200, **headers: str) -> Respond:
    """Answer with a message."""
    return sending(
        json.dumps({"choices": [{"message": {"content": text}}]}).encode(), status, **headers
    )


def sending(body: bytes, status: int = 200, **headers: str) -> Respond:
    """Answer with these bytes."""

    def respond(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(status)
        for name, value in headers.items():
            handler.send_header(name, value)
        handler.end_headers()
        handler.wfile.write(body)

    return respond


def ask(given: Settings, **environment: str) -> Extraction:
    """Extract with these settings."""
    return extract(PART, [("cache-store", "The cache is in Redis.")], given, environment)


def test_an_endpoint_is_asked(server: Server) -> None:
    """With the model at temperature 0 and the key of the named variable; the answer is checked."""
    server.respond = saying(json.dumps([GOOD, {**GOOD, "quote": "We keep Redis for the cache"}]))
    found = ask(server.settings(key_variable="MY_KEY"), MY_KEY=KEY)
    assert [item.quote for item in found.items] == [GOOD["quote"]]
    assert (found.extractor, found.dropped, found.failed) == ("http:tiny", 1, "")
    ((path, headers, body),) = server.asked
    assert path == "/v1/chat/completions" and headers["Authorization"] == f"Bearer {KEY}"
    assert (body["model"], body["temperature"]) == ("tiny", 0)
    prompt = body["messages"][0]["content"]
    assert SAID in prompt and "cache-store: The cache is in Redis." in prompt and KEY not in prompt


def test_secrets_do_not_leave_the_machine(server: Server) -> None:
    """Nor do they come back."""
    turns = (Turn("user", f"Always use the token {TOKEN} for it.", 7),)
    server.respond = saying("[]")
    part = PART._replace(turns=turns)
    assert extract(part, [], server.settings(), {}).items == ()
    assert TOKEN not in json.dumps(server.asked) and "Always use the token" in json.dumps(
        server.asked
    )
    quote = "Always use the token [redacted: github-token] for it."
    server.respond = saying(json.dumps([{**GOOD, "quote": quote}]))
    assert [item.quote for item in extract(part, [], server.settings(), {}).items] == [quote]


def test_checking_a_quote_takes_little_time() -> None:
    """A mebibyte that has it everywhere, and never as a whole."""
    turns = [Turn("user", "xa bbbbbbb ax" * 40_000, at) for at in range(2)]
    assert checked([{**GOOD, "quote": "a bbbbbbb a"}] * 12, turns, []) == ((), 12)


def dripping(handler: BaseHTTPRequestHandler) -> None:
    """Send a byte now and then."""
    handler.send_response(200)
    handler.end_headers()
    try:
        for _ in range(30):
            handler.wfile.write(b" ")
            time.sleep(0.1)
    except OSError:
        pass  # nobody listens any more


@pytest.mark.parametrize(
    ("respond", "why"),
    [
        (saying("I think there is nothing."), "no array"),
        (saying(ARRAY[:30]), "no array"),
        (sending(b"<html>"), "no message"),
        (sending(b'{"choices": []}'), "no message"),
        (sending(b"[" * 100_000), "no message"),
        (sending(b"x" * (2 << 20)), "too large"),
        (saying("[]", 500), "status 500"),
        (saying("[]", 429), "status 429"),
        (saying("[]", 401), "status 401"),
        (saying("[]", 302, Location="http://127.0.0.1:9/else"), "status 302"),
        (lambda handler: time.sleep(1), "0.5 seconds"),
        (dripping, "0.5 seconds"),
        (lambda handler: handler.connection.close(), "broke off"),
        (sending(b"\x00", 200, **{"Content-Length": "99"}), "no message"),
    ],
)
def test_an_endpoint_that_answers_badly(server: Server, respond: Respond, why: str) -> None:
    """Is asked once; no exception, nothing found."""
    server.respond = respond
    found = ask(server.settings(key_variable="MY_KEY"), MY_KEY=KEY)
    assert found.items == () and why in found.failed and KEY not in found.failed, found
    assert len(server.asked) == 1


def test_an_endpoint_that_is_not_there(server: Server) -> None:
    """No key, nobody who listens, an address that is none."""
    given = server.settings(key_variable="MY_KEY")
    for key in ("", " ", "a\nb", "ü"):
        assert ask(given, MY_KEY=key).failed == "http:tiny: $MY_KEY has no key"
    assert server.asked == []
    for url in ("http://127.0.0.1:9/v1", "http://[/v1", "http://a b/v1", "http://127.0.0.1:99999"):
        assert "http:tiny: " in ask(Settings(("http",), url, "tiny")).failed, url
    assert extract(PART._replace(turns=TURNS[2:3]), [], given, {}) == Extraction((), "sources")


@pytest.fixture
def host(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], dict[str, str]]:
    """Put a program `claude` on the path of an environment, which is returned."""
    monkeypatch.setattr(extraction, "PROGRAM_SECONDS", 1.0)
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")

    def put(script: str, folder: str = "bin") -> dict[str, str]:
        path = tmp_path / folder / "claude"
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)
        return {"PATH": f"{path.parent}:{os.environ['PATH']}", "CLAUDECODE": "1", "LANG": "C.UTF-8"}

    return put


def test_a_program_is_asked(host: Callable[[str], dict[str, str]], tmp_path: Path) -> None:
    """The prompt on its standard input, in an empty folder, as no part of the session, hooks off."""
    seen = tmp_path / "seen"
    environment = host(
        f'{{ cat; echo "hooks $DIURNA_HOOKS, inside <$CLAUDECODE>, here:"; ls -A; echo "$@"; }} > {seen}\n'
        f"cat <<'END'\nHere you are.\n{ARRAY}\nEND"
    )
    found = ask(Settings(("claude",)), **environment)
    assert (len(found.items), found.extractor, found.failed) == (2, "claude -p", "")
    told = seen.read_text()
    assert SAID in told and told.endswith(
        "hooks off, inside <>, here:\n-p --tools  --strict-mcp-config --no-session-persistence\n"
    )


@pytest.mark.parametrize(
    ("script", "why"),
    [
        ("echo 'Invalid API key'; exit 1", "exit code 1: Invalid API key"),
        ("echo 'I can not help with that.'", "no array"),
        ("cat", "no array"),
        ("yes", "too large"),
        ("sleep 30", "1 seconds"),
        ("exec >/dev/null; sleep 30", "1 seconds"),
        ("trap '' TERM HUP INT; sleep 30 & sleep 30", "1 seconds"),
        ("kill -9 $$", "exit code -9"),
    ],
)
def test_a_program_that_answers_badly(
    host: Callable[[str], dict[str, str]], script: str, why: str
) -> None:
    """Ends with all that it started, in time; an example in the prompt that it repeats is no answer."""
    found = ask(Settings(("claude",)), **host(script))
    assert found.items == () and why in found.failed, found


def test_what_a_program_started_ends_with_it(
    host: Callable[[str], dict[str, str]], tmp_path: Path
) -> None:
    """Also where it went into the background, and the program itself had ended."""
    for script in (
        "sleep 30 & echo $! > {0}; wait",
        "sleep 30 >/dev/null & echo $! > {0}; echo '[]'",
    ):
        ask(Settings(("claude",)), **host(script.format(tmp_path / "pid")))
        pid = int((tmp_path / "pid").read_text())
        for _ in range(100):
            try:
                state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
            except OSError:
                break
            if state == "Z":
                break
            time.sleep(0.01)
        else:
            pytest.fail("it still runs")


def test_a_project_names_no_program(
    host: Callable[..., dict[str, str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither by a folder of its own on the path, nor by a relative one."""
    host("touch ran; echo '[]'", "work")
    (tmp_path / "link").symlink_to(tmp_path / "work")
    for path in (f"{tmp_path}/work", ".", "", "../work", f"{tmp_path}/link"):
        assert ask(Settings(("claude",)), PATH=path).failed == "claude -p: it is not installed"
    assert not (tmp_path / "work" / "ran").exists()


def test_extractors_are_asked_in_order(
    server: Server, host: Callable[[str], dict[str, str]]
) -> None:
    """The next one where one fails; rules where none is configured; no rules where all failed."""
    environment = host(f"cat <<'END'\n{ARRAY}\nEND")
    server.respond = saying("[]", 500)
    both = server.settings()._replace(extractors=("http", "claude"))
    assert ask(both, **environment).extractor == "claude -p"
    failed = ask(both, **host("exit 3"))
    assert failed.items == () and failed.extractor == "claude -p"
    assert "http:tiny: status 500; claude -p: exit code 3" in failed.failed
    assert ask(Settings()).extractor == "sources" and not ask(Settings()).failed


def configured(tmp_path: Path, text: str, mode: int = 0o600) -> Settings:
    """The settings that a file gives."""
    path = tmp_path / "diurna" / "config.toml"
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    path.chmod(mode)
    return settings({"XDG_CONFIG_HOME": str(tmp_path), "HOME": "/nowhere"})


def test_the_user_configures(tmp_path: Path) -> None:
    """Order, address, model and the name of a variable; no key stands in a file."""
    text = (
        '[extraction]\nuse = ["http", "claude", "rules", "codex"]\nurl = "https://a.example/v1"\n'
    )
    found = configured(tmp_path, text + 'model = "m"\nkey_variable = "A_KEY"\n')
    assert found == Settings(("http", "claude"), "https://a.example/v1", "m", "A_KEY")
    assert settings({"HOME": str(tmp_path)}) == settings({}) == Settings()
    assert configured(tmp_path, "") == configured(tmp_path, "[other]\na = 1\n") == Settings()


def test_the_page_shows_what_can_be_meant(tmp_path: Path) -> None:
    """The example of AGENTS.md."""
    page = GUIDE / "AGENTS.md"
    found = configured(tmp_path, page.read_text().partition("```toml\n")[2].partition("```")[0])
    assert found.extractors == ("http", "claude") and not found.wrong and found.key_variable


@each_row(
    "text, why",
    [
        ("[extraction", "Expected"),
        ("extraction = 3", "must be a table"),
        ('[extraction]\nuse = "http"', "must be a list"),
        ('[extraction]\nuse = ["curl evil"]', "must be a list of http, claude, codex, nobody"),
        ('[extraction]\nuse = ["http"]', "url must begin"),
        ('[extraction]\nuse = ["http"]\nurl = "file:///etc"', "url must begin"),
        ('[extraction]\nuse = ["http"]\nurl = "http://a"', "model must say"),
        ('[extraction]\nkey = "sk"', "there is no key"),
        ("[extraction]\nmodel = 3", "must be a text"),
        ("#" * 70_000, "too large"),
    ],
)
def test_what_can_not_be_meant_is_said(tmp_path: Path, text: str, why: str) -> None:
    """And then nothing of the file counts, so that nothing goes where it was not meant to."""
    found = configured(tmp_path, text)
    assert why in found.wrong and found == Settings(wrong=found.wrong)


def test_a_file_that_others_may_write_does_not_count(tmp_path: Path) -> None:
    """Nor does a folder, a pipe or a relative place."""
    text = '[extraction]\nuse = ["claude"]\n'
    assert "everybody" in configured(tmp_path, text, 0o666).wrong
    path = tmp_path / "diurna" / "config.toml"
    path.unlink()
    os.mkfifo(path)
    found = settings({"XDG_CONFIG_HOME": str(tmp_path)})
    assert "no file of this user" in found.wrong
    assert settings({"XDG_CONFIG_HOME": "here", "HOME": "there"}) == Settings()


def lies_near(text: str, other: str, chance: random.Random) -> list[str]:
    """Quotes that nobody said, each near to one that somebody did."""
    words = text.split()
    place = chance.randrange(1, len(words) - 1)
    strange = chance.choice(other.split())
    return [
        " ".join([*words[:place], strange, *words[place + 1 :]]),
        " ".join(words[:place] + words[place + 1 :]),
        " ".join([*words[:place], "not", *words[place:]]),
        f"{text} {strange}", text.swapcase(), f"{' '.join(words[:place])} … {words[-1]}",
        f"{other} {text}", text[1:-2], words[place], "",
    ]  # fmt: skip


def test_planted_hallucinations() -> None:
    """Of thousands of quotes that nobody said none is kept; of those that somebody did, all."""
    chance = random.Random(12)
    said = sentences()
    turns = [Turn("user", f"Well.\n{text}\nSo it is.", at) for at, text in enumerate(said)]
    whole = f" {' '.join(turn.text.replace(chr(10), ' ') for turn in turns)} "
    for at in range(0, len(said), 3):
        ours, part = said[at], turns[at : at + 3]
        assert len(checked([{**GOOD, "quote": ours}], part, [])[0]) == 1, ours
        for lie in lies_near(ours, chance.choice(said), chance):
            if f" {lie.strip()} " not in whole or len(lie) < 8:
                assert checked([{**GOOD, "quote": lie}], part, []) == ((), 1), lie
