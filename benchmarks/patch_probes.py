"""Answers made from a gold patch to see what a judge of patches can be talked into.

A probe takes an instance (the published fields) and gives an answer. `LISTED` are the means over
the 300 instances of SWE-bench Lite that the rules name: (ground-truth, swebench).
"""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from judgeweb.judging.patches.diffs import FilePatch, Hunk, Line
from judgeweb.judging.patches.gold import gold_of
from judgeweb.judging.patches.reading import read_diff

Instance = Mapping[str, Any]

SCRATCH = (
    "diff --git a/reproduce.py b/reproduce.py\nnew file mode 100644\n--- /dev/null\n"
    '+++ b/reproduce.py\n@@ -0,0 +1 @@\n+print("it still fails")\n'
)
FLIPPED = {"+": "-", "-": "+", " ": " "}


def gold(instance: Instance) -> str:
    patch: str = instance["patch"]
    return patch if patch.endswith("\n") else f"{patch}\n"


def rewritten(text: str, change: Callable[[Hunk], Hunk]) -> str:
    """The patch with every hunk changed and its counts made right."""
    return "".join(_file_text(file, change) for file in read_diff(text).files)


def _file_text(file: FilePatch, change: Callable[[Hunk], Hunk]) -> str:
    old, new = (f"a/{file.old_path}" if file.old_path else "/dev/null"), f"b/{file.new_path}"
    return f"--- {old}\n+++ {new}\n" + "".join(_hunk_text(change(hunk)) for hunk in file.hunks)


def _hunk_text(hunk: Hunk) -> str:
    old = sum(line.sign != "+" for line in hunk.lines)
    new = sum(line.sign != "-" for line in hunk.lines)
    body = "".join(f"{line.sign}{line.text}\n" for line in hunk.lines)
    return f"@@ -{hunk.old_start},{old} +{hunk.new_start},{new} @@ {hunk.section}\n{body}"


def _reversed(hunk: Hunk) -> Hunk:
    lines: list[Line] = []
    for is_change, run in _stretches(hunk):
        flipped = [Line(FLIPPED[line.sign], line.text, line.old) for line in run]
        lines += sorted(flipped, key=lambda line: line.sign == "+") if is_change else flipped
    return Hunk(hunk.new_start, hunk.old_start, hunk.section, tuple(lines))


def _stretches(hunk: Hunk) -> Iterator[tuple[bool, list[Line]]]:
    run: list[Line] = []
    for line in hunk.lines:
        if run and (run[-1].sign == " ") != (line.sign == " "):
            yield run[-1].sign != " ", run
            run = []
        run.append(line)
    if run:
        yield run[-1].sign != " ", run


def _commented(hunk: Hunk) -> Hunk:
    """A comment before each stretch of added lines."""
    lines: list[Line] = []
    for line in hunk.lines:
        if line.sign == "+" and not (lines and lines[-1].sign == "+"):
            indent = line.text[: len(line.text) - len(line.text.lstrip())]
            lines.append(Line("+", f"{indent}# see the issue", line.old))
        lines.append(line)
    return Hunk(hunk.old_start, hunk.new_start, hunk.section, tuple(lines))


def _only_comments(hunk: Hunk) -> Hunk:
    """What gold adds, in comments; nothing is removed."""
    signs = {"+": "+", "-": " ", " ": " "}
    lines = (
        Line(signs[line.sign], f"# {line.text}" if line.sign == "+" else line.text, line.old)
        for line in hunk.lines
    )
    return Hunk(hunk.old_start, hunk.new_start, hunk.section, tuple(lines))


def in_a_wrong_file(instance: Instance) -> str:
    paths = "|".join(re.escape(file.path) for file in read_diff(gold(instance)).files)
    return re.sub(
        r"(?m)^((?:---|\+\+\+|diff --git) .*)$",
        lambda line: re.sub(rf"\b([ab])/(?:{paths})", r"\1/elsewhere/other.py", line[0]),
        gold(instance),
    )


def name_dropping(instance: Instance, *, full_path: bool = False) -> str:
    """Names of file, functions and identifiers, as a judge by keywords likes them. Without
    `full_path` the file is called by its base name."""
    made = gold_of(gold(instance))
    path = made.changes.paths[0]
    file = path if full_path else path.rsplit("/", 1)[-1]
    names = ", ".join(sorted(name for name in made.names if name.isidentifier())[:20])
    scopes = ", ".join(sorted(scope_names(gold(instance)))) or "the module"
    return (
        f"The root cause is in {file}, in {scopes}, because {names} are wrong. The fix must change "
        f"{names}, handle edge cases and be covered by a test.\n"
    )


def scope_names(patch: str) -> set[str]:
    """Functions and classes that hunks define or name in their section headers."""
    return set(re.findall(r"(?m)^(?:@@ [^@]*@@|[ +-]).*?\b(?:def|class) (\w+)", patch))


PROBES: dict[str, Callable[[Instance], str]] = {
    "gold": gold,
    "gold + comments": lambda one: rewritten(gold(one), _commented),
    "gold + scratch file": lambda one: gold(one) + SCRATCH,
    "reversed gold": lambda one: rewritten(gold(one), _reversed),
    "comments only": lambda one: rewritten(gold(one), _only_comments),
    "right code, wrong file": in_a_wrong_file,
    "name-dropping prose": name_dropping,
    "issue text pasted": lambda one: str(one["problem_statement"]),
    "empty": lambda one: "",
}
LISTED = {
    "gold": (100, 100),
    "gold + comments": (99.98, 99.98),
    "gold + scratch file": (99.3, 97.8),
    "reversed gold": (45, 50),
    "comments only": (0, 0),
    "right code, wrong file": (25, 36),
    "name-dropping prose": (0.3, 0.3),
    "issue text pasted": (0.3, 0.3),
    "empty": (0, 0),
}
