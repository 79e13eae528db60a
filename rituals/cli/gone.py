"""Answer what is no command: by what does it, else by its spelling."""

from __future__ import annotations

from collections.abc import Iterable

from projection.text.normalize import nearest

#: What people type that is no command, and what to do instead.
#: With the keys of `projection.policy` at most 60.
GONE = {
    "absorb": "`diurna check --absorb` makes a log of your edits of the page",
    "add": "`diurna note TEXT` records a fact, `diurna task add TEXT` a task",
    "adopt": "`diurna import ledger DIR` brings in a ledger of the same format",
    "archive": "`diurna forget ID --archive --reason TEXT` puts a fact out of sight",
    "confirm": "`diurna review --confirm ID` records that a fact holds",
    "critique": '`diurna note "thread: …"` records a point, `diurna close ID` settles it',
    "diff": "`diurna log --changes A..B` shows what was learned and what faded between two points",
    "doctor": "`diurna check` checks this machine and clone, too; `--fix` mends",
    "done": "`diurna close ID` closes a thread or a task",
    "entity": "`diurna show --about NAME` shows all about an entity",
    "finding": "`diurna note \"finding: TEXT\" --rule NAME` records one",
    "get": "`diurna show ID` shows a fact, `diurna show --list` lists the ids",
    "harvest": "`diurna import docs` reads decision records, `diurna import items` what an agent found",
    "history": "`diurna why ID --versions` lists the texts of a fact",
    "impact": "`diurna check --diff BASE...HEAD` says what memory has on a change",
    "learn": "`diurna review --learn` proposes facts that sessions taught",
    "links": "`diurna show --links ID` shows what a fact is linked with",
    "lint": "`diurna check --ci` checks the ledger alone, `diurna check FILE` a file",
    "list": "`diurna show --list` lists facts, one line each",
    "ls": "`diurna show --list` lists facts, one line each",
    "open": "`diurna show ID` shows a fact, `diurna edit ID` opens its text in your editor",
    "publish": "`diurna check --publish` writes and commits the page where it drifted",
    "push": "`diurna sync` fetches, joins and pushes",
    "quiz": "the skill diurna-review asks what a newcomer asks, `diurna recall WORDS` answers",
    "redo": "`diurna undo --redo` does again what undo took back",
    "remember": "`diurna note TEXT` records a fact",
    "replay": "`diurna check --replay` replays all from git and compares",
    "report": "`diurna review --report` tells how memories lived",
    "resolve": "`diurna conflicts ID` takes what holds: --choose SIDE or --text TEXT",
    "restore": "`diurna edit ID --restore` lets an older text or a false fact hold again",
    "rm": "`diurna forget ID` lets a fact go; `diurna undo` takes back what your last log did",
    "search": "`diurna recall WORDS` finds what answers a question",
    "snapshot": "`diurna brief` prints what somebody new has to know",
    "timeline": "`diurna recall --level timeline WHAT` shows the sessions around something",
    "todo": '`diurna task add "TEXT"` adds a task, `diurna task` lists those that are open',
    "tour": "`diurna init --tour` shows the whole story",
    "uninstall": "`diurna install --remove` takes out what install put there",
    "update": "`diurna edit ID TEXT` gives a fact a new text",
    "verify": "`diurna check` checks the ledger; `--restore` brings lost logs back",
}  # fmt: skip


def proposal(name: str, commands: Iterable[str]) -> str:
    """Say what a word that is no command may mean, as a hint."""
    word = name.lower().lstrip("-")
    near = nearest(word, [*commands, *GONE], 1)
    like = f"did you mean {near[0]}?" if near and near[0] not in GONE else ""
    return GONE.get(word) or like or GONE.get("".join(near)) or "`diurna --help` lists all"
