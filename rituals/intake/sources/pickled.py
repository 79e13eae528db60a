"""Read a pickle as data: nothing in it is imported, called or built.

The local store of qdrant keeps its points as pickles, and a pickle is a program: to load it is to run what
its writer chose. Here its operations are only followed with plain values: what would be an object is the
dict of its attributes, what would be called is nothing.
"""

from __future__ import annotations

import pickletools
from collections.abc import Callable

Stack = list[object]

_OPERATIONS = 200_000
_MARK = object()
_VALUES = frozenset(
    "BINUNICODE SHORT_BINUNICODE BINUNICODE8 UNICODE BININT BININT1 BININT2 INT LONG LONG1 LONG4 "
    "BINFLOAT FLOAT BINBYTES SHORT_BINBYTES BINBYTES8 BINSTRING SHORT_BINSTRING STRING".split()
)
_CONSTANTS: dict[str, Callable[[], object]] = {
    "NONE": lambda: None,
    "NEWTRUE": lambda: True,
    "NEWFALSE": lambda: False,
    "EMPTY_DICT": dict,
    "EMPTY_LIST": list,
    "EMPTY_SET": list,
    "EMPTY_TUPLE": list,
    "GLOBAL": dict,
    "MARK": lambda: _MARK,
}
_TUPLES = {"TUPLE1": 1, "TUPLE2": 2, "TUPLE3": 3}
#: These take so many values and leave an object that has no attributes yet.
_OBJECTS = {"STACK_GLOBAL": 2, "NEWOBJ": 2, "NEWOBJ_EX": 3, "REDUCE": 2}


def plain_values(data: bytes) -> object:
    """Return what a pickle holds, as dicts, lists, texts, numbers, booleans and None.

    Raises:
        ValueError: it is none, or one that does more than to hold values.
    """
    stack: Stack = []
    memo: dict[int, object] = {}
    try:
        for count, (operation, value, _) in enumerate(pickletools.genops(data)):
            if operation.name == "STOP":
                return stack.pop()
            if count > _OPERATIONS:
                raise ValueError("it has too many operations")
            _follow(operation.name, value, stack, memo)
    except (IndexError, KeyError, TypeError, AttributeError, RecursionError, UnicodeError) as error:
        raise ValueError("it is no pickle") from error
    raise ValueError("it has no end")


def _follow(name: str, value: object, stack: Stack, memo: dict[int, object]) -> None:
    if name in _VALUES:
        stack.append(value)
    elif name in _CONSTANTS:
        stack.append(_CONSTANTS[name]())
    elif name == "MEMOIZE":
        memo[len(memo)] = stack[-1]
    elif name in ("BINPUT", "LONG_BINPUT", "PUT"):
        memo[_number(value)] = stack[-1]
    elif name in ("BINGET", "LONG_BINGET", "GET"):
        stack.append(memo[_number(value)])
    elif name in _TUPLES:
        stack[-_TUPLES[name] :] = [stack[-_TUPLES[name] :]]
    elif name == "TUPLE":
        stack.append(_since_mark(stack))
    elif name in _OBJECTS:
        stack[-_OBJECTS[name] :] = [{}]
    elif name in ("SETITEM", "APPEND", "BUILD"):
        _change(name, stack)
    elif name in ("SETITEMS", "APPENDS", "ADDITEMS"):
        taken = _since_mark(stack)
        if name == "SETITEMS":
            _update(stack[-1], taken)
        else:
            _list(stack[-1]).extend(taken)
    elif name not in ("PROTO", "FRAME"):
        raise ValueError(f"it has the operation {name}")


def _change(name: str, stack: Stack) -> None:
    value = stack.pop()
    if name == "SETITEM":
        key = stack.pop()
        _update(stack[-1], [key, value])
    elif name == "APPEND":
        _list(stack[-1]).append(value)
    else:
        state = value if isinstance(value, dict) else {}
        inner = state.get("__dict__", state)
        _update(stack[-1], [part for pair in inner.items() for part in pair])


def _update(target: object, taken: Stack) -> None:
    if not isinstance(target, dict):
        raise TypeError
    target.update(zip(taken[::2], taken[1::2], strict=True))


def _since_mark(stack: Stack) -> Stack:
    at = len(stack) - 1
    while stack[at] is not _MARK:
        at -= 1
    taken = stack[at + 1 :]
    del stack[at:]
    return taken


def _list(target: object) -> list[object]:
    if not isinstance(target, list):
        raise TypeError
    return target


def _number(value: object) -> int:
    if not isinstance(value, int):
        raise TypeError
    return value
