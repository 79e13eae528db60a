"""A memory as anyone would write it with SQLite: `fts.py FILE add TEXT`, `load JSONL`, `search QUESTION`, `show ''`."""

import json
import re
import sqlite3
import sys
from pathlib import Path

file, action, given = sys.argv[1:]
base = sqlite3.connect(file, timeout=60)
base.execute("pragma journal_mode=wal")
base.execute("create virtual table if not exists memory using fts5(text, tokenize='porter')")
with base:
    if action in ("add", "load"):
        lines = Path(given).read_text().splitlines() if action == "load" else []
        loaded = [json.loads(line)["text"] for line in lines] or [given]
        base.executemany("insert into memory values (?)", [(text,) for text in loaded])
    elif action == "show":
        print(*[text for (text,) in base.execute("select text from memory")], sep="\n")
    else:
        words = " OR ".join([f'"{one}"' for one in re.findall(r"\w+", given)])
        asked = "select text from memory where memory match ? order by rank limit 10"
        print(*[text for (text,) in base.execute(asked, (words,))] if words else [], sep="\n")
