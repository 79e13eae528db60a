"""Tell who may look and who may write: a token that the terminal shows, and what is derived from it.

The token never travels in an address that a server or a log sees: it stands in the fragment of the
address that the terminal shows, and the login page exchanges it for a cookie. The cookie is not the token:
it is a session of its own, which the token has signed; the token of the forms is derived from both. All
of them end with the process. Comparisons take the same time whatever differs. Nobody guesses such a token,
so wrong ones are not counted: a count would lock the right one out.

Cookies do not know ports: a server on another port of this address is sent ours by the browser. So it is
named by the port, several of that name are all tried, and a form needs more than the cookie.
"""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Callable, Iterable

from ledger.environment import machine_ms
from ledger.home import OWN_BRANCH, Home
from ledger.model.record import Record
from ledger.wal.user_key import signed, user_key

TOKEN_BYTES = 32
#: So long a session is known after its login.
SESSION_MS = 7 * 86_400_000


class Access(Record):
    """What one server accepts."""

    port: int  #: where it listens
    token: str  #: that nobody guesses
    writes: bool = False  #: whether forms are taken at all
    key: str = ""  #: signs sessions; "" for the token, and they end with the process
    clock: Callable[[], int] = machine_ms  #: gives milliseconds since 1970
    files: bool = False  #: whether the pages become files of a site, which ask nobody

    @property
    def hosts(self) -> tuple[str, str]:
        """The names under which a browser of this machine asks; it leaves out the port 80."""
        port = "" if self.port == 80 else f":{self.port}"
        return f"127.0.0.1{port}", f"localhost{port}"

    @property
    def address(self) -> str:
        """Where a browser finds the first page."""
        return f"http://{self.hosts[0]}/"

    @property
    def login(self) -> str:
        """What the terminal shows: the token stands where no browser sends it."""
        return f"{self.address}login#{self.token}"

    @property
    def cookie(self) -> str:
        """The name of the cookie."""
        return f"diurna-{self.port}"

    @property
    def again(self) -> str:
        """The command that starts this server once more."""
        return f"diurna web --port {self.port}{' --write' if self.writes else ''}"

    def knows(self, token: str) -> bool:
        """Tell whether a text is the token."""
        return _same(token, self.token)

    def begin_session(self) -> str:
        """Return the value of the cookie of a new session."""
        name = f"{secrets.token_urlsafe(16)}.{self.clock()}"
        return f"{name}.{self._signed('session', name)}"

    def session_of(self, cookies: Iterable[str]) -> str:
        """Return which of the values of the cookie is a session of this server, "" for none."""
        for value in cookies:
            name, _, signed = value.rpartition(".")
            if _same(signed, self._signed("session", name)):
                begun = int(name.rpartition(".")[2])
                if 0 <= self.clock() - begun < SESSION_MS:
                    return value
        return ""

    def form_token(self, session: str) -> str:
        """Return what each form of a session has to carry, "" where nothing can be written."""
        return self._signed("form", session) if self.writes else ""

    def takes(self, session: str, form_token: str) -> bool:
        """Tell whether a form is one of ours, of this session."""
        return self.writes and _same(form_token, self.form_token(session))

    def _signed(self, purpose: str, what: str) -> str:
        said = f"{purpose}\0{what}".encode("utf-8", "surrogatepass")
        return hmac.new((self.key or self.token).encode(), said, "sha256").hexdigest()


def home_key(home: Home, purpose: bytes) -> str:
    """Return what only this user can tell of a home, for one purpose; "" where no key is kept."""
    branch = home.branch if home.kind == OWN_BRANCH else ""
    place = home.kind, home.repository.commondir, home.prefix, branch
    said = [part.encode("utf-8", "surrogatepass") for part in place]
    key = user_key()
    return signed(key, purpose, *said) if key else ""


def new_token() -> str:
    """Make the token of one run."""
    return secrets.token_urlsafe(TOKEN_BYTES)


def _same(one: str, other: str) -> bool:
    return hmac.compare_digest(
        one.encode("utf-8", "surrogatepass"), other.encode("utf-8", "surrogatepass")
    )
