"""Routes of what is judged against: read revisions, import rubrics, scenarios, gold standards."""

from rubrics_app.api import importing, reading
from rubrics_app.api.routes import router

__all__ = ["importing", "reading", "router"]
