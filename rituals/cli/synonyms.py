"""Say which command is meant by a word that is none: by its meaning first, then by its spelling."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

from rituals.cli.command_registry import shown

#: What people type, words of one meaning together -> what does it; each proposal runs as it stands.
_MEANT = {
    "add create new remember save store write record memo jot set":
        "`diurna note TEXT` records a fact",
    "decide decision thread question idea":
        '`diurna note "decision: TEXT"` records a fact of a kind; `diurna show --list` lists them',
    "todo todos issue ticket backlog plan assign":
        '`diurna task add "TEXT"` adds a task, `diurna task` lists those that are open',
    "next pick claim take": "`diurna task pick` gives the task to begin next, `--start` claims it",
    "handoff handover pass hand-over":
        '`diurna task handoff ID --to NAME --done "…" --next "…"` hands a task over',
    "search find ask query grep lookup": "`diurna recall WORDS` finds what answers a question",
    "list dir ll facts ids all": "`diurna show --list` lists facts, one line each",
    "threads open-threads": "`diurna show --list --kind thread` lists the threads",
    "get cat read print fact": "`diurna show ID` shows a fact, `diurna show --list` lists the ids",
    "rm remove delete del drop unlearn invalidate false":
        "`diurna forget ID` lets a fact go; `diurna undo` takes back what your last log did",
    "change update reword fix correct modify": "`diurna edit ID TEXT` gives a fact a new text",
    "replace supersede": "`diurna note TEXT --replace ID` records what replaces a fact",
    "done finish complete": "`diurna close ID` closes a thread or a task",
    "reopen": "`diurna append --reopen ID` opens it again",
    "silent silence mute hush incognito off-the-record confidential":
        "`diurna private on` lets a session be silent, `diurna private off` lets it be heard again",
    "revert back rollback unappend takeback":
        "`diurna undo` takes back what your last log did, `diurna undo --session ID` what a session wrote",
    "migrate load ingest":
        "`diurna import` brings in what another tool remembers, `diurna import ledger DIR` a whole ledger",
    "obsidian notes wiki":
        "`diurna export vault DIR` writes notes that link each other, `diurna view` a page",
    "views daily weekly progress roles standup":
        "`diurna view` lists the views, `diurna view daily` shows one",
    "dump backup": "`diurna export events` prints all there is, `diurna show --json` gives every fact",
    "context prime start resume load-context summary summarize prompt":
        "`diurna brief` is what an agent reads at the start of a session",
    "observe observations extract transcript ingest-session catch-up":
        "`diurna capture` records what agents' sessions left",
    "commit session log-session end": "`diurna append` records a session, `diurna note TEXT` a fact",
    "sessions logs": "`diurna log` lists session logs, newest first",
    "pull push fetch merge share clone": "`diurna sync` fetches, joins and pushes",
    "blame source origin explain provenance versions": "`diurna why ID` shows where a fact comes from",
    "test validate fsck audit health":
        "`diurna check` checks the ledger, this clone and this machine",
    "repair heal recover": "`diurna check --fix` mends what is safe to mend",
    "stats statistics metrics":
        "`diurna review --report` tells how memories lived, `diurna status` where the ledger stands",
    "info state where home": "`diurna status` shows where the ledger stands",
    "propose suggest distil distill retrospective retro lessons teach":
        "`diurna review --learn` proposes facts that sessions taught",
    "findings bugs issues sarif regressions":
        "`diurna finding` lists findings, `diurna finding report` records one",
    "cleanup clean gc prune groom maintain":
        "`diurna review` goes through what aged and what became false",
    "contradictions disputes duplicates": "`diurna conflicts` lists contradictions",
    "hide secret censor": "`diurna redact ID --reason TEXT` withholds a text from all that is shown",
    "unarchive reactivate": "`diurna forget ID --back --reason TEXT` takes a fact out of the archive",
    "related graph neighbours neighbors": "`diurna show --links ID` shows what a fact is linked with",
    "entities tags topics": "`diurna show --about` lists what facts are about",
    "setup create-home bootstrap": "`diurna init` makes a home",
    "serve server":
        "`diurna mcp` serves this memory to agents, `diurna web` shows it to people in a browser",
    "browse browser dashboard gui html site ui viewer website":
        "`diurna web` shows this memory in a browser",
    "hooks": "`diurna install` enters them in agents' programs, `diurna init --hooks` in git",
    "demo example tutorial": "`diurna tour` shows the whole story",
    "rebuild refresh render": "`diurna publish` writes continuity.md and the archive anew",
    "config configure settings policy":
        "`diurna status` names the home, and `diurna.toml` in it is the policy",
    "version": "`diurna --version` prints it",
    "commands": "`diurna --help` lists all commands",
}  # fmt: skip
MEANINGS = {word: says for words, says in _MEANT.items() for word in words.split()}
_ALIKE = 0.75  # of a spelling that is meant; difflib's own 0.6 takes `get` for `digest`


def proposal(name: str, commands: Iterable[str]) -> str:
    """Say what a word may mean, as a hint."""
    word = name.lower().lstrip("-")
    if word in MEANINGS:
        return MEANINGS[word]
    alike = get_close_matches(word, [*commands, *MEANINGS], 2, _ALIKE)
    said = [MEANINGS.get(one, f"did you mean {shown(one)}?") for one in alike[:1]]
    return "".join(said) or "`diurna --help` lists all"
