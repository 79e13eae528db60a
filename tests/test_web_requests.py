"""The server of pages: what no page of ours would send is refused, who may look and write, and its life as a process.

A row forges one thing of a request that is good otherwise. The good ones pass before and behind: so it is
that one thing that is refused. The name and secret of a session are as `Access` of the server makes them.
"""

from __future__ import annotations

import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memory import Memory
from rituals.serve.login_tokens import Access, home_key, new_token
from tests.campaigns import forks
from tests.conftest import Repo, Run, examples
from tests.web.homes import laid
from tests.web_client import HOST, ORIGIN, PORT, TOKEN, Answer, Client, Headers, client_of
from tests.world import git

ROOT = Path(__file__).parent.parent
POLICY = {
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'; trusted-types diurna",
    "x-content-type-options": "nosniff", "x-frame-options": "DENY", "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin", "cross-origin-resource-policy": "same-origin",
}  # fmt: skip


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with a thread `storm`, which a form can close."""
    return laid("undecided", tmp_path_factory.mktemp("guarded") / "one")


@pytest.fixture(scope="module")
def shared(home: Path) -> Client:
    """A browser that has logged in, and seen a page."""
    found = client_of(home, writes=True).login()
    assert found.get("/").status == 200
    return found


@pytest.fixture
def client(shared: Client) -> Iterator[Client]:
    """The same, with its cookie as it was."""
    cookie = shared.cookie
    yield shared
    shared.cookie = cookie


def tip(folder: Path) -> str:
    return git(folder, "rev-parse", "HEAD")


# ---- forged requests ------------------------------------------------------------------------------


class Sent(NamedTuple):
    """A request as a browser sends it; `form` None for a question."""

    address: str = "/"
    method: str = "GET"
    headers: Headers = MappingProxyType({})
    form: Any = None
    #: "" for the one of the login
    cookie: str | None = ""
    passes: int = 200

    def by(self, client: Client) -> Answer:
        """Send it."""
        headers = self.headers if self.cookie == "" else {**self.headers, "cookie": self.cookie}
        if self.form is None:
            return client.get(self.address, headers, self.method)
        form = self.form
        if isinstance(form, dict) and form.get("token") == "":
            form = {**form, "token": client.form_token()}
        return client.post(self.address, form, headers)


PAGE = Sent()
TIP = Sent("/tip", headers={"sec-fetch-mode": "cors", "sec-fetch-dest": "empty"})
STYLE = Sent("/static/diurna.css", headers={"sec-fetch-mode": "no-cors", "sec-fetch-dest": "style"})
FORM = Sent("/act/close", form={"token": "", "id": "storm", "next": "/?q=x"}, passes=303)
#: What would be recorded, and the form that one goes back to: both carry what was typed.
LOOKS = tuple(
    Sent(f"/{where}/note", form={"token": "", "text": "It holds.", "kind": "fact", "next": "/"})
    for where in ("preview", "write")
)
LOGIN = Sent("/login", form={"t": TOKEN}, passes=303)


def _headed(base: Sent, **headers: str | tuple[str, ...] | None) -> Sent:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return base._replace(headers={**base.headers, **named})


def _formed(base: Sent, **fields: str) -> Sent:
    return base._replace(form={**base.form, **fields})


_OTHER = Access(PORT, new_token(), True)
_SOCKET = {"connection": "Upgrade", "upgrade": "websocket", "sec_fetch_mode": "websocket"}
_FRAMED = {"sec_fetch_site": "cross-site", "sec_fetch_dest": "iframe"}
_LINK = {"sec_fetch_site": "cross-site"}
FORGED: dict[str, tuple[Sent, Sent, int]] = {
    # DNS rebinding, and other ways to write an address of ours
    **{
        f"Host {name}": (PAGE, _headed(PAGE, host=name), 421)
        for name in (
            "evil.example", f"evil.example:{PORT}", f"127.0.0.1.evil.example:{PORT}", "127.0.0.1", "localhost",
            "127.0.0.1:1", f"localhost.:{PORT}", f"LOCALHOST:{PORT}", f"[::1]:{PORT}", f"127.1:{PORT}",
            f"0.0.0.0:{PORT}", f"127.0.0.1:0{PORT}", f"evil@127.0.0.1:{PORT}", "",
        )
    },
    "no Host": (PAGE, _headed(PAGE, host=None), 421),
    "two Hosts": (PAGE, _headed(PAGE, host=(HOST, "evil.example")), 400),
    "a Host beside the style": (STYLE, _headed(STYLE, host=f"evil.example:{PORT}"), 421),
    "a Host beside the login": (LOGIN, _headed(LOGIN, host=f"evil.example:{PORT}"), 421),
    # pages of other sites
    **{
        f"a form from {origin}": (FORM, _headed(FORM, origin=origin), 403)
        for origin in (
            "http://evil.example", "null", "", f"https://{HOST}", "http://127.0.0.1:1", "http://127.0.0.1",
            f"http://localhost:{PORT}", f"{ORIGIN}/", f"{ORIGIN}.evil.example", ORIGIN.upper(),
        )
    },
    "a form from nowhere": (FORM, _headed(FORM, origin=None), 403),
    "a form from two places": (FORM, _headed(FORM, origin=(ORIGIN, "http://evil.example")), 400),
    "a login from elsewhere": (LOGIN, _headed(LOGIN, origin="http://evil.example"), 403),
    "a login from nowhere": (LOGIN, _headed(LOGIN, origin=None), 403),
    "a fetch from elsewhere": (TIP, _headed(TIP, origin="http://evil.example"), 403),
    "a fetch of a sandbox": (TIP, _headed(TIP, origin="null"), 403),
    "a fetch across sites": (TIP, _headed(TIP, sec_fetch_site="cross-site"), 403),
    "a fetch from another port": (TIP, _headed(TIP, sec_fetch_site="same-site"), 403),
    "an image of a page": (PAGE, _headed(PAGE, **_LINK, sec_fetch_mode="no-cors", sec_fetch_dest="image"), 403),
    "a frame": (PAGE, _headed(PAGE, **_FRAMED), 403),
    "an object": (PAGE, _headed(PAGE, **_LINK, sec_fetch_dest="object"), 403),
    "a style for another site": (STYLE, _headed(STYLE, sec_fetch_site="cross-site"), 403),
    "a form across sites": (FORM, _headed(FORM, **_LINK), 403),
    "a form from another port": (FORM, _headed(FORM, sec_fetch_site="same-site"), 403),
    "a site that is none": (PAGE, _headed(PAGE, sec_fetch_site="Same-Origin"), 403),
    "a site said twice": (PAGE, _headed(PAGE, sec_fetch_site=("same-origin", "cross-site")), 400),
    "a link on another site": (PAGE, _headed(PAGE, **_LINK), 303),
    "a link to a file on another site": (STYLE, _headed(
        STYLE, **_LINK, sec_fetch_mode="navigate", sec_fetch_dest="document"), 303),
    "a fetch for nothing": (TIP, _headed(TIP, **_LINK, sec_fetch_dest=None), 403),
    # cookies
    "no cookie": (PAGE, PAGE._replace(cookie=None), 303),
    "no cookie, HEAD": (PAGE._replace(method="HEAD"), PAGE._replace(method="HEAD", cookie=None), 303),
    "no cookie, tip": (TIP, TIP._replace(cookie=None), 401),
    "no cookie, form": (FORM, FORM._replace(cookie=None), 401),
    "an unknown page without cookie": (PAGE, PAGE._replace(address="/nowhere", cookie=None), 303),
    **{
        f"a cookie that {said}": (PAGE, PAGE._replace(cookie=cookie), 303)
        for said, cookie in {
            "is the token": f"diurna-{PORT}={TOKEN}",
            "has no name": f"diurna-{PORT}=",
            "is signed by nobody": f"diurna-{PORT}=abcdefgh.",
            "another server signed": f"diurna-{PORT}={_OTHER.begin_session()}",
            "is of another port": f"diurna-{PORT + 1}={Access(PORT, TOKEN).begin_session()}",
            "is no text": f"diurna-{PORT}=\xff\xfe.\xff",
        }.items()
    },
    # the token where it could be seen
    **{
        f"the token in {address}": (PAGE, PAGE._replace(address=address, cookie=None), 303)
        for address in (f"/?t={TOKEN}", f"/?token={TOKEN}", f"/{TOKEN}", f"/fact/x?t={TOKEN}")
    },
    "the token in a header": (PAGE, _headed(PAGE, authorization=f"Bearer {TOKEN}")._replace(cookie=None), 303),
    # the token of a form
    **{
        f"a form with {said}": (FORM, _formed(FORM, token=token), 403)
        for said, token in {
            "no token": "-", "the token of the login": TOKEN, "that of another server": _OTHER.form_token("s"),
            "that of another session": Access(PORT, TOKEN, True).form_token("s"), "no text": "\u202e\x00",
        }.items()
    },
    "a form without its token": (FORM, FORM._replace(form={"id": "storm"}), 403),
    # what is seen before it is written
    **{
        f"{look.address} {said}": (look, forged, status)
        for look in LOOKS
        for said, forged, status in (
            ("from elsewhere", _headed(look, origin="http://evil.example"), 403),
            ("from nowhere", _headed(look, origin=None), 403),
            ("across sites", _headed(look, **_LINK), 403),
            ("for another host", _headed(look, host="evil.example"), 421),
            ("without cookie", look._replace(cookie=None), 401),
            ("with the token of the login", _formed(look, token=TOKEN), 403),
            ("with that of another session",
             _formed(look, token=Access(PORT, TOKEN, True).form_token("s")), 403),
            ("under no name", look._replace(address=look.address.replace("note", "nothing")), 404),
            ("as a text", _headed(look, content_type="text/plain"), 415),
        )
    },
    "a preview by GET": (LOOKS[0], PAGE._replace(address="/preview/note?text=x"), 405),
    "a form's page across sites": (PAGE, _headed(PAGE._replace(address="/write/note"), **_LINK), 303),
    # what a form is
    **{
        f"a body as {kind}": (FORM, _headed(FORM, content_type=kind), 415)
        for kind in (
            "text/plain", "text/plain;application/x-www-form-urlencoded", "multipart/form-data; boundary=x",
            "application/json", "", "application/x-www-form-urlencoded; charset=utf-7",
        )
    },
    "a body as nothing": (FORM, _headed(FORM, content_type=None), 415),
    "a body of too many bytes": (FORM, FORM._replace(form=b"id=" + b"a" * 65_536), 413),
    "a body that says less": (
        FORM, _headed(FORM._replace(form=b"id=" + b"a" * 65_536), content_length="3"), 400),
    "a length that is no number": (FORM, _headed(FORM, content_length="0x10"), 400),
    "a length of many digits": (FORM, _headed(FORM, content_length="9" * 5000), 400),
    "a length below nothing": (FORM, _headed(FORM, content_length="-1"), 400),
    "two lengths": (FORM, _headed(FORM, content_length=("3", "4")), 400),
    "a body in pieces": (FORM, _headed(FORM, transfer_encoding="chunked"), 400),
    "a body that is no text": (FORM, FORM._replace(form=b"id=%ff\xff"), 400),
    "a question with a body": (PAGE, _headed(PAGE, content_length="5"), 400),
    # methods and protocols
    **{
        f"method {method}": (PAGE, PAGE._replace(method=method), 405)
        for method in ("PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "CONNECT", "get", "POKE")
    },
    "a method without cookie": (PAGE, PAGE._replace(method="PUT", cookie=None), 405),
    "a method of nothing": (PAGE, PAGE._replace(method="DELETE", address="/nowhere"), 405),
    "a form by GET": (FORM, PAGE._replace(address="/act/close?id=storm"), 405),
    "a form by HEAD": (FORM, PAGE._replace(address="/act/close?id=storm", method="HEAD"), 405),
    "a method in a header": (FORM, _headed(
        PAGE._replace(address="/act/close?id=storm"), x_http_method_override="POST"), 405),
    "a page by POST": (FORM, FORM._replace(address="/"), 405),
    "a socket": (TIP, _headed(TIP, **_SOCKET), 400),
    "another host's address": (PAGE, PAGE._replace(address="http://evil.example/"), 400),
    "an asterisk": (PAGE, PAGE._replace(address="*"), 400),
    "no such form": (FORM, FORM._replace(address="/act/nothing"), 404),
    "a form below a form": (FORM, FORM._replace(address="/act/close/close"), 404),
    # files
    **{
        address: (STYLE, STYLE._replace(address=address), 404)
        for address in (
            "/static/", "/static/../render.py", "/static/%2e%2e/render.py", "/static/..%2frender.py",
            "/static/%2fetc%2fpasswd", "/static/..%5crender.py", "/static/diurna.css/", "/static/diurna.css%00",
            "/static//diurna.css", "/static/%252e%252e/render.py",
        )
    },
}  # fmt: skip


def test_what_is_forged_is_refused(home: Path, client: Client) -> None:
    """One thing is not as a page of ours would send it: it is refused, nothing is recorded, no session begins."""
    wrong: dict[str, object] = {}
    before, cookie = tip(home), client.cookie
    for kind, (_, forged, status) in FORGED.items():
        refused = forged.by(client)
        away = refused.headers.get("location", "/login?next=/")
        if (
            refused.status != status
            or "set-cookie" in refused.headers
            or not away.startswith("/login?next=/")
        ):
            wrong[kind] = refused.status, status
        for name, value in {**POLICY, "cache-control": "no-store"}.items():
            assert refused.headers[name] == value, (kind, name)
        client.cookie = cookie
    for good in (PAGE, PAGE._replace(method="HEAD"), TIP, STYLE, *LOOKS):
        assert good.by(client).status == good.passes
    assert not wrong
    assert tip(home) == before


def test_what_a_browser_sends_passes(home: Path, client: Client) -> None:
    """With and without `Sec-Fetch-…`, typed, under both names of this machine; every answer has the policy."""
    cookie, local = client.cookie, f"localhost:{PORT}"
    answers = []
    for base in (PAGE, TIP, STYLE, LOGIN, *LOOKS):
        bare = _headed(base, sec_fetch_site=None, sec_fetch_mode=None, sec_fetch_dest=None)
        for sent in (base, bare, _headed(base, sec_fetch_site="none")):
            answers.append(sent.by(client))
            assert answers[-1].status == base.passes
            client.cookie = cookie
    assert _headed(PAGE, host=local).by(client).status == 200
    before = tip(home)
    assert _headed(FORM, host=local, origin=f"http://{local}").by(client).status == 303
    assert tip(home) != before
    answers += [client.get(one) for one in ("/nowhere", "/login", "/static/nothing", "/fact/calm")]
    assert client.get("/", method="HEAD").status == 200
    for answer in answers:
        assert (
            POLICY.items() <= answer.headers.items()
            and answer.headers["cache-control"] == "no-store"
        )
        assert not {"server", "access-control-allow-origin"} & answer.headers.keys()


# ---- the login, and sessions ----------------------------------------------------------------------


def test_the_token_buys_a_cookie_that_is_not_the_token(home: Path) -> None:
    """Without one every page leads to the login; with one it is shown; the cookie is for this port alone."""
    client = client_of(home)
    sent = client.get("/fact/a%20b?q=%2F&x=1")
    assert sent.status == 303
    login = client.get(sent.headers["location"])
    assert login.status == 200 and 'value="/fact/a%20b?q=%2F&amp;x=1"' in login.text
    assert TOKEN not in login.text
    taken = client.post("/login", {"t": TOKEN, "next": "/fact/x"})
    assert (taken.status, taken.headers["location"]) == (303, "/fact/x")
    name, _, rest = taken.headers["set-cookie"].partition("=")
    assert name == f"diurna-{PORT}" and TOKEN not in rest
    parts = {one.strip().lower() for one in rest.split(";")[1:]}
    assert parts == {"httponly", "samesite=strict", "path=/"}
    mine = f"{name}={rest.partition(';')[0]}"
    for cookie, status in (
        (mine, 200), (f"{name}=evil.; other=1; {mine}; {name}=; x", 200), (f"{name}=evil.; other=1", 303),
    ):  # fmt: skip
        client.cookie = (
            cookie  # cookies know no ports: whatever stands beside ours, ours alone is found
        )
        assert client.get("/").status == status, cookie


def test_wrong_tokens_lock_nobody_out(home: Path) -> None:
    """Each of them is refused, however many came before; the right one opens at any time."""
    client = client_of(home)
    wrong = [client.post("/login", {"t": one}) for one in (*"x" * 30, "")]
    assert {one.status for one in wrong} == {403} and 'role="alert"' in wrong[0].text
    assert client.post("/login", {"t": TOKEN}).status == 303


def test_each_login_is_a_session_of_its_own(home: Path) -> None:
    """The token of a form of one session opens nothing in another one, nor where nothing is written."""
    one, two = (client_of(home, writes=True).login() for _ in range(2))
    assert one.cookie != two.cookie
    fields = {"id": "calm", "reason": "x"}
    assert two.post("/act/archive", {"token": one.form_token(), **fields}).status == 403
    reader = client_of(home).login()
    assert reader.form_token() == "" and 'name="token"' not in reader.get("/").text
    for token in ("", Access(PORT, TOKEN, True).form_token(reader.cookie.partition("=")[2])):
        refused = reader.post("/act/archive", {"token": token, **fields})
        assert refused.status == 403 and "diurna web --write" in refused.text


def test_behind_the_guard_there_is_a_second_lock(client: Client) -> None:
    """Without a session no page is shown and no form taken, should a request ever come so far."""
    inside = Client(client.app._app, client.access)
    assert inside.get("/").status == 400
    form = {"token": client.access.form_token(""), "id": "calm", "reason": "x"}
    assert inside.post("/act/archive", form).status == 400


@settings(
    max_examples=examples(15, 60), suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    st.one_of(
        st.text(st.sampled_from("/\\.:@?#&=%ae \t\n\r\u202e"), max_size=12),
        st.sampled_from(("//evil.example", "/\\evil.example", "https:evil.example", "javascript:alert(1)",
                         "/\t/evil.example", "/a\r\nSet-Cookie: x=1", "", "/x\\..\\y", "/review?a=1&done=old#f")),
    )
)  # fmt: skip
def test_no_form_leads_away(home: Path, address: str) -> None:
    """Where `next` is no address of ours, the first page is next: whatever it is, one slash begins it."""
    client = client_of(home)
    goes_on = client.post("/login", {"t": TOKEN, "next": address}).headers["location"]
    assert goes_on in (address, "/") and re.fullmatch(r"/(?![/\\])[!-\[\]-~]*", goes_on)
    login = client.get("/login?next=" + "".join(f"%{byte:02x}" for byte in address.encode())).text
    assert ('name="next" value="/"' in login) == (goes_on == "/")


def test_a_session_outlives_its_server_and_opens_no_other(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its key lies with the user, for the user alone, outside of the repository; a week is its time."""
    from ledger.home import discover

    other = tmp_path / "other"
    laid("undecided", other)
    key, now = home_key(discover(str(home)), b"s"), [10**12]
    file = (
        Path(os.environ["XDG_STATE_HOME"]) / "diurna" / "key"
        if "XDG_STATE_HOME" in os.environ
        else None
    )
    first, again = (Access(PORT, new_token(), True, key, lambda: now[0]) for _ in range(2))
    client = client_of(home, access=first).login()
    client.app = client_of(home, access=again).app
    assert client.get("/").status == 200 and not again.knows(first.token)
    assert again.takes(client.cookie.partition("=")[2], client.form_token())
    held = b"".join(path.read_bytes() for path in home.rglob("*") if path.is_file())
    assert key.encode() not in held
    keys = [home_key(discover(str(other)), b"s")]
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "another-user"))
    keys.append(home_key(discover(str(home)), b"s"))
    file = tmp_path / "another-user" / "diurna" / "key"
    assert file.stat().st_mode & 0o777 == 0o600
    file.chmod(0o644)  # one that others could read is no key any more
    keys.append(home_key(discover(str(home)), b"s"))
    assert len({key, *keys}) == 4
    name, begun, signed = client.cookie.partition("=")[2].split(".")
    for stranger in keys:
        client.app = client_of(
            home, access=Access(PORT, new_token(), True, stranger, lambda: now[0])
        ).app
        assert client.get("/").status == 303
    client.app = client_of(home, access=again).app
    for forged in (
        f"{name}.{int(begun) + 1}.{signed}",
        f"{name}.{signed}",
        f"{begun}.{signed}",
        "..",
        "a.b.c",
    ):
        client.cookie = f"diurna-{PORT}={forged}"
        assert client.get("/").status == 303, forged
    client.cookie = f"diurna-{PORT}={name}.{begun}.{signed}"
    for ms, status in ((7 * 86_400_000 - 1, 200), (7 * 86_400_000, 303), (-1, 303)):
        now[0] = 10**12 + ms
        assert client.get("/").status == status, ms


# ---- addresses ------------------------------------------------------------------------------------


def test_ids_in_addresses_are_read_once(client: Client) -> None:
    """What is percent-encoded is decoded one time; what nobody could have meant is a page that says so."""
    for address in (
        "/fact/..%2f..%2fetc%2fpasswd", "/fact/%00", "/fact/%2e%2e/%2e%2e", "/fact/a/b/c", "/fact/%ff", "/fact/",
        "/fact/%25252e", "/fact/" + "a" * 5000, "/session/%0d%0aX:%201", "//evil.example", "/%3Cscript%3E",
        "/login/x", "/static", "/act/", "/tip/",
    ):  # fmt: skip
        answer = client.get(address)
        assert answer.status == 404 and "x-header" not in answer.headers, address
        assert "<script>" not in answer.text


def test_files_are_kept_by_an_address_that_names_what_they_hold(client: Client) -> None:
    """The page asks for them so; under another address nobody keeps them. With them a page weighs little."""
    page = client.get("/review").text
    address = page.partition('rel="stylesheet" href="')[2].partition('"')[0]
    assert address.startswith("/static/diurna.css?")
    assert "immutable" in client.get(address).headers["cache-control"]
    assert client.get(address).headers["content-type"].startswith("text/css")
    assert client.get(f"{address}0").headers["cache-control"] == "no-store"
    loaded = re.findall(r'(?:href|src)="(/static/[^"]+)"', page)
    assert len(page.encode()) + sum(len(client.get(one).body) for one in loaded) <= 72_000


# ---- what becomes of the home, and of a fault -----------------------------------------------------


def test_a_page_says_what_became_of_the_home(repo: Repo) -> None:
    """On a branch without it, away, back again: a page each time, and what to do; the terminal is not bothered."""
    faults: list[Exception] = []
    client = client_of(repo.path, tell=faults.append).login()
    assert client.get("/").status == 200
    repo.git("checkout", "-q", "--orphan", "empty")
    repo.git("rm", "-rfq", "--cached", ".")
    (repo.path / "memory").rename(repo.path.parent / "away")
    gone = client.get("/")
    assert gone.status == client.get("/tip").status == 503
    assert "started for is not there" in gone.text and "Check out a branch that has it" in gone.text
    (repo.path.parent / "away").rename(repo.path / "memory")
    repo.git("symbolic-ref", "HEAD", "refs/heads/main")
    repo.git("reset", "-q")
    assert client.get("/").status == 200
    repo.path.rename(repo.path.parent / "elsewhere")
    assert client.get("/").status == 503
    (repo.path.parent / "elsewhere").rename(repo.path)
    assert client.get("/").status == 200 and faults == []


def test_where_there_is_no_home_the_page_says_how_to_make_one(bare_repo: Repo, run: Run) -> None:
    """In words for a person at a terminal; once it is there, the next page shows it."""
    client = client_of(bare_repo.path).login()
    answer = client.get("/")
    assert answer.status == 503 and "diurna init" in answer.text
    assert "the person you work for" not in answer.text
    assert run("init").code == 0
    assert client.get("/").status == 200


def test_a_fault_is_a_page_without_its_words_and_the_next_one_is_shown(repo: Repo) -> None:
    """The terminal is told once; the memory is opened anew."""
    faults: list[Exception] = []
    fails = [True]

    def open_memory(home: Any) -> Memory:
        if fails:
            raise RuntimeError("a secret of ours")
        return Memory(home)

    client = client_of(repo.path, open_memory=open_memory, tell=faults.append).login()
    answer = client.get("/")
    assert (
        answer.status == 500
        and "secret" not in answer.text
        and POLICY.items() <= answer.headers.items()
    )
    fails.clear()
    assert client.get("/").status == 200
    assert [str(one) for one in faults] == ["a secret of ours"]


def test_the_tip_tells_what_came_since_a_page_was_made(repo: Repo, run: Run) -> None:
    """By whom, and how much, of several steps, too; who names no state of this server hears less."""
    client = client_of(repo.path).login()

    def tip(since: str = "") -> Any:
        return json.loads(client.get(f"/tip?since={since}" if since else "/tip").text)

    first = tip()["tip"]
    assert f'data-mark="{first}"' in client.get("/").text and tip(first) == {"tip": first}
    run(
        "append",
        "--agent",
        "codex",
        "--title",
        "One",
        "--new",
        "id=a fact: A.",
        "--new",
        "id=b fact: B.",
    )
    second = tip(first)
    assert second["news"] == "codex recorded 2 facts." and second["tip"] != first
    assert f'data-mark="{second["tip"]}"' in client.get("/").text
    run("append", "--agent", "ada", "--title", "Two", "--update", "a", "A, reworded.")
    assert tip(second["tip"])["news"] == "ada changed 1 fact."
    run("append", "--agent", "eve", "--title", "Three", "--body", "Nothing came of it.")
    told = "codex recorded 2 facts, ada changed 1 fact, 1 more recorded something."
    assert tip(first)["news"] == told
    assert tip("0" * 24)["news"] == tip("%3Cscript%3E")["news"] == "Memory changed."
    third = tip()["tip"]
    repo.git("reset", "-q", "--hard", "HEAD~1")
    assert tip(third)["news"] == "Memory changed."


# ---- a process ------------------------------------------------------------------------------------


class Listening:
    """A server process on a free port."""

    def __init__(self, *more: str) -> None:
        self.process = forks.Forked(
            ["-m", "rituals", "web", "--port", "0", "--json", *more], os.getcwd(),
            {**os.environ, "DISPLAY": ":0", "BROWSER": "/nowhere/at/all"}, loaded=forks.WEB,
        )  # fmt: skip
        self.said = json.loads(self.process.stdout.readline())
        self.port: int = self.said["port"]
        self.host, self.cookie = f"127.0.0.1:{self.port}", ""
        self.token = self.said["address"].partition("#")[2]

    def login(self) -> Listening:
        """Exchange the token for the cookie."""
        _, headers, _ = self.ask("POST", "/login", f"t={self.token}")
        self.cookie = headers["set-cookie"].partition(";")[0]
        return self

    def ask(self, method: str, address: str, body: str = "") -> tuple[int, dict[str, str], str]:
        """Send a request as a page of the server would."""
        headers = {"Cookie": self.cookie, "Sec-Fetch-Site": "same-origin"}
        if method == "POST":
            headers |= {
                "Content-Type": "application/x-www-form-urlencoded",
                "Origin": f"http://{self.host}",
            }
        connection = http.client.HTTPConnection(self.host, timeout=60)
        try:
            connection.request(method, address, body or None, headers)
            answer = connection.getresponse()
            found = {name.lower(): value for name, value in answer.getheaders()}
            return answer.status, found, answer.read().decode()
        finally:
            connection.close()

    def send(self, sent: str) -> str:
        """Send bytes as they are; return the status of what comes."""
        named = f"Host: {self.host}\r\nCookie: {self.cookie}\r\n"
        with socket.create_connection(("127.0.0.1", self.port), timeout=60) as one:
            one.sendall(sent.replace("HOST", named).encode("latin-1"))
            found = b""
            while b"\r\n" not in found and (more := one.recv(4096)):
                found += more
        return found.split()[1].decode()

    def end(self, stop: signal.Signals) -> tuple[int, str, str]:
        """Stop it; return the exit code and the rest of both outputs."""
        self.process.send_signal(stop)
        out, err = self.process.communicate(timeout=60)
        return self.process.wait(), out.decode(), err.decode()


@pytest.fixture(scope="module")
def loaded() -> None:
    """What a server has loaded is loaded once."""
    forks.run(["-m", "rituals", "--version"], ROOT, os.environ, loaded=forks.WEB)


@pytest.fixture
def listening(repo: Repo, run: Run, loaded: None) -> Iterator[Listening]:
    """A server of a home with a fact, with forms."""
    assert run("append", "--title", "One", "--new", "id=one fact: A fact.").code == 0
    server = Listening("--write").login()
    yield server
    if server.process.returncode is None:
        server.process.kill()
        server.process.communicate()


def test_a_server_from_its_first_word_to_its_last(listening: Listening, run: Run) -> None:
    """One line of JSON says where it is, on this machine alone; a form is recorded; Ctrl-C ends it."""
    address = f"http://{listening.host}/login#{listening.token}"
    assert listening.said == {
        "format": 1,
        "port": listening.port,
        "writes": True,
        "address": address,
    }
    assert len(listening.token) >= 43  # 32 bytes
    with socket.socket() as other:
        assert other.connect_ex(("127.0.0.2", listening.port)) != 0
    taken = run("web", "--port", str(listening.port), "--no-open")
    assert taken.code == 1 and "hint: name another port, or 0 for a free one: --port 0" in taken.err
    status, headers, page = listening.ask("GET", "/")
    assert (status, "A fact." in page) == (200, True) and "server" not in headers
    token = re.search(r'name="token" value="([^"]+)"', listening.ask("GET", "/write/note")[2])
    assert token is not None
    form = f"token={token[1]}&id=one&reason=It+is+over&next=%2F"
    status, headers, _ = listening.ask("POST", "/act/archive", form)
    assert status == 303
    stem = headers["location"].partition("?done=")[2]
    assert json.loads(run("log", "--json").out)["sessions"][0]["stem"] == stem
    assert listening.end(signal.SIGINT) == (130, "", "diurna: interrupted\n")
    assert json.loads(run("show", "one", "--json").out)["facts"][0]["tier"] == "archived"


@pytest.mark.deep(reason="what_is_forged_is_refused asks the application")
def test_what_no_browser_sends_is_refused_at_the_socket(listening: Listening) -> None:
    """And halves of requests, many at once, hold nothing: a browser is answered beside them."""
    refused = {
        "GET http://evil.example/ HTTP/1.1\r\nHOST\r\n": "400",
        "GET / HTTP/1.1\r\nHOSTHost: evil.example\r\n\r\n": "400",
        "GET / HTTP/1.1\r\n\r\n": "400",
        "GET / HTTP/1.0\r\n\r\n": "421",
        "GET / HTTP/1.1\r\nHost : evil.example\r\nHOST\r\n": "400",
        "GET / HTTP/1.1\r\nHOSTSec-Fetch-Site:\r\n cross-site\r\n\r\n": "403",
        "GET /tip HTTP/1.1\r\nHOSTConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n": "400",
        "GET / HTTP/1.1\r\nHOSTContent-Length: 5\r\nContent-Length: 6\r\n\r\nabcde": "400",
        "POST /act/archive HTTP/1.1\r\nHOSTContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n": "400",
        f"POST /login HTTP/1.1\r\nHOSTOrigin: http://{listening.host}\r\nContent-Length: 65537\r\n\r\n": "413",
        "TRACE / HTTP/1.1\r\nHOST\r\n": "405",
        "nonsense\r\n\r\n": "400",
    }  # fmt: skip
    assert {sent: listening.send(sent) for sent in refused} == refused
    assert listening.send("GET /tip HTTP/1.1\r\nHOST\r\n") == "200"
    half = f"POST /login HTTP/1.1\r\nHost: {listening.host}\r\nContent-Length: 1000\r\n\r\nt="
    others = []
    try:
        for sent in ("", "GET / HTTP/1.1\r\nHost: ", half) * 90:
            others.append(socket.create_connection(("127.0.0.1", listening.port), timeout=60))
            others[-1].sendall(sent.encode())
        assert [listening.ask("GET", "/")[0] for _ in range(3)] == [200] * 3
        others[0].settimeout(60)
        assert others[0].recv(1) == b"", "who waits longest is let go"
    finally:
        for one in others:
            one.close()
    assert listening.ask("GET", "/")[0] == 200


@pytest.mark.deep(reason="a_server_from_its_first_word_to_its_last is the small one")
def test_a_stop_waits_for_what_was_sent(listening: Listening, repo: Repo, spawn: Run) -> None:
    """A form has come, and the stop behind it: the log is there, the browser is told, and the end is a good one."""
    token = re.search(r'name="token" value="([^"]+)"', listening.ask("GET", "/write/note")[2])
    assert token is not None
    form, before = f"token={token[1]}&id=one&reason=It+is+over", tip(repo.path)
    with socket.create_connection(("127.0.0.1", listening.port), timeout=60) as one:
        one.sendall(
            f"POST /act/archive HTTP/1.1\r\nHost: {listening.host}\r\nOrigin: http://{listening.host}\r\n"
            f"Cookie: {listening.cookie}\r\nContent-Type: application/x-www-form-urlencoded\r\n"
            f"Content-Length: {len(form)}\r\n\r\n{form}".encode()
        )
        for _ in range(6000):
            if tip(repo.path) != before:
                break
            time.sleep(0.01)
        assert listening.end(signal.SIGTERM) == (0, "", "")
        assert one.recv(4096).startswith(b"HTTP/1.1 303")
    assert json.loads(spawn("show", "one", "--json").out)["facts"][0]["tier"] == "archived"
    assert spawn("check", "--ci").code == 0


@pytest.mark.deep(reason="a_server_from_its_first_word_to_its_last is the small one")
def test_a_browser_is_given_a_file_that_nobody_else_can_read(repo: Repo, tmp_path: Path) -> None:
    """What processes show of each other has no token in it; when the server ends, the file is gone."""
    program, seen = tmp_path / "browser", tmp_path / "seen"
    program.write_text(f'#!/bin/sh\necho noise; echo noise >&2\nprintf %s "$1" > {seen}\n')
    os.mkfifo(seen)
    program.chmod(0o755)
    read, write = os.openpty()
    server = subprocess.Popen(
        [sys.executable, "-m", "rituals", "web", "--port", "0"], stdin=write, stdout=write, stderr=write,
        env={**os.environ, "BROWSER": str(program), "PYTHONPATH": str(ROOT)}, start_new_session=True,
    )  # fmt: skip
    try:
        file = Path(seen.read_text().removeprefix("file://"))
        said = os.read(read, 4096).decode()
        address = re.search(r"http://127\.0\.0\.1:\d+/login#\S+", said)
        assert address and f'content="0;url={address[0]}"' in file.read_text()
        assert file.stat().st_mode & 0o777 == 0o600
    finally:
        server.send_signal(signal.SIGINT)
        server.wait(60)
        os.close(read)
        os.close(write)
    assert not file.exists()


# ---- the command ----------------------------------------------------------------------------------


def test_what_the_command_does_not_take(repo: Repo, run: Run) -> None:
    for words, hint in (
        (("web", "--org", "--write"), "diurna web --org"),
        (
            ("export", "site", "x", "--base", "team.example"),
            "diurna export site DIR --base https://",
        ),
        (
            ("export", "site", "x", "--base", "javascript:x"),
            "diurna export site DIR --base https://",
        ),
        (("export", "vault", "x", "--allow-shallow"), "diurna export site DIR"),
        (("export", "events", "x"), "diurna export events > FILE"),
        (("export", "site"), "diurna export site DIR"),
    ):
        ran = run(*words)
        assert (ran.code, ran.out) == (2, "") and f"hint: {hint}" in ran.err, words
    assert not (repo.path / "x").exists()
