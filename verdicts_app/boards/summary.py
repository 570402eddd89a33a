"""A board in one sentence, with the doubt left in."""

from verdicts_app.boards.leaderboard import Leaderboard, Row

WORDS = ("No", "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine", "Ten")
FINDS = {"checklist": "finds the most", "behaviours": "shows the most"}


def title(board: Leaderboard) -> str:
    kind = board.filters.by
    of_role = f"{board.filters.role} " if board.filters.role and kind != "role" else ""
    mode = board.epochs.chosen.mode if board.epochs.chosen else ""
    return f"Which {of_role}{kind} {FINDS.get(mode, 'does best')}?"


def sentences(board: Leaderboard) -> str:
    scenarios = f"{board.scenarios:,} scenario{'' if board.scenarios == 1 else 's'}"
    counts = (
        f"{board.valid:,} valid verdict{'' if board.valid == 1 else 's'} of {board.tried:,} tried, "
        f"on {scenarios}, all from one epoch."
    )
    return " ".join(part for part in (_lead(board), _level(board), counts) if part)


def _lead(board: Leaderboard) -> str:
    leaders = [row for row in board.ranked if row.group == 1]
    if not leaders:
        return "Too few scenarios to rank anyone yet."
    if len(leaders) == len(board.ranked):
        if len(leaders) == 1:
            return f"Only {leaders[0].key} has enough scenarios to be ranked."
        return f"No difference shown between the {len(leaders)} ranked {_kind(board, 2)}."
    if len(leaders) == 1:
        return f"{leaders[0].key} leads."
    return f"{_number(len(leaders))} {_kind(board, 2)} lead and cannot be told apart."


def _level(board: Leaderboard) -> str:
    """How many others no paired interval separates from the one control."""
    if board.control is None:
        return ""
    others = [row for row in board.ranked if row.versus and row.versus.interval]
    level = [row for row in others if row.versus and not row.versus.is_clear]
    if not others:
        return ""
    if not level:
        return "None sits level with the control."
    verb = "sits" if len(level) == 1 else "sit"
    return f"{_number(len(level))} {verb} level with the control."


def leads_control(board: Leaderboard) -> bool:
    """Whether several leaders are all clearly above the control and not apart from one another."""
    leaders = [row for row in board.ranked if row.group == 1]
    return len(leaders) > 1 and all(_is_above(row) for row in leaders)


def _is_above(row: Row) -> bool:
    return row.versus is not None and row.versus.is_clear and row.versus.mean > 0


def _number(count: int) -> str:
    return WORDS[count] if count < len(WORDS) else f"{count:,}"


def _kind(board: Leaderboard, count: int) -> str:
    return board.filters.by if count == 1 else f"{board.filters.by}s"
