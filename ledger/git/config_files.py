"""Settings read off git's configuration files in the form git writes; git is asked where more is said.

Asking git starts a process, which costs a warm `diurna brief` a sixth of its time (67 against 57 ms of
processor time, median of 40 runs in turn on a busy machine); files that hold includes, quotes, escapes or
comments are left to it, where what is asked for may stand in them.
"""

from __future__ import annotations

import os

from ledger.environment import expanded, user_folder, variables
from ledger.model.record import TYPE_CHECKING

if TYPE_CHECKING:
    from ledger.git.cli import Git

#: Names the folder of a home, in the repository's configuration or the user's.
HOME_SETTING = "diurna.home"
#: Where more than a plain reading may be meant.
_MORE = ("[include", "worktreeconfig", "\\\n")
#: What a plain value does not hold.
_MARKS = '"\\#;\t'


def plain_user_name(commondir: str) -> str | None:
    """Return the author's name that git's files say of a repository; None when git has to be asked."""
    if variables().get("GIT_AUTHOR_NAME"):
        return None
    values = (
        None if text is None or "[author" in text.lower() else plain_value(text, "user", "name")
        for text in map(_text, (f"{commondir}/config", *_users()))
    )
    return next((one for one in values if one != ""), None)  # the first that says it wins


def settings(git: Git, sections: tuple[str, ...], keys: tuple[str, ...]) -> list[tuple[str, str]]:
    """Return names and values of settings, the one that wins last.

    Of some sections (`remote`, and `remote "origin"`) those of some last names. git is asked where its
    files say more than plain values, or are not all known: that of the system is where it is named, or git
    is Debian's.
    """
    said = variables()
    place = next(
        (one for one in said.get("PATH", "").split(":") if os.path.exists(f"{one}/git")), ""
    )
    known = "/etc/gitconfig" if place == "/usr/bin" and os.uname().sysname == "Linux" else None
    ways = {None: said.get("GIT_CONFIG_SYSTEM", known), "1": ""}
    system = ways.get(said.get("GIT_CONFIG_NOSYSTEM"))
    texts = [_text(path) for path in (system or "", *reversed(_users()), f"{git.commondir}/config")]
    rows = [None if text is None else _plain_rows(text, sections, keys) for text in texts]
    if git.commondir and system is not None and None not in rows:
        return [one for some in rows for one in some or ()]
    asked = rf"^({'|'.join(sections)})\.(.*\.)?({'|'.join(keys)})$"
    told = git.text("config", "-z", "--get-regexp", asked, check=False).split("\0")[:-1]
    found = [row.partition("\n") for row in told]
    return [(key, value if is_set else "true") for key, is_set, value in found]  # alone in its line


def _plain_rows(
    text: str, sections: tuple[str, ...], keys: tuple[str, ...]
) -> list[tuple[str, str]] | None:
    """Return what `settings` does of the text of one file; None where it may mean more."""
    lower = text.lower().replace("\r", "")
    if any(word in lower for word in _MORE):
        return None
    found: list[tuple[str, str]] = []
    here = ""
    for line in text.split("\n") if any(f"[{one}" in lower for one in sections) else ():
        line = line.strip(" \t\r")
        if line[:1] == "[":
            line = line.replace("\t", " ")
            kind, _, part = line[1:].partition(" ")
            name = kind.lower().rstrip("]").partition("]")[0]
            if here := f"{name}." * (name.partition(".")[0] in sections):
                inside = part[1:-2]
                whole = f'{kind} "{inside}"]' if part else f"{name}]"
                plain = line[1:] == whole if part else line[1:].lower() == whole
                if not plain or "." in name or any(one in inside for one in _MARKS):
                    return None  # a setting on the line of its section, or an old form of its name
                here += f"{inside}." * bool(part)
        elif here:
            key, equals, value = line.partition("=")
            if (key := key.strip(" \t").lower()) in keys:
                value = value.strip(" \t")
                if not equals or not value or "  " in value or any(o in value for o in _MARKS):
                    return None
                found.append((here + key, value))
    return found


def plain_value(text: str, section: str, key: str) -> str | None:
    """Return the setting that the text of one file says; "" for none, None where it may mean more."""
    rows = _plain_rows(text, (section,), (key,))
    return None if rows is None else dict(rows).get(f"{section}.{key}", "")


def may_set(section: str, commondir: str, gitdir: str) -> bool:
    """Tell whether the settings of a repository itself may have a section, named as it begins."""
    return any(
        text is None or f"[{section}".lower() in text.lower() or "[include" in text.lower()
        for text in (_text(f"{commondir}/config"), _text(f"{gitdir}/config.worktree"))
    )


def home_setting(commondir: str, where: str) -> str:
    """Return the folder that this clone's own configuration names as the home, "" for none.

    A clone brings none along, so it is the word of whoever works here; git is asked in `where`. "" and
    "" ask the user's own configuration, which holds where a folder has no home of its own.
    """
    section, _, key = HOME_SETTING.partition(".")
    if commondir:
        texts = [_text(f"{commondir}/config")]
    else:
        texts = [text for path in _users() for text in _with_included(path)]
    if not any(text is None or f"[{section}" in text.lower() for text in texts):
        return ""
    values = [None if text is None else plain_value(text, section, key) for text in texts]
    if None in values:
        from ledger.git.cli import Git

        said = Git(where or user_folder()).run(
            "config", "--local" if commondir else "--global", "--includes", "--get", HOME_SETTING,
            check=False,
        )  # fmt: skip
        values = [said.decode("utf-8", "surrogateescape").rstrip("\n")]
    named = next((value for value in values if value), "")
    if not named:
        return ""
    base = user_folder()
    if commondir:  # a linked worktree means what the clone's own one does
        base = commondir.removesuffix("/.git")
    return os.path.normpath(os.path.join(base, expanded(named)))


def _users() -> tuple[str, ...]:
    """Return the user's own files, the one that wins first."""
    named = variables().get("GIT_CONFIG_GLOBAL")
    if named is not None:
        return (named,)
    home = user_folder()
    other = (variables().get("XDG_CONFIG_HOME") or home + "/.config") + "/git/config"
    return (home + "/.gitconfig", other)


def _text(path: str) -> str | None:
    """Return what a file holds, "" where there is none, None where it can not be read."""
    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except FileNotFoundError:
        return ""
    except (OSError, ValueError):
        return None


def _with_included(path: str, deep: int = 5) -> list[str | None]:
    """Return a file's text and those of all that it may include, on whatever condition."""
    text = _text(path)
    found = [text]
    if text is None or "[include" not in text.lower():
        return found
    for line in text.split("\n"):
        name, _, value = line.partition("=")
        if name.strip(" \t").lower() == "path":
            there = expanded(value.strip(" \t\r").strip('"'))
            there = os.path.join(os.path.dirname(path), there)
            found += _with_included(there, deep - 1) if deep else [None]
    return found
