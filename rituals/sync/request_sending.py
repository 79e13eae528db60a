"""Send requests to other projects, and answers to theirs (FORMAT.md, Y10).

A request goes where the user or the policy says; an answer where the request says, if git here or the
policy names that place too: nobody outside chooses where something is pushed.
"""

from __future__ import annotations

import os

from ledger.codec.letter import ANSWERING, ASKING, DECLINED, DONE, LIMIT_BYTES, Letter
from ledger.environment import working_directory
from ledger.errors import DiurnaError, NetworkFailed, NoRemote, RemoteMoved, Unreachable, WrongUsage
from ledger.git.commit_record import Commit
from ledger.git.fast_import import FastImport
from ledger.git.identity import IdentityQuestion
from ledger.git.repository import Repository, find_repository
from ledger.model.findings import Finding
from ledger.model.layout import COMMIT_SUBJECT
from ledger.model.order import floor_of
from ledger.model.session import SessionLog
from ledger.model.task_states import CANCELLED
from ledger.remote.remote import Remote, choose_remote, local_path, without_credentials
from ledger.remote.transport import push
from ledger.secrets.log_redaction import guard
from memory.api import Memory
from memory.cache.cache_file import Cache
from memory.cache.cached_tasks import task_in
from memory.redaction.withheld_texts import redacted_logs
from memory.replay.request_inbox import letters, taken_up
from projection.policy.model import Policy
from projection.text.clipping import clipped
from rituals.sync.inbox_fetch import Happening, inbox_folder, keep
from rituals.sync.remote_mirrors import Bare, by_leave, opened

Place = tuple[Remote, bool]  #: where something goes, and whether the user named that

_NAME_CHARS, _WHY_CHARS = 40, 1000


def ask(
    memory: Memory, text: str, to: str, *, dry_run: bool = False
) -> tuple[Letter, bool, tuple[Finding, ...]]:
    """Send a request to another project; where that fails nothing waits.

    `to` is a name of `[inbox] to`, or a URL or path that the user typed. Return the request, whether it
    had been sent before, and what is odd about its words.

    Raises:
        DraftRefused: a secret stands in it.
        NetworkFailed: it did not get there.
        NoRemote: `to` is no place.
        WrongUsage: it is empty or too long.
    """
    home, policy = memory.home, memory.policy
    log = SessionLog((("agent", "a"), ("type", "edit")), "Request", text.strip(), ())
    log, findings = guard(log, personal=policy.privacy.personal, strict=True)
    bare = Bare(home, f"{inbox_folder(home)}/git")
    place = _place(bare, policy, to)
    day = floor_of(memory.occasion().now_ms)[:10]
    letter = Letter(
        _called(policy), without_credentials(to), day, _reply(bare, place[0]), "", log.prose
    )
    if not log.prose or len(letter.encode()) > LIMIT_BYTES:
        raise WrongUsage(f"a request has 1 to {LIMIT_BYTES} bytes, not {len(letter.encode())}")
    if letter.hash in letters(home, "asked"):
        return letter, True, findings
    if dry_run:
        return letter, False, findings
    try:
        already = _push(memory, bare, place, letter, f"{ASKING}{letter.asker}-{letter.hash}")
    except NetworkFailed as problem:
        hint = "ask again later" if isinstance(problem, Unreachable) else problem.hint
        why = f"{problem.message}; the request was not sent, and nothing waits"
        raise type(problem)(why, hint=hint) from None
    keep(home, "asked", letter.hash, letter.encode())
    return letter, already, findings


def send_answers(memory: Memory, *, again: bool = False) -> tuple[Happening, ...]:
    """Send the answers that are due: of requests whose task is done or cancelled.

    The clone that took a request sends it, once; `again` says nothing of those that may go nowhere.
    """
    home = memory.home
    requests, done = letters(home), list[Happening]()
    if not requests:
        return ()
    policy, due = memory.ask(lambda cache: (cache.policy, _due(cache)), committed=True)
    bare = Bare(home, f"{inbox_folder(home)}/git")
    for request in requests.values():
        answer = due.get(request.hash)
        if answer is None or not request.reply or request.hash in letters(home, "sent"):
            continue
        answer = answer._replace(asker=_called(policy), to=request.asker)
        try:
            _push(
                memory, bare, _reply_place(bare, policy, request), answer, ANSWERING + request.hash
            )
            keep(home, "sent", request.hash, answer.encode())
            done.append(Happening("sent", request.hash, f"{answer.state}, to {request.asker}"))
        except DiurnaError as problem:
            if again and isinstance(problem, NoRemote):
                continue
            done.append(Happening("failed", request.hash, f"no answer was sent: {problem.message}"))
    return tuple(done)


def _called(policy: Policy) -> str:
    """Return the name by which a project calls itself in a branch."""
    chars = [char if char.isascii() and char.isalnum() else " " for char in policy.project.lower()]
    return "-".join("".join(chars).split())[:_NAME_CHARS].strip("-") or "project"


def _push(memory: Memory, bare: Bare, place: Place, letter: Letter, ref: str) -> bool:
    """Push a letter as a branch; tell whether one of that name was there already."""
    (remote, users), name = place, ref.rpartition("/")[2]
    made, files = f"refs/diurna/made/{name}", ((f"requests/{name}.md", letter.encode()),)
    message = f"{COMMIT_SUBJECT}{letter.state or 'request'} from {letter.asker}"
    who = IdentityQuestion(memory.home.repository).answer()
    with opened(memory.home, bare.folder):
        bare.git.run("update-ref", "-d", made)
        seconds = memory.occasion().now_ms // 1000
        writer = FastImport(Repository("", bare.folder, bare.folder))
        commit = writer.commit(Commit(made, "", "", files, message, who, seconds))
        try:
            with by_leave(remote):
                push(bare.git if users else bare.guarded, remote._replace(branch=ref), commit)
        except RemoteMoved:
            return True
        finally:
            bare.git.run("update-ref", "-d", made)
    return False


def _place(bare: Bare, policy: Policy, to: str) -> Place:
    """Return the project that is asked."""
    named = {one.name: one.url for one in policy.inbox.to}
    if to in named:
        return bare.remote(named[to]), False
    if not ("/" in to or ":" in to or to.startswith(".")):
        hint = f"{', '.join(named)}{' or ' * bool(named)}a URL or path"
        raise NoRemote(f"`[inbox] to` in diurna.toml names no {to}", hint=hint)
    path = local_path(to, working_directory())
    found = find_repository(path) if path and os.path.isdir(path) else None
    if path and found is None:
        raise NoRemote(f"there is no git repository at {to}")
    return bare.remote(found.commondir if found else to), True


def _reply_place(bare: Bare, policy: Policy, request: Letter) -> Place:
    """Return where the answer to a request goes."""
    form = ("config", "-z", "--get-regexp", r"^remote\..*\.url$")
    rows = bare.home.repository.git().run(*form, check=False).decode("utf-8", "replace").split("\0")
    urls = [(row.partition("\n")[2], True) for row in rows if row]
    for url, users in (*urls, *[(one.url, False) for one in policy.inbox.to]):
        remote = bare.remote(url)
        if _compared(remote.url) == _compared(request.reply):
            return remote, users
    where = without_credentials(request.reply)
    raise NoRemote(f"neither a remote of git here nor `[inbox] to` names {where}")


def _compared(url: str) -> str:
    return without_credentials(url).rstrip("/").removesuffix(".git").rstrip("/")


def _reply(bare: Bare, there: Remote) -> str:
    """Return where an answer can go: the remote, else this repository; a path is told only to a path."""
    repository = bare.home.repository
    try:
        url = bare.remote(choose_remote(repository.git(), bare.home.branch).url).url
    except NoRemote:
        url = repository.commondir
    local = [bool(local_path(one, "/")) for one in (url, there.url)]
    return "" if local == [True, False] else without_credentials(url)


def _due(cache: Cache) -> dict[str, Letter]:
    """Return the answers to requests whose tasks are over, by the hash of each."""
    found = {}
    for hash, fact in taken_up(cache).items():
        task = task_in(cache, fact.id)
        if task is not None and task.state in (DONE, CANCELLED) and not task.contradicted:
            state = DONE if task.state == DONE else DECLINED
            acts = (
                []
                if task.since in redacted_logs(cache)
                else cache.some_histories([fact.id])[fact.id].acts
            )
            why = [one.event.remark for one in acts if one.stem == task.since][-1:]
            text = clipped(why[0], _WHY_CHARS) if why and why[0] else f"It is {state}."
            found[hash] = Letter("", "", task.when[:10], "", state, text)
    return found
