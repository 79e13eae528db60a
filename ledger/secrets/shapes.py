"""Find secrets by their shape alone: key blocks, addresses with passwords, web tokens.

Like `ledger.secrets.vendor_tokens` a scan by hand: each look behind or ahead has a limit
(fault:G23).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ledger.secrets.entropy import distinct, is_placeholder, is_random, is_stock
from ledger.secrets.match import Hit, hit, places
from ledger.secrets.vendor_tokens import ALNUM, BASE64, DOTTED, HEX, WORD, run_of

_BEGIN, _END = "-----BEGIN ", "-----END "
#: How long a key block without an end is taken to be.
_BLOCK_LINES = 200
#: How far its end is looked for.
_BLOCK_CHARS = 20_000
#: (infix, rule, characters before, how many, characters behind, at least, at most)
_Infix = tuple[str, str, str, tuple[int, int], str, int, int]
_INFIXES: tuple[_Infix, ...] = (
    ("T3BlbkFJ", "openai-key", WORD, (20, 80), WORD, 20, 80),
    (".atlasv1.", "terraform-token", ALNUM, (14, 14), WORD, 40, 80),
    ("Q~", "azure-client-secret", WORD + "~.", (4, 4), DOTTED + "~", 31, 34),
    ("AZDO", "azure-devops-token", ALNUM, (76, 76), ALNUM, 4, 4),
    (":AA", "telegram-token", "0123456789", (8, 10), WORD, 33, 33),
    ("-us", "mailchimp-key", HEX, (32, 32), "0123456789", 1, 2),
    ("NRAL", "new-relic-key", HEX, (36, 36), "", 0, 0),
)
_BOT = re.compile(
    r"([MNO](?<![\w.-].)[\w-]{22,27})\.[\w-]{6,7}\.([\w-]{27,42})(?!\.?[\w-])", re.ASCII
)
_URL_END = "/?# \t\n\"'`<>|\\)]},;"


def find_shapes(text: str, words: str, drawn: str) -> list[Hit]:
    """Find secrets by their shape.

    `words` are the long words of the text, `drawn` those that have digits or capitals.
    """
    found: list[Hit] = []
    if "BEGIN " in text or "Private-Lines:" in text:
        found += _blocks(text)
    if "://" in words:
        found += _addresses(text)
    if not drawn:
        return found
    for row in _INFIXES:
        if row[0] in drawn:
            found += _infixed(text, row)
    if "." in drawn:
        found += _bots(text)
    return found


def _blocks(text: str) -> list[Hit]:
    """Find private keys: `-----BEGIN … PRIVATE KEY…-----` up to its end, on lines or escaped in JSON."""
    found: list[Hit] = []
    at, last = text.find(_BEGIN), 0
    ends = text.rfind(_END)  # where no block ends any more none is looked for
    while at >= 0:
        label = text[at + len(_BEGIN) : at + 80].partition("-----")[0]
        body = at + len(_BEGIN) + len(label) + 5
        known = "PRIVATE KEY" in label or "Static key" in label
        if at >= last and known and "\n" not in label:
            end = text.find(_END + label, body, body + _BLOCK_CHARS) if body <= ends else -1
            if end < 0:
                end = body + len(text[body : _block_end(text, body)].rstrip())
            else:
                end += len(_END + label)
                end += 5 if text[end : end + 5] == "-----" else 0
            content = text[body : min(end, body + 4000)].replace("\\n", "")
            dense = [
                line
                for line in content.split("\n")
                if run_of(line.strip(" \t>"), 0, BASE64, 80) > 15
            ]
            if dense and distinct("".join(dense)) > 15:
                found.append(hit("private-key", at, min(max(end, body), len(text)), _BEGIN + label))
                last = end
        at = text.find(_BEGIN, body)
    for at in places(text, "---- BEGIN SSH2 ENCRYPTED PRIVATE"):
        end = text.find("---- END SSH2", at, at + _BLOCK_CHARS)
        found.append(
            hit("private-key", at, end if end >= 0 else _block_end(text, text.find("\n", at) + 1))
        )
    for at in places(text, "Private-Lines:"):
        start = text.find("\n", at) + 1
        end = _block_end(text, start) if start else 0
        if end > start + 40:
            found.append(hit("private-key", start, end))
    return found


def _block_end(text: str, at: int) -> int:
    """Return where the lines of base64 end that begin at `at`; a cut block has no end of its own."""
    for _ in range(_BLOCK_LINES):
        line_end = text.find("\n", at + 1)
        line_end = len(text) if line_end < 0 else line_end
        line = text[at:line_end].strip(" \t\n>")
        if line and line.rstrip("\\n\"',").strip(BASE64 + "\\"):
            return at
        at = line_end
    return at


def _infixed(text: str, row: _Infix) -> Iterator[Hit]:
    """Find tokens with a mark in their midst."""
    infix, rule, front, (low, high), chars, least, most = row
    for at in places(text, infix):
        head = text[max(0, at - high - 1) : at]
        head = head[len(head.rstrip(front)) :]
        start, end = at - len(head), at + len(infix)
        more = run_of(text, end, chars, most + 1) if chars else 0
        whole = text[start : end + more]
        if (
            low <= len(head) <= high
            and least <= more <= most
            and (rule != "azure-client-secret" or head[3].isdigit())
            and not text[end + more : end + more + 1].isalnum()
            and not (start and text[start - 1].isalnum())
            and is_random(whole)
            and not is_placeholder(head + text[end : end + more])
        ):
            yield hit(rule, start, end + more)


def _addresses(text: str) -> Iterator[Hit]:
    """Find passwords and tokens in addresses: `scheme://user:password@host`."""
    for at in places(text, "://"):
        start = at + 3
        rest = text[start : start + 512]
        if "@" not in rest:
            continue
        stop = len(rest)
        for char in _URL_END:
            cut_at = rest.find(char, 0, stop)
            stop = cut_at if cut_at >= 0 else stop
        user, cut, host = rest[:stop].rpartition("@")
        if stop < len(rest) and rest[stop] in "/#?":
            user, cut = _unescaped(rest, stop) or (user, cut)
        if cut:
            name, colon, password = user.partition(":")
            scheme = text[max(0, at - 12) : at]
            if "sentry" in host and run_of(name, 0, HEX, 33) == 32:
                yield hit("sentry-dsn", start, start + len(user))
            elif colon and _is_password(name, password):
                begin = start + len(name) + 1
                yield hit("url-password", begin, begin + len(password))
            elif not colon and len(user) > 15 and "http" in scheme and is_random(user):
                yield hit("url-token", start, start + len(user))


def _unescaped(rest: str, stop: int) -> tuple[str, str] | None:
    """Return the user of an address whose password holds `/`, `#` or `?`, not escaped as it should be.

    `rest` is that of a text, behind `://`; `stop` is where the first of these signs stands.
    """
    ends = [end for end in map(rest.find, " \t\n\"'`<>") if end >= 0]
    line = rest[: min(ends, default=512)]
    head, cut, tail = line.partition("@")
    if cut and len(head) < stop:  # the password holds an `@` as well
        more, again, _ = line[stop:].rpartition("@")
        inside = again and ":" in head and rest[stop] != "/" and not any(map(more.count, "=/&"))
        return (line[:stop] + more, "@") if inside else None
    if not cut or ":" not in head.split("/")[0] or "." not in tail or "//" in head:
        return None
    return None if head.partition(":")[2].split("/")[0].isdigit() else (head, "@")


def _is_password(name: str, password: str) -> bool:
    """Tell whether what stands for a password in an address is one."""
    if len(password) < 3 or password == name or is_placeholder(password):
        return False
    return not (is_stock(password) or password in ("x-oauth-basic", "postgres", "guest", "redis"))


def _bots(text: str) -> Iterator[Hit]:
    """Find the tokens of bots of Discord: an id in base64, a time and a hash, known by their lengths."""
    for said in _BOT.finditer(text):
        if is_random(said[1]) and is_random(said[2]):
            yield hit("discord-token", *said.span())
