"""Lint: every check that a machine can do over a home, for people before they push and for CI.

All that `verify` looks at, and beside it secrets and personal data in logs and projections, and edits of
`continuity.md` that no log declares. Nothing is changed, and no value of a secret is in a finding.
"""

from importlib import import_module

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rituals.check.lint.files import lint_files
    from rituals.check.lint.run import lint

__all__ = ["lint", "lint_files"]

_HOMES = {"lint": "rituals.check.lint.run", "lint_files": "rituals.check.lint.files"}


def __getattr__(name: str) -> object:
    """Load what is asked for only then: `status` needs one module of these and none of the others."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
