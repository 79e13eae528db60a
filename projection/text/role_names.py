"""Read the names of roles where somebody wrote them: in footers, headers and questions."""

from __future__ import annotations


def role_names(value: str) -> frozenset[str]:
    """Return the roles that a value names, parted by commas, in the form in which they are compared.

    Case and blanks make no other role, and neither does how a letter with an accent is written.
    """
    if not value:
        return frozenset()
    if not value.isascii():
        from unicodedata import normalize

        value = normalize("NFC", normalize("NFC", value).casefold())
    names = value.casefold().split(",")
    return frozenset([name for one in names if (name := " ".join(one.split()))])
