"""Run what programs call: `hook`, `mcp`, `private`, `completion`."""

from __future__ import annotations

import signal
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
    from rituals.setup.git_hooks.hook_install import EVENTS
    from rituals.setup.git_hooks.republish import Limit, TookTooLong, republish

    said = ""
    try:
        if event in EVENTS:
            where = call.home or call.folder()
            with Limit():
                said = republish(event, arguments, where, variables(), call.now_ms, dry_run=dry_run)
        else:
            said = f"there is nothing to do in a hook {event!r}"
    except TookTooLong:
        said = "not published in time; `diurna check --publish` does it"
    except Exception as problem:  # noqa: BLE001 - a hook must never stop git; the next command says it again
        said = f"not published: {problem}; `diurna status` says more"
    if call.json:
        call.out.answer({"event": event, "said": said})
    elif said:
        call.out.talk(f"diurna: {said}")


def mcp(call: Invocation, http: int | None, agent: str) -> None:
    """Run `diurna mcp`."""
    from rituals.cli.exit_codes import translate
    from rituals.serve.mcp.serve import Setting, serve_http, serve_wire

    if find_spec("mcp_types") is None:  # that of the second generation of the SDK
        raise DiurnaError(
            "the MCP server needs a library that is not installed",
            hint="install Diurna with it, in a clone of its repository: "
            "uv tool install '.[mcp]', or pip install '.[mcp]'",
        )
    setting = Setting(
        call.find_home,
        agent or call.agent,
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


def _announce(call: Invocation, line: str) -> None:
    call.out.talk(f"diurna mcp: {line}")
    call.out.flush()
