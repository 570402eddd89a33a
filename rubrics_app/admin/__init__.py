"""The admin of rubric authors: drafts, their revisions, publishing."""

from rubrics_app.admin import anchors, contracts, gold, revisions, rubrics, scenarios, swebench

__all__ = ["anchors", "contracts", "gold", "revisions", "rubrics", "scenarios", "swebench"]
