"""Having a contract drafted by the judge from a captured system prompt: one piece of paid work.

A drafting is asked for with its price, done by a worker (`drafting_loop`), and ends drafted or
failed. What is drafted counts nowhere until an author has reviewed and published it.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.contrib.auth.models import AbstractBaseUser
from django.db import IntegrityError, transaction
from django.db.models import Q, Sum
from django.utils import timezone

from judgeweb.access import audit
from judgeweb.judging.documents import ContractDocument, canonical_json
from judgeweb.judging.drafting import drafting_prompt
from judgeweb.judging.errors import CaseRefused
from judgeweb.judging.text import visible
from judgeweb.judging.types import Prompt, UnjudgedReason, Usage
from rubrics_app.models import Revision
from verdicts_app.models import (
    Drafting,
    DraftingRequest,
    DraftingState,
    LedgerState,
    Run,
    SystemPromptText,
)
from verdicts_app.work.judge_config import (
    NOT_CONFIGURED,
    JudgeChoice,
    chosen_judge,
    is_configured,
    origin_of_new_verdicts,
)
from verdicts_app.work.money import cost_of, tokens_in, worst_cost

TOKENS_OF_A_DRAFT = 1_200
"""What a judge writes for one schema with its notes; only for estimates."""
REQUESTS_ALLOWED_FOR = 3
"""The cap: the dearest first request that there could be, this many times over. It leaves room
for a re-ask and for a reply that was cut off."""
NO_JUDGE = "no_judge"
BUDGET = "budget"


@dataclass(frozen=True)
class DraftingPrice:
    """Nano-USD; None where the price of the model is not known. No drafting costs more than
    `most_nano_usd`."""

    model: str
    estimate_nano_usd: int | None
    most_nano_usd: int | None
    judge_is_configured: bool


def price_of_drafting(call_type: str, prompt: SystemPromptText) -> DraftingPrice:
    """Raise CaseRefused where there is nothing to draft from."""
    choice = chosen_judge()
    asked = prompt_of(call_type, prompt)
    most = worst_cost(choice.model, asked, (), settings.JUDGE_MAX_TOKENS)
    return DraftingPrice(
        model=choice.model,
        estimate_nano_usd=cost_of(
            choice.model,
            Usage(
                cache_write=tokens_in(len(asked.system)),
                input=tokens_in(len(asked.user)),
                output=TOKENS_OF_A_DRAFT,
            ),
        ),
        most_nano_usd=None if most is None else REQUESTS_ALLOWED_FOR * most,
        judge_is_configured=is_configured(),
    )


def prompt_of(call_type: str, prompt: SystemPromptText) -> Prompt:
    return drafting_prompt(call_type, prompt.original, settings.SECRET_KEY.encode())


def ask_for_draft(
    *,
    call_type: str,
    prompt: SystemPromptText,
    run: Run | None,
    user: AbstractBaseUser | None,
    actor: str,
) -> Drafting:
    """The drafting that is now at work on this prompt: a new one, unless one was. Raise
    CaseRefused where it cannot be asked for, naming the field. The entry point wakes a worker."""
    price = price_of_drafting(call_type, prompt)
    if not price.judge_is_configured:
        raise CaseRefused("judge", NOT_CONFIGURED)
    choice = chosen_judge()
    try:
        with transaction.atomic():
            drafting = Drafting.objects.create(
                call_type=call_type,
                system_prompt=prompt,
                run=run,
                origin=origin_of_new_verdicts(),
                model=choice.model,
                effort=choice.effort,
                output_mode=choice.output_mode,
                budget_nano_usd=price.most_nano_usd,
                created_by=user,  # type: ignore[misc]
            )
            audit.record(
                actor=actor,
                action="draft contract",
                target=str(drafting),
                detail=f"{call_type}, system prompt {prompt.sha256[:12]}, by {choice.model}",
            )
    except IntegrityError:
        # Somebody else was faster: their drafting is the one.
        at_work = Drafting.objects.filter(
            call_type=call_type, system_prompt=prompt, state=DraftingState.DRAFTING
        ).first()
        if at_work is None:
            raise
        return at_work
    return drafting


def judge_of_drafting(drafting: Drafting) -> JudgeChoice:
    return JudgeChoice(drafting.model, drafting.effort, drafting.output_mode)


# --- claimed, ended -----------------------------------------------------------------------------


def waiting_draftings() -> list[int]:
    waiting = Drafting.objects.filter(state=DraftingState.DRAFTING, claimed_until=None)
    return list(waiting.order_by("pk").values_list("pk", flat=True))


def lease_end() -> datetime:
    return timezone.now() + timedelta(seconds=settings.JUDGE_LEASE_S)


def claim_drafting(drafting_id: int) -> Drafting | None:
    """None where another worker has it, or it is over."""
    waiting = Drafting.objects.filter(
        pk=drafting_id, state=DraftingState.DRAFTING, claimed_until=None
    )
    if not waiting.update(claimed_until=lease_end()):
        return None
    return Drafting.objects.select_related("system_prompt").get(pk=drafting_id)


def renew_drafting(drafting_id: int) -> None:
    at_work = Drafting.objects.filter(pk=drafting_id, state=DraftingState.DRAFTING)
    at_work.update(claimed_until=lease_end())


def drafted(drafting_id: int, document: ContractDocument) -> bool:
    return _ended(drafting_id, state=DraftingState.DRAFTED, document=canonical_json(document))


def failed(drafting_id: int, reason: str, detail: str) -> bool:
    return _ended(drafting_id, state=DraftingState.FAILED, reason=reason, detail=visible(detail)[0])


def _ended(drafting_id: int, **outcome: str) -> bool:
    """False where it was over already: given up, because its worker seemed dead."""
    at_work = Drafting.objects.filter(pk=drafting_id, state=DraftingState.DRAFTING)
    return bool(at_work.update(claimed_until=None, finished_at=timezone.now(), **outcome))


def sweep_draftings() -> int:
    """Give up what a dead worker left behind: it may have been paid for, so that nobody pays
    again without being asked. Return how many wait for a worker."""
    now = timezone.now()
    expired = Drafting.objects.filter(state=DraftingState.DRAFTING, claimed_until__lt=now)
    for pk in list(expired.values_list("pk", flat=True)):
        failed(pk, UnjudgedReason.LOST_WORKER.value, "Its worker died before an answer came.")
    left_open = DraftingRequest.objects.filter(state=LedgerState.OPEN)
    left_open.filter(~Q(drafting__state=DraftingState.DRAFTING)).update(
        state=LedgerState.LOST, closed_at=now
    )
    return len(waiting_draftings())


def published_as(drafting_id: int, revision: Revision) -> None:
    Drafting.objects.filter(pk=drafting_id).update(revision=revision)


def cost_of_drafting(drafting_id: int) -> int:
    """Nano-USD of all its requests, as far as prices are known."""
    requests = DraftingRequest.objects.filter(drafting=drafting_id)
    return requests.aggregate(cost=Sum("cost_nano_usd"))["cost"] or 0
