"""What a request to judge comes to: the work that is left, and what is left out and why.

Nothing is written here: the price is shown from the same selection that is then planned.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

from django.db.models import QuerySet
from django.db.models.functions import Length

from judgeweb.judging.errors import CaseRefused
from rubrics_app import selectors
from rubrics_app.models import RevisionKind
from verdicts_app.models import OPEN_STATES, Judgement, Response, ResponseOutcome, Run, Verdict
from verdicts_app.work.call_cells import CallCell, CallCells, CallRow, call_rows
from verdicts_app.work.cells import Cell, Cells, Row
from verdicts_app.work.identity import (
    call_identity_of,
    capture_subject,
    identity_of,
    response_subject,
)
from verdicts_app.work.judge_config import JudgeChoice, chosen_judge
from verdicts_app.work.request import JudgeRequest, Refusal, Unlinked, chunks

AnyCell = Cell | CallCell


@dataclass(frozen=True, slots=True)
class Unit:
    """One judgement to be planned, of a response or of a capture. `characters` is the length of
    what is sent beside the prefix, 0 where nothing has to be asked."""

    cell: AnyCell
    response_id: int | None
    repeat: int
    identity: str
    characters: int
    capture_id: int | None = None
    call_type: str = ""


@dataclass
class Selection:
    judge: JudgeChoice
    run: Run | None = None
    units: list[Unit] = field(default_factory=list)
    already_judged: int = 0
    already_planned: int = 0
    failed_runs: int = 0
    unlinked: list[Unlinked] = field(default_factory=list)
    refused: list[Refusal] = field(default_factory=list)


def select_work(request: JudgeRequest) -> Selection:
    """Raise CaseRefused where the request itself cannot be used, naming its field."""
    selection = all_work(request)
    leave_out_what_is_done(selection, rejudge=request.rejudge)
    return selection


def all_work(request: JudgeRequest) -> Selection:
    """As `select_work`, with what is done or being done already still among the units."""
    request.check()
    _check_rubric(request)
    selection = Selection(
        judge=chosen_judge(
            model=request.model, effort=request.effort, output_mode=request.output_mode
        ),
        run=_run(request),
    )
    refusals: dict[Refusal, int] = {}
    if request.wants_responses:
        _add_responses(request, selection, refusals)
    if request.wants_captures:
        _add_captures(request, selection, refusals)
    selection.refused = [replace(refusal, responses=n) for refusal, n in refusals.items()]
    return selection


def _add_responses(
    request: JudgeRequest, selection: Selection, refusals: dict[Refusal, int]
) -> None:
    linked = _linked(_rows(request), selection)
    cells = Cells(request, selection.judge, {row.scenario_id for row in linked})
    for row in linked:
        cell = cells.of(row)
        if isinstance(cell, Refusal):
            refusals[cell] = refusals.get(cell, 0) + 1
        else:
            selection.units += _units(cell, row, request.repeats)


def _add_captures(
    request: JudgeRequest, selection: Selection, refusals: dict[Refusal, int]
) -> None:
    cells = CallCells(request, selection.judge)
    for row in call_rows(request):
        cell = cells.of(row)
        if isinstance(cell, Refusal):
            refusals[cell] = refusals.get(cell, 0) + 1
        else:
            selection.units += _call_units(cell, row, request.repeats)


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


def _rows(request: JudgeRequest) -> Iterator[Row]:
    for responses in _responses(request):
        values = responses.order_by("id").values_list(
            "id",
            "outcome",
            "scenario_id",
            "scenario_key",
            "identity",
            "run__run_id",
            "persona__spec",
            "character",
            "persona__character",
            Length("text"),
        )
        yield from map(Row._make, values.iterator(chunk_size=2000))


def _responses(request: JudgeRequest) -> Iterator[QuerySet[Response]]:
    if request.run_id is not None:
        yield Response.objects.filter(run__run_id=request.run_id)
    for ids in chunks(request.response_ids or ()):
        yield Response.objects.filter(pk__in=ids)


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


def _units(cell: Cell, row: Row, repeats: int) -> Iterator[Unit]:
    subject = response_subject(
        run_id=row.run_id, spec=row.spec, scenario_key=row.scenario_key, identity=row.identity
    )
    for repeat in range(1, repeats + 1):
        identity = identity_of(
            subject=subject,
            repeat=repeat,
            base_digest=cell.base_digest,
            scenario_pin=cell.scenario_pin,
            gold_pin=cell.gold_pin,
        )
        yield Unit(cell, row.id, repeat, identity, row.characters)


def _call_units(cell: CallCell, row: CallRow, repeats: int) -> Iterator[Unit]:
    subject = capture_subject(run_id=row.run_id, call_id=row.call_id)
    characters = row.input_size + row.response_size if row.response_size else 0
    for repeat in range(1, repeats + 1):
        identity = call_identity_of(
            subject=subject,
            repeat=repeat,
            base_digest=cell.base_digest,
            contract_pin=cell.contract_pin,
        )
        yield Unit(cell, None, repeat, identity, characters, row.id, row.call_type)


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
