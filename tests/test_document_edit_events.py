"""Absorb: what a person's edit of `continuity.md` says, and that the next rendering says it too."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger.codec.log import canonical, entry_of
from ledger.codec.validate import problems
from ledger.model.event import (
    Event,
    FactCreated,
    FactDemoted,
    FactInvalidated,
    FactPromoted,
    FactRedacted,
    FactSuperseded,
    FactUpdated,
    ThreadClosed,
    ThreadReopened,
)
from ledger.model.ids import version_id
from ledger.model.layout import log_path
from ledger.model.logset import LogRef
from ledger.model.session import SessionLog
from ledger.model.sha256 import blob_id
from memory.replay.replayed_state import state_from
from projection.document.edit_events import Absorbed, absorb
from projection.document.page_parser import Block, Parsed, parse, unparse
from projection.document.page_renderer import render, section_title
from projection.fold.full_replay import State
from projection.policy.model import BUILT_IN_KINDS, CLOSABLE, CONTRADICTIONS, Kind, Policy
from tests.conftest import each_row
from tests.test_laws import LAW, Logged, ledgers, policies, replayed

LAST = "2026-12-31-235959000-0123456789ab"


def logged(stem: str, *events: Event, type: str = "work") -> Logged:
    """Make one log."""
    header = (("agent", "ada"), *((("type", type),) if type != "work" else ()))
    entry = entry_of(stem, canonical(SessionLog(header, "T", "", events)))
    return Logged(LogRef(stem, log_path(stem), blob_id(repr(events).encode())), type, events, entry)


def replay(*events: Event, policy: Policy | None = None) -> State:
    """Return the state of one log."""
    return replayed([logged("2026-06-01-101500123-0c1d2e3f4a5b", *events)], policy or Policy())


def read(state: State, edited: str) -> Absorbed:
    """Absorb an edit of the rendered state."""
    return absorb(render(state.view()), edited, state.policy, state.get)


def edit(state: State, old: str, new: str, count: int = 1) -> Absorbed:
    """Absorb a replacement in the rendered state."""
    text = render(state.view())
    assert text.count(old) == count, text
    return read(state, text.replace(old, new))


def footer_of(id: str, state: State) -> str:
    """Return the footer line of a fact."""
    return next(line for line in render(state.view()).split("\n") if f"<!-- id: {id} " in line)


def events(found: Absorbed) -> tuple[Event, ...]:
    """Return the events of an edit that was understood."""
    assert found.findings == ()
    return found.events


def refused(found: Absorbed) -> list[tuple[str, int, str]]:
    """Return what was not understood."""
    assert all(one.hint and one.line for one in found.findings), found.findings
    return [(one.code, one.line, one.message) for one in found.findings]


BASE = (
    FactCreated("one", "One."),
    FactCreated("two", "Two?", " ", (("kind", "thread"),)),
    FactCreated("three", "Three.", "", (("kind", "decision"), ("tags", "api"))),
    FactCreated("rule", "Never.", "", (("kind", "invariant"),)),
)

# ---- what is understood ----------------------------------------------------------------------------


def test_a_reworded_fact_is_updated_on_the_version_that_was_seen() -> None:
    """`was` names the text of the base, also where the ledger has moved on meanwhile."""
    state = replay(*BASE)
    text = render(state.view()).replace("- One.\n", "- One,\n\n  at last.\n")
    update = FactUpdated("one", "One,\n\nat last.", (version_id("One."),))
    assert events(read(state, text)) == (update,)
    later = replay(*BASE[1:], FactCreated("one", "Another one."))
    found = absorb(render(state.view()), text, state.policy, later.get)
    assert events(found) == (update,)


def test_what_another_wrote_meanwhile_replaces_the_text_that_was_seen() -> None:
    """Where that still stands beside it the choice is one; where it does not, nothing new is said."""
    state = replay(*BASE)
    text = render(state.view()).replace("- One.\n", "- Two.\n")
    seen = (version_id("One."),)
    both = replay(*BASE, FactUpdated("one", "Two.", ()))
    found = absorb(render(state.view()), text, state.policy, both.get)
    assert events(found) == (FactUpdated("one", "Two.", seen),)
    later = replay(*BASE, FactUpdated("one", "Two.", seen))
    assert events(absorb(render(state.view()), text, state.policy, later.get)) == ()


def test_a_thread_is_ticked_and_unticked() -> None:
    """The checkbox says `Closed` and `Reopened`, unless the ledger says it already."""
    state = replay(*BASE)
    assert events(edit(state, "- [ ] Two?", "- [X] Two?")) == (
        ThreadClosed("two", was=(version_id("Two?"),)),
    )
    closed = replay(*BASE, ThreadClosed("two"))
    assert events(edit(closed, "- [x] Two?", "- [ ] Two?")) == (ThreadReopened("two"),)
    text = render(state.view()).replace("- [ ] Two?", "- [x] Two?")
    assert events(absorb(render(state.view()), text, state.policy, closed.get)) == ()


@pytest.mark.parametrize(
    ("bullet", "event"),
    [
        ("- Five words.", FactCreated("feroto", "Five words.")),
        ("* One more.\n  <!-- kind: stack -->",
         FactCreated("forori", "One more.", "", (("kind", "stack"),))),
        ("- Mine.\n  <!-- id: my-own | tags: a, b | own: v -->",
         FactCreated("my-own", "Mine.", "", (("tags", "a, b"), ("own", "v")))),
        ("- [ ] To do", FactCreated("babeno", "To do", " ", (("kind", "thread"),))),
        ("- [x] Done", FactCreated("dudono", "Done", "x", (("kind", "thread"),))),
        ("- Copied.\n  <!-- id: copy | created: 2020-01-01 | uses: 9 | tier: active -->",
         FactCreated("copy", "Copied.")),
    ],
)  # fmt: skip
def test_a_new_bullet_is_a_new_fact(bullet: str, event: Event) -> None:
    """Its id comes from the text or its footer, its kind from checkbox, footer or section."""
    assert events(edit(replay(*BASE), "## Facts\n", f"## Facts\n\n{bullet}\n")) == (event,)


def test_the_section_gives_a_new_fact_its_kind() -> None:
    """Also one that the policy added, and one that the file did not have."""
    policy = Policy(kinds=(*BUILT_IN_KINDS, Kind("axiom", "Axioms")))
    state = replay(*BASE, policy=policy)
    found = edit(
        state, "## Facts\n", "## Axioms\n\n- A is A.\n\n## Open Threads\n\n- Why\n\n## Facts\n"
    )
    assert events(found) == (
        FactCreated("lezega", "A is A.", "", (("kind", "axiom"),)),
        FactCreated("vapape", "Why", " ", (("kind", "thread"),)),
    )


def test_ids_made_from_texts_are_free() -> None:
    """A made id stands for nothing else; what an absorption that was cut short said is not said again."""
    state = replay(*BASE, FactCreated("feroto", "Other."), FactInvalidated("feroto"))
    found = edit(state, "## Facts\n", "## Facts\n\n- Five words.\n- Five words!\n")
    assert [event.id for event in events(found)] == ["feroto-2", "rogoko"]
    done = replay(*BASE, FactCreated("feroto", "Five words."))
    base = render(replay(*BASE).view())
    text = base.replace("## Facts\n", "## Facts\n\n- Five words.\n")
    assert events(absorb(base, text, done.policy, done.get)) == ()


def test_a_deleted_bullet_is_invalidated() -> None:
    """Whoever takes a bullet away says that it does not hold; the rest stays."""
    state = replay(*BASE)
    text = render(state.view())
    start = text.index("- One.")
    assert events(read(state, text[:start] + text[text.index("## Open") :])) == (
        FactInvalidated("one", was=(version_id("One."),)),
    )


def test_a_footer_that_is_gone_or_cut_takes_nothing_away() -> None:
    """The bullet is known by its text, and its footer comes back."""
    state = replay(*BASE)
    lines = render(state.view()).split("\n")
    kept = "\n".join(line for line in lines if not line.startswith("  <!-- id: one"))
    assert events(read(state, kept)) == ()
    text = render(state.view())
    start = text.index(" | created", text.index("id: one"))
    assert events(read(state, text[:start] + text[text.index(" -->", start) :])) == ()


def test_facts_of_one_text_are_told_apart() -> None:
    """Two facts that say the same lose their footers, and neither is taken for the other."""
    state = replay(*BASE, FactCreated("uno", "One."))
    lines = render(state.view()).split("\n")
    kept = [line for line in lines if not line.startswith(("  <!-- id: one", "  <!-- id: uno"))]
    assert events(read(state, "\n".join(kept))) == ()


def test_core_is_set_and_lifted() -> None:
    """`tier: core` in a footer, of a fact or of a new one."""
    state = replay(*BASE)
    line = footer_of("one", state)
    core = line.replace("tier: working", "tier: core")
    assert events(edit(state, line, core)) == (FactPromoted("one"),)
    promoted = replay(*BASE, FactPromoted("one"))
    assert events(edit(promoted, core, line)) == (FactDemoted("one"),)
    assert events(edit(promoted, core, core.replace(" | tier: core", ""))) == (FactDemoted("one"),)
    found = edit(state, "## Facts\n", "## Facts\n\n- New.\n  <!-- tier: core -->\n")
    assert events(found) == (FactCreated("dukapo", "New."), FactPromoted("dukapo"))


def test_another_section_is_another_kind() -> None:
    """Moved, or told in the footer; a checkbox makes a thread of a fact."""
    state = replay(*BASE)
    text = render(state.view())
    start, end = text.index("- One."), text.index("## Open")
    moved = text[:start] + text[end:].replace(
        "## Open", "## Patterns\n\n" + text[start:end] + "## Open"
    )
    was = (version_id("One."),)
    assert events(read(state, moved)) == (
        FactUpdated("one", "One.", was, "", (("kind", "pattern"),)),
    )
    told = text.replace("id: one |", "id: one | kind: stack |")
    assert events(read(state, told)) == (FactUpdated("one", "One.", was, "", (("kind", "stack"),)),)
    boxed = FactUpdated("one", "One.", was, "", (("kind", "thread"),))
    assert events(edit(state, "- One.", "- [x] One.")) == (boxed, ThreadClosed("one"))


def test_a_value_of_the_footer_is_changed() -> None:
    """What is the author's can be edited; it goes with the text in one event."""
    found = edit(replay(*BASE), "tags: api", "tags: api, web | entity: shop")
    meta = (("tags", "api, web"), ("entity", "shop"))
    assert events(found) == (FactUpdated("three", "Three.", (version_id("Three."),), "", meta),)


def test_a_value_is_changed_beside_a_new_text() -> None:
    """What was reworded elsewhere meanwhile stays reworded: the old text does not come back."""
    base = replay(*BASE)
    text = render(base.view()).replace("tags: api", "tags: web")
    now = replay(*(one for one in BASE if one.id != "three"), FactCreated("three", "Drei."))
    (event,) = events(absorb(render(base.view()), text, base.policy, now.get))
    assert event == FactUpdated("three", "Drei.", (version_id("Drei."),), "", (("tags", "web"),))


def contested(*texts: str) -> State:
    """Return a state in which several texts of `x` stand."""
    logs = [
        logged(f"2026-06-0{n}-101500123-0c1d2e3f4a5b", FactCreated("x", text))
        for n, text in enumerate(texts, 1)
    ]
    return replayed(logs, Policy())


def test_a_contradiction_is_settled_where_the_fact_stands() -> None:
    """One text in place of all, one struck out, one reworded: `was` names what no longer stands."""
    state = contested("A.", "B.")
    a, b = version_id("A."), version_id("B.")
    text = render(state.view())
    head, foot = text.index("- **Contradiction**"), text.index("  <!-- id: x")
    assert events(read(state, text[:head] + "- C.\n" + text[foot:])) == (
        FactUpdated("x", "C.", (a, b)),
    )
    first, second = text.index("  - A."), text.index("  - B.")
    assert events(read(state, text[:first] + text[second:])) == (FactUpdated("x", "B.", (b, a)),)
    assert events(read(state, text.replace("- B.", "- B!"))) == (FactUpdated("x", "B!", (b,)),)
    listed = text.index("- `x`"), text.index("## Facts")
    both = text[: listed[0]] + text[listed[1] : first] + text[second:]
    assert events(read(state, both)) == (FactUpdated("x", "B.", (b, a)),)


# ---- what is not -----------------------------------------------------------------------------------


@each_row("old, new, code, said",
    [
        ("# Continuity — project", "# Ours", "hand-edited", "the title was changed"),
        ("> Diurna", "> Mine.\n> Diurna", "hand-edited", "the note was changed"),
        ("- Sessions: 1", "- Sessions: 2", "hand-edited", "`Sessions` was changed"),
        ("- Sessions: 1", "- Sessions: 1\n- Mine", "hand-edited", "a bullet that stands in no section"),
        ("## Facts", "## Fatcs", "hand-edited", "there is no section 'Fatcs'"),
        ("- [ ] Two?", "- Two?", "hand-edited", "the thread two has lost its checkbox"),
        ("- One.", "-", "hand-edited", "one has no text any more"),
        ("- One.", "- ```\n  open", "unclosed-fence", "in the text of one"),
        ("- One.", "- One.\n- New", "hand-edited", "the footer of one stands under another text now"),
        ("id: one |", "id: Bad One |", "bad-id", "`Bad One` is not a fact id"),
        ("id: one |", "id: two |", "duplicate-block", "`two` stands on line"),
        ("id: one |", "id: one | kind: odd |", "unknown-kind", "there is no kind odd"),
        (" | tags: api", "", "hand-edited", "`tags` of three was taken away"),
        (" | tags: api", " | uses: 7 | tags: api", "hand-edited", "`uses` of three was changed"),
        (" | tags: api", " | supersedes: one | tags: api", "hand-edited", "`supersedes` of three"),
        ("## Facts\n", "## Facts\n\nLoose words.\n", "hand-edited", "this text is no part of a fact"),
        ("## Facts\n", "<<<<<<< HEAD\n## Facts\n", "conflict-in-projection", "a merge conflict marker"),
        ("## Facts\n", "## Facts\n\n-\n", "hand-edited", "a bullet without a text"),
        ("## Facts\n", "## Contradictions\n\n- mine\n\n## Facts\n", "hand-edited", "this section is computed"),
        ("logs: 1", "logs: 2", "hand-edited", "the last line was changed"),
    ],
)  # fmt: skip
def test_what_is_not_understood_has_line_and_hint(old: str, new: str, code: str, said: str) -> None:
    """Whatever a person wrote and no event can say is a finding; it is never dropped."""
    found = edit(replay(*BASE), old, new)
    assert refused(found)
    codes = [(one[0], one[2][: len(said)]) for one in refused(found)]
    assert (code, said) in codes


def test_findings_name_the_line_of_the_edit() -> None:
    """Each names the line in the file as it stands, and the file's own name."""
    state = replay(*BASE)
    text = render(state.view()).replace("- One.", "- ```\n  open")
    found = absorb(
        render(state.view()), text, state.policy, state.get, file=".memory/continuity.md"
    )
    (one,) = found.findings
    assert (one.file, text.split("\n")[one.line - 1]) == (".memory/continuity.md", "- ```")


def test_tiers_can_not_be_set() -> None:
    """Only `core` can; and what never fades by its kind stays core."""
    state = replay(*BASE)
    line = footer_of("one", state)
    said = refused(edit(state, line, line.replace("working", "archived")))
    assert [one[2] for one in said] == ["the tier of one can not be set to archived"]
    line = footer_of("rule", state)
    said = refused(edit(state, line, line.replace("core", "active")))
    assert [one[2] for one in said] == ["rule can not be taken out of core"]


def test_redacted_and_taken_ids() -> None:
    """Nothing new is said of a redacted fact, and no bullet takes the id of another fact."""
    state = replay(*BASE, FactCreated("s", "Secret."), FactRedacted("s"))
    said = refused(edit(state, "- (redacted)", "- Told."))
    assert [one[2] for one in said] == ["s is redacted; nothing that is said of it is shown again"]
    state = replay(*BASE, FactCreated("old", "Old."), FactSuperseded("old", "one"))
    said = refused(edit(state, "## Facts\n", "## Facts\n\n- Old.\n  <!-- id: old -->\n"))
    assert [one[2] for one in said] == ["the id old belongs to a fact of the ledger"]


def test_a_file_that_was_cut_short_invalidates_nothing() -> None:
    """Without its last line a file with missing facts may be half a file."""
    state = replay(*BASE)
    text = render(state.view())
    for cut in range(0, len(text) - 1, 7):
        found = read(state, text[:cut])
        assert found.findings or not found.events, text[:cut]
    said = "the last line of the file is missing, and so is "
    assert refused(read(state, ""))[0][2] == f"{said}rule and {len(BASE) - 1} more"
    alone = replay(FactCreated("only", "Only."))
    assert refused(read(alone, ""))[0][2] == f"{said}only"


def test_a_contradiction_needs_its_footer() -> None:
    """Without it the versions are no new fact, and the fact is not taken for deleted."""
    state = contested("A.", "B.")
    line = footer_of("x", state)
    said = refused(edit(state, line + "\n", ""))
    assert [one[2] for one in said] == ["a contradiction without its footer"]


def test_the_list_of_contradictions_takes_no_choice() -> None:
    """Neither a change nor a deletion there decides anything."""
    state = contested("A.", "B.")
    text = render(state.view())
    gone = text[: text.index("## Contradictions")] + text[text.index("## Facts") :]
    said = refused(read(state, gone))
    assert [one[2] for one in said] == ["the contradiction of x was taken away"]
    said = refused(edit(state, "2 versions stand, none wins; ", "mine wins; "))
    assert "this section is computed; an edit here has no effect" in [one[2] for one in said]


# ---- laws ------------------------------------------------------------------------------------------


def after(logs: list[Logged], policy: Policy, found: Absorbed) -> State:
    """Replay with an edit on top, as a stored log gives it back."""
    log = canonical(SessionLog((("agent", "ada"), ("type", "edit")), "Edit", "", found.events))
    assert problems(log) == ()
    assert log.events == found.events, "the order is canonical"
    entry = entry_of(LAST, log)
    ref = LogRef(LAST, log_path(LAST), blob_id(repr(log).encode()))
    return state_from(
        [*(one.ref for one in logs), ref], [*(one.entry for one in logs), entry], policy
    )


@LAW
@given(ledgers(), policies)
def test_absorbing_what_was_published_is_empty(logs: list[Logged], policy: Policy) -> None:
    """absorb(publish(x)) is empty, also with other line ends, and what is computed comes back."""
    state = replayed(sorted(logs, key=lambda log: log.ref.key), policy)
    text = render(state.view())
    assert read(state, text) == Absorbed((), ())
    assert read(state, text.replace("\n", "\r\n")) == Absorbed((), ())
    assert read(state, text + "\n") == Absorbed((), ())
    bare = [line for line in text.split("\n") if line[:2] not in ("# ", "> ")]
    assert read(state, "\n".join(bare)) == Absorbed((), ())


def changed(block: Block, state: State, rng: random.Random) -> Block | None:
    """Edit one block at random; None takes it away."""
    fact = state[block.id].fact
    what = rng.choice(("reword", "reword", "tick", "delete", "core", "move", "retag"))
    footer = dict(block.footer)
    if what == "delete":
        return None
    if what == "tick" and block.mark:
        return block._replace(mark="x" if block.mark == " " else " ")
    if what == "core" and (footer["tier"] != "core" or state.policy.kind(fact.kind).decays):
        footer["tier"] = "active" if footer["tier"] == "core" else "core"
        return block._replace(footer=tuple(footer.items()))
    if fact.redacted:
        return block
    if what == "reword":
        return block._replace(text=rng.choice(("New.", "One.", "Two\n\n- lines")), versions=())
    if what == "move":
        title = section_title(state.policy, rng.choice(BUILT_IN_KINDS).name)
        footer.pop("kind", None)
        return block._replace(section=title, footer=tuple(footer.items()))
    if what == "retag":
        return block._replace(
            footer=(*((k, v) for k, v in block.footer if k != "tags"), ("tags", "z"))
        )
    return block


def check(block: Block | None, old: Block, state: State) -> None:
    """The state says of a fact what the person wrote."""
    standing = state[old.id]
    fact = standing.fact
    if block is None:
        assert fact.invalidated_at
        return
    if (
        fact.false
    ):  # of what was called false here and reworded there, a text that was called so (F10)
        called = {
            version
            for act in state.histories[old.id].acts
            if isinstance(act.event, FactSuperseded | FactInvalidated) and act.event.id == old.id
            for version in act.event.was or ()
        }
        assert {version.id for version in fact.heads} <= called
        return
    if not block.versions and not fact.redacted:
        assert [version.text for version in fact.heads] == [block.text]
    if block.section != old.section:
        assert section_title(state.policy, fact.kind) == block.section
    if block.mark and fact.kind in CLOSABLE:
        assert fact.closed == (block.mark == "x")
    if block.get("tier") == "core":
        assert standing.tier == "core" or block.section != old.section
    elif old.get("tier") == "core":
        assert not fact.promoted
    if block.get("tags") and not fact.redacted:
        assert dict(fact.meta)["tags"] == block.get("tags")


@LAW
@given(ledgers(), policies, st.randoms(use_true_random=False))
def test_the_next_rendering_says_what_the_person_wrote(
    logs: list[Logged], policy: Policy, rng: random.Random
) -> None:
    """Small edits at random: understood, storable, and in force after the replay; then nothing is left."""
    logs = sorted(logs, key=lambda log: log.ref.key)
    state = replayed(logs, policy)
    base = render(state.view())
    parsed, _ = parse(base)
    edits = {block.id: block for block in parsed.blocks}
    for id in rng.sample(sorted(edits), min(len(edits), rng.randint(1, 3))):
        made = changed(edits[id], state, rng)
        if made is None:
            del edits[id]
        else:
            edits[id] = made
    new = [
        Block(section_title(policy, kind.name), "", "", f"Brand new {number}.")
        for number, kind in enumerate(rng.sample(BUILT_IN_KINDS, rng.randint(0, 2)))
    ]
    order = [kind.section for kind in policy.kinds]
    written = sorted([*edits.values(), *new], key=lambda block: order.index(block.section))
    edited = unparse(parsed._replace(blocks=tuple(written)))
    found = read(state, edited)
    if any(one.message.startswith("the heading above") for one in found.findings):
        return  # of a section that is empty now: nobody can tell that from a heading that was deleted
    assert found.findings == ()
    then = after(logs, policy, found)
    text = render(then.view())
    for block in parsed.blocks:
        check(edits.get(block.id), block, then)
    shown: Parsed = parse(text)[0]
    for block in new:
        assert [(one.section, one.text) for one in shown.blocks if one.text == block.text] == [
            (block.section, block.text)
        ]
    untouched = {b.id for b in parsed.blocks if edits.get(b.id) == b} - {e.id for e in found.events}
    for id in untouched:
        assert then[id].fact == state[id].fact
    assert absorb(base, edited, policy, then.get) == Absorbed((), ()), "it is said, once"
    assert CONTRADICTIONS not in text or then.view().contradicted


@LAW
@given(ledgers(), policies, st.randoms(use_true_random=False))
def test_nobodys_word_is_lost(logs: list[Logged], policy: Policy, rng: random.Random) -> None:
    """Whatever logs arrived since the base: the person's text stands, and so does all they did not see."""
    known = rng.randint(0, len(logs))
    seen = replayed(logs[:known], policy)
    now = replayed(logs, policy)
    base = render(seen.view())
    parsed, _ = parse(base)
    said_anew = {
        version_id(act.text or "")
        for log in logs[known:]
        for act in log.acts
        if isinstance(act, FactCreated | FactUpdated)
    }
    reworded = rng.sample(parsed.blocks, min(len(parsed.blocks), 2))
    edits = [b._replace(text="Mine.", versions=()) if b in reworded else b for b in parsed.blocks]
    found = absorb(base, unparse(parsed._replace(blocks=tuple(edits))), policy, now.get)
    withheld = [block for block in reworded if now[block.id].fact.redacted]
    assert len(found.findings) == len(withheld)
    if withheld:
        return
    then = after(logs, policy, found)
    for block in reworded:
        base_ids = {v.id for v in block.versions} or {version_id(block.text)}
        heads = {version.id for version in then[block.id].fact.heads}
        assert version_id("Mine.") in heads
        assert {version.id for version in now[block.id].fact.heads} - base_ids <= heads
        if block.mark == "x" or not now[block.id].fact.closed:  # else the closed text stands, too
            assert not heads & base_ids - said_anew


@given(st.text(max_size=200), st.integers(0, 10**6))
def test_reading_an_edit_is_total(junk: str, at: int) -> None:
    """Whatever is written wherever: events or findings with lines, and never both lost."""
    state = replay(*BASE)
    text = render(state.view())
    at %= len(text)
    found = read(state, text[:at] + junk + text[at:])
    assert all(one.line for one in found.findings)
    if not found.findings:
        log = canonical(SessionLog((("agent", "a"), ("type", "edit")), "Edit", "", found.events))
        assert problems(log) == ()
    read(state, junk)
