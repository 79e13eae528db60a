"""Say what of an event is worth an observation: what changed something, tested it, or decided it.

First match: a tool that writes, a command of shell that changes, tests or builds, a task, a word that
tells of a decision. All else is dropped. What is kept has its secrets replaced, stands in one line, and
names files from the top of the work tree; what lies outside of it is nobody's memory.
"""

from __future__ import annotations

import os

from ledger.environment import now_ms
from ledger.model.layout import STATE_DIR
from ledger.model.record import Record
from rituals.hosts.adapters import FAILURE, PROMPT, STOP, SUBAGENT_STOP, TASK
from rituals.hosts.observed.tool_input import (
    SHELLS,
    WRITING,
    first_text,
    inside,
    patched,
    paths_given,
    shell_line,
    start_folder,
    tool_name,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from rituals.hosts.moments import Moment
    from rituals.hosts.observed.observation_spool import Observation

_TASKS = frozenset(
    "taskcreate taskupdate todowrite todo_write update_plan write_todos update_todo_list"
    " manage_todo_list".split()
)
#: A line without any of these runs nothing that is kept.
_SIGNS = (
    "git", "npm", "pnpm", "yarn", "bun", "pip", "uv", "poetry", "pdm", "rye", "deno", "cargo", "conda",
    "mamba", "apt", "dnf", "yum", "brew", "apk", "zypper", "choco", "winget", "scoop", "pacman",
    "twine", "helm", "go ", "dotnet", "gem", "bundle", "composer", "rm", "mv", "unlink", "trash",
    "diurna", "patch", "test", "tox", "nox", "jest", "mocha", "ava", "spec", "unit", "behave", "tap",
    "cypress", "ginkgo", "bats", "karma", "tsc", "pack", "rollup", "build", "ninja", "meson", "tsup",
    "turbo", "nx", "make", "just", "task", "gradle", "swift", "mix", "bazel", "zig", "hatch", "docker",
    "playwright", "manage.py", "sbt", "rake", "next", "vite", "ng ", "nuxt", "astro",
)  # fmt: skip
#: Of the tools that write, what only looks, by what it is given.
_VIEWS = ("view", "undo_edit")
#: What the policy says: the commit that does, `on` or `off`, and words that tell of a decision.
NOTE_FILE = f"{STATE_DIR}/observing"
_NOTE_BYTES = 1 << 16
_MANY_PATHS = 20
_ID_CHARS = 80
#: What stands in such an observation in words of a person or an agent.
_SPOKEN = ("decision", "task", "git")
_DONE = ("completed", "complete", "done")


def admitted(
    said: Moment, top: str, words: tuple[str, ...] = (), now: int = 0
) -> Observation | None:
    """Return what is kept of an event, None for nothing.

    Args:
        said: of a tool, a prompt, a stop or a task.
        top: of the work tree, "" for none.
        words: that tell of a decision, beside the built-in ones.
        now: milliseconds since 1970, 0 for the clock's.
    """
    found = _found(said, top, words)
    if found is None:
        return None
    kind, why, what, paths = found
    if "private" in what.lower():
        from ledger.secrets.private_parts import without_tags

        what = without_tags(what).strip()
    if kind in _SPOKEN:
        from ledger.secrets.person_statements import about_person

        if about_person(what if kind == "decision" else what.partition(": ")[2]):
            if kind != "git":
                return None
            what = why  # what was done is the work's, the words are not
    from ledger.secrets.scanner import nameable
    from rituals.hosts.observed.observation_spool import SHORT_CHARS, WHAT_CHARS, Observation

    what = _short(nameable(_from_top(" ".join(what.split()), top)), WHAT_CHARS)
    safe = list(dict.fromkeys(paths))
    if nameable("\n".join(safe)) != "\n".join(safe):
        safe = [path for path in safe if nameable(path) == path]
    once = _plain_id(said.once, kind, why, what, *safe, said.at, said.session)
    return Observation(
        at=now or now_ms(),
        kind=kind,
        why=_short(why, SHORT_CHARS),
        what=what,
        paths=tuple(safe[:_MANY_PATHS]),
        where="" if once.startswith("~") else once,
        once=once,
    )


class Observing(Record):
    """What the policy says of observations."""

    tip: str = ""  #: the commit that says so, "" where nobody noted it
    off: bool = False  #: nothing is kept of sessions
    words: tuple[str, ...] = ()  #: that tell of a decision, beside the built-in ones
    ask: int = 4  #: how often an agent is asked in a session


def observing(commondir: str) -> Observing:
    """Return what the policy says, as far as it was noted (`rituals.hosts.observed.policy_note`)."""
    try:
        fd = os.open(f"{commondir}/{NOTE_FILE}", os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        try:
            tip, off, *words = os.read(fd, _NOTE_BYTES).decode("utf-8", "replace").split("\n")
        finally:
            os.close(fd)
    except (OSError, ValueError):
        return Observing()
    asks = off.partition(" ")[2]
    ask = int(asks) if asks.isdigit() else Observing().ask
    return Observing(tip, off == "off", tuple([word for word in words if word]), ask)


def is_candidate(said: Moment) -> bool:
    """Tell at once whether an event may be worth an observation: most are not."""
    if said.event in (PROMPT, STOP, SUBAGENT_STOP):
        return bool(_spoken(said))
    if said.event == TASK:
        return bool(said.task)
    tool = tool_name(said)
    return tool in WRITING or tool in _TASKS or (tool in SHELLS and bool(_line(said)))


def _found(
    said: Moment, top: str, words: tuple[str, ...]
) -> tuple[str, str, str, Iterable[str]] | None:
    """Return kind, why, what and paths."""
    if said.event == TASK:
        return ("task", "task completed", f"completed: {said.task}", ()) if said.task else None
    if said.event in (PROMPT, STOP, SUBAGENT_STOP):
        return _decided(said, words)
    tool = tool_name(said)
    if tool in WRITING:
        return _written(said, tool, top)
    if tool in SHELLS:
        return _run(said, top)
    if tool in _TASKS and said.event != FAILURE:
        return _task(said)
    return None


def _written(said: Moment, tool: str, top: str) -> tuple[str, str, str, Iterable[str]] | None:
    if said.event == FAILURE or said.given.get("command") in _VIEWS:
        return None
    paths = inside(paths_given(said), top, said.cwd or said.folder)
    if not paths:
        return None
    return "edit", said.tool, f"{_verb(tool)} {', '.join(paths)}", paths


def _verb(tool: str) -> str:
    if tool.startswith(("write", "create")):
        return "wrote"
    return "deleted" if tool.startswith("delete") else "edited"


def _run(said: Moment, top: str) -> tuple[str, str, str, Iterable[str]] | None:
    """Look through a line of shell."""
    line = _line(said)
    if not line:
        return None
    from rituals.hosts.observed.shell import joined, read
    from rituals.hosts.observed.shell_outcomes import act

    start = start_folder(said)
    code = exit_code(said)
    found = []
    paths: list[str] = []
    for command in read(line):
        folder = os.path.join(start, joined("", command.folder))
        if command.words[0] in ("apply_patch", "applypatch"):
            text = command.document or " ".join(command.words[1:])
            changed = inside(patched(text), top, folder)
            if changed and not (code and command.decides):
                paths += changed
                found.append(("edit", "apply_patch", f"edited {', '.join(changed)}"))
            continue
        done = act(command)
        if done is None:
            continue
        named = inside(done.paths, top, folder)
        if done.kind == "file" and not named:
            continue
        paths += named
        what = f"{done.why} {', '.join(named)}" if done.kind == "file" else done.what
        if code is not None and (command.decides if code else command.surely and done.of_work):
            what = f"{what} (exit {code})"
        found.append((done.kind, done.why, what))
    if not found:
        return None
    return (
        found[0][0],
        ", ".join(dict.fromkeys(why for _, why, _ in found)),
        "; ".join(what for _, _, what in found),
        paths,
    )


def _spoken(said: Moment) -> str:
    return said.prompt if said.event == PROMPT else said.message


def _line(said: Moment) -> str:
    """Return the line of shell that a tool ran, "" where nothing of it can be kept."""
    line = shell_line(said)
    return line if any(sign in line for sign in _SIGNS) else ""


def _task(said: Moment) -> tuple[str, str, str, Iterable[str]] | None:
    """Tell which tasks are done, or which one was made."""
    listed = next(
        (said.given[name] for name in ("todos", "plan", "todoList", "items") if name in said.given),
        None,
    )
    if isinstance(listed, list):
        done = [
            str(one.get("content") or one.get("step") or one.get("description") or one.get("title"))
            for one in listed
            if isinstance(one, dict) and one.get("status") in _DONE
        ]
        return ("task", said.tool, f"done: {'; '.join(done)}", ()) if done else None
    subject = first_text(said, ("subject", "title", "taskId", "task_id"))
    status = first_text(said, ("status",))
    if not subject or status == "in_progress":
        return None
    return "task", said.tool, f"{status or 'new'}: {subject}", ()


def _decided(said: Moment, words: tuple[str, ...]) -> tuple[str, str, str, Iterable[str]] | None:
    text = _spoken(said)
    if not text:
        return None
    from rituals.hosts.observed.decision_sentences import decision

    word, sentence = decision(text, words)
    if not word:
        return None
    who = "user" if said.event == PROMPT else "agent"
    return "decision", f"{who} said “{word}”", sentence, ()


def exit_code(said: Moment) -> int | None:
    """Return the exit code of what a tool ran, None where the host does not say it."""
    answer = said.answer
    if isinstance(answer, str) and answer[:1] == "{":
        from rituals.hosts.payloads import read_object

        answer = read_object(answer.encode("utf-8", "replace")) or answer
    for _ in range(2):
        if not isinstance(answer, dict):
            break
        for name in ("exit", "exit_code", "exitCode"):
            code = answer.get(name)
            if isinstance(code, int) and not isinstance(code, bool):
                return code
        inner = next((answer[key] for key in ("metadata", "llmContent", "textResultForLlm",
                      "text_result_for_llm") if key in answer), None)  # fmt: skip
        if inner is None:
            # Claude says how a command ended only where it failed
            return 0 if "stdout" in answer and said.event != FAILURE else None
        answer = inner
    return _told_code(answer) if isinstance(answer, str) else None


def _told_code(text: str) -> int | None:
    """Read `Exit code 1` at the front, `Exit Code: 1` on a line, or `with exit code 1>` at the end."""
    low = text[:200].lower()
    at = 9 if low.startswith("exit code") else -1
    if at < 0:
        mark = text.rfind("\nExit Code:")
        at = mark + 11 if mark >= 0 else -1
    if at < 0:
        mark = text.rfind("with exit code ")
        at = mark + 15 if mark >= len(text) - 40 and mark >= 0 else -1
    if at < 0:
        return None
    digits = text[at : at + 12].lstrip(": ")
    end = next((index for index, char in enumerate(digits) if not char.isdigit()), len(digits))
    return int(digits[:end]) if 0 < end < 6 and digits[:end].isascii() else None


def _from_top(text: str, top: str) -> str:
    """Say paths of the work tree from its top."""
    for one in dict.fromkeys((top, os.path.realpath(top) if top else "")):
        if len(one) > 1:
            text = text.replace(f"{one}/", "")
    return text


def _short(text: str, chars: int) -> str:
    from projection.brief.single_line import shortened

    return shortened(text, chars)


def _plain_id(once: str, *content: str) -> str:
    """Return by what an observation counts once: the host's id of the call, else its content."""
    plain = once.replace("-", "").replace("_", "").replace(".", "")
    if len(once) <= _ID_CHARS and plain.isascii() and plain.isalnum():
        return once
    from ledger.model.sha256 import line_digest

    return "~" + line_digest("\0".join(content if not once else (once,)))
