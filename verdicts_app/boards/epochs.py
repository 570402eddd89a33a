"""Which epoch a board shows. Epochs are never averaged together."""

from collections.abc import Iterable
from dataclasses import dataclass

from django.db.models import OuterRef, Subquery

from judgeweb.judging.rubric_rules import CHECKED
from verdicts_app.boards.filters import BoardFilters
from verdicts_app.models import Epoch, Origin, Verdict

OWN = (Origin.JUDGED, Origin.STAND_IN)


@dataclass(frozen=True)
class EpochOnBoard:
    """An epoch that has verdicts on a board. `newest` is the id of its last verdict."""

    id: int
    digest: str
    mode: str
    origin: str
    rubric: str
    rubric_number: int | None
    judge: str
    newest: int

    @property
    def short(self) -> str:
        return self.digest[:6]

    @property
    def label(self) -> str:
        """What its verdicts were judged with, in words."""
        rubric = f"{self.rubric} revision {self.rubric_number}" if self.rubric else ""
        return ", ".join(part for part in (rubric, self.judge) if part) or self.mode


@dataclass(frozen=True)
class EpochChoice:
    """The epoch shown, the others of its mode (newest first), all modes there are."""

    chosen: EpochOnBoard | None
    others: tuple[EpochOnBoard, ...]
    modes: tuple[str, ...]
    judges: tuple[str, ...]
    is_installation_empty: bool

    @property
    def of_mode(self) -> tuple[EpochOnBoard, ...]:
        """Chosen and others in the order in which they were used, oldest first."""
        every = (self.chosen, *self.others) if self.chosen else ()
        return tuple(sorted(every, key=lambda epoch: epoch.newest))


def epochs_on_boards(*, of_calls: bool = False) -> list[EpochOnBoard]:
    """Those of modes that give totals, or those that judge captured calls."""
    newest = (
        Verdict.objects.filter(epoch=OuterRef("pk"), on_board=True).order_by("-id").values("id")[:1]
    )
    modes = (
        Epoch.objects.filter(mode__in=CHECKED)
        if of_calls
        else Epoch.objects.exclude(mode__in=CHECKED)
    )
    rows = (
        modes.annotate(newest=Subquery(newest))
        .filter(newest__isnull=False)
        .order_by("-newest")
        .values_list(
            "id",
            "digest",
            "mode",
            "origin",
            "rubric_revision__key",
            "rubric_revision__number",
            "returned_model",
            "requested_model",
            "newest",
        )
    )
    return [
        EpochOnBoard(pk, digest, mode, origin, key or "", number, returned or requested, last)
        for pk, digest, mode, origin, key, number, returned, requested, last in rows
    ]


def choose(filters: BoardFilters, epochs: Iterable[EpochOnBoard]) -> EpochChoice:
    """The epoch judged last among those that the filters allow.

    Imported verdicts are shown only where their epoch is named; sample verdicts leave as soon as
    there are own ones.
    """
    every = list(epochs)
    has_own = any(epoch.origin in OWN for epoch in every)
    shown = [
        epoch for epoch in every if epoch.origin in (OWN if has_own else (*OWN, Origin.SAMPLE))
    ]
    pool = every if filters.epoch else shown
    fitting = [
        epoch
        for epoch in pool
        if epoch.digest.startswith(filters.epoch)
        and filters.mode in ("", epoch.mode)
        and filters.judge in ("", epoch.judge)
    ]
    chosen = max(fitting, key=lambda epoch: epoch.newest, default=None)
    others = tuple(
        epoch for epoch in shown if chosen and epoch.mode == chosen.mode and epoch != chosen
    )
    return EpochChoice(
        chosen,
        others,
        modes=tuple(dict.fromkeys(epoch.mode for epoch in shown)),
        judges=tuple(dict.fromkeys(epoch.judge for epoch in shown if epoch.judge)),
        is_installation_empty=not every,
    )
