"""Install and remove our git hooks: plan first, then apply (fault:D9).

Where git looks for hooks is git's to say. Nothing is moved or replaced, and a folder that other
repositories or the user's commits share is never written to.

Our block is taken out with no byte of the rest changed. It stands behind the first line and runs the
whole hook once more, without itself, before Diurna does anything: so what was there runs as it did, with
its input, output, `exec` and exit code.

What it does is publish what a pull brought in, where a write on the branch publishes (FORMAT.md, M3) and
nowhere else. What a person is editing is left for a command that the person runs.
"""

from __future__ import annotations

import os
import shlex

from ledger.errors import HomeNotFound, WriteRefused
from ledger.git.repository import Repository
from ledger.home import OWN_BRANCH, Home, discover
from ledger.model.record import Record
from ledger.wal.atomic_files import make_folder, replace_file
from memory.api import Memory

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_BEGIN = "# >>> diurna >>> put in by `diurna init --hooks`; `diurna init --no-hooks` takes it out\n"
_OWN = "# (the file is ours, too)\n"
_NO_END = "# (the line above had no end)\n"
_END = "# <<< diurna <<<\n"
_FIRST_LINE = "#!/bin/sh\n"
#: The variable that keeps the hook, and Diurna, from running the block again (fault:K9).
GUARD = "DIURNA_HOOK"
_BODY = """\
if [ -z "${{{guard}-}}" ]; then
  diurna_status=0
  {guard}=1 "$0" "$@" || diurna_status=$?
  if [ -x {program} ]; then
    {guard}=1 {command} hook {event} "$@" </dev/null || :
  elif command -v diurna >/dev/null 2>&1; then
    {guard}=1 diurna hook {event} "$@" </dev/null || :
  fi
  exit "$diurna_status"
fi
"""
_SHELLS = ("sh", "bash", "dash", "ksh", "zsh")


def with_block(hook: bytes | None, event: str, command: tuple[str, ...]) -> bytes:
    """Return a hook with our block in it; a block that is there is put anew.

    The hook is the file's bytes, None when there is no file, and the event its name, one of ours. The
    command is how Diurna is run on this machine: an absolute path, and arguments.
    """
    rest = without_block(hook) if hook is not None else None
    marks = "" if rest is not None else _OWN
    if rest is None:
        rest = _FIRST_LINE.encode()
    at = rest.find(b"\n") + 1 if rest.startswith(b"#!") else 0
    lead = b""
    if rest.startswith(b"#!") and not at:
        at, lead, marks = len(rest), b"\n", marks + _NO_END
    body = _BODY.format(
        guard=GUARD, event=event, program=shlex.quote(command[0]), command=shlex.join(command)
    )
    block = (_BEGIN + marks + body + _END).encode("utf-8", "surrogateescape")
    return rest[:at] + lead + block + rest[at:]


def without_block(hook: bytes) -> bytes | None:
    """Return a hook without our block; None where the whole file was ours."""
    begin, end = _span(hook)
    if begin < 0:
        return hook
    marks = hook[begin:end].split(b"\n", 3)[1:3]
    lead = 1 if _NO_END.encode().rstrip() in marks else 0
    rest = hook[: begin - lead] + hook[end:]
    ours = _OWN.encode().rstrip() in marks and rest == _FIRST_LINE.encode()
    return None if ours else rest


def has_block(hook: bytes) -> bool:
    """Tell whether our block is in a hook."""
    return _span(hook)[0] >= 0


def is_shell(hook: bytes) -> bool:
    """Tell whether a hook is a script of a shell that understands the block."""
    if b"\0" in hook:
        return False
    if not hook.startswith(b"#!"):
        return True  # git lets `sh` run it
    line = hook[2:].split(b"\n", 1)[0]
    if b"\r" in line:
        return False
    words = [word.rsplit(b"/", 1)[-1].decode("ascii", "replace") for word in line.split()]
    if words[:1] == ["env"]:
        words = [word for word in words[1:] if word[:1] != "-"]
    return bool(words) and words[0] in _SHELLS


def _span(hook: bytes) -> tuple[int, int]:
    """Return where our block begins and ends, (-1, -1) where there is none."""
    mark = _BEGIN[: _BEGIN.index(" put in")].encode()
    begin = 0 if hook.startswith(mark) else hook.find(b"\n" + mark) + 1
    end = hook.find(b"\n" + _END.encode(), begin)
    if end < 0 or not (begin or hook.startswith(mark)):
        return -1, -1
    return begin, end + 1 + len(_END)


#: `git pull` ends with the first, `git pull --rebase` with the second.
PUBLISHING = ("post-merge", "post-rewrite")
#: One of an older Diurna, which does nothing any more.
FORMER = ("pre-commit",)
EVENTS = (*PUBLISHING, *FORMER)
_BY_HAND = 'the line `diurna hook {event} "$@" </dev/null || :` does the same in a hook of your own'


class HookPlan(Record):
    """What becomes of the hooks."""

    folder: str = ""  #: where git looks for them, "" when nothing is to be done
    #: (name, bytes before, bytes after); None: there is no file
    files: tuple[tuple[str, bytes | None, bytes | None], ...] = ()
    steps: tuple[str, ...] = ()  #: the plan in sentences


def plan_hooks(
    repository: Repository | None, kind: str, place: str, command: tuple[str, ...]
) -> HookPlan:
    """Plan to put our block into the hooks.

    Args:
        repository: None for one that is yet to be made.
        kind: of the home.
        place: where that one will be.
        command: how Diurna is run on this machine.

    Raises:
        WriteRefused: a hook is there that no block can be put into, or the folder is not this clone's.
    """
    if kind == OWN_BRANCH:
        raise WriteRefused(
            "a branch of its own is never merged in a work tree, so no hook has anything to do",
            hint="leave --hooks out; `diurna sync` joins and publishes it",
        )
    folder = hooks_folder(repository) if repository else f"{place}/.git/hooks"
    if repository:
        _refuse_shared(repository, folder, PUBLISHING[0])
    files = []
    for event in PUBLISHING:
        _refuse_foreign(folder, event)
        before = _read(folder, event)
        after = with_block(before, event, command)
        if after != before:
            files.append((event, before, after))
    steps = tuple(
        f"{'make' if before is None else 'set a marked block in'} the hook {folder}/{name}"
        for name, before, _ in files
    )
    former = _removal(folder, FORMER)
    return HookPlan(folder, (*files, *former.files), (*steps, *former.steps))


def plan_removal(repository: Repository) -> HookPlan:
    """Plan to take our block out of the hooks."""
    folder = hooks_folder(repository)
    return _removal(folder, EVENTS)


def _removal(folder: str, events: tuple[str, ...]) -> HookPlan:
    files = []
    for event in events:
        before = _read(folder, event) if os.path.isfile(f"{folder}/{event}") else None
        if before is not None and has_block(before):
            files.append((event, before, without_block(before)))
    steps = tuple(
        f"{'take away' if after is None else 'take the marked block out of'} the hook {folder}/{name}"
        for name, _, after in files
    )
    return HookPlan(folder, tuple(files), steps)


def apply_hooks(plan: HookPlan) -> None:
    """Write the hooks as planned.

    Raises:
        WriteRefused: one changed since it was read.
        StorageFailed: the disk refused.
    """
    for name, before, after in plan.files:
        path = f"{plan.folder}/{name}"
        if _read(plan.folder, name) != before:
            again = "run the command again"
            raise WriteRefused(f"{path} changed meanwhile", where=path, hint=again)
        if after is None:
            os.unlink(path)
            continue
        make_folder(plan.folder, 0o777)
        if before is None:
            replace_file(path, after, 0o777)
            continue
        mode = os.stat(path).st_mode & 0o7777
        replace_file(path, after, mode)
        os.chmod(path, mode)  # whatever the umask took away


def hooks_folder(repository: Repository) -> str:
    """Return the folder in which git looks for hooks, by all its configuration but ours."""
    # our own calls of git run no hooks, by a setting that shows here as one of the command line
    said = repository.git().run(
        "config", "--show-scope", "-z", "--type=path", "--get-all", "core.hooksPath", check=False
    )
    fields = said.decode("utf-8", "surrogateescape").split("\0")
    set_paths = [
        path for scope, path in zip(fields[0::2], fields[1::2], strict=False) if scope != "command"
    ]
    if not set_paths:
        return f"{repository.commondir}/hooks"
    return os.path.normpath(os.path.join(repository.where, set_paths[-1]))


def _refuse_shared(repository: Repository, folder: str, event: str) -> None:
    """Keep out of a folder of hooks that is not this clone's alone."""
    real, common = os.path.realpath(folder), os.path.realpath(repository.commondir)
    if real == common or real.startswith(common + "/"):
        return
    hint = _BY_HAND.format(event=event)
    if not (repository.top and real.startswith(os.path.realpath(repository.top) + "/")):
        raise WriteRefused(
            f"core.hooksPath is {folder}, outside this repository: other repositories may use it",
            hint=hint,
        )
    status, _, _ = repository.git().call("check-ignore", "-q", "--", f"{folder}/{event}")
    if status:
        raise WriteRefused(
            f"core.hooksPath is {folder}, whose files are part of your commits", hint=hint
        )


def _refuse_foreign(folder: str, event: str) -> None:
    """Keep out of a hook that is somebody else's and can not hold a block."""
    path = f"{folder}/{event}"
    because = ""
    if os.path.islink(path):
        because = "is a link to a file elsewhere"
    elif not os.path.lexists(path):
        return
    elif not os.path.isfile(path):
        because = "is no ordinary file"
    elif not os.access(path, os.X_OK):
        because = "is not executable, so git passes over it"
    elif not is_shell(_read(folder, event) or b""):
        because = "is no shell script"
    if because:
        raise WriteRefused(
            f"the hook {event} {because}; it is left as it is",
            where=path,
            hint=_BY_HAND.format(event=event),
        )


def _read(folder: str, event: str) -> bytes | None:
    """Return a hook's bytes, None when there is none."""
    path = f"{folder}/{event}"
    try:
        with open(path, "rb") as file:
            return file.read()
    except FileNotFoundError:
        return None
    except OSError as problem:
        raise WriteRefused(
            f"the hook {event} can not be read: {problem.strerror}",
            where=path,
            hint="see whose file it is; it is left as it is",
        ) from problem


#: When a hook gives up and lets git's user go on; the next command does the rest.
LIMIT_SECONDS = 20


def republish(
    event: str,
    arguments: tuple[str, ...],
    folder: str,
    environment: Mapping[str, str],
    clock: Callable[[], int],
    *,
    dry_run: bool = False,
) -> str:
    """Publish what a merge or a rebase has left behind; say what was done, "" for nothing.

    The event is the hook that git runs, the arguments are what git tells it; the folder is the working
    directory, for hooks the work tree's top. The clock gives milliseconds since 1970.

    Raises:
        DiurnaError: it could not be done; nothing was changed.
    """
    if event in FORMER or (event == "post-rewrite" and arguments[:1] != ("rebase",)):
        return ""  # an amended commit, with no new logs
    home = _home(folder, environment)
    if home is None:
        return ""
    memory = Memory(home, clock=clock, lasting=False)
    try:
        if not dry_run:
            memory.bring_back()
        cache = memory.cache()
        if not memory.publishes() or cache.policy_problem or cache.unread():
            return ""
        edited = memory.edited()
        if edited:
            return f"{edited[0]} was edited by hand; `diurna check --publish` makes a log of that first"
        if not dry_run:
            memory.drain(held=False)
        files, commit = memory.publish(dry_run=dry_run)
        if dry_run and files:
            return f"would publish {', '.join(files)}"
        return f"published {', '.join(files)} in {commit[:7]}" if commit else ""
    finally:
        memory.close()


def _home(folder: str, environment: Mapping[str, str]) -> Home | None:
    """Return the home that a hook is about, None where there is none, or none in the work tree."""
    try:
        home = discover(folder, named="git hook")
    except HomeNotFound:
        return None  # this branch has none
    named = environment.get("GIT_DIR", "")
    if named and os.path.realpath(os.path.join(folder, named)) != os.path.realpath(
        home.repository.gitdir
    ):
        return None  # git works elsewhere, and this folder is only where it was called
    return None if home.kind == OWN_BRANCH or not home.reference else home
