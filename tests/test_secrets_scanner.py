"""Secrets and personal data are found whole, shown without their value, and put out of a text.

What is to be found, and what only looks like it, stands in `tests/secrets/*.txt` (`tests.planted_secrets`).
"""

from __future__ import annotations

import json
import os
import re
from ast import literal_eval
from base64 import b64encode
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger.model.event import FactCreated, FactRedacted, FactReferenced
from ledger.model.session import SessionLog
from ledger.secrets.log_redaction import guard
from ledger.secrets.match import PERSONAL_RULES, place_in_source, without_private
from ledger.secrets.scanner import (
    WAIVERS,
    Lines,
    find_secrets,
    redacted,
    unmasked,
    without_secrets,
)
from ledger.secrets.vendor_tokens import MARKS
from tests.conftest import WHOLE, each_row
from tests.planted_secrets import ALNUM, Draw, Planted, others, patterns, planted, tokens
from tests.processor_time import steps

find_all = partial(find_secrets, homes=True)
SHARED = Path(__file__).resolve().parents[2] / "shared"
LEDGERS, SESSIONS = SHARED / "ledgers", SHARED / "bench" / "sessions" / "transcripts"


def token(seed: int = 1) -> str:
    """Return a made-up classic token."""
    return "ghp_" + Draw(seed).some(ALNUM, 36)


def drawn(seed: int) -> list[Planted]:
    """Draw all that is planted as it is."""
    words = planted(seed, "words")
    return [*tokens(seed), *others(seed), *(one._replace(kind="words") for one in words)]


def test_recall_by_kind() -> None:
    """Of every kind at least 95 of 100 are put out, with every character, and of all together 99."""
    planted, missed = Counter[str](), Counter[str]()
    texts: dict[str, str] = {}
    for one in [one for seed in range(5) for one in drawn(seed)]:
        planted[one.kind] += 1
        start = one.text.index(one.value)
        covered = {at for place in find_secrets(one.text) for at in range(place.start, place.end)}
        if not covered.issuperset(range(start, start + len(one.value))):
            missed[one.kind] += 1
            texts[one.kind] = one.text
    assert len(planted) >= 80 and planted["words"] > 280
    assert {kind: texts[kind] for kind in missed if missed[kind] > 0.05 * planted[kind]} == {}
    assert sum(missed.values()) <= 0.01 * sum(planted.values())


def test_most_values_are_found_and_nothing_beside() -> None:
    """Of every kind just what is marked, but for these few, of which more or less is put out."""
    rows = patterns("kinds") + patterns("words")
    said = [Draw(seed).written(pattern) for seed in (3, 4) for _, pattern in rows]
    wrong = 0
    for one in said:
        text = re.sub("[⟦⟧]", "", one)
        found = [text[place.start : place.end] for place in find_all(text)]
        wrong += found != re.findall("⟦(.*?)⟧", one, re.DOTALL)
    assert (len(said), wrong) == (872, 49)


def test_lookalikes_raise_no_alarm() -> None:
    """Hashes, ids, lock files, placeholders, numbers, code, types and talk of secrets: not one is found."""
    rows = patterns("innocent")
    assert len(rows) > 400
    alarms = Counter(
        (pattern, place.rule)
        for seed in range(8)
        for _, pattern in rows
        if seed == 0 or "⟨" in pattern
        for place in find_all(Draw(seed).written(pattern))
    )
    assert alarms == {}


def test_a_token_has_the_length_of_its_kind() -> None:
    """One character less or more is another thing, as is what stands in a word; a broken line parts none."""
    draw, wrong = Draw(2), []
    for mark, rule, chars, least, most in MARKS:
        plain = "".join(filter(str.isalnum, chars))
        said = [draw.some(plain, size) for size in (least - 1, least, min(most, 300), most + 1)]
        cut = max(12, least * 2 // 3)
        joins = mark[-1] in "/="  # of an address: what stands before it matters nothing
        for text, wanted in (
            (f"see {mark}{said[0]}. So", ""), (f"see {mark}{said[1]}. So", said[1]), (f"\n{mark}{said[2]}\n(it)", said[2]),
            (f"see {mark}{said[3]}. So", ""), (f"{mark}{said[1][:cut]}\n{said[1][cut:]}", f"{said[1][:cut]}\n{said[1][cut:]}"),
            (f"ab{mark}{said[1]}", said[1] * joins), (f"_{mark}{said[1]}", said[1] * (joins or mark[-1] == "_")),
        ):  # fmt: skip
            found = [text[at.start : at.end] for at in find_secrets(text) if at.rule == rule]
            if [one.removeprefix(mark) for one in found] != [wanted] * bool(wanted):
                wrong.append((text[:90], found))
    assert wrong == []


@each_row("rule, pattern", patterns("exact"))
def test_the_whole_value_is_found_and_nothing_else(rule: str, pattern: str) -> None:
    """Each place begins and ends where the row says, and is of its rule; put out, nothing is found again."""
    said = Draw(3).written(pattern)
    text = re.sub("[⟦⟧]", "", said)
    places = find_all(text)
    assert [text[one.start : one.end] for one in places] == re.findall("⟦(.*?)⟧", said, re.DOTALL)
    assert {one.rule for one in places} == {rule}
    name = "~" if rule == "home-path" else f"[redacted: {rule}]"
    assert redacted(text, places) == re.sub("(?s)⟦.*?⟧", lambda _: name, said)
    assert find_all(redacted(text, places)) == ()
    if "BEGIN" not in text:  # what has no end goes on
        assert len(find_all(f"{text}\n\n\n{text}")) == 2 * len(places)


def test_what_stands_around_a_text_changes_nothing() -> None:
    """All rows one behind the other, between lines of prose: what is found is what each of them has."""
    rows = [Draw(3).written(said) for _, said in patterns("exact") + patterns("innocent")]
    text, expected = "", []
    for said in [re.sub("[⟦⟧]", "", row) for row in rows if "BEGIN" not in row]:
        text += f"{_FILLER}\n"
        expected += [(len(text) + one.start, len(text) + one.end) for one in find_all(said)]
        text += f"{said}\n\n"
    assert [(one.start, one.end) for one in find_all(text)] == expected


def test_a_value_is_named_by_its_kind_and_never_shown() -> None:
    """What may be printed of a hit is the vendor's mark and the length; what is around it stays."""
    marks = {mark for mark, *_ in MARKS} | {"", "eyJ", "pat"}
    assert len({rule for _, rule, *_ in MARKS}) >= 40
    for one in drawn(5):
        places = find_secrets(one.text)
        for place in places:
            mark = place.shown.rpartition("…")[0]
            assert place.shown == f"{mark}…({place.end - place.start})"
            assert mark in marks or mark.startswith("-----BEGIN ")
            assert one.value not in repr(place)
        assert find_secrets(redacted(one.text, places)) == (), one
    for kind, pattern in patterns("kinds", "tokens"):
        value = Draw(3).written(pattern).strip("⟦⟧")
        mark = next((mark for mark, *_ in MARKS if value.startswith(mark)), "")
        assert find_secrets(f"see `{mark}` in the docs") == (), kind


def test_base64_is_read_twice_and_not_thrice() -> None:
    """Encodings and a broken line hide nothing; the rule named is that of what they hide."""
    rules = {
        one.kind: [place.rule for place in find_secrets(one.text)]
        for one in others(7)
        if one.kind in ("base64", "base64-twice", "url-encoded", "wrapped")
    }
    assert len(rules) == 4 and all(found == ["github-token"] for found in rules.values())
    coded = token().encode()
    for _ in range(3):
        coded = b64encode(coded)
    assert "github-token" not in [place.rule for place in find_all(coded.decode())]


@each_row("tag", [f"# {one} -->" for one in WAIVERS])
def test_a_line_waives(tag: str) -> None:
    """A tag on the line where a value begins says that it is none; the next line is another."""
    text = f"one {token()} {tag}\n{token(2)}"
    lines = Lines(text)
    told = [(lines.number(one), lines.is_waived(one)) for one in find_secrets(text)]
    assert told == [(1, True), (2, False)]
    assert without_secrets(text) == f"one {token()} {tag}\n[redacted: github-token]"


def test_what_may_be_named() -> None:
    """A text is nameable without its secrets and home folders, disguised or not."""
    text = f"in /home/alice/shop, by ada@engines.co.uk, &#47;home/bob/shop, {token()}"
    clean = "in ~/shop, by ada@engines.co.uk, ~/shop, [redacted: github-token]"
    assert without_secrets(text, homes=True) == redacted(text, find_all(text)) == clean


@each_row("text, kept", patterns("private"))
def test_of_what_is_private_nothing_is_kept(text: str, kept: str) -> None:
    """Whatever form its tags have; what is no tag stays, and one that is not closed goes on to the end."""
    assert without_private(Draw(1).written(text)) == Draw(1).written(kept)


# ---- disguises -----------------------------------------------------------------------------------------


def _split(value: str, by: str) -> str:
    """Put something into a value twice, near its front and behind its midst; into a short one once."""
    if len(value) < 20:
        return value[: len(value) // 2] + by + value[len(value) // 2 :]
    first, second = min(7, len(value) // 3), len(value) * 3 // 5
    return value[:first] + by + value[first:second] + by + value[second:]


def _each_fifth(value: str, form: Callable[[str], str]) -> str:
    return "".join([form(char) if at % 5 == 1 else char for at, char in enumerate(value)])


DISGUISES: dict[str, Callable[[str], str]] = {
    "plain": lambda value: value,
    "ansi": lambda value: _split(value, "\x1b[1;31m"),
    "markdown": lambda value: re.sub(r"([-_.!#*+~])", r"\\\1", value),
    "zero-width": lambda value: _split(value, "\u200b"),
    "soft-hyphen": lambda value: _split(value, "\u00ad"),
    "wrapped": lambda value: _split(value, "\n"),
    "unicode-escapes": lambda value: _each_fifth(value, lambda char: f"\\u{ord(char):04x}"),
    "entities": lambda value: _each_fifth(value, lambda char: f"&#{ord(char)};"),
    "concatenated": lambda value: _split(value, '" + "'),
}
PLACES = ("title", "prose", "text", "footer", "remark", "header", "code", "table", "url")
#: Places on one line: no wrapped value stands there.
ONE_LINE = ("title", "footer", "remark", "header", "table")


def _quoted(snippet: str) -> str:
    """Put the word of a snippet that holds the value into quotes, where it has none."""
    at = snippet.index("@@")
    start = 1 + max([snippet.rfind(char, 0, at) for char in " \"'`|"])
    if "://" not in snippet[start:at] and "${" not in snippet[start:at]:
        start = max(start, 1 + max([snippet.rfind(char, 0, at) for char in "={"]))
    stops = [stop for stop in (snippet.find(char, at) for char in " \"'`|,;") if stop >= 0]
    end = min(stops or [len(snippet)])
    quoted = 1 if start and snippet[start - 1] in "\"'`" else 0
    return f'{snippet[: start - quoted]}"{snippet[start:end]}"{snippet[end + quoted :]}'


def disguised(pattern: str, place: str, disguise: str, draw: Draw) -> tuple[str, list[str]]:
    """Draw a secret and disguise it; return its snippet, and the parts that must not be left."""
    front, value, end = re.split("[⟦⟧]", draw.written(pattern))
    snippet = f"{front}@@{end}"
    said = DISGUISES[disguise](value)
    if disguise == "concatenated":
        snippet = _quoted(snippet)
    if place == "url" and snippet == "@@":
        snippet = "https://x.test/a?t=@@&n=1"
    elif place == "table":
        snippet = f"| key | {snippet} |"
    elif place == "code":
        snippet = f"```sh\nexport A=1\n{snippet}\n```"
    if disguise in ("unicode-escapes", "entities", "markdown", "plain"):
        parts = [said, said[len(said) // 2 :][:24]]
    else:
        *rest, longest = sorted(_split(value, "\0").split("\0"), key=len)
        parts = [longest, *(piece for piece in rest if len(piece) > 7)]
    return snippet.replace("@@", said), parts


def left_over(pattern: str, disguise: str, draw: Draw) -> tuple[int, list[str]]:
    """Put a disguised secret into each place of a log; count them, and name the places that show a part."""
    places = [place for place in PLACES if disguise != "wrapped" or place not in ONE_LINE]
    put = {place: disguised(pattern, place, disguise, draw) for place in places}
    said = {place: snippet for place, (snippet, _) in put.items()}
    footer = (("source", said["footer"]),) if "footer" in said else ()
    header = (("agent", "a"), *((("host", said["header"]),) if "header" in said else ()))
    prose = "\n\n".join(said[place] for place in ("prose", "code", "table", "url") if place in said)
    events = (
        FactReferenced("relied-on", remark=said.get("remark", "")),
        FactCreated("born", f"What was found.\n{said['text']}", "", footer),
    )
    clean, _ = guard(SessionLog(header, said.get("title", "A title"), prose, events))
    born = clean.events[1]
    assert isinstance(born, FactCreated)
    held = {
        "title": clean.title,
        "text": born.text or "",
        "footer": repr(dict(born.meta).get("source", "")).replace("\\\\", "\\"),
        "remark": clean.events[0].remark,
        "header": clean.get("host"),
    }
    left = [
        place
        for place, (_, parts) in put.items()
        if any(part in held.get(place, clean.prose) for part in parts)
    ]
    return len(put), left


def shares_put_out(step: int) -> dict[str, float]:
    """Put each kind in each disguise into each place, or each `step`-th; return the share that is put out."""
    shares = {}
    for name, sections in {"written for": ("tokens", "known", "seen"), "held": ("held",)}.items():
        cases = [
            (pattern, disguise)
            for _, pattern in patterns("kinds", *sections)
            for disguise in DISGUISES
        ]
        draw, count, left = Draw(1), 0, 0
        for pattern, disguise in cases[::step]:
            planted, places = left_over(pattern, disguise, draw)
            count, left = count + planted, left + len(places)
        shares[name] = 1 - left / count
    return shares


@pytest.mark.deep(only="4")
@pytest.mark.parametrize("step", [100, 1 if WHOLE in os.environ else 4])
def test_kinds_in_places_and_disguises(step: int) -> None:
    """At least 98 of 100 are not stored; of the kinds that no rule was written along four of five."""
    shares = shares_put_out(step)
    assert shares["written for"] >= 0.98 and shares["held"] >= 0.8, shares


@each_row("text, said", patterns("masked"))
def test_what_a_masked_text_says(text: str, said: str) -> None:
    """Colours and unseen characters go, escapes are decoded, strings are joined."""
    assert unmasked(literal_eval(text))[0] == literal_eval(said)


@given(st.text(st.sampled_from("gh\x1b[31m\\u005f&#95;\u200b\"' +\n\tab")))
def test_every_character_of_a_view_has_its_place(text: str) -> None:
    """A view's places lie in order inside the text, and what was copied reads the same there."""
    said, views = unmasked(text)
    at = 0
    for number, char in enumerate(said):
        start, end = place_in_source(views, number, number + 1)
        assert at <= start < end <= len(text)
        assert end - start > 1 or text[start] == char or not text[start].isprintable()
        at = start


_FILLER = "A line says that nothing is here, (as `most` of them do): see x_y.z.\n"


# ---- laws ----------------------------------------------------------------------------------------------


@given(st.text(st.sampled_from("-=ey:J/.@\"'\n AKIAghp_sk%41://passwordtoken{}"), max_size=300))
def test_places_are_apart_and_inside(text: str) -> None:
    """Whatever the text, places stand in order, inside it, apart, and of a known kind."""
    end = 0
    for place in find_all(text):
        assert end <= place.start < place.end <= len(text)
        end = place.end
        assert place.kind == ("personal" if place.rule in PERSONAL_RULES else "secret")


@each_row(
    "unit",
    [
        "ghp_", "eyJ", "eyJa.", "-----BEGIN PRIVATE KEY-----\n", "password=", "password: '", "://", "a@",
        "sk-", "/home/", "C:\\Users\\", "%41", "A", "a:b@://", "T3BlbkFJ", "Authorization: Bearer ",
        "x.y.z ", "sig=", "Q~", "aGVsbG8gd29ybGQgaGVsbG8gd29ybGQ ", "-u a:", "curl -u a:b ",
    ],
)  # fmt: skip
def test_no_text_takes_more_than_its_length(unit: str) -> None:
    """Four times the text is looked through in about four times the calls."""
    few, many = [steps(partial(find_all, unit * (size // len(unit)))) for size in (1_000, 4_000)]
    assert many < 6 * few + 2_000


def test_a_remark_is_stored_without_its_secret_and_otherwise_as_it_is() -> None:
    """Beside an event of any kind, with a text of its own or none."""
    for made in (FactReferenced("a"), FactCreated("a", "Plain."), FactRedacted("a")):
        for remark in ("", "why (so)", f"seen with {token()} there"):
            log = SessionLog((("agent", "a"),), "T", "", (made._replace(remark=remark),))
            clean, found = guard(log)
            (event,) = clean.events
            assert event == made._replace(
                remark=remark.replace(token(), "[redacted: github-token]")
            )
            assert ["the remark beside a" in one.message for one in found] == [True] * (
                token() in remark
            )
            title = log._replace(title=f"With {token()}")  # so that each part is looked at
            assert guard(title)[0].events == clean.events


def test_what_was_guarded_is_clean() -> None:
    """Also where one value leans on the next, so that putting out one uncovers another."""
    text = "/home/ada/home/bob/" * 3 + "\n- " + f"password={token()}/home/eve/x" * 20 + ": who?"
    clean, found = guard(SessionLog((("agent", "a"),), "T", text, ()), personal="redact")
    assert found
    assert guard(clean, personal="redact") == (clean, ())


@pytest.mark.skipif(not LEDGERS.is_dir(), reason="the shared ledgers are not here")
def test_real_ledgers_hold_none() -> None:
    """The real ledgers were looked through by hand: they hold no secret, no home folder, nobody's address."""
    files = sorted(LEDGERS.glob("*/memory/**/*.md"))
    assert len(files) > 150
    assert {
        str(file): places for file in files if (places := find_all(file.read_text("utf-8")))
    } == {}


@pytest.mark.deep(reason="lookalikes_raise_no_alarm is the small one")
@pytest.mark.skipif(not SESSIONS.is_dir(), reason="the shared sessions are not here")
def test_real_sessions_hold_none() -> None:
    """Looked through by hand: a bad example, the hex of a session's id, two names without a vowel."""
    said: dict[str, None] = {}
    for file in sorted(SESSIONS.glob("*.jsonl")):
        for line in file.read_text("utf-8").splitlines():
            said |= dict.fromkeys(_strings(json.loads(line)))
    found = {text[one.start : one.end] for text in said for one in find_secrets(text)}
    assert len(said) > 20_000 and len(found) <= 4, found


def _strings(value: object) -> Iterator[str]:
    """Yield the texts of a line of a transcript."""
    if isinstance(value, str) and 20 <= len(value) < 200_000:
        yield value
    elif isinstance(value, dict | list):
        for one in value.values() if isinstance(value, dict) else value:
            yield from _strings(one)
