"""The claim step as the stand-in plays it: lines of the response are its claims, and rulings fit
the matches. Which claim matches which item is drawn."""

from __future__ import annotations

import re
from collections.abc import Mapping
from random import Random
from typing import Any

EXTRACTED = {"claims"}
"""What a reply to an extraction prompt holds."""
RULED = "claim_rulings"
MOST_CLAIMS = 8
LONGEST_QUOTE = 120
OTHER_RULINGS = ("valid", "invalid", "no_finding", "no_finding")
# The numbered claims as judgeweb's prompts delimit them; a pair has two lists, by seat.
CLAIMS = re.compile(
    r"<<response(?:_([ab]))?-claims (\w+)>>\n(.*?)\n<<end response(?:_[ab])?-claims \2>>", re.DOTALL
)
NUMBER = re.compile(r"^(\d+)\. ", re.MULTILINE)


def is_extraction(schema: Mapping[str, Any]) -> bool:
    return set(schema.get("properties", ())) == EXTRACTED


def extracted(lines: list[str], notice: str) -> dict[str, Any]:
    quotes = [line[:LONGEST_QUOTE] for line in dict.fromkeys(lines)][:MOST_CLAIMS]
    return {"claims": [{"quote": one, "claim": f"{one} ({notice})"} for one in quotes]}


def numbers_by_seat(user: str) -> dict[str, list[int]]:
    """The numbers of the claims to rule on; the only list of a solo prompt has no seat."""
    return {
        (match[1] or "").upper(): [int(number) for number in NUMBER.findall(match[3])]
        for match in CLAIMS.finditer(user)
    }


def ruled(value: dict[str, Any], numbers: list[int], random: Random, notice: str) -> None:
    """Give every item that is found a claim of its own, and every claim its ruling."""
    free = numbers[:]
    random.shuffle(free)
    matched = set()
    for row in _items(value):
        row["found"] = bool(row["found"] and free)
        row["claims"] = [free.pop()] if row["found"] else []
        matched.update(row["claims"])
    value[RULED] = [
        {
            "id": number,
            "reasoning": notice,
            "ruling": "listed" if number in matched else random.choice(OTHER_RULINGS),
        }
        for number in numbers
    ]


def _items(value: Mapping[str, Any]) -> list[dict[str, Any]]:
    lists = [part for part in value.values() if isinstance(part, list)]
    return [row for rows in lists for row in rows if isinstance(row, dict) and "found" in row]
