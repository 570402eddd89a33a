"""Pages of captured calls: upload, a run by call type, list, one call, pass rates, prompts."""

import csv
import gzip
import io
import json
import re
from datetime import timedelta
from urllib.parse import quote

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from judgeweb.access.tokens import create_token
from judgeweb.judging.documents import ContractDocument
from rubrics_app.contracts import save_contract
from tests import factories
from tests.factories import NOON, make_call_verdict, make_capture
from tests.verdicts_app.pages.golden import make_request
from verdicts_app.models import Capture

pytestmark = pytest.mark.django_db

GOOD, BAD = (True, True, True), (True, False, False)
HOSTILE = '<img src=x onerror="alert(1)">&amp;{{ 7|add:7 }}'
SCHEMA = {
    "type": "object",
    "required": ["subtasks"],
    "properties": {
        "subtasks": {
            "type": "array",
            "items": {"type": "object", "properties": {"size": {"type": "integer"}}},
        }
    },
}


@pytest.fixture
def viewer(client, make_user):
    client.force_login(make_user("viewer"))
    return client


@pytest.fixture
def operator(client, make_user):
    client.force_login(make_user("operator"))
    return client


def text_of(answer):
    return " ".join(answer.content.decode().split())


def plain(answer):
    return " ".join(re.sub(r"<[^>]+>", "", answer.content.decode()).split())


# --- upload -------------------------------------------------------------------------------------


def line(call_id, **fields):
    call = {
        "call_id": call_id,
        "call_type": "planner",
        "user_content": "Plan it.",
        "response_content": "{}",
        "parsed_ok": True,
    }
    return json.dumps(call | fields).encode() + b"\n"


def upload(client, *files, run="nightly"):
    posted = [SimpleUploadedFile(name, content) for name, content in files]
    return client.post(reverse("upload"), {"run": run, "files": posted})


def test_calls_and_answers_go_each_their_way_with_a_receipt_for_each(operator):
    factories.make_scenario("ticket-kiosk")
    answer = {
        "spec": "lighthouse:reviewer",
        "scenario": "ticket-kiosk",
        "response": "The lock is taken twice.",
    }

    page = plain(
        upload(
            operator,
            ("calls.ndjson", line("a") + b"{broken\n" + line("c", parsed_ok="yes") + line("a")),
            ("more.jsonl.gz", gzip.compress(line("d", call_type="reviewer"))),
            ("answer.json", json.dumps(answer).encode()),
        )
    )

    assert "2 calls stored, 1 answer stored, 1 known before, 2 refused." in page
    assert "captured callsplanner 1 1 1 2 ! 2 refused" in page
    assert "captured callsreviewer 1 1 0 0 ✓ stored" in page
    assert "calls.ndjson line 2 ✕ refused not JSON" in page
    assert "line 3 ✕ refused parsed_ok: expected true or false, not &quot;yes&quot;" in page
    assert list(Capture.objects.values_list("call_id", flat=True)) == ["a", "d"]
    again = plain(upload(operator, ("calls.ndjson", line("a"))))
    assert "0 calls stored, 1 known before." in again
    assert "= known before" in again


def test_a_stream_that_breaks_off_keeps_what_came_before(operator):
    whole = gzip.compress(b"".join(line(f"c{n}", user_content="x" * 999) for n in range(50)))
    page = plain(upload(operator, ("calls.ndjson.gz", whole[:-20])))
    assert "✕ broke off" in page
    assert "What came before stands" in page


def test_a_run_that_cannot_be_named_stores_nothing(operator):
    answer = upload(operator, ("calls.ndjson", line("a")), run="a/b")
    assert answer.status_code == 422
    assert not Capture.objects.exists()


def preview(client, name, content, **fields):
    beginning = SimpleUploadedFile(name, content)
    return client.post(reverse("upload_preview"), {"beginning": beginning, **fields})


def test_the_preview_tells_what_a_file_is_and_stores_nothing(operator):
    found = preview(operator, "c.ndjson", line("a") + line("b", parsed_ok=1)).json()
    assert found["kind"] == "captures"
    assert found["call_types"] == {"planner": 1}
    assert [fault["line"] for fault in found["faults"]] == [2]
    cut = preview(operator, "c.ndjson", line("a") + line("b")[:40], is_cut="1").json()
    assert (cut["call_types"], cut["faults"]) == ({"planner": 1}, [])
    assert preview(operator, "answer.json", b"{}").json()["kind"] == "answers"
    assert operator.post(reverse("upload_preview")).status_code == 422
    assert not Capture.objects.exists()


# --- run ----------------------------------------------------------------------------------------


def test_a_run_shows_its_calls_by_type_and_leads_to_them(operator):
    for ok in (GOOD, GOOD, BAD):
        make_call_verdict(make_capture(run="nightly"), ok=ok)
    make_capture("judge of things", run="nightly", failure_kind="timeout")

    page = text_of(operator.get(reverse("run", args=["nightly"])))

    assert "Captured calls" in page
    assert "3 / 3" in page
    assert '67%</a><span class="ci">21% to 94%</span>' in page
    assert reverse("judge_run", args=["nightly"]) + "?call_type=judge+of+things" in page
    assert "timeout 1" in page
    assert "run=nightly&amp;call_type=planner&amp;factually_grounded=fail" in page


def test_the_table_of_calls_is_a_fragment_that_polls_while_a_job_is_open(viewer):
    capture = make_capture(run="nightly")
    url = reverse("run_calls", args=["nightly"])
    assert "hx-get" not in text_of(viewer.get(url))
    factories.make_judgement(
        capture=capture, epoch=factories.make_epoch("calls", mode="calls"), state="planned"
    )
    assert f'hx-get="{url}"' in text_of(viewer.get(url))
    assert viewer.get(reverse("run_calls", args=["nothing"])).status_code == 404


def make_judged_call(cost):
    capture = make_capture(run="nightly", failure_kind="schema_parse_failed")
    epoch = factories.make_epoch("calls", mode="calls")
    judgement = factories.make_judgement(capture=capture, epoch=epoch)
    make_request(judgement.pk, cost_nano_usd=cost)
    return make_call_verdict(capture, epoch=epoch, judgement=judgement)


def test_a_cost_that_nobody_knows_is_no_zero(viewer):
    verdict = make_judged_call(None)
    page = text_of(viewer.get(f"/runs/nightly/?job={verdict.judgement.job_id}"))
    assert "1 call is judged; the price is not known." in page
    assert "<dt>Spent</dt> <dd>– <small>of $50.00</small></dd>" in page
    assert "<dt>Per verdict</dt> <dd>–</dd>" in page
    assert 'data-label="Cost">–<' in page
    assert "schema_<wbr>parse_<wbr>failed 1" in page

    make_judged_call(20_000_000)
    assert 'data-label="Cost">$0.0200<' in text_of(viewer.get("/runs/nightly/"))


def test_call_types_that_are_done_stand_once(viewer):
    verdict = make_judged_call(20_000_000)
    job = verdict.judgement.job
    page = viewer.get(f"/runs/nightly/?job={job.pk}").content.decode()
    assert "1 call is judged, for $0.0200." in page
    assert "By call type" not in page
    # Once among the call types, once without a contract, once with its lengths.
    assert page.count(">planner</span>") == 3

    job.state, job.finished_at = "running", None
    job.save()
    assert "By call type" in viewer.get("/runs/nightly/").content.decode()


def test_a_run_of_calls_alone_says_so_everywhere(operator):
    make_capture(run="nightly")
    page = plain(operator.get(reverse("run", args=["nightly"])))
    assert "1 captured call, none judged yet." in page
    assert "Judge this run" in page
    assert 'data-label="Calls">1<' in text_of(operator.get(reverse("runs")))


def test_the_price_is_for_the_call_type_chosen(operator):
    make_capture(run="nightly")
    make_capture("reviewer", run="nightly")
    make_capture("judge", run="nightly")
    url = reverse("judge_run", args=["nightly"])
    assert "Judge 2 calls, about $" in plain(operator.get(url))
    assert "Judge 1 call, about $" in plain(operator.get(url, {"call_type": "reviewer"}))
    assert "Judge 1 call, about $" in plain(operator.get(url, {"call_type": "judge"}))
    refused = operator.get(url, {"call_type": "nobody", "model": "m", "repeats": 1, "budget": 1})
    assert refused.status_code == 422


@pytest.mark.parametrize("dialect", ["seed", "index", "camel"])
def test_the_file_of_verdicts_is_the_one_of_the_api(viewer, make_user, dialect):
    for ok in (GOOD, BAD):
        make_call_verdict(make_capture(run="nightly"), ok=ok)
    query = f"call_type=planner&dialect={dialect}"
    answer = viewer.get(reverse("run_verdicts", args=["nightly"]) + f"?{query}")
    owner = make_user("reviewer")
    _, secret = create_token(user=owner, name="t", scopes=["read"], expires_at=None, actor="t")
    headers = {"Authorization": f"Bearer {secret}"}
    by_api = viewer.get(f"/api/v1/runs/nightly/verdicts?{query}", headers=headers)
    assert answer.status_code == by_api.status_code == 200
    assert answer.content == by_api.content
    assert "attachment" in answer["Content-Disposition"]


@pytest.mark.parametrize(
    "query", ["", "call_type=none", "call_type=planner&dialect=x", "call_type=%00"]
)
def test_a_file_that_is_not_there_is_not_found(viewer, query):
    make_capture(run="nightly")
    assert viewer.get(reverse("run_verdicts", args=["nightly"]) + f"?{query}").status_code == 404


# --- list and one call --------------------------------------------------------------------------


def test_the_list_links_calls_and_names_what_is_on(viewer):
    make_call_verdict(make_capture(call_id="bad one"), ok=BAD)
    make_call_verdict(make_capture(call_id="good one"), ok=GOOD)
    page = text_of(viewer.get(reverse("captures"), {"state": "fail", "call_type": "planner"}))
    assert "bad one" in page
    assert "good one" not in page
    assert "<span>verdict</span> <b>fail</b>" in page
    nothing = plain(viewer.get(reverse("captures"), {"call_type": "nobody"}))
    assert "No captured call passes these filters" in nothing


def test_the_list_goes_on_in_keyset_pages(viewer):
    for _ in range(52):
        make_capture()
    first = viewer.get(reverse("captures")).context
    rest = viewer.get(reverse("captures") + f"?{first['older']}").context
    assert (len(first["page"].rows), len(rest["page"].rows)) == (50, 2)


def test_a_phone_names_the_dimensions_as_the_head_does(viewer):
    make_call_verdict(make_capture(), ok=BAD)
    page = viewer.get(reverse("captures")).content.decode()
    for label in ("Schema", "Factual", "Hallucination-free"):
        assert f'<th scope="col">{label}</th>' in page
        assert f'data-label="{label}"' in page


def page_of(client, capture, **query):
    return client.get(reverse("capture", args=[capture.pk]), query)


def test_a_call_shows_contract_errors_where_they_stand(viewer):
    save_contract(ContractDocument(call_type="planner", json_schema=json.dumps(SCHEMA)), user=None)
    response = '{"subtasks":[{"size":"big"},{"size":2}],"notes":{"why":"no"}}'
    answer = page_of(viewer, make_capture(response_content=response))
    page = answer.content.decode()
    assert re.search(
        r'at-fault"><span id="fault-1"></span>&quot;size&quot;: &quot;big&quot;<', page
    )
    assert re.search(r'at-fault"><span id="fault-2"></span>&quot;notes&quot;: {<', page)
    assert "$.subtasks[0].size</code> is not of type" in page
    assert "$.notes</code> is not declared by the contract" in page
    assert "Nobody has judged this call yet." in page


def test_a_call_shows_its_verdict_its_worst_offender_and_who_decided(viewer):
    response = '{"subtasks":[{"title":"Split LockTable","size":14}]}'
    start = response.index("Split LockTable")
    capture = make_capture(response_content=response)
    verdict = make_call_verdict(
        capture,
        ok=BAD,
        checks={
            "hallucination_free": {
                "worst_offender": "Split LockTable",
                "evidence_state": "verified",
                "evidence_start": start,
                "evidence_end": start + len("Split LockTable"),
                "rationale": "There is no LockTable.",
            },
            "factually_grounded": {"worst_offender": "nowhere", "evidence_state": "not_found"},
        },
    )
    page = text_of(page_of(viewer, capture))
    assert "Checks and flags" not in page  # there is none
    assert '<span class="ev"><span id="ev-3"></span>Split </span>' in page
    assert 'class="ev at-hint">' in page
    assert "There is no LockTable." in page
    assert '<del class="ev-lost">nowhere</del>' in page
    assert "decided by the judge, claude-sonnet-5-5" in page
    assert "no contract fits" not in page
    assert "claims what it was not given and makes something up." in page
    assert 'symbol</span> <code class="at-hint">LockTable</code>' in page
    assert (
        viewer.get(f"/verdicts/{verdict.pk}/").url == f"/calls/{capture.pk}/?verdict={verdict.pk}"
    )
    assert page_of(viewer, capture, verdict=verdict.pk).status_code == 200
    assert page_of(viewer, capture, verdict=verdict.pk + 1).status_code == 404


def test_a_call_without_a_contract_says_so_where_its_schema_was_decided(viewer):
    capture = make_capture()
    make_call_verdict(capture, checks={"schema_ok": {"decided_by": "judge"}})
    page = text_of(page_of(viewer, capture))
    assert page.count("decided by the judge, claude-sonnet-5-5: no contract fits") == 1


def test_a_verdict_that_took_over_another_names_it(viewer):
    saved = save_contract(ContractDocument(call_type="planner", json_schema=SCHEMA), user=None)
    capture = make_capture()
    first = make_call_verdict(capture, on_board=False)
    judgement = factories.make_judgement(
        capture=capture, contract_revision=saved.revision, taken_from=first
    )
    make_call_verdict(capture, judgement=judgement, flags="reused", epoch="calls 2")
    page = text_of(page_of(viewer, capture))
    assert "Nobody was asked for this verdict" in page
    assert f"?verdict={first.pk}" in page
    assert "Nobody was asked" not in text_of(page_of(viewer, capture, verdict=first.pk))


def test_an_unjudged_call_says_why_and_keeps_its_attempts_together(viewer):
    first = make_capture(response_content=None, parsed_ok=False, failure_kind="timeout")
    second = make_capture(retry_of=first, input_crc=first.input_crc, call_id="again")
    judgement = factories.make_judgement(
        capture=first,
        epoch=factories.make_epoch("calls", mode="calls"),
        state="unjudged",
        unjudged_reason="truncated",
        unjudged_detail="cut off twice",
    )
    page = plain(page_of(viewer, first))
    assert "There is no verdict: the reply hit the token limit twice." in page
    assert "cut off twice" in page
    assert "the same input was sent 2 times" in page
    assert "There is no response: the line says null." in page
    assert reverse("capture", args=[second.pk]) in page_of(viewer, first).content.decode()
    assert viewer.get(f"/judgements/{judgement.pk}/").url == f"/calls/{first.pk}/"
    job = judgement.job_id
    listed = plain(viewer.get(reverse("unjudged", args=[job, "truncated"])))
    assert f"planner {first.call_id} cut off twice" in listed


def test_markup_nul_and_surrogates_are_text_on_every_page(viewer):
    response = json.dumps({"a": f"{HOSTILE}\0"})
    raw = '{"a":"\\ud800' + HOSTILE.replace('"', '\\"') + '"}'
    capture = make_capture(
        HOSTILE,
        call_id=HOSTILE,
        model=HOSTILE,
        failure_kind=HOSTILE,
        user_content=f"\\u0000{HOSTILE}",
        response_content=raw,
        originals=json.dumps({"user_content": f"\0{HOSTILE}"}),
        system_prompt=f"{HOSTILE}\ud800",
        run="nightly",
        extras=json.dumps({"x": HOSTILE}),
    )
    make_capture(response_content=response, run="nightly")
    make_call_verdict(
        capture,
        ok=(False, False, False),
        checks={
            key: {"rationale": HOSTILE, "worst_offender": HOSTILE} for key in factories.CALL_CHECKS
        },
    )
    for path in (
        "/calls/",
        f"/calls/{capture.pk}/",
        "/runs/nightly/",
        "/trends/?view=rates",
        f"/calls/prompts/?call_type={quote(HOSTILE)}",
        f"/calls/?call_type={quote(HOSTILE)}",
        "/runs/nightly/judge/",
    ):
        answer = viewer.get(path)
        if answer.status_code == 403:
            continue
        assert answer.status_code == 200, path
        page = answer.content.decode()
        assert "<img" not in page, path
        assert "{{ 14" not in page, path
        assert "\0" not in page, path
    page = viewer.get(f"/calls/{capture.pk}/").content.decode()
    assert "\\u0000&lt;img" in page
    assert "\\ud800" in page
    assert "NUL or lone surrogates stand here as visible escapes" in page


def test_a_response_that_is_no_json_is_shown_as_it_came(viewer):
    capture = make_capture(response_content="Sure!\n  Here  it is", parsed_ok=False)
    page = page_of(viewer, capture).content.decode()
    assert "Sure!\n  Here  it is" in page
    assert "not JSON, as it came" in page


# --- pass rates and prompts ---------------------------------------------------------------------


def season():
    for week in (0, 1, 3):
        for ok in (GOOD, GOOD, BAD):
            capture = make_capture(
                at=NOON + timedelta(weeks=week), system_prompt="One" if week < 3 else "Two"
            )
            make_call_verdict(capture, ok=ok)


def test_pass_rates_lead_from_a_point_to_exactly_its_calls(viewer):
    season()
    page = viewer.get("/trends/?view=rates").content.decode()
    figure = json.loads(re.search(r'application/json">(.*?)</script>', page)[1])
    _, line_trace = figure["data"]
    assert [y and round(y) for y in line_trace["y"]] == [67, 67, None, 67, None]
    links = [link for link in line_trace["customdata"] if link]
    assert len(viewer.get(links[0]).context["page"].rows) == 3
    assert "System prompt" in page
    assert "no calls" in page
    table = list(csv.DictReader(io.StringIO(viewer.get("/trends.csv?view=rates").content.decode())))
    assert len(table) == 12
    data = viewer.get("/trends.json?view=rates").json()
    assert len(data["starts"]) == 4
    assert data["rates"][0]["rate"] == pytest.approx(2 / 3)


def test_where_there_are_calls_alone_the_trends_show_their_rates(viewer):
    season()
    assert "What passes, and since when?" in plain(viewer.get("/trends/"))
    factories.make_verdict()
    assert "What changed, and when?" in plain(viewer.get("/trends/"))


def test_nothing_in_view_names_the_filter_to_loosen(viewer):
    season()
    page = plain(viewer.get("/trends/?view=rates&worker=nobody"))
    assert "No captured call passes these filters" in page
    assert "Without worker “nobody”" in page


def test_prompt_versions_are_compared_with_their_difference(viewer):
    season()
    page = plain(viewer.get("/calls/prompts/?call_type=planner"))
    assert "No difference in the pass rate is shown by the calls so far." in page
    assert "6 verdicts before, 3 after" in page
    assert "0.0" in page
    assert "Choose a call type" in plain(viewer.get("/calls/prompts/"))
