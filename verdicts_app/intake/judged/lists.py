"""A list that a judge's result answers for, beside the scenario's list as it is published here.

An item of both counts, with the scenario's severity. One of the document alone is noted and not
counted, as an invented id of a reply is. One of the scenario alone is not answered for: nothing is
made up for it, so it is not counted either. Lists that share no item are two lists: the document's
own stands, as its tool was told. All of it is said by key.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from judgeweb.judging.arithmetic import plain
from judgeweb.judging.documents import ChecklistItem
from judgeweb.judging.findings import CATEGORY_WEIGHT, SEVERITY_WEIGHTS
from judgeweb.judging.types import Finding
from verdicts_app.intake.judged.types import Said

NAMED = 5


@dataclass(frozen=True)
class Told:
    """An item as a document has it. `severity` is "" where it states none."""

    place: str
    item: ChecklistItem
    severity: str = ""


@dataclass(frozen=True)
class Agreed:
    """The items that count, and those of the scenario that nothing was said of."""

    items: tuple[ChecklistItem, ...]
    missing: tuple[ChecklistItem, ...] = ()
    said: tuple[Said, ...] = ()


def agreed(
    key: str,
    told: Sequence[Told],
    known: Sequence[ChecklistItem] | None,
    *,
    of: str,
    then: str = "noted, not counted",
) -> Agreed:
    """`known` is the scenario's list `of` that name; None where the scenario is not known. `then`
    says what becomes of an item that it does not have."""
    own = tuple(one.item for one in told)
    if known is None or not told:
        return Agreed(own)
    items = {item.id: item for item in known}
    shared = tuple(items[one.item.id] for one in told if one.item.id in items)
    if not shared:
        which = "shares no item with the scenario's" if known else "the scenario has no"
        return Agreed(own, said=(Said(key, f"{which} {of}: its own list counts"),))
    answered = {one.item.id for one in told}
    missing = tuple(item for item in known if item.id not in answered)
    said = [words for one in told for words in _said_of(one, items.get(one.item.id), of, then)]
    if missing:
        said.append(Said(key, _unanswered(missing, len(known))))
    return Agreed(shared, missing, tuple(said))


def _said_of(one: Told, known: ChecklistItem | None, of: str, then: str) -> list[Said]:
    if known is None:
        words = f"{one.item.id!r} is no item of the scenario's {of}: {then}"
        return [Said(f"{one.place}.id", words)]
    if one.severity and one.severity.lower() != known.category.lower():
        words = (
            f"{one.item.id} is {one.severity!r} here and {known.category!r} in the scenario, "
            "which counts"
        )
        return [Said(f"{one.place}.severity", words)]
    return []


def _unanswered(missing: Sequence[ChecklistItem], of: int) -> str:
    named = ", ".join(item.id for item in missing[:NAMED])
    more = f" and {len(missing) - NAMED} more" if len(missing) > NAMED else ""
    return (
        f"does not answer for {len(missing)} of the scenario's {of} items ({named}{more}): they "
        "are not counted"
    )


def weight_of(category: str) -> int:
    return SEVERITY_WEIGHTS.get(category.lower(), CATEGORY_WEIGHT)


def least_recall(findings: Sequence[Finding], missing: Sequence[ChecklistItem]) -> str:
    """What recall would be if nothing that the document leaves out had been found."""
    found = sum(one.weight for one in findings if one.found)
    every = sum(one.weight for one in findings) + sum(weight_of(x.category) for x in missing)
    recall = plain(Fraction(found, every)) if every else "undefined"
    return f"Of the scenario's whole list the recall is at least {found} / {every} = {recall}."
