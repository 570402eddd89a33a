"""Trends as data, at full precision: one row per line and bucket that has verdicts."""

from collections.abc import Iterator
from typing import Any

from verdicts_app.boards.calibration import board_off, off_as_data
from verdicts_app.boards.trends import Trends

COLUMNS = (
    "persona",
    "is_control",
    "bucket",
    "start",
    "mean",
    "mean_low",
    "mean_high",
    "scenarios",
    "verdicts",
    "epoch",
)

Value = str | int | float | None


def rows(trends: Trends) -> Iterator[dict[str, Value]]:
    for line in trends.lines:
        for point in filter(None, line.points):
            yield {
                "persona": line.name,
                "is_control": line.is_control,
                "bucket": trends.filters.bucket,
                "start": point.start.isoformat(),
                "mean": float(point.mean),
                "mean_low": point.interval.low if point.interval else None,
                "mean_high": point.interval.high if point.interval else None,
                "scenarios": point.scenarios,
                "verdicts": point.verdicts,
                "epoch": point.epoch.digest,
            }


def as_data(trends: Trends) -> dict[str, Any]:
    """`lines` has null for an empty bucket, so that a gap stays a gap."""
    by_place = {(row["persona"], row["start"]): row for row in rows(trends)}
    starts = [start.isoformat() for start in trends.buckets]
    chosen = trends.epochs.chosen
    return {
        "mode": chosen.mode if chosen else None,
        "bucket": trends.filters.bucket,
        "starts": starts,
        "is_cut": trends.is_cut,
        "changes": [
            {"start": change.start.isoformat(), "what": change.what} for change in trends.changes
        ],
        "judge_off": off_as_data(board_off(*trends.shown_epochs)),
        "problems": [
            {"field": problem.field, "value": problem.value, "expected": problem.expected}
            for problem in trends.filters.problems
        ],
        "lines": [
            {
                "persona": line.name,
                "is_control": line.is_control,
                "points": [by_place.get((line.name, start)) for start in starts],
            }
            for line in trends.lines
        ],
    }
