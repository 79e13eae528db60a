"""Find personal data: home folders, e-mail addresses, numbers (fault:L13)."""

from __future__ import annotations

from ledger.secrets.match import Hit, hit, places
from ledger.secrets.personal_numbers import find_numbers
from ledger.secrets.vendor_tokens import ALNUM, DOTTED, run_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

#: Accounts of machines and names that documents put for one.
_NOBODY = frozenset(
    "user users username you me name your-name yourname someone somebody shared public default guest "
    "runner runneradmin ubuntu debian vscode node app root admin git circleci vsts jovyan ec2-user "
    "travis vagrant docker jenkins coder codespace gitpod linuxbrew www build builder ci deploy "
    "nobody nonroot project projects home".split()
)
#: Last parts of what looks like an address and is a file, a unit, a version or nobody's.
_NO_DOMAIN = frozenset(
    "service timer socket target mount slice scope local localhost internal lan invalid test example "
    "png jpg jpeg gif svg webp js ts tsx jsx mjs cjs json md py rb go rs java kt css scss html yml yaml "
    "toml lock sh txt xml zip gz exe dll so h c cpp".split()
)
_NO_HOSTS = frozenset((
    "example.com", "example.org", "example.net", "users.noreply.github.com", "domain.com", "email.com",
    "company.com", "yourcompany.com", "yourdomain.com", "acme.com", "test.com", "sentry.io",
))  # fmt: skip
_NO_USERS = frozenset(
    "git noreply no-reply donotreply user username you me name your-email youremail your.email "
    "someone email hg svn".split()
)
_USER = ALNUM + "._%+-"


def find_personal(text: str) -> list[Hit]:
    """Find home folders, e-mail addresses, numbers of cards, of social security and of telephones."""
    found: list[Hit] = []
    if "@" in text:
        found += _mails(text)
    for root in ("/home/", "/Users/"):
        if root in text:
            found += _homes(text, root)
    if ("Users" in text and ":\\" in text) or ":/Users" in text:
        found += _windows_homes(text)
    return found + find_numbers(text)


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


def _mails(text: str) -> Iterator[Hit]:
    hosts: dict[str, bool] = {}
    for at in places(text, "@"):
        head = text[max(0, at - 65) : at]
        user = head[len(head.rstrip(_USER)) :].lstrip("._%+-")
        count = run_of(text, at + 1, ALNUM + ".-", 254) if user else 0
        host = text[at + 1 : at + 1 + count].rstrip(".-")
        start, end = at - len(user), at + 1 + len(host)
        if host not in hosts:
            hosts[host] = _is_host(host)
        if (
            hosts[host]
            and user.lower() not in _NO_USERS
            and text[end : end + 1] not in (":", "/", "(", "@")
            and (not start or text[start - 1] not in "@/:")
        ):
            yield hit("email", start, end)


def _is_host(host: str) -> bool:
    """Tell whether mail may go to somebody at a host."""
    parts = host.lower().split(".")
    last = parts[-1]
    if not 2 <= len(last) <= 12 or not last.isalpha() or len(parts) < 2 or ".." in host:
        return False
    # neither it nor a host that it belongs to is one that documents use
    above = {".".join(parts[at:]) for at in range(len(parts))}
    return last not in _NO_DOMAIN and _NO_HOSTS.isdisjoint(above)
