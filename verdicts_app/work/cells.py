"""Cells: what all judgements of one scenario in a request have in common, its pins above all."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

from django.conf import settings

from judgeweb.judging.errors import CaseRefused
from judgeweb.judging.modes import mode_for, mode_named
from judgeweb.judging.types import Case, Contestant, Mode, Prompt
from rubrics_app import selectors
from rubrics_app.models import Revision, RevisionKind, Scenario
from verdicts_app.work.identity import EpochPins, pin
from verdicts_app.work.judge_config import JudgeChoice, origin_of_new_verdicts
from verdicts_app.work.request import JudgeRequest, Refusal, chunks

SOLO_ORDERS = 1


class Row(NamedTuple):
    """A response as planning reads it: without its text."""

    id: int
    outcome: str
    scenario_id: int | None
    scenario_key: str
    identity: str
    run_id: str
    spec: str
    character: str
    persona_character: str
    characters: int


@dataclass(frozen=True, eq=False)
class Cell:
    """What all judgements of one scenario have in common."""

    scenario_id: int
    mode: Mode[Case]
    scenario: Revision
    gold: Revision | None
    pins: EpochPins
    base_digest: str
    scenario_pin: list[Any]
    gold_pin: list[Any] | None

    def case(self, contestant: Contestant) -> Case:
        assert self.pins.rubric is not None
        return Case(
            rubric=selectors.rubric_document(self.pins.rubric),
            scenario=selectors.scenario_document(self.scenario),
            contestants=(contestant,),
            secret=settings.SECRET_KEY.encode(),
            gold=selectors.gold_document(self.gold) if self.gold else None,
            orders=SOLO_ORDERS,
        )

    @property
    def pinned(self) -> tuple[int | None, ...]:
        """Scenario, and the revisions of scenario, gold standard and contract."""
        return (self.scenario_id, self.scenario.pk, self.gold.pk if self.gold else None, None)

    def prompts(self, characters: int) -> tuple[Prompt, ...]:
        """As an answer of this length would be judged."""
        return self.mode.prompts(
            self.case(Contestant("theme:role", "A character", "x" * characters))
        )

    @property
    def frame(self) -> object:
        """Cells with the same one differ in length alone."""
        return self

    @property
    def cached_characters(self) -> int:
        """What the prefix of a judgement has beyond that of `prompts`."""
        return 0

    @property
    def entries(self) -> int:
        """How many marks and items the judge writes about."""
        assert self.pins.rubric is not None
        rubric = selectors.rubric_document(self.pins.rubric)
        scenario = selectors.scenario_document(self.scenario)
        lists = (scenario.baseline_issues, scenario.baseline_criteria)
        bonus = (scenario.bonus_issues, scenario.bonus_criteria)
        marks = sum(len(dimension.marks) for dimension in rubric.dimensions)
        return marks + sum(len(entries) for entries in (*lists, *bonus))


class Cells:
    """The cells of the scenarios in a request, with what refuses them."""

    def __init__(
        self, request: JudgeRequest, judge: JudgeChoice, scenario_ids: set[int | None]
    ) -> None:
        self._request = request
        self._judge = judge
        self._origin = origin_of_new_verdicts()
        self._scenarios = _newest(RevisionKind.SCENARIO, scenario_ids)
        self._golds = _newest(RevisionKind.GOLD, scenario_ids) if request.use_gold else {}
        self._rubrics: dict[str, Revision] = {}
        self._cells: dict[int, Cell | Refusal] = {}
        self._checked: dict[tuple[int, str, str], Refusal | None] = {}

    def of(self, row: Row) -> Cell | Refusal:
        assert row.scenario_id is not None
        if row.scenario_id not in self._cells:
            try:
                self._cells[row.scenario_id] = self._cell(row.scenario_id)
            except CaseRefused as refused:
                self._cells[row.scenario_id] = _refusal(row, refused)
        cell = self._cells[row.scenario_id]
        if isinstance(cell, Refusal):
            return cell
        return self._refused(cell, row) or cell

    def _cell(self, scenario_id: int) -> Cell:
        scenario = self._scenarios.get(scenario_id)
        if scenario is None:
            raise CaseRefused("scenario", "the scenario is a draft that was never published")
        mode = self._mode(scenario)
        gold = self._golds.get(scenario_id)
        pins = EpochPins(
            origin=self._origin,
            mode=mode.name,
            rubric=self._rubric(mode),
            prompt_version=mode.prompt_version,
            requested_model=self._judge.model,
            parameters=self._judge.parameters(orders=SOLO_ORDERS),
        )
        return Cell(
            scenario_id=scenario_id,
            mode=mode,
            scenario=scenario,
            gold=gold,
            pins=pins,
            base_digest=pins.base_digest,
            scenario_pin=pin(scenario) or [],
            gold_pin=pin(gold),
        )

    def _mode(self, scenario: Revision) -> Mode[Case]:
        name = self._request.mode or mode_for(selectors.scenario_document(scenario))
        return mode_named(name)

    def _rubric(self, mode: Mode[Case]) -> Revision:
        """Read once a request: all its judgements of a mode pin the same revision."""
        if mode.name not in self._rubrics:
            self._rubrics[mode.name] = rubric_to_pin(mode.name, self._request.rubric_key)
        return self._rubrics[mode.name]

    def _refused(self, cell: Cell, row: Row) -> Refusal | None:
        """R10, looked for in the values. The answer itself may be empty: a total of 0."""
        character = row.character or row.persona_character
        key = (cell.scenario_id, row.spec, character)
        if key not in self._checked:
            try:
                cell.mode.check(cell.case(Contestant(row.spec, character, "an answer")))
                self._checked[key] = None
            except CaseRefused as refused:
                self._checked[key] = _refusal(row, refused)
        return self._checked[key]


def rubric_to_pin(mode: str, key: str | None) -> Revision:
    """The newest revision of the rubric named, else of the mode's own. Raise CaseRefused."""
    revision = selectors.newest_revision(RevisionKind.RUBRIC, key or mode)
    if revision is None:
        raise CaseRefused("rubric", f"no rubric {key or mode!r} is published", key or mode)
    meant = selectors.rubric_document(revision).mode
    if meant != mode:
        message = f"rubric {revision.key!r} is for mode {meant!r}, not {mode!r}"
        raise CaseRefused("rubric", message, revision.key)
    return revision


def _refusal(row: Row, refused: CaseRefused) -> Refusal:
    return Refusal(row.scenario_key, refused.field, refused.message, value=refused.value)


def _newest(kind: RevisionKind, scenario_ids: set[int | None]) -> dict[int, Revision]:
    """The newest revision by scenario. A gold standard has its scenario's key."""
    found: dict[int, Revision] = {}
    for ids in chunks(sorted(i for i in scenario_ids if i is not None)):
        keys = dict(Scenario.objects.filter(pk__in=ids).values_list("key", "pk"))
        for revision in selectors.newest_revisions(kind).filter(key__in=list(keys)):
            found[keys[revision.key]] = revision
    return found
