"""Hashes of natural keys: everything that moves a verdict moves them, nothing else does."""

from dataclasses import replace
from typing import Any

import pytest

from tests.factories import make_revision
from verdicts_app.models import Epoch
from verdicts_app.work.identity import (
    EpochPins,
    board_key_of,
    epoch_returned,
    epoch_to_plan,
    identity_of,
    pin,
    response_subject,
)

pytestmark = pytest.mark.django_db

SUBJECT = response_subject(run_id="r", spec="a:dev", scenario_key="s", identity="1")


def pins(**changed: Any) -> EpochPins:
    made = EpochPins(
        origin="judged",
        mode="solo",
        rubric=make_revision("solo", 7),
        prompt_version="solo 1",
        requested_model="m",
        parameters={"orders": 1, "output_mode": "format", "effort": "medium"},
    )
    return replace(made, **changed)


def identity(**changed: Any) -> str:
    made = {
        "subject": SUBJECT,
        "repeat": 1,
        "base_digest": "b",
        "scenario_pin": ["scenario", "s", 1, "x"],
        "gold_pin": None,
    }
    return identity_of(**{**made, **changed})


def test_every_pin_moves_the_epoch() -> None:
    others = [
        pins(origin="stand_in"),
        pins(mode="checklist"),
        pins(rubric=make_revision("solo", 8)),
        pins(prompt_version="solo 2"),
        pins(requested_model="n"),
        pins(parameters={"orders": 2, "output_mode": "format", "effort": "medium"}),
        pins(rubric=None),
    ]
    digests = {one.base_digest for one in [pins(), *others]}

    assert len(digests) == 8
    assert pins().base_digest == pins().base_digest


def test_every_part_moves_the_identity() -> None:
    others = [
        identity(repeat=2),
        identity(base_digest="c"),
        identity(scenario_pin=["scenario", "s", 2, "y"]),
        identity(gold_pin=["gold", "s", 1, "z"]),
        identity(subject=(*SUBJECT[:-1], "2")),
        # Two fields never run together.
        identity(subject=("response", "ra", ":dev", "s", "1")),
    ]

    assert len({identity(), *others}) == 7


def test_board_keys_leave_the_scenario_revision_out() -> None:
    key = board_key_of(subject=SUBJECT, mode="solo", epoch_digest="e", repeat=1)

    assert key != board_key_of(subject=SUBJECT, mode="solo", epoch_digest="f", repeat=1)
    assert len(key) == 64


def test_planning_makes_an_epoch_once() -> None:
    assert epoch_to_plan(pins()) == epoch_to_plan(pins())
    assert Epoch.objects.count() == 1


def test_the_first_name_returned_belongs_to_the_planned_epoch_and_the_next_starts_another() -> None:
    planned = epoch_to_plan(pins())

    first = epoch_returned(planned, "m-1")
    second = epoch_returned(Epoch.objects.get(pk=planned.pk), "m-2")

    assert first == planned
    assert second != planned
    assert (second.base_digest, second.returned_model) == (planned.base_digest, "m-2")
    assert epoch_returned(Epoch.objects.get(pk=planned.pk), "m-2") == second
    assert epoch_returned(second, "m-1").pk == planned.pk
    # New work is planned in the newest.
    assert epoch_to_plan(pins()) == second


def test_a_verdict_without_a_reply_belongs_to_the_planned_epoch() -> None:
    planned = epoch_to_plan(pins())

    assert epoch_returned(planned, "") == planned
    assert Epoch.objects.get().returned_model == ""


def test_a_pin_names_kind_key_number_and_hash() -> None:
    revision = make_revision("solo", 7)

    assert pin(revision) == ["rubric", "solo", 7, revision.sha256]
    assert pin(None) is None
