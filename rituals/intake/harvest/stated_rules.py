"""Find the sentences of a document that state a rule of the project: what must, never or always is.

Precision goes first: how to install or use something, requests to readers, history and hedged advice say
"must" and "always" too, and are no rules. Nor does a specification or a design note rule the system, but
below a heading that says so.
"""

from __future__ import annotations

import re

from ledger.model.record import Record
from rituals.intake.harvest.document_choice import DESIGN, is_of_a_screen
from rituals.intake.harvest.document_statements import (
    LIMIT_CHARS,
    bare_title,
    leans,
    points,
    sentences,
    standing_alone,
    without_lead,
)
from rituals.intake.harvest.harvested_document import ITEM, ROW, Document, Passage
from rituals.intake.spoken_rules import CONVENTION, kind_of_bullet

INVARIANT = "invariant"
_FEWEST, _MOST = 5, 48

_RULE = re.compile(
    r"^(?:do not|don't)\b|[,;:—–] (?:do not|don't)\b|\b(?:must(?: not|n't)?|never|always|shall(?: "
    r"not)?|(?:is|are) (?:not allowed|forbidden|prohibited|"
    r"mandatory|required to|disallowed)|may not (?:be used|be changed|depend|import|call|contain|have|"
    r"use|change|rely)|cannot be merged|no [\w -]{3,40} (?:may|is allowed|are "
    r"allowed))\b",
    re.IGNORECASE,
)
#: Each of them has one of these.
_WORDS = (
    "must", "never", "always", "shall", "do not", "don't", "not allowed", "are allowed", "is allowed",
    "may",
    "forbidden", "prohibited", "mandatory", "required to", "disallowed", "cannot be merged",
)  # fmt: skip
#: Only these begin a rule that has no subject.
_IMPERATIVE = re.compile(r"^(?:never|always|do not|don't|only|must(?: not)?)\b", re.IGNORECASE)
#: A clause that orders, also behind a comma or a colon.
_ORDERS = re.compile(
    r"(?:^|[,;:—–(-] |\band |\bor |\bbut )(?:always|never|do not|don't)\b (?!\w+(?<![su])s\b|\w+ed\b|"
    r"an?\b|the\b)",
    re.IGNORECASE,
)
_MODAL = re.compile(
    r"\b(?:must|shall|should|may not|cannot|(?:is|are) (?:not allowed|"
    r"forbidden|prohibited|mandatory"
    r"|required|disallowed))\b",
    re.IGNORECASE,
)
#: What says so and rules nothing.
_NO_RULE = re.compile(
    # turns of phrase
    r"never ?mind|never been|has never|have never|had never|never (?:ran|had|got|saw|worked|knew)|"
    r"always (?:room|welcome|happy|open to|"
    r"a good idea|possible|nice|been|has|had|appreciated|remember|feel|look(?:ing)? for|there)|must[- "
    r"]have|must[- ]read|must be tired|"
    r"almost (?:always|never)|can (?:always|never)|n't(?: \w+){0,2} always|always (?:need|want|mean|"
    r"try to|learn|improve|browse|ask|have)\b|you always|not always|always-on|nearly always|as always|"
    r"if you must|don't (?:worry|"
    r"hesitate|panic|be (?:afraid|shy|"
    r"discouraged)|know|want|have to|need to|care|think|feel|see|take it|let this)|do not (?:hesitate|"
    r"worry|need|have to|want|know|"
    r"be afraid|feel)|you don't|we don't (?:have|know|want|need|think|yet|currently)|don't (?:have|"
    r"forget|yet)|they don't|it doesn't"
    # steps of somebody who installs, uses or reads
    r"|install(?:ed|ing|ation)?\b|download|sign up|log ?in\b|clone|your (?:machine|computer|system|"
    r"browser|operating|laptop|account|"
    r"environment|shell|local|fork|app|application|own|device|server|cluster|username|email)|you will "
    r"need|you'll need|first you|"
    r"before you (?:begin|start|can)|you must (?:first|have|be|install|run|then|set|provide|specify|"
    r"call|pass|create|define|configure|"
    r"enable|restart)|in order to (?:use|run|build)|to (?:use|build|run|get|start|install|enable|set "
    r"up)\b[^,]{0,60},|"
    # history, doubt, questions and wishes
    r"\b(?:would|could|might|maybe|perhaps|hopefully|ideally|unless you|probably|in theory|i|i'm|i've|"
    r"my|me)\b|"
    r"\b(?:you can|unfortunately|harder|easier|tricky|unnecessary|not necessary|in (?:many|some|most) "
    r"cases|"
    r"sometimes|usually|often|"
    r"typically|rarely|to begin with|forbidden by|currently|nowadays|was|were|had|did|used to|no "
    r"longer|previously|originally|in the past|"
    r"historically)\b|"
    r"\b(?:if you (?:want|wish|like|are|have|need|don't|do not|prefer|see|get|find|plan|think|use|"
    r"choose|know|can|notice|encounter)"
    r"|feel free|please (?:open|contact|read|see|visit|join|feel|let|ask|report|do not open|don't open|"
    r"file))\b|"
    # law and persons
    r"\b(?:copyright|licensor|licensee|warrant(?:y|ies)|liab(?:le|ility)|certify|vulnerabilit(?:y|ies)|"
    r"harass|"
    r"security (?:issue|bug|report)s?|sponsor|trademark)\b|"
    # drafts and examples
    r"\b(?:e\.g\. you|for example|for instance|suppose|imagine|consider|let's|example)\b|TODO|TBD|"
    r"FIXME|\bwip\b|\{\{|<your",
    re.IGNORECASE,
)
#: Below these headings nobody states a rule of the project.
_NO_SECTION = re.compile(
    r"install|getting started|quick ?start|prerequisite|set ?up|setting up|examples?\b|tutorial|usage|"
    r"troubleshoot|faq|"
    r"questions?|background|context|motivation|problem|history|alternatives?|considered|options?\b|"
    r"pros\b|cons\b|future|"
    r"roadmap|changelog|references?\b|further reading|glossary|acknowledg|licen[sc]e|code of conduct|"
    r"our (?:pledge|standards)|"
    r"reporting|bug reports?|support|contact|credits|related|prior art|open (?:questions|issues)|todo|"
    r"non-?goals?|"
    r"rationale|drawbacks|discussion|limitations?|known issues|before|previous|legacy|environment|"
    r"ide\b|editor|docker|"
    r"solution|fix(?:es|ed)?\b|bugs?\b|benefits?|broken|improvements?|performance|features?|results?|"
    r"merged|maintenance|highlights|"
    r"threats?|attack|risks?|lessons|copyright|table of contents|running|how to run|debug|scenarios?|"
    r"current (?:state|behaviou?r)",
    re.IGNORECASE,
)
#: Below these headings a document says what must always be true of the system.
_OF_THE_SYSTEM = re.compile(
    r"\binvariants?\b|"
    r"(?:^(?:the )?(?:system|core|global)|\b(?:hard|architectur\w+|non-?negotiable|absolute)) "
    r"(?:rules?|constraints?|guarantees?|principles?)\b|"
    r"\bmust (?:never|not|always)\b|\bnever change\b|^(?:non-?negotiables?|guarantees)$",
    re.IGNORECASE,
)
_SECOND_PERSON = re.compile(r"\b(?:you|your|yourself)\b", re.IGNORECASE)


#: Tells how something is, where a rule would say how it is to be: `Never blocks`, `Always available`.
_TELLS = re.compile(
    r"^(?:[\w /-]{3,30}: )?(?:always|never) (?:\w+(?<![su])s\b(?! (?:to|the|a|an|all|any|your|in) )|"
    r"\w+s\b|available|up-to-date|up to date"
    r"|valid|compatible|present|true|running|enabled|visible|accessible|on\b|in sync|correct|current|"
    r"possible|safe|here|there"
    r"|been|ready|active|\w+ed\b)",
    re.IGNORECASE,
)
#: Labels of what a passage tells about one day.
_DAY_LABEL = re.compile(
    r"^(?:fix|rationale|solution|benefits?|reason|results?|causes?|impact|problem|issue|bug|before|"
    r"after|why|pros?|cons?"
    r"|advantages?|purpose|goal|effect|symptoms?|current|status|reliability|performance|"
    r"simplicity)\b[^:]{0,20}:",
    re.IGNORECASE,
)


class Rule(Record):
    """A rule that a document states: its line, as it stands there, as a fact, and its kind."""

    line: int
    said: str
    text: str
    kind: str


def rules_of(document: Document, kind: str) -> list[Rule]:
    """Return the rules that a document of a kind (`documents.kind_of`) states."""
    found = []
    for passage in document.passages:
        if passage.kind == ROW or passage.mark:
            continue
        titles = document.headings(passage.section)
        stated = _kind((*titles, document.path.rpartition("/")[2].partition(".")[0]))
        if stated == INVARIANT and is_of_a_screen(document.path):
            continue
        if kind == DESIGN and stated != INVARIANT:
            continue  # what a specification or a note demands, it demands of one part
        if stated != INVARIANT and not _may_rule(passage):
            continue
        if stated != INVARIANT and any(_NO_SECTION.search(one) for one in titles):
            continue
        if stated == INVARIANT and passage.kind == ITEM and not passage.indent:
            whole = " ".join([one.text for one in sentences(document, passage)])
            if _holds(whole):
                found.append(Rule(passage.line, whole, whole, INVARIANT))
                continue
        for one in sentences(document, passage):
            text = without_lead(one.text)
            if not _is_rule(text, kind):
                continue
            needs = points(text) or bool(_IMPERATIVE.match(text))
            fact = text
            if needs or text.startswith(("The ", "An ", "A ", "There ")):
                fact = standing_alone(text, titles, needs)
            if points(text) and (kind == DESIGN or fact == text or not text.startswith("It ")):
                continue
            if needs and fact == text and len(text.split()) < _FEWEST + 2:
                continue
            found.append(Rule(one.line, one.text, fact, stated))
    return found


def bullets_of(document: Document) -> list[Rule]:
    """Return the bullets of a file of rules, as they stand: each is a rule, unless it only describes."""
    found = []
    listed = False
    for passage in document.passages:
        text = " ".join([one.text for one in sentences(document, passage)])
        if passage.kind != ITEM:
            listed = text.endswith(":")
        few = len(text.split()) < (_FEWEST if listed else _FEWEST - 2)  # what is announced leans
        if (
            passage.kind != ITEM
            or passage.mark
            or few
            or text[-1:] in ":?"
            or len(text) > LIMIT_CHARS
        ):
            continue
        kind = _kind(document.headings(passage.section))
        if kind == CONVENTION:
            kind = kind_of_bullet(text)
        found.append(Rule(passage.line, text, text, kind))
    return found


def _holds(text: str) -> bool:
    """Tell whether an item of a list of invariants says by itself what holds."""
    plain = text[-1:] not in ":?" and len(text) <= LIMIT_CHARS and text.isprintable()
    return (
        plain and len(text.split()) >= _FEWEST and not (leans(text) or points(text) or "{" in text)
    )


def _may_rule(passage: Passage) -> bool:
    """Tell whether a passage has a word that rules have: most have none, and are not looked at closer."""
    text = " ".join([text for _, text in passage.rows]).lower()
    return any(word in text for word in _WORDS)


def _is_rule(text: str, kind: str) -> bool:
    count = len(text.split())
    if not _FEWEST <= count <= _MOST or text[-1:] in "?:" or not _RULE.search(text):
        return False
    if text[:1] not in "`\"'“@#." and not (text[:1].isalnum() and not text[:1].islower()):
        return False  # in brackets, or the rest of something that was cut
    if _TELLS.match(text) or _DAY_LABEL.match(text):
        return False
    if _NO_RULE.search(text) or leans(text) or not text.isprintable():
        return False
    letters = [char for char in text if char.isalpha()]
    if sum(char.isascii() for char in letters) < 0.9 * len(letters):
        return False
    if kind == DESIGN:
        return not _SECOND_PERSON.search(text)
    return bool(_MODAL.search(text) or _ORDERS.search(text))


def _kind(titles: tuple[str, ...]) -> str:
    """Return the kind of a rule: an invariant is one where its document says so of the system."""
    return (
        INVARIANT if any(_OF_THE_SYSTEM.search(bare_title(one)) for one in titles) else CONVENTION
    )
