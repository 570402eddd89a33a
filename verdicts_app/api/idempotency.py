"""`Idempotency-Key`: the same key with the same body is the same job; with another body, 409."""

import json
from collections.abc import Callable
from typing import Any, TypeVar

from django.db import transaction
from django.http import HttpRequest

from judgeweb.access.bearer import caller
from judgeweb.judging.documents import digest
from judgeweb.problems import Fault, Problem
from verdicts_app.models import IdempotencyKey, Job

HEADER = "Idempotency-Key"
T = TypeVar("T")


def once(
    request: HttpRequest,
    body: dict[str, Any],
    *,
    do: Callable[[], tuple[Job | None, T]],
    again: Callable[[Job], T],
) -> T:
    """`do` the work and remember its job under the key; `again` answers from that job.

    Key and work are one transaction: of two requests at once the second waits for the first. A
    request that needed no job is done anew, which changes nothing."""
    key = request.headers.get(HEADER, "").strip()
    if not key:
        return do()[1]
    if len(key) > 200 or not key.isprintable():
        raise Problem(
            422,
            "The idempotency key cannot be used.",
            faults=[Fault(HEADER, "1 to 200 printable characters", key)],
        )
    text = json.dumps([request.path, body], sort_keys=True, default=str)
    with transaction.atomic():
        known, _ = IdempotencyKey.objects.select_for_update().get_or_create(
            owner=f"user {caller(request).user_id}",
            key=key,
            defaults={"request_sha256": digest(text)},
        )
        if known.request_sha256 != digest(text):
            raise Problem(
                409, "The idempotency key was used for another request.", kind="key-reused"
            )
        if known.job is not None:
            return again(known.job)
        known.job, answer = do()
        known.save(update_fields=["job"])
        return answer
