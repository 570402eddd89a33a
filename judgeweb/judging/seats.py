"""Who sits where: the contestants of a pair as the judge sees them, order by order.

In the second order they change seats. A contestant that answered nothing has no seat: nothing
empty is sent (R10), and the other one sits alone, once.
"""

from judgeweb.judging.text import is_blank
from judgeweb.judging.types import FIRST, SECOND, Case

SEATS = ("A", "B")


def answered(case: Case) -> tuple[int, ...]:
    """The places in the case of the contestants that answered something."""
    contestants = enumerate(case.contestants)
    return tuple(place for place, one in contestants if not is_blank(one.response))


def orders_of(case: Case) -> tuple[str, ...]:
    """The labels of the prompts. None where nobody answered."""
    count = len(answered(case))
    if count < 2 or case.orders == 1:
        return (FIRST,) if count else ()
    return (FIRST, SECOND)


def seats_of(case: Case, order: str) -> dict[str, int]:
    """Seat -> place in the case."""
    places = answered(case)
    return dict(zip(SEATS, places[::-1] if order == SECOND else places, strict=False))


def labels_by_seat(case: Case, order: str) -> dict[str, str]:
    return {seat: case.labels[place] for seat, place in seats_of(case, order).items()}
