"""How often the repeats of a job disagree."""

from fractions import Fraction
from typing import Any

import pytest
from django.db import transaction
from django.test import Client
from django.urls import reverse

from tests import factories
from tests.verdicts_app.pages.test_repeats import make_repeats
from verdicts_app.boards import flips
from verdicts_app.boards.flips import Flips
from verdicts_app.models import Job, JobState
from verdicts_app.work import sums
from verdicts_app.work.progress import job_progress

pytestmark = pytest.mark.django_db


def make_job() -> Job:
    return Job.objects.create(
        run=factories.make_run(), state=JobState.DONE, finished_at=factories.NOON
    )


def flips_of(job: Job) -> Flips | None:
    return flips.flips_of(job, judged=job_progress(job).judged)


def test_items_that_differ_between_repeats_are_counted_once() -> None:
    job = make_job()
    # Items 2 and 3 of the first flip, none of the second; the third was judged once.
    make_repeats((70, 80, 81), found=("yyn", "yny", "yyn"), job=job)
    make_repeats((70, 80), found=("yn", "yn"), job=job)
    make_repeats((70,), found=("ynyn",), job=job)

    found = flips_of(job)

    assert found == Flips(items=5, flipped=2)
    assert found is not None
    assert found.share == Fraction(2, 5)


def test_two_judges_of_one_job_are_no_repeats() -> None:
    job, response = make_job(), factories.make_response()
    make_repeats((70, 80), found=("y", "y"), job=job, response=response)
    other = factories.make_epoch("other", requested_model="m-other")
    make_repeats((70, 80), found=("n", "n"), job=job, response=response, epoch=other)

    assert flips_of(job) == Flips(items=2, flipped=0)


def test_checks_of_calls_flip_by_three_values() -> None:
    job, capture = make_job(), factories.make_capture()
    epoch = factories.make_epoch("calls", mode="calls")
    for repeat, ok in enumerate([(True, None, True), (True, None, False)], 1):
        judgement = factories.make_judgement(capture=capture, epoch=epoch, repeat=repeat, job=job)
        with transaction.atomic(), sums.kept_in_step(captures=[capture.pk]):
            factories.write_call_verdict(
                capture, ok=ok, repeat=repeat, judgement=judgement, epoch=epoch
            )

    assert flips_of(job) == Flips(items=3, flipped=1)


def test_an_open_or_large_job_is_not_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    job = make_job()
    make_repeats((70, 80), found=("y", "n"), job=job)
    assert flips_of(job) == Flips(1, 1)
    monkeypatch.setattr(flips, "LOOKED_AT_MOST", 1)
    assert flips_of(job) is None
    monkeypatch.undo()
    assert flips_of(Job.objects.create(run=job.run, budget_nano_usd=1)) is None


def test_the_page_of_a_run_gives_the_share(client: Client, make_user: Any) -> None:
    client.force_login(make_user("viewer"))
    job = make_job()
    make_repeats((70, 80), found=("yyy", "yyn"), job=job)

    page = " ".join(client.get(reverse("run", args=["run-1"])).content.decode().split())

    assert "<dd>33.3% <small>1 of 3 between repeats</small></dd>" in page
