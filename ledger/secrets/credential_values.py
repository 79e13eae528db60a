"""Tell whether what a name announces is a credential, and not what documents and code put in its place."""

from __future__ import annotations

from ledger.secrets.credential_names import CHOSEN, LOOSE
from ledger.secrets.entropy import (
    distinct,
    is_placeholder,
    is_printed,
    is_random,
    is_stock,
    is_wordy,
)
from ledger.secrets.vendor_tokens import HEX
from ledger.secrets.word_passwords import is_coupled, is_joined, is_phrase, is_plain, is_worded

#: How a digest begins, and the name of a thing.
_HASHED = tuple("arn: SCRAM-SHA- sha256: sha512: sha1: sha512- sha256- sha384-".split())
_CODE = ("process.", "os.", "env.", "self.", "this.", "secrets.", "config.", "vault:", *_HASHED)
_QUOTES, _DIGITS = "\"'`", frozenset("0123456789")


def is_drawn(value: str) -> bool:
    """Tell whether a value is drawn beyond doubt: of both cases and digits, or hex of 128 bits."""
    if len(value) < 20 or not is_random(value) or distinct(value) < 9 or value.startswith(_HASHED):
        return False
    mixed = not value.islower() and not value.isupper() and any(map(str.isdigit, value))
    return (mixed and distinct(value) > 11) or (
        len(value) > 31 and not value.strip("0123456789abcdefABCDEF")
    )


def is_hex(value: str) -> bool:
    """Tell whether a value is hex of 64 bits or more that mixes as drawn ones do."""
    return (
        len(value) > 15 and not value.strip(HEX) and is_random(value) and distinct(value) > 7
        and not is_placeholder(value)
    )  # fmt: skip


def may_be_drawn(words: list[str]) -> bool:
    """Tell whether one of the words has a digit, or is so long that it needs none."""
    long = [word for word in words if len(word) > 6]
    return any(map(_DIGITS.intersection, long)) or max(map(len, long), default=0) > 19


def is_told(value: str, quoted: bool, behind: str) -> bool:
    """Tell whether what a sentence calls a password is one, and no word that says how it is kept."""
    if " " in value:
        return quoted and is_phrase(value, 2)
    if not 6 <= len(value) < 80 or is_placeholder(value) or is_stock(value):
        return False
    if _is_code(value) and not is_joined(value):
        return False
    if "://" in value or value[0] in "/~." or any(char in value for char in " ()[]"):
        return False
    if not any(char.isalpha() for char in value):
        return False
    bare = value.rstrip("!?&*^~+")
    if bare != value and bare.isalpha() and bare.islower() and not quoted:
        return is_plain(bare) and _ends(behind)
    if bare.isalpha() and not quoted:  # `Sunflower!`, but not the end of a sentence
        if bare == value:
            return _ends(behind) and (value.islower() or value.istitle()) and is_plain(value)
        return bare[0].isupper() and is_worded(value)
    if value.isalpha():
        return is_worded(value, alone=True)
    if _ends(behind) and is_coupled(value):
        return True
    joined = (value.count("-") > 1 and len(value) > 15 and not value.isupper()) or is_joined(value)
    return is_worded(value, alone=quoted or joined)


def _ends(behind: str) -> bool:
    """Tell whether a sentence has said the value with this word."""
    return not behind or behind[0] in "\n.,;!)*_。，" or behind.startswith(_GOES_ON)


#: What follows a password that is one word.
_GOES_ON = tuple(
    " until| now| from| for| on | at | again| ab | since| (| –| —| à | desde| a par| after| last |"
    " since | gestern| hier| ayer| ontem| вчера| and | but | so | when| because| before| geändert|"
    " gesetzt| です|です| 입니다| und | nach | et | après| después| depois| после| и ".split("|")
)


def is_strong(near: str) -> bool:
    """Tell whether the next word is a password beyond doubt: `with password Xk29fj38`."""
    word = near.lstrip(_QUOTES).partition("\n")[0].split(" ")[0].rstrip(".,;)\"'`|")
    return (
        len(word) > 9
        and any(char.isdigit() for char in word)
        and any(char.islower() for char in word)
        and any(char.isupper() for char in word)
        and not is_wordy(word)
        and distinct(word) > 6
    )


def is_secret(value: str, name: str, quoted: bool, strict: bool, alone: bool, named: bool) -> bool:
    """Tell whether a value is a secret, and not what documents and code put in its place.

    Args:
        value: behind a name.
        name: as `NAMES` has it.
        quoted: whether the value stands in quotes, or among the parts of a connection string.
        strict: whether only what looks drawn at random counts.
        alone: whether the value is all that a setting holds, so that words alone may be one.
        named: whether it is told what a key, a token or a secret opens: `jwt_secret`.
    """
    if quoted and len(value) > 31 and distinct(value) > 24 and is_strong(value):
        return not is_printed(value)  # of any characters, as generators draw them
    if " " in value and alone and not strict:
        return (name in CHOSEN or named) and is_phrase(value, 2)
    if len(value) < 6 or " " in value or "\t" in value or is_placeholder(value):
        return False
    if is_stock(value) or "://" in value or value[0] in "/~.-" or _is_call(value, quoted):
        return False
    code = _is_code(value) and not (
        quoted and (named or name == "secret") and not value.startswith(_CODE)
    )
    if not strict and (alone or not code):
        if name in CHOSEN and is_worded(value, alone=alone):
            return True
        if alone and named and name not in CHOSEN and name not in LOOSE:
            # a name in capitals or in words stands for another setting: `TOKEN_KIND`, `client_secret`
            return not code and is_worded(value, alone=True)
        if (named or quoted) and name in ("secret", "token", "key") and len(value) > 9 and not code:
            mixed = value[-2:].isdigit() or any(char in value for char in "!#$%&+-_.")
            if mixed and is_worded(value, alone=True):
                return True
    if not value.isascii():
        return False
    if (
        name == "authorization"
        and value[0] != "!"
        and any(map(value.count, "-_.0123456789"))
        and is_worded(value, alone=True)
    ):
        return True
    if not strict and quoted and name in CHOSEN:
        letters = any(char.isalpha() for char in value)
        others = any(not char.isalpha() for char in value)
        mixed = letters and (others or (not value.islower() and not value.isupper()))
        plain = is_wordy(value) and not any(char.isdigit() for char in value)
        return mixed and not plain and not _is_code(value)
    if len(value) < 8 or is_wordy(value) or _is_code(value):
        return False
    if any("0" <= char <= "9" for char in value) and any(char.isalpha() for char in value):
        if name in CHOSEN:
            return distinct(value) > 4
        return len(value) >= 12 and is_random(value) and distinct(value) > 7
    return len(value) >= 20 and is_random(value) and distinct(value) > 11


def _is_call(value: str, quoted: bool) -> bool:
    """Tell whether a value calls something; in quotes any character may stand."""
    if quoted:
        return "(" in value and ("()" in value or ")." in value or value[-1] == ")")
    return "(" in value or "[" in value


def _is_code(value: str) -> bool:
    """Tell whether a value is an expression or a path: `process.env.TOKEN`, `config/secret.yml`."""
    if value.startswith(_CODE):
        return True
    parts = value.replace("?.", ".").replace("!.", ".").split(".")
    asked = ".".join(parts) != value  # `reply.usage?.tokens_2`
    return len(parts) > 1 and all(
        part.replace("_", "").isalpha() or (asked and part.isidentifier()) for part in parts
    )


#: Who passes something, or what does.
_PASSING = frozenset(
    "tests test checks suites suite specs builds jobs lints linters examples benchmarks gates steps "
    "stages pipelines workflows cases runs assertions all both they we you i it these those which that "
    "to can could must should would will may might not don't didn't doesn't now still also "
    "first second third next last final single each every another".split()
)
_USERS = ("user", "login", "usr", "account", "host", "@")


def is_outcome(text: str, low: str, at: int, end: int) -> bool:
    """Tell whether something passes: `tests pass, …`, `--- PASS: TestName/part`."""
    if low[at - 1 : at] in ("_", "-", ".") or text[end : end + 1] not in (",", ":", " ", ";"):
        return False
    before = low[max(0, at - 120) : at]
    if not text[at:end].isupper():
        return not _PASSING.isdisjoint(before[-24:].split()[-1:])
    told = any(word in before for word in _USERS) or is_strong(text[end + 1 : end + 80].lstrip())
    return text[end : end + 2] == ": " and not told


_QUOTED = frozenset("\"'`“„«‘‹(「『")
_STOPS = ".,;:)]}»”’'\"`*_"
#: What may stand between a Chinese or Japanese name and its value.
_JOINTS = (
    "是为為改成了设設定置换換更新的は：:=，,、 「『“\"'`（(已被再现在現暂時时都仍还는은이가을를"
)
#: Where a piece of such a text ends.
_WIDE_JOINTS = _JOINTS + "\u4e00\u3092"
WIDE_ENDS = "。，；、！？）」』”：》"


def is_run_on(text: str, name: str, end: int) -> bool:
    """Tell whether a name of another script goes on, with what no value begins with."""
    if name[0] > "\u2e80":
        near = text[end : end + 24].lstrip(_WIDE_JOINTS)
        return near[:1] > "\u2e80"
    return name[0] > "\u0400" and text[end : end + 4].isalpha() and len(text) > end + 3


def behind_wide(text: str, end: int) -> tuple[int, int] | None:
    """Find the value behind a name in a script without blanks: `密码是X`, `パスワードはX`."""
    near = text[end : end + 100].partition("\n")[0]
    bare = near.lstrip(_WIDE_JOINTS)
    at = end + len(near) - len(bare)
    size = 0
    while size < len(bare) and bare[size] < "\u2e80" and not bare[size].isspace():
        size += 1
    value = bare[:size].rstrip(_STOPS)
    quoted = text[at - 1 : at] in _QUOTED
    if at == end or not is_told(value, quoted, bare[size : size + 8]):
        return None
    return at, at + len(value)
