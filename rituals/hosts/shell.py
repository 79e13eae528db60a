"""Read a line of shell as the simple commands that it runs: words, where they run, and what joins them.

It is a reading, not a shell: nothing is expanded, and what a substitution runs counts as run. What can not
be read (an open quote, a document without an end) ends the reading where it is.
"""

from __future__ import annotations

import posixpath
import re

from ledger.model.record import Record

_SEPARATORS = "\n;&|()"
_KEYWORDS = frozenset("if then else elif do while until ! { } done fi esac".split())
_CONDITIONS = frozenset(("then", "else", "elif", "do"))
#: Words that open what is no command up to the next separator.
_HEADS = frozenset(("for", "case", "select", "function"))
#: What runs another command: the options of it that take a value.
RUNNERS = dict.fromkeys(
    "nohup command exec builtin setsid chronic caffeinate bunx pnpx direnv mise asdf poetry pdm hatch rye"
    " pipenv bundle pnpm yarn".split(),
    (),
) | {
    name: tuple(takes)
    for name, *takes in map(
        str.split,
        "env -u --unset -C --chdir; sudo -u -g -C -D -h -p -U; doas -u -C; nice -n --adjustment;"
        "timeout -s --signal -k --kill-after; xargs -I -n -P -L -d -a -E -s; time -f -o; dotenv -f;"
        "stdbuf -i -o -e; ionice -c -n; npx -p --package; uvx --from --with; pipx --spec;"
        "conda -n --name; uv --with --python -p --extra --group".split(";"),
    )
}
#: Of those, which run another command only behind this word.
_BEHIND = {
    **dict.fromkeys("poetry uv pdm hatch rye pipenv pipx conda".split(), "run"),
    **dict.fromkeys("bundle pnpm yarn direnv mise asdf".split(), "exec"),
}
_PIPES = ("|", "|&")
_SHELLS = frozenset(("sh", "bash", "zsh", "dash", "ksh", "ash"))
#: What stands between `$'` and `'`, with its escapes.
_ANSI = re.compile(r"\$'((?:[^'\\]|\\.)*+)(?:'|\Z)", re.DOTALL)
_ESCAPE = re.compile(
    rb"\\(?:x([\dA-Fa-f]{1,2})|u([\dA-Fa-f]{1,4})|U([\dA-Fa-f]{1,8})|([0-7]{1,3})|(.))", re.DOTALL
)
_ESCAPES = dict(zip(b"abefnrtv\\'\"?", b"\a\b\x1b\f\n\r\t\v\\'\"?", strict=True))
_DEPTH = 6
#: More than that no agent writes by hand.
TEXT_CHARS = 100_000


class Simple(Record):
    """A simple command."""

    words: tuple[str, ...]  #: the program and what it is given, without quotes
    #: where it runs, from where the line began, "" for there; absolute behind such a `cd`
    folder: str = ""
    document: str = ""  #: what `<<` gives it
    decides: bool = True  #: the exit code of the line is its own where that is not 0
    surely: bool = True  #: it ran and succeeded where the line did
    by: tuple[str, ...] = ()  #: what ran it, as it was given: `sudo`, `uv run`


class _Found:
    """A simple command while it is read."""

    def __init__(self, folder: str, *, loose: bool = False) -> None:
        self.words: list[str] = []
        self.folder = folder
        self.document = ""
        self.joined = ""  # by what it is joined to the next one
        self.loose = loose  # the line may succeed without it


def read(text: str, depth: int = 0) -> tuple[Simple, ...]:
    """Return the simple commands of a text that was given to a shell, in order."""
    reader = _Reader(text[:TEXT_CHARS], depth)
    reader.read_list("", "")
    found: list[Simple] = []
    run = reader.found
    left = max([at for at, one in enumerate(run[:-1]) if one.joined != "&&"], default=-1)
    for index, one in enumerate(run):
        last, surely = index == len(run) - 1, index > left and not one.loose
        words = _unwrapped(one.words)
        script = _script(words) if words else None
        if script is not None:
            for inner in read(script or one.document, depth + 1) if depth < _DEPTH else ():
                decides, sure = inner.decides and last, inner.surely and surely
                folder = joined(one.folder, inner.folder)
                found.append(inner._replace(folder=folder, decides=decides, surely=sure))
        elif words:
            by = tuple(one.words[: len(one.words) - len(words)])
            found.append(Simple(tuple(words), one.folder, one.document, last, surely, by))
    return tuple(found)


def joined(folder: str, more: str) -> str:
    """Return a path below a folder, or itself where it is absolute; "" for the folder where all began."""
    path = posixpath.normpath(posixpath.join(folder, more)) if folder or more else ""
    return "" if path == "." else path


class _Reader:
    """Reads one text, from front to back, once."""

    def __init__(self, text: str, depth: int) -> None:
        self._text = text
        self._at = 0
        self._depth = depth
        self._open: list[tuple[str, bool, _Found]] = []  # documents that begin at the next line
        self.found: list[_Found] = []

    def read_list(self, folder: str, end: str) -> str:
        """Read commands up to a closing character, or the end; return the folder that a `cd` left."""
        text = self._text
        now = _Found(folder)
        while self._at < len(text):
            char, twice = text[self._at], text[self._at : self._at + 2]
            if end and char == end:
                self._at += 1
                break
            if char in " \t\r":
                self._at += 1
            elif twice == "\\\n":
                self._at += 2
            elif char == "#":
                line = text.find("\n", self._at)
                self._at = len(text) if line < 0 else line
            elif char == "(" and self._depth < _DEPTH:
                self._at += 1
                self._close(now, "(")
                self._depth += 1
                self.read_list(folder, ")")
                self._depth -= 1
                now = _Found(folder)
            elif char in _SEPARATORS:
                by = twice if twice in ("&&", "||", ";;", "|&") else char
                self._at += len(by)
                if char == "\n":
                    self._documents()
                folder = self._close(now, by)
                now = _Found(folder, loose=by == "||")
            elif char in "<>" or (char.isdigit() and twice[1:] in ("<", ">")):
                self._at += char.isdigit()
                self._redirect(now)
            else:
                self._word(now)
        return self._close(now, "")

    def _close(self, now: _Found, joined_by: str) -> str:
        """End a command; return the folder for the next one."""
        words, piped = now.words, joined_by in _PIPES
        first = next((at for at, word in enumerate(words) if word not in _KEYWORDS), len(words))
        now.loose = now.loose or piped or not _CONDITIONS.isdisjoint(words[:first])
        del words[:first]
        if not words or words[0] in _HEADS:
            if self.found and (piped or joined_by in ("&&", "||", "&")):  # behind a group
                self.found[-1].joined = joined_by
            return now.folder
        now.joined = joined_by
        self.found.append(now)
        if words[0] in ("cd", "pushd") and not piped and joined_by != "||":
            to = next((word for word in words[1:] if word[:1] != "-"), "")
            return joined(now.folder, to) if to and "$" not in to and to[0] != "~" else now.folder
        return now.folder

    def _redirect(self, now: _Found) -> None:
        text = self._text
        if text.startswith("<<", self._at) and not text.startswith("<<<", self._at):
            dash = text.startswith("-", self._at + 2)
            self._at += 2 + dash
            if mark := self._passed():
                self._open.append((mark[0], dash, now))
        elif text[self._at + 1 : self._at + 2] == "(":  # <(…) and >(…)
            self._at += 2
            self.read_list(now.folder, ")")
        else:
            while self._at < len(text) and text[self._at] in "<>&|":
                self._at += 1
            self._passed()

    def _passed(self) -> list[str]:
        """Pass blanks and the word behind them; return it, as it was written."""
        while self._text[self._at : self._at + 1] in (" ", "\t"):
            self._at += 1
        passed = _Found("")
        if self._text[self._at : self._at + 1] not in ("", *_SEPARATORS):
            self._word(passed)
        return passed.words

    def _documents(self) -> None:
        """Pass the documents that begin here, and give each to its command."""
        waiting, self._open = self._open, []
        for mark, dash, now in waiting:
            lines = []
            while self._at < len(self._text):
                end = self._text.find("\n", self._at)
                end = len(self._text) if end < 0 else end
                line = self._text[self._at : end]
                self._at = min(end + 1, len(self._text))
                if (line.lstrip("\t") if dash else line).rstrip("\r") == mark:
                    break
                lines.append(line)
            now.document = "\n".join(lines)

    def _word(self, now: _Found) -> None:
        text, parts, begin, quoted = self._text, list[str](), self._at, False
        while self._at < len(text):
            char, behind = text[self._at], text[self._at + 1 : self._at + 2]
            if char == '"':
                quoted = not quoted
                self._at += 1
            elif char == "\\":
                if behind != "\n":
                    plain = not quoted or behind in '"\\$`'
                    parts.append(behind if plain else char + behind)
                self._at += 2
            elif quoted and char not in "$`":
                parts.append(char)
                self._at += 1
            elif not quoted and (char in _SEPARATORS or char in " \t\r<>"):
                break
            elif char == "'":
                end = text.find("'", self._at + 1)
                end = len(text) if end < 0 else end
                parts.append(text[self._at + 1 : end])
                self._at = end + 1
            elif char == "$" and behind == '"' and not quoted:
                self._at += 1
            elif char == "$" and not quoted and (found := _ANSI.match(text, self._at)):
                said = _ESCAPE.sub(_escaped, found[1].encode("utf-8", "replace"))
                parts.append(said.decode("utf-8", "replace"))
                self._at = found.end()
            elif char in "$`":
                self._dollar(now, parts)
            else:
                parts.append(char)
                self._at += 1
        if self._at == begin:
            self._at += 1  # nothing that was foreseen: go on
            return
        now.words.append("".join(parts))

    def _dollar(self, now: _Found, parts: list[str]) -> None:
        """Read a substitution: what it runs is run; a document that it prints stands for it."""
        text, inner = self._text, list[_Found]()
        if text.startswith("$((", self._at):
            end = text.find("))", self._at)
            end = len(text) if end < 0 else end + 2
            parts.append(text[self._at : end])
            self._at = end
            return
        if text.startswith("$(", self._at) and self._depth < _DEPTH:
            self._at += 2
            self._depth += 1
            (outer, self.found), (waiting, self._open) = (self.found, []), (self._open, [])
            self.read_list(now.folder, ")")
            (inner, self.found), self._open = (self.found, outer), waiting
            self._depth -= 1
            if len(inner) == 1 and inner[0].words == ["cat"]:
                parts.append(inner[0].document)
                return
        elif text[self._at] == "`":
            end = text.find("`", self._at + 1)
            end = len(text) if end < 0 else end
            reader = _Reader(text[self._at + 1 : end], self._depth + 1)
            if self._depth < _DEPTH:
                reader.read_list(now.folder, "")
            inner = reader.found
            self._at = end + 1
        else:
            parts.append("$")
            self._at += 1
            return
        for one in inner:  # whose exit code is not the line's
            one.loose, one.joined = True, "&&"
        self.found += inner
        parts.append("$(…)")


def _escaped(found: re.Match[bytes]) -> bytes:
    """Return what stands for an escape between `$'` and `'`; one that is none stays."""
    byte, short, long, octal, name = found.groups()
    if short or long:
        return chr(min(int(short or long, 16), 0x10FFFF)).encode("utf-8", "replace")
    if byte or octal:
        return bytes([int(byte or octal, 16 if byte else 8) & 0xFF])
    return bytes([_ESCAPES[name[0]]]) if name[0] in _ESCAPES else found[0]


def _unwrapped(words: list[str]) -> list[str]:
    """Return a command without what runs it: `env A=b nice -n 5 npm i` is `npm i`; [] for none."""
    for _ in range(8):
        first = next((at for at, word in enumerate(words) if not _is_assignment(word)), len(words))
        words = words[first:]
        name = posixpath.basename(words[0]) if words else ""
        takes, word = RUNNERS.get(name), _BEHIND.get(name)
        if takes is None or (word is not None and word not in words[1:4]):
            break
        rest = words[words.index(word, 1) + 1 if word is not None else 1 :]
        at = 0
        while at < len(rest) and (rest[at][:1] == "-" or _is_assignment(rest[at])):
            option, at = rest[at], at + 1
            if option == "--":
                break
            at += option in takes
        rest = rest[at + (name == "timeout") :]
        if not rest:
            break
        if name in ("npx", "bunx", "pnpx", "uvx"):
            rest[0] = rest[0].partition("@")[0] or rest[0]
        words = rest
    return words


def _is_assignment(word: str) -> bool:
    name, equals, _ = word.partition("=")
    return bool(equals) and name.isidentifier()


def _script(words: list[str]) -> str | None:
    """Return what a shell is given to run: "" for what its input says, None where it is no such shell."""
    if posixpath.basename(words[0]) not in _SHELLS:
        return None
    for index, word in enumerate(words[1:], 1):
        if word[:1] == "-" and word[:2] != "--" and "c" in word:
            return words[index + 1] if index + 1 < len(words) else ""
        if word[:1] != "-":
            return None  # a file of its own
    return ""
