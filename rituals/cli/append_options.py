"""Define the options of `diurna append`, some of which `diurna note` takes too."""

from __future__ import annotations

from functools import reduce
from typing import Any

import click

from ledger.model.task_states import STATES
from rituals.cli.context import Invocation

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    Decorator = Callable[[Any], Any]

EPILOG = """\b
Examples:
  diurna append --title "Wire the retry queue" --ref api-timeouts \\
      --new "decision: Webhooks retry three times." --close find-retry-limit
  diurna append --new "thread: id=retry-storm Can a retry storm starve the API?"
  diurna append --new 'entity="Payments API" decision: A card is charged once.'
  diurna append session.md
  echo '{"title": "Tidy", "new": [{"text": "CI runs on two cores."}]}' |
      diurna append --from-json -
"""


def many(name: str, metavar: str, help: str, *others: str) -> Decorator:
    """Return an option that may be given several times."""
    return click.option(f"--{name}", *others, multiple=True, metavar=metavar, help=help)


def one(name: str, metavar: str, help: str) -> Decorator:
    """Return an option that is a text, "" where it is not given."""
    return click.option(f"--{name}", default="", metavar=metavar, help=help)


_TITLE = one("title", "TEXT", "The log's title.")
_REF = many("ref", "ID", "A fact the session relied on; repeat, or separate by commas.", "--refs")
_AGENT = one("agent", "NAME", "Who writes; else $DIURNA_AGENT, else git's user name.")
_SESSION = one(
    "session",
    "ID",
    "The host's session; its logs of one agent count as one work session. Else $DIURNA_SESSION, or what "
    "the host sets.",
)
_CONTENT: tuple[Decorator, ...] = (
    _TITLE,
    one(
        "body", "TEXT", "Markdown prose: what happened, why, what is next; @FILE reads it, - stdin."
    ),
    one("from-json", "FILE", "The whole log as JSON (- for stdin)."),
    _REF,
    many(
        "new",
        '"KIND: TEXT"',
        'A new fact; "KIND: id=my-id entity=NAME priority=low TEXT" says more of it.',
    ),
    click.option(
        "--update", nargs=2, multiple=True, metavar="ID TEXT", help="A fact gets a new text."
    ),
    many("supersede", "OLD=NEW", "OLD is false now, NEW replaces it."),
    many("invalidate", "ID", "The fact is false now, nothing replaces it."),
    many("close", "ID", "The thread, task or finding is done."),
    many("reopen", "ID", "It is open again."),
    many("reactivate", "ID", "Take the fact out of the archive."),
    many("move", "ID=STATE", f"The task is in that state now: {', '.join(STATES[1:])}."),
    many(
        "helped",
        "ID=EVIDENCE",
        "It helped; the evidence is a command with its exit code, or PATH:LINE.",
    ),
    many("ignored", "ID[=ROLE]", "It was shown to a role, else to yours, and was of no use."),
)
_HEADER: tuple[Decorator, ...] = (
    _AGENT,
    one("role", "NAME", "In which role."),
    one("host", "NAME", "The program the agent runs in."),
    one("model", "NAME", "The model it runs on."),
    _SESSION,
    one(
        "type",
        "TYPE",
        "work (the default; continued behind the first of a session), review, import, edit or checkpoint.",
    ),
)

_VERDICT: tuple[Decorator, ...] = (
    one("verdict", "WORD", "What a judge says: pass, fail, or another word."),
    one("about", "IDS", "What the verdict is about, with commas between."),
    one("tokens", "N", "How many tokens judging took."),
)

_ANYWAY = click.option(
    "--anyway", is_flag=True, help="Allow ids and kinds that memory does not know."
)


_STRICT = click.option(
    "--strict",
    is_flag=True,
    help="Refuse a log with a secret, or a fact that repeats or denies another.",
)
_AGAIN = click.option(
    "--again", is_flag=True, help="Record it even if the same was recorded a moment ago."
)

stage = click.option("--stage", is_flag=True, help="Stage the log for your own next commit.")


def _keep_own(ctx: click.Context, _: click.Parameter, value: bool) -> None:
    if value:
        ctx.ensure_object(Invocation).own = True


_PERSONAL = click.option(
    "--personal",
    is_flag=True,
    expose_value=False,
    callback=_keep_own,
    help="It is only yours: record it in your own home, not here.",
)


def content(function: Any) -> Any:
    """Give a command the options for the content of a log."""
    return _with((*_CONTENT, _ANYWAY), function)


def header(function: Any) -> Any:
    """Give a command the options for the header of a log."""
    return _with((*_HEADER, *_VERDICT), function)


def write(function: Any) -> Any:
    """Give a command the options for how a log is written."""
    return _with((_AGAIN, _STRICT, _PERSONAL), function)


def short(function: Any) -> Any:
    """Give a command what the short write takes of all this, and the kind of its facts."""
    kind = one("kind", "KIND", "The kind of each text that names none.")
    replaced = many("replace", "ID", "The fact that the one TEXT replaces.")
    asked = many(
        "asked", "QUESTION", "How somebody will ask for the one TEXT; recall finds it by that."
    )
    return _with(
        (
            kind,
            replaced,
            asked,
            _REF,
            _TITLE,
            _AGENT,
            _SESSION,
            _ANYWAY,
            _AGAIN,
            _STRICT,
            _PERSONAL,
        ),
        function,
    )


def _with(chosen: tuple[Decorator, ...], function: Any) -> Any:
    return reduce(lambda found, option: option(found), reversed(chosen), function)
