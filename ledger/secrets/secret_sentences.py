"""Find the value that a sentence tells: `the password for staging is X`, `X is the root password`.

What stands right behind the name has to be one beyond doubt; what the sentence says that it *is* need not.
Each look has a limit (fault:G23).
"""

from __future__ import annotations

from ledger.secrets import credential_values as values
from ledger.secrets.credential_values import (
    ASIDE,
    CHOSEN,
    PHRASES,
    QUALIFIED,
    WIDE_ENDS,
    behind_wide,
    is_qualified,
)
from ledger.secrets.entropy import is_placeholder
from ledger.secrets.word_passwords import ENDS, SMALL, is_joined, is_phrase, is_plain, is_said

#: How far before and behind a name a sentence is read, in characters and in words.
BEFORE, BEHIND, _WORDS = 120, 240, 11
_ROOM = 120
#: What says that the next word is the value, whatever word that is.
_TELLING = frozenset(
    "is was be becomes remains stays are ist war lautet heißt heisst wird sei est était devient sera "
    "es era será é foi è это теперь остаётся siendo sendo c'est it's it’s reste bleibt lauten sind sont "
    "son são стал".split()
)
#: What leads to a value that looks like one, and what does so in some languages only.
_LEADING = frozenset("to uses using use = : -> => → ⇒ — – now".split())
_LED = {
    "pass": ("auf",), "kenn": ("auf",), "mot ": ("en", "par", "à", "pour"),
    "mdp": ("en", "par", "à", "pour"), "cont": ("a", "por"), "clav": ("a", "por"), "senh": ("para", "por"),
    "pala": ("para", "por"), "паро": ("на",),
}  # fmt: skip
_FILLERS = frozenset(
    "now still set to changed reset rotated just again simply always currently be jetzt nun ab sofort "
    "wieder immer noch ahora siempre agora sempre désormais maintenant toujours теперь сейчас снова "
    "exactly literally only".split()
)
#: What a text without a password is made of, and what makes one of a mere word.
_PLAIN = frozenset(" \n.,;:-'()/*_abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
_SURELY = (":", "'s ", " now", " until", "- ")
#: What may begin that for which a password is, up to a colon.
_FOR = frozenset(
    "for of in on at to ab seit since from bis until the under with into fürs beim zum zur am ins unter "
    "pour sur chez dans para pra por em en у в "
    "de del do da du des der für vom von im zum от для к на".split()
)
#: What may stand right behind a name in a sentence.
_FRONTS = (" ", ":", "'s ", "’s ", "'s", '" ', "` ", "** ", "**:", "`:", '":', ") ", "\n", ", ")
_NEXT = frozenset([front[0] for front in _FRONTS])
#: Quotes and brackets in which a value stands, and their ends.
_PAIRED = dict(zip("\"'`“„«‘‹(「『", "\"'`”“»’›)」』", strict=True))
#: What is said of how the word before it is written.
_SPELLED = tuple(f" ({word}" for word in (
    "capital", "all lower", "lower", "upper", "no space", "with", "one word", "zero", "groß", "klein",
    "mit", "ohne", "avec", "sans", "con ", "sin ", "com ", "sem ", "с ", "без ",
))  # fmt: skip
#: What says that a password has blanks.
_SPACED = (
    "with a space", "with spaces", "two words", "three words", "con espacio", "dos palabras",
    "avec un espace", "avec espace", "deux mots", "com espaço", "duas palavras", "mit leerzeichen",
    "zwei wörter", "с пробелом",
)  # fmt: skip
_CODE = frozenset("(){}[]<>=;\"'`|$#")
_OPEN = frozenset("()[]{}<>/\\,=")
_BEHIND = ".,;:)]}»”’'\"`*_"


def told(text: str, low: str, at: int, end: int, name: str) -> tuple[int, int] | None:
    """Return where the value stands that a sentence tells of a name; None where it tells none.

    `low` is the text in lower case; `at` and `end` are where the name begins and ends, which is as
    `NAMES` has it.
    """
    if not name.isascii() and name[0] > "\u2e80":
        return behind_wide(text, end)
    if not name.isascii():
        tail = text[end : end + 3]
        while tail and tail[0].isalpha():  # `паролем`
            end, tail = end + 1, tail[1:]
    chosen = name in CHOSEN
    place = _behind(text, low, at, end, name, chosen or is_qualified(low, at, end))
    return place or (_before(text, low, at, end, chosen) if at > 9 else None)


def may_tell(low: str, at: int, end: int, name: str) -> bool:
    """Tell whether a sentence may go on behind a name, or says before it what it is."""
    behind = low[end + low.startswith("s", end) : end + 2][:1]
    return (
        behind in _NEXT
        or not name.isascii()
        or (at > 9 and not _CALLING.isdisjoint(low[max(0, at - 32) : at].split()))
    )


def _behind(
    text: str, low: str, at: int, end: int, name: str, chosen: bool
) -> tuple[int, int] | None:
    """Return where the value stands behind a name, in the same sentence."""
    if text[at - 1 : at] == "/":
        return None  # of a path
    end += text.startswith("s", end)
    for whose in QUALIFIED if low.startswith(QUALIFIED, end) else ():
        end += len(whose) * low.startswith(whose + " ", end)
    room = text[end : end + _ROOM]
    if not room.startswith(_FRONTS):
        return None
    if not chosen and not values.may_be_drawn(room.split(maxsplit=_WORDS)[:_WORDS]):
        return None
    stop = room.find("\n\n")
    room = room[:stop] if stop >= 0 else room
    led = _LED.get(name[:4], ())
    cues = _cues(text, low, (at, end), name, room, led)
    if cues is None:
        return None  # letters alone, and nothing that says of a word that it is the value
    beside, changed, surely = cues
    spaced = chosen and surely and bool([said for said in _SPACED if said in room.lower()])
    if name in PHRASES or spaced:
        place = _phrase(room, 2 if spaced else 4)
        if place is not None:
            return end + place[0], end + place[1]
    level, said, labelled = _ADJACENT, 0, not name.isascii()
    lone, at = not text[max(0, at - 30) : at].rpartition("\n")[2], 0
    for word in room.split(maxsplit=_WORDS)[:_WORDS]:
        at = room.find(word, at)
        bare = word.lower().strip("*_`\"'’(,")
        if not said and bare.rstrip(".;:") in ASIDE:
            return None  # another thing: `password policy`
        if name == "pass" and said == 1 and not labelled and level < _LIKELY:
            return None  # what is done: `pass a character that is`
        below = level == _ADJACENT and at and room[at - 1] == "\n"
        if below and not said and lone:
            below = word.islower() or room[at:].partition("\n")[0].strip() != word
        if level and bare and not below and (word[0] != "(" or not said):
            place = _value_at(text, end + at, level, name in PHRASES)
            if place is not None:
                level = level if said else _short(name, beside, level)
                if not said and "\u0400" < name[0] < "\u2e80" and text[slice(*place)].isascii():
                    level = _SURE  # a word of another script
                if _is_one(text, place, chosen, level):
                    return place
        leads = bare in _LEADING or bare in led or (not said and bare in ("s", ":"))
        told = _told(word, bare, level, labelled, leads, said == 1 and room[0] == " ", said)
        level = _SURE if told == _LIKELY and changed else told
        if not told and not bare and not said:
            level = _ADJACENT
        labelled = labelled or (not said and bare in _FOR)
        said += bare not in ("", ":")
        if word[-1] in ".!?" and len(word) > 1:
            return None
        at += len(word)
    return None


def _cues(
    text: str, low: str, place: tuple[int, int], name: str, room: str, led: tuple[str, ...]
) -> tuple[bool, bool, bool] | None:
    """Return what tells of a value behind a name: a user, a change, a word; None where nothing can."""
    at, end = place
    words = room.lower().split()
    surely = not _TELLING.isdisjoint(words) or bool([mark for mark in _SURELY if mark in room])
    joint = text[end : end + 1]
    beside = name in _SHORT and joint in (" ", ":") and _is_beside(low[max(0, at - 56) : at])
    beside = beside or (joint == " " and low.endswith(_TAKING, 0, at))
    leads = not (_LEADING.isdisjoint(words) and set(led).isdisjoint(words))
    near = low[max(0, at - 60) : at].rpartition(". ")[2] + room
    changed = leads and any(word in near for word in _CHANGED)
    joined = "_" in room or ("-" in room and not room.islower())
    spelled = " (" in room and any(word in room for word in _SPELLED)
    said = surely or beside or changed or joined or spelled or name in PHRASES
    if not said and name[0] < "\u0400" and _PLAIN.issuperset(room):
        return None
    return beside, changed, surely


def _short(name: str, beside: bool, level: int) -> int:
    """Tell how surely the value stands right behind a short name: `pw hunter2`, `admin, pw sunflower`."""
    if name in _SHORT and beside and name != "pass":
        return _SURE
    return _LIKELY if name == "pw" else level


def _told(
    word: str, bare: str, level: int, labelled: bool, leads: bool, first: bool, said: int
) -> int:
    """Tell how surely the value comes behind a word that is none: after "is", a colon, a dash."""
    dash = bare in ("=", ":", "—", "–", "-") or (not bare and word in ("—", "–", "-"))
    if bare in _TELLING or (labelled and dash):
        return _SURE
    if word in ("—", "–", "->", "→", "⇒") and not said:
        return _SURE
    if leads:
        return _LIKELY
    if word[-1] == ":" and (
        labelled or (first and (word == ":" or word[:-1].strip("()").isalpha()))
    ):
        return _SURE
    return level if level == _SURE and bare in _FILLERS else 0


#: What says that a password was changed, before its name or behind it.
_CHANGED = (
    "changed ", "rotated ", "updated ", "was set", "been set", "i set", "we set", "was reset",
    "been reset", "changé", "cambi", "mudei", "mudamos", "mudou", "alter", "смен", "поменя", "измен",
    " geändert", " gesetzt", " geaendert",
)  # fmt: skip


def _phrase(room: str, least: int) -> tuple[int, int] | None:
    """Return where a passphrase of plain words stands: `passphrase: correct horse battery staple`."""
    for sign in (": ", " is ", " = ", " est ", " es ", " é "):
        head, cut, tail = room.partition(sign)
        if cut and head.count(" ") < 6:
            said = tail.partition("\n")[0].partition(". ")[0]
            said = (said.partition(",")[0].partition(" (")[0] if least < 4 else said).rstrip(
                ".!\"'`"
            )
            bare = said.lstrip("\"'`« ").rstrip(" »")
            if (
                is_phrase(bare, least)
                and not is_said(bare.split()[0])
                and all(len(one) > 2 or one in SMALL for one in bare.split())
            ):
                start = len(head) + len(cut) + len(said) - len(bare)
                return start, start + len(bare)
    return None


#: Names that stand behind that of a user, with nothing but a blank before the value.
_SHORT = (
    "password", "passwd", "pwd", "pw", "passwort", "pass", "kennwort", "mot de passe", "mdp",
    "contraseña", "clave", "senha", "парол",
)  # fmt: skip
_BESIDE = (
    "user", "login", "in as ", "account", "benutzer", "usuario", "usuário", "utilisateur", "admin",
    "creds", "credential", "zugang", "accès", "логин", "учётк", "@",
)  # fmt: skip


_AND = (", ", "/ ", "| ") + tuple([f" {word} " for word in (
    "and", "und", "y", "e", "et", "и", "with", "mit", "con", "com", "avec", "с", "with the",
    "mit dem", "con la", "com a", "avec le",
)])  # fmt: skip


def _is_beside(near: str) -> bool:
    """Tell whether a name follows that of a user: `login is admin, pw …`, `user ada / password …`."""
    if not near.endswith(_AND):
        return False
    near = near.rpartition("\n")[2].rpartition(". ")[2]
    named = near.split()[-2:-1]  # "username and password" names nobody
    return any(word in near for word in _BESIDE) and (
        near[-2:] == ", " or not any(word in named[0] for word in _BESIDE[:-1] if named)
    )


#: How a word is told: right behind the name, by what may lead to a value, by what says that it is one.
_ADJACENT, _LIKELY, _SURE = 1, 2, 3


def _is_one(text: str, place: tuple[int, int], chosen: bool, level: int) -> bool:
    """Tell whether a word of a sentence is the value of its name."""
    value, at = text[slice(*place)], place[0]
    quoted = text[at - 1 : at] in _PAIRED or text[at - 2 : at - 1] == "«"
    behind = text[place[1] : place[1] + 12]
    signs = _OPEN.intersection(value)
    if signs and not quoted and (signs != {"\\"} or not values.is_strong(value)):
        return False
    spaced = " " in value
    drawn = not spaced and (values.is_drawn(value) or (chosen and values.is_hex(value)))
    phrased = spaced and quoted and level == _ADJACENT
    if not (drawn or phrased or chosen or level == _SURE):
        return False
    if value[0] in "/~.-" or is_placeholder(value) or value.lower().endswith(ENDS):
        return False
    if drawn or phrased:
        return drawn or values.is_told(value, quoted, behind)
    if not chosen:
        strong = values.is_strong(value) or _is_mixed(value)
        return (strong and values.is_told(value, quoted, behind)) or values.is_secret(
            value, "token", quoted, True, False, False
        )
    joined = not value.islower() and is_joined(value)
    if level == _LIKELY and not quoted and is_plain(value.rstrip("!")) and _is_chat(text, place):
        return not behind or behind[0] in "\n.,;"
    if level == _LIKELY:
        sure = any(map(str.isdigit, value)) or behind.startswith((" now", " until"))
        sure = sure or "«" in text[place[0] - 2 : place[0]] or joined
    else:
        signed = quoted and any(char in value for char in "!#%&@$?+=^*~0123456789")
        sure = level == _SURE or _is_mixed(value) or joined or signed or behind.startswith(_SPELLED)
    return sure and values.is_told(value, quoted, behind)


def _is_chat(text: str, place: tuple[int, int]) -> bool:
    """Tell whether a value stands right behind a colon, in a line that is no code."""
    start = max(0, place[0] - 160)
    line = text[text.rfind("\n", start, place[0]) + 1 or start : place[0]]
    behind = text[place[1] : place[1] + 80].partition("\n")[0]
    worded = text[place[0]].islower() or " " in line.strip()  # or else a type
    return line.rstrip()[-1:] == ":" and worded and not _CODE.intersection(line + behind)


def _is_mixed(value: str) -> bool:
    """Tell whether a value has a number beside letters of both cases, or a sign, or beside two words."""
    if not any(map(str.isdigit, value)):
        return False
    words = value.replace("_", "-").replace(".", "-").strip("-").split("-")
    return (
        (not value.islower() and not value[1:].islower() and not value.isupper())
        or any(char in value for char in "!#%&@$?+=^*~")
        or (len(words) > 1 and value[-1:].isdigit() and value[:1].isalpha() and len(value) > 8)
        or (value.isalnum() and value[-2:].isdigit() and value[:1].isalpha() and len(value) > 6)
    )


def _value_at(text: str, at: int, level: int, phrased: bool) -> tuple[int, int] | None:
    """Return where the value stands that a word of a sentence is, without quotes and marks."""
    head = text[at : at + 4]
    at += len(head) - len(head.lstrip("*_,"))
    mark = text[at : at + 1]
    if mark in _PAIRED:
        at += 1
        near = text[at : at + 100].partition("\n")[0]
        inner = near.lstrip(" \u00a0\u202f")
        close = inner.find(_PAIRED[mark])
        if (
            close > 0
            and mark != "("
            and (level > _ADJACENT or phrased or " " not in inner[:close].rstrip())
        ):
            start = at + len(near) - len(inner)
            return start, start + len(inner[:close].rstrip(" \u00a0\u202f"))
        if mark == "(" and near[:1] in _PAIRED:
            return _value_at(text, at, level, phrased)
    first = text[at : at + 100].split(None, 1)
    if not first:
        return None
    word = first[0]
    if not word.isascii():
        for char in WIDE_ENDS:
            word = word.partition(char)[0]
    if "&" in word and ";" in word:
        word = word.partition("&")[0]  # `&quot;`
    word = word.rstrip(_BEHIND)
    return (at, at + len(word)) if len(word) > 4 else None


#: What says of the word behind a name that it is to be taken.
_TAKING = tuple(
    "use the |use |using the |nimm das |nutze das |mit dem |utilise le |avec le |usa la |con la |com a |"
    "используй ".split("|")
)
_USING = ("use ", "using ", "nimm ", "verwende ", "utilise ", "usa ", "use o ", "используй ")
#: What stands between a value and the name behind it, and whose that name is.
_CALLING = frozenset("is as was ist als est comme es como é это —".split())
_OURS = frozenset(
    "the my our a its his her their das unser mein sein ihr le notre mon son leur la nuestra mi su nossa "
    "minha sua наш новый наша его её их".split()
)


def _before(text: str, low: str, at: int, stop: int, chosen: bool) -> tuple[int, int] | None:
    """Return where the value stands before a name: `X is the root password`."""
    near = low[max(0, at - 32) : at]
    words = near.split()[-5:]
    count = next((n for n, word in enumerate(words) if word in _CALLING), -1)
    if count < 0 or (count + 1 < len(words) and words[count + 1] not in _OURS):
        return None
    end = at - len(near) + near.rfind(words[count])
    said = text[max(0, end - 80) : end].rstrip().replace("\n", " ").rpartition(" ")[2]
    bare = said.strip("\"'`“”«»‘’„()*")
    if len(bare) < 6 or not values.is_told(bare, len(bare) < len(said), ""):
        return None
    used = low[max(0, end - 90) : end].rstrip().removesuffix(said.lower()).endswith(_USING)
    used = used and (text[stop : stop + 1] in ("", *"\n.,;)") or low.startswith(" for ", stop))
    if not (used or _is_mixed(bare) or is_joined(bare) if chosen else values.is_strong(bare)):
        return None
    start = text.rfind(bare, max(0, end - 82), end)
    return start, start + len(bare)
