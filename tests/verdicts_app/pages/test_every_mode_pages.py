"""Whatever was judged, its pages open: verdict, run, job, lists, board."""

import json
from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client

from judgeweb.judging.documents import GoldDocument, ScenarioDocument
from rubrics_app.scenarios import save_gold, save_scenario
from tests.fixtures.standin import StandInControl
from tests.verdicts_app.mode_data import GOLDEN, Golden, make_instance
from verdicts_app.models import Job, Judgement, Run, Verdict

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def operator(client: Client, make_user: Any, standin: StandInControl, settings: Any) -> Client:
    settings.ANTHROPIC_API_KEY = "key-of-the-tests"
    settings.ANTHROPIC_BASE_URL = standin.url
    make_instance()
    client.force_login(make_user("operator"))
    return client


def opened(client: Client, path: str) -> str:
    response = client.get(path, follow=True)
    assert response.status_code == 200, path
    return response.content.decode()


@pytest.mark.parametrize("golden", GOLDEN, ids=lambda golden: golden.mode)
def test_pages_of_a_verdict(operator: Client, standin: StandInControl, golden: Golden) -> None:
    standin.replies(*golden.script)
    call_command("judge", mode=golden.mode, data=json.dumps(golden.data), stdout=StringIO())
    verdict, job, run = Verdict.objects.get(), Job.objects.get(), Run.objects.get()

    pages = [
        opened(operator, path)
        for path in (
            f"/verdicts/{verdict.pk}/",
            f"/judgements/{Judgement.objects.get().pk}/",
            f"/runs/{run.run_id}/",
            f"/jobs/{job.pk}/",
            f"/?mode={verdict.mode}",
            "/verdicts/",
        )
    ]
    api_page = operator.get(f"/verdicts/{verdict.pk}.json")
    assert api_page.status_code == 200
    assert all("Page not found" not in page for page in pages)


@pytest.mark.parametrize("golden", [one for one in GOLDEN if one.replies], ids=lambda one: one.mode)
def test_pages_of_what_could_not_be_judged(
    operator: Client, standin: StandInControl, golden: Golden
) -> None:
    standin.replies(golden.script[0], {"text": "I like both."}, {"text": "I like both."})
    with pytest.raises(SystemExit):
        call_command(
            "judge",
            mode=golden.mode,
            data=json.dumps(golden.data),
            stdout=StringIO(),
            stderr=StringIO(),
        )
    judgement, job = Judgement.objects.get(), Job.objects.get()
    assert judgement.unjudged_reason == "unreadable"

    page = opened(operator, f"/judgements/{judgement.pk}/")
    opened(operator, f"/jobs/{job.pk}/")
    opened(operator, f"/jobs/{job.pk}/unjudged/unreadable/")
    opened(operator, "/verdicts/?state=unjudged")
    assert "I like both." in page


def test_page_of_a_calibration(operator: Client, standin: StandInControl) -> None:
    save_scenario(ScenarioDocument(name="refunds", challenge="Review the refunds."), user=None)
    answer = "The lock is never released."
    save_gold(
        GoldDocument(scenario="refunds", response=answer, score=80, graded_by="R. Ode"), user=None
    )
    standin.replies(*GOLDEN[0].script)
    call_command("calibrate", repeats=1, stdout=StringIO(), stderr=StringIO())

    page = opened(operator, f"/verdicts/{Verdict.objects.get().pk}/")

    assert "The gold standard" in page
    assert answer in page
