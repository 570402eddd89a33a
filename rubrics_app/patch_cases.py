"""From a scenario to what its patches are judged against: the SWE-bench instance behind it."""

import json
from collections.abc import Mapping
from fractions import Fraction
from functools import lru_cache
from types import MappingProxyType
from typing import Any

from judgeweb.judging.documents import RubricDocument, ScenarioDocument, digest
from judgeweb.judging.modes import mode_for
from judgeweb.judging.types import FunctionSpan, PatchCase
from rubrics_app.models import SweAlias, SweInstance

WITHOUT_A_MODEL = "swebench"
"""What the answers to an instance are judged in where nothing says otherwise."""
Functions = Mapping[str, tuple[FunctionSpan, ...]]


def instance_for(key: str, scenario: ScenarioDocument | None = None) -> SweInstance | None:
    """The instance of exactly this id, else of exactly this alias, else the one that the scenario
    names as its `source.instance_id` (role-adapted scenarios name their base so). None where
    there is none."""
    names = (key, _named_by(scenario) if scenario else "")
    for name in filter(None, names):
        if found := _found(name):
            return found
    return None


def default_mode(key: str, scenario: ScenarioDocument) -> str:
    """The mode that a scenario says: its family, else its lists; one that has neither and names
    the SWE-bench instance that it comes from is one of patches, where the gold patch is known
    here. Raise CaseRefused as `mode_for` does."""
    name = mode_for(scenario)
    says_so = bool(scenario.family or scenario.baseline_issues or scenario.baseline_criteria)
    if says_so or not _named_by(scenario) or instance_for(key, scenario) is None:
        return name
    return WITHOUT_A_MODEL


def _found(name: str) -> SweInstance | None:
    instances = SweInstance.objects.select_related("functions")
    if found := instances.filter(instance_id=name).first():
        return found
    alias = SweAlias.objects.filter(alias=name).first()
    return instances.get(pk=alias.instance_id) if alias else None


def _named_by(scenario: ScenarioDocument) -> str:
    extras: Any = json.loads(scenario.extras or "{}")
    source = extras.get("source") if isinstance(extras, dict) else None
    named = source.get("instance_id") if isinstance(source, dict) else None
    return named if isinstance(named, str) else ""


def patch_case(
    instance: SweInstance,
    *,
    rubric: RubricDocument,
    scenario: str,
    response: str,
    persona: Fraction | None = None,
) -> PatchCase:
    """What the modes `swebench` and `ground-truth` judge. No file of the repository is needed."""
    return PatchCase(
        rubric=rubric,
        scenario=scenario,
        gold_patch=instance.patch,
        response=response,
        test_patch=instance.test_patch,
        issue=instance.problem_statement,
        functions=_functions_of(_index_of(instance)),
        persona=persona,
    )


def instance_digest(instance: SweInstance) -> str:
    """Everything about the instance that can move a verdict, as 64 hex digits, to be pinned."""
    functions = getattr(instance, "functions", None)
    return digest(f"{instance.sha256} {functions.sha256 if functions else ''}")


def _index_of(instance: SweInstance) -> str:
    functions = getattr(instance, "functions", None)
    return functions.index if functions else "{}"


@lru_cache(maxsize=512)
def _functions_of(index: str) -> Functions:
    return MappingProxyType(
        {
            path: tuple(FunctionSpan(str(k), str(n), int(a), int(b)) for k, n, a, b in spans)
            for path, spans in json.loads(index).items()
        }
    )
