"""Define findings: what was noticed, as values and never as exceptions, with one table of their codes.

One table of codes; every code has one severity and one meaning for good.
"""

from __future__ import annotations

from ledger.model.record import Record

ERROR, WARNING, INFO = "error", "warning", "info"

#: code -> (severity, what it means). Codes are never reused.
CODES: dict[str, tuple[str, str]] = {
    # what a session log says
    "not-utf8": (WARNING, "the log is not UTF-8; unreadable bytes are shown as U+FFFD"),
    "nul-byte": (WARNING, "the log holds a NUL byte"),
    "too-large": (ERROR, "the log is over the size limit and was not read"),
    "line-too-long": (WARNING, "a line is over the length limit and was not read"),
    "too-many-ids": (WARNING, "the log names more ids than the limit; the rest was not read"),
    "unclosed-fence": (WARNING, "a code fence is never closed; it hides nothing"),
    "unclosed-comment": (WARNING, "a comment is never closed; it hides nothing"),
    "too-complex": (WARNING, "too large to decide; indented fences and comments hide nothing"),
    "conflict-marker": (ERROR, "a log or the policy holds merge conflict markers"),
    "front-matter": (WARNING, "a line of the front matter is not `key: value`"),
    "unknown-verb": (WARNING, "a bullet of the references names no known event"),
    "bad-id": (WARNING, "this is not a fact id"),
    "bad-event": (WARNING, "an event that can not be read"),
    "bad-footer": (WARNING, "a footer that can not be read"),
    "bad-date": (WARNING, "this is not a calendar date"),
    "fact-without-event": (WARNING, "a fact block whose id no event of the log names"),
    "event-without-fact": (WARNING, "an event that needs a text, and the log has none for it"),
    "duplicate-block": (WARNING, "two fact blocks of one log share an id"),
    "repeated-section": (INFO, "the log has more than one section of this name; all are read"),
    "section-suffix": (INFO, "the heading has a suffix; the section is read"),
    "not-canonical": (WARNING, "the log can not be stored as it is"),
    # the set of logs
    "bad-name": (WARNING, "a file under sessions/ that is no session log"),
    "date-only-name": (INFO, "the log's name has a date and no time"),
    "duplicate-stem": (ERROR, "two logs of one name with different bytes; both are read"),
    "seal-broken": (ERROR, "the bytes of a sealed log do not match its name"),
    "seal-collision": (ERROR, "different logs fit one seal; none of them is restored"),
    "stamp-moved": (ERROR, "a sealed log does not bear the stamp of its name; it is read"),
    "log-modified": (ERROR, "a session log was changed after it was committed"),
    "log-deleted": (ERROR, "a session log was deleted after it was committed"),
    "log-moved": (ERROR, "a session log was moved after it was committed"),
    "log-edited": (WARNING, "a session log differs in the work tree from what is committed"),
    "log-uncommitted": (INFO, "a session log in the work tree is not committed"),
    "not-a-file": (WARNING, "an entry under sessions/ that is not an ordinary file; not read"),
    "unreadable": (ERROR, "an object of the ledger is missing or unreadable"),
    "history-cut": (INFO, "the history is shallow; what is older was not checked"),
    "history-rewritten": (ERROR, "logs went with where the branch was, here or on a remote"),
    "clock-ahead": (WARNING, "a log is stamped more than a day ahead of this clock"),
    # what the facts say together
    "unknown-id": (WARNING, "an id that is named but was never created"),
    "contradiction": (
        WARNING,
        "several versions or successors stand against each other; none wins",
    ),
    "supersession-cycle": (WARNING, "facts supersede each other in a circle; the newest edge goes"),
    "not-a-thread": (WARNING, "closed or reopened, but of a kind that is never closed"),
    "task-move": (WARNING, "a move that can not follow, or of what is no task"),
    "no-evidence": (WARNING, "a help without evidence; it counts as a reference"),
    "false-fact": (WARNING, "a log relies on a fact that is superseded or invalidated"),
    "unknown-kind": (WARNING, "a kind that the policy does not name"),
    "similar-fact": (WARNING, "a new fact says what another one says already"),
    "until-unseen": (INFO, "what ends a new fact is true already, or can not be seen here"),
    "personal-item": (ERROR, "what is only one person's, in a home that others share"),
    "private-part": (WARNING, "what stood in <private> was not stored"),
    "personal-log": (INFO, "what is only the user's went to their own home"),
    "note-line": (INFO, "a line of a note came back, or was read otherwise than it stands"),
    # projection and repository
    "review-due": (INFO, "a review is due, by sessions or by size"),
    "over-size": (INFO, "continuity.md is over the limits of the policy"),
    "as-of-date": (INFO, "what memory can not tell of a point of the past"),
    "policy-invalid": (WARNING, "the policy can not be read; the defaults are used"),
    "policy-deprecated": (INFO, "the policy says something in a former way"),
    "newer-format": (ERROR, "the ledger has a newer format; it can be read, not written"),
    "drift": (WARNING, "a published page differs from what the logs say"),
    "hand-edited": (WARNING, "a projection file was edited by hand and was left alone"),
    "absorbed": (INFO, "a person's edit of a projection file became a log of its own"),
    "conflict-in-projection": (ERROR, "a projection file holds conflict markers"),
    "merge-attribute": (WARNING, "git is told to merge or convert the home's files in its way"),
    "spool-waiting": (WARNING, "logs are saved, and not committed yet"),
    "index-busy": (WARNING, "the git index was locked; its entry follows with the next command"),
    "stale-lock": (INFO, "a lock that belonged to nobody was moved aside"),
    "log-dropped": (WARNING, "a branch was set back, and what nobody took out returns"),
    "object-mended": (INFO, "a damaged object was written again from the spool"),
    "cache-rebuilt": (INFO, "the cache was unusable and was rebuilt"),
    "fallback-identity": (INFO, "git has no user name; a fixed identity was used"),
    "unsigned": (INFO, "commit.gpgsign is set, and a commit of Diurna's is not signed"),
    # this machine
    "git-unusable": (ERROR, "git is missing or too old"),
    "host-command": (WARNING, "an agent's program calls a diurna that does not answer"),
    "host-files": (WARNING, "a file of an agent's program lacks what install writes into it"),
    "host-faults": (WARNING, "hooks failed of late"),
    "capture-failed": (WARNING, "what a session of an agent left could not be recorded"),
    "capture-settings": (WARNING, "the user's choice of what reads sessions can not be meant"),
    "capture-waits": (WARNING, "what sessions of agents did waits, and nobody tried to record it"),
    "no-home": (WARNING, "there is no home here"),
    "unsupported-repository": (ERROR, "a repository that Diurna can not work with as it is"),
    "lock-left": (WARNING, "a lock file of git that belongs to no running process"),
    "object-lost": (ERROR, "git has lost what a recent commit of Diurna's is made of"),
    "home-moved": (INFO, "logs stand where this memory was, or memory moved from here"),
    "spool-leftover": (WARNING, "logs wait in the spool of another home of this repository"),
    "attributes-missing": (WARNING, "git may change or merge files that it must leave alone"),
    "cache-differs": (ERROR, "the cache says something that the ledger does not"),
    "upstream-stale": (WARNING, "a home of others was not fetched; what is here of it is used"),
    "mirrored": (WARNING, "a push or a fetch takes along what is kept beside the branch, too"),
    "not-pushed": (WARNING, "logs of more than a week ago are on no remote"),
    "check-failed": (WARNING, "a check could not be made"),
    # what memory has on a change of the code
    "change-gone": (WARNING, "the change takes away what a fact names"),
    "change-breaks": (WARNING, "the change breaks a rule"),
    "change-decided": (INFO, "the change edits a file that a decision or rule names"),
    "change-ends": (INFO, "the change ends a fact, as that says itself, or breaks its check"),
    # secrets and personal data
    "secret-found": (ERROR, "a secret"),
    "secret-redacted": (WARNING, "a secret was not stored; its kind stands in its place"),
    "withheld-text": (ERROR, "a text says again what was redacted"),
    "secret-waived": (INFO, "lines that look like secrets and say that they are none"),
    "personal-data": (WARNING, "the path of a person's home folder"),
    "undeclared-edit": (WARNING, "an edit of a projection file that no log declares"),
}


class Finding(Record):
    """One thing noticed; `file` is relative to the home, `line` is 1-based or 0.

    `about` has the ids of the facts that it is about, where that matters.
    """

    code: str
    message: str
    file: str = ""
    line: int = 0
    hint: str = ""
    about: str = ""

    @property
    def severity(self) -> str:
        """`error`, `warning` or `info`, by the table of codes."""
        return CODES[self.code][0]

    @property
    def where(self) -> str:
        """`file:line`, as much of it as is known."""
        return f"{self.file}:{self.line}" if self.line else self.file


def severe(findings: tuple[Finding, ...]) -> bool:
    """Tell whether any finding is an error."""
    return any(finding.severity == ERROR for finding in findings)
