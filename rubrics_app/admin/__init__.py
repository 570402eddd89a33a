"""The admin of rubric authors: drafts, their revisions, publishing."""

from rubrics_app.admin import anchors, gold, revisions, rubrics, scenarios

__all__ = ["anchors", "gold", "revisions", "rubrics", "scenarios"]
