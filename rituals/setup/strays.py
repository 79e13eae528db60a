"""Join what clones and branches recorded where a memory was before it moved, not having heard of that.

Only sealed logs count, whose names prove their bytes. Who joins them did not write them, so the commit
names nobody, and `why` says that it does not know.
"""

from __future__ import annotations

from ledger.git.commit_record import FALLBACK_EMAIL, FALLBACK_NAME, Identity
from ledger.git.repository import config_value
from ledger.home import IN_TREE, OWN_BRANCH, Home, pointed
from ledger.model import layout
from ledger.model.findings import Finding
from ledger.model.order import breaks_seal, is_sealed
from ledger.wal.spool import Spool
from memory.api import Memory
from memory.redaction.withheld_texts import held_logs


def strays(memory: Memory) -> dict[str, bytes]:
    """Return the logs, by stem, that branches here have where the memory was before, and it has not."""
    home, git = memory.home, memory.home.repository.git()
    places = _places(home)
    said = git.run("for-each-ref", "--format=%(objectname)", "refs/heads", "refs/remotes")
    tips = dict.fromkeys(said.decode("ascii").split()) if places else {}
    asked = [(tip, prefix) for tip in tips for prefix in places]
    names = (layout.MOVED_FILE, layout.POLICY_FILE, layout.SESSIONS_DIR)
    found = git.resolve(*[f"{tip}:{prefix}{name}" for tip, prefix in asked for name in names])
    rows = list(zip(found[::3], found[1::3], found[2::3], strict=True))
    if not any(moved for moved, _, _ in rows):
        return {}
    known = {ref.stem for ref in memory.snapshot.list_logs(home.tip())[0]}
    known |= {stem for stem, _ in memory.ask(held_logs, committed=True)}
    blobs: dict[str, str] = {}
    for tree in dict.fromkeys(logs for moved, policy, logs in rows if logs and (moved or policy)):
        for _, blob, path in git.tree_files(tree):
            if is_sealed(stem := layout.stem_of(path)) and stem not in known:
                blobs[stem] = blob
    bodies = zip(blobs, git.blobs(blobs.values()), strict=True)
    return {stem: data for stem, data in bodies if data and not breaks_seal(stem, data)}


def join_strays(memory: Memory, spool: str = "") -> tuple[Finding, ...]:
    """Commit them, and what waits in another spool's folder, "" for none; say how many they were."""
    home = memory.home
    _note_moved(home)
    left = Spool(spool) if spool and spool != home.spool_folder else None
    mine = Spool(home.spool_folder)
    if left is not None:
        for stem in (*left.waiting(), *left.held()):
            mine.put(stem, left.read(stem) or b"")
            left.commit(stem)
    if mine.waiting():
        memory.drain()
    found = strays(memory)
    if not found:
        return ()
    nobody = Identity(FALLBACK_NAME, FALLBACK_EMAIL)
    now = memory.occasion().now_ms
    joiner = Memory(home, clock=lambda: now, lasting=False, identity=lambda: nobody)
    many = f"{len(found)} log{'s' if len(found) != 1 else ''}"
    joiner.commit_files(
        [(layout.log_path(stem), data) for stem, data in found.items()],
        f"diurna: {many} from where memory was before", only_missing=True,
    )  # fmt: skip
    joiner.close()
    return (Finding("home-moved", f"{many} joined that stood where memory was before it moved"),)


def _places(home: Home) -> tuple[str, ...]:
    """Return the prefixes at which a memory may have stood before it came to where it is."""
    if home.kind == IN_TREE:
        return ("",)
    if home.kind != OWN_BRANCH:
        return ()
    git = home.repository.git()
    (pointer,) = git.resolve(f"HEAD:{layout.TREE_POINTER}")
    text = b"".join(body or b"" for body in git.blobs([pointer] if pointer else []))
    named = pointed(text.decode("utf-8", "replace"))
    said = (layout.TREE_PREFIX, config_value(home.repository, "diurna", "moved"), named)
    return tuple(dict.fromkeys(filter(None, said)))


def _note_moved(home: Home) -> None:
    """Let branches that still have the old place lead to the new one, in this clone."""
    if home.kind != OWN_BRANCH or config_value(home.repository, "diurna", "moved"):
        return
    git = home.repository.git()
    places = _places(home)
    there = git.resolve(*[f"HEAD:{prefix}{layout.MOVED_FILE}" for prefix in places])
    for prefix, moved in zip(places, there, strict=True):
        if moved:
            git.configure("config", "--local", layout.CONFIG_MOVED, prefix)
            git.configure("config", "--local", "diurna.branch", home.branch)
