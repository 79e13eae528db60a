"""Translate exceptions into messages and exit codes, in this one place.

0 done · 1 failure, nothing was changed · 2 wrong usage · 3 our own bug · 130 interrupted.
"""

from __future__ import annotations

import errno
import os
import tempfile
import traceback

import click

from ledger.errors import DiurnaError, DraftRefused, EditNotUnderstood, WaitsInSpool
from rituals.answers.record_fields import Failure
from rituals.cli.context import Invocation
from rituals.cli.output import OutputFailed

FAILED, WRONG_USAGE, OUR_BUG, INTERRUPTED = 1, 2, 3, 130
#: Errors of the machine, which no change of our code would have avoided.
_ENVIRONMENT = frozenset(
    (
        errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES, errno.EPERM, errno.EMFILE,
        errno.ENFILE, errno.EIO, errno.EFBIG, errno.ENOMEM, errno.ELOOP, errno.ENAMETOOLONG,
        errno.EINTR,
    )
)  # fmt: skip
#: Where the errors of the cache are at home: SQLite's own, and `CacheDamaged`.
_CACHE_MODULES = ("sqlite3", "memory.cache.database")


def said(problem: BaseException, call: Invocation) -> int:
    """Say what went wrong with a command, and close what it opened; return the exit code."""
    try:
        call.out.release()
        code = _report(problem, call)
        call.say_noted()
        call.out.flush()
    except BrokenPipeError:
        call.abandon_stdout()
        return 0 if isinstance(problem, BrokenPipeError) else 1
    finally:
        call.let_go()
    return code


def _report(problem: BaseException, call: Invocation) -> int:
    """Say what went wrong and return the exit code."""
    if isinstance(problem, click.exceptions.Exit):
        return problem.exit_code
    if isinstance(problem, BrokenPipeError):
        call.abandon_stdout()
        return 0
    failure = translate(problem, call)
    if isinstance(problem, OutputFailed):
        call.abandon_stdout()
    elif call.json or any(one.split("=")[0] == "--json" for one in call.arguments):
        call.out.answer({"error": _error_object(failure)})
    out = call.out
    if failure.exit_code == INTERRUPTED:
        out.talk("diurna: interrupted")
        return INTERRUPTED
    where = call.command if failure.where in failure.message else failure.where
    out.talk(("diurna:", "red"), f" {where}: {failure.message}")
    out.hint(failure.hint)
    for finding in failure.findings[1:]:
        out.talk(
            f"also: {finding.where}: {finding.message}"
            if finding.where
            else f"also: {finding.message}"
        )
        out.hint(finding.hint)
    return failure.exit_code


def translate(problem: BaseException, call: Invocation) -> Failure:
    """Say what an exception means; a bug of ours leaves its traceback in a file."""
    name, where = type(problem).__name__, call.command or "command line"
    match problem:
        case DiurnaError():
            return Failure(
                problem.exit_code,
                name,
                problem.message,
                problem.where or where,
                problem.hint,
                problem.findings if isinstance(problem, DraftRefused | EditNotUnderstood) else (),
                problem.stem if isinstance(problem, WaitsInSpool) else "",
            )
        case click.UsageError():
            path = problem.ctx.command_path if problem.ctx else f"diurna {call.command}".strip()
            said = problem.format_message().rstrip(".")
            command = path.removeprefix("diurna").strip() or where
            return Failure(WRONG_USAGE, "WrongUsage", said, command, f"see `{path} --help`")
        case KeyboardInterrupt() | click.Abort():
            return Failure(INTERRUPTED, "Interrupted", "interrupted", where)
        case MemoryError():
            hint = "close other programs, or give this one more memory"
            return Failure(FAILED, name, "there is not enough memory", where, hint)
        case ImportError():  # the disk, or an installation that is not whole
            said = f"{problem.name or 'a module'} can not be loaded: {problem.msg}"
            hint = "try again; if it stays, see that the disk is well and Diurna is installed whole"
            return Failure(FAILED, name, said, where, hint)
        case Exception() if type(problem).__module__ in _CACHE_MODULES:  # not imported for this
            hint = "try again: the cache is built anew from git; if it stays, check the disk"
            return Failure(FAILED, name, f"the cache can not be used: {problem}", where, hint)
        case OSError() if problem.errno in _ENVIRONMENT:
            said = os.strerror(problem.errno or 0)
            place = problem.filename if isinstance(problem.filename, str) else where
            return Failure(FAILED, name, said, place, "make sure that it can be read and written")
        case _:
            log = _write_log(problem, call)
            message = f"a bug in Diurna ({name}); the details are in {log}"
            hint = "report it with that file; session logs that were acknowledged are safe"
            return Failure(OUR_BUG, "Bug", message, where, hint)


def _error_object(failure: Failure) -> dict[str, object]:
    from ledger.secrets.scanner import without_secrets

    found: dict[str, object] = {
        "code": failure.code,
        "message": without_secrets(failure.message),
        "where": failure.where,
        "hint": failure.hint,
    }
    if failure.findings:
        found["findings"] = failure.findings
    if failure.stem:
        found["stem"] = failure.stem
    return found


def _write_log(problem: BaseException, call: Invocation) -> str:
    """Write a traceback where it can be found; return where."""
    from ledger.secrets.scanner import without_secrets

    text = without_secrets("".join(traceback.format_exception(problem)))
    for folder in (call.state_dir(), tempfile.gettempdir()):
        if not folder:
            continue
        try:
            os.makedirs(folder, mode=0o700, exist_ok=True)
            fd, path = tempfile.mkstemp(prefix="bug-", suffix=".log", dir=folder)
            with os.fdopen(fd, "w", encoding="utf-8", errors="backslashreplace") as file:
                file.write(text)
        except OSError:
            continue
        return path
    call.out.talk(text)
    return "the lines above"
