"""What can be changed in a line so that a test should notice: the mutations of a Python source.

A mutation is one small change that keeps the source a program: a comparison turned or moved by one, `and` for
`or`, a condition negated, a place one more, plus for minus, a statement left out. Texts, docstrings,
annotations and what only shows in `repr` are left alone, and numbers of tuning: a constant at the top of a
module, and any number above one.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ledger.model.record import Record

_COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq, ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
}  # fmt: skip
_OPERATORS: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.FloorDiv, ast.FloorDiv: ast.Mult,
    ast.Mod: ast.FloorDiv, ast.BitOr: ast.BitAnd, ast.BitAnd: ast.BitOr,
}  # fmt: skip
_CALLS = {"min": "max", "max": "min", "any": "all", "all": "any", "sorted": "list"}
_NAMED = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_UNSEEN = ("__repr__", "__str__", "__hash__")


class Mutation(Record):
    """One change: the bytes from `start` to `end` of a source become `text`."""

    path: str
    line: int
    function: str  # dotted, empty at the top of the module
    start: int
    end: int
    text: str

    def of(self, source: bytes) -> bytes:
        """Return the changed source."""
        return source[: self.start] + self.text.encode() + source[self.end :]


def mutations(path: str, source: bytes) -> list[Mutation]:
    """Return all mutations of a module, in the order of its text."""
    lines = source.split(b"\n")
    offsets = [0]
    for line in lines:
        offsets.append(offsets[-1] + len(line) + 1)
    found = []
    for node, function, parent in _walk(ast.parse(source), ""):
        for changed in _changed(node, parent) if function else ():
            at = _place(node)
            start = offsets[at[0] - 1] + at[1]
            end = offsets[at[2] - 1] + at[3]
            text = changed if isinstance(changed, str) else ast.unparse(changed)
            if isinstance(changed, ast.expr):
                text = f"({text})"  # binds as tightly as what stood there
            found.append(Mutation(path, at[0], function, start, end, text))
    return sorted(found, key=lambda one: (one.start, one.end, one.text))


def functions(source: bytes) -> dict[int, str]:
    """Return the dotted name of the function that each line of a module belongs to, but for its `def`: an import runs that."""
    owner: dict[int, str] = {}
    for node, function, _ in _walk(ast.parse(source), ""):
        if isinstance(node, ast.stmt) and function and not isinstance(node, _NAMED):
            owner[node.lineno] = function
    return owner


def _walk(node: ast.AST, function: str) -> Iterator[tuple[ast.AST, str, ast.AST]]:
    """Walk what runs of a tree: each node with the function around it and its parent."""
    pending: list[tuple[ast.AST, str]] = [(node, function)]
    while pending:
        parent, inside = pending.pop()
        for name, value in ast.iter_fields(parent):
            if name in ("annotation", "returns", "decorator_list", "type_params"):
                continue
            for child in value if isinstance(value, list) else [value]:
                if not isinstance(child, ast.AST) or _is_text(child):
                    continue
                here = inside
                if isinstance(child, _NAMED):
                    if child.name in _UNSEEN:
                        continue
                    here = f"{inside}.{child.name}".lstrip(".")
                yield child, here, parent
                pending.append((child, here))


def _is_text(node: ast.AST) -> bool:
    """Say whether a node is there for readers alone: a docstring, an assertion, an error's words, types."""
    if isinstance(node, ast.Expr):
        return isinstance(node.value, ast.Constant)
    if isinstance(node, ast.keyword):
        return node.arg == "strict"  # of a zip: an assertion
    if isinstance(node, ast.If) and isinstance(node.test, ast.Name):
        return node.test.id == "TYPE_CHECKING"
    if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
        return node.targets[0].id == "TYPE_CHECKING"
    return isinstance(node, ast.Raise | ast.Assert | ast.JoinedStr | ast.Import | ast.ImportFrom)


def _place(node: ast.AST) -> tuple[int, int, int, int]:
    """Return first line, first byte, last line and end byte of a node."""
    assert isinstance(node, ast.expr | ast.stmt)
    assert node.end_lineno is not None and node.end_col_offset is not None
    return node.lineno, node.col_offset, node.end_lineno, node.end_col_offset


def _changed(node: ast.AST, parent: ast.AST) -> Iterator[ast.AST | str]:
    """Yield what may stand in the place of a node."""
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        swap = _COMPARISONS[type(node.ops[0])]
        yield ast.Compare(node.left, [swap()], node.comparators)
    elif isinstance(node, ast.BoolOp):
        swapped = ast.Or() if isinstance(node.op, ast.And) else ast.And()
        yield ast.BoolOp(swapped, node.values)
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield node.operand
    elif isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS:
        if not any(isinstance(side, ast.Constant | ast.JoinedStr) and not _number(side)
                   for side in (node.left, node.right)):  # fmt: skip
            yield ast.BinOp(node.left, _OPERATORS[type(node.op)](), node.right)
    elif isinstance(node, ast.Constant) and isinstance(node.value, bool):
        yield str(not node.value)
    elif isinstance(node, ast.Constant) and type(node.value) is int and node.value in (0, 1):
        yield str(node.value + 1)
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        if (other := _CALLS.get(node.func.id)) is not None:
            keywords = [] if other == "list" else node.keywords
            yield ast.Call(
                ast.Name(other), node.args[:1] if other == "list" else node.args, keywords
            )
    elif isinstance(node, ast.Expr | ast.AugAssign | ast.Continue | ast.Break):
        yield "pass"
    if (
        isinstance(parent, ast.If | ast.IfExp)
        and node is parent.test
        and isinstance(node, ast.Name | ast.Attribute | ast.Call)
    ):
        yield ast.UnaryOp(ast.Not(), node)


def _number(node: ast.AST) -> bool:
    """Say whether a node is a whole number."""
    return isinstance(node, ast.Constant) and type(node.value) is int


def compiles(source: bytes) -> bool:
    """Say whether a source is still a program."""
    try:
        compile(source, "mutant", "exec")
    except (SyntaxError, ValueError):
        return False
    return True
