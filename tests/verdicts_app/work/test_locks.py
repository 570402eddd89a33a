"""Case 125: eight writers and readers beside them, and no database is locked."""

from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction

import pytest
from django.db import connection, transaction

from judgeweb.judging.types import Verdict as Outcome
from tests.verdicts_app.work.conftest import Answers, Plan
from verdicts_app.models import Verdict
from verdicts_app.work.claim import claim_items
from verdicts_app.work.record import Record, Recorder

pytestmark = [
    pytest.mark.serial,
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("judge_at_standin"),
]

WRITERS, SAVES = 8, 50
OUTCOME = Outcome(total=Fraction(80), total_without_persona=None, parts={}, working=())


def test_case_125_eight_writers_save_fifty_verdicts_each_beside_readers(
    answers: Answers, plan: Plan
) -> None:
    answers(WRITERS * SAVES)
    job_id = plan().job.pk

    def save() -> int:
        try:
            recorder = Recorder()
            saved = 0
            for _ in range(SAVES):
                with transaction.atomic():
                    [item] = claim_items(job_id=job_id, limit=1)
                saved += len(recorder.write([Record(item, OUTCOME)]))
            return saved
        finally:
            connection.close()

    def read() -> int:
        try:
            return max(Verdict.objects.filter(on_board=True).count() for _ in range(100))
        finally:
            connection.close()

    with ThreadPoolExecutor(WRITERS + 2) as pool:
        readers = [pool.submit(read) for _ in range(2)]
        writers = [pool.submit(save) for _ in range(WRITERS)]

    assert [writer.result() for writer in writers] == [SAVES] * WRITERS
    assert all(reader.result() <= WRITERS * SAVES for reader in readers)
    assert Verdict.objects.filter(on_board=True).count() == WRITERS * SAVES
