"""The leaderboard's three kinds of board as data: what the page shows, at full precision."""

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any

from verdicts_app.boards import leaderboard_data
from verdicts_app.boards.duel_board import Contestant, DuelBoard, Pairing, Record
from verdicts_app.boards.leaderboard import Leaderboard
from verdicts_app.boards.leaderboard_data import Value
from verdicts_app.boards.ranked import Board
from verdicts_app.boards.relay_board import RelayBoard, Theme

DUEL_COLUMNS = (
    *("name", "character", "is_control", "won", "tied", "lost", "inconsistent"),
    *("share", "share_low", "share_high", "mean", "scenarios", "empty_answers"),
)
RELAY_COLUMNS = (
    *("rank_best", "rank_worst", "theme", "is_control", "mean", "mean_low", "mean_high"),
    *("scenarios", "relays", "incomplete"),
)


def columns_of(board: Board) -> Sequence[str]:
    if isinstance(board, DuelBoard):
        return DUEL_COLUMNS
    return RELAY_COLUMNS if isinstance(board, RelayBoard) else leaderboard_data.COLUMNS


def rows_of(board: Board) -> Iterable[dict[str, Value]]:
    """Keyed by the columns, in their order."""
    if isinstance(board, DuelBoard):
        return map(_duel_row, board.rows)
    if isinstance(board, RelayBoard):
        return map(_relay_row, board.rows)
    return map(leaderboard_data.row_values, board.rows)


def as_data(board: Board) -> dict[str, Any]:
    if isinstance(board, Leaderboard):
        return leaderboard_data.as_data(board)
    shared = {
        **leaderboard_data.epochs_as_data(board.epochs),
        "with_persona": board.filters.with_persona,
        "problems": leaderboard_data.problems_as_data(board.filters),
        "same_model": board.own,
        "rows": list(rows_of(board)),
    }
    if isinstance(board, RelayBoard):
        return shared | {
            "minimum_scenarios": board.filters.least,
            "method": {
                "mean": "mean over scenarios of the mean over relays, not capped",
                "interval": "95%, t(S-1) on the scenario means",
                "ranks": "paired t tests, Holm over the board",
            },
            "relays": board.relays,
            "incomplete": board.incomplete,
        }
    return shared | {
        "by": board.by,
        "method": {
            "share": "(won + tied / 2) / (won + tied + lost); inconsistent duels are left out",
            "interval": "95%, Wilson",
            "margin": "mean over scenarios of the mean over duels, 95% t(S-1)",
        },
        "duels": board.duels,
        "inconsistent": board.flips,
        "empty_answers": board.empty,
        "unjudged": board.unjudged,
        "pairings": [_pairing(pairing) for pairing in board.pairings],
    }


def _counts(record: Record) -> dict[str, Value]:
    return {
        "won": record.won,
        "tied": record.tied,
        "lost": record.lost,
        "inconsistent": record.flips,
    }


def _duel_row(row: Contestant) -> dict[str, Value]:
    interval = row.record.interval
    return {
        "name": row.key,
        "character": row.character,
        "is_control": row.is_control,
        **_counts(row.record),
        "share": _number(row.record.share),
        "share_low": interval.low if interval else None,
        "share_high": interval.high if interval else None,
        "mean": _number(row.mean),
        "scenarios": row.scenarios,
        "empty_answers": row.empty,
    }


def _pairing(pairing: Pairing) -> dict[str, Value]:
    return {
        "one": pairing.one,
        "other": pairing.other,
        **_counts(pairing.record),
        "margin": _number(pairing.margin),
        "margin_low": pairing.interval.low if pairing.interval else None,
        "margin_high": pairing.interval.high if pairing.interval else None,
        "scenarios": pairing.scenarios,
    }


def _relay_row(row: Theme) -> dict[str, Value]:
    return {
        "rank_best": row.best,
        "rank_worst": row.worst,
        "theme": row.key,
        "is_control": row.is_control,
        "mean": _number(row.mean),
        "mean_low": row.interval.low if row.interval else None,
        "mean_high": row.interval.high if row.interval else None,
        "scenarios": row.scenarios,
        "relays": len(row.relays),
        "incomplete": row.incomplete,
    }


def _number(value: Fraction | None) -> float | None:
    return None if value is None else float(value)
