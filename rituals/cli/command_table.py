"""List what each command takes, as data: its arguments, its options, and the lists of its answer.

What a command is and where it stands in the help is said by `rituals.cli.command_registry`, its help by
the file `help.txt`; `rituals.cli.command_builder` makes of the three what parses a command line.
"""

from __future__ import annotations

from ledger.model.task_states import STATES
from projection.fold.projection_state import TIERS
from rituals.cli.option_table import AS_OF, RECALL, SINCE, TASKS, UNTIL, Argument, Option

TYPE_CHECKING = False
if TYPE_CHECKING:
    pass


DRY_RUN = Option("--dry-run", "Change nothing; say what would be done.")
TITLE = Option("--title", "The log's title.", "TEXT")
#: Of what a person or an agent decides.
AUTHOR = (
    Option("--agent", "Who decides; else $DIURNA_AGENT, else git's user name.", "NAME"), TITLE, DRY_RUN,
)  # fmt: skip
EVERYWHERE = Option(
    "--everywhere", "As all branches have it, whatever the one that is checked out holds.",
    keeps="everywhere",
)  # fmt: skip
AGENT = Option("--agent", "Who writes; else $DIURNA_AGENT, else git's user name.", "NAME")
ROLE = Option("--role", "In which role.", "NAME")
SESSION = Option(
    "--session", "The host's session; its logs of one agent count as one work session. Else "
    "$DIURNA_SESSION, or what the host sets.", "ID",
)  # fmt: skip
REF = Option("--ref --refs", "A fact the session relied on; repeat, or separate by commas.", "ID",
             many=True)  # fmt: skip
ANYWAY = Option("--anyway", "Allow ids and kinds that memory does not know.")
#: How a log is written.
WRITING = (
    Option("--again", "Record it even if the same was recorded a moment ago."),
    Option("--strict", "Refuse a log with a secret, or a fact that repeats or denies another."),
    Option("--personal", "It is only yours: record it in your own home, not here.", keeps="own"),
    Option("--stage", "Stage the log for your own next commit."),
    DRY_RUN,
)
KIND = Option("--kind", "Only facts of this kind.", "KIND")
REASON = Option("--reason", "Why; it is recorded.", "TEXT")
ID = Argument("id")
SOME_IDS = Argument("ids", "ID...", many=True)
HOSTS = Argument("hosts", "[HOST]...", True, required=False,
                 choices="rituals.hosts.adapters:HOSTS")  # fmt: skip

TAKES: dict[str, tuple[Argument | Option, ...]] = {
    "brief": (
        Option("--for", "With what is for this role.", "ROLE", "role"),
        Option("--task", "What is about to be done, or the id of a task.", "TEXT"),
        Option("--budget", "At most so many characters; at least {least}.", "CHARACTERS", most=-1,
               least="projection.brief.budget:LEAST_CHARS",
               default="memory.brief.brief_place:BRIEF_CHARS", shows=True),
        Option("--agent", "Who reads it; else $DIURNA_AGENT, else the name git commits with.", "NAME"),
        EVERYWHERE,
    ),
    "recall": (Argument("query", "[QUERY]", True, required=False), EVERYWHERE, *RECALL),
    "note": (
        Argument("texts", "[TEXT]...", True, required=False),
        Option("--kind", "The kind of each text that names none.", "KIND"),
        Option("--replace", "The fact that the one TEXT replaces.", "ID", many=True),
        Option("--asked", "How somebody will ask for the one TEXT; recall finds it by that.", "QUESTION",
               many=True),
        REF, TITLE, AGENT, SESSION,
        Option("--rule", "The one TEXT is a finding: what it breaks.", "NAME"),
        Option("--path", "With --rule: the file, as the repository has it.", "PATH"),
        Option("--symbol", "With --rule: the function, class or route.", "NAME"),
        ROLE._replace(help="With --rule: in which role."), ANYWAY, *WRITING,
    ),
    "append": (
        Argument("file", default=""),
        TITLE,
        Option("--body", "Markdown prose: what happened, why, what is next; @FILE reads it, - stdin.",
               "TEXT"),
        Option("--from-json", "The whole log as JSON (- for stdin).", "FILE"),
        REF,
        Option("--new", 'A new fact; "KIND: id=my-id entity=NAME priority=low TEXT" says more of it.',
               '"KIND: TEXT"', many=True),
        Option("--update", "A fact gets a new text.", "ID TEXT", many=True, words=2),
        Option("--supersede", "OLD is false now, NEW replaces it.", "OLD=NEW", many=True),
        Option("--invalidate", "The fact is false now, nothing replaces it.", "ID", many=True),
        Option("--close", "The thread, task or finding is done.", "ID", many=True),
        Option("--reopen", "It is open again.", "ID", many=True),
        Option("--reactivate", "Take the fact out of the archive.", "ID", many=True),
        Option("--move", f"The task is in that state now: {', '.join(STATES[1:])}.", "ID=STATE",
               many=True),
        Option("--helped", "It helped; the evidence is a command with its exit code, or PATH:LINE.",
               "ID=EVIDENCE", many=True),
        Option("--ignored", "It was shown to a role, else to yours, and was of no use.", "ID[=ROLE]",
               many=True),
        ANYWAY, AGENT, ROLE,
        Option("--host", "The program the agent runs in.", "NAME"),
        Option("--model", "The model it runs on.", "NAME"),
        SESSION,
        Option("--type", "work (the default; continued behind the first of a session), review, import, "
               "edit or checkpoint.", "TYPE"),
        Option("--verdict", "What a judge says: pass, fail, or another word.", "WORD"),
        Option("--about", "What the verdict is about, with commas between.", "IDS"),
        Option("--tokens", "How many tokens judging took.", "N"),
        *WRITING,
    ),
    "edit": (
        ID, Argument("text", "[TEXT|VERSION]", default=""),
        Option("--kind", "The kind that it is of from now on.", "KIND", goes="plain"),
        Option("--until", "What ends it: `tag v5*`, `merged x`, `gone PATH`, `date 2027-01-31`, …",
               "WHAT", goes="plain"),
        Option("--entity", "What it is about from now on: names, with commas.", "NAMES", goes="plain"),
        Option("--tags", "The tags that it has from now on, with commas.", "NAMES", goes="plain"),
        Option("--restore", "Let an older VERSION stand again; without one, let a false fact hold.",
               to="mode", sets="restore"),
        Option("--reason", "Why it changes, or why a false fact holds after all.", "TEXT"), *AUTHOR,
    ),
    "close": (SOME_IDS, Option("--reason", "What came of it.", "TEXT"), *AUTHOR),
    "forget": (
        ID,
        Option("--false", "It does not hold; nothing replaces it.", to="how", sets="false"),
        Option("--replaced-by", "It does not hold; that one does.", "ID"),
        Option("--withhold", "Show its text to nobody again.", to="how", sets="withhold"),
        Option("--archive", "It holds; put it out of sight.", to="how", sets="archive"),
        Option("--back", "Take it out of the archive again.", to="how", sets="back"),
        REASON, *AUTHOR,
    ),
    "show": (
        Argument("ids", "[ID|STEM]...", True, required=False), AS_OF._replace(goes="plain"), EVERYWHERE,
        KIND._replace(goes="plain list"),
        Option("--tier", "Only facts of this tier, archived ones too: {choices}.", "TIER", choices=TIERS,
               goes="plain list"),
        Option("--list", "A line a fact; ID is a part of id or text, or with * all of an id.", to="mode",
               sets="list"),
        Option("-a --all", "With --list: archived and superseded facts too.", to="archived", goes="list"),
        Option("--about", "All about an entity, ID is its name; without one the names.", to="mode",
               sets="about"),
        Option("--links", "What a fact is linked with.", to="mode", sets="links"),
        Option("--hops", "With --links: how far to look, 1 to 3.", "N", default=2, most=3, shows=True,
               goes="links"),
    ),
    "why": (
        Argument("id", "ID|FILE[:LINE]|COMMIT"),
        Option("--versions", "Its texts alone, numbered, and which of them stands."), EVERYWHERE,
    ),
    "task": (
        Argument("action", "[ACTION]", default="list", offers="rituals.cli.commands.task:ACTIONS"),
        Argument("words", "[ID]...", True, required=False), *TASKS,
        Option("--id", "add: its id; else one is made.", "NAME"),
        Option("--priority", "add: high, medium or low.", "PRIORITY",
               choices="projection.work.tracked_tasks:PRIORITIES"),
        Option("--owner", "add: whom it is meant for.", "NAME"),
        Option("--goal", "add: what it is good for.", "TEXT"),
        Option("--depends", "add: what has to be done first. Repeatable, or with commas.", "ID",
               many=True),
        Option("--serves", "add: what it is done for. Repeatable, or with commas.", "ID", many=True),
        Option("--criterion", "add: when it is done. Repeatable.", "TEXT", many=True),
        Option("--risk", "add: what may go wrong. Repeatable.", "TEXT", many=True),
        Option("--question", "add, handoff: what is open. Repeatable.", "TEXT", many=True),
        Option("--anyway", "add: allow ids that memory does not know."),
        Option("--take-over", "start: even if somebody else has it, as agreed."),
        Option("--start", "pick: claim it, too."),
        Option("--why", "move, done: the reason.", "TEXT"),
        Option("--to", "handoff: the agent or role that is to get it.", "NAME"),
        Option("--done", "handoff: what is done. Repeatable.", "TEXT", many=True),
        Option("--remaining", "handoff: what is not. Repeatable.", "TEXT", many=True),
        Option("--warning", "handoff: what to look out for. Repeatable.", "TEXT", many=True),
        Option("--next", "handoff: what to do first. Repeatable.", "TEXT", many=True),
        Option("--confidence", "handoff: how sure it is that what is done is right.", "TEXT"),
        Option("--agent", "Who does it; else $DIURNA_AGENT, else git's user name.", "NAME"), ROLE,
        Option("--session", "The host's session; else $DIURNA_SESSION, or what the host sets.", "ID"),
        DRY_RUN,
    ),
    "undo": (
        Argument("stems", "[STEM]...", True, required=False),
        Option("--session", "All that this session of an agent wrote.", "ID"),
        Option("--agent", "Whose logs; else yours.", "NAME"), SINCE,
        Option("--redo", "Do again what the last undo took back."),
        Option("--yes", "Do not ask, where the logs are named."), TITLE, DRY_RUN,
    ),
    "log": (
        Argument("what", "[STEM|FILE|-|A..B]", default=""),
        Option("--agent", "Only logs of this agent.", "NAME", goes="plain"),
        SINCE._replace(goes="plain"), UNTIL._replace(goes="plain"),
        Option("-n", "At most so many.", "N", "limit", most=-1, goes="plain"),
        Option("--changes", "What was learned, faded and corrected between two points, A..B.", to="mode",
               sets="changes"),
    ),
    "view": (
        Argument("name", "[NAME]", default=""),
        Argument("argument", "[DATE|ENTITY]", True, required=False),
    ),
    "web": (
        Option("--port", "Listen there, on 127.0.0.1; 0 for a free port.", default=7874, least=0,
               most=65535, shows=True),
        Option("--write", "With forms: confirm, resolve, archive and the like."),
        Option("--org", "Search all ledgers of an organisation that you may read."),
        Option("--no-open", "Only print the address; open no browser."),
        Option("--agent", "Who writes; else $DIURNA_AGENT, else whom git names.", "NAME"),
    ),
    "review": (
        Argument("ids", "[ID]...", True, required=False),
        Option("--code", "The repository whose code this is about.", "PATH", goes="plain"),
        Option("--yes", "Ask nothing: what needs a person is raised as threads.", goes="plain"),
        Option("--confirm", "Record that a person looked at each ID and it holds.", to="mode",
               sets="confirm"),
        Option("--title", "With --confirm: the log's title.", "TEXT", goes="confirm"),
        Option("--learn", "Propose facts that sessions taught; nothing is written unasked.", to="mode",
               sets="learn"),
        Option("--ask", "With --learn: raise the proposals as open threads, each once.", goes="learn"),
        Option("--accept", "With --learn: let in the proposal of this key.", "KEY", goes="learn"),
        Option("--text", "With --accept: in these words.", "TEXT", goes="learn"),
        Option("--report", "Tell in numbers what memory cost, and how memories lived.", to="mode",
               sets="report"),
        Option("--since", "With --report: only facts born and reviews from then on.", "WHEN",
               goes="report"),
        Option("--until", "With --report: as if the ledger ended then (time or stem).", "WHEN",
               goes="report"),
        Option("--kind", "With --report: only facts of this kind.", "KIND", goes="report"),
        Option("--agent", "With --confirm and --learn: who decides.", "NAME", goes="confirm learn"),
        DRY_RUN._replace(goes="plain confirm learn"),
    ),
    "conflicts": (
        Argument("ids", "[ID]...", True, required=False),
        Option("--resolve", "Ask which side of ID holds, on a terminal.", to="mode", sets="resolve"),
        Option("--choose", "What holds of ID: a side, its start or number.", "SIDE"),
        Option("--text", "A new text of ID in place of all sides.", "TEXT", default=None),
        Option("--file", "The new text from a file (- for stdin).", "FILE"),
        Option("--closed/--open", "Whether the thread ID is closed."),
        Option("--state", "The state of the task ID that was moved on several sides.", "STATE",
               choices=STATES), *AUTHOR,
    ),
    "redact": (
        Argument("targets", "ID|STEM...", many=True),
        Option("--reason", "Why; it is recorded, so do not repeat what is to be withheld.", "TEXT",
               required=True),
        Option("--words-only", "Only a log's title, prose and remarks; the facts that it brought stay."),
        Option("--purge", "Rewrite git's history without it, after a backup; shows the plan."),
        Option("--yes", "Do not ask whether to purge."), *AUTHOR,
    ),
    "check": (
        Argument("files", "[FILE|BASE...HEAD]...", True, required=False),
        Option("--fix", "Mend what is safe to mend.", goes="plain"),
        Option("--deep", "Read every log, and compare the cache with a replay.", goes="plain"),
        Option("--strict", "End with 1 on warnings, too.", goes="plain ci diff"),
        Option("--all -v", "Name every finding with its code.", to="everything", goes="plain restore"),
        Option("--ci", "Check the ledger alone: no clone, no machine.", to="mode", sets="ci"),
        Option("--diff", "Say what memory has on a change of the code, BASE...HEAD.", to="mode",
               sets="diff"),
        Option("--untold", "With --diff: say, too, if no session log tells of the work.", goes="diff"),
        Option("--format", "With --ci, --diff or FILE: how to write it; --json is --format json.",
               to="form", choices=("text", "json", "sarif", "github"), goes="plain ci diff"),
        Option("--sarif", "The same as --format sarif.", to="form", sets="sarif", goes="plain ci diff"),
        Option("--replay", "Replay all from git, ignoring every cache, and compare.", to="mode",
               sets="replay"),
        Option("--write", "With --replay: write the projection into the work tree; no commit.",
               goes="replay"),
        Option("--absorb", "Make a log of your edits of continuity.md or a published view.", to="mode",
               sets="absorb"),
        Option("--publish", "Write and commit the projection where it differs from the replay.",
               to="mode", sets="publish"),
        Option("--discard-edits", "With --publish: also over edits of these files that no log has; they "
               "are shown and kept beside git.", goes="publish"),
        Option("--restore", "Commit again what history took from the ledger.", to="mode",
               sets="restore"),
        DRY_RUN._replace(goes="plain replay absorb publish restore"),
    ),
    "sync": (
        Argument("remote", default=""),
        Option("--adopt", "Join a ledger that began apart, too; all logs stay."),
        Option("--push", "Send a personal home, too; otherwise it is only fetched."), DRY_RUN,
    ),
    "import": (
        Argument("source", "[SOURCE|PATH]", required=False, type="rituals.cli.commands.import_:SOURCE"),
        Argument("paths", "[PATH]...", True, required=False),
        Option("--write --yes", "Take it in without asking."),
        Option("-v --verbose", "Show all of it, and each thing that is left out.", to="verbose"),
        DRY_RUN,
    ),
    "export": (
        Argument("what", "events|vault|site", choices=("events", "vault", "site")),
        Argument("dir", "[DIR]", default=""),
        Option("--base", "With site: where it will be found.", "URL"),
        Option("--allow-shallow", "With site: also where history is cut; each page says so."), DRY_RUN,
    ),
    "org": (
        Argument("action", "ACTION", default="status", offers="rituals.cli.commands.org:ACTIONS"),
        Argument("words", "[WORD]...", True, required=False),
        Option("--team", "add: whose they are.", "NAME"),
        Option("--reader", "add: a role who may read them. Repeatable.", "ROLE", many=True),
        Option("--once", "work: end when nothing is due."),
        Option("--forget", "rebuild: take them out, with all of their rows."),
        Option("--mirrors", "work, rebuild: where the ledgers are fetched to.", "FOLDER"),
    ),
    "init": (
        Argument("dir", default=""),
        Option("--branch", "A branch of its own for the ledger.", "NAME"),
        Option("--tree", "The folder beside the code; else memory/.", "FOLDER", default=None),
        Option("--move", "Move the home, with its past.", choices=("branch", "tree")),
        Option("--project", "Its name; else the folder's.", "NAME"),
        Option("--hooks/--no-hooks", "Commit by git's hooks, or without them."),
        Option("--personal", "A home of what is only yours, below your data folder."),
        Option("--tour", "See the whole story on a throw-away ledger, in a minute.", to="mode",
               sets="tour"),
        Option("--keep", "With --tour: keep the folder, and say where it is.", goes="tour"), DRY_RUN,
    ),
    "install": (
        HOSTS, Option("--user", "For all projects of yours, instead of this one."),
        Option("--mcp/--no-mcp", "Also the MCP server; by default where its extra is there.",
               goes="plain"),
        Option("--export", "Write a plugin for marketplaces there, instead.", "DIR", goes="plain"),
        Option("--remove", "Take out again what install put there.", to="mode", sets="remove"), DRY_RUN,
    ),
    "mcp": (
        Option("--http", "Listen on 127.0.0.1; port 7873 unless named, 0 for a free one.", "[PORT]",
               default=None, least=0, most=65535, sets="7873"),
        Option("--agent", "Who writes; else $DIURNA_AGENT, else what the client calls itself.", "NAME"),
    ),
    "capture": (
        Option("--session", "One session, by the host's id of it.", "SESSION"),
        Option("--host", "Of this host alone.", "HOST", choices="rituals.cli.commands.capture:ANY_HOST"),
        Option("--transcript", "Its transcript, if no hook saw it.", "FILE"),
        Option("--show", "Write nothing; print the logs that would be written."),
        Option("--land", "Commit the captured logs that wait, and record no session.", to="mode",
               sets="land"),
        Option("--past", "Sessions of this folder from before the hooks.", to="mode", sets="past"),
        Option("--catch-up", to="mode", sets="rest", hidden=True), SINCE,
        Option("--write --yes", "Do so without asking."),
        Option("--why", metavar="WHY", hidden=True), DRY_RUN,
    ),
    "private": (Argument("switch", "[on|off]", required=False, choices=("on", "off")),),
    "hook": (
        Argument("event", default=""),
        Argument("arguments", many=True, required=False, type="click:UNPROCESSED"), DRY_RUN,
    ),
    "completion": (Argument("shell", "bash|zsh|fish", choices=("bash", "zsh", "fish")),),
}  # fmt: skip
