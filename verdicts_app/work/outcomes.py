"""From a claimed judgement to its outcome."""

from __future__ import annotations

import logging
from dataclasses import dataclass, field
from typing import Any

from django.conf import settings
from django.db import DatabaseError

from judgeweb.judging.conversation import decided_before, judge
from judgeweb.judging.errors import JudgeFault
from judgeweb.judging.modes import mode_named
from judgeweb.judging.types import Ask, Mode, Outcome, Unjudged, UnjudgedReason
from verdicts_app.work.asking import BudgetReached, Stopped
from verdicts_app.work.extracting import ItemClaims
from verdicts_app.work.items import Item, case_of

logger = logging.getLogger(__name__)


@dataclass
class Outcomes:
    """Remembers the modes that it has met."""

    _modes: dict[tuple[str, bool], Mode[Any]] = field(default_factory=dict)

    async def of(self, item: Item, ask: Ask, claims: ItemClaims | None = None) -> Outcome:
        """Raise what says that nothing is decided: JudgeFault, BudgetReached, Stopped."""
        try:
            mode = self._mode(item.mode, by_claims=claims is not None)
            if item.taken is not None:
                return decided_before(mode, case_of(item), item.taken)
            return await judge(
                mode,
                case_of(item),
                ask,
                max_tokens=settings.JUDGE_MAX_TOKENS,
                reports_usage=settings.JUDGE_REPORTS_USAGE,
                prepare=claims.prepare if claims else None,
            )
        except (JudgeFault, BudgetReached, Stopped, DatabaseError):
            raise
        except Exception as error:
            # A bug met by one item must neither end the drain nor be paid for again and again.
            logger.exception("judgement %s met a bug", item.id)
            detail = f"{type(error).__name__}: {error}"
            return Unjudged(UnjudgedReason.INTERNAL_ERROR, detail[:500])

    def _mode(self, name: str, *, by_claims: bool) -> Mode[Any]:
        if (name, by_claims) not in self._modes:
            self._modes[name, by_claims] = mode_named(name, by_claims=by_claims)
        return self._modes[name, by_claims]
