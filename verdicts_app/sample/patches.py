"""Patches: what the cast hands in for the five faults of a made-up repository.

The instances are our own, in the shape of SWE-bench. Nothing is made up about their verdicts:
both patch modes are computed from the diffs below.
"""

import ast
import json
from difflib import unified_diff
from random import Random

from rubrics_app.models import Scenario
from rubrics_app.swebench import SweImporter
from verdicts_app.models import Run
from verdicts_app.sample.cast import CAST, Actor
from verdicts_app.sample.runs import Given, Personas
from verdicts_app.sample.sittings import wanted
from verdicts_app.sample.tidebook import FAULTS, FILES, Edit, Fault
from verdicts_app.work.request import JudgeRequest

REPOSITORY = "harbour/tidebook"
COMMIT = "5a3d1e0000000000000000000000000000000000"
SOURCE = "the sample data"
MODES = ("swebench", "ground-truth")


def import_instances() -> list[Scenario]:
    """The scenarios of the faults, in their order."""
    importer = SweImporter(user=None, actor="command")
    instances = importer.take(_encoded([_instance(one) for one in FAULTS]), source=SOURCE)
    indexes = importer.take_functions(_encoded(_indexes()), source=SOURCE)
    if instances.refusals or indexes.refusals:
        raise RuntimeError(f"a sample instance was refused: {instances} {indexes}")
    ids = [fault.instance_id for fault in FAULTS]
    Scenario.objects.filter(key__in=ids).update(is_sample=True)
    scenarios = Scenario.objects.in_bulk(ids, field_name="key")
    return [scenarios[key] for key in ids]


def _instance(fault: Fault) -> dict[str, str]:
    return {
        "instance_id": fault.instance_id,
        "repo": REPOSITORY,
        "base_commit": COMMIT,
        "problem_statement": fault.issue,
        "patch": diff_of(fault.gold),
    }


def _encoded(value: object) -> bytes:
    return json.dumps(value).encode()


def _indexes() -> dict[str, object]:
    """By instance the functions and classes of all files, as files of indexes hold them."""
    spans = {path: _spans(text) for path, text in FILES.items()}
    return {fault.instance_id: spans for fault in FAULTS}


def _spans(text: str) -> list[list[object]]:
    """Kind, dotted name, first and last line."""
    spans: list[list[object]] = []
    for node in ast.parse(text).body:
        if isinstance(node, ast.ClassDef):
            spans.append(["c", node.name, node.lineno, node.end_lineno])
            spans += [
                ["f", f"{node.name}.{one.name}", one.lineno, one.end_lineno]
                for one in node.body
                if isinstance(one, ast.FunctionDef)
            ]
        elif isinstance(node, ast.FunctionDef):
            spans.append(["f", node.name, node.lineno, node.end_lineno])
    return spans


def diff_of(edits: tuple[Edit, ...]) -> str:
    """The unified diff of the edits, as git prints it."""
    changed: dict[str, str] = {}
    for edit in edits:
        changed[edit.path] = changed.get(edit.path, FILES[edit.path]).replace(edit.old, edit.new)
    return "".join(_file_diff(path, text) for path, text in sorted(changed.items()))


def _file_diff(path: str, text: str) -> str:
    old, new = FILES[path].splitlines(keepends=True), text.splitlines(keepends=True)
    lines = unified_diff(old, new, f"a/{path}", f"b/{path}")
    return f"diff --git a/{path} b/{path}\n" + "".join(lines)


# --- answers ------------------------------------------------------------------------------------


def answers(scenarios: list[Scenario], personas: Personas, day: int) -> list[Given]:
    """What the developers and reviewers hand in on a day."""
    return [
        Given(personas[actor.spec], scenario, _answer(actor, fault, day))
        for actor in CAST
        if actor.role != "sm"
        for fault, scenario in zip(FAULTS, scenarios, strict=True)
    ]


def _answer(actor: Actor, fault: Fault, day: int) -> str:
    """The better the actor, the oftener the known patch; now and then no patch at all."""
    rng = Random(f"{actor.spec}/{fault.number}/{day}")
    luck = rng.random() / actor.finds
    if luck > 1.3:
        return f"{actor.opening}\n\nI would look into tidebook first.\n\n{actor.closing}"
    edits = fault.gold if luck < 0.45 else fault.near if luck < 1.0 else fault.astray
    return f"{actor.opening}\n\n```diff\n{diff_of(edits)}```\n\n{actor.closing}"


def requests(run: Run) -> list[JudgeRequest]:
    return [wanted(run_id=run.run_id, mode=mode) for mode in MODES]
