"""Loads the sample data: ninety days of runs of every kind, judged by a made-up judge.

All or nothing, and once: it is one transaction, and an installation that has sample runs keeps
them. What is judged is planned, read, computed and recorded as real work is; only the judge's
replies are made up. The patch modes ask no judge: their verdicts are computed from our own diffs.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from operator import itemgetter
from pathlib import Path
from random import Random

from django.db import transaction

from judgeweb.access import audit
from judgeweb.judging.documents import ScenarioDocument
from judgeweb.judging.modes import mode_for
from rubrics_app import selectors
from rubrics_app.importing import Importer
from rubrics_app.models import RevisionKind, Scenario
from verdicts_app.models import Origin, Run, Verdict
from verdicts_app.sample import calls, duels, golds, patches, relays, rubrics
from verdicts_app.sample.answers import answer
from verdicts_app.sample.cast import CAST, RELAY_CAST
from verdicts_app.sample.judging import MadeUpJudge
from verdicts_app.sample.runs import Given, Personas, make_run, personas_of
from verdicts_app.sample.sittings import Sittings, wanted

SCENARIOS = Path(__file__).parent / "scenarios"
LAST_DAY, STEP, CHANGE_ON = 87, 3, 45
"""Answers every third day; from day 45 on the second rubric revision judges."""
MODES = ("behaviours", "checklist")
"""The checklists are judged last: a board opens with the mode that has scenarios enough to rank."""
REPEATS, REPEATED_FROM = 3, 84
DUELS = (51, 66, 81)
RELAYS = (22, 43, 64, 85)
PATCHES = (72, 79, 86)
CALIBRATED = (2, 47, 80)
CALLS_FROM, WEEK = 2, 7
ABSENT = ("foundry:sm", range(27, 43))
"""Who answers nothing for a while, so that trends show a gap."""


@dataclass(frozen=True)
class Loaded:
    """What is there now. `is_new` is False where it was there before."""

    runs: int
    verdicts: int
    is_new: bool


def load_sample(*, now: datetime) -> Loaded:
    """Load the sample data so that its last run is today's."""
    is_new = not Run.objects.filter(is_sample=True).exists()
    if is_new:
        with transaction.atomic():
            _load(now - timedelta(days=LAST_DAY, hours=2))
            audit.record(actor="command", action="load sample data")
    return Loaded(
        runs=Run.objects.filter(is_sample=True).count(),
        verdicts=Verdict.objects.filter(origin=Origin.SAMPLE).count(),
        is_new=is_new,
    )


def _load(start: datetime) -> None:
    for mode in MODES:
        rubrics.publish_copy(mode)
    calls.publish_contracts()
    personas = personas_of((*CAST, *RELAY_CAST))
    days = _Days(start, personas, _scenarios(), patches.import_instances())
    for day, happens in sorted(days.agenda(), key=itemgetter(0)):
        if day <= LAST_DAY:
            happens(day)


@dataclass(frozen=True)
class _Scenario:
    row: Scenario
    document: ScenarioDocument

    @property
    def mode(self) -> str:
        return mode_for(self.document)


def _scenarios() -> list[_Scenario]:
    reports = list(Importer(user=None, actor="command").take_files([SCENARIOS]))
    refused = [report for report in reports if report.refusal]
    if refused:
        raise RuntimeError(f"a sample scenario was refused: {refused[0]}")
    rows = Scenario.objects.filter(key__in=[report.key for report in reports])
    rows.update(is_sample=True)
    return [_Scenario(row, _document(row)) for row in rows.order_by("key")]


def _document(row: Scenario) -> ScenarioDocument:
    revision = selectors.newest_revision(RevisionKind.SCENARIO, row.key)
    assert revision is not None, f"{row.key} was published just now"
    return selectors.scenario_document(revision)


@dataclass
class _Days:
    """The installation as the days go by, beginning at `start`."""

    start: datetime
    personas: Personas
    scenarios: list[_Scenario]
    faults: list[Scenario]
    judge: MadeUpJudge = field(default_factory=MadeUpJudge)
    runs: dict[int, Run] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.sittings = Sittings(self.judge)

    def agenda(self) -> Iterator[tuple[float, Callable[[float], None]]]:
        """Days, and what happens on them."""
        yield CHANGE_ON - 0.5, self.sharpen
        yield from ((day, self.answer) for day in range(0, LAST_DAY + 1, STEP))
        yield from ((day + 0.1, self.duel) for day in DUELS)
        yield from ((day, self.relay) for day in RELAYS)
        yield from ((day, self.patch) for day in PATCHES)
        yield from ((day, self.calibrate) for day in CALIBRATED)
        yield from ((day, self.call) for day in range(CALLS_FROM, LAST_DAY, WEEK))

    def at(self, day: float) -> datetime:
        return self.start + timedelta(days=day)

    def sharpen(self, day: float) -> None:
        for mode in MODES:
            rubrics.publish_sharper(mode)

    def answer(self, day: float) -> None:
        run = make_run("", self.at(day), list(self.answers(int(day))))
        self.runs[int(day)] = run
        repeats = REPEATS if day >= REPEATED_FROM else 1
        requests = [
            wanted(
                run_id=run.run_id, mode=mode, rubric_key=rubrics.sample_key(mode), repeats=repeats
            )
            for mode in MODES
        ]
        self.sittings.hold(self.at(day), requests, run)

    def answers(self, day: int) -> Iterator[Given]:
        """Nearly everybody answers nearly all."""
        for actor in CAST:
            for scenario in self.scenarios:
                key = scenario.row.key
                is_there = actor.spec != ABSENT[0] or day not in ABSENT[1]
                tried = Random(f"tried/{day}/{actor.spec}/{key}").random() > 0.04
                if scenario.mode in MODES and is_there and tried:
                    said = answer(actor, scenario.document, day=day, days=LAST_DAY + STEP)
                    self.judge.sheets[said.text] = said.sheet
                    yield Given(self.personas[actor.spec], scenario.row, said.text)

    def duel(self, day: float) -> None:
        run = self.runs[int(day)]
        pairs = duels.pairs_of(run, [one.row for one in self.scenarios if one.mode == "checklist"])
        self.sittings.hold(self.at(day), [wanted(pairs=pairs, mode="compare")], run)

    def relay(self, day: float) -> None:
        rows = [one.row for one in self.scenarios if one.mode not in MODES]
        given = relays.answers(rows, self.personas, int(day), self.judge)
        run = make_run("relay", self.at(day), given, may_fail=False)
        self.sittings.hold(self.at(day), relays.requests(run), run)

    def patch(self, day: float) -> None:
        given = patches.answers(self.faults, self.personas, int(day))
        run = make_run("patches", self.at(day), given, may_fail=False)
        self.sittings.hold(self.at(day), patches.requests(run), run)

    def calibrate(self, day: float) -> None:
        """Again with each rubric, and once more with the last one."""
        for scenario in self.scenarios:
            if gold := selectors.newest_revision(RevisionKind.GOLD, scenario.row.key):
                document = selectors.gold_document(gold)
                self.judge.sheets[document.response] = golds.sheet_of(scenario.document, document)
        keys = sorted(golds.QUOTES)
        rubric = rubrics.sample_key("checklist")
        request = wanted(golds=keys, rubric_key=rubric, repeats=REPEATS, rejudge=True)
        self.sittings.hold(self.at(day), [request])

    def call(self, day: float) -> None:
        run = calls.make_calls(int(day) // WEEK, self.at(day), self.judge)
        self.sittings.hold(self.at(day), [wanted(run_id=run.run_id, mode="calls")], run)
