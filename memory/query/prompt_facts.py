"""Find what memory has on a prompt, as a hook asks for it: at once, and without what is said beside."""

from __future__ import annotations

from ledger.heavy_work import Uncollected
from memory.query.open_snapshot import open_snapshot
from memory.recall.index.index_catch_up import IndexFollower
from memory.recall.prompt_recall import Found, found_for_prompt
from memory.recall.query.postings import Lookups
from memory.replay.reader_marks import marks_at
from projection.policy.model import ENGLISH, Moments

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ledger.home import Home
    from memory.cache.cache_file import Cache
    from memory.recall.index.fts_file import Index


def answers_to(home: Home, prompt: str) -> tuple[Moments, tuple[Found, ...]]:
    """Return the facts that answer a prompt, best first, and what the policy says of telling them."""

    def answer(cache: Cache, index: Index) -> tuple[Moments, tuple[Found, ...]]:
        policy = cache.policy
        if not policy.moment.prompt:
            return policy.moment, ()
        lookups = Lookups()
        lookups.language = "" if policy.recall.language == ENGLISH else policy.recall.language
        return policy.moment, found_for_prompt(cache, index, prompt, lookups, marks_at(home, cache))

    follower = IndexFollower(open_snapshot(home))
    try:
        with Uncollected():
            return follower.ask(answer)
    finally:
        follower.close()
