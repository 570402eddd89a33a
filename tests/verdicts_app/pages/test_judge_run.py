import re

import pytest
from django.urls import reverse

from judgeweb.judging.documents import ScenarioDocument
from rubrics_app.models import Rubric
from rubrics_app.scenarios import save_scenario
from tests import factories
from tests.judging.world import items
from verdicts_app.models import Job, Judgement, Run

pytestmark = pytest.mark.django_db


@pytest.fixture
def operator(client, make_user):
    client.force_login(make_user("operator"))
    return client


@pytest.fixture(autouse=True)
def woken(monkeypatch):
    calls = []
    monkeypatch.setattr("verdicts_app.pages.judge_run.wake_workers", lambda: calls.append(1))
    return calls


@pytest.fixture
def nightly(settings) -> Run:
    """Three answers to a published scenario, and one run that failed."""
    settings.ANTHROPIC_API_KEY = "key"
    settings.JUDGE_MODEL = "claude-sonnet-5-5"
    scenario = save_scenario(
        ScenarioDocument(name="ferry-queue", challenge="Say how the queue fails."), user=None
    ).scenario
    # A response keeps the character; without one the persona mark has nothing to go by.
    for number in range(3):
        factories.make_response(
            "lighthouse:reviewer", scenario, run="nightly", character=f"Keeper {number}"
        )
    factories.make_response(scenario=scenario, run="nightly", outcome="failed")
    return Run.objects.get(run_id="nightly")


def url(run="nightly"):
    return reverse("judge_run", args=[run])


def text_of(answer, status=200):
    assert answer.status_code == status
    return " ".join(answer.content.decode().split())


def pressed(page):
    """What pressing the button would post."""
    fields = re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)"', page)
    return {name: value for name, value in fields if name != "csrfmiddlewaretoken"}


def test_the_price_is_shown_first_and_nothing_is_written(operator, nightly):
    page = text_of(operator.get(url()))

    assert re.search(r'id="judge-now">Judge 3 answers, about \$0\.\d{4}</button>', page)
    assert "<dd>1 <small>left out</small></dd>" in page
    assert not Job.objects.exists()


def test_pressing_the_button_plans_the_job_and_wakes_workers(
    operator, nightly, woken, django_capture_on_commit_callbacks
):
    page = text_of(
        operator.get(url(), {"model": "claude-sonnet-5-5", "repeats": "2", "budget": "5"})
    )
    assert "Judge 6 answers, about" in page

    with django_capture_on_commit_callbacks(execute=True):
        answer = operator.post(url(), pressed(page), follow=True)

    job = Job.objects.get()
    assert Judgement.objects.filter(job=job).count() == 6
    assert job.budget_nano_usd == 5 * 10**9
    assert job.run == nightly
    assert woken
    assert "6 answers to be judged." in text_of(answer)


def test_more_answers_than_the_button_named_start_nothing(operator, nightly):
    page = text_of(operator.get(url()))
    factories.make_response("orchard:reviewer", "ferry-queue", run="nightly", character="Pell")

    again = text_of(operator.post(url(), pressed(page)), 409)

    assert "More answers came in meanwhile." in again
    assert "Judge 4 answers, about" in again
    assert not Job.objects.exists()


def test_a_post_without_an_agreed_count_starts_nothing(operator, nightly):
    values = {"model": "claude-sonnet-5-5", "repeats": "1", "budget": "5", "use_gold": "on"}

    for agreed in ({}, {"agreed": "x"}, {"agreed": "-1"}):
        assert operator.post(url(), values | agreed).status_code == 409
    assert not Job.objects.exists()


def test_what_is_under_way_is_left_out(operator, nightly):
    operator.post(url(), pressed(text_of(operator.get(url()))))

    page = text_of(operator.get(url()))

    assert "3 answers are in another job already" in page
    assert "Nothing is left to judge this way." in page


def test_a_budget_below_the_price_says_so(operator, nightly):
    page = text_of(
        operator.get(url(), {"model": "claude-sonnet-5-5", "repeats": "1", "budget": "0.0001"})
    )

    assert "This budget starts nothing." in page


@pytest.mark.parametrize(
    ("field", "value"),
    [("repeats", "7"), ("repeats", "x"), ("budget", "-1"), ("budget", "NaN"), ("mode", "x")],
)
def test_a_value_that_cannot_be_used_is_named(operator, nightly, field, value):
    values = {"model": "claude-sonnet-5-5", "repeats": "1", "budget": "5", field: value}

    page = text_of(operator.get(url(), values), 422)

    assert f'href="#j-{field}"' in page
    assert "judge-now" not in page


def test_a_rubric_of_another_mode_refuses_every_answer_and_says_why(operator, nightly):
    page = text_of(
        operator.get(
            url(),
            {"model": "claude-sonnet-5-5", "repeats": "1", "budget": "5", "rubric": "checklist"},
        )
    )

    assert "is for mode" in page
    assert "judge-now" not in page


def test_without_a_judge_the_page_says_that_work_waits(operator, nightly, settings):
    settings.ANTHROPIC_API_KEY = settings.ANTHROPIC_BASE_URL = ""

    assert "the work is planned and waits, nothing is lost" in text_of(operator.get(url()))


def test_judge_again_takes_up_what_is_judged(operator, nightly):
    operator.post(url(), pressed(text_of(operator.get(url()))))
    for judgement in Judgement.objects.all():
        Judgement.objects.filter(pk=judgement.pk).update(state="judged", finished_at=factories.NOON)
        factories.make_verdict(
            response=judgement.response, judgement=judgement, identity=judgement.identity
        )

    plain = text_of(operator.get(url()))
    again = text_of(operator.get(url(), {"rejudge": "on"}))

    assert "Tick “Judge again” to judge the 3 a second time." in plain
    assert "Judge 3 answers, about" in again


def test_a_run_that_is_not_there_is_not_found(operator):
    assert operator.get(url("nothing")).status_code == 404


def test_two_contestants_are_paired_by_one_judge_or_several(
    operator, nightly, woken, django_capture_on_commit_callbacks
):
    factories.make_response("control:reviewer", nightly.responses.first().scenario, run="nightly")
    chosen = {"mode": "compare", "model": "claude-sonnet-5-5, claude-opus-5-5", "repeats": "1"}
    page = text_of(operator.get(url(), {**chosen, "budget": "5", "orders": "1"}))
    assert "Judge 2 pairs, about" in page

    with django_capture_on_commit_callbacks(execute=True):
        operator.post(url(), pressed(page), follow=True)

    pairs = [row.pair for row in Judgement.objects.select_related("pair__second__persona")]
    assert [pair.second.persona.spec for pair in pairs] == ["control:reviewer"] * 2
    models = Judgement.objects.values_list("epoch__requested_model", flat=True)
    assert sorted(models) == ["claude-opus-5-5", "claude-sonnet-5-5"]
    assert '"orders": 1' in Judgement.objects.first().epoch.parameters


def test_an_opponent_that_nobody_is_stands_among_what_is_left_out(operator, nightly):
    chosen = {"mode": "compare", "model": "claude-sonnet-5-5", "repeats": "1", "budget": "5"}
    page = text_of(operator.get(url(), {**chosen, "opponent": "nobody:reviewer"}))

    assert "there is nobody to compare it with" in page
    assert "Nothing is left to judge this way." in page


def test_calls_alone_have_no_mode_opponent_or_gold_standard(operator, nightly):
    factories.make_capture(run="calls")
    calls_rubric = Rubric.objects.get(mode="calls")

    form = operator.get(url("calls")).context["form"]
    page = text_of(operator.get(url("calls")))

    for name in ("mode", "opponent", "orders"):
        assert f'id="j-{name}"' not in page
    assert "gold standard" not in page
    assert "Failed runs" not in page
    assert [key for key, _ in form.fields["rubric"].choices] == ["", calls_rubric.key]
    assert re.search(r'id="judge-now">Judge 1 call, about', page)


def test_a_run_of_answers_and_calls_offers_both(operator, nightly):
    factories.make_capture(run="nightly")

    page = text_of(operator.get(url()))

    assert 'id="j-mode"' in page
    assert 'id="j-call_type"' in page
    assert "gold standard" in page


def test_the_price_says_how_many_claims_are_extracted_and_the_button_carries_it(operator, nightly):
    listed = save_scenario(
        ScenarioDocument(
            name="kiosk", challenge="Say how it fails.", baseline_issues=items(critical=2)
        ),
        user=None,
    ).scenario
    factories.make_response("lighthouse:reviewer", listed, run="nightly", character="Keeper")
    chosen = {"model": "claude-sonnet-5-5", "repeats": "2", "budget": "5"}
    chosen |= {"claims": "on", "claims_model": "claude-opus-5-5", "shuffle": "on"}

    page = text_of(operator.get(url(), chosen))

    assert "The claims of 1 response are extracted first, once each, by claude-opus-5-5" in page
    posted = operator.post(url(), pressed(page))
    assert posted.status_code == 302
    # Two repeats each of three answers without a checklist and of one with.
    by_claims = Judgement.objects.filter(epoch__parameters__contains="claim_step")
    assert (Judgement.objects.count(), by_claims.count()) == (8, 2)
    assert not Judgement.objects.filter(seed="").exists()


def test_where_no_checklist_is_matched_the_page_says_so(operator, nightly):
    chosen = {"model": "claude-sonnet-5-5", "repeats": "1", "budget": "5", "claims": "on"}

    page = text_of(operator.get(url(), chosen))

    assert "No checklist is matched here, so no claims are extracted." in page
