"""Millions of hostile inputs for everything that reads text: `python -m tests.campaigns.inputs --count 10000000`.

Inputs are mutations of valid logs, projections and policies, and hostile fragments put together; each goes to
one reader, whose laws it must keep: no reader raises, every place lies inside the text, what is accepted reads
back as it was, what was put out stays out, and none takes longer than its length allows. Batches of a thousand
are drawn from the seed and their number alone, so `--batch N` draws one of them again.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
import traceback
from collections import Counter
from collections.abc import Callable
from multiprocessing import Pool

from ledger.codec.event_bullets import read_references, write_references
from ledger.codec.fact_blocks import read_facts, write_fact
from ledger.codec.fast_read import scan
from ledger.codec.log import canonical, decode, encode, read_entry
from ledger.codec.outline import outline
from ledger.codec.outline_by_lines import outline_by_lines
from ledger.codec.validate import problems, read_draft
from ledger.errors import DraftRefused, PolicyInvalid, WrongUsage
from ledger.escape import unseen_in, visible
from ledger.model.session import SessionLog
from ledger.secrets.log_redaction import guard
from ledger.secrets.scanner import Lines, find_all, redacted
from ledger.secrets.text_view import place_in_source
from ledger.secrets.unmask import unmasked
from memory.recall.index.passage_cutter import passages_of
from projection.document.edit_events import absorb
from projection.document.page_parser import machine_line, parse, unparse
from projection.policy.model import BUILT_IN_KINDS, Policy
from projection.policy.template import write_policy
from projection.policy.toml import read_policy
from projection.text.session_digest import gist
from rituals.cli.output import counted
from rituals.record.option_values import parse_new

STEM = "2026-11-21-083012417-000000000000"
BATCH = 1000
#: What one input may take, at least, and for each of its characters; a busy machine is slow.
_SECONDS, _SECONDS_A_CHAR = 0.25, 20e-6
_KINDS = tuple(kind.name for kind in BUILT_IN_KINDS)

LOGS = (
    "---\nagent: a\nended: 2026-11-21T08:30:12.417Z\nafter: 2026-11-21-075501120-5d0c9e4a7b21\n---\n# Title\n\nProse "
    "with `code` and **bold**.\n\n## Memory References\n\n- Referenced: a, b-c (why)\n- Created: d\n- Updated: e (was "
    "3fa9c1d2)\n- Superseded: f → d\n- Closed: g (was 3fa9c1d2)\n\n## Facts\n\n- Text of d.\n  <!-- id: d | kind: "
    "decision | tags: x, y -->\n- Two lines\n  of e.\n  <!-- id: e -->\n",
    "# Hand-written\n\n- a list\n  - nested\n\n```sh\nexport A=1\n```\n\n## Memory References (used)\n\n- Touched: a, b\n"
    "- Resolved: c — done\n",
    "---\nagent: b\ntype: import\n---\n# Import\n\n## Memory References\n\n- Created: a\n\n## Facts\n\n- [ ] Do it\n"
    "  <!-- id: a | created: 2025-01-02 | origin: 2025-01-02-101500 -->\n",
    "# Q: who?\n\nUser: Hello, what is 3 + 4?\n\nAssistant: It is 7. We decided to use Postgres on 2026-03-04.\n",
)  # fmt: skip
PAGES = (
    "# Continuity — shop\n\n> Diurna computes this file.\n\n- Sessions: 1\n- Facts: 0 core, 1 working\n\n## Contradictions"
    "\n\n- a: 2 versions stand\n\n## Facts\n\n- One.\n  <!-- id: a | created: 2026-11-22 | uses: 1 | tier: working -->\n"
    "- [x] Two\n  lines.\n  <!-- id: b | created: 2026-11-22 -->\n\n<!-- diurna: format 1 | logs: 1 | newest: "
    "2026-11-22-024803380-936247f0847b | digest: " + "8" * 64 + " -->\n",
)  # fmt: skip
POLICIES = (
    'format = 1\nproject = "shop"\npublish = "append"\n\n[windows]\nworking = 3\nactive = 8\narchive = 20\n\n[review]\n'
    'every = 10\n\n[privacy]\nsecrets = "redact"\n\n[kinds.glossary]\nsection = "Glossary"\ndecays = true\n',
)
FRAGMENTS = (
    "```", "~~~~", "\n```\n", "<!--", "-->", "\n<!-- ", " -->\n", "<pre>", "</pre>", "<div>\n\n", "> ", "\n> ", "- ", "\n- ",
    "\n  - ", "1. ", "    ", "\t", "\r", "\r\n", "\n\n", "\x00", "\x1b[31m", "\u200b", "\u202e", "\u2028", "\x85", "\x0c", "\ufeff",
    "\u200d", "\ufe0f", "\U000e0041", "é", "漢", "👩", "## ", "\n## Facts\n", "\n## Memory References\n", "\n# ", "---", "\n---\n",
    "===\n", "- Created: a", "\n- Updated: a (was 12345678)", "\n- Superseded: a → b", "\n- Superseded: a -> a", "(", ")", "[", "]",
    "[[", "]]", "[[a|b]]", "(was ", " — ", "→", "->", ",", ", ", ": ", ":", "|", " | ", "id: a", "<!-- id: a -->", "  <!-- id: b -->\n",
    "kind: thread", "created: 2026-02-30", "\n- [ ] ", "\n- [x] ", "`", "``", "**", "*", "_", "\\", "\\u0067", "\\x1b[", "&#65;", "&lt;",
    "<<<<<<< a\n", "=======\n", ">>>>>>> b\n", "||||||| c\n", "password=", "password: ", "the password is ", "ghp_", "AKIA", "a" * 36,
    "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8", "Xk29fj38dkQ1", "-----BEGIN PRIVATE KEY-----\n", "-----END PRIVATE KEY-----", "eyJ", ".",
    "://", "@", "a@b.co", "https://u:p4ssw0rd@h.co/", "sig=", "%41", "aGVsbG8=", '"', "'", '" + "', "{", "}", "${A:-", "/home/ada/x",
    "4556737586899855", "+49 30 8754321", "536-22-8741", "mysql -p", "lint:allow-secret-material", "We decided to ", "TODO: ", "?", "!",
    "Q: ", "User: ", "fix it. ", "a.b.c = 1\n", "[a]\n", "[[a]]\n", "windows = ", "= ", "1", "-1", "1e9", "true", '"""', "'''", "#", "x",
    "word ", "Two words. ", "2026-11-21 ", "0" * 40, "\ud800", "\uffff",
)  # fmt: skip


class Broken(Exception):
    """A law does not hold."""


def must(holds: bool, law: str) -> None:
    """Raise unless a law holds."""
    if not holds:
        raise Broken(law)


# ---- inputs -----------------------------------------------------------------------------------------


def drawn(draw: random.Random, bases: tuple[str, ...]) -> str:
    """Draw a text: a valid one that was cut, doubled and mixed with fragments, or fragments alone."""
    some = draw.random()
    if some < 0.15:
        return "".join(draw.choices(FRAGMENTS, k=1 + int(draw.random() * 24)))
    text = bases[int(draw.random() * len(bases))]
    for _ in range(1 + int(draw.random() * 5)):
        at, end = sorted(
            (int(draw.random() * (len(text) + 1)), int(draw.random() * (len(text) + 1)))
        )
        kind = draw.random()
        if kind < 0.5:
            text = text[:at] + FRAGMENTS[int(draw.random() * len(FRAGMENTS))] + text[at:]
        elif kind < 0.65:
            text = text[:at] + text[min(end, at + 40) :]
        elif kind < 0.75:
            text = text[:end] + text[at:end][:200] + text[end:]
        elif kind < 0.85:
            text = text[:at] + "".join(draw.choices(FRAGMENTS, k=3)) + text[at:]
        elif kind < 0.9 and text:
            text = text[: max(0, at - 1)] + chr(int(draw.random() * 0x3000)) + text[at:]
        elif kind < 0.95:
            text = text[:at] + FRAGMENTS[int(draw.random() * len(FRAGMENTS))] * 30 + text[at:]
        else:
            text = text[at:] + text[:at]
    return text


def as_bytes(text: str) -> bytes:
    """Return the bytes of a text, those of a lone surrogate among them, which are no UTF-8."""
    return text.encode("utf-8", "surrogatepass")


# ---- laws -------------------------------------------------------------------------------------------


def law_decode(text: str) -> None:
    """A log is read whatever it is; the fast path says what the slow one says, or nothing."""
    data = as_bytes(text)
    lines = data.count(b"\n") + data.count(b"\r") + 2
    for sealed in (True, False):
        log, findings = decode(data, sealed=sealed)
        must(
            all(0 <= one.line <= lines for one in findings), "lines of findings lie inside the log"
        )
        again = canonical(log)
        must(canonical(again) == again, "canonical order is one")
    if data:
        quick = scan(STEM, data)
        if quick is not None:
            entry, findings = read_entry(STEM, data)
            must(quick == entry and not findings, "the fast path says what decode says")


def law_draft(text: str) -> None:
    """What is accepted reads back as it was, guarded or not; what was put out stays out."""
    data = as_bytes(text)
    try:
        log = read_draft(data)
    except DraftRefused as refused:
        must(bool(refused.findings), "a refusal says why")
        return
    _stored(log)
    try:
        clean, _ = guard(log, personal="redact")
    except DraftRefused:
        return
    again, found = guard(clean, personal="redact")
    must(again == clean and not found, "what was guarded is clean")
    if not problems(clean):
        _stored(clean)


def _stored(log: SessionLog) -> None:
    data = encode(log)
    again, findings = decode(data, sealed=True)
    must(again == log, "decode(encode(log)) == log")
    must(encode(again) == data, "encode(decode(data)) == data")
    must(all(one.severity == "info" for one in findings), "what is stored has no finding")


def law_outline(text: str) -> None:
    """Both ways to find headings agree, and all that they say lies inside the text."""
    lines = text.replace("\r", "\n").replace("\x00", "").split("\n")
    found = outline(lines)
    must(all(0 <= line < len(lines) for line, _ in found.headings), "headings lie inside")
    must(all(0 <= a < b <= len(lines) for a, b in found.hidden), "what is hidden lies inside")
    must(
        [line for line, _ in found.headings] == sorted({line for line, _ in found.headings}),
        "in order",
    )
    quick = outline_by_lines(lines)
    must(quick is None or quick.headings == found.headings, "both ways say the same headings")


def law_sections(text: str) -> None:
    """References and facts are read whatever stands there, and what they say can be written again."""
    lines = text.replace("\r", "").replace("\x00", "").split("\n")
    for strict in (True, False):
        events, findings = read_references(lines, strict=strict)
        must(all(1 <= one.line <= len(lines) for one in findings), "lines of findings lie inside")
        if strict and events and not findings:
            again, wrong = read_references(write_references(tuple(events)), strict=True)
            must(not wrong and len(again) == len(events), "references read back")
    blocks, findings = read_facts(lines)
    places = [one.line for one in blocks] + [one.line for one in findings]
    must(all(1 <= line <= len(lines) for line in places), "lines of facts lie inside")
    for block in blocks[:3]:
        said = write_fact(block.id, block.text, block.mark, block.meta)
        again_read, _ = read_facts(said.split("\n"))
        must(bool(again_read) and again_read[-1].id == block.id, "a fact reads back under its id")


def law_page(text: str) -> None:
    """A projection is read whatever was edited in it; what was read twice is the same."""
    parsed, findings = parse(text)
    lines = text.count("\n") + 1
    places = [one.line for one in parsed.blocks] + [one.line for one in findings]
    must(all(0 <= line <= lines for line in places), "lines lie inside")
    machine_line(text)
    unparse(parsed)
    edit = absorb(PAGES[0], text, Policy(), lambda _: None)
    must(all(0 <= one.line <= lines + 1 for one in edit.findings), "lines of an edit lie inside")


def law_policy(text: str) -> None:
    """A policy makes sense, and reads back as it was written, or is refused with its file."""
    try:
        policy = read_policy(as_bytes(text))
    except PolicyInvalid as refused:
        must(refused.where.startswith("diurna.toml"), "a refusal names the file")
        return
    windows = policy.windows
    must(0 <= windows.working <= windows.active <= windows.archive, "windows ascend")
    must(read_policy(write_policy(policy)).windows == windows, "a policy reads back")


def law_digest(text: str) -> None:
    """What a digest quotes lies inside the text; passages are of it."""
    text = text.encode("utf-8", "replace").decode()
    found = gist(text)
    lines = text.replace("\r\n", "\n").replace("\r", "\n").count("\n") + 1
    quotes = (*found.points, *found.actions, *found.decisions)
    must(all(1 <= quote.line <= lines for quote in quotes), "quotes lie inside")
    must(len(found.summary) <= 500 and len(found.points) <= 20, "a digest is short")
    for passage in passages_of(text):
        must(1 <= passage.line <= lines, "passages lie inside")


def law_secrets(text: str) -> None:
    """Places lie apart and inside, lead back from every view, and what is shown has nothing unseen."""
    end = 0
    places = find_all(text)
    for place in places:
        must(end <= place.start < place.end <= len(text), "places lie apart and inside")
        end = place.end
    clean = redacted(text, Lines(text).held(places))
    must(
        len(places) == 0 or clean != text or len(Lines(text).held(places)) == 0,
        "what is found goes",
    )
    said, views = unmasked(text)
    if views and said:
        begin, stop = place_in_source(views, 0, len(said))
        must(0 <= begin < stop <= len(text), "a view's places lie inside")
    shown = visible(text)
    must(visible(shown) == shown, "what is visible stays as it is")
    must(unseen_in(shown) <= set("\u200c\u200d\ufe0e\ufe0f"), "nothing unseen is shown")


def law_option(text: str) -> None:
    """The value of `--new` is read, or refused in words."""
    try:
        new = parse_new(text[:400], _KINDS)
    except (WrongUsage, DraftRefused):
        return
    must(new.kind in _KINDS or bool(new.kind), "a kind")
    must(all(word in text for word in new.text.split()), "no word of a text is made up")


Law = Callable[[str], None]
#: Law, what its inputs are made of, and how many of a hundred it gets: the cheap ones get more.
LAWS: tuple[tuple[Law, tuple[str, ...], int], ...] = (
    (law_decode, LOGS, 10), (law_draft, LOGS, 8), (law_outline, LOGS, 25), (law_sections, LOGS, 20),
    (law_page, PAGES, 5), (law_policy, POLICIES, 12), (law_digest, LOGS, 2), (law_secrets, LOGS, 6),
    (law_option, LOGS, 12),
)  # fmt: skip


# ---- the campaign -----------------------------------------------------------------------------------


def batch(job: tuple[int, int]) -> tuple[Counter[str], list[str]]:
    """Try the inputs of one batch; return how many each law got, and what broke."""
    seed, number = job
    draw = random.Random(f"{seed}:{number}")
    laws = draw.choices(LAWS, weights=[weight for _, _, weight in LAWS], k=BATCH)
    counts: Counter[str] = Counter()
    broken: list[str] = []
    for law, bases, _ in laws:
        text = drawn(draw, bases)
        counts[law.__name__] += 1
        start = time.process_time()
        try:
            law(text)
        except Exception as problem:  # noqa: BLE001 - whatever it is, it is what is looked for
            said = traceback.format_exception_only(problem)[-1].strip()
            place = traceback.extract_tb(problem.__traceback__)[-1]
            broken.append(
                f"{law.__name__} {said} at {place.name}:{place.lineno} batch {number}: {text!r}"
            )
        took = time.process_time() - start
        if took > _SECONDS + _SECONDS_A_CHAR * len(text):
            broken.append(f"{law.__name__} took {took:.2f} s, batch {number}: {text!r}")
    return counts, broken


def main(arguments: list[str]) -> int:
    """Run the campaign; end with 1 when a law was broken."""
    parser = argparse.ArgumentParser(prog="python -m tests.campaigns.inputs", description=__doc__)
    parser.add_argument("--count", type=int, default=100_000, help="how many inputs")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1, help="how many processes")
    parser.add_argument("--batch", type=int, default=-1, help="try this batch alone")
    parser.add_argument("--first", type=int, default=0, help="go on from this batch")
    chosen = parser.parse_args(arguments)
    batches = range(chosen.first, chosen.first + -(-chosen.count // BATCH))
    if chosen.batch >= 0:
        batches = range(chosen.batch, chosen.batch + 1)
    counts: Counter[str] = Counter()
    broken: list[str] = []
    begun = time.monotonic()
    with Pool(chosen.jobs) as pool:
        jobs = ((chosen.seed, number) for number in batches)
        for done, (some, wrong) in enumerate(pool.imap(batch, jobs, chunksize=2), 1):
            counts.update(some)
            for one in wrong:
                print(one, flush=True)
            broken += [one.partition(" ")[0] for one in wrong]
            if done % 100 == 0:
                rate = counts.total() / (time.monotonic() - begun)
                print(f"{counts.total()} inputs, {len(broken)} broken, {rate:.0f}/s", flush=True)
    for name, count in sorted(counts.items()):
        print(f"{name:<14} {count:>9}")
    seconds = time.monotonic() - begun
    print(
        f"inputs: {counts.total()} with seed {chosen.seed}, {counted(len(broken), 'broken law')}, {seconds:.0f} s"
    )
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
