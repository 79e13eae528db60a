"""Read the content of `diurna append` from options, a markdown file or JSON."""

from __future__ import annotations

from typing import Any

from ledger.codec.validate import read_draft
from ledger.errors import DraftRefused, WrongUsage
from ledger.model.findings import Finding
from memory.write.draft import SessionDraft, draft_of
from rituals.cli.context import STDIN, Invocation
from rituals.record.compose import draft_of_request, kinds_of
from rituals.record.option_values import parse_ids, parse_new, parse_supersede, slip
from rituals.record.request import HEADER_KEYS, ID_LISTS, NewFact, Request, Update
from rituals.record.slips import no_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from memory.api import Memory

#: What options say of a log whose content is JSON.
_WHOSE = ("agent", "type", "anyway", *HEADER_KEYS)
_NEW_HINT = 'for example: --new "decision: Webhooks retry three times."'
_NOTHING_HINT = 'for example: diurna append --title "What I did" --new "fact: What I learned."'


def read_draft_of(
    call: Invocation, memory: Memory, file: str, given: Mapping[str, Any]
) -> tuple[SessionDraft, tuple[Finding, ...]]:
    """Gather what is to be recorded.

    Args:
        call: for reading files and standard input.
        memory: for kinds and ids.
        file: the FILE argument, "" for none.
        given: the options of `append_options`, by name.

    Raises:
        WrongUsage: nothing is given, or two sources for one thing.
        DraftRefused: a file can not be stored canonically.
    """
    kinds = kinds_of(memory)
    sources = [name for name in (file, given["from_json"], given["body"]) if name == STDIN]
    if len(sources) > 1:
        raise WrongUsage("standard input can be only one of FILE, --body and --from-json")
    if not given["anyway"]:
        _refuse_slips(given["new"], kinds)
    request = _request(call, given, kinds)
    if given["from_json"]:
        if file or not request.says_nothing:
            raise WrongUsage("--from-json says the whole log; leave FILE and the other options out")
        from rituals.record.json_request import read_json

        said = read_json(call.read(given["from_json"]), _name(given["from_json"]))
        request = _with_header(said, request)
    elif not file and request.says_nothing:
        if not call.piped():
            raise WrongUsage("there is nothing to append", hint=_NOTHING_HINT)
        file = STDIN
    base = None
    if file:
        data = call.read(file)
        if not data.strip() and request.says_nothing:
            raise WrongUsage(f"{_name(file)} is empty; nothing to append", hint=_NOTHING_HINT)
        base = draft_of(read_draft(data, _name(file)))
        if base.prose and request.body:
            raise WrongUsage(f"both {_name(file)} and --body hold prose", hint="leave --body out")
    if request.says_nothing and base is None:
        raise WrongUsage("there is nothing to append", hint=_NOTHING_HINT)
    return draft_of_request(memory, request, base, options=not given["from_json"])


def _request(call: Invocation, given: Mapping[str, Any], kinds: tuple[str, ...]) -> Request:
    ids: dict[str, Any] = {key: parse_ids(given[key]) for key in ID_LISTS if key != "refs"}
    return Request(
        title=given["title"],
        body=call.read(given["body"]).decode("utf-8", "surrogateescape") if given["body"] else "",
        **{key: given[key] for key in _WHOSE},
        refs=parse_ids(given["ref"]),
        new=tuple(_new(text, kinds) for text in given["new"]),
        update=tuple(Update(fact, text) for fact, text in given["update"]),
        supersede=tuple(parse_supersede(text) for text in given["supersede"]),
        **ids,
    )


def _refuse_slips(texts: tuple[str, ...], kinds: tuple[str, ...]) -> None:
    """Refuse new facts with a kind or key that is none.

    Raises:
        DraftRefused: the findings name each of them, with the right spelling.
    """
    found = tuple(
        wrong._replace(message=f"--new: {wrong.message}")
        for text in texts
        if (wrong := slip(text, kinds)) is not None
    )
    if found:
        raise DraftRefused(found)


def _new(text: str, kinds: tuple[str, ...]) -> NewFact:
    """Read one `--new`.

    Raises:
        WrongUsage: it holds no text.
    """
    new = parse_new(text, kinds)
    if not new.text:
        raise WrongUsage(no_text(text), where="--new", hint=_NEW_HINT)
    return new


def _with_header(request: Request, options: Request) -> Request:
    """Take from the options what JSON does not say of the log's header."""
    return request._replace(
        **{key: getattr(request, key) or getattr(options, key) for key in _WHOSE}
    )


def _name(path: str) -> str:
    return "standard input" if path == STDIN else path
