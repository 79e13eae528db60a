# The names of the door, each with the module that it is loaded from: `__init__.py` reads them here.
# fmt: off
from memory.api import Memory as Memory
from memory.brief.brief_maker import news_of as news_of, public_news as public_news
from memory.cache.cache_file import Cache as Cache
from memory.cache.landed_work import (
    EndingFact as EndingFact, Settled as Settled, read_heads as read_heads,
    settle_landings as settle_landings,
)
from memory.cache.ledger_status import LedgerStatus as LedgerStatus, status_of as status_of
from memory.cache.name_lookup import (
    AGENTS as AGENTS, ENTITIES as ENTITIES, IDS as IDS, KINDS as KINDS, STEMS as STEMS,
    THREADS as THREADS, as_it_lies as as_it_lies, fact_named as fact_named,
    is_named as is_named, log_named as log_named, names_like as names_like,
)
from memory.cache.schema import reach_name as reach_name
from memory.cache.stamp import sqlite3 as sqlite3
from memory.cache.ledger_version import (
    changed_files as changed_files, drop_briefs as drop_briefs, has_files as has_files,
    mark_here as mark_here, stems_elsewhere as stems_elsewhere, waiting_stems as waiting_stems,
)
from memory.cache.view_sources import (
    handoffs_in as handoffs_in, task_in as task_in, tasks_in as tasks_in,
)
from memory.edits.page_edits import PageEdit as PageEdit
from memory.object_backups import clear_damaged as clear_damaged
from memory.merge.learned_by_sync import (
    APART as APART, BEHIND as BEHIND, CHANGES as CHANGES, Change as Change,
    SyncPlan as SyncPlan, code_beside as code_beside, former_places as former_places,
    refuse_purged as refuse_purged,
)
from memory.pages import Pages as Pages
from memory.query import home_views as home_views
from memory.query.code_reasons import (
    CUT_HISTORY as CUT_HISTORY, PATHS_HINT as PATHS_HINT, REVISION as REVISION,
    Reason as Reason, UNCOMMITTED as UNCOMMITTED, code_asked as code_asked,
    reasons as reasons,
)
from memory.query.home_views import (
    day_of as day_of, entities as entities, entity as entity, links as links,
    view_page as view_page, whole_source as whole_source,
)
from memory.query.cached_briefs import (
    BriefWish as BriefWish, KeptBrief as KeptBrief, kept_brief as kept_brief,
    kept_page as kept_page, last_brief as last_brief, make_brief as make_brief,
)
from memory.query.log_listing import (
    ADOPTION as ADOPTION, LogLine as LogLine, Origin as Origin, Origins as Origins,
    all_origins as all_origins, ended_at as ended_at, lines_of as lines_of,
    log_lines as log_lines, seen_at as seen_at, writers as writers,
)
from memory.query.prompt_facts import (
    KEPT_CHARS as KEPT_CHARS, answers_to as answers_to, passages_told as passages_told,
)
from memory.query.why_fact import (
    Provenance as Provenance, WhyStep as WhyStep, changes_between as changes_between,
    provenance as provenance,
)
from memory.query.reader import (
    Reader as Reader, hides_text as hides_text, open_snapshot as open_snapshot,
    undisturbed as undisturbed,
)
from memory.query.session_timeline import (
    Timeline as Timeline, TimelineSession as TimelineSession, sessions_of as sessions_of,
    timeline as timeline,
)
from memory.query.visible_logs import digest as digest, logs_of as logs_of
from memory.recall.fts_tables import (
    AT as AT, AT_BITS as AT_BITS, FACTS_FROM as FACTS_FROM, LogRow as LogRow, PARTS_FROM as PARTS_FROM,
    PLACE_BITS as PLACE_BITS, Piece as Piece, Stemmer as Stemmer, Totals as Totals, in_a_row as in_a_row,
)
from memory.recall.index_catch_up import (
    ask_once as ask_once, index_differs as index_differs, index_file as index_file,
)
from memory.recall.meaning import (
    TOKENIZER as TOKENIZER, make_vectors as make_vectors, model_folder as model_folder,
)
from memory.recall.log_reader import split_words as split_words
from memory.recall.question import (
    ENGLISH as ENGLISH, is_everyday as is_everyday, listed_words as listed_words,
)
from memory.recall.recall_values import (
    Answer as Answer, COMMON_NOTES as COMMON_NOTES, DOCUMENT_KIND as DOCUMENT_KIND,
    FACTS as FACTS, FULL as FULL, Filters as Filters, Hit as Hit, INDEX as INDEX,
    LEVELS as LEVELS, MAYBE as MAYBE, NO_FACT as NO_FACT, SESSIONS as SESSIONS,
    SESSION_KIND as SESSION_KIND, SMALL_MODEL_BYTES as SMALL_MODEL_BYTES,
    ScorePart as ScorePart, TIMELINE as TIMELINE, WITHIN as WITHIN, home_and_id as home_and_id,
    tokens_of as tokens_of,
)
from memory.recall.rules import Candidate as Candidate, Scored as Scored, ordered as ordered
from memory.recall.word_lookups import Lookups as Lookups
from memory.recall.bm25_ranking import Search as Search, search as search, weight_of as weight_of
from memory.redaction.purged_logs import Purge as Purge
from memory.redaction.withheld_repeats import (
    Withheld as Withheld, repeated_places as repeated_places, withheld_of as withheld_of,
)
from memory.redaction.withheld_texts import (
    held_logs as held_logs, named_in as named_in, redacted_logs as redacted_logs,
    texts_in as texts_in, visible_text as visible_text, withheld_holders as withheld_holders,
    withheld_texts as withheld_texts, without_words as without_words,
)
from memory.repair.lost_logs import (
    keep_lost as keep_lost, lost_findings as lost_findings, lost_logs as lost_logs,
    missing_logs as missing_logs, named_few as named_few, went_finding as went_finding,
)
from memory.repair.pruned_commits import file_copies as file_copies, lost_objects as lost_objects
from memory.repair.redacted_copies import clean_again as clean_again
from memory.replay.broken_truth import (
    Lack as Lack, Truths as Truths, ending_facts as ending_facts, has_code as has_code,
    read_truths as read_truths, truth_of as truth_of, with_ends as with_ends,
    write_truths as write_truths,
)
from memory.replay.ending_commits import ended_facts as ended_facts
from memory.replay.head_view import Here as Here, here_of as here_of
from memory.replay.page_publishing import (
    Publishing as Publishing, code_trunk as code_trunk, publishes as publishes,
    publishing as publishing, trunk_of as trunk_of,
)
from memory.replay.read_logs import (
    LogReading as LogReading, blobs as blobs, read_all as read_all, read_bytes as read_bytes,
    unreadable as unreadable,
)
from memory.replay.reader_marks import (
    Marks as Marks, NOTHING_MARKED as NOTHING_MARKED, as_here as as_here, known_by as known_by,
    marked_fact as marked_fact, marks_at as marks_at, marks_known as marks_known,
)
from memory.replay.state_as_of import (
    cold_state as cold_state, logs_at as logs_at, not_known as not_known,
    point_in_time as point_in_time, state_at as state_at, state_from as state_from,
    state_of as state_of,
)
from memory.replay.tip_snapshot import Snapshot as Snapshot
from memory.replay.unlanded_work import Works as Works, works_of as works_of
from memory.replay.upstream_homes import (
    FetchedHome as FetchedHome, as_fetched as as_fetched, note_of as note_of,
    upstream_folder as upstream_folder, upstreams as upstreams,
)
from memory.worktree.index_entries import store_blob as store_blob
from memory.worktree.merge_drivers import (
    NEW_CLONE as NEW_CLONE, PAGE_DRIVER as PAGE_DRIVER, apply_drivers as apply_drivers,
    plan_drivers as plan_drivers,
)
from memory.worktree.page_authorship import obstacles as obstacles, refuse_left as refuse_left
from memory.worktree.page_copies import (
    followed as followed, is_edited as is_edited, keep_out_of_status as keep_out_of_status,
    mirror_changes as mirror_changes, name_of as name_of, note_checked as note_checked,
    page_copy as page_copy, read_checked as read_checked, work_file as work_file,
    write_mirror as write_mirror,
)
from memory.worktree.rendered_pages import (
    committed_projection as committed_projection, drift_findings as drift_findings,
    is_behind as is_behind, is_projection as is_projection, is_published as is_published,
    projection_files as projection_files, refuse_edited as refuse_edited,
    refuse_incomplete as refuse_incomplete, standing_files as standing_files,
)
from memory.worktree.tree_update import finish_dead as finish_dead
from memory.worktree.uncommitted_logs import put_back as put_back, taken_out as taken_out
from memory.write.branch_lock import refuse_unwritable as refuse_unwritable
from memory.write.draft import (
    ANYWAY as ANYWAY, NOT_COMMITTED as NOT_COMMITTED, Near as Near, Receipt as Receipt,
    SessionDraft as SessionDraft, USED as USED, deeds as deeds, draft_of as draft_of,
    named_ids as named_ids, receipt_rows as receipt_rows, renamed as renamed,
    is_own as is_own, personal_finding as personal_finding, refuse_personal as refuse_personal,
    text_of as text_of, waits_for as waits_for,
)
from memory.write.draft_checks import (
    FOOTERS as FOOTERS, footer_value as footer_value, meant_key as meant_key,
)
from memory.write.host_session import (
    AT_ONCE as AT_ONCE, HOST_VARIABLES as HOST_VARIABLES, MOST_USES as MOST_USES,
    ends_in_spool as ends_in_spool, host_session as host_session, note_opened as note_opened,
    opened_by as opened_by, used_in as used_in,
)
from memory.write.near_facts import near_in as near_in
