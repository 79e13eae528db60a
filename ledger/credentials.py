"""Credentials that a name gives away: `password = "…"`, `API_KEY: …`, `Authorization: Bearer …`.

What stands behind such a name is a secret only if it looks like one; `password: required`, `token: $TOKEN`
and `secret: <your secret>` are not (`ledger.entropy`). One pass for each name, each look ahead with a
limit (durability catalogue, G23).
"""

from __future__ import annotations

from ledger.entropy import distinct, is_placeholder, is_random, is_stock, is_wordy
from ledger.hits import Hit, hit

#: The words that a name of a credential holds.
_NAMES = (
    "password", "passwd", "passphrase", "pwd", "_pass", "secret", "token", "api_key", "apikey",
    "api-key", "api key", "app_key", "appkey", "access_key", "accesskey", "access-key", "private_key",
    "account_key", "auth_key", "authkey", "signing_key", "encryption_key", "master_key",
    "credential", "bearer", "authorization",
)  # fmt: skip
#: What may follow such a word in the name.
_TAILS = frozenset(
    "s key keys value values prod production live test dev staging main admin user root db access "
    "client app api base plain text raw default old new primary secondary secret token password "
    "hex base64 1 2 3 basic".split()
)
#: Names of passwords that people choose: weaker ones count, too.
_CHOSEN = frozenset(("password", "passwd", "passphrase", "pwd", "_pass"))
_QUOTES = "\"'`"
_BARE_END = " \t\n\"'`,;)}]|<>&"
_NAME_CHARS = frozenset("abcdefghijklmnopqrstuvwxyz0123456789_-.")
#: A longer value is no credential, but a document.
_CAP = 300
#: How many values with one end are judged.
_TRIES = 4
#: What a connection string holds beside its password.
_SERVERS = ("server=", "host=", "data source=", "uid=", "user id=")


def find_credentials(text: str) -> list[Hit]:
    """Find values behind names that promise a secret."""
    low = text.lower()
    if len(low) != len(text):  # a letter that has no single lower-case one; places would shift
        low = "".join([char.lower() if char.isascii() else char for char in text])
    found: list[Hit] = []
    tried: dict[int, int] = {}
    for name in _NAMES:
        if name not in low:
            continue
        at = low.find(name)
        while at >= 0:
            end = at + len(name)
            place = _value_behind(text, low, at, end, name, tried)
            if place is not None:
                found.append(hit("credential", *place))
                end = place[1]
            at = low.find(name, end)
    if "-u " in low or "--user " in low:
        found += _logins(text)
    return found


def _value_behind(
    text: str, low: str, at: int, end: int, name: str, tried: dict[int, int]
) -> tuple[int, int] | None:
    """Return where the value stands that a name announces.

    Args:
        text: to look in.
        low: the same in lower case.
        at: where the name begins.
        end: where it ends.
        name: as `_NAMES` has it.
        tried: how many values that end at a place were judged: a line of nothing but names would be
            judged from each of them to its end.
    """
    tail = low[end : end + 32]
    more = 0
    while more < len(tail) and tail[more] in _NAME_CHARS:
        more += 1
    rest = tail[:more].rstrip(".-")
    before = low[max(0, at - 48) : at]
    front = before.rstrip("abcdefghijklmnopqrstuvwxyz0123456789_-")
    if not _may_follow(rest) or front[-2:] == "::" or before.endswith("public"):
        return None
    spot = end + more
    head = text[spot : spot + 4]
    closing = len(head) - len(head.lstrip("\"'`*]"))  # the name itself stands in quotes, or bold
    spot += closing
    blanks = _blanks(text, spot)
    sign = text[spot + blanks : spot + blanks + 2]
    flag = low[max(0, at - 24) : at].rpartition(" ")[2].startswith("--")
    strict = False
    if sign[:2] in (":=", "=>", "?="):
        spot += blanks + 2
    elif sign[:2] in ("==", "=~", "::"):
        return None
    elif sign[:1] in (":", "="):
        spot += blanks + 1
    elif name in ("bearer",) and blanks:
        spot, strict = spot + blanks, True
    elif blanks == 1 and (flag or (name == "password" and _in_netrc(low, at))):
        spot += blanks
    else:
        return None
    head = text[spot : spot + 4]
    spot += len(head) - len(head.lstrip("*"))  # `**Password:** value`
    spot += _blanks(text, spot)
    if name == "authorization":
        strict = True
        scheme = text[spot : spot + 16].lstrip(_QUOTES).partition(" ")[0]
        if scheme.lower() in ("bearer", "basic", "token", "apikey", "bot"):
            spot = text.index(scheme, spot) + len(scheme)
            spot += _blanks(text, spot)
    place = _span_at(text, spot)
    if place is None or tried.get(place[1], 0) > _TRIES:
        return None
    tried[place[1]] = tried.get(place[1], 0) + 1
    start, stop = place
    near = text[max(0, start - 200) : start].lower()
    server = any(word in near for word in _SERVERS)
    quoted = text[start - 1 : start] in tuple(_QUOTES)
    return place if _is_secret(text[start:stop], name, quoted, strict, server) else None


def _may_follow(rest: str) -> bool:
    """Tell whether the rest of a name leaves it one of a secret: `_prod` does, `_count` does not."""
    parts = rest.replace("-", "_").replace(".", "_").split("_")
    return all(not part or part in _TAILS for part in parts)


def _blanks(text: str, at: int) -> int:
    head = text[at : at + 8]
    return len(head) - len(head.lstrip(" \t"))


def _in_netrc(low: str, at: int) -> bool:
    """Tell whether a line is one of `.netrc`: `machine host login name password value`."""
    near = low[max(0, at - 160) : at]
    return "login " in near and ("machine " in near or "default " in near)


def _span_at(text: str, at: int) -> tuple[int, int] | None:
    """Return where the value begins and ends that stands at a place."""
    quote = text[at : at + 1]
    if quote == "\\" and text[at + 1 : at + 2] in ("'", '"'):
        at += 1
        quote = text[at : at + 1]
    if quote and quote in _QUOTES:
        at += 1
        end = text.find(quote, at, at + _CAP)
        line = text.find("\n", at, at + _CAP)
        if end < 0 or (0 <= line < end):
            return None
        if text[end - 1] == "\\":
            end -= 1
    else:
        tail = text[at : at + _CAP]
        for char in _BARE_END:
            cut = tail.find(char)
            tail = tail[:cut] if cut >= 0 else tail
        if len(tail) == _CAP:
            return None
        end = at + len(tail.rstrip(".:*"))
    return (at, end) if end > at else None


def _is_secret(value: str, name: str, quoted: bool, strict: bool, server: bool) -> bool:
    """Tell whether a value is a secret, and not what documents and code put in its place."""
    if len(value) < 6 or " " in value or "\t" in value or is_placeholder(value):
        return False
    if is_stock(value) or not value.isascii() or "://" in value:
        return False
    if any(char in value for char in ("()" if quoted else "()[")) or value[0] in "/~.-":
        return False
    if not strict and (quoted or server) and name in _CHOSEN:
        letters = any(char.isalpha() for char in value)
        others = any(not char.isalpha() for char in value)
        mixed = letters and (others or (not value.islower() and not value.isupper()))
        plain = is_wordy(value) and not any(char.isdigit() for char in value)
        return mixed and not plain and not _is_code(value)
    if len(value) < 8 or is_wordy(value) or _is_code(value):
        return False
    if any("0" <= char <= "9" for char in value) and any(char.isalpha() for char in value):
        if name in _CHOSEN:
            return distinct(value) > 4
        return len(value) >= 12 and is_random(value) and distinct(value) > 7
    return len(value) >= 20 and is_random(value) and distinct(value) > 11


def _is_code(value: str) -> bool:
    """Tell whether a value is an expression or a path: `process.env.TOKEN`, `config/secret.yml`."""
    if value.startswith(
        ("process.", "os.", "env.", "self.", "this.", "secrets.", "config.", "vault:")
    ):
        return True
    if value.startswith(("arn:", "sha256:", "sha512:", "sha1:", "sha512-", "sha256-", "sha384-")):
        return True
    parts = value.split(".")
    return len(parts) > 1 and all(part.replace("_", "").isalpha() for part in parts)


def _logins(text: str) -> list[Hit]:
    """Find the password of `curl -u name:password`."""
    found: list[Hit] = []
    for flag in ("-u ", "--user "):
        at = text.find(flag)
        while at >= 0:
            start = at + len(flag)
            near = text[max(0, at - 200) : at]
            if ("curl" in near or "wget" in near) and text[max(0, at - 1) : at] in ("", " ", "\n"):
                head = text[start : start + 256]
                head = head.partition("\n")[0].lstrip(_QUOTES)
                word = head.partition(" ")[0].rstrip(_QUOTES)
                name, colon, password = word.partition(":")
                if (
                    colon
                    and len(password) > 5
                    and not (is_placeholder(password) or is_stock(password) or "://" in word)
                ):
                    begin = text.index(word, start) + len(name) + 1
                    found.append(hit("credential", begin, begin + len(password)))
            at = text.find(flag, start)
    return found
