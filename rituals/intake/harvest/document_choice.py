"""Choose the documents of a repository that can say what holds of it, by path alone.

What is built, vendored, generated, translated, an example or a test is none of them, however it ends.
Which files are generated or vendored `.gitattributes` says, too: git 2.39 reads attributes of a work tree
or an index alone, and a harvest reads a commit. Only the two attributes by which hosts know such files are
looked at; the last line that matches decides, as in git.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping

from rituals.intake.intake_cues import cue, cue_words

ENDINGS = (".md", ".markdown", ".rst", ".txt", ".adoc", ".asciidoc")
#: Larger ones are no documents that somebody wrote.
LIMIT_BYTES = 512 * 1024

#: What a document can be: one decision, a list of them, a proposal, what is open, how one works on the
#: project, how it is built.
RECORD, RECORDS, PROPOSAL, ROADMAP, GUIDE, DESIGN, RULES = (
    "record", "records", "proposal", "roadmap", "guide", "design", "rules",
)  # fmt: skip

_BROUGHT = frozenset(
    "node_modules vendor vendored third_party third-party site-packages .venv".split()
)
_HOW_TO = frozenset(("howto", "howtos", "how-to", "how-tos", "topics"))
_DOCS = frozenset(
    "doc docs documentation wiki .github notes design architecture adr rfcs dev".split()
)
FILE = ".gitattributes"
_MARKS = re.compile(r"(-?)linguist-(?:generated|vendored)(?:=(\w+))?$")


def kind_of(path: str) -> str:
    """Return what a document can be, "" for what is left alone."""
    *folders, name = path.split("/")
    stem, dot, ending = name.rpartition(".")
    if is_rules_file(path):
        return ""
    if cue.BANK.search(path) and ending.lower() == "md" and not cue.RECORDS_NAME.match(stem):
        return ROADMAP if cue.BANK_WORK.match(name) else GUIDE
    lower = [folder.lower() for folder in folders]
    if dot + ending.lower() not in ENDINGS or not stem or cue.USELESS.match(stem):
        return ""
    if not cue_words("FOREIGN").isdisjoint(lower) or any(
        one.endswith((".egg-info", ".dist-info")) for one in lower
    ):
        return ""
    if cue.TRANSLATED.search(path):
        return ""
    listing = stem.lower() in ("readme", "index")
    if cue.RECORD_NAME.match(stem) or (folders and cue.RECORD_FOLDER.match(folders[-1])):
        return "" if listing else RECORD
    if len(folders) > 1 and cue.RECORD_FOLDER.match(folders[-2]):
        return RECORD  # `decisions/0003-queue/README.md`
    if cue.RECORDS_NAME.match(stem):
        return RECORDS
    if cue.PROPOSAL_NAME.match(stem) or any(cue.PROPOSAL_FOLDER.match(one) for one in folders[-2:]):
        return "" if listing else PROPOSAL
    if cue.ROADMAP_NAME.match(stem):
        return ROADMAP
    if cue.REPORT.search(stem) or (
        not _HOW_TO.isdisjoint(lower) and not cue.FOR_AUTHORS.search(stem)
    ):
        return ""
    inside = not folders or not _DOCS.isdisjoint(lower) or stem.isupper()
    folder = lower[-1] if folders else ""
    if cue.GUIDE_NAME.search(stem) or (inside and cue.GUIDE_FOLDER.match(folder)):
        return GUIDE
    if inside and folder.startswith("dev") and cue.WORK.search(stem):
        return GUIDE
    if inside and (cue.DESIGN_NAME.search(stem) or cue.DESIGN_FOLDER.match(folder)):
        return DESIGN
    return ""


def is_of_a_screen(path: str) -> bool:
    """Tell whether a document tells of what people see: what it demands, it demands of one screen."""
    return bool(cue.SCREEN.search(path))


def is_rules_file(path: str) -> bool:
    """Tell whether agents' programs read a file by themselves."""
    return bool(cue.RULES_FILE.search(path))


def own_documents(
    files: Mapping[str, str], named: Collection[str] = ()
) -> list[tuple[str, str, str]]:
    """Return (path, blob, what it can be) of the documents of a tree, each content once.

    Args:
        files: the blob id of every file, by path; without those of the memory.
        named: files and folders that a person named: what tells nothing by its name is read, too.
    """
    apart = [path.removesuffix("continuity.md") for path in files if path.endswith("continuity.md")]
    seen: set[str] = set()
    found = []
    for path in sorted(files, key=lambda path: (path.count("/"), path)):
        kind = kind_of(path) or _kind_named(path, named)
        again = files[path] in seen and path not in named
        if not kind or again or any(one and path.startswith(one) for one in apart):
            continue
        seen.add(files[path])
        found.append((path, files[path], kind))
    return found


def _kind_named(path: str, named: Collection[str]) -> str:
    """Return what a document is that a person named, or whose folder they named; "" for neither."""
    inner = next((path[len(one) + 1 :] for one in named if one and path.startswith(one + "/")), "")
    brought = not _BROUGHT.isdisjoint(inner.lower().split("/"))
    if path not in named and (brought or not inner.lower().endswith((*ENDINGS, ".mdc"))):
        return ""
    return RULES if is_rules_file(path) else GUIDE


def marked_among(files: Mapping[str, bytes], paths: Iterable[str]) -> frozenset[str]:
    """Return which paths are generated or vendored, by the bytes of every `.gitattributes`, by path."""
    rules: list[tuple[re.Pattern[str], bool]] = []
    for path in sorted(files, key=lambda path: path.count("/")):
        for line in files[path].decode("utf-8", "replace").split("\n"):
            glob, *attributes = line.split() or [""]
            marks = [_MARKS.match(one) for one in attributes if glob[:1] not in ("", "#", "[")]
            for mark in filter(None, marks):
                on = not mark[1] and mark[2] not in ("false", "0")
                rules.insert(0, (_pattern(path.removesuffix(FILE), glob), on))
    return frozenset(
        path for path in paths if next((on for pattern, on in rules if pattern.match(path)), False)
    )


def _pattern(folder: str, glob: str) -> re.Pattern[str]:
    """Turn a pattern of `.gitattributes` into one of whole paths."""
    anywhere = "/" not in glob.rstrip("/")
    parts = re.split(r"(\*\*/|/\*\*$|\*|\?)", glob.strip('"').lstrip("/"))
    known = {"**/": "(?:.*/)?", "/**": "/.*", "*": "[^/]*", "?": "[^/]"}
    body = "".join([known.get(part) or re.escape(part) for part in parts])
    return re.compile(re.escape(folder) + ("(?:.*/)?" if anywhere else "") + body + "$")
