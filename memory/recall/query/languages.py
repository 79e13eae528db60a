"""Read questions in the language of a ledger: its small words, and the other forms of its words.

The index takes the endings off English words. Of a word in another language the endings that inflect it
are taken off here, as light stemmers do (Savoy 1999, 2006), and all forms that the rest has with them
are looked for: so the index is the same whatever language the policy names. What inflects inside, as
strong verbs do, is not brought together.
"""

from __future__ import annotations

import re

from ledger.model.record import Record

# ruff: noqa: RUF001 - letters of other alphabets
#: In a question of fewer words one small word tells its language.
_FEW = 5
#: What is left of a word without its ending has at least so many letters.
_LEAST = 4


class _Language(Record):
    """A language: the endings of its words, the longest first, and words that tell nothing."""

    endings: tuple[str, ...]
    small: frozenset[str]


def _language(endings: str, small: str) -> _Language:
    longest_first = sorted(endings.split(), key=lambda one: (-len(one), one))
    return _Language(tuple(longest_first), frozenset(small.split()))


_LANGUAGES = {
    "de": _language(
        "e en n er ern es em s ens t et te ten tet st est end ende enden ung ungen",
        "der die das den dem des ein eine einen einem einer eines und oder aber ist sind war "
        "waren sein wird werden wurde wurden hat haben hatte hatten kann können konnte muss "
        "müssen soll sollen darf dürfen wir ihr sie er es ich du man uns unser unsere mein dein "
        "nicht kein keine keinen auch nur noch schon sehr so wie was wer wen wem wo wann warum "
        "wieso weshalb welche welcher welches welchen wofür woher wohin in im an am auf aus bei "
        "beim mit nach von vom vor zu zum zur für über unter um durch gegen ohne bis als wenn "
        "dass ob dann denn da hier dort dies diese dieser dieses es gibt",
    ),
    "es": _language(
        "s es o os a as e an en ar er ir ado ados ada adas ido idos ida idas ando iendo aron "
        "ieron aba aban ia ian ara aran amos imos emos acion aciones cion ciones",
        "el la los las un una unos unas lo al del de en y o u e pero que qué quien quién cual "
        "cuál cuales cuáles como cómo cuando cuándo donde dónde por para con sin sobre entre "
        "hasta desde es son era eran ser fue fueron está están estar hay ha han se su sus nos "
        "nuestro nuestra mi mis tu tus yo nosotros ellos ellas él ella no ni sí si ya más menos "
        "muy también porque este esta estos estas ese esa esos esas eso esto puede pueden puedo "
        "debe deben debo tiene tienen",
    ),
    "fr": _language(
        "s e es é ée és ées er ez ons ent ait aient ant ante antes ants x ation ations tion tions "
        "ement ements",
        "le la les un une des du de au aux et ou mais est sont était étaient être a ont avait "
        "avoir que qui quoi quel quelle quels quelles comment quand où pourquoi combien dans en "
        "sur sous par pour avec sans entre vers chez jusque depuis ce cet cette ces ceci cela ça "
        "il elle ils elles on nous vous je tu me te se son sa ses leur leurs notre nos votre vos "
        "mon ma mes ne pas plus moins très aussi déjà si ni donc car peut peuvent puis doit "
        "doivent dois faut fait y",
    ),
    "pt": _language(
        "s es o os a as e em am ar er ir ado ados ada adas ido idos ida idas ando endo indo ou eu "
        "iu aram eram iram ava avam ia iam ara arao ei amos emos imos acao acoes cao coes mente dor "
        "dora dores ção ções ação ações ará arão",
        "o a os as um uma uns umas de do da dos das em no na nos nas ao aos à às por pelo pela para "
        "com sem sobre entre até desde e ou mas se que qual quais quem como quando onde quanto "
        "quantos quantas porque porquê é são foi foram era ser está estão ser há tem têm já ainda "
        "não sim mais menos muito também este esta estes estas esse essa isso isto eu ele ela nós "
        "nosso nossa seu sua meu minha vamos pode podem deve devem preciso precisa",
    ),
    "ru": _language(
        "а я о е ё ы и у ю ь й ам ям ах ях ом ем ём ой ей ою ею ов ев ёв ый ий ая яя ое ее ые ие ого "
        "его ому ему ым им ых их ую юю ыми ими ами ями ия ии ию ией ть ти л ла ло ли ет ёт ют ут ит "
        "ат ят ешь ишь ем им ете ите ен на но ны ена ено ены ан ана ано аны ется ются ится ятся "
        "лся лась лось лись ться ить ать еть ять",
        "а без был была были было быть в вам вас во вот все всё вы где да для до его ее её если есть "
        "ещё еще же за зачем и из или им их к как какая какие какой какую каких когда который "
        "которые кто куда ли мне мы на над надо нам нас не него нет но ну о об он она они оно от "
        "откуда по под почему при про с сколько со так там то тоже только у уже чего чем что чтобы "
        "эта эти это этот я",
    ),
}
#: French and its neighbours write small words together with the next one.
_ELIDED = re.compile(r"\b(?:[cdjlmnst]|qu|jusqu|lorsqu|puisqu)['’](?=\w)", re.IGNORECASE)


def plainly(text: str, language: str) -> str:
    """Return a question without what its language writes together with other words."""
    return _ELIDED.sub("", text) if language == "fr" else text


def spoken(text: str) -> str:
    """Return the language that most of the small words of a question are of, "" for none of these."""
    words = re.findall(r"[^\W\d_]+", text.lower())
    counts = {name: sum([word in one.small for word in words]) for name, one in _LANGUAGES.items()}
    best = max(counts, key=lambda name: counts[name])
    if counts[best] > 1 or (counts[best] and len(words) < _FEW):
        return best
    return "ru" if re.search("[а-яё]{4}", text.lower()) else ""


def says_nothing(word: str, language: str) -> bool:
    """Tell whether a word, in lower case, is one of those that tell nothing."""
    known = _LANGUAGES.get(language)
    return known is not None and word in known.small


def inflected(word: str, language: str) -> tuple[str, ...]:
    """Return the other forms that a word may have, none in a language without a table here.

    `word` is in lower case, `language` as the policy names it.
    """
    known = _LANGUAGES.get(language)
    if known is None or not word.isalpha() or len(word) < _LEAST:
        return ()
    roots = [word]
    if language == "de" and word[:2] == "ge" and word[-1] in "tn" and len(word) >= _LEAST + 4:
        roots.append(word[2:])  # a participle
    found: dict[str, None] = {}
    for one in roots:
        ending = next(
            (end for end in known.endings if one.endswith(end) and len(one) >= _LEAST + len(end)),
            "",
        )
        root = one[: len(one) - len(ending)]
        forms = [root, *[root + end for end in known.endings]]
        if language == "de":
            forms += [f"ge{root}t", f"ge{root}en"]
        found.update(dict.fromkeys(forms))
    found.pop(word, None)
    return tuple(found)


def beginning_of(word: str, language: str) -> str:
    """Return how all words begin that are of the family of one, "" for one too short to tell."""
    root = min(inflected(word, language), key=len, default="")
    return root if len(root) > _LEAST else ""
