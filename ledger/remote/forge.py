"""Say where a forge shows the commits and files of a repository, by the address of its remote.

What is made of an address is https, a host, and the parts of a path: no user's name, password, token,
query or other scheme ever comes through. An address that is not plainly of a known forge gives nothing.
"""

from __future__ import annotations

import re
from urllib.parse import quote

from ledger.git.repository import Repository
from ledger.model.record import Record
from ledger.remote.remote import NoRemote, choose_remote

#: By forge: the way to a commit, to a file of a commit, and to a line of it. `?` asks for what was
#: written, where a forge shows markdown as a page without lines.
_GITEA = "commit/{commit}", "src/commit/{commit}/{path}", "#L{line}", "?display=source"
_WAYS = {
    "github": ("commit/{commit}", "blob/{commit}/{path}", "#L{line}", "?plain=1"),
    "gitlab": ("-/commit/{commit}", "-/blob/{commit}/{path}", "#L{line}", "?plain=1"),
    "gitea": _GITEA,
    "forgejo": _GITEA,
    "codeberg": _GITEA,
    "bitbucket": ("commits/{commit}", "src/{commit}/{path}", "#lines-{line}", ""),
}
#: An address: of https with the port of its pages, of ssh with one that is not theirs.
_URL = re.compile(
    r"(?:https://(?:[^\s/?#@]*@)?([\w.-]+(?::\d{1,5})?)|(?:ssh|git\+ssh|ssh\+git)://(?:[^\s/?#@]*@)?([\w.-]+)"
    r"(?::\d+)?)/([^\s?#]*)", re.ASCII,
)  # fmt: skip
_SCP = re.compile(r"(?:[\w.+-]+@)?()([A-Za-z0-9.-]+):(?!//)/?([^:]*)", re.ASCII)
_HOST = re.compile(r"[a-z0-9]+(?:[.-][a-z0-9]+)*\.[a-z]+")
_PART = re.compile(r"(?!\.+$)[A-Za-z0-9._~-]+", re.ASCII)
_COMMIT = re.compile(r"[0-9a-f]{7,64}")


class Forge(Record):
    """The pages of one repository; "" is the address of what none of them shows."""

    name: str = ""  #: as `_WAYS` has it, "" for no forge
    base: str = ""  #: the address of the repository, without a `/` at its end
    unpushed: frozenset[str] = frozenset()  #: commits that no remote has, as far as is known here

    def commit(self, commit: str) -> str:
        """Return the address of a commit, which may be shortened."""
        return self._page(0, commit)

    def file(self, path: str, commit: str, line: int = 0) -> str:
        """Return the address of a file as a commit has it, at a line where that is not 0."""
        found = self._page(1, commit, quote(path, errors="surrogateescape")) if path else ""
        if not (found and line):
            return found
        way = _WAYS[self.name]
        return found + (way[3] if path.endswith(".md") else "") + way[2].format(line=line)

    def _page(self, which: int, commit: str, path: str = "") -> str:
        known = self.base and _COMMIT.fullmatch(commit) and commit not in self.unpushed
        way = _WAYS[self.name][which] if known else ""
        return f"{self.base}/{way.format(commit=commit, path=path)}" if way else ""


def forge_at(address: str) -> Forge:
    """Return the forge that a remote's address names: `https://…`, `ssh://…` or `git@host:group/name`."""
    said = _URL.fullmatch(address) or _SCP.fullmatch(address)
    host = ((said[1] or said[2]) if said else "").lower().removesuffix(":443")
    server, path = host.partition(":")[0], (said[3] if said else "").strip("/")
    parts = path.removesuffix(".git").split("/")
    known = [one for one in re.split(r"[.-]", server) if one in _WAYS]
    if not (known and _HOST.fullmatch(server) and all(_PART.fullmatch(one) for one in parts)):
        return Forge()
    if len(parts) < 2 or (len(parts) > 2 and known[0] != "gitlab"):
        return Forge()
    return Forge(known[0], f"https://{host}/{'/'.join(parts)}")


def forge_of(repository: Repository, branch: str, tip: str) -> Forge:
    """Return the forge of a branch's remote, and which commits of a tip wait to be pushed."""
    git = repository.git()
    try:
        remote = choose_remote(git, branch)
    except NoRemote:
        return Forge()
    forge = forge_at(git.text("ls-remote", "--get-url", remote.name, check=False).strip())
    if not (forge.base and tip):
        return forge
    unpushed = git.text("rev-list", tip, "--not", "--remotes", check=False)
    return forge._replace(unpushed=frozenset(unpushed.split()))
