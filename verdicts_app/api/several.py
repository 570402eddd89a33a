"""Repeats and other judges of a verdict, as data."""

from typing import Any

from verdicts_app.boards.jury import JudgeRow, Jury
from verdicts_app.boards.repeat_lines import FigureLine, WordLine
from verdicts_app.boards.repeats import RepeatColumn, Repeats, SeveralPanels
from verdicts_app.boards.votes import Totals, Vote
from verdicts_app.exports.numbers import number


def several_out(panels: SeveralPanels) -> dict[str, Any]:
    """Null where there is one repeat, or one judge."""
    return {
        "repeats": _repeats(panels.repeats) if panels.repeats else None,
        "jury": _jury(panels.jury) if panels.jury else None,
    }


def _repeats(repeats: Repeats) -> dict[str, Any]:
    return {
        "asked": repeats.asked,
        "valid": repeats.valid,
        "counts": repeats.is_enough,
        "counted": repeats.counted,
        "totals": {line.of: _figures(line) for line in repeats.totals},
        "repeats": [_state(column) for column in repeats.columns],
        "items": len(repeats.items),
        "flipped": [_flip(line) for line in repeats.flipped],
    }


def _figures(line: FigureLine) -> dict[str, Any]:
    sd = None if line.sd is None else round(line.sd, 12)
    return {"mean": number(line.mean), "range": number(line.range), "sd": sd}


def _state(column: RepeatColumn) -> dict[str, Any]:
    return {
        "repeat": column.number,
        "verdict": column.verdict_id,
        "unjudged": column.reason.name if column.reason else None,
    }


def _flip(line: WordLine) -> dict[str, Any]:
    return {
        "item": line.name,
        "of": line.of,
        "marks": list(line.words),
        "majority": line.majority or None,
    }


def _jury(jury: Jury) -> dict[str, Any]:
    return {
        "asked": jury.asked,
        "valid": jury.valid,
        "conclusive": jury.is_conclusive,
        "of_one_job": jury.is_of_job,
        "scores": _scores(jury.totals),
        "vote": _vote(jury.vote),
        "judges": [_judge(row) for row in jury.rows],
    }


def _judge(row: JudgeRow) -> dict[str, Any]:
    return {
        "judge": row.name,
        "effort": row.effort,
        "epoch": row.epoch,
        "asked": row.asked,
        "valid": row.valid,
        "scores": _scores(row.totals) if row.is_valid else {},
        "vote": _vote(row.vote) if row.is_valid else None,
        "verdict": row.verdict_id,
        "together": row.is_together,
    }


def _scores(totals: Totals) -> dict[str, Any]:
    return {label: number(total) for label, total in totals.items()}


def _vote(vote: Vote | None) -> str | None:
    return None if vote is None else str(vote)
