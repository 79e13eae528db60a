"""What an agent proposes of documents: its words stand there, nothing above them is lost, and a person picks."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from tests.conftest import each_row, examples
from tests.world import IN_TREE, OWN_BRANCH, OWN_REPOSITORY, ROOT, Place, World

#: Rules, and below them what is quoted of which line, with the text that would be recorded, or `!` why not.
RULES, _TABLE = (ROOT / "tests/records/quoted.txt").read_text("utf-8").split("<<<<<\n")


def propose(home: Place, items: Sequence[dict[str, Any]], *more: str, **run: Any) -> Any:
    """Hand in items; return the answer."""
    lines = "\n".join(json.dumps(one) for one in items).encode()
    return home.run("import", "items", "-", *more, stdin=lines, **run).json


def project(world: World, kind: str = IN_TREE) -> Place:
    """A home beside rules that Mara wrote on a day."""
    home = world.home(kind)
    for path in ("CLAUDE.md", ".claude/commands/x.md", ".claude/agents/y.md", "docs/templates/a.md", "rules.rst",
                 ".github/prompts/z.prompt.md", "node_modules/x/AGENTS.md", ".cursor/rules/a.mdc"):  # fmt: skip
        home.write(path, RULES)
    home.git("add", "-A")
    home.git("-c", "user.name=Mara", "commit", "-q", "-m", "Rules", "--date=2026-01-02T12:00:00Z",
             "--author=Mara <m@example.invalid>")  # fmt: skip
    return home


def test_each_is_checked_by_its_form(world: World) -> None:
    """Where its words stand, what is above them, and that they are no half of a sentence."""
    home = project(world)
    rows = _TABLE.splitlines()
    places = [row.partition(" ") for row in rows[::2]]
    items = [
        {"source": f"CLAUDE.md:{line}", "quote": json.loads(quote)} for line, _, quote in places
    ]
    found = propose(home, items)["items"]
    told = [
        json.dumps(one["text"], ensure_ascii=False) if one["text"] else one["why"] for one in found
    ]
    assert told == [row.lstrip("=! ") for row in rows[1::2]]
    assert [one["number"] for one in found] == list(range(1, len(items) + 1))


@each_row("path", [".claude/commands/x.md", ".claude/agents/y.md", "docs/templates/a.md", ".github/prompts/z.prompt.md",
                   "node_modules/x/AGENTS.md", "rules.rst", "none.md"])  # fmt: skip
def test_prompts_templates_and_what_others_wrote_are_not_read_unasked(
    path: str, world: World
) -> None:
    """Neither proposed from, nor named as readable, nor taken for decision records; a person may name one."""
    home = world.place("a") if (world.folder / "a").exists() else project(world)
    item = {"quote": "Tests come first.", "source": f"{path}:25"}
    assert [one["state"] for one in propose(home, [item])["items"]] == ["refused"]
    named = ["CLAUDE.md", ".cursor/rules/a.mdc"]
    assert sorted(one["path"] for one in home.run("import").json["readable"]) == sorted(named)
    if path.endswith(".md") and path != "none.md":
        assert [one["state"] for one in propose(home, [item], path)["items"]] == ["new"]


ITEMS: list[dict[str, Any]] = [
    {"quote": "Tests come first.", "source": "CLAUDE.md:25", "id": "tests", "kind": "convention"},
    {"quote": "Store keys in plaintext localStorage", "source": "./CLAUDE.md:8-9", "text": "Store no keys."},
    {"quote": "come first.", "source": "CLAUDE.md:25"},
    {"quote": "Log them", "source": "CLAUDE.md:9", "id": "taken"},
    {"quote": "Tests come first.", "source": "CLAUDE.md:25", "id": "again"},
]  # fmt: skip


@pytest.mark.parametrize("kind", (IN_TREE, OWN_BRANCH))
def test_what_is_picked_is_recorded_and_nothing_else(kind: str, world: World) -> None:
    """With line, author and day; once; and unpicked, refused or dry nothing changes."""
    home = project(world, kind)
    home.note("id=taken fact: Something else.")
    before = home.logs()
    states = [one["state"] for one in propose(home, ITEMS)["items"]]
    assert states == ["new", "new", "refused", "refused", "refused"]
    assert propose(home, ITEMS, "--pick", "1-2", "--dry-run")["dry_run"]
    for wrong in ("3", "2,4", "9", "x", "0"):
        propose(home, ITEMS, "--pick", wrong, code=None)
    propose(home, ITEMS, "--write", code=2)
    assert home.logs() == before
    told = propose(home, ITEMS, "--pick", "1-2")
    assert len(told["new"]) == 2 and len(home.logs()) == len(before) + 1
    texts = set(home.texts().values())
    assert {
        "R \u203a Don't \u203a Tests come first.",
        "R \u203a Don't \u203a Store no keys.",
    } <= texts
    (event,) = home.run("why", "tests").json["events"]
    assert (event["by"], event["created"]) == ("Mara", "2026-01-02")
    assert event["source"].startswith("CLAUDE.md:25@")
    after = home.logs()
    again = propose(home, ITEMS, "--pick", "all")
    assert [one["state"] for one in again["items"]][:2] == ["known", "known"]
    assert again["items"][0]["id"] == "tests" and home.logs() == after


def test_an_item_of_the_same_id_follows_its_document(world: World) -> None:
    """And one that memory changed meanwhile is asked about."""
    home = project(world)
    propose(home, ITEMS[:1], "--pick", "1")
    home.write("CLAUDE.md", RULES.replace("Tests come first.", "Tests come last."))
    home.commit_all("Rules")
    new = {**ITEMS[0], "quote": "Tests come last."}
    assert [one["state"] for one in propose(home, [new])["items"]] == ["changed"]
    propose(home, [new], "--pick", "1")
    assert home.texts()["tests"] == "R \u203a Don't \u203a Tests come last."


def test_a_home_apart_names_the_code(world: World) -> None:
    """Its documents are those of the folder that is named; its decision records, too."""
    code = project(world)
    code.write("docs/adr/1-x.md", "# X\n\nStatus: accepted\n\n## Decision\n\nJobs run in rq.\n")
    code.commit_all("A record")
    home = world.home(OWN_REPOSITORY, "apart")
    assert propose(home, ITEMS[:1], code=1)["error"]["code"]
    assert propose(home, ITEMS[:1], str(code.folder))["items"][0]["state"] == "new"
    assert "PATH" in home.run("import", "docs", code=1).err
    docs = ("import", "docs", str(code.folder))
    assert [len(home.run(*docs, *more).json["new"]) for more in (["--write"], [])] == [1, 0]
    assert "CLAUDE.md" in [one["path"] for one in home.run(*docs).json["readable"]]


# ---- the law -----------------------------------------------------------------------------------------------

_TITLES = st.sampled_from(
    ["Don't", "Do NOT", "Rules", "\u274c", "\u2705 Good", "\u4e0d\u8981", "\u041d\u0435\u043b\u044c\u0437\u044f",
     "\u0645\u0645\u0646\u0648\u0639", "Anti-patterns", "Verboten", "\u7981\u6b62\u4e8b\u9805", "Style", "D\u00e9conseill\u00e9", "\u05d0\u05e1\u05d5\u05e8"]
)  # fmt: skip
_ENDS = st.sampled_from(["", ":", "\uff1a", "."])
#: Each example is a repository: to make one small takes minutes.
_PHASES = (Phase.explicit, Phase.reuse, Phase.generate)


#: A text, and its statements: line, words, and what stands above them, outermost first.
Document = tuple[str, list[tuple[int, str, list[str]]]]


@st.composite
def documents(draw: st.DrawFn) -> Document:
    """Draw a document, and its statements: line, words, and what stands above them, outermost first."""
    lines: list[str] = []
    said: list[tuple[int, str, list[str]]] = []
    heads: list[tuple[int, str]] = []

    def word(what: str) -> str:
        return f"{what} n{len(lines)}"

    for _ in range(draw(st.integers(1, 5))):
        if draw(st.booleans()):
            level, title = draw(st.integers(1, 4)), word(draw(_TITLES))
            heads = [head for head in heads if head[0] < level] + [(level, title)]
            setext = level < 3 and draw(st.booleans())
            lines += [title, "=-"[level - 1] * 5, ""] if setext else [f"{'#' * level} {title}", ""]
        bolds = [title for _, title in heads]
        if draw(st.booleans()):
            bolds.append(word(draw(_TITLES)))
            lines += [f"**{bolds[-1]}**", ""]
        above = list(bolds)
        tag = draw(st.sampled_from(["", "", "forbidden", "bad-example"]))
        if tag:
            lines += [f"<{tag}>", *[""] * draw(st.integers(0, 1))]
            above.append(tag)
        lead = draw(st.booleans())
        if lead:
            title = word(draw(_TITLES))
            marks, end = draw(st.sampled_from(["", "", "**"])), draw(_ENDS)
            lines += [f"{marks}{title}{end}{marks}", *[""] * draw(st.integers(0, 1))]
            above.append(title + end.strip(":\uff1a"))
            bolds += [title] * bool(marks and not (end or tag))
        mark = draw(st.sampled_from(["-", "*", "1."]))
        path: list[str] = []
        for depth in draw(st.lists(st.integers(0, 2), min_size=1, max_size=4)):
            depth = min(depth, len(path))
            text = word(f"{draw(_TITLES)} keys")
            path[depth:] = [text]
            said.append((len(lines) + 1, text, [*above, *path[:-1]]))
            lines.append(f"{'   ' * depth}{mark} {text}")
        lines += [f"</{tag}>"] * bool(tag) + [""]
        if draw(st.booleans()):  # what no lead-in is about
            text = word("Something else")
            said.append((len(lines) + 1, text, bolds))
            lines += [text, ""]
        lines += ["***", ""]
    return "\n".join(lines), said


def _laid(drawn: list[Document], home: Place) -> list[tuple[dict[str, str], list[str]]]:
    """Write documents; return what is proposed of them, and what has to stand before each."""
    found = []
    for number, (text, said) in enumerate(drawn):
        home.write(f"docs/{number}.md", text.replace(" n", f" n{number}x"))
        for line, words, above in said:
            item = {"quote": words, "source": f"docs/{number}.md:{line}"}
            pieces = [piece.replace(" n", f" n{number}x") for piece in (*above, words)]
            found.append(({**item, "quote": pieces[-1]}, pieces))
    home.git("add", "-A")
    home.git("commit", "-q", "-m", "Rules")
    return found


@settings(
    max_examples=examples(2, 40),
    deadline=None,
    phases=_PHASES,
    suppress_health_check=list(HealthCheck),
)
@given(drawn=st.lists(documents(), min_size=4, max_size=6), data=st.data())
def test_nothing_above_a_statement_is_lost(
    drawn: list[Document], data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Headings, lead-ins and items above stand before the text alone; what is not picked stands nowhere."""
    with World(tmp_path_factory.mktemp("law")) as world:
        home = world.home(OWN_BRANCH)
        laid = _laid(drawn, home)
        items = [item for item, _ in laid]
        answers = propose(home, items)["items"]
        assert [one["state"] for one in answers] == ["new"] * len(laid), (drawn, answers)
        picked = sorted(data.draw(st.sets(st.integers(1, len(laid)), min_size=1)))
        propose(home, items, "--pick", ",".join(map(str, picked)))
        texts = sorted(answers[number - 1]["text"] for number in picked)
        assert sorted(home.texts().values()) == texts
        for number in picked:
            assert answers[number - 1]["text"] == " \u203a ".join(laid[number - 1][1]), drawn
