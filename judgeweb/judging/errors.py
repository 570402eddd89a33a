"""Everything the judging core raises. Outcomes of a judgement are values (`types`), never errors.

JudgingError
├── CaseRefused          the case must not be sent: a required value is missing or contradictory
├── DocumentInvalid      a rubric, scenario or gold document breaks its own rules
└── ProviderError        what came back instead of a reply
    ├── ProviderBusy     transient: worth another try (408, 409, 429, 5xx, 529, connection, timeout)
    ├── JudgeFault       the judge itself cannot be used: work waits, no attempt is used
    └── ItemFault        this one request was not accepted: unjudged, no retry
"""

from collections.abc import Mapping
from typing import Any


class JudgingError(Exception):
    """Base of the tree, for the one place that maps errors to HTTP."""


class CaseRefused(JudgingError):
    """Rule R10: refused before any request. `field` names the value that is missing or wrong,
    `value` is what stood there, None where nothing did or where it is not known."""

    def __init__(self, field: str, message: str, value: Any = None) -> None:
        super().__init__(message)
        self.field = field
        self.message = message
        self.value = value


class DocumentInvalid(JudgingError):
    """A document breaks its rules. `problems` holds (place, message) pairs, at least one;
    `values` what stood at a place, where that is known."""

    def __init__(
        self, problems: list[tuple[str, str]], values: Mapping[str, Any] | None = None
    ) -> None:
        super().__init__("; ".join(f"{place}: {message}" for place, message in problems))
        self.problems = problems
        self.values = dict(values or {})


class ProviderError(JudgingError):
    """No reply. `status` is the HTTP status or None, `code` the provider's own error code."""

    def __init__(
        self,
        message: str,
        *,
        status: int | None = None,
        code: str = "",
        request_id: str = "",
        retry_after_s: float | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.status = status
        self.code = code
        self.request_id = request_id
        self.retry_after_s = retry_after_s


class ProviderBusy(ProviderError):
    """Transient: the same request may succeed later."""


class JudgeFault(ProviderError):
    """401, 402, 403, 404, a spend limit, or an endpoint that is down past the breaker."""


class ItemFault(ProviderError):
    """400, 413: the request itself was refused."""
