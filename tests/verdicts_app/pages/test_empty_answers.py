"""Empty answers and empty patches on the leaderboard: in the mean with 0, and in a column."""

import csv
import io
import json
import re
from typing import Any

import pyarrow.parquet
import pytest
from django.test import Client

from judgeweb.judging.documents import ScenarioDocument
from rubrics_app.scenarios import save_scenario
from rubrics_app.swebench import scenario_of
from tests import factories
from tests.judging.patches.patching import text_of
from tests.verdicts_app.mode_data import PATCH, make_instance
from verdicts_app.intake.files import UploadedFile
from verdicts_app.intake.responses import take_in
from verdicts_app.models import Epoch, JobState, Verdict
from verdicts_app.work.drain import drain_job
from verdicts_app.work.plan import JudgeRequest, plan_job

pytestmark = pytest.mark.django_db


@pytest.fixture
def viewer(client: Client, make_user: Any) -> Client:
    client.force_login(make_user("viewer"))
    return client


@pytest.fixture
def no_judge(settings: Any) -> None:
    settings.ANTHROPIC_API_KEY = settings.ANTHROPIC_BASE_URL = ""


def page_of(viewer: Client, query: str = "") -> str:
    return re.sub(r"\s+", " ", viewer.get(f"/{query}").content.decode())


def judged(**request: Any) -> None:
    planned = plan_job(request=JudgeRequest(**request), user=None, actor="tester")
    assert drain_job(planned.job.pk).state == JobState.DONE


def predict(*lines: str) -> None:
    """Predictions of m-1, with the instances and scenarios that they name."""
    for line in lines:
        save_scenario(scenario_of(make_instance(json.loads(line)["instance_id"])), user=None)
    file = UploadedFile("preds.jsonl", "\n".join(lines).encode())
    take_in(run_id="run-1", files=[file], user=None, actor="tester")


def case_95() -> list[str]:
    """null, "", a line end, no key, and prose, which is no diff and no empty patch."""
    return text_of("095_empty.jsonl").splitlines()


@pytest.mark.parametrize("mode", ["swebench", "ground-truth"])
def test_case_95_empty_patches_are_in_the_mean_and_in_their_own_column(
    viewer: Client, no_judge: None, mode: str
) -> None:
    good = {"instance_id": "demo__shape-6", "model_name_or_path": "m-1", "model_patch": PATCH}
    predict(*case_95(), json.dumps(good))
    judged(run_id="run-1", mode=mode)

    flags = dict(Verdict.objects.values_list("scenario__key", "flags"))
    assert [flags[f"demo__shape-{n}"] for n in range(1, 6)] == ["empty_answer"] * 4 + ["no_patch"]
    (row,) = viewer.get("/leaderboard.json").json()["rows"]
    # Four empty patches and prose with 0 each, one patch like the gold one: 100 / 6.
    assert (row["mean_exact"], row["valid"], row["tried"]) == ("50/3", 6, 6)
    assert row["empty_answers"] == 4
    (line,) = csv.DictReader(io.StringIO(viewer.get("/leaderboard.csv").content.decode()))
    assert (line["valid"], line["empty_answers"]) == ("6", "4")
    table = pyarrow.parquet.read_table(io.BytesIO(viewer.get("/leaderboard.parquet").content))
    assert str(table.schema.field("empty_answers").type) == "int64"
    assert [one["empty_answers"] for one in table.to_pylist()] == [4]
    page = page_of(viewer)
    assert '<th class="num" scope="col">Empty patch</th>' in page
    assert 'data-label="Empty patch">4<span class="ci">of 6 answers</span></td>' in page
    assert "Empty answer" not in page


def test_an_empty_answer_judged_twice_is_one_answer(viewer: Client, no_judge: None) -> None:
    document = ScenarioDocument(name="kiosk", challenge="Review the kiosk.")
    scenario = save_scenario(document, user=None).scenario
    factories.make_response("a:dev", scenario, text=" \n")
    judged(run_id="run-1", mode="solo", repeats=2)
    factories.make_verdict("b:dev", scenario, total=70, epoch=Epoch.objects.get())

    rows = {row["name"]: row for row in viewer.get("/leaderboard.json").json()["rows"]}
    assert (rows["a:dev"]["valid"], rows["a:dev"]["mean"]) == (2, 0)
    assert {name: row["empty_answers"] for name, row in rows.items()} == {"a:dev": 1, "b:dev": 0}
    page = page_of(viewer)
    assert 'data-label="Empty answer">1<span class="ci">of 1 answer</span></td>' in page
    assert 'data-label="Empty answer">0<span class="ci">of 1 answer</span></td>' in page
    assert "Empty answer: nothing was answered; a total of 0, in the mean" in page


def test_the_column_is_there_only_where_the_view_holds_any(viewer: Client) -> None:
    factories.make_verdict("a:dev", "s0", total=0, flags="empty_answer")
    factories.make_verdict("a:dev", "s1", total=80)

    # Rank, name, interval, five figures, the empty answers, eight weeks.
    assert page_of(viewer).count('<th colspan="10"') == 1
    assert "Empty answer" in page_of(viewer)
    without = page_of(viewer, "?scenario=s1")
    assert without.count('<th colspan="9"') == 1
    assert "Empty answer" not in without
    board = viewer.get("/leaderboard.json?scenario=s1").json()
    assert (board["empty_answers"], board["rows"][0]["empty_answers"]) == (0, 0)
