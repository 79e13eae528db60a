"""Find passwords on a program's command line: `mysql -pX`, `curl -u name:X`, `sshpass -p X`.

A flag counts behind a program on the same line whose flag it is (fault:L9).
"""

from __future__ import annotations

from ledger.secrets.entropy import is_placeholder, is_stock, is_wordy
from ledger.secrets.match import Hit, hit, places
from ledger.secrets.word_passwords import is_worded

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

#: programs: flags; one that ends in a blank has its value behind it, any other at it.
_PROGRAMS = {
    ("mysql", "mariadb", "sshpass", "7z"): ("-p",),
    ("curl", "wget"): ("-u ", "--user ", "--proxy-user "),
    (
        "sshpass", "mongo", "cqlsh", "docker login", "podman login", "nerdctl login", "registry login",
        "oras login", "skopeo login", "crane auth", "az login",
    ): ("-p ",),
    ("smbclient", "rpcclient"): ("-U ",),
    ("lftp",): ("-u ",),
    ("mosquitto",): ("-P ",),
    ("plink", "pscp", "psftp"): ("-pw ",),
    ("redis-cli",): ("-a ", "--pass "),
    ("sqlcmd", "bcp ", "zip "): ("-P ",),
    ("ldapsearch", "ldapmodify", "ldapadd", "ldapwhoami"): ("-w ",),
    ("openssl",): ("pass:",),
    ("http ", "https ", "xh "): ("-a ", "--auth "),
    ("ssh-keygen",): ("-N ",),
    ("rar ",): ("-hp", "-p"),
    # whatever program is told a name is told its password behind it
    (" -u ", " -U ", "--user", "/u:"): ("-p ", "-P ", "-pw ", "/p:"),
}  # fmt: skip
_LOOSE = "/u:"
#: Flags that take `name:password`, of all programs and of one.
_NAMED, _HTTPIE = ("-u ", "-U ", "--user ", "--proxy-user ", "--auth "), "http "
#: How far before a flag its program stands, and how long a value may be.
_NEAR, _CAP = 200, 256
_QUOTES = "\"'`"
_END = (" ", "\n", "\t", ";", "|", ")", "& ", "&&", "&\n", "`", '"', "'", "<", ">")


def find_flags(text: str) -> Iterator[Hit]:
    """Find the passwords that flags bear."""
    fronts = _fronts(text)
    if not fronts and "pass:" not in text and " /p:" not in text:
        return
    for programs, flags in _PROGRAMS.items():
        # a flag is rarer than a text that could hold one, and its programs are many
        there = [flag for flag in flags if (flag[:2] in fronts or flag[0] != "-") and flag in text]
        known = [program for program in programs if program in text] if there else []
        for at, flag in [(at, one) for one in there if known for at in places(text, one)]:
            line = text[max(0, at - _NEAR) : at].rpartition("\n")[2]
            if line[-1:] in (" ", '"', "'") and any(program in line for program in known):
                named = flag in _NAMED or _HTTPIE in programs
                place = _value(text, at + len(flag), flag, named)
                if place is not None and (_LOOSE not in programs or _is_mixed(text[slice(*place)])):
                    yield hit("credential", *place)


def _is_mixed(value: str) -> bool:
    """Tell whether a value is no port, path or name: letters of both cases, and digits."""
    kinds = any(map(str.isdigit, value)), not value.islower(), not value.isupper()
    return all(kinds) and not any(char in "/:@." for char in value) and not is_wordy(value)


def _fronts(text: str) -> set[str]:
    """Return the first two characters of all flags that a text may have; a comment's end is none."""
    return {
        text[at + 1 : at + 3]
        for lead in (" -", "'-", '"-')
        for at in places(text, lead)
        if text[at + 1 : at + 4] != "-->"
    }


def _value(text: str, at: int, flag: str, named: bool) -> tuple[int, int] | None:
    """Return where the password of a flag stands; where it is `named` that is the half behind a name."""
    near = text[at : at + _CAP]
    at += len(near) - len(near.lstrip(" "))
    if flag[-1] != " " and near[:1] == " ":
        return None  # the program asks for it
    opened = text[at - len(flag) - 1 : at - len(flag)] if flag == "pass:" else ""
    quote = text[at : at + 1]
    near = text[at : at + _CAP]
    if opened in ("'", '"'):
        end = near.partition("\n")[0].find(opened)
    elif quote and quote in _QUOTES:
        at, near = at + 1, near[1:]
        end = near.partition("\n")[0].find(quote)
    else:
        end = min([stop for stop in map(near.find, _END) if stop >= 0], default=len(near))
    if not 0 < end < _CAP - 1:
        return None
    value = near[:end].rstrip(".,")
    if named:
        sign = next((one for one in ":%," if one in value), ":")  # `name%password` of Samba
        name, colon, value = value.partition(sign)
        if not colon or "://" in near[:end]:
            return None
        at += len(name) + 1
    if len(value) < 5 or is_placeholder(value) or is_stock(value):
        return None
    if is_wordy(value) and not is_worded(value, alone=True) and not any(map(str.isdigit, value)):
        return None
    return (at, at + len(value))
