"""Read the sentences of a document, and make one stand by itself."""

from __future__ import annotations

import re

from ledger.model.record import Record
from projection.text.sentence_cutter import cut_sentences
from rituals.intake.harvest.harvested_document import Document, Passage

#: Longer ones are cut off nowhere: they are left out.
LIMIT_CHARS = 480
#: The same, with its markup: links have addresses.
_RAW_CHARS = 2_000
_LEADING = re.compile(
    r"^(?:(?:please )?(?:note|remember|keep in mind|be aware)(?: that|:|,)|however|therefore|thus|"
    r"hence|also|"
    r"additionally|in addition|furthermore|moreover|finally|as such|consequently|as a result|in general|"
    r"because of this|for this reason|accordingly|to (?:this|that) end|similarly|in particular|"
    r"specifically|that said|of course|importantly|important|warning|attention|"
    r"(?:rule|tip|note)(?=[,:])|please)(?:,|:)?\s+(?=\S)",
    re.IGNORECASE,
)
_POINTING = re.compile(
    r"^(?:it|its|this|these|those|that|they|their|them|he|she|such|both|either|neither|one|doing so|"
    r"here|there|"
    r"in (?:either|both|all|any|each|some) cases?|then|otherwise|instead|so|and|but|or|which|"
    r"(?:with|for|given|because of|based on|due to|to (?:do|achieve|support)|in) (?:this|that|these|"
    r"those|such)|the (?:former|latter|same|above|(?:first|second|last|other) (?:one|option|approach|"
    r"case)))\b",
    re.IGNORECASE,
)
#: A sentence that leans on what stands around it.
_LEANS = re.compile(
    r"\bthis (?!project|repo|code ?base|package|library|software|product|module)\w+|\bthese \w+|"
    r"\bsuch (?:a|an|as this)\b|\bthose (?!who|that)\w+|"
    r"\b(?:the following|as follows|(?:described|listed|shown|given|mentioned|explained|outlined|noted|"
    r"defined) "
    r"(?:above|below|earlier|here)|below|above(?! all)|this (?:section|document|page|guide|chapter|"
    r"case|example|step|"
    r"command|file|point|approach|means|way|pattern|process|list|table|figure|diagram|option|is|should|"
    r"will|can)|"
    r"these (?:steps|cases|commands|examples|files|are|should)|in (?:this|that|such) (?:case|way|"
    r"situation)s?|"
    r"the (?:example|previous|next|above|latter|former|aforementioned)|see (?:the|also|below|above|\[)|"
    r"(?:fig(?:ure)?|section|chapter|appendix|step|table) \d)\b",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W\d_]{3,}")
_COMMON = frozenset(
    "the and for with from that this are was were will not must should can may have has had use used "
    "using "
    "our your their its all any each into than then when where which who what why how but also only "
    "more most "
    "over under via per out about shall does".split()
)
#: Headings that name no subject.
_EMPTY_TITLES = re.compile(
    r"^(?:(?:the )?(?:overview|introduction|general|summary|background|details?|notes?|important|"
    r"(?:(?:contribut\w+|coding|project|general|code) )?(?:rules?|guidelines?|conventions)|"
    r"principles?|requirements?|conventions?|goals?|context|description|rationale|motivation|contents|"
    r"usage|other|"
    r"misc(?:ellaneous)?|do|don'?ts?|do'?s and don'?ts|must|never|always|caveats?|tips?|considerations|"
    r"faq|"
    r"decision|decisions|constraints|invariants?|key points|best practices|contributing|how to contribute|"
    r"(?:brief )?notes .*|.*\bfor (?:developers|contributors|maintainers)|.*\bthis\b.*|"
    r"what|why|how|more|todo|roadmap|status|tasks?|checklist))\W*$",
    re.IGNORECASE,
)
_NUMBER = re.compile(
    r"^(?:[\dIVXivx]{1,4}(?:\.\d+)*[.):]?\s+|[A-Z]\d{0,3}[.):]\s+|[^\w\s`\"'(]+\s*)"
)


class Sentence(Record):
    """A sentence of a document, as it reads, and the line that it begins on."""

    line: int
    text: str


def sentences(document: Document, passage: Passage) -> list[Sentence]:
    """Return the sentences of a passage."""
    found = [
        Sentence(line, document.plain(text))
        for line, text in cut_sentences(list(passage.rows))
        if len(text) <= _RAW_CHARS
    ]
    return [one for one in found if one.text]


def words(text: str) -> frozenset[str]:
    """Return the words of a text that say what it is about, by their first six letters."""
    return frozenset([word[:6] for word in _WORD.findall(text.lower()) if word not in _COMMON])


def without_lead(text: str) -> str:
    """Return a sentence without the words that only tie it to the one before."""
    while True:
        lead = _LEADING.match(text)
        if not lead or lead.end() >= len(text):
            return text
        text = text[lead.end() :]
        text = text[:1].upper() + text[1:]


def points(text: str) -> bool:
    """Tell whether a sentence begins by pointing at what stands before it."""
    return bool(_POINTING.match(text))


def leans(text: str) -> bool:
    """Tell whether a sentence says little without what stands around it."""
    return bool(_LEANS.search(text))


def bare_title(title: str) -> str:
    """Return a heading without its number, mark or colon."""
    title = " ".join(title.split())
    while True:
        shorter = _NUMBER.sub("", title, count=1)
        if shorter == title or not shorter:
            return title.strip(" :.#*")
        title = shorter


def subject(titles: tuple[str, ...]) -> str:
    """Return the nearest heading that names a subject, "" for none."""
    for title in titles:
        bare = bare_title(title)
        if bare and len(bare) <= 80 and not _EMPTY_TITLES.match(bare) and "?" not in bare:
            return bare
    return ""


def standing_alone(text: str, titles: tuple[str, ...], needs: bool) -> str:
    """Put the heading that names its subject before a sentence which does not name one.

    Args:
        text: of the sentence.
        titles: the headings above it, the nearest first.
        needs: it surely names none; otherwise a heading whose words it has is enough.
    """
    about = subject(titles)
    if not about or (not needs and words(about) & words(text)) or words(about) <= words(text):
        return text
    return f"{about}: {text}"
