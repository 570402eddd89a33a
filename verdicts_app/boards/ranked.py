"""Which board the leaderboard shows: totals, duels or relays, by the mode of the epoch chosen."""

from collections.abc import Sequence

from django.db.models import Count

from verdicts_app.boards.duel_board import DuelBoard, duel_board
from verdicts_app.boards.epochs import EpochOnBoard, Kind, choose, epochs_on_boards, kind_of
from verdicts_app.boards.filters import BoardFilters
from verdicts_app.boards.leaderboard import Leaderboard, leaderboard
from verdicts_app.boards.relay_board import RelayBoard, relay_board
from verdicts_app.models import Verdict

LOOKED_AT = 5
"""Of the epochs judged last; an older one is opened by naming it."""

Board = Leaderboard | DuelBoard | RelayBoard


def ranked_board(filters: BoardFilters) -> Board:
    """Where neither mode nor epoch is named: the epoch judged last that ranks anyone, else the
    last one with totals, else the last one."""
    epochs = epochs_on_boards(Kind.TOTALS, Kind.DUELS, Kind.RELAYS)
    is_named = bool(filters.mode or filters.epoch)
    choice = choose(filters, epochs, None if is_named else lambda found: _rankable(found, filters))
    kind = kind_of(choice.chosen.mode) if choice.chosen else Kind.TOTALS
    if kind is Kind.DUELS:
        return duel_board(filters, choice)
    if kind is Kind.RELAYS:
        return relay_board(filters, choice)
    return leaderboard(filters, choice)


def _rankable(epochs: Sequence[EpochOnBoard], filters: BoardFilters) -> EpochOnBoard | None:
    with_totals = [epoch for epoch in epochs if kind_of(epoch.mode) is Kind.TOTALS][:LOOKED_AT]
    if len(with_totals) > 1:
        for epoch in with_totals:
            if _ranks_anyone(epoch, filters.least):
                return epoch
    return next(iter(with_totals), None)


def _ranks_anyone(epoch: EpochOnBoard, least: int) -> bool:
    return (
        Verdict.objects.filter(epoch=epoch.id, on_board=True, total_nano__isnull=False)
        .order_by()
        .values("persona")
        .annotate(number=Count("scenario", distinct=True))
        .filter(number__gte=least)
        .exists()
    )
