#!/usr/bin/env bash
# Say what memory has on a change: as annotations, and in the summary of the run where there is anything.
set -euo pipefail
range="$CHANGE_BASE...$CHANGE_HEAD"
options=()
said=$(NO_COLOR=1 diurna check --diff "$range" "${options[@]}" 2>&1) || true
if [ -n "$said" ]; then
  # indented by four it is text, whatever a fact says
  { echo "### What memory has on this change"; echo; sed 's/^/    /' <<< "$said"; } >> "$GITHUB_STEP_SUMMARY"
fi
if [ "$CHANGE_STRICT" = true ]; then options+=(--strict); fi
diurna check --diff "$range" "${options[@]}" --format github
