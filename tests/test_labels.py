"""What a label announces in any script is in no log where it is a secret; what has another form stays.

Who records it on purpose is told which value was taken out; of what a machine brings the whole line is withheld.
"""

from __future__ import annotations

import json
import string
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from tests.conftest import Run, examples
from tests.host_door import Door, named, say
from tests.host_door import door as door
from tests.world import OWN_REPOSITORY, World

#: Letters of scripts, some with the marks that their words need.
SCRIPTS = (
    "àéîõüßçñłşøæœžů", "αβγδεζηθικλμνξοπρστυφχψω", "абвгдежзиклмнопрстуфхцчшщыэюя", "אבגדהוזחטיכלמנסעפצקרשת",
    "ابتثجحخدذرزسشصضطظعغفقكلمنهوي", "अआइईउकखगघचजटडणतदनपबमयरलवशसहािीुे", "กขคงจชซดตถทนบปผพฟมยรลวสหอะาิีึืุูเแโ่้",
    "가나다라마바사아자차카타파하고노도로모보소오", "あいうえおかきくけこさしすせそたちつてと", "密码口令数据库管理员服务器测试环境",
    "აბგდევზთიკლმნოპჟრსტუფქღყშ", "աբգդեզէըթժիլխծկհձղճմյնշոչպջռսվտրցփք", "অআইউএওকখগঘচছজটডতথদনপবমযরলশসহািীু",
    "அஆஇஈஉகசடதநபமயரலவழளறனாிீுெ",
)  # fmt: skip
#: Behind the name of a credential a weak value is one, too.
CREDENTIALS = (
    "парол токен секрет ключ clé şifre hasło lösenord 密 口令 令牌 パスワード 비밀".split()
)
SIGNS = (": ", "：", " = ", " → ", ": `")


@st.composite
def labels(draw: st.DrawFn) -> str:
    """One to four words of one script."""
    letters = st.sampled_from(draw(st.sampled_from(SCRIPTS)))
    words = st.lists(st.text(letters, min_size=2, max_size=9), min_size=1, max_size=4)
    return " ".join(draw(words))


def is_mixed(value: str) -> bool:
    """Letters and digits take turns three times or more, as in no word with a number."""
    turns = sum(one.isdigit() != other.isdigit() for one, other in pairwise(value))
    return turns > 2 and len(set(value.lower())) > 5


HEX = st.sampled_from("0123456789abcdef")
DRAWN = st.text(st.sampled_from(string.ascii_letters + string.digits), min_size=8, max_size=24)
DRAWN = (DRAWN | st.text(HEX, min_size=8, max_size=32)).filter(is_mixed)
SPELLED = "todo test xxx Example changeme null none key admin my fake dummy your TODO".split()
VALUES = st.tuples(DRAWN, st.sampled_from(["", *SPELLED]), st.integers(0, 32)).map(
    lambda said: said[0][: said[2]] + said[1] + said[0][said[2] :]
)
WORDS = st.sampled_from("queue worker retry orders shipping storage gateway session".split())
DIGITS = st.text(HEX, min_size=64, max_size=64)


@st.composite
def innocents(draw: st.DrawFn) -> str:
    """What stands behind labels and is no secret, one of each form."""
    one, two, three = draw(WORDS), draw(WORDS), draw(WORDS)
    few, many, digits = draw(st.integers(1, 99)), draw(st.integers(1000, 65535)), draw(DIGITS)
    forms = (
        f"src/{one}/{two}_{three}.py", f"https://{one}.example.org/{two}/{few}?page={many}", f"v{few}.{few}.{many}",
        f"{few}.{few}.{few}-{one}", f"2026-{1 + few % 9:02}-{10 + few % 18}T10:{few % 60:02}:00Z",
        f"{one}.{two}.example.com:{many}", f"{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:32]}",
        digits[:7], digits[:40], digits, f"{one}-{two}_{three}{few}", f"{one.title()}{two.title()}{few}", f"{many}ms",
        f"{many}.5GB", f"{one}@{two}.example.org", f"10.{few}.{few}.7:{many}",
    )  # fmt: skip
    return draw(st.sampled_from(forms))


@settings(max_examples=examples(4, 100), suppress_health_check=list(HealthCheck))
@given(st.lists(st.tuples(labels(), st.sampled_from(SIGNS), VALUES), min_size=6, max_size=12))
def test_a_labelled_value_is_taken_out_and_told(
    tmp_path_factory: pytest.TempPathFactory, said: list[tuple[str, str, str]]
) -> None:
    """Behind any label, in any script; the label stays, and each value is named by its length."""
    with World(tmp_path_factory.mktemp("labels")) as world:
        home = world.home(OWN_REPOSITORY)
        new = [f"id=one-{n} {label}{sign}{value}" for n, (label, sign, value) in enumerate(said)]
        answer = home.run(
            "append", "--title", "T", *[part for text in new for part in ("--new", text)]
        )
        history = home.git("log", "-p", "--all")
        assert [value for _, _, value in said if value in history] == []
        assert answer.codes().count("secret-redacted") == len(said)
        assert [label for label, _, _ in said if label not in history] == []


@settings(max_examples=examples(4, 100), suppress_health_check=list(HealthCheck))
@given(st.lists(st.tuples(labels(), innocents()), min_size=6, max_size=12))
def test_a_value_with_another_form_stays(
    tmp_path_factory: pytest.TempPathFactory, said: list[tuple[str, str]]
) -> None:
    """Paths, addresses, versions, dates, hosts, UUIDs, hashes, names made of words, numbers with units."""
    assume(not any(name in label for label, _ in said for name in CREDENTIALS))
    with World(tmp_path_factory.mktemp("innocent")) as world:
        home = world.home(OWN_REPOSITORY)
        new = [f"id=one-{n} {label}: {value}" for n, (label, value) in enumerate(said)]
        answer = home.run(
            "append", "--title", "T", *[part for text in new for part in ("--new", text)]
        )
        texts = {one["id"]: one["text"] for one in home.run("show").json["facts"]}
        assert [texts[f"one-{n}"] for n in range(len(said))] == [f"{a}: {b}" for a, b in said]
        assert "secret-redacted" not in answer.codes()


PLANTED = (
    "Mật khẩu: qX7vK2mR9tB4",
    "Heslo: zR8w!k2Vn5#d",
    "Kata sandi: 7gTq-2kWz-9mXb",
)


def test_of_an_import_the_line_is_withheld(world: World) -> None:
    """Where nothing else is left the item stays out, and both are counted."""
    home = world.home(OWN_REPOSITORY)
    lines = [
        {"key": "a", "text": f"Use the relay.\n{PLANTED[0]}\nIt is slow."},
        {"key": "b", "text": PLANTED[1]},
    ]
    given = "\n".join(json.dumps(one) for one in lines).encode()
    answer = home.run("import", "jsonl", "-", "--write", stdin=given).json
    assert (answer["redacted"], len(answer["left_out"])) == (1, 1)
    assert [one["text"] for one in answer["new"]] == [
        "Use the relay.\n[redacted: labelled-value]\nIt is slow."
    ]
    history = home.git("log", "-p", "--all")
    assert [word for one in PLANTED for word in one.split(": ") if word in history] == []


def test_of_a_session_the_line_is_withheld(door: Door, run: Run) -> None:
    """What an agent reports is kept without it; `capture` says how many lines are not."""
    transcript: Path = door.repo.path.parent / "s-1.jsonl"
    report = (
        "We moved the queue to the new broker, and it answers within ten milliseconds now. " * 6
    )
    say(transcript, "Move the queue.", role="user")
    say(transcript, f"{report}\n\n- It is done.\n" + "".join(f"- {one}\n" for one in PLANTED))
    (one,) = run("capture", *named(transcript), "--json").json["sessions"]
    assert [part["withheld"] for part in one["attempts"]] == [len(PLANTED)]
    (log,) = [file.read_text("utf-8") for file in door.repo.path.rglob("sessions/**/2026-*.md")]
    assert "- It is done.\n- [redacted: labelled-value]" in log
    assert [word for one in PLANTED for word in one.split(": ") if word in log] == []
