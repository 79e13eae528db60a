"""A second reader: sections 3 to 6 of FORMAT.md word for word, simple and slow, for comparing with the first.

`answer` reads the files of a home as bytes and returns what `diurna show --json` prints. It was written from
the text alone and shares nothing with the product: where the two differ, either is wrong. Everything is asked
anew of the whole list of logs; nothing is kept up and nothing is fast.
"""

from __future__ import annotations

import hashlib
import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from functools import cache, cached_property
from typing import Any, NamedTuple

from markdown_it import MarkdownIt
from markdown_it.token import Token

#: The event table of 3.3.
VERBS = (
    "Referenced", "Created", "Updated", "Superseded", "Invalidated", "Reactivated", "Closed", "Reopened",
    "Verified", "Promoted", "Demoted", "Redacted", "Reinstated", "Withdrawn", "Archived", "Moved", "Helped", "Ignored",
    "Landed", "Dropped", "Reverted",
)  # fmt: skip
#: Those of them that bring a text, and those that name a log and no fact.
TEXTS = ("Created", "Updated")
STAYING = (
    "Referenced",
    "Created",
    "Superseded",
    "Invalidated",
    "Redacted",
    "Reinstated",
    "Helped",
    "Ignored",
)
OF_LOGS = ("Landed", "Dropped", "Reverted")
#: What logs written by hand say besides (S8); nothing is no event.
BY_HAND = {
    **dict.fromkeys(("reference", "references", "applied", "extended", "used", "relied on"), "Referenced"),
    **dict.fromkeys(("consulted", "read"), "Referenced"), **dict.fromkeys(("new", "added", "born"), "Created"),
    **dict.fromkeys(("touched", "corrected", "substance updated", "updates", "amended", "revised"), "Updated"),
    "completed": "Closed", "resolved": "Closed", "re-opened": "Reopened", "re-verified": "Verified",
    "reverified": "Verified",
    **dict.fromkeys(("archived", "tier change", "tier changes", "faded", "swept", "unchanged"), ""),
}  # fmt: skip
#: The states of a task, as F11 lists them.
TASK_STATES = ("todo", "in-progress", "handoff-ready", "blocked", "done", "cancelled")
#: The kinds that can be closed (F7).
CLOSED_KINDS = ("thread", "task", "handoff", "finding")
#: The types whose names are uses (F4).
USING = ("work", "continued")
#: The footers that hold ids.
OF_IDS = ("supersedes", "serves", "conflicts")
#: The names of agents' programs (F13).
AGENTS = (
    "antigravity", "claude-code", "codex", "copilot", "cursor", "gemini-cli", "opencode", "qwen-code",
)  # fmt: skip
WORDS = ("decided", "said", "quoted", "imported")
STEM = re.compile(r"\d{4}-\d\d-\d\d(?:-[a-z0-9\-_.]+)?", re.ASCII)
SEALED = re.compile(r"\d{4}-\d\d-\d\d-\d{9}-(?:[a-z2-7]{26}|[0-9a-f]{12})", re.ASCII)
_markdown = MarkdownIt("commonmark")


class Event(NamedTuple):
    """What a log says of a fact; `new` is a successor or a state."""

    verb: str
    id: str
    new: str = ""
    text: str | None = None
    mark: str = ""
    meta: tuple[tuple[str, str], ...] = ()
    was: tuple[str, ...] | None = None
    said: tuple[str, ...] | None = None
    remark: str = ""


class Log(NamedTuple):
    """A log as it was read: its key, what its header says, and its events."""

    key: str
    header: Mapping[str, str]
    events: tuple[Event, ...]

    @property
    def type(self) -> str:
        return self.header.get("type", "work")

    @property
    def agent(self) -> str:
        return self.header.get("agent", "")

    @property
    def day(self) -> str:
        """The day that is shown (O2)."""
        form, ended = (
            r"(\d{4}-\d\d-\d\d)T([01]\d|2[0-3])(:[0-5]\d){2}\.\d{3}Z",
            self.header.get("ended", ""),
        )
        said = re.fullmatch(form, ended, re.ASCII) if SEALED.fullmatch(stem_of(self.key)) else None
        return said[1] if said and is_date(said[1]) else self.key[:10]

    @property
    def captured(self) -> bool:
        return bool({"observed", "transcript"} & self.header.keys())

    @property
    def person(self) -> bool:
        """Whether a person decided what it says (F13)."""
        theirs = self.type in ("edit", "review") and "session" not in self.header
        return theirs and not self.captured and self.agent.lower().replace(" ", "-") not in AGENTS

    @property
    def word(self) -> str:
        """How what it brings is known (F13)."""
        if self.type == "import":
            return "imported"
        return "quoted" if self.captured else "decided" if self.person else "said"


# ---- section 3: a log from its bytes ------------------------------------------------------------------


@cache
def read_log(key: str, data: bytes) -> Log:
    """Read a log of 3.2 and 3.3; of what is odd only what the rules name."""
    sealed = SEALED.fullmatch(stem_of(key)) is not None
    text = data.decode("utf-8-sig", "replace").replace("\r\n", "\n").replace("\r", "\n")  # C4
    lines = text.split("\n")  # S4
    header: dict[str, str] = {}
    if lines[0] == "---" and "---" in lines[1:]:
        end = lines.index("---", 1)
        for line in lines[1:end]:
            name, colon, value = line.partition(":")
            if colon:
                header.setdefault(name.strip(), value.strip())
        lines = lines[end + 1 :]
    marks = ("<<<<<<<", "=======", ">>>>>>>")
    met = [line[:7] for line in lines if line[:7] in marks]
    if re.search("<+ =+ >+", " ".join(met)):  # C7
        return Log(key, header, ())
    said: list[Event] = []
    blocks: dict[str, tuple[str, str, tuple[tuple[str, str], ...]]] = {}
    for name, part in sections(lines):
        if name == "memory references":
            said += references(part, sealed)
        elif name == "facts":
            for id, block in fact_blocks(part):
                blocks.setdefault(id, block)
    found: list[Event] = []
    for event in in_one_log(said):  # S12: of several to the first by C6
        if event.verb in TEXTS and event.id in blocks:
            body, mark, meta = blocks.pop(event.id)
            event = event._replace(text=body, mark=mark, meta=meta)
        found.append(event)
    return Log(key, header, tuple(found))


def top_level(lines: list[str]) -> list[tuple[Token, int, list[Token]]]:
    """The blocks of the top level: what each is, the line where it begins, and all that is in it (S2, S3)."""
    found: list[tuple[Token, int, list[Token]]] = []
    tokens = _markdown.parse("\n".join(line.replace("\0", "\ufffd") for line in lines))
    at = 0
    while at < len(tokens):
        token, end = tokens[at], at + 1
        while token.nesting == 1 and not (tokens[end].level == 0 and tokens[end].nesting == -1):
            end += 1
        first, last = token.map or (0, 0)
        if never_closed(token, lines[first:last], lines[last:]):
            rest = [
                (one, line + first + 1, more) for one, line, more in top_level(lines[first + 1 :])
            ]
            return found + rest
        end += token.nesting == 1
        found.append((token, first, tokens[at:end]))
        at = end
    return found


def never_closed(token: Token, own: list[str], behind: list[str]) -> bool:
    """Whether a fence or a comment goes on to the end of the document."""
    if token.type == "fence":
        last = own[-1].strip() if len(own) > 1 else ""
        return not (last.startswith(token.markup) and not last.strip(token.markup[0]))
    opened = token.type == "html_block" and own[0].lstrip().startswith("<!--")
    return opened and "-->" not in "\n".join(own) and not any(behind)


def sections(lines: list[str]) -> list[tuple[str, list[str]]]:
    """The sections of S1: their names and lines."""
    starts = []
    for token, line, inside in top_level(lines):
        if token.type == "heading_open" and token.tag == "h2" and token.markup == "##":
            title = " ".join(inside[1].content.lower().split())
            known = re.match(r"(memory references)(?: ?[([:—–-].*)?$|(facts)$", title)
            starts.append((line, next(filter(None, known.groups())) if known else ""))
    ends = [line for line, _ in [*starts[1:], (len(lines), "")]]
    return [
        (name, lines[line + 1 : end])
        for (line, name), end in zip(starts, ends, strict=False)
        if name
    ]


def references(lines: list[str], sealed: bool) -> list[Event]:
    """The events of one section (S5 to S8)."""
    found: list[Event] = []
    quoted = listed = 0
    above = ""
    for token in (one for _, _, inside in top_level(lines) for one in inside):
        quoted += token.nesting if token.type.startswith("blockquote") else 0
        listed += token.nesting if token.type.startswith("bullet_list") else 0
        if token.type != "inline" or quoted:
            continue
        bullet = " ".join(re.sub(r"<!--.*?-->", "", token.content, flags=re.DOTALL).split())
        verb, colon, rest = bullet.partition(":")
        verb = verb.strip("* ").capitalize()
        if not sealed:
            verb = BY_HAND.get(verb.lower(), "" if verb in (*OF_LOGS, "Archived") else verb)
            if not listed:
                above = verb if colon and verb in VERBS and not rest else ""
                continue
            if verb not in VERBS:
                first = bullet.split()[0].strip("`[]") if bullet else ""
                verb, rest = above, bullet
                if not above and is_id(first) and re.search("[.-]", first):
                    verb, rest = "Referenced", first
        if listed and verb in VERBS:
            found += events_of(verb, rest)
    return found


def events_of(verb: str, rest: str) -> list[Event]:
    """The events of one bullet (S6)."""
    found: list[Event] = []
    rest = rest.replace("->", "→")
    body, behind = (*re.split(r" ?— ?|(?<= )(?:–|--?)(?: |$)", rest, maxsplit=1), "")[:2]
    items = [one for one in re.findall(r"(?:\([^()]*\)|[^,;(])+", body) if one.strip()]
    for at, item in enumerate(items):
        parens = [one.strip() for one in re.findall(r"\(([^()]*)\)", item)]
        bare, _, new = re.sub(r"\([^()]*\)", "", item).partition("→")
        bare, new = bare.strip("`[] "), new.strip("`[] ")
        if not is_id(bare):
            continue
        named: dict[str, tuple[str, ...]] = {}
        for field, form in NAMINGS.get(verb, ()):
            said = re.fullmatch(rf"{field} (.+)", parens[0]) if parens else None
            names = tuple(one.strip("` ") for one in said[1].split(",")) if said else ()
            if names == ("none",) and verb == "Moved":
                names, named[field] = (), ()
                parens.pop(0)
            elif names and all(re.fullmatch(form, name) for name in names):
                named[field] = names
                parens.pop(0)
        if verb == "Superseded" and not new and parens and parens[0].startswith("invalidated"):
            found.append(Event("Invalidated", bare))
            continue
        fits = {"Superseded": is_id(new), "Moved": new in TASK_STATES}.get(verb, True)
        if fits:
            remark = " — ".join([*parens, *([behind] if at == len(items) - 1 and behind else [])])
            found.append(
                Event(verb, bare, new, None, "", (), named.get("was"), named.get("said"), remark)
            )
    if verb in ("Helped", "Ignored"):  # a remark is also that of the ids before it that have none
        remark = ""
        for at in range(len(found) - 1, -1, -1):
            remark = found[at].remark or remark
            found[at] = found[at]._replace(remark=remark)
    return found


_VERSION, _STEM = r"[0-9a-f]{8}", STEM.pattern
#: The parentheses behind an id, in their order.
NAMINGS = {
    "Updated": (("was", _VERSION), ("said", _STEM)),
    "Superseded": (("was", _VERSION),),
    "Invalidated": (("was", _VERSION),),
    "Closed": (("was", f"{_VERSION}|{_STEM}"),),
    "Moved": (("was", _STEM),),
    "Reinstated": (("said", _STEM),),
    "Withdrawn": (("said", _STEM),),
}


def fact_blocks(
    lines: list[str],
) -> list[tuple[str, tuple[str, str, tuple[tuple[str, str], ...]]]]:
    """The blocks of a section of facts (S9, S10): the id, the text, the checkbox and the footer."""
    found = []
    for token in _markdown.parse("\n".join(lines)):
        if token.type != "list_item_open" or token.level != 1 or token.markup not in "-*+":
            continue
        first, end = token.map or (0, 0)
        block = re.sub(r"(?m)[ \t]+$", "", "\n".join(lines[first:end])).rstrip().split("\n")
        footer = re.fullmatch(r"\s+<!-- ?(.*?) ?-->", block[-1])
        pairs = [one.partition(":") for one in footer[1].split("|")] if footer else []
        meta = {key.strip(): value.strip() for key, _, value in pairs}
        mark = re.match(r"[-*+] \[([ xX])\] ", block[0])
        block[0] = block[0][len(mark[0]) if mark else 2 :]
        text = "\n".join([block[0], *(re.sub("^  ?", "", one) for one in block[1:-1])]).strip()
        id = meta.pop("id", "")
        if is_id(id):
            box = mark[1].lower() if mark else ""
            found.append((id, (text, box, tuple((k, v) for k, v in meta.items() if v))))
    return found


# ---- sections 1, 5 and 6: the set and the policy --------------------------------------------------------


def keyed(files: Mapping[str, bytes]) -> dict[str, bytes]:
    """The logs of a tip by their keys (L1, L4, O1)."""
    named: dict[str, dict[str, bytes]] = {}
    for path, data in files.items():
        stem = path.rpartition("/")[2].removesuffix(".md")
        if path.startswith("sessions/") and path.endswith(".md") and is_stem(stem):
            named.setdefault(stem, {})[blob_id(data)] = data
    found = {}
    for stem, twins in named.items():
        for at, blob in enumerate(sorted(twins)):
            found[key_of(stem) + (f"~{blob}" if at else "")] = twins[blob]
    return found


def blob_id(data: bytes) -> str:
    return hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()


def policy_of(files: Mapping[str, bytes]) -> dict[str, Any]:
    """The policy of a home (Y2: where it can not be read, the defaults are used)."""
    try:
        return tomllib.loads(files.get("diurna.toml", b"").decode())
    except (tomllib.TOMLDecodeError, UnicodeDecodeError):
        return {}


def lasting_of(policy: Mapping[str, Any]) -> list[str]:
    """The kinds that do not decay."""
    kinds = {"vision": False, "invariant": False}
    kinds |= {name: table.get("decays", True) for name, table in policy.get("kinds", {}).items()}
    return [name for name, decays in kinds.items() if not decays]


def windows_of(policy: Mapping[str, Any]) -> Windows:
    return Windows(**policy.get("windows", {}))


def answer(files: Mapping[str, bytes], upto: str = "") -> dict[str, Any]:
    """What `show --json` says of the files of a home, by their paths; as of a log, where its key is given."""
    policy = policy_of(files)
    logs = keyed(files)
    read = [read_log(key, data if len(data) <= 1 << 20 else b"") for key, data in logs.items()]
    hidden = {event.id for log in read for event in log.events if event.verb == "Redacted"}
    read = [log for log in read if not upto or log.key <= upto]
    fold = SecondFold(read, windows_of(policy), lasting_of(policy), hidden)
    terms = [
        hashlib.sha256(f"{log.key} {blob_id(logs[log.key])}".encode()).digest() for log in read
    ]
    return {
        "as_of": upto,
        "digest": f"{sum(int.from_bytes(term) for term in terms) % 2**256:064x}",  # P4
        "facts": [fold.told(id, policy.get("learning", {})) for id in sorted(fold.facts())],
        "format": 1,
        "logs": len(read),
        "newest": max([log.key for log in read], default=""),
        "project": policy.get("project", ""),
        "sessions": len(fold.work),
    }


# ---- sections 4 and 5 ------------------------------------------------------------------------------------


class Windows(NamedTuple):
    """The windows of the policy."""

    working: int = 3
    active: int = 8
    archive: int = 20
    working_days: int = 0
    active_days: int = 0
    archive_days: int = 0
    stretch_hours: int = 0


Step = tuple[str, Event]
Head = tuple[str, str, tuple[str, ...]]


class SecondFold:
    """Answers for a set of logs.

    Args:
        logs: in any order.
        windows: of the policy.
        lasting: the kinds that do not decay.
        hidden: the ids that some log of the set redacts, at whatever point is asked (F9).
    """

    def __init__(
        self,
        logs: Iterable[Log],
        windows: Windows,
        lasting: Iterable[str],
        hidden: Iterable[str] = (),
    ) -> None:
        facts = [
            log._replace(events=tuple(one for one in log.events if one.verb not in OF_LOGS))
            for log in logs  # 3.3: what names a log is in no history
        ]
        self.logs = sorted(facts, key=lambda log: log.key)  # O1
        self.windows, self.lasting, self.hidden = windows, frozenset(lasting), frozenset(hidden)
        self.log = {log.key: log for log in self.logs}
        self.steps: list[Step] = [
            (log.key, event) for log in self.logs for event in in_one_log(log.events)
        ]
        self.work = [log.key for log in self.logs if log.type == "work"]

    def ids(self) -> set[str]:
        """Every id that is named."""
        found = {event.id for _, event in self.steps}
        return found | {event.new for _, event in self.steps if event.verb == "Superseded"}

    def facts(self) -> list[str]:
        """Every fact; pending ids are none."""
        return [id for id in sorted(self.ids()) if self.is_fact(id)]

    def said(self, id: str) -> list[Step]:
        """What is said of an id and was not withdrawn (F15), in ledger order."""
        steps = [(key, event) for key, event in self.steps if event.id == id]
        gone: set[str] = set()
        for key, event in reversed(steps):
            if event.verb == "Withdrawn" and stem_of(key) not in gone:
                gone |= set(event.said or ())
        return [one for one in steps if one[1].verb in STAYING or stem_of(one[0]) not in gone]

    def texts_said(self, id: str) -> list[Step]:
        return [
            (key, event)
            for key, event in self.said(id)
            if event.verb in TEXTS and event.text is not None
        ]

    def is_fact(self, id: str) -> bool:
        return bool(self.texts_said(id))

    # ---- F3 and F8 --------------------------------------------------------------------------------

    def standing(self, id: str, *, thread: bool) -> dict[str, Head]:
        """What stands at the end: version -> (text, log, the versions that its bringer named)."""
        heads: dict[str, Head] = {}
        ever: dict[str, Head] = {}  # as they stand, or last stood
        came: dict[str, list[tuple[str, tuple[str, ...]]]] = {}  # (log, what it named) each time
        closing: tuple[str, tuple[str, ...]] | None = None
        settled: set[str] = set()

        def by_closing() -> dict[str, Head]:
            named = closing[1] if closing else ()
            return {
                one: ever[one]
                for one in named
                if one in ever and one not in heads and one not in settled
            }

        for key, event in self.said(id):
            if event.verb == "Reopened":
                closing = None
            elif event.verb == "Closed":
                closing, settled = (key, event.was or ()), set()
                for times in came.values():
                    for log, named in times:
                        settled |= set(named) if log == key else set()
            if event.verb not in TEXTS or event.text is None:
                continue
            version, stands = version_of(event.text), {**heads, **by_closing()}
            named = names_of(event, stands)
            if closing and event.verb == "Updated":
                both = set(named) & set(heads) and set(named) & set(by_closing())
                if closing[0] == key or event.mark == "x" or event.was is None or both:
                    settled |= set(named)
            gone = {
                one
                for one in named
                if one != version and not came_unseen(one, named, came.get(one, []), stands)
            }
            heads = {one: head for one, head in heads.items() if one not in gone}
            heads[version] = ever[version] = heads.get(version, (event.text, key, named))
            came.setdefault(version, []).append((key, named))
        return {**heads, **by_closing()} if thread and closing else heads

    # ---- F11 --------------------------------------------------------------------------------------

    def moves(self, id: str) -> list[tuple[str, str]]:
        """What stands of the moves of a task: (key, state)."""
        if self.kind(id) != "task":
            return []
        standing: list[tuple[str, str]] = []
        boxes = 0
        for key, event in self.said(id):
            named: tuple[str, ...] | None = None
            if event.verb == "Moved":
                state, named = event.new, event.was
            elif event.verb == "Closed":
                state = "done"
                named = None if event.was is None else event.was
            elif event.verb == "Reopened":
                state = "todo"
            elif event.verb == "Created" and event.mark:
                boxes += 1
                if boxes > 1 or event.mark != "x":
                    continue
                state, named = "done", ()
            else:
                continue
            standing = [
                (log, stood)
                for log, stood in standing
                if log == key or (named is not None and stem_of(log) not in named)
            ]
            if (key, state) not in standing:
                standing.append((key, state))
        return sorted(standing, key=lambda move: (move[0], TASK_STATES.index(move[1])))

    def torn(self, id: str) -> bool:
        moves = self.moves(id)
        claims = {key for key, state in moves if state == "in-progress"}
        return len({state for _, state in moves}) > 1 or len(claims) > 1

    # ---- F12 --------------------------------------------------------------------------------------

    def helps(self, id: str) -> list[tuple[str, str, str]]:
        """(key, context, form of the evidence) of the logs in which a fact helped."""
        found: dict[str, tuple[str, str, str]] = {}
        for key, event in self.said(id):
            form = evidence(event.remark) if event.verb == "Helped" else ""
            if form and key not in found:
                found[key] = (
                    key,
                    f"{self.log[key].header.get('session', '')} {self.log[key].header.get('branch', '')}",
                    form,
                )
        return list(found.values())

    def ignores(self, id: str) -> tuple[tuple[str, str], ...]:
        found = []
        for key, event in self.said(id):
            if event.verb == "Ignored":
                said = [
                    event.remark.strip().lower(),
                    self.log[key].header.get("role", "").strip().lower(),
                ]
                found.append((key, next(filter(is_id, said), "")))
        return tuple(dict.fromkeys(found))

    # ---- F5 ---------------------------------------------------------------------------------------

    def birth(self, id: str) -> tuple[str, str, str]:
        """(created, origin, what age counts from)."""
        births = [(key, event) for key, event in self.said(id) if event.verb == "Created"]
        for _, event in births:
            footer = dict(event.meta)
            told, origin = footer.get("created", ""), footer.get("origin", "")
            if is_stem(origin):
                return told if is_date(told) else origin[:10], origin, key_of(origin)
            if is_date(told):
                return told, "", f"{told}-~"  # behind every log of that day
        key = births[0][0] if births else self.texts_said(id)[0][0]
        return self.log[key].day, key, key

    def counted(self, id: str) -> tuple[int, str, str, bool] | None:
        """What another tool counted, where it counts (F4): uses, and until a later use date, place, new."""
        more, told = 0, None
        for key, event in reversed(self.said(id)):
            if event.verb == "Created":
                form = r"(-?[0-9]{1,9}) ([0-9-]{10}) (\S+)( working)?"
                found = re.fullmatch(form, dict(event.meta).get("counted", ""))
                if found and is_date(found[2]) and (found[3] == "-" or is_stem(found[3])):
                    place = f"{found[2]}-~" if found[3] == "-" else key_of(found[3])
                    later = any(name > key for name in self.naming(id))
                    more, told = int(found[1]), None if later else (found[2], place, bool(found[4]))
        return None if not more and told is None else (more, *(told or ("", "", False)))

    def footer(self, id: str) -> dict[str, str]:
        footer: dict[str, str] = {}
        for _, event in reversed(self.said(id)):
            if event.verb == "Created":
                footer.update(event.meta)
        for _, event in self.said(id):
            if event.verb == "Updated":
                footer.update(event.meta)
        births = ("created", "origin", "counted")
        return {key: value for key, value in footer.items() if key not in births}

    def box(self, id: str) -> tuple[str, str]:
        """The checkbox at birth and its log."""
        for key, event in self.said(id):
            if event.verb == "Created" and event.mark:
                return event.mark, key
        return "", ""

    # ---- F4, F7 -----------------------------------------------------------------------------------

    def naming(self, id: str) -> list[str]:
        """The logs that use an id."""
        return [log.key for log in self.logs if log.type in USING and names(log, id)]

    def last(self, id: str, *verbs: str) -> Step | None:
        found = [step for step in self.said(id) if step[1].verb in verbs]
        return found[-1] if found else None

    # ---- F6 and F10 -------------------------------------------------------------------------------

    def taken_back(self, id: str, key: str) -> bool:
        return any(
            key < back if event.said is None else stem_of(key) in event.said
            for back, event in self.said(id)
            if event.verb == "Reinstated"
        )

    @cached_property
    def supersessions(
        self,
    ) -> tuple[list[Step], list[Step]]:
        """Those that count, and those left out because they close a circle."""
        count: list[Step] = []
        left: list[Step] = []
        for key, event in self.steps:
            if event.verb != "Superseded" or self.taken_back(event.id, key):
                continue
            reached = {event.new}
            while True:
                more = {one.new for _, one in count if one.id in reached} - reached
                if not more:
                    break
                reached |= more
            (left if event.id in reached else count).append((key, event))
        return count, left

    def calls(self, id: str) -> list[tuple[str, str, tuple[str, ...] | None]]:
        """What calls a fact false and was neither taken back nor left out: (log, successor, versions)."""
        count, _ = self.supersessions
        return [
            (key, event.new if event.verb == "Superseded" else "", event.was)
            for key, event in self.said(id)
            if (event.verb == "Superseded" and (key, event) in count)
            or (event.verb == "Invalidated" and not self.taken_back(id, key))
        ]

    def denying(self, id: str) -> list[tuple[str, str, tuple[str, ...] | None]]:
        """Of these, all where a head is known to none of them, else none."""
        calls = self.calls(id)
        for version in self.standing(id, thread=self.closed(id)[0]):
            if not any(self.knows(id, version, call) for call in calls):
                return calls
        return []

    def knows(self, id: str, version: str, call: tuple[str, str, tuple[str, ...] | None]) -> bool:
        log, _, named = call
        if named is None or version in named:
            return True
        for key, event in self.texts_said(id):
            if version_of(event.text or "") == version:
                if key == log:
                    return True
                if event.verb == "Updated":
                    if stem_of(log) in (event.said or ()):
                        return True
                    if event.was is None and key > log:
                        return True
        return False

    def false(self, id: str) -> bool:
        return bool(self.calls(id)) and not self.denying(id)

    # ---- all of it --------------------------------------------------------------------------------

    def kind(self, id: str) -> str:
        kind = self.footer(id).get("kind") or ("thread" if self.box(id)[0] else "fact")
        return "fact" if self.redacted(id) and not is_id(kind) else kind  # F9

    def redacted(self, id: str) -> bool:
        return id in self.hidden or self.last(id, "Redacted") is not None

    def closed(self, id: str) -> tuple[bool, str]:
        if self.kind(id) not in CLOSED_KINDS:
            return False, ""
        if self.kind(id) == "task":
            moves = self.moves(id)
            closing = bool(moves) and {state for _, state in moves} <= {"done", "cancelled"}
            return closing, max(key for key, _ in moves) if closing else ""
        word = self.last(id, "Closed", "Reopened")
        if word is not None:
            return (True, word[0]) if word[1].verb == "Closed" else (False, "")
        mark, key = self.box(id)
        return (True, key) if mark == "x" else (False, "")

    def told(self, id: str, learning: Mapping[str, Any]) -> dict[str, Any]:
        """All that is known of a fact, as `show --json` says it."""
        kind, (closed, closed_at) = self.kind(id), self.closed(id)
        created, origin, born = self.birth(id)
        naming = self.naming(id)
        denied, calls = self.denying(id), self.calls(id)
        calls = [] if denied else calls
        by = distinct(new for _, new, _ in calls if new)
        count, left = self.supersessions
        rivals = sorted(one for one in by if self.is_fact(one) and not self.false(one))
        rivals = rivals if len(rivals) > 1 else []
        circle = distinct(one.new for _, one in left if one.id == id != one.new)
        promotion, verified = self.last(id, "Promoted", "Demoted"), self.last(id, "Verified")
        promoted = promotion is not None and promotion[1].verb == "Promoted"
        away, more = self.away(id), self.counted(id) or (0, "", "", False)
        uses, used = max(len(naming) + more[0], 0), more[2] or (naming or [born])[-1]
        young = (more[2] if more[3] else "") if more[2] else born * (uses <= 1)
        tier = self.tier(bool(calls), away, promoted, kind, closed, young, used)
        reason, page = self.place(tier, calls, away, closed, closed_at, used)
        redacted, footer = self.redacted(id), self.footer(id)
        if redacted:  # F9
            footer = {key: ids_of(footer[key]) for key in footer if key in OF_IDS}
        footer = {
            key: footer[key] for key in footer if footer[key] and key not in ("kind", "asked")
        }
        moves = self.moves(id)
        heads = self.standing(id, thread=closed)
        versions: list[dict[str, Any]] = [
            {
                "id": version,
                "text": "(redacted)" if redacted else text,
                "stem": key,
                "was": sorted(named),
            }
            for version, (text, key, named) in heads.items()
        ]
        if len(versions) > 1 or self.torn(id):  # F13: a person's side stands first
            moves.sort(key=lambda move: WORDS.index(self.log[move[0]].word))
        versions.sort(
            key=lambda one: (WORDS.index(self.log[one["stem"]].word), one["stem"], one["id"])
        )
        known, known_by = self.how_known(versions[-1]["stem"] if versions else "", verified, footer)
        state = " or ".join(distinct(state for _, state in moves)) if kind == "task" else ""
        if kind == "task" and not moves:
            state = "todo"
        elif kind == "finding":
            state = self.course(id)
        elif kind == "pattern" and not calls and self.did_not_hold(id, learning):
            state = "deprecated"
        return {
            "id": id,
            "kind": kind,
            "text": "(redacted)" if redacted else "\n\n".join(one["text"] for one in versions),
            "tier": tier,
            "uses": uses,
            "created": created,
            "last_used": more[1] or (self.log[naming[-1]].day if naming else created),
            "origin": origin,
            "tags": [one.strip() for one in footer.pop("tags", "").split(",") if one.strip()],
            "meta": footer,
            "superseded_by": list(by),
            "supersedes": list(distinct(one.id for _, one in count if one.new == id)),
            "invalidated": any(not new for _, new, _ in calls),
            "closed": closed,
            "false": bool(calls),
            "instead": sorted(self.instead(id)),
            "verified": verified[0] if verified else "",
            "redacted": redacted,
            "versions": versions,
            "contradiction": len(versions) > 1
            or bool(rivals)
            or bool(denied)
            or bool(circle and not calls)
            or self.torn(id)
            or bool(self.against(id)),
            "rivals": rivals,
            "circle": list(circle) if not calls else [],
            "denied": [{"stem": key, "new": new} for key, new, _ in denied],
            "state": state,
            "moves": [
                {
                    "state": state,
                    "stem": key,
                    "agent": self.log[key].agent,
                    "session": self.log[key].header.get("session", ""),
                }
                for key, state in moves
            ],
            "reason": reason,
            "quarter": page,
            "known": "" if redacted else known,
            "known_by": "" if redacted else known_by,
        }

    def how_known(
        self, brought: str, verified: Step | None, footer: Mapping[str, str]
    ) -> tuple[str, str]:
        """How a fact is known, and by whom (F13)."""
        if not brought:
            return "", ""
        if verified and verified[0] >= brought and self.log[verified[0]].person:
            return "decided", self.log[verified[0]].agent
        log = self.log[brought]
        by = footer.get("by", "") if log.word in ("quoted", "imported") else ""
        return log.word, by or log.agent

    def instead(self, id: str) -> set[str]:
        """What holds in the place of a superseded fact, over what is false itself."""
        found: set[str] = set()
        for new in () if self.denying(id) else distinct(new for _, new, _ in self.calls(id) if new):
            if self.is_fact(new):
                found |= self.instead(new) if self.false(new) else {new}
        return found

    def against(self, id: str) -> list[str]:
        """What footers set against a fact (F14)."""
        pairs: set[tuple[str, str]] = set()
        for one in filter(self.holds, self.facts()):
            ids = [
                other
                for other in self.footer(one).get("conflicts", "").replace(",", " ").split()
                if is_id(other) and other != one
            ]
            asking = self.kind(one) in (*CLOSED_KINDS, "question") and len(ids) > 1
            first, *others = ids if asking else (one, *ids)
            pairs.update((first, other) for other in others)
        pairs |= {(two, one) for one, two in pairs}
        return sorted(
            {two for one, two in pairs if one == id != two and self.holds(one) and self.holds(two)}
        )

    def holds(self, id: str) -> bool:
        """Whether a fact is there, and neither false, closed nor withheld."""
        return self.is_fact(id) and not (self.false(id) or self.closed(id)[0] or self.redacted(id))

    def course(self, id: str) -> str:
        """Whether a finding is open, fixed, or came back (R10)."""
        closed = again = False
        for _, event in self.said(id):
            if event.verb == "Closed" or (event.verb == "Created" and event.mark == "x"):
                closed = True
            elif event.verb == "Reopened" and closed:
                closed, again = False, True
        return "fixed" if closed else "regressed" if again else "open"

    def did_not_hold(self, id: str, learning: Mapping[str, Any]) -> bool:
        """Whether a pattern is deprecated (Y6)."""
        judges = learning.get("validators", ["auditor", "judge", "sentinel"])
        weight = learning.get("validator_weight", 3)
        against = sum(weight if role in judges else 1 for _, role in self.ignores(id))
        return against - len(self.helps(id)) >= int(learning.get("deprecated_by", 3))

    # ---- section 5 --------------------------------------------------------------------------------

    def away(self, id: str) -> str:
        """The log that put a fact into the archive by hand, "" if none did or it came back (T6)."""
        word = self.last(id, "Archived", "Reactivated")
        if word is None or word[1].verb == "Reactivated":
            return ""
        return "" if any(key > word[0] for key in self.naming(id)) else word[0]

    def behind(self, point: str) -> list[str]:
        """The work logs behind a place."""
        return [key for key in self.work if key > point]

    def passed(self, point: str, window: str) -> str:
        """The work log with which a window was passed since a place, "" if none did (T8)."""
        sessions, days = getattr(self.windows, window), getattr(self.windows, f"{window}_days")
        later: set[str] = set()
        for at, key in enumerate(self.behind(point), 1):
            later |= {key[:10]} - {point[:10]}
            if at > sessions and (not days or len(later) > days):
                return key
        return ""

    def tier(
        self,
        false: bool,
        away: str,
        promoted: bool,
        kind: str,
        closed: bool,
        young: str,
        used: str,
    ) -> str:
        if false:
            return "superseded"
        if away:
            return "archived"
        if promoted or kind in self.lasting:
            return "core"
        if young and not self.passed(young, "working"):
            found = "working"
        elif not self.passed(used, "active"):
            found = "active"
        elif not self.passed(used, "archive"):
            found = "archive-candidate"
        else:
            found = "archived"
        if kind in CLOSED_KINDS and not closed and found in ("archive-candidate", "archived"):
            return "active"
        return found

    def place(
        self,
        tier: str,
        calls: list[tuple[str, str, tuple[str, ...] | None]],
        away: str,
        closed: bool,
        closed_at: str,
        used: str,
    ) -> tuple[str, str]:
        """Why and on which page a fact is archived (T2, T4)."""
        if calls:
            by = [key for key, new, _ in calls if new]
            return ("superseded", quarter(by[0])) if by else ("invalidated", quarter(calls[0][0]))
        if away:
            return "archived", quarter(away)
        crossed = []
        if closed and self.passed(closed_at, "archive"):
            crossed.append(self.passed(closed_at, "archive"))
        if tier == "archived":
            crossed.append(self.passed(used, "archive"))
        if not crossed:
            return "", ""
        return "closed" if closed else "faded", quarter(min(crossed))


def evidence(remark: str) -> str:
    """The form of the evidence beside a fact (F12): `place`, `command` or nothing."""
    for word in remark.split():
        bare = re.sub(r"^[()\[\]{}<>,;`'\"]+|[()\[\]{}<>,;`'\".]+$", "", word)
        found = re.fullmatch(r"([^:]*?)(?::|#L)([0-9]{1,9})(?:[:-].*)?", bare, re.DOTALL)
        if found and int(found[2]) and re.search(r"[./]", found[1]) and found[1][-1] not in "./":
            if any(char.isalpha() for char in found[1]):
                return "place"
    words = re.split(r"[()\[\]{}<>,;:=→`'\"\s]+", remark.lower().strip("()[]{}<>,;:=→`'\" \t"))
    said = " ".join(words)
    codes = re.finditer(
        r"(?:^| )(?:exit|exits|exited|exitcode|exit-code|exit_code|rc)(?: (?:code|status|with))* ([0-9]{1,3})(?= |$)",
        said,
    )
    ends = any(int(code[1]) < 256 and code[0].strip() != said for code in codes)
    return "command" if ends else ""


def in_one_log(events: Iterable[Event]) -> list[Event]:
    """The order in which events of one log count (C6)."""

    def place(event: Event) -> tuple[int, str, str, tuple[str, ...]]:
        new = event.new if event.verb == "Superseded" else ""
        named: tuple[str, ...] = ()
        if event.verb in ("Superseded", "Updated", "Closed"):
            named = event.was or ()
        return VERBS.index(event.verb), event.id, new, named

    return sorted(events, key=place)


def names_of(event: Event, stands: Iterable[str]) -> tuple[str, ...]:
    """The versions that an event names (F3)."""
    if event.verb == "Created":
        return ()
    return tuple(stands) if event.was is None else event.was


def came_unseen(
    version: str,
    named: Sequence[str],
    came: Sequence[tuple[str, tuple[str, ...]]],
    stands: Iterable[str],
) -> bool:
    """Whether a version came up again in place of one that is named too and does not stand (F3)."""
    if len(came) < 2:
        return False
    replaced = came[-1][1]
    return any(other in replaced and other not in stands for other in named if other != version)


def names(log: Log, id: str) -> bool:
    """Whether a log names an id, in a way that is a use (F4)."""
    for event in log.events:
        if event.verb == "Superseded":
            if event.new == id:
                return True
        elif event.id == id and event.verb not in (
            "Invalidated",
            "Withdrawn",
            "Archived",
            "Ignored",
        ):
            return True
    return False


def distinct(found: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(found))


def version_of(text: str) -> str:
    """A version id (3.3)."""
    left = re.fullmatch(r"\(redacted ([0-9a-f]{8})\)", text)  # what a purge left of another
    return left[1] if left else hashlib.sha256(text.encode()).hexdigest()[:8]


def is_date(text: str) -> bool:
    if not re.fullmatch(r"\d{4}-\d\d-\d\d", text, re.ASCII):
        return False
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True


def is_id(text: str) -> bool:
    """Whether a text is a fact id (3.3)."""
    return (
        len(text) <= 80 and re.fullmatch(r"[a-z0-9]+([.-][a-z0-9]+)*", text, re.ASCII) is not None
    )


def ids_of(value: str) -> str:
    """The ids among what a footer of ids holds (S13), as they are shown."""
    return ", ".join(one for one in re.split(r"[,\s]+", value) if is_id(one))


def is_stem(text: str) -> bool:
    """Whether a text is a name of 3.1, sealed or not: a date, and what may follow it."""
    return is_date(text[:10]) and re.fullmatch(r"(-[a-z0-9\-_.]+)?", text[10:]) is not None


def key_of(stem: str) -> str:
    """Where a name sorts (O1)."""
    timed = re.fullmatch(r"([01]\d|2[0-3])([0-5]\d){2}.*", stem[11:], re.ASCII | re.DOTALL)
    return stem if len(stem) == 10 or timed else f"{stem[:10]}+{stem[11:]}"


def stem_of(key: str) -> str:
    """The name of a log by its key (O1, L4)."""
    return key.split("~")[0].replace("+", "-")


def quarter(key: str) -> str:
    return f"{key[:4]}-Q{(int(key[5:7]) + 2) // 3}"
