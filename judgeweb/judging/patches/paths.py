"""Paths in patches: read from headers, made comparable, and told apart by what they are for.

Two paths are the same file only where they are equal from the root on: a matching tail or base
name says nothing.
"""

import re
from enum import StrEnum

NOTHING = "/dev/null"
_ESCAPES = {"a": 7, "b": 8, "t": 9, "n": 10, "v": 11, "f": 12, "r": 13, '"': 34, "\\": 92}
_ESCAPE = re.compile(rb'\\([0-3][0-7]{2}|[abtnvfr"\\])')
_QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"')


class Role(StrEnum):
    SOURCE = "source"
    TEST = "test"
    SCRATCH = "scratch"  # left over from the work: reproductions, build copies, backups
    DOCUMENT = "document"


def unquoted(token: str) -> str:
    """A name as git writes it: in C quotes where it has unusual bytes, else up to a tab."""
    if not _QUOTED.fullmatch(token.rstrip()):
        return token.split("\t", 1)[0].rstrip("\r")
    raw = token.rstrip()[1:-1].encode("utf-8", "surrogatepass")
    return _ESCAPE.sub(_byte, raw).decode("utf-8", "replace")


def _byte(match: re.Match[bytes]) -> bytes:
    code = match[1].decode("ascii")
    return bytes([_ESCAPES[code] if code in _ESCAPES else int(code, 8)])


def git_names(rest: str) -> tuple[str, str]:
    """The two names of a `diff --git` line. ("", "") where they cannot be told apart."""
    quoted = list(_QUOTED.finditer(rest))
    if quoted and quoted[-1].end() == len(rest.rstrip()):
        first = rest[: quoted[-1].start()].rstrip()
        return unquoted(first), unquoted(quoted[-1][0])
    if quoted and quoted[0].start() == 0:
        return unquoted(quoted[0][0]), rest[quoted[0].end() :].strip()
    half = len(rest) // 2
    if rest[half : half + 1] == " " and rest[2:half] == rest[half + 3 :]:
        return rest[:half], rest[half + 1 :]
    if rest[half : half + 1] == " " and rest[:half] == rest[half + 1 :]:
        return rest[:half], rest[half + 1 :]
    before, found, after = rest.partition(" b/")
    if found:
        return before, f"b/{after}"
    parts = rest.split(" ")
    return (parts[0], parts[1]) if len(parts) == 2 else ("", "")


def without_prefixes(old: str, new: str) -> tuple[str, str]:
    """Take off a/ and b/, only where both sides carry them: `src/x` and a folder named `a` stay."""
    carried = [
        name.startswith(prefix) for name, prefix in ((old, "a/"), (new, "b/")) if name != NOTHING
    ]
    if not carried or not all(carried):
        return old, new
    return (
        old if old == NOTHING else old[2:],
        new if new == NOTHING else new[2:],
    )


def git_paths(old: str, new: str) -> tuple[str, str]:
    """The names of a diff by git without their prefixes: `a/` and `b/`, or what else stands first
    (`i/` and `w/`) where only that differs. It tells no rename: git writes one on lines of its
    own."""
    named = without_prefixes(old, new)
    if named != (old, new) or NOTHING in named:
        return named
    first, _, rest = old.partition("/")
    second, _, other = new.partition("/")
    return (rest, other) if first != second and rest and rest == other else named


def one_file(old: str, new: str) -> tuple[str, str]:
    """The names of a plain diff, which knows no renames: where they differ (`x.py.orig`, `x.py`)
    both become the shorter one, as GNU patch chooses."""
    if NOTHING in (old, new) or old == new:
        return old, new
    chosen = min(
        (old, new), key=lambda name: (name.count("/"), len(name.rsplit("/", 1)[-1]), len(name))
    )
    return chosen, chosen


def normal(path: str) -> str:
    """The path with `./` and doubled slashes taken out."""
    parts = [part for part in path.split("/") if part not in ("", ".")]
    return ("/" if path.startswith("/") else "") + "/".join(parts)


def is_safe(path: str) -> bool:
    """False for a path that would leave the repository or reach into git's own files."""
    parts = path.replace("\\", "/").split("/")
    return bool(
        path.strip()
        and not path.startswith(("/", "\\", "~"))
        and not re.match(r"[A-Za-z]:", path)
        and ".." not in parts
        and ".git" not in parts
        and "\0" not in path
    )


_WORD = re.compile(r"(?<![\w.+@/:-])[\w.+@/-]++")
_NAMED = re.compile(
    r"(?:[\w.+@-]+/)*[\w+@-][\w.+@-]*\.(?:py|pyx|pyi|pxd|c|cc|cpp|cs|css|cu|cfg|conf|go|h|hpp|html|"
    r"in|ini|java|js|json|jsx|kt|less|lua|md|php|pl|po|r|rb|rs|rst|scala|scss|sh|sql|swift|tex|toml|"
    r"ts|tsx|txt|vue|xml|yaml|yml)"
)


def paths_in(text: str) -> list[str]:
    """The names of files in a text, in order: whole words with the ending of a source, normal."""
    words = (normal(word.rstrip(".-+")) for word in _WORD.findall(text) if len(word) < 300)
    return [word for word in words if _NAMED.fullmatch(word)]


# --- what a file is for -------------------------------------------------------------------------

_TEST_FOLDERS = {"test", "tests", "testing", "__tests__", "spec", "specs", "testdata"}
_TEST_NAME = re.compile(r"(?:test_.*|.*_tests?|tests?|conftest)\.\w+|.*\.(?:test|spec)\.\w+", re.I)
_LEFT_OVER = re.compile(
    r"(?:repro|reproduc\w*|debug|scratch|tmp|temp|demo|example|try|verify|check)(?:[-_.\d]\w*)?"
    r"(?:\.\w+)?|.*\.(?:orig|rej|bak|swp|log|pyc|patch|diff)|.*~",
    re.I,
)
_BUILD_FOLDERS = {"build", "dist", "__pycache__", "node_modules", ".eggs", ".tox", ".venv", "venv"}
_DOCUMENT = re.compile(
    r".*\.(?:md|rst|adoc)|(?:changes|changelog|news|authors|readme|history)(?:\.\w+)?", re.I
)


def role_of(path: str, *, is_new: bool) -> Role:
    """What the file is for, by its path alone. A new file in the root is scratch."""
    *folders, name = path.split("/")
    if any(part in _BUILD_FOLDERS or part.endswith(".egg-info") for part in folders):
        return Role.SCRATCH
    if is_new and (not folders or _LEFT_OVER.fullmatch(name)):
        return Role.SCRATCH
    if name.endswith((".orig", ".rej", ".bak", ".swp", ".pyc", "~")):
        return Role.SCRATCH
    if any(part.lower() in _TEST_FOLDERS for part in folders) or _TEST_NAME.fullmatch(name):
        return Role.TEST
    if _DOCUMENT.fullmatch(name) or (folders and folders[0] in ("doc", "docs")):
        return Role.DOCUMENT
    return Role.SOURCE
