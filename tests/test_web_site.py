"""A site: the pages as files, of which every link leads to one; it has what is published, and touches nobody's file."""

from __future__ import annotations

import json
import os
import posixpath
import re
import subprocess
import textwrap
from html.parser import HTMLParser
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from rituals.serve.web.site import safe_name
from tests.conftest import Repo, Run, sampled
from tests.pages import ROOT
from tests.planted_secrets import others, tokens
from tests.web import homes

LIST = ".diurna-site"
#: Elements that load or run something, and those of them that we write.
_ACTIVE = frozenset("script iframe object embed img style base template link meta form".split())
_OURS = {"script", "link", "meta", "form"}
ACTION = ROOT / ".github" / "actions" / "site"


def files_of(folder: Path) -> dict[str, bytes]:
    """Return every file below a folder, by its path there."""
    found = sorted(
        path for path in folder.rglob("*") if path.is_file() and ".git" not in path.parts
    )
    return {str(path.relative_to(folder)): path.read_bytes() for path in found}


class Read(HTMLParser):
    """One page as a browser reads it: where it leads, the names of its places, and what no template wrote."""

    def __init__(self, path: str, text: str) -> None:
        super().__init__()
        self.path, self.heads, self._script = path, 0, False
        self.links: list[str] = []
        self.places: set[str] = set()
        self.faults: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note links and places."""
        self.heads += tag == "h1"
        self.faults += [f"<{tag}>"] if tag in _ACTIVE - _OURS else []
        self._script = tag == "script"
        for name, value in attrs:
            if name.startswith("on") or name in ("style", "srcdoc"):
                self.faults.append(f"<{tag} {name}>")
            elif name == "id" and value:
                self.places.add(value)
            elif (
                name in ("href", "src", "action", "data")
                and value is not None
                and value != "data:,"
            ):
                scheme = urlsplit(value).scheme
                if not scheme:
                    self.links.append(value)
                elif scheme not in ("http", "https") or tag != "a":
                    self.faults.append(f"<{tag}> leads to {value[:40]}")

    def handle_data(self, data: str) -> None:
        """A script has no text of its own."""
        self.faults += [data[:40]] if self._script and data.strip() else []
        self._script = False


def dead_links(pages: dict[str, Read], folder: Path) -> list[str]:
    """Return the links that lead nowhere: no file, or no such place in it."""
    found = []
    for page in pages.values():
        for link in page.links:
            parts = urlsplit(link)
            inside = posixpath.join(posixpath.dirname(page.path), unquote(parts.path))
            target = posixpath.normpath(inside) if parts.path else page.path
            place, there = unquote(parts.fragment), pages.get(target)
            if not (folder / target).is_file() or (place and there and place not in there.places):
                found.append(f"{page.path}: {link}")
    return found


def faults_of(folder: Path) -> list[str]:
    """Say what is wrong with a site."""
    pages = {
        path: Read(path, data.decode())
        for path, data in files_of(folder).items()
        if path.endswith(".html")
    }
    found = dead_links(pages, folder)
    for path, page in pages.items():
        text = (folder / path).read_text("utf-8")
        policy, loads = (
            text.find("Content-Security-Policy"),
            (text.find("<link"), text.find("<script")),
        )
        found += [f"{path}: {one}" for one in page.faults]
        found += [path] * (page.heads != 1 or not 0 < policy < min(loads))
        found += [path] * ("live.js" in text or "data-mark" in text or 'method="post"' in text)
    names = files_of(folder)
    found += [
        one for one in names if not re.fullmatch(r"[A-Za-z0-9._~/-]{1,160}", one) or ".." in one
    ]
    return found + (["names"] if len({one.lower() for one in names}) != len(names) else [])


@pytest.mark.parametrize("name", [
    "empty", *[pytest.param(name, marks=pytest.mark.deep(reason="empty is the small one")) for name in ("contradicted", "plain", "hostile")],
])  # fmt: skip
def test_every_link_leads_to_a_file_and_nothing_is_active(
    run: Run, tmp_path: Path, name: str
) -> None:
    """One heading a page, a policy before anything is loaded, names for every system, and no form that records."""
    home = homes.laid(name, tmp_path / "one")
    assert run("export", "site", str(tmp_path / "site"), "--home", str(home)).code == 0
    assert faults_of(tmp_path / "site") == []
    if name == "contradicted":  # the same bytes in another clone, at another place and time
        away = tmp_path / "a-folder-of-its-own" / "clone"
        subprocess.run(["git", "clone", "-q", str(home), str(away)], check=True)
        assert run("export", "site", str(tmp_path / "again"), "--home", str(away)).code == 0
        first, again = files_of(tmp_path / "site"), files_of(tmp_path / "again")
        assert first == again
        told = b"\n".join(again.values())
        for machine in (str(home), str(tmp_path), str(Path.home()), "a-folder-of-its-own"):
            assert machine.encode() not in told


def test_these_readers_have_teeth(tmp_path: Path) -> None:
    raw = (
        "<h1>x</h1><script>window.x=1</script><img src=x><p style='x' onclick='y'>"
        "<a href='javascript:x'>x</a><a href='gone.html'>y</a><a href='#nowhere'>z</a>"
    )
    (tmp_path / "index.html").write_text(raw)
    assert len(faults_of(tmp_path)) == 9


class Site(NamedTuple):
    """A home with three facts, the last one new, and the folder of its site."""

    repo: Repo
    run: Run
    folder: Path

    def export(self, *more: str, code: int = 0) -> dict[str, int]:
        """Export it, and return the numbers."""
        ran = self.run("export", "site", str(self.folder), "--json", *more)
        assert ran.code == code, (ran.out, ran.err)
        said: dict[str, int] = ran.json if code == 0 else {}
        return said


@pytest.fixture
def site(repo: Repo, run: Run, tmp_path: Path) -> Site:
    for id in ("one", "two", "three"):
        assert run("note", f"id={id} decision: {id.title()} holds.").code == 0
    return Site(repo, run, tmp_path / "deep" / "site")


@pytest.mark.deep(reason="a_folder_of_somebody_is_refused is the small one")
def test_an_export_takes_the_place_of_the_one_before(site: Site) -> None:
    """What is as it was stays, file and time; what is gone goes; nothing lies beside; a plan writes nothing."""
    planned = site.export("--dry-run")
    assert not site.folder.exists()
    first = site.export("--base", "https://shop.example/memory/")
    held = files_of(site.folder)
    assert (
        first["changed"] == first["files"] == planned["files"] == len(held) - 1 > first["pages"] > 5
    )
    for path, data in held.items():
        text = data.decode()
        if path.endswith(".html"):
            assert f'<link rel="canonical" href="https://shop.example/memory/{path}">' in text
            assert text.count("shop.example") == 1
    search = (site.folder / "search.html").read_text()
    assert "One holds." in search and 'href="fact/one.html"' in search
    again = site.export("--base", "https://shop.example/memory/")
    assert (again["changed"], again["removed"]) == (0, 0)
    os.utime(site.folder / "static/diurna.css", (1, 1))
    site.repo.git("reset", "-q", "--hard", "HEAD~1")
    gone = site.export()
    assert gone["removed"] > 0 and not (site.folder / "fact/three.html").exists()
    assert (site.folder / "static/diurna.css").stat().st_mtime == 1
    assert [one.name for one in site.folder.parent.iterdir()] == ["site"] and faults_of(
        site.folder
    ) == []
    told = site.run("export", "site", str(site.folder))
    assert "all as they were: " in told.out and told.err == f"hint: open {site.folder}/index.html\n"


@pytest.mark.deep(reason="a_folder_of_somebody_is_refused is the small one")
def test_what_is_not_ours_stays(site: Site) -> None:
    """A domain's file, a folder of one's own, one beside our pages; of what is in our place none is written through."""
    site.export()
    mine = {"CNAME": "shop.example", "own/index.html": "mine", "fact/mine.html": "mine"}
    for path, text in mine.items():
        (site.folder / path).parent.mkdir(exist_ok=True)
        (site.folder / path).write_text(text)
    site.export()
    assert {path: (site.folder / path).read_text() for path in mine} == mine
    away = site.folder.parent / "away"
    away.mkdir()
    for path, text in (
        ("fact", ""),
        ("fact", "mine"),
        ("static/diurna.css", "mine"),
        ("static/diurna.css", ""),
    ):
        folder = site.folder.parent / f"{path.replace('/', '-')}{text}"
        folder.mkdir()
        (folder / LIST).write_text('{"files": []}')
        full = folder / path
        full.parent.mkdir(exist_ok=True)
        full.write_text(text) if text else full.symlink_to(away)
        before = files_of(folder)
        assert site.run("export", "site", str(folder)).code == 1
        assert files_of(folder) == before and not list(away.iterdir())


def test_a_folder_of_somebody_is_refused(site: Site) -> None:
    """One with files and no list of ours, or with a list that we did not write; the home; nothing is changed."""
    site.folder.mkdir(parents=True)
    (site.folder / "notes.txt").write_text("mine")
    home = files_of(site.repo.path)
    for listing in ("", "[]", '{"files": [3]}', '{"files": ["../x"]}', '{"files": ["/x"]}'):
        if listing:
            (site.folder / LIST).write_text(listing)
        before = files_of(site.folder)
        site.export(code=1)
        assert files_of(site.folder) == before, listing
    for place in (".git/site", "memory", "memory/site", "."):
        ran = site.run("export", "site", str(site.repo.path / place))
        assert ran.code == 1 and "hint: " in ran.err, place
    assert files_of(site.repo.path) == home


@pytest.mark.deep(reason="every_link_leads_to_a_file_and_nothing_is_active has a small site")
def test_a_kill_between_two_files_is_ended_by_the_next_export(site: Site) -> None:
    """The list comes first, and names what is new and what goes: the next export knows all of it."""
    site.export()
    listed = json.loads((site.folder / LIST).read_text())["files"]
    (site.folder / LIST).write_text(
        json.dumps({"files": [*listed, "fact/half.html", "fact/never.html"]})
    )
    (site.folder / "fact/half.html").write_text("half")
    (site.folder / "index.html").write_text("older")
    done = site.export()
    assert (done["changed"], done["removed"]) == (1, 2) and faults_of(site.folder) == []
    assert json.loads((site.folder / LIST).read_text())["files"] == listed


@pytest.mark.deep(reason="every_link_leads_to_a_file_and_nothing_is_active has a small site")
def test_what_is_only_the_users_is_in_no_byte(site: Site) -> None:
    """Neither the words of a personal fact nor its id; nor what this machine alone could learn; it says what it lacks."""
    own = "Quillfeather"
    assert site.run("init", "--personal").code == 0
    assert site.run("note", "--personal", f"id=own-way preference: {own} likes tabs.").code == 0
    new = "--new", f"personal=true preference: {own} reads short answers."
    assert site.run("append", "--title", "Both", "--ref", "one,personal/own-way", *new).code == 0
    site.run("redact", "two", "--reason", "it is private")
    site.export()
    said = "\n".join([f"{name}\n{data.decode()}" for name, data in files_of(site.folder).items()])
    assert (
        "One holds." in said
        and own not in said
        and "own-way" not in said
        and "Two holds" not in said
    )
    assert not (site.folder / "brief.html").exists()
    told = (site.folder / "help.html").read_text()
    assert (
        'id="left-out">What this site leaves out' in told
        and "1 fact." in told
        and "Personal memory" in told
    )
    assert all('help.html#left-out">' in path.read_text() for path in site.folder.rglob("*.html"))


@pytest.mark.deep(reason="every_link_leads_to_a_file_and_nothing_is_active has a small site")
def test_where_history_is_cut_a_site_is_refused_or_says_so(
    site: Site, tmp_path: Path, run: Run
) -> None:
    """Who wrote what is not known there."""
    shallow = tmp_path / "shallow"
    subprocess.run(
        ["git", "clone", "-q", "--depth=1", f"file://{site.repo.path}", str(shallow)], check=True
    )
    asked = "export", "site", str(tmp_path / "site"), "--home", str(shallow)
    refused = run(*asked)
    assert refused.code == 1 and "git fetch --unshallow" in refused.err
    assert run(*asked, "--allow-shallow").code == 0
    assert (
        "The history of this clone is cut (shallow)" in (tmp_path / "site/index.html").read_text()
    )


@pytest.mark.deep(reason="test_web_inert::no_secret_of_an_old_log_is_written is the small one")
@pytest.mark.parametrize("seed", sampled([2, 3], 2))
def test_a_secret_of_an_old_log_is_in_no_byte(site: Site, seed: int) -> None:
    """Written by hand before anybody looked: in the prose, in a fact, in a title, in a remark."""
    secrets = [*tokens(seed), *others(seed)]
    for number, one in enumerate(secrets):
        first = one.text.splitlines()[0]
        site.repo.write(
            f"memory/sessions/2026-09-{1 + number % 28:02d}-{100000 + number}.md",
            f"# Work {number}\n\nWe saw this:\n\n{one.text}\n\n## Memory References\n\n- Created: old-{number}\n"
            f"\n## Facts\n\n- It says {first if one.value in first else number}\n  <!-- id: old-{number} -->\n",
        )
    site.repo.git("add", "-A")
    site.repo.git("commit", "-q", "-m", "by hand")
    site.export()
    said = "\n".join([f"{name}\n{data.decode()}" for name, data in files_of(site.folder).items()])
    assert "old-1" in said and [one.kind for one in secrets if one.value in said] == []


@given(
    *[
        st.text(min_size=1, max_size=300)
        | st.sampled_from("con con.md NUL com1 .. . a. A a/b a~b é 🔥 x".split())
    ]
    * 2
)
@example("Payments API", "payments api")
@example("x" * 255, "a..b")
@example("é", "e\u0301")
def test_a_name_is_one_file_on_every_system(one: str, other: str) -> None:
    """No separator, no device, no dot at its end, nothing that a disk folds, and short; two names have two files."""
    found = safe_name(one)
    assert re.fullmatch(r"[a-z0-9._~-]{1,80}", found) and ".." not in found
    assert not re.match(r"(con|prn|aux|nul|com\d|lpt\d)(\.|$)", found + ".html")
    assert found[0] not in ".-" and found[-1] not in ".-"
    assert (one == other) == (found == safe_name(other))
    assert one == found or safe_name(found) != found, "a name can not take the place of a made one"


# ---- the action that writes a site in CI ----------------------------------------------------------

needs_action = pytest.mark.skipif(not ACTION.exists(), reason="this is about the source tree")


def scripts() -> list[str]:
    """Return what the action runs in a shell."""
    found = re.findall(
        r"(?m)^      run: \|\n((?:        .*\n)+)", (ACTION / "action.yml").read_text()
    )
    return [textwrap.dedent(one) for one in found]


@needs_action
def test_the_action_names_what_there_is(run: Run) -> None:
    """And no input is put into a script by its text: an address can hold a command."""
    used = set(re.findall(r"--[a-z]+", "\n".join(scripts()))) - {"--quiet"}
    helped = run("export", "--help").out + run("--help", "--all").out
    assert used and all(one in helped for one in used)
    assert all("${{" not in script for script in scripts())
    workflow = (ACTION / "workflow.yml").read_text()
    given = set(re.findall(r"(?m)^          (\w+): \$", workflow)) - {"path"}
    inputs = set(re.findall(r"(?m)^  ([\w-]+):$", (ACTION / "action.yml").read_text()))
    assert given == {"folder", "base"} <= inputs
    assert "permissions:\n  contents: read\n  pages: write\n  id-token: write\n" in workflow


@needs_action
def test_the_action_hands_over_what_it_was_given(tmp_path: Path) -> None:
    """Its script as it stands, with names that hold blanks and commands: they are words of the command line."""
    program = tmp_path / "run ner" / "diurna" / "bin" / "diurna"
    program.parent.mkdir(parents=True)
    program.write_text('#!/bin/sh\nprintf "%s\\n" "$DIURNA_HOME" "$@"\n')
    program.chmod(0o755)
    folder, address = str(tmp_path / "the $(touch pwned) site"), "https://x.example/$(touch pwned)"
    for base, more in (("", []), (address, ["--base", address])):
        given = {"DIURNA_HOME": "a `touch pwned` home", "SITE_FOLDER": folder, "SITE_BASE": base}
        done = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", scripts()[1]], cwd=tmp_path, capture_output=True, text=True, check=True,
            env={**os.environ, **given, "RUNNER_TEMP": str(tmp_path / "run ner")},
        )  # fmt: skip
        assert done.stdout.splitlines() == [given["DIURNA_HOME"], "export", "site", folder, *more]
    assert not list(tmp_path.rglob("pwned"))
