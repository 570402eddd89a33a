"""The leaderboard: as a page, as CSV, as JSON; all three show the very same view."""

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render

from judgeweb.access.roles import Capability, needs
from verdicts_app.boards import ranked_data
from verdicts_app.boards.filters import BoardFilters
from verdicts_app.boards.ranked import Board, ranked_board
from verdicts_app.exports.tables import csv_table
from verdicts_app.pages.ranked_view import context_of, template_of


@needs(Capability.READ)
def leaderboard_page(request: HttpRequest) -> HttpResponse:
    board = ranked_board(BoardFilters.from_query(request.GET))
    return render(request, template_of(board), context_of(board))


@needs(Capability.READ)
def leaderboard_csv(request: HttpRequest) -> HttpResponse:
    board = ranked_board(BoardFilters.from_query(request.GET))
    table = csv_table(
        ranked_data.columns_of(board), (list(row.values()) for row in ranked_data.rows_of(board))
    )
    name = "-".join(filter(None, ("leaderboard", board.filters.by, _short(board))))
    return HttpResponse(
        table,
        content_type="text/csv; charset=utf-8",
        headers={"Content-Disposition": f'attachment; filename="{name}.csv"'},
    )


@needs(Capability.READ)
def leaderboard_json(request: HttpRequest) -> HttpResponse:
    board = ranked_board(BoardFilters.from_query(request.GET))
    return JsonResponse(
        ranked_data.as_data(board), json_dumps_params={"allow_nan": False, "indent": 2}
    )


def _short(board: Board) -> str:
    return board.epochs.chosen.short if board.epochs.chosen else ""
