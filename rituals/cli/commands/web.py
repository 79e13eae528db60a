"""Run `diurna web`: show this memory as pages in a browser; and `diurna export`, which writes files.

Those are the same pages, notes, or lines that other programs read.
"""

from __future__ import annotations

import os
import signal
from importlib.util import find_spec

from ledger.environment import variables
from ledger.errors import DiurnaError, WrongUsage
from rituals.cli.context import Invocation
from rituals.cli.operation import DRY_RUN, option, word
from rituals.cli.output import counted


def web(
    call: Invocation, *,
    port: int = option(
        "Listen there, on 127.0.0.1; 0 for a free port.", default=7874, least=0, most=65535, shows=True),
    write: bool = option("With forms: confirm, resolve, archive and the like."),
    org: bool = option("Search all ledgers of an organisation that you may read."),
    no_open: bool = option("Only print the address; open no browser."),
    agent: str = option("Who writes; else $DIURNA_AGENT, else whom git names.", "NAME"),
) -> None:  # fmt: skip
    """Show this memory as pages in a browser: what holds, why, and what is to be decided.

    The address that it prints opens the memory to whoever has it, on this machine alone, until the server
    ends. It needs the extra `web`: `pip install '.[web]'` in a clone of Diurna's repository. `diurna
    export site` writes the same pages as files.

    Examples:
      diurna web
      diurna web --write --port 0
    """
    if org and (write or agent):
        said = "--org shows what others record, and records nothing"
        raise WrongUsage(said, hint="diurna web --org")
    _look_for("jinja2", "starlette", "uvicorn")
    from rituals.cli.exit_codes import translate
    from rituals.serve.web.web_launch import Setting, has_browser, serve_org, serve_pages

    setting = Setting(
        call.find_home, agent or call.agent, call.now_ms,
        lambda address, port: _announce(call, address, port, write, org),
        lambda problem: _tell(call, translate(problem, call).message), write,
        not no_open and not call.json and call.interactive() and has_browser(variables()),
    )  # fmt: skip
    if (serve_org if org else serve_pages)(setting, port) == signal.SIGINT:
        raise KeyboardInterrupt


def _write_site(call: Invocation, folder: str, base: str, shallow: bool, dry_run: bool) -> None:
    """Write the pages as a site, and say how many; with `shallow` the history may be cut."""
    _look_for("jinja2", "starlette")
    from rituals.serve.web.site import export_site

    how = {"shallow": shallow, "dry_run": dry_run}
    done = export_site(call.memory(), folder, base, call.out.progress, **how)
    gone = f", {'remove' if dry_run else 'removed'} {done['removed']}" * bool(done["removed"])
    changed = f", {done['changed']} of them changed" if done["changed"] else ", all as they were"
    files = f"{counted(done['pages'], 'page')}, {counted(done['files'], 'file')} in all"
    said = f"{'would write' if dry_run else 'wrote'} {files}{'' if dry_run else changed}{gone}: {folder}"
    values = {"folder": folder, "base": base, "dry_run": dry_run, **done}
    call.answer(values, [said], hints=() if dry_run else (f"open {folder}/index.html",))


def _look_for(*libraries: str) -> None:
    """Refuse where a library of the extra is not installed."""
    if any(find_spec(name) is None for name in libraries):
        raise DiurnaError(
            "the pages need a library that is not installed",
            hint="install Diurna with it, in a clone of its repository: "
            "uv tool install '.[web]', or pip install '.[web]'",
        )


def _announce(call: Invocation, address: str, port: int, writes: bool, org: bool) -> None:
    """Say where the pages are: the token in the address is no secret to whoever started this."""
    if call.json:
        call.out.answer({"address": address, "port": port, "writes": writes}, lines=False)
    else:
        call.out.talk(f"diurna web: {address}", fixed=True)
        forms = "its pages only show, --write adds forms; " if not (writes or org) else ""
        call.out.hint(f"{forms}Ctrl-C ends it")
    call.out.flush()


def _tell(call: Invocation, message: str) -> None:
    call.out.talk(f"diurna web: {message}")
    call.out.flush()


def export(
    call: Invocation, *,
    what: str = word("events|vault|site", choices=("events", "vault", "site")), dir: str = word("[DIR]"),
    base: str = option("With site: where it will be found.", "URL"),
    allow_shallow: bool = option("With site: also where history is cut; each page says so."),
    dry_run: bool = DRY_RUN,
) -> int:  # fmt: skip
    """Print all events as lines of JSON, or write linked notes or a site into a folder.

    `events` loses nothing: header, title, prose, every field of every event, and the bytes of each
    log. `diurna import events` makes the same logs of them, byte for byte. Like git, it carries the
    words of what was redacted, with the log that withholds them.

    `vault` is for Obsidian and the like: MEMORY.md, a note for each fact with its links, days and
    entities, and nothing that is withheld. A file in DIR that Diurna did not write, or that was changed
    since, stays as it is and is named, and the exit code is 1.

    `site` is what `diurna web` shows, as files for a forge's pages or for your disk, without what is
    withheld or only yours; it needs the extra `web`, too.

    Examples:
      diurna export events > memory.ndjson
      diurna export vault ../notes --dry-run
      diurna export site ../site
    """
    if allow_shallow and what != "site":
        raise WrongUsage("--allow-shallow goes with `site`", hint="diurna export site DIR")
    if base and (what != "site" or not base.startswith(("https://", "http://"))):
        said = "--base is the address under which a `site` will be found"
        raise WrongUsage(said, hint="diurna export site DIR --base https://…")
    if what == "events":
        if dir or dry_run:
            raise WrongUsage("events are printed", hint="diurna export events > FILE")
        from rituals.report.event_lines import event_lines

        for line in event_lines(call.memory(), call.out.progress):
            call.out.text(line)
        return 0
    if not dir:
        raise WrongUsage("no folder is named", hint=f"diurna export {what} DIR")
    folder = os.path.normpath(os.path.join(call.folder(), dir))
    if what == "vault":
        return _write_vault(call, folder, dry_run)

    _write_site(call, folder, base, allow_shallow, dry_run)
    return 0


def _write_vault(call: Invocation, folder: str, dry_run: bool) -> int:
    from rituals.report.vault_files import export_vault

    found, left = export_vault(call.memory(), folder, call.out.progress, dry_run=dry_run)
    notes, gone = len(found["written"]), len(found["removed"])
    same = found["files"] - notes - len(left)
    removed = f", {'remove' if dry_run else 'removed'} {gone}" * bool(gone)
    kept = f", {same} as they were" * bool(same)
    line = (
        f"{'would write' if dry_run else 'wrote'} {counted(notes, 'note')}{removed}{kept}: {folder}"
    )
    values = {"folder": folder, **found, "dry_run": dry_run, "findings": left}
    call.answer(values, [line], findings=left)
    return 1 if left else 0
