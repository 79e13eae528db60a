"""Tell which commands change something, test or build, and say of each what it did."""

from __future__ import annotations

import posixpath
from itertools import pairwise

from ledger.model.record import TYPE_CHECKING, Record
from rituals.hosts.adapters import FAILURE

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rituals.hosts.host_events import Moment
    from rituals.hosts.shell import Simple

#: Options of git in front of its command that take a value.
_GIT_VALUES = frozenset(("-C", "-c", "--git-dir", "--work-tree", "--namespace", "--exec-path"))
_GIT = frozenset(
    "commit push pull merge rebase reset revert cherry-pick am tag stash restore clean rm mv".split()
)
#: Beside `m`, the short options of `git commit` that take no value and may stand before it.
_FLAGS = "aqsvnepz"
#: Words behind one of those that only show.
_GIT_SHOWS = {
    "stash": frozenset(("list", "show")),
    "tag": frozenset(("-l", "--list", "-n", "-v", "--verify", "--contains", "--points-at")),
}
#: What opens a pull request.
_FORGES = {"gh": ["pr", "create"], "glab": ["mr", "create"]}
_DELETES = frozenset(("-d", "-D", "--delete", "-m", "-M", "--move"))
MANAGERS = frozenset(
    "npm pnpm yarn bun pip pip3 gem uv poetry pdm rye pipenv deno cargo bundle composer mix conda mamba"
    " apt apt-get dnf yum brew apk zypper choco winget scoop go dotnet pipx pacman twine helm".split()
)
#: What changes what a project or a machine has.
_CHANGES = frozenset(
    "add install i remove rm uninstall un publish update upgrade up require yank push purge del autoremove"
    " inject upload -S -R -Rs -Rns -U -Syu".split()
)
#: Options of theirs that take a value.
_MANAGER_VALUES = frozenset(("--filter", "-F", "--prefix", "-C", "--cwd", "--dir", "--workspace"))
#: The kind of what changes packages.
PACKAGE = "package"
_FILES = frozenset(("rm", "mv", "rmdir", "unlink", "trash"))
#: Programs that test or build, whatever they are given; and those that do with an option.
_TOOLS = frozenset(
    "pytest py.test tox nox jest vitest mocha ava rspec phpunit ctest behave tap cypress ginkgo bats karma"
    " tsc webpack rollup esbuild ninja meson hatchling tsup turbo nx".split()
)
_BY_OPTION = {"cmake": "--build", "node": "--test"}
#: Programs that do many things, and the words behind them that test or build.
_DOING = frozenset(
    "cargo go make just task mvn gradle dotnet swift mix bazel deno bun zig hatch uv poetry docker"
    " playwright manage.py sbt rake xcodebuild next vite ng nuxt astro".split()
)
_WORK = frozenset(
    "test tests nextest check spec verify build buildx compile package deploy assemble assembly"
    " publish".split()
)
_TARGETS = frozenset("make mvn gradle just xcodebuild".split())
_SAME = {"gradlew": "gradle", "mvnw": "mvn", "gmake": "make", "docker-compose": "docker"}
_SCRIPTS = frozenset(("npm", "pnpm", "yarn", "bun"))
_PYTHONS = ("python", "python3", "py")
_DRY = frozenset(("--dry-run", "--help", "-h", "--version"))


class Act(Record):
    """What a command does."""

    kind: str  #: git, package, file, test or task
    why: str  #: the command in two words
    what: str  #: what it did, in short
    paths: tuple[str, ...] = ()  #: that it names, from where it runs
    of_work: bool = False  #: its exit code is what it is about


def act(command: Simple) -> Act | None:
    """Return what a command does; None where it changes, tests and builds nothing."""
    words = list(command.words)
    if not words or not _DRY.isdisjoint(words):
        return None
    name = posixpath.basename(words[0])
    if name.removesuffix(".exe").rstrip("0123456789.") in _PYTHONS or name in _PYTHONS:
        words = _module(words)
        name = posixpath.basename(words[0])
    if name == "git":
        return _git(words, command)
    if name == "diurna":
        task = words[1:2] == ["task"]
        return Act("task", "diurna task", " ".join(words)) if task else None
    if words[1:3] == _FORGES.get(name):
        why = " ".join([name, *words[1:3]])
        return Act("git", why, why)
    if name in _FILES:
        paths = tuple([word for word in words[1:] if word[:1] != "-" and word != "--"])
        return Act("file", name, " ".join([name, *paths]), paths) if paths else None
    return _package(name, words) or _work(name, words)


def _module(words: list[str]) -> list[str]:
    """Return what `python -m NAME …` or `python manage.py …` runs."""
    rest = words[1:]
    while rest and rest[0][:1] == "-" and rest[0] not in ("-m", "-c"):
        rest = rest[1:]
    if rest[:1] == ["-m"] and len(rest) > 1:
        return ["pytest", *rest[2:]] if rest[1] == "unittest" else rest[1:]
    if rest and posixpath.basename(rest[0]) == "manage.py":
        return rest
    return ["python"]


def behind_git(words: Sequence[str]) -> tuple[list[str], str]:
    """Return what stands behind git's own options, its command first, and the folder that they name."""
    rest, folder = list(words[1:]), ""
    while rest and rest[0][:1] == "-":
        option = rest.pop(0)
        if option in _GIT_VALUES and rest:
            value = rest.pop(0)
            folder = posixpath.join(folder, value) if option == "-C" else folder
    return rest, folder


def _git(words: list[str], command: Simple) -> Act | None:
    rest, folder = behind_git(words)
    if not rest:
        return None
    sub, given = rest[0], rest[1:]
    why = f"git {sub}"
    said = " ".join([why, *given])
    plain = tuple([word for word in given if word[:1] != "-"])
    if sub == "commit":
        message = next((text for text, is_file in messages(given) if not is_file), "")
        subject = (message or command.document).strip().split("\n")[0]
        amended = " --amend" if "--amend" in given else ""
        return Act("git", why, f"git commit{amended}: {subject}" if subject else f"{why}{amended}")
    if sub in ("rm", "mv"):
        paths = tuple([posixpath.join(folder, path) for path in plain])
        return Act("git", why, said, paths) if paths else None
    if sub in _GIT:
        if sub == "tag" and not plain:
            return None
        if not _GIT_SHOWS.get(sub, frozenset()).isdisjoint(given):
            return None
        return Act("git", why, said)
    if sub == "branch" and not _DELETES.isdisjoint(given):
        return Act("git", f"{why} {given[0]}", said)
    if sub == "checkout" and ("--" in given or "." in given):
        return Act("git", f"{why} --", said)
    if sub == "worktree" and given[:1] in (["add"], ["remove"]):
        return Act("git", f"{why} {given[0]}", said)
    return None


def messages(given: Sequence[str]) -> Iterator[tuple[str, bool]]:
    """Yield the messages that `git commit` is given, and the files (True) of such, by their names."""
    rest = iter(given)
    for word in rest:
        name, equals, value = word.partition("=")
        flags, m, own = word[1:].partition("m")
        if name in ("--message", "--file") and equals:
            yield value, name == "--file"
        elif word in ("--message", "--file", "-F"):
            yield next(rest, ""), word != "--message"
        elif word[:1] == "-" and m and not flags.strip(_FLAGS):
            yield own or next(rest, ""), False


def _package(name: str, words: list[str]) -> Act | None:
    if name not in MANAGERS:
        return None
    rest = [
        word
        for before, word in pairwise(words)
        if (word[:1] != "-" and before not in _MANAGER_VALUES) or word in _CHANGES
    ]
    if name == "uv" and rest[:1] in (["pip"], ["tool"]):
        rest = rest[1:]
    if name == "yarn" and len(words) == 1:
        rest = ["install"]
    does = rest[0] if rest and rest[0] in _CHANGES else ""
    if name == "go":
        does = {"get": "get", "mod": "mod tidy" * (rest[1:2] == ["tidy"])}.get(
            "".join(rest[:1]), does
        )
    return Act(PACKAGE, f"{name} {does}", " ".join([name, *words[1:]])) if does else None


def _work(name: str, words: list[str]) -> Act | None:
    rest = [word for word in words[1:] if word[:1] != "-"]
    name = _SAME.get(name, name)
    first, does = "".join(rest[:1]), ""
    if name in _TOOLS:
        does = name
    elif name in _BY_OPTION and _BY_OPTION[name] in words:
        does = f"{name} {_BY_OPTION[name]}"
    elif name == "build":
        does = "python -m build"
    elif name in _SCRIPTS:
        script = rest[1] if first in ("run", "run-script") and len(rest) > 1 else first
        kind = "test" if script in ("t", "tst") else script.partition(":")[0]
        does = f"{name} {kind}" if kind in ("test", "build") else script if script in _TOOLS else ""
    elif name in _DOING:
        rest = rest[1:] if name == "docker" and first == "compose" else rest
        found = next((word for word in rest if word in _WORK), "")
        anywhere = name in _TARGETS  # else it is a name there
        if (found and (anywhere or rest[0] == found)) or (name == "make" and first != "clean"):
            does = f"{name} {found}".strip()
    return Act("test", does, " ".join([name, *words[1:]]), of_work=True) if does else None


#: What a host's answer has below a key of its own: the texts that it makes itself of what ran.
_MADE = ("llmContent", "textResultForLlm", "text_result_for_llm")
#: How the lines begin that Gemini and Qwen put behind what a command printed.
_BEHIND = (
    "Error: ", "Exit Code: ", "Signal: ", "Background PIDs: ", "Process Group PGID: ",
    "</untrusted_context>",
)  # fmt: skip
_FAILED, _CODE, _COPILOT = "Exit code ", "Exit Code: ", " completed with exit code "


def exit_code(said: Moment) -> int | None:
    """Return the exit code of what a tool ran, None where the host does not say it.

    What a command printed is no word of its host: a code counts only where a host puts it.
    """
    answer = said.answer
    if isinstance(answer, str):
        if said.event == FAILURE and answer.startswith(_FAILED):
            return _number(answer.partition("\n")[0][len(_FAILED) :])
        from rituals.hosts.session_files import read_object

        answer = read_object(answer.encode("utf-8", "replace")) if answer[:1] == "{" else None
        if answer is not None and not answer.keys() <= {"output", "metadata"}:
            return None  # a command printed it
    if not isinstance(answer, dict):
        return None
    about = answer.get("metadata")
    for one in (answer, about if isinstance(about, dict) else {}):
        for name in ("exit", "exit_code", "exitCode"):
            if type(code := one.get(name)) is int:
                return code
    made = next((answer[key] for key in _MADE if key in answer), "")
    return _told_code(made) if isinstance(made, str) else None


def _told_code(text: str) -> int | None:
    """Read `Exit Code: 1` among the last lines, or `completed with exit code 1>` at the end."""
    if text.endswith(">") and _COPILOT in text[-60:]:
        return _number(text[:-1].rpartition(_COPILOT)[2])
    for line in reversed(text.split("\n")):
        if line.startswith(_CODE):
            return _number(line[len(_CODE) :])
        if not line.startswith(_BEHIND):
            break
    return None


def _number(digits: str) -> int | None:
    return int(digits) if digits.isascii() and digits.isdigit() and len(digits) < 6 else None
