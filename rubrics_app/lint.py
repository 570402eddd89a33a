"""What is wrong with a document before it is published.

An error keeps it from being published; a warning is shown and decides nothing. The rules of
weights and bands are the core's (`rubric_rules`), so that form, API and import say the same.
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from judgeweb.judging import contract_schemas, rubric_rules
from judgeweb.judging.documents import (
    AnchorSetDocument,
    ChecklistItem,
    ContractDocument,
    Document,
    GoldDocument,
    RubricDocument,
    ScenarioDocument,
)
from judgeweb.judging.errors import CaseRefused, DocumentInvalid
from judgeweb.judging.modes import RUBRIC_MODES, mode_for
from judgeweb.judging.text import is_blank
from rubrics_app.scoring import miscounts, own_rubric

LISTS = ("baseline_issues", "baseline_criteria", "bonus_issues", "bonus_criteria")


@dataclass(frozen=True)
class Problem:
    """`place` names the part of the document, as in "dimensions.depth.weight"."""

    place: str
    message: str
    is_error: bool = True

    @property
    def severity(self) -> str:
        return "error" if self.is_error else "warning"


def warning(place: str, message: str) -> Problem:
    return Problem(place, message, is_error=False)


def lint(document: Document) -> tuple[Problem, ...]:
    """Every problem of the document, errors first."""
    found = [problem for rule in _RULES[type(document)] for problem in rule(document)]
    return tuple(sorted(found, key=lambda problem: not problem.is_error))


def errors_of(problems: Iterable[Problem]) -> list[Problem]:
    return [problem for problem in problems if problem.is_error]


# --- placeholders -----------------------------------------------------------------------------

# A brace alone is code; these are names that a template would have filled.
_PLACEHOLDER = re.compile(
    r"\{\{\s*[\w. ]+\s*\}\}|\{(?:spec|character|challenge|response|code|gold_standard)\}"
    r"|<(?:placeholder|insert[^<>]{0,40}|fill[^<>]{0,40})>|\b(?:TODO|FIXME|TBD)\b|lorem ipsum",
    re.IGNORECASE,
)


def _placeholders(texts: Iterable[tuple[str, str]]) -> Iterator[Problem]:
    for place, text in texts:
        if found := _PLACEHOLDER.search(text):
            yield warning(place, f"{found[0]!r} looks like a placeholder that nobody filled")


# --- scenario ---------------------------------------------------------------------------------


def name_problems(document: ScenarioDocument) -> Iterator[Problem]:
    """What keeps even a draft from being saved: no name, or an item id that stands twice, for the
    judge's reply is matched by it."""
    if is_blank(document.name):
        yield Problem("name", "is empty")
    places: dict[str, list[str]] = {}
    for name in LISTS:
        for item in getattr(document, name):
            places.setdefault(item.id, []).append(name)
    for item_id, names in places.items():
        if len(names) > 1:
            yield Problem(
                f"{names[-1]}.{item_id}",
                f"the id {item_id!r} stands {len(names)} times ({', '.join(names)})",
            )


def _required(document: ScenarioDocument) -> Iterator[Problem]:
    if is_blank(document.challenge):
        yield Problem("challenge", "the challenge is empty")
    for name in LISTS:
        for item in getattr(document, name):
            yield from _item(name, item)


def _item(name: str, item: ChecklistItem) -> Iterator[Problem]:
    place = f"{name}.{item.id}"
    if is_blank(item.id):
        yield Problem(name, f"an item has no id: {item.description[:60]!r}")
    if is_blank(item.description):
        yield Problem(place, "the description is empty")
    if is_blank(item.category):
        yield Problem(place, "the item stands in no list or severity")


def _mode(document: ScenarioDocument) -> Iterator[Problem]:
    try:
        mode = mode_for(document)
    except CaseRefused as refusal:
        yield Problem(refusal.field, refusal.message)
        return
    if mode == "checklist" and not document.baseline_issues:
        yield Problem("baseline_issues", "the checklist is empty, so there is nothing to find")
    if mode == "behaviours" and not document.baseline_criteria:
        yield Problem("baseline_criteria", "the list of behaviours is empty")
    if mode == "solo" and (document.bonus_issues or document.bonus_criteria):
        yield warning("bonus_issues", "bonus items without a baseline are never judged")


_MENTIONS_CODE = re.compile(
    r"\b(?:this|following|given|attached) (?:\w+ ){0,2}"
    r"(?:code|module|function|class|file|snippet)\b"
    r"|\bcode (?:below|under review)\b",
    re.IGNORECASE,
)


def _files(document: ScenarioDocument) -> Iterator[Problem]:
    for number, file in enumerate(document.files, 1):
        if is_blank(file.content):
            yield Problem(f"files.{file.filename or number}", f"the {file.role} is empty")
    has_code = bool(document.files) or "```" in document.challenge + document.context
    if not has_code and (mention := _MENTIONS_CODE.search(document.challenge)):
        yield warning("files", f"the challenge speaks of {mention[0]!r}, but no code comes with it")


def _scenario_placeholders(document: ScenarioDocument) -> Iterator[Problem]:
    return _placeholders([("challenge", document.challenge), ("context", document.context)])


# --- declared totals --------------------------------------------------------------------------

_DECLARED = re.compile(r"^total_(?:(?P<part>baseline|bonus)_)?\w+$")
_ANNOUNCED = re.compile(
    r"\b(?P<number>\d+) known (?:\w+ ){0,2}"
    r"(?:issues|bugs|problems|vulnerabilities|scenarios|tests|cases|behaviou?rs|criteria)\b",
    re.IGNORECASE,
)


def _declared_totals(document: ScenarioDocument) -> Iterator[Problem]:
    """Totals that the file states beside its lists: counted, both kept, a difference said."""
    baseline = _counts(document.baseline_issues + document.baseline_criteria)
    bonus = _counts(document.bonus_issues + document.bonus_criteria)
    for place, key, declared in _stated_numbers(document.extras):
        match = _DECLARED.match(key)
        if match is None:
            continue
        part = match["part"] or ("bonus" if place.startswith("bonus_") else "baseline")
        counted = bonus if part == "bonus" else baseline
        if declared not in counted:
            yield warning(f"{place}.{key}", f"declares {declared}, but {counted[0]} are listed")
    yield from _announced(document, baseline, bonus)


def _own_rubric(document: ScenarioDocument) -> Iterator[Problem]:
    """The scenario's own rubric is kept as it is; what does not add up is said."""
    for place, message in miscounts(own_rubric(document.extras)):
        yield warning(place, message)


def _announced(
    document: ScenarioDocument, baseline: list[int], bonus: list[int]
) -> Iterator[Problem]:
    listed = [*baseline, *(b + extra for b in baseline for extra in bonus)]
    found = _ANNOUNCED.search(document.challenge)
    if found and baseline[0] and int(found["number"]) not in listed:
        yield warning(
            "challenge",
            f"announces {found[0]!r}, but {baseline[0]} and {bonus[0]} bonus items are listed",
        )


def _counts(items: tuple[ChecklistItem, ...]) -> list[int]:
    """How many items there are, and how many tests they stand for where each says so."""
    tests = [dict(item.details).get("tests", "") for item in items]
    if items and all(count.isdecimal() for count in tests):
        return [len(items), sum(map(int, tests))]
    return [len(items)]


def _stated_numbers(extras: str) -> Iterator[tuple[str, str, int]]:
    document: Any = json.loads(extras) if extras else {}
    for place in ("scoring", *LISTS):
        part = document.get(place)
        if isinstance(part, dict):
            for key, value in part.items():
                if type(value) is int:
                    yield place, key, value


# --- anchor set, rubric, gold standard --------------------------------------------------------


def _problems_of(check: Callable[[Any], Any], document: Document) -> Iterator[Problem]:
    try:
        check(document)
    except DocumentInvalid as error:
        for place, message in error.problems:
            yield Problem(place, message)


def _anchor_set(document: AnchorSetDocument) -> Iterator[Problem]:
    return _problems_of(rubric_rules.publishable_anchors, document)


def _anchor_placeholders(document: AnchorSetDocument) -> Iterator[Problem]:
    return _placeholders((f"bands.{band.low}-{band.high}", band.text) for band in document.bands)


def _rubric(document: RubricDocument) -> Iterator[Problem]:
    if document.mode not in RUBRIC_MODES:
        known = ", ".join(RUBRIC_MODES)
        yield Problem("mode", f"{document.mode!r} is no judge mode; known are {known}")
    yield from _problems_of(rubric_rules.publishable_rubric, document)


def _unpublished_anchors(document: RubricDocument) -> Iterator[Problem]:
    for dimension in document.dimensions:
        if dimension.anchors and not dimension.bands:
            yield Problem(
                f"dimension {dimension.key}",
                f"its anchor set {dimension.anchors!r} is not published: publish that first",
            )


def _rubric_placeholders(document: RubricDocument) -> Iterator[Problem]:
    return _placeholders(
        [(f"dimension {d.key}", d.criteria) for d in document.dimensions]
        + [(f"mark {m.key}", m.criteria) for d in document.dimensions for m in d.marks]
    )


def _gold(document: GoldDocument) -> Iterator[Problem]:
    if is_blank(document.response):
        yield Problem("response", "the expert's answer is empty")


def _contract(document: ContractDocument) -> Iterator[Problem]:
    return _problems_of(contract_schemas.publishable_contract, document)


def _declares_nothing(document: ContractDocument) -> Iterator[Problem]:
    problems = list(_contract(document))
    if problems or not document.strict:
        return
    schema = contract_schemas.compiled(document.json_schema)
    if not schema.declares_any:
        yield warning("json_schema", "declares no top-level field, so that every field fails")


_RULES: dict[type[Document], tuple[Callable[[Any], Iterator[Problem]], ...]] = {
    ScenarioDocument: (
        _required,
        name_problems,
        _mode,
        _files,
        _declared_totals,
        _own_rubric,
        _scenario_placeholders,
    ),
    AnchorSetDocument: (_anchor_set, _anchor_placeholders),
    RubricDocument: (_rubric, _unpublished_anchors, _rubric_placeholders),
    GoldDocument: (_gold,),
    ContractDocument: (_contract, _declares_nothing),
}
