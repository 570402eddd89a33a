from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from django.db.models import Count

from tests import factories
from verdicts_app.boards.buckets import MOST, bucket_number, bucket_of, buckets_between
from verdicts_app.models import Response


@pytest.mark.parametrize(
    ("zone", "day"), [("UTC", date(2026, 3, 2)), ("America/New_York", date(2026, 3, 1))]
)
def test_a_moment_lies_on_the_day_of_the_installation(settings, zone, day):
    settings.TIME_ZONE = zone
    assert bucket_of(datetime.fromisoformat("2026-03-01T23:30:00-05:00"), "day") == day


@pytest.mark.django_db
def test_a_day_over_a_clock_change_has_25_hours(settings):
    settings.TIME_ZONE = "Europe/Berlin"
    start = datetime(2026, 10, 24, tzinfo=ZoneInfo("Europe/Berlin")).astimezone(UTC)
    for hour in range(24 + 25 + 24):
        factories.make_response(answered_at=start + timedelta(hours=hour))
    starts = buckets_between(start, start + timedelta(hours=72), "day")
    assert starts == [date(2026, 10, 24), date(2026, 10, 25), date(2026, 10, 26)]
    counts = (
        Response.objects.order_by()
        .annotate(bucket=bucket_number(starts))
        .values_list("bucket")
        .annotate(Count("id"))
    )
    assert dict(counts) == {0: 24, 1: 25, 2: 24}


def test_quiet_days_are_present():
    first, last = datetime(2026, 11, 1, tzinfo=UTC), datetime(2026, 11, 4, tzinfo=UTC)
    assert len(buckets_between(first, last, "day")) == 4


def test_weeks_start_on_monday_and_months_on_the_first():
    first, last = datetime(2026, 11, 4, tzinfo=UTC), datetime(2027, 1, 1, tzinfo=UTC)
    assert buckets_between(first, last, "week")[0] == date(2026, 11, 2)
    assert buckets_between(first, last, "month") == [
        date(2026, 11, 1),
        date(2026, 12, 1),
        date(2027, 1, 1),
    ]


def test_a_long_time_keeps_its_newest_buckets():
    found = buckets_between(
        datetime(2000, 1, 1, tzinfo=UTC), datetime(2026, 1, 1, tzinfo=UTC), "day"
    )
    assert len(found) == MOST
    assert found[-1] == date(2026, 1, 1)
