"""Generated captures, clean and dirty: each line accepted or refused as the rules say. Memory."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from verdicts_app.intake import captures
from verdicts_app.intake.captures import CallsReceipt
from verdicts_app.models import Capture

ROOT = Path(__file__).parents[3]
REFUSED = {
    "not_json": "not JSON",
    "log_line": "not JSON",
    "json_array": "expected an object",
    "json_null": "expected an object",
    "json_string": "expected an object",
    "empty_object": "missing",
    "same_call_id_other_content": "the first stands",
    "nan_number": "NaN is not a JSON number",
    "infinity_number": "out of range",
    "huge_integer": "expected 0 to",
    "negative_and_string_numbers": "expected",
    "invalid_utf8": "not UTF-8",
    "response_is_object": "expected text or null",
    "string_boolean": "expected true or false",
    "missing_call_id": "missing",
    "ts_naive": "with its zone",
    "ts_epoch": "with its zone",
    "ts_garbage": "with its zone",
    "truncated_last_line": "incomplete, ignored",
}
"""What the rules refuse, whatever the generator expects; all other lines are taken."""
SKIPPED = {"blank", "whitespace_only"}


def generated(shared: Path, folder: Path, *arguments: str) -> dict[str, Any]:
    script = shared / "samples" / "make_calls.py"
    command = [sys.executable, str(script), "--out", str(folder), *arguments]
    subprocess.run(command, check=True, capture_output=True)
    manifest: dict[str, Any] = json.loads((folder / "manifest.json").read_text())
    return manifest


def records(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_bytes().splitlines()]


def pieces(file: Path, size: int) -> Iterator[bytes]:
    with file.open("rb") as stream:
        while piece := stream.read(size):
            yield piece


def take(file: Path, size: int = 65_536) -> CallsReceipt:
    return captures.take_in(run_id="generated", chunks=pieces(file, size), user=None, actor="test")


@pytest.mark.shared
@pytest.mark.django_db
@pytest.mark.parametrize("seed", ["1", "2", "3"])
def test_clean_files_are_taken_whole_with_their_retries(
    shared: Path, tmp_path: Path, seed: str
) -> None:
    manifest = generated(shared, tmp_path, "--n", "300", "--seed", seed, "--defect-rate", "0.4")
    receipt = take(tmp_path / "calls.ndjson")
    assert (receipt.accepted, receipt.refused_total) == (300, 0)
    assert receipt.call_types == manifest["by_type"]
    key = records(tmp_path / "answer-key.ndjson")
    retries = {line["call_id"] for line in key if line["retry"]}
    linked = Capture.objects.exclude(retry_of=None)
    assert set(linked.values_list("call_id", flat=True)) == retries
    assert len(retries) == manifest["retries"] > 0
    sent = {line["call_id"]: line for line in records(tmp_path / "calls.ndjson")}
    for stored in Capture.objects.select_related("system_prompt"):
        call = sent[stored.call_id]
        assert stored.user_content == call["user_content"]
        assert stored.response_content == call["response_content"]
        assert stored.system_prompt is not None
        assert stored.system_prompt.text == call["system_prompt"]
        assert stored.at_text == call["ts"]


@pytest.mark.shared
@pytest.mark.django_db
@pytest.mark.parametrize("seed", ["1", "5", "9"])
def test_dirty_files_are_taken_and_refused_line_by_line(
    shared: Path, tmp_path: Path, seed: str
) -> None:
    manifest = generated(shared, tmp_path, "--n", "120", "--seed", seed, "--dirty")
    file = tmp_path / "calls.ndjson"
    receipt = take(file)
    refused = {line.line: str(line.reason) for line in receipt.refused}
    kinds = {line["line_no"]: line["kind"] for line in manifest["dirty_lines"]}
    for number, kind in kinds.items():
        if kind in REFUSED:
            assert REFUSED[kind] in refused.pop(number), kind
    assert not refused
    skipped = sum(kind in SKIPPED for kind in kinds.values())
    assert receipt.lines == manifest["lines"] - skipped
    assert receipt.duplicate == 1
    assert receipt.accepted == receipt.lines - receipt.refused_total - 1
    before = list(Capture.objects.order_by("id").values_list())
    again = take(file, size=7_001)
    assert (again.accepted, again.duplicate) == (0, receipt.accepted + 1)
    assert again.refused == receipt.refused
    assert list(Capture.objects.order_by("id").values_list()) == before


MEMORY = """
import json, resource, sys
from verdicts_app.intake import captures

def stream(count):
    call = {"call_type": "planner", "response_content": "{}", "parsed_ok": True}
    for number in range(count):
        call["call_id"] = f"{count}-{number}"
        call["system_prompt"] = f"prompt {number % 900} " + "p" * 6000
        call["user_content"] = f"input {number} " + "u" * 6000
        yield json.dumps(call).encode() + b"\\n"

def peak(count):
    receipt = captures.take_in(run_id="m", chunks=stream(count), user=None, actor="test")
    assert receipt.accepted == count, receipt
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024

first = peak(3000)
print(first, peak(12000) - first)
"""


@pytest.mark.serial
def test_memory_does_not_grow_with_the_stream(tmp_path: Path) -> None:
    environment = {
        "PATH": "",
        "PYTHONPATH": str(ROOT),
        "JUDGEWEB_DATA_DIR": str(tmp_path),
        "DJANGO_SETTINGS_MODULE": "judgeweb.settings",
        "DEBUG": "1",
    }
    manage = [sys.executable, str(ROOT / "manage.py")]
    migrate = [*manage, "migrate", "--verbosity", "0", "--skip-checks"]
    subprocess.run(migrate, env=environment, check=True)
    measure = [*manage, "shell", "--no-imports", "--command", MEMORY]
    done = subprocess.run(
        measure, env=environment, check=True, capture_output=True, text=True, timeout=300
    )
    first, growth = map(float, done.stdout.split())
    assert growth < 12, f"{first} MB after 3 000 captures, {growth} MB more after 12 000 further"
