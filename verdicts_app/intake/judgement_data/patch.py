"""swebench and ground-truth: an answer whose patch is compared with a known one."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from judgeweb.judging.documents import ScenarioDocument
from judgeweb.judging.errors import CaseRefused
from judgeweb.judging.text import is_blank, shown
from rubrics_app.models import RevisionKind, Scenario
from rubrics_app.patch_cases import instance_for
from rubrics_app.scenarios import save_scenario
from rubrics_app.selectors import newest_revision
from verdicts_app.intake import strict_json
from verdicts_app.intake.judgement_data.answers import Given, Taken, store_answers
from verdicts_app.intake.judgement_data.checks import check_name, check_object, check_text

NOBODY = "unnamed"
"""Who answered, where the request does not say it: the seed's does not."""
ANSWERS = ("result", "response_text", "response", "model_patch")
NAMES = ("spec", "model_name_or_path")


def check(data: Any, mode: str) -> None:
    check_object(data, required=("scenario", "response"), optional=("spec", "response_file"))
    if data.get("response_file") is not None:
        raise CaseRefused(
            "response_file",
            "a path is for the local command: send what the file holds as response",
            data["response_file"],
        )
    check_name(data, "scenario")
    check_text(data, "response", may_be_empty=True)
    if data.get("spec") is not None:
        check_name(data, "spec")


def asks(data: Mapping[str, Any]) -> bool:
    return False


def take_in(data: Mapping[str, Any], mode: str, to: Taken) -> dict[str, Any]:
    scenario = scenario_named(data["scenario"].strip(), to)
    given = Given(data.get("spec") or NOBODY, data["response"], data)
    ids = store_answers([given], scenario, to)
    return {"response_ids": ids, "mode": mode, "use_gold": False}


def scenario_named(name: str, to: Taken) -> Scenario:
    """The one of this name; of an instance that has none, its issue becomes the scenario."""
    known = Scenario.objects.filter(key=name).first()
    if known is not None and newest_revision(RevisionKind.SCENARIO, name) is not None:
        return known
    instance = instance_for(name)
    if instance is None:
        raise CaseRefused(
            "scenario",
            f"no scenario and no SWE-bench instance is called {name!r}: import its instance, or "
            "name one as its alias",
            name,
        )
    document = ScenarioDocument(
        name=name,
        title=f"{instance.repo} {instance.instance_id}",
        challenge=instance.problem_statement
        if not is_blank(instance.problem_statement)
        else f"Resolve {instance.instance_id}.",
        extras=json.dumps({"source": {"instance_id": instance.instance_id}}),
    )
    return save_scenario(document, user=to.user, actor=to.actor).scenario


def with_file_content(data: Mapping[str, Any]) -> tuple[dict[str, Any], Path]:
    """The seed's data, for the local command: `response_file` is read, its answer becomes
    `response`. A JSON object holds it as `result` or `response_text`; any other file is the answer
    itself. Raise CaseRefused."""
    path = data.get("response_file")
    if not isinstance(path, str) or is_blank(path):
        message = "missing" if path is None else f"expected a path, not {shown(path)}"
        raise CaseRefused("response_file", message, path)
    if "response" in data:
        raise CaseRefused("response", "response_file is given as well: name either")
    rest = {key: value for key, value in data.items() if key != "response_file"}
    return {**rest, **_read(Path(path))}, Path(path)


def _read(path: Path) -> dict[str, str]:
    try:
        content = path.read_bytes()
    except OSError as error:
        raise CaseRefused("response_file", f"{path}: {error.strerror}", str(path)) from error
    if not content.lstrip(b"\xef\xbb\xbf \t\r\n").startswith((b"{", b"[")):
        return {"response": content.decode("utf-8", "surrogateescape")}
    try:
        document = strict_json.parse(content)
    except strict_json.NotJson as error:
        raise CaseRefused("response_file", f"{path} is not JSON: {error}", str(path)) from error
    found = _field(document, ANSWERS)
    if found is None:
        message = f"{path} holds no answer: expected an object with {' or '.join(ANSWERS[:2])}"
        raise CaseRefused("response_file", message, str(path))
    name = _field(document, NAMES)
    return {"response": found, **({"spec": name} if name else {})}


def _field(document: Any, names: tuple[str, ...]) -> str | None:
    """The first of these fields that holds a text; a null answer is an empty one."""
    if not isinstance(document, Mapping):
        return None
    for name in names:
        if name in document and (document[name] is None or isinstance(document[name], str)):
            return document[name] or ""
    return None
