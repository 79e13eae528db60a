"""Record and ask: the library's door.

`from memory import Memory` is the public interface; it loads nothing else until it is used.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memory.api import Memory, SessionDraft

__all__ = ["Memory", "SessionDraft"]


def __getattr__(name: str) -> object:
    if name in __all__:
        from memory import api

        return getattr(api, name)
    raise AttributeError(name)
