"""List the names that give a credential away, and what else such a name may hold."""

from __future__ import annotations

#: The words that a name of a credential holds.
NAMES = (
    "password", "passwort", "kennwort", "passcode", "passwd", "passphrase", "pwd", "_pass", "secret",
    "token", "key", "credential", "bearer", "authorization", "mot de passe",
    "contraseña", "contrasena", "wachtwoord",
    "bindpw", "psk", "pass", "pw", "auth", "login", "storepass", "keypass", "requirepass",
    "masterauth", "clave",
)  # fmt: skip
#: What each of them holds: few searches tell that a text has none.
ROOTS = {"pass": tuple([name for name in NAMES if "pass" in name]), "auth": ("auth", "masterauth")}
ROOTS |= {name: (name,) for name in NAMES if "pass" not in name and name not in ROOTS["auth"]}
#: Settings whose value stands behind a blank.
BLANK = ("bindpw", "requirepass", "masterauth")
#: What a key is of that surely opens something, and what it is of that sorts, stores and names.
KEYS = tuple(
    "api app access private account auth signing encryption master license licence activation product "
    "subscription functions shared session deploy service ingest write consumer recovery unseal storage "
    "webhook integration secret rapidapi client server admin root".split()
)
NO_KEYS = frozenset(
    "cache primary foreign partition sort public index idempotency object row hash dedupe dedup group "
    "message routing lookup map translation i18n config setting storage redis json yaml dict sharding "
    "shard shortcut hot return enter arrow registry lock unique composite natural surrogate cluster host "
    "fact kind section header footer meta a the this that each every which one any no".split()
)
#: What may follow such a word in the name.
TAILS = frozenset(
    "s key keys value values prod production live test dev staging main admin user root db access "
    "client app api base plain text raw default old new primary secondary secret token password "
    "hex base64 1 2 3 basic private".split()
)
#: Names of passwords that people choose: weaker ones count, too.
CHOSEN = frozenset((
    "password", "passwd", "passphrase", "pwd", "_pass", "passwort", "kennwort", "passcode", "mot de passe",
    "contraseña", "contrasena", "wachtwoord", "bindpw", "psk", "pass", "pw", "storepass", "keypass",
    "requirepass", "masterauth", "clave",
))  # fmt: skip
#: Names of what a sentence tells: `the password for staging is X`.
SPOKEN = CHOSEN - {
    "_pass",
    "pass",
    "psk",
    "bindpw",
    "storepass",
    "keypass",
    "requirepass",
    "masterauth",
}
#: Names that are parts of many words, and mean something only where they stand alone or behind a joint.
WHOLE = frozenset(("pass", "pw", "auth", "login", "psk", "clave"))
#: Names that announce much else: what stands behind them has to be drawn beyond doubt.
LOOSE = frozenset(("auth", "login"))
