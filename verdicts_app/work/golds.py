"""Gold standards as what is judged: their answers, blind, to see how far a judge is off."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from judgeweb.judging.errors import CaseRefused
from rubrics_app import selectors
from rubrics_app.models import Revision, RevisionKind, Scenario
from verdicts_app.models import ResponseOutcome
from verdicts_app.work.cases import GOLD_SPEC
from verdicts_app.work.rows import Row


@dataclass(frozen=True)
class GoldRow:
    """`row` is what planning reads of the answer, as of an uploaded one."""

    revision: Revision
    row: Row


def golds_of(keys: Sequence[str]) -> list[GoldRow]:
    """The newest gold standards of these scenarios. Raise CaseRefused where one has none."""
    wanted = sorted(set(keys))
    found = selectors.newest_revisions(RevisionKind.GOLD).filter(key__in=wanted)
    revisions = {revision.key: revision for revision in found}
    scenarios = dict(Scenario.objects.filter(key__in=wanted).values_list("key", "pk"))
    missing = [key for key in wanted if key not in revisions or key not in scenarios]
    if missing:
        message = f"no gold standard is published for {missing[0]!r}"
        raise CaseRefused("scenarios", message, missing[0])
    return [GoldRow(revisions[key], _row(revisions[key], scenarios[key])) for key in wanted]


def _row(revision: Revision, scenario_id: int) -> Row:
    return Row(
        id=revision.pk,
        outcome=ResponseOutcome.ANSWERED,
        scenario_id=scenario_id,
        scenario_key=revision.key,
        identity=revision.sha256,
        run_id="",
        run_pk=0,
        spec=GOLD_SPEC,
        theme="",
        role="",
        is_control=False,
        character="",
        persona_character="",
        characters=len(selectors.gold_document(revision).response),
    )
