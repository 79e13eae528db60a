"""Cut out of a turn what programs put there, and find where a person takes back what they typed last.

What memory told an agent must never come back into it as news. A sentence takes back where it says
nothing else: every word of it is one of the few that such sentences are made of. So "wrong window title"
is work, and "oops, wrong window" is none. Only the beginning of a text is looked at. Linear in the text.
"""

from __future__ import annotations

import re

from projection.brief.forms import EVIDENCE
from rituals.hosts.moments import BEGINS

#: What hosts put between tags into the turns of a person.
_HOST_TAGS = (
    "system-reminder command-name command-message local-command-stdout local-command-stderr "
    "local-command-caveat bash-input bash-stdout bash-stderr task-notification ide_opened_file "
    "ide_selection ide_diagnostics user-prompt-submit-hook environment_context user_instructions "
    "INSTRUCTIONS turn_aborted user_shell_command subagent_notification skills_instructions "
    "skill hook_context hook_prompt session_context current_datetime attached_files "
    "open_and_recently_viewed_files "
    "teammate-message skill-context user_action command-contents system_reminder system_notification"
).split()
_OPENING = re.compile(
    r"(?:<|&lt;)((?:diurna-[a-z]{1,32}-[0-9a-f]{4,64}|qwen:[a-z-]{1,64}|"
    + "|".join(map(re.escape, _HOST_TAGS))
    + r"))(?=[\s>&])|<!-- (diurna):begin\b"
)
#: The marks alone, around words of the person.
_UNWRAPPED = re.compile(r"</?(?:command-args|user_query)>")
#: The name of a log: no answer of ours that repeats what memory holds is without one.
_STEM = re.compile(r"\b\d{4}-\d\d-\d\d-\d{7,9}\b")
#: What stands on lines before and behind an envelope.
_OURS = (
    EVIDENCE, "`diurna recall WORDS` finds them", "All facts are shown. `diurna show ID`",
    "Project memory lives in Diurna; ",
)  # fmt: skip
#: How lines begin that a host puts between turns, and our line about the state of the project.
_NOTES = (
    "[Memory] ", "# AGENTS.md instructions for ", "[Request interrupted by user",
    "Full transcript available at: ",
)  # fmt: skip
#: How turns begin that a host writes in a person's place: skills and commands in full, plans that were
#: approved, what hooks, tasks and other agents report, summaries of what went before.
_WRITTEN = (
    BEGINS, "Base directory for this skill: ", "Stop hook feedback", "Implement the following plan:",
    "PLEASE IMPLEMENT THIS PLAN:", "A previous agent produced the plan below",
    "Caveat: The messages below", "This session is being continued from a previous conversation",
    "Another Claude session sent a message",
    "Generate a file named AGENTS.md that serves as a contributor guide",
    "Please analyze this codebase and create a CLAUDE.md file",
    "You are an AI agent that brings the power of Gemini directly into the terminal.",
    "Another language model started to solve this problem", "The following is the Codex agent history",
    '{"task_id"',
)  # fmt: skip
#: What an editor puts before the words of a person.
_AROUND, _REQUEST = (
    ("# Context from my IDE setup:", "# Files mentioned by the user:"),
    "## My request for Codex:",
)


def without_injected(text: str) -> str:
    """Return what a person or an agent said themselves, without blanks at its ends."""
    if "<" in text or "&lt;" in text:
        text = _UNWRAPPED.sub("", _without_blocks(text))
    if _STEM.search(text) or any(mark in text for mark in (*_OURS, *_NOTES)):
        text = "\n".join([line for line in text.split("\n") if not _is_injected(line)])
    return text.strip()


def words_of(text: str) -> str:
    """Return what a person typed themselves of their turn; "" where a host wrote it in their place."""
    if text.startswith(_AROUND):
        text = text.partition(_REQUEST)[2] or text
    text = without_injected(text)
    return "" if text.startswith(_WRITTEN) else text


def _without_blocks(text: str) -> str:
    """Cut out what stands between tags; without an end where it is ours, or all that there is."""
    kept: list[str] = []
    at = 0
    endless: set[str] = set()
    for found in _OPENING.finditer(text):
        name = found[1] or found[2]
        if found.start() < at or name in endless:
            continue
        escaped = found[0].startswith("&")
        mark = f"&lt;/{name}&gt;" if escaped else f"</{name}>" if found[1] else "diurna:end -->"
        end = text.find(mark, found.end())
        if end < 0 and not name.startswith("diurna-") and text[: found.start()].strip():
            endless.add(name)
            continue
        kept.append(text[at : found.start()])
        at = len(text) if end < 0 else end + len(mark)
    kept.append(text[at:])
    return "".join(kept)


def _is_injected(line: str) -> bool:
    """Tell whether a line is one of ours, or of a host."""
    if line.startswith(_NOTES) or _STEM.search(line):
        return True
    return any(mark in line for mark in _OURS)


#: How far the beginning of a turn goes in which somebody takes something back.
_CHARS = 240
_CLAUSES = re.compile(r"[^.!?;,\n。！？；，…—–]+[.!?;,\n。！？；，…—–\s)]*")  # noqa: RUF001
_WORDS = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
#: Where somebody types.
_PLACES = frozenset(
    "chat chats window session tab terminal pane thread conversation channel agent fenster sitzung "
    "unterhaltung kanal fenêtre onglet fil canal discussion ventana sesión pestaña conversación hilo "
    "janela sessão aba conversa чат чате чата чатом окно окном окне сессия сессию сессией вкладка "
    "вкладку вкладкой терминал терминалом диалог диалогом".split()
)
#: That it was the wrong one; that it was another one, where something was sent.
_WRONG = frozenset(
    "wrong falscher falsches falsche falschen falsch mauvais mauvaise trompé trompée equivocado "
    "equivocada equivoqué errado errada errei не ошибся ошиблась ошибка".split()
)
_ANOTHER = frozenset(
    "another other different anderes anderen andere anderer autre otro otra outro outra другой "
    "другого другое другому другую".split()
)
_SENT = frozenset(
    "meant sent typed posted pasted gedacht geschrieben destiné envoyé écrit mandé envié escribí "
    "mandei enviei escrevi написал написала отправил отправила предназначалось".split()
)
#: What to do with what was typed, how it is called, and which it was.
_DROP = frozenset(
    "ignore disregard forget scratch ignorier ignoriere ignorieren vergiss ignorez oublie oubliez "
    "ignora ignorar olvida esquece esqueça desconsidere desconsidera игнорируй игнорируйте забудь "
    "забудьте".split()
)
_CALLED = frozenset(
    "message messages msg prompt comment question request said wrote sent nachricht frage geschrieben "
    "commentaire mensaje comentario pregunta mensagem pergunta comentário сообщение вопрос".split()
)
_WHICH = frozenset(
    "last previous prior earlier above my i letzte letzten vorige meine dernier précédent mon último "
    "anterior mi última minha meu последнее предыдущее прошлое моё мое последний".split()
)
#: What else such a sentence says.
_BESIDES = frozenset(
    "sorry oops ups whoops ah oh uh my bad mistake please pls apologies that's that this it was is in "
    "the a an for to of i've i me just what wait by entschuldigung tut mir leid bitte das war im ins "
    "den der die dies ein einen einem für mein pardon désolé désolée c'était dans le la de du ma pour "
    "un une je suis s'il te plaît ça cela perdón disculpa lo siento era en el por favor para eso esto "
    "desculpa desculpe foi no na o pra num numa isso isto извини извините простите прости ой сорри в "
    "тот ту туда это было для пожалуйста я".split()
)
_ALL = _PLACES | _WRONG | _ANOTHER | _SENT | _DROP | _CALLED | _WHICH | _BESIDES
#: The same without blanks.
_UNSPACED = re.compile(
    r"(?:不好意思|抱歉|对不起|啊|哎呀|糟糕)|我?(?:刚才|刚刚|这条|上一条)?(?:发|打|贴|说|搞|弄|选)错(?:了)?"
    r"(?:窗口|对话|会话|聊天|群|地方|频道|终端|人)?了?"
    r"|请?(?:忽略|无视|别管|不用管)我?(?:刚才|刚刚|上面|上|前)的?(?:一|那)?(?:条|句|个)?的?"
    r"(?:消息|信息|话|内容)?(?:吧|了)?"
)
_REGRETS = re.compile(r"不好意思|抱歉|对不起|啊|哎呀|糟糕")


def without_retraction(text: str) -> str | None:
    """Return what a turn says behind what takes back the one before it; None where nothing does."""
    end, found = 0, False
    for clause in _CLAUSES.finditer(text[:_CHARS]):
        takes_back = _takes_back(clause[0])
        if takes_back is None:
            break
        found = found or takes_back
        end = clause.end()
    return text[end:].strip() if found else None


def _takes_back(clause: str) -> bool | None:
    """Tell whether a clause takes something back; None where it says something of its own."""
    words = [word.replace("’", "'") for word in _WORDS.findall(clause.lower())]
    if len(words) == 1 and _UNSPACED.fullmatch(words[0]):
        return not _REGRETS.fullmatch(words[0])
    said = set(words)
    if not said or not said <= _ALL or clause.rstrip().endswith(("?", "？")):  # noqa: RUF001
        return None
    if said & _SENT and said & _ANOTHER and said & _PLACES:
        return True
    for at, word in enumerate(words):
        if word in _PLACES and not _WRONG.isdisjoint(
            (*words[max(0, at - 3) : at], *words[at + 1 : at + 2])
        ):
            return True
    return bool(said & _DROP and said & _CALLED and said & _WHICH)
