"""The playground: prompt and price first, then one judgement that stands on no board."""

import re
from io import StringIO

import pytest
from django.core.management import call_command
from django.db import IntegrityError
from django.urls import reverse

from judgeweb.access.models import AuditEntry
from judgeweb.judging.documents import ScenarioDocument
from rubrics_app.models import Revision, Rubric
from rubrics_app.publishing import raise_version
from rubrics_app.scenarios import save_scenario
from tests import factories
from tests.judging.world import RESPONSE, items, solo_reply
from tests.verdicts_app.mode_data import PATCH as GOLD
from tests.verdicts_app.mode_data import in_both_orders, make_instance, rated
from tests.verdicts_app.seed_data import WORKS, said
from verdicts_app.boards.requests_made import requests_made
from verdicts_app.models import (
    PLAYGROUND_RUN,
    BoardSum,
    Chain,
    Job,
    Judgement,
    LedgerEntry,
    Persona,
    Response,
    Run,
    Verdict,
)
from verdicts_app.work.drain import drain

pytestmark = pytest.mark.django_db(transaction=True)

PLAYGROUND = "/playground/"


@pytest.fixture(autouse=True)
def scenario(db):
    document = ScenarioDocument(name="refunds", challenge="Review the refunds.")
    return save_scenario(document, user=None).scenario


@pytest.fixture
def operator(client, make_user, monkeypatch):
    monkeypatch.setattr("verdicts_app.pages.playground.wake_workers", lambda: True)
    client.force_login(make_user("operator"))
    return client


@pytest.fixture
def judge(standin, settings):
    settings.ANTHROPIC_API_KEY = "key-of-the-tests"
    settings.ANTHROPIC_BASE_URL = standin.url
    return standin


def solo(**change):
    return {
        "mode": "solo",
        "rubric": "",
        "scenario": "refunds",
        "model": "claude-sonnet-5-5",
        "budget": "1",
        "who_1": "lighthouse:reviewer",
        "character_1": "Maren Holt",
        "stored_1": "",
        "text_1": RESPONSE,
    } | change


def previewed(client, data, status=200):
    answer = client.post(PLAYGROUND, {**data, "act": "preview"})
    assert answer.status_code == status, answer.content.decode()
    return answer.context["shown"], answer


def judged(client, data, *, judge=None, replies=()):
    """Preview, press the button, let the worker work; the trial's page."""
    shown, _ = previewed(client, data)
    if judge:
        judge.replies(WORKS, *replies)
    agreed = {"agreed": shown.sameness} if shown else {}
    answer = client.post(PLAYGROUND, {**data, **agreed, "act": "judge"})
    assert answer.status_code == 302, answer.content.decode()
    drain()
    return client.get(answer["Location"])


# --- the prompt and its price -------------------------------------------------------------------


def test_the_prompt_shown_is_the_one_that_is_sent_and_nothing_is_stored_before(operator, judge):
    shown, answer = previewed(operator, solo())

    assert not Response.objects.exists()
    assert not Job.objects.exists()
    assert judge.stats()["requests"] == 0
    [prompt] = shown.prompts
    page = answer.content.decode()
    assert "Review the refunds." in prompt.system
    assert RESPONSE in prompt.user
    assert re.search(r"Judge, about \$0\.0\d{3}", page)

    judged(operator, solo(), judge=judge, replies=[said(solo_reply(8, 7, 9, 8))])

    sent = [r for r in requests_made(Judgement.objects.get().pk) if r.prompt != "probe"]
    assert [(r.system, r.messages[0].text) for r in sent] == [(prompt.system, prompt.user)]


def test_two_orders_are_two_prompts_at_twice_the_price(operator, judge):
    pair = solo(mode="compare", who_2="control:reviewer", text_2="Retry.", stored_2="", orders="2")

    both, _ = previewed(operator, pair)
    one, _ = previewed(operator, pair | {"orders": "1"})

    assert [prompt.label for prompt in both.prompts] == ["first", "second"]
    assert [prompt.label for prompt in one.prompts] == ["first"]
    assert one.price.estimate_nano_usd < both.price.estimate_nano_usd
    assert "lighthouse" not in both.prompts[0].user


def test_a_changed_text_is_not_judged_at_the_old_price(operator, judge):
    shown, _ = previewed(operator, solo())

    changed = solo(text_1=RESPONSE + " And more.", agreed=shown.sameness, act="judge")
    answer = operator.post(PLAYGROUND, changed)

    assert answer.status_code == 409
    assert "Something changed since the price was shown" in answer.content.decode()
    assert not Job.objects.exists()


def test_line_ends_are_those_that_were_pasted(operator, judge):
    shown, _ = previewed(operator, solo(text_1="one\r\ntwo\r\n"))

    assert "one\ntwo\n" in shown.prompts[0].user
    assert "\r" not in shown.prompts[0].user


# --- judging ------------------------------------------------------------------------------------


def test_a_trial_shows_its_verdict_and_stands_on_no_board(operator, judge):
    page = judged(operator, solo(), judge=judge, replies=[said(solo_reply(8, 7, 9, 8))])

    # 2.5 x (8 + 7 + 9 + 8)
    verdict = Verdict.objects.get()
    assert (verdict.total_nano, verdict.origin) == (80 * 10**9, "trial")
    assert (verdict.on_board, verdict.run) == (False, None)
    text = page.content.decode()
    assert "80.0 <small>of 100</small>" in text
    assert RESPONSE.split("\n")[0] in text
    assert 'hx-trigger="every' not in text
    # Money is in the ledger: the probe and the request.
    assert LedgerEntry.objects.filter(judgement__job=Job.objects.get()).count() == 2
    assert Job.objects.get().committed_nano_usd > 0
    actions = set(AuditEntry.objects.values_list("action", flat=True))
    assert {"paste answers into the playground", "plan job"} <= actions

    assert not BoardSum.objects.exists()
    board = operator.get("/")
    assert board.context["board"].epochs.is_installation_empty
    assert "playground" not in operator.get("/runs/").content.decode().split("</header>")[1]
    assert operator.get("/verdicts/").context["page"].rows == ()
    out = StringIO()
    call_command("recompute", stdout=out)
    assert out.getvalue() == "1 verdicts recomputed, 0 differences\n"
    # It does show where it is asked for by its own address.
    own = operator.get(reverse("verdict", args=[verdict.pk])).content.decode()
    assert "Judged in the playground." in own


def test_while_it_waits_the_page_polls_and_then_stops(operator, judge):
    shown, _ = previewed(operator, solo())
    judge.replies(WORKS, said(solo_reply(8, 7, 9, 8)))
    answer = operator.post(PLAYGROUND, solo(agreed=shown.sameness, act="judge"))
    outcome = answer["Location"].removesuffix("#trial") + "outcome/"

    waiting = operator.get(outcome).content.decode()
    drain()
    over = operator.get(outcome).content.decode()

    assert f'hx-get="{outcome}" hx-trigger="every 2s"' in waiting
    assert "Waiting for a worker." in waiting
    assert "hx-trigger" not in over
    assert 'data-announce="The trial is over."' in over


def test_the_very_same_trial_costs_nothing_twice(operator, judge):
    judged(operator, solo(), judge=judge, replies=[said(solo_reply(8, 7, 9, 8))])
    requests = judge.stats()["requests"]

    shown, page = previewed(operator, solo())
    again = operator.post(PLAYGROUND, solo(agreed=shown.sameness, act="judge"))

    assert "Show the verdict" in page.content.decode()
    trial = reverse("trial", args=[Judgement.objects.get().pk])
    assert again["Location"] == f"{trial}#trial"
    assert judge.stats()["requests"] == requests
    assert (Response.objects.count(), Verdict.objects.count()) == (1, 1)
    # Nor is it judged again at the price of nothing.
    paid = operator.post(PLAYGROUND, solo(agreed=shown.sameness, act="judge", rejudge="on"))
    assert paid.status_code == 409
    assert paid.context["button"].startswith("Judge, about $")


def test_an_unjudged_trial_says_why_and_is_in_no_list(operator, judge):
    broken = {"text": "I would give it an eight."}
    page = judged(operator, solo(), judge=judge, replies=[broken, broken])

    assert "unjudged: unreadable" in page.content.decode()
    assert operator.get("/verdicts/?state=unjudged").context["page"].rows == ()


# --- rubrics ------------------------------------------------------------------------------------


def test_a_draft_is_pinned_as_it_stands_and_publishes_nothing(operator, judge, django_user_model):
    Rubric.objects.filter(key="solo").update(description="Look for the lock first.")
    draft = Rubric.objects.get(key="solo")
    raise_version(draft, user=None)
    page = operator.get(PLAYGROUND).content.decode()
    assert "draft: draft differs from revision 1" in page

    with_draft = solo(rubric="draft:solo")
    shown, _ = previewed(operator, with_draft)
    published, _ = previewed(operator, solo())
    assert not Revision.objects.filter(kind="trial").exists()
    assert shown.sameness != published.sameness

    judged(operator, with_draft, judge=judge, replies=[said(solo_reply(8, 7, 9, 8))])

    [snapshot] = Revision.objects.filter(kind="trial")
    pinned = Verdict.objects.get().epoch.rubric_revision
    assert (pinned, snapshot.key, snapshot.number) == (snapshot, "solo", 1)
    assert "Look for the lock first." in snapshot.document
    assert Revision.objects.filter(kind="rubric", key="solo").count() == 1
    # The same draft is the same snapshot, another one is the next.
    Rubric.objects.filter(key="solo").update(description="Look for the refund first.")
    judged(operator, with_draft, judge=judge, replies=[said(solo_reply(8, 7, 9, 8))])
    assert list(Revision.objects.filter(kind="trial").values_list("number", flat=True)) == [2, 1]
    assert len({verdict.identity for verdict in Verdict.objects.all()}) == 2


def test_a_draft_that_could_not_be_published_is_refused(operator, judge):
    Rubric.objects.get(key="solo").dimensions.filter(key="depth").update(weight=20)

    _, answer = previewed(operator, solo(rubric="draft:solo"), status=422)

    assert "the draft cannot be judged with" in answer.content.decode()


# --- other modes --------------------------------------------------------------------------------


def test_a_patch_is_judged_at_once_without_a_judge(operator, settings):
    settings.ANTHROPIC_API_KEY = settings.ANTHROPIC_BASE_URL = ""
    make_instance()
    data = {"mode": "ground-truth", "scenario": "booking-17", "text_1": GOLD, "stored_1": ""}

    answer = operator.post(PLAYGROUND, {**data, "act": "judge"})

    page = operator.get(answer["Location"]).content.decode()
    verdict = Verdict.objects.get()
    assert (verdict.total_nano, verdict.origin, verdict.on_board) == (100 * 10**9, "trial", False)
    assert "100.0 <small>of 100</small>" in page
    assert "The same change as the gold patch." in page
    assert not LedgerEntry.objects.exists()


def test_two_answers_are_compared_one_of_them_stored(operator, judge, scenario):
    control = factories.make_response("control:reviewer", scenario, run="nightly", text="Retry.")
    data = solo(mode="compare", orders="2", stored_2=str(control.pk), who_2="", text_2="")
    marks = in_both_orders(solo_reply(8, 7, 9, 8), solo_reply(7, 8, 7, 9))

    page = judged(operator, data, judge=judge, replies=marks)

    verdict = Verdict.objects.get()
    assert (verdict.decision, verdict.on_board) == ("win", False)
    assert "lighthouse:reviewer <small>won</small>" in page.content.decode()
    # The stored answer is judged as it is and belongs to its run as before.
    assert verdict.pair.second == control
    [row] = operator.get("/runs/").context["page"].rows
    assert (row.run_id, row.responses, row.judged, row.waiting) == ("nightly", 1, 0, 0)


def test_four_answers_are_a_relay_of_the_playground(operator, judge, scenario):
    stored = factories.make_response("lighthouse:sm", scenario, run="nightly", text="The plan.")
    texts = {f"text_{n}": f"Answer {n} of the relay." for n in (2, 3, 4)}
    data = solo(mode="coherence", who_1="lighthouse", stored_1=str(stored.pk), text_1="") | texts

    page = judged(operator, data, judge=judge, replies=[rated("excellent")])

    assert "excellent <small>× 1.2</small>" in page.content.decode()
    chain = Chain.objects.get()
    assert {response.run.run_id for response in chain.responses} == {PLAYGROUND_RUN}
    assert chain.sm.text == "The plan."
    verdict = Verdict.objects.get()
    whole = operator.get(reverse("verdict", args=[verdict.pk]), follow=True).content.decode()
    assert "Coherence: excellent" in whole


# --- what is refused ----------------------------------------------------------------------------


def test_without_a_judge_the_prompt_is_shown_and_nothing_is_started(operator, settings):
    settings.ANTHROPIC_API_KEY = settings.ANTHROPIC_BASE_URL = ""

    shown, answer = previewed(operator, solo())
    pressed = operator.post(PLAYGROUND, solo(agreed=shown.sameness, act="judge"))

    page = answer.content.decode()
    assert len(shown.prompts) == 1
    assert "How to go on" in page
    assert 'id="judge-now"' not in page
    assert pressed.status_code == 422
    assert "no judge is configured, so nothing was started" in pressed.content.decode()
    assert not Job.objects.exists()
    assert not Run.objects.exists()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"scenario": "moon"}, "no published scenario is called &#x27;moon&#x27;"),
        ({"text_1": "  \n"}, "Answer, text: Paste an answer, or choose a stored one."),
        ({"mode": "phase-sm", "who_1": "a:b", "text_2": "x"}, "A team&#x27;s name holds no colon."),
        ({"mode": "ground-truth"}, "no gold patch is known for &#x27;refunds&#x27;"),
        ({"mode": "checklist"}, "&#x27;refunds&#x27; has no baseline list to judge by."),
        ({"budget": "0"}, "Give more than 0."),
        ({"rubric": "draft:nobody"}, "Select a valid choice"),
        ({"text_1": "a\0b"}, "Null characters are not allowed."),
    ],
)
def test_what_cannot_be_judged_is_refused_by_name(operator, judge, change, words):
    _, answer = previewed(operator, solo(**change), status=422)

    assert words in answer.content.decode()
    assert not Run.objects.exists()


def test_another_mode_asks_for_other_fields_and_keeps_the_texts(operator):
    data = solo(mode="coherence", act="fields")

    page = operator.post(PLAYGROUND, data).content.decode()

    assert page.count("<textarea") == 4
    assert RESPONSE.split("\n")[0] in page
    assert "error-summary" not in page


def test_pasted_text_is_escaped(operator, judge):
    _, answer = previewed(operator, solo(text_1="</textarea><script>alert(1)</script>"))

    assert "<script>alert(1)" not in answer.content.decode()


def test_no_upload_may_use_the_run_of_the_playground(operator):
    from verdicts_app.intake.responses import RunRefused, check_run_id

    with pytest.raises(RunRefused, match="kept for what is pasted"):
        check_run_id(PLAYGROUND_RUN)


def test_who_answered_in_the_playground_alone_is_no_choice_of_the_boards(operator, judge):
    judged(operator, solo(), judge=judge, replies=[said(solo_reply(8, 7, 9, 8))])
    factories.make_verdict(persona="foundry:dev", scenario="refunds", total="70")

    assert Persona.objects.count() == 2
    specs = operator.get("/").context["choices"].specs
    assert specs == ["foundry:dev"]


@pytest.mark.parametrize("change", [{"on_board": True}, {"on_board": False}])
def test_the_database_keeps_a_trial_off_boards_and_out_of_runs(change):
    """The factory's verdict is on a response of a run, and says so."""
    with pytest.raises(IntegrityError, match="a trial is on no board and in no run"):
        factories.make_verdict(
            persona="foundry:dev",
            scenario="refunds",
            total="70",
            epoch=factories.make_epoch("trial", origin="trial"),
            origin="trial",
            **change,
        )


def test_a_trial_of_another_origin_is_no_trial(operator):
    verdict = factories.make_verdict(persona="foundry:dev", scenario="refunds", total="70")
    judgement = factories.make_judgement(verdict.response)

    assert operator.get(reverse("trial", args=[judgement.pk])).status_code == 404


def listed(**change):
    document = ScenarioDocument(
        name="listed",
        challenge="Review the refunds.",
        baseline_issues=items(critical=1, low=1),
    )
    save_scenario(document, user=None)
    return solo(**{"mode": "checklist", "scenario": "listed", "claims": "on"} | change)


def test_a_trial_by_claims_shows_both_prompts_and_their_price(operator, judge):
    plain, _ = previewed(operator, listed(claims=""))
    shown, answer = previewed(operator, listed())

    assert [prompt.label for prompt in shown.prompts] == ["claims", "first"]
    assert "1. (the claims as extracted)" in shown.prompts[1].user
    assert shown.price.extractions == 1
    assert shown.price.estimate_nano_usd > plain.price.estimate_nano_usd
    page = " ".join(answer.content.decode().split())
    assert 'Claims prompt <span class="faint">exactly as the worker sends it' in page
    assert "with the claims where one line stands for them" in page

    posted = operator.post(PLAYGROUND, {**listed(), "act": "judge", "agreed": shown.sameness})
    drain()

    assert posted.status_code == 302
    page = operator.get(posted.url.partition("#")[0]).content.decode()
    assert "extracted once by claude-sonnet-5-5" in page
    assert 'name="claims" checked' in page
    # What was previewed is what was sent.
    sent = {entry.prompt: entry for entry in LedgerEntry.objects.all()}
    assert sent["claims"].system.text == shown.prompts[0].system
    assert sent["first"].system.text == shown.prompts[1].system


def test_a_shuffled_trial_shows_the_order_that_is_sent(operator, judge):
    plain, _ = previewed(operator, listed(claims=""))
    shown, _ = previewed(operator, listed(claims="", shuffle="on"))
    assert shown.prompts[0].system != plain.prompts[0].system

    operator.post(
        PLAYGROUND, {**listed(claims="", shuffle="on"), "act": "judge", "agreed": shown.sameness}
    )
    drain()

    entry = LedgerEntry.objects.get(prompt="first")
    assert entry.system.text == shown.prompts[0].system


def test_what_a_mode_does_not_have_is_left_out_of_its_form(operator):
    page = operator.post(PLAYGROUND, {**solo(mode="coherence"), "act": "fields"}).content.decode()

    assert 'name="claims"' not in page
    assert 'name="shuffle"' not in page
