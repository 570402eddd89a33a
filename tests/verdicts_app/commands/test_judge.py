"""manage.py judge as a process: what it prints where, its exit codes, the golden cases."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.fixtures.database import database_url
from tests.fixtures.standin import ROOT, StandInControl
from tests.verdicts_app.seed_data import (
    WORKS,
    behaviours_data,
    behaviours_said,
    checklist_data,
    checklist_said,
    solo_data,
    solo_said,
)
from verdicts_app.models import Job, JobState, Judgement, Verdict

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.serial]

Judge = Callable[..., subprocess.CompletedProcess[str]]
STEP6 = ["success", "mode", "timestamp", "scores", "winner", "token_usage", "response_text"]
THREE_LINES = ["❌ Judge validation failed: ", "❌ Mode: solo", "❌ DO NOT estimate scores"]


@pytest.fixture
def judge(standin: StandInControl, tmp_path: Path) -> Judge:
    def run(
        *arguments: str, stdin: str = "", **environment: str
    ) -> subprocess.CompletedProcess[str]:
        inherited = {k: v for k, v in os.environ.items() if not k.startswith("ANTHROPIC")}
        mine = {
            "DATABASE_URL": database_url(),
            "JUDGEWEB_DATA_DIR": str(tmp_path),
            "ANTHROPIC_API_KEY": "key-of-the-tests",
            "ANTHROPIC_BASE_URL": standin.url,
            "PYTHONIOENCODING": "utf-8",
        }
        command = [sys.executable, "manage.py", "judge", *arguments]
        return subprocess.run(
            command,
            cwd=ROOT,
            env={**inherited, **mine, **environment},
            input=stdin,
            capture_output=True,
            encoding="utf-8",
            timeout=120,
            check=False,
        )

    return run


@pytest.mark.parametrize(
    ("data", "reply", "total"),
    [
        (solo_data(), solo_said(), 80),
        (checklist_data(), checklist_said(), 75.698085419735),
        (behaviours_data(), behaviours_said(), 86),
    ],
    ids=["solo", "checklist", "behaviours"],
)
def test_golden_case_prints_step_6_and_nothing_else(
    judge: Judge, standin: StandInControl, data: Any, reply: Any, total: float
) -> None:
    standin.replies(WORKS, reply)

    done = judge("--mode", "solo", "--data", json.dumps(data))

    assert (done.returncode, done.stderr) == (0, "")
    result = json.loads(done.stdout)
    assert list(result) == STEP6
    assert result["scores"] == {"lighthouse:reviewer": total}
    assert result["response_text"] == reply["text"]
    assert result["token_usage"]["input"] > 0
    assert result["token_usage"]["output"] > 0
    assert Job.objects.get().state == JobState.DONE


def test_data_comes_from_a_file_or_standard_input_and_is_judged_once(
    judge: Judge, standin: StandInControl, tmp_path: Path
) -> None:
    standin.replies(WORKS, solo_said())
    text = json.dumps(solo_data())
    (tmp_path / "data.json").write_text(text)

    first = judge("--mode", "solo", "--data", f"@{tmp_path / 'data.json'}", "--pretty", "no")
    requests = standin.stats()["requests"]
    second = judge("--mode", "solo", "--data", "-", stdin=text)

    assert json.loads(first.stdout) == json.loads(second.stdout)
    assert len(first.stdout.splitlines()) == 1
    assert len(second.stdout.splitlines()) > 1
    assert standin.stats()["requests"] == requests

    standin.replies(WORKS, solo_said())
    third = judge("--mode", "solo", "--data", "-", "--rejudge", stdin=text)
    assert third.returncode == 0
    assert Verdict.objects.count() == 2


def test_unreadable_judge_prints_the_three_lines_and_no_number(
    judge: Judge, standin: StandInControl
) -> None:
    standin.replies(WORKS, {"text": "I would say 85."}, {"text": "85/100"})
    done = judge("--mode", "solo", "--data", json.dumps(solo_data()))
    assert (done.returncode, done.stdout) == (1, "")
    lines = done.stderr.splitlines()
    assert len(lines) == 3
    assert all(line.startswith(start) for line, start in zip(lines, THREE_LINES, strict=True))
    assert "unreadable" in lines[0]
    assert not Verdict.objects.exists()


def test_judge_that_cannot_be_used_leaves_no_work_behind(
    judge: Judge, standin: StandInControl
) -> None:
    standin.faults({"status": 401, "message": "bad key"})
    done = judge("--mode", "solo", "--data", json.dumps(solo_data()))
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.splitlines()[0].startswith(THREE_LINES[0] + "Waiting for a judge")
    assert Job.objects.get().state == JobState.CANCELLED
    assert Judgement.objects.get().state == "cancelled"


def test_without_a_judge_the_variables_are_named(judge: Judge) -> None:
    none = {"ANTHROPIC_API_KEY": "", "ANTHROPIC_BASE_URL": ""}
    done = judge("--mode", "solo", "--data", json.dumps(solo_data()), **none)
    assert (done.returncode, done.stdout) == (1, "")
    assert "ANTHROPIC_API_KEY" in done.stderr
    assert "ANTHROPIC_BASE_URL" in done.stderr
    assert not Job.objects.exists()


def test_without_a_judge_an_empty_answer_is_judged(judge: Judge) -> None:
    none = {"ANTHROPIC_API_KEY": "", "ANTHROPIC_BASE_URL": ""}
    data = solo_data(response=" \n")
    done = judge("--mode", "solo", "--data", json.dumps(data), **none)
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["scores"] == {"lighthouse:reviewer": 0}
    assert Job.objects.get().state == JobState.DONE


def test_database_without_tables_is_named(judge: Judge, tmp_path: Path) -> None:
    empty = {"DATABASE_URL": f"sqlite:///{tmp_path / 'empty.sqlite3'}"}
    done = judge("--mode", "solo", "--data", json.dumps(solo_data()), **empty)
    assert (done.returncode, done.stdout) == (1, "")
    assert "manage.py migrate" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--mode", "solo"], "--data"),
        (["--data", "{}"], "--mode"),
        (["--mode", "solo", "--data", '{"a": }'], "line 1, column 7"),
        (["--mode", "solo", "--data", "@/nowhere/data.json"], "/nowhere/data.json"),
        (["--mode", "solo", "--data", "[]"], "data"),
        (["--mode", "solo", "--data", '{"spec": "a:b"}'], "character"),
        (["--mode", "compare", "--data", "{}"], "contestants: missing"),
        (["--mode", "ground-truth", "--data", '{"scenario": "x"}'], "response_file: missing"),
        (["--mode", "chess", "--data", "{}"], "expected one of solo, compare, phase-sm"),
    ],
)
def test_bad_arguments_exit_with_2_and_say_which(
    judge: Judge, arguments: list[str], words: str
) -> None:
    done = judge(*arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert words in done.stderr
    assert "Traceback" not in done.stderr


def test_claims_are_extracted_once_for_all_repeats(judge: Judge, standin: StandInControl) -> None:
    data = json.dumps(checklist_data())

    run = judge("--mode", "solo", "--data", data, "--claims", "--shuffle", "--repeats", "2")

    assert run.returncode == 0, run.stderr
    # The probe, one extraction, two matches.
    assert standin.stats()["requests"] == 4
    assert Verdict.objects.count() == 2
    assert set(json.loads(run.stdout)) >= {"scores", "response_text"}
    parameters = json.loads(Verdict.objects.all()[0].epoch.parameters)
    assert parameters["shuffle"] is True
    assert parameters["claim_step"]["prompt"] == "claims 1"


def test_a_model_to_extract_without_claims_is_a_bad_argument(judge: Judge) -> None:
    data = json.dumps(checklist_data())

    run = judge("--mode", "solo", "--data", data, "--claims-model", "claude-opus-5-5")

    assert run.returncode == 2
    assert "claims_model: names who extracts the claims" in run.stderr
