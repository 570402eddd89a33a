"""Finds the one verdict object in a judge's reply, or says why there is none (R1, R3).

The ladder: a leading think-like tag goes with its content; then the whole reply as JSON; then the
only object in the text, fenced or bare, that has the shape of the reply schema. A salvaged part
of a broken object is never taken, and of two different verdicts none is.
Differs from R3 in one point: a fenced block gets no preference over a second, different verdict
beside it, since the fence may quote the candidate.
Whether the object's values may be believed is decided by `strict` and the sheets (R4, R5).
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from judgeweb.judging.literals import Broken, Literal, LiteralReader, plain_object
from judgeweb.judging.strict_json import same
from judgeweb.judging.types import Fault, Flag, Reply, UnjudgedReason

# Bounded, since a run of these words without an end would otherwise be scanned from each of them.
_THINK = r"[\w:-]{0,20}?(?:think|thought|reason|reflect|scratchpad|analysis)[\w:-]{0,20}+"
_THINK_OPENS = re.compile(rf"\s*+<\s*+({_THINK})\b[^<>]*+(?<!/)>", re.IGNORECASE)
_THINK_CLOSES = re.compile(rf"</\s*+{_THINK}\s*+>", re.IGNORECASE)
_BRACE = re.compile(r"[{}]")
_LOOKS_LIKE_JSON = re.compile("\\{\\s*+[\"'“”„‟]")
_OBJECT_OPENS = re.compile("\\{\\s*+[\"'“”„‟}]")
MOST_BROKEN = 2000  # about 50 ms of reading

_CUT_OFF = {"max_tokens", "model_context_window_exceeded"}
_READ_BLOCKS = {"text", "tool_use"}
_THINKING_BLOCKS = {"thinking", "redacted_thinking"}


@dataclass(frozen=True)
class Found:
    """The verdict object of a reply, not yet checked. Numbers are int or Decimal."""

    payload: Mapping[str, Any]
    flags: tuple[Flag, ...] = ()
    notes: tuple[str, ...] = ()


def find_verdict(reply: Reply, schema: Mapping[str, Any]) -> Found | Fault:
    """Take the verdict object out of a reply, wherever the ladder finds it."""
    if fault := _stopped(reply):
        return fault
    literal = _of_tool(reply, schema) if reply.tool_input is not None else _of_text(reply, schema)
    if isinstance(literal, Fault):
        return literal
    known = _READ_BLOCKS | _THINKING_BLOCKS
    ignored = sorted({block for block in reply.block_types if block not in known})
    flags = [Flag.REPAIRED] * literal.repaired + [Flag.IGNORED_BLOCKS] * bool(ignored)
    notes = [f"Ignored blocks of type {block}." for block in ignored]
    return Found(literal.value, tuple(flags), tuple(notes))


def _stopped(reply: Reply) -> Fault | None:
    """Faults that need no look at the text."""
    seen = f"stop reason {reply.stop_reason}, blocks: {', '.join(reply.block_types) or 'none'}"
    if reply.stop_reason == "refusal":
        category = reply.refusal_category or "no category given"
        return Fault(UnjudgedReason.REFUSED, f"the judge declined ({category}; {seen})")
    if reply.stop_reason in _CUT_OFF:
        return Fault(UnjudgedReason.TRUNCATED, f"the reply was cut off ({seen})")
    if reply.tool_input is None and not reply.text.strip():
        return Fault(UnjudgedReason.EMPTY_REPLY, f"the reply holds no text ({seen})")
    return None


def _of_tool(reply: Reply, schema: Mapping[str, Any]) -> Literal | Fault:
    """Read a tool call's input through the same reader as text, so that the same checks hold."""
    try:
        text = json.dumps(dict(reply.tool_input or {}), default=_as_number)
        literal = LiteralReader(text).read(0)
    except (Broken, TypeError, ValueError, RecursionError) as error:
        return Fault(UnjudgedReason.UNREADABLE, f"the tool call's input is unreadable: {error}")
    rivals = [one for one in _objects(reply.text) if fits(one.value, schema)]
    return _only([literal, *rivals])


def _as_number(value: Any) -> Any:
    if isinstance(value, Decimal):
        return float(value)
    raise TypeError(f"unexpected {type(value).__name__}")


def _of_text(reply: Reply, schema: Mapping[str, Any]) -> Literal | Fault:
    text = reply.text
    while opening := _THINK_OPENS.match(text):
        closing = re.compile(rf"</\s*+{re.escape(opening[1])}\s*+>", re.IGNORECASE)
        closed = closing.search(text, opening.end())
        if not closed:
            return Fault(UnjudgedReason.UNREADABLE, f"the leading <{opening[1]}> is never closed")
        text = text[closed.end() :]
    whole, reason = _whole(text)
    if whole:
        return whole
    objects = _objects(text)
    if fitting := [one for one in objects if fits(one.value, schema)]:
        return _only(fitting)
    # One object with some of the keys: the strict reader can say what it lacks.
    near = [one for one in objects if one.value.keys() & set(schema["required"])]
    if len(near) == 1:
        return near[0]
    return Fault(UnjudgedReason.UNREADABLE, f"no JSON object of the asked shape: {reason}")


def _whole(text: str) -> tuple[Literal | None, str]:
    """The text as one object, or why it is none."""
    stripped = text.strip().removeprefix("\ufeff").lstrip()
    if not stripped.startswith("{"):
        return None, "the text does not start with {"
    if flawless := plain_object(stripped):
        return flawless, ""
    try:
        literal = LiteralReader(stripped).read(0)
    except Broken as broken:
        return None, str(broken)
    if literal.end < len(stripped):
        return None, f"more text follows the object (character {literal.end + 1})"
    return literal, ""


def _only(literals: list[Literal]) -> Literal | Fault:
    """The first of literals that all say the same, else the fault: two verdicts are none."""
    if all(same(literals[0].value, other.value) for other in literals[1:]):
        return literals[0]
    return Fault(
        UnjudgedReason.AMBIGUOUS, f"the reply holds {len(literals)} verdicts that differ; send one"
    )


def _objects(text: str) -> list[Literal]:
    """Every complete object that stands on its own in the text, in order.

    Passed over are objects that the braces of something broken enclose (a quotation inside a
    verdict that cannot be read must not pass for the verdict) and objects before a closing
    thinking tag. Empty where the text holds more broken objects than an honest reply does.
    """
    reader, partners = LiteralReader(text), _partners(text)
    thinking_ends = max((match.start() for match in _THINK_CLOSES.finditer(text)), default=0)
    objects: list[Literal] = []
    broken = broken_until = 0
    at = text.find("{")
    while at >= 0:
        literal = _object_at(reader, at)
        if literal is None:
            looks_like_json = bool(_LOOKS_LIKE_JSON.match(text, at))
            broken += looks_like_json
            open_end = len(text) if looks_like_json else 0
            broken_until = max(broken_until, partners.get(at, open_end))
        elif literal.end > max(broken_until, thinking_ends):
            objects.append(literal)
        if broken > MOST_BROKEN:
            return []
        at = text.find("{", literal.end if literal else at + 1)
    return objects


def _object_at(reader: LiteralReader, at: int) -> Literal | None:
    if at in reader.failed or not _OBJECT_OPENS.match(reader.text, at):
        return None
    try:
        return reader.read(at)
    except Broken:
        return None


def _partners(text: str) -> dict[int, int]:
    """Where each brace's partner ends, strings not considered: the reach of a broken object."""
    partners: dict[int, int] = {}
    open_at: list[int] = []
    for match in _BRACE.finditer(text):
        if match[0] == "{":
            open_at.append(match.start())
        elif open_at:
            partners[open_at.pop()] = match.end()
    return partners


def fits(value: Any, schema: Mapping[str, Any]) -> bool:
    """True where `value` has the shape of the schema: its objects, lists and required keys.

    Leaf types are left to the strict readers, so that a verdict with a bad mark still counts as
    a second verdict. A mark may stand bare where the schema has {reasoning, value}; texts may be
    left out.
    """
    if schema.get("type") == "array":
        return isinstance(value, list) and all(fits(row, schema["items"]) for row in value)
    if schema.get("type") != "object":
        return not isinstance(value, dict | list)
    parts: Mapping[str, Any] = schema["properties"]
    if not isinstance(value, dict):
        return "value" in parts and not isinstance(value, list)
    return all(
        fits(value[key], parts[key]) if key in value else _is_text(parts[key])
        for key in schema["required"]
    )


def _is_text(schema: Mapping[str, Any]) -> bool:
    return "anyOf" in schema or (schema.get("type") == "string" and "enum" not in schema)
