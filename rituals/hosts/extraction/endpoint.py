"""Ask a model over HTTP: any endpoint that speaks as OpenAI's does.

Nothing follows a redirect, so neither the key nor what was said goes to an address that the user did not
name. The time is that of the whole exchange, however slowly an endpoint drips.
"""

from __future__ import annotations

import json
import queue
import threading
import urllib.error
import urllib.request
from http.client import HTTPException

from rituals.hosts.extraction.extractor_failure import NoAnswer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from rituals.hosts.user_settings import Settings

SECONDS = 20.0
ANSWER_BYTES = 1 << 20


def ask_endpoint(prompt: str, settings: Settings, environment: Mapping[str, str]) -> str:
    """Return what the model answers.

    It is asked once more only where nothing can have been charged the first time. Settings name
    endpoint, model and the variable with the key.

    Raises:
        NoAnswer: there is none.
    """
    request = _request(prompt, settings, environment)
    try:
        return _content(_in_time(request))
    except NoAnswer as failure:
        if not failure.free:
            raise
    return _content(_in_time(request))


def _request(
    prompt: str, settings: Settings, environment: Mapping[str, str]
) -> urllib.request.Request:
    headers = {"Content-Type": "application/json", "Accept": "application/json"}
    if settings.key_variable:
        key = environment.get(settings.key_variable, "").strip()
        if not key or not key.isprintable() or not key.isascii():
            raise NoAnswer(f"${settings.key_variable} has no key")
        headers["Authorization"] = f"Bearer {key}"
    body = {
        "model": settings.model,
        "temperature": 0,
        "messages": [{"role": "user", "content": prompt}],
    }
    url = settings.url.rstrip("/") + "/chat/completions"
    try:
        return urllib.request.Request(url, json.dumps(body).encode(), headers)  # noqa: S310 - http(s) alone
    except ValueError:
        raise NoAnswer("its url is none") from None


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_: object) -> None:
        """Let a redirect be the error that it is."""


def _in_time(request: urllib.request.Request) -> bytes:
    """Exchange in a thread that is left alone when the time is up."""
    done: queue.SimpleQueue[bytes | NoAnswer] = queue.SimpleQueue()
    threading.Thread(target=lambda: done.put(_exchange(request)), daemon=True).start()
    try:
        found = done.get(timeout=SECONDS)
    except queue.Empty:
        raise NoAnswer(f"it took more than {SECONDS:g} seconds") from None
    if isinstance(found, NoAnswer):
        raise found
    return found


def _exchange(request: urllib.request.Request) -> bytes | NoAnswer:
    """Return the body of the answer, or why there is none."""
    try:
        opener = urllib.request.build_opener(_NoRedirect)
        with opener.open(request, timeout=SECONDS) as answer:
            body: bytes = answer.read(ANSWER_BYTES + 1)
        return body if len(body) <= ANSWER_BYTES else NoAnswer("its answer is too large")
    except urllib.error.HTTPError as error:
        why = f"status {error.code}"
        error.close()
        return NoAnswer(why, free=error.code == 429 or error.code >= 500)
    except TimeoutError:
        return NoAnswer(f"it took more than {SECONDS:g} seconds")
    except urllib.error.URLError as error:
        return NoAnswer("it can not be reached", str(error.reason), free=True)
    except (OSError, HTTPException, ValueError) as error:
        return NoAnswer(f"the exchange broke off ({type(error).__name__})")


def _content(body: bytes) -> str:
    """Return the text of an answer."""
    try:
        content = json.loads(body)["choices"][0]["message"]["content"]
    except (ValueError, LookupError, TypeError, RecursionError):
        content = None
    if isinstance(content, list):  # of parts
        content = "".join([str(part.get("text", "")) for part in content if isinstance(part, dict)])
    if not isinstance(content, str):
        raise NoAnswer("its answer has no message", body[:1000].decode("utf-8", "replace"))
    return content
