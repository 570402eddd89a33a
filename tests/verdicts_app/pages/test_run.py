import json
import uuid
from datetime import timedelta
from decimal import Decimal
from pathlib import Path

import pytest
from django.urls import reverse
from django.utils import timezone

from tests import factories
from tests.verdicts_app.pages.golden import make_request
from verdicts_app.models import Job, JobEvent, Judgement, Response

pytestmark = pytest.mark.django_db
HOSTILE = json.loads((Path(__file__).parents[2] / "cases/128_xss.json").read_text())
DOLLAR = 10**9


@pytest.fixture
def viewer(client, make_user):
    client.force_login(make_user("viewer"))
    return client


@pytest.fixture
def operator(client, make_user):
    client.force_login(make_user("operator"))
    return client


@pytest.fixture(autouse=True)
def woken(monkeypatch):
    """How often workers were woken; no broker is asked."""
    calls = []
    for module in ("jobs", "judge_run"):
        monkeypatch.setattr(f"verdicts_app.pages.{module}.wake_workers", lambda: calls.append(1))
    return calls


def make_job(*, judged=0, unjudged=0, planned=0, state="running", run="nightly", **fields):
    """A job with judgements in these states; each that is done cost two cents."""
    if state in ("done", "cancelled"):
        fields.setdefault("finished_at", timezone.now())
    money = {
        "budget_nano_usd": 40 * DOLLAR,
        "committed_nano_usd": (judged + unjudged) * DOLLAR // 50,
    }
    job = Job.objects.create(run=factories.make_run(run), state=state, **money | fields)
    just_now = timezone.now() - timedelta(seconds=5)
    for number in range(judged + unjudged + planned):
        spec = "lighthouse:reviewer" if number % 2 else "foundry:reviewer"
        answer = factories.make_response(spec, run=run)
        if number < judged:
            judgement = factories.make_judgement(answer, job=job, finished_at=just_now)
            factories.make_verdict(response=answer, judgement=judgement)
        elif number < judged + unjudged:
            judgement = factories.make_judgement(
                answer,
                job=job,
                state="unjudged",
                unjudged_reason="truncated",
                finished_at=just_now,
            )
        else:
            factories.make_judgement(answer, job=job, state="planned")
            continue
        make_request(judgement.pk, cost_nano_usd=DOLLAR // 50)
    return job


def text_of(answer):
    assert answer.status_code == 200, answer.status_code
    return " ".join(answer.content.decode().split())


def run_text(client, run="nightly", **query):
    return text_of(client.get(reverse("run", args=[run]), query))


# --- what a run shows ----------------------------------------------------------------------------


def test_run_page_running_shows_bar_figures_and_forecast(viewer):
    make_job(judged=6, unjudged=2, planned=8)

    page = run_text(viewer)

    assert "<dd>50.0% <small>8 of 16</small></dd>" in page
    assert '<rect class="p-judged" x="0.0" width="375.0" height="18" />' in page
    assert '<rect class="p-unjudged" x="375.0" width="125.0" height="18" />' in page
    assert '<rect class="p-waiting" x="500.0" width="500.0" height="18" />' in page
    assert "<dd>8 <small>a minute</small></dd>" in page
    assert "<dd>$0.1600 <small>of $40.00</small></dd>" in page
    assert "<dd>$0.3200</dd>" in page
    assert "<dd>$0.0200</dd>" in page
    assert (
        "About 1 min to go. At this rate it ends at $0.3200, inside its budget of $40.00." in page
    )
    assert 'hx-trigger="every 2s"' in page


def test_run_page_forecast_above_budget_says_so(viewer):
    make_job(judged=8, planned=8, budget_nano_usd=DOLLAR // 5)

    assert "above its budget of $0.2000: the rest will wait." in run_text(viewer)


def test_run_page_counts_retries_without_the_probe(viewer):
    job = make_job(judged=2)
    judgement = Judgement.objects.filter(job=job).first()
    make_request(judgement.pk, ordinal=2)
    make_request(judgement.pk, ordinal=3, prompt="probe")

    assert "<dd>1 <small>33.3% of requests</small></dd>" in run_text(viewer)


def test_run_page_counts_the_other_order_of_a_pair_as_no_retry(viewer):
    job = make_job(judged=1)
    judgement = Judgement.objects.get(job=job)
    make_request(judgement.pk, ordinal=2, prompt="second")
    make_request(judgement.pk, ordinal=3, prompt="second")

    # first, second, and second again: 1 of 3.
    assert "<dd>1 <small>33.3% of requests</small></dd>" in run_text(viewer)


def test_run_page_done_stops_polling_and_offers_to_judge_again(operator):
    make_job(judged=3, state="done")

    page = run_text(operator)

    assert "3 answers are judged, for $0.0600." in page
    assert "hx-trigger" not in page
    assert "Judge again" in page
    assert "Pause" not in page


def test_run_page_names_reasons_what_to_do_and_the_price_of_a_retry(operator):
    job = make_job(judged=2, unjudged=3, state="done")

    page = run_text(operator)

    assert "Why 3 are unjudged" in page
    assert "the reply hit the token limit twice" in page
    assert "Retry 3, about $0.0600" in page
    assert reverse("unjudged", args=[job.pk, "truncated"]) in page


@pytest.mark.parametrize(
    ("state", "words"),
    [
        ("paused", "Paused. 4 answers wait; requests under way are still counted."),
        ("parked", "The budget is reached. 4 answers wait and lose nothing."),
        ("waiting", "Waiting for a judge. 4 answers wait and lose nothing."),
        ("running", "It starts as soon as a worker takes it."),
    ],
)
def test_run_page_says_in_words_how_a_job_stands(viewer, state, words):
    make_job(planned=4, state=state)

    assert words in run_text(viewer)


def test_run_page_waiting_says_nothing_is_lost_and_when_it_is_tried_again(operator):
    make_job(
        planned=4,
        state="waiting",
        state_detail="Waiting for a judge: overloaded",
        retry_at=timezone.now() + timedelta(minutes=3),
    )

    page = run_text(operator)

    assert "<strong>Nothing is lost.</strong> Waiting for a judge: overloaded" in page
    assert "It is tried again at" in page
    assert '<rect class="p-parked" x="0.0" width="1000.0" height="18" />' in page
    assert "Try now" in page


def test_run_page_shows_every_open_job_and_lists_the_finished_ones(operator):
    old = make_job(judged=1, state="done")
    first = make_job(planned=2)
    second = make_job(planned=3, state="paused")

    page = run_text(operator)
    old_page = run_text(operator, job=str(old.pk))

    assert "2 jobs are at work on this run." in page
    assert f'id="pause-{first.pk}"' in page
    assert f'id="resume-{second.pk}"' in page
    assert f'href="?job={old.pk}"' in page
    assert f'id="progress-{old.pk}"' not in page
    assert f'id="progress-{old.pk}"' in old_page


def test_jobs_on_a_run_name_what_they_judge_in(viewer):
    solo = make_job(judged=1, state="done")
    answer = factories.make_response(run="nightly")
    factories.make_judgement(answer, job=solo, epoch=factories.make_epoch("list", mode="checklist"))
    calls = make_job(state="done")
    capture = factories.make_capture(run="nightly")
    epoch = factories.make_epoch("calls", mode="calls")
    factories.make_judgement(capture=capture, job=calls, epoch=epoch)
    make_job(state="done")

    page = viewer.get(reverse("run", args=["nightly"])).context["page"]

    # In the order of the modes' registry; of a job that planned nothing nothing is said.
    assert [modes for _, modes in page.jobs_by_mode] == [
        "",
        "Captured calls",
        "Solo, generic; Solo, checklist",
    ]


def test_run_page_lists_unlinked_answers_and_failed_runs(viewer):
    lost = factories.make_response(run="nightly")
    Response.objects.filter(pk=lost.pk).update(scenario=None, scenario_key="tram-punctuality")
    factories.make_response(run="nightly", outcome="failed", failure="timed out after 600 s")

    page = run_text(viewer)

    assert "tram-punctuality" in page
    assert "1 answer whose scenario is not known here" in page
    assert "timed out after 600 s" in page


def test_run_page_without_jobs_says_what_it_holds(operator):
    factories.make_response(run="nightly")
    factories.make_response(run="nightly")

    page = run_text(operator)

    assert "2 answers, none judged yet." in page
    assert reverse("judge_run", args=["nightly"]) in page


def test_run_page_says_what_was_judged_without_a_job(operator):
    verdict = factories.make_verdict(response=factories.make_response(run="nightly"))
    factories.make_response(run="nightly")
    Judgement.objects.filter(pk=verdict.judgement_id).update(job=None)
    Job.objects.all().delete()

    assert "2 answers, 1 judged." in run_text(operator)


def test_run_page_shows_hostile_strings_as_text(viewer):
    image, _, title, _, script = HOSTILE
    job = Job.objects.create(
        run=factories.make_run(script.replace("/", "")), state="waiting", state_detail=image
    )
    answer = factories.make_response(image, title, run=job.run)
    factories.make_judgement(answer, job=job, state="planned")
    factories.make_response(script, run=job.run, outcome="failed", failure=image)
    JobEvent.objects.create(job=job, text=script)

    page = run_text(viewer, run=job.run.run_id)
    runs = text_of(viewer.get(reverse("runs")))

    for hostile in (image, title, script, "<script><b>x"):
        assert hostile not in page
        assert hostile not in runs


def test_run_page_unknown_is_not_found(viewer):
    assert viewer.get(reverse("run", args=["nothing"])).status_code == 404
    assert viewer.get(reverse("job", args=[uuid.uuid4()])).status_code == 404


def test_run_page_asks_the_database_equally_often_whatever_it_holds(
    viewer, django_assert_max_num_queries
):
    make_job(judged=12, unjudged=4, planned=9)

    with django_assert_max_num_queries(23):
        viewer.get(reverse("run", args=["nightly"]))


def test_progress_is_a_fragment_for_htmx_and_leads_others_to_the_page(viewer):
    make_job(planned=2)
    url = reverse("run_progress", args=["nightly"])

    fragment = text_of(viewer.get(url, headers={"HX-Request": "true"}))

    assert fragment.startswith('<div id="run-live"')
    assert "<html" not in fragment
    assert viewer.get(url)["Location"] == reverse("run", args=["nightly"])


def test_progress_is_announced_where_state_or_tenth_changed_alone(viewer):
    make_job(judged=1, planned=1)
    url = reverse("run_progress", args=["nightly"])

    same = text_of(viewer.get(url, {"said": "running-5"}, headers={"HX-Request": "true"}))
    moved = text_of(viewer.get(url, {"said": "running-4"}, headers={"HX-Request": "true"}))

    assert "data-announce" not in same
    assert 'data-announce="1 of 2 done.' in moved


def test_unjudged_page_lists_what_ended_for_a_reason(viewer):
    job = make_job(unjudged=2, state="done")
    judgement = Judgement.objects.filter(job=job).first()

    page = text_of(viewer.get(reverse("unjudged", args=[job.pk, "truncated"])))
    none = text_of(viewer.get(reverse("unjudged", args=[job.pk, "refused"])))

    assert reverse("judgement", args=[judgement.pk]) in page
    assert "None any more" in none


def test_job_without_a_run_has_its_own_page(viewer):
    answer = factories.make_response(run="other")
    job = Job.objects.create(budget_nano_usd=DOLLAR)
    factories.make_judgement(answer, job=job, state="planned")

    assert "It starts as soon as a worker takes it." in text_of(
        viewer.get(reverse("job", args=[job.pk]))
    )


# --- the list ------------------------------------------------------------------------------------


def test_runs_list_counts_what_each_run_holds(viewer):
    make_job(judged=3, unjudged=1, planned=2)
    factories.make_response(run="nightly", outcome="failed")
    lost = factories.make_response(run="nightly")
    Response.objects.filter(pk=lost.pk).update(scenario=None)

    row = viewer.get(reverse("runs")).context["page"].rows[0]

    assert (row.responses, row.judged, row.unjudged, row.waiting) == (8, 3, 1, 2)
    assert (row.failed, row.unlinked, row.cost_nano_usd) == (1, 1, 4 * DOLLAR // 50)
    assert row.job.state == "running"


def test_runs_list_an_unjudged_that_was_judged_later_counts_no_more(viewer):
    answer = factories.make_response(run="nightly")
    factories.make_judgement(answer, state="unjudged", unjudged_reason="truncated")
    later = factories.make_judgement(answer)
    factories.make_verdict(response=answer, judgement=later)

    row = viewer.get(reverse("runs")).context["page"].rows[0]

    assert (row.judged, row.unjudged) == (1, 0)


def test_runs_list_pages_by_keyset_with_a_fixed_number_of_queries(
    viewer, django_assert_max_num_queries
):
    for number in range(60):
        factories.make_run(f"run {number}")

    with django_assert_max_num_queries(15):
        first = viewer.get(reverse("runs")).context["page"]
    second = viewer.get(reverse("runs"), {"before": first.older}).context["page"]

    assert [row.run_id for row in (*first.rows, *second.rows)] == [
        f"run {number}" for number in reversed(range(60))
    ]
    assert second.older is None


def test_runs_list_empty_offers_the_next_step(operator):
    page = text_of(operator.get(reverse("runs")))

    assert "No runs yet" in page
    assert reverse("upload") in page


# --- what people do to a job ---------------------------------------------------------------------


def test_pause_and_resume_change_the_job_and_wake_workers(
    operator, woken, django_capture_on_commit_callbacks
):
    job = make_job(planned=2)

    operator.post(reverse("pause_job", args=[job.pk]))
    job.refresh_from_db()
    assert job.state == "paused"
    with django_capture_on_commit_callbacks(execute=True):
        answer = operator.post(reverse("resume_job", args=[job.pk]))

    job.refresh_from_db()
    assert job.state == "running"
    assert woken
    assert answer["Location"] == reverse("run", args=["nightly"])


def test_an_act_that_comes_too_late_says_so(operator):
    job = make_job(judged=1, state="done")

    answer = operator.post(reverse("pause_job", args=[job.pk]), follow=True)

    assert "Nothing changed: the job had moved on meanwhile." in text_of(answer)


def test_cancel_is_confirmed_with_the_count_first(operator):
    job = make_job(judged=1, planned=3)
    url = reverse("cancel_job", args=[job.pk])

    page = text_of(operator.get(url))
    dialog = text_of(operator.get(url, headers={"HX-Request": "true"}))
    assert "Cancel the 3 answers that wait?" in page
    assert dialog.startswith('<dialog class="dialog"')
    job.refresh_from_db()
    assert job.state == "running"

    operator.post(url)

    job.refresh_from_db()
    assert job.state == "cancelled"
    assert Judgement.objects.filter(job=job, state="cancelled").count() == 3
    assert Judgement.objects.filter(job=job, state="judged").count() == 1


def test_retry_is_confirmed_with_count_and_price_first(operator):
    job = make_job(judged=1, unjudged=2, state="done")
    url = reverse("retry_job", args=[job.pk])

    assert "Retry 2 unjudged answers for about $0.0400?" in text_of(operator.get(url))
    answer = operator.post(url, follow=True)

    assert "2 answers are tried again." in text_of(answer)
    assert Judgement.objects.filter(job=job, state="planned").count() == 2


def test_budget_below_what_is_spent_is_refused_with_the_sum(operator):
    job = make_job(planned=2, committed_nano_usd=24 * DOLLAR)
    url = reverse("job_budget", args=[job.pk])

    refused = operator.post(url, {"budget": "20"})
    assert refused.status_code == 422
    assert "$24.00 is spent. Give $24.00 or more" in refused.content.decode()
    for nonsense in ("", "x", "-1", "NaN", "1e999"):
        assert operator.post(url, {"budget": nonsense}).status_code == 422

    answer = operator.post(url, {"budget": "60.5"}, follow=True)

    job.refresh_from_db()
    assert job.budget_nano_usd == int(Decimal("60.5") * DOLLAR)
    assert "The budget is $60.50 now." in text_of(answer)


def test_a_parked_job_goes_on_under_a_higher_budget(operator):
    job = make_job(planned=2, state="parked", budget_nano_usd=DOLLAR)

    operator.post(reverse("job_budget", args=[job.pk]), {"budget": "5"})

    job.refresh_from_db()
    assert job.state == "running"
