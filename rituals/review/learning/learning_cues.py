"""List the turns of phrase by which a log tells what lasts, and those by which it only tells its day.

Plain tables, read over sentences of logs. What a log calls a lesson or a ruling weighs most; numbers of
commits, versions and tickets tell that a sentence is about one day.
"""

from __future__ import annotations

import re

_ANY = re.IGNORECASE

#: A sentence that begins so is meant to be kept.
lesson = re.compile(
    r"(?:[\w’'-]+ ){0,3}(?:gotchas?|lessons?|pitfalls?|caveat|rule of thumb|note to self|takeaways?"
    r"|new (?:rule|convention)|convention recorded|porting note)\b"
    r"|.{0,40}\bworth (?:keeping|remembering|knowing)\b|remember(?: to|:)",
    _ANY,
).match  # fmt: skip
#: The label of such a sentence, which the kind of the fact says again.
lesson_label = re.compile(
    r"^(?:\w+ ){0,2}(?:gotcha|lesson|pitfall|caveat|takeaway|note to self|rule of thumb)s?"
    r"(?: \w+){0,3}(?: ?\([^()]{0,80}\))?: +",
    _ANY,
)
#: Who said so, before a colon: the footer `source` says where it stands.
told_label = re.compile(
    r"^(?:the )?[\w’'-]+ (?:corrected|reminded|told) (?:me|us|the agent)(?: again)?: +", _ANY
)
#: A heading below which lessons stand.
lessons_heading = re.compile(
    r"^#{1,6} .{0,40}\b(?:learn(?:ed|t|ings?)|lessons?|gotchas?|pitfalls?|caveats?|takeaways?)\b",
    _ANY,
).match
#: A person corrects what an agent did or said.
corrects = re.compile(
    r"\b(?:corrected (?:me|us|the agent|by)|correction from|pushed back|objected|vetoed|overruled"
    r"|told (?:me|us|the agent) (?:not )?to|asked (?:me|us) (?:not to|to (?:always|never|stop))"
    r"|said (?:not to|never to|to never|to always|to stop)|(?:user|maintainer|owner)'s correction"
    r"|complained|reminded (?:me|us))\b",
    _ANY,
).search  # fmt: skip
#: A person, or those who may, decide.
rules = re.compile(
    r"\b(?:rulings?|ruled|directive|decided (?:that|to|against|on|not)|was decided|we agreed|by design"
    r"|(?:maintainer|owner|user|team|gate)'?s? (?:decision|decided|ruling|refinement|direction|choice))\b",
    _ANY,
).search
#: A person wants it so.
prefers = re.compile(
    r"\b(?:prefers?|preference|wants? (?:us|me|all|every|the|no|to)|insists?"
    r"|(?:user|maintainer|owner) (?:likes|dislikes|wants|asks|expects)"
    r"|(?:[A-Z]\w+) (?:gates|pushes|approves|reviews)\b)"
).search
#: Says how it is to be, whenever.
modal = re.compile(
    r"\b(?:never|always|must|do not|don't|only ever|avoid|whenever|every time|from now on|belongs?|should"
    r"|has to|have to|cannot|before (?:any|every|each)|after (?:any|every|each)|not pushed)\b",
    _ANY,
)
#: Says why.
reason = re.compile(
    r"\b(?:because|rather than|instead of|otherwise|so that|on purpose|deliberately)\b", _ANY
).search
#: Tells what was done on one day.
tells = re.compile(
    r"\b(?:merged|shipped|added|built|bumped|cut|released|published|passed|green|renamed|moved|opened|queued"
    r"|verified|confirmed|implemented|updated|wrote|swept|marked|delivered|rebuilt|re-?ran|landed|ported"
    r"|documented|regenerated|refreshed|recorded|resolved|fixed|mirrors?|mirrored|branch `|increment \d+"
    r"|phase \w\b|(?:PR|pull request) [#\[])",
    _ANY,
)
#: What somebody else said; a sentence that is mostly that says little by itself.
quoted = re.compile(r"[\"“][^\"“”]{12,}[\"”]").findall
past = re.compile(r"\b(?:was|were|had|did|went|ran|came)\b", _ANY).search
#: Names what only one day has: commits, versions, dates, tickets, counts.
passing = re.compile(
    r"\b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,40}\b|\bv?\d+\.\d+\.\d+\b|\b20\d\d-\d\d-\d\d\b|#\d+"
    r"|\b\d+/\d+\b|\[\[|\b[A-Z]{1,3}-?\d+\b|\b\d+ (?:tests?|suites?|files?|commits?|logs?|warnings?)\b"
).findall
