"""Translate exceptions into messages and exit codes, in this one place.

0 done · 1 failure, nothing was changed · 2 wrong usage · 3 our own bug · 130 interrupted.
"""

from __future__ import annotations

import errno
import os
import tempfile
import traceback

import click

from ledger.errors import DiurnaError
from rituals.answers.record_to_dict import Failure, fields_of
from rituals.cli.context import Invocation
from rituals.cli.output import OutputFailed

FAILED, WRONG_USAGE, OUR_BUG, INTERRUPTED = 1, 2, 3, 130
#: Errors of the machine, which no change of our code would have avoided.
_MACHINE = (
    "ENOSPC EDQUOT EROFS EACCES EPERM EMFILE ENFILE EIO EFBIG ENOMEM ELOOP ENAMETOOLONG EINTR"
)
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
    failure, out = translate(problem, call), call.out
    if isinstance(problem, OutputFailed):
        call.abandon_stdout()
    elif call.json or any(one.split("=")[0] == "--json" for one in call.arguments):
        from ledger.secrets.scanner import without_secrets

        fields = "code message where hint" + " findings" * bool(failure.findings)
        told = fields_of(failure, fields + " stem" * bool(failure.stem))
        out.answer({"error": {**told, "message": without_secrets(failure.message)}})
    if failure.exit_code == INTERRUPTED:
        out.talk("diurna: interrupted")
        return INTERRUPTED
    where = call.command if failure.where in failure.message else failure.where
    out.talk(("diurna:", "red"), f" {where}: {failure.message}")
    out.hint(failure.hint)
    for finding in failure.findings[1:]:
        out.talk(f"also: {finding.where}{': ' if finding.where else ''}{finding.message}")
        out.hint(finding.hint)
    return failure.exit_code


def translate(problem: BaseException, call: Invocation) -> Failure:
    """Say what an exception means; a bug of ours leaves its traceback in a file."""
    name, where, hint = type(problem).__name__, call.command or "command line", ""
    match problem:
        case DiurnaError():
            findings, stem = getattr(problem, "findings", ()), getattr(problem, "stem", "")
            where, message, hint = problem.where or where, problem.message, problem.hint
            return Failure(problem.exit_code, name, message, where, hint, findings, stem)
        case click.UsageError():
            path = problem.ctx.command_path if problem.ctx else f"diurna {call.command}".strip()
            where, hint = path.removeprefix("diurna").strip() or where, f"see `{path} --help`"
            message = problem.format_message().rstrip(".")
            return Failure(WRONG_USAGE, "WrongUsage", message, where, hint)
        case KeyboardInterrupt() | click.Abort():
            return Failure(INTERRUPTED, "Interrupted", "interrupted", where)
        case MemoryError():
            message = "there is not enough memory"
            hint = "close other programs, or give this one more memory"
        case ImportError():  # the disk, or an installation that is not whole
            message = f"{problem.name or 'a module'} can not be loaded: {problem.msg}"
            hint = "try again; if it stays, see that the disk is well and Diurna is installed whole"
        case Exception() if type(problem).__module__ in _CACHE_MODULES:  # not imported for this
            message = f"the cache can not be used: {problem}"
            hint = "try again: the cache is built anew from git; if it stays, check the disk"
        case OSError() if errno.errorcode.get(problem.errno or 0, "-") in _MACHINE.split():
            where = problem.filename if isinstance(problem.filename, str) else where
            message = os.strerror(problem.errno or 0)
            hint = "make sure that it can be read and written"
        case _:
            message = f"a bug in Diurna ({name}); the details are in {_write_log(problem, call)}"
            hint = "report it with that file; session logs that were acknowledged are safe"
            return Failure(OUR_BUG, "Bug", message, where, hint)
    return Failure(FAILED, name, message, where, hint)


def _write_log(problem: BaseException, call: Invocation) -> str:
    """Write a traceback where it can be found; return where."""
    from ledger.secrets.scanner import without_secrets

    text = without_secrets("".join(traceback.format_exception(problem)))
    for folder in filter(None, (call.state_dir(), tempfile.gettempdir())):
        try:
            os.makedirs(folder, mode=0o700, exist_ok=True)
            fd, path = tempfile.mkstemp(prefix="bug-", suffix=".log", dir=folder)
            with os.fdopen(fd, "w", encoding="utf-8", errors="backslashreplace") as file:
                file.write(text)
            return path
        except OSError:
            continue
    call.out.talk(text)
    return "the lines above"
