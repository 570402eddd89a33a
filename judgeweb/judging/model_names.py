"""Whether two names mean one model: a judge that judges its own model's answers leans to them.

Providers spell a model in many ways. Left out of a name are the path or vendor in front of it, a
release date, `latest`, a service's revision or variant behind it, and upper case; points and
dashes are the same. What is left must be equal: sizes, generations and tunings are other models.

Four digits at the end stay: as often as a month and a day they are what tells releases apart.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

_VENDOR = re.compile(r"(?:us-gov\.)?(?:(?:[a-z]+|ai21)\.)+(?=[a-z])")
"""As `us.anthropic.`: a region and a vendor, with points."""
_DAY = r"20\d\d-?(?:0[1-9]|1[0-2])-?(?:0[1-9]|[12]\d|3[01])"
_BEHIND = re.compile(
    rf"""(?:
        [-@]{_DAY}                  # a release date
      | [-:@]latest
      | -v\d+:0(?::\w+)?            # a revision of the service, and its context size
      | :(?:batch|beta|exacto|extended|floor|free|nitro|online|thinking)
      | \[[^\[\]]*\]                # a context size
      | @default
    )$""",
    re.VERBOSE,
)
_REVISION = re.compile(r"-v\d+$")


@lru_cache(maxsize=4096)
def canonical_model(name: str) -> str:
    """The name without what differs between providers and releases; empty for an empty one."""
    rest = name.strip().lower().rpartition("/")[2]
    bare = _VENDOR.sub("", rest, count=1) if _VENDOR.match(rest) else rest
    is_of_vendor = bare != rest
    while bare != (shorter := _shorter(bare, is_of_vendor=is_of_vendor)):
        bare = shorter
    return re.sub(r"[._\s]+", "-", bare)


def _shorter(name: str, *, is_of_vendor: bool) -> str:
    """Without one thing behind it. A bare `-v1` is a revision behind a vendor's name alone:
    elsewhere it is the model's own."""
    if shorter := _BEHIND.sub("", name):
        name = shorter
    if is_of_vendor and (shorter := _REVISION.sub("", name)):
        name = shorter
    return name


def is_same_model(judge: str, candidate: str) -> bool:
    """False where either is not known."""
    name = canonical_model(judge)
    return bool(name) and name == canonical_model(candidate)


def judges_itself(judges: Iterable[str], candidate: str) -> bool:
    """Whether the candidate is any of these: a judge has a requested and a returned name."""
    return any(is_same_model(judge, candidate) for judge in judges)
