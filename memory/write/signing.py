"""Let git sign a commit that Diurna makes, where the user's settings ask for it (`commit.gpgsign`).

Nobody may be there to type a passphrase, so a key that does not answer in a moment is not waited for, nor
asked again for a while: the commit is made without a signature, and that is said.
"""

from __future__ import annotations

import os
from collections import Counter

from ledger.environment import now_seconds
from ledger.git.commit_record import Commit
from ledger.model.event import VERBS, Event, FactCreated
from ledger.model.findings import Finding
from ledger.model.ids import is_fact_id
from ledger.model.layout import COMMIT_SUBJECT, STATE_DIR
from ledger.wal.atomic_files import make_folder, replace_file
from projection.policy.model import BUILT_IN_KINDS, DEFAULT_KIND

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from ledger.home import Home
    from ledger.model.session import Entry
    from ledger.wal.spool import Intents


#: An agent's name that is longer, or of another form, may be a sentence.
_NAME_CHARS = 24
_KINDS = tuple([kind.name for kind in BUILT_IN_KINDS])
#: The types of log that are called by it; the others tell of a session.
_TYPES = ("import", "review", "edit", "checkpoint")


def commit_subject(entries: Iterable[Entry]) -> str:
    """Return the subject of a commit that brings logs, in nobody's words (W17): `diurna: 2 threads`."""
    logs = list(entries)
    kinds, verbs = Counter[str](), Counter[type[Event]]()
    for entry in logs:
        for event in entry.acts:
            if isinstance(event, FactCreated):
                kind = dict(event.meta).get("kind", DEFAULT_KIND)
                kinds[kind if kind in _KINDS else DEFAULT_KIND] += 1
            else:
                verbs[type(event)] += 1
    said = [f"{kinds[kind]} {kind}{'s' * (kinds[kind] > 1)}" for kind in _KINDS if kinds[kind]]
    said += [f"{verbs[kind]} {word.lower()}" for word, kind in VERBS.items() if verbs[kind]]
    called = {entry.type if entry.type in _TYPES else "session log" for entry in logs}
    what = called.pop() if len(called) == 1 else "session log"
    if len(logs) > 1:
        said = [f"{len(logs)} {what}s{':' * bool(said)} {', '.join(said)}".rstrip()]
    agents = {entry.agent.lower() for entry in logs}
    name = agents.pop() if len(agents) == 1 else ""
    by = f" by {name}" if is_fact_id(name) and len(name) <= _NAME_CHARS else ""
    return f"{COMMIT_SUBJECT}{', '.join(said) or what}{by}"


_PATIENCE_SECONDS, _AGAIN_SECONDS = 5.0, 600.0
_HEADER = b"gpgsig"
_UNSIGNED = "commit.gpgsign is set, and the commit is not signed: the key did not answer"


class Signing:
    """Signs one commit.

    Args:
        home: where it is made.
        wanted: the commit.
        intents: told the signature, without which the commit could not be made again (W8).
    """

    def __init__(self, home: Home, wanted: Commit, intents: Intents) -> None:
        self._home, self._wanted, self._intents = home, wanted, intents
        self._silent = f"{home.repository.commondir}/{STATE_DIR}/unsigned"
        #: that it is not signed
        self.findings: list[Finding] = []

    def __call__(self, made: str) -> str:
        """Return the signed commit for one that is not; that one itself where it is to stay so."""
        if not self._wanted.identity.signs:
            return made
        signed = "" if self._fell_silent() else self._signed(made)
        if not signed:
            self.findings.append(Finding("unsigned", _UNSIGNED))
            return made
        body = self._home.repository.git().run("cat-file", "commit", signed)
        self._intents.note(self._wanted, signature_in(body))
        return signed

    def _fell_silent(self) -> bool:
        try:
            return now_seconds() - os.stat(self._silent).st_mtime < _AGAIN_SECONDS
        except OSError:
            return False

    def _signed(self, made: str) -> str:
        wanted, git = self._wanted, self._home.repository.git()
        more: dict[str, str] = {}
        for role, line in zip(
            ("AUTHOR", "COMMITTER"), wanted.identity.lines(wanted.seconds), strict=True
        ):
            name, _, rest = line.partition(" <")
            email, _, date = rest.partition("> ")
            parts = {"NAME": name, "EMAIL": email, "DATE": f"@{date}"}
            more |= {f"GIT_{role}_{what}": value for what, value in parts.items()}
        parents = ("-p", wanted.parent) if wanted.parent else ()
        running = git.start("commit-tree", "-S", *parents, f"{made}^{{tree}}", more=more)
        message = wanted.message.replace("\0", "").encode("utf-8", "replace") + b"\n"
        try:
            status, said, _ = running.finish(message, seconds=_PATIENCE_SECONDS)
        except TimeoutError:
            status, said = 1, b""
        if status:
            make_folder(os.path.dirname(self._silent))
            replace_file(self._silent, b"", 0o600)
        return "" if status else said.decode("ascii", "replace").strip()


def signature_in(commit: bytes) -> str:
    """Return the header of a commit that signs it, with the lines that it goes on in."""
    head = commit.partition(b"\n\n")[0]
    start = head.find(b"\n" + _HEADER + b" ") + 1
    lines = head[start:].split(b"\n")
    end = next((at for at, line in enumerate(lines) if at and line[:1] != b" "), len(lines))
    return b"\n".join(lines[:end]).decode("utf-8", "surrogateescape") if start else ""
