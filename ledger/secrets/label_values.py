"""Tell secrets from words: what is drawn at random, and what behind a label is no placeholder or code.

Behind a label of any language the value has to be opaque; behind one that says `password` a word with a
number or a sign is one, too: `hunter2-Prod-88`. `optional`, `sha256-crypt`, `12-characters`, `db_password`
and `prod-db-2.internal` are none.
"""

from __future__ import annotations

from binascii import Error, a2b_base64
from itertools import pairwise

from ledger.model.record import cached
from ledger.secrets.match import expression

#: What stands in the place of a value, as a whole part of one; and within a word of letters.
_FILLINGS = frozenset(
    "examples change sample replace insert fake todo goes real aws4 none null".split()
)
_GLUED = tuple(
    "example placeholder changeme changethis redacted replaceme notreal dummy your".split()
)
#: What nobody draws.
_ROWS = ("****", "....", "123456789", "abcdefgh", "…")
_NAMES = (
    "password passwd passphrase secret token apikey api key test pass user admin my the access client "
    "default private public string value name auth some foo bar baz none null true false"
).split()
#: What vendors print in their own documents.
_PRINTED = (
    "IOSFODNN7EXAMPLE", "wJalrXUtnFEMI", "4eC39HqLyjWDarjtT1zdp7dc", "BQokikJOvBiI2HlWgH4olfQ2",
    "TYooMQauvdEDq54NiTphI7jx", "SflKxwRJSMeKKF2QT4fwpM", "16C7e42F292c6912E7710c838347Ae178B4a",
    "TJVA95OrM7E2cBab30RMHrHDcEfxjoYZgeFONFh7HgQ", "je7MtGbClwBF",
)  # fmt: skip
#: What stands around a name that another value takes the place of.
_BRACKETS = "<>${}[]()&*@%"
_VOWELS = frozenset("aeiouyAEIOUY")


def is_placeholder(value: str) -> bool:
    """Tell whether a value stands for another: `<token>`, `$TOKEN`, `changeme`, `xxxx`.

    A whole value does, or a whole part of one beside which nothing is drawn; never what drawn ones spell.
    """
    around = value[0] in _BRACKETS or value[-1] in ">})"
    if is_printed(value) or (around and is_wordy(value)):
        return True
    for mark in ("${", "{{", "<"):
        name = value.partition(mark)[2].partition("}")[0].partition(">")[0].partition(":")[0]
        if len(name) > 2 and is_wordy(name):
            return True
    low = value.lower()
    if len(set(low)) < (4 if len(low) < 9 else 5) or any(row in low for row in _ROWS):
        return True
    if any(char * 6 in low for char in set(low)):
        return True
    parts = _parts(value)
    filling = [
        low in _FILLINGS or (low.startswith(_GLUED) and _is_word(low))
        for low in map(str.lower, parts)
    ]
    return any(filling) and not any(
        len(part) > (7 if kinds_of(part) > 2 else 15) and is_random(part) and not _is_word(part)
        for part in parts
    )


def is_printed(value: str) -> bool:
    """Tell whether a value is one that vendors print in their own documents."""
    return bool([printed for printed in _PRINTED if printed in value])


def is_random(value: str) -> bool:
    """Tell whether a token's characters mix as drawn ones do.

    They mix letters with digits, or both cases, and repeat no more than chance does.
    """
    return kinds_of(value) > 1 and len(set(value)) >= min(8, 3 + len(value) // 4)


def kinds_of(value: str) -> int:
    """Return how many of these a value has: digits, small letters, capitals."""
    return (
        any("0" <= char <= "9" for char in value)
        + any("a" <= char <= "z" for char in value)
        + any("A" <= char <= "Z" for char in value)
    )


def is_wordy(value: str) -> bool:
    """Tell whether a value is made of words and small numbers: `retry-queue-v2`, `settings.API_KEY`."""
    return all(map(_is_word, _parts(value)))


def _parts(value: str) -> list[str]:
    for char in "-_./:\\+," + _BRACKETS:
        value = value.replace(char, " ")
    return value.split(" ")


def _is_word(part: str) -> bool:
    if part.isdigit():
        return len(part) <= 8
    letters = part.rstrip("0123456789")
    digits = len(part) - len(letters)
    if digits > 4 or not letters.isalpha():
        return not letters
    if len(letters) <= 3:
        return not digits or letters.islower()
    # one case, or a capital at the front of words that have vowels: camelCase, PascalCase
    humps = sum(char.isupper() for char in letters[1:])
    vowels = sum(char in _VOWELS for char in letters)
    return (letters.isupper() or humps * 4 <= len(letters)) and vowels * 6 >= len(letters)


def is_stock(value: str) -> bool:
    """Tell whether a value is little, or nothing but what documents use as placeholders and numbers."""
    rest = value.lower()
    for name in _NAMES:
        rest = rest.replace(name, " ")
    left = [part for part in _parts(rest.replace("!", " ")) if part and not part.isdigit()]
    few = rest != value.lower() and "".join(left).isalpha() and len("".join(left)) < 3
    return len(value) < 4 or not left or few


def distinct(value: str) -> int:
    """Return how many different characters a value has."""
    return len(set(value))


#: Names of passwords that people choose: weaker ones count; names of what machines draw.
PASSWORDS = (
    "password|passwd|passwort|passphrase|passcode|(?<=mot.de.)passe|(?<=motde)passe|(?<=palavra-)passe|pass|pwd|pw|psk|kennwort|contrase[ñn]a|clave|senha|mdp|"
    "wachtwoord|lösenord|hasło|şifre|парол|密码|密碼|口令|パスワード|비밀번호"
)
NAMED = "secret|token|key|credential|chave|jeton|clé|schlüssel|секрет|токен|ключ|密钥|令牌"
#: What names something that opens nothing: what is public, digests, what machines number, names, kinds.
OPEN = frozenset(
    "pk pub public sha sha1 sha256 sha384 sha512 md5 integrity h1 ssh id ids uuid img image file chunk "
    "index nonce hash build commit etag cid trace span req cache checksum digest fingerprint revision "
    "cursor value redacted boundary name version uses path src filename target type kind model mappings "
    "subject checkpoint branch sum function command channel mode pattern email rev format reference "
    "iv".split()
)
#: Words of which none is anybody's password, with a number or a sign: `sha256-crypt`, `password123`.
_SAID = frozenset(
    "password passwords passwd pass pwd secret token key user admin root test example sample demo dummy "
    "placeholder change changeme your string bytes chars characters default min max none true false null "
    "sha bcrypt scrypt argon pbkdf hmac aes rsa base utf oauth encrypted hashed hash salted encoded "
    "setting settings config policy policies env vault write read version form input value type".split()
)
_SIGNS = frozenset("!#%&@$?+=^*~§€")
_ENDS = ("-style", "-like", "-based", "-protected", "-encoded", "-character", "-characters")
#: What a name in a file system or a network ends in.
_TAILS = frozenset(
    "yml yaml json toml ini cfg conf env txt md rst html xml css js ts jsx tsx py rb go rs java kt php "
    "pl sh sql csv log lock pem key crt cer der p12 pfx jks kdbx gpg asc enc tmpl tpl j2 zip gz tar "
    "png jpg svg gif exe com net org io dev app local internal lan test localhost de fr uk eu".split()
)
#: How a digest begins, and an expression.
_HASHED = tuple("arn: urn: SCRAM-SHA- sha256: sha512: sha1: sha512- sha256- sha384-".split())
_CODE = ("process.", "os.", "env.", "self.", "this.", "secrets.", "config.", "vault:", *_HASHED)


def is_secret(value: str, chosen: bool, quoted: bool, named: bool) -> bool:
    """Tell whether the value behind the name of a secret is one.

    Args:
        value: without quotes; of what is a text in base64 the text is judged.
        chosen: whether the name is one of `PASSWORDS`.
        quoted: whether the value stands in quotes, or among the parts of a connection string.
        named: whether it is told what a key, a token or a secret opens: `jwt_secret`.
    """
    value = decoded(value) if value[-1:] == "=" else value
    if (
        quoted
        and len(value) > 31
        and distinct(value) > 24
        and kinds_of(value) > 2
        and " " not in value
    ):
        return not is_printed(value) and not is_wordy(value)  # as generators draw them
    if len(value) < 6 or not value.isprintable() or " " in value or is_placeholder(value):
        return False
    called = "(" in value and ("()" in value or ")." in value or value[-1] == ")")
    if is_stock(value) or "://" in value or value[0] in "/~.-" or called:
        return False
    if not quoted and ("(" in value or "[" in value):  # in quotes any character may stand
        return False
    if value[-1] > "\u2e7f" or value[0] > "\u2e7f":
        return False  # a sentence in a script without blanks
    code = _is_code(value) and not (quoted and named and not value.startswith(_CODE))
    if not code and (chosen or named) and is_worded(value):
        return True
    if not value.isascii() or _is_code(value) or value.rpartition(".")[2] in _TAILS:
        return False
    if len(value) > 7 and chosen and not is_wordy(value) and distinct(value) > 4:
        return any(map(str.isdigit, value)) and not value.isdigit()
    # it mixes as drawn ones do, in twelve characters with a digit or twenty without
    long, rich = (11, 7) if any(map(str.isdigit, value)) else (19, 11)
    return len(value) > long and is_random(value) and distinct(value) > rich and not is_wordy(value)


def is_drawn(value: str) -> bool:
    """Tell whether a value is drawn beyond doubt: of both cases and digits, or hex of 128 bits."""
    if len(value) < 20 or not is_random(value) or distinct(value) < 9 or value.startswith(_HASHED):
        return False
    return (kinds_of(value) > 2 and distinct(value) > 11) or (
        len(value) > 31 and not (value.strip(HEX) and value.strip(HEX.upper()))
    )


def _is_code(value: str) -> bool:
    """Tell whether a value is an expression or a path: `process.env.TOKEN`, `config/secret.yml`."""
    if value.startswith(_CODE):
        return True
    parts = value.replace("?.", ".").replace("!.", ".").split(".")
    asked = ".".join(parts) != value  # `reply.usage?.tokens_2`
    return len(parts) > 1 and all(
        part.replace("_", "").isalpha() or (asked and part.isidentifier()) for part in parts
    )


def is_worded(value: str) -> bool:
    """Tell whether words with a number or a sign among them are a password that somebody chose."""
    low = value.lower()
    if "&#" in low or low.endswith(_ENDS) or value[0] in "/\\.-" or not _PATHS.isdisjoint(value):
        return False
    pieces = _PIECES.findall(value)
    if "." in value and low.rpartition(".")[2] in _TAILS:
        return False
    own = [word for word in pieces if word.isalpha() and word.lower() not in _SAID]
    if sum(map(len, own)) < 4:
        return False
    numbered = any(map(str.isdigit, pieces)) and not _COUNTED.fullmatch(value)
    return numbered or not _SIGNS.isdisjoint(pieces)


_PATHS = frozenset("/\\:")
#: How many of something: `12-characters`, `90days`, `3x`.
_COUNTED = expression(r"\d+[-_]?[a-z]+")
#: A word of a value, with its capital; its numbers; its signs.
_PIECES = expression(r"[^\W\d_]?[^\W\d_A-Z]+|[A-Z]+(?![a-z])|\d+|[!#%&@$?+=^*~§€]")
HEX = "0123456789abcdef"
#: A UUID; a digest that says so or ends a path or an id; a pod; a package's version; a line at a commit.
_ID = expression(
    r"(?i)\{?[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\}?|sha\d{1,3}[.:-][0-9a-f]{7,}"
    r"|(?<=[a-z]/)[0-9a-f]{7,64}\Z|-[0-9a-f]{8,10}-[a-z0-9]{5}\Z|(?<=[a-z]{4}-)[0-9a-f]{8}\Z"
    r"|^[a-z]+@\d+(?:\.\d+)+|^\d+(?:-\d+)?@[0-9a-f]{7,40}\Z"
)
#: A value with a form of its own: a number with its unit, a version, a date, an address, a colour.
_FORMED = expression(
    r"""(?x)[~^<>=v!]{0,3}(?!\d{7,}[a-zA-Z])\d[\d.,:/+x*%_-]*(?:(?:[a-zA-Z%°µ]{1,2}|min|rem|sec|fps|[KMG]iB)(?:/[a-z]{1,3})?)?
    |[~^<>=v]{0,3}\d+(?:\.[\dx*]+)+(?:[-+.]?[a-z]++(?:[-.]?\d++)?+)*+(?:[-.+]\w+)*
    |\d{4}-\d\d-\d\d[\w:.,+-]*|--[a-z-]+=\S*
    |(?:[a-z\d-]+\.)+[a-z]{2,4}(?::\d+)?(?:/[a-z\d.-]*)*
    |[\w.+-]+@[\w-]+(?:\.[\w-]+)*\.[a-zA-Z]{2,}
    |\#[0-9a-fA-F]{3,8}|0x[0-9a-fA-F]+|[0-9A-Fa-f]{2,8}(?::[0-9A-Fa-f]{2,8}){2,}:?
    |\d{8}T\d{6}Z?|\$(?:[A-Z_][A-Z0-9_]*|[a-z_]+)
    """
)
#: What a value holds beside words: numbers, a hash of 7, 40 or 64 digits, a colour.
_NUMBERS = expression(
    r"(?<!\w)(?:v?\d+|[0-9a-f]{7}|[0-9a-f]{40}|[0-9a-f]{64}|#[0-9a-fA-F]{3,8})(?![A-Za-z0-9])|(?<=[a-z])V\d\Z"
)
_AROUND = "!#$%^*"
_UNSIGNED = str.maketrans("", "", _AROUND)
#: The pieces of a value: words, also in `camelCase`, numbers, and what stands between them.
_RUNS = expression(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^A-Za-z0-9]+")
#: What documents number: `S3-R48-C2`, `CC-BY-4.0`; constants.
_NUMBERED = expression(
    r"[A-Z]{1,5}\d{0,4}(?:[-.](?:[A-Z]{1,5}\d{0,4}(?:[A-Z]\d{1,4})?|\d+))+"
    r"|[A-Z]{2,}(?:_(?:[A-Z]+\d{0,3}|\d+|[A-Z]\d[A-Z]))+"
)
#: Words of two letters, and without a vowel, that names in code have.
_SMALL = frozenset(
    "by id is to of on in at or my no up ok io ui db js ts ip go as if us http html xml css".split()
)
_CLUSTER = expression(r"[^aeiouy]{5}|[aeiou]{5}|(.)\1\1")
#: Letters that hardly any word of documents and code has side by side: behind the first, the second ones.
_APART = {
    row[0]: row[1:]
    for row in (
        "aae bgknpqvwxz cgjnqvwxz dhjkqwxz fghjkmnpqvwxz gbcdfjkqvwxz hcdfghjkpqvwxz iijw "
        "jbcdfghjklmnpqrtvwxyz kbcfghjkmpqvwxz ljqrwxz mfghjknqrvwxz nrx oeq pbjnqvwxz "
        "qabcdefghijkmnopqrstvwxyz rjqxz sbjnrxz tjknqvx uhjquw vbcdfghjklmnpqstvwxyz "
        "wbcdfgjklmpqtuvwxyz xbdfghjklmnqrsuvwxyz ydhjkqrvwxyz zbcdfghjkmnpqrsvwxy"
    ).split()
}


#: In names of code, shortened values, addresses and patterns: what holds one is none that was drawn.
_OF_CODE = ("::", "...", "://", ";base64", "\\x", "[A-Z")
#: What calls something, up to its end or a bracket; what stands in brackets; a pattern.
_CODED = expression(r"(?s)[\w.$%<>?!@&]*[(\[{`\"].*[)\]}`\"({\[;]|\^.*[\[(\\].*\$")


def decoded(word: str) -> str:
    """Decode base64 that holds plain text; return anything else as it is."""
    bare = word.rstrip("=").replace("-", "+").replace("_", "/")
    try:
        made = a2b_base64((bare + "=" * (-len(bare) % 4)).encode()).decode("ascii")
    except (Error, ValueError):
        return word
    return made if made.replace("\n", "").replace("\t", "").isprintable() else word


def is_opaque(value: str) -> bool:
    """Tell whether a value behind any label can be nothing but a secret.

    It mixes two classes of characters in eight or more, or is long and no word, and has none of the forms
    that other values have: a path, an address without a user, a version, a date, a host, a number with a
    unit, a UUID, a hash of 40 or 64 digits, an identifier made of words.
    """
    value = decoded(value) if value[-1:] == "=" else value
    if (
        not 8 <= len(value) <= 200
        or not value.isascii()
        or value[0] in "/~.\\:"
        or value[1:3] == ":\\"
    ):
        return False
    if value.rpartition(".")[2].partition(":")[0] in _TAILS:
        return False
    if value.isalpha() and (value[1:].islower() or value.isupper()) and len(value) < 16:
        return False
    if any(sign in value for sign in _OF_CODE) or value.startswith(_HASHED):
        return False
    if "," in value and not any(map(is_opaque, value.split(","))):
        return False
    if _CODED.fullmatch(value) or _FORMED.fullmatch(value) or _NUMBERED.fullmatch(value):
        return False
    if _is_named(_ID.sub("", value)):
        return False
    return not is_placeholder(value.lstrip("$%&*@")) and not is_stock(value)


def _is_named(value: str) -> bool:
    """Tell whether a value is an identifier: most of it words, and a single one has no number within."""
    single = value.translate(_UNSIGNED).isalnum()
    runs = ["", *_RUNS.findall(_NUMBERS.sub("", value).strip(_AROUND)), ""]
    words = odd = 0
    for before, run, after in zip(runs, runs[1:], runs[2:], strict=False):
        lone = not (before.isalnum() or after.isalpha())
        if run.isdigit():
            odd += (1 + len(run) + 3 * bool(after)) * single or 2 * after.isalpha()
        elif not run.isalpha():
            odd += 3 * (run[0] in _SIGNS and bool(after) and before.isalnum())
        elif len(run) > 2 and _sounds(run) and (not run.isupper() or (lone and len(run) > 3)):
            words += len(run) * (len(run) > 3)
        elif run.lower() not in _SMALL:
            odd += max(len(run), 3 * single)
    return not odd or (words >= odd * 2 if single else words * 3 >= odd * 4)


@cached(4096)
def _sounds(word: str) -> bool:
    """Tell whether a word has vowels and neighbours as words have them."""
    word = word.lower()
    apart = sum(other in _APART.get(one, "") for one, other in pairwise(word))
    vowels = sum(map(word.count, "aeiouy"))
    return apart * 8 <= len(word) <= vowels * 6 and not _CLUSTER.search(word)
