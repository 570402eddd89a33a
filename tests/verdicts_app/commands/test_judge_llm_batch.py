"""judge_llm_batch and export_verdicts to the letter of the seed."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from judgeweb.access import tokens
from judgeweb.judging.documents import ContractDocument
from judgeweb.judging.errors import CaseRefused
from rubrics_app.contracts import save_contract
from tests.fixtures.answer_key import KeyJudge
from tests.fixtures.database import database_url
from tests.fixtures.standin import ROOT, StandInControl
from verdicts_app.intake import state_root
from verdicts_app.models import Capture, Job, Judgement, Run, Verdict
from verdicts_app.work.price import price
from verdicts_app.work.request import JudgeRequest

HOLDS = {"schema_ok": True, "factually_grounded": True, "hallucination_free": True}
PLAN = '{"subtasks": ["read src/app.py"]}'
GHOST = '{"subtasks": ["read src/ghost.py"]}'
MISSHAPEN = '{"tasks": []}'


def line(call_id: str, response: str | None = PLAN, **fields: Any) -> dict[str, Any]:
    return {
        "call_id": call_id,
        "run_id": "theirs",
        "call_type": "planner",
        "system_prompt": "Return {subtasks} as JSON.",
        "user_content": f"Plan {call_id}: src/app.py.",
        "response_content": response,
        "parsed_ok": response is not None,
        "ts": "2026-11-02T10:00:00Z",
        **fields,
    }


LINES = [
    line("a"),
    line("b", GHOST),
    line("other", call_type="reconciler"),
    line("c", MISSHAPEN),
    line("d", None),
]


def written(folder: Path, *lines: dict[str, Any]) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "calls.ndjson"
    path.write_text("".join(json.dumps(one) + "\n" for one in lines or LINES))
    return path


@pytest.fixture
def judge(key_judge: Callable[..., KeyJudge]) -> KeyJudge:
    """The key of LINES: only b made something up. The contract decides the shapes."""
    schema = {"type": "object", "required": ["subtasks"], "properties": {"subtasks": {}}}
    save_contract(ContractDocument(call_type="planner", json_schema=schema), user=None)
    wrong = {"factually_grounded": False, "hallucination_free": False}
    return key_judge(
        {
            (one["user_content"], one["response_content"] or ""): (
                {**HOLDS, **wrong} if one["call_id"] == "b" else HOLDS
            )
            for one in LINES
        }
    )


class Said(NamedTuple):
    out: str
    err: str


def run(*arguments: str, **options: Any) -> Said:
    out, err = StringIO(), StringIO()
    call_command("judge_llm_batch", *arguments, stdout=out, stderr=err, **options)
    return Said(out.getvalue(), err.getvalue())


db = pytest.mark.django_db


# --- the file -----------------------------------------------------------------------------------


@db
def test_one_file_at_the_default_place_and_one_line(judge: KeyJudge, tmp_path: Path) -> None:
    path = written(tmp_path / "runs" / "r1")

    said = run(str(path), "--call-type", "planner")

    out = path.parent / "judge-out" / "planner-verdicts.json"
    assert said.out == (
        f"[planner] judged n=4 schema=2/4 factual=3/4 halluc_free=3/4 pass=1/4 → {out}\n"
    )
    assert [file.name for file in out.parent.iterdir()] == ["planner-verdicts.json"]
    document = json.loads(out.read_bytes())
    assert (document["call_type"], document["run_id"]) == ("planner", "theirs")
    assert [verdict["call_id"] for verdict in document["verdicts"]] == ["a", "b", "c", "d"]
    assert [verdict["pass"] for verdict in document["verdicts"]] == [True, False, False, False]
    assert out.read_text().startswith('{\n  "call_type": "planner",\n')
    assert Run.objects.get().run_id == "r1"


@db
def test_a_healing_tool_reads_it(judge: KeyJudge, tmp_path: Path) -> None:
    """As its consumer does: join by call_id, and a patch for each verdict that is false."""
    judge.key.pop(next(key for key in judge.key if "Plan b" in key[0]))
    path = written(tmp_path)
    run(str(path), call_type="planner")
    file = path.parent / "judge-out" / "planner-verdicts.json"

    captures = {one["call_id"]: one for one in map(json.loads, path.read_text().splitlines())}
    to_mend = [
        (captures[verdict["call_id"]], verdict)
        for verdict in json.loads(file.read_bytes())["verdicts"]
        if verdict["pass"] is False
    ]

    assert [capture["call_id"] for capture, _ in to_mend] == ["c", "d"]
    assert all(verdict["schema_ok"] is False for _, verdict in to_mend)
    assert Judgement.objects.get(state="unjudged").unjudged_reason == "unreadable"


@db
def test_out_makes_its_folders_and_sidecar_says_the_rest(judge: KeyJudge, tmp_path: Path) -> None:
    judge.key.pop(next(key for key in judge.key if "Plan b" in key[0]))
    out = tmp_path / "far" / "away" / "v.json"

    said = run(str(written(tmp_path)), call_type="planner", out=str(out), sidecar=True)

    assert said.out.endswith(f"→ {out}\n")
    assert "left out, 1 unjudged: unreadable 1" in said.err
    assert sorted(file.name for file in out.parent.iterdir()) == ["v.json", "v.sidecar.json"]
    beside = json.loads((out.parent / "v.sidecar.json").read_bytes())
    assert [left["call_id"] for left in beside["unjudged"]] == ["b"]
    assert beside["epoch"]["rubric"] == "calls@1"
    assert beside["cost_usd"] > 0
    assert beside["unjudged_cost_usd"] > 0


@db
def test_judging_again_reuses_and_writes_the_same(judge: KeyJudge, tmp_path: Path) -> None:
    path = written(tmp_path)
    out = path.parent / "judge-out" / "planner-verdicts.json"
    run(str(path), call_type="planner")
    before, asked, jobs = out.read_bytes(), len(judge.asked), Job.objects.count()

    run(str(path), call_type="planner")

    assert out.read_bytes() == before
    assert len(judge.asked) == asked
    assert Job.objects.count() == jobs
    assert Verdict.objects.count() == 4


@db
def test_reuse_needs_no_judge(judge: KeyJudge, tmp_path: Path, settings: Any) -> None:
    path = written(tmp_path)
    run(str(path), call_type="planner")
    settings.ANTHROPIC_API_KEY = settings.ANTHROPIC_BASE_URL = ""
    assert run(str(path), call_type="planner").out.startswith("[planner] judged n=4 ")


@db
def test_silent_captures_need_no_judge(tmp_path: Path, settings: Any) -> None:
    settings.ANTHROPIC_API_KEY = settings.ANTHROPIC_BASE_URL = ""
    path = written(tmp_path, line("a", None), line("b", ""))
    said = run(str(path), call_type="planner")
    assert said.out.startswith("[planner] judged n=2 schema=0/2 factual=2/2 halluc_free=2/2")


@db
def test_only_what_is_in_the_file_is_judged(judge: KeyJudge, tmp_path: Path) -> None:
    folder = tmp_path / "r1"
    call_command("import_run", str(written(folder)), stdout=StringIO())
    smaller = written(folder, LINES[0])
    assert "judged n=1 " in run(str(smaller), call_type="planner").out
    assert Verdict.objects.count() == 1


@db
def test_zero_matches_write_nothing(tmp_path: Path) -> None:
    path = written(tmp_path)
    said = run(str(path), call_type="nobody")
    assert said.out == f"No captures for call_type=nobody in {path}\n"
    assert not (tmp_path / "judge-out").exists()
    assert Capture.objects.count() == 0


@db
@pytest.mark.parametrize("content", [None, b"", b"\n \n"])
def test_case_92_a_call_type_is_met_in_its_very_letters_or_not(
    tmp_path: Path, content: bytes | None
) -> None:
    path = written(tmp_path)
    if content is not None:
        path.write_bytes(content)
    said = run(str(path), call_type="Planner")
    assert said.out == f"No captures for call_type=Planner in {path}\n"
    assert not (tmp_path / "judge-out").exists()
    assert not Run.objects.exists()


@db
def test_case_92_other_doors_judge_nothing_either(reader: Client, tmp_path: Path) -> None:
    call_command("import_run", str(written(tmp_path)), run_id="theirs", stdout=StringIO())
    with pytest.raises(CaseRefused, match="no captures of call type 'Planner'"):
        price(request=JudgeRequest(run_id="theirs", call_type="Planner"))
    assert reader.get("/api/v1/runs/theirs/verdicts?call_type=Planner").status_code == 404
    assert reader.get("/api/v1/runs/theirs/verdicts?call_type=planner").status_code == 404
    assert not Job.objects.exists()


@db
def test_refused_lines_are_said_and_the_rest_stands(judge: KeyJudge, tmp_path: Path) -> None:
    path = written(tmp_path)
    path.write_bytes(b"\xef\xbb\xbfKilled\r\n\n" + path.read_bytes() + b'{"call_id":"to')
    said = run(str(path), call_type="planner")
    assert "judged n=4 " in said.out
    assert "line 1 refused" in said.err
    assert "line 8 refused" in said.err


@db
def test_a_call_type_is_no_path(judge: KeyJudge, tmp_path: Path) -> None:
    path = written(tmp_path, line("a", call_type="../../x"))
    said = run(str(path), call_type="../../x")
    out = tmp_path / "judge-out" / "..%2F..%2Fx-verdicts.json"
    assert said.out.endswith(f"→ {out}\n")
    assert out.is_file()


@db
def test_nul_and_surrogates_from_end_to_end(key_judge: Any, tmp_path: Path) -> None:
    odd = line("odd", '{"subtasks": ["\\u0000 \\ud83d \ud83d \x00"]}', user_content="\ud83d \x00")
    key_judge({(odd["user_content"], odd["response_content"]): HOLDS})
    path = written(tmp_path, odd)

    said = run(str(path), call_type="planner")

    assert "judged n=1 schema=0/1 factual=1/1" in said.out
    stored = Capture.objects.get()
    assert stored.original("response_content") == odd["response_content"]
    assert stored.original("user_content") == odd["user_content"]


# --- where the file is --------------------------------------------------------------------------


@db
def test_folder_of_a_run_stands_for_its_file(judge: KeyJudge, tmp_path: Path) -> None:
    path = written(tmp_path / "r1")
    said = run(str(path.parent), call_type="planner")
    assert f"→ {path.parent / 'judge-out' / 'planner-verdicts.json'}" in said.out


@db
def test_run_id_alone_is_found_under_the_state_root(
    judge: KeyJudge, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = written(tmp_path / "state" / "runs" / "r7")
    monkeypatch.setenv("LEERIE_STATE_DIR", str(tmp_path / "state"))
    said = run(run_id="r7", call_type="planner")
    assert f"→ {path.parent / 'judge-out' / 'planner-verdicts.json'}" in said.out
    assert Run.objects.get().run_id == "r7"


@db
def test_path_goes_before_run_id_which_names_the_run(judge: KeyJudge, tmp_path: Path) -> None:
    run(str(written(tmp_path / "r1")), call_type="planner", run_id="mine")
    assert Run.objects.get().run_id == "mine"


def test_state_root_in_the_order_of_the_seed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "project"
    folder.mkdir()
    container = tmp_path / "container"
    monkeypatch.setattr(state_root, "CONTAINER", container)
    home = {"HOME": "/home/me"}

    def root(argument: str | None = None, **environment: str) -> Path:
        return state_root.state_root(argument, {**home, **environment}, folder)

    assert root() == Path("/home/me/.leerie/project")
    container.mkdir()
    assert root() == container
    (folder / "leerie.toml").write_text('state_dir = "state"\n')
    assert root() == folder / "state"
    assert root(LEERIE_STATE_DIR="/from/environment") == Path("/from/environment")
    assert root("/argument", LEERIE_STATE_DIR="/from/environment") == Path("/argument")


@pytest.mark.parametrize("text", ["state_dir = 7", "state_dir ="])
def test_settings_file_that_cannot_be_used_is_said(tmp_path: Path, text: str) -> None:
    (tmp_path / "leerie.toml").write_text(text)
    with pytest.raises(state_root.NoStateRoot, match=r"leerie\.toml"):
        state_root.state_root(None, {}, tmp_path)


@pytest.mark.parametrize("run_id", ["", "..", "../../etc", "a/b"])
def test_run_id_leads_nowhere_else(tmp_path: Path, run_id: str) -> None:
    with pytest.raises(state_root.NoStateRoot):
        state_root.calls_of_run(tmp_path, run_id)


# --- exit codes ---------------------------------------------------------------------------------


@db
@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ([], "name a PATH or a --run-id"),
        (["/nowhere/calls.ndjson"], "there is no such file"),
        (["{path}", "--model", " "], "model: the judge model has no name"),
        (["{path}", "--budget-usd", "much"], "'much' is no number"),
        (["{path}", "--budget-usd", "0"], "budget_usd"),
        (["{path}", "--rubric", "nobody"], "no rubric 'nobody' is published"),
        (["{path}", "--run-id", "a/b"], "without a slash"),
        (["--run-id", "../x"], "is not the name of a run"),
    ],
)
def test_bad_arguments_are_2(
    judge: KeyJudge, tmp_path: Path, arguments: list[str], says: str
) -> None:
    path = str(written(tmp_path))
    with pytest.raises(CommandError, match=says) as failure:
        run(*[one.format(path=path) for one in arguments], call_type="planner")
    assert failure.value.returncode == 2


@db
def test_no_judge_is_1_with_the_seeds_lines(tmp_path: Path, settings: Any) -> None:
    settings.ANTHROPIC_API_KEY = settings.ANTHROPIC_BASE_URL = ""
    err = StringIO()
    with pytest.raises(SystemExit) as stop:
        call_command("judge_llm_batch", str(written(tmp_path)), call_type="planner", stderr=err)
    assert stop.value.code == 1
    assert "❌ Judge validation failed: no judge is configured" in err.getvalue()
    assert "❌ DO NOT estimate scores" in err.getvalue()
    assert not (tmp_path / "judge-out").exists()
    assert Job.objects.count() == 0


@db
def test_all_unjudged_is_1_and_no_file(
    standin: StandInControl, tmp_path: Path, settings: Any
) -> None:
    settings.ANTHROPIC_API_KEY, settings.ANTHROPIC_BASE_URL = "key-of-the-tests", standin.url
    standin.settings(garbage_share=1)
    err = StringIO()
    with pytest.raises(SystemExit) as stop:
        call_command(
            "judge_llm_batch", str(written(tmp_path, line("a"))), call_type="planner", stderr=err
        )
    assert stop.value.code == 1
    assert "1 unjudged: unreadable 1" in err.getvalue()
    assert not (tmp_path / "judge-out").exists()


@db
def test_a_job_that_stands_is_1_and_what_was_judged_is_kept(
    judge: KeyJudge, tmp_path: Path
) -> None:
    err = StringIO()
    with pytest.raises(SystemExit) as stop:
        call_command(
            "judge_llm_batch",
            str(written(tmp_path)),
            call_type="planner",
            budget_usd="0.0000001",
            stderr=err,
        )
    assert stop.value.code == 1
    assert "budget" in err.getvalue()
    assert not Judgement.objects.filter(state__in=["planned", "claimed"]).exists()


# --- the same bytes everywhere ------------------------------------------------------------------


@pytest.fixture
def reader(make_user: Any) -> Client:
    _, secret = tokens.create_token(
        user=make_user("admin"), name="t", scopes=("read",), expires_at=None, actor="test"
    )
    return Client(headers={"authorization": f"Bearer {secret}"})


def exported(*arguments: str, **options: Any) -> str:
    out = StringIO()
    call_command("export_verdicts", *arguments, stdout=out, **options)
    return out.getvalue()


@db
def test_command_export_and_api_are_equal_byte_for_byte(
    judge: KeyJudge, reader: Client, tmp_path: Path
) -> None:
    path = written(tmp_path / "r1")
    run(str(path), call_type="planner")
    file = (path.parent / "judge-out" / "planner-verdicts.json").read_bytes()
    url = "/api/v1/runs/r1/verdicts"

    answer = reader.get(url, {"call_type": "planner"})

    assert answer.content == file
    assert answer.headers["Content-Type"] == "application/json"
    assert exported("r1", call_type="planner").encode() == file
    exported("r1", call_type="planner", out=str(tmp_path / "e" / "v.json"))
    assert (tmp_path / "e" / "v.json").read_bytes() == file
    for dialect in ("index", "camel"):
        answer = reader.get(url, {"call_type": "planner", "dialect": dialect})
        assert answer.content == exported("r1", call_type="planner", dialect=dialect).encode()


@db
def test_index_dialect_is_a_folder(judge: KeyJudge, reader: Client, tmp_path: Path) -> None:
    run(str(written(tmp_path / "r1")), call_type="planner")
    out = tmp_path / "index"

    exported("r1", call_type="planner", dialect="index", out=str(out))

    names = ["INDEX.json", "a.json", "b.json", "c.json", "d.json"]
    assert sorted(file.name for file in out.iterdir()) == names
    index = json.loads((out / "INDEX.json").read_bytes())
    assert index[1] == {"call_id": "b", "call_type": "planner", "passed": False}
    one = json.loads((out / "b.json").read_bytes())
    assert one["dimensions"] == {"schema_ok": True, "factual_ok": False, "hallucination_ok": False}
    url = "/api/v1/runs/r1/verdicts"
    answer = reader.get(url, {"call_type": "planner", "dialect": "index", "call_id": "b"})
    assert answer.content == (out / "b.json").read_bytes()


@db
def test_nothing_to_export_is_1(tmp_path: Path) -> None:
    with pytest.raises(
        CommandError, match="No captures for call_type=planner in run r1"
    ) as failure:
        exported("r1", call_type="planner")
    assert failure.value.returncode == 1


@pytest.mark.serial
@pytest.mark.django_db(transaction=True)
def test_as_a_process(judge: KeyJudge, tmp_path: Path) -> None:
    """Its one line alone on standard output, in an environment without a locale."""
    written(tmp_path / "home" / ".leerie" / "work" / "runs" / "r1")
    (tmp_path / "work").mkdir()
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(tmp_path / "home"),
        "DATABASE_URL": database_url(),
        "JUDGEWEB_DATA_DIR": str(tmp_path),
        "ANTHROPIC_API_KEY": "key-of-the-tests",
        "ANTHROPIC_BASE_URL": judge.url,
        "PYTHONPATH": str(ROOT),
    }
    command = [sys.executable, str(ROOT / "manage.py"), "judge_llm_batch"]
    done = subprocess.run(
        [*command, "--run-id", "r1", "--call-type", "planner"],
        cwd=tmp_path / "work",
        env=environment,
        capture_output=True,
        encoding="utf-8",
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("[planner] judged n=4 schema=2/4 factual=3/4 halluc_free=3/4")
    assert done.stdout.count("\n") == 1
