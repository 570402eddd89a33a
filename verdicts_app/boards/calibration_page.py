"""The page of calibrations: how every judge stands on every gold standard, and one of them over
time."""

from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlencode

from rubrics_app.selectors import scenarios_with_gold
from verdicts_app.boards.calibration import Calibration, calibrations
from verdicts_app.boards.calibration_trend import CalibrationTrend, calibration_trend, line_of
from verdicts_app.boards.filters import BUCKETS, Problem, Query, one_of, text_of


@dataclass(frozen=True)
class CalibrationFilters:
    """`scenario` is the one shown over time, `judge` the model asked for; an empty bucket is
    chosen by the time there is."""

    scenario: str = ""
    judge: str = ""
    bucket: str = ""
    problems: tuple[Problem, ...] = ()

    @classmethod
    def from_query(cls, query: Query) -> "CalibrationFilters":
        read: dict[str, str] = {}
        problems: list[Problem] = []
        for name, (reader, expected) in _READERS.items():
            text = str(query.get(name) or "").strip()
            value = reader(text) if text else ""
            if value is None:
                problems.append(Problem(name, text[:80], expected))
            else:
                read[name] = value
        return cls(**read, problems=tuple(problems))

    def to_query(self, **changes: Any) -> str:
        changed = replace(self, **changes)
        pairs = {name: getattr(changed, name) for name in _READERS}
        return urlencode({name: value for name, value in pairs.items() if value})


_READERS = {
    "scenario": (text_of, "a scenario"),
    "judge": (text_of, "a model"),
    "bucket": (one_of(BUCKETS), f"one of {', '.join(BUCKETS)}"),
}


@dataclass(frozen=True)
class CalibrationPage:
    """`stands` are those shown, the farthest off first; `judges` all models asked for. `missing`
    are scenarios with a gold standard on which nobody shown was tried, as it is published now."""

    filters: CalibrationFilters
    judges: tuple[str, ...]
    stands: tuple[Calibration, ...]
    missing: tuple[str, ...]
    has_golds: bool
    trend: CalibrationTrend | None

    @property
    def outside(self) -> int:
        return sum(not one.is_within for one in self.stands)


def calibration_page(filters: CalibrationFilters) -> CalibrationPage:
    now = _newest(calibrations())
    judges = tuple(dict.fromkeys(one.epoch.requested_model for one in now))
    shown = [one for one in now if filters.judge in ("", one.epoch.requested_model)]
    stands = sorted(shown, key=lambda one: (-abs(one.deviation), one.scenario, one.judge))
    tried = {one.scenario for one in stands}
    golds = scenarios_with_gold()
    focus = filters.scenario or next((one.scenario for one in stands), "")
    trend = calibration_trend(focus, bucket=filters.bucket, judge=filters.judge) if focus else None
    return CalibrationPage(
        filters,
        judges,
        tuple(stands),
        tuple(key for key in golds if key not in tried),
        has_golds=bool(golds),
        trend=trend,
    )


def _newest(found: tuple[Calibration, ...]) -> list[Calibration]:
    """Of each judge and rubric, whatever changed about them; those calibrated last first."""
    newest: dict[tuple[Any, ...], Calibration] = {}
    for one in sorted(found, key=lambda one: one.judged_at):
        newest[*line_of(one.epoch), one.scenario] = one
    return sorted(newest.values(), key=lambda one: one.judged_at, reverse=True)
