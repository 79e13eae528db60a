"""Answer the commands that hooks and agents call all day, without loading the libraries of `cli`.

`diurna show`, `brief`, `view`, `recall` and `append FILE` do here exactly what `rituals.cli`
does, through the same library, and print the same. Anything out of the ordinary, before something was
written, is None: the command line then does the whole of it.
"""

from __future__ import annotations

import os
import sys

from ledger.environment import working_directory

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from memory.api import Memory
    from memory.write.draft import Receipt


#: What is answered here where it is typed plainly: questions, and what opens the home to write in it, too.
_QUESTIONS, _OPEN = (
    ("recall", "show", "why", "task"),
    ("status", "note", "edit", "close", "log"),
)


def run(arguments: list[str], environment: Mapping[str, str]) -> int | None:
    """Answer a command line; return the exit code, None when it is not one of the plain forms.

    The arguments are without the program's name.
    """
    if not arguments or sys.stdout is None or sys.stdout.isatty():
        return None
    home = environment.get("DIURNA_HOME", "")
    if home == "personal":  # `ledger.home` says which folder that is
        return None
    if arguments == ["show"]:
        return _kept(lambda: _show(home))
    if arguments[0] == "brief":
        return _kept(lambda: _brief(arguments[1:], home, environment.get("DIURNA_AGENT", "")))
    if arguments[0] in _QUESTIONS or arguments[0] in _OPEN:
        return _plain(arguments)
    if arguments[0] == "view" and len(arguments) in (2, 3):
        return _kept(lambda: _view(arguments[1:], home))
    plain_file = len(arguments) == 2 and (arguments[1] == "-" or arguments[1][:1] != "-")
    if arguments[0] == "append" and plain_file and "DIURNA_NOW" not in environment:
        return _append(arguments, home, environment)
    return None


def _kept(answer: Callable[[], bytes | None]) -> int | None:
    """Print what was kept of an answer; None where there is nothing, or something is odd."""
    try:
        text = answer()
    except Exception:  # noqa: BLE001 - nothing was changed; the command line says it properly
        return None
    return None if text is None else _print(text)


def _show(home: str) -> bytes | None:
    from memory.query.last_answers import continuity

    return continuity(home or working_directory())


def _view(arguments: list[str], home: str) -> bytes | None:
    name, argument = arguments[0], "".join(arguments[1:])
    if "-" in (name[:1], argument[:1]) or (argument and name != "entities" and len(argument) != 10):
        return None  # an option, or a day as people say it
    from memory.query.last_answers import view

    return view(home or working_directory(), name, argument)


#: The options of `diurna brief` that are understood here, and whether each takes a value.
_BRIEF_OPTIONS = {"--agent": True, "--for": True, "--task": True, "--budget": True, "--json": False}


def _brief(arguments: list[str], home: str, agent: str) -> bytes | None:
    from memory.brief.brief_place import BRIEF_CHARS, Wish
    from memory.query.last_answers import brief

    read = _read(arguments, _BRIEF_OPTIONS)
    if read is None or read[0]:
        return None
    said = dict(read[1])
    budget = said.get("--budget", str(BRIEF_CHARS))
    if len(said) < len(read[1]) or not (budget.isascii() and budget.isdigit() and len(budget) < 10):
        return None
    wish = Wish(
        said.get("--agent", agent),
        said.get("--for", ""),
        said.get("--task", ""),
        int(budget),
        "--json" in said,
    )
    return brief(home or working_directory(), wish)


def _plain(arguments: list[str]) -> int | None:
    """Answer a plain line of the command table; None for a question beside which there is more to say."""
    from rituals.cli.command_registry import function_of
    from rituals.cli.command_table import TAKES
    from rituals.cli.option_table import taken

    name = arguments[0]
    read = taken(TAKES.get(name, ()), arguments[1:])
    if read is None:
        return None
    values, of_the_call = read
    if name == "task" and (values["action"], values["words"]) != ("list", ()):
        return None
    from rituals.cli.context import Invocation

    call = Invocation(arguments)
    call.command = name
    for kept in of_the_call:
        setattr(call, kept, True)
    try:
        if name not in _OPEN and not call.open_reader():
            return None
    except Exception:  # noqa: BLE001 - nothing was said; the command line says it properly
        return None
    try:
        code = function_of(name)(call, **values)
        call.close()
        call.out.flush()
    except BaseException as problem:  # noqa: BLE001 - translated, each of them, in one place
        from rituals.cli.app import said

        return said(problem, call)
    return code or 0


def _read(
    arguments: list[str], takes: Mapping[str, bool]
) -> tuple[list[str], list[tuple[str, str]]] | None:
    """Return words, and options with their values; None for anything that has to be looked at properly."""
    words: list[str] = []
    said: list[tuple[str, str]] = []
    rest = iter(arguments)
    for argument in rest:
        if argument == "--":
            words += rest
        elif argument[:1] != "-":
            words.append(argument)
        else:
            name, equals, value = argument.partition("=")
            if name not in takes or (equals and (not takes[name] or name[:2] != "--")):
                return None
            if takes[name]:
                value = value if equals else next(rest, "")
                if not value or value[0] == "-":
                    return None
            said.append((name, value))
    return words, said


def _append(arguments: list[str], home: str, environment: Mapping[str, str]) -> int | None:
    from ledger.errors import DiurnaError

    memory = None
    try:
        from ledger.git.commit_record import IdentityQuestion
        from ledger.home import discover

        found = discover(home or working_directory())
        who = IdentityQuestion(found.repository)  # git answers while the rest is loaded
        from ledger.codec.validate import read_draft
        from ledger.model.session import LOG_LIMIT_BYTES
        from memory.api import Memory
        from memory.write.draft import draft_of
        from memory.write.host_session import host_session
        from memory.write.personal_guard import may_part

        data = _file(arguments[1], LOG_LIMIT_BYTES + 1)
        if len(data) > LOG_LIMIT_BYTES or not data.strip():
            return None
        draft = draft_of(read_draft(data, arguments[1]))
        memory = Memory(
            found,
            agent=environment.get("DIURNA_AGENT", ""),
            session=host_session(environment),
            in_process=False,
            identity=who.answer,
        )
        if may_part(memory.cache(), draft):
            return None
    except (DiurnaError, OSError):
        return None
    try:
        receipt = memory.append(draft, tiers=True)
    except DiurnaError as problem:
        return report(problem, arguments, memory)
    code = _print(_said(receipt, memory))
    if receipt.findings or receipt.already or memory.cache().policy_problem:
        return _talk(receipt, memory, arguments)
    return code


def _file(path: str, limit: int) -> bytes:
    if path != "-":
        with open(path, "rb") as file:
            return file.read(limit)
    if sys.stdin is None or sys.stdin.isatty():
        return b""
    import io

    data = sys.stdin.buffer.read(limit)
    sys.stdin = io.TextIOWrapper(io.BytesIO(data))  # the command line may have to read it again
    return data


def _said(receipt: Receipt, memory: Memory) -> bytes:
    """Say what an append did, as `rituals.cli.commands.append` does."""
    from memory.write.draft import told

    lines = [f"{memory.short(receipt.stem)}  {receipt.place(memory.home.branch)}"]
    lines += [f"{verb:<7}  {what}" for verb, what in told(receipt)]
    return ("\n".join(lines) + "\n").encode("utf-8", "surrogateescape")


def _talk(receipt: Receipt, memory: Memory, arguments: list[str]) -> int:
    """Say what was noticed, on stderr."""
    from rituals.cli.context import Invocation

    call = Invocation(arguments)
    call.out.findings(receipt.findings)
    call.adopt(memory)
    call.landed = not receipt.already
    call.close()
    call.out.flush()
    return 0


def report(problem: BaseException, arguments: list[str], memory: Memory | None = None) -> int:
    """Say what went wrong, as the command line does, and what the home noted; return the exit code."""
    from rituals.cli.context import Invocation
    from rituals.cli.exit_codes import report

    call = Invocation(arguments)
    call.command = arguments[0] if arguments else ""
    code = report(problem, call)
    if memory is not None:
        call.adopt(memory)
        call.say_noted()
    call.out.flush()
    return code


def _print(data: bytes) -> int:
    """Write to standard output, past Python's buffers, with what nobody can see made visible."""
    from ledger.escape import visible

    text = data.decode("utf-8", "surrogateescape")
    shown = visible(text)
    if shown is not text:
        data = shown.encode()
    try:
        while data:
            data = data[os.write(1, data) :]
    except BrokenPipeError:
        pass
    except OSError as problem:
        from rituals.cli.output import OutputFailed

        raise OutputFailed(problem) from problem
    return 0
