"""The faults that Diurna is built against, each with a code that code and tests cite.

`fault:D9` in a comment or docstring, and `d9` in the name of a test, mean the row `D9` here. A bare code such
as M5 is a rule of FORMAT.md.
"""

from __future__ import annotations

_TABLE = """
A Writing on one machine: crashes and disks
A1 A writer is killed after the blob was written and before its tree.
A2 A writer is killed between the commit object and the move of the branch.
A3 A writer is killed while it holds the lock of a reference.
A4 A writer is killed after the branch moved and before it could say so.
A5 A writer is killed in the middle of writing `continuity.md`.
A6 The disk is full when a blob or a tree is written.
A7 The disk is full or read-only when the commit object is written, and the library keeps silent.
A8 The disk is full when the lock of a reference is made.
A9 Flushing a file fails.
A10 Flushing a folder fails after the rename in it has happened.
A11 The file system or a folder is read-only.
A12 A quota or the largest size of a file is reached.
A13 No inode is left.
A14 The disk acknowledges what it did not write.
A15 The power goes after an append was acknowledged.
A16 After a power cut an object is there and empty.
A17 Memory runs out in the middle of a replay.
A18 No more files can be opened.
B Several agents and gits on one machine
B1 Two processes append at the same moment.
B2 Dozens of writers append for minutes.
B3 Two processes make the first commit of a branch.
B4 Two processes run `init` in one place.
B5 The user's git holds `index.lock`, or left it behind.
B6 A living git holds the lock of our reference.
B7 A dead process left `HEAD.lock`, `packed-refs.lock` or `config.lock`.
B8 git repacks, collects or packs references beside writers.
B9 git prunes everything unreferenced, at once, beside writers.
B10 The user checks out, rebases or resets the branch meanwhile.
B11 Two reviews run at the same time.
B12 The owner of the lock is stopped and not dead.
B13 Somebody appends while a sync is merging.
B14 The lock of a file means nothing: a network disk, a synced folder.
C Shapes of repositories
C1 HEAD is detached.
C2 The branch has no commit yet.
C3 The repository is bare.
C4 The command runs in a linked work tree.
C5 Two work trees of one repository append at once.
C6 The command runs inside a submodule.
C7 The clone is shallow.
C8 The clone is partial: blobs are missing on purpose.
C9 The checkout is sparse, without the home.
C10 A merge, rebase, cherry-pick or bisect is under way.
C11 There is no repository here, or the one above is somebody else's.
C12 Objects are named by SHA-256.
C13 References are stored as reftable.
C14 The repository has an extension that we do not know.
C15 The repository belongs to another user.
C16 `GIT_DIR` and its like are set, as a hook sets them.
C17 The object store borrows from another one, which is gone.
C18 An object is missing or damaged.
C19 Objects are replaced (`git replace`), or history is grafted or cut.
D The user's own work
D1 There are staged changes.
D2 There are edited and untracked files.
D3 Our new file shows as deleted in the user's index.
D4 A commit of ours would change a file that is not ours.
D5 The user edited `continuity.md`.
D6 The user's commit hooks would run on our commit.
D7 The user has commits signed.
D8 git knows no name or address for the committer.
D9 Another tool manages the hooks of the repository.
E The ledger through time
E1 A log was edited in some commit.
E2 A log was deleted in some commit.
E3 A log was renamed or moved in some commit.
E4 A log was edited in the work tree and not committed.
E5 One stem stands twice with the same bytes.
E6 One stem stands twice with different bytes.
E7 A log was redacted and taken out of history on purpose.
E8 The history here was rewritten.
E9 The remote was force-pushed.
E10 A forge squashed or rebased the branch when it merged it.
E11 A commit with a log was cherry-picked.
E12 The signature of a commit is missing or wrong.
E13 The list of allowed signers changed together with what it allows.
E14 Something that is no log lies among the logs.
F Time and identity
F1 The clock goes backwards.
F2 A clock is years ahead.
F3 Two sessions end in the same second.
F4 Agents of one name run on two machines.
F5 Time zones, daylight saving, leap seconds.
F6 A commit's time is negative or absurdly large.
F7 A supersession names a fact that nobody has seen yet.
F8 An id is spelled with letters of another alphabet that look the same.
F9 An id is spelled in two normal forms of Unicode.
F10 Two names differ only in case, on a file system that sees none.
F11 An id is a path, an option, a reserved name, empty or huge.
G Content of logs
G1 A log is no UTF-8.
G2 A log starts with a byte order mark.
G3 Lines end in CRLF, or in several ways.
G4 git converts line ends at checkout.
G5 A text holds NUL bytes.
G6 JSON holds lone surrogates or invalid escapes.
G7 A log is a hundred megabytes long.
G8 A log is ten megabytes of list items.
G9 One line holds a million ids.
G10 Quotes, lists or brackets are nested thousands deep.
G11 A heading of ours stands in a code fence, a quote or a comment.
G12 A heading of ours stands twice.
G13 The text of a fact imitates the footer behind it.
G14 Characters that only some programs take for a line end.
G15 Characters that hide text or turn its direction.
G16 Emoji, joiners and combining marks.
G17 A fence or comment is never closed.
G18 Conflict markers were committed.
G19 A newer version wrote events and keys that we do not know.
G20 Footers repeat keys, hold tabs, or end without a line end.
G21 A number is negative, huge, or in other digits.
G22 A date does not exist.
G23 A text is made to let a pattern backtrack for ever.
H Merging and convergence
H1 Both sides add different logs.
H2 Both sides have the same log.
H3 Both sides replace one fact differently.
H4 Supersessions close a circle, or are thousands long.
H5 One side supersedes what the other uses or rewords.
H6 One side closes a thread that the other rewords.
H7 The two histories share nothing.
H8 Merges cross each other, or join more than two tips.
H9 Two peers merge the same tips in different order.
H10 Peers merge each other's merges again and again.
H11 git finds a conflict in `continuity.md`.
H12 Somebody settled a conflict by hand and left its markers.
H13 Renames are detected in a merge.
H14 Somebody configured merge drivers or attributes for our files.
H15 A stale peer brings back a fact that was removed.
I Remotes and networks
I1 A push is rejected because somebody was faster.
I2 The server refuses the push for good.
I3 The credentials are missing or expired.
I4 The host's key is unknown or changed.
I5 The remote can not be reached.
I6 The server is silent, or sends a byte a second.
I7 The connection breaks in the middle of a transfer.
I8 The network has a proxy or its own certificates.
I9 The remote is empty or lacks the branch.
I10 The remote deleted our branch.
I11 There is no remote, or there are several.
I12 The remote is thousands of logs ahead.
I13 The remote checks for large files.
I14 Somebody cut the depth of the clone.
I15 The machine sleeps in the middle of a sync.
J A remote or neighbour that means harm
J1 A tree holds names such as `.git`, `..` or `a/b`.
J2 A link, a submodule or an executable stands where a log should.
J3 A link in the work tree leads out of the home.
J4 A small pack unpacks to something huge.
J5 There are millions of references or files.
J6 The name of a branch holds control characters.
J7 Attributes ask for filters or drivers that run commands.
J8 A submodule's address runs a command.
J9 The repository ships hooks.
J10 A remote's name or address is an option or runs a command.
J11 The repository's own configuration runs commands.
J12 A text holds escape codes of terminals.
J13 An agent's name holds line ends that forge a commit's header.
K Hooks, servers and rituals
K5 Diurna is missing or broken where a hook calls it.
K6 Anything at all goes wrong in a hook.
K7 A hook has little time.
K8 Output is closed, or there is no home folder and no locale.
K9 A hook starts a command that starts the hook again.
K18 A review is interrupted, or outrun by an append.
L Secrets and privacy
L9 A text holds a token of a known vendor.
L10 A secret is split, encoded or escaped.
L12 What looks like a secret is none.
L13 A text holds personal data.
L14 A message of ours would quote a secret.
L15 Others on the machine can read what we keep.
M Caches, policies and versions
M1 The cache is missing.
M2 The cache is damaged, cut short or another user's.
M3 The cache or the ledger has another version than ours.
M4 The cache is deleted while it is asked.
M5 The cache says something that the ledger does not.
M6 The policy file is missing, invalid or absurd.
M7 The policy changed on one side only.
M8 A newer Diurna replays an old ledger.
M9 An older Diurna meets a newer ledger.
M10 Two versions of Diurna are installed.
"""
_ROWS = [line.partition(" ") for line in _TABLE.strip().splitlines()]
#: A letter -> what its faults have in common.
GROUPS = {code: said for code, _, said in _ROWS if len(code) == 1}
#: A code -> the fault.
FAULTS = {code: said for code, _, said in _ROWS if len(code) > 1}
