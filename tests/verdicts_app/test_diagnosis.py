"""The doctor's findings: what is wrong and how it is mended."""

from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from verdicts_app import diagnosis


@pytest.mark.django_db
def test_a_migrated_database_is_good() -> None:
    assert diagnosis.database().level == "good"
    assert diagnosis.clock().level == "good"


@pytest.mark.django_db
def test_missing_migrations_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    plan = [("migration", False)] * 3
    monkeypatch.setattr(diagnosis.MigrationExecutor, "migration_plan", lambda *_: plan)

    found = diagnosis.database()

    assert (found.level, found.text) == ("bad", "3 migrations are missing")
    assert found.fix == "Run: manage.py migrate"


def test_without_a_judge_work_waits_and_the_variables_are_named(settings: Any) -> None:
    settings.ANTHROPIC_API_KEY = settings.ANTHROPIC_BASE_URL = ""

    found = diagnosis.judge()

    assert found.level == "look"
    assert "ANTHROPIC_API_KEY" in found.fix


def test_a_judge_that_answers_is_good(standin: Any, settings: Any) -> None:
    settings.ANTHROPIC_BASE_URL = standin.url

    assert diagnosis.judge() == diagnosis.Finding(
        "Judge", "good", f"{settings.JUDGE_MODEL} answers"
    )


def test_a_misspelt_judge_is_bad_and_names_itself(standin: Any, settings: Any) -> None:
    settings.ANTHROPIC_BASE_URL = standin.url
    settings.JUDGE_MODEL = "claude-sonet"

    found = diagnosis.judge()

    assert found.level == "bad"
    assert "claude-sonet" in found.text


def test_static_files_that_were_never_collected_are_bad(settings: Any, tmp_path: Path) -> None:
    settings.DEBUG = False
    settings.STATIC_ROOT = tmp_path

    assert diagnosis.static_files().text == "were never collected"


@pytest.mark.parametrize(
    ("ages", "level", "text"),
    [
        # JUDGE_DRAIN_S 60 + 4 sweeps of JUDGE_SWEEP_S 15: 120 s are still good.
        ([3.2], "good", "swept 3 s ago"),
        ([None, 119.0], "good", "swept 119 s ago"),
        ([121.0, 900.0], "bad", "swept 121 s ago and not since"),
        ([None], "bad", "has never swept"),
        ([], "look", "nobody to ask: no worker answered"),
    ],
)
def test_a_sweeper_that_stands_still_is_named(
    monkeypatch: pytest.MonkeyPatch, ages: list[float | None], level: str, text: str
) -> None:
    monkeypatch.setattr("verdicts_app.tasks.seconds_since_sweeps", lambda timeout_s: ages)

    found = diagnosis.sweeper()

    assert (found.name, found.level, found.text) == ("Sweeper", level, text)
    if level == "bad":
        assert "celery -A judgeweb.celery beat" in found.fix


def test_the_command_fails_where_anything_is_bad(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    bad = diagnosis.Finding("Broker", "bad", "cannot be reached", "Check CELERY_BROKER_URL.")
    monkeypatch.setattr(diagnosis, "CHECKS", (diagnosis.Check(lambda: bad),))

    with pytest.raises(SystemExit) as exit_info:
        call_command("doctor")

    assert exit_info.value.code == 1
    assert capsys.readouterr().out.splitlines() == [
        "✕ Broker: cannot be reached",
        "    fix: Check CELERY_BROKER_URL.",
    ]
