import csv
import io
import json
import re
from datetime import UTC, datetime, timedelta

import pytest

from tests import factories

pytestmark = pytest.mark.django_db

MONDAY = datetime(2026, 11, 2, 12, tzinfo=UTC)


@pytest.fixture
def viewer(client, make_user):
    client.force_login(make_user("viewer"))
    return client


def test_a_point_leads_to_exactly_its_verdicts(viewer):
    for day, total in ((0, 70), (6, 80), (7, 90)):
        factories.make_verdict("a:dev", total=total, answered_at=MONDAY + timedelta(days=day))
    page = viewer.get("/trends/").content.decode()
    figure = json.loads(re.search(r'application/json">(.*?)</script>', page)[1])
    first, second = [link for link in figure["data"][1]["customdata"] if link]
    assert [row["total_nano"] // 10**9 for row in listed(viewer, first)] == [80, 70]
    assert [row["total_nano"] // 10**9 for row in listed(viewer, second)] == [90]


def listed(viewer, link):
    response = viewer.get(link)
    return [vars_of(row) for row in response.context["page"].rows]


def vars_of(row):
    return {"total_nano": row.total_nano}


def test_a_day_is_short_for_both_ends(viewer):
    factories.make_verdict("a:dev", answered_at=MONDAY)
    factories.make_verdict("a:dev", answered_at=MONDAY + timedelta(days=1))
    assert len(listed(viewer, "/verdicts/?persona=a:dev&day=2026-11-02")) == 1


def test_old_verdicts_keep_their_total_when_the_rubric_changes(viewer):
    for number, total in ((1, 80), (2, 60)):
        epoch = factories.make_epoch(
            f"rubric {number}", rubric_revision=factories.make_revision(number=number)
        )
        when = MONDAY + timedelta(weeks=number)
        factories.make_verdict("a:dev", total=total, epoch=epoch, answered_at=when)
    data = viewer.get("/trends.json").json()
    assert [point["mean"] for point in data["lines"][0]["points"]] == [80.0, 60.0]
    assert [change["what"] for change in data["changes"]] == ["Rubric 1 → 2"]
    # A phone has no room for the words at the mark: the list says them.
    page = " ".join(viewer.get("/trends/").content.decode().split())
    assert "16 Nov 2026</span> <span>Rubric 1 → 2, new epoch</span>" in page


def test_an_empty_week_is_null_in_the_data_and_a_word_in_the_table(viewer):
    for week in (0, 2):
        factories.make_verdict("a:dev", answered_at=MONDAY + timedelta(weeks=week))
    points = viewer.get("/trends.json").json()["lines"][0]["points"]
    assert [point is None for point in points] == [False, True, False]
    assert '<td class="num faint">no runs</td>' in viewer.get("/trends/").content.decode()
    table = list(csv.DictReader(io.StringIO(viewer.get("/trends.csv").content.decode())))
    assert [row["start"] for row in table] == ["2026-11-02", "2026-11-16"]


def test_verdicts_come_in_keyset_pages(viewer):
    factories.make_board({"a:dev": {"s0": range(60)}})
    page = viewer.get("/verdicts/").context
    assert len(page["page"].rows) == 50
    rest = viewer.get(f"/verdicts/?{page['older']}").context
    assert len(rest["page"].rows) == 10
    assert rest["older"] == ""


@pytest.mark.parametrize("before", ["-1", "x", "9" * 30, "²"])
def test_a_cursor_that_is_no_id_is_named(viewer, before):
    factories.make_verdict()
    response = viewer.get("/verdicts/", {"before": before})
    assert response.status_code == 200
    assert "is not the id of a verdict" in response.content.decode()


def test_the_list_names_captured_calls_and_whether_they_pass(viewer, django_assert_max_num_queries):
    for call_id, ok in (("c1", (True, True, True)), ("c2", (True, False, True))):
        capture = factories.make_capture(call_id=call_id, run="calls")
        factories.make_call_verdict(capture, ok=ok)
    undecided = factories.make_capture(call_id="c3", run="calls")
    factories.make_call_verdict(undecided, ok=(True, None, True))

    with django_assert_max_num_queries(8):
        rows = viewer.get("/verdicts/").context["page"].rows

    named = [(row.spec, row.scenario, row.run_id, row.word) for row in rows]
    assert named == [
        ("planner", "c3", "calls", "undecidable"),
        ("planner", "c2", "calls", "fail"),
        ("planner", "c1", "calls", "pass"),
    ]


def test_the_list_of_unjudged_leaves_out_calls_that_were_judged_later(viewer):
    first, second = (factories.make_capture(call_id=name, run="calls") for name in ("c1", "c2"))
    epoch = factories.make_epoch("calls", mode="calls")
    for capture in (first, second):
        factories.make_judgement(
            capture=capture, epoch=epoch, state="unjudged", unjudged_reason="truncated"
        )
    factories.make_call_verdict(first, epoch=epoch)

    rows = viewer.get("/verdicts/?state=unjudged").context["page"].rows

    assert [(row.spec, row.scenario, row.run_id) for row in rows] == [("planner", "c2", "calls")]


def test_the_list_says_which_repeat_a_verdict_is(viewer):
    answer = factories.make_response("a:dev")
    for repeat in (1, 2):
        factories.make_verdict(response=answer, repeat=repeat)

    page = viewer.get("/verdicts/").content.decode()

    assert page.count("repeat 2") == 1
    assert "repeat 1" not in page
