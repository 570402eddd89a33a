"""Pass rates as data, at full precision: one row per call type, bucket and dimension."""

from collections.abc import Iterator
from typing import Any

from verdicts_app.boards.calibration import board_off, off_as_data
from verdicts_app.boards.pass_rates import PassRates
from verdicts_app.boards.rates import KEYS

COLUMNS = (
    "call_type",
    "bucket",
    "start",
    "dimension",
    "passed",
    "n",
    "undecidable",
    "rate",
    "rate_low",
    "rate_high",
    "system_prompt",
    "contract",
    "worker",
    "epoch",
)

Value = str | int | float | None


def rows(found: PassRates) -> Iterator[dict[str, Value]]:
    """Of the call type named, or of all."""
    for trend in found.trends:
        if found.filters.call_type not in ("", trend.call_type):
            continue
        for point in filter(None, trend.points):
            for key in KEYS:
                rate = point.rates[key]
                interval = rate.interval
                yield {
                    "call_type": trend.call_type,
                    "bucket": found.filters.bucket,
                    "start": point.start.isoformat(),
                    "dimension": key,
                    "passed": rate.held,
                    "n": rate.n,
                    "undecidable": rate.undecided,
                    "rate": float(rate.share) if rate.share is not None else None,
                    "rate_low": interval.low if interval else None,
                    "rate_high": interval.high if interval else None,
                    "system_prompt": point.setting.prompt,
                    "contract": point.setting.contract,
                    "worker": point.setting.worker,
                    "epoch": point.epoch.digest,
                }


def as_data(found: PassRates) -> dict[str, Any]:
    """`starts` lists every bucket; one without rows had no calls."""
    return {
        "bucket": found.filters.bucket,
        "starts": [start.isoformat() for start in found.buckets],
        "is_cut": found.is_cut,
        "changes": [
            {"call_type": trend.call_type, "start": c.start.isoformat(), "what": c.what}
            for trend in found.trends
            for c in trend.changes
            if found.filters.call_type in ("", trend.call_type)
        ],
        "judge_off": off_as_data(board_off(*found.shown_epochs)),
        "problems": [
            {"field": problem.field, "value": problem.value, "expected": problem.expected}
            for problem in found.filters.problems
        ],
        "rates": list(rows(found)),
    }
