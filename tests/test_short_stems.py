"""People read and type the start of a log's name; machines are told the whole one."""

from __future__ import annotations

from tests.conftest import Repo, Run


def test_people_read_the_start_of_a_stem_and_every_command_takes_it(repo: Repo, run: Run) -> None:
    """Machine forms keep the whole one; what people are shown can be pasted into any command."""
    stem = run("append", "--title", "Log", "--new", "fact: id=use-x Use X.", "--json").json["stem"]
    short = stem[:18]
    for command in (
        ("log",),
        ("why", "use-x"),
        ("why", "--versions", "use-x"),
        ("log", stem),
        ("recall", "--level", "timeline", "use-x"),
    ):
        said = run(*command).out
        assert short in said and stem not in said, command
        assert stem in run(*command, "--json").out, command
    for taking in (
        ("log", short), ("recall", "--level", "timeline", short), ("show", "use-x", "--as-of", short),
        ("log", "--changes", f"{short}..{short}"), ("recall", "--ids", short), ("recall", "use", "--as-of", short),
        ("recall", "use", "--since", short), ("recall", "use", "--until", short),
        ("log", "--since", short), ("log", "--until", short),
        ("redact", short, "--reason", "It is private.", "--words-only", "--dry-run"),
    ):  # fmt: skip
        ran = run(*taking)
        assert ran.code == 0, (taking, ran.err)
    assert "Use X." in run("show", "use-x", "--as-of", short).out
    assert "Use X." in run("recall", "use", "--as-of", short).out
    assert len(run("log", "--since", short, "--until", short, "--json").json["sessions"]) == 1
    assert run("check", "--publish").code == 0
    assert stem in (repo.path / "memory/continuity.md").read_text()
