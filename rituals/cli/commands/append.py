"""Run `diurna append` and `note`: read options, a markdown file, JSON or texts, and record them."""

from __future__ import annotations

import os

from ledger.codec.canonical_draft import read_draft
from ledger.codec.outline import document_text
from ledger.errors import WrongUsage
from ledger.model.verbs import STATES
from memory import SessionDraft, draft_of
from projection.policy.model import FINDING_KIND
from rituals.cli.commands.decisions import answer_recorded, record, record_answer
from rituals.cli.context import STDIN, Invocation
from rituals.cli.operation import DRY_RUN, TITLE, option, word
from rituals.record.draft_composer import kinds_of
from rituals.record.note_lines import FACT, Line
from rituals.record.option_values import (
    ASKED,
    new_facts,
    parse_ids,
    parse_pairs,
    parse_supersede,
    says_nothing,
)
from rituals.record.own_home_parts import Drafts, drafts_of
from rituals.record.request import HEADER_KEYS, Request, Update

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory import Memory

#: What options say of a log whose content is JSON.
_WHOSE = ("agent", "type", "anyway", *HEADER_KEYS)
_NEW_HINT = 'for example: --new "decision: Webhooks retry three times."'
_NOTE_HINT = 'for example: diurna note "decision: Webhooks retry three times."'
_BUG_HINT = 'for example: diurna note "finding: it fails alone" --rule flaky --path tests/a.py'
_NOTHING_HINT = 'for example: diurna append --title "What I did" --new "fact: What I learned."'
#: What `append` and `note` both take.
_WRITER = option("Who writes; else $DIURNA_AGENT, else git's user name.", "NAME")
_SESSION = option("The host's session; its logs of one agent count as one work session. Else "
    "$DIURNA_SESSION, or what the host sets.", "ID")  # fmt: skip
_REF = option("A fact the session relied on; repeat, or separate by commas.", "ID", many=True,
    spelled="--ref --refs")  # fmt: skip
_ANYWAY = option("Allow ids and kinds that memory does not know.")
_AGAIN = option("Record it even if the same was recorded a moment ago.")
_STRICT = option("Refuse a log with a secret, or a fact with the text of another one.")


def append(
    call: Invocation, *,
    file: str = word("[FILE]"), title: str = TITLE,
    body: str = option(
        "Markdown prose: what happened, why, what is next; @FILE reads it, - stdin.", "TEXT"),
    from_json: str = option("The whole log as JSON (- for stdin).", "FILE"),
    ref: tuple[str, ...] = _REF,
    new: tuple[str, ...] = option('A new fact; "KIND: id=my-id entity=NAME priority=low TEXT" says more '
        "of it.", '"KIND: TEXT"', many=True),
    update: tuple[tuple[str, str], ...] = option("A fact gets a new text.", "ID TEXT", many=True, size=2),
    supersede: tuple[str, ...] = option("OLD is false now, NEW replaces it.", "OLD=NEW", many=True),
    invalidate: tuple[str, ...] = option("The fact is false now, nothing replaces it.", "ID", many=True),
    close: tuple[str, ...] = option("The thread, task or finding is done.", "ID", many=True),
    reopen: tuple[str, ...] = option("It is open again.", "ID", many=True),
    reactivate: tuple[str, ...] = option("Take the fact out of the archive.", "ID", many=True),
    move: tuple[str, ...] = option(
        f"The task is in that state now: {', '.join(STATES[1:])}.", "ID=STATE", many=True),
    helped: tuple[str, ...] = option("It helped; the evidence is a command with its exit code, or "
        "PATH:LINE.", "ID=EVIDENCE", many=True),
    ignored: tuple[str, ...] = option(
        "It was shown to a role, else to yours, and was of no use.", "ID[=ROLE]", many=True),
    anyway: bool = _ANYWAY, agent: str = _WRITER,
    role: str = option("In which role.", "NAME"),
    host: str = option("The program the agent runs in.", "NAME"),
    model: str = option("The model it runs on.", "NAME"),
    session: str = _SESSION,
    type: str = option("work (the default; continued behind the first of a session), review, import, edit "
        "or checkpoint.", "TYPE"),
    verdict: str = option("What a judge says: pass, fail, or another word.", "WORD"),
    about: str = option("What the verdict is about, with commas between.", "IDS"),
    tokens: str = option("How many tokens judging took.", "N"),
    again: bool = _AGAIN, strict: bool = _STRICT, dry_run: bool = DRY_RUN,
) -> None:  # fmt: skip
    r"""Append a session log and commit it.

    The log comes from a markdown FILE (- for standard input), from options, from both, or from JSON.
    Agent, time, branch and commit are filled in. Secrets are taken out, and you are told; a line with
    `diurna: allow-secret` is left as it is.

    Examples:
      diurna append --title "Wire the retry queue" --ref api-timeouts \
          --new "decision: Webhooks retry three times." --close find-retry-limit
      diurna append --new "thread: id=retry-storm Can a retry storm starve the API?"
      diurna append --new 'entity="Payments API" decision: A card is charged once.'
      diurna append session.md
      echo '{"title": "Tidy", "new": [{"text": "CI runs on two cores."}]}' |
          diurna append --from-json -
    """
    memory = call.memory()
    if (file, from_json, body).count(STDIN) > 1:
        raise WrongUsage("standard input can be only one of FILE, --body and --from-json")
    if body == STDIN or body[:1] == "@" or os.path.isfile(body):
        body = call.text(body.removeprefix("@"))
    kinds = kinds_of(memory)
    facts, said = new_facts(new, kinds, "--new", _NEW_HINT, anyway=anyway)
    request = Request(
        title, body, agent, role, host, model, session, parse_ids(ref),
        facts, tuple([Update(fact, text) for fact, text in update]),
        tuple([parse_supersede(text) for text in supersede]),
        parse_ids(invalidate), parse_ids(close), parse_ids(reopen), parse_ids(reactivate), anyway, type,
        parse_pairs(move, "--move", "STATE"), parse_pairs(helped, "--helped", "EVIDENCE"),
        parse_pairs(ignored, "--ignored"), verdict, about, tokens,
    )  # fmt: skip
    drafts = _drafts_of(call, memory, file, from_json, request)
    drafts = drafts._replace(findings=(*said, *drafts.findings))
    record(call, drafts, again=again, dry_run=dry_run, strict=strict)


def note(
    call: Invocation, *,
    texts: tuple[str, ...] = word("[TEXT]..."),
    kind: str = option("The kind of each text that names none.", "KIND"),
    replace: tuple[str, ...] = option("The fact that the one TEXT replaces.", "ID", many=True),
    asked: tuple[str, ...] = option(
        "How somebody will ask for the one TEXT; recall finds it by that.", "QUESTION", many=True),
    ref: tuple[str, ...] = _REF, title: str = TITLE, agent: str = _WRITER, session: str = _SESSION,
    rule: str = option("The one TEXT is a finding: what it breaks.", "NAME"),
    path: str = option("With --rule: the file, as the repository has it.", "PATH"),
    symbol: str = option("With --rule: the function, class or route.", "NAME"),
    role: str = option("With --rule: in which role.", "NAME"),
    anyway: bool = _ANYWAY, again: bool = _AGAIN, strict: bool = _STRICT, dry_run: bool = DRY_RUN,
) -> None:  # fmt: skip
    """Record facts, one for each text: the short form of `append --new`.

    A text may begin with its kind (`decision: …`, `lesson: …`, `thread: …`), and before that with
    `id=my-id`, `entity=NAME`, `tags=NAME`. `ID -> KIND: text` replaces a fact, `done ID` closes a thread,
    `wrong ID` says that a fact is false, `used ID, ID` that you relied on them, `title: …` what was done.

    Without TEXT, or with -, it reads the lines or bullets on standard input, however they are marked; a
    bullet with an open checkbox is a thread. What cannot be recorded is named, and the other lines are
    recorded. `nothing` records nothing.

    A finding is what an auditor, a test or a linter found wrong. With --rule it is one fact however often
    it is found: rule, path, symbol and the message without its numbers make the id. One that was closed
    and is met again is open again, and `regressed`.

    Examples:
      diurna note "decision: We use uv, not pip."
      diurna note "decision: Webhooks retry three times." --replace webhook-once
      diurna note "CI runs on two cores." "thread: Is one retry enough?" --ref api-timeouts
      diurna note "finding: it fails alone" --rule flaky --path tests/a.py
      diurna note --dry-run < notes.md
    """
    if rule or path or symbol:
        if len(texts) != 1 or not rule or replace or asked or ref or title or again or strict:
            raise WrongUsage(
                "--rule takes one text, and --path, --symbol, --role, --agent", hint=_BUG_HINT
            )
        return _note_finding(call, (rule, texts[0], path, symbol), agent, role, dry_run)
    from rituals.record.agent_reply import answer_of, replacing

    memory, how = call.memory(), {"again": again, "dry_run": dry_run, "strict": strict}
    lines = _lines_of(call, kinds_of(memory), texts, anyway=anyway)
    lines = replacing(memory, lines, parse_ids(replace))
    if asked and sum(line.what == FACT for line in lines) > 1:
        raise WrongUsage(
            "--asked is of one text, and there are several",
            hint='put `asked="QUESTION; QUESTION"` before the kind of each',
        )
    lines += tuple([Line(ASKED, one, said=f"asked: {one}") for one in asked])
    if not lines and not title:
        return record_answer(call, None, (), **how)
    header = Request(title=title, agent=agent, session=session, refs=parse_ids(ref), anyway=anyway)
    shown, session = set[str](), session or memory.occasion().session
    if session:
        from rituals.hosts.context.session_cursor import shown_to

        shown = shown_to(memory.home.repository.commondir, session)
    request, said = answer_of(memory, lines, header, kind, shown)
    record_answer(call, request, said, **how)


def _note_finding(
    call: Invocation, bug: tuple[str, str, str, str], agent: str, role: str, dry_run: bool
) -> None:
    """Record what was found wrong: a new one is born open, an open one named, a fixed one opened again."""
    from projection.work.reported_findings import BugFound
    from rituals.answers.record_to_dict import fields_of
    from rituals.review.finding_reports import report

    rule, text, path, symbol = bug
    found_bug = BugFound(rule, text.removeprefix(f"{FINDING_KIND}:").strip(), path, symbol)
    draft = SessionDraft(title="", agent=agent, header=(("role", role),) if role else ())
    taken, outcome, receipt = report(call.memory(), found_bug, draft, dry_run=dry_run)
    told = {**fields_of(taken, "id text rule path symbol"), "outcome": outcome}
    line = (taken.id, "yellow"), f"  {outcome:<9}  {taken.text}"
    answer_recorded(call, receipt, [line], finding=told, dry_run=dry_run)


def _drafts_of(
    call: Invocation, memory: Memory, file: str, from_json: str, request: Request
) -> Drafts:
    """Gather what is to be recorded, from the FILE argument ("" for none), JSON and the options."""
    if from_json:
        if file or not request.says_nothing:
            raise WrongUsage("--from-json says the whole log; leave FILE and the other options out")
        from rituals.record.json_request import read_json

        whole = read_json(
            call.text(from_json), "standard input" if from_json == STDIN else from_json
        )
        # what JSON does not say of the log's header, the options may
        header = {key: getattr(whole, key) or getattr(request, key) for key in _WHOSE}
        request = whole._replace(**header)
    elif not file and request.says_nothing and call.piped():
        file = STDIN
    base = None
    if file:
        data, name = call.read(file), "standard input" if file == STDIN else file
        text = document_text(data)
        data = data if text is None else text.encode()
        if not data.strip() and request.says_nothing:
            raise WrongUsage(f"{name} is empty; nothing to append", hint=_NOTHING_HINT)
        base = draft_of(read_draft(data, name))
        if base.prose and request.body:
            raise WrongUsage(f"both {name} and --body hold prose", hint="leave --body out")
    if request.says_nothing and base is None:
        raise WrongUsage("there is nothing to append", hint=_NOTHING_HINT)
    return drafts_of(memory, request, base, options=not from_json)


def _lines_of(
    call: Invocation, kinds: tuple[str, ...], texts: tuple[str, ...], *, anyway: bool
) -> tuple[Line, ...]:
    """Read a short write, without texts the answer on standard input."""
    from rituals.record.note_lines import line_read, lines_of

    if texts == (STDIN,) or (not texts and call.piped()):
        return lines_of(call.text(STDIN), kinds)
    if not texts:
        raise WrongUsage("there is nothing to note", hint=_NOTE_HINT)
    if len(texts) == 1 and says_nothing(texts[0]) and texts[0].strip():
        return ()
    if len(texts) > 1 and not all(len(text.split()) > 1 for text in texts):
        raise WrongUsage("is each word a fact? put the text in quotes", hint=_NOTE_HINT)
    lines = tuple([line_read(text, kinds) for text in texts])
    told = tuple([one.text for one in lines if one.what == FACT and not one.ids])
    new_facts(told, kinds, "note", _NOTE_HINT, anyway=anyway)
    return lines
