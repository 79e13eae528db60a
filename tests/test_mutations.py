"""The mutator changes what runs, one place at a time, and nothing else."""

from __future__ import annotations

from tests.campaigns.mutations import compiles, functions, mutations

_SOURCE = b'''\
"""A text with 1 and not 2."""


def f(a: int, b: int = 3) -> bool:
    """Say 4."""
    if a:
        a += 1
    if a < b and not b == 7:
        return True
    raise ValueError("5")


TYPE_CHECKING = False
if TYPE_CHECKING:
    g = 6
'''


def test_each_mutation_changes_one_place_that_runs() -> None:
    """Conditions, comparisons, numbers and statements are changed; texts, annotations and errors are not."""
    before = _SOURCE.split(b"\n")
    changed = set()
    for one in mutations("f.py", _SOURCE):
        after = one.of(_SOURCE).split(b"\n")
        assert compiles(one.of(_SOURCE))
        assert [n for n, line in enumerate(before) if line != after[n]] == [one.line - 1]
        changed.add(after[one.line - 1].strip().decode())
    assert changed == {
        "def f(a: int, b: int = 4) -> bool:",
        "if (not a):",
        "pass",
        "a += 2",
        "if (a < b or not b == 7):",
        "if (a <= b) and not b == 7:",
        "if a < b and (b == 7):",
        "if a < b and not (b != 7):",
        "if a < b and not b == 8:",
        "return False",
    }


def test_a_line_belongs_to_its_function() -> None:
    """A method is known by its class, and what stands at the top by no name."""
    source = b"x = 1\nclass A:\n    def g(self) -> int:\n        return 2\n"
    assert functions(source)[4] == "A.g"
    assert 1 not in functions(source)
