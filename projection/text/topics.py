"""List what parts one subject from another, and in which words things are measured, demanded and owned.

Plain tables for `projection.compare.subjects`, English first, German, Spanish and French as they come.
"""

from __future__ import annotations

#: Small words of other languages, and English ones that tell nothing of a subject.
FILLERS = frozenset(
    "der die das den dem des ein eine einen einem einer eines und oder auch nur sind ist war wird "
    "werden wurde "
    "auf aus bei bis für im in mit nach um unter von vom vor zu zum zur über als wie so es sie er wir "
    "ihr man "
    "durch je pro jede jeder jedes alle allein dass damit wenn sich hat haben noch schon etwa läuft ab "
    "seit dort "
    "el la los las lo un una unos unas y o de del al en con por para sin se es son está están ser su "
    "sus que no "
    "ni hay solo sólo toda todo todas todos cada desde hasta antes luego primero ya como más muy le "
    "les mediante "
    "le les une des du au aux et ou est sont dans avec sur par pour ce cette ces qui ne pas plus "
    "chaque sans "
    "all both much many most least few per its which everything everywhere nowhere else once twice "
    "times time "
    "now today then first before after because since until during within without between among across "
    "up down "
    "out off away through throughout be one two three four five six seven eight nine ten zero hundred "
    "thousand "
    "million half whole currently simply strictly even rather instead always never not no cannot only "
    "must may might should can have has had them these those itself own whatever whenever too same "
    "different "
    "done gets given provided along towards toward against according including e.g everybody everyone "
    "nobody anybody instance example we our us".split()
)
#: What is said of so many things that sharing it means little.
GENERIC = (
    "service system application app data file code version value name number list project product "
    "request response run keep "
    "store write read use send make set create add change update handle process default user customer "
    "team work start stop need come go take give way thing part main new old config configuration "
    "option server "
    "client api page field type check support get put show live held carry hold contain provide allow "
    "apply "
    "serve stay sit place level line case kind item entry object table key id size limit maximum "
    "minimum "
    "test build deploy rule job task module function method class library package tool component error "
    "message "
    "environment production staging script state result result day hour minute second night week month "
    "year "
    "usuario servicio archivo datos dienst daten datei benutzer system guardan gespeichert liegen "
    "stehen "
    "document fact memory agent session log text format local internal external direct possible "
    "available reason"
).split()
#: Where, when or for whom something holds: of one class a statement means one.
SCOPE_CLASSES = (
    "production=prod=echtbetrieb=producción=produktiv staging=preprod testing=testsystem=pruebas "
    "development=dev=laptop=laptops=entwicklung demo sandbox preview",
    "unit integration e2e=end-to-end smoke",
    "ios=iphone=ipad=safari=apple android=chrome windows linux=deb macos=mac web=browser desktop "
    "mobile=phone terminal",
    "customer=customers=kunde=kunden employee=employees=staff=mitarbeiter admin=admins=administrator "
    "partner=partners "
    "guest=guests=anonymous supplier=suppliers patient=patients doctor=doctors",
    "inbound=incoming outbound=outgoing", "import=imports=importer export=exports=exporter",
    "upload=uploads=uploaded download=downloads=downloaded", "connect=connecting=connection "
    "read=reading=reads write=writing=writes",
    "client=clientside server=serverside", "frontend backend", "input output", "public "
    "internal=private external",
    "online offline", "primary replica=replicas", "hot warm cold", "first=initial=erste=primer "
    "second=zweite=segundo third final=last",
    "unit integration e2e=end-to-end load smoke", "access refresh", "soft hard", "request response",
    "minor major", "debug release=production", "daily weekly monthly yearly", "new existing=old=legacy",
    "free pro=paid enterprise=business", "training=train serving=inference evaluation", "get post",
    "raw curated=aggregated",
    "minimum=min maximum=max", "warning=warnings error=errors", "x86=amd64 arm=arm64", "full=complete "
    "incremental=partial",
    "left right", "horizontal vertical", "start end", "top bottom", "source target", "short long",
    "idle busy=active",
    "hotfix=hotfixes feature=features", "less=fewer=below=smaller=weniger=menos "
    "more=above=larger=greater=mehr=más",
    "stored=store=stores=saved shown=show=shows=displayed=display",
)  # fmt: skip
#: Words that are one where a subject is compared.
TOPIC_SYNONYMS = (
    "approval review approve sign-off", "time-out timeout", "warehouse dwh", "commit commits", "pod "
    "pods",
    "integer int", "bundle bundles", "storage store", "rendering renderer render", "deploy deployment "
    "rollout",
    "ci pipeline", "invoice bill", "mail email", "log logs logging", "annotation annotations", "image "
    "picture",
    "game simulation", "account plan", "direct straight", "host domain", "save saves savegame", "card "
    "cards",
    "checkpoint weights", "ownership owner", "archive archives", "request query", "size length",
    "stock inventory", "payment charge charged", "reserve reservation reserva", "subida subir sube",
    "user users",
    "validar valida comprobar comprueba", "cita citas", "rama ramas",
)  # fmt: skip
#: What a duration is the duration of; two of different rows measure two things.
ASPECTS = {
    "timeout": "timeout timeouts waits wait out gives abort aborts aborted cancel deadline espera "
    "wartet warten attend hang hangs",
    "expiry": "expire expires expired expiry valid lifetime ttl validity gültig ab caduca caducan "
    "válido válida valable expiran "
    "expira lasts lives live",
    "retention": "kept keep keeps retain retained retention stored archived aufbewahrt archiviert "
    "gelöscht deleted purged erased "
    "conservan conserva conservés removed history",
    "cache": "cache cached caches caché zwischengespeichert",
    "delay": "delay delayed debounce debounced backoff pause sleep sleeps",
    "answer": "latency p95 p99 p50 median budget slo answers respond responds",
    "duration": "takes take took finishes finish lasted dauert dura tarda duran",
}
#: Verbs and names that only say that an amount is a bound or how something is measured.
BOUNDS = (
    "limit maximum cap capped exceed budget at-most minimum threshold quota ceiling límite höchstens "
    "grenze allow may include up period "
    "interval rate fix fixed size wide"
).split()
#: A word of amount -> how many.
AMOUNTS = {
    "single": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight":
    8, "nine": 9,
    "ten": 10, "eleven": 11, "twelve": 12, "fifteen": 15, "twenty": 20, "thirty": 30, "forty": 40,
    "fifty": 50,
    "sixty": 60, "ninety": 90, "hundred": 100,
    "eins": 1, "zwei": 2, "drei": 3, "vier": 4, "fünf": 5, "sechs": 6, "sieben": 7, "acht": 8, "neun":
    9, "zehn": 10,
    "elf": 11, "zwölf": 12, "fünfzehn": 15, "zwanzig": 20, "dreißig": 30, "vierzig": 40, "fünfzig":
    50, "sechzig": 60,
    "dos": 2, "tres": 3, "cuatro": 4, "cinco": 5, "seis": 6, "siete": 7, "ocho": 8, "nueve": 9,
    "diez": 10, "doce": 12,
    "quince": 15, "veinte": 20, "treinta": 30, "cuarenta": 40, "cincuenta": 50, "sesenta": 60,
    "noventa": 90,
    "deux": 2, "trois": 3, "quatre": 4, "cinq": 5, "sept": 7, "huit": 8, "neuf": 9, "dix": 10,
    "douze": 12,
    "quinze": 15, "vingt": 20, "trente": 30, "quarante": 40, "cinquante": 50, "soixante": 60,
}  # fmt: skip
TIMES_OF_TEN = {"thousand": 1000, "k": 1000, "mil": 1000, "tausend": 1000, "mille": 1000, "million":
10**6, "millions": 10**6,
                "millionen": 10**6, "millones": 10**6, "billion": 10**9, "dozen": 12}  # fmt: skip
#: A unit -> (what it measures, how many of the smallest it is); singular and plural.
MEASURES = {
    name: (what, factor)
    for what, rows in {
        "time": {1: "ms millisecond millisekunde milisegundo milliseconde msec", 1000: "s sec second "
        "sekunde segundo seconde",
                 60_000: "min minute minuto", 3_600_000: "h hr hour stunde hora heure",
                 86_400_000: "d day tag día jour werktag night", 604_800_000: "week woche semana "
                 "semaine",
                 2_592_000_000: "month monat mes mois quarter", 31_536_000_000: "year jahr año an"},
        "size": {1: "byte", 1 << 10: "kb kib kilobyte", 1 << 20: "mb mib megabyte", 1 << 30: "gb gib "
        "gigabyte",
                 1 << 40: "tb tib terabyte"},
        "share": {1: "% percent prozent"},
        "width": {1: "column character char spalte zeichen carácter columna caractère"},
        "pixel": {1: "px pixel píxel"},
        "bits": {1: "bit"},
        "money": {1: "eur euro € usd dollar $"},
        "rate": {1: "hz hertz fps", 1000: "khz"},
        "length": {1: "mm millimeter millimetre", 10: "cm", 1000: "m meter metre metro", 10**6: "km"},
        "charge": {1: "mah"},
    }.items()
    for factor, names in rows.items()
    for name in names.split()
}  # fmt: skip
#: How often something happens, in one word.
ADVERBS = {
    "hourly": 3_600_000, "stündlich": 3_600_000, "daily": 86_400_000, "nightly": 86_400_000,
    "täglich": 86_400_000,
    "nächtlich": 86_400_000, "diariamente": 86_400_000, "weekly": 604_800_000, "wöchentlich":
    604_800_000,
    "semanalmente": 604_800_000, "monthly": 2_592_000_000, "monatlich": 2_592_000_000, "yearly":
    31_536_000_000,
    "quarterly": 7_776_000_000,
}  # fmt: skip
#: A number behind one of these names a place.
PLACES_OF_NUMBERS = frozenset("port puerto".split())
#: What tells of the past, of a plan or of one occasion.
PAST = frozenset(
    "formerly previously originally retired former früher ehemals anteriormente abgelöst erstmals "
    "ursprünglich autrefois "
    "temporarily planned proposed considered evaluated yesterday".split()
)
UNTIL = frozenset("until till hasta bis jusqu'en".split())
#: What leaves no room beside it.
UNIVERSAL = frozenset(
    "all any every everywhere nowhere always each everybody nobody everyone throughout alle überall "
    "jede todo toda todos "
    "todas cualquier tous toutes partout".split()
)
#: What says that there is nothing beside it.
EXCLUSIVE = frozenset(
    "other otro otra else only solely alone nur ausschließlich allein solo sólo únicamente seul "
    "exclusively".split()
)
#: Forms of demands: what is forbidden, not demanded, demanded, allowed. `_` joins words.
FORBIDS_AHEAD = (
    "must_not may_not should_not shall_not do_not don't does_not never cannot can_not no without "
    "denies deny forbids forbid "
    "prohibits bans ban darf_nicht dürfen_nicht darf_nie nie niemals kein keine ohne no_se_puede nunca "
    "sin ne_doit_pas "
    "not_allowed_to refuses rejects disallows won't"
).split()
FORBIDS_BEHIND = (
    "is_forbidden are_forbidden forbidden prohibited banned blocked disallowed not_allowed "
    "not_permitted not_used "
    "isn't_used aren't_used was_removed were_removed been_removed rejected refused verboten untersagt "
    "prohibido prohibida prohibidos prohibidas "
    "interdit interdite not_supported unsupported nicht_erlaubt nicht_verwendet no_se_usa "
    "no_se_permite not_possible disabled never_happens"
).split()
FREES = (
    "not_required not_mandatory not_needed optional matter_of_taste voluntary up_to_the need_not "
    "needn't not_necessary "
    "freiwillig nicht_nötig opcional facultatif no_promise no_guarantee not_guaranteed unnecessary "
    "free_to nicht_erforderlich "
    "no_es_necesario no_hace_falta not_enforced recommended"
).split()
DEMANDS = (
    "must required mandatory has_to have_to obligatory compulsory requires require needs guaranteed "
    "enforced blocks_the "
    "always needed muss müssen pflicht vorgeschrieben obligatorio obligatoria debe deben doit doivent "
    "obligatoire never_without"
).split()
#: What says that something is there to be had; for verbs, too; in fact.
OFFERS = (
    "allowed permitted available possible enabled supported welcome acceptable erlaubt permitido "
    "permitida permitidos autorisé "
    "disponible verfügbar möglich"
).split()
PERMITS = (
    *OFFERS,
    *"may can darf dürfen kann können puede pueden peut peuvent allows permits whenever".split(),
)
ALLOWS = (*PERMITS, *"uses use used verwendet nutzt usa usan utilise".split())
#: With one of these a number of things is a rule, no finding.
RULING = frozenset(
    "takes include includes hold holds contain contains allow allows open opens gets runs uses consists "
    "per each up most least limited "
    "capped maximum minimum enough hat haben tiene tienen comprend je pro darf höchstens máximo "
    "hasta".split()
)
#: Whose something is: `X verb owner`, `owner verb X`, and adjectives of an owner.
OWNED_BY = (
    "belongs_to owned_by maintained_by gehört betreut_von verantwortet_von responsabilidad_de "
    "pertenece_a maintenu_par "
    "reviewed_by approved_by run_by operated_by decided_by signed_off_by"
).split()
OWNS = (
    "owns maintains is_responsible_for are_responsible_for responsible_for looks_after takes_care_of "
    "sign_off signs_off approves "
    "verantwortet betreut se_encarga is_in_charge_of reviews decides_on operates approve"
).split()
OWNER_WORDS = ("zuständig", "betreut", "verantwortlich", "responsable", "verantwortung")
