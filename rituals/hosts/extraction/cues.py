"""List the turns of phrase by which people and agents decide, correct, prefer and leave open.

Plain tables in lower case, of English first, then of German, Spanish and French. A phrase that is missing
costs an item, a wrong one puts chatter into memory; so what people say while they only think is in a
table of its own, and takes back what the others give.
"""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


def _table(*rows: str) -> Callable[[str], re.Match[str] | None]:
    """Make of rows of phrases, parted by bars, what finds one of them in padded words."""
    phrases = [phrase.strip() for row in rows for phrase in row.split("|")]
    return re.compile(
        "|".join([re.escape(f" {one} ") for one in dict.fromkeys(phrases) if one])
    ).search


#: How a statement begins that turns to what was said before it: by denial, or by consent.
DENY, AGREE = "no", "ok"
OPENERS = {
    **dict.fromkeys(
        "no nope nah wrong stop wait actually incorrect nein nee falsch halt stopp non faux "
        "arrête incorrecto mal revert undo don't".split(),
        DENY,
    ),
    **dict.fromkeys(
        "ok okay yes yep yeah yup sure agreed fine right good great perfect exactly correct "
        "alright cool nice settled deal ja gut genau einverstanden passt sí si vale bueno "
        "oui d'accord bien then lgtm".split(),
        AGREE,
    ),
}  # fmt: skip
#: What may stand before an opener, or before what a statement is about.
FILLERS = frozenset(
    "hm hmm hmmm uh um ah oh well so and but also btw please sorry thanks thx thank you now "
    "look hey und aber also bitte danke y pero por favor et mais merci , - – —".split()
)

#: Only stresses what is said.
STRESS = frozenset(
    "really strongly definitely certainly absolutely totally wirklich realmente vraiment".split()
)

#: Denies what was said, somewhere in a statement.
denies = _table(
    "that's wrong|that is wrong|that's not right|that is not right|that's not true"
    "|is not true|that's incorrect|is incorrect|is outdated|that's outdated|not what i"
    "|not quite|isn't right|i said|i meant|i told you|as i said|you misunderstood|you misread"
    "|you got it wrong|was wrong|is wrong about|was never intended|that was never"
    "|shouldn't have|should not have|why did you|you should have|not correct|mistaken"
    "|should not be able|are not supposed to|is not supposed to",
    "das stimmt nicht|stimmt nicht|ist falsch|das ist falsch|nicht ganz|ich meinte|ich sagte",
    "no es correcto|está mal|no es así|quise decir|eso no",
    "c'est faux|ce n'est pas|pas tout à fait|je voulais dire|j'ai dit",
)
#: Only thinks about something, or asks for it now and here.
hedges = _table(
    "maybe|perhaps|might|possibly|could|would|wouldn't|what if|if we|if you|if i|suppose"
    "|supposing|imagine|assume|assuming|in theory|hypothetically|hypothetical|let's say"
    "|say we|just thinking|thinking about|thinking of|some day|someday|one day|wonder"
    "|wondering|thought experiment|not sure|i guess|considering|consider|brainstorm"
    "|unless you|unless we|probably|for example|for instance|e.g|i think|i suppose|one option"
    "|another option|either|alternatively|can we|could we|don't do anything|forget it"
    "|never mind|nevermind|don't know|no idea|let me know|seems|looks like",
    "vielleicht|könnte|könnten|würde|würden|angenommen|falls|eventuell|man könnte|mal sehen|wäre",
    "quizás|quizá|tal vez|podría|podríamos|podrían|si usamos|sería|a lo mejor",
    "peut-être|pourrait|pourrions|on pourrait|serait|supposons|si on",
)
#: Takes back what was said in the same breath.
cancels = _table(
    "what if|forget it|never mind|nevermind|don't do anything|thought experiment"
    "|just thinking|hypothetically|vergiss es|olvídalo|laisse tomber"
)
#: Tells what somebody else says.
hearsay = _table(
    "claims|claimed|claims that|docs say|docs says|people say|everybody says|readme says|guide says"
    "|post says|article says|page says|my colleague|a colleague|someone said|somebody said|he said"
    "|she said|they said|he says|she says|they say|it says|apparently|supposedly|ticket says"
    "|according to|i read|i heard|laut|según|selon"
)
#: Tells what happened, which is no rule.
happened = re.compile(
    r" (?:was|were|had|did|didn't|wasn't|weren't|broke|went|came|got|ran|saw|said|found|took|made|became"
    r"|happened|i've|i'd been|has been|have been|hatte|war|waren|fue|era|était|a été) "
).search
#: Says how it is, against how it was said to be: "it's 3, not 2".
puts_right = re.compile(
    r"^ (?:[a-z]{1,9} ){0,2}(?:it's|it is|that's|they're|these are) [^,]{1,80} , (?:and |but )?not "
).search
#: Says that something was decided, whoever decided it and when.
decided = _table(
    "we decided|we have decided|we've decided|we agreed|we've agreed|we have agreed|we chose"
    "|we've chosen|we settled on|we've settled|we picked|we opted|i decided|i've decided"
    "|i have decided|i've chosen|i chose|it was decided|it is decided|it's decided"
    "|was decided|decided to|decided on|decided against|decided that|decided in|decision is"
    "|final decision|final call|final answer|decision",
    "wir haben entschieden|wir haben uns|entschieden|beschlossen|wir entscheiden",
    "decidimos|hemos decidido|decidido|acordamos|on a décidé|nous avons décidé|décidé|convenu",
)
#: Decides, by being said.
decides = _table(
    "we're going with|we are going with|we're using|we're keeping|we're dropping"
    "|we're sticking|we're staying|we're switching|we're moving to|we are moving to"
    "|we're not going to|we are not going to|we don't want|we do not want|go with|going with"
    "|stick with|stick to|sticking with|stay on|stay with|settle on|switch to|i want to keep"
    "|i want us to|is the way|the way to go|from now on|going forward|as of now|as of today"
    "|will do|it is then",
    "wir nehmen|wir bleiben|wir behalten|wir wechseln|wir lassen|ab jetzt|ab sofort"
    "|es bleibt bei|das soll so sein",
    "vamos con|usaremos|usemos|vamos a usar|nos quedamos con|a partir de ahora|cambiamos a",
    "on garde|on prend|on part sur|on reste|nous gardons|désormais|on passe à"
    "|à partir de maintenant|on va utiliser|on abandonne",
)
#: What is to be done together, or always is done, by the verb that follows; some verbs decide nothing.
together = re.compile(
    r" (?:let's|lets|let us|we'll|we will|we won't) (?:not |just |rather |never |always )?([a-z]+) "
).search
usual = re.compile(
    r" we (?:only |never |always |still |just |all |don't |do not |no longer )?([a-z]+) "
).search
WORK_VERBS = frozenset(
    "see look check try run start begin wait test talk discuss think continue find debug "
    "investigate hope get go proceed finish move review know figure read say ask learn worry".split()
)
#: Together these are put off.
LATER_VERBS = frozenset("leave park postpone defer skip revisit come delay".split())
NOT_USUAL = frozenset(
    "see think want know need found tried got lost broke made said talked discussed had have "
    "were was are did could should can can't cannot would might may must wonder hope saw "
    "went came ran told noticed will won't just also really already both haven't hadn't "
    "weren't aren't didn't couldn't recommend suggest propose mean meant".split()
)
#: Says what is usual in other words and languages.
settled = _table(
    "stays|is out|are out|is gone|is frozen|are frozen|we're on|we are on|moves to|move to"
    "|is enough|are enough",
    "wir verwenden|wir benutzen|wir nutzen|wir machen|wir setzen|wir speichern"
    "|wir brauchen kein|wir brauchen keine|usamos|mantenemos|no usamos|guardamos|on utilise"
    "|nous utilisons|on n'utilise",
)
#: Says what has to be, or must not be.
demands = _table(
    "must|must not|mustn't|has to|have to|should|shouldn't|should not|shall|needs to be"
    "|need to be|needs to|is required|are required|is forbidden|not allowed|mandatory|may not"
    "|cannot be|can't be|may only|don't|do not|never|always",
    "muss|müssen|soll|sollen|darf nicht|dürfen nicht|debe|deben|tiene que|tienen que|doit"
    "|doivent|il faut",
)
#: Sets one thing against another.
contrasts = _table(
    ", not|, no|, don't|, never|instead|instead of|rather than|no more|no longer|anymore"
    "|any more|but not|and not|not the|as opposed to",
    "stattdessen|statt|nicht mehr|, nicht|, kein|, keine|en lugar de|en vez de|ya no|, no"
    "|au lieu de|plutôt que|, pas",
)
#: Narrows something down.
limits = _table(
    "only|at most|at least|by default|without|exactly|until|at all|in all|for all|all of"
    "|everything|nothing|nobody|no one|everybody|everyone|everywhere|per|once|both|each|nur"
    "|höchstens|mindestens|solo|sólo|seulement|uniquement|hasta|bis|jusqu'à|jusque"
)
#: Gives a reason.
reasons = _table(
    "because|since|so that|as we|as it|as they|otherwise|that way|too risky|not worth"
    "|isn't worth|the reason|due to|to avoid|in order to|burned|trouble|last time|, the team"
    "|customers|users|clients|nobody|cheaper|simpler|easier to",
    "weil|damit|denn|sonst|reicht nicht|porque|para que|no basta|ya que|parce que|car|sinon"
    "|pour que",
)
#: Tells how a thing behaves, as a rule does.
_BEHAVES = (
    "expires? exits? returns? defaults? goes go belongs? comes? lives? counts? applies apply means? round "
    "rounds rejects? accepts? requires? raises? needs? listens? stays? gets? takes? uses? ends? begins? "
    "wins? means? retr(?:y|ies) gehört gehören läuft bleibt bleiben kommt gilt va van vient va viennent"
)
states = re.compile(
    r" (?:is|are|get|gets|stay|stays) (?:(?:not|only|always|never|now) )?"
    r"(?:\w{2,20}ed|kept|sent|set|read|written|done|built|made|put|run|held|an? error|off|on|part|optional"
    r"|in|at|under|by) |"
    r" (?:sind|ist|wird|werden|son|está|están|est|sont) | (?:" + "|".join(_BEHAVES.split()) + ") "
).search
#: Begins a request that sets how it is to be; other requests are work.
SETTING_VERBS = frozenset(
    "use keep pin switch stick stay store drop leave tag mark avoid limit cap treat require "
    "default reject refuse allow ban prefer target".split()
)
#: Begins a request for work.
TASK_VERBS = frozenset(
    "add create write make build implement fix update change rename remove delete run check "
    "look show tell explain find refactor generate install push open deploy commit extract "
    "import convert port".split()
)
#: Begins a request about how an agent works.
WORKING_VERBS = frozenset(
    "run write ask tell show explain answer commit check test say stop give format document "
    "comment review wait confirm read push squash".split()
)
#: Tells of trouble, or of the moment: a report, no rule.
reports = _table(
    "fails|failed|failing|crashes|crashed|is slow|are slow|too slow|is broken|broken"
    "|drops events|complain|complains|doesn't work|does not work|not working|look at"
    "|have a look|can you|could you|please check|looks good|looks ok|looks fine|looks wrong"
    "|i see|i noticed|i found|i ran|i tried|here is|here's|i don't understand|what about"
    "|show me|tell me|i get|i'm getting|it says|they say|according to|the error|the log"
    "|the output|this morning|yesterday|just now|right now|at the moment|again|thank|i'll"
    "|i will|myself|i have to|i must|i need to|i should|i don't want|i don't know|i don't see"
    "|i don't think|i can't|we need to|need to fix|i need|keep getting|keep seeing"
    "|keep having|are useless|is useless|is red|is green|was merged|on my machine|for me"
    "|do it|there is|there are|it's a|i hate when",
    "geht nicht|funktioniert nicht|schlägt fehl|zu langsam|no funciona|falla|ne marche pas"
    "|échoue|schau",
)
#: Prefers something, or wants it each time.
prefers = _table(
    "i prefer|we prefer|i'd prefer|i would prefer|i'd rather|i would rather|i like|i love"
    "|i don't like|i do not like|i hate|i dislike|i can't stand|i want you to"
    "|i don't want you to|i'd like all|i'd like every|i like my|please always|please never"
    "|please stop|please don't|please do not|please avoid|please use|stop adding|stop using"
    "|stop doing|stop writing|stop making|stop saying|stop asking|always|never|never ever"
    "|, ever|ever again|each time|every time|whenever|in general|as a rule|rule of thumb"
    "|in the future|in future|for the future|by convention|our convention|the convention"
    "|house style|our style|in this project|in this repo|in this repository|in this codebase"
    "|in our code|don't bother|don't ever|do not ever|without asking|ask me before"
    "|ask me first|ask first|ask before|check with me|make sure to|make sure you"
    "|make sure that you|be sure to|remember to|remember that|keep in mind|don't forget to"
    "|my preference|the custom|the rule here|house rule|that goes for|how we do it|preferably"
    "|when you add|when you change|when you write|when you touch|when you commit"
    "|when you're done|when you are done|before you commit|before you push|before you say"
    "|before committing|before pushing|after you|once you|no need to|not a fan of|a fan of"
    "|, please no|be brief|be concise|your answers|your replies|your responses|your summaries"
    "|when writing|when adding|when using|when naming|when changing",
    "ich bevorzuge|ich mag|lieber|am liebsten|immer|nie|niemals|bitte kein|bitte keine"
    "|bitte nicht|jedes mal|grundsätzlich|in diesem projekt|ich hätte gern|bitte immer",
    "prefiero|preferimos|me gusta|no me gusta|siempre|nunca|jamás|cada vez|en este proyecto",
    "je préfère|nous préférons|j'aime|je n'aime pas|toujours|jamais|chaque fois"
    "|dans ce projet|à l'avenir",
)
#: Names what conventions are about, so that a rule of it is one.
conventions = _table(
    "commit|commits|commit messages|branch names|tests|test|function|functions|helper|helpers"
    "|method|methods|names|naming|docstring|docstrings|comments|comment|sentences|imports"
    "|variables|constants|classes|indentation|tabs|spaces|emoji|emojis|style|formatting"
    "|pull requests|prs|changelog|type hints|typescript|camelcase|snake_case|kebab-case"
    "|line length|markdown|readme|prose|code reviews",
    "kommentare|nachrichten|commit-nachrichten|funktionen|variablen|tests|nombres|funciones"
    "|mensajes|comentarios|noms|fonctions|commentaires",
)
#: Leaves something open.
leaves = _table(
    "todo|still open|is open|stays open|remains open|left open|not done|not done yet"
    "|not yet done|to be done|remind me|do it later|do that later|come back to|park|postpone"
    "|postponed|defer|deferred|we still need|still need|still needs|still has to"
    "|still have to|still missing|is missing|are missing|still to do|left to do|remains to"
    "|on the list|on the backlog|to the backlog|to the list|in the backlog|not today"
    "|not this week|has to wait|have to wait|will have to wait|can wait|out of scope"
    "|for another day|another time|follow-up|follow up|for after|open question|open issue"
    "|not decided|undecided|not set|not clear yet|unresolved|pending|waiting for|blocked by"
    "|blocked on|blocked until|waits for|unfinished|separate ticket|separate pr|own ticket"
    "|file an issue|for later|for next week|for next time|for the next",
    "noch offen|bleibt offen|ist offen|fehlt noch|fehlen noch|steht noch aus|nächstes mal"
    "|erinnere mich|aufschieben|offene frage|muss warten|vertagt",
    "pendiente|pendientes|queda|quedan|falta|faltan|la próxima|otro día|recuérdame",
    "reste à|il reste|restent|la prochaine|à faire|en suspens|rappelle-moi|à revoir",
)
#: Says when, which leaves something open where it is neither a thought nor a plan of the speaker's own.
someday = _table(
    "next time|next week|next sprint|next release|next month|next session|tomorrow|later on"
    "|revisit|backlog|at some point|another day|after the release|would be nice",
    "nächste woche|morgen|später|noch nicht|más tarde|mañana|plus tard|demain",
)
#: By these an agent says that it decided.
chose = _table(
    "we'll go with|we are going with|we're going with|i chose|i decided|i've decided"
    "|i have decided|i went with|i went for|i've gone with|i've gone for|i opted|i picked"
    "|i settled on|we decided|we agreed|we chose|we settled on|we went with|it was decided"
    "|decided to|decided against|decision|i've chosen|i have chosen|i deliberately"
    "|deliberately",
    "ich habe mich für|ich habe mich entschieden|entschieden|ich habe gewählt|he decidido"
    "|decidí|he elegido|opté por|j'ai choisi|j'ai décidé|j'ai opté",
)
#: An agent leaves something undone; what comes of it later in the session, its last turn tells.
unfinished = _table(
    "left for the next|left for later|left open|left unfinished|unfinished|left undone"
    "|left out for now|not implemented yet|still not implemented|not yet implemented"
    "|not done yet|remains to be|remains open|still needs|still missing|still open"
    "|still to be|still has to|out of scope for now|not supported yet|noch offen|fehlt noch"
    "|bleibt offen|queda pendiente|reste à"
)
#: An agent proposes, plans or repeats what it was told; none of it is a decision of its own.
proposes = _table(
    "i suggest|i'd suggest|i would suggest|i propose|i recommend|i'd recommend|i would|i'd"
    "|i could|we could|you could|one could|could|would|should i|shall i|do you want|would you"
    "|let me|i'll|i will|i'm going to|i am going to|we'll|next i|my plan|the plan|plan|option"
    "|options|if you|if we|unless|might|may|maybe|perhaps|as you|you asked|you said"
    "|you wanted|you decided|you're right|you are right|as requested|as agreed|per your"
    "|suppose|assume|says|said|say|according to|the docs|docs",
    "ich würde|ich schlage vor|ich könnte|man könnte|könnte|würde|soll ich|wie gewünscht|wie du",
    "sugiero|propongo|podría|se podría|quieres|como pediste|je propose|je suggère|je pourrais"
    "|on pourrait|veux-tu|comme demandé",
)
#: Announces what somebody else wrote.
OTHERS = frozenset(
    "say says said docs documentation readme log logs output error errors trace traceback "
    "stacktrace ticket issue spec specification guide article post email mail slack message "
    "wrote writes quote quotes paste pasted changelog response request review comment reads "
    "following snippet example examples code patch diff sagt schreibt dokumentation ausgabe "
    "fehler protokoll dice documentación salida registro dit sortie journal erreur draft "
    "transcript manual policy rfc license".split()
)
#: What headings and labels announce: what is open, what an agent would do next, what was decided.
OPEN, NEXT, DECIDED = "open", "next", "decided"
LABELS = {
    **dict.fromkeys(
        "left open remaining remains todo todos to-do missing pending outstanding unresolved "
        "deferred later undone unsupported gaps blocked fixme offen pendiente pendientes "
        "restant reste".split(),
        OPEN,
    ),
    **dict.fromkeys("next action actions follow-up follow-ups followups backlog".split(), NEXT),
    **dict.fromkeys(
        "decision decisions decided choices rationale entscheidung entscheidungen decisiones "
        "décisions".split(),
        DECIDED,
    ),
}  # fmt: skip
