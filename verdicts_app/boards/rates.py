"""Pass rates of captured calls: three dimensions and the verdict as a whole."""

from collections import Counter
from dataclasses import dataclass, field
from fractions import Fraction

from judgeweb.judging.modes.calls import DIMENSIONS
from judgeweb.judging.statistics.rates import wilson
from verdicts_app.boards.comparisons import Interval

PASS = "pass"
KEYS = (PASS, *DIMENSIONS)
LABELS = {
    PASS: "Pass",
    "schema_ok": "Schema",
    "factually_grounded": "Factual",
    "hallucination_free": "Hallucination-free",
}


@dataclass(frozen=True, slots=True)
class Rate:
    """`undecided` verdicts are counted beside the rate, never in it."""

    held: int
    failed: int
    undecided: int = 0

    @property
    def n(self) -> int:
        return self.held + self.failed

    @property
    def share(self) -> Fraction | None:
        return Fraction(self.held, self.n) if self.n else None

    @property
    def interval(self) -> Interval | None:
        """Wilson, 95%."""
        found = wilson(self.held, self.n)
        return Interval(found.lo, found.hi) if found else None

    def __add__(self, other: "Rate") -> "Rate":
        return Rate(
            self.held + other.held, self.failed + other.failed, self.undecided + other.undecided
        )


NONE = Rate(0, 0)


@dataclass(slots=True)
class Tally:
    """Verdicts of one group while they are counted. Checks that do not hold are the few, so they
    are what is counted; the others hold."""

    verdicts: int = 0
    passed: int = 0
    undecided: int = 0
    failed_checks: Counter[str] = field(default_factory=Counter)
    undecided_checks: Counter[str] = field(default_factory=Counter)

    def add_verdicts(self, verdicts: int, passed: int, undecided: int) -> None:
        self.verdicts += verdicts
        self.passed += passed
        self.undecided += undecided

    def add_checks(self, key: str, ok: bool | None, number: int) -> None:
        counts = self.undecided_checks if ok is None else self.failed_checks
        counts[key] += number

    def rates(self) -> dict[str, Rate]:
        failed = self.verdicts - self.passed - self.undecided
        found = {PASS: Rate(self.passed, failed, self.undecided)}
        for key in DIMENSIONS:
            fails, undecided = self.failed_checks[key], self.undecided_checks[key]
            found[key] = Rate(self.verdicts - fails - undecided, fails, undecided)
        return found
