"""Ask git for the messages of commits, by the beginnings of their ids."""

from __future__ import annotations

from ledger.errors import DiurnaError
from ledger.git.objects import Objects

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType

    from ledger.git.repository import Repository

_BYTES = 64 << 10


class CommitMessages:
    """Reads the messages of commits; a context, for the process that a first question starts.

    Args:
        repository: that has them.
    """

    def __init__(self, repository: Repository) -> None:
        self._repository = repository
        self._objects: Objects | None = None

    def __enter__(self) -> CommitMessages:
        """Return itself."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """End the process."""
        if self._objects is not None:
            self._objects.__exit__(kind, value, trace)

    def of(self, oid: str) -> str:
        """Return the message of a commit; "" where git does not have it.

        Args:
            oid: the beginning of its id.
        """
        try:
            if self._objects is None:
                self._objects = Objects(self._repository.git())
            data = self._objects.read(oid, _BYTES)
        except (DiurnaError, OSError):
            return ""
        head, _, message = data.partition(b"\n\n")
        return message.decode("utf-8", "replace") if head.startswith(b"tree ") else ""
