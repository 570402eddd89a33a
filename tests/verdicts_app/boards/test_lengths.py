"""Length beside total, pass and victory in one run."""

import re
from fractions import Fraction
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from judgeweb.judging.statistics.correlation import Correlation, NoCorrelation
from tests import factories
from verdicts_app.boards.lengths import Lengths, lengths
from verdicts_app.models import Run, Verdict
from verdicts_app.pages import runs

pytestmark = pytest.mark.django_db


def answer(characters: int, total: float, **fields: Any) -> Verdict:
    response = factories.make_response(text="x" * characters)
    return factories.make_verdict(response=response, total=total, **fields)


def found() -> Lengths:
    return lengths(Run.objects.get(run_id="run-1"))


def rising(number: int = 10) -> None:
    for at in range(number):
        answer(100 + 20 * at, 50 + 3 * at)


def test_lengths_and_totals_that_rise_together_correlate_fully() -> None:
    rising()

    [row] = found().rows

    assert row.found == Correlation(1.0, 10, 1.0, 1.0)
    assert (row.n, row.call_type, row.epoch.mode) == (10, "", "solo")
    # Each verdict keeps the length of what it judged, and no total is touched.
    assert sorted(Verdict.objects.values_list("response_characters", flat=True)) == [
        100 + 20 * at for at in range(10)
    ]
    assert sorted(Verdict.objects.values_list("total_nano", flat=True)) == [
        (50 + 3 * at) * 10**9 for at in range(10)
    ]


def test_a_repeated_answer_counts_once_with_its_mean() -> None:
    # Lengths 1 to 5; totals 2, 4, 5, 4, 5, the last as the mean of 3 and 7: 6 / sqrt(60)
    for characters, total in enumerate((2, 4, 5, 4), 1):
        answer(characters, total)
    first = answer(5, 3)
    factories.make_verdict(response=first.response, total=7, repeat=2)

    [row] = found().rows

    assert row.correlation is not None
    assert row.correlation.r == pytest.approx(0.7745966692)
    assert row.n == 5


def test_epochs_are_not_mixed_and_what_is_on_no_board_does_not_count() -> None:
    rising()
    for at in range(6):
        answer(100 + at, 90 - at, epoch="second")
    gone = answer(10_000, 1)
    Verdict.objects.filter(pk=gone.pk).update(on_board=False)

    assert [(row.n, row.correlation and row.correlation.r) for row in found().rows] == [
        (10, 1.0),
        (6, -1.0),
    ]


def test_of_calls_pass_goes_with_the_length_of_the_response() -> None:
    # Passed 10, 20; failed 30, 40, 50: -sqrt(3) / 2
    for size, ok in ((10, True), (20, True), (30, False), (40, False), (50, False)):
        call = factories.make_capture("planner", response_content="x" * size)
        factories.make_call_verdict(call, ok=(ok, True, True), response_characters=size)
    undecided = factories.make_capture("planner", response_content="x" * 999)
    factories.make_call_verdict(undecided, ok=(None, True, True), response_characters=999)
    factories.make_call_verdict(factories.make_capture("critic"), response_characters=5)

    critic, planner = found().rows

    assert (planner.call_type, planner.n) == ("planner", 5)
    assert planner.correlation is not None
    assert planner.correlation.r == pytest.approx(-(3**0.5) / 2)
    assert (critic.found, critic.why_none) == (NoCorrelation.TOO_FEW, "fewer than 5 calls")


@pytest.mark.parametrize(
    ("pairs", "why"),
    [
        ([(1, 1), (2, 2), (3, 3), (4, 4)], "fewer than 5 answers"),
        ([(7, n) for n in range(1, 6)], "all answers are equally long"),
        ([(n, 80.1) for n in range(1, 6)], "all totals are equal"),
    ],
)
def test_where_there_is_none_the_reason_is_said(pairs: list[tuple[int, float]], why: str) -> None:
    for characters, total in pairs:
        answer(characters, total)
    [row] = found().rows
    assert (row.correlation, row.why_none) == (None, why)


def test_of_duels_the_share_that_the_longer_answer_won() -> None:
    def duel(first: int, second: int, **fields: Any) -> None:
        sides = [factories.make_response(f"{s}:dev", text="x" * n) for s, n in
                 (("a", first), ("b", second))]  # fmt: skip
        factories.make_comparison(factories.make_pair(*sides), **fields)

    duel(9, 5)  # the longer won
    duel(5, 9, winner=2)
    duel(5, 9, winner=1)  # the shorter won
    duel(7, 7)  # equally long
    duel(9, 5, decision="tie")

    [duels] = found().duels

    assert (duels.won, duels.decided, duels.share) == (2, 3, Fraction(2, 3))
    # Wilson of 2 in 3
    assert duels.interval is not None
    assert duels.interval.low == pytest.approx(0.207660, abs=1e-6)


def test_the_number_of_queries_is_fixed(django_assert_num_queries: Any) -> None:
    rising()
    run = Run.objects.get()
    with django_assert_num_queries(4):
        lengths(run)
    rising(30)
    with django_assert_num_queries(4):
        lengths(run)


# --- the page -----------------------------------------------------------------------------------


@pytest.fixture
def viewer(client: Client, make_user: Any) -> Client:
    client.force_login(make_user("viewer"))
    return client


def text_of(response: Any) -> str:
    assert response.status_code == 200
    return " ".join(response.content.decode().split())


def test_the_run_page_shows_the_correlation_with_its_n(viewer: Client) -> None:
    rising()

    page = text_of(viewer.get(reverse("run", args=["run-1"])))

    assert "nothing is adjusted for it" in page
    cells = r'data-label="Correlation"><b>\+1\.00</b>.*?data-label="n">10</td>'
    assert re.search(cells, page)


def test_without_verdicts_the_run_page_has_no_such_part(viewer: Client) -> None:
    factories.make_response()
    assert "Does length pay" not in text_of(viewer.get(reverse("run", args=["run-1"])))


def test_of_a_large_run_the_part_comes_after_the_page(
    viewer: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runs, "LENGTHS_AT_ONCE", 9)
    rising()
    url = reverse("run_lengths", args=["run-1"])

    page = text_of(viewer.get(reverse("run", args=["run-1"])))
    assert f'hx-get="{url}"' in page
    assert "+1.00" not in page
    part = text_of(viewer.get(url, headers={"hx-request": "true"}))
    assert part.startswith("<section")
    assert "+1.00" in part
    assert "<h1>Length in run-1</h1>" in text_of(viewer.get(url))
    assert viewer.get(reverse("run_lengths", args=["nowhere"])).status_code == 404
