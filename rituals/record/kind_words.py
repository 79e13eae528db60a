"""Know what agents call the kinds of facts, and the lines of an answer, in their languages."""

from __future__ import annotations

import re
from unicodedata import normalize

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
