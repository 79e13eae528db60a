"""Find the secret behind a label: `API_KEY=…`, `"password": "…"`, `Mật khẩu: …`.

Behind a label in whatever language the value decides: it is one token, the rest of its line, drawn and
no path, version, date, number, hash, or identifier made of words (`label_values`). Behind a name that says
`password` or `secret` it may stand anywhere, and be weaker. One pass for each name, each look ahead with
a limit (fault:G23).
"""

from __future__ import annotations

from _collections_abc import Iterator

from ledger.secrets.label_values import NAMED, OPEN, PASSWORDS, is_drawn, is_opaque, is_secret
from ledger.secrets.match import LABELLED, Hit, expression, hit, places

#: Names of secrets, by a part that few texts have.
_TOLD = expression(rf"(?:{PASSWORDS})(?<![^\W_]pass)[^\W_]{{0,2}}[ ][^\d]*\Z")
_NAME, _CHOSEN = expression(rf"{PASSWORDS}|{NAMED}"), expression(PASSWORDS)
_ROOTS = (
    "pass pw psk secret token key credential kennwort contrase clave senha mdp wachtwoord chave jeton"
).split()
#: Of which of them a name is more.
_PARTS = ("pass", "pw", "contrase", "密", "парол")
_FOREIGN = (
    "clé schlüssel lösenord hasło şifre парол секрет токен ключ 密 口令 令牌 パスワード 비밀번호"
).split()
#: Names that are parts of many words, and mean something only where they stand alone or behind a joint.
_WHOLE = frozenset("pass pw psk clave mdp senha clé jeton chave".split())
#: What a key or a token is of that opens something; what a key is of that sorts, stores or names; what a
#: token is of that only tells where a list goes on.
_OPENS = tuple(
    "api app access private account auth signing encryption master license licence activation product "
    "subscription functions shared session deploy service ingest write consumer recovery unseal refresh "
    "storage webhook integration secret rapidapi client server admin root hmac cookie registry wifi bot "
    "jwt".split()
)
_SORTS = frozenset(
    "cache primary foreign partition sort public index idempotency object row hash dedupe dedup group "
    "message routing lookup map translation i18n config setting storage redis json yaml dict sharding "
    "shard shortcut hot return enter arrow registry lock unique composite natural surrogate cluster "
    "host fact kind section header footer meta".split()
)
_PAGES = tuple(
    "next start starting continuation page pagination idempotency request input output cancellation "
    "max".split()
)
#: What may follow such a word in the name.
_TAILS = frozenset(
    "s key keys value values prod production live test dev staging main admin user root db access "
    "client app api base plain text raw default old new primary secondary secret token password hex "
    "base64 1 2 3 basic private eu us qa uat demo ci backup replica master slave mail smtp ssh db2 sa "
    "postgres mysql redis mongo wifi vpn server service system local remote internal external readonly "
    "rw ro of for pepper banco bd bdd datos dados datenbank correo servidor serveur".split()
)
_NAME_CHARS = "abcdefghijklmnopqrstuvwxyz0123456789_-."
_QUOTES = "\"'`"
#: What gives a variable its value behind a blank: of docker, fish, Windows and C shells.
_SETTERS = ("env ", "arg ", "setx ", "set -x ", "set -gx ", "set -xg ", "setenv ")
#: What a connection string holds beside its password.
_SERVERS = ("server=", "host=", "data source=", "uid=", "user id=")
#: What stands between a name and its value: a sign, perhaps behind a type; the end of a tag, a cell or an
#: argument; what calls a value one.
_SIGN = expression(
    r"""(?xi)["'`*\])]{0,4}
    (?:[ \t]{0,8}(?:(?::=|[-=]>|\?=|[:=：＝→])(?![=~:])|(?:[=!]=|\|\||\?\?)(?=[ ]?["']))
    (?:[ ]?&?(?:'\w+[ ])?[A-Za-z][\w.]{0,24}(?:\[\w+\])?(?:[ ]\|[ ]None)?[ ]=(?=[ ]["']))?
    |(?:</(?:key|name)>)?[\s,;|'"<{-]{0,12}(?:type\s*=\s*\w+[\s,]{1,8})?
    (?:value|string|default)["']?[ ]?[:=>]
    |(?<=["']),[ ]?(?=["'])|(?<=["']\))\.(?:fill|type|send_?[kK]eys)\((?=["'])
    |[ \t]{0,8}\|(?=[^\n|]+\|)|[ \t]{2,8}(?=\S+[ \t]*(?:\n|\Z))|>(?=[^<>\n]{1,200}</)
    |[ ]\{[ ]get;[ ]set;[ ]\}[ ]=)"""
)
#: What stands in any of these.
_SIGNS = (*":=：＝→?!|>{<\"'`*])\t", "  ", "value", "string", "default", "type")
_VALUE = expression(
    r"""(?x)[ \t*]*(?:\n[ \t>`*-]*(?=[^\s:]+[ \t`*]*(?:\n|\Z)))?
    (?:(?:(?:String::)?(?:from|new)\(|(?:SecretStr|SecretString|Secret|Str)\(|[bruf]|N|L)(?=["']))?
    (?:\\?(?P<quote>["'`])(?:\{noop\})?(?P<quoted>[^\n]{1,300}?)\\?(?P=quote)
    |[«„“「『][\s\u00a0]?(?P<wide>[^\n»”」』]{1,100}?)[\s\u00a0]?[»”」』]
    |\$\{\w+:?[-=]["']?(?P<default>[^}\s"']{1,100})|(?P<bare>[^\s"'`|<>]{1,300}))"""
)
_STOP, _CODE, _ENTITIES = (
    expression(r"[,;)}\]&]"),
    frozenset("=:(\"'`<[{\\"),
    ("lt", "gt", "amp", "quot"),
)


def find_labelled(text: str) -> tuple[list[Hit], bool]:
    """Find the values behind names of secrets; and whether there is one."""
    low = text.lower()
    if len(low) != len(text):  # a letter that has no single lower-case one; places would shift
        low = "".join([char.lower() if char.isascii() else char for char in text])
    roots = [root for root in _ROOTS if root in low]
    roots += [] if low.isascii() else [root for root in _FOREIGN if root in low]
    named = [(at, root) for root in roots for at in places(low, root)]
    found: list[Hit] = []
    for at, root in named:
        name = _NAME.match(low, at) if root in _PARTS else None
        if name is not None or root not in _PARTS:
            end = name.end() if name is not None else at + len(root)
            place = _behind(text, low, at, end, low[at:end])
            if place is not None:
                found.append(hit("credential", *place))
    return found, bool(named)


def _behind(text: str, low: str, at: int, end: int, name: str) -> tuple[int, int] | None:
    """Return where the value stands that a name of a secret announces, at `at` and up to `end`."""
    if name in _WHOLE and _is_part(text, low, at, end):
        return None
    key = _key(low, at) if name == "key" else (at, False)
    if key is None:
        return None
    begin, loose = key
    before = low[max(0, begin - 48) : begin]
    front = before.rstrip(_NAME_CHARS[:-1])
    stem, begin = before[len(front) :].strip("_-"), begin - len(before) + len(front)
    tail = low[end : end + 32]
    tail = tail[: len(tail) - len(tail.lstrip(_NAME_CHARS))]
    shell = front.endswith("${")
    tail = tail.partition("-")[0] if shell else tail
    if (
        front.endswith(("::", "[redacted: ")) or stem.endswith("public")
        or (name == "token" and (tail[:1] in (".", "s") or stem.endswith(_PAGES)))
        or not _TAILS.issuperset(tail.replace(".", "_").translate(_JOINTS).split())
        or (front[-1:] == ":" and text.startswith(":`", end))
    ):  # fmt: skip
        return None  # `password_policy`, `next_token`, `color.token.primary`, a role: :token:`name`
    end += len(tail.rstrip("-."))
    spot = _sign(text, low, begin, end, shell)
    said = _VALUE.match(text, spot) if spot is not None else None
    if said is None or said.lastgroup is None:
        return None
    start, stop = said.span(said.lastgroup)
    bare = said.lastgroup == "bare"
    stop = start + len(_bare(text[start:stop])) if bare else stop
    if low[start:stop] == low[begin:end]:
        return None  # `refresh_token=refresh_token`
    value = text[start:stop]
    if loose:
        return (start, stop) if is_drawn(value) else None
    quoted = not bare or any(word in low[max(0, start - 200) : start] for word in _SERVERS)
    last = front.rpartition("\n")[2].translate(_JOINTS).split()[-1:]
    named = bool(stem) or name == "key" or front[-1:] in (".", "<")
    chosen = _CHOSEN.match(low, at) is not None
    if name == "pass" and not stem and last and not is_opaque(value):
        return None  # `all tests pass: smoke-2.py`
    return (start, stop) if is_secret(value, chosen, quoted, named) else None


_JOINTS = str.maketrans("_-\n\t", "    ")


def _is_part(text: str, low: str, at: int, end: int) -> bool:
    """Tell whether a name only ends a word, unlike in `DBPass`; in capitals one may, as in `SSHPASS=`."""
    if not low[at - 1 : at].isalnum() or text[at : at + 2].istitle():
        return False
    return not (text[end : end + 1] == "=" and text[at:end].isupper())


def _key(low: str, at: int) -> tuple[int, bool] | None:
    """Return where the name of a key begins that may open something; None for any other.

    Returns:
        The place; whether only `…-key` says so, and what stands there has to be drawn beyond doubt.
    """
    joint = low[at - 1 : at]
    end = at - (joint in ("_", "-", " "))
    near = low[max(0, end - 14) : end]
    word = next(filter(near.endswith, _OPENS), "")
    if word:
        return end - len(word), False
    front = near.translate(_JOINTS).rpartition(" ")[2].strip(_QUOTES + "(<[{")
    known = joint in ("_", "-") and front.isalpha() and front not in _SORTS
    return (end - len(front), True) if known else None


def _sign(text: str, low: str, begin: int, end: int, shell: bool) -> int | None:
    """Return where a value begins behind a name that stands between two places; None where none does."""
    head = text[max(0, begin - 48) : begin].rpartition("\n")[2]
    if shell:
        size = len(text[end : end + 2]) - len(text[end : end + 2].lstrip(":"))
        return end + size + 1 if text[end + size : end + size + 1] in tuple("-=") else None
    near = text[end : end + 24].lower()
    found = _SIGN.match(text, end) if any(one in near for one in _SIGNS) else None
    if found is None:
        flag = text[begin] == "-" or head.lower().endswith(_SETTERS)
        sql = text[begin:end].isupper() and text[end + 1 : end + 2] == "'"
        return end + 1 if text[end : end + 1] == " " and (flag or sql) else None
    sign = found[0].strip(_QUOTES + "*])")
    if sign.strip() == ",":
        return found.end() if head.rstrip(" \"'`#")[-1:] == "(" else None
    if sign.strip() in ("|", ""):
        lone = not head.strip(" \t") if not sign.strip() else "|" in head
        return found.end() if lone else None
    return found.end() if sign != ">" or head[-1:] == "<" else None


def _bare(value: str) -> str:
    """Return a value that is not quoted without what ends it; `a,b;c)7` may be one."""
    for sign in _STOP.finditer(value):
        rest = _STOP.split(value[sign.end() :])[0]
        if not rest[:1].isalnum() or not _CODE.isdisjoint(rest) or rest in _ENTITIES:
            value = value[: sign.start()]
    return value.rstrip(".:*,;…")


#: A token that is the rest of its line behind a sign; and the label before it, of at most four words.
_REST = expression(
    r"(?m)(?:[-=]>|[:=：＝→|]|[—–](?<= .)(?= ))(?:[ \t]*[*_]{1,3}(?=[ \t`]))?[ \t]*"
    r"([^\s<]{8,220}+(?:<(?!br)\S*+)?)[ \t\\]*(?:<br ?/?>|\|)?$"
)
#: What such a value stands behind, and what of a line may follow it.
_BEFORE, _BREAKS = tuple(":=：＝→|—–") + ("->",), ("<br", "<br>", "<br/>", "/>")
#: What of a value may be drawn: two classes of characters side by side, or letters without an end.
_MIXED = expression(
    r"[A-Za-z][-_.!#$%]?\d|\d[A-Za-z]|[a-z][A-Z!#$%^*]|[A-Z](?:[A-Z][a-z]|[!#$%^])|[A-Za-z]{16}"
)
_WORD = (
    r"[^\s\d!-/:-@\[-`{-~\u00a0-\u00bf\u2000-\u206f\u3000-\u3003\u3008-\u3020\uff00-\uff20]{1,40}"
)
_LABEL = expression(
    r"(?m)(?:^|[.,:：;|(){}\[\]/<>!?。，；、！？])[\s>*+#•·–—-]*(?:\d{1,3}[.)]\s)?[\"'`*_「【«„“]*"
    rf"({_WORD}(?:[ _.’'-]{_WORD}){{0,7}})(?: ?\([^()\n]{{1,30}}\))?"
    r"[\"'`*_」】»”]*[ \t]*\Z"
)
_LABEL_CHARS = 80


def _may_end_drawn(line: str) -> bool:
    """Tell whether a line may end in a drawn value behind a sign: few do, and the patterns are long."""
    if len(line) < 9 or not any(sign in line for sign in _BEFORE):
        return False
    words = [one for one in line.split()[-4:] if one.strip("|\\") and one not in _BREAKS]
    last = words[-1] if words else ""
    runs = "".join([char if char.isalpha() else " " for char in last]).split()
    mixed = any(char.isdigit() or char in "!#$%^*" for char in last) or not last[1:].islower()
    return len(last) > 7 and (mixed or len(max(runs, key=len, default="")) > 15)


def find_any_label(text: str, named: bool) -> Iterator[Hit]:
    """Find what a label announces, in whatever language, that is drawn and the rest of its line.

    `named` tells whether the text has the name of a secret, so that words may be one.
    """
    for said in _REST.finditer(text) if any(map(_may_end_drawn, text.split("\n"))) else ():
        if not _MIXED.search(said[1]):
            continue
        start, stop = said.span(1)
        value = text[start:stop].rstrip(".,:;|")
        if value[:1] == "(" and value[-1:] == ")":
            start, value = start + 1, value[1:-1]
        while (end := value[-1:]) in _OPENING and value.count(end) > value.count(_OPENING[end]):
            value = value[:-1].rstrip(".,;")
        bare = value.lstrip("\"'`«„“「『")
        start, value = start + len(value) - len(bare), bare.rstrip("\"'`»”」』")
        value = value.rstrip("*_") if value.endswith(("**", "__")) else value
        plain = value.strip("*_")
        if value[:1] == value[-1:] and len(plain) > 7:
            start, value = start + value.index(plain), plain
        opaque = is_opaque(plain if len(plain) > 7 else value)
        if not opaque and (not named or len(value) < 6 or value.isalpha()):
            continue
        at = said.start()
        line = text.rfind("\n", max(0, at - _LABEL_CHARS), at) + 1 or max(0, at - _LABEL_CHARS)
        if opaque or _TOLD.search(text[line:at].lower()):
            label = _LABEL.search(text, line, at)
            if label is not None and not _is_open(label[1]):
                if opaque or is_secret(value, True, False, True):
                    yield hit(LABELLED, start, start + len(value))


#: The words of a label, also in `userId`.
_WORDS, _JOINED, _MOST_WORDS = expression(r"[A-Z]?[^\W\d_A-Z]+|[A-Z]+"), expression(r"[ _.’'-]"), 4


def _is_open(label: str) -> bool:
    """Tell whether a label names what opens nothing: a digest, the key of a cache; or says a sentence."""
    words = _JOINED.split(label)
    of, last = ["", "", *[word.lower() for word in _WORDS.findall(label)]][-2:]
    # where blanks part syllables, as in Vietnamese, a word has two or three
    most = _MOST_WORDS if label.isascii() else 2 * _MOST_WORDS
    told = len(words) > most and _NAME.search(label.lower()) is None
    sorts = last in ("key", "token") and (of in _SORTS or of in _PAGES)
    return told or sorts or last in OPEN or words[-1].lower() in OPEN


_OPENING = dict(zip(")}]>", "({[<", strict=True))
