"""List the words by which a decision record tells its state, its sections, and what it decides."""

from __future__ import annotations

import re

ACCEPTED, PROPOSED, REJECTED, DEPRECATED, SUPERSEDED, UNCLEAR = (
    "accepted", "proposed", "rejected", "deprecated", "superseded", "unclear",
)  # fmt: skip

STATES = (
    (SUPERSEDED, r"(?<!partially )(?<!partly )(?:superseded|superceded|replaced) ?by|^\W*superseded|"
                 r"^\W*superceded"
                 r"|^\W*replaced|supersededby"),
    (REJECTED, r"\b(?:rejected|declined|withdrawn|cancell?ed|denied|not (?:approved|adopted)|won't "
               r"(?:do|fix))\b"),
    (DEPRECATED, r"\b(?:deprecated|obsolete|retired|abandoned|reverted|no longer|inactive|outdated)\b"),
    (PROPOSED, r"\b(?:not (?:yet )?(?:accepted|decided)|to be (?:accepted|approved|decided)|pending|in "
               r"review"
               r"|under (?:review|discussion))\b"),
    (ACCEPTED, r"\b(?:accepted|approved|adopted|agreed|implemented|decided|done|final|active|in "
               r"(?:effect|force|use)"
               r"|enacted|ratified|completed?|resolved|merged|in progress|implementing|accept|stable|"
               r"current)\b|✅|☑"),
    (PROPOSED, r"\b(?:proposed|proposal|draft|rfc|open|wip|discussion|discussing|review|provisional|"
               r"deferred"
               r"|postponed|todo|idea|experimental|trial|on hold|planned|undecided|new|tbd)\b"),
)  # fmt: skip
KNOWN = [(state, re.compile(pattern, re.IGNORECASE)) for state, pattern in STATES]
STRUCK = re.compile(r"~~.*?~~")
DECISION = re.compile(
    r"^(?:(?:the|our|final|design|architectural|architecture) )?(?:decisions?(?: (?:outcome|made|taken|"
    r"result|statement))?"
    r"|outcome|resolution|what (?:we|was) decided|chosen(?: (?:option|solution|approach))?|"
    r"(?:\w+ )?choice|entscheidung|"
    r"décision|decisión)\b"
    r"(?!.*\b(?:drivers?|makers?|criteria|process|log|records?|points?)\b)",
    re.IGNORECASE,
)
#: A sentence that surely decides, wherever it stands.
CHOSEN = re.compile(
    r"^\W*(?:the )?chosen (?:option|alternative|solution)|\bwe (?:chose|will|shall|have (?:decided|"
    r"chosen)|decided|decide|opt"
    r"|are going)\b|\b(?:it was|has been|have been) decided\b",
    re.IGNORECASE,
)
#: Names an option by a label that only its record explains.
BY_LABEL = re.compile(
    r"\b(?:option|alternative|approach|solution|proposal|variant)s? (?:#?\d|[A-Z])\b(?!\s*[:(–—-])"
    r"|[\"“']\w+ (?:#?\d|[A-Z])[\"”']",
    re.IGNORECASE,
)
#: What a summary has to say, so that it decides.
SURE = re.compile(
    r"\b(?:will|shall|must|should|we propose|is proposed|adopt|decided|never|always)\b",
    re.IGNORECASE,
)
#: How MADR announces what was chosen.
CHOSEN_OPTION = re.compile(
    r"^\W*(?:the )?chosen (?:option|alternative|solution)s?\s*:?\s*(?:is|was)?\s*", re.IGNORECASE
)
SUMMARY = re.compile(r"^(?:summary|abstract|tl;?dr|executive summary|in short)\b", re.IGNORECASE)
STATUS = re.compile(r"^(?:status|state|decision status|adr status)$", re.IGNORECASE)
LABEL = re.compile(
    r"^\W{0,4}([A-Za-z][A-Za-z ]{2,24}?)(?:\W{0,3}:\W{0,3}|\.(?:\*\*|__))\s*(.*)$", re.DOTALL
)
#: One that begins a line, whatever stands above it.
BOLD_LABEL = re.compile(r"^\s*(?:\*\*|__)[A-Za-z][\w /-]{1,30}(?::(?:\*\*|__)|(?:\*\*|__)\s*:)")
#: A part of a record, which begins none.
PART = re.compile(
    r"^(?:context|status|rationale|why|impact|implications?|consequences|alternatives?|options?|"
    r"implementation|migration|references|links|related|notes)\b",
    re.IGNORECASE,
)
#: Why it was decided so, where that has a label of its own.
WHY = re.compile(
    r"^(?:rationale|why(?: it matters)?|reason(?:s|ing)?|justification|because)$", re.IGNORECASE
)
#: Between two labels on one line: `**Status:** Accepted · **Date:** 2026-06-16`.
BETWEEN_LABELS = re.compile(r"\s+[·•|;,—–-]\s+(?=\*\*|__)")
#: A day as people write it.
_DAY = r"\d{4}-\d{2}-\d{2}|\d{1,2}/\d{1,2}/\d{4}|\d{1,2}\.\d{1,2}\.\d{4}"
#: How the heading of a record begins that stands in one document with others.
BY_NUMBER = re.compile(r"^\W*(?:ADR|DEC|DR|D|decision)[-\s#_:]*\d", re.IGNORECASE)
NUMBERED = re.compile(
    rf"{BY_NUMBER.pattern}|^\W*\[?(?:{_DAY})\b|\b(?:{_DAY})[)\]]?$",
    re.IGNORECASE,
)
#: The same, in a document that is a list of them.
LISTED = re.compile(r"^\W*\d{1,4}[.):]\s+\S|^\W*decision\s*[:—–-]\s+\S", re.IGNORECASE)
TITLE_DATE = re.compile(
    rf"^\W*(?:{_DAY})(?:[T ][\d:]+Z?)?[\W]*?(?:[:)\]—–-]+\W*|\s+|$)(?=\S|$)|\W*\(?(?:{_DAY})\)?\W*$|"
    r"^decision\s*[:—–-]\s+",
    re.IGNORECASE,
)
Y_STATEMENT = re.compile(
    r"^\W*in the context of\b.*\b(?:we decided|decided (?:for|to)|we (?:chose|want|opt))",
    re.IGNORECASE | re.DOTALL,
)
PLACEHOLDER = re.compile(
    r"\bYYYY\b|\[[A-Za-z][^\]\[\s]*\s[^\]\[\s]+\s[^\]\[]+\](?![(\[])|\{[A-Za-z][^{}]{3,}\}|\[(?:short|option|title|describe|name|justification|insert|your|what|the|"
    r"if|e\.g)[^\]]*\]"
    r"|<(?:title|option|describe|name|your|insert)[^>]*>|\bTODO\b|\bTBD\b|lorem ipsum|^(?:describe|"
    r"what is the change that|"
    r"this section describes|state the)\b|\.\.\.$|…$",
    re.IGNORECASE,
)
REASON = re.compile(
    r"\b(?:because|since|so that|in order to|due to|as (?:it|this|we|they)|allows? (?:us|for)|to "
    r"(?:avoid|keep|reduce|allow|"
    r"ensure|make|enable|support|simplify|prevent|improve)|which (?:gives|allows|makes|lets|keeps)|"
    r"rather than|instead of|"
    r"therefore|thus|driven by|based on|given)\b",
    re.IGNORECASE,
)
CHOOSES = re.compile(
    r"\b(?:we|will|use|uses|using|chosen|choose|chose|decided?|adopt(?:ed)?|shall|must|should|is|are|"
    r"be|selected|go with|"
    r"keep|introduce|implement|create|add|remove|replace|move|store|provide|support|build|make|let|"
    r"prefer|follow|switch|"
    r"run|define|write|split|separate|allow|drop|treat|require|expose|put|have|need|host|deploy|"
    r"generate|stick)\b",
    re.IGNORECASE,
)
NO_DECISION = re.compile(
    r"^\W*(?:accepted|approved|yes|no|see|tbd|n/?a|none|decided by|decision (?:date|maker)|date|status|"
    r"deciders)\b"
    r"|^(?:the|our) (?:following|decision is(?: as follows)?)\b.{0,20}$|\?$",
    re.IGNORECASE,
)
TITLE_NUMBER = re.compile(
    r"^\W*(?:(?:ADR|RFC|(?:DEP|NEP|PDEP|[A-Z]{1,3}EP|D|DR|DEC)(?=\s*[-#:]?\s*\d)|"
    r"decision(?: record)?|architecture decision record)\s*[-#:]?\s*)?"
    r"(?:\d[\w.]*|#\d+)?\s*[])]?\s*[-–—:.]*\s+(?=\S)|^(?:ADR|RFC|PDEP|NEP)[-\s]*\d+\s*[-–—:.\])]*\s*",
    re.IGNORECASE,
)
FILE = re.compile(r"[\w./-]*\w\.(?:md|rst|txt|adoc|asciidoc)\b")
PREFIXED = re.compile(r"\b(?:ADR|RFC|DEC|DR|PDEP|NEP|D)[-\s#_]*0*(\d{1,5})\b", re.IGNORECASE)
NUMBER = re.compile(r"(?<![\d-])0*(\d{1,5})(?![\d-])")
TAKES_PLACE = re.compile(
    r"\b(?:supersedes|supercedes|replaces|obsoletes)\b:?\s*(.{3,200})", re.IGNORECASE
)
PLACE_TAKEN = re.compile(
    r"\b(?:superseded|superceded|replaced|obsoleted)[-\s]?by\b:?\s*(.{3,200})", re.IGNORECASE
)
