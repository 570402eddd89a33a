"""The hard cap of a job: no request is sent that could go past it.

`Job.committed_nano_usd` holds what was spent and, for requests on their way, what they could
cost at most. It is raised by conditional updates, so that all workers share one cap.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from enum import Enum
from uuid import UUID

from verdicts_app.models import Job, JobState
from verdicts_app.work import sql

NANO = 10**9


class Refused(Enum):
    """Why a request must not be sent."""

    STOPPED = "the job does not run"
    NO_ROOM = "the budget has no room for it"


def commit(asked: Sequence[tuple[UUID, int]]) -> list[Refused | None]:
    """Commit (job, most nano-USD) pairs. None: committed; else why the request is refused."""
    by_job: dict[UUID, list[int]] = defaultdict(list)
    for position, (job_id, _) in enumerate(asked):
        by_job[job_id].append(position)
    answers: list[Refused | None] = [None] * len(asked)
    # Rows are locked in one order by all workers.
    for job_id in sorted(by_job):
        positions = by_job[job_id]
        if _raised(job_id, sum(asked[position][1] for position in positions)):
            continue
        for position in positions:
            if not _raised(job_id, asked[position][1]):
                answers[position] = _why(job_id)
    return answers


SETTLE = """
UPDATE verdicts_app_job SET committed_nano_usd = committed_nano_usd + %s WHERE id = %s
"""
RAISE = """
UPDATE verdicts_app_job SET committed_nano_usd = committed_nano_usd + %s
WHERE id = %s AND state = 'running'
    AND (budget_nano_usd IS NULL OR budget_nano_usd >= committed_nano_usd + %s)
"""


def settle(differences: Mapping[UUID, int]) -> None:
    """Replace worst cases by real costs; the differences are mostly negative."""
    for job_id in sorted(differences):
        if differences[job_id]:
            sql.execute(SETTLE, [differences[job_id], sql.key(job_id)])


def _raised(job_id: UUID, nano_usd: int) -> bool:
    return bool(sql.execute(RAISE, [nano_usd, sql.key(job_id), nano_usd]))


def _why(job_id: UUID) -> Refused:
    running = Job.objects.filter(pk=job_id, state=JobState.RUNNING).exists()
    return Refused.NO_ROOM if running else Refused.STOPPED
