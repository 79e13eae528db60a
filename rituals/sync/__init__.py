"""Sync with a remote: fetch, merge, push; again when somebody was faster."""
