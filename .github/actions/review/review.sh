#!/usr/bin/env bash
# Record what a merged REVIEW.md answers, and ask what is to be asked as `[review] ask` in diurna.toml says: by a pull
# request, or an issue. Nothing is forced, and no branch is deleted: a request that waited for 30 days is closed.
set -euo pipefail
export GIT_TERMINAL_PROMPT=0

at() { git -C "${DIURNA_HOME:-.}" "$@"; }
field() { python3 -c 'import json, sys
found = json.loads(sys.argv[1])[sys.argv[2]]
print("\n".join(found) if isinstance(found, list) else found)' "$said" "$1"; }
forge() { if command -v gh >/dev/null; then (cd "${DIURNA_HOME:-.}" && gh "$@"); else echo "review: no gh here, left to you: gh $*"; fi; }

remote=${DIURNA_REMOTE:-origin}
depth=()
if [ "$(at rev-parse --is-shallow-repository)" = true ]; then depth=(--unshallow); fi
# all of the history: it tells who ticked an answer
at fetch --quiet ${depth[@]+"${depth[@]}"} "$remote" "+refs/heads/*:refs/remotes/$remote/*"

diurna sync "$remote" # what others recorded since
said=$(diurna review --pull-request --json)
diurna sync "$remote" # what was answered

title="Memory has questions ($(field many))"
case $(field ask) in
pull-request)
    branch=$(field branch)
    if [ -n "$(field commit)" ]; then
        at push --quiet "$remote" "refs/heads/$branch:refs/heads/$branch"
        forge pr create --base "$(field base)" --head "$branch" --title "$title" \
            --body "Tick an answer to each question in REVIEW.md, commit, and merge. The next run records the answers in your name."
        for old in $(field expired); do
            forge pr close "$old" --comment "Nobody answered for 30 days: $branch asks now."
        done
    elif [ -n "$(field waits)" ]; then
        echo "review: $(field waits) waits for its answers"
    fi
    ;;
issue)
    if [ "$(field many)" -gt 0 ] && [ -z "$(forge issue list --state open --search 'in:title "Memory has questions"' --json number --jq '.[].number')" ]; then
        diurna review --dry-run >"${RUNNER_TEMP:-/tmp}/diurna-review.md"
        forge issue create --title "$title" --body-file "${RUNNER_TEMP:-/tmp}/diurna-review.md"
    fi
    ;;
*) echo "review: [review] ask in diurna.toml asks nobody" ;;
esac
