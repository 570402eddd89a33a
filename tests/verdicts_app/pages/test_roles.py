"""Who may open which page: every role on every route of runs, jobs, verdicts and upload."""

import uuid

import pytest
from django.urls import reverse

from tests import factories
from tests.verdicts_app.pages.golden import make_golden_verdict
from tests.verdicts_app.pages.test_drafting import make_drafting
from verdicts_app.models import Job

pytestmark = pytest.mark.django_db

READ = {"viewer", "reviewer", "author", "operator", "admin"}
OPERATE = {"operator", "admin"}
AUTHOR = {"author", "admin"}
ROLES = sorted(READ)
RUN = "nightly"
NO_JOB = uuid.UUID(int=1)

ROUTES = [
    ("get", "runs", [], READ),
    ("get", "run", [RUN], READ),
    ("get", "run_progress", [RUN], READ),
    ("get", "job", ["job"], READ),
    ("get", "unjudged", ["job", "truncated"], READ),
    ("get", "verdict", ["verdict"], READ),
    ("get", "verdict_json", ["verdict"], READ),
    ("get", "judgement", ["judgement"], READ),
    ("get", "judge_run", [RUN], OPERATE),
    ("post", "judge_run", [RUN], OPERATE),
    ("post", "pause_job", ["job"], OPERATE),
    ("post", "resume_job", ["job"], OPERATE),
    ("get", "cancel_job", ["job"], OPERATE),
    ("post", "cancel_job", ["job"], OPERATE),
    ("get", "retry_job", ["job"], OPERATE),
    ("post", "retry_job", ["job"], OPERATE),
    ("get", "job_budget", ["job"], OPERATE),
    ("post", "job_budget", ["job"], OPERATE),
    ("get", "playground", [], OPERATE),
    ("post", "playground", [], OPERATE),
    ("get", "trial", ["trial"], OPERATE),
    ("get", "trial_outcome", ["trial"], OPERATE),
    ("get", "upload", [], OPERATE),
    ("post", "upload", [], OPERATE),
    ("get", "calibrations", [], READ),
    ("get", "calibrations_csv", [], READ),
    ("get", "calibrations_json", [], READ),
    ("get", "calibrate", [], OPERATE),
    ("post", "calibrate", [], OPERATE),
    ("get", "tokens", [], READ),
    ("post", "tokens", [], READ),
    ("post", "revoke_token", [1], READ),
    ("get", "run_contracts", [RUN], READ),
    ("get", "run_lengths", [RUN], READ),
    ("get", "draft_contract", [], AUTHOR),
    ("post", "draft_contract", [], AUTHOR),
    ("get", "drafting", ["drafting"], AUTHOR),
    ("post", "drafting", ["drafting"], AUTHOR),
    ("get", "contract_changes", [1], AUTHOR),
    ("get", "audit", [], {"admin"}),
]


@pytest.fixture
def places(monkeypatch):
    for module in ("jobs", "judge_run", "calibrate"):
        monkeypatch.setattr(f"verdicts_app.pages.{module}.wake_workers", lambda: True)
    verdict = make_golden_verdict().verdict
    job = Job.objects.create(run=factories.make_run(RUN), budget_nano_usd=10**9)
    factories.make_judgement(factories.make_response(run=RUN), job=job, state="planned")
    drafting = make_drafting(factories.make_system_prompt())
    tried = factories.make_judgement(
        factories.make_response(run=RUN), epoch=factories.make_epoch("trial", origin="trial")
    )
    return {
        "verdict": verdict.pk,
        "judgement": verdict.judgement_id,
        "job": job.pk,
        "drafting": drafting.pk,
        "trial": tried.pk,
    }


@pytest.mark.parametrize("role", [*ROLES, "nobody", ""])
def test_a_page_opens_for_the_roles_that_may_and_for_no_other(client, make_user, places, role):
    if role:
        user = make_user(role)
        if role == "nobody":
            user.groups.clear()
        client.force_login(user)

    for method, name, args, allowed in ROUTES:
        url = reverse(name, args=[places.get(arg, arg) for arg in args])
        answer = getattr(client, method)(url)
        if not role:
            assert answer.status_code == 302, name
            assert answer["Location"].startswith(reverse("login")), name
        elif role in allowed:
            assert answer.status_code not in (403, 405), (method, name, answer.status_code)
            assert answer.status_code < 500, name
        else:
            assert answer.status_code == 403, (method, name, answer.status_code)


@pytest.mark.parametrize("name", ["pause_job", "resume_job"])
def test_acts_are_posts(client, make_user, name):
    client.force_login(make_user("operator"))

    assert client.get(reverse(name, args=[NO_JOB])).status_code == 405
    assert client.post(reverse(name, args=[NO_JOB])).status_code == 404


def test_buttons_that_a_role_may_not_press_are_not_shown(client, make_user, places):
    client.force_login(make_user("viewer"))

    page = client.get(reverse("run", args=[RUN])).content.decode()

    for word in ("Pause", "Cancel the rest", "Change budget", reverse("upload")):
        assert word not in page
