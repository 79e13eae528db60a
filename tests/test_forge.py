"""Where a forge shows a commit, by the address of a remote: known forges alone, https, and never a secret."""

from __future__ import annotations

import re

from hypothesis import example, given
from hypothesis import strategies as st

from ledger.home import discover
from ledger.remote.forge import Forge, forge_at, forge_of
from tests.conftest import Repo

SHA = "0123456789abcdef0123456789abcdef01234567"
#: What must come through nowhere.
TOKEN = "s3cr3t-T0ken"

#: (address, what its pages begin with, "" where no forge is known)
ADDRESSES = (
    ("https://github.com/ada/shop.git", "https://github.com/ada/shop/commit/"),
    ("https://github.com/ada/shop/", "https://github.com/ada/shop/commit/"),
    (f"https://x-access-token:{TOKEN}@github.com/ada/shop", "https://github.com/ada/shop/commit/"),
    ("git@github.com:ada/shop.git", "https://github.com/ada/shop/commit/"),
    ("ssh://git@github.example.com:2222/ada/shop", "https://github.example.com/ada/shop/commit/"),
    ("GIT@GitHub.com:ada/shop.git", "https://github.com/ada/shop/commit/"),
    ("git@gitlab.com:team/sub/deep/shop.git", "https://gitlab.com/team/sub/deep/shop/-/commit/"),
    ("https://gitlab.example.com:8443/a/b/c.git", "https://gitlab.example.com:8443/a/b/c/-/commit/"),
    ("ssh://git@my-gitlab.example.com:2222/a/b.git", "https://my-gitlab.example.com/a/b/-/commit/"),
    ("https://codeberg.org/ada/shop.git", "https://codeberg.org/ada/shop/commit/"),
    ("git@gitea.example.com:ada/shop.git", "https://gitea.example.com/ada/shop/commit/"),
    ("git@forgejo.example.com:/ada/shop.git", "https://forgejo.example.com/ada/shop/commit/"),
    ("git@bitbucket.org:ada/shop.git", "https://bitbucket.org/ada/shop/commits/"),
    ("https://git.example.com/ada/shop.git", ""),
    ("https://notgithub.com/ada/shop", ""),
    ("https://github.com/ada", ""), ("https://gitlab.com/ada", ""),
    ("https://github.com/ada/shop/more", ""),
    ("https://github.com/../shop", ""),
    (f"https://github.com/ada/shop?access_token={TOKEN}", ""),
    (f"https://github.com/ada/shop#{TOKEN}", ""),
    (f"https://github.com:{TOKEN}/x@github.com/ada/shop", ""),
    (f"https://github.com/{TOKEN}@github.com/shop", ""),
    (f"https://ada:{TOKEN}/raw@github.com/ada/shop", ""),
    ("http://gitea.example.com:3000/ada/shop", ""),
    ("https://github.com:99999999/ada/shop", ""), ("http://github.com/ada/shop", ""),
    ("javascript://github.com/ada/shop", ""),
    ("file://github.com/ada/shop", ""),
    ("ext::ssh github.com ada/shop", ""),
    ("../github.com/ada/shop", ""),
    ("C:/github.com/shop", ""),
    ("/srv/git/shop.git", ""),
    ("", ""),
)  # fmt: skip


def test_each_form_of_an_address_leads_to_its_forge() -> None:
    """Subgroups and servers of one's own; whatever is no plain address of a forge leads nowhere."""
    found = [forge_at(address).commit(SHA) for address, _ in ADDRESSES]
    assert found == [begins and begins + SHA for _, begins in ADDRESSES]


def test_files_and_lines_are_shown_as_they_were_written() -> None:
    """Each forge in its own way; markdown as text where a line is asked for; names are encoded."""
    ways = {
        forge: [
            forge_at(f"git@{host}:a/b.git").file(*asked).removeprefix(f"https://{host}/a/b/")
            for asked in (("x y/#ä.py", SHA, 3), ("notes.md", "abc1234", 7), ("notes.md", SHA))
        ]
        for forge, host in (("github", "github.com"), ("gitlab", "gitlab.com"),
                            ("gitea", "codeberg.org"), ("bitbucket", "bitbucket.org"))
    }  # fmt: skip
    name = "x%20y/%23%C3%A4.py"
    assert ways == {
        "github": [f"blob/{SHA}/{name}#L3", "blob/abc1234/notes.md?plain=1#L7", f"blob/{SHA}/notes.md"],
        "gitlab": [f"-/blob/{SHA}/{name}#L3", "-/blob/abc1234/notes.md?plain=1#L7", f"-/blob/{SHA}/notes.md"],
        "gitea": [f"src/commit/{SHA}/{name}#L3", "src/commit/abc1234/notes.md?display=source#L7",
                  f"src/commit/{SHA}/notes.md"],
        "bitbucket": [f"src/{SHA}/{name}#lines-3", "src/abc1234/notes.md#lines-7", f"src/{SHA}/notes.md"],
    }  # fmt: skip
    github = forge_at("git@github.com:a/b")
    assert not any(
        (github.commit("main"), github.commit(""), github.commit("../x"), github.file("", SHA))
    )
    assert Forge().commit(SHA) == Forge().file("a", SHA, 1) == ""


_words = st.text("abzAZ09.-_~@:/?#%\\ \n\u202eä", max_size=12)


@given(
    st.sampled_from(["", "https://", "http://", "ssh://", "git://", "file://", "javascript:", "ext::"]),
    st.sampled_from(["", f"{TOKEN}@", f"ada:{TOKEN}@", f"{TOKEN}:x@", "git@"]),
    st.sampled_from(["github.com", "gitlab.example.com", "codeberg.org", "bitbucket.org", "gitea"]) | _words,
    st.sampled_from([":", "/", ":443/", ":2222/", "://", ""]),
    st.lists(st.sampled_from(["ada", "shop", "shop.git", "..", "", f"x?t={TOKEN}", f"x#{TOKEN}", f"x:{TOKEN}@h"]),
             max_size=5),
    _words,
)  # fmt: skip
@example("", "", "github.com", ":", ["ada", "shop"], "/\u202e")
def test_never_a_token_and_never_another_scheme(
    scheme: str, user: str, host: str, between: str, parts: list[str], more: str
) -> None:
    """Whatever the address of a remote is like: https, plain characters, nothing of a user."""
    forge = forge_at(scheme + user + host + between + "/".join(parts) + more)
    for found in (forge.commit(SHA), forge.file('a b/"<c>.md', SHA, 2)):
        assert TOKEN not in found
        assert not found or re.fullmatch(r"https://[a-z0-9.-]+(:\d+)?/[A-Za-z0-9._~/%?=#-]+", found)
        assert ".." not in found.split("/")


def test_what_is_not_pushed_is_shown_nowhere_yet(repo: Repo) -> None:
    """Not before a push."""
    home = discover(str(repo.path))
    tip, about = home.tip(), (home.repository, home.branch, home.tip())
    assert forge_of(*about).base == ""
    repo.git("remote", "add", "origin", f"https://ada:{TOKEN}@github.com/ada/shop.git")
    before = forge_of(*about)
    assert (before.base, before.commit(tip)) == ("https://github.com/ada/shop", "")
    repo.git("update-ref", f"refs/remotes/origin/{home.branch}", tip)  # as a push does
    assert forge_of(*about).commit(tip) == f"https://github.com/ada/shop/commit/{tip}"
    repo.git("remote", "set-url", "origin", "gh:ada/shop")
    repo.git("config", "url.git@github.com:.insteadOf", "gh:")
    assert forge_of(*about).base == "https://github.com/ada/shop"
