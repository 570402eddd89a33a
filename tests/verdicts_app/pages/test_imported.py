"""Verdicts made elsewhere in a browser: uploaded, reported, shown beside what they state."""

import json
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from tests.factories import make_scenario
from verdicts_app.models import Response, Verdict

pytestmark = pytest.mark.django_db
CASES = Path(__file__).parents[2] / "cases"
SHAPES = json.loads((CASES / "verdicts" / "shapes.json").read_text())
HOSTILE = json.loads((CASES / "128_xss.json").read_text())


@pytest.fixture
def operator(client: Client, make_user: Any) -> Client:
    client.force_login(make_user("operator"))
    return client


def send(client: Client, *values: Any, **fields: str) -> str:
    files = [
        SimpleUploadedFile(
            f"{number}.json", value if isinstance(value, bytes) else json.dumps(value).encode()
        )
        for number, value in enumerate(values, 1)
    ]
    return text_of(client.post(reverse("upload"), {"run": "history", "files": files} | fields))


def text_of(response: Any) -> str:
    assert response.status_code == 200
    return " ".join(response.content.decode().split())


def verdict_page(client: Client) -> str:
    verdict = Verdict.objects.get()
    return text_of(client.get(reverse("verdict", args=[verdict.pk])))


def test_receipt_says_what_was_recognised(operator: Client) -> None:
    page = send(operator, SHAPES["J1 wrapper"], (CASES / "verdicts" / "theme.yaml").read_bytes())
    assert "1 verdict made elsewhere, 2 personas of themes" in page
    assert 'data-label="Recognised as">verdicts made elsewhere</td>' in page
    assert 'data-label="Recognised as">a theme</td>' in page
    assert page.count("✓ stored") == 2


def test_dry_run_says_so_and_stores_nothing(operator: Client) -> None:
    page = send(operator, SHAPES["J1 wrapper"], dry_run="1")
    assert "<h1>Dry run for history</h1>" in page
    assert "<strong>Nothing was stored.</strong>" in page
    assert not Verdict.objects.exists()
    assert not Response.objects.exists()


def test_envelope_is_a_judges_words_where_the_box_is_ticked(operator: Client) -> None:
    envelope = {"type": "result", "result": SHAPES["J1 wrapper"]["judge_response"]}
    names = {"spec": "harbour:dev", "scenario": "s"}
    assert "1 answer stored." in send(operator, envelope, **names)
    page = send(operator, envelope, holds="verdicts", judge="some-judge", **names)
    assert "1 verdict made elsewhere" in page
    assert Verdict.objects.get().epoch.requested_model == "some-judge"


def test_verdict_page_shows_stated_beside_computed(operator: Client) -> None:
    words = SHAPES["J1 wrapper"]["judge_response"].replace("80.0", "82.5")
    send(operator, SHAPES["J1 wrapper"] | {"judge_response": words})
    page = verdict_page(operator)
    assert "some-judge made this verdict; it came with 1.json." in page
    assert "The judge stated 82.5, its own marks give 80.0." in page
    assert "<dd>80.0 <small>of 100</small></dd>" in page
    # depth 7 of 10, worth 25
    assert "<dt>Depth</dt> <dd>17.5 <small>of 25</small></dd>" in page
    assert (
        '<th scope="row" class="mono">weighted_total</th> <td class="num">82.5</td> '
        '<td class="num">80</td> <td><span class="badge badge-warn">≠ differs</span></td>'
    ) in page
    assert "The answer that was judged is not stored here" in page
    assert "read as marks" in page


def test_verdict_page_of_points_shows_each_of_its_maximum(operator: Client) -> None:
    send(operator, SHAPES["J4 of 25"])
    page = verdict_page(operator)
    assert "<dt>Correctness</dt> <dd>15.0 <small>of 25</small></dd>" in page
    assert "On correctness." in page


def test_verdict_page_of_a_statement_has_no_total(operator: Client) -> None:
    send(operator, SHAPES["J3 prose"])
    page = verdict_page(operator)
    assert "<dd>– <small>of 100</small></dd>" in page
    assert '<span class="badge">stated only</span>' in page
    assert "No total is computed: there are no marks and no findings." in page


def test_verdict_page_of_findings_shows_detection(operator: Client) -> None:
    table = b"judge,scenario,tool,gid,severity,found,fp\nj,s,lint,1,High,1,1\nj,s,lint,2,Low,0,1\n"
    send(operator, table)
    page = verdict_page(operator)
    # recall 10 of 12, precision 1 of 2: 30 x 5/6 + 10 x 1/2
    assert "<dt>Detection</dt> <dd>30.0</dd>" in page
    assert "<dt>F2</dt> <dd>0.7</dd>" in page
    assert "<dd>0.83 / 0.50</dd>" in page


def test_hostile_words_are_escaped_everywhere(operator: Client) -> None:
    hostile = HOSTILE if isinstance(HOSTILE, list) else list(HOSTILE.values())
    texts = [text for text in hostile if isinstance(text, str)]
    finding = {"finding_id": "<b>F1</b>", "title": texts[0], "weight": 1, "caught": True}
    value = {
        "findings": [{**finding, "evidence": text, "caught_by": text} for text in texts[:1]],
        "judge_method": "<script>alert(1)</script>",
        "spec": "<img src=x onerror=alert(2)>",
        "scenario": "</script><script>alert(3)</script>",
    }
    page = send(operator, value) + verdict_page(operator)
    for raw in ("<b>F1", "<img src=x", "<script>alert", *texts[:1]):
        if "<" in raw:
            assert raw not in page


def test_run_page_counts_imported_verdicts_apart(operator: Client) -> None:
    send(operator, SHAPES["J1 wrapper"], SHAPES["J9 pipeline"])
    page = text_of(operator.get(reverse("run", args=["history"])))
    assert "2 imported verdicts." in page
    assert "<dt>Answers</dt> <dd>0</dd>" in page
    assert "<dt>Imported verdicts</dt> <dd>2</dd>" in page
    assert text_of(operator.get(reverse("runs")))


def test_leaderboard_shows_imported_verdicts_where_their_epoch_is_named(operator: Client) -> None:
    make_scenario("ticket-kiosk")
    send(operator, SHAPES["J1 wrapper"])
    epoch = Verdict.objects.get().epoch
    assert "harbour:dev" not in text_of(operator.get(reverse("leaderboard")))
    page = text_of(operator.get(reverse("leaderboard"), {"epoch": epoch.digest[:12]}))
    assert "harbour:dev" in page
    assert "These verdicts were imported from another tool." in page


def test_comparison_page_of_a_preference_has_no_totals(operator: Client) -> None:
    table = b"judge,item,candidate_a,candidate_b,order,p_b\nj,kiosk,x:dev,y:dev,AB,0.75\n"
    send(operator, table)
    page = verdict_page(operator)
    assert "x:dev" in page
    assert "y:dev" in page
    assert "imported" in page
    record = operator.get(reverse("verdict_json", args=[Verdict.objects.get().pk])).json()
    assert (record["decision"], record["total"]) == ("win", None)
    assert [one["outcome"] for one in record["contestants"]] == ["lost", "won"]
    assert record["parts"] == {"preference": 0.75}
