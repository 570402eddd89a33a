"""Two uploads into one run at the same time: each call once, each receipt true."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest
from django.db import connection

from tests.verdicts_app.intake.test_captures import line
from verdicts_app.intake import captures
from verdicts_app.intake.captures import BATCH_LINES, CallsReceipt
from verdicts_app.models import Capture, Run, SystemPromptText

pytestmark = [pytest.mark.serial, pytest.mark.django_db(transaction=True)]

SHARED, OWN = 2 * BATCH_LINES, BATCH_LINES
PROMPTS = 7


def test_two_uploads_at_once_into_one_run() -> None:
    """Both send the same 1,000 calls, in opposite order, 500 calls of their own, and one call of
    the same id with other content."""
    together = Barrier(2)

    def lines(name: str) -> list[bytes]:
        shared = [line(f"shared-{n}", system_prompt=f"p{n % PROMPTS}") for n in range(SHARED)]
        own = [line(f"{name}-{n}") for n in range(OWN)]
        clash = [line("clash", user_content=f"as {name} says")]
        return [*(shared if name == "one" else reversed(shared)), *own, *clash]

    def chunks(name: str) -> Iterator[bytes]:
        together.wait(timeout=30)
        yield from lines(name)

    def upload(name: str) -> CallsReceipt:
        try:
            return captures.take_in(run_id="nightly", chunks=chunks(name), user=None, actor=name)
        finally:
            connection.close()

    with ThreadPoolExecutor(2) as pool:
        one, two = pool.map(upload, ["one", "two"])

    assert Run.objects.count() == 1
    assert SystemPromptText.objects.count() == PROMPTS
    stored = SHARED + 2 * OWN + 1
    assert Capture.objects.count() == stored == one.accepted + two.accepted
    assert one.duplicate + two.duplicate == SHARED
    for receipt in (one, two):
        assert receipt.lines == SHARED + OWN + 1
        assert receipt.accepted + receipt.duplicate + receipt.refused_total == receipt.lines
    [refusal] = [*one.refused, *two.refused]
    assert (refusal.line, refusal.field) == (SHARED + OWN + 1, "call_id")
    loser = "one" if one.refused else "two"
    assert Capture.objects.get(call_id="clash").user_content != f"as {loser} says"
    assert len(set(Capture.objects.values_list("call_id", flat=True))) == stored
