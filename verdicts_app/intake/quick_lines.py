"""The usual line of calls.ndjson, decoded and checked in one go; several times as fast as to read
it field by field.

What is unusual in any way is left to `call_lines`, which takes it or says why not. So this is not
a second opinion: it may decline a good line, never take a bad one.
"""

from typing import Annotated

import msgspec
from jiter import from_json
from msgspec import UNSET, Meta, UnsetType

from verdicts_app.intake.call_lines import LONGEST_NAME, Call, extras_of, time_of
from verdicts_app.intake.fields import LARGEST_INTEGER
from verdicts_app.intake.ndjson import WHITE_SPACE, Line

Name = Annotated[str, Meta(min_length=1, max_length=LONGEST_NAME)]
Short = Annotated[str, Meta(max_length=LONGEST_NAME)] | UnsetType | None
Whole = Annotated[int, Meta(ge=0, le=LARGEST_INTEGER)] | UnsetType | None


class UsualLine(msgspec.Struct, forbid_unknown_fields=True, gc=False):
    call_id: Name
    call_type: Name
    user_content: str
    response_content: str | None
    parsed_ok: bool
    model: Short = UNSET
    run_id: Short = UNSET
    failure_kind: Short = UNSET
    system_prompt: str | UnsetType | None = UNSET
    success: bool | UnsetType | None = UNSET
    input_tokens: Whole = UNSET
    output_tokens: Whole = UNSET
    latency_ms: Annotated[float, Meta(ge=0, le=1e15)] | UnsetType | None = UNSET
    ts: str | UnsetType | None = UNSET
    cgroup_applied: bool | UnsetType | None = UNSET


EXTRAS: dict[bool | UnsetType | None, str] = {
    UNSET: "",
    **{value: extras_of({"cgroup_applied": value}) for value in (None, False, True)},
}


def quick(line: Line) -> Call | None:
    """None where only `call_lines.read` can say what the line is."""
    try:
        # msgspec alone would take the last of two values of a key and not say so.
        document = from_json(line.raw.strip(WHITE_SPACE), catch_duplicate_keys=True)
        usual = msgspec.convert(document, UsualLine)
        at = time_of(usual.ts) if usual.ts else None
    except ValueError:
        return None
    if usual.ts == "" or not _is_plain(usual):
        return None
    return Call(
        line_number=line.number,
        call_id=usual.call_id,
        call_type=usual.call_type,
        model=usual.model or "",
        run_id=usual.run_id or "",
        failure_kind=usual.failure_kind or "",
        system_prompt=None if usual.system_prompt is UNSET else usual.system_prompt,
        user_content=usual.user_content,
        response_content=usual.response_content,
        parsed_ok=usual.parsed_ok,
        success=None if usual.success is UNSET else usual.success,
        input_tokens=None if usual.input_tokens is UNSET else usual.input_tokens,
        output_tokens=None if usual.output_tokens is UNSET else usual.output_tokens,
        latency_ms=None if usual.latency_ms is UNSET else usual.latency_ms,
        ts=at,
        ts_text=usual.ts or "",
        extras=EXTRAS[usual.cgroup_applied],
    )


def _is_plain(usual: UsualLine) -> bool:
    """Names are not blank, and hold nothing that grows into an escape."""
    names = (usual.call_id, usual.call_type, usual.model, usual.run_id, usual.failure_kind)
    return not (
        usual.call_id.isspace()
        or usual.call_type.isspace()
        or any(type(name) is str and "\0" in name for name in names)
    )
