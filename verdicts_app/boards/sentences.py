"""The one sentence under a verdict's heading: what the judge saw, in words."""

import json
from collections.abc import Callable, Sequence
from typing import Any

from judgeweb.judging.claims import CLAIM_STEP
from judgeweb.judging.shuffling import SHUFFLE
from judgeweb.judging.types import Flag
from verdicts_app.boards.checklist import Checklist
from verdicts_app.boards.marks import MarkRow

SMALL = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


def in_words(number: int) -> str:
    return SMALL[number] if number < len(SMALL) else f"{number:,}"


WAYS: dict[str, Callable[[Any], str]] = {
    CLAIM_STEP: lambda step: f"claims extracted once by {step['model']}",
    SHUFFLE: lambda _: "order shuffled",
}
"""Parameters that make another instrument of the same judge."""


def ways_in_words(stored: str) -> str:
    """Of an epoch's parameters, JSON text, what makes it another instrument; "" where nothing."""
    parameters = json.loads(stored or "{}")
    return ", ".join(way(parameters[name]) for name, way in WAYS.items() if parameters.get(name))


def parameters_in_words(stored: str) -> str:
    """An epoch's parameters, JSON text: "effort medium, undecidable allowed: no". What was left to
    the model's default is empty and not named."""
    given = json.loads(stored or "{}").items()
    return ", ".join(_parameter(name, value) for name, value in given if value != "")


def _parameter(name: str, value: object) -> str:
    if (way := WAYS.get(name)) and value:
        return way(value)
    words = name.replace("_", " ")
    if isinstance(value, bool):
        return f"{words}: {'yes' if value else 'no'}"
    if isinstance(value, dict):
        return f"{words} " + " / ".join(f"{key} {one}" for key, one in value.items())
    return f"{words} {value}"


def verdict_sentence(
    who: str, mode: str, marks: Sequence[MarkRow], seen: Checklist, flags: Sequence[str]
) -> str:
    """`who` is the character, or the spec where there is none."""
    # "Maren Holt, night keeper" is closed by a comma as well.
    who = f"{who}," if "," in who else who
    if Flag.EMPTY_ANSWER in flags:
        return f"{who} answered nothing, which counts as a total of 0."
    if mode == "checklist":
        return _checklist_sentence(who, seen)
    if mode == "behaviours":
        return _behaviours_sentence(who, seen)
    return _marks_sentence(who, marks)


def _checklist_sentence(who: str, seen: Checklist) -> str:
    parts = [f"found {seen.found} of {seen.items} planted issues"]
    if seen.bonus_found:
        parts.append(f"earned {in_words(seen.bonus_found)} from the bonus list")
    if seen.false_positives:
        verb = "is" if seen.false_positives == 1 else "are"
        parts.append(f"claimed {in_words(seen.false_positives)} that {verb} not there")
    if seen.novel_valid:
        parts.append(f"saw {in_words(seen.novel_valid)} that nobody had planted")
    return f"{who} {_listed(parts)}."


def _behaviours_sentence(who: str, seen: Checklist) -> str:
    parts = [f"showed {seen.found} of {seen.items} behaviours asked for"]
    if seen.bonus_found:
        parts.append(f"{in_words(seen.bonus_found)} from the bonus list")
    return f"{who} {_listed(parts)}."


def _marks_sentence(who: str, marks: Sequence[MarkRow]) -> str:
    if not marks:
        return f"{who} was judged elsewhere; no marks came along."
    best = max(marks, key=lambda mark: mark.value)
    worst = min(marks, key=lambda mark: mark.value)
    if best.value == worst.value:
        return f"{who} earned the same mark in all of {in_words(len(marks))} dimensions."
    return f"{who} did best in {best.label.lower()} and least well in {worst.label.lower()}."


def _listed(parts: list[str]) -> str:
    if len(parts) < 2:
        return parts[0]
    comma = "," if len(parts) > 2 else ""
    return f"{', '.join(parts[:-1])}{comma} and {parts[-1]}"
