"""Ask a forge's API for the repositories of an organisation, and for who may read one.

A token goes to the host that it was given for and to no other, and stands in no message. What a forge
answers is limited in size and time, and what it names is taken where it is plainly a name.
"""

from __future__ import annotations

import json
import re
import urllib.error
import urllib.request
from http.client import HTTPException
from urllib.parse import quote, urljoin, urlsplit

from ledger.environment import monotonic, variables
from ledger.errors import DiurnaError, WrongUsage
from ledger.model.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

#: `HOST=TOKEN`, several with spaces between them.
TOKENS = "DIURNA_ORG_FORGE_TOKENS"
_PAGES_MOST, _BYTES, _SECONDS_AT_ONCE = 1000, 16 << 20, 15.0
_SECONDS, _SECONDS_LISTING = 60.0, 600.0
#: A forge that says when to come back is asked again after so many seconds at most.
_WAIT_MOST = 3600.0
_LOCAL = ("127.0.0.1", "localhost")
_ADDRESS = re.compile(
    r"(https?)://([a-z0-9.-]+)(:[0-9]+)?((?:/(?!\.+(?:/|$))[\w.~-]+)+)/?", re.ASCII
)
_LOGIN = re.compile(r"[a-z0-9](?:[a-z0-9._-]{0,99})", re.ASCII)
_NEXT = re.compile(r"<([^<>]*)>[^,]*;\s*rel=\"?next\"?")
_TOKEN = re.compile(r"[!-~]+")


class _Ways(Record):
    """How a forge is asked: the start of its addresses, and of its repositories and readers."""

    api: str
    key: str  #: the header's name, and what stands before the token
    repositories: str
    fork: str  #: the key of what a repository is a fork of
    url: str
    readers: tuple[str, ...]
    login: str


FORGES: Mapping[str, _Ways] = {
    "github": _Ways("/api/v3", "Authorization:Bearer ", "orgs/{}/repos?type=all&per_page=100", "fork",
                    "clone_url", ("repos/{}/collaborators?affiliation=all&per_page=100",), "login"),
    "gitlab": _Ways("/api/v4", "PRIVATE-TOKEN:",
                    "groups/{}/projects?include_subgroups=true&with_shared=false&per_page=100",
                    "forked_from_project", "http_url_to_repo",
                    ("projects/{}/members/all?per_page=100",), "username"),
    "gitea": _Ways("/api/v1", "Authorization:token ", "orgs/{}/repos?limit=50", "fork", "clone_url",
                   ("repos/{}/collaborators?limit=50", "repos/{}/teams"), "login"),
}  # fmt: skip
#: What somebody may do in a project of GitLab's from which on they read its code.
_REPORTER = 20


class ForgeRefused(DiurnaError):
    """A forge does not let us ask that, or there is no token for it."""


class ForgeSilent(DiurnaError):
    """A forge gives no answer, or none that can be read; `wait` are seconds until the next try."""

    def __init__(self, message: str, wait: float = 300.0) -> None:
        super().__init__(message)
        self.wait = min(max(wait, 1.0), _WAIT_MOST)


class ForgeBusy(ForgeSilent):
    """A forge was asked too often."""


class Listed(Record):
    """A repository of an organisation."""

    url: str
    fork: bool


class ForgeApi:
    """Asks the forge that an address is at.

    Args:
        kind: one of `FORGES`, "" for what its host is called after.
        address: of an organisation or a repository.

    Raises:
        WrongUsage: it is no address of a forge.
    """

    def __init__(self, kind: str, address: str) -> None:
        found = _ADDRESS.fullmatch(address)
        name, port, path = (found[2], found[3] or "", found[4]) if found else ("", "", "")
        known = [one for one in re.split("[.-]", name) if one in FORGES]
        kind = kind or ("gitea" if name == "codeberg.org" else "".join(known[:1]))
        open_way = bool(found and found[1] == "http" and name not in _LOCAL)
        if not found or open_way or kind not in FORGES:
            raise WrongUsage(
                "that is no https address at a forge", hint=f"--forge {'|'.join(FORGES)}"
            )
        self.kind, self.host, self.path = kind, name + port, path[1:].removesuffix(".git")
        self._ways, self._start = FORGES[kind], f"{found[1]}://{self.host}/"
        at = "https://api.github.com" if name == "github.com" else self._start[:-1]
        self._end = 0.0
        self._api = at + (self._ways.api if name != "github.com" else "") + "/"

    def repositories(self) -> list[Listed]:
        """Return the repositories of the organisation, forks behind all others.

        Raises:
            DiurnaError: the forge refuses, is busy, or gives no answer.
        """
        self._end = monotonic() + _SECONDS_LISTING
        asked = self._ways.repositories.format(self._name())
        found = []
        for row in self._rows(asked):
            url = str(row.get(self._ways.url, ""))
            if _ADDRESS.fullmatch(url) and url.startswith(self._start):
                found.append(Listed(url, bool(row.get(self._ways.fork))))
        return sorted(set(found), key=lambda one: (one.fork, one.url))

    def readers(self) -> list[str]:
        """Return who may read the repository, as `LOGIN@HOST`; whose name is none is nobody.

        Raises:
            DiurnaError: the forge refuses, is busy, or gives no answer.
        """
        self._end = monotonic() + _SECONDS
        people: list[Mapping[str, Any]] = []
        for way in self._ways.readers:
            rows = list(self._rows(way.format(self._name())))
            if way.endswith("/teams"):  # they are no collaborators there
                numbers = [
                    row["id"] for row in rows if isinstance(row.get("id"), int) and _codes(row)
                ]
                for number in numbers:
                    people += self._rows(f"teams/{number}/members?limit=50")
            else:
                people += rows
        named = [row.get(self._ways.login) for row in people if _reads(row)]
        logins = {one.lower() for one in named if isinstance(one, str)}
        return sorted([f"{one}@{self.host}" for one in logins if _LOGIN.fullmatch(one)])

    def _name(self) -> str:
        return quote(self.path, safe="" if self.kind == "gitlab" else "/")

    def _rows(self, asked: str) -> Iterator[Mapping[str, Any]]:
        """Yield what a list has, over its pages."""
        url = self._api + asked
        header, _, before = self._ways.key.partition(":")
        headers = {header: before + token_for(self.host), "Accept": "application/json",
                   "User-Agent": "diurna"}  # fmt: skip
        opener = urllib.request.build_opener(_SameHost)
        for _ in range(_PAGES_MOST):
            rows, further = _page(opener, _request(url, headers), self._end)
            yield from [row for row in rows if isinstance(row, dict)]
            if not further:
                return
            try:
                url = urljoin(url, further)
            except ValueError:
                url = ""
            if not url.startswith(self._api):
                raise ForgeRefused("the forge goes on at another address")
        raise ForgeSilent("the forge's list has no end")


def _request(url: str, headers: Mapping[str, str]) -> urllib.request.Request:
    return urllib.request.Request(url, headers=dict(headers))  # noqa: S310 - http and https, see `ForgeApi`


def _codes(row: Mapping[str, Any]) -> bool:
    """Tell whether a team of Gitea's reads code: one may be let to issues alone."""
    units = row.get("units_map")
    whole = row.get("permission") in ("owner", "admin") or not isinstance(units, dict)
    return whole or (units or {}).get("repo.code") in ("read", "write", "admin", "owner")


def _reads(row: Mapping[str, Any]) -> bool:
    """Tell whether a row of a forge is somebody who may read code."""
    rights = row.get("permissions")
    may = not isinstance(rights, dict) or rights.get("pull") is True
    level = row.get("access_level", _REPORTER)
    active = row.get("state", "active") == "active"
    return may and active and isinstance(level, int) and level >= _REPORTER


class _SameHost(urllib.request.HTTPRedirectHandler):
    """Follows no way to another host: headers would go there too."""

    def redirect_request(
        self, req: Any, fp: Any, code: int, msg: str, headers: Any, newurl: str
    ) -> Any:
        """Return the next request, None for none."""
        here, there = urlsplit(req.full_url), urlsplit(newurl)
        same = (here.scheme, here.netloc) == (there.scheme, there.netloc)
        return super().redirect_request(req, fp, code, msg, headers, newurl) if same else None


def _page(opener: Any, request: urllib.request.Request, end: float) -> tuple[list[Any], str]:
    """Return the rows of a page, and the address of the next one."""
    try:
        with opener.open(request, timeout=_SECONDS_AT_ONCE) as answer:
            data = b""
            while part := answer.read1(1 << 16):
                data += part
                if len(data) > _BYTES or monotonic() > end:
                    raise ForgeSilent("the forge's answer has no end")
            found = _NEXT.search(str(answer.headers.get("Link", ""))[:4096])
        rows = json.loads(data)
    except urllib.error.HTTPError as problem:
        raise _failure(problem.code, problem.headers) from None
    except (OSError, HTTPException, ValueError, RecursionError):
        raise ForgeSilent("the forge gives no answer that can be read") from None
    if not isinstance(rows, list):
        raise ForgeSilent("the forge's answer is no list")
    return rows, found[1] if found else ""


def _failure(status: int, headers: Any) -> DiurnaError:
    after = str(headers.get("Retry-After", ""))
    spent = str(headers.get("X-RateLimit-Remaining", "")) == "0"
    if status == 429 or (status == 403 and (after or spent)):
        wait = float(after) if after.isdecimal() and len(after) < 9 else _WAIT_MOST / 4
        return ForgeBusy("the forge was asked too often", wait)
    if status >= 500:
        return ForgeSilent(f"the forge answered {status}")
    said = "leads to another host" if 300 <= status < 400 else f"answered {status}"
    return ForgeRefused(
        f"the forge {said}", hint=f"is the token in {TOKENS} of this host, and may it?"
    )


def token_for(host: str) -> str:
    """Return the token for a host.

    Raises:
        ForgeRefused: there is none.
    """
    for one in variables().get(TOKENS, "").split():
        name, _, token = one.partition("=")
        if name.lower() == host and _TOKEN.fullmatch(token):
            return token
    raise ForgeRefused(f"there is no token for {host}", hint=f"export {TOKENS}='{host}=…'")


def is_organisation(word: str) -> bool:
    """Tell whether a word is the address of an organisation, by its host's name and its one part."""
    try:
        return "/" not in ForgeApi("", word).path
    except WrongUsage:
        return False
