"""List the names that give a credential away, and what else such a name may hold."""

from __future__ import annotations

#: The words that a name of a credential holds.
NAMES = (
    "password", "passwort", "kennwort", "passcode", "passwd", "passphrase", "pwd", "_pass", "secret",
    "token", "key", "credential", "bearer", "authorization", "mot de passe",
    "mot_de_passe", "mot-de-passe", "motdepasse", "contrasena", "wachtwoord",
    "bindpw", "psk", "pass", "pw", "auth", "login", "storepass", "keypass", "requirepass",
    "masterauth", "clave", "senha", "palavra-passe", "mdp",
    "phrase de passe", "frase secreta", "jeton", "chave",
)  # fmt: skip
#: Those with a letter that ASCII has not, by that letter, which few texts have.
FOREIGN = {
    "ñ": ("contraseña",), "é": ("clé",), "è": ("phrase secrète",),
    "ü": ("wlan-schlüssel", "schlüssel"), "ö": ("lösenord",), "ł": ("hasło",),
    "ş": ("şifre",), "р": ("парол", "секрет"), "к": ("токен", "ключ"), "密": ("密码", "密碼", "密钥"),
    "口": ("口令",), "令": ("令牌",), "パ": ("パスワード",), "비": ("비밀번호",),
}  # fmt: skip
_FOREIGN = frozenset([name for names in FOREIGN.values() for name in names])
#: What each of them holds: few searches tell that a text has none, and one character is soon found.
_ROOTS = ("pass", "auth", "pw", "secret", "token", "k", "j", "sen", "ave")
ROOTS: dict[str, list[str]] = {}
for _name in NAMES:
    ROOTS.setdefault(next((root for root in _ROOTS if root in _name), _name), []).append(_name)
#: Settings whose value stands behind a blank.
BLANK = ("bindpw", "requirepass", "masterauth")
#: What a key is of that surely opens something, and what it is of that sorts, stores and names.
KEYS = tuple(
    "api app access private account auth signing encryption master license licence activation product "
    "subscription functions shared session deploy service ingest write consumer recovery unseal "
    "storage webhook integration secret rapidapi client server admin root".split()
)
NO_KEYS = frozenset(
    "cache primary foreign partition sort public index idempotency object row hash dedupe dedup group "
    "message routing lookup map translation i18n config setting storage redis json yaml dict sharding "
    "shard shortcut hot return enter arrow registry lock unique composite natural surrogate cluster "
    "host fact kind section header footer meta a the this that each every which one any no".split()
)
#: What may follow such a word in the name.
TAILS = frozenset(
    "s key keys value values prod production live test dev staging main admin user root db access "
    "client app api base plain text raw default old new primary secondary secret token password hex "
    "base64 1 2 3 basic private eu us qa uat demo ci backup replica master slave mail smtp ssh db2 sa "
    "postgres mysql redis mongo wifi vpn server service system local remote internal external readonly "
    "rw ro of for pepper banco bd bdd datos dados datenbank correo servidor serveur".split()
)
#: Names of what is made of words with blanks.
PHRASES = ("passphrase", "phrase de passe", "phrase secrète", "frase secreta")
#: Names of passwords that people choose: weaker ones count, too.
CHOSEN = frozenset((
    "password", "passwd", "passphrase", "pwd", "_pass", "passwort", "kennwort", "passcode", "mot de passe",
    "mot_de_passe", "mot-de-passe", "motdepasse", "contraseña", "contrasena", "wachtwoord", "bindpw",
    "psk", "pass", "pw", "storepass", "keypass",
    "requirepass", "masterauth", "clave", "senha", "palavra-passe", "mdp", *PHRASES,
)) | _FOREIGN - {"токен", "ключ", "секрет", "schlüssel", "密钥", "令牌", "clé"}  # fmt: skip
#: Names of what a sentence tells: `the password for staging is X`.
SPOKEN = CHOSEN.difference("_pass pass psk bindpw storepass keypass requirepass masterauth".split())
#: Names of what a sentence tells as well: what stands there has to look more like one.
TOLD = SPOKEN | {"secret", "token", "key", "credential", "pass", "jeton", "chave"} | _FOREIGN
#: Names that are parts of many words, and mean something only where they stand alone or behind a joint.
WHOLE = frozenset("pass pw auth login psk clave mdp senha clé jeton chave".split())
#: Names that announce much else: what stands behind them has to be drawn beyond doubt.
LOOSE = frozenset(("auth", "login"))
#: What stands behind such a name where something else is spoken of: `password policy`.
ASIDE = frozenset(
    "policy policies hash hashes hashing field fields file files length manager managers reset resets "
    "rotation form forms prompt column strength hint hints page store storage auth authentication "
    "generator input type rule rules rotates change changes check checks bucket buckets count counter "
    "limit limits budget ttl lifetime expiry format header name names id ids window usage size cache "
    "list table kind path url env variable variables parameter argument option flag stuffing "
    "protection recovery complexity entropy history".split()
)
#: What a token is of that only tells where a list goes on, or which request it was.
PAGES = (
    "next", "start", "starting", "continuation", "page", "pagination", "idempotency", "request",
    "input", "output", "cancellation",
)  # fmt: skip
#: What a secret, a token or a key is of that opens something.
QUALIFIERS = frozenset(
    "auth api access signing jwt client app shared webhook session master encryption deploy refresh "
    "bearer service admin root hmac private cookie registry bot personal secret geheime geheimer "
    "geheimen secrète secreta secreto секретный секретного wlan wifi license shared".split()
)
#: The same where it stands behind: `clé API`, `токен доступа`.
QUALIFIED = (
    " api", " d'api", " d’api", " de api", " da api", " de la api", " secre", " d'accès", " d’accès",
    " de acce", " de acesso", " доступа", " client", " wifi", " wi-fi", " de deploy", " для api",
)  # fmt: skip


def is_qualified(low: str, at: int, end: int) -> bool:
    """Tell whether it says what a key, a secret or a token opens: `signing secret`, `API token`."""
    if low.startswith(QUALIFIED, end):
        return True
    before = low[max(0, at - 16) : at]
    return (
        before[-1:] in (" ", "-", "_")
        and before[:-1].replace("-", " ").rpartition(" ")[2] in QUALIFIERS
    )


def may_follow(rest: str) -> bool:
    """Tell whether the rest of a name leaves it one of a secret: `_prod` does, `_count` does not."""
    if not rest:
        return True
    parts = rest.replace("-", "_").replace(".", "_").split("_")
    return all(not part or part in TAILS for part in parts)
