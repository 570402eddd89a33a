"""From files on a disk to verdicts on a page, in a real browser, judged by the stand-in."""

import json
import threading

import pytest
from playwright.sync_api import Page, expect

from judgeweb.judging.documents import ChecklistItem, ScenarioDocument
from rubrics_app.scenarios import save_scenario
from tests import factories
from tests.browser.browsing import axe_violations, cells_cut_off, overflow, size_and_scheme
from tests.verdicts_app.pages.golden import make_golden_verdict, make_request
from verdicts_app.models import Job, JobEvent, Verdict
from verdicts_app.work.drain import drain_job

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

TEXT = (
    "Worst first, as the log demands.\n"
    "The queue is read without a lock, so two ferries take the same car.\n"
    "Nothing limits how many tickets one caller may hold at a time.\n"
    "The clock of the pier is compared with the clock of the ship."
)


@pytest.fixture(autouse=True)
def judged_by_the_stand_in(settings, standin, monkeypatch):
    """The server runs in this process; so does the worker, in a thread of its own."""
    settings.ANTHROPIC_BASE_URL = standin.url
    settings.ANTHROPIC_API_KEY = "any"
    settings.JUDGE_IS_STAND_IN = True
    for module in ("jobs", "judge_run"):
        monkeypatch.setattr(f"verdicts_app.pages.{module}.wake_workers", lambda: True)
    standin.settings(latency_ms=400)


def save_ferry_queue():
    items = [
        ChecklistItem(id=f"{severity.upper()}-{number}", category=severity, description="A defect")
        for severity in ("critical", "high", "medium", "low")
        for number in (1, 2)
    ]
    save_scenario(
        ScenarioDocument(
            name="ferry-queue", challenge="Review the queue.", baseline_issues=tuple(items)
        ),
        user=None,
    )


def answers(number):
    return [
        {
            "run_id": f"answer-{n}",
            "spec": f"theme-{n % 3}:reviewer",
            "character": "Maren Holt, night keeper",
            "scenario": "ferry-queue",
            "response": f"{TEXT}\nRound {n} of the night watch ends here.",
            "timestamp": "2026-11-02T12:00:00Z",
        }
        for n in range(number)
    ]


def upload(page: Page, folder):
    (folder / "answers.json").write_text(json.dumps(answers(9)))
    (folder / "broken.json").write_text('{"spec": "theme-0:rev')
    page.goto("/upload/")
    page.set_input_files("#u-files", [folder / "answers.json", folder / "broken.json"])
    expect(page.locator(".chosen")).to_contain_text("2 files")
    page.fill("#u-run", "nightly")
    page.click("#u-send")
    expect(page.locator("h1")).to_have_text("Receipt for nightly")
    expect(page.locator("main")).to_contain_text("9 answers stored, 1 refused.")
    expect(page.locator("main")).to_contain_text("not JSON")


def agree_to_the_price(page: Page):
    page.click("text=Judge this run")
    expect(page.locator("#judge-now")).to_contain_text("Judge 9 answers, about $")
    page.fill("#j-repeats", "2")
    page.locator("#j-repeats").blur()
    expect(page.locator("#judge-now")).to_contain_text("Judge 18 answers, about $")
    page.click("#judge-now")
    expect(page.locator("h1")).to_contain_text("nightly")
    expect(page.locator(".legend")).to_contain_text("18 waiting")


def watch_it_being_judged(page: Page):
    page.evaluate("window.stayed = true")
    worker = threading.Thread(target=drain_job, args=[Job.objects.get().pk])
    worker.start()
    expect(page.locator(".figure-main dd")).to_contain_text("100.0%", timeout=60_000)
    worker.join()
    expect(page.locator("h1")).to_contain_text("done")
    expect(page.locator("#run-live[hx-trigger]")).to_have_count(0)
    assert page.evaluate("window.stayed") is True


def test_upload_judge_and_read_the_verdict_without_a_reload(sign_in, tmp_path):
    save_ferry_queue()
    page: Page = sign_in("operator")

    upload(page, tmp_path)
    agree_to_the_price(page)
    watch_it_being_judged(page)

    lit = Verdict.objects.filter(findings__evidence_state="verified").distinct().order_by("pk")
    first, second = lit[0], Verdict.objects.filter(pk__gt=lit[0].pk).order_by("pk").first()
    page.goto(f"/verdicts/{first.pk}/")
    expect(page.locator("h1")).to_contain_text("stand-in, not a judgement")
    quoted = page.locator("mark.ev").first.inner_text().rstrip("0123456789")
    assert quoted in first.response.text
    page.keyboard.press("j")
    expect(page).to_have_url(f"/verdicts/{second.pk}/")
    page.keyboard.press("k")
    expect(page).to_have_url(f"/verdicts/{first.pk}/")


def test_upload_works_without_script(sign_in, tmp_path):
    save_ferry_queue()
    (tmp_path / "answers.json").write_text(json.dumps(answers(2)))
    page: Page = sign_in("operator", java_script_enabled=False)

    page.goto("/upload/")
    page.set_input_files("#u-files", tmp_path / "answers.json")
    page.fill("#u-run", "nightly")
    page.click("#u-send")
    expect(page.locator("h1")).to_have_text("Receipt for nightly")
    page.click("text=Judge this run")
    page.click("#judge-now")

    expect(page.locator("main")).to_contain_text("2 waiting")
    page.click("text=Cancel the rest")
    expect(page.locator("#confirm-title")).to_have_text("Cancel the 2 answers that wait?")
    page.click("#confirm-go")
    expect(page.locator("h1")).to_contain_text("cancelled")


def make_open_job():
    run = factories.make_run("nightly")
    job = Job.objects.create(run=run, budget_nano_usd=40 * 10**9)
    for number in range(6):
        answer = factories.make_response("lighthouse:reviewer", run=run)
        state = "judged" if number < 2 else "unjudged" if number == 2 else "planned"
        reason = {"unjudged_reason": "truncated"} if state == "unjudged" else {}
        judgement = factories.make_judgement(answer, job=job, state=state, **reason)
        if state != "planned":
            make_request(judgement.pk)
    JobEvent.objects.create(job=job, text="Planned 6 judgements")
    return job


def test_polling_keeps_the_focus_and_a_dialog_gives_it_back(sign_in):
    job = make_open_job()
    page: Page = sign_in("operator")
    page.goto("/runs/nightly/")
    cancel = page.locator(f"#cancel-{job.pk}")

    cancel.focus()
    with page.expect_response("**/runs/nightly/progress/**"):
        pass
    page.wait_for_timeout(200)
    expect(cancel).to_be_focused()

    page.keyboard.press("Enter")
    expect(page.locator("dialog#confirm")).to_be_visible()
    expect(page.locator("#confirm-title")).to_have_text("Cancel the 3 answers that wait?")
    page.keyboard.press("Escape")
    expect(page.locator("dialog#confirm")).to_have_count(0)
    expect(cancel).to_be_focused()

    page.keyboard.press("p")
    expect(page.locator("h1")).to_contain_text("paused")


def test_a_wrong_budget_is_explained_on_its_page(sign_in):
    job = make_open_job()
    Job.objects.filter(pk=job.pk).update(committed_nano_usd=10**9)
    page: Page = sign_in("operator")
    page.goto("/runs/nightly/")

    page.click("text=Change budget")
    page.fill("#c-budget", "0.5")
    page.click("#confirm-go")

    expect(page.locator("#c-budget-e")).to_contain_text("$1.00 is spent.")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_pages_have_no_violation_no_sideways_scroll_and_a_quiet_console(sign_in, width, scheme):
    golden = make_golden_verdict()
    job = make_open_job()
    unjudged = job.judgements.get(state="unjudged")
    factories.make_response("lighthouse:reviewer", run="nightly", outcome="failed")
    page: Page = sign_in("admin", **size_and_scheme(width, scheme))

    for path in (
        "/runs/",
        "/runs/nightly/",
        "/runs/nightly/judge/",
        f"/jobs/{job.pk}/cancel/",
        f"/jobs/{job.pk}/unjudged/truncated/",
        f"/verdicts/{golden.verdict.pk}/",
        f"/judgements/{unjudged.pk}/",
        "/upload/",
        "/tokens/",
        "/audit/",
    ):
        page.goto(path)
        assert axe_violations(page) == [], path
        assert overflow(page) <= 0, path
        assert cells_cut_off(page) == [], path


def test_a_refused_upload_shows_its_mistake_and_works_again(sign_in, tmp_path):
    save_ferry_queue()
    (tmp_path / "answers.json").write_text(json.dumps(answers(1)))
    page: Page = sign_in("operator")
    page.goto("/upload/")
    page.set_input_files("#u-files", tmp_path / "answers.json")
    page.fill("#u-run", "a/b")
    page.click("#u-send")
    expect(page.locator(".error-summary")).to_contain_text("without a slash")
    expect(page.locator("#main")).to_be_focused()

    page.set_input_files("#u-files", tmp_path / "answers.json")
    expect(page.locator(".chosen")).to_contain_text("1 file")
    page.fill("#u-run", "nightly")
    page.click("#u-send")

    expect(page.locator("h1")).to_have_text("Receipt for nightly")
    expect(page).to_have_title("Receipt for nightly · judgeweb")
