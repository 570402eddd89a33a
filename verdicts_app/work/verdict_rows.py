"""A verdict as a row. Its marks and all that hangs on it: `verdict_parts`.

`Verdict.detail` is JSON text, fractions as "p/q" or whole numbers, undefined values null:

{"parts": {name: fraction}, "total_without_persona": fraction,
 "working": [{"name", "expression", "value", "note"}],
 "stated": [{"name", "stated", "computed", "differs"}],
 "flags": [...], "notes": [...], "assessment": "...", "extra": {...}}

`extra` is left out where it is empty.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from fractions import Fraction
from typing import Any

from judgeweb.judging.types import Usage, Verdict
from verdicts_app import models
from verdicts_app.models import POINT, Epoch, Origin
from verdicts_app.work import sql
from verdicts_app.work.identity import board_key_of
from verdicts_app.work.items import Item


def exact(value: Fraction | None) -> str | None:
    return None if value is None else str(value)


def scaled(value: Fraction | None) -> int | None:
    """In 1e-9 points, half to even (Python's rounding of a Fraction)."""
    return None if value is None else round(value * POINT)


def detail_of(verdict: Verdict) -> str:
    return json.dumps(
        {
            "parts": {name: exact(value) for name, value in verdict.parts.items()},
            "total_without_persona": exact(verdict.total_without_persona),
            "working": [
                {
                    "name": step.name,
                    "expression": step.expression,
                    "value": exact(step.value),
                    "note": step.note,
                }
                for step in verdict.working
            ],
            "stated": [
                {
                    "name": stated.name,
                    "stated": stated.stated,
                    "computed": stated.computed,
                    "differs": stated.differs,
                }
                for stated in verdict.stated
            ],
            "flags": list(verdict.flags),
            "notes": list(verdict.notes),
            "assessment": verdict.assessment,
            **({"extra": verdict.extra} if verdict.extra else {}),
        },
        separators=(",", ":"),
    )


def read_detail(verdict: models.Verdict) -> Mapping[str, Any]:
    detail: Mapping[str, Any] = json.loads(verdict.detail)
    return detail


VERDICT_COLUMNS = (
    "judgement_id",
    "identity",
    "board_key",
    "mode",
    "epoch_id",
    "origin",
    "run_id",
    "response_id",
    "capture_id",
    "pair_id",
    "chain_id",
    "gold_answer_id",
    "persona_id",
    "scenario_id",
    "repeat",
    "answered_at",
    "total_nano",
    "without_persona_nano",
    "total_exact",
    "passed",
    "decision",
    "rating",
    "detail",
    "flags",
    "response_characters",
    "cost_nano_usd",
    "input_tokens",
    "output_tokens",
    "latency_ms",
    "judged_at",
    "on_board",
)


@dataclass(eq=False, slots=True)
class NewVerdict:
    """A verdict about to be stored. `cost_nano_usd` sums all requests of its judgement."""

    item: Item
    verdict: Verdict
    epoch: Epoch
    cost_nano_usd: int | None
    board_key: str = ""
    on_board: bool = True

    def __post_init__(self) -> None:
        self.board_key = board_key_of(
            subject=self.item.subject,
            mode=self.item.mode,
            epoch_digest=self.epoch.digest,
            repeat=self.item.repeat,
        )

    @property
    def is_trial(self) -> bool:
        return self.epoch.origin == Origin.TRIAL

    def values(self, judged_at: datetime) -> tuple[Any, ...]:
        """In the order of VERDICT_COLUMNS."""
        item, verdict = self.item, self.verdict
        usage = sum((reply.usage for reply in verdict.replies), Usage())
        return (
            item.id,
            item.identity,
            self.board_key,
            item.mode,
            self.epoch.pk,
            self.epoch.origin,
            None if self.is_trial else item.run_pk,
            item.response_id,
            item.capture.pk if item.capture else None,
            item.pair.pk if item.pair else None,
            item.chain.pk if item.chain else None,
            item.gold_answer.pk if item.gold_answer else None,
            item.persona_id,
            item.scenario_id,
            item.repeat,
            sql.moment(item.answered_at),
            scaled(verdict.total),
            scaled(verdict.total_without_persona),
            exact(verdict.total) or "",
            verdict.passed,
            str(verdict.comparison.decision) if verdict.comparison else "",
            verdict.rating,
            detail_of(verdict),
            ",".join(verdict.flags),
            len(item.text),
            self.cost_nano_usd,
            usage.input_all,
            usage.output,
            sum(reply.latency_ms for reply in verdict.replies) or None,
            sql.moment(judged_at),
            self.on_board,
        )


def insert_verdicts(new: Sequence[NewVerdict], judged_at: datetime) -> list[int]:
    """The new ids, in order."""
    rows = [one.values(judged_at) for one in new]
    return sql.insert_returning(models.Verdict, VERDICT_COLUMNS, rows)
