"""Old files, where an installation has them: patched in memory to see what a patch really does.

Nothing is executed and nothing is written. Texts are parsed (`ast`), which runs none of them.
"""

import ast
from collections.abc import Mapping
from functools import lru_cache

from judgeweb.judging.patches.changes import Changes
from judgeweb.judging.patches.diffs import FilePatch
from judgeweb.judging.types import FunctionSpan

_DOCUMENTED = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef

LONGEST = 2_000_000
"""Characters of a file that is parsed."""


def patched(old: str, file: FilePatch) -> str | None:
    """The file after the patch; None where a line is not where the patch says."""
    old_lines = old.split("\n")
    new_lines: list[str] = []
    at = 0
    for hunk in file.hunks:
        for line in hunk.lines:
            until = line.old if line.sign == "+" else line.old - 1
            if not at <= until <= len(old_lines):
                return None
            new_lines += old_lines[at:until]
            at = until
            if line.sign == "+":
                new_lines.append(line.text)
                continue
            if at >= len(old_lines) or old_lines[at].removesuffix("\r") != line.text:
                return None
            if line.sign == " ":
                new_lines.append(old_lines[at])
            at += 1
    return "\n".join(new_lines + old_lines[at:])


def tree_of(text: str) -> ast.Module | None:
    """The syntax tree; None for what is no Python."""
    if len(text) > LONGEST:
        return None
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def applies(changes: Changes, old_files: Mapping[str, str]) -> bool:
    """False where a known old file is not what the patch takes it for."""
    return all(
        patched(old_files[file.path], file) is not None
        for file in changes.source
        if file.old_path in old_files
    )


def parses(changes: Changes, old_files: Mapping[str, str]) -> bool:
    """False where a known Python file parsed before the patch and does not after it."""
    return not any(_breaks(file, old_files[file.path]) for file in _python(changes, old_files))


def _breaks(file: FilePatch, old: str) -> bool:
    new = patched(old, file)
    return new is not None and tree_of(new) is None and tree_of(old) is not None


def _python(changes: Changes, old_files: Mapping[str, str]) -> list[FilePatch]:
    return [
        file for file in changes.source if file.old_path in old_files and file.path.endswith(".py")
    ]


def same_trees(gold: Changes, other: Changes, old_files: Mapping[str, str]) -> bool:
    """Whether both leave the same code behind, docstrings aside, in the same files. False where
    an old file is not known."""
    if sorted(gold.paths) != sorted(other.paths) or gold.operations != other.operations:
        return False
    first, second = _trees(gold, old_files), _trees(other, old_files)
    return bool(first) and None not in first.values() and first == second


def _trees(changes: Changes, old_files: Mapping[str, str]) -> dict[str, str | None]:
    known = {file.path: file for file in _python(changes, old_files)}
    return {
        path: _dump(patched(old_files[path], known[path])) if path in known else None
        for path in changes.paths
    }


def _dump(text: str | None) -> str | None:
    tree = None if text is None else tree_of(text)
    if tree is None:
        return None
    for node in ast.walk(tree):
        if isinstance(node, _DOCUMENTED) and ast.get_docstring(node, clean=False) is not None:
            del node.body[0]
    try:
        return ast.dump(tree)
    except RecursionError:
        return None


@lru_cache(maxsize=64)
def functions_in(text: str) -> tuple[FunctionSpan, ...]:
    """The functions and classes of a Python file, outer before inner."""
    tree = tree_of(text)
    spans: list[FunctionSpan] = []
    open_nodes: list[tuple[ast.AST, str]] = [(tree, "")] if tree else []
    while open_nodes:
        node, prefix = open_nodes.pop()
        for child in ast.iter_child_nodes(node):
            name = prefix
            if isinstance(child, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                name = f"{prefix}.{child.name}" if prefix else child.name
                kind = "c" if isinstance(child, ast.ClassDef) else "f"
                last = child.end_lineno or child.lineno
                spans.append(FunctionSpan(kind, name, child.lineno, last))
            open_nodes.append((child, name))
    return tuple(sorted(spans, key=lambda span: (span.first, -span.last, span.name)))
