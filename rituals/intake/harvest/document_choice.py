"""Choose the documents of a repository that can say what holds of it, by path alone.

What is built, vendored, generated, translated, an example or a test is none of them, however it ends.
"""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

ENDINGS = (".md", ".markdown", ".rst", ".txt", ".adoc", ".asciidoc")
#: Larger ones are no documents that somebody wrote.
LIMIT_BYTES = 512 * 1024

#: What a document can be: one decision, a list of them, a proposal, what is open, how one works on the
#: project, how it is built.
RECORD, RECORDS, PROPOSAL, ROADMAP, GUIDE, DESIGN, RULES = (
    "record", "records", "proposal", "roadmap", "guide", "design", "rules",
)  # fmt: skip
#: What agents' programs read by themselves. Recall finds it; it is taken only where a person names it.
_RULES_FILE = re.compile(
    r"(?:^|/)(?:(?:AGENTS|CLAUDE|CLAUDE\.local|GEMINI|QWEN)\.md|\.cursorrules|\.windsurfrules|\.clinerules|"
    r"\.github/(?:copilot-instructions\.md|instructions/[^/]+)|"
    r"\.(?:cursor/rules|windsurf/rules|roo/rules[^/]*|clinerules|claude/rules|kiro/steering)/.+)$"
)
#: Pages in which Cline, Roo and their like keep where work stands.
_BANK = re.compile(r"(?:^|/)memory[-_]bank/(?:.*/)?", re.IGNORECASE)
_BANK_WORK = re.compile(r"^(?:active[-_]?context|progress)\.md$", re.IGNORECASE)

#: Folders whose documents are somebody else's, made by a program, or only show something.
_FOREIGN = frozenset(
    "node_modules bower_components vendor vendored third_party third-party thirdparty external extern "
    "deps site-packages dist build _build _site site out target public coverage htmlcov generated "
    "autogen gen api apidoc apidocs api-docs _autosummary autosummary reference references "
    "example examples sample samples demo demos tutorial tutorials quickstart cookbook recipes "
    "template templates _templates boilerplate cookiecutter scaffold scaffolding skeleton test tests "
    "testing-data testdata __tests__ fixtures fixture snapshots __snapshots__ mocks spec-tests "
    "versioned_docs i18n l10n locale locales translations translation archive archived attic old "
    "release releases _posts user-guide user_guide userguide user users user-docs guides tutorials "
    "how-to-use intro ref contrib config configuration blog posts news "
    "changelog changelogs changes release-notes releasenotes release_notes whatsnew "
    "research research-results analysis reports meetings minutes licenses licences license legal _static "
    "static assets images prompts".split()
)
_BROUGHT = frozenset(
    "node_modules vendor vendored third_party third-party site-packages .venv".split()
)
#: A folder or an end of a name that is a language: `docs/ja/`, `README.zh-CN.md`, `CONTRIBUTING_pt.md`.
_LANGUAGES = (
    "ar bn cs da de el es fa fi fr he hi hu id it ja jp ko kr nl no pl pt "
    "ro ru sk sv th tr uk ua vi zh cn tw"
)
_TRANSLATED = re.compile(
    rf"(?:^|/)(?:{'|'.join(_LANGUAGES.split())})(?:[-_][a-z]{{2,4}})?/|"
    rf"[._-](?:{'|'.join(_LANGUAGES.split())})(?:[-_][a-z]{{2,4}})?\.\w+$",
    re.IGNORECASE,
)
#: Names that tell nothing of the project's own rules.
_USELESS = re.compile(
    r"^(?:licen[sc]e|copying|notice|patents|authors|contributors|credits|thanks|maintainers|owners|"
    r"codeowners"
    r"|changelog|changes|history|news|release[-_ ]?notes|releases|upgrading|migration|"
    r"code[-_]of[-_]conduct"
    r"|requirements|constraints|cmakelists|robots|humans|llms(?:[-_]full)?|sources|top_level|entry_points"
    r"|pull_request_template|issue_template|bug_report|feature_request|template|.*[-_ .]template|"
    r"template[-_ .].*"
    r"|glossary|faq|index[-_]of.*|toc|summary)$",
    re.IGNORECASE,
)
_RECORD_FOLDER = re.compile(
    r"^(?:.*[-_])?(?:adrs?|madr|decisions?|(?:decision|design-decision)[-_]?(?:records?|logs?))$",
    re.IGNORECASE,
)
_RECORD_NAME = re.compile(r"^adr[-_ ]?\d", re.IGNORECASE)
_RECORDS_NAME = re.compile(
    r"^(?:(?:key|design|technical|tech|architecture|architectural|project|adr)[-_ ]?)?"
    r"(?:decisions?(?:[-_ ]?(?:logs?|records?))?|adrs?)$", re.IGNORECASE
)  # fmt: skip
_PROPOSAL_FOLDER = re.compile(
    r"^(?:.*[-_])?(?:rfcs?|proposals?|enhancements?|[a-z]{0,4}eps?)$", re.IGNORECASE
)
_PROPOSAL_NAME = re.compile(r"^rfc[-_ ]?\w", re.IGNORECASE)
_ROADMAP_NAME = re.compile(r"^(?:.*[-_ ])?(?:roadmap|todos?|backlog)(?:[-_ ].*)?$", re.IGNORECASE)
#: What tells of one day's work, not of how it is to be.
_REPORT = re.compile(
    r"\d{4}-?\d{2}-?\d{2}|(?:^|[-_ .])(?:fix(?:es)?|summary|reports?|analysis|completed?|implementation|"
    r"plans?|"
    r"sprint|status|progress|audit|"
    r"post-?mortem|retro\w*|migration|investigation|research|findings|results?|phase\d*|week\d*|"
    r"session|comparison|"
    r"proposal|draft|wip|old|deprecated|meeting|minutes|refactor\w*|improvements?|handover|assessment|"
    r"benchmarks?)(?:$|[-_ .])",
    re.IGNORECASE,
)
_GUIDE = re.compile(
    r"contribut|^develop(?:ing|ment)$|hacking|convention|guideline|coding|code[-_ ]?style|"
    r"style[-_ ]?guide|^style$|standards\b|"
    r"workflow|governance|principles?|polic(?:y|ies)|releas(?:e|ing)|maintain|review|commit|branching|"
    r"engineering|"
    r"rules",
    re.IGNORECASE,
)
_DESIGN = re.compile(
    r"architect|design|internals?|invariant|security|threat|principles|concepts?$|overview$|constraints"
    r"|requirements|spec(?:ification)?s?$|format|protocol",
    re.IGNORECASE,
)
_GUIDE_FOLDER = re.compile(r"^(?:contribut\w*|conventions?|guidelines?|standards?|maintainers?)$")
#: What of a folder for developers tells how one works; its other pages tell how something is built.
_WORK = re.compile(
    r"\btests?(?:ing)?\b|pull[-_ ]?requests?|process|quality|writing|documenting|issues?\b|triag|bugs?\b",
    re.IGNORECASE,
)
_DESIGN_FOLDER = re.compile(
    r"^(?:architecture|design|designs|internals?|specs?|principles|develop\w*|dev)$"
)
_SCREEN = re.compile(
    r"(?:^|[/_. -])(?:ui|ux|gui|screens?|pages?|views?|layouts?|wireframes?|mock-?ups?|"
    r"widgets?|dialogs?|forms?|themes?|components?)(?=[/_. -])",
    re.IGNORECASE,
)
_HOW_TO = frozenset(("howto", "howtos", "how-to", "how-tos", "topics"))
_FOR_AUTHORS = re.compile(r"contribut|develop|releas|review", re.IGNORECASE)
_DOCS = frozenset(
    "doc docs documentation wiki .github notes design architecture adr rfcs dev".split()
)


def kind_of(path: str) -> str:
    """Return what a document can be, "" for what is left alone."""
    *folders, name = path.split("/")
    stem, dot, ending = name.rpartition(".")
    if is_rules_file(path):
        return ""
    if _BANK.search(path) and ending.lower() == "md" and not _RECORDS_NAME.match(stem):
        return ROADMAP if _BANK_WORK.match(name) else GUIDE
    lower = [folder.lower() for folder in folders]
    if dot + ending.lower() not in ENDINGS or not stem or _USELESS.match(stem):
        return ""
    if not _FOREIGN.isdisjoint(lower) or any(
        one.endswith((".egg-info", ".dist-info")) for one in lower
    ):
        return ""
    if _TRANSLATED.search(path):
        return ""
    listing = stem.lower() in ("readme", "index")
    if _RECORD_NAME.match(stem) or (folders and _RECORD_FOLDER.match(folders[-1])):
        return "" if listing else RECORD
    if len(folders) > 1 and _RECORD_FOLDER.match(folders[-2]):
        return RECORD  # `decisions/0003-queue/README.md`
    if _RECORDS_NAME.match(stem):
        return RECORDS
    if _PROPOSAL_NAME.match(stem) or any(_PROPOSAL_FOLDER.match(one) for one in folders[-2:]):
        return "" if listing else PROPOSAL
    if _ROADMAP_NAME.match(stem):
        return ROADMAP
    if _REPORT.search(stem) or (not _HOW_TO.isdisjoint(lower) and not _FOR_AUTHORS.search(stem)):
        return ""
    inside = not folders or not _DOCS.isdisjoint(lower) or stem.isupper()
    folder = lower[-1] if folders else ""
    if _GUIDE.search(stem) or (inside and _GUIDE_FOLDER.match(folder)):
        return GUIDE
    if inside and folder.startswith("dev") and _WORK.search(stem):
        return GUIDE
    if inside and (_DESIGN.search(stem) or _DESIGN_FOLDER.match(folder)):
        return DESIGN
    return ""


def is_of_a_screen(path: str) -> bool:
    """Tell whether a document tells of what people see: what it demands, it demands of one screen."""
    return bool(_SCREEN.search(path))


def is_rules_file(path: str) -> bool:
    """Tell whether agents' programs read a file by themselves."""
    return bool(_RULES_FILE.search(path))


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
