"""The leaderboard as data: what its page shows, at full precision, for JSON and CSV."""

from fractions import Fraction
from typing import Any

from verdicts_app.boards.calibration import board_off, off_as_data
from verdicts_app.boards.epochs import EpochChoice, EpochOnBoard
from verdicts_app.boards.filters import BoardFilters
from verdicts_app.boards.leaderboard import Leaderboard, Row

COLUMNS = (
    "rank_best",
    "rank_worst",
    "tie_group",
    "name",
    "character",
    "is_control",
    "mean",
    "mean_low",
    "mean_high",
    "vs_control",
    "vs_control_low",
    "vs_control_high",
    "vs_control_scenarios",
    "control",
    "other_mean",
    "scenarios",
    "valid",
    "tried",
    "unjudged",
    "failed_runs",
    "not_scored",
    "same_model",
    "cost_usd_per_verdict",
    "repeat_sd",
    "repeated_answers",
    "empty_answers",
)


Value = str | int | float | None


def row_values(row: Row) -> dict[str, Value]:
    versus = row.versus
    between = versus.interval if versus else None
    return {
        "rank_best": row.best,
        "rank_worst": row.worst,
        "tie_group": row.group,
        "name": row.key,
        "character": row.character,
        "is_control": row.is_control,
        "mean": _number(row.mean),
        "mean_low": row.interval.low if row.interval else None,
        "mean_high": row.interval.high if row.interval else None,
        "vs_control": versus.mean if versus else None,
        "vs_control_low": between.low if between else None,
        "vs_control_high": between.high if between else None,
        "vs_control_scenarios": versus.scenarios if versus else None,
        "control": row.reference if versus else "",
        "other_mean": _number(row.other_mean),
        "scenarios": row.scenarios,
        "valid": row.valid,
        "tried": row.tried,
        "unjudged": row.unjudged,
        "failed_runs": row.failed,
        "not_scored": row.unscored,
        "same_model": row.own,
        "cost_usd_per_verdict": None if row.cost_nano_usd is None else row.cost_nano_usd / 10**9,
        "repeat_sd": _number(row.repeat_sd),
        "repeated_answers": row.repeated,
        "empty_answers": row.empty,
    }


def as_data(board: Leaderboard) -> dict[str, Any]:
    return {
        **epochs_as_data(board.epochs),
        "by": board.filters.by,
        "with_persona": board.filters.with_persona,
        "minimum_scenarios": board.filters.least,
        "method": {
            "mean": "mean over scenarios of the mean over runs",
            "interval": "95%, t(S-1) on the scenario means",
            "ranks": "paired t tests, Holm over the board",
            "repeat_sd": "mean over repeated answers of the standard deviation of their totals",
            "empty_answers": "answers (in patch modes: patches) that are empty; in the mean with 0",
        },
        "scenarios": board.scenarios,
        "valid": board.valid,
        "tried": board.tried,
        "same_model": board.own,
        "empty_answers": board.empty,
        "unjudged_reasons": dict(board.reasons),
        "problems": problems_as_data(board.filters),
        "rows": [{**row_values(row), "mean_exact": _exact(row.mean)} for row in board.rows],
    }


def epochs_as_data(epochs: EpochChoice) -> dict[str, Any]:
    chosen = epochs.chosen
    return {
        "mode": chosen.mode if chosen else None,
        "epoch": _epoch(chosen) if chosen else None,
        "other_epochs": [_epoch(epoch) for epoch in epochs.others],
        "judge_off": off_as_data(board_off(chosen)),
    }


def problems_as_data(filters: BoardFilters) -> list[dict[str, str]]:
    return [
        {"field": problem.field, "value": problem.value, "expected": problem.expected}
        for problem in filters.problems
    ]


def _epoch(epoch: EpochOnBoard) -> dict[str, Any]:
    return {
        "digest": epoch.digest,
        "mode": epoch.mode,
        "origin": epoch.origin,
        "rubric": epoch.rubric,
        "rubric_revision": epoch.rubric_number,
        "judge": epoch.judge,
    }


def _number(value: Fraction | None) -> float | None:
    return None if value is None else float(value)


def _exact(value: Fraction | None) -> str | None:
    return None if value is None else f"{value.numerator}/{value.denominator}"
