"""What a board shows, as the URL says it. A value that cannot be read is named, never guessed."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields, replace
from datetime import date, datetime, time, timedelta
from typing import Any, Protocol
from urllib.parse import urlencode
from zoneinfo import ZoneInfo

from django.conf import settings

from judgeweb.judging.modes import MODES

LINES_MOST = 4
DIGEST_EXPECTED = "4 to 64 hexadecimal digits of an epoch"
WAYS = ("persona", "theme", "role", "model")
BUCKETS = ("day", "week", "month")
SELF = ("exclude", "only")
"""Without what a judge gave its own model's answers, or that alone."""
SORTS = ("name", "mean", "control", "other", "valid", "cost")


class Query(Protocol):
    """The part of a QueryDict that is read here."""

    def get(self, key: str, /) -> Any: ...
    def getlist(self, key: str, /) -> list[str]: ...


@dataclass(frozen=True)
class Problem:
    """One value of the query that was not understood; the board goes on without it."""

    field: str
    value: str
    expected: str

    def __str__(self) -> str:
        return f"{self.field} “{self.value}” is not {self.expected}. It is left out."


@dataclass(frozen=True)
class BoardFilters:
    """Empty means any; an empty mode and epoch mean those judged last.

    `judge` is the judge's model, `epoch` the start of a digest, `start` and `end` are days of the
    installation's zone, both included. `own` is one of SELF. `lines` and `bucket` are
    read by the trends alone.
    """

    mode: str = ""
    epoch: str = ""
    scenario: str = ""
    category: str = ""
    role: str = ""
    theme: str = ""
    judge: str = ""
    start: date | None = None
    end: date | None = None
    own: str = ""
    minimum: int = 0
    by: str = "persona"
    with_persona: bool = True
    sort: str = "-mean"
    lines: tuple[str, ...] = ()
    bucket: str = "week"
    problems: tuple[Problem, ...] = ()

    @classmethod
    def from_query(cls, query: Query) -> "BoardFilters":
        read, problems = read_fields(query, _READERS)
        lines = tuple(dict.fromkeys(line for line in query.getlist("line") if line))
        if len(lines) > LINES_MOST:
            problems.append(Problem("line", ", ".join(lines)[:80], f"at most {LINES_MOST} names"))
        return cls(**read, lines=lines[:LINES_MOST], problems=tuple(problems))

    @property
    def least(self) -> int:
        """A row on fewer scenarios than this is listed without a rank."""
        return self.minimum or int(settings.MINIMUM_SCENARIOS)

    def between(self) -> tuple[datetime | None, datetime | None]:
        """The first moment shown and the first moment after, from local midnights."""
        return moments_between(self.start, self.end)

    def to_query(self, **changes: Any) -> str:
        """The query string of this view, with changes; defaults are left out."""
        changed = replace(self, **changes)
        default = BoardFilters()
        pairs: list[tuple[str, str]] = []
        for name, (parameter, _, _) in _READERS.items():
            value = getattr(changed, name)
            if value != getattr(default, name):
                pairs.append((parameter, written(value)))
        pairs.extend(("line", line) for line in changed.lines)
        return urlencode(pairs)

    def without(self, *names: str) -> str:
        """The query string with these filters off."""
        defaults = {field.name: field.default for field in fields(self)}
        return self.to_query(**{name: defaults[name] for name in names})


class OneDay:
    """A query in which `day` is short for one day as `from` and `to`."""

    def __init__(self, query: Query) -> None:
        self._query = query

    def get(self, key: str, /) -> Any:
        given = self._query.get(key)
        return self._query.get("day") if key in ("from", "to") and not given else given

    def getlist(self, key: str, /) -> list[str]:
        return self._query.getlist(key)


Readers = Mapping[str, tuple[str, Callable[[str], Any], str]]
"""Field -> parameter of the query, reader (None: not understood), what was expected."""


def read_fields(query: Query, readers: Readers) -> tuple[dict[str, Any], list[Problem]]:
    """The fields that the query gives, and what was not understood. An end before its start is
    not."""
    read: dict[str, Any] = {}
    problems: list[Problem] = []
    for name, (parameter, reader, expected) in readers.items():
        text = str(query.get(parameter) or "").strip()
        value = reader(text) if text else None
        if value is not None:
            read[name] = value
        elif text:
            problems.append(Problem(parameter, text[:80], expected))
    start, end = read.get("start"), read.get("end")
    if start and end and start > end:
        problems.append(Problem("to", read.pop("end").isoformat(), f"{start} or later"))
    return read, problems


def moments_between(
    start: date | None, end: date | None
) -> tuple[datetime | None, datetime | None]:
    """The first moment of `start` and the first after `end`, in the installation's zone."""
    zone = ZoneInfo(settings.TIME_ZONE)
    first = datetime.combine(start, time.min, zone) if start else None
    after = end + timedelta(days=1) if end else None
    return first, datetime.combine(after, time.min, zone) if after else None


def written(value: Any) -> str:
    if isinstance(value, bool):
        return "1" if value else "0"
    return value.isoformat() if isinstance(value, date) else str(value)


def text_of(text: str) -> str | None:
    return text if len(text) <= 200 and "\0" not in text else None


def day_of(text: str) -> date | None:
    try:
        found = date.fromisoformat(text)
    except ValueError:
        return None
    # Years at the edges cannot be turned into moments of every zone.
    return found if 1970 <= found.year <= 9000 else None


def _number(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdigit() and 1 <= int(text[:6]) <= 9999 else None


def digest_of(text: str) -> str | None:
    is_hex = 4 <= len(text) <= 64 and all(sign in "0123456789abcdef" for sign in text)
    return text if is_hex else None


def _flag(text: str) -> bool | None:
    return {"1": True, "0": False}.get(text)


def one_of(known: Iterable[str]) -> Callable[[str], str | None]:
    allowed = frozenset(known)
    return lambda text: text if text in allowed else None


_SORTS = (*SORTS, *(f"-{name}" for name in SORTS))
_READERS: Readers = {
    "mode": ("mode", one_of(MODES), f"one of {', '.join(MODES)}"),
    "epoch": ("epoch", digest_of, DIGEST_EXPECTED),
    "scenario": ("scenario", text_of, "a scenario"),
    "category": ("category", text_of, "a category"),
    "role": ("role", text_of, "a role"),
    "theme": ("theme", text_of, "a theme"),
    "judge": ("judge", text_of, "a model"),
    "start": ("from", day_of, "a day such as 2026-11-30"),
    "end": ("to", day_of, "a day such as 2026-11-30"),
    "own": ("self", one_of(SELF), f"one of {', '.join(SELF)}"),
    "minimum": ("min", _number, "a whole number from 1 to 9999"),
    "by": ("by", one_of(WAYS), f"one of {', '.join(WAYS)}"),
    "with_persona": ("persona", _flag, "1 or 0"),
    "sort": ("sort", one_of(_SORTS), f"one of {', '.join(SORTS)}, with - for descending"),
    "bucket": ("bucket", one_of(BUCKETS), f"one of {', '.join(BUCKETS)}"),
}
