"""Who is compared with whom: everybody with the control, and both themes role by role."""

from rubrics_app.models import Scenario
from verdicts_app.models import Response, ResponseOutcome, Run

CONTROL = "control:dev"
RIVALS = (
    ("lighthouse:reviewer", "foundry:reviewer"),
    ("lighthouse:dev", "foundry:dev"),
    ("lighthouse:sm", "foundry:sm"),
    ("lighthouse:reviewer", CONTROL),
    ("lighthouse:dev", CONTROL),
    ("lighthouse:sm", CONTROL),
    ("foundry:reviewer", CONTROL),
    ("foundry:dev", CONTROL),
    ("foundry:sm", CONTROL),
)


def pairs_of(run: Run, scenarios: list[Scenario]) -> list[tuple[int, int]]:
    """The answers of the run that are compared, where both were given."""
    answers = Response.objects.filter(
        run=run, scenario__in=scenarios, outcome=ResponseOutcome.ANSWERED
    )
    by_name = {
        (spec, scenario): pk
        for pk, spec, scenario in answers.values_list("pk", "persona__spec", "scenario")
    }
    return [
        (by_name[one, scenario.pk], by_name[other, scenario.pk])
        for scenario in scenarios
        for one, other in RIVALS
        if {(one, scenario.pk), (other, scenario.pk)} <= by_name.keys()
    ]
