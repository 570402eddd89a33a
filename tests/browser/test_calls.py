"""Captured calls in a real browser: dropped, received, judged by the stand-in, followed from the
trend of their pass rates to what one worker said, and why that fails."""

import json
import re
import threading
from datetime import UTC, datetime, timedelta

import pytest
from playwright.sync_api import Page, expect

from judgeweb.judging.documents import ContractDocument
from rubrics_app.contracts import save_contract
from tests import factories
from tests.browser.browsing import (
    axe_violations,
    cells_cut_off,
    drop_files,
    overflow,
    size_and_scheme,
)
from tests.verdicts_app.pages.golden import make_golden_verdict
from verdicts_app.models import Capture, Job
from verdicts_app.work.drain import drain_job

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

SCHEMA = {
    "type": "object",
    "required": ["subtasks"],
    "properties": {
        "subtasks": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"title": {"type": "string"}, "size": {"type": "integer"}},
            },
        }
    },
}
PROMPT = "You plan. Answer in JSON."
GIVEN = "The kiosk sells one ticket twice. Plan the repair of src/kiosk.py."
GOOD = '{"subtasks":[{"title":"Lock src/kiosk.py","size":3}]}'
BAD = '{"subtasks":[{"title":"Rewrite LockTable","size":"big"}]}'
OFFENDER = "Rewrite LockTable"


@pytest.fixture
def a_judge_that_sees_lock_table(settings, standin, monkeypatch):
    """The stand-in, which says of all it is shown that nothing is made up but one line."""
    settings.ANTHROPIC_BASE_URL = standin.url
    settings.ANTHROPIC_API_KEY = "any"
    settings.JUDGE_IS_STAND_IN = True
    monkeypatch.setattr("verdicts_app.pages.judge_run.wake_workers", lambda: True)
    standin.settings(latency_ms=150)
    reply = {
        "factually_grounded": {"rationale": "It is.", "value": True, "worst_offender": None},
        "hallucination_free": {
            "rationale": "There is no LockTable in what was given.",
            "value": False,
            "worst_offender": OFFENDER,
        },
    }
    standin.replies(*[{"text": json.dumps(reply)}] * 40)


def line(call_id, day, response, *, prompt=PROMPT, **fields):
    call = {
        "call_id": call_id,
        "call_type": "planner",
        "model": "claude-haiku-5-5",
        "system_prompt": prompt,
        "user_content": f"{GIVEN}\nThis is call {call_id}.",
        "response_content": response,
        "parsed_ok": True,
        "latency_ms": 800,
        "ts": f"2026-09-{day:02d}T12:00:00Z",
    }
    return json.dumps(call | fields) + "\n"


def two_weeks_and_a_broken_file(folder):
    """Six good calls; four bad ones under a new prompt; and of four lines one known, three bad."""
    first = [line(f"a{n}", 7, GOOD) for n in range(6)]
    second = [line(f"b{n}", 14, BAD, prompt=f"{PROMPT} Be brief.") for n in range(4)]
    wrong = [first[0], "{broken\n", line("c1", 7, GOOD, parsed_ok="yes"), line("c2", 7, GOOD)[:90]]
    for name, lines in (("week-1", first), ("week-2", second), ("torn", wrong)):
        (folder / f"{name}.ndjson").write_text("".join(lines))
    return [folder / f"{name}.ndjson" for name in ("week-1", "week-2", "torn")]


def drop_and_read_the_receipt(page: Page, folder):
    page.goto("/upload/")
    drop_files(page, ".drop", two_weeks_and_a_broken_file(folder))
    chosen = page.locator(".chosen li")
    expect(chosen).to_have_count(4)  # three files and their sum
    expect(chosen.nth(0)).to_contain_text("captured calls; in the first 5 lines: planner 5")
    expect(chosen.nth(1)).to_contain_text("planner 4")
    expect(chosen.nth(2)).to_contain_text("line 2 will be refused: not JSON")
    expect(chosen.nth(3)).to_contain_text("3 files")
    assert axe_violations(page) == []
    assert not Capture.objects.exists()  # a preview stores nothing

    page.fill("#u-run", "nightly")
    page.click("#u-send")

    expect(page.locator("h1")).to_have_text("Receipt for nightly")
    main = page.locator("main")
    expect(main).to_contain_text("10 calls stored, 1 known before, 3 refused.")
    rows = page.get_by_role("table", name="Files and what was read").get_by_role("row")
    figures = [row.locator("td.num").all_inner_texts() for row in rows.all()[1:]]
    assert figures == [["6", "0", "0"], ["4", "0", "0"], ["0", "1", "3"]]
    reasons = page.get_by_role("table", name="Refused documents").get_by_role("row")
    expect(reasons.nth(1)).to_contain_text(re.compile("torn.ndjson.*line 2.*not JSON", re.DOTALL))
    expect(reasons.nth(2)).to_contain_text('parsed_ok: expected true or false, not "yes"')
    expect(reasons.nth(3)).to_contain_text("line 4")
    expect(reasons.nth(3)).to_contain_text("incomplete")


def judge_and_watch(page: Page):
    page.click("text=Judge this run")
    page.click("#judge-now")
    expect(page.locator(".legend")).to_contain_text("10 waiting")
    page.evaluate("window.stayed = true")
    worker = threading.Thread(target=drain_job, args=[Job.objects.get().pk])
    worker.start()
    expect(page.locator(".figure-main dd")).to_contain_text("100.0%", timeout=60_000)
    worker.join()
    expect(page.locator("h1")).to_contain_text("done")
    row = page.get_by_role("region", name="Captured calls by call type").get_by_role("row").nth(1)
    # 6 of 10 keep the contract: Wilson gives 31.3% to 83.2%.
    expect(row.locator('[data-label="Schema"]')).to_contain_text("60%31% to 83%", timeout=20_000)
    expect(row.locator('[data-label="Hallucination-free"]')).to_contain_text("0%")
    assert page.evaluate("window.stayed") is True


def follow_the_trend_to_its_calls(page: Page):
    page.click("#calls-rates")
    page.get_by_role("group", name="Dimension").get_by_role("link", name="Schema").click()
    expect(page.locator("h1")).to_have_text("What passes, and since when?")
    changes = page.get_by_role("list", name="Changes marked in the chart")
    expect(changes).to_contain_text("14 Sep 2026")
    expect(changes).to_contain_text("System prompt")
    points = page.locator(".chart-live .trace.scatter path.point")
    expect(points).to_have_count(2)
    box = points.nth(1).bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    expect(page.locator(".hoverlayer .hovertext").first).to_be_visible()
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    expect(page.locator("h1")).to_have_text("Captured calls")
    listed = page.get_by_role("region", name="Captured calls").get_by_role("row")
    expect(listed).to_have_count(5)  # the head and the second week
    listed.nth(1).get_by_role("link", name="b3").click()


def read_the_call(page: Page):
    expect(page.locator("h1")).to_contain_text("planner b3")
    expect(page.locator("h1 + p")).to_have_text(
        "This response does not keep its schema and makes something up."
    )
    expect(page.locator(".figure-main dd")).to_have_text("fail")
    response = page.get_by_role("region", name="Text of the response")
    expect(response.locator(".at-fault")).to_have_text('"size": "big"')
    expect(response.locator(".ev").first).to_contain_text("Rewrite")
    expect(response.locator(".at-hint")).to_have_text("LockTable")
    expect(page.locator(".faults")).to_contain_text('$.subtasks[0].size is not of type "integer"')
    expect(page.locator(".hints")).to_contain_text("LockTable")
    offender = page.locator("#check-hallucination_free")
    expect(offender).to_contain_text("✕ fails")
    expect(offender.locator("q.ev")).to_have_text(OFFENDER)
    given = page.get_by_role("region", name="User content")
    expect(given).to_have_text(f"{GIVEN}\nThis is call b3.")
    prompt = page.get_by_role("region", name="System prompt")
    expect(prompt).to_be_hidden()
    page.get_by_text("System prompt", exact=False).and_(page.locator("summary")).click()
    expect(prompt).to_have_text(f"{PROMPT} Be brief.")
    page.get_by_role("link", name="Contract error 1 in the response").click()
    expect(response.locator(":target")).to_have_count(1)
    page.keyboard.press("k")
    expect(page.locator("h1")).to_contain_text("planner b2")


def test_from_three_dropped_files_to_what_is_wrong_with_one_call(
    sign_in, tmp_path, a_judge_that_sees_lock_table
):
    save_contract(ContractDocument(call_type="planner", json_schema=json.dumps(SCHEMA)), user=None)
    page: Page = sign_in("operator")

    drop_and_read_the_receipt(page, tmp_path)
    judge_and_watch(page)
    follow_the_trend_to_its_calls(page)
    read_the_call(page)


def make_two_months():
    """Eight weeks of two call types with a gap, a new prompt, a retry and long names."""
    save_contract(ContractDocument(call_type="planner", json_schema=json.dumps(SCHEMA)), user=None)
    start = datetime(2026, 9, 7, 12, tzinfo=UTC)
    for week in (0, 1, 2, 4, 5, 6, 7):
        for number in range(4):
            capture = factories.make_capture(
                "planner" if number else "classification_judge_of_the_northern_archipelago",
                run="nightly",
                at=start + timedelta(weeks=week),
                response_content=BAD if number == 1 else GOOD,
                system_prompt=PROMPT if week < 5 else f"{PROMPT}\nQuote the line you rely on.",
                failure_kind="schema_parse_failed" if number == 2 else "",
            )
            factories.make_call_verdict(
                capture, ok=(number != 1, True, week % 2 == 0), origin="stand_in"
            )
    return capture


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (390, "dark")])
def test_pages_of_calls_are_fit_for_everybody(sign_in, width, scheme):
    capture = make_two_months()
    golden = make_golden_verdict()
    page: Page = sign_in("operator", **size_and_scheme(width, scheme))

    for path in (
        "/runs/nightly/",
        f"/calls/{capture.pk}/",
        "/calls/",
        "/trends/?view=rates",
        "/calls/prompts/?call_type=planner",
        f"/verdicts/{golden.verdict.pk}/",
    ):
        page.goto(path)
        assert (path, axe_violations(page)) == (path, [])
        assert (path, max(overflow(page), 0)) == (path, 0)
        assert (path, cells_cut_off(page)) == (path, [])

    page.goto("/trends/?view=rates&call_type=planner")
    marks = page.locator(".chart-live .annotation").filter(
        has_text=re.compile(r"System prompt|\(1\)")
    )
    expect(marks).to_have_count(1)
    page.goto("/calls/prompts/?call_type=planner")
    added = page.locator(".prompt-diff .add")
    expect(added).to_contain_text("Quote the line you rely on.")
    assert added.bounding_box()["x"] + added.bounding_box()["width"] <= width
