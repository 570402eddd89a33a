"""coherence: the four answers of one team's relay.

The seed's data names no task. Where the run holds the same answers already (from the phases that
were judged before), they are the relay's; else they are stored with a scenario of their own.
"""

from collections.abc import Mapping
from typing import Any

from judgeweb.judging.documents import ScenarioDocument, digest
from rubrics_app.scenarios import inline_key, save_scenario
from verdicts_app.intake.fields import folded
from verdicts_app.intake.judgement_data.answers import Given, Taken, store_answers
from verdicts_app.intake.judgement_data.checks import check_object, check_text
from verdicts_app.intake.judgement_data.contest import check_theme, of_team
from verdicts_app.intake.store import content_hash
from verdicts_app.models import PHASES, Response, ResponseOutcome
from verdicts_app.work.request import Relay

FIELDS = {phase: f"{phase}_response" for phase in PHASES}
NO_TASK = "The task of this relay was not given: only its four answers were."


def check(data: Any, mode: str) -> None:
    """Each of the four: a relay with a gap has nothing that could cohere."""
    check_object(data, required=("theme", *FIELDS.values()))
    check_theme(data)
    for field in FIELDS.values():
        check_text(data, field)


def asks(data: Mapping[str, Any]) -> bool:
    return True


def take_in(data: Mapping[str, Any], mode: str, to: Taken) -> dict[str, Any]:
    theme = folded(data["theme"])
    given = {
        phase: of_team({"theme": theme, "response": data[field]}, phase)
        for phase, field in FIELDS.items()
    }
    known = {phase: _known(one, to.run_id) for phase, one in given.items()}
    new = [phase for phase in PHASES if known[phase] is None]
    if new:
        scenario = save_scenario(
            _without_task(theme, [given[phase].text for phase in PHASES]),
            user=to.user,
            actor=to.actor,
            is_inline=True,
        ).scenario
        stored = store_answers([given[phase] for phase in new], scenario, to)
        known |= dict(zip(new, stored, strict=True))
    sm, tea, dev, reviewer = (pk for phase in PHASES if (pk := known[phase]) is not None)
    relay = Relay(theme, (sm, tea, dev, reviewer))
    return {"relays": [relay], "mode": mode, "use_gold": False}


def _known(given: Given, run_id: str) -> int | None:
    """The newest response of the run with this very text by this persona."""
    same = Response.objects.filter(
        run__run_id=run_id,
        persona__spec=given.spec,
        content_sha256=content_hash(given.text),
        outcome=ResponseOutcome.ANSWERED,
    )
    return same.order_by("-id").values_list("pk", flat=True).first()


def _without_task(theme: str, texts: list[str]) -> ScenarioDocument:
    """One per relay: two teams are not said to have had the same task."""
    return ScenarioDocument(
        name=inline_key(digest("\n".join(map(content_hash, [theme, *texts])))),
        title=f"Relay of {theme}"[:120],
        challenge=NO_TASK,
    )
