"""What a request to judge comes to: the work that is left, and what is left out and why.

Nothing is written here: the price is shown from the same selection that is then planned.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from judgeweb.judging.errors import CaseRefused
from rubrics_app import selectors
from rubrics_app.models import RevisionKind
from verdicts_app.models import OPEN_STATES, Judgement, ResponseOutcome, Run, Verdict
from verdicts_app.work.call_cells import CallCells, call_rows
from verdicts_app.work.cells import Cell, Cells
from verdicts_app.work.chain_cells import ChainCells
from verdicts_app.work.golds import golds_of
from verdicts_app.work.judge_config import JudgeChoice, chosen_judge
from verdicts_app.work.linked import LINKING, linked_to
from verdicts_app.work.pairing import RelayRows, as_stored, paired, relays_of_run, stored_for
from verdicts_app.work.patch_cells import PatchCell
from verdicts_app.work.request import JudgeRequest, Refusal, Unlinked, chunks
from verdicts_app.work.reuse import take_from_earlier
from verdicts_app.work.rows import Row, rows_named, rows_of_run
from verdicts_app.work.units import (
    AnyCell,
    Unit,
    call_units,
    extractor_for,
    gold_units,
    pair_units,
    patch_unit,
    relay_units,
    response_units,
    sample_answers,
)

__all__ = [
    "AnyCell",
    "Selection",
    "Unit",
    "all_work",
    "leave_out_what_is_done",
    "select_work",
    "work_on",
]

Found = Iterator[Unit | Refusal]


@dataclass
class Selection:
    judges: tuple[JudgeChoice, ...]
    run: Run | None = None
    units: list[Unit] = field(default_factory=list)
    already_judged: int = 0
    already_planned: int = 0
    failed_runs: int = 0
    unlinked: list[Unlinked] = field(default_factory=list)
    refused: list[Refusal] = field(default_factory=list)

    @property
    def models(self) -> str:
        """The judge models that are asked, in words."""
        asked = {unit.cell.pins.requested_model: None for unit in self.units}
        return ", ".join(filter(None, asked)) or ("no model" if asked else self.judges[0].model)

    @property
    def extractors(self) -> str:
        """The models that extract claims, in words; "" where none does."""
        found = {extractor_for(unit): None for unit in self.units}
        return ", ".join(extractor.model for extractor in found if extractor)

    @property
    def taken(self) -> int:
        """How many units are taken from earlier verdicts, at no cost."""
        return sum(unit.taken_from is not None for unit in self.units)

    @property
    def needs_a_judge(self) -> bool:
        """False where all can be judged without asking anybody."""
        return any(unit.characters for unit in self.units)

    @property
    def is_computed(self) -> bool:
        """True where no unit is of a mode that needs a model."""
        return bool(self.units) and not any(u.cell.pins.requested_model for u in self.units)


def select_work(request: JudgeRequest) -> Selection:
    """Raise CaseRefused where the request itself cannot be used, naming its field."""
    selection = all_work(request)
    leave_out_what_is_done(selection, rejudge=request.rejudge)
    take_from_earlier(selection)
    return selection


def all_work(request: JudgeRequest) -> Selection:
    """As `select_work`, with what is done or being done already still among the units."""
    return work_on(request, lambda: _rows(request))


def work_on(request: JudgeRequest, rows: Callable[[], Iterable[Row]]) -> Selection:
    """As `all_work`, on rows that may not be stored yet: the ids that the request names."""
    request.check()
    _check_rubric(request)
    selection = Selection(
        judges=tuple(
            chosen_judge(model=model, effort=request.effort, output_mode=request.output_mode)
            for model in request.judge_models
        ),
        run=_run(request),
    )
    linked = _linked(rows(), selection)
    units: dict[str, Unit] = {}
    for judge in selection.judges:
        # Every judge refuses the same.
        refused: dict[Refusal, int] = {}
        for found in _found(request, judge, linked):
            if isinstance(found, Refusal):
                refused[found] = refused.get(found, 0) + found.responses
            else:
                units.setdefault(found.identity, found)
        selection.refused = [replace(one, responses=n) for one, n in refused.items()]
    # Whole repeats one after the other: the first extracts the claims that the others share.
    selection.units = sorted(units.values(), key=lambda u: u.repeat if request.claims else 0)
    return selection


def _found(request: JudgeRequest, judge: JudgeChoice, rows: Sequence[Row]) -> Found:
    """The work of one judge."""
    if request.wants_responses:
        yield from _responses(request, judge, rows)
    if request.wants_pairs:
        yield from _pairs(request, judge, rows)
    if request.wants_relays:
        yield from _relays(request, judge, rows)
    if request.wants_captures:
        yield from _captures(request, judge)
    if request.golds is not None:
        yield from _golds(request, judge)


def _responses(request: JudgeRequest, judge: JudgeChoice, rows: Sequence[Row]) -> Found:
    cells = Cells(request, judge, {row.scenario_id for row in rows})
    linked = linked_to(row.id for row in rows if _links(cells.of(row)))
    for row in rows:
        cell = cells.of(row)
        if isinstance(cell, Refusal):
            yield cell
        elif isinstance(cell, PatchCell):
            yield patch_unit(cell, row, linked.get(row.id))
        else:
            yield from response_units(cell, row, request.repeats)


def _links(cell: Cell | PatchCell | Refusal) -> bool:
    return isinstance(cell, PatchCell) and cell.mode.name == LINKING


def _pairs(request: JudgeRequest, judge: JudgeChoice, rows: Sequence[Row]) -> Found:
    cells = Cells(request, judge, {row.scenario_id for row in rows})
    for two in _two_rows(request, rows):
        cell = two if isinstance(two, Refusal) else cells.of(*two)
        if isinstance(cell, Refusal):
            yield cell
        else:
            assert isinstance(cell, Cell)
            assert not isinstance(two, Refusal)
            yield from pair_units(cell, two, request.repeats)


def _two_rows(request: JudgeRequest, rows: Sequence[Row]) -> Iterator[tuple[Row, Row] | Refusal]:
    if request.pairs is None:
        yield from paired(request, rows)
        return
    by_id = {row.id: row for row in rows}
    stored = stored_for(request, rows)
    for first, second in request.pairs:
        if first in by_id and second in by_id:
            yield as_stored((by_id[first], by_id[second]), stored)


def _relays(request: JudgeRequest, judge: JudgeChoice, rows: Sequence[Row]) -> Found:
    cells = ChainCells(request, judge)
    for relay in _four_rows(request, rows):
        if isinstance(relay, Refusal):
            yield relay
            continue
        cell = cells.of(relay.scenario_id)
        try:
            cell.mode.check(cell.case(relay.theme, sample_answers(relay)))
        except CaseRefused as refused:
            scenario = relay.rows[0].scenario_key
            yield Refusal(scenario, refused.field, refused.message, value=refused.value)
        else:
            yield from relay_units(cell, relay, request.repeats)


def _four_rows(request: JudgeRequest, rows: Sequence[Row]) -> Iterator[RelayRows | Refusal]:
    if request.relays is None:
        assert request.run_id is not None
        yield from relays_of_run(request.run_id, rows)
        return
    by_id = {row.id: row for row in rows}
    for relay in request.relays:
        if all(pk in by_id for pk in relay.response_ids):
            sm, tea, dev, reviewer = (by_id[pk] for pk in relay.response_ids)
            yield RelayRows(relay.theme, (sm, tea, dev, reviewer))


def _captures(request: JudgeRequest, judge: JudgeChoice) -> Found:
    cells = CallCells(request, judge)
    for row in call_rows(request):
        cell = cells.of(row)
        if isinstance(cell, Refusal):
            yield cell
        else:
            yield from call_units(cell, row, request.repeats)


def _golds(request: JudgeRequest, judge: JudgeChoice) -> Found:
    """Blind: the gold standard is no anchor of its own judgement."""
    golds = golds_of(request.golds or ())
    cells = Cells(replace(request, use_gold=False), judge, {gold.row.scenario_id for gold in golds})
    for gold in golds:
        cell = cells.of(gold.row)
        if isinstance(cell, Refusal):
            yield cell
        else:
            assert isinstance(cell, Cell)
            yield from gold_units(cell, gold, request.repeats)


def _check_rubric(request: JudgeRequest) -> None:
    """A rubric that nobody published is a fault of the request, not of each scenario."""
    key = request.rubric_key
    if not key or selectors.newest_revision(RevisionKind.RUBRIC, key) is not None:
        return
    known = ", ".join(selectors.published_keys(RevisionKind.RUBRIC))
    raise CaseRefused("rubric", f"no rubric {key!r} is published: expected one of {known}", key)


def _run(request: JudgeRequest) -> Run | None:
    if request.run_id is None:
        return None
    run = Run.objects.filter(run_id=request.run_id).first()
    if run is None:
        raise CaseRefused("run_id", f"there is no run {request.run_id!r}", request.run_id)
    return run


def _rows(request: JudgeRequest) -> Iterable[Row]:
    """All responses that the request is about."""
    if request.run_id is None:
        pairs, relays = request.pairs or (), request.relays or ()
        ids = {pk for pair in pairs for pk in pair}
        ids.update(pk for relay in relays for pk in relay.response_ids)
        return rows_named(request.response_ids or sorted(ids))
    if request.wants_responses or request.wants_pairs or request.wants_relays:
        return rows_of_run(request.run_id)
    return ()


def _linked(rows: Iterable[Row], selection: Selection) -> list[Row]:
    """The rows that can be judged; failed runs are counted, unlinked answers are listed."""
    linked: list[Row] = []
    unlinked: dict[str, int] = {}
    for row in rows:
        if row.outcome == ResponseOutcome.FAILED:
            selection.failed_runs += 1
        elif row.scenario_id is None:
            unlinked[row.scenario_key] = unlinked.get(row.scenario_key, 0) + 1
        else:
            linked.append(row)
    selection.unlinked = [Unlinked(key, n) for key, n in sorted(unlinked.items())]
    return linked


def leave_out_what_is_done(selection: Selection, *, rejudge: bool) -> None:
    """Leave out what has a live verdict (unless it is judged again) or is being worked on."""
    judged: set[str] = set()
    planned: set[str] = set()
    for identities in chunks([unit.identity for unit in selection.units]):
        if not rejudge:
            live = Verdict.objects.filter(identity__in=identities, superseded_at=None)
            judged.update(live.values_list("identity", flat=True))
        open_ones = Judgement.objects.filter(identity__in=identities, state__in=OPEN_STATES)
        planned.update(open_ones.values_list("identity", flat=True))
    selection.already_judged = len(judged)
    selection.already_planned = len(planned - judged)
    done = judged | planned
    selection.units = [unit for unit in selection.units if unit.identity not in done]
