"""The verdict file out of the database: which verdicts it holds, in which order, of which epoch."""

import json
from datetime import timedelta
from typing import Any

import pytest

from tests.factories import (
    NOON,
    make_call_verdict,
    make_capture,
    make_epoch,
    make_judgement,
    make_revision,
)
from verdicts_app.exports.calls import NoCaptures, NoVerdicts, Wanted, export
from verdicts_app.models import Capture, Epoch, Job, Judgement, JudgementState

pytestmark = pytest.mark.django_db

PLANNERS = Wanted(run_id="run-1", call_type="planner")
KEYS = ["call_type", "run_id", "judged_at", "judge_model", "verdicts", "aggregate"]
VERDICT_KEYS = [
    "call_id",
    "schema_ok",
    "schema_rationale",
    "factually_grounded",
    "factual_rationale",
    "hallucination_free",
    "hallucination_rationale",
    "pass",
]


def document(wanted: Wanted = PLANNERS) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(export(wanted).text())
    return found


def make_unjudged_call(capture: Capture, epoch: Epoch, reason: str = "truncated") -> Judgement:
    job = Job.objects.create(run=capture.run, state="done", finished_at=NOON)
    return Judgement.objects.create(
        job=job,
        capture=capture,
        call_type=capture.call_type,
        mode="calls",
        epoch=epoch,
        identity=f"unjudged-{capture.pk}",
        state=JudgementState.UNJUDGED,
        unjudged_reason=reason,
        finished_at=NOON,
    )


def test_case_40_pass_rate_counts_no_answers_and_no_judge_failures() -> None:
    epoch = make_epoch("calls", mode="calls")
    for _ in range(108):
        make_call_verdict(ok=(True, True, True), epoch=epoch)
    for _ in range(40):
        make_call_verdict(ok=(True, False, True), epoch=epoch)
    for _ in range(24):
        silent = make_capture(response_content=None, parsed_ok=False)
        make_call_verdict(silent, ok=(False, True, True), flags="empty_answer", epoch=epoch)
    for _ in range(5):
        make_unjudged_call(make_capture(), epoch)

    exported = export(PLANNERS)

    aggregate = json.loads(exported.text())["aggregate"]
    assert aggregate == {
        "n": 172,
        "schema_pass": 148,
        "factual_pass": 132,
        "hallucination_free_pass": 172,
        "overall_pass": 108,
    }
    assert round(aggregate["overall_pass"] / aggregate["n"], 4) == 0.6279
    assert len(exported.unjudged) == 5


def test_keys_are_the_seeds_and_values_are_booleans() -> None:
    make_call_verdict(ok=(True, True, True))
    failed = {"worst_offender": "src/ghost.py", "evidence_state": "verified"}
    make_call_verdict(ok=(True, True, False), checks={"hallucination_free": failed})

    found = document()

    assert list(found) == KEYS
    first, second = found["verdicts"]
    assert list(first) == VERDICT_KEYS
    assert list(second) == [*VERDICT_KEYS, "worst_offender"]
    assert second["worst_offender"] == "src/ghost.py"
    assert (first["pass"], second["pass"]) == (True, False)
    assert isinstance(first["schema_ok"], bool)


def test_upload_order_whatever_the_order_of_judging() -> None:
    captures = [make_capture() for _ in range(4)]
    for capture in reversed(captures):
        make_call_verdict(capture)
    assert [v["call_id"] for v in document()["verdicts"]] == [c.call_id for c in captures]


def test_time_is_that_of_the_latest_verdict_and_model_the_returned_one() -> None:
    epoch = make_epoch("calls", mode="calls", returned_model="claude-sonnet-5-5-20261001")
    make_call_verdict(judged_at=NOON + timedelta(hours=2), epoch=epoch)
    make_call_verdict(judged_at=NOON, epoch=epoch)
    found = document()
    assert found["judged_at"] == "2026-11-02T14:00:00Z"
    assert found["judge_model"] == "claude-sonnet-5-5-20261001"


def test_run_id_is_that_of_the_captures_else_the_containers() -> None:
    make_call_verdict(make_capture())
    assert document()["run_id"] == "run-1"
    for source in ("other", "theirs", "theirs"):
        make_call_verdict(make_capture(source_run_id=source))
    assert document()["run_id"] == "theirs"


def test_undecidable_and_unjudged_are_left_out_and_counted_beside() -> None:
    epoch = make_epoch("calls", mode="calls")
    make_call_verdict(epoch=epoch)
    make_call_verdict(make_capture(call_id="open"), ok=(True, None, True), epoch=epoch)
    make_call_verdict(make_capture(call_id="half"), ok=(False, None, True), epoch=epoch)
    make_unjudged_call(make_capture(call_id="lost"), epoch, "refused")

    exported = export(PLANNERS)

    assert json.loads(exported.text())["aggregate"]["n"] == 1
    assert exported.undecided == ("open", "half")
    assert [(left.call_id, left.reason) for left in exported.unjudged] == [("lost", "refused")]


def test_unjudged_before_and_judged_since_is_no_longer_unjudged() -> None:
    epoch = make_epoch("calls", mode="calls")
    capture = make_capture()
    make_unjudged_call(capture, epoch)
    make_call_verdict(capture, epoch=epoch)
    assert export(PLANNERS).unjudged == ()


def test_one_epoch_that_of_the_latest_verdict_unless_model_or_rubric_is_named() -> None:
    rubric = make_revision("calls", 7)
    old = make_epoch("old", mode="calls", requested_model="haiku", returned_model="haiku-1")
    new = make_epoch("new", mode="calls", requested_model="opus", rubric_revision=rubric)
    first, second = make_capture(), make_capture()
    for capture in (first, second):
        make_call_verdict(capture, epoch=old, judged_at=NOON)
    make_call_verdict(second, ok=(False, True, True), epoch=new, judged_at=NOON + timedelta(days=1))

    def ids(**named: str) -> list[str]:
        found = document(Wanted("run-1", "planner", **named))
        return [verdict["call_id"] for verdict in found["verdicts"]]

    assert ids() == [second.call_id]
    assert ids(model="haiku") == ids(model="haiku-1") == [first.call_id, second.call_id]
    assert ids(rubric="calls") == ids(rubric="calls@7") == [second.call_id]
    for named in ({"rubric": "calls@8"}, {"model": "sonnet"}, {"rubric": "@"}):
        with pytest.raises(NoVerdicts, match="of that model and rubric"):
            export(Wanted("run-1", "planner", **named))


def test_what_needed_no_reply_fits_every_epoch_of_the_same_pins() -> None:
    """The provider answers under a new name since: silent captures stay in n."""
    base = {"mode": "calls", "base_digest": "b" * 64}
    planned = make_epoch("planned", returned_model="m-1", **base)
    returned = make_epoch("returned", returned_model="m-2", **base)
    silent = make_capture(response_content="", parsed_ok=False)
    make_call_verdict(silent, ok=(False, True, True), flags="empty_answer", epoch=planned)
    stale = make_call_verdict(epoch=planned, judged_at=NOON)
    make_call_verdict(epoch=returned, judged_at=NOON + timedelta(days=1))

    exported = export(PLANNERS)

    assert exported.epoch == returned
    assert stale.capture is not None
    ids = [verdict.call_id for verdict in exported.calls.verdicts]
    assert silent.call_id in ids
    assert stale.capture.call_id not in ids
    assert exported.elsewhere == 1


def test_a_verdict_that_left_the_board_is_not_exported() -> None:
    capture = make_capture()
    make_call_verdict(capture, ok=(False, True, True), on_board=False)
    make_call_verdict(capture, ok=(True, True, True))
    [verdict] = document()["verdicts"]
    assert verdict["pass"] is True


def test_of_several_repeats_the_first_is_exported() -> None:
    capture = make_capture()
    make_call_verdict(capture, ok=(True, False, True), repeat=2)
    make_call_verdict(capture, ok=(True, True, True), repeat=1)
    [verdict] = document()["verdicts"]
    assert verdict["pass"] is True


def test_other_call_types_runs_and_modes_stay_out() -> None:
    make_call_verdict()
    make_call_verdict(make_capture("reconciler"))
    make_call_verdict(make_capture(run="run-2"))
    make_judgement()
    assert document()["aggregate"]["n"] == 1


def test_nothing_to_export_says_of_what() -> None:
    make_capture()
    with pytest.raises(NoVerdicts, match="No verdicts yet for call_type=planner in run run-1"):
        export(PLANNERS)
    with pytest.raises(NoCaptures, match="No captures for call_type=nobody in run run-1"):
        export(Wanted("run-1", "nobody"))


def test_the_file_is_ascii_whatever_was_said() -> None:

    make_call_verdict(checks={"schema_ok": {"rationale": "naïve → “kept”\u2028"}})
    text = export(PLANNERS).text()
    assert text.isascii()
    assert text.endswith("}\n")
    assert "\\u2192" in text
