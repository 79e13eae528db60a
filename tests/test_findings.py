"""Every finding code as a person and a script meet it: command, output and exit code.

`CASES` is the table of transcripts. Each case makes ready a home that has one log and one fact, and names the
command; the table says which line of the text form tells of it, which hint follows, and the exit code. All are
told by JSON; one of each form is asked for its text in the gate.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from ledger.model.finding_codes import CODES
from rituals.cli.app import main
from tests import finding_cases
from tests.conftest import NOW_MS, Run, formed, make_repository
from tests.finding_case import CASES, Shop
from tests.world import commit_written, copy_folder

__all__ = ["finding_cases"]  # which fills the table

#: What differs from run to run, behind what `formed` puts by its name.
_VOLATILE = (
    (re.compile(r"/[^' ]*/(?:text|json)/shop\b"), "TOP"),
    (re.compile(r"\b[0-9a-f]{12}\b|(?<=came with )[0-9a-f]{7}\b"), "COMMIT"),
    (re.compile(r"(?<=\.lock\.)\d{19}\b"), "NANOSECONDS"),
    (re.compile(r"(?<=has )\d+(?= MiB)|\d+(?= s old)"), "COUNT"),
)


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with a home that publishes on request, one log in it and its projection, made once."""
    repo = make_repository(tmp_path_factory.mktemp("model") / "shop")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(repo.path)
        patch.setenv("DIURNA_NOW", str(NOW_MS))
        assert main(["init", "--folder", "memory"]) == 0
        repo.publish_when("review")
        assert main(["append", "--title", "First", "--new", "id=use-x Use X."]) == 0
        commit_written(repo.path)
        assert main(["check", "--publish"]) == 0
    return repo.path


@pytest.fixture
def shop(
    model: Path, tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> Callable[[str], Shop]:
    """Make a copy of the model in a folder of this name, and go there."""
    monkeypatch.setenv("DIURNA_NOW", str(NOW_MS))
    monkeypatch.setenv("DIURNA_AGENT", "claude-code")

    def copied(folder: str) -> Shop:
        shop = Shop(tmp_path / folder / model.name, run, monkeypatch)
        monkeypatch.setenv("XDG_DATA_HOME", str(shop.path.parent / "data"))
        monkeypatch.setenv("XDG_CONFIG_HOME", str(shop.path / ".config"))
        copy_folder(str(model), str(shop.path))
        monkeypatch.chdir(shop.path)
        return shop

    return copied


def lines_of(text: str) -> list[str]:
    """Cut text into lines, with what differs from run to run put by its name."""
    text = formed(text)
    for pattern, name in _VOLATILE:
        text = pattern.sub(name, text)
    return text.split("\n")


def form(code: str) -> tuple[object, ...]:
    """How the text form of a case looks: where it is told, with a line or none, with a hint or none."""
    said, hint, exit_code = CASES[code].said, CASES[code].hint, CASES[code].exit_code
    begins = re.match(r"(diurna: )?\w+", said)
    return begins and begins[0], bool(re.search(r":\d+: ", said)), bool(hint), exit_code


#: The first case of each form.
FORMS = tuple({form(code): code for code in sorted(CASES, reverse=True)}.values())


@pytest.mark.deep(but=FORMS)
@pytest.mark.parametrize("code", CASES)
def test_text_tells_it_once_with_its_hint(code: str, shop: Callable[[str], Shop], run: Run) -> None:
    """The line and the hint of the table; all else that is told are the other findings, each once."""
    one = CASES[code]
    text = run(*one.prepare(shop("text")))
    lines = lines_of(text.err)
    assert (text.code, lines.count(one.said)) == (one.exit_code, 1), text.err
    behind = lines[lines.index(one.said) + 1]
    assert behind == f"hint: {one.hint}" if one.hint else not behind.startswith("hint: ")
    told = [line for line in lines if line.startswith(("error: ", "warning: ", "info: "))]
    assert len(told) == (0 if one.said.startswith("diurna: ") else 1 + len(one.also)), text.err


@pytest.mark.deep(only="too-complex")
@pytest.mark.parametrize("code", CASES)
def test_code_is_told(code: str, shop: Callable[[str], Shop], run: Run) -> None:
    """JSON says it and nothing else, in the words of the table; an error ends `check` with 1."""
    one = CASES[code]
    data = run(*one.prepare(shop("json")), "--json")
    found = data.json["error" if "error" in data.json else "findings"]
    found = found["findings"] if isinstance(found, dict) else found
    assert sorted(finding["code"] for finding in found) == sorted((code, *one.also))
    (named,) = (finding for finding in found if finding["code"] == code)
    assert (named["severity"], data.code) == (CODES[code][0], one.exit_code)
    if not one.said.startswith("diurna: "):
        where = f"{named['file']}:{named['line']}" if named["line"] else named["file"]
        said = named["message"] if where in named["message"] else f"{where}: {named['message']}"
        assert lines_of(f"{named['severity']}: {said}") == [one.said]
    assert lines_of(named["hint"]) == [one.hint]


def test_every_code_has_its_transcript() -> None:
    """A code that no command tells is dead; one without a case here is not shown to be told."""
    assert set(CASES) == set(CODES)
