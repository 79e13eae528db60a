"""Find where a value begins and ends that stands behind its name."""

from __future__ import annotations

_QUOTES = "\"'`"
_BARE_END = " \t\n\"'`,;)}]|<>"
NAME_CHARS = "abcdefghijklmnopqrstuvwxyz0123456789_-."
#: What gives a variable its value behind a blank: of docker, fish, Windows and C shells.
SETTERS = ("env ", "arg ", "setx ", "set -x ", "set -gx ", "set -xg ", "setenv ")
_SHORT = ("pw", "pwd", "pass", "passwd", "psk", "mdp", "senha", "clave", "contraseña")
#: What makes a text a string or a secret, and nothing else.
_MADE = frozenset("from new N String SecretStr SecretString Secret Str b r u f L".split())
_CODE = frozenset("()[]{};\"'`+*")
#: A longer value is no credential, but a document.
_CAP = 300


def span_at(text: str, at: int) -> tuple[int, int] | None:
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
            if char in tail:
                tail = tail[: tail.index(char)]
        cut = tail.find("&")
        entity = text[at + len(tail) : at + len(tail) + 1] == ";" and not tail[-1:].isdigit()
        if cut >= 0 and (entity or "=" in tail[cut:] or not tail[cut + 1 : cut + 2].isalnum()):
            tail = tail[:cut]  # a field of a form ends there, too
        if len(tail) == _CAP:
            return None
        end = at + len(tail.rstrip(".:*"))
    return (at, end) if end > at else None


def inside_call(text: str, at: int) -> int:
    """Return where the text begins that a value is made of: `String::from("…")`, `b"…"`."""
    near = text[at : at + 32]
    cut = min([one for one in (near.find('"'), near.find("'")) if one > 0], default=0)
    head = near[:cut]
    made = head.rstrip("(").rpartition(":")[2].rpartition(".")[2].rpartition(" ")[2]
    return at + cut if cut and made in _MADE and (head[-1] == "(" or len(head) < 3) else at


def phrase_end(text: str, start: int, stop: int, server: bool) -> int:
    """Return where a value ends that goes on in words to the end of its line: `psk=tin roof sky`."""
    if text[stop : stop + 1] != " ":
        return stop
    line = text[start : start + 80].partition("\n")[0]
    said = line.partition(";")[0] if server else line.rstrip()
    whole_line = server or text[start - 1] in "=:"
    return (
        start + len(said)
        if whole_line and said.replace(" ", "").isalnum() and said.count(" ") < 6
        else stop
    )


def whole(text: str, start: int, stop: int) -> int:
    """Return where a bare value ends that holds one of the signs which mostly end one: `a,b;c)7`."""
    if text[start - 1 : start] == text[stop : stop + 1] == "|":
        return stop  # a cell
    if text[stop : stop + 1] not in tuple(",;)}]|>") or not text[stop + 1 : stop + 2].isalnum():
        return stop
    near = text[stop : stop + 80].split(None, 1)[0]
    if any(char in near for char in "=:(\"'`<[{\\"):
        return stop
    return stop + len(near.rstrip(_BARE_END + ".:*"))


def behind_default(text: str, at: int) -> int:
    """Return where the default begins of a variable that a value is: `${PW:-real}`."""
    if text[at : at + 3] == "<%=":  # of a template
        near = text[at : at + 80].partition("%>")[0]
        cut = near.rfind("||") + 2
        return at + cut + blanks_at(text, at + cut) if cut > 1 else at
    quote = text[at : at + 1] in tuple(_QUOTES)
    if text[at + quote : at + quote + 2] == "{n" and text.startswith("{noop}", at + quote):
        return at + quote + 6
    if text[at + quote : at + quote + 2] != "${":
        return at
    near = text[at + quote : at + quote + 80].partition("}")[0]
    for sign in (":-", ":=", "-"):
        cut = near.find(sign)
        if cut > 2:
            return at + quote + cut + len(sign)
    return at


def is_all(text: str, name: tuple[int, int, int], place: tuple[int, int]) -> bool:
    """Tell whether a bare value is all that a setting or a flag holds, so that a plain word may be one.

    `name` is where it begins, where the word in it that promises a secret, and where that ends; `place`
    is that of the value.
    """
    (begin, at, end), (start, stop) = name, place
    value, sign = text[start:stop], text[start - 1]
    if (
        sign == "="
        and (text[at:end].isupper() or text[begin] == "-")
        and text[begin:at] + sign != sign
    ):
        return True  # `DB_PASSWORD=sunflower`, `--password=sunflower`
    if sign == "-" and text[start - 2] == ":":
        return True  # `${DB_PASSWORD:-sunflower}`
    if (sign == ">" and text[stop : stop + 2] == "</") or text[at:end] in ("storepass", "keypass"):
        return True  # `<password>sunflower</password>`
    if sign == "=" and text[end:start] == "=":  # `vault kv put a password=sunflower`
        before, behind = text[begin - 1 : begin], text[stop : stop + 1]
        if before == "." and " -" in text[max(0, begin - 60) : begin]:
            before = " "  # `--set auth.password=sunflower`
        ends = behind in _BARE_END[:3] or behind in "\"';&"
        if "-" in value or (ends and (not begin or before in tuple(" =\"';\n&?"))):
            return True
    if text[stop : stop + 1] == ")" and text[end:start] == ": ":
        # `(pw: sunflower)`, `(supplied password: sunflower)`
        front = text[max(0, begin - 24) : begin].rpartition("(")
        return text[at - 1 : at] == "(" or (front[1] == "(" and front[2].replace(" ", "").isalpha())
    if text[begin] == "-" and sign == " ":
        behind = text[stop : stop + 2]
        return behind[:1] in ("", "\n") or behind[1:] in tuple("-|&<>;\\/.")
    line = text[max(0, begin - 40) : begin].rpartition("\n")[2]
    behind = text[stop : stop + 3].lstrip(" \t")[:1]
    if sign == " " and line.lower().endswith(SETTERS) and text[at:end].isupper():
        return behind in ("", "\n")
    if behind in ("", "\n") and "value" in text[end:start] and text[at:end].isupper():
        return True  # `name: DB_PASSWORD` and `value: sunflower` below
    if "-" in value and ":" in text[end:start]:
        if behind in ",}(" or text[begin : begin + 2] == "X-":
            return True  # `{user: ada, password: blue-kettle}`: no code has such a name
    if text[stop : stop + 3] in (" ; ", " //") or text[stop : stop + 4] == "  //":
        behind = "#"
    if line.strip(" \t>*-").lower().strip(NAME_CHARS) or behind not in ("", "\n", "#"):
        return False
    if not value.islower():
        cased = value.istitle() or any(map(value.count, "-_."))
        # a type has no hyphen, and what has a type neither a dot nor a short name
        untyped = "-" in value or text[begin - 1 : begin] == "." or text[at:end] in _SHORT
        return cased and (untyped or not text[at].islower())
    if "=" in text[end:start]:
        # with blanks around it may be code, but not below `[a section]`, and not among settings alone
        return (
            sign == "=" or "-" in value or _is_below_section(text, begin) or _is_in_row(text, begin)
        )
    return ":" in text[end:start]


def _is_below_section(text: str, at: int) -> bool:
    """Tell whether a setting stands below the `[name]` of a section, and below settings alone."""
    above = text[max(0, at - 300) : at].splitlines()[::-1]
    heads = (n for n, line in enumerate(above) if line[:1] == "[" and line.rstrip()[-1:] == "]")
    first = next(heads, -1)
    return first >= 0 and all("=" in line or not line.strip() for line in above[:first])


def _is_in_row(text: str, at: int) -> bool:
    """Tell whether the lines of its block are settings as well, and none calls or quotes anything."""
    above, behind = text[max(0, at - 300) : at], text[at : at + 300]
    lines = (above.rpartition("\n\n")[2] + behind.partition("\n\n")[0]).splitlines()
    return (
        len(lines) > 1
        and all(
            " = " in line and not _CODE.intersection(line) and line.count("=") == 1
            for line in lines
        )
        and any(line.rpartition(" ")[2].isdigit() for line in lines)
    )


def blanks_at(text: str, at: int) -> int:
    """Return how many blanks stand at a place; eight are read."""
    head = text[at : at + 8]
    return len(head) - len(head.lstrip(" \t"))
