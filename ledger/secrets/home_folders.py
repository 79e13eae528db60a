"""Find the paths of people's home folders, which name them (fault:L13)."""

from __future__ import annotations

from collections.abc import Iterator

from ledger.secrets.match import Hit, hit, places
from ledger.secrets.vendor_tokens import DOTTED, run_of

#: Accounts of machines and names that documents put for one.
_NOBODY = frozenset(
    "user users username you me name your-name yourname someone somebody shared public default guest "
    "runner runneradmin ubuntu debian vscode node app root admin git circleci vsts jovyan ec2-user "
    "travis vagrant docker jenkins coder codespace gitpod linuxbrew www build builder ci deploy "
    "nobody nonroot project projects home".split()
)


def find_home_folders(text: str) -> list[Hit]:
    """Find where they stand, as Linux, macOS and Windows write them."""
    found: list[Hit] = []
    for root in ("/home/", "/Users/"):
        if root in text:
            found += _homes(text, root)
    if ("Users" in text and ":\\" in text) or ":/Users" in text:
        found += _windows_homes(text)
    return found


def _homes(text: str, root: str) -> Iterator[Hit]:
    for at in places(text, root):
        start = at + len(root)
        count = run_of(text, start, DOTTED, 64)
        name = text[start : start + count].rstrip(".")
        end = start + len(name)
        behind = text[end : end + 1]
        alone = not at or not (text[at - 1] in DOTTED or text[at - 1] in "/~}>)]*\\%")
        # without a path behind it, `/home/x` may be the address of a page
        inside = behind == "/" or (root == "/Users/" and not behind.isalnum())
        if alone and inside and _is_name(name):
            yield hit("home-path", at, end, root)


def _windows_homes(text: str) -> Iterator[Hit]:
    for at in places(text, "Users"):
        slash = text[at - 1 : at] if at > 2 else ""
        cut = at  # before `\`, or `\\` of a string literal
        while cut > 0 and at - cut < 2 and text[cut - 1] == slash:
            cut -= 1
        gap = run_of(text, at + 5, slash, 2) if slash in ("\\", "/") and slash else 0
        if gap and cut > 1 and text[cut - 1] == ":" and text[cut - 2].isalpha():
            start = at + 5 + gap
            name = text[start : start + run_of(text, start, DOTTED, 64)].rstrip(".")
            if _is_name(name):
                yield hit("home-path", cut - 2, start + len(name), text[cut - 2 : start])


def _is_name(name: str) -> bool:
    return len(name) > 1 and name[0].isalpha() and name.lower() not in _NOBODY
