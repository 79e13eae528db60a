"""`diurna.toml`: what is read, what is refused and on which line, what is written."""

from __future__ import annotations

import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger.errors import PolicyInvalid
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
from projection.policy.policy_keys import GONE, quoted, with_number
from projection.policy.template import write_policy
from projection.policy.toml import POLICY_LIMIT_BYTES, gone_keys, read_policy
from tests.conftest import each_row

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


@given(_policies())
def test_read_after_write_is_the_same(policy: Policy) -> None:
    """Every policy, also with kinds of its own and odd names, reads back from what is written."""
    text = write_policy(policy)
    assert read_policy(text) == read_policy(text.encode()) == policy
    assert read_policy(text.replace("\n", "\r\n")) == policy
    assert read_policy(b"\xef\xbb\xbf" + text.encode()) == policy


@given(_policies(), st.sampled_from(Review._fields), _COUNTS)
def test_a_number_is_set_in_its_line(policy: Policy, key: str, number: int) -> None:
    """Nothing else changes, no comment goes; where a line is not enough, nothing is set."""
    text = write_policy(policy)
    changed = with_number(text, ("review", key), number)
    said = policy.review._replace(**{key: number})
    assert read_policy(changed) == policy._replace(review=said)
    assert {line for line in text.split("\n") if "#" in line and key not in line} <= {
        *changed.split("\n")
    }
    inline = f"review = {{ {key} = 1, x = 2 }}"
    assert with_number(inline, ("review", key), 3) in ("", inline.replace("= 1", "= 3"))
    assert with_number("", ("review", key), 3) == f"\n[review]\n{key} = 3\n"


def test_golden_file_of_init() -> None:
    """The file that `diurna init` makes."""
    assert (
        write_policy(Policy("payments-api", "trunk", trunk="main"))
        == """\
# The policy of this Diurna home. A key that is left out has its default.

format  = 1
project = "payments-api"
publish = "trunk"  # when continuity.md is committed: "append", "trunk" or "review"
trunk   = "main"  # where no origin/HEAD names it

[windows]  # how long a fact lives unused, counted in work sessions, never in days
working = 3
active  = 8
archive = 20

[review]  # when a review is due, and what it looks at
every = 10
# max_facts = 60  # instead of as many as a brief has room for; 0 is no limit
max_lines = 600
closed_thread_lines = 150
verify_invariants_every = 40
stale_thread_after = 40

[privacy]  # what an append does with a log that holds them
secrets  = "redact"  # "redact" or "refuse"
personal = "warn"  # home folders and e-mail addresses: "warn", "redact" or "keep"

# Views that stand beside continuity.md as files, STATE.md and so on:
#
# [views]
# publish = ["state", "progress", "decisions"]

# How many helps make a learned pattern a candidate, verified and active (FORMAT.md, section 6):
#
# [learning]
# candidate = 2
# verified  = 3
# active    = 5

# Homes of others that are read beside this one; `diurna sync` fetches them, and nothing writes to them:
#
# [upstream]
# org = "https://git.example.org/team/memory.git"

# Change a built-in kind of fact, or add one of your own:
#
# [kinds.glossary]
# section = "Glossary"
# decays  = true
"""
    )


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


@each_row(
    "text, line, said",
    [
        ("format = 1\nprojct = 'a'", 2, "unknown key `projct`"),
        ("# c\n\n[windows]\nworking = 1\nactiv = 2", 5, "unknown key `windows.activ`"),
        ("[windows]\n# -1\nactive = -1", 3, "`windows.active` must not be below 0, as -1 is"),
        ("[windows]\nactive = true", 2, "`windows.active` must be a whole number, not true"),
        ("[windows]\nactive = 8.0", 2, "must be a whole number, not 8.0"),
        ("[windows]\nactive = nan", 2, "must be a whole number, not nan"),
        ("[windows]\nactive = '8'", 2, "must be a whole number, not '8'"),
        ("[review]\nevery = 1000000001", 2, "`review.every` must not be over 1000000000"),
        (f"[review]\nevery = {10**30}", 2, "`review.every` must not be over 1000000000"),
        (
            "publish = 'always'",
            1,
            '`publish` must be "append", "trunk" or "review", not \'always\'',
        ),
        ("trunk = ''", 1, "`trunk` must not be empty"),
        ("trunk = ['main']", 1, "`trunk` must be text, not ['main']"),
        (
            "[privacy]\nsecrets = 'x'",
            2,
            '`privacy.secrets` must be "redact" or "refuse", not \'x\'',
        ),
        ("[privacy]\nmail = 'warn'", 2, "unknown key `privacy.mail`"),
        ("[recall]\nlanguage = 'xx'", 2, '`recall.language` must be "en", "de", "es" or "fr"'),
        ("[recall]\nfiles = 'x'", 2, "`recall.files` must be a list, not 'x'"),
        ("[recall]\nfiles = ['../x']", 2, "`recall.files` must name files of this repository"),
        ("[recall]\nfiles = ['/etc/x']", 2, "`recall.files` must name files of this repository"),
        ("[upstream]\norg = 1", 2, "`upstream.org` must be text, not 1"),
        ("[upstream]\n'../org' = 'x'", 2, "this is no name for an upstream"),
        ("[upstream]\npersonal = 'x'", 2, "this is no name for an upstream"),
        ("[upstream]\norg.url = 'x'", 2, "`upstream.org` must be text"),
        ("upstream = 'x'", 1, "`upstream` must be a table, not 'x'"),
        (
            "[upstream]\n" + "\n".join(f"o{n} = 'x'" for n in range(9)),
            1,
            "`upstream` must have at most 8 entries",
        ),
        ("[capture]\nkeep = 'all'", 2, '`capture.keep` must be "told", "digest" or "off"'),
        ("[capture]\nfacts = 'rules'", 2, '`capture.facts` must be "said" or "off"'),
        ("[capture]\nask = -1", 2, "`capture.ask` must not be below 0"),
        ("[capture]\ncharacters = 100001", 2, "`capture.characters` must not be over 100000"),
        ("[capture]\ntrust = true", 2, '`capture.trust` must be "thread" or "supersede", not true'),
        ("[capture]\napprove = 'x'", 2, '`capture.approve` must be "none" or "ask"'),
        ("[capture]\ndecision_words = 'x'", 2, "`capture.decision_words` must be a list, not 'x'"),
        ("[capture]\ndecision_words = ['']", 2, "`capture.decision_words` must not be empty"),
        (f"[capture]\ndecision_words = {['x'] * 101}", 2, "must have at most 100 entries"),
        ("[views]\npublish = 'state'", 2, "`views.publish` must be a list, not 'state'"),
        ("[views]\npublish = ['daily']", 2, 'must be names of views, "state", "progress" or'),
        ("[views]\npublish = [1]", 2, "`views.publish` must be names of views"),
        ("[views]\npublish = ['state', 'state', 'state', 'state']", 2, "at most 3 entries"),
        ("[views]\nstate = true", 2, "unknown key `views.state`"),
        ("[capture]\ncommand = 'curl'", 2, "unknown key `capture.command`"),
        ("[capture]\nurl = 'http://x'", 2, "unknown key `capture.url`"),
        ("format = 2\nnew = 1", 1, "format 2 is newer than 1"),
        ("format = 0", 1, "`format` must not be below 1"),
        ("format = '1'", 1, "`format` must be a whole number"),
        ("project = 3", 1, "`project` must be text, not 3"),
        ("project = ''", 1, "`project` must not be empty"),
        ('project = "a\\nb"', 1, "`project` must be one line"),
        ('project = """\na"""', 1, "this is fine"),
        ("project = [\n 1,\n\n 2,\n]\nformat = 1", 1, "`project` must be text"),
        ("windows = 3", 1, "`windows` must be a table, not 3"),
        ("windows.working = 4\nwindows.active = 2", 2, "`windows.active` can not be 2"),
        ("[windows]\nworking = 9", 2, "`windows.working` can not be 9"),
        ("[windows]\nx = [\n1,\n2]\narchive = 7", 2, "unknown key `windows.x`"),
        ("[windows]\narchive = 7", 2, "`windows.archive` can not be 7"),
        ("format = 1\n[kinds.term]\ndecays = true", 2, "`kinds.term` needs a section"),
        ("[kinds.Term]\nsection = 'T'", 1, "`kinds.Term`: this is no name for a kind"),
        ("[kinds.'a b']\nsection = 'T'", 1, "this is no name for a kind"),
        ("[kinds.term]\nsection = ' T'", 2, "`kinds.term.section` must not start or end with"),
        ("[kinds.term]\nsection = 'Contradictions'", 2, "must not be Contradictions"),
        ("[kinds.term]\nsection = 'T'\nfades = 1", 3, "unknown key `kinds.term.fades`"),
        ("[kinds.term]\nsection = 'T'\ndecays = 1", 3, "`kinds.term.decays` must be true or false"),
        ("[kinds]\nfact = 1", 2, "`kinds.fact` must be a table"),
        ("a = 1\na = 2", 2, "this is not TOML"),
        ("format = 1\n\nproject = ", 3, "this is not TOML"),
        ("format = 1\n<<<<<<< ours\n=======", 2, "a merge conflict is not resolved"),
    ],
)
def test_m6_refusals_name_key_and_line(text: str, line: int, said: str) -> None:
    """What can not be meant is refused with the file, the line and the key."""
    if said == "this is fine":
        assert read_policy(text).project == "a"
        return
    with pytest.raises(PolicyInvalid) as refused:
        read_policy(text)
    assert said in refused.value.message
    assert refused.value.where == f"diurna.toml:{line}"


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
    [
        "format",
        "project",
        "publish",
        "trunk",
        "windows",
        "review",
        "privacy",
        "kinds",
        "recall",
        "capture",
        "views",
        "other",
    ]
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
    """A table, a key and a value: the rest is read, whatever stands behind the key; each is named once."""
    for row in (("letters",), ("review", "tally"), ("moment", "command", "shout")):
        monkeypatch.setitem(GONE, row, "do that")
    text = 'project = "shop"\nletters.to.ops = 1\n[review]\ntally = "x"\nevery = 7\n[moment]\ncommand = "shout"\n'
    policy = read_policy(text)
    assert policy == Policy(project="shop", review=Review(every=7))
    assert gone_keys(text) == [
        (2, "`letters`", "do that"), (4, "`review.tally`", "do that"), (7, "`moment.command`", "do that"),
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
