"""Name the homes that are read beside another one, nearest first: the user's own, then those upstream.

None of them is ever written here, and nothing that they hold is kept in the home that is read.
What is shown of them bears their name: `personal/tabs` is the fact `tabs` of the home `--home personal`.
"""

from __future__ import annotations

import os

from ledger.errors import DiurnaError
from ledger.home import PERSONAL, Home, personal_home
from ledger.model.digest import sha256
from ledger.model.layout import CACHE_DIR
from ledger.model.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeVar

    from memory.cache.file import Cache

    Answer = TypeVar("Answer")


class Layer(Record):
    """A home that is read beside another one.

    Args:
        name: what its facts are named after: `personal`, or what a policy calls an upstream.
        home: where it is.
        fetched: when it was brought here, milliseconds since 1970; 0 where it lives on this machine.
    """

    name: str
    home: Home
    fetched: int = 0

    @property
    def personal(self) -> bool:
        """Whether it is the user's own."""
        return self.name == PERSONAL

    def named(self, fact: str) -> str:
        """Return what a fact of it is called where it stands beside others."""
        return f"{self.name}/{fact}"

    def ask(self, question: Callable[[Cache], Answer], empty: Answer) -> Answer:
        """Return what it answers; `empty` where it can not be read, or is personal and does not say so."""
        from memory.replay.view import View  # a brief that is kept does without

        snapshot = View(self.home, lambda _home, _cache: True)
        try:
            return snapshot.ask(
                lambda cache: empty if self.personal > cache.policy.personal else question(cache)
            )
        except (DiurnaError, OSError):
            return empty  # what is beside must not be in the way; a command in that home says it
        finally:
            snapshot.close()


def layers(home: Home) -> tuple[Layer, ...]:
    """Return the homes that are read beside one, nearest first."""
    try:
        own = personal_home()
    except (DiurnaError, OSError):
        own = None
    if own is None or own.repository.commondir == home.repository.commondir:
        return ()
    return (Layer(PERSONAL, own),)


def brief_file(home: Home, read: tuple[Layer, ...]) -> str:
    """Return where briefs of a home are kept that say something of others; "" for beside its own cache.

    What is only the user's is not kept below a home that others may look into.
    """
    own = next((layer.home for layer in read if layer.personal), None)
    if own is None:
        return ""
    name = sha256(os.fsencode(home.cache_file)).hexdigest()[:32]
    return f"{own.repository.commondir}/{CACHE_DIR}/{name}.briefs"
