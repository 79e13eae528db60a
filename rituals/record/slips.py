"""Find what is wrong with a request, and say it in the same words whichever way it came.

Only the place is named as its author wrote it: an option (`--ref`) or a key (`refs.0`).
What agents call kinds of facts and lines of an answer in their languages is no slip.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import get_close_matches
from unicodedata import normalize

from ledger.errors import DraftRefused
from ledger.model.findings import Finding
from ledger.model.ids import is_fact_id
from ledger.model.session import IMPORT_KEYS
from ledger.model.verbs import STATES, is_state
from memory.write.draft_checks import meant_key
from rituals.record.request import NewFact, Request

#: A kind -> what else it is called; a kind of the policy goes before.
_KINDS = {
    "decision": "choice decided entscheidung décision decisão решение 决定 决策",
    "invariant": "constraint",
    "convention": "rule regel règle regra правило 规则 约定",
    "thread": (
        "open todo next fixme bug action issue follow-up offen ouvert à-faire pendente aberto открыто "
        "осталось 待办 未决"
    ),
    "preference": "pref",
    "fact": "tatsache fakt fait fato факт 事实",
}
#: What is a fact with the tag of a lesson.
_LESSONS = (
    "lesson learning gotcha caveat cause pitfall root-cause lehre lektion erkenntnis leçon lição урок "
    "教训 经验"
)
LESSON = "lesson"
_MEANT = {word: (kind, "") for kind, words in _KINDS.items() for word in words.split()}
_MEANT |= dict.fromkeys(_LESSONS.split(), ("fact", LESSON))
#: Words that begin the other lines of an answer.
TITLE, DONE, WRONG, USED, ASKED = "title", "done", "wrong", "used", "asked"
_LINES = {
    TITLE: "title titel titre título заголовок название 标题",
    DONE: "done closed erledigt сделано 完成",
    WRONG: "wrong falsch faux errado неверно 错误",
    ASKED: "asked gefragt demandé perguntado",
    USED: "used benutzt utilisé usado использовано 使用",
}
_LINE_WORDS = {word: line for line, words in _LINES.items() for word in words.split()}
_NOTHING = re.compile(
    r"(?:nothing|none|n/?a|nil|nichts|keine?s?|rien|aucune?|nada|nenhuma?|ничего|нет|нечего|无|没有|沒有)"
    r"(?: (?:new|neues|de nouveau|de novo|нового|else|more|to (?:add|note|record|remember|report|say)))*"
    r"[ .!。]*"
)


def kind_of(word: str, kinds: tuple[str, ...]) -> tuple[str, str]:
    """Return the kind that a word means, and the tag that says more of it; "" for a word that means none.

    The word may be in any case, and be several; the kinds are those of the policy.
    """
    plain = _plain(word)
    if plain in kinds:
        return plain, ""
    found = _MEANT.get(plain) or _MEANT.get(plain.removesuffix("s")) or ("", "")
    if plain.removesuffix("s") in kinds:
        return plain.removesuffix("s"), ""
    return found if found[0] in kinds else ("", "")


def line_of(word: str) -> str:
    """Return which line of an answer a word begins, `TITLE`, `DONE`, `WRONG` or `USED`; "" for none."""
    return _LINE_WORDS.get(_plain(word), "")


def says_nothing(text: str) -> bool:
    """Tell whether a whole answer says that there is nothing to remember."""
    plain = normalize("NFC", text).casefold().strip(" \t\n*_`")
    return not plain or _NOTHING.fullmatch(plain) is not None


def _plain(word: str) -> str:
    return "-".join(normalize("NFC", word).casefold().split())


ALIKE = 0.8
#: How people begin a rule: the word is of its sense, and no kind.
_RULES = ("must", "never", "always", "don't", "warning")
#: What becomes of a word that stands as a kind and is none.
KEPT = "; the word is kept in the text of a fact"
MEANT_KEY = "if it is meant as it is, say `anyway`"
_TEXT_HINT = 'for example: {"text": "CI runs on two cores."}'
_ID_HINT = "ids are lower-case words joined by hyphens or dots"


def refuse(request: Request, kinds: tuple[str, ...], *, options: bool) -> tuple[Finding, ...]:
    """Refuse what is no text, verdict, footer or state; return what is odd.

    `options` says whether it came as options of the command line.

    Raises:
        DraftRefused: the findings name each of them.
    """
    wrong = tuple(
        Finding("event-without-fact", f"new.{number}.text: {no_text(new.text)}", hint=_TEXT_HINT)
        for number, new in enumerate(request.new)
        if not new.text.strip()
    )
    wrong += tuple(_wrong_verdict(request, options=options))
    wrong += tuple(_wrong_footers(request)) + tuple(_wrong_states(request, options=options))
    if wrong:
        raise DraftRefused(wrong)
    # what options say of kinds was read, and told, before there was a request
    return () if options else tuple(_kept_as_text(request, kinds))


def _wrong_footers(request: Request) -> Iterator[Finding]:
    """Yield the footer keys that stand elsewhere, are none, or are misspelled."""
    for number, new in enumerate(request.new):
        for key, _ in new.footers:
            place = f"new.{number}.footers"
            if key in (*NewFact._fields, *IMPORT_KEYS):
                where = f"`{key}` of the new fact" if key in NewFact._fields else "an import alone"
                yield Finding(
                    "bad-footer", f"{place}: {key} is no footer here", hint=f"{where} says it"
                )
            elif (meant := meant_key(key)) and not request.anyway:
                hint = f"did you mean {meant}? {MEANT_KEY}"
                yield Finding("bad-footer", f"{place}: there is no footer {key}", hint=hint)
            elif not _is_key(key):
                hint = "a key is one word of lower-case letters, digits, hyphens and underscores"
                yield Finding("bad-footer", f"{place}: not a key: {key[:80]!r}", hint=hint)


def _is_key(text: str) -> bool:
    bare = text.replace("-", "").replace("_", "")
    return text.isascii() and bare.isalnum() and text == text.lower() and "--" not in text


def _wrong_states(request: Request, *, options: bool) -> Iterator[Finding]:
    """Yield the states of tasks that are none."""
    for id, state in request.move:
        if not is_state(state):
            alike = get_close_matches(state.lower(), STATES, 1, ALIKE)
            hint = f"did you mean {alike[0]}? " if alike else ""
            place = "--move" if options else f"move.{id}"
            said = f"{place}: there is no state {state[:40]!r}"
            yield Finding("task-move", said, hint=f"{hint}states: {', '.join(STATES)}")


def _wrong_verdict(request: Request, *, options: bool) -> Iterator[Finding]:
    """Yield what is wrong with a verdict: no word, no number of tokens, nothing that was judged."""
    mark = "--" if options else ""
    word = request.verdict.replace("-", "")
    if request.verdict and not (word.isascii() and word.isalpha() and word.islower()):
        said = f"{mark}verdict: {request.verdict[:80]!r} is not one word in lower case"
        yield Finding("bad-footer", said, hint="for example: pass, fail")
    if request.tokens and not (request.tokens.isascii() and request.tokens.isdigit()):
        said = f"{mark}tokens: {request.tokens[:80]!r} is no number"
        yield Finding("bad-footer", said, hint="for example: 1200")
    alone = [key for key in ("about", "tokens") if getattr(request, key)]
    if alone and not request.verdict:
        said = f"{mark}{alone[0]} is said of a verdict, and there is none"
        yield Finding("bad-footer", said, hint=f"for example: {mark}verdict pass")
    for fact in request.about.split(","):
        if request.about and not is_fact_id(fact.strip()):
            said = f"{mark}about: not a fact id: {fact.strip()[:80]!r}"
            yield Finding("bad-id", said, hint=_ID_HINT)


def no_text(said: str) -> str:
    """Say that a new fact has no text."""
    return f"{said!r} gives the fact no text"


def meant_kind(word: str, kinds: tuple[str, ...]) -> str:
    """Return the kind that a word is probably meant to be, "" for none."""
    alike = get_close_matches("-".join(word.split()).lower(), kinds, 1, ALIKE)
    return alike[0] if alike else ""


def unknown_kind(
    kind: str, kinds: tuple[str, ...], place: str = "", kept: str = "", form: str = "{}"
) -> Finding:
    """Say that a word is no kind.

    Args:
        kind: as it was written.
        kinds: those of the policy.
        place: where it stands, as the message begins.
        kept: what becomes of it, as the message ends.
        form: how the kind is written that was probably meant.
    """
    meant = meant_kind(kind, kinds)
    hint = f"did you mean {form.format(meant)}? " if meant else ""
    if kind.lower() in _RULES:
        hint = "a rule is a `convention: …`, or an `invariant: …`, which never fades; "
    hint += f"kinds: {', '.join(kinds)}"
    return Finding("unknown-kind", f"{place}there is no kind {kind[:80]}{kept}", hint=hint)


def of_a_kind(kind: str, text: str) -> str:
    """Return a text that keeps the word for its kind, which is none, as far as it is a word."""
    bare = "".join([char if char.isalnum() or char in "-_" else " " for char in kind[:80]])
    word = " ".join(bare.split())
    return f"{word}: {text}" if word else text


def _kept_as_text(request: Request, kinds: tuple[str, ...]) -> Iterator[Finding]:
    """Yield where a text begins like a kind that is misspelled."""
    for new in request.new:
        head, colon, _ = new.text.partition(":")
        alike = get_close_matches(head.lower(), kinds, 1, ALIKE) if colon else []
        if alike and new.kind in kinds:
            message = f"{head!r} is no kind; it was kept as part of the text of a {new.kind}"
            yield Finding("unknown-kind", message, hint=f"did you mean {alike[0]}?")
