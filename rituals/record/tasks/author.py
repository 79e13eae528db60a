"""Say who records, as the header of a log does."""

from __future__ import annotations

from ledger.model.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rituals.record.request import Request


class Author(Record):
    """Who records; "" for what the process says by itself."""

    agent: str = ""  #: the name
    role: str = ""  #: that they work in
    host: str = ""  #: the program
    session: str = ""  #: the host's session

    def header(self) -> tuple[tuple[str, str], ...]:
        """Return what of it stands in the header of a log beside the agent."""
        said = (("role", self.role), ("host", self.host), ("session", self.session))
        return tuple([pair for pair in said if pair[1]])

    def signed(self, request: Request) -> Request:
        """Put the author into a request."""
        return request._replace(
            agent=self.agent, role=self.role, host=self.host, session=self.session
        )
