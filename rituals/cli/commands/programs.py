"""Run what programs call: `hook`, `mcp`, `private`, `completion`."""

from __future__ import annotations

from ledger.environment import variables
from rituals.cli.context import Invocation
from rituals.cli.operation import option, word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rituals.answers.record_to_dict import Failure


def hook(
    call: Invocation, *,
    event: str = word("[EVENT]"),
    arguments: tuple[str, ...] = word("[ARGUMENTS]..."),
) -> None:  # fmt: skip
    """Answer a hook of a program that runs an agent.

    With the name of a host (claude, codex, copilot, gemini, qwen, opencode, cursor) and of one of its
    events: read the event from standard input and answer with one JSON object. The start of a session is
    answered with the brief, a stop now and then with a question, most others with {}. It always ends with
    0; DIURNA_HOOKS=off silences it.

    Examples:
      diurna hook claude SessionStart
    """
    from rituals.hosts.adapters import HOSTS

    if event in HOSTS:
        from rituals.hosts.hook_answer import run

        run(event, arguments[0] if arguments else "", variables())
        return
    said = f"there is nothing to do in a hook {event!r}"
    if call.json:
        call.out.answer({"event": event, "said": said})
    else:
        call.out.talk(f"diurna: {said}")


def mcp(
    call: Invocation, *,
    agent: str = option("Who writes; else $DIURNA_AGENT, else what the client calls itself.", "NAME"),
) -> None:  # fmt: skip
    """Serve this memory to agents, by the Model Context Protocol.

    A client starts it and talks to it over standard input and output. The home is that of the folder it
    is started in, or --home; no client can name another. Where there is none yet, each tool says so.

    Examples:
      diurna mcp --agent nightly
      claude mcp add diurna -- diurna mcp
      codex mcp add diurna -- diurna mcp
    """
    from rituals.serve.mcp.serve import serve

    def explain(problem: Exception) -> Failure:
        from rituals.cli.exit_codes import translate

        return translate(problem, call)

    def announce(line: str) -> None:
        call.out.talk(f"diurna mcp: {line}")
        call.out.flush()

    serve(call.find_home, agent or call.agent, call.now_ms, explain, announce)


def private(call: Invocation, *, switch: str = word("[on|off]", choices=("on", "off"))) -> None:
    """Keep a session silent: until `off`, hooks observe, keep and record nothing of it.

    If an agent calls this and its program names the session, it is that session, from the current request
    on; else every session in this work tree. The brief is still shown, and what is recorded on purpose is
    recorded. What was said in silence is not recorded later either. Without a word it says what is
    silent. `<private>…</private>` keeps a passage out.

    Examples:
      diurna private on
      diurna private off
    """
    from rituals.answers.record_to_dict import fields_of
    from rituals.hosts.capture.session_marks import hush

    found = hush(call.memory().home, switch, variables(), call.now_ms())
    who = [f"session {one.session}" if one.session else "every session" for one in found]
    lines = [f"{name} in {one.top} is silent" for name, one in zip(who, found, strict=True)]
    silent = [fields_of(one, "top session since") for one in found]
    call.answer({"silent": silent}, lines or ["no session is silent here"])


def completion(
    call: Invocation, *, shell: str = word("bash|zsh|fish", choices=("bash", "zsh", "fish"))
) -> None:
    """Print the script that lets a shell complete commands, options, ids, kinds, tiers and agents.

    Add the line for your shell to its start file.

      bash  eval "$(diurna completion bash)"
      zsh   eval "$(diurna completion zsh)"
      fish  diurna completion fish | source

    Example:
      diurna completion bash
    """
    from rituals.cli.completion import script

    said = script(shell)
    call.answer({"shell": shell, "script": said}, [said.removesuffix("\n")])
