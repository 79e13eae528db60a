"""List what parts one subject from another, and in which words things are measured, denied and owned.

Plain tables for `projection.compare.statement_subjects`, English first, German and Spanish as they come.
"""

from __future__ import annotations

#: Small words of other languages, and English ones that tell nothing of a subject.
FILLERS = frozenset(
    "der die das den dem des ein eine einen einem einer eines und oder auch nur sind ist war wird "
    "werden wurde auf aus bei bis für im in mit nach um unter von vom vor zu zum zur über als wie "
    "so es sie er wir ihr man durch je pro jede jeder jedes jeden alle allein dass damit wenn "
    "sich hat haben noch schon etwa ab seit dort beim am an darf dürfen muss müssen kann können "
    "soll nicht kein keine keinen nie niemals ohne nunca weil sehr bis el la los las lo un una "
    "unos unas y o de del al en con por para sin se es son está están ser su sus que no ni hay "
    "solo sólo toda todo todas todos cada desde hasta antes luego primero ya como más muy le les "
    "mediante puede pueden debe deben va van cuando all both much many most least few per its "
    "which everything everywhere nowhere else once twice times time now today then first before "
    "after because since until during within without between among across up down out off away "
    "through throughout be half whole currently simply strictly even rather instead always never "
    "only must may might can could should have has had them these those itself own whatever "
    "whenever too same different done given provided along towards toward against according "
    "including everybody everyone nobody anybody anyone instance example anything we our us "
    "longer long whose able so contain contains contained".split()
)
#: What is said of so many things that sharing it means little.
GENERIC = (
    "service system application app data file code version value name number list project product "
    "request response run keep store write read use send make set create add change update handle "
    "process default user customer team work start stop need come go take give way thing part "
    "main old config configuration option server client api page field type check support show "
    "live carry hold provide allow apply serve stay sit place level line case kind item entry "
    "object table key id size limit maximum minimum test build deploy rule job task module "
    "function method class library package tool component error message environment production "
    "staging script state result day hour minute second night week month year usuario servicio "
    "archivo datos dienst daten datei benutzer guardan gespeichert liegen stehen document fact "
    "memory agent session log text format local internal external direct possible available "
    "reason platform manage manager require fixed single end open"
).split()
#: Where, when or for whom something holds: of one class a statement means one. In one of the first four
#: a name on one side alone parts the two.
SCOPE_CLASSES = (
    "production=prod=echtbetrieb=producción=produktiv staging=preprod=preproducción "
    "testing=testsystem development=dev=laptop=laptops=developers=developer demo sandbox preview",
    "unit integration e2e=end-to-end smoke load",
    "ios=iphone=ipad=safari=apple android=chrome windows linux=deb macos=mac",
    "connect=connecting",
    "customer=customers=kunde=kunden employee=employees=staff admin=admins partner=partners "
    "guest=guests supplier=suppliers patient=patients=pacientes doctor=doctors=médicos",
    "inbound=incoming outbound=outgoing", "import=imports=importer export=exports=exporter",
    "upload=uploads=uploaded download=downloads=downloaded",
"client=clientside server=serverside",
    "frontend backend", "input output", "public internal=private", "online offline",
    "primary replica=replicas", "hot warm cold",
    "read=reading=reads write=writes", "first=initial=erste second=zweite third final=last",
    "access refresh", "soft hard", "minor major",
    "debug release", "new existing=old=legacy", "free pro=paid enterprise=business",
    "training=train serving=inference=evaluation", "raw curated=aggregated",
    "minimum=min maximum=max",
    "warning=warnings error=errors", "x86=amd64 arm=arm64", "full=complete incremental=partial",
    "left right", "start end", "top bottom", "source target", "short long", "idle busy=active",
    "liveness readiness", "less=fewer=below=smaller more=above=larger=greater", "bank broker",
    "web mobile", "stored=saved shown=displayed=shows",
)  # fmt: skip
#: Words that are one where a subject is compared.
TOPIC_SYNONYMS = (
    "approval review", "timeout wait", "storage stor", "invoice bill", "checkpoint weight",
    "save savegame",
    "attempt retry", "reserve reserva", "subida subir", "validar comprobar", "sign signature",
    "card credit",
    "warehouse dwh", "backup sicherung", "log registro", "lib library", "interface ui",
    "integer int",
)  # fmt: skip
#: Small verbs, which end the head of a sentence.
ENDS = frozenset(
    "is are was were must may might can could should shall will does do has have had never always "
    "only not cannot be been use uses used over to from at per ist sind wird werden darf muss hat "
    "es son está están se puede of in for on with by für von im in de en del con por".split()
)
PREPOSITIONS = frozenset(
    "of in for on with by over to from at per für von im de en del con por".split()
)
#: What leaves no room beside it.
UNIVERSAL = frozenset(
    "all any every everywhere nowhere always each everybody nobody everyone throughout alle "
    "überall jede todo toda todos todas cualquier".split()
)
#: What tells of the past, of a plan or of one occasion.
PASSED = frozenset(
    "formerly previously originally retired former früher ehemals anteriormente temporarily "
    "planned proposed considered evaluated yesterday january february march april june july "
    "august september october november december hatten spring autumn".split()
)
#: Words beside "not" that deny what they are said of, and those that say nothing of what is denied.
DENYING = (
    "forbidden forbid forbids deny denies prohibited prohibits banned bans blocked blocks "
    "disallowed rejects refused refuses disabled ignores unsupported optional voluntary verboten "
    "untersagt prohibido prohibida nicht kein keine keinen nie niemals ohne nunca"
).split()
DENIED_ONCE = "removed dropped abandoned retired rejected".split()
EMPTY = (
    "used uses use offered allowed permitted guaranteed possible supported required needed exists "
    "exist necessary available promise mandatory enabled permite usa erlaubt"
).split()
#: What a duration is the duration of; two of different rows measure two things.
ASPECTS = {
    "timeout": "timeout timeouts waits wait aborts abort aborted gives deadline espera wartet "
    "warten bricht",
    "expiry": "expire expires expired expiry valid lifetime ttl gültig läuft caduca caducan "
    "válido live lives",
    "retention": "kept keep keeps retain retained retention archived aufbewahrt gelöscht deleted purged "
    "erased conservan history stay stays",
    "cache": "cache cached caches caché",
    "delay": "delay delayed debounce debounced backoff pause",
    "answer": "latency p95 p99 p50 median budget slo",
    "duration": "takes took finishes lasts lasted dauert dura tarda duran duration",
}  # fmt: skip
#: How often something happens, in one word or two: in milliseconds.
OFTEN = {"hourly": "hour", "daily": "day", "nightly": "day", "täglich": "day", "weekly": "week",
         "wöchentlich": "week", "monthly": "month", "monatlich": "month", "yearly": "year"}  # fmt: skip
#: Whose something is.
OWNING = frozenset(
    "owns owned owner belongs maintains maintained responsible approves approved approve reviewed "
    "reviews operates operated sign signs signed looks mantiene pertenece responsable gehört "
    "betreut betreut verantwortlich zuständig verantwortet".split()
)
#: What comes first, and what says so.
BEFORE, AFTER = (
    ("before", "antes de", "bevor", "vor"),
    ("after", "once", "nachdem", "después de", "tras", "only when"),
)
FIRST = frozenset("first primero zuerst erst".split())
THEN = (
    "then",
    "luego",
    "después",
    "dann",
    "danach",
    "afterwards",
    "comes after",
    "and",
    "und",
    "y",
)
