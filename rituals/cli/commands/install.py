"""Run `diurna install`: what agents' programs call, asked for, put in and taken out."""

from __future__ import annotations

import os
from collections.abc import Sequence
from difflib import unified_diff
from importlib.util import find_spec

import click

from ledger.environment import user_folder, variables
from ledger.errors import DiurnaError, WrongUsage
from rituals.cli.commands.status import UNASKED
from rituals.cli.context import Invocation
from rituals.cli.dialog import agreed
from rituals.cli.layout import Layout
from rituals.cli.operation import DRY_RUN, modes, option, word
from rituals.cli.output import counted, told
from rituals.hosts.adapters import HOSTS
from rituals.hosts.install.install_plan import Plan

_WHAT_IS_KEPT = (
    "sessions leave logs that everybody with this memory can read: what agents report at the end of "
    "turns, commit messages, answers in dialogs, what was edited, committed and tested, and what a "
    "prompt asks to be remembered that begins with `remember:`; nothing else that a person typed. "
    "`diurna capture --show` prints them before anything is written; "
    '`[capture] keep = "off"` in diurna.toml keeps none'
)
#: What a person has to do once, by the host.
_THEN = {
    "codex": "Codex asks once whether it may run the hooks, in an interactive session; until then it "
    "runs none",
    "opencode": "opencode installs a package for its plugins at the next start, which needs the network",
}


def install(
    call: Invocation, *,
    hosts: tuple[str, ...] = word("[HOST]...", choices=HOSTS),
    user: bool = option("For all projects of yours, instead of this one."),
    no_mcp: bool = option("Leave out the MCP server.", goes="plain"),
    export: str = option("Write a plugin for marketplaces there, instead.", "DIR", goes="plain"),
    mode: str = modes(
        remove="Take out again what install put there.",
        model="Fetch a small model by which `recall` weighs meaning; asks first.",
    ),
    yes: bool = option("With --model: do not ask.", goes="model"),
    dry_run: bool = DRY_RUN,
) -> int:  # fmt: skip
    """Let agents' programs use this memory: their hooks, their MCP server, a rule in AGENTS.md.

    HOST is claude, codex, copilot, gemini, qwen, opencode or cursor. Without one, it asks for each that
    is found here on a terminal, and lists them elsewhere. The rest of each file keeps its bytes; a file
    that cannot be read is named and left alone. With --remove what was there before is back, byte for
    byte, and what was written since stays. The rule in AGENTS.md stays as long as another host here reads
    it; the memory itself is not touched.

    Examples:
      diurna install claude codex
      diurna install claude --user
      diurna install --dry-run gemini
      diurna install --export plugin
      diurna install --remove claude
      diurna install --model --dry-run
    """
    hosts = tuple(dict.fromkeys(hosts))
    if mode == "model":
        return _fetch_model(call, dry_run, yes)
    if mode:
        return _remove(call, hosts, user=user, dry_run=dry_run)
    if export:
        return _export_plugin(call, export, alone=not (hosts or user), dry_run=dry_run)
    from rituals.hosts.install.install_plan import base_folder, found_hosts

    base = base_folder(call.home or call.folder(), user=user)
    if not hosts:
        found = found_hosts("" if user else base, user_folder(), call.search_path)
        if not call.interactive() or call.json:
            return _list_found(call, base, found, user=user)
        hosts = _ask_hosts(found)
        if not hosts:
            call.out.line("nothing is installed")
            return 0
    code = _hook_up(call, base, hosts, user=user, mcp=not no_mcp, dry_run=dry_run)
    if not (dry_run or user or call.state_dir()):
        call.out.hint("there is no memory here yet: `diurna init` makes a home for it")
    return code


def _fetch_model(call: Invocation, dry_run: bool, yes: bool) -> int:
    """Fetch the model of meaning, once somebody agrees to what is said of it."""
    from rituals.setup.meaning_model import BASE, LICENCE, NAME, PARTS, fetch_model, free_folder

    folder = free_folder()
    values = {"name": NAME, "folder": folder}
    plan = [f"{NAME}, licence: {LICENCE}, into {folder}"]
    plan += [f"  {BASE}/{one.path}  {one.size / 1e6:.1f} MB, sha256 {one.sha256}" for one in PARTS]
    if (call.json or not call.interactive()) and not (dry_run or yes):
        raise WrongUsage("nothing is fetched unasked", hint="`--yes` agrees to it")
    done = agreed(
        call, "fetch it?", {**values, "plan": plan}, Layout("plan|{}"), yes=yes, dry_run=dry_run
    )
    if done:
        fetch_model(folder)
    hints = ["vectors are made while agents work, or now by `diurna check --fix`"]
    if find_spec("onnxruntime") is None:
        hints.append(
            "the extra runs it: `pip install '.[meaning]'` in a clone of Diurna's repository"
        )
    nothing = () if done or dry_run else ["nothing is fetched"]
    call.answer({**values, "dry_run": dry_run}, nothing, hints=hints if done else ())
    return 0


def _remove(call: Invocation, hosts: tuple[str, ...], *, user: bool, dry_run: bool) -> int:
    """Take out what `install` put there, and what this clone keeps of what persons asked for."""
    from ledger.git.repository import Repository, find_repository
    from ledger.wal.kept_asks import drop_asks
    from memory import drop_briefs
    from rituals.hosts.install.install_plan import base_folder, plan_removal

    base = base_folder(call.home or call.folder(), user=user)
    plan = plan_removal(base, hosts or HOSTS, user=user)
    try:
        home = call.find_home()
        repository: Repository | None = home.repository
        if not dry_run:
            drop_briefs(home)  # which say what was asked for
    except DiurnaError:
        repository = find_repository(call.folder(), fit=False)
    if repository is not None and not dry_run:
        drop_asks(repository.commondir, lambda one: not hosts or one.host in hosts)
    return _carry_out(call, plan, hosts, user=user, dry_run=dry_run)


def _export_plugin(call: Invocation, folder: str, *, alone: bool, dry_run: bool) -> int:
    """Write the plugin for marketplaces; return the exit code."""
    from rituals.hosts.install.plugin_export import LOADING, plan_export

    if not alone:
        hint = f"diurna install --export {folder}"
        raise WrongUsage("a plugin is the same for all hosts", hint=hint)
    plan = plan_export(os.path.join(call.folder(), folder))
    code = _carry_out(call, plan, LOADING, user=False, dry_run=dry_run)
    if not code:
        call.out.hint(f"claude --plugin-dir {folder} tries it; the page AGENTS.md has the others")
    return code


def _carry_out(
    call: Invocation, plan: Plan, hosts: Sequence[str], *, user: bool, dry_run: bool
) -> int:
    """Do what is planned, unless it is only to be said; return the exit code."""
    from rituals.answers.record_to_dict import fields_of
    from rituals.hosts.install.install_plan import apply_plan

    if not dry_run:
        apply_plan(plan, user=user)
    lines: list[str] = []
    files = []
    for change in plan.changes:
        verb = "make" if change.before is None else "take" if change.after is None else "write"
        files.append({"file": change.file, "did": verb})
        step = f"{verb}{' away' * (verb == 'take')} {change.file}"
        lines.append(told(step, done=not dry_run))
        if dry_run:
            both = (change.before, change.after)
            old, new = [(data or b"").decode("utf-8", "replace").splitlines() for data in both]
            was, now = ["/dev/null" if data is None else change.file for data in both]
            lines += unified_diff(old, new, was, now, lineterm="")
    if not plan.changes and not plan.left:
        lines = [f"nothing to do in {plan.base} for {', '.join(hosts) or 'any host'}"]
    values = {**fields_of(plan, "base left"), "hosts": hosts, "files": files, "dry_run": dry_run}
    call.answer(values, lines)
    for one in plan.left:
        call.out.talk(("diurna:", "red"), f" {one.file}: it {one.why}")
        call.out.hint(one.hint)
    return 1 if plan.left else 0


def _list_found(call: Invocation, base: str, found: tuple[str, ...], *, user: bool) -> int:
    line = f"no agent's program was found here; name one: {', '.join(HOSTS)}"
    if found:
        line = f"found: {', '.join(found)}; nothing is installed yet"
    hints = (f"diurna install {' '.join(found)}{' --user' if user else ''}",) if found else ()
    values = {"base": base, "hosts": found, "files": [], "left": [], "dry_run": True}
    call.answer(values, [line], hints=hints)
    return 0


def _ask_hosts(found: tuple[str, ...]) -> tuple[str, ...]:
    """Ask for each host that is found here; return those that are wanted."""
    return tuple(one for one in found if click.confirm(f"install for {one}?", err=True))


def offer(call: Invocation, found: tuple[str, ...]) -> None:
    """Offer to install for the hosts that are found in a project."""
    from rituals.hosts.install.install_plan import base_folder

    chosen = _ask_hosts(found)
    if chosen:
        base = base_folder(call.folder(), user=False)
        _hook_up(call, base, chosen, user=False, mcp=True, dry_run=False)


def _hook_up(
    call: Invocation, base: str, hosts: tuple[str, ...], *, user: bool, mcp: bool, dry_run: bool
) -> int:  # fmt: skip
    """Install for hosts, and say what that means; return the exit code."""
    from rituals.hosts.capture.privacy_gates import is_informed, note_informed
    from rituals.hosts.install.install_plan import plan_install

    plan = plan_install(base, hosts, user=user, servers=mcp)
    code = _carry_out(call, plan, hosts, user=user, dry_run=dry_run)
    if plan.changes and (asked := ", ".join([host for host in hosts if HOSTS[host].asks])):
        call.out.hint(
            f"{asked}: when it stops, the agent is at times asked what the next session needs to know; "
            "`ask = 0` below `[capture]` in diurna.toml: never"
        )
    if plan.changes and not dry_run:
        for host in hosts:
            call.out.hint(_THEN.get(host, ""))
            call.out.hint("" if HOSTS[host].asks else f"{host}: {UNASKED}")
        if deaf := " ".join([host for host in hosts if not (user or HOSTS[host].below)]):
            call.out.hint(
                f"{deaf.replace(' ', ', ')}: the hooks of a project run where it is started at the top; "
                f"`diurna install {deaf} --user` works in every folder"
            )
    if not dry_run and not call.json and (plan.changes or not is_informed()):
        call.out.hint(_WHAT_IS_KEPT)
        note_informed()
        from rituals.hosts.capture.session_choice import past_sessions

        if not user and (past := past_sessions(base, user_folder(), variables())):
            said = f"{counted(len(past), 'past session')} of this folder found"
            call.out.hint(f"{said}; `diurna capture --past` shows what they would leave")
    return code
