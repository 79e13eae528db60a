"""Questions about real sessions: what default recall answers of what capture told, without a model."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import NOW_MS, Run, make_repository

SET = Path(__file__).resolve().parents[2] / "shared" / "bench" / "sessions"
#: How many of the questions are answered in the first lines of recall, in percent.
LEAST, HITS = 75, 5


def _lines(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (SET / name).read_text(encoding="utf-8").splitlines()]


def answers(line: str, keys: list[list[str]]) -> bool:
    """Tell whether all patterns of one of the alternatives are in a line."""
    text = re.sub("[*`]", "", line.lower())
    return any(all(re.search(key, text) for key in alternative) for alternative in keys)


@pytest.mark.deep(reason="test_recall_answers::what_is_written_down_is_answered is the small one")
@pytest.mark.skipif(not SET.is_dir(), reason="the sessions are not here")
def test_questions_of_the_set(tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """All sessions of a project in one home: three quarters of the questions are answered in five lines."""
    hosts = {
        one["session"]: one["host"]
        for one in json.loads((SET / "sources.json").read_text())["sessions"]
    }
    projects: defaultdict[str, list[str]] = defaultdict(list)
    for one in sorted(_lines("gold.jsonl"), key=lambda one: str(one["began"])):
        projects[one["project"]].append(one["session"])
    asked, missed = _lines("questions.jsonl"), []
    for number, sessions in enumerate(projects.values()):
        repo = make_repository(tmp_path / str(number))
        monkeypatch.chdir(repo.path)
        assert run("init").code == 0
        for place, session in enumerate(sessions):
            monkeypatch.setenv("DIURNA_NOW", str(NOW_MS + 60_000 * place))
            path = str(SET / "transcripts" / f"{session}.jsonl")
            told = ("--session", session, "--host", hosts[session], "--transcript", path)
            assert run("capture", *told).code == 0
        for one in asked:
            if one["session"] in sessions:
                hits = run("recall", "-n", str(HITS), "--json", "--", one["question"]).json["hits"]
                if not any(answers(hit["line"], one["answer"]) for hit in hits):
                    missed.append(one["id"])
    assert 100 * (len(asked) - len(missed)) >= LEAST * len(asked), missed
