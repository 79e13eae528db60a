"""List the headings, labels and turns of phrase that tell what a passage of a session log is.

Plain tables in lower case. A word that is missing costs a line of a digest, a wrong one puts a wrong
line into it; so what is common in ordinary prose is left out.
"""

from __future__ import annotations

#: What a section, or what a label introduces, is about; PLAIN is what no table knows.
PLAIN, SUMMARY, DONE, DECISIONS, ACTIONS, CHECKS = (
    "", "summary", "done", "decisions", "actions", "checks",
)  # fmt: skip

#: The words of headings and labels; the first that is known decides.
HEADINGS = {
    **dict.fromkeys(
        "summary overview tldr tl;dr aim goal goals purpose objective context".split(), SUMMARY
    ),
    **dict.fromkeys(
        "done built shipped changed changes change fixed happened implemented delivered merged "
        "learned lessons findings outcome outcomes results result cause progress same "
        "closed complete completed resolved".split(),
        DONE,  # `Follow-up (same session)` tells what was done
    ),
    **dict.fromkeys(
        "decision decisions decided ruling rulings choice choices rationale verdict verdicts".split(),
        DECISIONS,
    ),
    **dict.fromkeys(
        "next todo todos to-do to-dos remaining remains follow-up follow-ups followup followups "
        "pending outstanding backlog action actions open unresolved blocked".split(),
        ACTIONS,
    ),
    **dict.fromkeys(
        "verification verified verify tests test testing gate gates validation checks".split(), CHECKS
    ),
}  # fmt: skip
#: These announce something only as the first of at most two words: `Open questions`, not `The open door`;
#: `Follow-ups`, not `Follow-up on the parity check`, which tells what was done.
ONLY_FIRST = frozenset("open follow-up follow-ups followup followups".split())
#: Labels of lines that say what the front matter says, or that a tool put there.
BOILERPLATE = frozenset(
    "agent author authors branch date time model session host role commit started ended duration type "
    "version co-authored-by signed-off-by reviewed-by generated".split()
)
#: A sentence that begins with one of these and a colon or a dash is about what is to be done.
ACTION_LABELS = frozenset(
    "next todo to-do fixme follow-up follow-ups followup remaining pending outstanding blocked".split()
)
#: Somewhere in a sentence: something is still to be done.
ACTION_PHRASES = (
    " still needs ", " still need ", " remains to ", " left to do", " to be done", " awaits ",
    " awaiting ", " is next. ", " next action", " next up", " follow-up: ", " todo",
    " fixme", " stays open", " remains open", " next session", " still open", " still to ", " we should ",
)  # fmt: skip
#: Said of many things; in a short sentence it is about what is to be done.
MAYBE_ACTION = (
    " needs to ", " need to ", " not yet ", " waits for ", " waiting for ", " will need ", " should be ",
    " has to be ", " have to be ", " pending ", " is open. ", " deferred to ", " follow up ",
    " next step", " open question",
)  # fmt: skip
#: What takes that back.
NO_ACTION = (
    " none", " nothing ", " no follow-up", " no open ", " no longer ", " no action", " not needed",
    " resolved", " complete.", " did not need to ", " no need to ", " without the need",
)  # fmt: skip
#: An item of a to-do list that begins so is done.
FINISHED = frozenset("done shipped closed fixed merged resolved none nothing n/a".split())

#: Words that say by themselves that something was decided.
DECIDING = frozenset("decided decide chose chosen opted ruled ruling agreed deliberately".split())
#: Words and phrases of which two say it.
WEIGHING_WORDS = frozenset(
    "decision decisions rationale trade-off tradeoff approved verdict prefer preferred choice settled "
    "because kept rejected retired".split()
)
WEIGHING_PHRASES = (
    " instead of ", " rather than ", " by design", " on purpose", " settled on ", " not worth ",
    " in favour of ", " in favor of ", " gate answer", " will not ", " won't ", " we keep ",
    " the right call",
)  # fmt: skip

#: A sentence that begins so leans on the one before it.
LEANING = frozenset(
    "this that these those it its they them he she also then so but and however both such same "
    "there here which".split()
)
#: What a reader wants to know of a session, beside what it talks about most.
TELLING = frozenset(
    "fixed fix added implemented built shipped released merged root cause bug bugs broke broken failed "
    "fails regression found discovered learned lesson gotcha must never always breaking migrated replaced "
    "removed renamed introduced created moved dropped verified measured invariant contract".split()
)
