"""Widen a question by words related to its own, or spelled nearly like them, and weigh everyday ones.

That a ledger lacks `postgres` says that it does not know the answer; that it lacks "somebody" or "happens"
says nothing. And where a small ledger has such a word once, it is rare without telling much. So everyday
words of general English, names of nothing in particular, weigh less in questions to facts.
"""

from __future__ import annotations

from memory.recall.query.postings import Lookups
from projection.text.related_words import ROOT_LETTERS, related_words, root_of

#: The letters from which a word may have one mistake, and two.
ONE_FROM, TWO_FROM = 4, 8
#: A stem of fewer letters is nearly like too many.
_LEAST = 3
#: How many of the nearest words are looked for.
_NEAREST = 3
#: The letters that a word without its ending keeps at least, and the most that it lacks; those that it
#: shares at least with its like in another language ("modularisation", "modularização").
_BEGUN, _ENDING, _COGNATE = 6, 5, 8
#: The letters at the front of a word that its stem has too.
_KEPT = 2
#: How much an everyday word tells, against another one as rare.
EVERYDAY = 0.5
_WORDS = frozenset(
    """
    able absent accept accidental according across act action actual add advice affect afford
    afraid afternoon again age agree ahead aim alike alive allow almost alone along already
    alter although always among amount answer anybody anyone anyway anywhere apart appear apply
    approach area argue arise arrange arrive aside ask aspect assume attempt attention available
    avoid away back bad bare base basic become behave behind believe belong below benefit beside
    best better beyond big bit body both bother box brief bring broad broken busy call care
    careful carry case catch cause certain chance change check choice choose claim clean clear
    close collect come comfortable comment common compare complain complete concern consider
    consist contain continue control copy correct cost count couple course cover create cut
    daily damage deal decide decision deep demand depend describe desire detail determine differ
    difference different difficult direct disappear discover discuss divide done doubt down
    during each ear early easy effect effort either else empty end enough ensure enter entire
    equal especially even evening event everybody everyday everyone everything everywhere exact
    example except exchange exist expect explain express extra face fact fail fair fall family
    far fast favour fear feel few fight fill final find fine finish fit fix follow forget form
    former forward free fresh friend front full fun further future general gentle get give glad
    go good great group grow guess guide half hand handle happen happy hard hardly harm heard
    heavy help hence high hold hope hour however huge idea ideal imagine immediate important
    improve include increase indeed inform inside instance instead intend involve join keep kept
    key know large late later lead learn least leave less let life light like likely limit line
    list little live long look lose lot loud low made main major make man manage manner many
    mark matter mean meant meantime measure meet member mention mere middle mind miss mistake
    moment money month more morning most mostly move much name narrow natural near nearly
    necessary need neither never nice night nobody none normal note nothing notice number
    obvious occasion occur odd offer often ok old once one only onto opinion oppose opposite
    order ordinary other otherwise ought outside overall own page pair part particular pass past
    pay people per perfect perhaps period person pick piece place plain plan play please plenty
    possible practice prefer prepare pretty prevent previous private probably problem proceed
    promise proper protect prove provide pull purpose put quality quantity quick quiet quite
    raise range rare rather reach react read ready real realise reason receive recognise reduce
    refer regard regular relate relation remain remember remove repeat replace require rest
    result return right role room rough round rule safe same satisfy save say scope second see
    seem select send sense separate serious serve settle several shape share sharp short show
    side similar simple single sit situation size slight slow small so soft solve somebody
    somehow someone something sometimes somewhere soon sort speak special specific spend spoil
    stand start state stay step stick still stop story straight strange strong stuff style
    subject such sudden suffer suggest suit suitable suppose sure surprise sweet take talk task
    tell tend term than thank thing think third though thought through thus tight tiny together
    tool top total touch toward treat trouble true try turn twice two under understand unless
    unlike until unusual up upper upset use usual various view visit wait walk wall want warm watch
    way weak week well whatever whenever whether whole whoever wide wise wish within without
    wonder word work world worry worse worst worth write written wrong year yet young
""".split()
)
_ENDINGS = ("", "s", "es", "d", "ed", "ing", "ly", "n")


def everyday(word: str) -> bool:
    """Tell whether a word, in lower case, is one of these or an inflection of one."""
    for ending in _ENDINGS:
        if word.endswith(ending):
            start = word[: len(word) - len(ending)]
            if start in _WORDS or start + "e" in _WORDS:
                return True
            if len(start) > 3 and start[-1] == start[-2] and start[:-1] in _WORDS:
                return True
            if start[-1:] == "i" and start[:-1] + "y" in _WORDS:
                return True
    return False


def related_to(lookups: Lookups, raw: str, stems: tuple[str, ...]) -> tuple[str, ...]:
    """Return the words of the index that are related to one, best first.

    `raw` is as typed, in lower case; `stems` are of its forms.
    """
    return lookups.related(raw, lambda: _related(lookups, stems))


def _related(lookups: Lookups, stems: tuple[str, ...]) -> tuple[str, ...]:
    found: dict[str, None] = {}
    for stem in stems:
        groups = related_words(stem[:_KEPT])
        for word, of_word in zip(groups, lookups.stems(" ".join(groups)), strict=True):
            if of_word == stem:
                found.update(dict.fromkeys(lookups.stems(" ".join(groups[word]))))
        if len(stem) >= ROOT_LETTERS and stem.isalpha():
            root = root_of(stem)
            for other in lookups.beginning(root):
                if other.isalpha() and root_of(other) == root:
                    found[other] = None
    return tuple([stem for stem in found if stem not in stems and lookups.count(stem)])


def respelled(lookups: Lookups, raw: str, stems: tuple[str, ...]) -> tuple[str, ...]:
    """Return the words of the index that somebody may have meant, none for a word with digits.

    `raw` is as typed, in lower case; the index does not have it.
    """
    if len(raw) < ONE_FROM or not raw.isalpha() or len(stems) != 1:
        return ()
    stem = stems[0]
    if len(stem) < _LEAST:
        return ()
    allowed = 2 if len(raw) >= TWO_FROM else 1
    root = root_of(stem)
    from projection.text.fuzzy import misspelled

    known: dict[str, None] = {}
    found: list[tuple[str, int]] = []
    # a beginning is enough to find candidates cheaply; then such in which the mistake is in it: two
    # letters changed places, one is missing, or one is too many
    swapped = (stem[1] + stem[0], stem[0] + stem[2], stem[1:3])
    for starts in ((stem[:3],), (stem[:2],), swapped):
        fresh = {word for start in starts for word in lookups.spelled(start)} - known.keys()
        known.update(dict.fromkeys(sorted(fresh)))
        found = misspelled(stem, list(known), allowed)
        if not found and root != stem and len(root) >= ONE_FROM:
            found = misspelled(root, list(known), 1)
        if found:
            break
    # a mistake in the ending, or the ending of another language
    sizes = range(len(stem), max(_BEGUN, len(stem) - _ENDING) - 1, -1)
    for size in () if found else sizes:
        most = 2 * size if size >= _COGNATE else size
        begun = [word for word in known if len(word) <= most and word.startswith(stem[:size])]
        found = [(word, len(word)) for word in sorted(begun, key=len)]
        if found:
            break
    least = found[0][1] if found else 0
    best = [word for word, distance in found if distance == least]
    best.sort(key=lambda word: (-lookups.count(word), word))
    return tuple(best[:_NEAREST])
