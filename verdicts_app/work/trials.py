"""A trial: a judgement by hand, shown and priced before anything is stored, on no board.

The prompts shown are those that the worker sends: the same cells pin the same things, the same
modes build them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from django.contrib.auth.models import AbstractBaseUser

from judgeweb.judging.claims import LABELS, extraction_prompt
from judgeweb.judging.errors import CaseRefused
from judgeweb.judging.modes import mode_named
from judgeweb.judging.text import is_blank
from judgeweb.judging.types import Claim, ClaimList, EvidenceState, Prompt
from rubrics_app.models import RevisionKind
from rubrics_app.patch_cases import instance_for, patch_case
from rubrics_app.selectors import newest_revision, rubric_document, scenario_document
from verdicts_app.models import PHASES, Judgement, Response
from verdicts_app.work import states
from verdicts_app.work.asked import ask
from verdicts_app.work.cases import contestant_of, name_in
from verdicts_app.work.cells import Cell, rubric_to_pin
from verdicts_app.work.chain_cells import ChainCell
from verdicts_app.work.identity import hash_of
from verdicts_app.work.judge_config import is_configured
from verdicts_app.work.price import Price, price_of
from verdicts_app.work.request import COHERENCE, JudgeRequest, Relay
from verdicts_app.work.rows import row_of
from verdicts_app.work.selection import (
    Selection,
    leave_out_what_is_done,
    select_work,
    work_on,
)
from verdicts_app.work.unasked import judge_unasked
from verdicts_app.work.units import Unit

TO_COME = ClaimList("", (Claim(1, "(the claims as extracted)", "", EvidenceState.NOT_FOUND),))
NO_JUDGE = "no judge is configured, so nothing was started"


@dataclass(frozen=True)
class TrialPreview:
    """What would be sent and what it would cost. `prompts` is empty where nobody is asked.
    `sameness` names all that can move the verdict, and whether it is judged or known: a price holds
    for what has the same one."""

    price: Price
    prompts: tuple[Prompt, ...]
    sameness: str


def named(request: JudgeRequest, ids: Sequence[int], theme: str = "") -> JudgeRequest:
    """The request on these responses: one, two that are compared, or the four of a relay."""
    if request.mode == COHERENCE:
        sm, tea, dev, reviewer = ids
        return replace(request, relays=[Relay(theme, (sm, tea, dev, reviewer))])
    if len(ids) == 2:
        return replace(request, pairs=[(ids[0], ids[1])])
    return replace(request, response_ids=list(ids))


def preview(request: JudgeRequest, responses: Sequence[Response], theme: str = "") -> TrialPreview:
    """Nothing is stored. Raise CaseRefused, naming the field that keeps it from being judged."""
    ids = [one.pk or -place for place, one in enumerate(responses, 1)]
    work = work_on(named(request, ids, theme), lambda: map(row_of, responses, ids))
    _refuse(work)
    asked_for = sorted(unit.identity for unit in work.units)
    prompts = _prompts(work.units[0], responses, theme)
    leave_out_what_is_done(work, rejudge=request.rejudge)
    left = sorted(unit.identity for unit in work.units)
    return TrialPreview(price_of(work), prompts, hash_of([asked_for, left]))


def check_patch(request: JudgeRequest, name: str) -> None:
    """Raise CaseRefused where no patch is known under the name of a scenario or an instance, or
    the rubric does not judge patches."""
    revision = newest_revision(RevisionKind.SCENARIO, name)
    instance = instance_for(name, scenario_document(revision) if revision else None)
    if instance is None:
        message = f"no gold patch is known for {name!r}: name a SWE-bench instance or its alias"
        raise CaseRefused("scenario", message, name)
    assert request.mode is not None
    rubric = rubric_document(rubric_to_pin(request.mode, request))
    case = patch_case(instance, rubric=rubric, scenario=name, response="a patch")
    mode_named(request.mode).check(case)


def _refuse(work: Selection) -> None:
    if work.refused:
        refused = work.refused[0]
        raise CaseRefused(refused.field, refused.message, refused.value)
    if not work.units:
        raise CaseRefused("response", "the agent's run failed: there is no answer to judge")


def _prompts(unit: Unit, responses: Sequence[Response], theme: str) -> tuple[Prompt, ...]:
    """Where claims are extracted first, those prompts come first, and a line stands in the place
    of the claims in the others."""
    cell = unit.cell
    if isinstance(cell, ChainCell):
        texts = (response.text for response in responses)
        return cell.mode.prompts(cell.case(theme, dict(zip(PHASES, texts, strict=True))))
    if not isinstance(cell, Cell):
        return ()
    case = cell.case(
        [
            replace(
                contestant_of(one),
                spec=name_in(cell.mode.name, one.persona.spec, one.persona.theme),
            )
            for one in responses
        ]
    )
    case = replace(case, seed=unit.seed)
    if cell.mode.without_request(case):
        return ()
    if not cell.extractor:
        return cell.mode.prompts(case)
    extracting = tuple(
        extraction_prompt(one.response, case.secret, label)
        for label, one in zip(LABELS, case.contestants, strict=False)
        if not is_blank(one.response)
    )
    claims = tuple(None if is_blank(one.response) else TO_COME for one in case.contestants)
    return (*extracting, *cell.mode.prompts(replace(case, claims=claims)))


def start(request: JudgeRequest, *, user: AbstractBaseUser | None, actor: str) -> Judgement:
    """The judgement of a trial on stored responses: planned, or known where the very same was
    judged before. What needs nobody is judged at once, the rest by the next worker; the entry
    point wakes one. Raise CaseRefused, with nothing planned, where a judge is needed and none is
    configured."""
    needs_a_judge = select_work(request).needs_a_judge
    if needs_a_judge and not is_configured():
        raise CaseRefused("model", NO_JUDGE)
    asked = ask(request=request, user=user, actor=actor)
    if asked.job is not None and not needs_a_judge:
        judge_unasked(asked.job.pk)
        states.finish([asked.job.pk])
    if not asked.judgement_ids:
        raise CaseRefused("response", "nothing is left to judge")
    return Judgement.objects.get(pk=asked.judgement_ids[0])
