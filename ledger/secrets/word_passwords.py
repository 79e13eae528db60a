"""Tell a password made of words from the words that documents, code and settings put in its place.

`hunter2-Prod-88`, `Sommer2026!` and `correct-horse-battery-staple` are passwords; `optional`,
`sha256-crypt`, `12-characters`, `db_password` and `prod-db-2.internal` are not. What is left of a value
without the words that are said *of* passwords decides.
"""

from __future__ import annotations

#: Words of which none is anybody's password: kinds of values, ways to keep one, what is done with one.
_SAID = frozenset((
    "string str text bool boolean true false none null nil void int integer number float bytes byte bit "
    "bits char chars character characters object array list dict map any unknown type optional required "
    "mandatory empty blank unset set not undefined default value values field fields input output param "
    "params parameter parameters arg args argument arguments name names id ids uuid var variable const "
    "constant literal self this that data json yaml toml xml html your my the a an some our example "
    "placeholder change changeme changeit changed me please replace insert here enter dummy sample foo "
    "bar baz todo tbd fixme xxx redacted hidden masked removed secret secrets password passwords passwd "
    "passphrase pass pwd pw token tokens key keys credential credentials auth login user username users "
    "admin root test tests testing demo temp tmp localhost postgres mysql redis guest shadow options "
    "command sha md bcrypt scrypt argon pbkdf base utf aes rsa dsa ecdsa ed hmac oauth http https tcp "
    "udp rot crc ipv python node java php ruby rust rfc iso ntlm tls ssl ssh ec gcm cbc jwt jwe jws "
    "saml ldap kerberos radius scram plain plaintext encrypted hashed hash salted salt encoded encoding "
    "encode decode digest checksum hex url uri basic bearer opaque pem pkcs der x crypt des ascii latin "
    "unicode ansi posix unix windows linux prompt ask asked reset forgot forgotten confirm confirmation "
    "repeat verify verified validate validated validation validator check checked strength strong weak "
    "policy policies min minimum max maximum length size count limit valid invalid wrong correct "
    "incorrect missing present enabled disabled enable disable allow allowed deny denied reject trust "
    "ident peer manager store stored storage vault file files path dir folder env environment config "
    "configuration setting settings provider service server client api app access public private get "
    "put post new old current next last first previous read write only days day hours hour minutes "
    "minute seconds second sec weeks week months month years year expires expired expiry ttl version "
    "alpha beta rc final release snapshot stable latest style like based protected aware sensitive case "
    "free less way factor time line lines item items index row column col page form step level stage "
    "phase part section rule attempt auto manual random generated generate generator development "
    "production inherit external internal local remote shared global system request response header "
    "body query cookie session is are was be been by to of in on at for from with and or no yes if when "
    "per as it its must should can will dein deine ihr ihre mein passwort kennwort geheim geheimnis "
    "zeichen mindestens leer pflicht erforderlich beispiel votre ton mon mot de passe obligatoire "
    "exemple vide caracteres tu su contraseña contrasena clave obligatoria ejemplo requerida senha sua "
    "seu obrigatória exemplo ваш пароль пример обязателен pflichtfeld pflichtangabe freiwillig "
    "obligatorio requerido obrigatório requis requise facultatif facultative opcional"
).split())  # fmt: skip
#: Those of them that a password may have, too, beside its own: `snorkel-time`.
_COMMON = frozenset(
    "time line new old day days week month year last first next free way part step a the "
    "my our of and".split()
)
#: Words of a sentence that is about a password; and how such words end.
_TOLD = frozenset(
    "written broken chosen stolen forgotten unknown known common simple unique static dynamic separate "
    "identical obsolete stronger weaker longer shorter another something nothing anything nowhere "
    "everywhere somewhere elsewhere enough intact accurate already absent outside inside overwritten "
    "frozen sufficient cleartext mangled other public necessary available there where here really "
    "almost never always continue proceed expire before behind within without during ready "
    "useless longest shortest between different consistent important relevant persistent redundant "
    "compliant permanent insufficient transparent current recent present dependent independent "
    "equivalent meaningful helpful useful successful "
    "verschlüsselt gespeichert gehasht falsch richtig ungültig abgelaufen hinterlegt gesetzt nötig "
    "notwendig vergessen bekannt oublié stocké chiffré haché incorrecte expiré valide requis "
    "nécessaire guardada cifrada incorrecta caducada almacenada necesaria correcta armazenada "
    "criptografada incorreta expirada necessária correta validada неверный верный хранится зашифрован "
    "нужен должен задан указан устарел".split()
)
_ADJECTIVES = tuple(
    "ed able ible ing ly ive less ous ary ory ial ual ical ado ada "
    "ido ida ório ória orio oria oire é ée ен ена ан ся ный".split()
)
_NAMES = ("password", "secret", "token", "key", "passwd", "name", "id", "hash", "value", "passwort")
_SIGNS = frozenset("!#%&@$?+=^*~§€")
#: Small words that a passphrase may hold.
SMALL = frozenset("the a an my our to of in on at and or is are for from by".split())
#: What no passphrase holds, and what a document says in its place does.
_META = frozenset(
    "your enter password passwords passphrase passwd pwd secret token key username user login must "
    "should can cannot characters required optional string value field invalid incorrect wrong forgot "
    "reset confirm confirmation repeat new change here not found please choose use using when if this "
    "that which will be been was has have with without into as it its than then less more least one "
    "contraseña senha passwort kennwort mot passe пароль access account email name set get all any "
    "each authentication authorization does do doesn't no yes per stored kept read written encrypted "
    "hashed file config".split()
)
_PATHS = ("/", "\\", "::", ":")
ENDS = ("-style", "-like", "-based", "-protected", "-encoded", "-character", "-characters")
#: What a name in a file system or a network ends in.
_TAILS = frozenset(
    "yml yaml json toml ini cfg conf env txt md rst html xml css js ts jsx tsx py rb go rs java kt php "
    "pl sh sql csv log lock pem key crt cer der p12 pfx jks kdbx gpg asc enc tmpl tpl j2 zip gz tar "
    "com net org io dev app local internal lan test localhost de fr uk eu".split()
)


def is_worded(value: str, *, alone: bool = False) -> bool:
    """Tell whether words are a password that somebody chose.

    Args:
        value: without a blank, or the words of a passphrase.
        alone: whether words alone are one, with no number and no sign among them.
    """
    low = value.lower()
    if (
        "&#" in low
        or low.endswith(ENDS)
        or value[0] in "/\\.-"
        or any(mark in value for mark in _PATHS)
    ):
        return False
    words, numbers, signs = _parts(value)
    if "." in value and low.rpartition(".")[2] in _TAILS:
        return False
    own = [word for word in words if word.lower() not in _SAID]
    size = sum(map(len, own))
    if size < 4:
        return False
    if signs or numbers:
        return bool(signs) or not _is_counted(value)
    if not alone or size < 6:
        return False
    if len(own) == len(words) or (
        size > 6 and all(word in own or word.lower() in _COMMON for word in words)
    ):
        return True
    titled = len(words) > 2 and all(word.istitle() for word in words)
    return (len(own) > 1 or titled) and words[-1].lower() not in _NAMES


def is_plain(word: str) -> bool:
    """Tell whether one word of a sentence can be a password, being no word that sentences say of one."""
    low = word.lower()
    endings = _ADJECTIVES if len(low) < 13 else _ADJECTIVES[:4]  # `purpleelephant`
    ends = low.endswith(endings) or low.rstrip("s").endswith(endings)
    return low not in _TOLD and not ends and is_worded(word, alone=True)


#: How the one half of two words begins or ends that tell of what kind something is: `well-known`.
_KINDS = frozenset(
    "well user one two per non top out read case machine self auto pre post multi single time far low "
    "high long short hard easy near cross third end half full semi built client server".split()
)
_KIND_ENDS = tuple("ed able ible ing ly less ful safe proof wide ific side ant ent".split())


def is_coupled(value: str) -> bool:
    """Tell whether two small words are put together that say nothing of a kind: `magnolia-drive`."""
    one, sign, two = value.partition("-")
    return (
        bool(sign) and (one + two).isalpha() and value.islower() and min(len(one), len(two)) > 2
        and one not in _KINDS and not two.endswith(_KIND_ENDS) and two not in _SAID
    )  # fmt: skip


def is_joined(value: str) -> bool:
    """Tell whether two words or more are put together as no text does: `Quiet-Falcon`, `tin_roof`."""
    parts = value.rstrip("!?").replace("_", "-").replace(".", "-").split("-")
    cased = all(len(part) > 2 and part[0].isupper() and not part.isupper() for part in parts)
    if not "".join(parts).isalpha():
        return False
    return (
        len(parts) > 1
        and (cased or ("_" in value and "-" not in value and value.islower()))
        and is_worded(value, alone=True)
    )


def is_phrase(value: str, least: int = 3) -> bool:
    """Tell whether so many words or more, with blanks between, are a passphrase: `gravy train 1987`."""
    words = [word.strip(",;.!") for word in value.split(" ")]
    return (
        least <= len(words) < 13
        and (value.islower() or value.istitle() or any(map(str.isdigit, value)))
        and all(word.isalnum() and word.lower() not in _META for word in words)
        and (len(words) > 2 or not any(map(is_said, words)))
        and sum(len(word) > 2 and word not in SMALL for word in words) > 1
    )


def is_said(word: str) -> bool:
    """Tell whether a word is one that tells of passwords, so that it is half of none."""
    low = word.lower()
    return low in _TOLD or low in _SAID - _COMMON or low.endswith(_ADJECTIVES[:5])


def _parts(value: str) -> tuple[list[str], int, int]:
    """Cut a value into its words, also at the humps of `camelCase`; count its numbers and its signs."""
    words: list[str] = []
    word = ""
    numbers = signs = 0
    was_digit = False
    for char in value:
        if char.isalpha():
            if char.isupper() and word and not word[-1].isupper():
                words.append(word)
                word = ""
            word += char
        else:
            if word:
                words.append(word)
                word = ""
            numbers += char.isdigit() and not was_digit
            signs += char in _SIGNS
        was_digit = char.isdigit()
    return ([*words, word] if word else words), numbers, signs


def _is_counted(value: str) -> bool:
    """Tell whether a value says how many of something: `12-characters`, `90days`, `3x`."""
    return (
        value[0].isdigit() and value.lstrip("0123456789").lstrip("-_").isalpha() and value.islower()
    )
