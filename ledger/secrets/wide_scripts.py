"""Find the value behind a name in a script without blanks or with endings: `密码是X`, `паролем X`."""

from __future__ import annotations

from ledger.secrets.credential_values import is_told

_QUOTED = frozenset("\"'`“„«‘‹(「『")
_BEHIND = ".,;:)]}»”’'\"`*_"
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
    value = bare[:size].rstrip(_BEHIND)
    quoted = text[at - 1 : at] in _QUOTED
    if at == end or not is_told(value, quoted, bare[size : size + 8]):
        return None
    return at, at + len(value)
