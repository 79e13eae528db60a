"""Find credentials that a name gives away: `password = "…"`, `API_KEY: …`, `Authorization: Bearer …`.

What stands behind such a name is a secret only if it looks like one; `password: required`, `token: $TOKEN`
and `secret: <your secret>` are not (`ledger.secrets.entropy`). One pass for each name, each look ahead
with a limit (fault:G23).
"""

from __future__ import annotations

from ledger.model.record import Record
from ledger.secrets import value_places as places
from ledger.secrets.columns import find_columns
from ledger.secrets.credential_values import (
    BLANK,
    CHOSEN,
    FOREIGN,
    KEYS,
    LOOSE,
    NAMES,
    NO_KEYS,
    PAGES,
    ROOTS,
    SPOKEN,
    TOLD,
    WHOLE,
    is_drawn,
    is_outcome,
    is_qualified,
    is_run_on,
    is_secret,
    is_strong,
    may_follow,
)
from ledger.secrets.match import Hit, hit
from ledger.secrets.secret_sentences import BEFORE, BEHIND, may_tell, told

_QUOTES = "\"'`"
_PARTED = str.maketrans("_-\n\t", "    ")
#: How many values with one end are judged.
_TRIES = 4
#: What a connection string holds beside its password.
_SERVERS = ("server=", "host=", "data source=", "uid=", "user id=")
#: What types a value into a field.
_FILLING = (".fill", ".type", ".send_keys", ".sendkeys", ".setvalue", ".settext")
#: What a function is called that is given a secret: `.password("…")`, `setPassword("…")`.
_GIVEN = ("", "set", "with")


class _Tried(Record):
    """What was judged of one text, so that a long line of the same costs no more than any other."""

    #: how many values that end at a place: of nothing but names each would be judged to the end
    ends: dict[int, int]
    #: whether a value is a secret, by all that this depends on
    values: dict[tuple[str, str, bool, bool, bool, bool], bool]
    #: where a value stands behind what surrounds a name, counted from there
    told: dict[tuple[str, str], tuple[int, int] | None]


def find_credentials(text: str) -> list[Hit]:
    """Find values behind names that promise a secret."""
    low = text.lower()
    if len(low) != len(text):  # a letter that has no single lower-case one; places would shift
        low = "".join([char.lower() if char.isascii() else char for char in text])
    tried = _Tried({}, {}, {})
    names = [name for root in ROOTS if root in low for name in ROOTS[root] if name in low]
    if not low.isascii():
        names += [
            name for letter in FOREIGN if letter in low for name in FOREIGN[letter] if name in low
        ]
    found = find_columns(text, low, names)
    for name in names:
        plain = name not in SPOKEN and name != "bearer"
        at = low.find(name)
        while at >= 0:
            end = at + len(name)
            begin, loose = _front_of_key(low, at) if name == "key" else (at, name in LOOSE)
            if (
                (name in WHOLE and _is_part(text, low, at, end))
                or (name == "pass" and is_outcome(text, low, at, end))
                or (name not in NAMES and is_run_on(text, name, end))
            ):
                begin = -1
            place = None
            if begin >= 0 and not (plain and _is_word_of_prose(text, low, begin, end, name)):
                place = _value_behind(text, low, begin, end, name, tried)
                if loose and place is not None and not is_drawn(text[slice(*place)]):
                    place = None
            if (
                place is None
                and name in TOLD
                and begin >= 0
                and not low[max(0, at - 14) : at].rstrip("-_ ").endswith(PAGES)
            ):
                place = _told(text, low, (at, end), name, tried)
            if place is not None:
                found.append(hit("credential", *place))
                end = max(end, place[1])
            at = low.find(name, end)
    return found


def _told(
    text: str, low: str, place: tuple[int, int], name: str, tried: _Tried
) -> tuple[int, int] | None:
    """Return where the value stands that a sentence tells; each sentence is read once."""
    at, end = place
    if not may_tell(low, at, end, name):
        return None
    near = text[max(0, at - BEFORE) : end], text[end : end + BEHIND]
    if near not in tried.told:
        found = told(text, low, at, end, name)
        tried.told[near] = (found[0] - at, found[1] - at) if found else None
    said = tried.told[near]
    return (at + said[0], at + said[1]) if said else None


def _is_part(text: str, low: str, at: int, end: int) -> bool:
    """Tell whether a name is but a part of a word; in capitals one may end a variable's, as `SSHPASS=`."""
    if not low[at - 1 : at].isalnum():
        return low[end : end + 1].isalnum()
    if text[at].isupper() and text[at - 1].islower():
        return low[end : end + 1].isalnum()  # `smtpPass`
    return not (text[end : end + 1] == "=" and text[at - 1 : end].isupper())


def _front_of_key(low: str, at: int) -> tuple[int, bool]:
    """Return where the name of a key begins that may open something; -1 for any other.

    Returns:
        The place; whether only `…-key` says so, and what stands there has to be drawn beyond doubt.
    """
    joint = low[at - 1 : at] if at else ""
    end = at - (joint in ("_", "-", " ") and joint != "")
    near = low[max(0, end - 14) : end]
    for word in KEYS if near.endswith(KEYS) else ():
        if near.endswith(word):
            return end - len(word), False
    if joint not in ("_", "-"):
        return -1, False
    front = near.translate(_PARTED).rpartition(" ")[2].strip(_QUOTES + "(<[{")
    return (end - len(front), True) if front.isalpha() and front not in NO_KEYS else (-1, False)


def _is_word_of_prose(text: str, low: str, at: int, end: int, name: str) -> bool:
    """Tell whether a name stands between words, where nothing can be its value."""
    near = low[end : end + 96]
    if (
        not low[max(0, at - 96) : at].rpartition("\n")[2].strip()
        or low[at - 1] != " "
        or not (near[:1] in (",", ";", "\n") or (near[:1] == " " and near[1:2].isalpha()))
    ):
        return False
    if name == "key" and is_drawn(text[end + 1 : end + 96].split(" ")[0].rstrip(".,;)")):
        return False
    told = " is " in near or " was " in near
    colon = near.find(": ")
    if colon > 0 and is_strong(text[end + colon + 2 : end + 160]):
        return False
    paired = "value" in near or "string" in near or "default" in near
    return not (told or paired or low[max(0, at - 9) : at].endswith(places.SETTERS))


def _value_behind(
    text: str, low: str, at: int, end: int, name: str, tried: _Tried
) -> tuple[int, int] | None:
    """Return where the value stands that a name announces.

    `low` is the text in lower case, `at` and `end` are where the name begins and ends, which is as
    `NAMES` has it; `tried` is what was judged before.
    """
    tail = low[end : end + 32]
    more = len(tail) - len(tail.lstrip(places.NAME_CHARS))
    if more and "-" not in tail[:more] and not may_follow(tail[:more].rstrip(".")):
        return None
    before = low[max(0, at - 48) : at]
    front = before.rstrip("abcdefghijklmnopqrstuvwxyz0123456789_-")
    if text.startswith(":`", end) and front[-1:] == ":":
        return None  # a role: :token:`name`
    if front[-2:] == "${" and "-" in tail[:more]:
        more = tail.index("-")
    rest = tail[:more].rstrip(".-")
    if name == "token" and rest[:1] == ".":
        return None  # of a design: `color.token.primary`
    if not may_follow(rest) or front[-2:] == "::" or before.endswith(("public", "[redacted: ")):
        return None
    found = _sign(text, low, at, end + more, name, front)
    if found is None:
        return None
    spot, strict = found
    head = text[spot : spot + 4]
    spot += len(head) - len(head.lstrip("*"))  # `**Password:** value`
    spot += places.blanks_at(text, spot)
    if name == "authorization":
        strict, spot = True, _behind_scheme(text, spot)
    place = places.span_at(text, places.inside_call(text, places.behind_default(text, spot)))
    if place is None or tried.ends.get(place[1], 0) > _TRIES:
        return None
    tried.ends[place[1]] = tried.ends.get(place[1], 0) + 1
    start, stop = place
    if low[start:stop] == low[at - len(before) + len(front) : end + more]:
        return None  # `refresh_token=refresh_token`
    quoted = text[start - 1 : start] in tuple(_QUOTES)
    near = "" if quoted or strict or name not in CHOSEN else low[max(0, start - 200) : start]
    server = bool([word for word in _SERVERS if word in near])
    whole_name = at - len(before) + len(front), at, end
    alone = quoted or server or name in BLANK or places.is_all(text, whole_name, place)
    alone = alone or ("machine " in low[max(0, at - 160) : at] and _in_account(low, at))
    stop = places.phrase_end(text, start, stop, server) if alone and not quoted else stop
    named = name == "key" or _is_named(before, front) or is_qualified(low, at, end)
    more = stop if quoted or " " in text[start:stop] else places.whole(text, start, stop)
    for end in (stop, more) if more > stop else (stop,):
        asked = text[start:end], name, quoted or server, strict, alone, named
        if asked not in tried.values:
            tried.values[asked] = is_secret(*asked)
        if tried.values[asked]:
            return start, more
    return None


def _behind_scheme(text: str, at: int) -> int:
    """Return what stands behind `Bearer`, `Basic` and whatever other scheme there is."""
    scheme, blank, _ = text[at : at + 24].lstrip(_QUOTES).partition(" ")
    if not blank or not scheme.replace("-", "").isalnum():
        return at
    at = text.index(scheme, at) + len(scheme)
    return at + places.blanks_at(text, at)


def _is_named(before: str, front: str) -> bool:
    """Tell whether it is said what a name opens: `jwt_secret`, `--token`, `app.secret`."""
    stem = before[len(front) :].strip("_-.")
    return (
        bool(stem) or front[-1:] in (".", "<") or before[-2:] == "--" or 'auth"' in front[-12:]
    ) and not stem.endswith(PAGES)


def _sign(text: str, low: str, at: int, end: int, name: str, front: str) -> tuple[int, bool] | None:
    """Return where a value begins behind a name, and whether only what looks drawn counts."""
    head = text[end : end + 4]
    closing = len(head) - len(head.lstrip("\"'`*])"))  # the name itself stands in quotes, or bold
    spot = end + closing
    blanks = places.blanks_at(text, spot)
    sign = text[spot + blanks : spot + blanks + 2]
    if front[-2:] == "${" and sign[:1] and (sign in (":-", ":=", ":?") or sign[0] in "-="):
        return spot + (2 if sign[0] == ":" else 1), False
    if sign in (":=", "=>", "?=", "||", "??"):
        return spot + blanks + 2, False
    if (
        sign in ("==", "!=")
        and closing + blanks
        and text[spot + blanks + 2 : spot + blanks + 4].strip()[:1] in tuple(_QUOTES[:2])
    ):
        return spot + blanks + 2, False  # `get("admin_token") != "sunflower"`
    if sign in ("==", "=~", "::"):
        return None
    if sign[:1] in (":", "="):
        spot += blanks + 1
        return _next_line(text, spot) or _typed(text, spot) or spot, False
    filled = _filled(text, spot, end) if closing or text.startswith(" { get;", end) else 0
    if filled:
        return filled, False
    if sign[:1] == ">" and not blanks and front[-1:] == "<":
        return spot + 1, False  # `<password>…</password>`
    if sign in ('("', "('") and not blanks and not closing:  # `.password("…")`, `setPassword('…')`
        stem = low[max(0, at - 48) : at][len(front) :].rstrip("_")
        sql = text[at:end].isupper() and front.rstrip()[-1:] == "="
        called = sql or (stem in _GIVEN and (stem or front[-1:] in (".", ">")))
        return (spot + 1, False) if called else None
    if blanks and sign[:1] in ("'", '"') and name == "password" and not closing:
        return spot + blanks, False  # `WITH PASSWORD 'sunflower'`
    if name in BLANK and blanks:
        return spot + blanks, False
    if sign[:1] == "|" and "|" in text[max(0, at - 60) : at].rpartition("\n")[2]:
        return spot + blanks + 1, False  # the next cell of a table
    if blanks and front.endswith(places.SETTERS):
        return spot + blanks, False
    if (
        sign[:1] == "," and closing and front.rstrip(" \"'`")[-1:] == "("
    ):  # `getenv("NAME", "value")`
        spot += blanks + 1
        spot += places.blanks_at(text, spot)
        return (spot, False) if text[spot : spot + 1] in tuple(_QUOTES) else None
    if (
        sign == ", "
        and "assert" in low[max(0, at - 60) : at]
        and text[spot + 2 : spot + 3] in ("'", '"')
    ):
        return spot + 2, False
    if name == "bearer" and blanks:
        return spot + blanks, True
    return _apart(text, low, at, spot, blanks, name)


def _apart(
    text: str, low: str, at: int, spot: int, blanks: int, name: str
) -> tuple[int, bool] | None:
    """Return where a value begins that no sign announces: of a flag, an account, a pair, a row."""
    flag = low[max(0, at - 24) : at].replace("\n", " ").rpartition(" ")[2].startswith("-")
    if blanks == 1 and (flag or (name == "password" and _in_account(low, at))):
        spot += blanks
        return spot + 2 * (text[spot : spot + 2] in ("0 ", "7 ")), False
    paired = _pair(low, spot)
    if paired:
        return paired, False
    if blanks > 1 or name == "key":
        word = text[spot + blanks : spot + blanks + 81].partition("\n")[0].rstrip()
        alone = " " not in word and not low[max(0, at - 32) : at].rpartition("\n")[2].strip()
        if blanks > 1 and alone:
            return spot + blanks, False  # a row of what a program prints
        if blanks == 1 and is_drawn(word.partition(" ")[0].rstrip(".,;)")):
            return spot + blanks, True
    return None


def _filled(text: str, spot: int, end: int) -> int:
    """Return where a field or a property is given its value, 0 where it is not."""
    if text[spot : spot + 1] == ".":  # `getByLabel("Password").fill("…")`
        call, _, behind = text[spot : spot + 24].partition("(")
        return (
            spot + len(call) + 1 if call.lower() in _FILLING and behind[:1] in tuple(_QUOTES) else 0
        )
    near, given, _ = text[end : end + 48].partition("} = ")  # `Name { get; set; } = "…"`
    return end + len(near) + 4 if given and near.startswith(" { get;") else 0


def _typed(text: str, at: int) -> int:
    """Return where the value begins behind a type: `token: &str = "…"`; 0 where there is none."""
    name, sign, _ = text[at : at + 40].partition(' = "')
    bare = name.strip().lstrip("&'")
    return (
        at + len(name) + 3
        if sign and bare.partition(" ")[2] in ("", "str") and bare[:1].isalpha()
        else 0
    )


def _next_line(text: str, at: int) -> int:
    """Return where the value begins that stands alone on the line below its name; 0 for none."""
    near = text[at : at + 160]
    bare = near.lstrip(" \t")
    if bare[:1] != "\n":
        return 0
    below = bare.lstrip(" \t\n>`*-")
    word = below.partition("\n")[0].rstrip(" \t`*")
    return at + len(near) - len(below) if word and " " not in word and ":" not in word else 0


#: What may part a name from the word `value` in a pair of the two.
_PAIRED = " \t\r\n\"',;|-"
_TAGS = ("/key>", "/name>", "key>", "name>", "")
_PAIR_WORDS = ("value", "string", "default")


def _pair(low: str, at: int) -> int:
    """Return where the value of a pair begins: `"key": NAME, "value": …`; 0 where none follows."""
    near = low[at : at + 96]
    for word in _PAIR_WORDS:
        cut = near.find(word)
        if cut <= 0:
            continue
        gap = near[:cut].strip(_PAIRED + "<{:")
        if word == "default" and "{" in near[:cut] and "}" not in near[:cut]:
            gap = ""  # `variable "name" { type = string, default = "…" }`
        behind = at + cut + len(word)
        if gap not in _TAGS:
            continue
        tail = low[behind : behind + 6]
        behind += len(tail) - len(tail.lstrip("\"' "))
        if low[behind : behind + 1] in tuple(":=>"):
            return behind + 1
    return 0


def _in_account(low: str, at: int) -> bool:
    """Tell whether a line sets up an account, as in `.netrc`: `machine host login name password value`."""
    near = low[max(0, at - 160) : at]
    if "login " in near and ("machine " in near or "default " in near):
        return True
    near = near.rpartition("\n")[2]
    return "username " in near or "nmcli " in near
