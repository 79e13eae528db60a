"""Files of hosts that their programs rewrite: what is ours is known wherever it stands by then."""

from __future__ import annotations

import json
import shutil
import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import settings as setting
from hypothesis import strategies as st

from rituals.hosts.adapters import HOSTS
from rituals.hosts.install.host_files import files_of
from rituals.hosts.install.install_plan import (
    apply_plan,
    has,
    installed,
    plan_install,
    plan_removal,
)
from tests.conftest import examples
from tests.test_hosts_install import put


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("project")


@pytest.fixture
def empty(folder: Path) -> Path:
    shutil.rmtree(folder)
    folder.mkdir()
    return folder


def install(base: Path, host: str, user: bool) -> None:
    plan = plan_install(str(base), (host,), user=user, servers=True)
    assert not plan.left
    apply_plan(plan, user=user)


def uninstall(base: Path, host: str, user: bool) -> None:
    plan = plan_removal(str(base), (host,), user=user)
    assert not plan.left
    apply_plan(plan, user=user)


# ---- JSON ----------------------------------------------------------------------------------------------


def said(value: Any) -> Any:
    """What a value says, without containers that hold nothing."""
    if isinstance(value, dict):
        return {key: more for key, one in value.items() if (more := said(one)) not in ({}, [])}
    return [said(one) for one in value] if isinstance(value, list) else value


@st.composite
def rewritten(draw: st.DrawFn, found: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """A file as its host writes it anew, and what in it is not ours."""
    theirs: dict[str, Any] = {}
    groups = {"hooks": [{"type": "command", "command": "theirs"}]}
    for key in draw(st.lists(st.sampled_from(["$version", "$schema", "model", "z"]), unique=True)):
        found[key] = theirs[key] = draw(st.sampled_from([4, "x", {"y": [1]}]))
    for event in (
        draw(st.lists(st.sampled_from(sorted(found.get("hooks") or {})), unique=True))
        if found.get("hooks")
        else ()
    ):
        found["hooks"][event].insert(draw(st.sampled_from([0, 1])), groups)
        theirs.setdefault("hooks", {})[event] = [groups]
    for name in ("mcpServers", "mcp"):
        if name in found and draw(st.booleans()):
            found[name]["other"] = {"command": "x"}
            theirs[name] = {"other": {"command": "x"}}
        if name in found and draw(st.booleans()):
            found[name]["diurna"]["disabled"] = False
    if draw(st.booleans()):
        for listed in (found.get("hooks") or {}).values():
            for one in listed:
                for handler in one.get("hooks", [one]):
                    if "diurna" in json.dumps(handler):
                        handler["name"] = "memory"

    def shuffled(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: shuffled(value[key]) for key in draw(st.permutations(sorted(value)))}
        return [shuffled(one) for one in value] if isinstance(value, list) else value

    text = json.dumps(
        shuffled(found) if draw(st.booleans()) else found,
        indent=draw(st.sampled_from([None, 2, 4, "\t"])),
        separators=draw(st.sampled_from([(",", ":"), (", ", ": ")])),
    )
    for char in draw(st.lists(st.sampled_from("><&"))):
        text = text.replace(char, f"\\u{ord(char):04x}")
    return text + draw(st.sampled_from(["", "\n"])), theirs


@setting(max_examples=examples(12, 40))
@given(
    host=st.sampled_from(sorted(set(HOSTS) - {"antigravity"})), user=st.booleans(), mine=st.booleans(), data=st.data()
)  # fmt: skip
def test_what_a_host_wrote_is_all_that_stays(
    folder: Path, host: str, user: bool, mine: bool, data: st.DataObject
) -> None:
    """Whatever it reorders, adds and lays out anew: no doubled hook, nothing of ours behind, all of theirs there."""
    shutil.rmtree(folder)
    folder.mkdir()
    paths = {one.path for one in files_of(host, user=user) if one.entries}
    for path in paths if mine else ():
        put(folder, path, b'{"own": {"deep": [1, {}]}}')
    install(folder, host, user)
    theirs: dict[str, dict[str, Any]] = {}
    for path in paths:
        found = json.loads((folder / path).read_text())
        text, theirs[path] = data.draw(rewritten(found))
        (folder / path).write_text(text)
        assert any(has(str(folder), one) for one in files_of(host, user=user) if one.path == path)
    assert host in installed(str(folder), user=user)
    texts = {path: (folder / path).read_text() for path in paths}
    install(folder, host, user)
    assert {path: (folder / path).read_text() for path in paths} == texts
    uninstall(folder, host, user)
    for path in paths:
        left = (folder / path).read_text() if (folder / path).exists() else "{}"
        assert "diurna" not in left
        now, wanted = (
            said(json.loads(left)),
            said(theirs[path] | ({"own": {"deep": [1, {}]}} if mine else {})),
        )
        for stamp in ("$version", "$schema"):
            if now != wanted and not mine:  # a stamp alone is nothing
                now.pop(stamp, None)
                wanted.pop(stamp, None)
        if (not mine and host in ("copilot", "cursor")) or "version" in now:
            now.pop("version", None)
        if host == "opencode":
            now.pop("$schema", None)
            wanted.pop("$schema", None)
        assert now == wanted


def test_a_stamp_of_the_host_does_not_keep_a_file_of_ours(empty: Path) -> None:
    """Qwen's and opencode's, as the programs write them; what stood before keeps its bytes."""
    for host, path, key in (
        ("qwen", ".qwen/settings.json", "$version"),
        ("opencode", "opencode.json", "$schema"),
    ):
        install(empty, host, user=False)
        found = json.loads((empty / path).read_text())
        (empty / path).write_text(json.dumps({**found, key: found.get(key, 4)}, indent=2) + "\n")
        uninstall(empty, host, user=False)
        assert not (empty / path).exists()
        for before in (b'{"%s": 4}' % key.encode(), b"{\n}\n", b'{ "mcp": {}, "hooks": {} }'):
            put(empty, path, before)
            install(empty, host, user=False)
            uninstall(empty, host, user=False)
            assert (empty / path).read_bytes() == before
            (empty / path).unlink()


# ---- TOML ----------------------------------------------------------------------------------------------

_TABLES = {
    "": 'model = "x"\n', "tui": "[tui]\ntheme = 'a # b'\n", "list": "[list]\nlong = [\n  1,\n  # two\n  2,\n]\n",
    "text": '[text]\nsaid = """\n[mcp_servers.diurna]\ncommand = "no"\n"""\n',
    "other": "[mcp_servers.other]\ncommand = 'y'\n", "nux": "[tui.nux]\nseen = 1\n",
    "many": "[[many]]\na = 1\n[[many]]\na = 2\n",
}  # fmt: skip
_OURS = 'command = "diurna"\nargs = ["mcp"]\n'


@setting(max_examples=examples(25, 80))
@given(
    order=st.permutations([*_TABLES, "diurna"]), count=st.integers(0, len(_TABLES)), at=st.lists(st.integers(0, 40), min_size=2, max_size=2),
    form=st.sampled_from(["table", "quoted", "dotted", "inline"]), more=st.booleans(), marks=st.booleans(), crlf=st.booleans(),
    bom=st.booleans(),
)  # fmt: skip
def test_a_table_is_found_wherever_its_host_put_it(
    folder: Path, order: list[str], count: int, at: list[int], form: str, more: bool, marks: bool, crlf: bool, bom: bool
) -> None:  # fmt: skip
    """With tables between our marks, or no marks; all else says what it said, and a second install does nothing."""
    shutil.rmtree(folder)
    folder.mkdir()
    names = [name for name in order if name == "diurna" or name in list(_TABLES)[:count]]
    names.sort(key=lambda name: name != "")
    extra = "enabled = true\n" if more else ""
    ours = {
        "table": f"[mcp_servers.diurna]\n{extra}{_OURS}",
        "quoted": f'[ mcp_servers . "diurna" ] # ours\n{_OURS}{extra}',
        "dotted": "mcp_servers.diurna.command = 'diurna'\nmcp_servers.diurna.args = [\n  'mcp',\n]\n",
        "inline": '[mcp_servers]\ndiurna = {args = ["mcp"], command = "diurna"}\n',
    }[form]
    if more and form in ("table", "quoted"):
        ours += "[mcp_servers.diurna.tools.recall]\napproval = 'auto'\n"
    if form == "dotted":
        names.remove("diurna")
        names.insert(0, "diurna")
        names = [name for name in names if name != "other"]
    text = "".join([ours if name == "diurna" else _TABLES[name] for name in names])
    wanted = tomllib.loads("".join([_TABLES[name] for name in names if name != "diurna"]))
    lines = text.splitlines(keepends=True)
    if marks:  # wherever they are, but within a value
        safe = [
            number
            for number, line in enumerate(lines)
            if line.startswith("[") and number not in _inside(lines)
        ]
        places = sorted((safe[one % len(safe)] if safe else 0 for one in at), reverse=True)
        for place, mark in zip(places, ("# diurna:end\n", "# diurna:begin v1\n"), strict=True):
            lines.insert(place, mark)
    data = "".join(lines).replace("\n", "\r\n" if crlf else "\n").encode()
    data = (b"\xef\xbb\xbf" if bom else b"") + data
    path = put(folder, ".codex/config.toml", data)
    (file,) = [one for one in files_of("codex", user=True) if one.holds == "server"]
    assert has(str(folder), file)
    install(folder, "codex", user=True)
    assert path.read_bytes() == data
    uninstall(folder, "codex", user=True)
    left = path.read_bytes() if path.exists() else b""
    found = tomllib.loads(left.decode("utf-8-sig").replace("\r\n", "\n"))
    if not found.get("mcp_servers", 1):
        del found["mcp_servers"]
    assert found == wanted and b"diurna:" not in left and path.exists() == bool(left.strip())


def _inside(lines: list[str]) -> set[int]:
    """Lines within a text of more lines."""
    inside, found = False, set()
    for number, line in enumerate(lines):
        if inside:
            found.add(number)
        if line.count('"""') == 1:
            inside = not inside
    return found


def test_a_server_that_was_taken_out_by_its_host_comes_back(empty: Path) -> None:
    """Where it left the marks; and a table that a person made another of is named and stays."""
    path = put(
        empty, ".codex/config.toml", b"a = 1\n\n# diurna:begin v1\n# diurna:end\n[b]\nc = 1\n"
    )
    install(empty, "codex", user=True)
    assert path.read_bytes().count(b"diurna:begin") == 1
    assert tomllib.loads(path.read_text())["mcp_servers"]["diurna"]["command"] == "diurna"
    path.write_bytes(path.read_bytes().replace(b'"diurna"', b'"/mine/diurna"'))
    before = path.read_bytes()
    plan = plan_removal(str(empty), ("codex",), user=True)
    assert [one.file for one in plan.left] == [".codex/config.toml"]
    assert path.read_bytes() == before
