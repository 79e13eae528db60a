"""Verify: whether the ledger at the tip is all that was ever committed to it, and what it says holds.

Everything is read from git anew; no cache is asked. What is wrong comes back as findings, errors first.
What history took from the ledger can be planned and added again (`restore_plan`, `restore`). Keeps
L1 to L5 of FORMAT.md (durability catalogue, E1 to E11 and E14).

`whole` ties the checks together; each of the other modules is one of them, and `restoring` mends.
"""

from rituals.check.verify.checkpoint import Checkpoint, checkpoint
from rituals.check.verify.restore import restore, restore_plan
from rituals.check.verify.run import verify

__all__ = ["Checkpoint", "checkpoint", "restore", "restore_plan", "verify"]
