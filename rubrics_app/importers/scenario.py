"""A scenario file: its keys, each to its place in the scenario document."""

import json
from dataclasses import dataclass
from typing import Any, Literal

from judgeweb.judging.documents import (
    ChecklistItem,
    CodeFile,
    GoldDocument,
    ScenarioDocument,
    load_document,
)
from judgeweb.judging.errors import DocumentInvalid
from judgeweb.judging.text import is_blank
from rubrics_app.importers import lists
from rubrics_app.importers.categories import category_of
from rubrics_app.importers.gold import read_gold
from rubrics_app.importers.tree import FileRefused, Kind, Note, Value, text_of

LISTS = ("baseline_issues", "baseline_criteria", "bonus_issues", "bonus_criteria")
TEXTS = ("title", "difficulty", "version", "family")
FILES: tuple[Literal["code", "tests", "stub"], ...] = ("code", "tests", "stub")
READ = {"name", "category", "prompt", "constraints", "context", "gold_standard"} | {
    *TEXTS,
    *LISTS,
    *FILES,
}
KEPT = {
    "id", "description", "purpose", "tags", "source", "anti_patterns", "scoring",
    "enhanced_metrics", "persona_influence", "expected_tendencies", "swebench_metadata",
    "red_herrings", "judge_reference", "non_issues", "difficulty_profile",
}  # fmt: skip
"""Keys that are known and kept in the extras as they stand."""


@dataclass(frozen=True)
class ScenarioReading:
    document: ScenarioDocument
    gold: GoldDocument | None
    notes: tuple[Note, ...]


def read_scenario(root: Value, notes: list[Note]) -> ScenarioReading:
    """Raise FileRefused, naming key and line."""
    if root.kind is not Kind.MAP:
        raise FileRefused("", f"a scenario is a map of keys, but this is {root.kind}", root.line)
    name = _required(root, "name").strip()
    written = text_of(root.get("category"), "category")
    extras: dict[str, Any] = {}
    items = _lists(root, extras, notes)
    files = _files(root, extras)
    gold, rest = read_gold(root.get("gold_standard"), scenario=name)
    if rest:
        extras["gold_standard"] = rest
    extras |= _others(root, notes)
    category = category_of(written)
    if category != written.strip():
        extras["category"] = written.strip()
    values = {
        "name": name,
        **{key: text_of(root.get(key), key).strip() for key in TEXTS},
        "category": category,
        "challenge": _challenge(root),
        "context": "\n".join(context.lines()) if (context := root.get("context")) else "",
        "files": files,
        **items,
        "extras": _canonical(extras),
    }
    try:
        document = load_document(ScenarioDocument, values)
    except DocumentInvalid as error:
        place, message = error.problems[0]
        raise FileRefused(place, message) from error
    return ScenarioReading(document, gold, tuple(notes))


def _required(root: Value, key: str) -> str:
    text = text_of(root.get(key), key)
    if is_blank(text):
        raise FileRefused(key, "is required and says nothing", root.line)
    return text


def _challenge(root: Value) -> str:
    """What the candidate was told: the prompt, and its constraints where they stand apart."""
    prompt = _required(root, "prompt").rstrip("\n")
    constraints = root.get("constraints")
    if constraints is None or constraints.is_empty:
        return prompt
    return "\n".join([prompt, "", "Constraints:", *constraints.lines()])


def _lists(
    root: Value, extras: dict[str, Any], notes: list[Note]
) -> dict[str, tuple[ChecklistItem, ...]]:
    items: dict[str, list[ChecklistItem]] = {name: [] for name in LISTS}
    for name in LISTS:
        value = root.get(name)
        if value is None or value.is_empty:
            continue
        reading = lists.read_list(name, value, notes)
        items[name] += reading.items
        items[name.replace("baseline_", "bonus_")] += reading.bonus
        if reading.rest:
            extras[name] = reading.rest
    return {name: tuple(found) for name, found in items.items()}


def _files(root: Value, extras: dict[str, Any]) -> tuple[CodeFile, ...]:
    files: list[CodeFile] = []
    for role in FILES:
        value = root.get(role)
        if value is None:
            continue
        several = value.kind is Kind.LIST
        for number, one in enumerate(value.items if several else [value]):
            place = f"{role}[{number}]" if several else role
            files.append(_file(one, role, place))
            rest = {
                key: inner.plain()
                for key, inner in one.entries
                if key not in ("language", "filename", "content")
            }
            if rest:
                extras[place] = rest
    return tuple(files)


def _file(value: Value, role: Literal["code", "tests", "stub"], place: str) -> CodeFile:
    if value.kind is not Kind.MAP:
        if value.kind in (Kind.NUMBER, Kind.BOOLEAN):
            message = f"expected text or a map of language, filename and content, not {value.kind}"
            raise FileRefused(place, message, value.line)
        return CodeFile(role=role, content=text_of(value, place))
    content = text_of(value.get("content"), f"{place}.content")
    if is_blank(content):
        raise FileRefused(f"{place}.content", "is required and says nothing", value.line)
    return CodeFile(
        role=role,
        language=text_of(value.get("language"), f"{place}.language").strip(),
        filename=text_of(value.get("filename"), f"{place}.filename").strip(),
        content=content,
    )


def _others(root: Value, notes: list[Note]) -> dict[str, Any]:
    others = [(key, value) for key, value in root.entries if key not in READ]
    for key, value in others:
        if key not in KEPT:
            notes.append(Note(key, "is no key of a scenario; kept as it is", value.line))
    return {key: value.plain() for key, value in others}


def _canonical(extras: dict[str, Any]) -> str:
    if not extras:
        return ""
    return json.dumps(extras, sort_keys=True, ensure_ascii=True, separators=(",", ":"))
