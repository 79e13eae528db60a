"""Tell how commits lie to each other, what stands where in them, and who wrote it: one git call for many.

The first-parent line of a commit is what a branch itself went through: what came by a merge came with it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from ledger.git.cli import SEVERAL, Git
from ledger.model.record import Record

#: Digits of a whole id; of fewer than `LEAST` nothing is told.
WHOLE, LEAST, _HEX = 40, 7, "0123456789abcdef"


class Lacking(Record):
    """What a commit does not hold of what was asked."""

    whole: Mapping[str, str]  #: the whole ids of what is there, by what names it
    outside: frozenset[str]  #: what is there, and no ancestor of it
    missing: frozenset[str]  #: what names no object
    unknown: frozenset[str]  #: what names several, or is no id

    def has(self, name: str) -> bool:
        """Tell whether it holds a commit that was asked for."""
        return name in self.whole and name not in self.outside

    def joined(self, other: Lacking) -> Lacking:
        """Return what it holds of what was asked both times; what was missing or unknown then."""
        there = {**self.whole, **other.whole}
        return self._replace(whole=there, outside=self.outside | other.outside)


def whole_ids(git: Git, names: Collection[str]) -> Mapping[str, str | None]:
    """Return the whole ids of commits by what names them; "" for what is not there, None for several."""
    found = git.named(f"{one}^{{commit}}" for one in names) if names else []
    rows = zip(names, found, strict=True)
    return {name: None if kind == SEVERAL else oid for name, (kind, oid) in rows}


def not_held(git: Git, commit: str, ids: Iterable[str]) -> frozenset[str]:
    """Return those of some commits, by their whole ids, that another one does not hold."""
    wanted = frozenset(ids)
    lines = "".join([f"{one}\n" for one in (*wanted, f"^{commit}")])
    said = git.run("rev-list", "--stdin", data=lines.encode()) if wanted else b""
    return wanted.intersection(said.decode().split())


def lacking(git: Git, commit: str, names: Collection[str]) -> Lacking:
    """Tell what of some commits another one does not hold; names of seven digits or more will do."""
    hexed = [one for one in names if LEAST <= len(one) <= WHOLE and not one.strip(_HEX)]
    odd = frozenset(names).difference(hexed)
    whole = whole_ids(git, hexed)
    there = {name: one for name, one in whole.items() if one}
    outside = not_held(git, commit, there.values())
    return Lacking(
        there,
        frozenset([name for name, one in there.items() if one in outside]),
        frozenset([name for name, one in whole.items() if one == ""]),
        odd | {name for name, one in whole.items() if one is None},
    )


#: Contents over this size say nothing.
BLOB_LIMIT_BYTES = 1 << 20
#: So many paths are asked for in one walk.
_PATHS = 1000
#: How git's note of what moved a branch begins where a commit was made.
_WORK = ("commit", "cherry-pick", "revert", "am")


class Step(Record):
    """A commit of the line."""

    commit: str
    seconds: int  #: when it was committed, since 1970
    parent: str  #: the step before it, "" for a first commit
    merges: bool  #: it has several parents
    subject: str


class Ref(Record):
    """A tag or a branch: its whole name, its commit, and when an annotated tag was made, 0 for others."""

    name: str
    commit: str
    seconds: int


class Entry(Record):
    """What stands at a path of a commit: `type` is git's, "" for nothing."""

    type: str
    id: str = ""


class Mainline:
    """The first-parent line of a commit.

    Args:
        git: runs in the repository.
        head: the commit.
    """

    def __init__(self, git: Git, head: str) -> None:
        self._git, self._head = git, head

    def behind(self, *commits: str) -> list[Step]:
        """Return the steps that none of some commits has, oldest first; the whole line for none."""
        without = filter(None, commits)
        asked = ("--first-parent", "--format=%x01%H %ct %P%x02%s", self._head, "--not", *without)
        out = self._git.run("log", *asked, "--").decode("utf-8", "replace")
        found = []
        for part in out.split("\x01")[1:]:
            ids, _, subject = part.partition("\x02")
            commit, seconds, first, *others = ids.split(" ")
            found.append(Step(commit, int(seconds), first, bool(others), subject.rstrip("\n")))
        return found[::-1]

    def touching(self, paths: Iterable[str], base: str) -> dict[str, dict[str, str]]:
        """Return, by path, the commits of the line behind one that changed it or what is below it.

        Of each commit the mode of a file of that very path is told, "" for what is none.
        """
        wanted = list(set(paths))
        found: dict[str, dict[str, str]] = {path: {} for path in wanted}
        for at in range(0, len(wanted), _PATHS):
            specs = [f":(top,literal){path}" for path in wanted[at : at + _PATHS]]
            out = self._git.text(
                "log", "--first-parent", "-m", "--raw", "-z", "--no-renames", "--no-abbrev",
                "--format=%x01%H%x02", self._head, *([f"^{base}"] if base else []), "--", *specs,
            )  # fmt: skip
            for part in out.split("\x01")[1:]:
                commit, _, rest = part.partition("\x02")
                fields = rest.strip("\0\n").split("\0")
                for meta, name in zip(fields[0::2], fields[1::2], strict=False):
                    mode = meta.strip("\n").split(" ")[1]
                    parts = name.split("/")
                    above = ["/".join(parts[:end]) for end in range(1, len(parts) + 1)]
                    for path in found.keys() & above:
                        found[path].setdefault(commit, "")
                        if path == name:
                            found[path][commit] = mode
        return found

    def entries(self, places: Iterable[tuple[str, str]]) -> dict[tuple[str, str], Entry]:
        """Return what stands at paths of commits."""
        wanted = list(set(places))
        named = self._git.named(f"{commit}:{path}" for commit, path in wanted) if wanted else []
        return {
            place: Entry(type if oid else "", oid)
            for place, (type, oid) in zip(wanted, named, strict=True)
        }

    def contents(self, blobs: Iterable[str]) -> dict[str, str]:
        """Return the texts of blobs, by id; those that are missing or large are left out."""
        wanted = list(set(blobs))
        sizes = zip(wanted, self._git.sizes(wanted), strict=True) if wanted else ()
        small = [one for one, size in sizes if size <= BLOB_LIMIT_BYTES]
        found = zip(small, self._git.blobs(small), strict=True) if small else ()
        return {one: data.decode("utf-8", "replace") for one, data in found if data is not None}

    def names(self, *below: str) -> list[str]:
        """Return the whole names of the tags and branches below some folders; no object is read."""
        return self._git.text("for-each-ref", "--format=%(refname)", *below).split("\n")[:-1]

    def refs(self, names: Iterable[str]) -> list[Ref]:
        """Return those of some tags and branches that lead to a commit."""
        form = (
            "%(refname)%00%(objecttype)%00%(objectname)%00%(*objecttype)%00%(*objectname)"
            "%00%(taggerdate:unix)"
        )
        wanted, found = list(set(names)), []
        for at in range(0, len(wanted), _PATHS):
            some = wanted[at : at + _PATHS]
            for line in self._git.text("for-each-ref", f"--format={form}", *some).split("\n")[:-1]:
                name, type, oid, behind, peeled, made = line.split("\0")
                if "commit" in (type, behind) and name in some:
                    seconds = int(made) if made.isdigit() else 0
                    found.append(Ref(name, oid if type == "commit" else peeled, seconds))
        return found

    def times(self, commits: Iterable[str]) -> dict[str, int]:
        """Return when commits were committed, in seconds since 1970, by id."""
        wanted = list(set(commits))
        out = self._git.text("show", "-s", "--format=%H %ct", *wanted) if wanted else ""
        return {line.split()[0]: int(line.split()[1]) for line in out.split("\n")[:-1]}

    def lacking(self, holder: str, commits: Iterable[str]) -> frozenset[str]:
        """Return which commits another one, or the line's own for "", does not hold."""
        return not_held(self._git, holder or self._head, commits)

    def first_holding(self, line: Sequence[Step], commits: Iterable[str]) -> Step:
        """Return the first step that holds any of some commits, one of which its last one holds."""
        wanted = frozenset(commits)
        low, high = 0, len(line) - 1
        for at, step in enumerate(line):
            if step.commit in wanted:  # no step before it may hold that one
                high = at
                break
        while low < high:
            middle = (low + high) // 2
            if self.lacking(line[middle].commit, wanted) == wanted:
                low = middle + 1
            else:
                high = middle
        return line[low]

    def whole(self, ids: Iterable[str]) -> dict[str, str]:
        """Return the whole ids of commits, by what names them; those that are none are left out."""
        return {name: one for name, one in whole_ids(self._git, list(set(ids))).items() if one}

    def worked_on(self, branch: str) -> str:
        """Return the newest commit that was made on a branch here, "" where that is not known."""
        asked = ("reflog", "show", "--format=%H %gs", f"refs/heads/{branch}", "--")
        for line in self._git.text(*asked, check=False).split("\n"):
            commit, _, what = line.partition(" ")
            if what.startswith(_WORK):
                return commit
        return ""

    def common(self, commits: Sequence[str]) -> str:
        """Return the best commit that all of some commits have, "" for none."""
        if len(set(commits)) < 2:
            return commits[0] if commits else ""
        out = self._git.run("merge-base", "--octopus", *sorted(set(commits)), check=False)
        return out.decode().strip()


def merged_branches(message: str) -> tuple[str, ...]:
    """Return the branches that a message says, as git and forges write it, that its commit merges."""
    import re  # a note does without

    named = re.match(
        r"Merged? (?:branch|branches|remote-tracking branch) ((?:(?:, | and )?'[^']+')+)"
        r"|Merge pull request #\d+ from [^/\s]+/(\S+)|Merged in (\S+) \(pull request #\d+\)",
        message,
    )
    if named is None:
        return ()
    if named[1] is None:
        return (named[2] or named[3],)
    ours = re.findall(r"'([^']+)'", named[1])
    remote = "remote-tracking" in named[0]
    return tuple([one.partition("/")[2] if remote else one for one in ours])


#: A commit as git lists it: the parents, the times of author and committer, the author, the message.
_FORMAT = "%x01%H%x00%P%x00%at%x00%ct%x00%an%x00%B"
#: What git says where the list of commits to be passed over, which the settings name, is not right.
_BAD_LIST = (b"object name list", b"invalid object name")


class Written(Record):
    """The lines of a file that one commit wrote."""

    commit: str  #: its whole id, "" for what is not committed yet
    lines: tuple[int, ...]  #: their numbers, from 1
    first: bytes  #: the first of them, as it is now


class CodeCommit(Record):
    """A commit of the code."""

    id: str
    parents: tuple[str, ...]
    written: int  #: by its author: seconds since 1970
    made: int  #: by whoever committed it
    author: str
    message: str

    @property
    def subject(self) -> str:
        """The first line of its message."""
        return self.message.partition("\n")[0].strip()

    @property
    def body(self) -> str:
        """The rest of its message."""
        return self.message.partition("\n")[2].strip()


def blame(git: Git, path: str, line: int = 0, commit: str = "") -> tuple[Written, ...] | None:
    """Return who wrote a file, those of most lines first; None where git has no such file or line.

    White space and moves within the file's commits count for nothing, and neither do the commits that
    `blame.ignoreRevsFile` names.

    Args:
        git: runs in the repository.
        path: of the file, from the top.
        line: the only one that is asked for, 0 for all.
        commit: whose file is meant, "" for that of the work tree.
    """
    asked = ["blame", "-w", "-C", "--no-textconv", "--porcelain"]
    asked += [f"-L{line},{line}"] * bool(line) + [commit] * bool(commit)
    asked += ["--", path]
    options = () if commit else git.unfiltered()
    status, out, err = git.call(*options, *asked)
    if status and any(words in err for words in _BAD_LIST):
        status, out, err = git.call(*options, asked[0], "--no-ignore-revs-file", *asked[1:])
    if status:
        return None
    lines: dict[str, list[int]] = {}
    first: dict[str, bytes] = {}
    by, number = "", 0
    for row in out.split(b"\n"):
        words = row.split(b" ")
        if row[:1] == b"\t":
            lines.setdefault(by, []).append(number)
            first.setdefault(by, row[1:])
        elif len(words) > 2 and len(words[0]) in (40, 64) and words[2].isdigit():
            by, number = words[0].decode("ascii"), int(words[2])
            by = by.strip("0") and by
    found = [Written(one, tuple(some), first[one]) for one, some in lines.items()]
    return tuple(sorted(found, key=lambda one: (-len(one.lines), one.lines)))


def commits_of(git: Git, ids: Iterable[str]) -> dict[str, CodeCommit]:
    """Return commits by their whole ids."""
    wanted = list(dict.fromkeys(ids))
    if not wanted:
        return {}
    asked = ("--no-walk=unsorted", "--encoding=UTF-8", f"--format={_FORMAT}", *wanted)
    out = git.run("log", *asked, "--")
    found = {}
    for part in out.decode("utf-8", "replace").split("\x01")[1:]:
        one, parents, written, made, author, message = part.split("\0", 5)
        found[one] = CodeCommit(
            one, tuple(parents.split()), int(written or 0), int(made or 0), author, message.strip()
        )
    return found
