"""The leaderboard: as a page, as CSV, JSON and Parquet; all show the very same view."""

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render

from judgeweb.access.roles import Capability, needs
from verdicts_app.boards import ranked_data
from verdicts_app.boards.filters import BoardFilters
from verdicts_app.boards.ranked import ranked_board
from verdicts_app.exports.downloads import csv_file
from verdicts_app.pages.ranked_view import context_of, template_of
from verdicts_app.pages.tables import Table, parquet_or_why


@needs(Capability.READ)
def leaderboard_page(request: HttpRequest) -> HttpResponse:
    board = ranked_board(BoardFilters.from_query(request.GET))
    return render(request, template_of(board), context_of(board))


@needs(Capability.READ)
def leaderboard_csv(request: HttpRequest) -> HttpResponse:
    return csv_file(*_table(request))


@needs(Capability.READ)
def leaderboard_parquet(request: HttpRequest) -> HttpResponse:
    return parquet_or_why(_table(request))


@needs(Capability.READ)
def leaderboard_json(request: HttpRequest) -> HttpResponse:
    board = ranked_board(BoardFilters.from_query(request.GET))
    return JsonResponse(
        ranked_data.as_data(board), json_dumps_params={"allow_nan": False, "indent": 2}
    )


def _table(request: HttpRequest) -> Table:
    board = ranked_board(BoardFilters.from_query(request.GET))
    epoch = board.epochs.chosen.short if board.epochs.chosen else ""
    name = "-".join(filter(None, ("leaderboard", board.filters.by, epoch)))
    return name, ranked_data.columns_of(board), ranked_data.rows_of(board)
