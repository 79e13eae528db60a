"""Start the console script: answer the plain forms at once, load the command line for the rest.

Starting Python costs 11 ms; click, pygit2 and the other libraries up to 220 more. `diurna show` and
`brief`, and what is asked and recorded most, do here exactly what `rituals.cli.app` does, through the same
library, and print the same. Anything out of the ordinary, before something was written, is left to that.
"""

from __future__ import annotations

import gc
import os
import sys
from _frozen_importlib import ModuleSpec
from _frozen_importlib_external import MAGIC_NUMBER, SourceFileLoader
from marshal import loads

from ledger.environment import VERSION, stay_offline, variables, working_directory

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


#: It makes no sentence of what it lacks, as a `__path__` at each import; its `__getattr__` is not asked.
_Module = type("_Module", (type(sys),), {"__getattribute__": object.__getattribute__})
_MOST_BYTES = 1 << 16  # what Python compiled of a module has 30,000


class _Compiled:
    """Find our modules where what Python compiled of them is up to date; its own search takes 3 ms."""

    @staticmethod
    def find_spec(name: str, path: Sequence[str] | None, _: object = None) -> ModuleSpec | None:
        """Return where a module is loaded from; None leaves that to Python."""
        top, _, rest = name.partition(".")
        if not path or top not in ("ledger", "memory", "projection", "rituals"):
            return None
        folder, stem = path[0], rest[rest.rfind(".") + 1 :]
        try:
            if package := "." not in rest and os.path.exists(f"{folder}/{stem}/__init__.py"):
                folder, stem = f"{folder}/{stem}", "__init__"
            origin = f"{folder}/{stem}.py"
            status = os.stat(origin)
            cached = f"{folder}/__pycache__/{stem}.{sys.implementation.cache_tag}.pyc"
            file = os.open(cached, os.O_RDONLY)
            data = os.read(file, _MOST_BYTES)
            os.close(file)
        except OSError:
            return None
        numbers = (status.st_size & 0xFFFFFFFF) << 32 | int(status.st_mtime) & 0xFFFFFFFF
        begin = MAGIC_NUMBER + bytes(4) + numbers.to_bytes(8, "little")
        if not data.startswith(begin) or len(data) == _MOST_BYTES:
            return None
        loader = SourceFileLoader(name, origin)
        loader.__dict__["create_module"] = lambda _: _Module(name)
        loader.__dict__["get_code"] = lambda _: loads(data[16:])  # noqa: S302 - Python's own
        spec = ModuleSpec(name, loader, origin=origin)
        spec.has_location, spec.cached = True, cached
        spec.submodule_search_locations = [folder] if package else None
        return spec


def script() -> int:
    """Run the command line as the console script, whose process ends with it; return its exit code.

    Where nothing was loaded that has to be ended, nothing is: taking Python down takes 3 ms.
    """
    sys.meta_path.insert(0, _Compiled)
    code = main()
    if "rituals.cli.app" not in sys.modules and "threading" not in sys.modules:
        try:
            for stream in (sys.stdout, sys.stderr):
                stream.flush()
        except (OSError, ValueError, AttributeError):
            return code  # Python says of it what there is to say
        os._exit(code)
    return code


def main() -> int:
    """Run the command line; return its exit code."""
    gc.disable()  # a command ends before looking for cycles pays; among 100,000 logs it takes a second
    arguments = sys.argv[1:]
    if arguments[:1] == ["hook"]:
        stay_offline()
        from rituals.hosts.adapters import HOSTS

        if len(arguments) == 3 and arguments[1] in HOSTS:
            from rituals.hosts.hook_answer import run as answer

            # an agent waits, and nothing is left to do: taking Python down takes an eighth of all
            os._exit(answer(arguments[1], arguments[2], variables()))
    try:
        code = _quick(arguments, variables())
        if code is not None:
            return code
        from rituals.cli.app import main as run
    except BaseException as problem:  # noqa: BLE001 - reported, each of them, in one place
        from rituals.cli.context import Invocation
        from rituals.cli.exit_codes import said

        call = Invocation(arguments)
        call.command = "".join(arguments[:1])
        return said(problem, call)
    return run(arguments)


#: What is answered here where it is typed plainly: questions, and what opens the home to write in it, too.
_QUESTIONS, _OPEN = (
    ("recall", "show", "why", "task"),
    ("status", "brief", "note", "append", "edit", "close", "log", "mcp", "sync"),
)


def _quick(arguments: list[str], environment: Mapping[str, str]) -> int | None:
    """Answer a command line; return the exit code, None when it is not one of the plain forms.

    The arguments are without the program's name.
    """
    if arguments in (["--help"], ["-h"], ["help"]):
        with open(f"{os.path.dirname(__file__)}/help.txt", encoding="utf-8") as file:
            return _print(file.read())
    if arguments == ["--version"]:
        return _print(f"diurna {VERSION}\n")
    if not arguments or sys.stdout is None or sys.stdout.isatty():
        return None
    home = environment.get("DIURNA_HOME", "")
    if home == "personal":  # `ledger.home` says which folder that is
        return None
    if arguments in (["show"], ["brief"]):
        return _kept(arguments[0], home, environment.get("DIURNA_AGENT", ""))
    return _plain(arguments) if arguments[0] in (*_QUESTIONS, *_OPEN) else None


def _kept(name: str, home: str, agent: str) -> int | None:
    """Print what was kept of an answer; None where there is nothing, or something is odd."""
    try:
        from memory import BriefWish, kept_brief, kept_page

        folder = home or working_directory()
        text = kept_page(folder) if name == "show" else kept_brief(folder, BriefWish(agent))
    except Exception:  # noqa: BLE001 - nothing was changed; the command line says it properly
        return None
    if text is None:
        return None
    from ledger.escape import visible

    return _print(visible(text))


def _plain(arguments: list[str]) -> int | None:
    """Answer a plain line; None for a question beside which there is more to say."""
    from rituals.cli.operation import function_of, parameters, plain

    name = arguments[0]
    does = function_of(name)
    read = plain(name, parameters(does), arguments[1:])
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
        code = does(call, **values)
        call.close()
        call.out.flush()
    except BaseException as problem:  # noqa: BLE001 - translated, each of them, in one place
        from rituals.cli.exit_codes import said

        return said(problem, call)
    return code or 0


def _print(text: str) -> int:
    """Write to standard output, past Python's buffers."""
    data = text.encode("utf-8", "surrogateescape")
    try:
        while data:
            data = data[os.write(1, data) :]
    except BrokenPipeError:
        pass
    except OSError as problem:
        from rituals.cli.output import OutputFailed

        raise OutputFailed(problem) from problem
    return 0
