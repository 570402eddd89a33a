"""The rules of R10 that can be seen in the values alone. Every refusal names the field."""

from collections.abc import Mapping, Sequence
from typing import Any

from judgeweb.judging.errors import CaseRefused
from judgeweb.judging.text import is_blank, shown
from verdicts_app.intake.fields import folded
from verdicts_app.intake.shapes import CONTROL, NAME

LISTS = {
    "baseline_issues": "bonus_issues",
    "baseline_criteria": "bonus_criteria",
}
UNLESS_CONTROL = f"; only a control has none: mark one by the theme in its spec, '{CONTROL}:role'"


def check_object(
    value: Any, *, required: Sequence[str], optional: Sequence[str] = (), at: str = ""
) -> None:
    """An object with no field beyond these; `at` is the place where it stands."""
    place = at.rstrip(".") or "data"
    if value is None:
        raise CaseRefused(place, "missing: this mode requires it")
    if not isinstance(value, Mapping):
        raise CaseRefused(place, f"expected an object, not {shown(value)}", value)
    unknown = sorted(value.keys() - {*required, *optional})
    if unknown:
        known = ", ".join((*required, *optional))
        first = unknown[0]
        raise CaseRefused(f"{at}{first}", f"unknown field: expected some of {known}", value[first])


def check_text(
    data: Mapping[str, Any], field: str, *, at: str = "", may_be_empty: bool = False, more: str = ""
) -> None:
    """`may_be_empty`: an empty answer is the candidate's failure, not the caller's."""
    value = data.get(field)
    if value is None:
        raise CaseRefused(f"{at}{field}", f"missing: this mode requires it{more}")
    if not isinstance(value, str):
        raise CaseRefused(f"{at}{field}", f"expected text, not {shown(value)}", value)
    if not may_be_empty and is_blank(value):
        raise CaseRefused(f"{at}{field}", f"empty: this mode requires it{more}", value)


def check_name(data: Mapping[str, Any], field: str, *, at: str = "") -> None:
    """A text that fits the column of a name."""
    check_text(data, field, at=at)
    if (length := len(folded(data[field]))) > NAME:
        message = f"{length} characters; at most {NAME} are allowed"
        raise CaseRefused(f"{at}{field}", message, data[field])


def check_contestant(data: Mapping[str, Any], *, at: str = "") -> None:
    """`spec`, `character` and `response`; a control has no character."""
    check_name(data, "spec", at=at)
    if data.get("character") not in (None, "") or not _is_control(data):
        check_text(data, "character", at=at, more=UNLESS_CONTROL)
    check_text(data, "response", at=at, may_be_empty=True)


def _is_control(data: Mapping[str, Any]) -> bool:
    return str(data.get("spec")).partition(":")[0].strip().lower() == CONTROL


def check_lists(data: Mapping[str, Any]) -> None:
    """One instrument at most; extra credit only beside its list."""
    given = [name for name in LISTS if data.get(name) is not None]
    if len(given) > 1:
        raise CaseRefused(
            "baseline_criteria",
            "baseline_issues is given as well: they are two instruments",
            data["baseline_criteria"],
        )
    for baseline, bonus in LISTS.items():
        if data.get(bonus) and baseline not in given:
            raise CaseRefused(
                bonus, f"extra credit needs {baseline}, which is not given", data[bonus]
            )
