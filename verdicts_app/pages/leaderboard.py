"""The leaderboard: as a page, as CSV, as JSON; all three show the very same view."""

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render

from judgeweb.access.roles import Capability, needs
from verdicts_app.boards import leaderboard_data
from verdicts_app.boards.filters import BoardFilters
from verdicts_app.boards.leaderboard import Leaderboard, leaderboard
from verdicts_app.exports.tables import csv_table
from verdicts_app.pages.leaderboard_view import context


@needs(Capability.READ)
def leaderboard_page(request: HttpRequest) -> HttpResponse:
    board = leaderboard(BoardFilters.from_query(request.GET))
    return render(request, "verdicts/leaderboard.html", context(board))


@needs(Capability.READ)
def leaderboard_csv(request: HttpRequest) -> HttpResponse:
    board = leaderboard(BoardFilters.from_query(request.GET))
    rows = (leaderboard_data.row_values(row).values() for row in board.rows)
    table = csv_table(leaderboard_data.COLUMNS, (list(row) for row in rows))
    name = "-".join(filter(None, ("leaderboard", board.filters.by, _short(board))))
    return HttpResponse(
        table,
        content_type="text/csv; charset=utf-8",
        headers={"Content-Disposition": f'attachment; filename="{name}.csv"'},
    )


@needs(Capability.READ)
def leaderboard_json(request: HttpRequest) -> HttpResponse:
    board = leaderboard(BoardFilters.from_query(request.GET))
    return JsonResponse(
        leaderboard_data.as_data(board), json_dumps_params={"allow_nan": False, "indent": 2}
    )


def _short(board: Leaderboard) -> str:
    return board.epochs.chosen.short if board.epochs.chosen else ""
