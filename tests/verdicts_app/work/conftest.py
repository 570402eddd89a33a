"""A small run to judge, and the stand-in as its judge."""

from collections.abc import Callable
from typing import Any

import pytest
from django.utils import timezone

from judgeweb.judging.documents import ScenarioDocument
from rubrics_app.models import Scenario
from rubrics_app.scenarios import save_scenario
from tests.factories import make_response
from tests.fixtures.standin import StandInControl
from verdicts_app.models import Job, Response
from verdicts_app.work.plan import JudgeRequest, PlannedJob, plan_job

Answers = Callable[..., list[Response]]
Plan = Callable[..., PlannedJob]


@pytest.fixture
def judge_at_standin(standin: StandInControl, settings: Any) -> StandInControl:
    """The stand-in judges, and drains take no longer than tests have time for."""
    settings.ANTHROPIC_API_KEY = "key-of-the-tests"
    settings.ANTHROPIC_BASE_URL = standin.url
    settings.JUDGE_IN_FLIGHT = 8
    settings.JUDGE_OUTPUT_MODE = "format"
    return standin


@pytest.fixture
def no_judge(settings: Any) -> None:
    settings.ANTHROPIC_API_KEY = settings.ANTHROPIC_BASE_URL = ""


def published(document: ScenarioDocument) -> Scenario:
    scenario, _, _ = save_scenario(document, user=None)
    return scenario


@pytest.fixture
def answers(db: None) -> Answers:
    """answers(3) -> three answers by one persona to one published scenario, in run-1."""

    def make(
        number: int = 1, *, about: ScenarioDocument | None = None, **fields: Any
    ) -> list[Response]:
        document = about or ScenarioDocument(name="refunds", challenge="Review the refunds.")
        scenario = published(document)
        return [make_response(scenario=scenario, **fields) for _ in range(number)]

    return make


@pytest.fixture
def plan() -> Plan:
    """Plan what a run holds; the probe is taken as made unless `probe`."""

    def make(*, probe: bool = False, **request: Any) -> PlannedJob:
        if not request.keys() & {"response_ids", "capture_ids"}:
            request.setdefault("run_id", "run-1")
        planned = plan_job(request=JudgeRequest(**request), user=None, actor="tester")
        if not probe:
            Job.objects.filter(pk=planned.job.pk).update(probed_at=timezone.now())
        return planned

    return make
