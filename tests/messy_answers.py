"""Answers as different agents would write them, when they are asked what the next session must know.

`CORES` are what they say: (kind as it is recorded, tag, the word they call it, the text). `COATS` are how
they write it. `WHOLE` are answers of other shapes, with what is expected of each.
"""

from __future__ import annotations

from collections.abc import Callable

Core = tuple[tuple[str, str, str, str], ...]


def _core(said: str) -> Core:
    """Read lines of `kind/tag word: text`."""
    heads = [line.partition(": ") for line in said.strip().split("\n")]
    parts = [(*head.split(" "), text) for head, _, text in heads]
    return tuple(
        [(kind.partition("/")[0], kind.partition("/")[2], word, text) for kind, word, text in parts]
    )


CORES = tuple([_core(said) for said in """
fact/lesson lesson: GoReleaser counts untracked files as a dirty tree, so the cache lies outside.
decision decision: Tags are signed by CI, because keys on laptops get lost.

fact/lesson gotcha: `go mod tidy` scans $HOME/go unless GOFLAGS says -mod=mod, which CI sets.
thread open: Who rotates the signing key after March?
convention rule: Migrations are additive: a column is dropped one release later.

fact/lesson Caveat: sqlite3 < 3.38 has no -> operator; the CI image ships 3.34.
fact/lesson cause: The test failed for its port 8080: two workers take it at once.

invariant invariant: An order is never deleted, only cancelled (auditors ask for it).

decision decisão: Usamos filas por loja, porque uma loja parada não deve bloquear as outras.
fact/lesson lição: O gateway corta depois de 50 chamadas por segundo, sem aviso.
thread pendente: Falta medir a fila com dez mil pedidos.

decision Решение: Храним сессии в Redis, потому что Postgres не успевал при рестарте.
fact/lesson урок: Тесты падают, если часовой пояс не UTC.
thread осталось: Проверить откат миграции 0042.

decision 决定: 用 uv 安装依赖, 因为 pip 的锁文件不可靠。
fact/lesson 教训: 学习率高于 0.03 时 SimCLR 会发散。

decision Entscheidung: Belege liegen im Objektspeicher, weil die Datenbank sonst zu groß wird.
convention Regel: Jede Migration hat einen Rückweg.
fact/lesson Lehre: Der Proxy puffert SSE, bis X-Accel-Buffering aus ist.

decision décision: Les clés tournent chaque mois, car l'audit l'exige.
fact/lesson leçon: Le cache du runner garde les anciens artefacts pendant 7 jours.

fact fact: The staging database is reset every night at 02:00 UTC.
preference preference: Small commits, each green, and no squash.
decision DECISION: No Docker in tests: the fake broker of tests/broker.py is used.
fact/lesson Lesson: A retry without jitter made the outage of 3 May worse.

thread todo: Remove the shim in src/compat.py once 3.10 is gone.
thread next: Wire `retry_after` into the client.
""".split("\n\n")])  # fmt: skip

Coat = Callable[[Core], str]


def _lines(form: str, before: str = "", behind: str = "", newline: str = "\n") -> Coat:
    def coat(core: Core) -> str:
        made = [form.format(n=n, word=word, Word=word.capitalize(), WORD=word.upper(), text=text)
                for n, (_, _, word, text) in enumerate(core, 1)]  # fmt: skip
        return newline.join((before + newline.join(made) + behind).split("\n"))

    return coat


def _wrapped(core: Core) -> str:
    made = []
    for _, _, word, text in core:
        words = f"{word}: {text}".split(" ")
        half = len(words) // 2 + 1
        made.append("\n  ".join([" ".join(words[:half]), " ".join(words[half:])]).rstrip())
    return "\n".join(made) + "\n"


COATS: dict[str, Coat] = {
    "plain": _lines("{word}: {text}", behind="\n"),
    "no end": _lines("{word}: {text}"),
    "windows": _lines("{word}: {text}", behind="\n", newline="\r\n"),
    "bullets": _lines("- {word}: {text}"),
    "stars": _lines("* {Word}: {text}", behind="\n\n"),
    "dots": _lines("• {word}: {text}"),
    "numbers": _lines("{n}. {word}: {text}"),
    "brackets of numbers": _lines("({n}) {word}: {text}"),
    "bold": _lines("**{Word}:** {text}"),
    "bold word": _lines("- **{Word}**: {text}"),
    "all bold": _lines("- **{Word}: {text}**"),
    "underlined": _lines("__{word}__: {text}"),
    "code word": _lines("`{word}`: {text}"),
    "dash": _lines("{Word} - {text}"),
    "long dash": _lines("- {Word} — {text}"),
    "upper case": _lines("{WORD}: {text}"),
    "wide colon": _lines("{word}：{text}"),
    "square": _lines("[{word}] {text}"),
    "fence": _lines("{word}: {text}", "```\n", "\n```"),
    "fence with a name": _lines("- {word}: {text}", "```text\n", "\n```\n"),
    "title": _lines("{word}: {text}", "title: what was done\n"),
    "blank lines": _lines("{word}: {text}\n", "\n\n", "\n"),
    "indented": _lines("    {word}: {text}", behind="\n"),
    "quoted": _lines("> {word}: {text}"),
    "headings": _lines("### {Word}: {text}\n"),
    "the command": _lines("{word}: {text}", "diurna note <<'END'\n", "\nEND\n"),
    "wrapped": _wrapped,
}

#: What is said -> (kind, text) of what is to be recorded.
WHOLE: tuple[tuple[str, tuple[tuple[str, str], ...]], ...] = (
    ("nothing", ()), ("Nothing.", ()), ("- nothing new\n", ()), ("none", ()), ("N/A", ()), ("", ()),
    ("\n\n", ()),
    ("```\nnothing\n```", ()), ("**nothing**", ()), ("nothing to record", ()), ("nichts", ()), ("rien.", ()),
    ("nada", ()), ("ничего", ()), ("无", ()), ("没有。", ()), ("Nothing else to add.", ()),
    ("## Lessons\n- The proxy buffers.\n- The cache is cold.\n\n## Open\nNone.\n",
     (("fact", "The proxy buffers."), ("fact", "The cache is cold."))),
    ("Here is what the next session must know:\n\n1. **Decision:** Keep the shim.\n   It goes with 3.10.\n",
     (("decision", "Keep the shim.\nIt goes with 3.10."),)),
    ("The proxy buffers SSE.\nThe cache is cold at 02:00.\n",
     (("fact", "The proxy buffers SSE."), ("fact", "The cache is cold at 02:00."))),
    ("insight: The proxy buffers SSE.\n", (("fact", "insight: The proxy buffers SSE."),)),
    ("Postgres: version 15, because of MERGE.\n", (("fact", "Postgres: version 15, because of MERGE."),)),
    ("decision: a:b is the separator\nlesson: x->y is lost\n",
     (("decision", "a:b is the separator"), ("fact", "x->y is lost"))),
    ("- [ ] Measure the queue\n- [x] Wire it\n", (("thread", "Measure the queue"),)),
    ("decision: Use this:\n\n```sh\nmake all\n```\n", (("decision", "Use this:\n```sh\nmake all\n```"),)),
    ("- decision: Run it so:\n  ```sh\n  make all\n  ```\n", (("decision",
    "Run it so:\n```sh\nmake all\n```"),)),
    ("npm -> pnpm because the lock is smaller\n", (("fact", "npm -> pnpm because the lock is smaller"),)),
    ("used the new parser for the logs of May\n", (("fact", "used the new parser for the logs of May"),)),
    ("decision: Five now, for the price.\nanother line of it\n", (("decision", "Five now, for the price."), ("fact", "another line of it"),)),
    ("I can't think of anything worth keeping here.\n", (("fact", "I can't think of anything worth keeping here."),)),
    ("decision: x\u2028lesson: y is so\n", (("decision", "x"), ("fact", "y is so"))),
)  # fmt: skip
