r"""Find secrets by patterns, each behind a mark that a text has to hold, and by words that open something.

A text without a mark costs one search for it. A pattern is matched at its mark, never searched for, and
every repeat has a limit: linear in the text (fault:G23).
"""

from __future__ import annotations

from ledger.secrets.label_values import (
    HEX,
    decoded,
    distinct,
    is_placeholder,
    is_random,
    is_stock,
    is_worded,
    is_wordy,
    kinds_of,
)
from ledger.secrets.match import Hit, expression, hit

#: How a value has to look: no placeholder; drawn at random; no mere word; many words; digits; letters of
#: both cases with a digit; base64 of `name:password`; drawn, or words with a number.
ANY, DRAWN, CHOSEN, WORDS, DIGITS, MIXED, PAIR, MADE = range(8)
#: A code that a person keeps; what a function is given behind a name.
_CODE = r"(?=[a-z-]{0,12}\d)(?=[\w-]{4})[a-z0-9]{2,10}(?:-[a-z0-9]{2,10}){0,5}"
_GIVEN = (
    r"[a-z]+(?:=| = )?\(\s{0,40}(?:[\"'][^\"'\n]{0,80}[\"'],\s{0,40})?"
    r"(?:[\"'][^\"'\n]{1,80}[\"']|[\w.$-]{1,60}),\s{0,40}(?:Some\()?[\"'`]([^\"'`\s]{6,80})[\"'`]"
)
#: Programs, and the flags of theirs behind which a password stands.
_NAMED = r"[\"']?[^\s:%,\"']{1,60}[:%,](?!//)"
_FLAGS = (
    (("mysql", "mariadb", "sshpass", "7z ", "rar "), " -h?p"),
    (
        ("curl ", "wget ", "http ", "https ", "xh "),
        rf" (?:-[ua]|--user|--proxy-user|--auth)[ =]{_NAMED}",
    ),
    (("smbclient", "rpcclient", "lftp"), rf" -[uU] {_NAMED}"),
    (("sshpass", "mongo", "cqlsh", " login ", "crane auth"), " -p "),
    (("mosquitto", "sqlcmd", "bcp ", "zip "), " -P "),
    (("redis-cli",), " (?:-a|--pass) "),
    (("ldapsearch", "ldapmodify", "ldapadd", "ldapwhoami"), " -w "),
    (("ssh-keygen",), " -N "),
)
_BEHIND = r"[\"']?(?![$<{%*])([^\s\"'`;|)<>]{5,100})"
#: A row: rule, how a value has to look, marks, pattern from the mark on (its group is the value, or all).
ROWS = (
    ("password-hash", ANY, ("$2a$", "$2b$", "$2y$"), r"\$2[aby]\$\d\d\$[./A-Za-z0-9]{53}(?![./\w])"),
    ("password-hash", DRAWN, ("$1$", "$5$", "$6$", "$y$", "$apr1$"),
     r"\$(?:1|5|6|y|apr1)\$(?:rounds=\d{1,9}\$)?[./\w]{1,32}\$[./\w$]{22,140}+"),
    ("password-hash", DRAWN, ("$argon2", "$scrypt$", "$pbkdf2", "pbkdf2_sha"),
     r"\$?(?:argon2\w{1,2}|scrypt|pbkdf2[\w-]{0,16})\$[\w=,.$+/-]{32,300}+"),
    ("password-hash", DRAWN, ("{SSHA",), r"\{SSHA\d{0,3}\}[A-Za-z0-9+/]{27,120}+=*+"),
    ("azure-sas", DRAWN, ("sv=", "sp=", "se=", "st="),
     r"s\w=[^\s\"'<>]{0,400}?[&?]sig=([\w%+/-]{40,120}=?)"),
    ("azure-sas", DRAWN, ("sig=",),
     r"(?<=[?&;])sig=((?=[\w%+/-]{37,120}(?:%3[Dd]|=)(?![\w%]))[\w%+/-]{40,120}=?)"),
    ("credential", CHOSEN, (":5432:", ":3306:", ":1433:"),
     r":\d{4}:[\w*-]{1,60}:[\w*.-]{1,60}:([^\s:]{5,120})"),
    ("signed-url", DRAWN, ("ignature=",), r"(?<=[-&?]S|[-&?]s)ignature=([\w%+/~-]{32,800}+)"),
    ("url-token", DRAWN,
     ("?code=", "&code=", "?key=", "&key=", "?auth=", "&auth=", "?ticket=", "?invite="),
     r".\w+=([\w%+/=.~-]{28,800}+)"),
    ("session-cookie", DRAWN, ("sessionid=", "SESSID=", "SESSIONID=", ".sid=", "_session="),
     r"[\w.]+=(?:s%3A)?(?![0-9a-f]{8}-[0-9a-f]{4}-)([\w%+/=.~-]{20,800}+)"),
    ("credential", MIXED, ("lient(",), r"lient\([\"']([\w-]{32,200}+)[\"']"),
    # what programs print, and headers
    ("jwt", DRAWN, ("eyJ",),
     r"(?<![\w.-])eyJ[\w-]{13,8000}+\.(?:(?=ey|e3|eW)[\w-]+|[\w-]*\.[\w-]+\.[\w-]+)\.[\w-]{16,8000}+"),
    ("aws-secret-key", DRAWN, ("AKIA", "ASIA"),
     r"[A-Z0-9]{20}[^A-Za-z0-9][\s\S]{0,200}?(?<![\w/+=-])((?![0-9a-f]{40})[A-Za-z0-9/+]{39}[A-Za-z0-9/+=])"
     r"(?![\w/+=-])"),
    ("session-cookie", DRAWN, ("ookie: ",),
     r"ookie: (?:[^;\n]{0,200}; ?){0,8}?[\w.-]{1,60}=[\"']?([\w%+/=.~-]{16,800}+)(?=[;\s\"']|$)"),
    ("json-web-key", DRAWN, ('"kty"',),
     r'"kty"(?:[^{}"]++|"(?!(?:d|kty)"))*+"d"\s{0,4}:\s{0,4}"([\w-]{43,700}+)"'),
    ("azure-storage-key", DRAWN, ('"keyName"',),
     r'"keyName"[^{}]{0,120}?"value"\s{0,4}:\s{0,4}"([A-Za-z0-9+/]{86}==)"'),
    ("credential", PAIR, ("Basic ",), r"Basic ([A-Za-z0-9+/]{12,400}={0,2})"),
    # what a person keeps
    ("seed-phrase", WORDS, ("nemonic", "phrase"),
     r"[^\n:=]{0,60}(?:[:=]| is)[\s\"'`*]{1,6}((?:[a-z]{3,8}[ ,]{1,2}){11,23}[a-z]{3,8})(?![a-z])"),
    ("recovery-code", DIGITS, (" code", "-Code"),
     r"(?:(?<=covery)|(?<=curity)|(?<=ackup)|(?<=ratch))[ -][Cc]odes?:\s{1,3}(?:- )?"
     rf"((?:{_CODE}[,;\s]{{1,3}}(?:[-*] )?){{0,15}}{_CODE})(?![\w-])"),
    ("credential", DIGITS, ("PIN: ",), r"(?<![A-Za-z])PIN: (\d{4,8})(?!\w|[.,-]\w)"),
    ("credential", CHOSEN, ("bindpw ", "requirepass ", "masterauth ", "storepass ", "keypass "),
     r"\w+[ \t]{1,8}([^\s\"'`]{5,100})"),
    ("credential", CHOSEN, (" secret 0 ", " secret 5 ", " secret 7 ", " password 0 ", " password 7 "),
     r" \w+ \d ([^\s\"'`]{5,100})"),
    ("credential", CHOSEN, ("login ",),
     r"login \S{1,80}\s{1,8}(?:account \S{1,80}\s{1,8})?password[ \t]{1,8}([^\s\"'`]{5,200})"),
    ("credential", MADE, ("username ",), r"(?<![^\n])username \S{1,60} password ([^\s\"'`]{5,100})"),
    ("credential", CHOSEN, ("nmcli ",), r"nmcli [^\n]{1,100}? password ([^\s\"'`]{5,100})"),
    ("credential", DRAWN, ("uthorization:", "UTHORIZATION:", 'uthorization":'),
     r"[Uu]\w+[\"']?:[ \t]{0,4}[\"']?(?:[A-Za-z-]{3,16} {1,2})?([\w.~+/=:%-]{16,8000}+)"),
    ("credential", DRAWN, ("earer ",), r"earer {1,2}[\"'`]?([\w.~+/=-]{16,8000}+)"),
    ("credential", CHOSEN, ("assword(", "oken(", "ecret(", "Pass("),
     r"(?:(?<=setP)|(?<=setT)|(?<=setS)|(?<=set)|(?<=ithP)|(?<=\.p))\w+\([\"'](?:\{noop\})?([^\"'\s]{5,100})[\"']"),
    # a user and what lets them in
    ("credential", CHOSEN, ("u: ", "SSID"),
     r"u: \S{1,60}[ ,;/|]{1,4}(?:p|P|pw|PW|pass): ?([^\s,;]{6,80})"
     r"|SSID:? ?[\w.-]{2,32}[,;/|]? {1,3}(?i:key|passw\w{2,4}|pw|psk)[: ]{1,3}([^\s,;]{8,63})"),
    ("credential", ANY, ("SPECIFIC_PASSWORD", "APP_PASSWORD"),
     r"\w+[=:][\s\"'`]{0,2}([a-z]{4}(?:[ -][a-z]{4}){3})(?![\w-])"),
    ("credential", MADE,
     ("reds", "edential", "ogin", "uth", "ser/pass", "ser/pw", "gangsdaten", "entifiants", "edenciales"),
     r"[a-z/]+(?: (?:for|of|to|on) [^\n.:]{1,40}?)?(?: ?[:=]| ->) ?[\"'`]?[\w.@-]{1,60}[\"'`]?"
     r" ?(?://|[/:|]) ?[\"'`]?([^\s\"'`/]{8,80})"),
    # what a function is given: `auth=("ada", "…")`, `NetworkCredential(user, "…")`
    ("credential", CHOSEN, ("redential(", "redentials(", "uth=(", "uth = ("), _GIVEN),
    ("credential", MADE, ("ogin", "uth"), _GIVEN),
    # rows of a database
    ("credential", CHOSEN, ("password) ", "passwd) ", "pwd) "),
     r"\w+\) {1,4}(?i:values) ?\((?:[^()\n]{1,200}, ?)?'([^'\n]{5,100})'\)"),
    # commands whose password stands at a place
    ("credential", CHOSEN, ("echo ", "printf "),
     r"\w+(?: -\w)*+ [\"']?(?:\w[\w.-]{0,40}:(?=[^/]))?"
     r"([^\s\"'|$\\]{6,100})(?:\\n)?[\"']? {0,4}(?:\|[^\n|]{0,60}?"
     r"(?:-stdin\b| -S\b|chpasswd|-with-token|passphrase-fd|passwd\b|secret create|=-(?!\S))"
     r"|>>? ?[\w./~-]{0,60}(?:passw|passphrase|secret|token|\.pw\b))"),
    ("credential", CHOSEN, ("sudo -S", "-stdin"),
     r"[^\n<]{1,80}<<< ?[\"']?([^\s\"'$]{6,100})"),
    ("credential", CHOSEN, ("send ",), r"send (?:-- )?\"([^\"\s\\]{6,60})\\[rn]\""),
    ("credential", CHOSEN, ("/user:",), r"(?<=\s)\S{3,80} ([^\s/]\S{4,80})"),
    ("credential", CHOSEN, ("net use",),
     r"net use(?: (?:\S{1,60} )?\\\\\S{3,80} ([^\s/*]\S{4,80}) /user:|r \S{1,60} ([^\s/*]\S{4,80}))"),
    ("credential", CHOSEN, ("htpasswd -",),
     r"\w+ -\w*b\w*+(?: -\w+)*+ \S{1,100} \S{1,60} ([^\s\"'`]{5,100})"),
    ("credential", CHOSEN, ("sqlplus ",), r"\w+ (?:-\w+ )*+[\w.]{1,60}/([^\s@\"'/]{5,80})@"),
    ("credential", CHOSEN, ("snmp",),
     r"snmp(?:bulk)?(?:walk|get|set) [^\n]{0,60}?-c ([^\s\"'`]{5,80})"),
    ("credential", CHOSEN, ("mc alias set ",),
     r"mc alias set \S{1,60} \S{1,120} \S{3,80} ([^\s\"'`]{8,80})"),
    ("credential", DRAWN, ("wandb login ",), r"wandb login (?:--\w+ )*+(\w{40})(?!\w)"),
    ("credential", MIXED, ("add_user ", "change_password ", "set_password "),
     r"\w+ \S{1,60} [\"']?([^\s\"'`]{6,80})"),
    ("credential", MIXED, ("secret set ", "put-parameter ", "put-secret-value ", "create-secret "),
     r"[^\n]{0,200}?(?:--body|--value|--secret-string) ?[ =][\"']?([^\s\"']{8,300})"),
    ("credential", CHOSEN, ("DENTIFIED ", "dentified "),
     r"\w+ (?:(?i:with) [\w\"']{1,40} )?(?i:by|as) (?:(?i:password) )?[\"']([^\s\"']{5,100})[\"']"),
    ("credential", CHOSEN, ("SecureString ",), r"\w+ (?:-String )?[\"']([^\"'\n]{6,100})[\"']"),
    ("credential", CHOSEN, ("config set ",), r"[^\n]{1,80}?--secret \S{1,60} ([^\s\"'`]{6,100})"),
    ("credential", MIXED, ("hmac.new(",), r"hmac\.new\(b?[\"']([^\"'\s]{12,200})[\"']"),
    ("credential", MIXED, ("jwt.", "Hmac("),
     r"\w+(?:\.(?:sign|verify|encode|decode))?\([^\"'\n]{0,80}(?:[\"'][\w-]{1,20}[\"'])?,\s{0,40}"
     r"[\"']([^\"'\s]{12,200})[\"']"),
    ("credential", CHOSEN, ("mysqli", "getConnection(", "PDO("),
     r"\w+\((?:[^(),\n]{1,120},){2}\s?[\"']([^\"'\s]{6,80})[\"']"),
    # behind a flag
    *[("credential", CHOSEN, programs, rf"[^\n;|]{{1,200}}?{flag}{_BEHIND}")
      for programs, flag in _FLAGS],
    # whatever program is told a name is told its password behind it
    ("credential", MIXED, (" -u ", " -U ", "--user", " /u:"),
     r"[^\n;|]{3,200}?(?: -p(?:w)? | -P | /p:)[\"']?([^\s\"'`;|/:@.]{6,100})(?=[\s\"';|]|$)"),
)  # fmt: skip


TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator


_PATTERNS = [expression(pattern) for *_, pattern in ROWS]


def find_patterns(text: str, words: str) -> list[Hit]:
    """Find what the rows of the table match in a text; `words` are its long words."""
    found: list[Hit] = []
    for (rule, look, marks, _), pattern in zip(ROWS, _PATTERNS, strict=True):
        for mark in marks:
            at = text.find(mark)
            while at >= 0:
                said = pattern.match(text, at)
                start, end = said.span(said.lastindex or 0) if said else (at, at)
                value = text[start:end].rstrip(".,;:)")
                if said is not None and _looks(value, look):
                    found.append(hit(rule, start, start + len(value)))
                at = text.find(mark, max(end, at + len(mark)))
    if "hook" in words or "/integration/" in words or "/with/key/" in words:
        found += _hooks(text)
    return found


def _looks(value: str, look: int) -> bool:
    """Tell whether a value looks as its row says that it has to."""
    if look == DIGITS:
        return value not in ("0000", "1111", "1234", "12345", "123456", "12345678")
    if not value or is_placeholder(value.lstrip("${") or value):
        return False
    if look == DRAWN:
        return is_random(value) and distinct(value) > 11
    if look == PAIR:
        name, _, password = decoded(value).partition(":")
        return bool(name and password)
    if look in (MADE, MIXED):
        drawn = kinds_of(value) > 1 and any(map(str.isdigit, value)) and not is_wordy(value)
        return (drawn and not value.islower()) or (look == MADE and is_worded(value))
    if look == WORDS:
        return len(set(value.replace(",", " ").split())) > 9
    return (
        look == ANY or (any(map(str.isdigit, value)) and not is_stock(value)) or not is_wordy(value)
    )


#: An address that whoever knows it may post to, and the parts of its path; of a host for hooks short ones.
_HOOK = expression(r"://([^\s/\"'`<>|\\)\]},;]*)(/[^\s\"'`<>|\\)\]},;]{1,500})")
_HOOK_PART = expression(
    r"(?a)(?<!/commit)(?<!/blob)(?<!/tree)(?<!/raw)(?<!/compare)/([\w-]{6,}+)(?=[/?.]|\Z)"
)


def _hooks(text: str) -> Iterator[Hit]:
    """Find addresses that whoever knows them may post to: what is drawn in the path opens them."""
    for said in _HOOK.finditer(text):
        if "hook" in said[0] or "/integration/" in said[2] or "/with/key/" in said[2]:
            for part in _HOOK_PART.finditer(said[2]):
                word = part[1]
                short = said[1].startswith("hook") and any(map(str.isdigit, word))
                drawn = short or (len(word) > 15 and is_random(word))
                if drawn and not (word.isdigit() or is_wordy(word) or is_placeholder(word)):
                    start = said.start(2) + part.start(1)
                    yield hit("webhook", start, start + len(word))


#: What opaque words begin with that open nothing: digests, public keys, what code and machines name.
_OPEN = frozenset(
    "pk phc pub public sha sha1 sha256 sha384 sha512 md5 integrity h1 ssh id img image file chunk index "
    "nonce hash build commit etag cid trace span req cache".split()
)
_MARKED, _BARE, _ONE_CASE = 32, 80, 45


def find_opaque(word: str) -> list[str]:
    """Find what looks like a token of whatever vendor in a long word.

    That is `mark_` and 32 characters or more, drawn of letters of both cases and digits; without a mark it
    is 80 or more, of one case 45. What stands in the path of an address is no token.
    """
    if word.startswith(_PUBLIC):
        return []
    if word.islower() or word.isupper():
        bare = word.strip("\"'`*.,;:()[]{}<>")
        drawn = len(bare) >= _ONE_CASE and bare.isalnum() and _is_drawn(bare)
        return [bare] if drawn else []
    if "://" in word:
        word = word.partition("?")[2]
    if len(word) <= _MARKED:
        return []
    pieces = [piece.strip("-_.") for run in _RUN.findall(word) for piece in run.split("--")]
    # what is called is a name
    return [piece for piece in pieces if _is_opaque(piece) and f"{piece}(" not in word]


#: How public keys of SSH begin.
_PUBLIC = ("AAAAB3Nza", "AAAAC3Nza", "AAAAE2Vj")
_RUN = expression(r"(?a)[\w.+/-]{33,}")


def _is_drawn(word: str) -> bool:
    """Tell whether letters of one case and digits are drawn, and neither hex nor the address of a file."""
    digits = sum(map(str.isdigit, word))
    return (
        digits * 10 >= len(word)
        and distinct(word) > 18
        and bool(word.strip(HEX + HEX.upper()))
        and not word.startswith("baf")
        and not is_placeholder(word)
    )


def _is_opaque(piece: str) -> bool:
    mark = piece[:16]
    for sign in "_-.":
        mark = mark.partition(sign)[0]
    if mark.lower() in _OPEN:
        return False
    marked = 1 < len(mark) < 12 and mark.isalnum() and mark[0].isalpha()
    body = piece[len(mark) + 1 :] if marked else piece
    if (
        len(body) < (_MARKED if marked else _BARE)
        or "/" in body
        or "+" in body
        or body.count(".") > 2
    ):
        return False
    run = max(
        body.replace("_", " ").replace("-", " ").replace(".", " ").split(), key=len, default=""
    )
    drawn = sum(char.isdigit() for char in body) * 20 >= len(body) and distinct(body) > 18
    return (
        kinds_of(run) > 2
        and len(run) > 15
        and drawn
        and bool(body.strip(HEX))
        and not is_placeholder(piece)
    )
