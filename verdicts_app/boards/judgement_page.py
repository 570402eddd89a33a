"""One judgement that has no verdict: why, what came back, what to do."""

from dataclasses import dataclass

from judgeweb.judging.documents import ScenarioDocument
from rubrics_app.selectors import scenario_document
from verdicts_app.boards.reasons import Reason, reason_in_words
from verdicts_app.boards.requests_made import RequestMade, requests_made
from verdicts_app.boards.verdict_page import OtherVerdict, other_verdicts
from verdicts_app.models import Job, Judgement, JudgementState, Response


@dataclass(frozen=True)
class JudgementPage:
    """`reason` is None while it is open or cancelled; `verdict_id` where it was judged."""

    judgement: Judgement
    job: Job
    response: Response | None
    who: str
    where: str
    verdict_id: int | None
    is_open: bool
    reason: Reason | None
    requests: tuple[RequestMade, ...]
    others: tuple[OtherVerdict, ...]
    scenario: ScenarioDocument | None

    @property
    def code_lines(self) -> int:
        files = self.scenario.files if self.scenario else ()
        return sum(len(file.content.splitlines()) for file in files)


def judgement_page(judgement_id: int) -> JudgementPage | None:
    """None where there is no such judgement."""
    judgement = (
        Judgement.objects.select_related(
            "job__run",
            "response__persona",
            "response__run",
            "epoch",
            "scenario_revision",
            "verdict",
        )
        .filter(pk=judgement_id)
        .first()
    )
    return _page(judgement) if judgement else None


def _page(judgement: Judgement) -> JudgementPage:
    response, revision = judgement.response, judgement.scenario_revision
    verdict = getattr(judgement, "verdict", None)
    is_unjudged = judgement.state == JudgementState.UNJUDGED
    return JudgementPage(
        judgement=judgement,
        job=judgement.job,
        response=response,
        who=response.persona.spec if response else "",
        where=response.scenario_key if response else "",
        verdict_id=verdict.pk if verdict else None,
        is_open=judgement.state in {JudgementState.PLANNED, JudgementState.CLAIMED},
        reason=reason_in_words(judgement.unjudged_reason) if is_unjudged else None,
        requests=requests_made(judgement.pk),
        others=other_verdicts(response, this_judgement=judgement.pk),
        scenario=scenario_document(revision) if revision else None,
    )
