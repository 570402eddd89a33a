"""Relays: three teams whose four phases answer one scenario, compared phase by phase."""

from random import Random

from judgeweb.judging.modes import PHASE_MODES
from rubrics_app.models import Scenario
from verdicts_app.models import Run
from verdicts_app.sample.cast import TEAMS, Actor, team
from verdicts_app.sample.judging import MadeUpJudge
from verdicts_app.sample.looks import mark
from verdicts_app.sample.runs import Given, Personas
from verdicts_app.sample.sittings import wanted
from verdicts_app.work.request import COHERENCE, JudgeRequest

SOLO = "solo"
RATINGS = {"lighthouse": (0.5, 0.4), "foundry": (0.25, 0.5), "control": (0.1, 0.6)}
"""By team the chances that its relay is excellent and that it is good."""
SAYS = {
    "sm": (
        "Goal: {title}, with no day on which two places disagree.",
        "First the one place that decides, then the three that show it.",
        "Out of scope: prices, and whatever the pier office types by hand.",
        "Open question for the tester: which clock counts on the night itself?",
        "Done means: all places agree, and the old value can be put back in a minute.",
    ),
    "tea": (
        "Test 1: the new time is shown everywhere from the first minute of the day.",
        "Test 2: the day before still shows the old one.",
        "Test 3: the night on which the clocks change has one departure, not two or none.",
        "Test 4: putting the old value back changes all places again.",
        "All four fail today; the third one twice.",
    ),
    "dev": (
        "The time now lives in one table with a first day of validity; the others read it.",
        "Each reader asks for a day, so the change needs no deployment at midnight.",
        "Tests 1 to 4 are green; I added one for a reader that is offline.",
        "Left for later: the cache of the display, five minutes at most.",
        "Please look at the migration first, it is the only step with no way back.",
    ),
    "reviewer": (
        "The migration is safe to run twice; I tried.",
        "One gap: the mail of the evening before quotes the departure without its day.",
        "The readers agree on the night of the clock change, which I had doubted.",
        "The fallback for an offline reader hides its error: log it.",
        "Verdict: may go in once the mail names the day.",
    ),
}
DIMENSIONS = {
    "sm": ("clarity", "handoff", "completeness"),
    "tea": ("coverage", "red_state", "handoff"),
    "dev": ("green_state", "code_quality", "handoff"),
    "reviewer": ("detection", "verdict"),
}
ALONE = ("correctness", "depth", "quality")
"""What the answer of a phase is marked in when it is judged by itself; persona in both."""


def answers(
    scenarios: list[Scenario], personas: Personas, day: int, judge: MadeUpJudge
) -> list[Given]:
    """What all teams answer on a day; `judge` is told what to think of it."""
    given = []
    for scenario in scenarios:
        for theme in TEAMS:
            judge.ratings[theme] = RATINGS[theme]
            for phase, actor in team(theme).items():
                rng = Random(f"{actor.spec}/{scenario.key}/{day}")
                text = _text(rng, actor, phase, scenario)
                judge.sheets[text] = {"scores": _scores(rng, actor, phase), "assessment": NOTE}
                given.append(Given(personas[actor.spec], scenario, text))
    return given


NOTE = "Sample data, no judge was asked. The answer does what its phase is for, with gaps."


def _text(rng: Random, actor: Actor, phase: str, scenario: Scenario) -> str:
    title = scenario.title[:1].lower() + scenario.title[1:]
    said = [text.format(title=title) for text in SAYS[phase] if rng.random() < actor.finds + 0.15]
    started = f"{rng.randint(6, 21):02}:{rng.randint(0, 59):02}"
    return "\n\n".join([actor.opening, *said, f"Begun at {started}.", actor.closing])


def _scores(rng: Random, actor: Actor, phase: str) -> dict[str, object]:
    marks: dict[str, object] = {key: mark(rng, actor.craft) for key in (*DIMENSIONS[phase], *ALONE)}
    return marks | {"persona": mark(rng, actor.voice)}


def requests(run: Run) -> list[JudgeRequest]:
    """Each answer by itself, each phase against the control's, how each relay holds together."""
    modes = (SOLO, *PHASE_MODES, COHERENCE)
    return [wanted(run_id=run.run_id, mode=mode) for mode in modes]
