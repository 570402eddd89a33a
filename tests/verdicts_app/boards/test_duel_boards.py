"""Head to head and relays on the leaderboard; which board it opens on."""

from fractions import Fraction
from typing import Any

import pytest
from django.http import QueryDict

from tests import factories
from tests.verdicts_app.pages.duels import GOLDEN, make_relay
from verdicts_app.boards.duel_board import DuelBoard
from verdicts_app.boards.filters import BoardFilters
from verdicts_app.boards.leaderboard import Leaderboard
from verdicts_app.boards.ranked import ranked_board
from verdicts_app.boards.ranked_data import as_data, columns_of, rows_of
from verdicts_app.boards.relay_board import RelayBoard
from verdicts_app.models import Decision

pytestmark = pytest.mark.django_db
ONE, OTHER = "lighthouse:dev", "control:dev"


def board(query: str = "") -> Any:
    return ranked_board(BoardFilters.from_query(QueryDict(query)))


def duel(
    totals: tuple[Any, Any],
    decision: str = Decision.WIN,
    scenario: str = "s0",
    winner: int = 1,
    names: tuple[str, str] = (ONE, OTHER),
) -> None:
    pair = factories.make_pair(*names, scenario)
    factories.make_comparison(pair, totals=totals, decision=decision, winner=winner)


def three_duels() -> None:
    duel(((80, 78), (70, 72)))  # 79 to 71: won
    duel(((60, 60), (60, 60)), Decision.TIE, "s1")
    duel(((80, 60), (60, 80)), Decision.INCONSISTENT, "s1")


def test_head_to_head_counts_ties_half_and_flips_beside() -> None:
    three_duels()
    found = board("mode=compare")

    assert isinstance(found, DuelBoard)
    one, other = found.rows
    # Won 1, tied 1: (1 + 1/2) / 2 = 3/4. The flip is in neither.
    assert (one.key, one.record.share) == (ONE, Fraction(3, 4))
    assert (one.record.won, one.record.tied, one.record.lost, one.record.flips) == (1, 1, 0, 1)
    assert (other.key, other.record.share, other.record.lost) == (OTHER, Fraction(1, 4), 1)
    assert (found.duels, found.flips, found.scenarios) == (3, 1, 2)
    # s0: 79; s1: (60 + 70) / 2 = 65; mean over scenarios 72
    assert one.mean == 72
    assert other.is_control


def test_pairing_has_the_one_ahead_first_with_its_margin() -> None:
    duel(((80, 78), (70, 72)), winner=1, names=(OTHER, ONE))
    duel(((50, 50), (60, 60)), winner=2, names=(OTHER, ONE), scenario="s1")
    duel(((60, 60), (50, 50)), winner=1, names=(ONE, OTHER), scenario="s2")
    [pairing] = board("mode=compare").pairings

    assert (pairing.one, pairing.other) == (ONE, OTHER)
    assert (pairing.record.won, pairing.record.lost) == (2, 1)
    # -8, 10 and 10 on three scenarios: mean 4
    assert pairing.margin == 4
    assert pairing.interval is None


def test_pairing_with_equal_wins_has_the_one_with_the_higher_mean_first() -> None:
    # The margin of ONE over OTHER, the later name, is (60 + 70) / 2 - (60 + 64) / 2 = 3.
    duel(((60, 70), (60, 64)), Decision.TIE)
    [pairing] = board("mode=compare").pairings

    assert OTHER < ONE
    assert (pairing.one, pairing.other, pairing.margin) == (ONE, OTHER, 3)
    assert (pairing.record.won, pairing.record.tied, pairing.record.lost) == (0, 1, 0)


def test_margin_has_an_interval_from_five_scenarios_on() -> None:
    for number in range(5):
        duel(((80 + number,), (70,)), scenario=f"s{number}")
    [pairing] = board("mode=compare").pairings

    # Margins 10 to 14: mean 12, s = 1.5811, t(4) = 2.776, half = 2.776 x 1.5811 / sqrt(5) = 1.963
    assert pairing.margin == 12
    assert pairing.interval is not None
    assert pairing.interval.low == pytest.approx(10.037, abs=0.001)
    assert pairing.interval.high == pytest.approx(13.963, abs=0.001)


def test_filters_narrow_duels_by_scenario_and_either_contestant() -> None:
    three_duels()
    duel(((80,), (70,)), names=("harbour:sm", "foundry:sm"))

    assert board("mode=compare&scenario=s0").duels == 2
    assert board("mode=compare&role=sm").duels == 1
    assert board("mode=compare&theme=lighthouse").duels == 3
    assert [row.key for row in board("mode=compare&by=theme&theme=harbour").rows] == [
        "harbour",
        "foundry",
    ]


def test_unjudged_pairs_are_counted_beside_once() -> None:
    three_duels()
    pair = factories.make_pair(ONE, OTHER, "s3")
    for serial in (1, 2):
        judgement = factories.make_judgement(
            pair.first, epoch="compare", state="unjudged", unjudged_reason="refused", repeat=serial
        )
        type(judgement).objects.filter(pk=judgement.pk).update(response=None, pair=pair, repeat=1)

    assert board("mode=compare").unjudged == 1


def repeated_duel(*repeats: tuple[Any, Any, int], scenario: str = "s0", lost: int = 0) -> None:
    """(total, the other's, who won) per repeat; as many more are unjudged."""
    pair = factories.make_pair(ONE, OTHER, scenario)
    for number, (one, other, winner) in enumerate(repeats, 1):
        factories.make_comparison(pair, totals=((one,), (other,)), winner=winner, repeat=number)
    for number in range(len(repeats) + 1, len(repeats) + lost + 1):
        judgement = factories.make_judgement(
            pair.first, epoch="compare", state="unjudged", unjudged_reason="refused", repeat=number
        )
        type(judgement).objects.filter(pk=judgement.pk).update(response=None, pair=pair)


def silent_duel(*texts: str, scenario: str, repeats: int = 1, lost: int = 0) -> None:
    """ONE and OTHER with these answers, as often judged; as many more are unjudged."""
    answers = [
        factories.make_response(name, scenario, text=text)
        for name, text in zip((ONE, OTHER), texts, strict=True)
    ]
    pair = factories.make_pair(*answers)
    for repeat in range(1, repeats + 1):
        factories.make_comparison(
            pair, totals=((80,), (0,)), flags="reasked,empty_answer", repeat=repeat
        )
    for repeat in range(repeats + 1, repeats + lost + 1):
        judgement = factories.make_judgement(
            pair.first, epoch="compare", state="unjudged", unjudged_reason="refused", repeat=repeat
        )
        type(judgement).objects.filter(pk=judgement.pk).update(response=None, pair=pair)


def test_duels_in_which_a_contestant_answered_nothing_are_counted_with_it() -> None:
    duel(((80,), (0,)))  # a total of 0 that is no empty answer
    silent_duel("Hold it shorter.", " \n", scenario="s1")
    silent_duel("", "", scenario="s2")
    found = board("mode=compare")

    # s1: the second; s2: both.
    assert {row.key: (row.empty, row.record.duels) for row in found.rows} == {
        ONE: (1, 3),
        OTHER: (2, 3),
    }
    assert {row.key: row.empty for row in board("mode=compare&scenario=s1").rows} == {
        ONE: 0,
        OTHER: 1,
    }
    assert board("mode=compare&scenario=s0").empty == 0
    data = as_data(found)
    assert data["empty_answers"] == 3
    assert [row["empty_answers"] for row in data["rows"]] == [row.empty for row in found.rows]


def test_an_empty_contestant_counts_once_per_pair_and_not_where_the_pair_is_no_duel() -> None:
    silent_duel("Hold it shorter.", "", scenario="s1", repeats=3)
    # 1 of 3 valid.
    silent_duel("Hold it shorter.", "", scenario="s2", lost=2)
    found = board("mode=compare")

    assert {row.key: (row.empty, row.record.duels) for row in found.rows} == {
        ONE: (0, 1),
        OTHER: (1, 1),
    }


def test_a_pair_is_one_duel_however_often_it_was_judged() -> None:
    # Won 2 of 3 with means (80 + 70 + 84) / 3 = 78 to (70 + 80 + 60) / 3 = 70.
    repeated_duel((80, 70, 1), (70, 80, 2), (84, 60, 1))
    # 1 of 2 each: no majority, so no result; 75 to 75.
    repeated_duel((80, 70, 1), (70, 80, 2), scenario="s1")
    # 2 of 4 are half, but no majority of 4; 1 of 3 is no duel at all.
    repeated_duel((80, 70, 1), (80, 70, 1), scenario="s2", lost=2)
    repeated_duel((90, 10, 1), scenario="s3", lost=2)
    duel(((60, 60), (70, 70)), scenario="s4", winner=2)
    found = board("mode=compare")

    record = {row.key: row.record for row in found.rows}[ONE]
    assert (record.won, record.tied, record.lost, record.flips) == (1, 0, 1, 2)
    assert (found.duels, found.unjudged, found.scenarios) == (4, 1, 4)
    [pairing] = found.pairings
    # 8, 0, 10 and -10 over four scenarios: mean 2
    assert pairing.margin == 2
    means = {row.key: row.mean for row in found.rows}
    # Over the four scenarios (78 + 75 + 80 + 60) / 4 and (70 + 75 + 70 + 70) / 4.
    assert means == {ONE: Fraction("73.25"), OTHER: Fraction("71.25")}


def test_opens_on_the_mode_judged_last_that_ranks_someone() -> None:
    factories.make_board(
        {"a:dev": {f"s{n}": [70] for n in range(5)}},
        epoch=factories.make_epoch("ranks", mode="checklist"),
    )
    factories.make_board(
        {"a:dev": {"s0": [70]}}, epoch=factories.make_epoch("one answer", mode="solo")
    )
    three_duels()
    found = board()

    assert isinstance(found, Leaderboard)
    assert found.epochs.chosen is not None
    assert found.epochs.chosen.mode == "checklist"
    assert found.epochs.modes == ("compare", "solo", "checklist")
    assert board("mode=solo").epochs.chosen.mode == "solo"
    assert isinstance(board("mode=compare"), DuelBoard)


def test_opens_on_duels_where_nothing_else_was_judged() -> None:
    three_duels()

    assert isinstance(board(), DuelBoard)


def test_case_41_a_comparison_run_leaves_the_average_alone() -> None:
    """One solo run at 90.0 and one comparison run: 90.0 over one verdict, never 45."""
    factories.make_verdict("lighthouse:dev", "s0", total=90)
    three_duels()
    found = board("mode=solo")

    assert [(row.mean, row.valid) for row in found.rows] == [(90, 1)]
    assert found.valid == 1


def test_relays_are_ranked_by_the_mean_chain_total_uncapped() -> None:
    for number in range(5):
        make_relay("excellent", theme="lighthouse", opponent=f"c{number}", key=f"s{number}")
        # sm: 24 + 28 + 3 x (5 to 9) = 67 to 79, mean 73; (73 + 70 + 75 + 77) / 4 x 0.8 = 59
        marks = GOLDEN | {"sm": (8, 7, 5 + number)}
        make_relay("poor", marks=marks, theme="harbour", opponent=f"{number}x", key=f"s{number}")
    make_relay("good", theme="foundry", opponent="c9", key="s9", phases=("sm",))
    found = board("mode=coherence")

    assert isinstance(found, RelayBoard)
    lighthouse, harbour, foundry = found.rows
    assert (lighthouse.key, lighthouse.mean) == ("lighthouse", Fraction("90.3"))
    assert (harbour.key, harbour.mean) == ("harbour", 59)
    assert (lighthouse.best, lighthouse.worst, harbour.best) == (1, 1, 2)
    assert (foundry.mean, foundry.best, foundry.incomplete) == (None, None, 1)
    assert (found.relays, found.incomplete) == (11, 1)
    # Without persona the reviewer has (32 + 18) x 100/70 = 71.43 instead of 77.
    bare = board("mode=coherence&persona=0").rows[0].mean
    assert bare == (79 + 70 + 75 + Fraction(500, 7)) / 4 * Fraction(6, 5)


@pytest.mark.parametrize(("query", "number"), [("mode=compare", 7), ("mode=coherence", 7)])
def test_boards_take_the_same_queries_whatever_the_number(
    query: str, number: int, django_assert_num_queries: Any
) -> None:
    for round_ in range(2):
        for serial in range(3):
            names = (f"p{round_}{serial}:dev", OTHER)
            duel(((80,), (70,)), names=names, scenario=f"s{serial}")
        make_relay("good", theme=f"t{round_}", opponent=f"o{round_}", key=f"k{round_}")
        with django_assert_num_queries(number):
            board(query)


@pytest.mark.parametrize("query", ["mode=compare", "mode=coherence"])
def test_boards_are_data_with_the_columns_of_their_rows(query: str) -> None:
    three_duels()
    make_relay("good")
    found = board(query)
    data = as_data(found)

    assert data["mode"] == query.removeprefix("mode=")
    assert [list(row) for row in rows_of(found)] == [list(columns_of(found))] * len(found.rows)
    assert data["rows"] == list(rows_of(found))


def test_pairings_are_in_the_data() -> None:
    three_duels()
    [pairing] = as_data(board("mode=compare"))["pairings"]

    # 8 on s0, (0 + 0) / 2 on s1: mean 4
    assert pairing == {
        "one": ONE,
        "other": OTHER,
        "won": 1,
        "tied": 1,
        "lost": 0,
        "inconsistent": 1,
        "margin": 4.0,
        "margin_low": None,
        "margin_high": None,
        "scenarios": 2,
    }
