"""Tell which names give a credential away, and whether what one announces is a credential.

It is not what documents and code put in the place of one.
"""

from __future__ import annotations

from ledger.secrets.entropy import (
    distinct,
    is_placeholder,
    is_printed,
    is_random,
    is_stock,
    is_wordy,
)
from ledger.secrets.vendor_tokens import HEX
from ledger.secrets.word_passwords import is_coupled, is_joined, is_phrase, is_plain, is_worded

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


_PARTED = str.maketrans("-\n\t", "   ")


def is_qualified(low: str, at: int, end: int) -> bool:
    """Tell whether it says what a key, a secret or a token opens: `signing secret`, `API token`."""
    if low.startswith(QUALIFIED, end):
        return True
    before = low[max(0, at - 16) : at]
    return (
        before[-1:] in (" ", "-", "_")
        and before[:-1].translate(_PARTED).rpartition(" ")[2] in QUALIFIERS
    )


def may_follow(rest: str) -> bool:
    """Tell whether the rest of a name leaves it one of a secret: `_prod` does, `_count` does not."""
    if not rest:
        return True
    parts = rest.replace("-", "_").replace(".", "_").split("_")
    return all(not part or part in TAILS for part in parts)


#: How a digest begins, and the name of a thing.
_HASHED = tuple("arn: SCRAM-SHA- sha256: sha512: sha1: sha512- sha256- sha384-".split())
_CODE = ("process.", "os.", "env.", "self.", "this.", "secrets.", "config.", "vault:", *_HASHED)
_QUOTES, _DIGITS = "\"'`", frozenset("0123456789")


def is_drawn(value: str) -> bool:
    """Tell whether a value is drawn beyond doubt: of both cases and digits, or hex of 128 bits."""
    if len(value) < 20 or not is_random(value) or distinct(value) < 9 or value.startswith(_HASHED):
        return False
    mixed = not value.islower() and not value.isupper() and any(map(str.isdigit, value))
    return (mixed and distinct(value) > 11) or (
        len(value) > 31 and not value.strip("0123456789abcdefABCDEF")
    )


def is_hex(value: str) -> bool:
    """Tell whether a value is hex of 64 bits or more that mixes as drawn ones do."""
    return (
        len(value) > 15 and not value.strip(HEX) and is_random(value) and distinct(value) > 7
        and not is_placeholder(value)
    )  # fmt: skip


def may_be_drawn(words: list[str]) -> bool:
    """Tell whether one of the words has a digit, or is so long that it needs none."""
    long = [word for word in words if len(word) > 6]
    return any(map(_DIGITS.intersection, long)) or max(map(len, long), default=0) > 19


def is_told(value: str, quoted: bool, behind: str) -> bool:
    """Tell whether what a sentence calls a password is one, and no word that says how it is kept."""
    if " " in value:
        return quoted and is_phrase(value, 2)
    if not 6 <= len(value) < 80 or is_placeholder(value) or is_stock(value):
        return False
    if _is_code(value) and not is_joined(value):
        return False
    if "://" in value or value[0] in "/~." or any(char in value for char in " ()[]"):
        return False
    if not any(char.isalpha() for char in value):
        return False
    bare = value.rstrip("!?&*^~+")
    if bare != value and bare.isalpha() and bare.islower() and not quoted:
        return is_plain(bare) and _ends(behind)
    if bare.isalpha() and not quoted:  # `Sunflower!`, but not the end of a sentence
        if bare == value:
            return _ends(behind) and (value.islower() or value.istitle()) and is_plain(value)
        return bare[0].isupper() and is_worded(value)
    if value.isalpha():
        return is_worded(value, alone=True)
    if _ends(behind) and is_coupled(value):
        return True
    joined = (value.count("-") > 1 and len(value) > 15 and not value.isupper()) or is_joined(value)
    return is_worded(value, alone=quoted or joined)


def _ends(behind: str) -> bool:
    """Tell whether a sentence has said the value with this word."""
    return not behind or behind[0] in "\n.,;!)*_。，" or behind.startswith(_GOES_ON)


#: What follows a password that is one word.
_GOES_ON = tuple(
    " until| now| from| for| on | at | again| ab | since| (| –| —| à | desde| a par| after| last |"
    " since | gestern| hier| ayer| ontem| вчера| and | but | so | when| because| before| geändert|"
    " gesetzt| です|です| 입니다| und | nach | et | après| después| depois| после| и ".split("|")
)


def is_strong(near: str) -> bool:
    """Tell whether the next word is a password beyond doubt: `with password Xk29fj38`."""
    word = near.lstrip(_QUOTES).partition("\n")[0].split(" ")[0].rstrip(".,;)\"'`|")
    return (
        len(word) > 9
        and any(char.isdigit() for char in word)
        and any(char.islower() for char in word)
        and any(char.isupper() for char in word)
        and not is_wordy(word)
        and distinct(word) > 6
    )


def is_secret(value: str, name: str, quoted: bool, strict: bool, alone: bool, named: bool) -> bool:
    """Tell whether a value is a secret, and not what documents and code put in its place.

    Args:
        value: behind a name.
        name: as `NAMES` has it.
        quoted: whether the value stands in quotes, or among the parts of a connection string.
        strict: whether only what looks drawn at random counts.
        alone: whether the value is all that a setting holds, so that words alone may be one.
        named: whether it is told what a key, a token or a secret opens: `jwt_secret`.
    """
    if quoted and len(value) > 31 and distinct(value) > 24 and is_strong(value):
        return not is_printed(value)  # of any characters, as generators draw them
    if " " in value and alone and not strict:
        return (name in CHOSEN or named) and is_phrase(value, 2)
    if len(value) < 6 or " " in value or "\t" in value or is_placeholder(value):
        return False
    if is_stock(value) or "://" in value or value[0] in "/~.-" or _is_call(value, quoted):
        return False
    code = _is_code(value) and not (
        quoted and (named or name == "secret") and not value.startswith(_CODE)
    )
    if not strict and (alone or not code):
        if name in CHOSEN and is_worded(value, alone=alone):
            return True
        if alone and named and name not in CHOSEN and name not in LOOSE:
            # a name in capitals or in words stands for another setting: `TOKEN_KIND`, `client_secret`
            return not code and is_worded(value, alone=True)
        if (named or quoted) and name in ("secret", "token", "key") and len(value) > 9 and not code:
            mixed = value[-2:].isdigit() or any(char in value for char in "!#$%&+-_.")
            if mixed and is_worded(value, alone=True):
                return True
    if not value.isascii():
        return False
    if (
        name == "authorization"
        and value[0] != "!"
        and any(map(value.count, "-_.0123456789"))
        and is_worded(value, alone=True)
    ):
        return True
    if not strict and quoted and name in CHOSEN:
        letters = any(char.isalpha() for char in value)
        others = any(not char.isalpha() for char in value)
        mixed = letters and (others or (not value.islower() and not value.isupper()))
        plain = is_wordy(value) and not any(char.isdigit() for char in value)
        return mixed and not plain and not _is_code(value)
    if len(value) < 8 or is_wordy(value) or _is_code(value):
        return False
    if any("0" <= char <= "9" for char in value) and any(char.isalpha() for char in value):
        if name in CHOSEN:
            return distinct(value) > 4
        return len(value) >= 12 and is_random(value) and distinct(value) > 7
    return len(value) >= 20 and is_random(value) and distinct(value) > 11


def _is_call(value: str, quoted: bool) -> bool:
    """Tell whether a value calls something; in quotes any character may stand."""
    if quoted:
        return "(" in value and ("()" in value or ")." in value or value[-1] == ")")
    return "(" in value or "[" in value


def _is_code(value: str) -> bool:
    """Tell whether a value is an expression or a path: `process.env.TOKEN`, `config/secret.yml`."""
    if value.startswith(_CODE):
        return True
    parts = value.replace("?.", ".").replace("!.", ".").split(".")
    asked = ".".join(parts) != value  # `reply.usage?.tokens_2`
    return len(parts) > 1 and all(
        part.replace("_", "").isalpha() or (asked and part.isidentifier()) for part in parts
    )


#: Who passes something, or what does.
_PASSING = frozenset(
    "tests test checks suites suite specs builds jobs lints linters examples benchmarks gates steps "
    "stages pipelines workflows cases runs assertions all both they we you i it these those which that "
    "to can could must should would will may might not don't didn't doesn't now still also "
    "first second third next last final single each every another".split()
)
_USERS = ("user", "login", "usr", "account", "host", "@")


def is_outcome(text: str, low: str, at: int, end: int) -> bool:
    """Tell whether something passes: `tests pass, …`, `--- PASS: TestName/part`."""
    if low[at - 1 : at] in ("_", "-", ".") or text[end : end + 1] not in (",", ":", " ", ";"):
        return False
    before = low[max(0, at - 120) : at]
    if not text[at:end].isupper():
        return not _PASSING.isdisjoint(before[-24:].split()[-1:])
    told = any(word in before for word in _USERS) or is_strong(text[end + 1 : end + 80].lstrip())
    return text[end : end + 2] == ": " and not told


_QUOTED = frozenset("\"'`“„«‘‹(「『")
_STOPS = ".,;:)]}»”’'\"`*_"
#: What may stand between a Chinese or Japanese name and its value.
_JOINTS = (
    "是为為改成了设設定置换換更新的は：:=，,、 「『“\"'`（(已被再现在現暂時时都仍还는은이가을를"
)
#: Where a piece of such a text ends.
_WIDE_JOINTS = _JOINTS + "\u4e00\u3092"
WIDE_ENDS = "。，；、！？）」』”：》"


def is_run_on(text: str, name: str, end: int) -> bool:
    """Tell whether a name of another script goes on, with what no value begins with."""
    if name[0] > "\u2e80":
        near = text[end : end + 24].lstrip(_WIDE_JOINTS)
        return near[:1] > "\u2e80"
    return name[0] > "\u0400" and text[end : end + 4].isalpha() and len(text) > end + 3


def behind_wide(text: str, end: int) -> tuple[int, int] | None:
    """Find the value behind a name in a script without blanks: `密码是X`, `パスワードはX`."""
    near = text[end : end + 100].partition("\n")[0]
    bare = near.lstrip(_WIDE_JOINTS)
    at = end + len(near) - len(bare)
    size = 0
    while size < len(bare) and bare[size] < "\u2e80" and not bare[size].isspace():
        size += 1
    value = bare[:size].rstrip(_STOPS)
    quoted = text[at - 1 : at] in _QUOTED
    if at == end or not is_told(value, quoted, bare[size : size + 8]):
        return None
    return at, at + len(value)
