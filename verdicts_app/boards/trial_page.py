"""What became of a trial: on its way, or judged, with its verdict as its own page has it."""

import json
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from judgeweb.judging.claims import CLAIM_STEP
from judgeweb.judging.relay import MULTIPLIERS
from judgeweb.judging.shuffling import SHUFFLE
from rubrics_app.models import RevisionKind
from verdicts_app.boards.duel_page import DuelPage, duel_page
from verdicts_app.boards.patch_page import PatchPage, patch_page
from verdicts_app.boards.reasons import Reason, reason_in_words
from verdicts_app.boards.requests_made import RequestMade, requests_made
from verdicts_app.boards.stored_detail import StoredDetail, stored_detail
from verdicts_app.boards.subjects import answers_of
from verdicts_app.boards.verdict_page import VerdictPage, verdict_page
from verdicts_app.models import (
    OPEN_STATES,
    PHASES,
    PLAYGROUND_RUN,
    Job,
    JobState,
    Judgement,
    JudgementState,
    Origin,
    Response,
    Verdict,
)


@dataclass(frozen=True)
class TrialOutcome:
    """At most one of `single`, `duel` and `rating` says what came out; `single` with `patch` where
    a patch was judged. `reason` says why there is none. `spent_nano_usd` is None where a price is
    not known."""

    judgement: Judgement
    job: Job
    verdict: Verdict | None
    single: VerdictPage | None
    patch: PatchPage | None
    duel: DuelPage | None
    detail: StoredDetail | None
    reason: Reason | None
    requests: tuple[RequestMade, ...]
    spent_nano_usd: int | None

    @property
    def is_over(self) -> bool:
        return self.judgement.state not in OPEN_STATES

    @property
    def is_cancelled(self) -> bool:
        return self.judgement.state == JudgementState.CANCELLED

    @property
    def is_standing(self) -> bool:
        """It goes on only when somebody or something acts."""
        return not self.is_over and self.job.state != JobState.RUNNING

    @property
    def rating(self) -> str:
        return self.verdict.rating if self.verdict else ""

    @property
    def multiplier(self) -> Fraction | None:
        return MULTIPLIERS[self.rating] if self.rating else None

    @property
    def total(self) -> Fraction | None:
        return self.single.total if self.single else None

    @property
    def is_stand_in(self) -> bool:
        return bool(json.loads(self.judgement.epoch.parameters).get("stand_in"))

    @property
    def is_draft(self) -> bool:
        revision = self.judgement.epoch.rubric_revision
        return revision is not None and revision.kind == RevisionKind.TRIAL


RELATED = (
    "job",
    "epoch__rubric_revision",
    "scenario",
    "response__persona",
    "response__run",
    *(f"pair__{side}__{of}" for side in ("first", "second") for of in ("persona", "run")),
    *(f"chain__{phase}__{of}" for phase in PHASES for of in ("persona", "run")),
)


def trial_outcome(judgement_id: int) -> TrialOutcome | None:
    """None where there is no such trial."""
    judgement = (
        Judgement.objects.select_related(*RELATED)
        .filter(pk=judgement_id, epoch__origin=Origin.TRIAL)
        .first()
    )
    if judgement is None:
        return None
    verdict = Verdict.objects.select_related("epoch").filter(judgement=judgement).first()
    single = verdict_page(verdict.pk) if verdict and verdict.response_id else None
    requests = requests_made(judgement.pk)
    costs = [request.cost_nano_usd for request in requests]
    known = [cost for cost in costs if cost is not None]
    return TrialOutcome(
        judgement=judgement,
        job=judgement.job,
        verdict=verdict,
        single=single,
        patch=patch_page(single) if single else None,
        duel=duel_page(verdict.pk) if verdict and verdict.pair_id else None,
        detail=stored_detail(verdict.detail) if verdict and verdict.chain_id else None,
        reason=(reason_in_words(judgement.unjudged_reason) if judgement.unjudged_reason else None),
        requests=requests,
        spent_nano_usd=sum(known) if len(known) == len(costs) else None,
    )


def form_values(judgement: Judgement) -> dict[str, Any]:
    """What was chosen and pasted, as the form's fields have it."""
    epoch = judgement.epoch
    revision = epoch.rubric_revision
    is_draft = revision is not None and revision.kind == RevisionKind.TRIAL
    values: dict[str, Any] = {
        "mode": judgement.mode,
        "rubric": f"draft:{revision.key}" if is_draft and revision else "",
        "scenario": judgement.scenario.key if judgement.scenario else "",
        "orders": str(json.loads(epoch.parameters).get("orders", 2)),
        "use_gold": judgement.gold_revision_id is not None,
    }
    pinned = json.loads(epoch.parameters)
    # A box that is off has no value: "False" would be a word.
    values |= {
        field: "on"
        for field, name in (("claims", CLAIM_STEP), ("shuffle", SHUFFLE))
        if pinned.get(name)
    }
    if epoch.requested_model:
        values["model"] = epoch.requested_model
    if revision is not None and not is_draft:
        values["rubric"] = revision.key
    for place, answer in enumerate(answers_of(judgement), 1):
        values |= _answer_values(place, answer.response, judgement)
    return values


def _answer_values(place: int, response: Response, judgement: Judgement) -> dict[str, Any]:
    if response.run.run_id != PLAYGROUND_RUN:
        return {f"stored_{place}": str(response.pk)}
    persona = response.persona
    by_theme = judgement.mode.startswith("phase-") or judgement.chain is not None
    return {
        f"who_{place}": persona.theme if by_theme and persona.theme else persona.spec,
        f"character_{place}": response.character,
        f"text_{place}": response.text,
    }
