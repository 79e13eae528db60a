"""Record and ask: the library's door. What stands above memory takes all that it needs from here.

`from memory import Memory` is the public interface. `__init__.pyi` lists the names; each loads its
module when somebody takes it, so a short command pays for what it does.
"""

from __future__ import annotations

_MODULES: dict[str, str] = {}  #: of each name that was asked for; of "" the list itself


def __getattr__(name: str) -> object:
    if not _MODULES:
        with open(__file__.replace(".py", ".pyi"), encoding="utf-8") as stub:
            _MODULES[""] = stub.read()
    if name not in _MODULES:
        before, _, there = _MODULES[""].partition(f" {name} as ")
        if not there:
            raise AttributeError(f"memory has no {name}")
        _MODULES[name] = before[before.rindex("\nfrom ") + 6 :].partition(" ")[0]
    # what `importlib` has for this loads `warnings` with it
    return getattr(__import__(_MODULES[name], fromlist=[name]), name)
