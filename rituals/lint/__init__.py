"""Lint: every check that a machine can do over a home, for people before they push and for CI.

All that `verify` looks at, and beside it secrets and personal data in logs and projections, and edits of
`continuity.md` that no log declares. Nothing is changed, and no value of a secret is in a finding.
"""

from rituals.lint.files import lint_files
from rituals.lint.whole import lint

__all__ = ["lint", "lint_files"]
