"""Run `diurna append` and `note`: read options, a markdown file, JSON or texts, and record them."""

from __future__ import annotations

import os
import re

from ledger.codec.plain_text import NO_TEXT, document_text
from ledger.codec.validate import read_draft
from ledger.errors import NotFound, WrongUsage
from memory.write.draft import SessionDraft, draft_of
from projection.policy.model import FINDING_KIND
from projection.text.clipping import one_line
from rituals.cli.context import STDIN, Invocation
from rituals.cli.terminal.receipt_text import record, record_answer
from rituals.record.draft_composer import kinds_of
from rituals.record.note_lines import FACT
from rituals.record.option_values import (
    new_fact,
    parse_ids,
    parse_pairs,
    parse_supersede,
    slips_of,
)
from rituals.record.own_home_parts import Drafts, drafts_of
from rituals.record.request import HEADER_KEYS, ID_LISTS, Request, Update
from rituals.record.slips import says_nothing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from memory.api import Memory
    from rituals.record.answer_lines import Answer

#: The options of how a log is written.
_HOW = ("again", "strict", "dry_run")
#: What options say of a log whose content is JSON.
_WHOSE = ("agent", "type", "anyway", *HEADER_KEYS)
_NEW_HINT = 'for example: --new "decision: Webhooks retry three times."'
_NEW = "--new"
_NOTE_HINT = 'for example: diurna note "decision: Webhooks retry three times."'
_BUG_HINT = 'for example: diurna note "finding: it fails alone" --rule flaky --path tests/a.py'
_FILE_HINT = (
    "name a file that can be read, or - for standard input; `diurna note TEXT` records a text"
)
#: What is hardly a text: a path without blanks, or a word with the ending of a file.
_FILE_NAME = re.compile(r"[^\s]*(?:/[^\s]*|[^\s.]\.[A-Za-z]\w{0,4})")
_BODY_HINT = "`--body @FILE` reads a file, `--body -` standard input; else the text itself is given"
_NOTHING_HINT = 'for example: diurna append --title "What I did" --new "fact: What I learned."'


def append(call: Invocation, /, file: str, **given: Any) -> None:
    """Run `diurna append`."""
    how = {name: given.pop(name) for name in _HOW}
    record(call, _read_draft_of(call, call.memory(), file, given), **how)


def note(call: Invocation, /, texts: tuple[str, ...], **given: Any) -> None:
    """Run `diurna note`."""
    if given["rule"] or given["path"] or given["symbol"]:
        return _note_finding(call, texts, given)
    how = {name: given[name] for name in _HOW}
    record_answer(call, _read_note_of(call, call.memory(), texts, given), **how)


def _note_finding(call: Invocation, texts: tuple[str, ...], given: Mapping[str, Any]) -> None:
    """Record what was found wrong: a new one is born open, an open one named, a fixed one opened again."""
    from projection.work.finding_facts import BugFound
    from rituals.answers.record_fields import fields_of
    from rituals.review.finding_reports import report

    others = ("replace", "asked", "ref", "title", "again", "strict")
    if len(texts) != 1 or not given["rule"] or any(given[key] for key in others):
        raise WrongUsage(
            "--rule takes one text, and --path, --symbol, --role, --agent", hint=_BUG_HINT
        )
    message = texts[0].removeprefix(f"{FINDING_KIND}:").strip()
    bug = BugFound(given["rule"], message, given["path"], given["symbol"])
    header = (("role", given["role"]),) if given["role"] else ()
    draft = SessionDraft(title="", agent=given["agent"], header=header)
    memory, out, dry_run = call.memory(), call.out, given["dry_run"]
    found = report(memory, (bug,), draft, dry_run=dry_run)
    (taken,), receipt = found.taken, found.receipt
    call.landed = bool(receipt and receipt.commit)
    if call.json:
        stored = (
            fields_of(receipt, "stem commit already") if receipt else {"stem": "", "commit": ""}
        )
        told = {**fields_of(taken.bug, "id text rule path symbol"), "outcome": taken.outcome}
        out.answer({**stored, "finding": told, "dry_run": dry_run})
    else:
        out.line((taken.bug.id, "yellow"), f"  {taken.outcome:<9}  {taken.bug.text}")
    if receipt is not None:
        out.findings(receipt.findings)


def _read_draft_of(call: Invocation, memory: Memory, file: str, given: Mapping[str, Any]) -> Drafts:
    """Gather what is to be recorded, from the FILE argument ("" for none) and the options."""
    kinds = kinds_of(memory)
    sources = [name for name in (file, given["from_json"], given["body"]) if name == STDIN]
    if len(sources) > 1:
        raise WrongUsage("standard input can be only one of FILE, --body and --from-json")
    said = slips_of(given["new"], kinds, _NEW, anyway=given["anyway"])
    request = _request(call, given, kinds)
    if given["from_json"]:
        if file or not request.says_nothing:
            raise WrongUsage("--from-json says the whole log; leave FILE and the other options out")
        from rituals.record.json_request import read_json

        whole = read_json(call.text(given["from_json"]), _name(given["from_json"]))
        # what JSON does not say of the log's header, the options may
        header = {key: getattr(whole, key) or getattr(request, key) for key in _WHOSE}
        request = whole._replace(**header)
    elif not file and request.says_nothing:
        if not call.piped():
            raise WrongUsage("there is nothing to append", hint=_NOTHING_HINT)
        file = STDIN
    base = None
    if file:
        data = _read(call, file)
        text = document_text(data)
        data = data if text is None else text.encode()
        if not data.strip() and request.says_nothing:
            raise WrongUsage(f"{_name(file)} is empty; nothing to append", hint=_NOTHING_HINT)
        base = draft_of(read_draft(data, _name(file)))
        if base.prose and request.body:
            raise WrongUsage(f"both {_name(file)} and --body hold prose", hint="leave --body out")
    if request.says_nothing and base is None:
        raise WrongUsage("there is nothing to append", hint=_NOTHING_HINT)
    drafts = drafts_of(memory, request, base, options=not given["from_json"])
    return drafts._replace(findings=(*said, *drafts.findings))


def _read_note_of(
    call: Invocation, memory: Memory, texts: tuple[str, ...], given: Mapping[str, Any]
) -> Answer | None:
    """Read a short write, without texts the answer on standard input; None where it says nothing."""
    from rituals.hosts.context.session_cursor import shown_to
    from rituals.record.answer_lines import answer_of, replacing
    from rituals.record.note_lines import line_read, lines_of

    kinds, piped = kinds_of(memory), texts == (STDIN,) or (not texts and call.piped())
    if piped:
        lines = lines_of(_piped_text(call), kinds)
    elif not texts:
        raise WrongUsage("there is nothing to note", hint=_NOTE_HINT)
    elif len(texts) == 1 and says_nothing(texts[0]) and texts[0].strip():
        lines = ()
    else:
        if len(texts) > 1 and not all(len(text.split()) > 1 for text in texts):
            raise WrongUsage("is each word a fact? put the text in quotes", hint=_NOTE_HINT)
        lines = tuple([line_read(text, kinds) for text in texts])
        told = tuple([one.text for one in lines if one.what == FACT and not one.ids])
        slips_of(told, kinds, anyway=given["anyway"])
        for text in told:
            new_fact(text, kinds, "note", _NOTE_HINT)
    lines = replacing(memory, lines, parse_ids(given["replace"]))
    if not lines and not given["title"]:
        return None
    header = Request(
        title=given["title"], agent=given["agent"], session=given["session"],
        refs=parse_ids(given["ref"]), anyway=given["anyway"],
    )  # fmt: skip
    asked = piped and not given["anyway"] and not given["strict"]
    session = given["session"] or memory.occasion().session
    shown = shown_to(memory.home.repository.commondir, session)
    how = {"asked": asked, "shown": shown, "dry_run": given["dry_run"]}
    answer = answer_of(memory, lines, header, given["kind"], **how)
    return _with_questions(answer, given["asked"])


def _piped_text(call: Invocation) -> str:
    """Read standard input without the lines that are no text, and name these."""
    data = call.read(STDIN)
    text = document_text(data)
    if text is None:
        said = [document_text(b"\n" + line) for line in data.split(b"\n")]
        for number in [number for number, line in enumerate(said, 1) if line is None]:
            call.out.aside(f"line {number} is not recorded: {NO_TEXT}")
        text = "".join(filter(None, said))
    return text


def _with_questions(answer: Answer, asked: tuple[str, ...]) -> Answer:
    """Say of the one fact of an answer how it will be asked for."""
    from rituals.record.answer_lines import with_asked

    new = answer.request.new
    if not asked or not new:
        return answer
    if len(new) > 1:
        raise WrongUsage(
            "--asked is of one text, and there are several",
            hint='put `asked="QUESTION; QUESTION"` before the kind of each',
        )
    return answer._replace(request=answer.request._replace(new=(with_asked(new[0], asked),)))


def _request(call: Invocation, given: Mapping[str, Any], kinds: tuple[str, ...]) -> Request:
    ids: dict[str, Any] = {key: parse_ids(given[key]) for key in ID_LISTS if key != "refs"}
    return Request(
        title=given["title"],
        body=_body(call, given["body"]),
        **{key: given[key] for key in _WHOSE},
        refs=parse_ids(given["ref"]),
        new=tuple(new_fact(text, kinds, _NEW, _NEW_HINT) for text in given["new"]),
        update=tuple(Update(fact, text) for fact, text in given["update"]),
        supersede=tuple(parse_supersede(text) for text in given["supersede"]),
        move=parse_pairs(given["move"], "--move", "STATE"),
        helped=parse_pairs(given["helped"], "--helped", "EVIDENCE"),
        ignored=parse_pairs(given["ignored"], "--ignored"),
        **ids,
    )


def _body(call: Invocation, said: str) -> str:
    """Read the prose of an append: the text itself, `@FILE`, or - for standard input."""
    file = said.removeprefix("@")
    if said != STDIN and file == said:
        if not os.path.isfile(said):
            if _FILE_NAME.fullmatch(said):
                raise NotFound("there is no such file", where=f"--body {said}", hint=_BODY_HINT)
            return said
        call.out.aside(f"{said} is read as a file; `--body @{said}` says so")
    return call.text(file)


def _read(call: Invocation, file: str) -> bytes:
    """Read the FILE of an append; where it is a text and no file, name the command that records one."""
    if file != STDIN and not os.path.exists(file):
        raise NotFound("there is no such file", where=one_line(file), hint=_FILE_HINT)
    return call.read(file)


def _name(path: str) -> str:
    return "standard input" if path == STDIN else path
