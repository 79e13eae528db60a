"""What of an event is worth an observation: each form that agents write, and what is dropped."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rituals.hosts.moments import Moment, moment
from rituals.hosts.observed import admission, shell, shell_outcomes
from rituals.hosts.observed.admission import WORDS, admitted, decision
from rituals.hosts.observed.observation_spool import Observation
from rituals.hosts.observed.shell import read
from rituals.hosts.observed.tool_input import first_text
from tests.conftest import each_row

FIXTURES = Path(__file__).parent.parent.parent / "shared" / "hosts" / "fixtures"
TOP = "/repo"


def of_tool(tool: str, given: dict[str, Any], **more: Any) -> Observation | None:
    said = Moment("claude", "tool", "s", TOP, tool=tool, given=given, once="call_1")
    return admitted(said._replace(**more), TOP, now=7)


def ran(line: object, **more: Any) -> Observation | None:
    return of_tool("Bash", {"command": line}, **more)


def told(line: str, **more: Any) -> tuple[str, str, tuple[str, ...]] | None:
    found = ran(line, **more)
    return found and (found.kind, found.what, found.paths)


@each_row("tool, given, what, paths",
    [
        ("Write", {"file_path": "/repo/src/a.py", "content": "x"}, "wrote src/a.py", ("src/a.py",)),
        ("Edit", {"file_path": "src/a.py"}, "edited src/a.py", ("src/a.py",)),
        ("MultiEdit", {"file_path": "/repo/a"}, "edited a", ("a",)),
        ("NotebookEdit", {"notebook_path": "/repo/a.ipynb"}, "edited a.ipynb", ("a.ipynb",)),
        ("write_file", {"file_path": "/repo/a"}, "wrote a", ("a",)),
        ("replace", {"file_path": "/repo/a"}, "edited a", ("a",)),
        ("create", {"path": "/repo/a", "file_text": "x"}, "wrote a", ("a",)),
        ("edit", {"filePath": "/repo/a"}, "edited a", ("a",)),
        ("str_replace_editor", {"command": "str_replace", "path": "/repo/a"}, "edited a", ("a",)),
        ("write_to_file", {"TargetFile": "/repo/a"}, "wrote a", ("a",)),
        ("apply_patch", {"input": "*** Begin Patch\n*** Update File: a/b.py\n@@\n-x\n+*** Add File: no\n*** Delete File: c\n*** End Patch"},
         "edited a/b.py, c", ("a/b.py", "c")),
        ("patch", {"patchText": "*** Add File: n\n+x\n*** Update File: o\n*** Move to: p\n"}, "edited n, o, p", ("n", "o", "p")),
    ],
)  # fmt: skip
def test_each_hosts_tools_that_write_are_admitted(
    tool: str, given: dict[str, Any], what: str, paths: tuple[str, ...]
) -> None:
    """By its own names, with paths from the top of the work tree."""
    found = of_tool(tool, given)
    assert found == Observation(7, "edit", tool, what, paths, "call_1", "call_1")


@each_row("line, kind, what, paths",
    [
        ("git commit -m 'Fix it'", "git", "git commit: Fix it", ()),
        ("cd x && git commit -am \"Fix it\n\nbody\"", "git", "git commit: Fix it", ()),
        ("git add -A && git commit -q -m Fix && git push -u origin main", "git", "git commit: Fix; git push -u origin main", ()),
        ("git commit -m \"$(cat <<'EOF'\nfix: don't (break) \"it\"\n\nbody\nEOF\n)\"", "git", "git commit: fix: don't (break) \"it\"", ()),
        ("git commit -F - <<END\nFrom a document\nEND\n", "git", "git commit: From a document", ()),
        ("git -C sub -c user.name=x commit --amend --no-edit", "git", "git commit --amend", ()),
        ("git commit -am'wip'", "git", "git commit: wip", ()),
        ("git reset --hard HEAD~1", "git", "git reset --hard HEAD~1", ()),
        ("git branch -D old", "git", "git branch -D old", ()),
        ("git stash", "git", "git stash", ()),
        ("git tag v1", "git", "git tag v1", ()),
        ("git checkout -- src/a.py", "git", "git checkout -- src/a.py", ()),
        ("git mv a b", "git", "git mv a b", ("a", "b")),
        ("env A=b npm i left-pad", "package", "npm i left-pad", ()),
        ("FOO=1 sudo -u me pip install -U x", "package", "pip install -U x", ()),
        ("python3 -m pip install x", "package", "pip install x", ()),
        ("uv pip install x && uv add y", "package", "uv pip install x; uv add y", ()),
        ("yarn", "package", "yarn", ()),
        ("pnpm --filter web add x", "package", "pnpm --filter web add x", ()),
        ("cargo add serde", "package", "cargo add serde", ()),
        ("rm -rf /repo/build src/../old.py", "file", "rm build, old.py", ("build", "old.py")),
        ("cd src; mv a.py b.py", "file", "mv src/a.py, src/b.py", ("src/a.py", "src/b.py")),
        ("(cd src && rm a) && rm b", "file", "rm src/a; rm b", ("src/a", "b")),
        ("if true; then rm a; fi", "file", "rm a", ("a",)),
        ("bash -lc 'cd src && rm \"a b\"'", "file", "rm src/a b", ("src/a b",)),
        ("diurna task done 7", "task", "diurna task done 7", ()),
        ("cat <<E | bash\nrm a\nE\nls", None, None, ()),
        ("bash <<'E'\nrm a\nE", "file", "rm a", ("a",)),
        ("apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: a.py\n+x\n*** End Patch\nEOF", "edit", "edited a.py", ("a.py",)),
    ],
)  # fmt: skip
def test_lines_of_shell_that_change_something_are_admitted(
    line: str, kind: str | None, what: str | None, paths: tuple[str, ...]
) -> None:
    """However they are quoted, joined or wrapped."""
    assert told(line) == (None if kind is None else (kind, what, paths))


@each_row("line",
    [
        "ls -la", "git status", "git log --oneline | head", "git diff HEAD~1", "git stash list", "git tag -l", "git branch",
        "git checkout main", "git push --dry-run", "echo 'git push'", 'echo "a; rm b"', "grep -rn 'rm -rf' .", "cat package.json",
        "# rm a", "echo hi # git push", "npm ls", "npm run dev", "npm --version", "pip list", "pip show x", "cargo fmt", "uv sync",
        "rm -rf /tmp/scratch", "rm ~/x", "rm $f", "mv /tmp/a /tmp/b", "python - <<'E'\nimport os; os.system('rm a')\nE",
        "cat > f <<E\ngit push\nE", "find . -name rm", "docker ps", "make -h", "make clean", "go vet ./...", "echo $((1 << 2))", "", "((((", "'", "<<", "$(", "cd",
    ],
)  # fmt: skip
def test_all_else_is_dropped(line: str) -> None:
    """What only looks, what only talks of it, and what lies outside of the work tree."""
    assert ran(line) is None


@each_row("line, answer, what",
    [
        ("pytest -q", {"stdout": "1 passed", "stderr": ""}, "pytest -q (exit 0)"),
        ("cd x && uv run pytest -q", {"stdout": ""}, "pytest -q (exit 0)"),
        ("python -m pytest tests", "Exit code 1\nF", "pytest tests (exit 1)"),
        ("python manage.py test shop", {"stdout": ""}, "manage.py test shop (exit 0)"),
        ("pytest | tail -3", {"stdout": ""}, "pytest"),
        ("pytest; echo done", {"stdout": ""}, "pytest"),
        ("pytest && echo done", "Exit code 1\nF", "pytest"),
        ("npm run build && npm test", "Exit code 2\n", "npm run build; npm test (exit 2)"),
        ("npm test", {"textResultForLlm": "x\n<shellId: 0 completed with exit code 3>", "resultType": "success"}, "npm test (exit 3)"),
        ("npm run test:unit -- --watch=false", {"llmContent": "Output: x\nExit Code: 1\nSignal: (none)"}, "npm run test:unit -- --watch=false (exit 1)"),
        ("go test ./...", {"output": "ok", "exit": 0}, "go test ./... (exit 0)"),
        ("cargo build --release", '{"output": "", "metadata": {"exit_code": 101}}', "cargo build --release (exit 101)"),
        ("uv run --group test pytest -q", {"stdout": ""}, "pytest -q (exit 0)"),
        ("make", "some text", "make"),
        ("./gradlew :app:test test", None, "gradle :app:test test"),
        ("npx jest@29 src", {"stdout": ""}, "jest src (exit 0)"),
        ("python -m build", {"stdout": ""}, "build (exit 0)"),
        ("git merge x", "Exit code 1\nCONFLICT", "git merge x (exit 1)"),
    ],
)  # fmt: skip
def test_tests_and_builds_have_their_exit_code(line: str, answer: object, what: str) -> None:
    """As each host says it, and only where it is that command's."""
    failed = isinstance(answer, str) and answer.startswith("Exit code")
    found = ran(line, answer=answer, event="failure" if failed else "tool")
    assert found is not None and found.what == what
    assert found.kind == ("git" if line.startswith("git") else "test")


def test_what_failed_changed_no_file() -> None:
    """A refused edit is none, and neither is a view."""
    assert of_tool("Edit", {"file_path": "/repo/a"}, event="failure", answer="no match") is None
    assert of_tool("str_replace_editor", {"command": "view", "path": "/repo/a"}) is None
    assert of_tool("mcp__files__write", {"path": "/repo/a"}) is None
    assert of_tool("Read", {"file_path": "/repo/a"}) is None


def test_files_outside_of_the_work_tree_are_nobodys(tmp_path: Path) -> None:
    """Nor are git's own; a link to the work tree leads into it."""
    for path in (
        "/etc/x",
        "/repository/x",
        "../x",
        "/repo/../x",
        "~/x",
        "/repo/.git/config",
        "/repo",
        "",
    ):
        assert of_tool("Write", {"file_path": path}) is None, path
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    for top, other in (("link", "real"), ("real", "link")):
        path = str(tmp_path / other / "a.py")
        said = Moment("claude", "tool", "s", "/", tool="Write", given={"file_path": path})
        found = admitted(said, str(tmp_path / top))
        assert found is not None and found.paths == ("a.py",)
    said = Moment(
        "claude", "tool", "s", "/", tool="Write", given={"file_path": "b.py"}, cwd=path[:-5]
    )
    found = admitted(said, str(tmp_path / "real"))
    assert found is not None and found.paths == ("b.py",)


def test_secrets_are_replaced_before_anything_is_kept() -> None:
    """In commands, messages and sentences; a path with one is not named."""
    token = "ghp_" + "a8Jd93kLmQ2xWv7Zr4Tn6Yb1Pc5Hs0Ug8EfK"
    found = ran(f"git push https://me:{token}@github.com/x/y main")
    assert found is not None and token not in repr(found) and "[redacted: " in found.what
    found = ran(f"git commit -m 'use {token}'")
    assert found is not None and token not in repr(found)
    said = Moment("claude", "prompt", "s", TOP, prompt=f"We decided to use {token} for it.")
    found = admitted(said, TOP)
    assert found is not None and token not in repr(found) and "We decided" in found.what
    found = of_tool("Write", {"file_path": f"/repo/{token}.txt"})
    assert found is not None and token not in repr(found)


def test_what_is_kept_is_short() -> None:
    """At most 240 characters in one line, and not every file of a great sweep."""
    found = ran("rm " + " ".join(f"a{number}.py" for number in range(500)))
    assert found is not None and 230 < len(found.what) <= 240 and len(found.paths) == 20
    found = ran("git commit -m '" + "x" * 9999 + "\ny'")
    assert found is not None and len(found.what) <= 240 and "\n" not in found.what


def test_tasks_are_admitted_when_they_are_done() -> None:
    """By each host's tool, and by Claude's event."""
    found = of_tool(
        "TodoWrite",
        {"todos": [{"content": "a", "status": "completed"}, {"content": "b", "status": "pending"}]},
    )
    assert found is not None and (found.kind, found.what) == ("task", "done: a")
    found = of_tool("update_plan", {"plan": [{"step": "s", "status": "completed"}]})
    assert found is not None and found.what == "done: s"
    assert of_tool("TodoWrite", {"todos": [{"content": "b", "status": "pending"}, 7]}) is None
    found = of_tool("TaskUpdate", {"taskId": "3", "status": "completed"})
    assert found is not None and found.what == "completed: 3"
    assert of_tool("TaskUpdate", {"taskId": "3", "status": "in_progress"}) is None
    found = admitted(Moment("claude", "task", "s", TOP, task="Ship it"), TOP)
    assert found is not None and found.what == "completed: Ship it"


@each_row("text, sentence",
    [
        ("Look around. We decided to retry three times. Go on.", "We decided to retry three times."),
        ("Use tomllib instead of toml.py, v2.0 is out", "Use tomllib instead of toml.py, v2.0 is out"),
        ("first line\nWir haben uns für SQLite entschieden\nlast", "Wir haben uns für SQLite entschieden"),
        ("On a choisi SQLite au lieu de Postgres.", "On a choisi SQLite au lieu de Postgres."),
        ("Usamos uv en lugar de pip. Bien.", "Usamos uv en lugar de pip."),
        ("好的。我们决定改用SQLite。继续。", "我们决定改用SQLite。"),
        ("リトライは三回に決めました。次へ。", "リトライは三回に決めました。"),
        ("재시도는 세 번으로 결정했다", "재시도는 세 번으로 결정했다"),
        ("Мы решили взять SQLite.", "Мы решили взять SQLite."),
        ("We ABANDONED it! Yes.", "We ABANDONED it!"),
        ("Should we use x instead of y? We chose x.", "We chose x."),
        ("Should we use x instead of y?", ""),
        ("undecided, chosenness, the schose", ""),
        ("```\nx = a # instead of b\n```\nDone.", ""),
        ("nothing here", ""), ("", ""),
    ],
)  # fmt: skip
def test_a_decision_is_the_sentence_with_its_word(text: str, sentence: str) -> None:
    """In the words of several languages; a question decides nothing, and code neither."""
    assert decision(text)[1] == sentence
    said = Moment("claude", "stop", "s", TOP, message=text)
    found = admitted(said, TOP)
    assert (found.what if found else "") == sentence
    assert (
        admitted(Moment("claude", "prompt", "s", TOP, prompt=text), TOP) is not None or not sentence
    )


def test_a_policy_may_name_more_words() -> None:
    """As it spells them, in any case."""
    assert decision("Vi ENADES om SQLite.", ("enades",)) == ("enades", "Vi ENADES om SQLite.")
    assert decision("Vi enades om SQLite.") == ("", "")
    assert decision("x" * 30_000 + " We decided.") == ("", "")


def test_a_sentence_of_a_pasted_page_is_cut_around_its_word() -> None:
    """So that the word is in it."""
    word, said = decision("a " * 400 + "we decided it " + "b " * 400)
    assert "we decided it" in said and len(said) <= 240 and word == "decided"


def test_the_quick_look_misses_no_command() -> None:
    """Every program that is known has a sign that the quick look goes by."""
    known = {
        *shell_outcomes.MANAGERS, *shell_outcomes._FILES, *shell_outcomes._TESTS, *shell_outcomes._BUILDS, *shell_outcomes._DOING, "git", "diurna",
        "npm run test", "cmake --build .", "node --test", "python -m build", "apply_patch",
    }  # fmt: skip
    lines = {f"{name} x" for name in known}
    assert [line for line in lines if not any(sign in line for sign in admission._SIGNS)] == []


@pytest.mark.skipif(not FIXTURES.is_dir(), reason="the recorded payloads are not here")
def test_recorded_tools_are_judged(tmp_path: Path) -> None:
    """Claude's write is one observation, by its own event and in its batch; commands that only look are none."""
    from rituals.hosts.moments import calls

    seen = {}
    for file in sorted(FIXTURES.glob("*/*.json")):
        found = json.loads(file.read_text(encoding="utf-8"))
        host, event = file.parent.name.split("-")[0], file.name.split(".")[0].split("_")[0]
        if host == "opencode" or not event.lower().startswith(("post", "aftertool")):
            continue
        said = moment(host, event, found["stdin"], found["env"])._replace(folder="/repo")
        for one in calls(said) if said.event == "batch" else (said,):
            observation = admitted(one, "/repo")
            if observation:
                seen[f"{host} {file.stem}"] = (observation.what, observation.once)
    wrote = ("wrote hello.txt", "toolu_0010f87fd202")
    assert seen == {"claude PostToolUse.Write": wrote, "claude PostToolBatch": wrote}


@given(st.text("a b;&|()<>$`'\"\\\n#{}-=~/!rmgit", max_size=60))
def test_no_line_of_shell_is_too_odd(line: str) -> None:
    """It is read to its end, whatever is left open."""
    for command in read(line):
        assert all(isinstance(word, str) for word in command.words) and command.words
    ran(line)


WORD = st.text("abz09._/-", min_size=1, max_size=6).filter(lambda word: word not in shell._KEYWORDS)


@given(st.lists(st.lists(WORD, min_size=1, max_size=4), min_size=1, max_size=4), st.data())
def test_what_is_quoted_is_read_back(lines: list[list[str]], data: st.DataObject) -> None:
    """A line that was put together by the rules of the shell is read as what it was made of."""
    quotes: list[Callable[[str], str]] = [
        str,
        lambda word: f"'{word}'",
        lambda word: f'"{word}"',
        lambda word: "".join(f"\\{char}" for char in word),
    ]
    joins = [" && ", "; ", " || ", " | ", "\n", " & "]
    plain = [["x" + words[0], *words[1:]] for words in lines]
    text = ""
    for words in plain:
        said = [data.draw(st.sampled_from(quotes))(word) for word in words]
        text += (data.draw(st.sampled_from(joins)) if text else "") + " ".join(said)
    assert [list(command.words) for command in read(text)] == plain


@given(st.text(max_size=80), st.sampled_from(sorted(WORDS)))
def test_no_text_is_too_odd(text: str, word: str) -> None:
    """A sentence is short and stands in one line."""
    for said in (text, f"{text} {word} {text}"):
        assert len(decision(said)[1]) <= 240


def test_a_patch_may_come_as_lines() -> None:
    """A list is a text only by the names of patches: a list of subjects is none."""
    lines = ["*** Begin Patch", "*** Update File: a.py", 7]
    said = Moment("codex", "edit", given={"subject": lines, "command": lines, "title": "Ship"})
    assert first_text(said, ("subject",)) == ""
    assert first_text(said, ("subject", "title")) == "Ship"
    assert first_text(said, ("command",)) == "*** Begin Patch\n*** Update File: a.py"
