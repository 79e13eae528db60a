"""Read a fact that stands on one line, `id=my-id entity="Payments API" decision: Text`, and other options.

Words for kinds, and for the other lines of an answer, are understood as agents use them, in their
languages. What is no kind of the policy and no key belongs to the text of a new fact; where it looks like
one, that is a slip: a kind is told, a key is refused, with the right spelling.
"""

from __future__ import annotations

from _collections_abc import Sequence
from unicodedata import combining, normalize

from ledger.errors import DraftRefused, WrongUsage
from ledger.model.finding_codes import Finding
from ledger.model.ids import is_fact_id
from ledger.model.session import META_KEYS
from memory import FOOTERS, meant_key
from projection.fold.fact_links import names_in
from projection.policy.model import DEFAULT_KIND
from rituals.record.request import NewFact, Pairs, Supersession

#: What may stand before the text of a new fact.
KEYS = ("id", "tags", "entity", *FOOTERS)
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
LESSON = "lesson"
_LESSONS = (
    "lesson learning gotcha caveat cause pitfall root-cause lehre lektion erkenntnis leçon lição урок "
    "教训 经验"
)
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
_NOTHING = (
    "nothing none na n/a nil nichts kein keine keins keines rien aucun aucune nada nenhum nenhuma "
    "ничего нет нечего 无 没有 沒有"
).split()
#: What may stand behind it.
_AT_ALL = (
    "new,neues,de nouveau,de novo,нового,else,more,to add,to note,to record,to remember,to report,to say"
).split(",")
_ALIKE = 0.8
#: How people begin a rule: the word is of its sense, and no kind.
_RULES = ("must", "never", "always", "don't", "warning")
#: What becomes of a word that stands as a kind and is none.
KEPT = "; the word is kept in the text of a fact"


def kind_of(word: str, kinds: tuple[str, ...]) -> tuple[str, str]:
    """Return the kind that a word means, and the tag that says more of it; "" for a word that means none.

    The word may be in any case, and be several; the kinds are those of the policy.
    """
    plain = _plain(word)
    single = plain.removesuffix("s")
    if plain in kinds or single in kinds:
        return plain if plain in kinds else single, ""
    found = _MEANT.get(plain) or _MEANT.get(single) or ("", "")
    return found if found[0] in kinds else ("", "")


def line_of(word: str) -> str:
    """Return which line of an answer a word begins, `TITLE`, `DONE`, `WRONG` or `USED`; "" for none."""
    return _LINE_WORDS.get(_plain(word), "")


def says_nothing(text: str) -> bool:
    """Tell whether a whole answer says that there is nothing to remember."""
    plain = normalize("NFC", text).casefold().strip(" \t\n*_`")
    bare = plain.rstrip(" .!。")
    while more := next((one for one in _AT_ALL if bare.endswith(f" {one}")), ""):
        bare = bare[: -len(more) - 1]
    return not plain or bare in _NOTHING


def _plain(word: str) -> str:
    return "-".join(normalize("NFC", word).casefold().split())


def parsed(
    text: str, kinds: tuple[str, ...], kind: str = DEFAULT_KIND
) -> tuple[NewFact, Finding | None]:
    """Read `kind: text`; `id=my-id`, `entity=NAME,NAME` and other keys may stand around the kind.

    What stands before the colon and means no kind of the policy belongs to the text. `kind` is that of a
    text that names none. Where a kind or a key is none and looks like one, that is said beside it.
    """
    said: dict[str, str] = {}
    rest = _take(private_last(text), said)
    head, colon, tail = rest.partition(":")
    meant, tag = kind_of(head, kinds) if colon else ("", "")
    if meant:
        kind, rest = meant, _take(tail.strip(), said)
        wrong = _key_slip(rest, said)
    else:
        wrong = _misread(rest, said, kinds)
    tags, id = names_in(said.get("tags", "")), normalize("NFKD", said.get("id", "")).lower()
    bare = "".join([one for one in id if not combining(one)])  # as ids are written, if it makes one
    new = NewFact(
        rest,
        bare if is_fact_id(bare) else said.get("id", ""),
        kind,
        (*tags, tag) if tag and tag not in tags else tags,
        names_in(said.get("entity", "")),
        tuple([(key, said[key]) for key in FOOTERS if said.get(key)]),
    )
    return new, wrong


def private_last(text: str) -> str:
    """Return a text that begins with its words: what nobody keeps of it hides neither kind nor key."""
    text = text.strip()
    end = text.lower().find("</private>") + len("</private>")
    begins = text[:9].lower() == "<private>" and end > 9
    return f"{text[end:].strip()} {text[:end]}" if begins and text[end:].strip() else text


def new_facts(
    texts: Sequence[str], kinds: tuple[str, ...], place: str, hint: str, *, anyway: bool = False
) -> tuple[tuple[NewFact, ...], tuple[Finding, ...]]:
    """Read new facts that somebody gave at a place of the command line; say which kinds are none.

    Raises:
        DraftRefused: a key is none, and it is not to be taken `anyway`.
        WrongUsage: one has no text; the hint says how one is given.
    """
    read = [parsed(text, kinds) for text in texts]
    at = f"{place}: " if place.startswith("--") else ""
    slips = [wrong._replace(message=f"{at}{wrong.message}") for _, wrong in read if wrong]
    if not anyway and (keys := tuple([one for one in slips if one.code == "bad-footer"])):
        raise DraftRefused(keys)
    for text, (new, _) in zip(texts, read, strict=True):
        if not new.text:
            raise WrongUsage(f"{text!r} gives the fact no text", where=place, hint=hint)
    found = tuple([one for one in slips if one.code != "bad-footer"])
    return tuple([new for new, _ in read]), found


def parse_supersede(text: str) -> Supersession:
    """Read `OLD=NEW`.

    Raises:
        WrongUsage: it has another form.
    """
    old, equals, new = text.partition("=")
    if not (equals and old.strip() and new.strip()):
        raise WrongUsage(
            f"{text!r} does not say what replaces what",
            where="--supersede",
            hint="write --supersede OLD=NEW; what is false without a successor: --invalidate OLD",
        )
    return Supersession(old.strip(), new.strip())


def parse_pairs(values: tuple[str, ...], option: str, what: str = "") -> Pairs:
    """Read `ID=WORDS` of an option; what stands alone is an id without words.

    `option`, and `what` its words are called, are for messages; `what` is "" where they may be left out.

    Raises:
        WrongUsage: one has another form, or says something twice of one id.
    """
    found: dict[str, str] = {}
    for value in values:
        id, _, words = (part.strip() for part in value.partition("="))
        if not id or (what and not words):
            said = f"{value[:80]!r} does not say {what or 'which fact'}"
            raise WrongUsage(said, where=option, hint=f"write {option} ID={what or 'ROLE'}")
        if id in found:
            raise WrongUsage(f"{id} stands twice", where=option, hint="say it once")
        found[id] = words
    return tuple(found.items())


def parse_ids(values: tuple[str, ...]) -> tuple[str, ...]:
    """Read ids that may be given one by one or as comma lists; each once, in order."""
    found = [part.strip() for value in values for part in value.split(",")]
    return tuple(dict.fromkeys(part for part in found if part))


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
    meant = _meant_kind(kind, kinds)
    hint = f"did you mean {form.format(meant)}? " if meant else ""
    if kind.lower() in _RULES:
        hint = "a rule is a `convention: …`, or an `invariant: …`, which never fades; "
    hint += f"kinds: {', '.join(kinds)}"
    return Finding("unknown-kind", f"{place}there is no kind {kind[:80]}{kept}", hint=hint)


def _meant_kind(word: str, kinds: tuple[str, ...]) -> str:
    from difflib import get_close_matches

    alike = get_close_matches("-".join(word.split()).lower(), kinds, 1, _ALIKE)
    return alike[0] if alike else ""


def _misread(rest: str, said: dict[str, str], kinds: tuple[str, ...]) -> Finding | None:
    """Say what is wrong with a text that names no kind; None where it reads as it was meant."""
    head, colon, tail = rest.partition(":")
    words = head.split()
    before_kind = bool(colon and len(words) > 1 and kind_of(words[-1], kinds)[0])
    wrong = _key_slip(rest, said, sure=before_kind)
    if wrong is not None or not words or not colon or tail[:1].strip():
        return wrong
    if before_kind and said:
        key, value = list(said.items())[-1]
        more = " ".join(words[:-1])
        message = f"{more!r} stands between {key}= and the kind {words[-1]}"
        hint = f'a value with blanks stands in quotes: {key}="{value} {more}"'
        return Finding("bad-footer", message, hint=hint)
    head = head.strip()
    if not _meant_kind(head, kinds) and not (_is_name(head) and head.islower()):
        return None
    found = unknown_kind(head, kinds, kept=KEPT, form="`{}: …`")
    way_out = f"where it belongs to the text, say the kind first: `{DEFAULT_KIND}: {head}: …`"
    return found._replace(hint=f"{found.hint}; {way_out}")


def _key_slip(rest: str, said: dict[str, str], *, sure: bool = False) -> Finding | None:
    """Say what is wrong with a key that nothing takes; `sure`: a kind stands behind it."""
    key, equals, value = rest.partition("=")
    if not equals or not _is_name(key) or not value[:1].strip():
        return None
    low = key.lower()
    meant = meant_key(low) or low * (low in KEYS)
    if not meant:
        from difflib import get_close_matches

        meant = next(iter(get_close_matches(low, KEYS, 1, _ALIKE)), "")
    if not (low in META_KEYS or low == "kind" or meant or sure):
        return None
    if low in said:
        message = f"{low}= stands twice"
        hint = "join several names with commas: `entity=Redis,API`; "
    else:
        message = f"a new fact has no key {key}="
        hint = f"did you mean {meant}=? " if meant else ""
        hint += f"keys: {', '.join(f'{one}=' for one in KEYS)}; "
        if low == "kind":
            hint += "the kind stands with a colon before the text: `decision: TEXT`; "
    hint += f"where it belongs to the text, put it in back-ticks: `{key}=…`"
    return Finding("bad-footer", message, hint=hint)


def _is_name(text: str) -> bool:
    """Tell whether a text has the form of a kind or a key: one word of letters, digits and hyphens."""
    bare = text.replace("-", "").replace("_", "")
    return text.isascii() and bare.isalnum() and text[0].isalpha()


def _take(text: str, said: dict[str, str]) -> str:
    """Take `key=value` off the start of a text, each key once; return what is behind."""
    while True:
        key, equals, rest = text.partition("=")
        if not equals or key not in KEYS or key in said:
            return text
        end = _value_end(rest)
        quoted = rest[0] == rest[end - 1] == "'" if end > 1 else False
        said[key] = rest[1 : end - 1] if quoted else rest[:end].replace('"', "")
        text = rest[end:].strip()


def _value_end(text: str) -> int:
    """Return where a value ends: at the first blank that stands in no quotes."""
    closing = text.find("' ", 1) + 1 or len(text) * text.endswith("'")
    if text[:1] == "'" and closing > 1:
        return closing
    quoted = False
    for place, char in enumerate(text):
        if char == '"' and (quoted or text.find('"', place + 1) > 0):
            quoted = not quoted
        elif char.isspace() and not quoted:
            return place
    return len(text)
