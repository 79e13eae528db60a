"""Find the paths of people's home folders, which name them (fault:L13)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ledger.secrets.match import Hit, hit

#: Accounts of machines and names that documents put for one.
_NOBODY = frozenset(
    "user users username you me name your-name yourname someone somebody shared public default guest "
    "runner runneradmin ubuntu debian vscode node app root admin git circleci vsts jovyan ec2-user "
    "travis vagrant docker jenkins coder codespace gitpod linuxbrew www build builder ci deploy "
    "nobody nonroot project projects home".split()
)
#: Where one stands, as Linux, macOS and Windows write it, there also in a literal; and the name in it.
#: Without a path behind it, `/home/x` may be the address of a page.
_HOME = re.compile(
    r"((?<![A-Za-z0-9_.\-/~}>)\]*\\%])(?:/home/(?=[A-Za-z0-9_.-]{2,64}/)|/Users/)"
    r"|[^\W\d_]:\\{1,2}Users\\{1,2})([A-Za-z][A-Za-z0-9_.-]{1,63}+)"
)


def find_home_folders(text: str) -> Iterator[Hit]:
    """Find where they stand."""
    # the pattern tries every place of a text; most texts have neither word
    for said in _HOME.finditer(text) if "/home/" in text or "Users" in text else ():
        name = said[2].rstrip(".")
        if len(name) > 1 and name.lower() not in _NOBODY:
            yield hit("home-path", said.start(), said.start(2) + len(name), said[1])
