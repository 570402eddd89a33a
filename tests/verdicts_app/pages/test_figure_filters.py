from datetime import UTC, datetime, timedelta
from fractions import Fraction

import pytest

from verdicts_app.templatetags import figures


@pytest.mark.parametrize(
    ("value", "places", "text"),
    [
        (Fraction("21.25"), 1, "21.3"),
        (21.25, 1, "21.3"),
        (Fraction("75.698085"), 1, "75.7"),
        (Fraction("75.698085"), 6, "75.698085"),
        (Fraction("-2.5"), 1, "\N{MINUS SIGN}2.5"),
        (Fraction("-0.04"), 1, "0.0"),
        (Fraction("0.05"), 1, "0.1"),
        (1418, 0, "1,418"),
        (0, 1, "0.0"),
        (100, 1, "100.0"),
        (None, 1, "–"),
    ],
)
def test_numbers_are_rounded_half_up_from_the_exact_value(value, places, text):
    assert figures.decimals(value, places) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (Fraction("1.6"), "+1.6"),
        (-2.5, "\N{MINUS SIGN}2.5"),
        (0, "0.0"),
        (0.04, "0.0"),
        (-0.04, "0.0"),
        (None, "–"),
    ],
)
def test_differences_carry_their_sign(value, text):
    assert figures.signed(value) == text


@pytest.mark.parametrize(
    ("nano", "text"),
    [
        (19_400_000, "$0.0194"),
        (24_020_000_000, "$24.02"),
        (1_000_000_000, "$1.00"),
        (0, "$0.0000"),
        (None, "–"),
        (1_234_567_890_000, "$1,234.57"),
    ],
)
def test_money_has_four_decimals_below_one_dollar(nano, text):
    assert figures.money(nano) == text


@pytest.mark.parametrize(
    ("milliseconds", "text"),
    [
        (850, "850 ms"),
        (11_800, "11.8 s"),
        (59_999, "1 min"),
        (780_000, "13 min"),
        (7_500_000, "2 h 5 min"),
        (None, "–"),
    ],
)
def test_durations(milliseconds, text):
    assert figures.duration(milliseconds) == text


def test_p_values_and_rates():
    assert figures.p_value(0.334) == "0.33"
    assert figures.p_value(0.0004) == "<0.001"
    assert figures.percent(0.68) == "68%"
    assert figures.percent(Fraction(31, 1000), 1) == "3.1%"
    assert figures.span(timedelta(seconds=90)) == "2 min"


def test_counts_take_their_noun():
    assert figures.count(1, "verdict,verdicts") == "1 verdict"
    assert figures.count(1418, "verdict,verdicts") == "1,418 verdicts"
    assert figures.count(None) == "–"


def test_times_stand_in_the_zone_of_the_installation(settings):
    settings.TIME_ZONE = "Europe/Lisbon"
    moment = datetime(2026, 11, 29, 23, 41, tzinfo=UTC)
    expected = '<time datetime="2026-11-29T23:41:00+00:00">29 Nov 2026, 23:41</time>'
    assert figures.moment(moment) == expected
    assert figures.moment(None) == "–"


def test_a_name_breaks_after_its_theme_and_stays_text():
    assert figures.breakable("a:b") == "a:<wbr>b"
    assert figures.breakable("parse_failed") == "parse_<wbr>failed"
    assert figures.breakable("<b>") == "&lt;b&gt;"
    assert figures.points(75_698_085_000) == "75.7"
