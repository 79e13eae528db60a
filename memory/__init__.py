"""Record and ask: the library's door. What stands above memory takes all that it needs from here.

`from memory import Memory` is the public interface. `__init__.pyi` lists the names; each loads its
module when somebody takes it, so a short command pays for what it does.
"""

from __future__ import annotations

_STUB: list[str] = []  #: its text


def __getattr__(name: str) -> object:
    if not _STUB:
        with open(__file__.replace(".py", ".pyi"), encoding="utf-8") as stub:
            _STUB.append(stub.read())
    before, _, there = _STUB[0].partition(f" {name} as ")
    if not there:
        raise AttributeError(f"memory has no {name}")
    module = before[before.rindex("\nfrom ") + 6 :].partition(" ")[0]
    # what `importlib` has for this loads `warnings` with it
    return getattr(__import__(module, fromlist=[name]), name)
