"""A file of captures on this machine, read through before anything is stored."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from django.conf import settings

from verdicts_app.intake import call_lines, ndjson, quick_lines
from verdicts_app.intake.call_lines import LineRefused
from verdicts_app.intake.files import NotGzip
from verdicts_app.intake.responses import RunRefused, check_run_id

CHUNK = 1024 * 1024


class Contents(NamedTuple):
    """`call_ids` are those of the call type asked for, in file order. `run_id` names the run to
    store the file in."""

    call_ids: tuple[str, ...]
    run_id: str


def chunks_of(path: Path) -> Iterator[bytes]:
    """Raise OSError."""
    with path.open("rb") as file:
        while chunk := file.read(CHUNK):
            yield chunk


def contents(path: Path, call_type: str) -> Contents:
    """What can be read of it. Raise OSError."""
    call_ids: dict[str, None] = {}
    runs: Counter[str] = Counter()
    try:
        stream = ndjson.inflated(chunks_of(path))
        for line in ndjson.lines(stream, longest=settings.CAPTURE_LINE_MAX_BYTES):
            if line.is_blank or line.is_too_long:
                continue
            try:
                call = quick_lines.quick(line) or call_lines.read(line)
            except LineRefused:
                continue
            runs[call.run_id] += 1
            if call.call_type == call_type:
                call_ids[call.call_id] = None
    except NotGzip:
        pass
    return Contents(tuple(call_ids), _run_id(runs, path))


def _run_id(runs: Counter[str], path: Path) -> str:
    """The name of the folder, as `import_run` has it; where that names no run, what most captures
    say."""
    named = [run_id for run_id, _ in runs.most_common()]
    for run_id in (path.absolute().parent.name, *named):
        try:
            check_run_id(run_id)
        except RunRefused:
            continue
        return run_id
    return "calls"
