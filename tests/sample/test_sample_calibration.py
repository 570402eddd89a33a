"""The sample judge is calibrated within the tolerance."""

from datetime import UTC, datetime

import pytest

from verdicts_app.boards.calibration import calibrations
from verdicts_app.sample import load

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)


@pytest.mark.django_db
def test_a_calibration_of_the_whole_sample_stays_within_the_tolerance(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A judge outside of it would be marked on every board that a newcomer sees."""
    monkeypatch.setattr(load, "STEP", 1000)
    for name in ("DUELS", "RELAYS", "PATCHES"):
        monkeypatch.setattr(load, name, ())
    monkeypatch.setattr(load, "WEEK", 1000)

    load.load_sample(now=NOW)

    assert [one.epoch.rubric_revision.number for one in calibrations()] == [2, 2, 1, 1]
    assert all(one.is_within for one in calibrations())
