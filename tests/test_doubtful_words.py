"""New texts that name days from today, days that do not exist and files that are not there are told, never refused."""

from __future__ import annotations

from itertools import count

from projection.text.relative_days import no_days, told_from_today
from tests.conftest import Repo, Run, each_row

NOW_MS = 1_795_392_000_000  # 2026-11-23

TOLD: tuple[tuple[str, list[tuple[str, str]], list[str]], ...] = (
    ("Yesterday we moved to uv.", [("Yesterday", "2026-11-22")], []),
    ("The queue was replaced two weeks ago.", [("two weeks ago", "2026-11-09")], []),
    ("We move to Redis next week.", [("next week", "")], []),
    ("Gestern umgestellt auf uv.", [("Gestern", "")], []),
    ("It parses `yesterday` and 'last week' and \"tomorrow\".", [], []),
    ("Yesterday's numbers are kept; the last week of a month is frozen.", [], []),
    ("Logs older than 3 days ago go, and more than 2 weeks ago, too.", [], []),
    ("```\nyesterday 2026-02-30\n```\nThis is it.", [], []),
    ("Released on February 30, due 2026-02-30 and April 31, 2026.", [], ["2026-02-30", "February 30", "April 31, 2026"]),
    ("Due 2028-02-29, April 30, 31 May; we may 30 users, version 2026-02-30-rc and v1.2026-02-30.", [], []),
)  # fmt: skip


@each_row("text, told, none", TOLD)
def test_days_told_from_today_and_days_that_are_none(
    text: str, told: list[tuple[str, str]], none: list[str]
) -> None:
    """What a reader can not date, with the day where it is one; quotes, code and any day's words are let be."""
    assert list(told_from_today(text, NOW_MS)) == told
    assert list(no_days(text)) == none


def test_files_that_are_not_there(repo: Repo, run: Run) -> None:
    """Told where neither work tree nor index has them at any depth; what is said to be gone names nothing."""
    repo.write("app/src/pay.py", "pass\n")
    repo.git("add", "app")
    repo.write("new/way.py", "pass\n")
    number = count()

    def told(text: str) -> list[str]:
        found = run(
            "append", "--again", "--title", "T", "--new", f"id=x{next(number)} {text}", "--json"
        )
        assert found.code == 0
        return [one["message"] for one in found.json["findings"] if one["code"] == "no-such-file"]

    assert told("Sums are made in `src/pya.py`.")[0].endswith(
        "names src/pya.py, which is not there"
    )
    for text in (
        "Sums are made in `src/pay.py`.", "It is in `app/src/pay.py:12`, too.", "A new way is in `new/way.py`.",
        "The file `old/gone.py` was removed long ago in spring.", "See https://example.org/a/b.py for this.",
    ):  # fmt: skip
        assert told(text) == [], text
