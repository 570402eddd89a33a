"""What can be asked to be judged, and how a part of it is refused."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from dataclasses import field as field_of
from decimal import Decimal
from itertools import islice
from typing import Any, TypeVar

from judgeweb.judging.errors import CaseRefused
from judgeweb.judging.modes import BY_CLAIMS, MODES, PAIR_MODES, SOLO_MODES
from rubrics_app.models import Revision
from verdicts_app.models import PLAYGROUND_RUN

CALLS = "calls"
"""The mode that judges captures."""
COHERENCE = "coherence"
"""The mode that judges relays."""
MAX_REPEATS = 5
MAX_MODELS = 5
ORDERS = (1, 2)
SHUFFLED_MODES = (*SOLO_MODES, *PAIR_MODES)
"""Those that show a rubric of dimensions with anchor bands."""
# Below SQLite's limit of parameters in one statement.
CHUNK = 1000


@dataclass(frozen=True)
class Relay:
    """A team's relay that may not be stored yet. `response_ids` are in the order of PHASES."""

    theme: str
    response_ids: tuple[int, int, int, int]


@dataclass(frozen=True, kw_only=True)
class JudgeRequest:
    """Judge a run, or the responses, captures, pairs of responses or relays named, or the answers
    of the gold standards of the scenarios named (blind, to calibrate a judge). What is None is
    decided by scenario and settings.

    Without a mode a run is judged whole: its answers and its captures. `call_type` means the
    captures of that type alone; types that judge other captures are left out unless named so.
    A mode for two contestants pairs the answers of a run: each with that of the `opponent` (a spec,
    or a theme in the phases), by default the control's, else the only other one; `orders` says
    whether they are judged in both orders. Several `models` judge in one job, each in an epoch of
    its own.

    With `claims` what each response claims is extracted once, by `claims_model` (by default the
    first judge model), and matched by every judge and repeat, where a checklist is matched. With
    `shuffle` every repeat shows the rubric and the checklist in another order.

    A trial is judged like anything else and stands on no board. It may pin `trial_rubric`, the
    snapshot of a draft, in the place of the published rubric. What is judged for the sample data
    is marked so.
    """

    run_id: str | None = None
    response_ids: Sequence[int] | None = None
    capture_ids: Sequence[int] | None = None
    pairs: Sequence[tuple[int, int]] | None = None
    relays: Sequence[Relay] | None = None
    golds: Sequence[str] | None = None
    mode: str | None = None
    call_type: str | None = None
    opponent: str | None = None
    rubric_key: str | None = None
    model: str | None = None
    models: Sequence[str] = ()
    effort: str | None = None
    output_mode: str | None = None
    orders: int = 2
    repeats: int = 1
    budget_usd: Decimal | None = None
    rejudge: bool = False
    use_gold: bool = True
    claims: bool = False
    claims_model: str | None = None
    shuffle: bool = False
    is_trial: bool = False
    is_sample: bool = False
    trial_rubric: Revision | None = None

    def check(self) -> None:
        """Raise CaseRefused, naming the field that cannot be used."""
        named = (self.run_id, self.response_ids, self.capture_ids, self.pairs, self.relays)
        if sum(one is not None for one in (*named, self.golds)) != 1:
            raise CaseRefused("run_id", "name either a run or responses or captures")
        self._check_trial()
        self._check_mode()
        self._check_subjects()
        if not 1 <= self.repeats <= MAX_REPEATS:
            raise CaseRefused(
                "repeats", f"{self.repeats}: expected 1 to {MAX_REPEATS}", self.repeats
            )
        if self.orders not in ORDERS:
            raise CaseRefused("orders", f"{self.orders}: expected 1 or 2", self.orders)
        self._check_models()
        self._check_instrument()
        budget = self.budget_usd
        if budget is not None and (budget.is_nan() or not 0 < budget <= 1_000_000):
            raise CaseRefused("budget_usd", f"{budget}: expected more than 0", str(budget))

    def _check_trial(self) -> None:
        if self.run_id == PLAYGROUND_RUN or (self.is_trial and self.run_id is not None):
            message = "what is in the playground is judged there, one by one"
            raise CaseRefused("run_id", message, self.run_id)
        if self.is_trial and (self.capture_ids is not None or self.golds is not None):
            raise CaseRefused("mode", "a trial is on answers", self.mode)
        if self.trial_rubric is not None and not self.is_trial:
            raise CaseRefused("rubric", "a draft is judged with in a trial alone")

    def _check_mode(self) -> None:
        if self.mode is not None and self.mode not in MODES:
            raise CaseRefused(
                "mode", f"{self.mode!r}: expected one of {', '.join(MODES)}", self.mode
            )
        if self.call_type is not None and self.mode not in (None, CALLS):
            message = f"mode {self.mode!r} does not judge captures"
            raise CaseRefused("call_type", message, self.call_type)
        if self.call_type is not None and self.run_id is None:
            raise CaseRefused("call_type", "is for the captures of a run", self.call_type)
        if self.opponent is not None and not (self.run_id and self.mode in PAIR_MODES):
            message = f"is for a run judged in one of the modes {', '.join(PAIR_MODES)}"
            raise CaseRefused("opponent", message, self.opponent)

    def _check_subjects(self) -> None:
        """That the mode judges what is named."""
        if self.capture_ids is not None and self.mode not in (None, CALLS):
            message = f"{self.mode!r}: captures are judged in mode {CALLS!r}"
            raise CaseRefused("mode", message, self.mode)
        if self.pairs is not None and self.mode not in PAIR_MODES:
            message = f"{self.mode!r}: pairs are judged in {', '.join(PAIR_MODES)}"
            raise CaseRefused("mode", message, self.mode)
        if self.relays is not None and self.mode != COHERENCE:
            message = f"{self.mode!r}: relays are judged in mode {COHERENCE!r}"
            raise CaseRefused("mode", message, self.mode)
        if self.golds is not None and self.mode not in (None, *SOLO_MODES):
            message = f"{self.mode!r}: gold standards are judged in {', '.join(SOLO_MODES)}"
            raise CaseRefused("mode", message, self.mode)
        if self.response_ids is not None and self.mode in (CALLS, COHERENCE, *PAIR_MODES):
            raise CaseRefused("mode", f"{self.mode!r} does not judge single responses", self.mode)

    def _check_models(self) -> None:
        if self.models and self.model is not None:
            raise CaseRefused("models", "model is given as well: name either", list(self.models))
        if len(self.models) > MAX_MODELS:
            message = f"{len(self.models)} judge models: at most {MAX_MODELS} are allowed"
            raise CaseRefused("models", message, list(self.models))
        if len(set(self.models)) < len(self.models):
            raise CaseRefused("models", "the same judge model twice", list(self.models))

    def _check_instrument(self) -> None:
        """That the mode has what the claim step and the shuffled order are about."""
        if self.claims_model is not None and not self.claims:
            message = "names who extracts the claims: ask for claims as well"
            raise CaseRefused("claims_model", message, self.claims_model)
        if self.claims_model is not None and not self.claims_model.strip():
            message = "the model that extracts the claims has no name"
            raise CaseRefused("claims_model", message, self.claims_model)
        for name, modes in (("claims", tuple(BY_CLAIMS)), ("shuffle", SHUFFLED_MODES)):
            judges_none = self.mode is not None and self.mode not in modes
            is_on_calls = self.capture_ids is not None or self.call_type is not None
            if getattr(self, name) and (judges_none or is_on_calls):
                raise CaseRefused(name, f"is for the modes {', '.join(modes)}", True)

    @property
    def judge_models(self) -> Sequence[str | None]:
        """None: the settings' one."""
        return self.models or (self.model,)

    @property
    def wants_responses(self) -> bool:
        if self.run_id is None:
            return self.response_ids is not None
        return self.call_type is None and self.mode not in (CALLS, COHERENCE, *PAIR_MODES)

    @property
    def wants_captures(self) -> bool:
        if self.run_id is None:
            return self.capture_ids is not None
        return self.mode in (None, CALLS)

    @property
    def wants_pairs(self) -> bool:
        return self.mode in PAIR_MODES

    @property
    def wants_relays(self) -> bool:
        return self.mode == COHERENCE


@dataclass(frozen=True)
class Refusal:
    """Responses that cannot be judged as asked: `field` names what is missing or wrong, `value`
    is what stood there, where that is known. Captures have their call type in the place of the
    scenario."""

    scenario: str
    field: str
    message: str
    responses: int = 1
    value: Any = field_of(default=None, compare=False)


@dataclass(frozen=True)
class Unlinked:
    """Responses whose scenario is not known here."""

    scenario: str
    responses: int


T = TypeVar("T")


def chunks(items: Iterable[T], size: int = CHUNK) -> Iterator[list[T]]:
    iterator = iter(items)
    while chunk := list(islice(iterator, size)):
        yield chunk
