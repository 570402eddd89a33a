"""What the templates of the three kinds of board draw, and the switch between the modes."""

from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.urls import reverse

from judgeweb.judging.modes import MODES
from verdicts_app.boards.calibration import board_off
from verdicts_app.boards.duel_board import Contestant, DuelBoard, Pairing
from verdicts_app.boards.ranked import Board
from verdicts_app.boards.relay_board import RelayBoard
from verdicts_app.pages import filter_bar, leaderboard_view
from verdicts_app.pages.filter_bar import Switch
from verdicts_app.templatetags.figures import count

MODE_NAMES = {
    "solo": "Solo",
    "checklist": "Checklist",
    "behaviours": "Behaviours",
    "compare": "Head to head",
    "phase-sm": "SM phase",
    "phase-tea": "TEA phase",
    "phase-dev": "Dev phase",
    "phase-reviewer": "Reviewer phase",
    "coherence": "Relays",
    "swebench": "SWE-bench",
    "ground-truth": "Ground truth",
}


def template_of(board: Board) -> str:
    if isinstance(board, DuelBoard):
        return "verdicts/duel_board.html"
    return f"verdicts/{'relay_board' if isinstance(board, RelayBoard) else 'leaderboard'}.html"


def context_of(board: Board) -> dict[str, Any]:
    if isinstance(board, DuelBoard):
        context = _shared(board) | _duels(board)
    elif isinstance(board, RelayBoard):
        context = _shared(board) | _relays(board)
    else:
        context = leaderboard_view.context(board)
    switch = mode_switch(board)
    if len(switch) > 1:
        # The switch says the mode and changes it: a chip would say it twice.
        context["chips"] = [chip for chip in context["chips"] if chip.label != "mode"]
    return context | {
        "mode_switch": switch,
        "outside": board_off(board.epochs.chosen),
        "without_own": board.filters.to_query(own="exclude"),
    }


def mode_switch(board: Board) -> list[Switch]:
    """A link to the board of each mode that has one, in the order of the registry."""
    known = [mode for mode in MODES if mode in board.epochs.modes]
    others = [mode for mode in board.epochs.modes if mode not in MODES]
    chosen = board.epochs.chosen
    return [
        Switch(
            MODE_NAMES.get(mode, mode),
            board.filters.to_query(mode=mode, epoch="", sort="-mean"),
            chosen is not None and chosen.mode == mode,
        )
        for mode in (*known, *others)
    ]


def _shared(board: DuelBoard | RelayBoard) -> dict[str, Any]:
    chips = filter_bar.chips(board.filters, board.epochs)
    return {
        "board": board,
        "query": board.filters.to_query(),
        "chips": chips,
        "loosen": [chip for chip in chips if chip.off is not None],
        "clear": board.filters.without(*filter_bar.CLEARED),
        "choices": filter_bar.choices(board.epochs),
        "persona_switch": filter_bar.persona_switch(board.filters),
    }


# --- duels --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Linked:
    """A pairing with where its verdicts are listed."""

    pairing: Pairing
    verdicts: str


def _duels(board: DuelBoard) -> dict[str, Any]:
    switch = [one for one in filter_bar.by_switch(board.filters) if one.label in _WAYS]
    current = board.by.capitalize()
    return {
        "title": _duel_title(board),
        "sentences": _duel_sentences(board),
        "by_switch": [Switch(one.label, one.query, one.label == current) for one in switch],
        "pairings": [Linked(pairing, _verdicts_of(board, pairing)) for pairing in board.pairings],
    }


_WAYS = ("Persona", "Theme")


def _duel_title(board: DuelBoard) -> str:
    assert board.epochs.chosen is not None
    mode = board.epochs.chosen.mode
    where = f" in the {MODE_NAMES[mode]}" if mode.startswith("phase-") else ""
    return f"Who beats whom{where}?"


def _duel_sentences(board: DuelBoard) -> str:
    duels = count(board.duels, "duel,duels")
    scenarios = count(board.scenarios, "scenario,scenarios")
    flips = f"{count(board.flips)} of them inconsistent, " if board.flips else ""
    lead = _duel_lead(board.rows)
    return f"{lead} {duels} on {scenarios}, {flips}all from one epoch.".strip()


def _duel_lead(rows: tuple[Contestant, ...]) -> str:
    if len(rows) < 2 or rows[0].record.share == rows[1].record.share:
        return ""
    return f"{rows[0].key} has the largest share of wins."


def _verdicts_of(board: DuelBoard, pairing: Pairing) -> str:
    """Only for personas: a theme may stand in many specs."""
    if board.by != "persona" or board.epochs.chosen is None:
        return ""
    found = {
        "persona": pairing.one,
        "against": pairing.other,
        "epoch": board.epochs.chosen.digest[:12],
        "scenario": board.filters.scenario,
        "category": board.filters.category,
        "self": board.filters.own,
    }
    pairs = {key: value for key, value in found.items() if value}
    return f"{reverse('verdicts')}?{urlencode(pairs)}"


# --- relays -------------------------------------------------------------------------------------


def _relays(board: RelayBoard) -> dict[str, Any]:
    complete = board.relays - board.incomplete
    gap = f", {count(board.incomplete)} incomplete" if board.incomplete else ""
    return {
        "title": "Which team runs the best relay?",
        "sentences": (
            f"{count(complete, 'relay,relays')} with a chain total{gap}, all from one epoch of "
            "coherence. Totals are not capped at 100."
        ),
    }
