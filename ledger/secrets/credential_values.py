"""Tell whether what a name announces is a credential, and not what documents and code put in its place."""

from __future__ import annotations

from ledger.secrets.credential_names import CHOSEN
from ledger.secrets.entropy import (
    distinct,
    is_placeholder,
    is_printed,
    is_random,
    is_stock,
    is_wordy,
)

_QUOTES = "\"'`"


def is_drawn(value: str) -> bool:
    """Tell whether a value is drawn beyond doubt: of both cases and digits, or hex of 128 bits."""
    if len(value) < 20 or not is_random(value) or distinct(value) < 12:
        return False
    mixed = not value.islower() and not value.isupper() and any(map(str.isdigit, value))
    return mixed or (len(value) > 31 and not value.strip("0123456789abcdefABCDEF"))


def is_told(value: str, quoted: bool, behind: str) -> bool:
    """Tell whether what a sentence calls a password is one, and no word that says how it is kept."""
    if not 6 <= len(value) < 80 or not value.isascii() or is_placeholder(value) or is_stock(value):
        return False
    if (
        _is_code(value)
        or "://" in value
        or value[0] in "/~."
        or any(char in value for char in " ()[]")
    ):
        return False
    bare = value.lower().replace("-", "").replace("_", "")
    if not any(char.isalpha() for char in value) or bare.startswith(_KEPT):
        return False
    if value.isalpha():
        return quoted and not value.islower() and not value.isupper() and not is_wordy(value)
    digits = any(char.isdigit() for char in value)
    if is_wordy(value):
        ends = (
            not behind
            or behind[0] in "\n.,;!)\"'`|"
            or behind.startswith((" on ", " for ", " at ", " in "))
        )
        return digits and value.isalnum() and (quoted or ends)
    return digits or (quoted and any(char in value for char in "!#%^&@$?+="))


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


#: What is said of how a password is kept or made.
_KEPT = (
    "sha", "md5", "md4", "bcrypt", "scrypt", "argon", "pbkdf", "base64", "base32", "base58", "utf", "aes",
    "rsa", "ed25519", "hmac", "oauth", "http", "x509", "rot13", "crc", "ipv", "python", "node", "java",
    "rfc", "iso", "ntlm", "tls", "ssl", "ec2", "s3", "k8s", "v1", "v2", "v3",
)  # fmt: skip


def is_secret(value: str, name: str, quoted: bool, strict: bool, server: bool) -> bool:
    """Tell whether a value is a secret, and not what documents and code put in its place."""
    if quoted and len(value) > 31 and distinct(value) > 24 and is_strong(value):
        return not is_printed(value)  # of any characters, as generators draw them
    if len(value) < 6 or " " in value or "\t" in value or is_placeholder(value):
        return False
    if is_stock(value) or not value.isascii() or "://" in value:
        return False
    if value[0] in "/~.-" or _is_call(value, quoted):
        return False
    if not strict and (quoted or server) and name in CHOSEN:
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
        at = value.find("(")
        return at >= 0 and ("()" in value or value[-1] == ")" or value[:at].isidentifier())
    return any(char in value for char in "()[")


def _is_code(value: str) -> bool:
    """Tell whether a value is an expression or a path: `process.env.TOKEN`, `config/secret.yml`."""
    if value.startswith(
        ("process.", "os.", "env.", "self.", "this.", "secrets.", "config.", "vault:")
    ):
        return True
    if value.startswith(("arn:", "sha256:", "sha512:", "sha1:", "sha512-", "sha256-", "sha384-")):
        return True
    parts = value.split(".")
    return len(parts) > 1 and all(part.replace("_", "").isalpha() for part in parts)
