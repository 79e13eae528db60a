r"""Find the secrets of a text, say what may be shown of them, and write the text without them.

Text in, places out; no value ever leaves but in the text that it was in. Without backtracking, and cheap
enough for every append: a rule is asked only where its mark stands (fault:G23, fault:L9, fault:L10,
fault:L12). Rules are in `vendor_tokens`, `patterns` and `labels`; the paths of people's home
folders are found here (fault:L13).

A secret keeps its worth behind `ghp\_…`, `\u0067hp_…`, `"ghp" + "_…"` or a line that a terminal broke. So
it is also looked for in a view of the text without what masks it: colours and unseen characters removed,
escapes decoded, parts joined. Each place of the view is told as one of the text itself. Each repeat has a
limit, so that no text takes more than its length (fault:G23, fault:L10).
"""

from __future__ import annotations

from _bisect import bisect_left, bisect_right
from _collections_abc import Iterable, Iterator
from itertools import accumulate, pairwise

from ledger.escape import is_plain, unseen_in
from ledger.secrets.label_values import decoded, is_wordy
from ledger.secrets.labels import find_any_label, find_labelled
from ledger.secrets.match import OPAQUE, Hit, View, apart, expression, hit, place_in_source, places
from ledger.secrets.patterns import find_opaque, find_patterns

TYPE_CHECKING = False
if TYPE_CHECKING:
    from re import Match

#: What stands in the place of characters from a start up to an end.
Edit = tuple[int, int, str]
#: How often a view is unmasked again: `\\u001b[31m` is an escape of an escape.
_ROUNDS = 3
_BLANKS = {"n": "\n", "r": "\n", "t": "\t", "033": "\x1b", "e": "\x1b"}
#: What joins two strings; nothing at all does, too, and a line that ends in a backslash.
_JOINTS = frozenset(("", "+", ".", "..", "++", "||", "&", "<>", "~", "\\", "%", "+=", "_"))
#: What masks a text, each of its own kind: an escape, an entity, a sequence that commands a terminal, what
#: is left of one whose escape was lost, and the end of a string behind which another begins.
_MASKS = expression(
    r"""(?xsa)[\\&\x1b\x9b^␛\[<"'`](?:
    (?<=\\)(?:(?P<sign>[!-/:-@\[-`{-~])|\n[ \t>]{0,40}
      |(?:u(?:\{(?=[^}]{1,8}\})|(?=[0-9a-fA-F]{4}))|x(?=[0-9a-fA-F]{2})|U(?=[0-9a-fA-F]{8}))(?P<hex>
        (?<=u)[0-9a-fA-F]{4}|(?<=\{)[0-9a-fA-F]{1,8}(?=\})|(?<=x)..|(?<=U).{8})\}?
      |(?P<blank>[nrt]|033|e(?=\[)))
    |(?<=&)(?:\#(?P<number>\d{1,7})|\#[xX](?P<entity>[0-9a-fA-F]{1,13})|(?P<name>[A-Za-z]{2,15}));
    |(?:(?<=\x1b)\[|(?<=\x9b))[0-9;:<=>?!"\#$%&'()*+,./\ -]{0,64}[@-~]?
    |(?<=\x1b)(?:[\]P_^](?:[^\x07\x1b]{0,511}(?:\x07|\x1b.?))?|[()\#%*+][^\W_]?|)
    |(?<=\^)\[\[[\d;]{0,11}m|(?<=␛)\[[\d;]{0,11}m|(?<=\[)[\d;]{1,11}m|(?<=<)wbr[^>]{0,3}>
    |(?<=["'`])(?=[ \t\n"'+.|&<>~\\%_])[ \t\n]{0,75}(?P<joint>[+.|&<>~\\%=_]{0,9})
      [ \t\n\\]{0,40}(?:[bfru](?=["'`]))?["'`])"""
)


def unmasked(text: str) -> tuple[str, list[View]]:
    """Unmask a text; return what it says and the views that lead there, none where nothing was masked."""
    views: list[View] = []
    while len(views) < _ROUNDS and (edits := _edits(text)):
        views.append(_view(text, edits))
        text = views[-1].text
    return text, views


def _view(text: str, edits: list[Edit]) -> View:
    """Carry out edits; of two that overlap the first counts."""
    pieces: list[str] = []
    origins: list[int] = []
    ends: list[int] = []
    at = 0
    for start, end, said in [*sorted(edits), (len(text), len(text), "")]:
        if start >= at:
            pieces += (text[at:start], said)
            origins += (at, start)
            ends += (start, end)
            at = end
    starts = list(accumulate(map(len, pieces), initial=0))
    return View("".join(pieces), starts, origins, ends)


_DIGITS = "0123456789"
#: What begins most masks; what may stand between two strings that are joined; a quotation mark.
_SIGNS = ("\\", "\x1b", "\x9b", "^[[", "␛", "<wbr")
_EMPTY, _BETWEEN, _TO_QUOTE = ("", "b", "f", "r", "u"), " \t\n+.|&<>~%=_", str.maketrans("'`", '""')


def _may_be_masked(text: str) -> bool:
    """Tell whether a text may hold a mask: most do not, and the pattern for it takes 2 ms to compile."""
    return (
        any(sign in text for sign in _SIGNS)
        or ("&" in text and ";" in text)
        or any(one.lstrip(_DIGITS + ";")[:1] == "m" != one[:1] for one in text.split("[")[1:])
        or any(one.strip(_BETWEEN) in _EMPTY for one in text.translate(_TO_QUOTE).split('"')[1:-1])
    )


def _edits(text: str) -> list[Edit]:
    edits: list[Edit] = []
    found = _MASKS.search(text) if _may_be_masked(text) else None
    while found is not None:
        said = _said(found, text)
        edits += [] if said is None else [(*found.span(), said)]
        found = _MASKS.search(text, found.start() + 1 if said is None else found.end())
    if not is_plain(text):
        unseen = unseen_in(text) - {"\x1b", "\x9b", "\r"}
        edits += [(at, at + 1, "") for at, char in enumerate(text) if char in unseen]
    return edits


def _said(found: Match[str], text: str) -> str | None:
    """Return what is meant by a mask, "" where it is only in the way; None where it is none."""
    kind, said = found.lastgroup, found[found.lastgroup or 0]
    if kind in ("hex", "entity", "number"):
        code = int(said, 10 if kind == "number" else 16)
        return chr(code) if 0 < code < 0xD800 or 0xE000 <= code < 0x110000 else None
    if kind == "joint":
        if said or said not in _JOINTS:
            return "" if said in _JOINTS else None
        # side by side only where both are words in the same quotes
        start, end = found.span()
        same = text[start] == text[end - 1] != "`" and "\n\n" not in found[0]
        words = is_word(text[start - 1 : start]) and is_word(text[end : end + 1])
        return "" if same and words else None
    if kind == "name":
        from html import unescape

        meant = unescape(f"&{said};")
        return meant if meant[0] != "&" or len(meant) == 1 else None
    return _BLANKS[said] if kind == "blank" else said if kind == "sign" else ""


def is_word(char: str) -> bool:
    """Tell whether a character may stand in a token."""
    return char.isalnum() or char in tuple("_-./+=%~:@!$")


#: How much of a word is looked at, and behind how many blanks and marks of a quotation.
_LONGEST, _FAR = 300, 24
_APART = str.maketrans("|\t", "  ")
#: How much stands before a cut word on its line that may say what it is.
_CONTEXT = 400
#: What begins a line that is no rest of another: a header's name, the mark of a list, a place or a time.
_BEGINS = expression(
    r"(?a)[a-z]+:\Z|[-*+.0-9)]{0,3}[-*+.)]\Z|\./|\d+[→:]|\d{4}-\d\d-\d\d",
)


def chained(text: str) -> View | None:
    """Join what a line break cut: the last word of a line with the first of the next one.

    Two plain words are not joined, nor is what ends or begins a list, a sentence or a quotation.

    Returns:
        A view of nothing but what was joined, each on its own line; None when there is nothing.
    """
    pieces: list[str] = []
    origins: list[int] = []
    at, joined, end = 0, -1, -1
    for line, after in pairwise(text.split("\n")):
        end += 1 + len(line)
        rest = after.lstrip(" \t>")
        head = rest[:_LONGEST].translate(_APART).partition(" ")[0]
        tail = line[-_LONGEST:].translate(_APART).rpartition(" ")[2]
        far = len(after) - len(rest)
        if far > _FAR or not (head and tail and len(tail) + len(head) > 7 and _is_cut(tail, head)):
            continue
        begin, stop = end + 1 + far, end + 1 + far + len(head)
        if joined != end:
            context = max(end - len(line), end - _CONTEXT, at)
            pieces += ["\n\n"] * bool(pieces) + [text[context:end]]
            origins += [end] * bool(origins) + [context]
        pieces.append(text[begin:stop])
        origins.append(begin)
        at, joined = begin, stop
    if not pieces:
        return None
    starts = list(accumulate(map(len, pieces), initial=0))
    ends = [at + len(piece) for at, piece in zip(origins, pieces, strict=True)]
    return View("".join(pieces), starts, origins, ends)


def _is_cut(tail: str, head: str) -> bool:
    """Tell whether the last word of a line and the first one of the next may be one word."""
    from ledger.secrets.vendor_tokens import FRONTS

    return (
        is_word(tail[-1])
        and is_word(head[0])
        and (_is_fragment(tail) or _is_fragment(head))
        and not head.startswith(FRONTS)  # a token of its own
        and head[:6] != tail[:6]  # the next one of a list
        and not _BEGINS.match(head)
    )


def _is_fragment(word: str) -> bool:
    """Tell whether a word may be a piece of something drawn: it has digits, or mixes capitals in."""
    bare = word.strip(".,;:!?()[]\"'`*_-=#<>")
    if bare.islower() or bare.isupper() or bare.istitle():
        return any(map(str.isdigit, bare))
    return bare != ""


#: On a line with one of these nothing is a secret. All but the first are those of other scanners.
WAIVERS = (
    "diurna: allow-secret", "lint:allow-secret-material", "gitleaks:allow", "pragma: allowlist secret",
)  # fmt: skip


def find_secrets(text: str, *, homes: bool = False) -> tuple[Hit, ...]:
    """Find all secrets of a text, in order, also those on lines that are waived.

    It is looked through as it stands, and as it reads unmasked; for the `homes` of people, too: of what
    is both, the secret counts.
    """
    found = find(text, homes=homes)
    said, views = unmasked(text)
    masked = _placed(find(said, homes=homes), views) if views else []
    chain = chained(said)
    if chain is not None:
        # what has no mark might begin anywhere: not across lines, and nothing across two pieces
        whole = []
        for one in find(chain.text, False, homes):
            start = chain.text.rfind("\n\n", 0, one.end) + 1
            if one.rule != OPAQUE and start <= one.start:
                cut = chain.starts[bisect_right(chain.starts, one.end - 1) - 1]  # of the last piece
                if cut > one.start and is_wordy(chain.text[cut : one.end]):
                    front = find(chain.text[start:cut], False, homes)
                    if any(start + other.end == cut for other in front):
                        one = one._replace(end=cut)  # a plain word only follows it
                whole.append(one)
        masked = _placed(whole, [*views, chain]) + masked  # before a half of it
    return apart(_widened(masked, found) + found) if masked else apart(found)


def _widened(masked: list[Hit], found: list[Hit]) -> list[Hit]:
    """Let what was found masked cover what was found of it as the text stands."""
    plain = apart(found)
    starts, ends = [one.start for one in plain], [one.end for one in plain]
    wide = []
    for one in masked:
        for other in plain[bisect_right(ends, one.start) : bisect_left(starts, one.end)]:
            start, end = min(one.start, other.start), max(one.end, other.end)
            one = hit(one.rule, start, end, one.shown.rpartition("…")[0])
        wide.append(one)
    return wide


def _placed(found: list[Hit], views: list[View]) -> list[Hit]:
    """Return the places in a text of what was found in a view of it."""
    return [
        hit(one.rule, *place_in_source(views, one.start, one.end), one.shown.rpartition("…")[0])
        for one in found
    ]


class Lines:
    """The lines of a text, for places in it: each is looked up in steps, and judged once."""

    def __init__(self, text: str) -> None:
        lines = text.split("\n")
        self._starts = list(accumulate([len(line) + 1 for line in lines], initial=0))
        tagged = (
            number for number, line in enumerate(lines, 1) if any(tag in line for tag in WAIVERS)
        )
        self._waived = frozenset(tagged)

    def number(self, place: Hit) -> int:
        """Return the line on which a value begins, 1-based."""
        return bisect_right(self._starts, place.start)

    def is_waived(self, place: Hit) -> bool:
        """Tell whether the line on which a value begins says that it is none."""
        return self.number(place) in self._waived

    def held(self, places: Iterable[Hit]) -> tuple[Hit, ...]:
        """Return those places that no line waives."""
        return tuple([place for place in places if not self.is_waived(place)])


def redacted(text: str, places: tuple[Hit, ...]) -> str:
    """Replace each value by its kind: `[redacted: github-token]`; a home folder by `~`."""
    parts: list[str] = []
    at = 0
    for place in places:
        parts += (text[at : place.start], stand_in(place.rule))
        at = place.end
    return "".join(parts) + text[at:]


def stand_in(rule: str) -> str:
    """Return what stands in the place of a value."""
    return "~" if rule == "home-path" else f"[redacted: {rule}]"


def without_secrets(text: str, *, homes: bool = False) -> str:
    """Return a text without its secrets, to be printed; without `homes`, too, for a public name."""
    places = find_secrets(text, homes=homes)
    return redacted(text, Lines(text).held(places)) if places else text


#: A token has at least so many characters, with no blank in it.
_LONG = 16
#: What no token is made of alone: it has digits, or capitals.
_DULL = "abcdefghijklmnopqrstuvwxyz-_./:;,\"'`()[]{}<>*#=+&?!@$%|~^\\"
_DEPTH = 2
#: Base64 of a token: of four characters the first three tell by their bits that bytes are of ASCII.
_ASCII_IN_BASE64 = expression(
    r"(?a)[A-Za-f](?<![\w+/-].)[A-HQ-Xg-nw-z0-3][A-BE-FI-JM-NQ-RU-VY-Zcdghklopstwx014589][\w+/-]"
    r"(?:[A-Za-f][A-HQ-Xg-nw-z0-3][A-BE-FI-JM-NQ-RU-VY-Zcdghklopstwx014589][\w+/-]){5,16000}+"
    r"[\w+/-]{0,3}={0,2}(?![\w+/=-])"
)
_PERCENT = expression("%([0-9A-Fa-f]{2})")


def find(text: str, lines: bool = True, homes: bool = False, depth: int = _DEPTH) -> list[Hit]:
    """Find secrets; where the `lines` are those of the text, also by the rest of a line alone."""
    long = [word for word in text.split() if len(word) >= _LONG]
    found: list[Hit] = []
    words = "\n".join(long)
    drawn = [word for word in long if word.strip(_DULL)]
    mixed = "\n".join(drawn)
    if long:
        from ledger.secrets.vendor_tokens import find_shapes, find_tokens  # its table takes 0.5 ms

        found += find_tokens(text, mixed) + find_shapes(text, words, mixed)
    found += find_patterns(text, words)
    labelled, named = find_labelled(text)
    found += labelled
    if depth and drawn:
        found += _encoded(text, mixed, depth)
        for piece in {piece for word in drawn for piece in find_opaque(word)}:
            found += [hit(OPAQUE, at, at + len(piece)) for at in places(text, piece)]
    if lines:
        found += find_any_label(text, named)
    return [*found, *find_home_folders(text)] if homes else found


def _encoded(text: str, drawn: str, depth: int) -> Iterator[Hit]:
    """Find secrets in words that are base64 or percent-encoded; the whole word is the secret then.

    `drawn` are those that may be, a line each.
    """
    words = {word: decoded(word) for word in _ASCII_IN_BASE64.findall(drawn)}
    for word in drawn.split("\n") if "%" in drawn else ():
        words.setdefault(word, _PERCENT.sub(lambda found: chr(int(found[1], 16)), word))
    for word, inner in words.items():
        hidden = apart(find(inner, depth=depth - 1)) if inner != word else ()
        if hidden:
            yield from [hit(hidden[0].rule, at, at + len(word)) for at in places(text, word)]


#: Accounts of machines and names that documents put for one.
_NOBODY = frozenset(
    "user users username you me name your-name yourname someone somebody shared public default guest "
    "runner runneradmin ubuntu debian vscode node app root admin git circleci vsts jovyan ec2-user "
    "travis vagrant docker jenkins coder codespace gitpod linuxbrew www build builder ci deploy "
    "nobody nonroot project projects home".split()
)
#: Where one stands, as Linux, macOS and Windows write it, there also in a literal; and the name in it.
#: Without a path behind it, `/home/x` may be the address of a page.
_HOME = expression(
    r"((?<![A-Za-z0-9_.\-/~}>)\]*\\%])(?:/home/(?=[A-Za-z0-9_.-]{2,64}/)|/Users/)"
    r"|[^\W\d_]:\\{1,2}Users\\{1,2})([A-Za-z][A-Za-z0-9_.-]{1,63}+)"
)


def find_home_folders(text: str) -> Iterator[Hit]:
    """Find where they stand."""
    # the pattern tries every place of a text; most texts have neither word
    for said in _HOME.finditer(text) if "/home/" in text or "Users" in text else ():
        name = said[2].rstrip(".")
        if len(name) > 1 and name.lower() not in _NOBODY:
            yield hit("home-path", said.start(), said.start(2) + len(name), said[1])
