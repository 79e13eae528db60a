"""Ask git who commits, while other work goes on."""

from __future__ import annotations

from ledger.git.commit_record import FALLBACK_EMAIL, FALLBACK_NAME, Identity
from ledger.model.findings import Finding

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ledger.git.repository import Repository


class IdentityQuestion:
    """The question put to git who commits here, and whether their commits are signed.

    Args:
        repository: where.
    """

    def __init__(self, repository: Repository) -> None:
        self._running = repository.git().start(
            "config", "-z", "--get-regexp", r"^(user\.(name|email)|commit\.gpgsign)$"
        )

    def answer(self) -> Identity:
        """Wait for the answer; where git knows no name or address, a fixed one stands for it."""
        status, said, _ = self._running.finish()
        found = {}
        for item in ("" if status else said.decode("utf-8", "replace")).split("\0"):
            key, is_set, value = item.partition("\n")
            found[key] = value if is_set else "true"  # a key alone in its line means true
        name, email = found.get("user.name", ""), found.get("user.email", "")
        signs = found.get("commit.gpgsign", "").lower() not in ("", "false", "no", "off", "0")
        return Identity(
            name or FALLBACK_NAME, email or FALLBACK_EMAIL, not (name and email), signs=signs
        )


def identity_findings(who: Identity) -> tuple[Finding, ...]:
    """Say where a fixed name stands for the user's."""
    notes = []
    if who.fallback:
        missing = "user.name" if who.name == FALLBACK_NAME else "user.email"
        said = f"git has no {missing}; commits are made by {who.name} <{who.email}>"
        notes.append(Finding("fallback-identity", said, hint=f"git config {missing} YOURS"))
    return tuple(notes)
