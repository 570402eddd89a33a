"""Calibrations as data, at full precision: for the API, JSON and CSV."""

from fractions import Fraction
from typing import Any

from verdicts_app.boards.calibration import TOLERANCE, Calibration
from verdicts_app.exports.numbers import number

TEXTS = ("totals", "verdicts")
"""What is a list, and text in a table."""


def calibration_values(one: Calibration) -> dict[str, Any]:
    epoch, rubric = one.epoch, one.epoch.rubric_revision
    return {
        "scenario": one.scenario,
        "epoch": epoch.digest,
        "mode": epoch.mode,
        "judge": one.judge,
        "requested_model": epoch.requested_model,
        "rubric": rubric.key if rubric else "",
        "rubric_revision": rubric.number if rubric else None,
        "prompt_version": epoch.prompt_version,
        "gold_revision": one.gold.number,
        "gold_score": number(one.gold_score),
        "graded_by": one.graded_by,
        "job": str(one.job_id),
        "asked": one.asked,
        "counts": one.counts,
        "verdicts": list(one.verdicts),
        "totals": [number(total) for total in one.totals],
        "mean": number(one.mean),
        "spread": number(one.spread),
        "deviation": number(one.deviation),
        "tolerance": number(Fraction(TOLERANCE)),
        "within": one.is_within,
        "judged_at": one.judged_at,
    }


def calibration_cells(one: Calibration) -> dict[str, Any]:
    """As one row of a table."""
    values = calibration_values(one)
    lists = {name: " ".join(map(str, values[name])) for name in TEXTS}
    return values | lists | {"judged_at": one.judged_at.isoformat()}
