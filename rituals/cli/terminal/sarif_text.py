"""Write findings for other programs: SARIF 2.1.0, and the annotations of GitHub's runners."""

from __future__ import annotations

import json
from collections.abc import Sequence

from ledger.escape import visible
from ledger.model.findings import CODES, ERROR, INFO, WARNING, Finding
from ledger.secrets.scanner import without_secrets
from rituals.cli.output import Output

#: The forms that forges read.
SARIF, GITHUB = FORGES = ("sarif", "github")
_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_LEVEL = {ERROR: "error", WARNING: "warning", INFO: "note"}
_COMMAND = {ERROR: "error", WARNING: "warning", INFO: "notice"}
_PLAIN = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/")


def show_on_forge(
    out: Output, form: str, findings: tuple[Finding, ...], prefix: str, fallback: str
) -> None:
    """Write findings in one of `FORGES`."""
    if form == SARIF:
        log = sarif(findings, prefix, fallback)
        out.text(json.dumps(log, ensure_ascii=True, indent=2) + "\n")
    else:
        for finding in findings:
            out.line(annotation(finding, prefix))
    out.told.update(findings)


def sarif(findings: Sequence[Finding], prefix: str, fallback: str) -> dict[str, object]:
    """Describe findings as one SARIF run.

    The findings' files are relative to `prefix`, that of the home in its repository. Findings without a
    place are shown at the file `fallback`; viewers drop what has none.
    """
    codes = sorted({finding.code for finding in findings})
    rules = [
        {
            "id": code,
            "shortDescription": {"text": CODES[code][1]},
            "defaultConfiguration": {"level": _LEVEL[CODES[code][0]]},
        }
        for code in codes
    ]
    results = [
        {
            "ruleId": finding.code,
            "ruleIndex": codes.index(finding.code),
            "level": _LEVEL[finding.severity],
            "message": {"text": visible(_sentence(finding))},
            "locations": [
                {
                    "physicalLocation": {
                        "artifactLocation": {"uri": _uri(prefix + (finding.file or fallback))},
                        "region": {"startLine": max(finding.line, 1)},
                    }
                }
            ],
        }
        for finding in findings
    ]
    driver = {"name": "Diurna", "rules": rules}
    run = {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}
    return {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}


def annotation(finding: Finding, prefix: str) -> str:
    """Write a finding as a line that GitHub's runner shows beside the file."""
    place = ""
    if finding.file:
        place = f"file={_property(prefix + finding.file)},"
        if finding.line:
            place += f"line={finding.line},"
    title = _property(f"diurna {finding.code}")
    return f"::{_COMMAND[finding.severity]} {place}title={title}::{_data(_sentence(finding))}"


def _sentence(finding: Finding) -> str:
    hint = f"\nhint: {finding.hint}" if finding.hint else ""
    return without_secrets(finding.message) + hint


def _data(text: str) -> str:
    """Escape what the runner would read as the end of a command, and what a terminal would obey."""
    return visible(text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A"))


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def _uri(path: str) -> str:
    """Write a path as a relative URI."""
    data = path.encode("utf-8", "surrogateescape")
    return "".join([chr(byte) if chr(byte) in _PLAIN else f"%{byte:02X}" for byte in data])
