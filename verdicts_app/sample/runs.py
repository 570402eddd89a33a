"""Sample runs: answers as rows, with the times of their own day."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import sha256
from random import Random

from rubrics_app.models import Scenario
from verdicts_app.models import Persona, Response, ResponseOutcome, Run
from verdicts_app.sample.cast import Actor

FAILED = 1 / 80


@dataclass(frozen=True)
class Given:
    """An answer that somebody gave to a scenario."""

    persona: Persona
    scenario: Scenario
    text: str


Personas = Mapping[str, Persona]
"""By spec."""


def personas_of(cast: Iterable[Actor]) -> Personas:
    return {actor.spec: _persona(actor) for actor in cast}


def _persona(actor: Actor) -> Persona:
    return Persona.objects.get_or_create(
        spec=actor.spec,
        defaults={
            "theme": actor.theme,
            "role": actor.role,
            "character": actor.character,
            "is_control": actor.theme == "control",
        },
    )[0]


def make_run(name: str, at: datetime, given: Iterable[Given], *, may_fail: bool = True) -> Run:
    """The run `sample-<name>-<day>` with its answers; a few of them failed."""
    run = new_run(name, at)
    Response.objects.bulk_create([_response(run, one, at, may_fail) for one in given])
    return run


def new_run(name: str, at: datetime) -> Run:
    run_id = "-".join(filter(None, ("sample", name, f"{at:%Y-%m-%d}")))
    return Run.objects.create(run_id=run_id, created_at=at, is_sample=True)


def _response(run: Run, given: Given, at: datetime, may_fail: bool) -> Response:
    persona, scenario = given.persona, given.scenario
    rng = Random(f"{run.run_id}/{persona.spec}/{scenario.key}")
    failed = rng.random() < FAILED and may_fail
    source_id = f"{rng.getrandbits(32):08x}"
    text = "" if failed else given.text
    return Response(
        run=run,
        persona=persona,
        scenario=scenario,
        scenario_key=scenario.key,
        source_id=source_id,
        identity=source_id,
        content_sha256=sha256(text.encode()).hexdigest(),
        outcome=ResponseOutcome.FAILED if failed else ResponseOutcome.ANSWERED,
        failure="the agent's run ended with an error (sample)" if failed else "",
        text=text,
        character=persona.character,
        model="sample-agent-2" if persona.role == "dev" else "sample-agent-1",
        answered_at=at - timedelta(seconds=rng.randint(60, 3600)),
        uploaded_at=at,
        duration_ms=rng.randint(9000, 60000),
        output_tokens=len(text) // 4,
    )
