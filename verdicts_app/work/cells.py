"""Cells: what all judgements of one scenario in a request have in common, its pins above all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from judgeweb.judging.documents import ScenarioDocument
from judgeweb.judging.errors import CaseRefused
from judgeweb.judging.modes import (
    PAIR_MODES,
    PATCH_MODES,
    matches_claims,
    mode_named,
    solo_mode_for,
)
from judgeweb.judging.types import Case, Contestant, Mode, Prompt
from rubrics_app import selectors
from rubrics_app.models import Revision, RevisionKind, Scenario
from rubrics_app.patch_cases import default_mode
from verdicts_app.models import Origin
from verdicts_app.work.cases import SOLO_ORDERS, secret
from verdicts_app.work.identity import EpochPins, pin
from verdicts_app.work.instrument import expected_claims, instrument, order_seed
from verdicts_app.work.judge_config import JudgeChoice, chosen_judge, origin_of_new_verdicts
from verdicts_app.work.patch_cells import PatchCell, patch_cell
from verdicts_app.work.request import JudgeRequest, Refusal, chunks
from verdicts_app.work.rows import Row

SAMPLES = (Contestant("theme:role", "A character", ""), Contestant("other:role", "Another", ""))
"""Who stands in a prompt that is made for its price."""


@dataclass(frozen=True, eq=False)
class Cell:
    """What all judgements of one scenario have in common: of one answer each, or of two."""

    scenario_id: int
    mode: Mode[Case]
    scenario: Revision
    gold: Revision | None
    pins: EpochPins
    base_digest: str
    scenario_pin: list[Any]
    gold_pin: list[Any] | None
    contestants: int
    orders: int
    extractor: JudgeChoice | None = None
    is_shuffled: bool = False

    def seed(self, repeat: int) -> str:
        """By which a repeat is shown in another order; "" where none is."""
        if not self.is_shuffled:
            return ""
        return order_seed(
            mode=self.mode.name,
            rubric_pin=pin(self.pins.rubric),
            scenario_pin=self.scenario_pin,
            repeat=repeat,
        )

    def case(self, contestants: Sequence[Contestant]) -> Case:
        assert self.pins.rubric is not None
        return Case(
            rubric=selectors.rubric_document(self.pins.rubric),
            scenario=selectors.scenario_document(self.scenario),
            contestants=tuple(contestants),
            secret=secret(),
            gold=selectors.gold_document(self.gold) if self.gold else None,
            orders=self.orders,
        )

    @property
    def pinned(self) -> tuple[int | None, ...]:
        """Scenario, and the revisions of scenario, gold standard and contract."""
        return (self.scenario_id, self.scenario.pk, self.gold.pk if self.gold else None, None)

    def prompts(self, characters: int) -> tuple[Prompt, ...]:
        """As answers of this length in all would be judged. Of two, none is empty: it would not
        be sent."""
        share = "x" * max(characters // self.contestants, self.contestants - 1)
        case = self.case(
            [Contestant(one.spec, one.character, share) for one in SAMPLES[: self.contestants]]
        )
        if self.extractor:
            case = replace(case, claims=(expected_claims(len(share)),) * self.contestants)
        return self.mode.prompts(case)

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
        items = sum(len(entries) for entries in (*lists, *bonus))
        return self.contestants * (marks + items)

    def ruled(self, characters: int) -> int:
        """How many claims the judge rules on, expected of answers of this length in all."""
        if not self.extractor:
            return 0
        share = characters // self.contestants
        return self.contestants * len(expected_claims(share).claims)


class Cells:
    """The cells of the scenarios in a request for one judge, with what refuses them."""

    def __init__(
        self, request: JudgeRequest, judge: JudgeChoice, scenario_ids: set[int | None]
    ) -> None:
        self._request = request
        self._judge = judge
        self._origin = origin_of_new_verdicts(
            is_trial=request.is_trial, is_sample=request.is_sample
        )
        self._scenarios = _newest(RevisionKind.SCENARIO, scenario_ids)
        self._golds = _newest(RevisionKind.GOLD, scenario_ids) if request.use_gold else {}
        self._rubrics: dict[str, Revision] = {}
        self._cells: dict[int, Cell | PatchCell | Refusal] = {}
        self._checked: dict[tuple[Any, ...], Refusal | None] = {}

    def of(self, *rows: Row) -> Cell | PatchCell | Refusal:
        """The cell of a response, or of two that are compared."""
        row = rows[0]
        assert row.scenario_id is not None
        if row.scenario_id not in self._cells:
            try:
                self._cells[row.scenario_id] = self._cell(row.scenario_id)
            except CaseRefused as refused:
                self._cells[row.scenario_id] = _refusal(row, refused)
        cell = self._cells[row.scenario_id]
        if isinstance(cell, Cell):
            return self._refused(cell, rows) or cell
        return cell

    def _cell(self, scenario_id: int) -> Cell | PatchCell:
        scenario = self._scenarios.get(scenario_id)
        if scenario is None:
            raise CaseRefused("scenario", "the scenario is a draft that was never published")
        document = selectors.scenario_document(scenario)
        name = self._request.mode or self._default_mode(scenario, document)
        by_claims = self._request.claims and matches_claims(name, document)
        mode = mode_named(name, by_claims=by_claims)
        if mode.name in PATCH_MODES:
            rubric = self._rubric(mode.name)
            # Whoever judges otherwise: this is computed, and no stand-in's mark.
            origin = Origin.JUDGED if self._origin == Origin.STAND_IN else self._origin
            return patch_cell(scenario_id, mode, scenario, rubric, origin)
        is_pair = mode.name in PAIR_MODES
        orders = self._request.orders if is_pair else SOLO_ORDERS
        # A comparison is no calibration: the gold standard would be a third contestant.
        gold = None if is_pair else self._golds.get(scenario_id)
        # compare marks by the rubric that the scenario's lists call for, as solo does.
        meant = solo_mode_for(document) if mode.name == "compare" else mode.name
        extractor = self._extractor if by_claims else None
        is_shuffled = self._request.shuffle
        pins = EpochPins(
            origin=self._origin,
            mode=mode.name,
            rubric=self._rubric(meant),
            prompt_version=mode.prompt_version,
            requested_model=self._judge.model,
            parameters={
                **self._judge.parameters(orders=orders, is_trial=self._request.is_trial),
                **instrument(extractor, is_shuffled=is_shuffled),
            },
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
            contestants=2 if is_pair else 1,
            orders=orders,
            extractor=extractor,
            is_shuffled=is_shuffled,
        )

    @property
    def _extractor(self) -> JudgeChoice:
        """The same for all judges of the request."""
        model = self._request.claims_model or self._request.judge_models[0]
        return replace(self._judge, model=chosen_judge(model=model).model)

    def _default_mode(self, scenario: Revision, document: ScenarioDocument) -> str:
        """What the scenario says; where a model is meant (gold standards, trials, a rubric of a
        mode that asks one), the mode of its lists."""
        with_model = solo_mode_for(document)
        request = self._request
        if request.golds is not None or request.is_trial:
            return with_model
        if request.rubric_key and self._rubric_is_for(with_model):
            return with_model
        return default_mode(scenario.key, document)

    def _rubric_is_for(self, mode: str) -> bool:
        revision = selectors.newest_revision(RevisionKind.RUBRIC, self._request.rubric_key or "")
        return revision is not None and selectors.rubric_document(revision).mode == mode

    def _rubric(self, mode: str) -> Revision:
        """Read once a request: all its judgements of a mode pin the same revision."""
        if mode not in self._rubrics:
            self._rubrics[mode] = rubric_to_pin(mode, self._request)
        return self._rubrics[mode]

    def _refused(self, cell: Cell, rows: Sequence[Row]) -> Refusal | None:
        """R10, looked for in the values. The answer itself may be empty: a total of 0."""
        contestants = tuple(row.stand_in(cell.mode.name) for row in rows)
        key = (cell.scenario_id, *contestants)
        if key not in self._checked:
            try:
                cell.mode.check(cell.case(contestants))
                self._checked[key] = None
            except CaseRefused as refused:
                self._checked[key] = _refusal(rows[0], refused)
        return self._checked[key]


def rubric_to_pin(mode: str, request: JudgeRequest) -> Revision:
    """The newest revision of the rubric named, else of the mode's own; in a trial the snapshot
    that it brings. Raise CaseRefused."""
    key = request.rubric_key
    revision = request.trial_rubric or selectors.newest_revision(RevisionKind.RUBRIC, key or mode)
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
