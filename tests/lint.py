"""What holds of the source as text: `python -m tests.lint`, of all rules or of those that are named.

Each rule is a function of the house, which reads and parses a file once for all of them, and returns what is
wrong. `DIURNA_WRITE_TABLES=1` writes the blocks and tables anew that are computed, instead of holding the
pages to them.
"""

from __future__ import annotations

import ast
import gc
import io
import os
import re
import subprocess
import sys
import tokenize
import tomllib
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from pathlib import Path

from ledger.model.finding_codes import CODES
from tests.pages import ROOT, filled

PACKAGES = ("ledger", "projection", "memory", "rituals")
MODULE_LINES, FUNCTION_LINES, PARAMETERS = 400, 60, 7
FORMAT, CHECKS = "ledger/FORMAT.md", "rituals/check/CHECKS.md"
ARCHITECTURE, VECTORS = "rituals/guide/ARCHITECTURE.md", "tests/format/"
CEILINGS, PROJECT = ".ci/ceilings", "pyproject.toml"
WRITE_TABLES = "DIURNA_WRITE_TABLES"
_NAMED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


class House:
    """The files of the project by their path from the top, and the trees of the modules.

    Args:
        files: the texts of those that the rules look at.
        before: what the table of ceilings said in commits of before.
        names: of all files.
    """

    def __init__(
        self, files: Mapping[str, str], before: Iterable[str] = (), names: Iterable[str] = ()
    ) -> None:
        self.files = dict(files)
        self.before = list(before)
        self.names = {*files, *names}
        self._trees: dict[str, ast.Module] = {}

    @classmethod
    def at(cls, root: Path) -> House:
        """Read what git knows of below a folder, or is about to."""
        names = _git(root, "ls-files", "-z", "-co", "--exclude-standard").split("\0")
        kinds = (".py", ".md", ".toml", ".yml", ".yaml", ".html", ".css", ".js", ".sql", ".txt")
        read = [name for name in names if name.endswith(kinds) or name == CEILINGS]
        commits = _git(root, "rev-list", "HEAD", "--", CEILINGS).split()
        return cls(
            {name: (root / name).read_text("utf-8") for name in read if (root / name).is_file()},
            [_git(root, "show", f"{commit}:{CEILINGS}", check=False) for commit in commits],
            names,
        )

    def python(self, *folders: str) -> list[str]:
        """Return the modules below some folders."""
        ahead = tuple(f"{folder}/" for folder in folders)
        return [name for name in self.files if name.startswith(ahead) and name.endswith(".py")]

    def tree(self, name: str) -> ast.Module:
        """Return the tree of a module, parsed once."""
        if name not in self._trees:
            self._trees[name] = ast.parse(self.files[name])
        return self._trees[name]

    @cached_property
    def nodes(self) -> list[tuple[str, ast.AST]]:
        """Each node of the four packages, with its module."""
        modules = self.python(*PACKAGES)
        return [(name, node) for name in modules for node in ast.walk(self.tree(name))]


def _git(root: Path, *arguments: str, check: bool = True) -> str:
    done = subprocess.run(["git", "-C", str(root), *arguments], capture_output=True, check=check)
    return done.stdout.decode()


# ---- how large it is ------------------------------------------------------------------------------


#: Parameters of its functions are the arguments that clients give.
DECLARED = ("rituals/serve/mcp/tools.py", "rituals/cli/commands/")


def sizes(house: House) -> list[str]:
    """Modules have at most 400 lines, functions 60 lines and seven parameters beside `self`.

    A command and a tool of the MCP server take by name whatever may be said; help and names are no lines.
    """
    found = [
        f"{name}: {lines} lines"
        for name in house.python(*PACKAGES)
        if (lines := house.files[name].count("\n")) > MODULE_LINES
    ]
    for name, node in house.nodes:
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        taken = node.args
        named = [one.arg for one in (*taken.posonlyargs, *taken.args, *taken.kwonlyargs)]
        some = [one for one in (taken.vararg, taken.kwarg) if one is not None]
        parameters = len(named) + len(some) - (named[:1] in (["self"], ["cls"]))
        declared = name.startswith(DECLARED)
        first = node.body[-1 if len(node.body) == 1 else 1].lineno if declared else node.lineno
        long = (node.end_lineno or 0) - first + 1
        if long > FUNCTION_LINES:
            found.append(f"{name}:{node.lineno}: {node.name} has {long} lines")
        if parameters > PARAMETERS and not declared:
            found.append(f"{name}:{node.lineno}: {node.name} takes {parameters} parameters")
    return found


def counted(house: House) -> dict[str, int]:
    """Count what the table of ceilings is about: lines of source and tests, modules, statements, words."""
    ahead = tuple(f"{name}/" for name in PACKAGES)
    source = [name for name in house.files if name.startswith(ahead) and not name.endswith(".md")]
    statements = sum(
        isinstance(node, ast.stmt | ast.ExceptHandler | ast.match_case) and not _is_docstring(node)
        for _, node in house.nodes
    )
    return {
        "source": sum(house.files[name].count("\n") for name in source),
        "tests": sum(house.files[name].count("\n") for name in house.python("tests")),
        "modules": len(house.python(*PACKAGES)),
        "statements": statements,
        "format-words": len(house.files.get(FORMAT, "").split()),
    }


def _is_docstring(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )


def _table(text: str) -> dict[str, int]:
    rows = [line.split() for line in text.splitlines() if line and not line.startswith("#")]
    return {name: int(number) for name, number in rows}


def ceilings(house: House) -> list[str]:
    """Nothing is over its ceiling, and no ceiling is higher than it was in a commit of before."""
    table, counts = _table(house.files[CEILINGS]), counted(house)
    found = [] if table.keys() == counts.keys() else [f"{CEILINGS} has other rows than are counted"]
    found += [
        f"{name}: {count}, over its ceiling of {table[name]}"
        for name, count in counts.items()
        if count > table.get(name, count)
    ]
    lowest: dict[str, int] = {}
    for before in map(_table, house.before):
        lowest |= {name: min(number, lowest.get(name, number)) for name, number in before.items()}
    return found + [
        f"{CEILINGS}: {name} was {lowest[name]} already"
        for name, number in table.items()
        if number > lowest.get(name, number)
    ]


# ---- what comments and docstrings cite ------------------------------------------------------------

_ROWS = [row.split(" ", 1) for row in (ROOT / "tests/faults.txt").read_text("utf-8").splitlines()]
#: The faults that Diurna is built against, by a code that code and tests cite: `fault:D6` in a comment or docstring, and
#: `d6` in the name of a test, mean the row `D6`. A letter says what its faults have in common. A bare M5 is of FORMAT.md.
GROUPS = {code: said for code, said in _ROWS if len(code) == 1}
FAULTS = {code: said for code, said in _ROWS if len(code) > 1}
_FAULT = re.compile(r"fault:([A-Z]+\d+)(?:\s+to\s+fault:([A-Z]+\d+))?")
_RULE = re.compile(r"(?<![\w:#/`'\"-])([A-Z])(\d{1,2})(?:\s+to\s+\1(\d{1,2}))?(?![\w`'\"])")
_IN_NAME = re.compile(r"def test_((?:[a-z]\d{1,2}_(?:to_)?)+)")


def prose(house: House, name: str, cites: re.Pattern[str]) -> str:
    """Return the comments and docstrings of a module, "" where nothing in it looks like a citation."""
    text = house.files[name]
    if not cites.search(text):
        return ""
    found = []
    if any("#" in line and cites.search(line[line.index("#") :]) for line in text.splitlines()):
        tokens = tokenize.generate_tokens(io.StringIO(text).readline)
        found = [token.string for token in tokens if token.type == tokenize.COMMENT]
    nodes = [node for node in ast.walk(house.tree(name)) if isinstance(node, _NAMED)]
    return "\n".join([*found, *[ast.get_docstring(node) or "" for node in nodes]])


def cited(text: str, pattern: re.Pattern[str]) -> set[str]:
    """Return the codes in a text, those between the ends of a range among them."""
    found = set()
    for groups in pattern.findall(text):
        group, first, last = groups if len(groups) == 3 else (groups[0][0], *groups)
        numbers = [int(code.lstrip(group)) for code in (first, last or first)]
        found |= {f"{group}{number}" for number in range(numbers[0], numbers[1] + 1)}
    return found


def faults(house: House) -> list[str]:
    """Each fault that code or tests cite stands in `tests/faults.txt`, and each there is cited."""
    where = {
        code: name
        for name in house.python(*PACKAGES, "tests")
        for code in cited(prose(house, name, _FAULT), _FAULT)
    }
    for name in house.python("tests"):
        for run in _IN_NAME.findall(house.files[name]):
            where |= dict.fromkeys(re.findall(r"[A-Z]\d+", run.upper()), name)
    found = [f"{name}: {code} is no fault" for code, name in where.items() if code not in FAULTS]
    found += [f"tests/faults.txt: nothing cites {code}" for code in FAULTS if code not in where]
    groups = {code[0] for code in FAULTS} ^ GROUPS.keys()
    return found + [f"tests/faults.txt: group {group}" for group in sorted(groups)]


def rules(house: House) -> list[str]:
    """A code without `fault:` in the four packages is a rule of FORMAT.md, or one of ours alone that has vectors.

    What has vectors is said in FORMAT.md, or where it is done, and none is said twice in FORMAT.md.
    """
    numbered = re.findall(r"^- \*\*([A-Z]\d+)\*\*", house.files[FORMAT], re.MULTILINE)
    twice = {code for code in numbered if numbered.count(code) > 1}
    found = [f"{FORMAT}: {code} is given to two rules" for code in sorted(twice)]
    held = "".join(text for name, text in house.files.items() if name.startswith(VECTORS))
    vectors, cites = set(re.findall(r"^### ([A-Z]\d+)", held, re.MULTILINE)), set(numbered)
    for name in house.python(*PACKAGES):
        codes = cited(prose(house, name, _RULE), _RULE)
        cites |= codes
        found += [f"{name}: {code} is no rule" for code in sorted(codes - vectors - {*numbered})]
    return found + [f"{VECTORS}: nothing says {code}" for code in sorted(vectors - cites)]


# ---- what the code reads and says -----------------------------------------------------------------

_READER = "ledger/environment.py"
#: Module or class -> what of it reads the clock, the variables or the working directory.
_READS = {
    "os": {"environ", "environb", "getenv", "getenvb", "getcwd", "getcwdb"},
    "path": {"expanduser", "expandvars"},
    "Path": {"cwd", "home"},
    "time": {
        "time", "time_ns", "monotonic", "monotonic_ns", "perf_counter", "perf_counter_ns",
        "process_time", "thread_time", "clock_gettime", "clock_gettime_ns",
    },
    "datetime": {"now", "today", "utcnow"},
    "date": {"today"},
}  # fmt: skip
#: Functions of `time` that read the clock when they get fewer arguments than this.
_UNTIMED = {"gmtime": 1, "localtime": 1, "ctime": 1, "asctime": 1, "strftime": 2}


def _reads(node: ast.AST) -> bool:
    match node:
        case ast.Call(func=ast.Attribute(ast.Name("time"), name), args=args):
            return len(args) < _UNTIMED.get(name, 0)
        case ast.Attribute(ast.Name(owner) | ast.Attribute(_, owner), name):
            return name in _READS.get(owner, ())
        case ast.ImportFrom(module=str(module)):
            known = _READS.get(module.rpartition(".")[2], ())
            return any(one.name in known for one in node.names)
    return False


def environment(house: House) -> list[str]:
    """The clock, the environment's variables and the working directory are read in one module."""
    return [
        f"{name}:{getattr(node, 'lineno', 0)}: reads the clock, a variable or the working directory"
        for name, node in house.nodes
        if name != _READER and _reads(node)
    ]


_DESTRUCTIVE = re.compile(
    r"\brm\b|--force|--hard|\breset\b|\bdelete\b|\bprune\b|\bclean\b|push -f|reflog expire|unlink\("
)


def _hints(node: ast.AST) -> list[ast.expr]:
    match node:
        case ast.keyword(arg="hint"):
            return [node.value]
        case ast.Assign() if any("hint" in ast.unparse(one).lower() for one in node.targets):
            return [node.value]
        case ast.Call(func=ast.Name("find" | "Finding")):
            return node.args[3:]
    return []


def hints(house: House) -> list[str]:
    """An agent follows hints: none names a command that deletes or forces."""
    return [
        f"{name}:{part.lineno}: {part.value!r}"
        for name, node in house.nodes
        for value in _hints(node)
        for part in ast.walk(value)
        if isinstance(part, ast.Constant)
        and isinstance(part.value, str)
        and _DESTRUCTIVE.search(part.value)
    ]


#: What would take Diurna from a registry, where the name is not ours, and not from this repository.
_FROM_A_REGISTRY = re.compile(
    r"""(?:pip3?|pipx|uv\ tool|uv\ pip|uv|uvx|poetry|pdm|conda|brew)
        \ +(?:(?:install|run|add|upgrade|-\S+)\ +)*['"]?diurna\b(?![-/.])""",
    re.VERBOSE,
)


def registry(house: House) -> list[str]:
    """No message, page or workflow names Diurna to an installer: the name is not ours in any registry."""
    return [
        f"{name}: {found[0]}"
        for name, text in house.files.items()
        if name != "tests/test_lint.py"
        for found in _FROM_A_REGISTRY.finditer(text)
    ]


# ---- pages that say what the tree is --------------------------------------------------------------


def _said(name: str, text: str, now: str) -> list[str]:
    """Hold a page to what it has to say, or write it."""
    if text != now and os.environ.get(WRITE_TABLES):
        (ROOT / name).write_text(now, encoding="utf-8")
        return []
    return [f"{name}: run this once with {WRITE_TABLES}=1"] if text != now else []


def codes(house: House) -> list[str]:
    """CHECKS.md lists every finding code."""
    rows = [f"| `{code}` | {severity} | {said} |" for code, (severity, said) in CODES.items()]
    table = "\n".join(["", "| code | severity | meaning |", "|---|---|---|", *rows, ""])
    text = house.files[CHECKS]
    head, _, rest = text.partition("<!-- codes -->")
    tail = rest.partition("<!-- /codes -->")[2]
    return _said(CHECKS, text, f"{head}<!-- codes -->{table}<!-- /codes -->{tail}")


def _rooms(house: House) -> str:
    """Write a line for each folder with modules: its path, and what it is for."""
    found = [name for name in house.python(*PACKAGES) if name.endswith("/__init__.py")]
    found.sort(key=lambda name: (PACKAGES.index(name.split("/")[0]), Path(name).parent.parts))
    rows = []
    for name in found:
        said = ast.get_docstring(house.tree(name)) or ""
        rows.append((name.removesuffix("__init__.py"), " ".join(said.split("\n\n")[0].split())))
    width = max((len(path) for path, _ in rows), default=0) + 2
    return "".join(f"{path:<{width}}{said}\n" for path, said in rows)


def _layers(house: House) -> str:
    """Write the layers of the contracts, the highest first."""
    lines = []
    for contract in tomllib.loads(house.files[PROJECT])["tool"]["importlinter"]["contracts"]:
        if contract["type"] == "layers":
            above = f"{contract['containers'][0]}." if "containers" in contract else ""
            lines.append(" → ".join(f"{above}{layer}" for layer in contract["layers"]))
    return "".join(f"{line}\n" for line in lines)


def architecture(house: House) -> list[str]:
    """ARCHITECTURE.md has the folders, layers and faults that there are, and what it names exists."""
    text = house.files[ARCHITECTURE]
    source = "".join(house.files[name] for name in house.python(*PACKAGES))
    faults = set(re.findall(r"fault:([A-Z][0-9]+)", source))
    said = "".join(f"{code:<4}{words}\n" for code, words in FAULTS.items() if code in faults)
    told = {"rooms": _rooms(house), "layers": _layers(house), "faults": said}
    found = _said(ARCHITECTURE, text, filled(text, lambda _, language: told.get(language)))
    there = {name.removesuffix(".py") for name in house.names} | house.names
    there |= {str(above) for name in house.names for above in Path(name).parents}
    for name in re.findall(rf"`((?:{'|'.join(PACKAGES)})[./][\w./]+)`", text):
        if (name if "/" in name else name.replace(".", "/")).rstrip("/") not in there:
            found.append(f"{ARCHITECTURE}: {name} does not exist")
    tale = text[text.find("1. ") : text.find("Without a cache")]
    return found + ["the way of a draft is long"] * (len(tale.strip().splitlines()) > 24)


Rule = Callable[[House], list[str]]
RULES: tuple[Rule, ...] = (
    sizes, ceilings, faults, rules, environment, hints, registry, codes, architecture,
)  # fmt: skip


def main(names: list[str]) -> int:
    """Say what is wrong with the house by all rules, or by those of some names."""
    house, wrong = House.at(ROOT), 0
    for rule in RULES:
        found = rule(house) if not names or rule.__name__ in names else []
        wrong += len(found)
        print(*(f"{rule.__name__}: {one}" for one in found), sep="\n", end="\n" if found else "")
    print(f"{wrong} faults" if wrong else f"{len(house.files)} files, no fault")
    return 1 if wrong else 0


if __name__ == "__main__":
    gc.disable()  # nothing is let go before the end
    sys.exit(main(sys.argv[1:]))
