"""Strict reading of a verdict's values: nothing is guessed, clamped or filled in (R4, R5).

One reader collects everything that is wrong with a reply, so that the corrective re-ask can name
all of it at once.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from typing import Any, TypeGuard

from judgeweb.judging.text import shown, visible
from judgeweb.judging.types import Fault, Flag, UnjudgedReason

LOWEST, HIGHEST = 1, 10
_NUMBERS = (int, Decimal)
NAMED_FAULTS = 40  # a re-ask that lists more than this costs more than it helps
_BARE_NUMERAL = re.compile(r"\s*([0-9]{1,20}(?:\.[0-9]{1,20})?)\s*")


@dataclass
class StrictReader:
    """Reads values one by one; faults, flags and notes gather in it."""

    faults: list[Fault] = field(default_factory=list)
    flags: list[Flag] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @property
    def fault(self) -> Fault | None:
        """All faults as one: the reason of the first, the details of all. None if there is none."""
        if not self.faults:
            return None
        details = [fault.detail for fault in self.faults]
        rest = len(details) - NAMED_FAULTS
        more = [f"and {rest} more"] if rest > 0 else []
        return Fault(self.faults[0].reason, "; ".join(details[:NAMED_FAULTS] + more))

    def invalid(self, detail: str) -> None:
        self.faults.append(Fault(UnjudgedReason.INVALID, detail))

    def incomplete(self, detail: str) -> None:
        self.faults.append(Fault(UnjudgedReason.INCOMPLETE, detail))

    def flag(self, flag: Flag, note: str = "") -> None:
        if flag not in self.flags:
            self.flags.append(flag)
        if note:
            self.notes.append(visible(note)[0])

    def text(self, value: Any) -> str:
        """Words of the judge, fit for a page. They decide nothing, so any type is shown."""
        if value is None:
            return ""
        words = value if isinstance(value, str) else json.dumps(value, default=str)
        readable, escaped = visible(words)
        if escaped:
            self.flag(Flag.ESCAPED_TEXT)
        return readable

    def mapping(self, value: Any, place: str) -> Mapping[str, Any]:
        """An object, or a fault and an empty one."""
        if is_mapping(value):
            return value
        if value is None:
            self.incomplete(f"{place} is missing")
        else:
            self.invalid(f"{place} must be an object, not {shown(value)}")
        return {}

    def rows(self, value: Any, place: str) -> list[Any]:
        """A list, or a fault and an empty one."""
        if isinstance(value, list):
            return value
        if value is None:
            self.incomplete(f"{place} is missing")
        else:
            self.invalid(f"{place} must be a list, not {shown(value)}")
        return []

    def boolean(self, row: Mapping[str, Any], key: str, place: str) -> bool:
        """true or false and nothing else: the text "false" is not false."""
        value = row.get(key)
        if isinstance(value, bool):
            return value
        if key not in row:
            self.incomplete(f"{place}: {key} is missing")
        else:
            self.invalid(f"{place}: {key} must be true or false, not {shown(value)}")
        return False

    def mark(self, value: Any, place: str, *, whole: bool) -> tuple[Fraction, bool]:
        """A number from 1 to 10 and whether it was written as a bare numeral string.

        With a fault the number is 1 and must not be used.
        """
        coerced = isinstance(value, str) and _BARE_NUMERAL.fullmatch(value)
        if coerced:
            value = Decimal(coerced[1])
            self.flag(Flag.COERCED)
        number = as_fraction(value)
        if value is None:
            self.incomplete(f"{place} is missing")
        elif number is None:
            self.invalid(f"{place} must be a number, not {shown(value)}")
        elif not LOWEST <= value <= HIGHEST:
            self.invalid(f"{place} must lie from {LOWEST} to {HIGHEST}, not {shown(value)}")
        elif whole and number.denominator != 1:
            self.invalid(f"{place} must be a whole number, not {shown(value)}")
        else:
            return number, bool(coerced)
        return Fraction(LOWEST), bool(coerced)


def as_fraction(value: Any) -> Fraction | None:
    """The exact value of an int or Decimal that was read; None for everything else."""
    if isinstance(value, _NUMBERS) and not isinstance(value, bool):
        return Fraction(value)
    return None


def is_mapping(value: Any) -> TypeGuard[Mapping[str, Any]]:
    """As isinstance, which asks an abstract class ten times as long about the dict it mostly is."""
    return type(value) is dict or isinstance(value, Mapping)
