"""Find what others have to know in what was said, by the model that the user chose.

A model is asked over HTTP, at any endpoint that speaks as OpenAI's does, or by the program of a host.
Nothing follows a redirect, so neither the key nor what was said goes to an address that the user did not
name. A program runs in an empty folder, with Diurna's hooks off and without tools that could do what a
session tells it to, and ends with all that it started. The time is that of the whole exchange. Of the
answer only what somebody said is taken: each item has the words that bear it out, in one turn.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from importlib.resources import files

from ledger.environment import monotonic, working_directory
from ledger.escape import prose, visible
from ledger.model.ids import sha256
from ledger.model.record import TYPE_CHECKING, Record
from ledger.secrets.scanner import without_secrets
from projection.policy.model import BUILT_IN_KINDS, DELIBERATE, THREAD_KIND
from projection.text.clipping import clipped
from rituals.hosts.transcripts.turns import ASSISTANT, USER, Turn
from rituals.hosts.user_settings import HTTP, Settings

if TYPE_CHECKING:
    import subprocess
    import urllib.request

#: What is told without a model.
SOURCES = "sources"
KINDS = tuple(kind.name for kind in BUILT_IN_KINDS if kind.name not in DELIBERATE)
#: At most so many items come of a slice, each with at most so many tags.
_MOST_ITEMS, _MOST_TAGS = 12, 5


class Item(Record):
    """Something that others have to know."""

    kind: str  #: of the fact
    text: str  #: in words that can be understood without the session
    quote: str  #: the words of the session that say it, on one line
    entity: str = ""  #: what it is about
    tags: tuple[str, ...] = ()  #: at most 5
    personal: bool = False  #: it is about the person, not about the project
    supersedes: tuple[str, ...] = ()  #: ids of known facts that no longer hold
    obsolete_when: str = ""  #: what will make an end of it
    at: int = 0  #: the byte at which the line of the transcript starts that has the quote


class Extraction(Record):
    """What became of turns."""

    items: tuple[Item, ...] = ()  #: at most 12
    #: what found them: "sources", "http:MODEL", "claude -p" or "codex exec -"
    extractor: str = SOURCES
    dropped: int = 0  #: how many more it gave that nobody said, or that are none
    failed: str = ""  #: why there are none, "" where it was no failure: none is an answer, too


class NoAnswer(Exception):
    """A model gave no answer that can be read: why, in our words, and how its own words begin."""

    def __init__(self, why: str, said: str = "") -> None:
        said = without_secrets(prose(said[:1_200]))[:120]
        super().__init__(f"{why}: {said}" if said else why)


def extract(
    turns: Sequence[Turn],
    known: Sequence[tuple[str, str]],
    settings: Settings,
    environment: Mapping[str, str],
    kinds: Collection[str] = KINDS,
) -> Extraction:
    """Find what others have to know in what was said.

    Turns in which nobody said anything ask no model. Where all that the user chose fail, nothing is
    found, and why is told. `known` has ids and texts of the facts that may be superseded.
    """
    turns = [  # without secrets, as they leave the machine, and nothing that can not be seen
        turn._replace(
            text=visible(without_secrets(turn.text)), asked=visible(without_secrets(turn.asked))
        )
        for turn in turns
        if turn.text and turn.role in (USER, ASSISTANT)
    ]
    failures: list[str] = []
    for extractor in settings.extractors if turns else ():
        prompt, http = _prompt(turns, known, kinds), extractor == HTTP
        name, command = (f"http:{settings.model}", ()) if http else PROGRAMS[extractor]
        try:
            answer = (
                _ask_endpoint(prompt, settings, environment)
                if http
                else _ask_program(command, prompt, environment)
            )
            given = _items_in(answer)
        except NoAnswer as failure:
            failures.append(f"{name}: {failure}")
            continue
        ids, found = {id for id, _ in known}, dict[str, Item]()
        for one in given:
            item = _item(one, turns, ids, kinds)
            if item is not None and len(found) < _MOST_ITEMS:
                found.setdefault(item.text.casefold(), item)
        return Extraction(tuple(found.values()), name, len(given) - len(found))
    return Extraction(failed="; ".join(failures))


#: What of a session is shown. Of an agent's turn less than of a person's; the oldest are left out first.
_SESSION_CHARS, _USER_CHARS, _AGENT_CHARS = 120_000, 6_000, 3_000
_KNOWN, _KNOWN_CHARS = 60, 200


def _prompt(turns: Sequence[Turn], known: Sequence[tuple[str, str]], kinds: Collection[str]) -> str:
    facts = "\n".join([f"{name}: {_cut(text, _KNOWN_CHARS)}" for name, text in known[:_KNOWN]])
    shown: list[str] = []
    room = _SESSION_CHARS
    for turn in reversed(turns):
        asked = f"(asked: {_cut(' '.join(turn.asked.split()), _KNOWN_CHARS)}) " * bool(turn.asked)
        said = _cut(turn.text, _USER_CHARS if turn.role == USER else _AGENT_CHARS)
        shown.insert(0, f"[{turn.role}] {asked}{said}")
        room -= len(shown[0])
        if room <= 0:
            del shown[0]
            break
    session = "\n\n".join(shown)
    mark = sha256(f"{facts}\n{session}".encode("utf-8", "replace")).hexdigest()[:16]
    text = files(__package__).joinpath("extraction.txt").read_text("utf-8")
    rules = text.format(items=_MOST_ITEMS, tags=_MOST_TAGS, kinds=", ".join(kinds))
    return (
        f"{rules}\n<known-{mark}>\n{facts}\n</known-{mark}>\n\n"
        f"<session-{mark}>\n{session}\n</session-{mark}>\n"
    )


def _cut(text: str, limit: int) -> str:
    """Take the middle out of a text that is too long."""
    half = limit // 2
    return text if len(text) <= limit else f"{text[:half]}\n[…]\n{text[-half:]}"


SECONDS, PROGRAM_SECONDS, _STEP_SECONDS = 20.0, 90.0, 0.05
ANSWER_BYTES = 1 << 20


def _ask_endpoint(prompt: str, settings: Settings, environment: Mapping[str, str]) -> str:
    """Return what a model answers, in a thread that is left alone when the time is up."""
    import threading
    from urllib.request import Request

    headers = {"Content-Type": "application/json", "Accept": "application/json"}
    if settings.key_variable:
        key = environment.get(settings.key_variable, "").strip()
        if not key or not key.isprintable() or not key.isascii():
            raise NoAnswer(f"${settings.key_variable} has no key")
        headers["Authorization"] = f"Bearer {key}"
    said = {"model": settings.model, "temperature": 0,
            "messages": [{"role": "user", "content": prompt}]}  # fmt: skip
    url = settings.url.rstrip("/") + "/chat/completions"
    try:
        request = Request(url, json.dumps(said).encode(), headers)  # noqa: S310 - http(s) alone
    except ValueError:
        raise NoAnswer("its url is none") from None
    done: list[bytes | NoAnswer] = []
    thread = threading.Thread(target=lambda: done.append(_exchange(request)), daemon=True)
    thread.start()
    thread.join(SECONDS)
    body = done[0] if done else NoAnswer(f"it took more than {SECONDS:g} seconds")
    if isinstance(body, NoAnswer):
        raise body
    try:
        content = json.loads(body)["choices"][0]["message"]["content"]
    except (ValueError, LookupError, TypeError, RecursionError):
        content = None
    if isinstance(content, list):  # of parts
        content = "".join([str(part.get("text", "")) for part in content if isinstance(part, dict)])
    if not isinstance(content, str):
        raise NoAnswer("its answer has no message", body[:1000].decode("utf-8", "replace"))
    return content


def _exchange(request: urllib.request.Request) -> bytes | NoAnswer:
    """Return the body of the answer, or why there is none."""
    from http.client import HTTPException
    from urllib.error import HTTPError
    from urllib.request import HTTPRedirectHandler, build_opener

    handler = HTTPRedirectHandler()
    handler.redirect_request = lambda *_: None  # type: ignore[method-assign]  # it is an error
    try:
        with build_opener(handler).open(request, timeout=2 * SECONDS) as answer:
            body: bytes = answer.read(ANSWER_BYTES + 1)
        return body if len(body) <= ANSWER_BYTES else NoAnswer("its answer is too large")
    except HTTPError as error:
        error.close()
        return NoAnswer(f"status {error.code}")
    except (OSError, HTTPException, ValueError) as error:
        return NoAnswer(f"the exchange broke off ({type(error).__name__})")


#: By the user's word for it its name in a log, and the command: no tools, or none that run commands or
#: reach out, and no trace of it.
PROGRAMS = {
    "claude": ("claude -p", ("claude", "-p", "--tools", "", "--strict-mcp-config",
                             "--no-session-persistence")),
    "codex": ("codex exec -", (
        "codex", "exec", "--sandbox", "read-only", "-c", "features.shell_tool=false", "-c",
        "web_search=disabled", "--skip-git-repo-check", "--ephemeral", "-")),
}  # fmt: skip
#: By what begins so a program would take itself for a part of the session that called us.
_OF_THE_SESSION = (
    "CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT", "CLAUDE_CODE_SESSION_ID", "CLAUDE_CODE_CHILD_",
    "CLAUDE_CODE_MESSAGING_", "CLAUDE_CODE_SSE_PORT", "CLAUDE_PROJECT_DIR", "CLAUDE_PID",
    "CLAUDE_ENV_FILE", "CODEX_THREAD_ID", "CODEX_SANDBOX",
)  # fmt: skip


def _ask_program(command: Sequence[str], prompt: str, environment: Mapping[str, str]) -> str:
    """Return what a program answers on its standard output to a prompt on its standard input."""
    import subprocess
    import tempfile

    found = _found(command[0], environment)
    variables = {
        key: value for key, value in environment.items() if not key.startswith(_OF_THE_SESSION)
    }
    variables["DIURNA_HOOKS"] = "off"  # else it would ask itself without end (fault:K9)
    with tempfile.TemporaryFile() as said, tempfile.TemporaryFile() as heard:
        said.write(prompt.encode("utf-8", "replace"))
        said.seek(0)
        with tempfile.TemporaryDirectory() as folder:
            try:
                process = subprocess.Popen(  # noqa: S603 - one of two commands
                    (found, *command[1:]), cwd=folder, env=variables, start_new_session=True,
                    stdin=said, stdout=heard, stderr=subprocess.DEVNULL,
                )  # fmt: skip
            except (OSError, ValueError) as problem:
                raise NoAnswer(f"it does not start ({type(problem).__name__})") from None
            _wait(process, heard.fileno())
        heard.seek(0)
        answer = heard.read(ANSWER_BYTES + 1)
    if len(answer) > ANSWER_BYTES:
        raise NoAnswer("its answer is too large")
    text = answer.decode("utf-8", "replace")
    if process.returncode:
        raise NoAnswer(f"exit code {process.returncode}", text)
    return text


def _wait(process: subprocess.Popen[bytes], heard: int) -> None:
    """Wait for a program, and end all that it started."""
    import signal
    from subprocess import TimeoutExpired

    deadline, over = monotonic() + PROGRAM_SECONDS, False
    try:
        while process.poll() is None and not over and os.fstat(heard).st_size <= ANSWER_BYTES:
            over = monotonic() > deadline
            with suppress(TimeoutExpired):
                process.wait(_STEP_SECONDS)
    finally:
        with suppress(OSError):  # all of it has ended
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    if over:
        raise NoAnswer(f"it took more than {PROGRAM_SECONDS:g} seconds")


def _found(name: str, environment: Mapping[str, str]) -> str:
    """Return the program, from no folder of the project that we are in."""
    import shutil

    here = os.path.join(os.path.realpath(working_directory()), "")
    folders = [one for one in environment.get("PATH", "").split(os.pathsep) if os.path.isabs(one)]
    outside = [
        one for one in folders if not os.path.join(os.path.realpath(one), "").startswith(here)
    ]
    found = shutil.which(name, path=os.pathsep.join(outside))
    if found is None:
        raise NoAnswer("it is not installed")
    return found


#: So many places are looked at where an array may begin.
_TRIES = 32
_READER = json.JSONDecoder()


def _items_in(answer: str) -> list[dict[str, object]]:
    """Return the objects of the array that a model answered with; `[]` is an answer, too.

    Raises:
        NoAnswer: it has no whole array.
    """
    at = answer.find("[")
    for _ in range(_TRIES):
        if at < 0:
            break
        with suppress(ValueError, RecursionError):
            found, _ = _READER.raw_decode(answer, at)
            inner = "{" in answer[:at]  # the tags of an item, perhaps
            if all(isinstance(one, dict) for one in found) and (found or not inner):
                return list(found)
        at = answer.find("[", at + 1)
    raise NoAnswer("its answer has no array", answer)


_TEXT_CHARS, _QUOTE_CHARS, _NAME_CHARS = 500, 1000, 80


def _item(
    answer: dict[str, object],
    turns: Sequence[Turn],
    known: Collection[str],
    kinds: Collection[str],
) -> Item | None:
    """Return an item; None where it is none, or where nobody said so."""
    kind, text, quote = (_line(answer.get(key)) for key in ("kind", "text", "quote"))
    if kind not in kinds or not text or len(text) > _TEXT_CHARS or len(quote) > _QUOTE_CHARS:
        return None
    stated = kind != THREAD_KIND
    at = next((one.at for one in turns if _says(one.text, quote, stated=stated)), None)
    if at is None:
        return None
    tags, old = answer.get("tags"), answer.get("supersedes")
    names = [_name(tag) for tag in (tags if isinstance(tags, list) else ())]
    return Item(
        kind,
        without_secrets(text),
        without_secrets(quote),
        _name(answer.get("entity")),
        tuple(dict.fromkeys(filter(None, names)))[:_MOST_TAGS],
        answer.get("personal") is True,
        tuple([one for one in (old if isinstance(old, list) else ()) if one in known]),
        clipped(without_secrets(_line(answer.get("obsolete_when"))).replace("|", "/"), _TEXT_CHARS),
        at,
    )


def _line(value: object) -> str:
    """Return a text on one line that can be written."""
    text = value.encode("utf-8", "replace").decode() if isinstance(value, str) else ""
    return " ".join(text.split())


def _name(value: object) -> str:
    """Return what can stand in a list in a footer, "" where it is too long for a name."""
    line = without_secrets(_line(value)).replace("|", " ").replace(",", " ")
    return " ".join(line.split()) if len(line) <= _NAME_CHARS else ""


#: What is shorter bears nothing out; a script without blanks says as much in fewer characters.
_LEAST_CHARS, _LEAST_UNSPACED, _NO_BLANKS = 8, 4, "\u2e80"
_QUESTION = re.compile("[^.!;\n。\uff01?\uff1f]*[?\uff1f]")


def _says(text: str, quote: str, *, stated: bool) -> bool:
    """Tell whether a turn says a quote, word for word, from where a part of a sentence begins.

    So none is cut out behind a "not". What has to be `stated` must not be a part of a question.
    """
    if len(quote) < (_LEAST_UNSPACED if max(quote, default="") >= _NO_BLANKS else _LEAST_CHARS):
        return False
    text = "\n".join([" ".join(line.split()) for line in text.split("\n")])
    place = text.replace("\n", " ").find(quote)
    if place < 0:
        return False
    end, before = place + len(quote), text[max(0, place - 2) : place].rstrip(" ")
    goes_on = text[end : end + 1].isalnum() and quote[-1].isalnum() and quote[-1] < _NO_BLANKS
    asked = stated and _QUESTION.match(text, end - 1)
    return not (before[-1:].isalnum() or goes_on or asked)
