"""Write results to stdout and talk to stderr, and nothing that could command a terminal.

Against fault:J12 and fault:G15: control characters, escapes, overrides of direction and what
can not be seen leave only as JSON escapes (`ledger.escape`), into a pipe or file as well: what reads
there may be a model, or a terminal behind it. In `--json` such an escape is the character itself.
"""

from __future__ import annotations

from ledger.errors import DiurnaError
from ledger.escape import visible
from ledger.model.finding_codes import ERROR, Finding

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Any, TextIO

#: A piece of text, or (text, style).
Piece = str | tuple[str, str]
#: A line of a result: its text, or its pieces.
Line = str | tuple[Piece, ...]

FORMAT = 1  #: of every `--json` answer
#: The verbs that steps of plans start with, and how they read afterwards.
_DONE = {
    "bring": "brought", "close": "closed", "commit": "committed", "import": "imported", "join": "joined",
    "leave": "left", "make": "made", "move": "moved", "publish": "published",
    "rebuild": "rebuilt", "reopen": "reopened", "say": "said", "set": "set", "take": "took",
    "unset": "unset", "write": "wrote",
}  # fmt: skip
_STYLES = {"bold": "1", "red": "31", "green": "32", "yellow": "33", "cyan": "36", "dim": "2"}


def counted(number: int, noun: str) -> str:
    """Write a number and what it counts: `1 log`, `2 logs`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def few(names: Sequence[str], most: int, more: str = "") -> str:
    """Name the first of several, and count the rest; `more` says how all of them are shown."""
    rest = len(names) - most
    return ", ".join(names[:most]) + (f" and {rest} more{more}" if rest > 0 else "")


def told(step: str, *, done: bool) -> str:
    """Say a step of a plan as what was done, or as what would be.

    A step is as a plan has it: `commit diurna.toml`; one that starts with no such verb stays.
    """
    verb, blank, rest = step.partition(" ")
    if verb not in _DONE:
        return step
    return f"{_DONE[verb]}{blank}{rest}" if done else f"would {step}"


class OutputFailed(DiurnaError):
    """Standard output takes nothing more, on a full disk for instance."""

    def __init__(self, problem: OSError) -> None:
        super().__init__(
            problem.strerror or str(problem),
            where="standard output",
            hint="only the answer is lost; the command did its work",
        )


class Output:
    """Where a command writes.

    Args:
        stdout: for results.
        stderr: for talk.
        colour: whether styles may be used at all.
        monotonic: gives seconds, for the progress bar.
    """

    def __init__(
        self, stdout: TextIO, stderr: TextIO, *, colour: bool, monotonic: Callable[[], float]
    ) -> None:
        self._out, self._err = stdout, stderr
        self._out_terminal, self._err_terminal = stdout.isatty(), stderr.isatty()
        self._colour = colour
        self._answered = False
        #: A result that is kept back until it is known how long it is; None where it is printed at once.
        self._held: list[str] | None = None
        #: What is said behind the result.
        self._later: list[str] = []
        self._may_page = self._out_terminal
        #: Writes a stem as people read it, once a home is open.
        self.short: Callable[[str], str] = str
        #: what was said already
        self.told: set[Finding] = set()
        self._progress = None
        if self._err_terminal:
            from rituals.cli.progress import Progress

            self._progress = Progress(stderr, monotonic)
        _set_encoding(stdout, self._out_terminal)
        _set_encoding(stderr, True)

    def text(self, text: str) -> None:
        """Print a result, with what nobody can see made visible."""
        self._clear()
        self._print(visible(text))

    def line(self, *pieces: Piece) -> None:
        """Print one line of a result."""
        self._clear()
        self._print(_styled(pieces, self._colour and self._out_terminal))

    def lines(self, lines: Iterable[Line], *, beside: bool = False) -> bool:
        """Print lines of a result, or say them `beside` it; tell whether there were any."""
        some = False
        for line in lines:
            some = True
            (self.talk if beside else self.line)(*((line,) if isinstance(line, str) else line))
        return some

    def answer(self, values: Mapping[str, object], *, lines: bool = True) -> None:
        """Print the one object of a `--json` answer; what would be a second one is not printed.

        `lines` writes it in several; one line is for who reads on while the command runs.
        """
        if self._answered:
            return
        self._answered = True
        import json

        from rituals.answers.record_to_dict import plain

        said = json.dumps(
            {"format": FORMAT, **_public(plain({**values}))}, ensure_ascii=False, sort_keys=True,
            indent=2 if lines else None,
        )  # fmt: skip
        # JSON can not carry lone surrogates: bytes of names that are no UTF-8
        said = said.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        self.text(said + "\n")

    def talk(self, *pieces: Piece, fixed: bool = False) -> None:
        """Say one line on stderr, behind a result that is kept back.

        `fixed` says that it quotes nothing that somebody wrote, so no secret is looked for in it.
        """
        self._clear()
        told = pieces if fixed else tuple([_told(piece) for piece in pieces])
        said = _styled(told, self._colour and self._err_terminal)
        if self._held is None:
            self._err.write(said)
        else:
            self._later.append(said)

    def hint(self, text: str, *, fixed: bool = False) -> None:
        """Say what to do next, on a line of its own; `fixed` is as for `talk`."""
        if text:
            self.talk(("hint:", "cyan"), f" {text}", fixed=fixed)

    def findings(self, findings: tuple[Finding, ...]) -> None:
        """Say what was noticed and not said yet; a hint that several in a row share stands behind them."""
        fresh = tuple(finding for finding in findings if finding not in self.told)
        self.told.update(fresh)
        for number, finding in enumerate(fresh, 1):
            style = "red" if finding.severity == ERROR else "yellow"
            where = "" if finding.where in finding.message else f"{finding.where}: "
            self.talk((f"{finding.severity}:", style), f" {where}{finding.message}")
            if number == len(fresh) or fresh[number].hint != finding.hint:
                self.hint(finding.hint)

    def progress(self, done: int, total: int) -> None:
        """Draw how far a long reading is; nothing unless stderr is a terminal."""
        if self._progress is not None:
            self._progress.draw(done, total)

    def transfer(self) -> Callable[[str, int, int], None] | None:
        """Return what draws how far a transfer is, None unless stderr is a terminal."""
        bar = self._progress
        if bar is None:
            return None
        return lambda what, done, total: bar.draw(done, total, visible(what).lower())

    def hold(self) -> None:
        """Keep the result back to the end: what is long is shown in a pager, on a terminal."""
        if self._may_page:
            self._held = []

    def release(self) -> None:
        """Print what was kept back, and all that comes, without a pager."""
        held, self._held, self._may_page = self._held, None, False
        if held:
            self._print("".join(held))
        self._say_later()

    def flush(self) -> None:
        """Write out what is buffered."""
        self._clear()
        held, self._held = "".join(self._held or ()), None
        if held:
            self._err.flush()
            from rituals.cli.progress import page

            if not page(held, self._out):
                self._print(held)
        self._print("", flush=True)
        self._say_later()
        self._err.flush()

    def _say_later(self) -> None:
        later, self._later = "".join(self._later), []
        self._err.write(later)

    def _print(self, text: str, *, flush: bool = False) -> None:
        if self._held is not None:
            self._held.append(text)
            return
        try:
            if flush:
                self._out.flush()
            else:
                self._out.write(text)
        except BrokenPipeError:
            raise
        except OSError as problem:
            raise OutputFailed(problem) from problem

    def _clear(self) -> None:
        if self._progress is not None:
            self._progress.clear()


def _styled(pieces: tuple[Piece, ...], styled: bool) -> str:
    """Write pieces as a line."""
    found = []
    for piece in pieces:
        text, style = (piece, "") if isinstance(piece, str) else piece
        text = visible(text)
        found.append(f"\x1b[{_STYLES[style]}m{text}\x1b[0m" if styled and style else text)
    return "".join(found) + "\n"


def _told(piece: Piece) -> Piece:
    """Leave secrets out of what is said about a text: a message may quote it (fault:L14)."""
    from ledger.secrets.scanner import without_secrets

    if isinstance(piece, str):
        return without_secrets(piece)
    return without_secrets(piece[0]), piece[1]


def _set_encoding(stream: TextIO, terminal: bool) -> None:
    """Let no locale break a write: a file gets UTF-8, a terminal what it can show."""
    how = {"encoding": "utf-8", "errors": "surrogateescape"}
    if reconfigure := getattr(stream, "reconfigure", None):
        reconfigure(**({"errors": "backslashreplace"} if terminal else how))


def _public(value: Any) -> Any:
    """Leave out what is of the text alone: keys that begin with `=`."""
    if isinstance(value, dict):
        return {key: _public(there) for key, there in value.items() if key[:1] != "="}
    return [_public(there) for there in value] if isinstance(value, list) else value
