"""Ask a person what agents' programs are to do here, and carry it out."""

from __future__ import annotations

from importlib.util import find_spec

import click

from ledger.environment import user_folder, variables
from rituals.cli.output import counted
from rituals.cli.terminal.hosts_text import carry_out

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rituals.cli.context import Invocation

_WHO_READS = """\
Sessions are recorded on this machine, without a model. A model can also make facts of what was said:
claude or codex on your subscription, or http, an endpoint of yours. It then reads all of the session."""
_WHAT_IS_KEPT = (
    "sessions leave logs that everybody with this memory can read: what agents report at the end of "
    "turns, commit messages, answers in dialogs, what was edited, committed and tested, and what a "
    "person asks to be remembered; nothing about a person. "
    "`diurna capture --show` prints them before anything is written; "
    '`[capture] keep = "off"` in diurna.toml keeps none'
)
#: What a person has to do once, by the host.
_THEN = {
    "codex": "Codex asks once whether it may run the hooks, in an interactive session; until then it "
    "runs none",
    "opencode": "opencode installs a package for its plugins at the next start, which needs the network",
}


def ask_hosts(found: tuple[str, ...]) -> tuple[str, ...]:
    """Ask for each host that is found here; return those that are wanted."""
    return tuple(one for one in found if click.confirm(f"install for {one}?", err=True))


def ask_extractor(call: Invocation) -> None:
    """Ask who reads sessions, unless that is configured; no model is asked unless somebody says so."""
    from rituals.hosts.install.extractor import configure, is_configured
    from rituals.hosts.user_settings import EXTRACTORS, HTTP, NOBODY

    if is_configured():
        return
    call.out.talk(_WHO_READS)
    chosen = click.prompt(
        "which may read sessions?", NOBODY, type=click.Choice(EXTRACTORS), err=True
    )
    if chosen == NOBODY:
        return
    said = []
    if chosen == HTTP:
        said = [
            click.prompt("its address, up to /v1", err=True),
            click.prompt("the model", err=True),
            click.prompt("the environment variable with its key", "", show_default=False, err=True),
        ]
    call.out.line(f"wrote {configure(chosen, *said)}")


def offer(call: Invocation, found: tuple[str, ...]) -> None:
    """Offer to install for the hosts that are found in a project."""
    from rituals.hosts.install.install_plan import base_folder

    chosen = ask_hosts(found)
    if chosen:
        base = base_folder(call.folder(), user=False)
        hook_up(call, base, chosen, user=False, mcp=None, dry_run=False)


def hook_up(
    call: Invocation, base: str, hosts: tuple[str, ...], *, user: bool, mcp: bool | None, dry_run: bool
) -> int:  # fmt: skip
    """Install for hosts, and say what that means; return the exit code.

    `base` is the work tree, or with `user` the user's folder; `mcp` installs also the server, None where
    its extra is there.
    """
    from rituals.hosts.adapters import HOSTS
    from rituals.hosts.capture.keeping_notice import is_informed, note_informed
    from rituals.hosts.install.install_plan import plan_install

    servers = find_spec("mcp") is not None if mcp is None else mcp
    plan = plan_install(base, hosts, user=user, servers=servers)
    code = carry_out(call, plan, hosts, user=user, dry_run=dry_run)
    if plan.changes and (asked := ", ".join([host for host in hosts if HOSTS[host].asks])):
        call.out.hint(
            f"{asked}: when it stops, the agent is at times asked what the next session needs to know; "
            "`ask = 0` below `[capture]` in diurna.toml: never"
        )
    if plan.changes and not dry_run:
        for host in hosts:
            call.out.hint(_THEN.get(host, ""))
        if deaf := " ".join([host for host in hosts if not (user or HOSTS[host].below)]):
            call.out.hint(
                f"{deaf.replace(' ', ', ')}: the hooks of a project run where it is started at the top; "
                f"`diurna install {deaf} --user` works in every folder"
            )
        if call.interactive() and not call.json:
            ask_extractor(call)
    if not dry_run and not call.json and (plan.changes or not is_informed()):
        call.out.hint(_WHAT_IS_KEPT)
        note_informed()
        if not user:
            _offer_past(call, base)
    return code


def _offer_past(call: Invocation, base: str) -> None:
    """Offer to read the sessions that were held here before the hooks."""
    from rituals.cli.terminal.past_text import tell_past
    from rituals.hosts.capture.past_sessions import past_sessions

    found = past_sessions(base, user_folder(), variables())
    said = f"{counted(len(found), 'past session')} of this folder found"
    if not found:
        return
    if not (call.interactive() and call.state_dir()):
        call.out.hint(f"{said}; `diurna capture --past` shows what they would leave")
    elif click.confirm(f"{said}, read them? (nothing is shared before you say so)", True, err=True):
        tell_past(call, "", "", show=False, write=False, dry_run=False)
