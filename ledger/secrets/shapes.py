"""Find secrets by their shape alone: key blocks, addresses with passwords, marks within a token.

Each repeat and each look ahead has a limit (fault:G23).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ledger.secrets.entropy import distinct, is_placeholder, is_random, is_stock
from ledger.secrets.match import Hit, hit

#: How a private key begins; a block of PuTTY has no end.
_BEGIN = re.compile(
    r"-----BEGIN ([^\n-]{0,60}(?:PRIVATE KEY|Static key)[^\n-]{0,20})-----"
    r"|(---- BEGIN SSH2 ENCRYPTED PRIVATE)[^\n]{0,40}|Private-Lines:[^\n]{0,20}\n"
)
#: How far its end is looked for; else it goes on for so many lines of base64.
_BLOCK_CHARS = 20_000
_BODY = re.compile(r"(?:[ \t>]*+[A-Za-z0-9+/=\\]*+[\"',]*+[ \t]*+(?:\n|\Z)){0,200}+")
_DENSE = re.compile(r"[A-Za-z0-9+/=]{16,}")
#: (mark within the token, rule, the token)
_INFIXES = (
    ("T3BlbkFJ", "openai-key", r"(?<![\w-])[\w-]{20,80}T3BlbkFJ[\w-]{20,80}(?![\w-])"),
    (".atlasv1.", "terraform-token", r"(?<![^\W_])[^\W_]{14}\.atlasv1\.[\w-]{40,80}(?![\w-])"),
    ("Q~", "azure-client-secret", r"(?<![\w~.-])[\w~.-]{3}\dQ~[\w~.-]{31,34}(?![\w~.-])"),
    ("AZDO", "azure-devops-token", r"(?<![^\W_])[^\W_]{76}AZDO[^\W_]{4}(?![^\W_])"),
    (":AA", "telegram-token", r"(?<![^\W_])\d{8,10}:AA[\w-]{33}(?![\w-])"),
    ("-us", "mailchimp-key", r"(?<![^\W_])[0-9a-f]{32}-us\d{1,2}(?![^\W_])"),
    ("NRAL", "new-relic-key", r"(?<![^\W_])[0-9a-f]{36}NRAL(?![^\W_])"),
)
_BOT = re.compile(
    r"([MNO](?<![\w.-].)[\w-]{22,27})\.[\w-]{6,7}\.([\w-]{27,42})(?!\.?[\w-])", re.ASCII
)
#: Who an address names before its host; a password may hold `/`, `#` or `?`, not escaped as it should be.
_ADDRESS = re.compile(
    r"""(\w{0,12})://(?:([^\s/?\#"'`<>|\\)\]},;]{1,500})@([^\s/"'`]{0,80})
    |([^\s:/@"'`<>]{0,100}:(?!\d+/)(?:(?!//)[^\s@"'`<>]){3,400})@(?=[^\s"'`<>]{0,80}\.))""",
    re.VERBOSE,
)
_SENTRY = re.compile(r"[0-9a-f]{32}(?![0-9a-f])")


def find_shapes(text: str, words: str, drawn: str) -> list[Hit]:
    """Find secrets by their shape.

    `words` are the long words of the text, `drawn` those that have digits or capitals.
    """
    found: list[Hit] = []
    if "BEGIN " in text or "Private-Lines:" in text:
        found += _blocks(text)
    if "://" in words:
        found += _addresses(text)
    for mark, rule, pattern in _INFIXES if drawn else ():
        for said in re.finditer(pattern, text, re.ASCII) if mark in drawn else ():
            if is_random(said[0]) and not is_placeholder(said[0]):
                found.append(hit(rule, *said.span()))
    if "." in drawn:
        found += _bots(text)
    return found


def _blocks(text: str) -> Iterator[Hit]:
    """Find private keys, on lines or escaped in JSON, up to their end; a cut one has none."""
    last, ends = 0, text.rfind("END ")  # where no block ends any more none is looked for
    for begun in _BEGIN.finditer(text):
        start, body = begun.start() if begun[1] or begun[2] else begun.end(), begun.end()
        mark = f"-----END {begun[1]}" if begun[1] else "---- END SSH2"
        near = text.find(mark, body, body + _BLOCK_CHARS) if last <= body <= ends else -1
        lines = _BODY.match(text, body)
        end = body + len((lines[0] if lines else "").rstrip())
        if near >= 0 and start != body:
            end = near + len(mark)
            end += 5 * text.startswith("-----", end)
        content = "".join(_DENSE.findall(text[body : min(end, body + 4000)].replace("\\n", "")))
        if start >= last and distinct(content) > 15:
            yield hit("private-key", start, end, begun[0][:-5] if begun[1] else "")
            last = end


def _addresses(text: str) -> Iterator[Hit]:
    """Find passwords and tokens in addresses: `scheme://user:password@host`."""
    for said in _ADDRESS.finditer(text):
        which = 2 if said[2] else 4
        (start, end), (name, colon, password) = said.span(which), said[which].partition(":")
        if "sentry" in (said[3] or "") and _SENTRY.match(name):
            yield hit("sentry-dsn", start, end)
        elif colon and _is_password(name, password):
            yield hit("url-password", start + len(name) + 1, end)
        elif not colon and len(name) > 15 and "http" in said[1] and is_random(name):
            yield hit("url-token", start, end)


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
