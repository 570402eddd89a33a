"""Drafts that authors edit and the immutable revisions that judging reads."""

from rubrics_app.models.anchors import AnchorBand, AnchorSet
from rubrics_app.models.contract import CallTypePolicy, Contract
from rubrics_app.models.gold import GoldStandard
from rubrics_app.models.revision import Draft, Revision, RevisionKind
from rubrics_app.models.rubric import Dimension, DimensionMark, Rubric
from rubrics_app.models.scenario import ChecklistEntry, ItemList, Scenario, ScenarioFile
from rubrics_app.models.swebench import SweAlias, SweFunctions, SweInstance

__all__ = [
    "AnchorBand",
    "AnchorSet",
    "CallTypePolicy",
    "ChecklistEntry",
    "Contract",
    "Dimension",
    "DimensionMark",
    "Draft",
    "GoldStandard",
    "ItemList",
    "Revision",
    "RevisionKind",
    "Rubric",
    "Scenario",
    "ScenarioFile",
    "SweAlias",
    "SweFunctions",
    "SweInstance",
]
