from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from tests import factories
from verdicts_app.boards.buckets import MOST, bucket_range, bucket_start
from verdicts_app.models import BoardSum


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("zone", "day"), [("UTC", date(2026, 3, 2)), ("America/New_York", date(2026, 3, 1))]
)
def test_a_moment_lies_on_the_day_of_the_installation(settings, zone, day):
    settings.TIME_ZONE = zone
    factories.make_verdict(answered_at=datetime.fromisoformat("2026-03-01T23:30:00-05:00"))
    assert BoardSum.objects.get(span="day").start == day


@pytest.mark.django_db
def test_a_day_over_a_clock_change_has_25_hours(settings):
    settings.TIME_ZONE = "Europe/Berlin"
    start = datetime(2026, 10, 24, tzinfo=ZoneInfo("Europe/Berlin")).astimezone(UTC)
    for hour in range(24 + 25 + 24):
        factories.make_verdict(answered_at=start + timedelta(hours=hour))
    days = BoardSum.objects.filter(span="day").order_by("start").values_list("start", "runs")
    assert list(days) == [
        (date(2026, 10, 24), 24),
        (date(2026, 10, 25), 25),
        (date(2026, 10, 26), 24),
    ]


def test_quiet_days_are_present():
    assert len(bucket_range(date(2026, 11, 1), date(2026, 11, 4), "day")) == 4


def test_weeks_start_on_monday_and_months_on_the_first():
    assert bucket_start(date(2026, 11, 4), "week") == date(2026, 11, 2)
    assert bucket_range(date(2026, 11, 1), date(2027, 1, 1), "month") == [
        date(2026, 11, 1),
        date(2026, 12, 1),
        date(2027, 1, 1),
    ]


def test_a_long_time_keeps_its_newest_buckets():
    found = bucket_range(date(2000, 1, 1), date(2026, 1, 1), "day")
    assert len(found) == MOST
    assert found[-1] == date(2026, 1, 1)
