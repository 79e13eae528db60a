"""Other languages: what is written without blanks is found inside of runs, inflected words in their forms."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.recall.index.unspaced import asked_pairs, has_unspaced, pairs_in
from memory.recall.query.languages import inflected, plainly, says_nothing, spoken
from tests.conftest import Repo, Run, each_row

#: language -> a fact, another one, a passage; and what is asked for each.
SAID = {
    "chinese": (
        ("数据库连接池的大小是二十。", "连接池大小"),
        ("发布之前必须运行所有测试。", "发布前测试"),
        ("我们昨天讨论了缓存失效的问题。", "缓存失效"),
    ),
    "japanese": (
        ("データベースの接続プールの大きさは二十です。", "接続プール"),
        ("リリースの前に全てのテストを実行する。", "テストの実行"),
        ("昨日、キャッシュの無効化について話しました。", "キャッシュ"),
    ),
    "korean": (
        ("데이터베이스의 연결 풀 크기는 이십입니다.", "데이터베이스"),
        ("릴리스하기 전에 모든 테스트를 실행한다.", "테스트"),
        ("어제 캐시 무효화에 대해 이야기했다.", "캐시"),
    ),
    "thai": (
        ("ขนาดของพูลการเชื่อมต่อฐานข้อมูลคือยี่สิบ", "ฐานข้อมูล"),
        ("ต้องรันการทดสอบทั้งหมดก่อนปล่อยรุ่นใหม่", "การทดสอบ"),
        ("เมื่อวานเราคุยเรื่องแคชหมดอายุ", "แคช"),
    ),
    "lao": (
        ("ຖານຂໍ້ມູນມີການເຊື່ອມຕໍ່ຊາວອັນ", "ການເຊື່ອມຕໍ່"),
        ("ຕ້ອງທົດສອບທັງໝົດກ່ອນປ່ອຍລຸ້ນໃໝ່", "ທົດສອບ"),
        ("ມື້ວານພວກເຮົາລົມກັນເລື່ອງໜ່ວຍຄວາມຈຳ", "ໜ່ວຍຄວາມຈຳ"),
    ),
    "khmer": (
        ("មូលដ្ឋានទិន្នន័យមានការតភ្ជាប់ម្ភៃ", "ទិន្នន័យ"),
        ("ត្រូវដំណើរការការសាកល្បងទាំងអស់មុនពេលចេញផ្សាយ", "សាកល្បង"),
        ("ម្សិលមិញយើងបាននិយាយអំពីឃ្លាំងសម្ងាត់", "ឃ្លាំងសម្ងាត់"),
    ),
}


@pytest.mark.parametrize("language", SAID)
def test_words_inside_of_runs(repo: Repo, run: Run, language: str) -> None:
    """A word in the middle of a run is found: the fact that has it comes first, and a passage too."""
    (one, asks_one), (two, asks_two), (passage, asks_passage) = SAID[language]
    body = str(repo.write("body.md", f"{passage}\n"))
    new = ("--new", f"id=pool decision: {one}", "--new", f"id=tests convention: {two}")
    assert run("append", "--title", "One", *new).code == 0
    assert run("append", "--title", "Two", "--body", body).code == 0
    for question, fact in ((asks_one, "pool"), (asks_two, "tests")):
        assert run("recall", question, "--json").json["facts"][0]["id"] == fact
    found = run("recall", asks_passage, "--json").json
    assert passage in found["passages"][0]["text"]


def test_phrases_single_characters_and_what_must_not_be(repo: Repo, run: Run) -> None:
    """Quotes, one character, a minus, and Latin words beside the run work as elsewhere."""
    for id, text in (
        ("uv", "我们使用uv管理依赖。"),
        ("cat", "吉祥物是一只猫。"),
        ("pip", "不再使用pip。"),
    ):
        assert run("append", "--title", id, "--new", f"id={id} fact: {text}").code == 0

    def ids(*question: str) -> list[str]:
        answer = run("recall", "--in", "facts", "--json", "--", *question).json
        return [hit["id"] for hit in answer["hits"]]

    assert ids("猫") == ["cat"]
    assert ids("吉") == ["cat"]
    assert ids("使用uv")[0] == "uv"
    assert ids('"管理依赖"') == ["uv"]
    assert ids('"依赖管理"') == []
    assert ids("使用", "-pip") == ["uv"]


@given(st.text(alphabet="数据库abc 猫ไทย。", max_size=30), st.data())
def test_every_part_of_a_run_is_found(text: str, data: st.DataObject) -> None:
    """Whatever piece of a text is asked, the pairs of its runs are words of the text, in their order."""
    start = data.draw(st.integers(0, len(text)))
    piece = text[start : data.draw(st.integers(start, len(text)))]
    indexed = pairs_in(text).split()
    pairs, rest = asked_pairs(piece)
    assert not has_unspaced(rest)
    for typed, word in pairs.items():
        assert any(one.startswith(word) if len(typed) == 1 else one == word for one in indexed)


@given(st.text(max_size=40))
def test_other_writing_is_left_alone(text: str) -> None:
    """A text has pairs where it has such writing, and nowhere else; each is one word of letters and digits."""
    assert bool(pairs_in(text)) == has_unspaced(text)
    assert all(word.isascii() and word.isalnum() for word in pairs_in(text).split())
    assert not has_unspaced("naïve — “quoted” café → Ελλάδα Москва עברית")


#: language -> facts by id, a passage, and (question, what answers) in other forms of the words.
INFLECTED = {
    "de": (
        {
            "backup": "Die Datenbanken werden jede Nacht gesichert, und die Sicherungen prüft ein Skript.",
            "tests": "Vor jeder Veröffentlichung müssen alle Prüfungen laufen.",
        },
        "Gestern haben wir über die gelöschten Häuser im Katalog gesprochen.",
        (
            ("Wann wird die Datenbank gesichert?", "backup"),
            ("Welche Prüfung muss vor den Veröffentlichungen laufen?", "tests"),
            ("löschen wir ein Haus im Katalog", ""),
        ),
    ),
    "es": (
        {
            "backup": "Las bases de datos se copian cada noche, y un programa comprueba las copias.",
            "tests": "Antes de cada publicación hay que ejecutar todas las pruebas automatizadas.",
        },
        "Ayer hablamos de las decisiones sobre los servidores antiguos.",
        (
            ("¿Cuándo se copia la base de los datos?", "backup"),
            ("¿Qué prueba automatizada se ejecuta antes de las publicaciones?", "tests"),
            ("decisión sobre el servidor antiguo", ""),
        ),
    ),
    "fr": (
        {
            "backup": "Les serveurs sont sauvegardés chaque nuit et un script vérifie les sauvegardes.",
            "tests": "Avant chaque publication, l'équipe lance tous les essais automatisés.",
        },
        "Hier nous avons parlé des décisions sur les anciennes machines.",
        (
            ("Quand est-ce que le serveur est sauvegardé ?", "backup"),
            ("Qu'est-ce que l'équipe lance, un essai automatisé avant les publications ?", "tests"),
            ("la décision sur l'ancienne machine", ""),
        ),
    ),
}


@pytest.mark.parametrize("language", INFLECTED)
def test_other_forms_of_a_word(repo: Repo, run: Run, language: str) -> None:
    """A singular finds plurals, one tense another, in the language that the policy names."""
    facts, passage, questions = INFLECTED[language]
    body = str(repo.write("body.md", f"{passage}\n"))
    new = [f"id={id} fact: {text}" for id, text in facts.items()]
    assert run("append", "--title", "One", "--new", new[0], "--new", new[1]).code == 0
    assert run("append", "--title", "Two", "--body", body).code == 0
    policy = repo.path / "memory" / "diurna.toml"
    repo.write(
        "memory/diurna.toml", policy.read_text("utf-8") + f'\n[recall]\nlanguage = "{language}"\n'
    )
    repo.git("add", "-A")
    repo.git("commit", "-qm", "a language")
    for question, answer in questions:
        found = run("recall", question, "--json").json
        if answer:
            assert [hit["id"] for hit in found["facts"]][:1] == [answer]
        else:
            assert passage in found["passages"][0]["text"]


@each_row(
    "language, word, form",
    [
        ("de", "datenbanken", "datenbank"),
        ("de", "prüfung", "prüfen"),
        ("de", "gelöscht", "löschen"),
        ("de", "löschen", "gelöscht"),
        ("es", "decisiones", "decision"),
        ("es", "ejecutar", "ejecuta"),
        ("es", "servidor", "servidores"),
        ("fr", "essais", "essai"),
        ("fr", "vérifie", "vérifier"),
        ("fr", "sauvegardé", "sauvegardés"),
    ],
)
def test_forms(language: str, word: str, form: str) -> None:
    """Endings are exchanged for each other; short words and other languages have no other forms."""
    assert form in inflected(word, language) and word not in inflected(word, language)
    assert inflected(word, "") == inflected("uv", language) == inflected("v1", language) == ()


@given(st.sampled_from(["de", "es", "fr"]), st.text("abceinorstuéü", min_size=4, max_size=14))
def test_forms_of_a_form(language: str, word: str) -> None:
    """There are few, each begins as the word does, and each is looked for once."""
    forms = inflected(word, language)
    assert len(forms) == len(set(forms)) < 80
    start = word[2:6] if word[:2] == "ge" else word[:4]
    assert all(start in form for form in forms)


def test_small_words_tell_nothing() -> None:
    """Questions are made of them; and what French writes together is taken apart."""
    assert says_nothing("warum", "de") and says_nothing("cuándo", "es") and says_nothing("où", "fr")
    assert not says_nothing("warum", "en") and not says_nothing("datenbank", "de")
    assert plainly("l'équipe qu’on d'abord aujourd'hui", "fr") == "équipe on abord aujourd'hui"
    assert plainly("l'équipe", "de") == "l'équipe"


@each_row(
    "asked, language",
    [
        ("Em que ordem vamos refatorar os módulos?", "pt"),
        ("Сколько окружений описано?", "ru"),
        ("Wie oft wird ein Webhook wiederholt?", "de"),
        ("¿Por qué se repite el webhook?", "es"),
        ("Pourquoi est-ce que le cache est vidé ?", "fr"),
        ("Zürich webhook retries", ""),
    ],
)
def test_a_question_tells_its_language(asked: str, language: str) -> None:
    """The small words of a question tell which language it is in, or that it is in none of these."""
    assert spoken(asked) == language


@pytest.mark.parametrize(
    ("said", "asked"),
    [
        ("Планируемые окружения описаны в одном файле.", "Где описано окружение?"),
        ("A modularização começa pelos serviços de rede.", "Quando começam os módulos?"),
        ("The queue of the organised office.", "organize"),
        ("A modularização começa pelos serviços.", "Has the modularisation begun?"),
        ("La modularización sigue.", "Is modularisation planned?"),
        ("Die Modularisierung beginnt.", "Is modularisation planned?"),
        (
            "\u6570\u636e\u5e93\u7684\u8fde\u63a5\u6c60\u5927\u5c0f\u662f\u4e8c\u5341",
            "\u4e3a\u4ec0\u4e48\u6570\u636e\u5e93",
        ),
    ],
)
def test_a_question_is_read_in_its_own_language(
    repo: Repo, run: Run, said: str, asked: str
) -> None:
    """Other forms of its words are found, and those that only ask tell nothing, whatever the policy says."""
    body = str(repo.write("body.md", f"{said}\n"))
    assert run("append", "--title", "Work", "--body", body).code == 0
    (found,) = run("recall", asked, "--json").json["passages"]
    assert said in found["line"]


@pytest.mark.parametrize(
    ("said", "asked"),
    [("A contractor waits.", "contradiction"), ("The constraints are checked.", "constructivism")],
)
def test_a_word_that_only_begins_alike_is_another(
    repo: Repo, run: Run, said: str, asked: str
) -> None:
    """Fewer letters than those of a word with the ending of another language are no sign of it."""
    body = str(repo.write("body.md", f"{said}\n"))
    assert run("append", "--title", "Work", "--body", body).code == 0
    assert run("recall", asked, "--json").json["passages"] == []
