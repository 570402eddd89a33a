"""Which captures and verdicts on them are shown, as the URL says it."""

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from datetime import date
from typing import Any
from urllib.parse import urlencode

from django.db.models import Q

from judgeweb.judging.modes.calls import DIMENSIONS, FACTUAL, HALLUCINATION, SCHEMA
from verdicts_app.boards.filters import (
    BUCKETS,
    DIGEST_EXPECTED,
    OneDay,
    Problem,
    Query,
    Readers,
    day_of,
    digest_of,
    moments_between,
    one_of,
    read_fields,
    text_of,
    written,
)
from verdicts_app.boards.rates import KEYS

OUTCOMES = ("pass", "fail", "undecidable")
STATES = (*OUTCOMES, "unjudged", "open")
"""Of a capture: how its verdict ended, that it was tried in vain, that nobody has judged it."""
OK = {"pass": True, "fail": False, "undecidable": None}
DIMENSION_FIELDS = {SCHEMA: "schema", FACTUAL: "factual", HALLUCINATION: "hallucination"}


@dataclass(frozen=True)
class CallFilters:
    """Empty means any; an empty epoch means the one judged last.

    `dimension` is the rate looked at closely. `prompt` is the start of the SHA-256 of a captured
    system prompt, `worker` the model that was called, `judge` the judge's model. `call` is a
    call_id, `before` the id a page starts below.
    """

    call_type: str = ""
    run: str = ""
    call: str = ""
    prompt: str = ""
    worker: str = ""
    state: str = ""
    schema: str = ""
    factual: str = ""
    hallucination: str = ""
    judge: str = ""
    epoch: str = ""
    start: date | None = None
    end: date | None = None
    dimension: str = "pass"
    bucket: str = "week"
    before: int | None = None
    problems: tuple[Problem, ...] = ()

    @classmethod
    def from_query(cls, query: Query) -> "CallFilters":
        """`day` is short for one day as `from` and `to`."""
        read, problems = read_fields(OneDay(query), _READERS)
        return cls(**read, problems=tuple(problems))

    @property
    def dimensions(self) -> Mapping[str, str]:
        """Dimension -> the outcome asked for."""
        asked = {key: getattr(self, name) for key, name in DIMENSION_FIELDS.items()}
        return {key: value for key, value in asked.items() if value}

    def to_query(self, **changes: Any) -> str:
        """The query string of this view, with changes; defaults are left out."""
        changed = replace(self, **changes)
        pairs = [
            (parameter, written(value))
            for name, (parameter, _, _) in _READERS.items()
            if (value := getattr(changed, name)) != _DEFAULTS[name]
        ]
        return urlencode(pairs)

    def without(self, *names: str) -> str:
        return self.to_query(before=None, **{name: _DEFAULTS[name] for name in names})

    def of_captures(self) -> Q:
        """What is asked of a capture itself; one without a time counts by its upload."""
        narrow = Q(**{column: value for column, value in self._of_capture().items() if value})
        start, after = moments_between(self.start, self.end)
        if start:
            narrow &= Q(at__gte=start) | Q(at__isnull=True, uploaded_at__gte=start)
        if after:
            narrow &= Q(at__lt=after) | Q(at__isnull=True, uploaded_at__lt=after)
        return narrow

    def _of_capture(self) -> dict[str, str]:
        return {
            "call_type": self.call_type,
            "run__run_id": self.run,
            "call_id": self.call,
            "system_prompt__sha256__startswith": self.prompt,
            "model": self.worker,
        }


def _id(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 19 else None


_OUTCOME = (one_of(OUTCOMES), f"one of {', '.join(OUTCOMES)}")
_READERS: Readers = {
    "call_type": ("call_type", text_of, "a call type"),
    "run": ("run", text_of, "a run"),
    "call": ("call", text_of, "a call_id"),
    "prompt": ("prompt", digest_of, "4 to 64 hexadecimal digits of a system prompt's hash"),
    "worker": ("worker", text_of, "a model"),
    "state": ("state", one_of(STATES), f"one of {', '.join(STATES)}"),
    **{DIMENSION_FIELDS[key]: (key, *_OUTCOME) for key in DIMENSIONS},
    "judge": ("judge", text_of, "a model"),
    "epoch": ("epoch", digest_of, DIGEST_EXPECTED),
    "start": ("from", day_of, "a day such as 2026-11-30"),
    "end": ("to", day_of, "a day such as 2026-11-30"),
    "dimension": ("dimension", one_of(KEYS), f"one of {', '.join(KEYS)}"),
    "bucket": ("bucket", one_of(BUCKETS), f"one of {', '.join(BUCKETS)}"),
    "before": ("before", _id, "the id of a capture"),
}

_DEFAULTS = {field.name: field.default for field in fields(CallFilters)}
