"""The guard of the pages: what no page of ours would send is refused, each kind by one rule of its own.

A case forges one thing of a request that is good otherwise. The good one is sent behind it and passes: so
it is that one thing that was refused.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger.errors import DiurnaError
from ledger.home import discover
from rituals.cli.app import main
from rituals.serve.web.actions.form_fields import Recorded
from rituals.serve.web.actions.form_table import ACTIONS
from rituals.serve.web.pages import page_table
from rituals.serve.web.server.access import SESSION_MS, Access, new_token, session_key
from rituals.serve.web.server.guard import FORM_BYTES, HEADERS
from rituals.serve.web.server.login import WRONG
from rituals.serve.web.server.posted_forms import ours, with_done
from tests.conftest import each_row, make_repository
from tests.web_client import HOST, ORIGIN, PORT, TOKEN, Answer, Client, Headers, client_of


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with an empty home in it."""
    path = make_repository(tmp_path_factory.mktemp("guarded") / "shop").path
    assert main(["init", str(path)]) == 0
    return path


@pytest.fixture
def recorded(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What a form has recorded: an action stands in the table that writes here."""
    found: list[str] = []

    def count(memory: object, fields: Any) -> Recorded:
        found.append(fields.one("id"))
        return Recorded(("2026-11-21-083012417-abcd",))

    monkeypatch.setitem(ACTIONS, "count", count)
    return found


@pytest.fixture(scope="module")
def shared(home: Path) -> Client:
    """A browser that has logged in."""
    return client_of(home, writes=True).login()


@pytest.fixture
def client(shared: Client, recorded: list[str]) -> Iterator[Client]:
    """The same, with its cookie as it was."""
    cookie = shared.cookie
    yield shared
    shared.cookie = cookie


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
FORM = Sent("/act/count", form={"token": "", "id": "a", "next": "/?q=x"}, passes=303)
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
    "a form without its token": (FORM, FORM._replace(form={"id": "a"}), 403),
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
    "a body of too many bytes": (FORM, FORM._replace(form=b"id=" + b"a" * FORM_BYTES), 413),
    "a body that says less": (
        FORM, _headed(FORM._replace(form=b"id=" + b"a" * FORM_BYTES), content_length="3"), 400),
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
    "a form by GET": (FORM, PAGE._replace(address="/act/count?id=a"), 405),
    "a form by HEAD": (FORM, PAGE._replace(address="/act/count?id=a", method="HEAD"), 405),
    "a method in a header": (FORM, _headed(
        PAGE._replace(address="/act/count?id=a"), x_http_method_override="POST"), 405),
    "a page by POST": (FORM, FORM._replace(address="/"), 405),
    "a socket": (TIP, _headed(TIP, **_SOCKET), 400),
    "another host's address": (PAGE, PAGE._replace(address="http://evil.example/"), 400),
    "an asterisk": (PAGE, PAGE._replace(address="*"), 400),
    "no such form": (FORM, FORM._replace(address="/act/nothing"), 404),
    "a form below a form": (FORM, FORM._replace(address="/act/count/count"), 404),
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


@pytest.mark.deep(
    reason="every_header_that_a_browser_may_leave_out_can_be_missing is the small one"
)
@each_row("kind", FORGED)
def test_what_is_forged_is_refused(kind: str, client: Client, recorded: list[str]) -> None:
    """One thing is not as a page of ours would send it; with that put right, the request passes."""
    good, forged, status = FORGED[kind]
    cookie = client.cookie
    refused = forged.by(client)
    assert (refused.status, recorded) == (status, [])
    assert "set-cookie" not in refused.headers
    if status == 303:
        assert refused.headers["location"].startswith("/login?next=/")
    passed = good.by(client)
    assert (passed.status, recorded) == (good.passes, ["a"] if good is FORM else [])
    recorded.clear()
    client.cookie = cookie


def test_every_header_that_a_browser_may_leave_out_can_be_missing(client: Client) -> None:
    """Older browsers send no `Sec-Fetch-…`: the other rules hold without them."""
    for base in (PAGE, TIP, STYLE, FORM, LOGIN):
        bare = _headed(base, sec_fetch_site=None, sec_fetch_mode=None, sec_fetch_dest=None)
        assert bare.by(client).status == base.passes
        typed = _headed(base, sec_fetch_site="none")
        assert typed.by(client).status == base.passes
    local = f"localhost:{PORT}"
    assert _headed(PAGE, host=local).by(client).status == 200
    assert _headed(FORM, host=local, origin=f"http://{local}").by(client).status == 303


# ---- the login ------------------------------------------------------------------------------------


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
    assert name == f"diurna-{PORT}"
    assert TOKEN not in rest
    assert {one.strip().lower() for one in rest.split(";")[1:]} == {
        "httponly", "samesite=strict", "path=/",
    }  # fmt: skip
    client.cookie = f"{name}={rest.partition(';')[0]}"
    assert client.get("/").status == 200


def test_a_cookie_of_the_same_name_that_another_server_set_shadows_nothing(client: Client) -> None:
    """Cookies know no ports: whatever stands beside ours, ours is found, and nothing else is."""
    mine = client.cookie
    client.cookie = f"diurna-{PORT}=evil.; other=1; {mine}; diurna-{PORT}=; x"
    assert client.get("/").status == 200
    client.cookie = f"diurna-{PORT}=evil.; other=1"
    assert client.get("/").status == 303


def test_each_login_is_a_session_of_its_own(home: Path, recorded: list[str]) -> None:
    """The token of a form of one session opens nothing in another one."""
    one, two = (client_of(home, writes=True).login() for _ in range(2))
    assert one.cookie != two.cookie
    assert two.post("/act/count", {"token": one.form_token(), "id": "a"}).status == 403
    assert two.post("/act/count", {"token": two.form_token(), "id": "b"}).status == 303
    assert recorded == ["b"]


def test_wrong_tokens_are_heard_so_often_and_no_more(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Behind that not even the right one opens, until a minute is over."""
    now = [1000.0]
    monkeypatch.setattr("rituals.serve.web.server.web_app.monotonic", lambda: now[0])
    client = client_of(home)
    wrong = [client.post("/login", {"t": one}) for one in (*"x" * (WRONG - 1), "")]
    assert {one.status for one in wrong} == {403}
    assert 'role="alert"' in wrong[0].text
    assert client.post("/login", {"t": TOKEN}).status == 429
    now[0] += 61
    assert client.post("/login", {"t": TOKEN}).status == 303


def test_a_server_that_only_shows_takes_no_form(home: Path, recorded: list[str]) -> None:
    """Without `--write` there is no token, also none that could be guessed, and it is said how to write."""
    client = client_of(home).login()
    assert client.form_token() == ""
    for token in ("", Access(PORT, TOKEN, True).form_token(client.cookie.partition("=")[2])):
        refused = client.post("/act/count", {"token": token, "id": "a"})
        assert refused.status == 403
        assert "diurna web --write" in refused.text
    assert recorded == []
    assert 'name="token"' not in client.get("/").text


def test_behind_the_guard_there_is_a_second_lock(client: Client, recorded: list[str]) -> None:
    """Without a session no page is shown and no form taken, should a request ever come so far."""
    inside = Client(client.app._app, client.access)
    assert inside.get("/").status == 400
    assert (
        inside.post("/act/count", {"token": client.access.form_token(""), "id": "a"}).status == 400
    )
    assert recorded == []
    assert not Access(PORT, TOKEN).takes("s", "")


def test_a_form_goes_back_to_a_page_of_ours(client: Client, recorded: list[str]) -> None:
    """The answer is an address that a reload does not send again, and says what was recorded."""
    fields = {"token": client.form_token(), "id": "a\r\nb", "next": "/review?a=1&done=old#f"}
    answer = client.post("/act/count", fields)
    assert answer.status == 303
    assert answer.headers["location"] == "/review?a=1&done=2026-11-21-083012417-abcd#f"
    assert recorded == ["a\nb"]


def test_what_is_refused_is_a_page_that_says_why(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing was changed: 409, the sentence with its hint, and the way back."""

    def refuse(memory: object, fields: object) -> Recorded:
        raise DiurnaError("it is <b>settled</b>", where="a-fact", hint="look at it")

    monkeypatch.setitem(ACTIONS, "count", refuse)
    fields = {"token": client.form_token(), "next": "/review"}
    answer = client.post("/act/count", fields)
    assert answer.status == 409
    assert "a-fact: it is &lt;b&gt;settled&lt;/b&gt;" in answer.text
    assert "Look at it" in answer.text and 'href="/review"' in answer.text


# ---- addresses ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "address",
    ["//evil.example", "///evil.example", "/\\evil.example", "https:evil.example", "http://evil.example/",
     "javascript:alert(1)", "/\t/evil.example", "/a\r\nSet-Cookie: x=1", " /", "", "evil", "/a b", "/\u202e", "?x",
     "/x\\..\\y", "#x"],
)  # fmt: skip
def test_no_form_leads_away(address: str, client: Client, recorded: list[str]) -> None:
    """Where `next` is no address of ours, the first page is next; both in the login and in a form."""
    fields = {"t": TOKEN, "token": client.form_token(), "id": "a", "next": address}
    assert ours(address) == "/"
    assert client.post("/login", fields).headers["location"] == "/"
    assert client.post("/act/count", fields).headers["location"].startswith("/?done=")
    login = client.get("/login?next=" + "".join(f"%{byte:02x}" for byte in address.encode()))
    assert 'name="next" value="/"' in login.text


@given(st.text(st.sampled_from("/\\.:@?#&=%ae \t\n\u202e"), max_size=12))
def test_what_is_ours_stays_ours(text: str) -> None:
    """Whatever is taken for an address of ours begins with one slash, also when it says what was done."""
    for address in (ours(text), ours("/" + text), with_done(ours("/" + text), "2026-11-21-1")):
        assert address[:1] == "/" and address[1:2] not in ("/", "\\")
        assert not set(address) & set("\\ \t\n\r")


def test_ids_in_addresses_are_read_once(client: Client) -> None:
    """What is percent-encoded is decoded one time; what nobody could have meant is a page that says so."""
    for address in (
        "/fact/..%2f..%2fetc%2fpasswd", "/fact/%00", "/fact/%2e%2e/%2e%2e", "/fact/a/b/c", "/fact/%ff", "/fact/",
        "/fact/%25252e", "/fact/" + "a" * 5000, "/session/%0d%0aX:%201", "//evil.example", "/%3Cscript%3E",
        "/login/x", "/static", "/act/", "/tip/",
    ):  # fmt: skip
        answer = client.get(address)
        assert answer.status == 404, address
        assert "<script>" not in answer.text and "x-header" not in answer.headers


# ---- what every answer says -----------------------------------------------------------------------


def test_every_answer_has_the_headers_of_the_policy(
    home: Path, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Pages, refusals, redirections, files and faults alike; nothing but a file is ever kept."""

    def fault(tip: object, asked: object) -> Any:
        raise RuntimeError("a secret of ours")

    answers = {
        "page": PAGE.by(client), "unknown": PAGE._replace(address="/x").by(client), "tip": TIP.by(client),
        "login": PAGE._replace(address="/login").by(client), "done": LOGIN.by(client), "form": FORM.by(client),
        "outside": PAGE._replace(cookie=None).by(client), "host": _headed(PAGE, host="evil").by(client),
        "method": PAGE._replace(method="PUT").by(client), "path": FORM._replace(address="/").by(client),
        "file": STYLE.by(client), "no file": STYLE._replace(address="/static/x").by(client),
    }  # fmt: skip
    rows = tuple(row._replace(page=fault) for row in page_table.ROWS)
    monkeypatch.setattr("rituals.serve.web.server.web_app.ROWS", rows)
    told: list[Exception] = []
    answers["fault"] = client_of(home, tell=told.append).login().get("/")
    assert answers["fault"].status == 500
    assert "secret" not in answers["fault"].text and "terminal" in answers["fault"].text
    assert [str(one) for one in told] == ["a secret of ours"]
    for name, answer in answers.items():
        for header, value in HEADERS:
            assert answer.headers[header] == value, (name, header)
        assert answer.headers["cache-control"] == "no-store", name
        assert (
            "server" not in answer.headers and "access-control-allow-origin" not in answer.headers
        )
    policy = dict(HEADERS)["content-security-policy"]
    assert "unsafe" not in policy and policy.startswith("default-src 'none'")


def test_files_are_kept_by_an_address_that_names_what_they_hold(client: Client) -> None:
    """The page asks for them so; under another address nobody keeps them."""
    page = client.get("/").text
    address = page.partition('rel="stylesheet" href="')[2].partition('"')[0]
    assert address.startswith("/static/diurna.css?")
    assert "immutable" in client.get(address).headers["cache-control"]
    assert client.get(address).headers["content-type"].startswith("text/css")
    assert client.get(f"{address}0").headers["cache-control"] == "no-store"


def test_each_page_says_how_long_it_took(client: Client) -> None:
    """In a header that a browser shows."""
    assert client.get("/").headers["server-timing"].startswith("page;dur=")
    assert client.get("/", method="HEAD").status == 200


# ---- sessions that outlive a server ---------------------------------------------------------------


def _key(path: Path) -> str:
    return session_key(discover(str(path)))


def test_a_server_that_is_started_again_knows_its_sessions(home: Path) -> None:
    """The token is another one, the cookie and the form that stands open are good as they were."""
    first, again = (Access(PORT, new_token(), True, _key(home)) for _ in range(2))
    client = client_of(home, access=first).login()
    client.app = client_of(home, access=again).app
    assert client.get("/").status == 200
    assert again.takes(client.cookie.partition("=")[2], client.form_token())
    assert not again.knows(first.token)


def test_no_session_of_another_home_or_user_or_of_long_ago_opens(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each is refused like one that was made up; and where no key can be kept, sessions end with the process."""
    other = make_repository(tmp_path / "other").path
    assert main(["init", str(other)]) == 0
    now = [10**12]
    mine = Access(PORT, new_token(), True, _key(home), lambda: now[0])
    session = mine.begin_session()
    assert mine.session_of([session]) == session
    keys = [_key(other)]
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "another-user"))
    keys.append(_key(home))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "shop-file" / "x"))
    (tmp_path / "shop-file").write_text("no folder")
    keys.append(_key(home))
    assert len({*keys, mine.key}) == 4 and keys[2] == ""
    for key in keys:
        stranger = Access(PORT, new_token(), True, key, lambda: now[0])
        assert not stranger.session_of([session])
        assert not stranger.takes(session, mine.form_token(session))
    name, begun, signed = session.split(".")
    for forged in (
        f"{name}.{int(begun) + 1}.{signed}",
        f"{name}.{signed}",
        f"{begun}.{signed}",
        "..",
        "a.b.c",
    ):
        assert not mine.session_of([forged]), forged
    now[0] += SESSION_MS - 1
    assert mine.session_of([session])
    now[0] += 1
    assert not mine.session_of([session])
    now[0] = 10**12 - 1
    assert not mine.session_of([session]), "of a clock that ran ahead"


def test_the_key_of_sessions_lies_outside_the_repository_and_is_nobody_elses(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the user, for the user alone; one that others could read is no key any more."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    key, file = _key(home), tmp_path / "diurna" / "key"
    assert file.stat().st_mode & 0o777 == 0o600
    held = b"".join(path.read_bytes() for path in home.rglob("*") if path.is_file())
    assert key.encode() not in held and file.read_bytes() not in held
    file.chmod(0o644)
    assert _key(home) != key
