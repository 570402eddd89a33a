"""The sample data: loaded whole and once, labelled, computed by the product's own arithmetic."""

from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from typing import Any

import pytest
from django.db import transaction
from django.test import Client

from judgeweb.judging.modes import PAIR_MODES, PATCH_MODES, PHASE_MODES
from rubrics_app import selectors
from rubrics_app.models import Contract, Revision, RevisionKind, Scenario, SweInstance
from verdicts_app.boards.calibration import calibrations
from verdicts_app.models import (
    Capture,
    Chain,
    Epoch,
    Job,
    Judgement,
    LedgerEntry,
    Origin,
    Persona,
    Run,
    Verdict,
)
from verdicts_app.sample import load, patches, relays
from verdicts_app.sample.answers import answer
from verdicts_app.sample.cast import CAST
from verdicts_app.sample.looks import another_look, levelled
from verdicts_app.sample.tidebook import FAULTS, FILES
from verdicts_app.work import sums

pytestmark = pytest.mark.django_db
NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)


A_WEEK: dict[str, Any] = {
    "LAST_DAY": 6,
    "CHANGE_ON": 5,
    "REPEATED_FROM": 6,
    "DUELS": (3,),
    "RELAYS": (2,),
    "PATCHES": (4,),
    "CALIBRATED": (1,),
    "CALLS_FROM": 1,
}


@pytest.fixture(scope="module")
def loaded(django_db_setup: None, django_db_blocker: Any) -> Iterator[load.Loaded]:
    """The same loading over a week, once for all tests here: three runs of answers (days 0, 3 and
    6), the last one under the second revision and repeated, and one of everything else."""
    with django_db_blocker.unblock(), pytest.MonkeyPatch.context() as patch:
        for name, value in A_WEEK.items():
            patch.setattr(load, name, value)
        with transaction.atomic():
            yield load.load_sample(now=NOW)
            transaction.set_rollback(True)


def test_loading_makes_runs_of_every_kind_all_labelled(loaded: load.Loaded) -> None:
    # 3 of answers, 1 relay, 1 of patches, 1 of calls.
    assert loaded.is_new
    assert loaded.runs == Run.objects.filter(is_sample=True).count() == Run.objects.count() == 6
    assert Persona.objects.filter(is_control=False).count() == 8
    assert Persona.objects.filter(is_control=True).count() == 4
    # 8 with a list, 2 for relays, 5 instances.
    assert Scenario.objects.filter(is_sample=True).count() == Scenario.objects.count() == 15
    assert SweInstance.objects.count() == 5
    assert set(Verdict.objects.values_list("origin", flat=True)) == {Origin.SAMPLE}
    assert set(Epoch.objects.values_list("origin", flat=True)) == {Origin.SAMPLE}


@pytest.mark.usefixtures("loaded")
def test_every_mode_has_verdicts_and_no_judgement_is_left() -> None:
    modes = set(Verdict.objects.values_list("mode", flat=True))
    assert modes == {
        *("solo", "checklist", "behaviours", "coherence", "calls"),
        *PAIR_MODES,
        *PATCH_MODES,
    }
    assert set(Judgement.objects.values_list("state", flat=True)) <= {"judged", "unjudged"}
    assert set(Job.objects.values_list("state", flat=True)) == {"done"}
    # Cut-off replies are the only thing that goes wrong.
    reasons = set(Judgement.objects.values_list("unjudged_reason", flat=True))
    assert reasons <= {"", "truncated"}
    assert list(sums.differences()) == []


@pytest.mark.usefixtures("loaded")
def test_a_board_opens_with_the_checklists(client: Client, make_user: Any) -> None:
    load.load_sample(now=NOW)
    client.force_login(make_user("viewer"))

    page = client.get("/")

    assert page.context["board"].epochs.chosen.mode == "checklist"
    assert page.context["board"].epochs.chosen.rubric_number == 2
    assert "sample data" in page.content.decode()


@pytest.mark.usefixtures("loaded")
@pytest.mark.parametrize("mode", ["compare", "phase-sm", "coherence", "solo", "swebench"])
def test_every_board_says_that_it_holds_sample_data(
    client: Client, make_user: Any, mode: str
) -> None:
    client.force_login(make_user("viewer"))

    page = client.get("/", {"mode": mode}).content.decode()

    assert "These verdicts came with judgeweb" in page


@pytest.mark.usefixtures("loaded")
def test_pairs_are_judged_in_both_orders_against_the_control_and_role_by_role() -> None:
    duels = Verdict.objects.filter(mode="compare")
    assert set(duels.values_list("decision", flat=True)) == {"win", "tie", "inconsistent"}
    asked = LedgerEntry.objects.filter(judgement__mode="compare")
    assert Counter(asked.values_list("prompt", flat=True)) == {
        "first": len(duels),
        "second": len(duels),
    }


@pytest.mark.usefixtures("loaded")
def test_three_teams_run_whole_relays() -> None:
    assert Counter(Chain.objects.values_list("theme", flat=True)) == {
        "control": 2,
        "foundry": 2,
        "lighthouse": 2,
    }
    assert Verdict.objects.filter(mode="coherence").count() == 6
    # Two teams against the control's, in four phases of two scenarios.
    assert Verdict.objects.filter(mode__in=PHASE_MODES).count() == 2 * 4 * 2
    assert set(relays.DIMENSIONS) == {"sm", "tea", "dev", "reviewer"}


@pytest.mark.usefixtures("loaded")
def test_captured_calls_are_judged_with_and_without_a_contract() -> None:
    assert Capture.objects.count() == 3 * 9
    assert Contract.objects.count() == 2
    decided_by = Judgement.objects.filter(mode="calls").values_list(
        "call_type", "contract_revision__key"
    )
    assert set(decided_by) == {
        ("berth_planner", "berth_planner"),
        ("notice_writer", "notice_writer"),
        ("weather_digest", None),
    }
    assert not Capture.objects.filter(at__gt=NOW).exists()


@pytest.mark.usefixtures("loaded")
def test_patches_are_computed_and_ask_nobody() -> None:
    computed = Verdict.objects.filter(mode="ground-truth")
    assert computed.count() == 5 * 5
    same = computed.filter(flags__contains="same_as_gold")
    assert {Fraction(total) for total in same.values_list("total_exact", flat=True)} == {100}
    assert not LedgerEntry.objects.filter(judgement__mode__in=PATCH_MODES).exists()


@pytest.mark.usefixtures("loaded")
def test_the_last_run_is_repeated_and_the_judge_is_calibrated() -> None:
    repeats = Verdict.objects.filter(response__isnull=False).values_list("repeat", "run__run_id")
    assert {run for repeat, run in repeats if repeat == 3} == {"sample-2026-11-30"}
    found = calibrations()
    assert {one.scenario for one in found} == {"ticket-kiosk-refunds", "tide-table-cache"}
    assert all(len(one.totals) == 3 and one.is_within for one in found)


def test_loading_again_changes_nothing(loaded: load.Loaded) -> None:
    again = load.load_sample(now=NOW)

    assert not again.is_new
    assert (again.runs, again.verdicts) == (loaded.runs, loaded.verdicts)


@pytest.mark.usefixtures("loaded")
def test_every_outcome_of_a_judge_has_its_requests() -> None:
    asked = Judgement.objects.exclude(epoch__requested_model="")
    # A captured call that brought nothing is decided without a request.
    asked = asked.exclude(verdict__flags__contains="empty_answer")
    with_requests = LedgerEntry.objects.values("judgement").distinct().count()
    assert with_requests == asked.count() > 0


@pytest.mark.usefixtures("loaded")
def test_answers_come_before_their_upload_and_that_before_judging_and_all_before_now() -> None:
    for judgement in Judgement.objects.filter(response__isnull=False).select_related("response"):
        response = judgement.response
        assert response.answered_at < response.uploaded_at <= judgement.planned_at
        assert judgement.planned_at < judgement.finished_at
    assert not Judgement.objects.filter(finished_at__gt=NOW).exists()
    assert not Verdict.objects.filter(judged_at__gt=NOW).exists()
    began = Epoch.objects.get(mode="checklist", rubric_revision__number=2).started_at
    assert began == NOW - timedelta(hours=2) + timedelta(minutes=9)


@pytest.mark.usefixtures("loaded")
def test_the_same_day_gives_the_same_answer() -> None:
    revision = Revision.objects.get(kind=RevisionKind.SCENARIO, key="ferry-queue-api")
    document = selectors.scenario_document(revision)

    said = answer(CAST[0], document, day=0, days=9)

    assert said == answer(CAST[0], document, day=0, days=9)
    assert said != answer(CAST[0], document, day=3, days=9)
    assert CAST[0].opening in said.text


def test_another_look_moves_marks_by_one_at_most_and_finds_nothing_new() -> None:
    sheet = {
        "baseline_findings": [
            {"id": "A", "found": True, "evidence": "a"},
            {"id": "B", "found": False, "evidence": None},
        ],
        "quality": {"clear": {"reasoning": "", "value": 10}},
    }

    looks = [another_look(sheet, str(seed)) for seed in range(200)]

    assert {look["quality"]["clear"]["value"] for look in looks} == {9, 10}
    assert {look["baseline_findings"][0]["found"] for look in looks} == {True, False}
    assert not any(look["baseline_findings"][1]["found"] for look in looks)
    assert sheet["baseline_findings"][0]["found"], "the first look stays as it was"


def test_levelled_sheets_find_the_same_and_mark_alike() -> None:
    def sheet(found: str, value: int) -> dict[str, Any]:
        rows = [{"id": key, "found": key in found, "evidence": key} for key in "ABC"]
        return {"baseline_findings": rows, "quality": {"clear": {"value": value}}}

    one, other = levelled(sheet("AB", 8), sheet("BC", 4))

    # Only B was found by both.
    for level in (one, other):
        assert [row["found"] for row in level["baseline_findings"]] == [False, True, False]
        assert level["quality"]["clear"]["value"] == 8


def test_every_edit_of_a_sample_patch_has_its_place() -> None:
    for fault in FAULTS:
        for edits in (fault.gold, fault.near, fault.astray):
            assert all(FILES[edit.path].count(edit.old) == 1 for edit in edits)
            assert patches.diff_of(edits).startswith("diff --git a/tidebook/")
