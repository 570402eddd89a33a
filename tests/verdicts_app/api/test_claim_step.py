"""The claim step through the API and onto the pages: asked for, priced, shown with both prompts."""

import json
from typing import Any

import pytest
from django.test import Client

from judgeweb.judging.documents import GoldDocument
from rubrics_app.scenarios import save_gold, save_scenario
from tests.fixtures.standin import StandInControl
from tests.judging.world import checklist
from tests.verdicts_app.seed_data import checklist_data, said
from verdicts_app.models import Epoch, Extraction, Judgement, LedgerEntry, Verdict
from verdicts_app.work.control import retry_unjudged
from verdicts_app.work.drain import drain

pytestmark = pytest.mark.django_db(transaction=True)

RESPONSE = (
    "The lock is never released after a refund.\n"
    "A refund of minus ten charges the guest instead.\n"
    "The webhook is unsigned, so that anybody can call it.\n"
)


def post(client: Client, path: str, body: Any) -> Any:
    return client.post(f"/api/v1{path}", json.dumps(body), content_type="application/json")


def judged(client: Client, **more: Any) -> Any:
    body = {"mode": "solo", "data": checklist_data(response=RESPONSE), "claims": True, **more}
    return post(client, "/judgements?wait=10", body)


def whole(client: Client, verdict: Verdict) -> Any:
    return client.get(f"/api/v1/verdicts/{verdict.pk}").json()


def test_several_judges_and_repeats_of_one_request_share_the_claims(
    api: Any, worker: StandInControl
) -> None:
    client = api("judge", "read")

    answer = judged(client, models=["claude-sonnet-5-5", "claude-opus-5-5"], repeats=3)

    assert answer.status_code == 200, answer.content
    # A probe of both, one extraction, six matches.
    assert worker.stats()["requests"] == 2 + 1 + 6
    prompts = LedgerEntry.objects.values_list("prompt", flat=True)
    assert sorted(prompts) == ["claims", *["first"] * 6, *["probe"] * 2]
    owners = [whole(client, verdict) for verdict in Verdict.objects.order_by("id")]
    lists = [[claim["text"] for claim in one["claims"][0]["claims"]] for one in owners]
    assert lists == [lists[0]] * 6
    assert len(lists[0]) == 3
    # One of them asked; the others show its request with the exact prompt and the raw reply.
    others = [one for one in owners if one["claims"][0]["requests"]]
    assert len(others) == 5
    [request] = others[0]["claims"][0]["requests"]
    assert "List what its answer claims" in request["system"]
    assert RESPONSE in request["messages"][0]["text"]
    assert json.loads(request["reply"])["claims"][0]["quote"] in RESPONSE
    assert "Expected findings" not in request["system"] + request["messages"][0]["text"]


def test_a_whole_verdict_says_what_became_of_each_claim(api: Any, worker: StandInControl) -> None:
    client = api("judge", "read")
    judged(client)
    verdict = Verdict.objects.get()

    one = whole(client, verdict)

    [table] = one["claims"]
    assert (table["contestant"], table["model"]) == ("", "claude-sonnet-5-5")
    assert table["requests"] == []  # it is among the verdict's own
    assert [request["prompt"] for request in one["requests"]] == ["probe", "claims", "first"]
    for claim in table["claims"]:
        start, end = claim["quote_at"]
        assert RESPONSE[start:end] == claim["quote"]
        assert len(claim["rulings"]) == 1
    found = [finding for finding in one["findings"] if finding["found"] and finding["id"]]
    matched = [item for claim in table["claims"] for item in claim["rulings"][0]["items"]]
    assert sorted(finding["id"] for finding in found) == sorted(matched)
    assert one["pins"]["prompt_version"] == "checklist by claims 1"
    assert one["pins"]["parameters"]["claim_step"] == {
        "model": "claude-sonnet-5-5",
        "prompt": "claims 1",
    }


def test_the_page_shows_the_claims_their_matches_and_who_extracted_them(
    api: Any, worker: StandInControl, client: Client, make_user: Any
) -> None:
    client.force_login(make_user("viewer"))
    judged(api("judge"), repeats=2, shuffle=True)
    first, second = Verdict.objects.order_by("id")

    own, other = (client.get(f"/verdicts/{v.pk}/").content.decode() for v in (first, second))

    for page in (own, other):
        assert "3 claims, extracted once by claude-sonnet-5-5" in page
        assert "claims extracted once by claude-sonnet-5-5" in page
        assert "The webhook is unsigned, so that anybody can call it." in page
        assert "shuffled with seed" in page
        assert "List what its answer claims" in page
    assert "The request is among those of this verdict" in own
    assert f"judgement {first.judgement_id}</a>, which paid for it" in other
    assert f"matches {first.findings.filter(found=True, kind='baseline')[0].item_id}" in own


def test_the_page_of_a_pair_shows_the_claims_of_both(
    api: Any, worker: StandInControl, client: Client, make_user: Any
) -> None:
    client.force_login(make_user("viewer"))
    data = checklist_data()
    sides = [
        {"spec": spec, "character": "Maren Holt", "response": RESPONSE + spec}
        for spec in ("lighthouse:reviewer", "harbour:reviewer")
    ]
    body = {
        "mode": "compare",
        "claims": True,
        "data": {
            "contestants": sides,
            "challenge": data["challenge"],
            "baseline_issues": data["baseline_issues"],
        },
    }
    answer = post(api("judge"), "/judgements?wait=10", body)
    assert answer.status_code == 200, answer.content

    page = client.get(f"/verdicts/{Verdict.objects.get().pk}/").content.decode()

    assert page.count("extracted once by claude-sonnet-5-5 without sight") == 2
    assert "second order" in page


def test_the_board_says_that_it_is_another_instrument(
    api: Any, worker: StandInControl, client: Client, make_user: Any
) -> None:
    client.force_login(make_user("viewer"))
    judged(api("judge"), claims=False)
    judged(api("judge"))

    page = client.get("/").content.decode()

    assert Epoch.objects.count() == 2
    assert "claims extracted once by claude-sonnet-5-5" in page


def test_claims_that_cannot_be_read_are_said_to_be_the_reason(
    api: Any, worker: StandInControl
) -> None:
    client = api("judge", "read")
    worker.replies(said({"works": True}), {"text": "Well."}, {"text": "Well, well."})

    answer = judged(client, repeats=2)

    assert answer.status_code == 502
    assert "the claims of the response could not be read" in answer.json()["detail"]
    job = answer.json()["job"]
    # The second of them made no request: it names the judgement that did.
    first, second = Judgement.objects.order_by("id")
    assert f"(asked under judgement {first.pk})" in second.unjudged_detail
    assert not LedgerEntry.objects.filter(judgement=second).exists()
    assert retry_unjudged(job_id=job, actor="tester") == 2
    drain()
    assert Verdict.objects.count() == 2


def test_a_dry_run_prices_the_extraction(api: Any, worker: StandInControl) -> None:
    client = api("judge")
    judged(client, claims=False)

    body = {"dry_run": True, "claims": True, "repeats": 3}
    price = post(client, "/runs/judgements/judge", body).json()

    assert (price["judgements"], price["extractions"]) == (3, 1)
    assert price["extractors"] == "claude-sonnet-5-5"


@pytest.mark.parametrize(
    ("more", "field"),
    [
        ({"claims": "yes"}, "claims"),
        ({"claims": False, "claims_model": "claude-opus-5-5"}, "claims_model"),
        ({"shuffle": 1}, "shuffle"),
    ],
)
def test_what_cannot_be_used_is_refused_by_name(api: Any, more: Any, field: str) -> None:
    answer = judged(api("judge"), **more)

    assert answer.status_code == 422
    assert field in answer.content.decode()
    assert not Extraction.objects.exists()


def test_a_judge_is_calibrated_by_claims(api: Any, worker: StandInControl) -> None:
    client = api("judge", "read")
    about = checklist(critical=1, low=1).scenario
    save_scenario(about, user=None)
    gold = GoldDocument(scenario=about.name, response=RESPONSE, score=80, graded_by="R. Ode")
    save_gold(gold, user=None)

    answer = post(client, "/calibrations", {"claims": True, "shuffle": True, "repeats": 2})

    assert answer.status_code == 202, answer.content
    assert sorted(LedgerEntry.objects.values_list("prompt", flat=True)) == [
        "claims",
        "first",
        "first",
        "probe",
    ]
    [row] = client.get("/api/v1/calibrations").json()
    assert len(row["totals"]) == 2
