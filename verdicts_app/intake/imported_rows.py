"""Verdicts made elsewhere as rows: the verdict, what it stands on, the document behind it."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from judgeweb.judging.documents import digest
from judgeweb.judging.types import Standing
from verdicts_app.intake.judged.types import Judged
from verdicts_app.intake.made import Made
from verdicts_app.models import (
    ContestantOutcome,
    Decision,
    Epoch,
    ImportedDocument,
    Origin,
    Pair,
    Response,
    Run,
    Verdict,
    VerdictContestant,
)
from verdicts_app.work import verdict_parts, verdict_rows


@dataclass
class New:
    """A verdict about to be stored: on `response`, or on the pair of it and `second`."""

    made: Made
    response: Response
    second: Response | None
    shape: str
    judged: Judged
    epoch: Epoch
    identity: str
    board_key: str
    judged_at: datetime
    on_board: bool = True
    pair: Pair | None = None

    @property
    def answers(self) -> list[Response]:
        return [self.response] if self.second is None else [self.response, self.second]


def save_absent(new: Sequence[New]) -> None:
    """Save the answers that are not here, each once."""
    fresh = {id(answer): answer for one in new for answer in one.answers if answer.pk is None}
    Response.objects.bulk_create(fresh.values())


def settle_boards(new: Sequence[New]) -> None:
    """Of several judgings of one subject in one epoch the latest stands on the board."""
    latest: dict[str, New] = {}
    for one in new:
        held = latest.get(one.board_key)
        if held is None or held.judged_at <= one.judged_at:
            latest[one.board_key] = one
    on_board = Verdict.objects.filter(on_board=True, board_key__in=list(latest))
    for key, judged_at in on_board.values_list("board_key", "judged_at"):
        if judged_at > latest[key].judged_at:
            del latest[key]
    Verdict.objects.filter(on_board=True, board_key__in=list(latest)).update(on_board=False)
    for one in new:
        one.on_board = latest.get(one.board_key) is one


def insert(run: Run, new: Sequence[New]) -> list[int]:
    """The new ids. Absent answers are saved before."""
    _save_pairs([one for one in new if one.second is not None])
    rows = Verdict.objects.bulk_create([_row(run, one) for one in new])
    numbered = [(row.pk, one.judged.verdict) for row, one in zip(rows, new, strict=True)]
    verdict_parts.insert_marks(numbered)
    verdict_parts.insert_findings(numbered)
    VerdictContestant.objects.bulk_create(
        contestant
        for row, one in zip(rows, new, strict=True)
        if one.second is not None
        for contestant in _contestants(row, one)
    )
    ImportedDocument.objects.bulk_create(
        ImportedDocument(
            verdict=row,
            shape=one.shape,
            file=one.made.file,
            place=one.made.place[:40],
            sha256=digest(one.made.document),
            document=one.made.document,
        )
        for row, one in zip(rows, new, strict=True)
    )
    return [row.pk for row in rows]


def _save_pairs(new: Sequence[New]) -> None:
    """Each pair once, whoever judged it."""
    keys = {tuple(answer.pk for answer in one.answers) for one in new}
    held = Pair.objects.filter(first__in={first for first, _ in keys})
    found = {(pair.first_id, pair.second_id): pair for pair in held}
    fresh = [Pair(first_id=key[0], second_id=key[1]) for key in sorted(keys - found.keys())]
    found |= {(pair.first_id, pair.second_id): pair for pair in Pair.objects.bulk_create(fresh)}
    for one in new:
        first, second = (answer.pk for answer in one.answers)
        one.pair = found[first, second]


def _contestants(verdict: Verdict, one: New) -> list[VerdictContestant]:
    comparison = one.judged.verdict.comparison
    standings = comparison.standings if comparison else (None, None)
    return [
        VerdictContestant(
            verdict=verdict,
            position=position,
            label=standing.label if standing else answer.persona.spec,
            response=answer,
            persona_id=answer.persona_id,
            outcome=_outcome(one.judged, position),
            **(_totals(standing) if standing else {}),
        )
        for position, (answer, standing) in enumerate(zip(one.answers, standings, strict=True), 1)
    ]


def _totals(standing: Standing) -> dict[str, Any]:
    return {
        "total_nano": verdict_rows.scaled(standing.total),
        "total_exact": verdict_rows.exact(standing.total) or "",
        "without_persona_nano": verdict_rows.scaled(standing.total_without_persona),
        "without_persona_exact": verdict_rows.exact(standing.total_without_persona) or "",
        "order_totals": json.dumps([str(total) for total in standing.totals]),
    }


def _outcome(judged: Judged, position: int) -> ContestantOutcome:
    if judged.decision == Decision.WIN:
        return ContestantOutcome.WON if judged.winner == position else ContestantOutcome.LOST
    is_tie = judged.decision == Decision.TIE
    return ContestantOutcome.TIED if is_tie else ContestantOutcome.INCONSISTENT


def _row(run: Run, one: New) -> Verdict:
    verdict, usage = one.judged.verdict, one.made.usage
    kinds = (usage.input_tokens, usage.cache_write_tokens, usage.cache_read_tokens)
    is_pair = one.pair is not None
    return Verdict(
        identity=one.identity,
        board_key=one.board_key,
        mode=one.judged.mode,
        epoch=one.epoch,
        origin=Origin.IMPORTED,
        run=run,
        response=None if is_pair else one.response,
        pair=one.pair,
        persona_id=None if is_pair else one.response.persona_id,
        scenario_id=one.response.scenario_id,
        answered_at=one.response.answered_at,
        total_nano=verdict_rows.scaled(verdict.total),
        without_persona_nano=verdict_rows.scaled(verdict.total_without_persona),
        total_exact=verdict_rows.exact(verdict.total) or "",
        decision=one.judged.decision,
        detail=verdict_rows.detail_of(verdict),
        flags=",".join(verdict.flags),
        response_characters=sum(len(answer.text) for answer in one.answers),
        cost_nano_usd=usage.cost_nano_usd,
        input_tokens=sum(kind or 0 for kind in kinds),
        output_tokens=usage.output_tokens or 0,
        judged_at=one.judged_at,
        on_board=one.on_board,
    )
