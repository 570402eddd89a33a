"""Which epoch a board shows. Epochs are never averaged together."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import Enum

from django.db.models import OuterRef, Subquery

from judgeweb.judging.modes import PAIR_MODES
from judgeweb.judging.rubric_rules import CHECKED, RATED
from verdicts_app.boards.filters import BoardFilters
from verdicts_app.boards.sentences import ways_in_words
from verdicts_app.models import Epoch, Origin, Verdict

OWN = (Origin.JUDGED, Origin.STAND_IN)


@dataclass(frozen=True)
class EpochOnBoard:
    """An epoch that has verdicts on a board. `newest` is the id of its last verdict; `judge` the
    name the judge answers under, `requested` the one it is asked by. `ways` says what makes it
    another instrument of the same judge."""

    id: int
    digest: str
    mode: str
    origin: str
    rubric: str
    rubric_number: int | None
    judge: str
    newest: int
    requested: str = ""
    ways: str = ""

    @property
    def short(self) -> str:
        return self.digest[:6]

    @property
    def judges(self) -> tuple[str, str]:
        return self.judge, self.requested

    @property
    def label(self) -> str:
        """What its verdicts were judged with, in words."""
        rubric = f"{self.rubric} revision {self.rubric_number}" if self.rubric else ""
        return ", ".join(part for part in (rubric, self.judge, self.ways) if part) or self.mode


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


class Kind(Enum):
    """What the verdicts of a mode give, and so what its board can show."""

    TOTALS = "totals"
    DUELS = "duels"
    RELAYS = "relays"
    CALLS = "calls"


_MODES = {
    Kind.DUELS: frozenset(PAIR_MODES),
    Kind.RELAYS: frozenset(RATED),
    Kind.CALLS: frozenset(CHECKED),
}


def kind_of(mode: str) -> Kind:
    """Imported verdicts of a mode that is not ours have totals."""
    return next((kind for kind, modes in _MODES.items() if mode in modes), Kind.TOTALS)


def epochs_on_boards(*kinds: Kind) -> list[EpochOnBoard]:
    """Those of modes of these kinds, by default of those that give totals; newest first."""
    newest = (
        Verdict.objects.filter(epoch=OuterRef("pk"), on_board=True).order_by("-id").values("id")[:1]
    )
    wanted = kinds or (Kind.TOTALS,)
    others = frozenset().union(*(modes for kind, modes in _MODES.items() if kind not in wanted))
    named = frozenset().union(*(modes for kind, modes in _MODES.items() if kind in wanted))
    epochs = Epoch.objects.exclude(mode__in=others)
    if Kind.TOTALS not in wanted:
        epochs = epochs.filter(mode__in=named)
    rows = (
        epochs.annotate(newest=Subquery(newest))
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
            "parameters",
        )
    )
    return [
        EpochOnBoard(
            pk,
            digest,
            mode,
            origin,
            key or "",
            number,
            returned or requested,
            last,
            requested,
            ways_in_words(parameters),
        )
        for pk, digest, mode, origin, key, number, returned, requested, last, parameters in rows
    ]


Preference = Callable[[Sequence[EpochOnBoard]], EpochOnBoard | None]
"""Picks one of several epochs, newest first; None: the newest will do."""


def choose(
    filters: BoardFilters, epochs: Iterable[EpochOnBoard], prefer: Preference | None = None
) -> EpochChoice:
    """The epoch judged last among those that the filters allow, or the one preferred of them.

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
    fitting.sort(key=lambda epoch: epoch.newest, reverse=True)
    chosen = (prefer(fitting) if prefer else None) or next(iter(fitting), None)
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
