"""List the words of questions that say nothing, that order, are forms of one verb, or name a date."""

from __future__ import annotations

from ledger.model.record import Record

LATEST = frozenset(
    "latest newest recent recently current currently now nowadays today presently yet still last".split()
)
OPEN = frozenset(
    "open unresolved unsolved undecided unfinished pending outstanding remaining todo todos".split()
)
#: Words that stand for whatever is open: they name no subject.
THINGS = frozenset(
    "work thing things thread threads issue issues task tasks item items question questions topic topics "
    "point points anything something everything problem problems left".split()
)
VERSION = frozenset("version versions release releases released tag".split())
#: Words that tell nothing about what is asked for.
SMALL = frozenset(
    "a an the this that these those there here it its i me my mine we us our ours you your yours he him "
    "his she her hers they them their theirs who whom whose which what when where why how and or but if "
    "than then so as of in on at to from by with for about into onto over after before is are was were "
    "be been being am do does did doing done have has had having can could will would shall should may "
    "might must not no nor just also too very s t d ll m o re ve y don didn doesn isn wasn "
    "some any all both ever during between since while because "
    "kind kinds type types sort sorts mention mentioned".split()
)
#: What is to be done, to anything: a prompt that has nothing else asks for nothing that memory knows.
CHORES = frozenset(
    """
    0 1 2 3 4 5 6 7 8 9 add agent agents apply ask build bump change changes check clean clone
    close closed code command commands commit commits compare complete continue copy create cut
    debug delete deploy describe do document doesn don done double draft edit ensure execute
    explain file files find finish fix fixed folder format generate go help implement improve
    install issue issues keep lint list look make merge move new next now ok okay open phase
    plan please pr proceed project pull push read refactor release remove rename repo rerun
    resolve restart retry review rewrite run running script ship show start status step stop
    summarize switch task tasks test tests thanks todo try update upgrade use validate verify
    works write yes
    """.split()
)
#: Words behind "how" that ask for a number, and are in no fact that has it.
COUNTED = frozenset("many much often".split())
_VERBS = """
go went gone|say said|get got gotten|make made|know knew known|think thought|take took taken
see saw seen|come came|find found|give gave given|tell told|feel felt|become became|leave left
put puts|mean meant|keep kept|begin began begun|show shown|hear heard|run ran|hold held
bring brought|write wrote written|sit sat|stand stood|lose lost|pay paid|meet met|set sets
speak spoke spoken|spend spent|grow grew grown|win won|teach taught|buy bought|send sent
build built|fall fell fallen|catch caught|draw drew drawn|choose chose chosen|eat ate eaten
drive drove driven|break broke broken|wear wore worn|sing sang sung|swim swam swum
ride rode ridden|fly flew flown|sell sold|sleep slept|fight fought|throw threw thrown
forget forgot forgotten|wake woke woken|understand understood|lead led|bind bound|feed fed
freeze froze frozen|hide hid hidden|light lit|rise rose risen|seek sought|shake shook shaken
shoot shot|sink sank sunk|steal stole stolen|stick stuck|strike struck|swear swore sworn
tear tore torn|child children|man men|woman women|person people|foot feet|tooth teeth
mouse mice|life lives|wife wives|knife knives|index indices indexes|matrix matrices
"""


def _forms() -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for group in _VERBS.replace("\n", "|").split("|"):
        words = tuple(group.split())
        for word in words:
            found[word] = words
    return found


#: A word -> all forms of it that no stemmer brings together.
FORMS = _forms()
_NAMES = (
    "january february march april may june july august september october november december".split()
)
#: The name of a month, long or short -> its number.
MONTHS = {
    **{name: number for number, name in enumerate(_NAMES, 1)},
    **{name[:3]: number for number, name in enumerate(_NAMES, 1)},
    "sept": 9,
}


class StateWords(Record):
    """What a question says of the state that it asks for."""

    latest: bool  #: the newest of its kind
    open: bool  #: what is not done
    version: bool  #: a version or a release is asked for
    words: frozenset[str]  #: those that say so, and are looked for in no fact


def state_words(named: frozenset[str]) -> StateWords:
    """Find the words of a question, all in lower case, that ask for a state."""
    latest, undone = named & LATEST, named & OPEN
    words = latest | undone | (named & THINGS if undone else frozenset())
    return StateWords(bool(latest), bool(undone), bool(named & VERSION), words)
