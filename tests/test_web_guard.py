"""The guard of the pages: what no page of ours would send is refused, each kind by one rule of its own."""

from __future__ import annotations

import pytest

from tests.conftest import Repo
from tests.web_client import PORT, TOKEN, Client, client_of


@pytest.fixture
def client(repo: Repo) -> Client:
    """A browser that has logged in."""
    return client_of(repo.path, writes=True).login()


def test_the_token_buys_a_cookie_that_is_not_the_token(repo: Repo) -> None:
    """Without one every page leads to the login; with one it is shown; the cookie is for this port alone."""
    client = client_of(repo.path)
    sent = client.get("/")
    assert (sent.status, sent.headers["location"]) == (303, "/login?next=/")
    login = client.get("/login?next=/fact/x")
    assert login.status == 200 and 'value="/fact/x"' in login.text
    taken = client.post("/login", {"t": TOKEN, "next": "/fact/x"})
    assert (taken.status, taken.headers["location"]) == (303, "/fact/x")
    name, _, rest = taken.headers["set-cookie"].partition("=")
    assert name == f"diurna-{PORT}"
    assert TOKEN not in rest
    assert {one.strip().lower() for one in rest.split(";")[1:]} == {"httponly", "samesite=strict", "path=/"}  # fmt: skip
    client.cookie = f"{name}={rest.partition(';')[0]}"
    assert client.get("/").status == 200
