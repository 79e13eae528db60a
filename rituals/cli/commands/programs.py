"""Run what programs call, or few people: `hook`, `mcp`, `private`, `completion`, `open`, `tour`."""

from __future__ import annotations

import shutil
import signal
import tempfile
from importlib.util import find_spec

from ledger.environment import variables
from ledger.errors import DiurnaError
from rituals.cli.context import Invocation


def hook(call: Invocation, event: str, arguments: tuple[str, ...], dry_run: bool) -> None:
    """Run `diurna hook`."""
    from rituals.hosts.adapters import HOSTS

    if event in HOSTS:
        from rituals.hosts.hook_answer import run

        run(event, arguments[0] if arguments else "", variables())
        return
    from rituals.setup.git_hooks.hook_install import EVENTS, RIDING
    from rituals.setup.git_hooks.republish import Limit, TookTooLong, republish

    said = ""
    rides = event in RIDING
    undone, then = ("the logs wait on", "sync") if rides else ("not published", "publish")
    try:
        if event in EVENTS:
            where = call.home or call.folder()
            with Limit():
                said = republish(event, arguments, where, variables(), call.now_ms, dry_run=dry_run)
        else:
            said = f"there is nothing to do in a hook {event!r}"
    except TookTooLong:
        said = f"{undone} in time; `diurna {then}` does it"
    except Exception as problem:  # noqa: BLE001 - a hook must never stop git; the next command says it again
        said = f"{undone}: {problem}; `diurna status` says more"
    if call.json:
        call.out.answer({"event": event, "said": said})
    elif said:
        call.out.talk(f"diurna: {said}")


def mcp(call: Invocation, http: int | None, agent: str) -> None:
    """Run `diurna mcp`."""
    from rituals.cli.exit_codes import translate
    from rituals.serve.mcp.mcp_start import Setting, serve_http, serve_wire

    if find_spec("mcp_types") is None:  # that of the second generation of the SDK
        raise DiurnaError(
            "the MCP server needs a library that is not installed",
            hint="install Diurna with it, in a clone of its repository: "
            "uv tool install '.[mcp]', or pip install '.[mcp]'",
        )
    setting = Setting(
        call.find_home,
        agent or call.agent,
        _session,
        call.now_ms,
        lambda problem: translate(problem, call),
        lambda line: _announce(call, line),
    )
    ended = serve_wire(setting) if http is None else serve_http(setting, http)
    if ended == signal.SIGINT:
        raise KeyboardInterrupt


def private(call: Invocation, switch: str | None) -> None:
    """Run `diurna private`."""
    from rituals.answers.record_fields import fields_of
    from rituals.hosts.capture.stamps import hush

    found = hush(call.memory().home, switch or "", variables(), call.now_ms())
    if call.json:
        call.out.answer({"silent": [fields_of(one, "top session since") for one in found]})
    for one in () if call.json else found:
        who = f"session {one.session}" if one.session else "every session"
        call.out.line(f"{who} in {one.top} is silent")
    if not found and not call.json:
        call.out.line("no session is silent here")


def completion(call: Invocation, shell: str) -> None:
    """Run `diurna completion`."""
    from rituals.cli.completion import script

    said = script(shell)
    if call.json:
        call.out.answer({"shell": shell, "script": said})
    else:
        call.out.text(said)


def open(call: Invocation, what: str) -> None:
    """Run `diurna open`."""
    from memory.query.memory_places import place_of
    from rituals.answers.record_fields import fields_of
    from rituals.cli.editors import editor_of, open_in

    place, out = place_of(call.memory(), what), call.out
    editor = editor_of(variables())
    if call.json:
        out.answer(fields_of(place, "file line"))
    elif editor and call.interactive():
        if place.log:
            out.talk("a session log is never edited; what was wrong in it is said by a new one")
        out.flush()
        open_in(editor, place)
    else:
        out.line(f"{place.file}:{place.line}")
        if call.interactive():
            out.hint("`$VISUAL` or `$EDITOR` names the editor that opens it")


def tour(call: Invocation, keep: bool) -> None:
    """Run `diurna tour`."""
    from rituals.setup.tour import run

    folder = tempfile.mkdtemp(prefix="diurna-tour-")

    def say(line: str) -> None:
        call.out.line(line)
        call.out.flush()

    try:
        run(say, folder, variables())
    finally:
        if keep:
            call.out.talk(f"kept in {folder}")
        else:
            shutil.rmtree(folder, ignore_errors=True)


def _session() -> str:
    from memory.write.host_session import host_session

    return host_session(variables())


def _announce(call: Invocation, line: str) -> None:
    call.out.talk(f"diurna mcp: {line}")
    call.out.flush()
