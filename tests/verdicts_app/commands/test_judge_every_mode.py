"""manage.py judge in every mode of the seed, in this process: step 6 and the files beside it."""

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from tests.fixtures.standin import StandInControl
from tests.verdicts_app.mode_data import GOLDEN, PATCH, Golden, make_instance, patch_data
from verdicts_app.models import Job, JobState, Response, Verdict

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def at_standin(standin: StandInControl, settings: Any) -> None:
    settings.ANTHROPIC_API_KEY = "key-of-the-tests"
    settings.ANTHROPIC_BASE_URL = standin.url
    make_instance()


def judged(mode: str, data: Any, **options: Any) -> dict[str, Any]:
    out = StringIO()
    call_command("judge", mode=mode, data=json.dumps(data), stdout=out, **options)
    result: dict[str, Any] = json.loads(out.getvalue())
    return result


@pytest.mark.parametrize("golden", GOLDEN, ids=lambda golden: golden.mode)
def test_golden_case_prints_step_6(standin: StandInControl, golden: Golden) -> None:
    standin.replies(*golden.script)

    result = judged(golden.mode, golden.data)

    assert result["mode"] == golden.mode
    assert {key: result[key] for key in golden.result} == golden.result
    assert Job.objects.get().state == JobState.DONE
    assert standin.stats()["requests"] == len(golden.script)


@pytest.mark.parametrize(
    ("mode", "name", "beside"),
    [
        ("swebench", "run_1.json", "swebench_judge_1.json"),
        ("ground-truth", "run_1.json", "gt_judge_1.json"),
        ("ground-truth", "answer.json", "gt_judge_answer.json"),
    ],
)
@pytest.mark.parametrize("field", ["result", "response_text"])
def test_a_patch_is_read_from_its_file_and_its_result_stands_beside_it(
    tmp_path: Path, settings: Any, mode: str, name: str, beside: str, field: str
) -> None:
    settings.ANTHROPIC_API_KEY = settings.ANTHROPIC_BASE_URL = ""
    content = json.dumps({field: PATCH, "spec": "lighthouse:dev"})
    (tmp_path / name).write_text(content)

    result = judged(mode, {"scenario": "booking-17", "response_file": str(tmp_path / name)})

    assert result["total"] == 100
    assert json.loads((tmp_path / beside).read_text()) == result
    assert (tmp_path / name).read_text() == content
    assert sorted(path.name for path in tmp_path.glob("*.json")) == sorted([name, beside])
    assert Response.objects.get().persona.spec == "lighthouse:dev"


def test_a_file_that_is_no_json_is_the_answer_itself(tmp_path: Path) -> None:
    (tmp_path / "fix.diff").write_text(PATCH)
    data = {"scenario": "booking-17", "response_file": str(tmp_path / "fix.diff")}

    assert judged("ground-truth", data)["total"] == 100
    assert (tmp_path / "gt_judge_fix.diff").is_file()


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (None, "No such file"),
        ('{"result": ', "is not JSON"),
        ('{"score": 1}', "holds no answer"),
        ("[1]", "holds no answer"),
    ],
)
def test_a_file_without_an_answer_is_refused(
    tmp_path: Path, content: str | None, words: str
) -> None:
    path = tmp_path / "run_1.json"
    if content is not None:
        path.write_text(content)

    with pytest.raises(CommandError, match=words) as refused:
        judged("swebench", {"scenario": "booking-17", "response_file": str(path)})

    assert refused.value.returncode == 2
    assert "response_file" in str(refused.value)
    assert not Verdict.objects.exists()


def test_an_empty_answer_has_no_patch_and_no_points(standin: StandInControl) -> None:
    result = judged("ground-truth", patch_data(response=""))

    assert result["total"] == 0
    assert set(result["scores"].values()) == {0}
    assert standin.stats()["requests"] == 0


def test_one_order_costs_one_request(standin: StandInControl) -> None:
    golden = GOLDEN[1]
    standin.replies(*golden.script[:2])

    result = judged(golden.mode, golden.data, orders=1)

    assert result["scores"] == golden.result["scores"]
    assert "responses" not in result
