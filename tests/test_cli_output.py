"""What a terminal is shown while long work goes on, and how what is said stands together."""

from __future__ import annotations

import io

from rituals.cli.output import Output


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def _output(terminal: bool, *times: float) -> tuple[Output, io.StringIO, io.StringIO]:
    out, err = (_Terminal(), _Terminal()) if terminal else (io.StringIO(), io.StringIO())
    clock = iter(times)
    return Output(out, err, colour=False, monotonic=lambda: next(clock)), out, err


def test_progress_only_after_half_a_second() -> None:
    """Short work shows no bar; a long one does, and takes it away before a word is said; a pipe sees none."""
    output, out, err = _output(True, 1.0, 1.4, 1.6)
    for done in (0, 4):
        output.progress(done, 10)
        assert err.getvalue() == ""
    output.progress(5, 10)
    assert err.getvalue() == "\r\x1b[Kreading logs [###############...............] 5/10"
    output.line("done")
    assert err.getvalue().endswith("5/10\r\x1b[K") and out.getvalue() == "done\n"
    output, _, err = _output(False, 0.0)
    output.progress(1, 2)
    assert err.getvalue() == ""


def test_one_object_and_no_second() -> None:
    """A failure behind the answer goes to stderr: stdout stays one object, of sorted keys and plain text."""
    output, out, _ = _output(False)
    output.answer({"z": "ü", "a": [1], "name": "a\udcff"})
    output.answer({"error": {}})
    said = '{\n  "a": [\n    1\n  ],\n  "format": 1,\n  "name": "a\ufffd",\n  "z": "ü"\n}\n'
    assert out.getvalue() == said
