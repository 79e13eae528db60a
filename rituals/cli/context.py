"""Hold what one run of the command line was given, as values that are passed down."""

from __future__ import annotations

import os
import sys

from ledger.environment import NOW, is_time, monotonic, now_ms, variables, working_directory
from ledger.errors import DiurnaError, DraftRefused, NotFound, WrongUsage
from ledger.model.finding_codes import Finding
from ledger.model.layout import CAPTURED_DIR, FORMAT_VERSION, POLICY_FILE
from ledger.model.session import LOG_LIMIT_BYTES
from memory import has_files
from rituals.cli.output import Output, few

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any, BinaryIO, TypeVar

    from ledger.home import Home
    from memory import Memory, Pages, Reader
    from rituals.cli.layout import Layout
    from rituals.cli.output import Line

    Asked = TypeVar("Asked", bound=Reader)
    Said = TypeVar("Said")


STDIN = "-"
_FILE_HINT = (
    "name a file that can be read, or - for standard input; `diurna note TEXT` records a text"
)


class Invocation:
    """One run of the command line: what it was given, and where it writes.

    Args:
        arguments: of the command line, without the program's name.
    """

    def __init__(self, arguments: list[str]) -> None:
        environment = variables()
        self.arguments = arguments
        self.command = ""
        self.json = self.no_pager = False
        self.home = ""
        #: What is recorded is only the user's, so that only their own home is meant.
        self.personal = False
        #: Answers do not go by what HEAD holds.
        self.everywhere = False
        #: Whether this command committed a log, and with it all that waited at that moment.
        self.landed = False
        self.agent = environment.get("DIURNA_AGENT", "")
        self.search_path = tuple(environment.get("PATH", "").split(os.pathsep))
        self.completion = environment.get("_DIURNA_COMPLETE", "")
        self._home_variable = environment.get("DIURNA_HOME", "")
        self._opened: Reader | None = None
        colour = not environment.get("NO_COLOR") and environment.get("TERM") != "dumb"
        # a process may be started without these streams
        streams = [one or open(os.devnull, "w") for one in (sys.stdout, sys.stderr)]  # noqa: SIM115
        self.out = Output(*streams, colour=colour, monotonic=monotonic)

    def now_ms(self) -> int:
        """Return milliseconds since 1970; `DIURNA_NOW` fixes them.

        Raises:
            WrongUsage: `DIURNA_NOW` is no number.
        """
        fixed = variables().get(NOW, "")
        if fixed and not is_time(fixed):
            raise WrongUsage(f"{fixed!r} is no number of milliseconds since 1970", where=NOW)
        return now_ms()

    def folder(self) -> str:
        """Return the working directory.

        Raises:
            NotFound: somebody took it away.
        """
        try:
            return working_directory()
        except FileNotFoundError:
            hint = "change to one that exists"
            raise NotFound("the working directory no longer exists", hint=hint) from None

    def project(self) -> str:
        """Return the top of the work tree that the command runs in, its folder where that is in none.

        The home may be elsewhere, or have a repository of its own.

        Raises:
            NotFound: somebody took the working directory away.
        """
        from ledger.git.repository import find_repository

        folder = self.folder()
        try:
            found = find_repository(folder)
        except DiurnaError:  # memory is not kept in it
            found = None
        return (found and found.top) or folder

    def find_home(self) -> Home:
        """Find the home that `--home`, `$DIURNA_HOME` or the working directory means.

        Raises:
            HomeNotFound: there is none.
            NotFound: the folder that was named is not there.
            WrongUsage: two homes are named.
        """
        from ledger.home import discover, named_folder, personal_folder

        if self.personal and self.home not in ("", personal_folder()):
            raise WrongUsage("--personal and --home name two homes", hint="leave one of them out")
        self.home = personal_folder() if self.personal else self.home
        named = self.home or named_folder(self._home_variable)
        how = "" if not named else "--home" if self.home else "$DIURNA_HOME"
        if named and not os.path.isdir(named):
            if named == personal_folder():
                hint = "`diurna init --personal` makes one"
                raise NotFound("you have no personal home", where=how, hint=hint)
            hint = "name a home, or a folder in it; `diurna init DIR` makes one"
            raise NotFound(f"there is no folder {named}", where=how, hint=hint)
        found = discover(named or self.folder(), named=how)
        return found._replace(everywhere=self.everywhere)

    def memory(self) -> Memory:
        """Open the home.

        Raises:
            HomeNotFound: there is none.
        """
        from memory import Memory

        if not isinstance(self._opened, Memory):
            from memory import host_session

            home, session = self.find_home(), host_session(variables())
            if not session and os.path.isdir(f"{home.repository.commondir}/{CAPTURED_DIR}"):
                from rituals.hosts.processes import host_session_here

                session = host_session_here(home.repository.commondir)
            memory = Memory(home, agent=self.agent, session=session, **self._how())
            self.adopt(memory)
            if "--dry-run" not in self.arguments:
                memory.bring_back()
            return memory
        return self._opened

    def _how(self) -> dict[str, Any]:
        return {"clock": self.now_ms, "lasting": False, "progress": self.out.progress}

    def open_reader(self) -> bool:
        """Open the home for a question alone; False where there is more to be said than its answer.

        Raises:
            HomeNotFound: there is none.
        """
        from memory import Reader

        home = self.find_home()
        found = self._undisturbed(home, lambda: Reader(home, self.out.progress, self.now_ms))
        return found is not None

    def pages(self) -> Pages:
        """Return the home, open for questions of its pages too; what is unfinished is finished first.

        Raises:
            HomeNotFound: there is none.
        """
        from memory import Pages

        home = self.find_home()
        if has_files(home.held_folder):
            return self.memory()
        return self._undisturbed(home, lambda: Pages(home, **self._how())) or self.memory()

    def _undisturbed(self, home: Home, opened: Callable[[], Asked]) -> Asked | None:
        from memory import undisturbed

        found = undisturbed(home, opened)
        if found is not None:
            self._opened, self.out.short = found, found.short
        return found

    def reader(self) -> Reader:
        """Return the home as it is open for questions.

        Raises:
            HomeNotFound: there is none.
        """
        return self._opened or self.memory()

    def opened(self, ids: Iterable[str]) -> None:
        """Note that facts of the home were shown by their ids: to a host's session that is a use."""
        from rituals.hosts.processes import note_opening

        note_opening(self.reader().home, ids)

    def holding(self, ids: tuple[str, ...]) -> tuple[Reader, tuple[str, ...], str]:
        """Return the home that holds facts, their ids there, and its name: `org` of `org/ID`, else "".

        Raises:
            WrongUsage: they are of several homes.
            NotFound: there is no home of that name.
        """
        from memory import home_and_id

        names = {home_and_id(one)[0] for one in ids} or {""}
        if len(names) > 1:
            hint = "ask for those of each by themselves"
            raise WrongUsage("these are facts of several homes", hint=hint)
        name = names.pop()
        asked = self._beside(name) if name else self.reader()
        self.out.short = asked.short
        return asked, tuple([asked.named(home_and_id(one)[1]) for one in ids]), name

    def _beside(self, name: str) -> Reader:
        """Return the home of this name that is read beside the one that is open."""
        from ledger.home import PERSONAL, personal_home
        from memory import Reader, upstreams

        if name == PERSONAL:
            home = personal_home()
        else:
            reader = self.reader()
            others = upstreams(reader.home, reader.snapshot.cache().policy)
            home = next((one.home for one in others if one.name == name), None)
        if home is None:
            hint = "`[upstream]` of the policy names homes of others; `diurna sync` fetches them"
            raise NotFound(f"there is no home {name} here", hint=hint)
        return Reader(home)

    def adopt(self, memory: Memory) -> None:
        """Take over a home that the quick path has opened."""
        self._opened = memory
        self.out.short = memory.short
        memory.typed = any(one.split("=")[0] == "--agent" for one in self.arguments)

    def reading(self, path: str, using: Callable[[BinaryIO], Said], hint: str = _FILE_HINT) -> Said:
        """Return what is made of a file, or of standard input for `-`; `hint` says what can be named.

        Raises:
            NotFound: there is no such file.
            DiurnaError: it can not be read.
        """
        name = "standard input" if path == STDIN else path
        if path == STDIN and not sys.stdin:
            raise DiurnaError("it is closed", where=name, hint=hint)
        try:
            if path == STDIN:
                return using(sys.stdin.buffer)
            with open(path, "rb") as file:
                return using(file)
        except FileNotFoundError:
            raise NotFound("there is no such file", where=name, hint=hint) from None
        except OSError as problem:
            said = problem.strerror or str(problem)
            raise DiurnaError(said, where=name, hint=hint) from problem

    def read(self, path: str) -> bytes:
        """Read a whole file, or standard input for `-`.

        Raises:
            DraftRefused: it is over the limit for a session log.
            DiurnaError: as `reading`.
        """
        data = self.reading(path, lambda file: file.read(LOG_LIMIT_BYTES + 1))
        if len(data) > LOG_LIMIT_BYTES:
            name = "standard input" if path == STDIN else path
            message = f"more than {LOG_LIMIT_BYTES} bytes, the limit for one log"
            hint = "split it into several logs"
            raise DraftRefused((Finding("too-large", message, name, hint=hint),))
        return data

    def text(self, path: str) -> str:
        """Read a whole file of a person's, or standard input for `-`, as `document_text` has it.

        Raises:
            DiurnaError: it is no text, or as `read`.
        """
        from ledger.codec.outline import NO_TEXT, document_text

        text = document_text(self.read(path))
        if text is None:
            name = "standard input" if path == STDIN else path
            raise WrongUsage(NO_TEXT, where=name, hint="save it as UTF-8")
        return text

    def answer(
        self,
        values: Mapping[str, object],
        lines: Iterable[Line] | Layout = (),
        *,
        findings: tuple[Finding, ...] = (),
        nothing: str = "",
        hints: Iterable[str] = (),
    ) -> None:
        """Answer: with one object where `--json` asks for it, else with its lines, and what to do next.

        A layout writes the lines from the object. `nothing` is said where there is no line; it and hints
        beside it quote nothing that somebody wrote.
        """
        out = self.out
        if self.json:
            out.answer(values)
        elif not out.lines(self.written(values, lines)) and nothing:
            out.talk(nothing, fixed=True)
        out.findings(findings)
        for hint in hints if not self.json else ():
            out.hint(hint, fixed=bool(nothing))

    def written(
        self, values: Mapping[str, object], lines: Iterable[Line] | Layout
    ) -> Iterable[Line]:
        """Return the lines of an answer: as they are, or as a layout writes them from the object."""
        if not isinstance(lines, str):
            return lines
        from rituals.answers.record_to_dict import plain
        from rituals.cli.layout import lines_of

        return lines_of(lines.strip("\n"), plain({**values}), self.out.short)

    def show(self, values: Mapping[str, object], layout: Layout, *, beside: bool = False) -> None:
        """Print an object as a layout writes it, or say it `beside` the answer."""
        self.out.lines(self.written(values, layout), beside=beside)

    def piped(self) -> bool:
        """Tell whether standard input is something other than a terminal."""
        return bool(sys.stdin) and not sys.stdin.isatty()

    def interactive(self) -> bool:
        """Tell whether a person can be asked: both ends are a terminal."""
        return bool(sys.stdin and sys.stderr) and sys.stdin.isatty() and sys.stderr.isatty()

    def close(self) -> None:
        """Say what the opened home has to say beside the answer, and close it."""
        reader = self._opened
        if reader is None:
            return
        cache = reader.cache()
        if cache.policy_problem:
            from rituals.check.ledger_checks import policy_problem

            self.out.findings((policy_problem(cache.policy_problem),))
        if cache.policy.format > FORMAT_VERSION:
            from rituals.check.ledger_checks import newer_format

            self.out.findings((newer_format(POLICY_FILE, cache.policy.format),))
        # what waits after an append is on its way, and `check` has told it already
        told = self.landed or any(one.code == "spool-waiting" for one in self.out.told)
        waiting = [] if told or not hasattr(reader, "waiting") else reader.waiting()
        if waiting:
            logs = "a session log is" if len(waiting) == 1 else f"{len(waiting)} logs are"
            message = f"{logs} saved, and not committed yet: {few(waiting, 1)}"
            hint = "the next `diurna append` or `diurna check --publish` commits what waits"
            self.out.findings((Finding("spool-waiting", message, hint=hint),))
        self.say_noted()
        # whatever was answered is incomplete then
        self.out.findings(tuple(cache.unread()))
        self.let_go()

    def let_go(self) -> None:
        """Close the opened home without a word."""
        if self._opened is not None:
            self._opened.close()

    def say_noted(self) -> None:
        """Say what was noticed on the way and done about it, also where the command then failed."""
        if self._opened is not None:
            self.out.findings(tuple(self._opened.snapshot.notes))

    def state_dir(self) -> str:
        """Return where the home keeps its state, "" when there is no home."""
        try:
            return (self._opened.home if self._opened else self.find_home()).state_dir
        except Exception:  # noqa: BLE001 - asked for while another problem is being reported
            return ""

    def abandon_stdout(self) -> None:
        """Let nothing be written any more: whoever read it is gone."""
        nowhere = os.open(os.devnull, os.O_WRONLY)
        for stream in (sys.stdout, sys.stderr):
            try:
                try:
                    stream.flush()
                except (OSError, ValueError):
                    os.dup2(nowhere, stream.fileno())
            except (OSError, ValueError, AttributeError):
                pass  # it is closed, or there is none
        os.close(nowhere)
