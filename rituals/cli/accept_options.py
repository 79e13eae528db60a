"""Read what `verify --accept`, `--accept-all` and `--unaccept` are to record."""

from __future__ import annotations

from ledger.errors import WrongUsage

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from memory.api import Memory
    from rituals.check.acceptance import Baseline

ACCEPTED, UNACCEPTED = "accepted", "unaccepted"


def baseline(memory: Memory, what: str, findings: tuple[str, ...], reason: str) -> Baseline:
    """Plan what is asked for.

    Raises:
        NotFound: a finding is not there, or is not accepted.
    """
    from rituals.check.acceptance import acceptance, unacceptance

    plan = unacceptance if what == UNACCEPTED else acceptance
    return plan(memory, findings, reason)


def wanted(findings: tuple[str, ...], given: Mapping[str, bool], restore: bool, reason: str) -> str:
    """Return what is to be recorded, under its key in JSON: `accepted`, `unaccepted`, or "" for nothing.

    Raises:
        WrongUsage: the options do not go together.
    """
    accept, accept_all, unaccept = (given[name] for name in ("accept", "accept_all", "unaccept"))
    if sum((accept, accept_all, unaccept, restore)) > 1:
        raise WrongUsage("--accept, --accept-all, --unaccept and --restore exclude each other")
    if (accept or unaccept) and not findings:
        hint = "`diurna check --all` shows the key of each; --accept-all means all of them"
        raise WrongUsage("name the findings", hint=hint)
    if findings and not (accept or unaccept):
        raise WrongUsage("FINDING goes with --accept or --unaccept", where=findings[0])
    recorded = accept or accept_all or unaccept
    if recorded and not reason.strip():
        raise WrongUsage("a reason is needed", where="--reason", hint="say in a few words why")
    if reason and not recorded:
        raise WrongUsage("--reason goes with --accept, --accept-all or --unaccept")
    return UNACCEPTED if unaccept else ACCEPTED if recorded else ""
