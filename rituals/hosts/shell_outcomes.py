"""Tell which commands change something, test or build, and say of each what it did."""

from __future__ import annotations

import posixpath
from itertools import pairwise

from ledger.model.record import Record
from rituals.hosts.adapters import FAILURE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rituals.hosts.moments import Moment
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
#: By package manager: what changes what a project or a machine has.
_CHANGES = frozenset("add install i remove rm uninstall un publish update upgrade up".split())
MANAGERS = {
    **dict.fromkeys(("npm", "pnpm", "yarn", "bun"), _CHANGES),
    **dict.fromkeys(("pip", "pip3", "gem"), frozenset(("install", "uninstall", "push"))),
    **dict.fromkeys(
        "uv poetry pdm rye pipenv deno cargo bundle composer mix conda mamba".split(),
        _CHANGES | {"require", "yank"},
    ),
    **dict.fromkeys(
        ("apt", "apt-get", "dnf", "yum", "brew", "apk", "zypper", "choco", "winget", "scoop"),
        frozenset("add install remove uninstall purge upgrade del autoremove".split()),
    ),
    "go": frozenset(("get", "install")),
    "dotnet": frozenset(("add", "remove")),
    "pipx": frozenset(("install", "uninstall", "inject")),
    "pacman": frozenset(("-S", "-R", "-Rs", "-Rns", "-U", "-Syu")),
    "twine": frozenset(("upload",)),
    "helm": frozenset(("install", "upgrade", "uninstall")),
}  # fmt: skip
#: Options of theirs that take a value.
_MANAGER_VALUES = frozenset(("--filter", "-F", "--prefix", "-C", "--cwd", "--dir", "--workspace"))
#: The kind of what changes packages.
PACKAGE = "package"
_FILES = frozenset(("rm", "mv", "rmdir", "unlink", "trash"))
_TESTS = frozenset(
    "pytest py.test tox nox jest vitest mocha ava rspec phpunit ctest behave tap cypress"
    " ginkgo bats karma".split()
)
_BUILDS = frozenset("tsc webpack rollup esbuild ninja meson hatchling tsup turbo nx".split())
#: Programs that do many things: the word behind them that tests, and the one that builds.
_DOING: dict[str, tuple[frozenset[str], frozenset[str]]] = {
    "cargo": (frozenset(("test", "nextest")), frozenset(("build", "check"))),
    "go": (frozenset(("test",)), frozenset(("build",))),
    "make": (frozenset(("test", "tests", "check")), frozenset()),
    "just": (frozenset(("test", "tests", "check")), frozenset(("build",))),
    "task": (frozenset(("test",)), frozenset(("build",))),
    "mvn": (frozenset(("test", "verify")), frozenset(("compile", "package", "install", "deploy"))),
    "gradle": (frozenset(("test", "check")), frozenset(("build", "assemble"))),
    "dotnet": (frozenset(("test",)), frozenset(("build", "publish"))),
    "swift": (frozenset(("test",)), frozenset(("build",))),
    "mix": (frozenset(("test",)), frozenset(("compile",))),
    "bazel": (frozenset(("test",)), frozenset(("build",))),
    "deno": (frozenset(("test",)), frozenset(("compile",))),
    "bun": (frozenset(("test",)), frozenset(("build",))),
    "zig": (frozenset(("test",)), frozenset(("build",))),
    "hatch": (frozenset(("test",)), frozenset(("build",))),
    "uv": (frozenset(), frozenset(("build",))),
    "poetry": (frozenset(), frozenset(("build",))),
    "docker": (frozenset(), frozenset(("build", "buildx"))),
    "playwright": (frozenset(("test",)), frozenset()),
    "manage.py": (frozenset(("test",)), frozenset()),
    "sbt": (frozenset(("test",)), frozenset(("compile", "assembly"))),
    "rake": (frozenset(("test", "spec")), frozenset(("build",))),
    "xcodebuild": (frozenset(("test",)), frozenset(("build",))),
    **dict.fromkeys(("next", "vite", "ng", "nuxt", "astro"), (frozenset(), frozenset(("build",)))),
}  # fmt: skip
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
    verbs = MANAGERS.get(name)
    if verbs is None:
        return None
    rest = [
        word
        for before, word in pairwise(words)
        if (word[:1] != "-" and before not in _MANAGER_VALUES) or word in verbs
    ]
    if name == "uv" and rest[:1] in (["pip"], ["tool"]):
        rest = rest[1:]
    if name == "yarn" and len(words) == 1:
        rest = ["install"]
    if name == "go" and words[1:3] == ["mod", "tidy"]:
        return Act(PACKAGE, "go mod tidy", "go mod tidy")
    if not rest or rest[0] not in verbs:
        return None
    return Act(PACKAGE, f"{name} {rest[0]}", " ".join([name, *words[1:]]))


def _work(name: str, words: list[str]) -> Act | None:
    rest = [word for word in words[1:] if word[:1] != "-"]
    name = _SAME.get(name, name)
    said = " ".join([name, *words[1:]])
    if name in _SCRIPTS:
        if rest[:1] in (["run"], ["run-script"]) and len(rest) > 1:
            del rest[0]
        script = "".join(rest[:1])
        kind = "test" if script in ("t", "tst") else script.partition(":")[0]
        if kind in ("test", "build"):
            return Act("test", f"{name} {kind}", said, of_work=True)
        known = script in _TESTS or script in _BUILDS
        return Act("test", script, said, of_work=True) if known else None
    if name in _TESTS or name in _BUILDS:
        return Act("test", name, said, of_work=True)
    if name == "build":  # python -m build
        return Act("test", "python -m build", said, of_work=True)
    if name == "cmake":
        return Act("test", "cmake --build", said, of_work=True) if "--build" in words else None
    if name == "node" and "--test" in words:
        return Act("test", "node --test", said, of_work=True)
    doing = _DOING.get(name)
    if doing is None:
        return None
    if name == "docker" and rest[:1] == ["compose"]:
        rest = rest[1:]
    first = next((word for word in rest if word in doing[0] or word in doing[1]), "")
    if not first and (name != "make" or rest[:1] == ["clean"]):
        return None
    if rest[:1] != [first] and name not in ("make", "mvn", "gradle", "just", "xcodebuild"):
        return None  # the word is a name there
    return Act("test", f"{name} {first}".strip(), said, of_work=True)


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
        if answer[:1] != "{":
            return None
        from rituals.hosts.payloads import read_object

        answer = read_object(answer.encode("utf-8", "replace"))
        if answer is None or not answer.keys() <= {"output", "metadata"}:
            return None  # a command printed it
    for one in (answer, answer.get("metadata")) if isinstance(answer, dict) else ():
        for name in ("exit", "exit_code", "exitCode"):
            code = one.get(name) if isinstance(one, dict) else None
            if isinstance(code, int) and not isinstance(code, bool):
                return code
    made = (
        next((answer[key] for key in _MADE if key in answer), "")
        if isinstance(answer, dict)
        else ""
    )
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
