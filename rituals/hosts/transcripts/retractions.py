"""Find where a person takes back what they typed last: it was meant for another window.

A sentence does so only where it says nothing else: every word of it is one of the few that such sentences
are made of. So "wrong window title" and "ignore that warning" are work, and "oops, wrong window" is none;
nor is "ignore that", which answers a question. Only the beginning of a text is looked at.
"""

from __future__ import annotations

import re

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
