"""The playground's form: which fields it has depends on the mode chosen."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django import forms
from django.conf import settings
from django.forms import BoundField

from judgeweb.judging.modes import (
    BY_CLAIMS,
    MODES,
    PAIR_MODES,
    PATCH_MODES,
    PHASE_MODES,
    SOLO_MODES,
    mode_named,
)
from rubrics_app.models import RevisionKind, Rubric, Scenario
from rubrics_app.publishing import states_of
from rubrics_app.selectors import newest_revisions, rubric_document
from verdicts_app.boards.subjects import PHASE_NAMES
from verdicts_app.models import PHASES, PLAYGROUND_RUN, Response, ResponseOutcome
from verdicts_app.templatetags.figures import count, day
from verdicts_app.work.request import CALLS, COHERENCE, SHUFFLED_MODES

TRIED = tuple(name for name in MODES if name != CALLS)
FIRST_MODE = "solo"
DRAFT = "draft:"
LONGEST_TEXT = 400_000
MOST_STORED = 50
MOST_SCENARIOS = 300
ORDERS = (("2", "both, at twice the price"), ("1", "one"))
SOMEBODY = ("playground:first", "playground:second")
TEAMS = ("playground", "opponent")


@dataclass(frozen=True)
class AnswerFields:
    """The fields of one answer; `who` is None where the answers of a team share it."""

    place: int
    title: str
    who: BoundField | None
    character: BoundField | None
    stored: BoundField
    text: BoundField


class TrialForm(forms.Form):
    mode = forms.ChoiceField(choices=[(name, name) for name in TRIED])
    rubric = forms.ChoiceField(required=False)
    scenario = forms.CharField(max_length=200, error_messages={"required": "Name one."})
    model = forms.CharField(required=False, max_length=200)
    orders = forms.ChoiceField(required=False, choices=ORDERS)
    budget = forms.DecimalField(
        required=False,
        max_digits=12,
        decimal_places=4,
        min_value=Decimal("0.0001"),
        error_messages={"min_value": "Give more than 0."},
    )
    use_gold = forms.BooleanField(required=False)
    rejudge = forms.BooleanField(required=False)
    claims = forms.BooleanField(required=False)
    shuffle = forms.BooleanField(required=False)

    def __init__(self, data: Mapping[str, Any] | None) -> None:
        values = data if data is not None else first_values()
        super().__init__(values)
        wanted = str(values.get("mode") or "")
        self.kind = wanted if wanted in TRIED else FIRST_MODE
        self.fields["mode"].choices = [(name, mode_named(name).label) for name in TRIED]  # type: ignore[attr-defined]
        self.fields["rubric"].choices = [("", "the default of the mode"), *rubrics(self.kind)]  # type: ignore[attr-defined]
        stored = list(_stored(str(values.get("scenario") or "").strip()))
        for place in range(1, self.answers_wanted + 1):
            self._add_answer(place, stored)
        if self.needs_model:
            self.fields["model"].required = self.fields["budget"].required = True

    # --- what the mode asks for -----------------------------------------------------------------

    @property
    def is_patch(self) -> bool:
        return self.kind in PATCH_MODES

    @property
    def is_pair(self) -> bool:
        return self.kind in PAIR_MODES

    @property
    def is_relay(self) -> bool:
        return self.kind == COHERENCE

    @property
    def is_solo(self) -> bool:
        return self.kind in SOLO_MODES

    @property
    def may_go_by_claims(self) -> bool:
        return self.kind in BY_CLAIMS

    @property
    def may_be_shuffled(self) -> bool:
        return self.kind in SHUFFLED_MODES

    @property
    def needs_model(self) -> bool:
        return not self.is_patch

    @property
    def by_team(self) -> bool:
        """Answers go by the team that gave them."""
        return self.is_relay or self.kind in PHASE_MODES

    @property
    def answers_wanted(self) -> int:
        return len(PHASES) if self.is_relay else 2 if self.is_pair else 1

    @property
    def scenarios(self) -> list[str]:
        found = Scenario.objects.filter(is_archived=False, is_inline=False)
        return list(found.values_list("key", flat=True)[:MOST_SCENARIOS])

    @property
    def answers(self) -> list[AnswerFields]:
        return [self._answer(place) for place in range(1, self.answers_wanted + 1)]

    def _answer(self, place: int) -> AnswerFields:
        return AnswerFields(
            place,
            self._title(place),
            who=self[f"who_{place}"] if f"who_{place}" in self.fields else None,
            character=self[f"character_{place}"] if f"character_{place}" in self.fields else None,
            stored=self[f"stored_{place}"],
            text=self[f"text_{place}"],
        )

    def name_of(self, field: str) -> str:
        """As the page calls it: "Budget", "Second answer, text"."""
        name, _, place = field.rpartition("_")
        if not place.isdigit():
            return field.replace("_", " ").capitalize()
        return f"{self._title(int(place))}, {'stored one' if name == 'stored' else name}"

    def _title(self, place: int) -> str:
        if self.is_relay:
            return f"{PHASE_NAMES[PHASES[place - 1]]} answer"
        if self.answers_wanted == 1:
            return "Answer"
        return ("First answer", "Second answer")[place - 1]

    def _add_answer(self, place: int, stored: list[tuple[str, str]]) -> None:
        if not self.is_relay or place == 1:
            self.fields[f"who_{place}"] = forms.CharField(required=False, max_length=200)
        if not (self.is_patch or self.is_relay):
            self.fields[f"character_{place}"] = forms.CharField(required=False, max_length=300)
        self.fields[f"stored_{place}"] = forms.ChoiceField(
            required=False, choices=[("", "the text below"), *stored]
        )
        self.fields[f"text_{place}"] = forms.CharField(
            required=False, max_length=LONGEST_TEXT, strip=False
        )

    # --- what was given -------------------------------------------------------------------------

    def clean(self) -> dict[str, Any]:
        given = super().clean() or {}
        for place in range(1, self.answers_wanted + 1):
            text, stored = f"text_{place}", f"stored_{place}"
            # A browser sends the lines of a text field with CR LF, whatever was pasted.
            given[text] = given.get(text, "").replace("\r\n", "\n")
            has_fault = text in self.errors or stored in self.errors
            if not given.get(stored) and not given[text].strip() and not has_fault:
                self.add_error(text, "Paste an answer, or choose a stored one.")
        if self.by_team and ":" in given.get("who_1", "") + given.get("who_2", ""):
            self.add_error("who_1", "A team's name holds no colon.")
        return given

    def clean_scenario(self) -> str:
        return str(self.cleaned_data["scenario"]).strip()

    def who(self, place: int) -> str:
        """The persona of a pasted answer."""
        given = str(self.cleaned_data.get(f"who_{place}") or "").strip()
        if self.is_relay:
            team = str(self.cleaned_data.get("who_1") or "").strip() or TEAMS[0]
            return f"{team}:{PHASES[place - 1]}"
        if self.by_team:
            return f"{given or TEAMS[place - 1]}:{self.kind.removeprefix('phase-')}"
        return given or SOMEBODY[place - 1]

    @property
    def theme(self) -> str:
        return self.who(1).partition(":")[0]


def first_values() -> dict[str, Any]:
    return {
        "mode": FIRST_MODE,
        "model": settings.JUDGE_MODEL,
        "orders": "2",
        "budget": settings.JUDGE_DEFAULT_BUDGET_USD,
        "use_gold": "on",
    }


def rubrics(mode: str) -> Iterable[tuple[str, str]]:
    """Those that judge in the mode: newest revisions, then drafts that differ from theirs."""
    fitting = SOLO_MODES if mode == "compare" else (mode,)
    drafts = Rubric.objects.filter(is_archived=False)
    archived = Rubric.objects.filter(is_archived=True).values("key")
    for revision in newest_revisions(RevisionKind.RUBRIC).exclude(key__in=archived):
        document = rubric_document(revision)
        if document.mode in fitting:
            yield revision.key, f"{document.name}, revision {revision.number}"
    for draft, state in states_of(drafts.filter(mode__in=fitting)).items():
        if state.differs:
            yield f"{DRAFT}{draft.key}", f"{draft.name}, draft: {state.label}"


def _stored(scenario: str) -> Iterable[tuple[str, str]]:
    """The newest answers to the scenario."""
    found = (
        Response.objects.filter(
            scenario_key=scenario, scenario__isnull=False, outcome=ResponseOutcome.ANSWERED
        )
        .exclude(run__run_id=PLAYGROUND_RUN)
        .select_related("persona", "run")
        .order_by("-pk")
    )
    for response in found[:MOST_STORED] if scenario else ():
        size = count(len(response.text), "character,characters")
        who = f"{response.persona.spec}, {response.run.run_id}"
        yield str(response.pk), f"{who}, {day(response.answered_at)}, {size}"


def as_field(name: str) -> str:
    """Where on the form a refused value stands."""
    names = {"budget_usd": "budget", "model": "model", "orders": "orders", "rubric": "rubric"}
    scenario = {"scenario", "challenge", "baseline_issues", "baseline_criteria", "gold_patch"}
    return names.get(name) or ("scenario" if name in scenario else "")
