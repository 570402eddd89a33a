"""One judgement that has no verdict: why, what came back, what to do."""

from dataclasses import dataclass

from judgeweb.judging.documents import ScenarioDocument
from rubrics_app.selectors import gold_document, scenario_document
from verdicts_app.boards.reasons import Reason, reason_in_words
from verdicts_app.boards.requests_made import RequestMade, requests_made
from verdicts_app.boards.sentences import ways_in_words
from verdicts_app.boards.subjects import (
    SUBJECTS_RELATED,
    Answer,
    answers_of,
    same_subject,
    who_of,
)
from verdicts_app.boards.verdict_page import OtherVerdict, code_lines, outcomes_on
from verdicts_app.models import Job, Judgement, JudgementState, Run


@dataclass(frozen=True)
class JudgementPage:
    """`reason` is None while it is open or cancelled; `verdict_id` where it was judged."""

    judgement: Judgement
    job: Job
    run: Run | None
    answers: tuple[Answer, ...]
    who: str
    where: str
    verdict_id: int | None
    is_open: bool
    reason: Reason | None
    requests: tuple[RequestMade, ...]
    others: tuple[OtherVerdict, ...]
    scenario: ScenarioDocument | None
    gold_text: str

    @property
    def ways(self) -> str:
        """What makes its epoch another instrument of the same judge."""
        return ways_in_words(self.judgement.epoch.parameters)

    @property
    def code_lines(self) -> int:
        return code_lines(self.scenario)


def judgement_page(judgement_id: int) -> JudgementPage | None:
    """None where there is no such judgement."""
    judgement = (
        Judgement.objects.select_related(
            "job__run",
            *SUBJECTS_RELATED,
            "epoch",
            "scenario",
            "scenario_revision",
            "gold_answer",
            "verdict",
        )
        .filter(pk=judgement_id)
        .first()
    )
    return _page(judgement) if judgement else None


def _page(judgement: Judgement) -> JudgementPage:
    answers, revision = answers_of(judgement), judgement.scenario_revision
    verdict = getattr(judgement, "verdict", None)
    gold = judgement.gold_answer
    is_unjudged = judgement.state == JudgementState.UNJUDGED
    return JudgementPage(
        judgement=judgement,
        job=judgement.job,
        run=answers[0].response.run if answers else None,
        answers=answers,
        who=who_of(judgement),
        where=_where(judgement, answers),
        verdict_id=verdict.pk if verdict else None,
        is_open=judgement.state in {JudgementState.PLANNED, JudgementState.CLAIMED},
        reason=reason_in_words(judgement.unjudged_reason) if is_unjudged else None,
        requests=requests_made(judgement.pk),
        others=outcomes_on(same_subject(judgement), this_judgement=judgement.pk),
        scenario=scenario_document(revision) if revision else None,
        gold_text=gold_document(gold).response if gold else "",
    )


def _where(judgement: Judgement, answers: tuple[Answer, ...]) -> str:
    """The scenario; nothing where a relay answers more than one."""
    if judgement.scenario:
        return judgement.scenario.key
    return answers[0].response.scenario_key if answers and judgement.chain is None else ""
