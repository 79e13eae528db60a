"""Remotes and networks that fail, refuse, are far ahead or mean harm (faults of the groups I and J)."""

from __future__ import annotations

import http.server
import os
import subprocess
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler
from typing import ClassVar

import pytest

from tests.conftest import sampled
from tests.world import IN_TREE, KINDS, OWN_REPOSITORY, Place, World, git, sealed

FIRST = {"first": "fact: The first holds."}
STAMP = "2026-11-21-083012417"


@pytest.fixture
def pair(world: World) -> list[Place]:
    """Two clones of a repository of its own."""
    return world.team(OWN_REPOSITORY, "b", facts=FIRST)


def create(place: Place, name: str) -> str:
    return place.note(f"id={name} fact: The text of {name}.")


def plant(clone: Place, *rows: tuple[str, str, str]) -> str:
    """Commit entries of any mode and name, (mode, object id, path), and push them."""
    tree = clone.git("rev-parse", "HEAD^{tree}")
    clone.git("read-tree", tree)
    listed = "".join(f"{mode} {oid}\t{path}\0" for mode, oid, path in rows)
    clone.git("update-index", "-z", "--index-info", data=listed.encode())
    made = clone.git("commit-tree", "-p", "HEAD", "-m", "planted", clone.git("write-tree"))
    clone.git("read-tree", "HEAD")
    clone.git("push", "-q", "origin", f"{made}:main")
    return made


def blob(clone: Place, data: bytes) -> str:
    return clone.git("hash-object", "-w", "--stdin", data=data)


def path_of(data: bytes) -> str:
    return f"sessions/2026-11/21/{STAMP}-{sealed(data)}.md"


def exchange(one: Place, two: Place) -> None:
    """Let two clones share what each has: by plain git first, then by `diurna sync`."""
    if one.kind == IN_TREE:
        one.git("push", "-q")
        two.git("pull", "-q", "--no-rebase")
    for place in (one, two, one):
        place.sync()
    texts = one.texts()
    assert one.tip() == two.tip() and texts == two.texts() and {"alpha", "beta"} < set(texts)
    assert one.git("status", "--porcelain") == ""


# ---- ways to a remote
# ---------------------------------------------------------------------------------------


class Backend(BaseHTTPRequestHandler):
    """Runs `git http-backend` as a web server does (RFC 3875), or only answers with a status."""

    root: ClassVar[str] = ""
    status: ClassVar[int] = 0
    asked: ClassVar[list[str]] = []

    def _answer(self) -> None:
        self.asked.append(self.path)
        if self.status:
            self.send_response(self.status)
            self.send_header("WWW-Authenticate", 'Basic realm="x"')
            self.end_headers()
            return
        path, _, query = self.path.partition("?")
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if self.headers.get("Transfer-Encoding") == "chunked":
            while size := int(self.rfile.readline(), 16):
                body += self.rfile.read(size)
                self.rfile.readline()
        said = {
            "GIT_PROJECT_ROOT": self.root, "GIT_HTTP_EXPORT_ALL": "1", "PATH_INFO": path, "QUERY_STRING": query,
            "REQUEST_METHOD": self.command, "CONTENT_TYPE": self.headers.get("Content-Type", ""),
            "HTTP_CONTENT_ENCODING": self.headers.get("Content-Encoding", ""), "GIT_PROTOCOL": self.headers.get("Git-Protocol", ""),
        }  # fmt: skip
        done = subprocess.run(
            ["git", "http-backend"], input=body, capture_output=True, env={**os.environ, **said}
        )
        head, _, data = done.stdout.partition(b"\r\n\r\n")
        lines = dict(line.split(": ", 1) for line in head.decode().split("\r\n"))
        self.send_response(int(lines.pop("Status", "200").split()[0]))
        for name, value in lines.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)

    do_GET = do_POST = _answer

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@pytest.fixture
def web(world: World) -> Iterator[tuple[str, type[Backend]]]:
    """A web server for the repositories of the world, and what it was asked."""

    class Served(Backend):
        root = str(world.folder)
        asked: ClassVar[list[str]] = []

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Served)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}", Served
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.mark.deep(but=("http-own-repository", "file-own-branch"))
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("way", ["http", "file"])
def test_over_a_server_and_over_file_urls(
    world: World, web: tuple[str, type[Backend]], kind: str, way: str
) -> None:
    one, two = world.team(kind, "b", unsent="a:alpha b:beta", facts=FIRST)
    world.place("hub.git").git("config", "http.receivepack", "true")
    for place in (one, two):
        url = web[0] if way == "http" else f"file://{world.folder}"
        place.git("remote", "set-url", "origin", f"{url}/hub.git")
    exchange(one, two)


def test_i3_i8_who_we_are_and_proxies_are_gits_own_affair(
    world: World, web: tuple[str, type[Backend]]
) -> None:
    """Nobody is prompted, no helper with a window starts, no password is shown; the configured proxy is asked."""
    url, served = web
    one = world.home(OWN_REPOSITORY, facts=FIRST)
    served.status = 401
    one.git("config", "core.askPass", f"touch {world.folder}/asked")
    one.git("remote", "add", "origin", url.replace("//", "//ada:secret@") + "/x.git")
    answer = one.run("sync", code=1)
    assert answer.said == "AuthenticationFailed" and "secret" not in answer.out + answer.err
    assert not (world.folder / "asked").exists()
    served.status = 404
    one.git("config", "http.proxy", url)
    one.git("remote", "set-url", "origin", "http://far.invalid/x.git")
    one.run("sync", code=None, env={"no_proxy": "", "NO_PROXY": "", "http_proxy": ""})
    assert any(asked.startswith("http://far.invalid/x.git/info/refs") for asked in served.asked)


def test_i4_i10_the_host_key_is_opensshs_affair(world: World) -> None:
    """No option of ours weakens the check; a refusal says to compare the key."""
    one = world.home(OWN_REPOSITORY, facts=FIRST)
    script = world.folder / "ssh"
    script.write_text(
        f'#!/bin/sh\necho "$@" > {world.folder}/given\necho "Host key verification failed." >&2\nexit 255\n'
    )
    script.chmod(0o755)
    one.git("config", "core.sshCommand", str(script))
    one.git("remote", "add", "origin", "ssh://there/x.git")
    answer = one.run("sync", code=None)
    assert "key" in answer.out + answer.err
    assert "StrictHostKeyChecking" not in (world.folder / "given").read_text()


@pytest.mark.deep(reason="test_sync_decisions::what_a_sync_meets is the small one")
def test_i12_a_remote_that_is_far_ahead(pair: list[Place]) -> None:
    """Each of its logs is read once, and every one is there."""
    one, two = pair
    bodies = [f"---\nagent: b\n---\n# Log {number}\n".encode() for number in range(500)]
    files = {path_of(data): data for data in bodies}
    world = one.world
    Place(world, world.folder / "hub.git").commit_on("main", files)
    stem = create(one, "alpha")
    assert len(one.sync()["came"]) == 500
    one.holds([stem])
    two.sync()
    assert one.tip() == two.tip()


def test_i13_logs_are_plain_blobs_whatever_filters_are_set(pair: list[Place]) -> None:
    """A filter that makes pointers of files touches no log; what a server says that wants them is told."""
    one, two = pair
    one.git("config", "filter.lfs.clean", "echo pointer")
    one.git("config", "filter.lfs.required", "true")
    one.write(".git/info/attributes", "*.md filter=lfs\n")
    stem = create(one, "alpha")
    one.sync()
    two.sync()
    assert two.logs()[stem].startswith(b"---\nagent: ")
    hook = Place(one.world, one.world.folder / "hub.git").write(
        "hooks/pre-receive", "#!/bin/sh\necho 'large files by LFS only' >&2\nexit 1\n"
    )
    hook.chmod(0o755)
    create(two, "beta")
    answer = two.run("sync", code=1)
    assert answer.said == "RemoteRefused" and "large files by LFS only" in answer.err


@pytest.mark.deep(only="at the common")
@pytest.mark.parametrize("cut", ["at the common point", "before it"])
def test_i14_a_shallow_clone_syncs_or_says_how_to_mend_it(world: World, cut: str) -> None:
    def make(apart: World) -> None:
        (one,) = apart.team(OWN_REPOSITORY, unsent="a:alpha", facts=FIRST)
        url = f"file://{apart.folder}/hub.git"
        git(apart.folder, "clone", "-q", "--depth", "1", url, "cut")
        create(apart.place("cut", "cut"), "beta")
        one.sync()

    world.laid("one that is cut", make)
    one, shallow = world.place("a"), world.place("cut", "cut")
    if cut == "before it":
        shallow.git("fetch", "-q", "--depth", "1")
        before = shallow.tip()
        answer = shallow.run("sync", code=1)
        assert answer.json["error"]["hint"] == "git fetch --unshallow" and shallow.tip() == before
        shallow.git("fetch", "-q", "--unshallow")
    shallow.sync()
    one.sync()
    assert set(shallow.texts()) == {"first", "alpha", "beta"} and shallow.tip() == one.tip()


# ---- a remote that means harm
# ----------------------------------------------------------------------------------


def test_j1_j2_only_ordinary_files_are_read(pair: list[Place]) -> None:
    """A link, an executable and a submodule among the logs: named, never read, never in the work tree."""
    one, two = pair
    code = b"---\nagent: eve\n---\n# E\n"
    rows = [
        ("120000", blob(two, b"/etc/passwd"), path_of(b"a")),
        ("100755", blob(two, code), path_of(code)),
        ("160000", two.tip(), path_of(b"c")),
    ]
    plant(two, *rows)
    create(one, "alpha")
    assert one.sync()["came"] == []
    found = one.run("check", "--ci", code=None).json["findings"]
    assert sorted(row["file"] for row in found if row["code"] == "not-a-file") == sorted(
        path for _, _, path in rows
    )
    assert not any(os.path.lexists(one.folder / path) for _, _, path in rows)
    assert set(one.texts()) == {"first", "alpha"}


@pytest.mark.parametrize("path", ["continuity.md", "diurna.toml", "notes/x"])
def test_j2_a_link_in_the_place_of_another_file_is_left_to_git(
    pair: list[Place], path: str
) -> None:
    one, two = pair
    plant(two, ("120000", blob(two, b"/etc/passwd"), path))
    before = one.shape()
    assert "no ordinary file" in one.run("sync", code=1).err
    after = one.shape()
    assert (after["files"], after["index"]) == (before["files"], before["index"])


@pytest.mark.parametrize("what", ["continuity.md", "sessions", "archive"])
def test_j3_nothing_is_written_through_a_link_of_the_work_tree(
    pair: list[Place], what: str
) -> None:
    """What it leads to stays as it is; a refusal with a hint is as good as an answer."""
    one, two = pair
    outside = one.world.folder / "outside"
    if (one.folder / what).exists():
        (one.folder / what).rename(one.world.folder / "moved")
    if what == "continuity.md":
        outside.write_text("mine\n")
    else:
        outside.mkdir()
        (outside / "mine").write_text("mine\n")
    (one.folder / what).symlink_to(outside)
    create(two, "beta")
    two.sync()
    answer = one.run("sync", code=None)
    assert "hint: " in answer.err if answer.code else "beta" in one.texts()
    one.run("note", "It holds.", code=None)
    assert (
        outside.read_text() == "mine\n"
        if outside.is_file()
        else [path.name for path in outside.iterdir()] == ["mine"]
    )


@pytest.mark.deep(but="2097152")
@pytest.mark.parametrize(("size", "refused"), [(2 << 20, False), (70 << 20, True)])
def test_j4_a_log_of_many_megabytes_is_named_and_not_read(
    pair: list[Place], size: int, refused: bool
) -> None:
    """A union drops nothing; what only somebody who means harm calls a log does not get into the branch."""
    one, two = pair
    data = b"---\nagent: eve\n---\n# E\n\n" + b"\0" * size
    plant(two, ("100644", blob(two, data), path_of(data)))
    create(one, "alpha")
    before = one.tip()
    answer = one.run("sync", code=int(refused))
    if refused:
        assert (
            f"has {len(data)} bytes, which is no session log" in answer.err and one.tip() == before
        )
    else:
        assert "too-large" in answer.codes()
    assert set(one.texts()) == {"first", "alpha"}


def test_j5_of_many_references_one_is_fetched(world: World) -> None:
    """Many branches and tags of the remote stay there."""
    one, two = world.team(OWN_REPOSITORY, "b", unsent="b:beta", facts=FIRST)
    two.run("check", "--publish")
    two.git("push", "-q")
    hub = world.place("hub.git")
    tip = hub.git("rev-parse", "main")
    rows = sorted(f"{tip} refs/{kind}/x{n:04}\n" for kind in ("heads", "tags") for n in range(500))
    hub.write("packed-refs", "# pack-refs with: peeled fully-peeled sorted \n" + "".join(rows))
    one.git("config", "--add", "remote.origin.fetch", "+refs/heads/*:refs/remotes/origin/*")
    before = one.git("for-each-ref", "--format=%(refname)")
    one.sync()
    assert one.git("for-each-ref", "--format=%(refname)") == before
    assert set(one.texts()) == {"first", "beta"}


def test_j5_a_name_that_no_disk_takes_stops_nobody(world: World) -> None:
    one, two = world.team(OWN_REPOSITORY, "b", unsent="a:alpha", facts=FIRST)
    plant(two, ("100644", blob(two, b"x"), f"sessions/{'n' * 4000}.md"))
    one.sync()
    assert set(one.texts()) == {"first", "alpha"} and "bad-name" in one.check("--ci")


def test_j6_j10_names_can_command_neither_a_terminal_nor_git(pair: list[Place]) -> None:
    """A bidi override in a remote's name is shown, not obeyed; an option or a command is no remote."""
    one = pair[0]
    answer = one.run("sync", "ori\u202egin", code=1, json=False)
    assert "\u202e" not in answer.err and "ori\\u202egin" in answer.err
    commands = "--upload-pack=touch ran", "ext::sh -c 'touch ran'", "-oProxyCommand=touch ran", "-u"
    for name in (*commands, "fd::3", "a\nb", "x\x1b[2J", "x\x7f"):
        assert one.run("sync", "--json", "--", name, code=1).said == "NoRemote"
    assert not (one.folder / "ran").exists()


PROGRAMS = (
    "core.fsmonitor", "core.pager", "core.editor", "core.askPass", "pager.fetch", "sequence.editor", "gpg.program",
    "diff.external", "interactive.diffFilter", "core.alternateRefsCommand", "filter.evil.smudge", "filter.evil.clean",
    "filter.evil.process", "merge.evil.driver", "diff.evil.command", "diff.evil.textconv",
)  # fmt: skip
SWITCHES = ("commit.gpgSign", "push.gpgSign", "submodule.recurse", "log.showSignature")
HOOKS = (
    "pre-commit", "post-commit", "post-merge", "post-checkout", "pre-push", "post-rewrite", "reference-transaction",
    "post-index-change", "pre-auto-gc", "fsmonitor-watchman",
)  # fmt: skip


@pytest.mark.parametrize("kind", sampled([OWN_REPOSITORY, IN_TREE], 2))
def test_d6_j7_j9_j11_nothing_that_a_repository_names_is_run(world: World, kind: str) -> None:
    """Programs of its settings, attributes that ask for them, hooks in both folders: by no write, sync or question."""
    one, two = world.team(kind, "b", unsent="b:beta", facts=FIRST)
    ran = world.folder / "ran"
    said = dict.fromkeys(PROGRAMS, f"touch {ran}; cat") | dict.fromkeys(SWITCHES, "true")
    names = [(*key.rpartition(".")[::2], text) for key, text in said.items()]
    rows = [f'[{head.replace(".", " ")}]\n\t{key} = "{text}"\n' for head, key, text in names]
    one.write(".git/config", one.read(".git/config") + "".join(rows).replace(" evil]", ' "evil"]'))
    one.write(".git/info/attributes", "* filter=evil merge=evil diff=evil\n")
    for folder in (".git/hooks", ".githooks"):
        for name in HOOKS:
            one.write(f"{folder}/{name}", f"#!/bin/sh\ntouch {ran}\nexit 1\n").chmod(0o755)
    two.git("push", "-q") if kind == OWN_REPOSITORY else two.sync()
    for path in ("", ".githooks"):
        if path:
            text = one.read(".git/config")
            one.write(".git/config", f"{text}[core]\n\thooksPath = {path}\n")
        os.utime(one.common / "index", (1, 1))  # all files are compared when git writes it
        create(one, f"alpha{len(path)}")
        one.sync()
    for question in (("brief", "--task", "alpha"), ("why", "first"), ("check",)):
        one.run(*question, code=None)
    assert set(one.texts()) == {"first", "beta", "alpha0", "alpha9"}
    assert not ran.exists()


def test_j13_a_name_can_not_forge_a_header(world: World) -> None:
    """Line breaks and angle brackets end up in no other line of a commit, nor of a log."""
    one = world.home(OWN_REPOSITORY, facts=FIRST)
    one.git("config", "user.name", "Eve\ncommitter Mallory <m@example.invalid> 1 +0000")
    answer = one.run("note", "It holds.", code=None, env={"DIURNA_AGENT": "eve\nrole: admin"})
    create(one, "alpha")
    for commit in one.git("rev-list", "-n2", "HEAD").split():
        head = one.git("cat-file", "commit", commit).partition("\n\n")[0].split("\n")
        assert [line.split(" ")[0] for line in head] == ["tree", "parent", "author", "committer"]
    assert one.fsck() == [] and not any(b"\nrole: admin" in data for data in one.logs().values()), (
        answer
    )
