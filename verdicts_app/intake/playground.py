"""What is pasted into the playground: answers of a run of its own, made before they are stored.

The same text by the same persona on the same scenario is the same answer. A pasted answer changes
no persona that is there.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from judgeweb.access import audit
from judgeweb.judging.documents import digest
from judgeweb.judging.text import visible
from rubrics_app.models import Scenario
from verdicts_app.intake.fields import folded
from verdicts_app.intake.shapes import one_line
from verdicts_app.intake.store import content_hash
from verdicts_app.models import (
    PLAYGROUND_RUN,
    Persona,
    Response,
    ResponseFlag,
    ResponseOutcome,
    Run,
)


@dataclass(frozen=True)
class Pasted:
    """`spec` is `theme:role`, or any name."""

    spec: str
    character: str
    text: str


def pasted_responses(pasted: Sequence[Pasted], scenario: Scenario) -> list[Response]:
    """Not stored, unless they were before. The very same answer twice is two answers."""
    run = Run.objects.filter(run_id=PLAYGROUND_RUN).first() or Run(run_id=PLAYGROUND_RUN)
    return [
        _response(one, scenario, run, copy=list(pasted[:place]).count(one))
        for place, one in enumerate(pasted)
    ]


def _response(pasted: Pasted, scenario: Scenario, run: Run, *, copy: int) -> Response:
    spec = folded(pasted.spec)
    character = one_line(pasted.character, most=300)
    identity = f"sha256:{digest(json.dumps([spec, character, pasted.text, copy]))}"
    stored = Response.objects.filter(
        run__run_id=PLAYGROUND_RUN,
        persona__spec=spec,
        scenario_key=scenario.key,
        identity=identity,
    )
    if known := stored.select_related("run", "persona").first():
        return known
    theme, _, role = spec.partition(":")
    persona = Persona.objects.filter(spec=spec).first() or Persona(
        spec=spec, theme=theme if role else "", role=role[:100]
    )
    text, is_escaped = visible(pasted.text)
    return Response(
        run=run,
        persona=persona,
        scenario=scenario,
        scenario_key=scenario.key,
        identity=identity,
        content_sha256=content_hash(pasted.text),
        outcome=ResponseOutcome.ANSWERED,
        text=text,
        text_json=json.dumps(pasted.text) if is_escaped else "",
        flags=ResponseFlag.ESCAPED_TEXT.value if is_escaped else "",
        character=character,
        answered_at=timezone.now(),
        answered_at_is_upload=True,
    )


def store_pasted(responses: Sequence[Response], *, user: User | None, actor: str) -> list[int]:
    """The ids of the responses, in order; those that are not stored yet are."""
    run, _ = Run.objects.get_or_create(run_id=PLAYGROUND_RUN)
    with transaction.atomic():
        Run.objects.select_for_update().get(pk=run.pk)
        new = [response for response in responses if response.pk is None]
        for response in new:
            _store(response, run)
        if new:
            action = "paste answers into the playground"
            audit.record(actor=actor, action=action, target=new[0].scenario_key)
    return [response.pk for response in responses]


def _store(response: Response, run: Run) -> None:
    made = response.persona
    response.run = run
    response.persona, _ = Persona.objects.get_or_create(
        spec=made.spec, defaults={"theme": made.theme, "role": made.role}
    )
    known = Response.objects.filter(
        run=run,
        persona=response.persona,
        scenario_key=response.scenario_key,
        identity=response.identity,
    ).first()
    if known is None:
        response.save(force_insert=True)
    else:
        response.pk = known.pk
