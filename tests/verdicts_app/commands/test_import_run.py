"""import_run: captures from a run directory or a file."""

import gzip
import json
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from verdicts_app.models import Capture, Run, Verdict

pytestmark = pytest.mark.django_db
CALL = {
    "call_id": "c1",
    "call_type": "planner",
    "user_content": "u",
    "response_content": "{}",
    "parsed_ok": True,
}
GOOD = json.dumps(CALL).encode() + b"\n"


def run(*arguments: str | Path) -> tuple[int, str]:
    out = StringIO()
    try:
        call_command("import_run", *map(str, arguments), stdout=out)
    except SystemExit as end:
        return int(str(end.code)), out.getvalue()
    return 0, out.getvalue()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "run-7"
    folder.mkdir()
    (folder / "calls.ndjson").write_bytes(GOOD)
    return folder


def test_a_run_directory_names_its_run(folder: Path) -> None:
    file = folder / "calls.ndjson"
    assert run(folder) == (0, f"{file}: run run-7: 1 accepted, 0 duplicate, 0 refused\n")
    assert run(file) == (0, f"{file}: run run-7: 0 accepted, 1 duplicate, 0 refused\n")
    assert Capture.objects.get().run.run_id == "run-7"


def test_several_files_and_gzip_go_into_one_named_run(folder: Path, tmp_path: Path) -> None:
    more = tmp_path / "more.ndjson.gz"
    more.write_bytes(gzip.compress(GOOD.replace(b"c1", b"c2")))
    assert run(folder, more, "--run-id", "all")[0] == 0
    assert Capture.objects.filter(run__run_id="all").count() == 2


def test_refused_lines_are_listed_and_end_with_one(folder: Path) -> None:
    (folder / "calls.ndjson").write_bytes(GOOD + b'{"call_id":7}\n' + GOOD[:30])
    code, out = run(folder)
    assert code == 1
    assert out.splitlines()[1:] == [
        "  line 2 call_id: expected text that is not blank, not 7",
        "  line 3: line 3 incomplete, ignored",
    ]


def test_a_file_that_breaks_off_says_so(folder: Path) -> None:
    (folder / "calls.ndjson").write_bytes(gzip.compress(GOOD)[:-4])
    code, out = run(folder)
    assert code == 1
    assert "1 accepted" in out
    assert "broke off: the gzip stream cannot be read on: it ends in the middle" in out


@pytest.mark.parametrize("run_id", ["a/b", "x" * 201])
def test_bad_arguments_end_with_two(folder: Path, tmp_path: Path, run_id: str) -> None:
    for arguments in (
        [folder, "--run-id", run_id],
        [tmp_path / "nowhere"],
        [tmp_path],
    ):
        with pytest.raises(CommandError) as refused:
            run(*arguments)
        assert refused.value.returncode == 2


# --- results ------------------------------------------------------------------------------------

SHAPES = json.loads((Path(__file__).parents[2] / "cases" / "verdicts" / "shapes.json").read_text())


@pytest.fixture
def results(folder: Path) -> Path:
    (folder / "deep").mkdir()
    (folder / "deep" / "judge_1.json").write_text(json.dumps(SHAPES["J1 wrapper"]))
    (folder / "vote.yaml").write_bytes(
        (Path(__file__).parents[2] / "cases" / "verdicts" / "vote.yaml").read_bytes()
    )
    answer = {"spec": "harbour:dev", "scenario": "ticket-kiosk", "response": "Done."}
    (folder / "run_1.json").write_text(json.dumps(answer))
    (folder / "notes.json").write_text('{"name": "x", "prompt": "y"}')
    return folder


def test_a_run_directory_is_taken_in_whole_and_reported_by_file(results: Path) -> None:
    code, out = run(results, "--spec", "harbour:sm", "--scenario", "ticket-kiosk")
    assert code == 1
    assert out.splitlines() == [
        f"{results / 'calls.ndjson'}: run run-7: 1 accepted, 0 duplicate, 0 refused",
        "read    deep/judge_1.json: 1 verdict made elsewhere",
        "refused notes.json: nothing taken",
        "        document: a scenario: import it with import_scenarios, or POST /scenarios",
        "read    run_1.json: 1 answer",
        "read    vote.yaml: 1 verdict made elsewhere",
    ]
    (results / "notes.json").unlink()
    code, out = run(results, "--spec", "harbour:sm", "--scenario", "ticket-kiosk")
    assert code == 0
    assert "read    vote.yaml: 1 known before" in out


def test_a_dry_run_changes_nothing(results: Path) -> None:
    code, out = run(results, "--spec", "harbour:sm", "--scenario", "ticket-kiosk", "--dry-run")
    assert code == 1
    assert out.endswith("dry run, nothing was changed\n")
    assert not Capture.objects.exists()
    assert not Verdict.objects.exists()
    assert not Run.objects.exists()


def test_the_report_as_json_names_line_and_key(results: Path) -> None:
    (results / "vote.yaml").write_text("findings:\n- finding_id: F1\n  caught: perhaps\n")
    _, out = run(results, "--spec", "harbour:sm", "--scenario", "ticket-kiosk", "--json")
    files = {file["file"]: file for file in json.loads(out)["files"]}
    assert files["deep/judge_1.json"]["outcome"] == "read"
    assert files["vote.yaml"]["outcome"] == "refused"
    assert files["vote.yaml"]["said"] == [
        {
            "place": "line 3, findings[0].caught",
            "message": 'must be true or false, not "perhaps"',
            "refused": True,
        }
    ]


def test_envelopes_are_a_judges_words_where_the_caller_says_so(folder: Path) -> None:
    envelope = {"type": "result", "result": SHAPES["J1 wrapper"]["judge_response"]}
    file = folder / "judge_2.json"
    file.write_text(json.dumps(envelope))
    names = ("--spec", "harbour:dev", "--scenario", "s", "--judge", "some-judge")
    code, out = run(file, "--verdicts", *names)
    assert (code, out) == (0, f"read    {file}: 1 verdict made elsewhere\n")
    assert Verdict.objects.get().epoch.requested_model == "some-judge"


def test_the_verdicts_that_were_written_beside_the_calls_are_no_results(results: Path) -> None:
    (results / "notes.json").unlink()
    (results / "judge-out").mkdir()
    (results / "judge-out" / "planner-verdicts.json").write_text('{"call_type": "planner"}')
    code, out = run(results, "--spec", "harbour:sm", "--scenario", "ticket-kiosk")
    assert code == 0
    assert [line for line in out.splitlines() if "judge-out" in line] == [
        "skipped judge-out/planner-verdicts.json: what lies in judge-out was written here"
    ]


def test_every_file_that_is_left_alone_is_named_with_the_reason(folder: Path) -> None:
    (folder / "README.md").write_text("# Notes")
    (folder / "old").mkdir()
    (folder / "old" / "calls.ndjson").write_bytes(GOOD)
    (folder / "broken.json").symlink_to(folder / "nowhere")
    code, out = run(folder)
    assert code == 0
    assert out.splitlines()[1:] == [
        "skipped README.md: its name ends in none of .json, .yaml, .yml, .csv, .jsonl, .ndjson, "
        ".pred",
        "skipped broken.json: no file that can be read",
        "skipped old/calls.ndjson: captured calls of another run: import its folder",
    ]
    files = json.loads(run(folder, "--json")[1])["files"]
    assert [file["file"] for file in files if file["outcome"] == "skipped"] == [
        "README.md",
        "broken.json",
        "old/calls.ndjson",
    ]


def test_captured_calls_under_another_name_are_known_by_their_lines(folder: Path) -> None:
    (folder / "more.jsonl").write_bytes(GOOD.replace(b"c1", b"c2"))
    code, out = run(folder)
    assert (code, Capture.objects.count()) == (0, 2)
    assert f"{folder / 'more.jsonl'}: run run-7: 1 accepted" in out


def test_long_reports_are_cut_with_their_count_and_printed_whole_on_demand(folder: Path) -> None:
    lines = [b'{"spec": "a:b", "scenario": "s", "response": %d}\n' % number for number in range(50)]
    (folder / "rows.jsonl").write_bytes(b"".join(lines))
    code, out = run(folder)
    shown = [line for line in out.splitlines() if line.startswith("        ")]
    assert (code, len(shown)) == (1, 21)
    assert shown[19:] == [
        "        line 20, response: expected text, not 19",
        "        and 30 more refused (--verbose prints them)",
    ]
    _, whole = run(folder, "--verbose")
    assert "        line 50, response: expected text, not 49" in whole.splitlines()
    files = json.loads(run(folder, "--json")[1])["files"]
    assert len(next(file for file in files if file["file"] == "rows.jsonl")["said"]) == 50

    for number in range(25):
        (folder / f"{number:02}.txt").write_text("x")
    (folder / "calls.ndjson").write_bytes(b'{"call_id":7}\n' * 30)
    _, out = run(folder)
    skipped = [line for line in out.splitlines() if line.startswith("skipped")]
    assert (len(skipped), skipped[-1]) == (21, "skipped 5 more (--verbose prints them)")
    assert "  and 10 more" in out.splitlines()


def test_a_file_that_cannot_be_read_says_why(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = folder / "locked.json"
    file.write_text("{}")
    read_bytes = Path.read_bytes

    def locked(path: Path) -> bytes:
        if path == file:
            raise PermissionError(13, "Permission denied")
        return read_bytes(path)

    monkeypatch.setattr(Path, "read_bytes", locked)
    code, out = run(folder)
    assert code == 1
    assert "        cannot be read: Permission denied" in out.splitlines()
