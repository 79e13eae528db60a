"""What reading commands print: a table of command lines and answers, `answers.txt`, in the form of `refusals.txt`.

It is the one place that holds these words; other tests ask for JSON. Below each command line stands what it
prints, then behind `!` what it says beside that. `DIURNA_WRITE_TABLES=1` writes the answers anew.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from tests.conftest import NOW_MS, WRITE_TABLES, Repo, Run, formed, laid_once
from tests.test_refusals import (  # noqa: F401 - fixtures
    DAY_MS,
    answer,
    at,
    empty,
    rows,
    torn,
    write,
)

TABLE = Path(__file__).with_name("answers.txt")
LOG = """# Ship

We shipped it.

## Memory References

- Created: webhook-once, orders-stay, timeouts, note

## Facts

- A webhook is sent once, see [[orders-stay]].
  <!-- id: webhook-once | kind: decision | entity: Payments API -->
- Orders are never deleted.
  <!-- id: orders-stay | kind: invariant | entity: orders -->
- Calls time out after 10 s, see [[gone]].
  <!-- id: timeouts | entity: payments-api, Redis -->
- Never `[[timeouts]]`, but [[webhook-once]].
  <!-- id: note | serves: orders-stay -->
"""


@laid_once
def linked(repo: Repo, run: Run) -> None:
    """Facts of three days that name each other, one of them superseded; a purpose; patterns that helped."""
    at(NOW_MS - DAY_MS)
    done = [
        run("append", "-", stdin=LOG.encode()),
        run("append", "--title", "Aim", "--new", "id=north invariant: Pay in a second.",
            "--new", "id=goal decision: Checkout is fast.\n→ serves: north",
            "--new", "id=design decision: Prices are cached, since commit fffff1c0d. → serves: goal",
            "--new", "id=p1 pattern: Read the log.", "--new", "id=ask thread: Who pays?",
            "--new", "id=wire task: Wire the queue."),
    ]  # fmt: skip
    at(NOW_MS)
    done += [
        run("append", "--title", "Lost", "--agent", "codex", "--supersede", "webhook-once=webhook-retries",
            "--new", "id=webhook-retries decision: Webhooks retry, [[timeouts|see there]].", "--ref", "timeouts",
            "--body", "The shop lost webhooks while it was restarting."),
        run("append", "--title", "Work", "--new", "id=d decision: Retry.", "--helped", "p1=`make` exit 0",
            "--close", "ask"),
    ]  # fmt: skip
    assert [ran.err for ran in done if ran.code] == []


@pytest.mark.parametrize("heading", rows(TABLE))
def test_what_is_printed(heading: str, request: pytest.FixtureRequest, run: Run) -> None:
    """It ends with 0 and changes nothing; scripts get one object."""
    table, wrong = rows(TABLE), []
    home: Repo = request.getfixturevalue(heading.partition(":")[0])
    before = home.shape()
    for number, (line, expected) in enumerate(table[heading]):
        ran, data = answer(run, line), answer(run, line, "--json")
        assert (ran.code, data.code, data.json["format"]) == (0, 0, 1), line
        beside = "".join(f"! {one}\n" for one in ran.err.splitlines())
        said = formed(f"{ran.out}{beside}").replace(str(home.path), "TOP").rstrip("\n")
        said = re.sub(r"(?m)(?<=→ )[0-9a-f]{7}$", "COMMIT", said)
        if os.environ.get(WRITE_TABLES):
            table[heading][number] = (line, said)
        elif said != expected:
            wrong.append(f"$ {line}\n{said}")
    assert not wrong, "\n".join(wrong)
    assert home.shape() == before
    if os.environ.get(WRITE_TABLES):
        write(TABLE, table)
