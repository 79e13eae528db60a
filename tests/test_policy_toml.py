"""`diurna.toml`: what is read, what is refused and on which line, what is written."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from projection.policy.model import (
    BUILT_IN_KINDS,
    LANGUAGES,
    PUBLISHABLE,
    Capture,
    Kind,
    Learning,
    Policy,
    Privacy,
    Recall,
    Review,
    Upstream,
    Views,
    Windows,
)
from projection.policy.policy_keys import GONE
from projection.policy.template import quoted, write_policy
from projection.policy.toml import POLICY_LIMIT_BYTES, PolicyInvalid, gone_keys, read_policy
from tests.conftest import each_row, examples

POLICIES = Path(__file__).with_name("policies")
_COUNTS = st.integers(0, 10**9)
_NAMES = st.one_of(
    st.sampled_from(
        ['a "b" \\ c', "a'b", "payments-api", "漢字 👩\u200d💻", "a\u202eb", "#x", '"""']
    ),
    st.text(st.characters(categories=("L", "N", "P", "S")), min_size=1, max_size=20),
)
_ADDED = st.builds(
    Kind,
    st.from_regex(r"[a-z]{1,8}(-[a-z0-9]{1,4})?", fullmatch=True).filter(
        lambda name: name not in {kind.name for kind in BUILT_IN_KINDS}
    ),
    _NAMES,
    st.booleans(),
)


_ROLES = st.lists(st.sampled_from(["judge", "auditor", "red-team"]), max_size=3).map(tuple)
_LEARNING = st.builds(
    lambda counts, rest, *roles: Learning(
        counts[0], counts[1], rest[0], counts[2], rest[1], rest[2] + 1, rest[3], *roles, *rest[4:]
    ),
    st.tuples(_COUNTS, _COUNTS, _COUNTS).map(sorted),
    st.tuples(*[st.integers(0, 9)] * 6),
    _ROLES,
    _ROLES,
)


@st.composite
def _policies(draw: st.DrawFn) -> Policy:
    built_in = tuple(
        Kind(kind.name, draw(_NAMES), draw(st.booleans())) if draw(st.booleans()) else kind
        for kind in BUILT_IN_KINDS
    )
    added = draw(st.lists(_ADDED, max_size=3, unique_by=lambda kind: kind.name))
    return Policy(
        draw(_NAMES),
        draw(st.sampled_from(["append", "trunk", "review"])),
        Windows(*sorted(draw(st.tuples(_COUNTS, _COUNTS, _COUNTS)))),
        Review(*draw(st.tuples(*[_COUNTS] * 6))),
        (*built_in, *sorted(added)),
        privacy=Privacy(
            draw(st.sampled_from(["redact", "refuse"])),
            draw(st.sampled_from(["warn", "redact", "keep"])),
        ),
        trunk=draw(st.sampled_from(["", "main", "release/1.x", "größe"])),
        recall=Recall(
            draw(st.sampled_from(LANGUAGES)),
            tuple(draw(st.lists(st.sampled_from(["docs/**/*.md", "RFC*"]), max_size=2))),
        ),
        capture=Capture(
            draw(st.sampled_from(["", "told", "facts", "digest", "off"])),
            draw(st.sampled_from(["thread", "supersede"])),
            draw(st.sampled_from(["none", "ask"])),
            tuple(draw(st.lists(_NAMES, max_size=3))),
            draw(st.sampled_from(["said", "off"])),
            draw(_COUNTS),
            draw(st.integers(0, 100_000)),
        ),
        views=Views(tuple([name for name in PUBLISHABLE if draw(st.booleans())])),
        learning=draw(_LEARNING),
        personal=draw(st.booleans()),
        push=draw(st.booleans()),
        upstream=tuple(
            [Upstream(name, draw(_NAMES)) for name in draw(st.sampled_from([(), ("org", "a-b")]))]
        ),
    )


@settings(max_examples=examples(15, 200))
@given(_policies())
def test_read_after_write_is_the_same(policy: Policy) -> None:
    """Every policy, also with kinds of its own and odd names, reads back from what is written."""
    text = write_policy(policy)
    assert read_policy(text) == read_policy(text.encode()) == policy
    assert read_policy(text.replace("\n", "\r\n")) == policy
    assert read_policy(b"\xef\xbb\xbf" + text.encode()) == policy


def test_golden_file_of_init() -> None:
    """The file that `diurna init` makes."""
    golden = (POLICIES / "init.toml").read_text(encoding="utf-8")
    assert write_policy(Policy("payments-api", "trunk", trunk="main")) == golden


def test_empty_file_is_the_defaults() -> None:
    """What is left out has its default."""
    assert read_policy("") == read_policy(b"") == Policy()


def test_kinds_change_and_add() -> None:
    """A built-in kind keeps what is not said; added kinds follow the built-ins by name."""
    text = (
        "[kinds.zeta]\nsection = 'Z'\n[kinds.alpha]\nsection = 'A'\ndecays = false\n"
        "[kinds.fact]\ndecays = false\n[kinds.stack]\nsection = 'Tools'\n"
    )
    kinds = read_policy(text).kinds
    assert [kind.name for kind in kinds[:-2]] == [kind.name for kind in BUILT_IN_KINDS]
    assert kinds[-2:] == (Kind("alpha", "A", decays=False), Kind("zeta", "Z"))
    assert kinds[5] == Kind("fact", "Facts", decays=False)
    assert kinds[2] == Kind("stack", "Tools")


def refused() -> Iterator[tuple[str, int, str]]:
    """Policies, the line that is named and what is said of it."""
    for part in (POLICIES / "refused.md").read_text(encoding="utf-8").split("\n### ")[1:]:
        head, _, text = part.partition("\n")
        line, _, said = head.partition(": ")
        yield text.rstrip("\n"), int(line), said


@each_row("text, line, said", refused())
def test_m6_refusals_name_key_and_line(text: str, line: int, said: str) -> None:
    """What can not be meant is refused with the file, the line and the key."""
    with pytest.raises(PolicyInvalid) as told:
        read_policy(text)
    assert said in told.value.message
    assert told.value.where == f"diurna.toml:{line}"


def test_several_problems_are_all_named() -> None:
    """The first in the file is said in full, the others by key."""
    with pytest.raises(PolicyInvalid) as refused:
        read_policy("[review]\nevery = 'x'\n[windows]\nactive = -1\nfoo = 1")
    assert refused.value.message == (
        "`review.every` must be a whole number, not 'x' "
        "(also wrong: `windows.active`, `windows.foo`)"
    )


def test_bytes_that_are_no_text() -> None:
    """Bytes that are not UTF-8, too long or nested too deep are refused, never a crash."""
    with pytest.raises(PolicyInvalid, match=r"diurna.toml:2: this is not UTF-8"):
        read_policy(b"format = 1\nproject = '\xe9'")
    with pytest.raises(PolicyInvalid, match="over the limit"):
        read_policy(b"#" * (POLICY_LIMIT_BYTES + 1))
    with pytest.raises(PolicyInvalid, match="nested too deep"):
        read_policy("a = " + "[" * 5000)
    with pytest.raises(PolicyInvalid, match="too many digits"):
        read_policy("a = " + "9" * 5000)


def test_newer_format_can_be_read() -> None:
    """A reader takes from a newer file what it understands, and sees that it is newer."""
    text = (
        "format = 7\nproject = 'x'\npublish = 'weekly'\nnew = 3\n[windows]\nworking = 30\n"
        "[review]\nevery = 'x'\nmax_lines = 5\n[kinds.BAD]\n[kinds.zz]\nsection = 'Z'\nq = 1\n"
    )
    policy = read_policy(text, newer_ok=True)
    assert policy == Policy(
        "x", "append", Windows(), Review(max_lines=5), (*BUILT_IN_KINDS, Kind("zz", "Z")), 7
    )
    assert read_policy(write_policy(Policy("x")), newer_ok=True) == Policy("x")
    with pytest.raises(PolicyInvalid):
        read_policy("format = 1\nnew = 3", newer_ok=True)


_JUNK = st.recursive(
    st.one_of(st.booleans(), st.integers(), st.floats(), st.text(max_size=5)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=2), st.dictionaries(st.text(max_size=5), inner, max_size=2)
    ),
    max_leaves=6,
)
_KEYS = st.sampled_from(
    "format project publish trunk windows review privacy kinds recall capture views other".split()
)


@given(st.dictionaries(_KEYS, _JUNK, max_size=4), st.booleans())
def test_m6_any_table_is_read_or_refused(table: dict[str, object], newer_ok: bool) -> None:
    """Whatever a file says, the answer is a policy that makes sense or `PolicyInvalid`."""
    text = "".join(f"{key} = {_toml(value)}\n" for key, value in table.items())
    tomllib.loads(text)
    try:
        policy = read_policy(text, newer_ok=newer_ok)
    except PolicyInvalid as refused:
        assert refused.where.startswith("diurna.toml:")
    else:
        assert 0 <= policy.windows.working <= policy.windows.active <= policy.windows.archive
        assert min(policy.review._replace(max_facts=0)[:]) >= 0
        assert policy.format == 1 or newer_ok


def _toml(value: object) -> str:
    match value:
        case bool():
            return "true" if value else "false"
        case str():
            return '"' + "".join(f"\\U{ord(c):08x}" for c in value) + '"'
        case float():
            return repr(value) if "e" not in repr(value) else "1.5"
        case list():
            return "[" + ", ".join(_toml(part) for part in value) + "]"
        case dict():
            return "{" + ", ".join(f"{_toml(k)} = {_toml(v)}" for k, v in value.items()) + "}"
        case _:
            return str(value)


def test_a_key_that_is_gone_is_as_if_it_were_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    """A table and a key: the rest is read, whatever stands behind the key; each is named once."""
    for row in (("letters",), ("review", "tally")):
        monkeypatch.setitem(GONE, row, "do that")
    text = 'project = "shop"\nletters.to.ops = 1\n[review]\ntally = "x"\nevery = 7\n'
    policy = read_policy(text)
    assert policy == Policy(project="shop", review=Review(every=7))
    assert gone_keys(text) == [
        (2, "`letters`", "do that"), (4, "`review.tally`", "do that"),
    ]  # fmt: skip
    assert gone_keys('[moment]\ncommand = "hold"\nfile = false\n') == []
    with pytest.raises(PolicyInvalid, match=r"unknown key `review\.tallies`"):
        read_policy("[review]\ntallies = 1\n")


def test_no_row_of_what_is_gone_begins_as_another() -> None:
    """Else the second would be looked for where the first was taken out; and none is a key that there is."""
    assert not [(one, two) for one in GONE for two in GONE if one != two and two[: len(one)] == one]
    for path in GONE:
        known: object = tomllib.loads(write_policy(Policy()))
        for part in path:
            known = known.get(part) if isinstance(known, dict) else None
        assert known is None, path


def test_a_hostile_file_is_refused_in_a_moment() -> None:
    """Finding the line of a key gives up rather than making anybody wait."""
    text = "a = [\n" + "1,\n" * 20_000 + "]\n"
    with pytest.raises(PolicyInvalid, match="unknown key `a`"):
        read_policy(text)


@pytest.mark.parametrize(
    "text",
    ["a." * 20_000 + "b = 1", "[" + "a . " * 15_000 + "b]", "x = {" + '"a".' * 15_000 + "b = 1}"],
)
def test_a_key_of_many_parts_is_refused_in_a_moment(text: str) -> None:
    """A dotted key that no policy has is refused with its line before the parser takes minutes for it."""
    with pytest.raises(PolicyInvalid, match="a key of more than 50 parts") as refused:
        read_policy(f'# {"." * 99}\nproject = "{"." * 99}"\n{text}\n')
    assert refused.value.where == "diurna.toml:3"


def test_a_string_is_quoted_as_toml_reads_it() -> None:
    """Each character that TOML refuses as it is, and those beside them."""
    text = "".join([chr(code) for code in (*range(0x24), 0x5C, *range(0x7E, 0xA2))])
    assert tomllib.loads(f"key = {quoted(text)}") == {"key": text}
    assert quoted(" !~") == '" !~"'
