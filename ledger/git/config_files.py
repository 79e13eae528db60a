"""Settings read off git's configuration files in the form git writes; git is asked where more is said.

Asking git starts a process, which costs a warm `diurna brief` a sixth of its time (67 against 57 ms of
processor time, median of 40 runs in turn on a busy machine); files that hold includes, quotes, escapes or
comments are left to it, where what is asked for may stand in them.
"""

from __future__ import annotations

import os

from ledger.environment import expanded, user_folder, variables

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
    for path in (f"{commondir}/config", *_users()):  # the first that says it wins
        text = _text(path)
        plain = text is not None and "[author" not in text.lower()
        found = plain_value(text or "", "user", "name") if plain else None
        if found != "":
            return found
    return None


def plain_user(commondir: str) -> dict[str, str] | None:
    """Return what is set of `user.name` and `user.email`, where git's files surely say nothing else.

    None where git has to be asked: the file of the system is known where it is named, or git is Debian's.
    """
    said = variables()
    place = next(
        (one for one in said.get("PATH", "").split(":") if os.path.exists(f"{one}/git")), ""
    )
    known = "/etc/gitconfig" if place == "/usr/bin" and os.uname().sysname == "Linux" else None
    ways = {None: said.get("GIT_CONFIG_SYSTEM", known), "1": ""}
    system = ways.get(said.get("GIT_CONFIG_NOSYSTEM"))
    texts = [_text(path) for path in (f"{commondir}/config", *_users(), system or "")]
    lower = "".join(filter(None, texts)).lower()
    values = {
        f"user.{key}": [plain_value(text or "", "user", key) for text in texts]
        for key in ("name", "email")
    }
    unsure = None in texts or any(None in some for some in values.values())
    if unsure or system is None or "[author" in lower or "[commit" in lower:
        return None
    first = {key: next((one for one in some if one), "") for key, some in values.items()}
    return {key: said for key, said in first.items() if said}


def plain_value(text: str, section: str, key: str) -> str | None:
    """Return the setting that the text of one file says; "" for none, None where it may mean more."""
    lower = text.lower().replace("\r", "")
    if any(word in lower for word in _MORE):
        return None
    if f"[{section}" not in lower:
        return ""
    found = ""
    here = False
    for line in text.split("\n"):
        line = line.strip(" \t\r")
        if line[:1] == "[":
            here = line.lower() == f"[{section}]"
            if not here and line.lower().startswith(f"[{section}]"):
                return None  # a setting on the line of its section
        elif here:
            name, equals, value = line.partition("=")
            if name.strip().lower() == key:
                found = value.strip(" \t")
                if not equals or not found or any(one in found for one in _MARKS):
                    return None
    return None if "  " in found else found


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
