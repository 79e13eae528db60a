#!/usr/bin/env bash
# Publish continuity.md on the branch that is checked out, and push it; after a lost race again, on what is there then.
# Nothing is forced: the one thing that is made anew is the commit that was made here a moment ago, of computed files.
set -euo pipefail
export GIT_TERMINAL_PROMPT=0

tries=8
at() { git -C "${DIURNA_HOME:-.}" "$@"; }
stop() {
    echo "publish: $*" >&2
    exit 1
}

branch=$(at symbolic-ref --quiet --short HEAD) ||
    stop "HEAD is detached: run this where the trunk is checked out, on a push to it"
remote=$(at config --get "branch.$branch.remote" || echo origin)
# all of the history: it tells who wrote a page
depth=()
if [ "$(at rev-parse --is-shallow-repository)" = true ]; then depth=(--unshallow); fi

tip=
for try in $(seq "$tries"); do
    at fetch --quiet ${depth[@]+"${depth[@]}"} "$remote" "refs/heads/$branch"
    depth=()
    before=$tip tip=$(at rev-parse FETCH_HEAD)
    if [ "$tip" = "$before" ]; then stop "$remote refused the push to $branch; may this run push there?"; fi
    if [ -z "$before" ] && ! at merge-base --is-ancestor HEAD "$tip"; then
        stop "$branch has commits that $remote has not: push them first"
    fi
    # what is staged or edited stays; the branch leaves at most the commit of the last try
    if [ "$(at rev-parse HEAD)" != "$tip" ]; then at checkout --quiet -B "$branch" "$tip"; fi
    diurna check --publish
    if [ "$(at rev-parse HEAD)" = "$tip" ] || at push --quiet "$remote" "HEAD:refs/heads/$branch"; then exit 0; fi
    echo "publish: not pushed in try $try of $tries" >&2
    sleep $((RANDOM % try))
done
stop "$branch of $remote kept moving; the next run goes on"
