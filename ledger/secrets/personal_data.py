"""Find personal data: home folders, e-mail addresses, numbers (fault:L13)."""

from __future__ import annotations

from collections.abc import Iterator

from ledger.secrets.match import Hit, hit, places
from ledger.secrets.vendor_tokens import ALNUM, DOTTED, run_of

_NINES = bytes.maketrans(b"012345678", b"9" * 9)
#: The instants and stems of a log's header are nobody's number.
_STAMPS = ("9999-99-99T99:99:99.999Z", "9999-99-99-999999999-")
#: Where no group has five digits, a number of nine has at least three groups, and one of these in it.
_PAIRS = ("9 9", "9-9", "9.9", "9/9", "9(9", "9)9")
#: How cards are written in groups; without any from 13 digits on.
_GROUPED = (
    "9999 9999 9999 9999", "9999-9999-9999-9999", "9999 999999 99999", "9999-999999-99999",
)  # fmt: skip
_LEAST_CARD, _MOST_CARD = "9999999999999", 19
#: Cards that vendors document for tests.
_TEST_CARDS = frozenset(
    "4242424242424242 4000056655665556 5555555555554444 2223003122003222 5200828282828210 "
    "5105105105105100 378282246310005 371449635398431 6011111111111117 6011000990139424 "
    "3056930009020004 36227206271667 30569309025904 38520000023237 3566002020360505 "
    "3530111333300000 6200000000000005 4111111111111111 4012888888881881 4222222222222 "
    "4000000000000002 4000000000009995 4000000000003220 4000002500003155 5454545454545454 "
    "4917610000000000 5019717010103742 4532015112830366 4539578763621486 4716059847182693 "
    "5425233430109903 2222420000001113 374245455400126 4263982640269299 4485275742308327".split()
)
#: Social security numbers that were printed for everybody to see.
_NO_SSN = frozenset(("078-05-1120", "219-09-9999", "123-45-6789", "111-22-3333", "987-65-4321"))
_US_PHONES = (
    "(999) 999-9999", "(999)999-9999", "999-999-9999", "999.999.9999", "999 999 9999",
)  # fmt: skip
#: What stands before a number that is nobody's.
_THINGS = (
    "order", "invoice", "ticket", "ref", "case", "issue", "id", "no.", "nr", "number:", "#", "sku", "isbn",
    "build", "version", "rev", "serial", "part", "tracking", "job", "run", "pid", "offset", "sha", "hash",
    "commit", "trace", "span", "timestamp", "epoch", "batch", "lot", "imei", "bytes", "line",
)  # fmt: skip
_CALLS = ("phone", "tel", "mobile", "cell", "whatsapp", "fax", "call", "sms", "handy", "ring")
#: What may stand between such a word and its number: marks, and the letters of `number` and `me at`.
_BETWEEN = "".join(sorted(set(" :=\"'*`|.-(_number" + "me at")))
_FILLED = ("1234567", "000000", "111111", "222222", "333333", "444444", "555555", "666666", "777777",
           "888888", "999999", "987654")  # fmt: skip


def find_numbers(text: str) -> list[Hit]:
    """Find numbers of cards, of social security and of telephones."""
    bones = text.encode("utf-8", "surrogatepass").translate(_NINES).decode("utf-8", "surrogatepass")
    if "9" not in bones:
        return []
    for stamp in _STAMPS:
        bones = bones.replace(stamp, " " * len(stamp))
    if "99999" not in bones and not any(pair in bones for pair in _PAIRS):
        return []
    found = [*_cards(text, bones), *_social(text, bones)]
    for form in _US_PHONES:
        found += _phones(text, bones, form)
    return [*found, *_international(text, bones), *_called(text, bones)]


def _places(bones: str, form: str) -> Iterator[int]:
    """Yield where a form stands that is no part of a longer number or word."""
    for at in places(bones, form):
        end = at + len(form)
        before, behind = bones[at - 1 : at] if at else "", bones[end : end + 1]
        inner = behind in ("-", ".", " ") and bones[end + 1 : end + 2] == "9"
        outer = (
            before in ("-", ".", "/", "=") and at > 1 and bones[at - 2].isalnum() and before != "="
        )
        if not (before.isalnum() or before == "_" or behind.isalnum() or inner or outer):
            yield at


def _cards(text: str, bones: str) -> Iterator[Hit]:
    for form in _GROUPED:
        for at in _places(bones, form):
            if _is_card(text[at : at + len(form)]):
                yield hit("card-number", at, at + len(form))
    at = bones.find(_LEAST_CARD)
    while at >= 0:
        end = at + len(_LEAST_CARD)
        more = bones[end : end + _MOST_CARD]
        end += len(more) - len(more.lstrip("9"))
        alone = not (
            (at and (bones[at - 1].isalnum() or bones[at - 1] in "_-./#+"))
            or bones[end : end + 1].isalnum()
            or (bones[end : end + 1] in ("-", "_", ".") and bones[end + 1 : end + 2].isalnum())
        )
        if alone and not _is_thing(text, at) and _is_card(text[at:end]):
            yield hit("card-number", at, end)
        at = bones.find(_LEAST_CARD, end)


def _is_card(said: str) -> bool:
    """Tell whether digits are the number of a payment card: an issuer's front, and Luhn's sum."""
    digits = said.replace(" ", "").replace("-", "")
    front, size = int(digits[:4]), len(digits)
    issued = (
        (digits[0] == "4" and size in (13, 16, 19))
        or (size == 16 and (5100 <= front <= 5599 or 2221 <= front <= 2720))
        or (size == 15 and digits[:2] in ("34", "37"))
        or (size == 16 and (front == 6011 or digits[:2] == "65" or 6440 <= front <= 6499))
        or (size == 16 and 3528 <= front <= 3589)
        or (size == 14 and (digits[:2] in ("36", "38") or 3000 <= front <= 3059))
    )
    if not issued or digits in _TEST_CARDS or len(set(digits)) < 5:
        return False
    twice = [int(digit) * 2 for digit in digits[-2::-2]]
    total = sum([int(digit) for digit in digits[-1::-2]])
    return (total + sum([number - 9 if number > 9 else number for number in twice])) % 10 == 0


def _social(text: str, bones: str) -> Iterator[Hit]:
    for form in ("999-99-9999", "999 99 9999"):
        for at in _places(bones, form):
            said = text[at : at + 11]
            area, group, serial = said[:3], said[4:6], said[7:]
            near = text[max(0, at - 40) : at].lower()
            known = "ssn" in near or "social sec" in near
            if (
                area not in ("000", "666")
                and area < "900"
                and group != "00"
                and serial != "0000"
                and said not in _NO_SSN
                and (known or (form[3] == "-" and not _is_thing(text, at)))
            ):
                yield hit("us-ssn", at, at + 11)


def _phones(text: str, bones: str, form: str) -> Iterator[Hit]:
    for at in _places(bones, form):
        digits = _digits(text[at : at + len(form)])
        near = text[max(0, at - 3) : at]
        plain = form == "999 999 9999" and "+" not in near
        before = text[max(0, at - 32) : at].lower() if plain else ""
        plain = plain and not any(word in before for word in _CALLS)
        if not plain and _is_us(digits) and not _is_thing(text, at):
            start = at - 3 if near == "+1 " or near == "+1-" else at
            yield hit("phone", start, at + len(form))


def _is_us(digits: str) -> bool:
    """Tell whether ten digits can be dialled: not the 555-01xx of films, no code from 0 or 1 on."""
    return (
        digits[0] > "1"
        and digits[3] > "1"
        and digits[1:3] != "11"
        and digits[3:8] != "55501"
        and not _is_filled(digits)
    )


def _international(text: str, bones: str) -> Iterator[Hit]:
    """Find `+49 30 1234567`: grouped, or behind a word that says what it is, or ten digits and more."""
    last = -1  # where the last one ended: one number may follow right behind another
    at = bones.find("+9")
    while at >= 0:
        near = bones[at + 1 : at + 27]
        size = len(near) - len(near.lstrip("9 ().-/"))
        said = text[at + 1 : at + 1 + size].rstrip(" ().-/")
        end = at + 1 + len(said)
        digits = _digits(said)
        before = bones[at - 1] if at else " "
        grouped = any(mark in said for mark in " -./") and "  " not in said
        line_start = before == "\n" and not grouped
        if (
            9 <= len(digits) <= 15
            and digits[0] != "0"
            and (at == last or not (before.isalnum() or before in "+-_.,/"))
            and not bones[end : end + 1].isalnum()
            and bones[end : end + 1] not in ("%", "_")
            and (grouped or (len(digits) > 9 and not line_start))
            and not _is_date(said)
            and not _is_filled(digits[2:])
            and not (digits[0] == "1" and (len(digits) != 11 or not _is_us(digits[1:])))
        ):
            yield hit("phone", at, end)
            last = end
        at = bones.find("+9", end)


def _called(text: str, bones: str) -> Iterator[Hit]:
    """Find plain digits behind a word that says that they are dialled: `phone: 015112345678`."""
    low = text.lower()
    if len(low) != len(text):
        return
    for word in _CALLS:
        for at in places(low, word):
            behind = at + len(word)
            near = bones[behind : behind + 48]
            spot = near.find("9")
            if spot > 0 and not near[:spot].lower().strip(_BETWEEN):
                start = behind + spot
                rest = bones[start : start + 24]
                size = len(rest) - len(rest.lstrip("9 -/.()"))
                value = text[start : start + size].rstrip(" -/.()")
                digits = _digits(value)
                if (
                    9 <= len(digits) <= 13
                    and not _is_date(value)
                    and not _is_filled(digits)
                    and not bones[start + len(value) : start + len(value) + 1].isalnum()
                ):
                    yield hit("phone", start, start + len(value))


def _digits(said: str) -> str:
    for mark in " ().-/":
        said = said.replace(mark, "")
    return said


def _is_filled(digits: str) -> bool:
    """Tell whether digits are a placeholder of documents."""
    return len(set(digits)) < 4 or any(filling in digits for filling in _FILLED)


def _is_date(said: str) -> bool:
    """Tell whether digits begin as a date does: `2026-11-21…`."""
    return (
        said[:2] in ("19", "20")
        and said[4:5] in ("-", ".", "/")
        and said[7:8] in ("-", ".", "/", "")
    )


def _is_thing(text: str, at: int) -> bool:
    """Tell whether the words before a number say that it is nobody's: `order 415-…`."""
    near = text[max(0, at - 24) : at].rpartition("\n")[2].lower().rstrip(" :=#\"'`(*")
    if text[max(0, at - 2) : at].rstrip(" ").endswith("#"):
        return True
    return near.endswith(_THINGS)


#: Accounts of machines and names that documents put for one.
_NOBODY = frozenset(
    "user users username you me name your-name yourname someone somebody shared public default guest "
    "runner runneradmin ubuntu debian vscode node app root admin git circleci vsts jovyan ec2-user "
    "travis vagrant docker jenkins coder codespace gitpod linuxbrew www build builder ci deploy "
    "nobody nonroot project projects home".split()
)
#: Last parts of what looks like an address and is a file, a unit, a version or nobody's.
_NO_DOMAIN = frozenset(
    "service timer socket target mount slice scope local localhost internal lan invalid test example "
    "png jpg jpeg gif svg webp js ts tsx jsx mjs cjs json md py rb go rs java kt css scss html yml yaml "
    "toml lock sh txt xml zip gz exe dll so h c cpp".split()
)
_NO_HOSTS = frozenset((
    "example.com", "example.org", "example.net", "users.noreply.github.com", "domain.com", "email.com",
    "company.com", "yourcompany.com", "yourdomain.com", "acme.com", "test.com", "sentry.io",
))  # fmt: skip
_NO_USERS = frozenset(
    "git noreply no-reply donotreply user username you me name your-email youremail your.email "
    "someone email hg svn".split()
)
_USER = ALNUM + "._%+-"


def find_personal(text: str) -> list[Hit]:
    """Find home folders, e-mail addresses, numbers of cards, of social security and of telephones."""
    found: list[Hit] = []
    if "@" in text:
        found += _mails(text)
    for root in ("/home/", "/Users/"):
        if root in text:
            found += _homes(text, root)
    if ("Users" in text and ":\\" in text) or ":/Users" in text:
        found += _windows_homes(text)
    return found + find_numbers(text)


def _homes(text: str, root: str) -> Iterator[Hit]:
    for at in places(text, root):
        start = at + len(root)
        count = run_of(text, start, DOTTED, 64)
        name = text[start : start + count].rstrip(".")
        end = start + len(name)
        behind = text[end : end + 1]
        alone = not at or not (text[at - 1] in DOTTED or text[at - 1] in "/~}>)]*\\%")
        # without a path behind it, `/home/x` may be the address of a page
        inside = behind == "/" or (root == "/Users/" and not behind.isalnum())
        if alone and inside and _is_name(name):
            yield hit("home-path", at, end, root)


def _windows_homes(text: str) -> Iterator[Hit]:
    for at in places(text, "Users"):
        slash = text[at - 1 : at] if at > 2 else ""
        cut = at  # before `\`, or `\\` of a string literal
        while cut > 0 and at - cut < 2 and text[cut - 1] == slash:
            cut -= 1
        gap = run_of(text, at + 5, slash, 2) if slash in ("\\", "/") and slash else 0
        if gap and cut > 1 and text[cut - 1] == ":" and text[cut - 2].isalpha():
            start = at + 5 + gap
            name = text[start : start + run_of(text, start, DOTTED, 64)].rstrip(".")
            if _is_name(name):
                yield hit("home-path", cut - 2, start + len(name), text[cut - 2 : start])


def _is_name(name: str) -> bool:
    return len(name) > 1 and name[0].isalpha() and name.lower() not in _NOBODY


def _mails(text: str) -> Iterator[Hit]:
    hosts: dict[str, bool] = {}
    for at in places(text, "@"):
        head = text[max(0, at - 65) : at]
        user = head[len(head.rstrip(_USER)) :].lstrip("._%+-")
        count = run_of(text, at + 1, ALNUM + ".-", 254) if user else 0
        host = text[at + 1 : at + 1 + count].rstrip(".-")
        start, end = at - len(user), at + 1 + len(host)
        if host not in hosts:
            hosts[host] = _is_host(host)
        if (
            hosts[host]
            and user.lower() not in _NO_USERS
            and text[end : end + 1] not in (":", "/", "(", "@")
            and (not start or text[start - 1] not in "@/:")
        ):
            yield hit("email", start, end)


def _is_host(host: str) -> bool:
    """Tell whether mail may go to somebody at a host."""
    parts = host.lower().split(".")
    last = parts[-1]
    if not 2 <= len(last) <= 12 or not last.isalpha() or len(parts) < 2 or ".." in host:
        return False
    # neither it nor a host that it belongs to is one that documents use
    above = {".".join(parts[at:]) for at in range(len(parts))}
    return last not in _NO_DOMAIN and _NO_HOSTS.isdisjoint(above)
