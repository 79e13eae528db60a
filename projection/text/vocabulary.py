"""List what the words of engineers mean to each other: units, synonyms, numbers.

Plain tables, in the spelling of people; `normalize` brings them into its normal form. They are
deliberately small: a word that is missing costs a finding, a wrong one costs trust.
"""

from __future__ import annotations

#: Words that say nothing about what a fact is about.
SMALL = frozenset(
    "a an the this that these those it its they them their we our us you your i my he she his her "
    "of to in on at by for from with into onto over under via using through per as than then so "
    "and or but also too both either while where when which who whose what how why if "
    "is are was were be been being am do does did done doing has have had having get gets got "
    "getting will would shall should must may might can could need needs needed let lets "
    "use uses used using there here just only really very every each any all some such own "
    "about around approximately roughly new more still already again yet please always "
    "gets another other others one's e.g i.e etc respectively else".split()
)
#: Words that turn a statement round.
NEGATORS = frozenset(
    "not no never without none nothing nobody neither nor cannot avoid stop stopped".split()
)
#: Neighbouring words that are one: what they become ("" to leave them out).
PHRASES = {
    ("no", "longer"): "not", ("any", "more"): "", ("any", "longer"): "", ("not", "only"): "",
    ("not", "yet"): "not", ("not", "just"): "", ("instead", "of"): "instead",
    ("rather", "than"): "instead", ("in", "order"): "",
}  # fmt: skip
#: Another spelling or word -> the one that stands for it.
SYNONYMS = {
    "db": "database", "dbs": "database", "postgres": "postgresql", "pg": "postgresql",
    "mongo": "mongodb", "config": "configuration", "configs": "configuration",
    "configured": "configuration", "configure": "configuration", "settings": "configuration",
    "repo": "repository", "repos": "repository", "env": "environment", "auth": "authentication",
    "docs": "documentation", "doc": "documentation", "spec": "specification",
    "specs": "specification", "dir": "directory", "dirs": "directory", "folder": "directory",
    "folders": "directory", "msg": "message", "k8s": "kubernetes", "js": "javascript",
    "ts": "typescript", "py": "python", "golang": "go", "ui": "interface", "app": "application",
    "apps": "application", "prod": "production", "dev": "development", "max": "maximum",
    "min": "minimum", "sync": "synchronous", "async": "asynchronous", "synchronously": "synchronous",
    "asynchronously": "asynchronous", "straight": "direct", "directly": "direct", "beside": "near",
    "alongside": "near", "params": "parameter", "args": "argument", "deps": "dependency",
    "lib": "library", "libs": "library", "id": "id", "ids": "id", "uuid": "uuid", "over": "above",
    "tls": "tls", "ssl": "tls", "perms": "permission", "calls": "call", "must": "must",
    "mandatory": "required", "compulsory": "required", "prohibited": "forbidden",
    "disallowed": "forbidden", "banned": "forbidden", "permitted": "allowed", "erase": "delete",
    "deploys": "deploy", "deployments": "deploy", "deployment": "deploy", "starts": "start",
    "maximal": "maximum", "email": "mail", "emails": "mail", "e-mail": "mail", "mails": "mail",
    "serially": "sequential", "concurrently": "parallel", "monthly": "month", "weekly": "week",
    "daily": "day", "hourly": "hour", "nightly": "night", "yearly": "year", "written": "write",
    "wrote": "write", "kept": "keep", "held": "hold", "ran": "run", "sent": "send",
    "built": "build", "taken": "take", "took": "take", "made": "make", "chosen": "choose",
    "chose": "choose", "left": "leave", "lost": "lose", "began": "begin", "begun": "begin",
    "thrown": "throw", "threw": "throw", "shown": "show", "drawn": "draw", "found": "find",
    "lives": "live", "living": "live", "caught": "catch", "broken": "break", "broke": "break",
    "goes": "go", "going": "go", "gone": "go", "spoken": "speak", "bound": "bind",
    "maximise": "maximize", "behaviour": "behavior", "colour": "color", "licence": "license",
    "serialise": "serialize", "normalise": "normalize", "initialise": "initialize",
}  # fmt: skip
#: A unit -> (what it measures, how many of the smallest it is).
UNITS = {
    name: (what, factor)
    for what, rows in {
        "time": {
            1: "ns nanosecond", 10**3: "us µs microsecond", 10**6: "ms msec millisecond millisekunde "
            "millisekunden milisegundo", 10**9: "s sec second sekunde sekunden segundo",
            60 * 10**9: "m min minute minuten minuto", 3600 * 10**9: "h hr hour stunde stunden hora",
            86400 * 10**9: "d day tag tage tagen día días", 604800 * 10**9: "week woche wochen semana",
            2592000 * 10**9: "month monat monate monaten mes",
            31536000 * 10**9: "year jahr jahre jahren año años",
        },
        "size": {
            1: "byte", 1 << 10: "kb kib kilobyte", 1 << 20: "mb mib megabyte",
            1 << 30: "gb gib gigabyte", 1 << 40: "tb tib terabyte",
        },
        "rate": {1: "hz fps", 1000: "khz"},
        "length": {1: "mm", 10: "cm", 10**6: "km"},
        "share": {1: "% percent prozent"}, "px": {1: "px pixel"}, "width": {1: "column character char"},
        "money": {1: "eur euro"}, "dollar": {1: "usd dollar"}, "times": {1: "x"}, "bits": {1: "bit"},
    }.items()
    for factor, names in rows.items()
    for name in names.split()
}  # fmt: skip
NUMBERS = {
    word: str(value)
    for value, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve".split()
    )
} | {"fifteen": "15", "twenty": "20", "thirty": "30", "fifty": "50", "hundred": "100", "once": "1",
     "twice": "2", "forty": "40", "sixty": "60", "ninety": "90", "zwei": "2", "drei": "3", "vier": "4",
     "fünf": "5", "sechs": "6", "sieben": "7", "acht": "8", "neun": "9", "zehn": "10", "zwölf": "12",
     "zwanzig": "20", "dreißig": "30", "tres": "3", "cuatro": "4", "cinco": "5", "siete": "7",
     "ocho": "8", "nueve": "9", "diez": "10", "doce": "12", "quince": "15", "veinte": "20",
     "treinta": "30"}  # fmt: skip
#: A number behind one of these is a name, no value: increment 12, PR 412, step 2.
LABELS = frozenset(
    "increment step phase pr issue adr chapter section sprint milestone ticket stage round part "
    "line page commit build task bug rfc item note item option case rule level tier wave batch "
    "iteration row week day quarter appendix figure table test http status code error revision story "
    "epic job question decision finding attempt exit d e k q".split()
)
