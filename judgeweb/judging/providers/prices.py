"""What a request costs, from the dated table in `prices.json` beside this file.

Amounts are whole nano-USD (1e-9 USD): a price of 0.01 USD per million tokens is 10 of them per
token, so that every product is exact. A model without a price costs None, never 0.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from judgeweb.judging.types import Usage

TABLE = Path(__file__).with_name("prices.json")
NANO_PER_TOKEN = 1000  # 1 USD per million tokens
# anthropic/claude-x, us.anthropic.claude-x; claude-x-20251001, claude-x@20251001, -latest, -v1:0
PREFIX = re.compile(r"^(?:.*/)?(?:[a-z]+\.)*")
SUFFIX = re.compile(r"(?:[-@]20\d{6}|[-@]latest|-v\d+(?::\d+)?)+$")


@dataclass(frozen=True)
class Price:
    """Nano-USD per token. `above` holds for prompts of more than `above_tokens` tokens."""

    since: date
    input: int
    cache_write_5m: int
    cache_write_1h: int
    cache_read: int
    output: int
    above_tokens: int = 0
    above: Price | None = None

    def of(self, usage: Usage) -> int:
        if self.above is not None and usage.input_all > self.above_tokens:
            return self.above.of(usage)
        return (
            usage.input * self.input
            + usage.cache_write * self.cache_write_5m
            + usage.cache_write_1h * self.cache_write_1h
            + usage.cache_read * self.cache_read
            + usage.output * self.output
        )


def cost_nano_usd(
    model: str, usage: Usage, on: date | None = None, batch: bool = False
) -> int | None:
    """The cost of one request made on a day (today). Return None where no price is known.
    A batch costs half; half a nano-USD is rounded up."""
    price = price_of(model, on)
    if price is None:
        return None
    cost = price.of(usage)
    return (cost + 1) // 2 if batch else cost


def price_of(model: str, on: date | None = None) -> Price | None:
    """The price of a model on a day, whatever provider prefix or date suffix its name has."""
    day = on or datetime.now(UTC).date()
    known = [price for price in _prices_of(model) if price.since <= day]
    return known[-1] if known else None


@lru_cache(maxsize=256)
def _prices_of(model: str) -> tuple[Price, ...]:
    """Oldest first; empty for an unknown model."""
    table = load_prices(TABLE)
    return table.get(model) or table.get(plain_name(model)) or ()


def plain_name(model: str) -> str:
    return SUFFIX.sub("", PREFIX.sub("", model.strip().lower()))


@cache
def load_prices(path: Path) -> Mapping[str, tuple[Price, ...]]:
    """Read a table. Raise KeyError or ValueError where it is not of the documented form."""
    models = json.loads(path.read_text())["models"]
    return {
        model: tuple(sorted((_price(row) for row in rows), key=lambda price: price.since))
        for model, rows in models.items()
    }


def _price(row: Mapping[str, Any]) -> Price:
    above = row.get("above")
    return Price(
        since=date.fromisoformat(row["from"]) if "from" in row else date.min,
        input=_nano(row["input"]),
        cache_write_5m=_nano(row["cache_write_5m"]),
        cache_write_1h=_nano(row["cache_write_1h"]),
        cache_read=_nano(row["cache_read"]),
        output=_nano(row["output"]),
        above_tokens=above["prompt_tokens"] if above else 0,
        above=_price(above) if above else None,
    )


def _nano(usd_per_million: str) -> int:
    nano = Decimal(usd_per_million) * NANO_PER_TOKEN
    if nano != int(nano) or nano < 0:
        raise ValueError(f"{usd_per_million!r} is no price in steps of 0.001 USD per million")
    return int(nano)
