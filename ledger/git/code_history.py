"""Ask git about the code beside a ledger: what is at a commit, and what history took away.

Every answer is about one commit and its ancestors, so the same commit gives the same answer, and each
question about many things is one git call. Merge commits are not looked into: what they bring was done
on a side that is looked at.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from ledger.git.cli import Git
from ledger.model.ids import is_object
from ledger.model.log_names import ended_of, stamp_of
from ledger.model.record import Record

#: Documents mention what is long gone, so they prove nothing about names of code.
DOCUMENTS = ("md", "mdx", "rst", "txt", "adoc")
#: More paths on one command line than this are asked for all at once.
_PATHS_LIMIT = 2000
#: How many names one walk through the history looks for.
_NAMES_AT_ONCE = 1000
#: Contents of blobs over this size are not read.
_BLOB_LIMIT_BYTES = 1 << 20
_HEADER = "\x01%H %ct %s"
#: Whatever the user's settings say, the output has one form.
PLAIN = (
    "--no-renames --no-ext-diff --no-textconv --no-color --no-show-signature --no-notes "
    "--src-prefix=a/ --dst-prefix=b/"
).split()
_PLAIN_GREP = ("--no-color", "--no-line-number", "--no-column", "--threads=2")


class Change(Record):
    """A commit of the code: its id, when it was made (seconds since 1970), and its subject."""

    commit: str
    seconds: int
    subject: str

    @property
    def short(self) -> str:
        """The id of the commit, in short."""
        return self.commit[:7]

    @property
    def date(self) -> str:
        """The day on which it was made, `YYYY-MM-DD`."""
        return stamp_of(max(0, self.seconds) * 1000)[:10]

    def is_behind(self, ms: int) -> bool:
        """Tell whether it was made after a time, in milliseconds since 1970, as far as git tells.

        git counts whole seconds: what was recorded in the midst of one may have come before its commits.
        A time of whole seconds is one of git's own, and no commit of that second is behind it.
        """
        second, beyond = divmod(ms, 1000)
        return self.seconds > second or (self.seconds == second and beyond > 0)

    @property
    def said(self) -> str:
        """The commit as one reads it: `4f2a91c (2026-08-01, "Drop the queue")`."""
        subject = " ".join(self.subject.split())[:72].replace('"', "'").replace("`", "'")
        return f'{self.short} ({self.date}, "{subject}")'


class Removal(Record):
    """A file that a commit took away."""

    path: str
    change: Change


class Lost(Record):
    """A line with a name in it that a commit took away."""

    name: str
    path: str
    line: str
    change: Change


class Code:
    """A code repository at one commit.

    Args:
        git: runs in it.
        commit: what is looked at.
        outside: a folder of it that is no code (the ledger's), "" for none; it ends in `/`.
        base: an ancestor whose history is not looked at, "" for none.
    """

    def __init__(self, git: Git, commit: str, outside: str = "", base: str = "") -> None:
        self._git = git
        self.commit = commit
        self._base = base
        self._outside = outside
        self._files: dict[str, str] | None = None
        self._writers: dict[str, dict[int, tuple[str, str]]] = {}
        self._without = (f":(exclude,literal){outside.rstrip('/')}",) if outside else ()

    def since(self, commit: str) -> Code | None:
        """Return this code with what happened behind a commit alone; None where that is no ancestor."""
        if not self._git.holds(self.commit, commit):
            return None
        return Code(self._git, self.commit, self._outside, commit)

    def files(self) -> dict[str, str]:
        """Return the blob id of every file, by path."""
        if self._files is None:
            self._files = {
                path: blob
                for mode, blob, path in self._git.tree_files(self.commit, "")
                if mode != "160000" and not (self._outside and path.startswith(self._outside))
            }
        return self._files

    def written_by(self, path: str, line: int) -> tuple[str, str]:
        """Return who wrote a line of a file, and on which day; ("", "") where this clone can not tell."""
        if path not in self._writers:
            from ledger.git.ancestry import blame, commits_of

            written = blame(self._git, path, 0, self.commit) or ()
            found = commits_of(self._git, [one.commit for one in written])
            cut = self._git.run("rev-parse", "--is-shallow-repository") == b"true\n"
            self._writers[path] = {
                number: (who.author, Change(who.id, who.written, "").date)
                for one in written
                if (who := found[one.commit]).parents or not cut
                for number in one.lines
            }
        return self._writers[path].get(line, ("", ""))

    def contents(self, blobs: Sequence[str]) -> dict[str, bytes]:
        """Return the bytes of blobs, by id; those that are missing or large are left out."""
        wanted = list(set(blobs))
        found = zip(wanted, self._git.blobs(wanted), strict=True)
        return {one: data for one, data in found if data and len(data) <= _BLOB_LIMIT_BYTES}

    def sizes(self, blobs: Sequence[str]) -> dict[str, int]:
        """Return how many bytes blobs have, by id; none of them is read."""
        wanted = list(set(blobs))
        return dict(zip(wanted, self._git.sizes(wanted), strict=True)) if wanted else {}

    def changed_since(self, commit: str) -> frozenset[str] | None:
        """Return the files that differ from another commit, None where that one is gone."""
        found = self._git.changes(commit, self.commit)
        if found is None:
            return None
        outside = self._outside or "\0"
        return frozenset([path for _, _, _, path in found if not path.startswith(outside)])

    def present(self, names: Iterable[str]) -> frozenset[str]:
        """Return which names stand somewhere in the code, documents apart."""
        wanted = sorted(set(names))
        if not wanted:
            return frozenset()
        patterns = [part for name in wanted for part in ("-e", name)]
        status, out, err = self._git.call(
            "grep", "-I", "-z", "-o", "-h", "-w", "-F", *_PLAIN_GREP, *patterns, self.commit, "--",
            *self._code_only(),
        )  # fmt: skip
        if status > 1:
            raise self._git.failure("grep", status, err)
        return frozenset(out.decode("utf-8", "replace").split("\n")) & set(wanted)

    def removed(self, paths: Iterable[str], since_ms: int) -> Iterator[Removal]:
        """Yield the files of these names that commits took away, newest first.

        `paths` are of files or folders, from the top or only their last parts; `since_ms`, milliseconds
        since 1970, is where looking back ends.
        """
        wanted = set(paths)
        specs = [spec for path in wanted for spec in (f":(glob)**/{path}", f":(glob)**/{path}/**")]
        if not specs:
            return
        if len(specs) > _PATHS_LIMIT:
            specs = ["."]
        out = self._log(since_ms, "--diff-filter=D", "--name-only", "-z", specs=specs)
        for change, rest in _commits(out):
            for path in rest.split("\0"):
                if path.strip("\n"):
                    yield Removal(path.strip("\n"), change)

    def ignored(self, paths: Iterable[str]) -> frozenset[str]:
        """Return which paths the repository ignores: what is there may be on the disk alone.

        Read from the work tree, where git reads it; a bare repository ignores nothing.
        """
        wanted = set(paths)
        if not wanted:
            return frozenset()
        data = "".join(path + "\0" for path in wanted).encode("utf-8", "surrogateescape")
        _, out, _ = self._git.call("check-ignore", "--no-index", "-z", "--stdin", data=data)
        return frozenset(out.decode("utf-8", "surrogateescape").split("\0")) & set(wanted)

    def renames(self, commits: Iterable[str]) -> dict[tuple[str, str], str]:
        """Return what commits renamed: (commit, old path) -> new path."""
        wanted = set(commits)
        if not wanted:
            return {}
        out = self._git.text(
            "diff-tree", "--stdin", "-r", "-M", "--diff-filter=R", "--name-status", "-z", "--root",
            data="".join(one + "\n" for one in wanted).encode(),
        )  # fmt: skip
        found: dict[tuple[str, str], str] = {}
        fields = iter(out.split("\0"))
        commit = ""
        for field in fields:
            field = field.strip("\n")
            if is_object(field):
                commit = field
            elif field:  # how alike they are
                old = next(fields, "")
                found[commit, old] = next(fields, "")
        return found

    def lost(self, names: Iterable[str], since_ms: int) -> Iterator[Lost]:
        """Yield the lines of code with these names that commits took away; of each name newest first."""
        wanted = list(set(names))
        for at in range(0, len(wanted), _NAMES_AT_ONCE):
            either = "|".join(map(re.escape, wanted[at : at + _NAMES_AT_ONCE]))
            pickaxe = f"-S(^|[^A-Za-z0-9_])({either})([^A-Za-z0-9_]|$)"
            asked = ("--pickaxe-regex", pickaxe, "-p", "-U0")
            finder = re.compile(rf"(?<![A-Za-z0-9_])(?:{either})(?![A-Za-z0-9_])")
            for change, rest in _commits(self._log(since_ms, *asked, specs=self._code_only())):
                path = ""
                for line in rest.split("\n"):
                    if line.startswith("--- "):
                        path = line[6:] if line[4:6] == "a/" else ""
                    elif line[:1] == "-" and path:
                        for name in dict.fromkeys(finder.findall(line)):
                            yield Lost(name, path, line[1:].strip(), change)

    def _log(self, since_ms: int, *arguments: str, specs: Sequence[str]) -> str:
        since = ended_of(stamp_of(max(0, since_ms)))
        base = (f"^{self._base}",) if self._base else ()
        return self._git.text(
            "log", f"--since={since}", f"--format={_HEADER}", *PLAIN, *arguments, self.commit, *base,
            "--", *specs, *self._without,
        )  # fmt: skip

    def _code_only(self) -> list[str]:
        documents = [f":(exclude,glob,icase)**/*.{ending}" for ending in DOCUMENTS]
        return [".", *self._without, *documents]


def _commits(out: str) -> Iterator[tuple[Change, str]]:
    """Cut what `git log` printed into commits and what stands below each."""
    for part in out.split("\x01")[1:]:
        end = min((at for at in (part.find("\n"), part.find("\0")) if at >= 0), default=len(part))
        commit, _, rest = part[:end].partition(" ")
        seconds, _, subject = rest.partition(" ")
        if len(commit) == 40 and seconds.isdigit():
            yield Change(commit, int(seconds), subject), part[end + 1 :]
