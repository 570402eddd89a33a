"""The seed's `--mode` and `--data`: one judgement asked for with all that it needs.

The task becomes an inline scenario, the answers responses of a run. The same data asked for again
is the same scenario and the same responses. One file for each kind of data; every file has `check`
(refuses, naming the field), `asks` (False where the data leaves nobody to be asked) and `take_in`
(stores it and says what a JudgeRequest needs to name it).
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import User

from judgeweb.judging.errors import CaseRefused
from judgeweb.judging.modes import PATCH_MODES, PHASE_MODES
from verdicts_app.intake.judgement_data import contest, patch, relay, solo
from verdicts_app.intake.judgement_data.answers import Taken
from verdicts_app.intake.judgement_data.patch import with_file_content
from verdicts_app.intake.responses import check_run_id

__all__ = [
    "DEFAULT_RUN",
    "MODES",
    "asks_a_judge",
    "check_data",
    "check_mode",
    "take_in",
    "with_file_content",
]

DEFAULT_RUN = "judgements"


@dataclass(frozen=True)
class Kind:
    check: Callable[[Any, str], None]
    asks: Callable[[Mapping[str, Any]], bool]
    take_in: Callable[[Mapping[str, Any], str, Taken], dict[str, Any]]


SOLO = Kind(solo.check, solo.asks, solo.take_in)
PHASE = Kind(contest.check_phase, contest.phase_asks, contest.take_in_phase)
PATCH = Kind(patch.check, patch.asks, patch.take_in)
MODES: dict[str, Kind] = {
    "solo": SOLO,
    "compare": Kind(contest.check_compare, contest.compare_asks, contest.take_in_compare),
    **dict.fromkeys(PHASE_MODES, PHASE),
    "coherence": Kind(relay.check, relay.asks, relay.take_in),
    **dict.fromkeys(PATCH_MODES, PATCH),
}


def check_mode(mode: str) -> None:
    if mode not in MODES:
        known = ", ".join(MODES)
        raise CaseRefused("mode", f"unknown mode {mode[:80]!r}: expected one of {known}", mode)


def check_data(data: Any, *, mode: str = "solo") -> None:
    """The rules of R10 that can be seen in the values alone."""
    MODES[mode].check(data, mode)


def asks_a_judge(data: Mapping[str, Any], *, mode: str) -> bool:
    """False where all answers are empty, and in modes that need no model."""
    return MODES[mode].asks(data)


def take_in(
    data: Mapping[str, Any],
    *,
    mode: str,
    run_id: str = DEFAULT_RUN,
    user: User | None,
    actor: str,
) -> dict[str, Any]:
    """Store what is to be judged; the fields of a JudgeRequest that name it. Raise CaseRefused,
    naming the field, before anything is stored; RunRefused for the run."""
    check_mode(mode)
    check_run_id(run_id)
    check_data(data, mode=mode)
    return MODES[mode].take_in(data, mode, Taken(run_id, user, actor))
