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
from verdicts_app.work.items import Item, case_of

logger = logging.getLogger(__name__)


@dataclass
class Outcomes:
    """Remembers the modes that it has met."""

    _modes: dict[str, Mode[Any]] = field(default_factory=dict)

    async def of(self, item: Item, ask: Ask) -> Outcome:
        """Raise what says that nothing is decided: JudgeFault, BudgetReached, Stopped."""
        try:
            if item.taken is not None:
                return decided_before(self._mode(item.mode), case_of(item), item.taken)
            return await judge(
                self._mode(item.mode),
                case_of(item),
                ask,
                max_tokens=settings.JUDGE_MAX_TOKENS,
                reports_usage=settings.JUDGE_REPORTS_USAGE,
            )
        except (JudgeFault, BudgetReached, Stopped, DatabaseError):
            raise
        except Exception as error:
            # A bug met by one item must neither end the drain nor be paid for again and again.
            logger.exception("judgement %s met a bug", item.id)
            detail = f"{type(error).__name__}: {error}"
            return Unjudged(UnjudgedReason.INTERNAL_ERROR, detail[:500])

    def _mode(self, name: str) -> Mode[Any]:
        if name not in self._modes:
            self._modes[name] = mode_named(name)
        return self._modes[name]
