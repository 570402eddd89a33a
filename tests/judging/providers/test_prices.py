"""Prices worked out by hand."""

import json
from datetime import date
from pathlib import Path

import pytest

from judgeweb.judging.providers.prices import TABLE, cost_nano_usd, load_prices
from judgeweb.judging.types import Usage

USAGE = Usage(input=1000, cache_write=200, cache_write_1h=30, cache_read=4000, output=500)
TODAY = date(2026, 11, 30)


# nano-USD per token = 1000 x USD per million tokens
@pytest.mark.parametrize(
    ("model", "expected"),
    [
        # 1000*2000 + 200*2500 + 30*4000 + 4000*100 + 500*10000
        ("claude-sonnet-5-5", 8_020_000),
        # 1000*4000 + 200*5000 + 30*8000 + 4000*200 + 500*20000
        ("claude-opus-5-5", 16_040_000),
        # 1000*100 + 200*125 + 30*200 + 4000*10 + 500*500
        ("claude-haiku-5-5", 421_000),
        # 1000*3000 + 200*3750 + 30*6000 + 4000*300 + 500*15000
        ("claude-sonnet-4-6", 12_630_000),
        # 1000*10000 + 200*12500 + 30*20000 + 4000*250 + 500*50000
        ("claude-fable-5-1", 39_100_000),
    ],
)
def test_cost_of_all_five_kinds_of_tokens(model: str, expected: int) -> None:
    assert cost_nano_usd(model, USAGE, on=TODAY) == expected


def test_cost_haiku_prompt_above_100k_pays_more_on_the_whole_request() -> None:
    at = Usage(input=40_000, cache_read=60_000, output=1000)
    above = Usage(input=40_001, cache_read=60_000, output=1000)

    # 40000*100 + 60000*10 + 1000*500
    assert cost_nano_usd("claude-haiku-5-5", at, on=TODAY) == 5_100_000
    # 40001*500 + 60000*50 + 1000*2500
    assert cost_nano_usd("claude-haiku-5-5", above, on=TODAY) == 25_500_500


def test_cost_follows_the_date() -> None:
    read = Usage(cache_read=1000)

    # 0.20 USD per million until 2026-10-06, 0.10 from then on
    assert cost_nano_usd("claude-sonnet-5-5", read, on=date(2026, 10, 6)) == 200_000
    assert cost_nano_usd("claude-sonnet-5-5", read, on=date(2026, 10, 7)) == 100_000
    assert cost_nano_usd("claude-sonnet-5-5", read) == 100_000


def test_cost_batch_is_half_rounded_up() -> None:
    # 3 tokens written to haiku's cache: 375; half is 187.5
    assert cost_nano_usd("claude-haiku-5-5", Usage(cache_write=3), on=TODAY, batch=True) == 188
    assert cost_nano_usd("claude-haiku-5-5", Usage(input=4), on=TODAY, batch=True) == 200


@pytest.mark.parametrize("model", ["gpt-9", "", "claude-sonet", "claude-mythos-5-2", "stand-in"])
def test_cost_unknown_model_is_none_and_not_zero(model: str) -> None:
    assert cost_nano_usd(model, USAGE, on=TODAY) is None
    assert cost_nano_usd(model, Usage(), on=TODAY, batch=True) is None


@pytest.mark.parametrize(
    "name",
    [
        "claude-haiku-4-5-20251001",
        "anthropic/claude-haiku-4-5",
        "us.anthropic.claude-haiku-4-5-20251001-v1:0",
        "vertex_ai/claude-haiku-4-5@20251001",
        "Claude-Haiku-4-5-latest",
    ],
)
def test_cost_ignores_provider_prefix_and_date_suffix(name: str) -> None:
    # 1000*1000 + 200*1250 + 30*2000 + 4000*100 + 500*5000
    assert cost_nano_usd(name, USAGE, on=TODAY) == 4_210_000


def test_table_states_its_date_and_sources() -> None:
    table = json.loads(TABLE.read_text())

    assert table["as_of"] == "2026-11-30"
    assert all(row["source"] for rows in table["models"].values() for row in rows)


def test_load_prices_too_fine_a_price_is_refused(tmp_path: Path) -> None:
    row = dict.fromkeys(("input", "cache_write_5m", "cache_write_1h", "cache_read", "output"), "1")
    table = tmp_path / "prices.json"
    table.write_text(json.dumps({"models": {"m": [{**row, "input": "0.0001"}]}}))

    with pytest.raises(ValueError, match=r"0\.0001"):
        load_prices(table)
