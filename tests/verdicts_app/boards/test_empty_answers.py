"""How many empty answers a job judged."""

from typing import Any

import pytest
from django.db import transaction
from django.test import Client
from django.urls import reverse

from tests import factories
from verdicts_app.boards import empty_answers
from verdicts_app.models import Job, JobState, Response
from verdicts_app.work import sums
from verdicts_app.work.progress import job_progress

pytestmark = pytest.mark.django_db
EMPTY = "reasked,empty_answer"


def make_job(**fields: Any) -> Job:
    given = {"state": JobState.DONE, "finished_at": factories.NOON, **fields}
    return Job.objects.create(run=factories.make_run(), **given)


def judge(job: Job, response: Response, repeats: int = 1, **fields: Any) -> None:
    for repeat in range(1, repeats + 1):
        judgement = factories.make_judgement(response, job=job, repeat=repeat)
        factories.make_verdict(response=response, judgement=judgement, repeat=repeat, **fields)


def empty_of(job: Job) -> int:
    return empty_answers.empty_answers_of(job, judged=job_progress(job).judged)


def test_an_empty_answer_counts_once_however_often_it_was_judged() -> None:
    job = make_job()
    judge(job, factories.make_response(), repeats=3, total=0, flags=EMPTY)
    judge(job, factories.make_response(), total=0, flags=EMPTY)
    judge(job, factories.make_response(), total=0, flags="no_patch")
    judge(make_job(), factories.make_response(), total=0, flags=EMPTY)
    capture = factories.make_capture()
    epoch = factories.make_epoch("calls", mode="calls")
    judgement = factories.make_judgement(capture=capture, epoch=epoch, job=job)
    with transaction.atomic(), sums.kept_in_step(captures=[capture.pk]):
        factories.write_call_verdict(capture, judgement=judgement, epoch=epoch, flags=EMPTY)

    # Two answers and a call.
    assert empty_of(job) == 3


def test_an_open_or_large_job_is_not_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    job, still_open = make_job(), make_job(state=JobState.RUNNING, finished_at=None)
    for one in (job, still_open):
        judge(one, factories.make_response(), repeats=2, total=0, flags=EMPTY)

    assert (empty_of(job), empty_of(still_open)) == (1, 0)
    monkeypatch.setattr(empty_answers, "LOOKED_AT_MOST", 1)
    assert empty_of(job) == 0


def test_the_page_of_a_run_gives_them(client: Client, make_user: Any) -> None:
    client.force_login(make_user("viewer"))
    job = make_job()
    judge(job, factories.make_response(), total=80)
    address = reverse("run", args=["run-1"])
    assert "Empty answers" not in client.get(address).content.decode()
    judge(job, factories.make_response(), repeats=2, total=0, flags=EMPTY)

    page = " ".join(client.get(address).content.decode().split())

    assert "<dt>Empty answers</dt> <dd>1 <small>a total of 0</small></dd>" in page
