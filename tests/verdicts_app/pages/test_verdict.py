import json
from datetime import UTC, datetime
from pathlib import Path

import pytest
from django.test import Client
from django.urls import reverse

from judgeweb.access.tokens import create_token
from tests import factories
from tests.verdicts_app.pages.golden import LOST, make_golden_verdict, make_request, quote_of
from verdicts_app.models import VerdictFinding, VerdictMark

pytestmark = pytest.mark.django_db
HOSTILE = json.loads((Path(__file__).parents[2] / "cases/128_xss.json").read_text())


@pytest.fixture
def viewer(client, make_user):
    client.force_login(make_user("viewer"))
    return client


def text_of(response):
    assert response.status_code == 200
    return " ".join(response.content.decode().split())


def test_verdict_page_golden_case_shows_parts_and_total(viewer):
    golden = make_golden_verdict()

    page = text_of(viewer.get(reverse("verdict", args=[golden.verdict.pk])))

    assert "<dd>75.7 <small>of 100</small></dd>" in page
    assert "<dd>35.7 <small>of 50</small></dd>" in page
    assert "<dd>18.8 <small>of 25</small></dd>" in page
    assert "<dd>21.3 <small>of 25</small></dd>" in page
    assert "<dd>72.6</dd>" in page
    assert "<dd>0.68 / 0.93</dd>" in page
    assert "<dd>$0.0194</dd>" in page
    assert "<dd>11.8 s</dd>" in page


def test_verdict_page_golden_case_writes_the_arithmetic_out(viewer):
    golden = make_golden_verdict()

    page = text_of(viewer.get(reverse("verdict", args=[golden.verdict.pk])))

    for value in ("0.680412", "0.928571", "0.718834", "35.698085", "18.75", "21.25", "75.698085"):
        assert f'<span class="is">{value}</span>' in page
    assert "(5×15 + 4×10 + 3×5 + 1×2) / (6×15 + 6×10 + 8×5 + 2×2) = 132 / 194" in page


def test_verdict_page_says_in_words_what_was_seen(viewer):
    golden = make_golden_verdict()

    page = text_of(viewer.get(reverse("verdict", args=[golden.verdict.pk])))

    assert (
        "Maren Holt, night keeper, found 13 of 22 planted issues, claimed one that is not there, "
        "and saw two that nobody had planted." in page
    )
    assert "The judge stated 79.8, its own marks give 75.7." in page
    assert "1 of 13 quotes is not in the response" in page
    assert "critical: 5 of 6 found, 75 of 90 points" in page
    assert "13 of 22, 132 of 194 points" in page


def test_verdict_page_lights_verified_quotes_in_place_and_strikes_out_the_lost_one(viewer):
    golden = make_golden_verdict()

    page = text_of(viewer.get(reverse("verdict", args=[golden.verdict.pk])))

    assert page.count('<mark class="ev"') == 12
    assert f'<mark class="ev" id="ev-1">{quote_of("CRITICAL-1")}<a class="ev-ref"' in page
    assert f'<del class="ev-lost">{quote_of(LOST)}</del>' in page
    assert f"I note that {quote_of(LOST)}" not in page


def test_verdict_page_lights_the_claimed_band_with_the_text_of_the_pinned_rubric(viewer):
    golden = make_golden_verdict()

    page = text_of(viewer.get(reverse("verdict", args=[golden.verdict.pk])))

    assert page.count('<li aria-current="true">7–8</li>') == 3
    assert page.count('<li aria-current="true">9–10</li>') == 1
    assert "<b>9–10</b> Persona of band 9 to 10." in page


def test_verdict_page_shows_pins_request_reply_and_prompt(viewer):
    golden = make_golden_verdict()

    page = text_of(viewer.get(reverse("verdict", args=[golden.verdict.pk])))

    assert "Code review, checklist, revision 7" in page
    assert "ticket-kiosk, revision 4" in page
    assert "checklist-5" in page
    assert "effort medium, orders 1" in page
    assert "req_01hq7Zk3mD9v" in page
    assert "7,340" in page
    assert "{&quot;total&quot;: 79.8}" in page
    assert "You judge one code review." in page
    assert "&lt;&lt;response 8f1c9a&gt;&gt;" in page


def test_verdict_page_lists_earlier_repeated_and_unjudged_outcomes(viewer):
    golden = make_golden_verdict()
    old = factories.make_verdict(
        response=golden.response,
        epoch=golden.verdict.epoch,
        total=70,
        identity=golden.verdict.identity,
        superseded_at=datetime(2026, 11, 3, tzinfo=UTC),
        on_board=False,
    )
    factories.make_verdict(response=golden.response, epoch="other", total="78.1", repeat=2)
    unjudged = factories.make_judgement(
        golden.response, state="unjudged", unjudged_reason="truncated", repeat=3
    )

    page = text_of(viewer.get(reverse("verdict", args=[golden.verdict.pk])))
    old_page = text_of(viewer.get(reverse("verdict", args=[old.pk])))

    assert "unjudged: truncated" in page
    assert reverse("judgement", args=[unjudged.pk]) in page
    assert "repeat 2" in page
    assert reverse("verdict", args=[old.pk]) in page
    assert "A newer verdict took its place" in old_page
    assert (
        f'<a href="{reverse("verdict", args=[golden.verdict.pk])}">Read the newer one' in old_page
    )


def test_verdict_page_leads_to_its_neighbours_in_the_run(viewer):
    before = factories.make_verdict(run="run-1")
    golden = make_golden_verdict()
    factories.make_verdict(run="another")
    after = factories.make_verdict(run="run-1")

    page = text_of(viewer.get(reverse("verdict", args=[golden.verdict.pk])))

    assert "<span>2 of 3</span>" in page
    assert f'href="{reverse("verdict", args=[before.pk])}" data-key="k"' in page
    assert f'href="{reverse("verdict", args=[after.pk])}" data-key="j"' in page


def test_verdict_page_shows_hostile_strings_as_text(viewer):
    image, reference, title, maths, script = HOSTILE
    persona = factories.make_persona(image, character=script)
    response = factories.make_response(persona, text=f"{script} {title}", model=image)
    judgement = factories.make_judgement(response)
    verdict = factories.make_verdict(
        response=response,
        judgement=judgement,
        detail=json.dumps({"assessment": reference, "notes": [script], "parts": {}}),
    )
    VerdictMark.objects.create(
        verdict=verdict,
        position=1,
        dimension="quality",
        key="quality",
        label=maths,
        value_exact="8",
        value_nano=8 * 10**9,
        reasoning=image,
    )
    VerdictFinding.objects.create(
        verdict=verdict,
        position=1,
        kind="baseline",
        item_id=title,
        category=script,
        description=image,
        found=True,
        evidence=script,
        evidence_state="verified",
        evidence_start=0,
        evidence_end=len(script),
    )
    make_request(judgement.pk, reply=script)

    page = text_of(viewer.get(reverse("verdict", args=[verdict.pk])))

    for hostile in (image, title, script):
        assert hostile not in page
    assert 'href="javascript' not in page
    assert "&lt;img src=x onerror=alert(1)&gt;" in page
    assert "&lt;/script&gt;&lt;b&gt;x" in page


@pytest.mark.parametrize(
    ("origin", "label"),
    [
        ("stand_in", "stand-in, not a judgement"),
        ("sample", "sample data"),
        ("imported", "imported"),
    ],
)
def test_verdict_page_labels_what_is_no_judgement_of_ours(viewer, origin, label):
    verdict = factories.make_verdict(epoch=factories.make_epoch("e", origin=origin))

    assert label in text_of(viewer.get(reverse("verdict", args=[verdict.pk])))


def test_verdict_page_without_total_or_judgement_shows_dashes(viewer):
    verdict = factories.make_verdict(total=None, cost_nano_usd=None, latency_ms=None)

    page = text_of(viewer.get(reverse("verdict", args=[verdict.pk])))

    assert "<dd>– <small>of 100</small></dd>" in page


def test_verdict_page_asks_the_database_equally_often_whatever_it_holds(
    viewer, django_assert_max_num_queries
):
    golden = make_golden_verdict()
    for repeat in range(2, 6):
        factories.make_verdict(response=golden.response, epoch=golden.verdict.epoch, repeat=repeat)

    with django_assert_max_num_queries(24):
        viewer.get(reverse("verdict", args=[golden.verdict.pk]))


def test_verdict_page_unknown_id_is_not_found(viewer):
    assert viewer.get(reverse("verdict", args=[999])).status_code == 404
    assert viewer.get(reverse("judgement", args=[999])).status_code == 404


def test_judgement_page_unjudged_says_why_and_keeps_the_reply(viewer):
    judgement = factories.make_unjudged(reason="truncated")
    make_request(judgement.pk, reply='{"scores": {"corr', stop_reason="max_tokens")

    page = text_of(viewer.get(reverse("judgement", args=[judgement.pk])))

    assert "unjudged: truncated" in page
    assert "the reply hit the token limit twice" in page
    assert "{&quot;scores&quot;: {&quot;corr" in page
    assert "max_tokens" in page
    assert "Retry the unjudged" not in page


def test_judgement_page_judged_leads_on_to_the_verdict(viewer):
    golden = make_golden_verdict()

    answer = viewer.get(reverse("judgement", args=[golden.verdict.judgement_id]))

    assert answer["Location"] == reverse("verdict", args=[golden.verdict.pk])


def test_verdict_json_is_the_record_of_the_api(viewer, client, make_user):
    golden = make_golden_verdict()
    _, secret = create_token(
        user=make_user("viewer", "script"),
        name="reader",
        scopes=["read"],
        expires_at=None,
        actor="test",
    )

    by_session = viewer.get(reverse("verdict_json", args=[golden.verdict.pk]))
    by_token = Client().get(
        f"/api/v1/verdicts/{golden.verdict.pk}", headers={"Authorization": f"Bearer {secret}"}
    )

    assert by_session.json() == by_token.json()
    assert by_session.json()["total"] == pytest.approx(75.698085, abs=1e-6)
