"""What a model claims of a session is checked, asked for once, and does no harm where it answers badly."""

from __future__ import annotations

import json
import os
import re
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Run, holders
from tests.host_door import TALK, Door, named, policy, say
from tests.host_door import door as door
from tests.pages import GUIDE

SAID = "We keep  SQLite for\nthe cache, because it needs no server."
USER = "Should we add Redis later? Do not use Mongo here. Schöne Tabs, bitte immer."
GOOD = {
    "kind": "decision",
    "text": "The cache is in SQLite, which needs no server.",
    "quote": "We keep SQLite for the cache",
}
ARRAY = json.dumps([GOOD, {**GOOD, "text": "Other words for it.", "tags": []}])
KEY = "sk-very-secret-key-0123456789"
TOKEN = "ghp" + "_x7Kq2LmN9pRs4TvW8yZb3CdF6gHj1KlM5nPq"
CLAUDE = '[extraction]\nuse = ["claude"]\n'


class Model:
    """A program `claude` on the path, which answers what it is told to; and a session that asks it."""

    def __init__(self, door: Door, run: Run, patch: pytest.MonkeyPatch) -> None:
        self.door, self.run = door, run
        self.folder = door.repo.path.parent
        self.transcript = self.folder / "t.jsonl"
        patch.setenv("XDG_CONFIG_HOME", str(self.folder / "config"))
        patch.setenv("PATH", f"{self.folder}/bin:{os.environ['PATH']}")
        self.configure(CLAUDE)
        self.answers(ARRAY)
        say(self.transcript, "Which store?", USER, role="user")
        say(self.transcript, SAID, TALK)
        self._session = 0

    def configure(self, text: str) -> None:
        path = self.folder / "config/diurna/config.toml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(0o600)

    def answers(self, answer: object) -> None:
        text = answer if isinstance(answer, str) else json.dumps(answer)
        (self.folder / "answer").write_text(text)
        self.script(f"cat > {self.folder}/prompt; cat {self.folder}/answer")

    def script(self, script: str) -> None:
        path = self.folder / "bin/claude"
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"#!/bin/sh\necho >> {self.folder}/asked\n{script}\n")
        path.chmod(0o755)

    @property
    def asked(self) -> int:
        path = self.folder / "asked"
        return path.read_text().count("\n") if path.exists() else 0

    def capture(self, *options: str, again: bool = True) -> tuple[dict[str, Any], str]:
        """Tell the session, as another one unless `again` is off; return the last attempt and what is shown."""
        self._session += again
        asked = "capture", *named(self.transcript, f"s-{self._session}"), *options
        shown = self.run(*asked).out if "--show" in options else ""
        (one,) = self.run(*asked, "--json").json["sessions"]
        return (one["attempts"] or [{"outcome": "none"}])[-1], shown

    def facts(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.run("show", "--json").json["facts"]
        return found


@pytest.fixture
def model(door: Door, run: Run, monkeypatch: pytest.MonkeyPatch) -> Model:
    return Model(door, run, monkeypatch)


def texts(shown: str) -> list[str]:
    """The facts of a log that is shown."""
    return re.findall(r"^- (.*)\n  <!-- id", shown, re.MULTILINE)


QUOTES = {
    " We keep SQLite\nfor the  cache,": True, "We keep SQLite": True, "Do not use Mongo here.": True,
    "we keep SQLite for the cache": False, "We keep SQLite for the caches": False, "SQLite": False,
    "We keep SQLite … no server": False, "e keep SQLite for the cach": False, "for the cache Should we": False, "": False,
    "Bash": False, "use Mongo here": False, "add Redis later": False, "add Redis later?": False,
    "Which store? We keep SQLite": False, "\ud800 keep SQLite": False, "We keep not SQLite for the cache": False,
}  # fmt: skip
ODD: list[dict[str, Any]] = [
    {"kind": "rumour"}, {"kind": None}, {"text": " "}, {"text": "x" * 501}, {"text": 5}, {"quote": "x" * 2000}, {"quote": 7}, {"quote": None}, {"quote": ["We keep SQLite for the cache"]},
]  # fmt: skip


def test_what_nobody_said_is_dropped(model: Model) -> None:
    """Changed, elided, cut out of a word, over two turns, behind a negation, out of a question, too short; no item."""
    rows = [{**GOOD, "text": f"Claim {at}.", "quote": quote} for at, quote in enumerate(QUOTES)]
    model.answers([*rows, *({**GOOD, **odd} for odd in ODD)])
    attempt, shown = model.capture("--show")
    kept = [f"Claim {at}." for at, right in enumerate(QUOTES.values()) if right]
    assert sorted(texts(shown)) == sorted(kept)
    assert (attempt["facts"], attempt["dropped"]) == (len(kept), len(QUOTES) + len(ODD) - len(kept))
    at = model.transcript.read_bytes().index(b'{"type": "assistant"')
    assert f'source: t.jsonl {at} "We keep SQLite for the cache,"' in shown
    assert f"{attempt['dropped']} that nobody said\n" in shown


def test_fields_are_brought_into_bounds(model: Model) -> None:
    """Unknown ids, too many tags, bars in names, secrets; of more than twelve the first ones, none twice."""
    odd = {
        "tags": ["a", "a", "b|c", "d,e", "x" * 99, 5, "f", "g", "h"], "entity": "the\ncache",
        "personal": "yes", "supersedes": ["made-up", 3], "obsolete_when": "it | moves", "text": f"The key is {TOKEN}.",
    }  # fmt: skip
    model.answers([{**GOOD, **odd}])
    _, shown = model.capture("--show")
    assert TOKEN not in shown and "The key is [redacted: github-token]." in shown
    (footer,) = re.findall(r"<!-- (id: .*) -->", shown)
    assert "tags: a, b c, d e, f, g" in footer and "entity: the cache" in footer
    assert "obsolete_when: it / moves" in footer and "supersedes" not in footer
    many = [{**GOOD, "text": f"Fact {at}."} for at in range(30)]
    model.answers([many[0], *many])
    attempt, shown = model.capture("--show")
    assert (attempt["facts"], attempt["dropped"]) == (12, 19)
    assert texts(shown) == [f"Fact {at}." for at in range(12)]


@pytest.mark.parametrize(
    ("answer", "count"),
    [
        (f"```json\n{ARRAY}\n```", 2), (f"Here [1] they are: {ARRAY} Anything else?", 2), ('{"items": ' + ARRAY + "}", 2),
        (ARRAY[:-1], -1), ("[]", 0), ("```\n[ ]\n```", 0),
        ("Nothing here: []", 0), ("\ufeff" + ARRAY, 2),
        ("", -1), ("I found nothing worth keeping.", -1), ("[1, 2]", -1), (ARRAY[:30], -1), (json.dumps(GOOD), -1),
        ('{"tags": [], "x": 1}', -1), ("[" * 100_000, -1), ("[{" * 100_000, -1), ('[{"a": ' + "[" * 100_000, -1), ("null", -1),
    ],
)  # fmt: skip
def test_an_array_is_found(model: Model, answer: str, count: int) -> None:
    """In fences, in prose; an empty one is an answer, and what has no whole one is a failure."""
    model.answers(answer)
    attempt, _ = model.capture()
    assert (attempt["facts"], attempt["outcome"]) == (
        max(count, 0),
        "failed" if count < 0 else "written",
    )
    assert ("has no array" in attempt["said"]) == (count < 0)
    assert count >= 0 or 1 not in attempt.values()
    assert len(model.facts()) == max(count, 0)


# ---- what is asked, and how often ------------------------------------------------------------------


def test_a_program_is_asked(model: Model) -> None:
    """The prompt on its standard input, in an empty folder, as no part of the session, hooks off; secrets stay here."""
    model.run(
        "note",
        "id=a-tea Tea stays hot.",
        "id=cache-store The cache is kept in Redis, on a fast disk of the old machine.",
    )
    say(model.transcript, f"Always use the token {TOKEN} for it.", role="user")
    model.script(
        f'{{ cat; echo "hooks $DIURNA_HOOKS, inside <$CLAUDECODE>, here:"; ls -A; echo "$@"; }} > {model.folder}/seen\n'
        f"cat <<'END'\nHere you are.\n{ARRAY}\nEND"
    )
    attempt, _ = model.capture()
    assert (attempt["facts"], attempt["extractor"], attempt["said"]) == (2, "claude -p", "")
    seen = (model.folder / "seen").read_text()
    assert (
        SAID in seen
        and "cache-store: The cache is kept in Redis, on a fast disk of the old machine.\n" in seen
    )
    assert seen.index("cache-store: ") < seen.index("a-tea: ")  # whose words were said
    assert TOKEN not in seen and "Always use the token [redacted: github-token] for it." in seen
    assert seen.endswith(
        "hooks off, inside <>, here:\n-p --tools  --strict-mcp-config --no-session-persistence\n"
    )


@pytest.mark.parametrize(
    "line", ['keep = "told"\napprove = "ask"', 'keep = "told"\nfacts = "off"', 'keep = "off"']
)
def test_no_model_is_asked_where_the_policy_lets_no_fact_in(model: Model, line: str) -> None:
    """And what was told is told."""
    say(model.transcript, "Remember: webhooks retry three times with jitter.", role="user")
    policy(model.door.repo, line)
    _, shown = model.capture("--show")
    assert model.asked == 0 and texts(shown) == []
    assert ("retry queue" in shown) == ("told" in line)


@pytest.mark.parametrize("trust", ["thread", "supersede"])
def test_what_speaks_against_a_fact(model: Model, trust: str) -> None:
    """It becomes a thread that names both, or where the policy trusts it the successor."""
    policy(model.door.repo, f'keep = "told"\ntrust = "{trust}"')
    model.run("note", "id=cache-store The cache is in Redis.")
    model.answers([{**GOOD, "supersedes": ["cache-store"]}])
    _, shown = model.capture("--show")
    (new,) = re.findall(r"- Created: (\w+)", shown)
    assert (f"- Superseded: cache-store → {new.partition(',')[0]}" in shown) == (
        trust == "supersede"
    )
    assert (f"conflicts: cache-store, {new.partition(',')[0]}" in shown) == (trust == "thread")


def test_what_is_personal_is_recorded_nowhere(model: Model) -> None:
    """Neither in the home of the project, nor beside it; it is counted."""
    model.answers(
        [{**GOOD, "text": "Ada likes tea at four.", "kind": "preference", "personal": True}]
    )
    attempt, _ = model.capture()
    assert (attempt["facts"], attempt["personal"]) == (0, 1)
    assert holders(model.door.repo.path, "tea at four") == []


# ---- what answers badly ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("script", "why"),
    [
        ("echo 'Invalid API key'; exit 1", "exit code 1: Invalid API key"), ("cat", "no array"), ("yes", "too large"),
        ("sleep 30", "0.3 seconds"), ("exec >/dev/null; sleep 30", "0.3 seconds"),
        ("trap '' TERM HUP INT; sleep 30 & sleep 30", "0.3 seconds"), ("kill -9 $$", "exit code -9"),
    ],
)  # fmt: skip
def test_a_program_that_answers_badly(
    model: Model, monkeypatch: pytest.MonkeyPatch, script: str, why: str
) -> None:
    """Ends with all that it started, in time; an example in the prompt that it repeats is no answer."""
    monkeypatch.setattr(
        "rituals.hosts.extraction.PROGRAM_SECONDS", 0.3 if "sleep" in script else 30.0
    )
    model.script(script)
    attempt, _ = model.capture()
    assert attempt["outcome"] == "failed" and why in attempt["said"], attempt


def test_what_a_program_started_ends_with_it(model: Model, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where it went into the background, and the program itself had ended."""
    monkeypatch.setattr("rituals.hosts.extraction.PROGRAM_SECONDS", 1.0)
    for script in (
        "sleep 30 & echo $! > {0}; wait",
        "sleep 30 >/dev/null & echo $! > {0}; echo '[]'",
    ):
        model.script(script.format(model.folder / "pid"))
        model.capture()
        pid = int((model.folder / "pid").read_text())
        for _ in range(200):
            try:
                state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
            except OSError:
                break
            if state == "Z":
                break
            time.sleep(0.01)
        else:
            pytest.fail("it still runs")


def test_a_project_names_no_program(model: Model, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither by a folder of its own on the path, nor by a relative one."""
    work = model.door.repo.path
    (work / "claude").write_text("#!/bin/sh\ntouch ran; echo '[]'\n")
    (work / "claude").chmod(0o755)
    (model.folder / "link").symlink_to(work)
    git = os.environ["PATH"].partition(":")[2]
    for path in (str(work), ".", "", "../shop", f"{model.folder}/link"):
        monkeypatch.setenv("PATH", f"{path}:{git}")
        assert model.capture()[0]["said"] == "claude -p: it is not installed"
    assert not (work / "ran").exists()


Respond = Callable[[BaseHTTPRequestHandler], None]


class Server(ThreadingHTTPServer):
    """An endpoint that answers as it is told."""

    daemon_threads = True
    respond: Respond
    asked: list[tuple[str, dict[str, str], dict[str, Any]]]

    def settings(self, use: str = '"http"') -> str:
        """Those of a user who has this endpoint."""
        url = f"http://127.0.0.1:{self.server_port}/v1"
        return (
            f'[extraction]\nuse = [{use}]\nurl = "{url}"\nmodel = "tiny"\nkey_variable = "MY_KEY"\n'
        )


class Handler(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        assert isinstance(self.server, Server)
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.asked.append((self.path, dict(self.headers), body))
        self.server.respond(self)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def server(model: Model, monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    """An endpoint, for which there is half a second."""
    monkeypatch.setattr("rituals.hosts.extraction.SECONDS", 0.5)
    monkeypatch.setenv("MY_KEY", KEY)
    server = Server(("127.0.0.1", 0), Handler)
    server.asked = []
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    model.configure(server.settings())
    yield server
    server.shutdown()
    server.server_close()
    thread.join()


def saying(text: str, status: int = 200, **headers: str) -> Respond:
    """Answer with a message."""
    said = json.dumps({"choices": [{"message": {"content": text}}]}).encode()
    return sending(said, status, **headers)


def sending(body: bytes, status: int = 200, **headers: str) -> Respond:
    """Answer with these bytes."""

    def respond(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(status)
        for name, value in headers.items():
            handler.send_header(name, value)
        handler.end_headers()
        handler.wfile.write(body)

    return respond


def test_an_endpoint_is_asked(server: Server, model: Model) -> None:
    """With the model at temperature 0 and the key of the named variable; secrets of the session do not leave."""
    say(model.transcript, f"Always use the token {TOKEN} for it.", role="user")
    server.respond = saying(json.dumps([GOOD, {**GOOD, "quote": "We keep Redis for the cache"}]))
    attempt, _ = model.capture()
    assert (attempt["facts"], attempt["extractor"], attempt["dropped"]) == (1, "http:tiny", 1)
    ((path, headers, body),) = server.asked
    assert path == "/v1/chat/completions" and headers["Authorization"] == f"Bearer {KEY}"
    assert (body["model"], body["temperature"]) == ("tiny", 0)
    assert SAID in body["messages"][0]["content"]
    assert KEY not in json.dumps(body) and TOKEN not in json.dumps(body)


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
        (saying("I think there is nothing."), "no array"), (sending(b"<html>"), "no message"),
        (sending(b'{"choices": []}'), "no message"), (sending(b"[" * 100_000), "no message"),
        (sending(b"x" * (2 << 20)), "too large"), (saying("[]", 500), "status 500"), (saying("[]", 401), "status 401"),
        (saying("[]", 302, Location="http://127.0.0.1:9/else"), "status 302"),
        (lambda handler: time.sleep(1), "0.5 seconds"), (dripping, "0.5 seconds"),
        (lambda handler: handler.connection.close(), "broke off"),
        (sending(b"\x00", 200, **{"Content-Length": "99"}), "no message"),
    ],
)  # fmt: skip
def test_an_endpoint_that_answers_badly(
    server: Server, model: Model, respond: Respond, why: str
) -> None:
    """Is asked once; nothing is found, and its key is said nowhere."""
    server.respond = respond
    attempt, _ = model.capture()
    assert attempt["outcome"] == "failed" and why in attempt["said"], attempt
    assert KEY not in attempt["said"] and len(server.asked) == 1


def test_extractors_are_asked_in_order(server: Server, model: Model) -> None:
    """The next one where one fails; nothing where all failed; without a key nobody is asked."""
    server.respond = saying("[]", 500)
    model.configure(server.settings('"http", "claude"'))
    assert model.capture()[0]["extractor"] == "claude -p"
    model.script("exit 3")
    assert "http:tiny: status 500; claude -p: exit code 3" in model.capture()[0]["said"]


@pytest.mark.parametrize("key", ["", " ", "a\nb", "ü"])
def test_without_a_key_or_an_address_nobody_is_asked(
    server: Server, model: Model, monkeypatch: pytest.MonkeyPatch, key: str
) -> None:
    """A key that is none, and an address at which nobody listens."""
    monkeypatch.setenv("MY_KEY", key)
    assert model.capture()[0]["said"] == "http:tiny: $MY_KEY has no key"
    assert server.asked == []
    url = {
        "": "http://127.0.0.1:9/v1",
        " ": "http://[/v1",
        "a\nb": "http://a b/v1",
        "ü": "http://127.0.0.1:99999",
    }[key]
    model.configure(f'[extraction]\nuse = ["http"]\nurl = "{url}"\nmodel = "tiny"\n')
    attempt, _ = model.capture()
    assert attempt["outcome"] == "failed" and attempt["said"].startswith("http:tiny: ")


# ---- what the user configured ----------------------------------------------------------------------


def found_wrong(model: Model) -> str:
    """What `check` says of the user's configuration."""
    found = json.loads(model.run("check", "--json").out)["findings"]
    return "".join(one["message"] for one in found if one["code"] == "capture-settings")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("[extraction", "Expected"), ("extraction = 3", "must be a table"), ('[extraction]\nuse = "http"', "must be a list"),
        ('[extraction]\nuse = ["curl evil"]', "must be a list of http, claude, codex, nobody"),
        ('[extraction]\nuse = ["http"]', "url must begin"), ('[extraction]\nuse = ["http"]\nurl = "file:///etc"', "url must begin"),
        ('[extraction]\nuse = ["http"]\nurl = "http://a"', "model must say"), ('[extraction]\nkey = "sk"', "there is no key"),
        ("[extraction]\nmodel = 3", "must be a text"), ("#" * 70_000, "too large"),
    ],
)  # fmt: skip
def test_what_can_not_be_meant_is_said(model: Model, text: str, why: str) -> None:
    """And then nothing of the file counts, so that nothing goes where it was not meant to."""
    model.configure(text)
    assert why in found_wrong(model)


def test_a_file_that_others_may_write_does_not_count(model: Model) -> None:
    """Nor does a pipe; one that is right, or says nothing of it, is no finding, the example of the manual neither."""
    path = model.folder / "config/diurna/config.toml"
    assert found_wrong(model) == ""
    model.configure((GUIDE / "AGENTS.md").read_text().partition("```toml\n")[2].partition("```")[0])
    assert found_wrong(model) == ""
    path.chmod(0o666)
    assert "everybody" in found_wrong(model) and model.capture()[0]["extractor"] == "sources"
    path.unlink()
    os.mkfifo(path)
    assert "no file of this user" in found_wrong(model) and model.asked == 0
