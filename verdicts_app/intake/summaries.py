"""Summaries (A3): documents about an answer, kept with it.

A summary is no answer, and without its answer there is nothing to judge or to count: it is kept
under "summary" in the document of the answer of the same persona, scenario and id, and refused
where that answer is not in the run.
"""

import json
from collections.abc import Iterable

from django.db import transaction

from verdicts_app.intake.receipts import Refusal, Tally
from verdicts_app.intake.shapes import Found
from verdicts_app.models import Response


def attach(summaries: Iterable[Found], tally: Tally) -> None:
    for found in summaries:
        with transaction.atomic():
            _attach(found, tally)


def _attach(found: Found, tally: Tally) -> None:
    subject = found.subject
    answers = Response.objects.select_for_update().filter(
        run__run_id=tally.run_id,
        persona__spec=subject.spec,
        scenario_key=subject.scenario,
        source_id=subject.source_id,
    )
    answer = answers.exclude(source_id="").first()
    if answer is None:
        reason = (
            f"a summary without an answer, and no answer {subject.source_id!r} of "
            f"{subject.spec!r} to {subject.scenario!r} is in this run: upload that first"
        )
        tally.refused.append(Refusal(found.file, found.place, "", reason))
        return
    stored = json.loads(answer.document)
    if stored.get("summary") == found.document:
        tally.duplicate += 1
        tally.of(found.file).duplicate += 1
        return
    answer.document = json.dumps(stored | {"summary": found.document}, sort_keys=True)
    answer.save(update_fields=["document"])
    tally.summaries += 1
    tally.of(found.file).summaries += 1
