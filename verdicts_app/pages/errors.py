"""The page after a fault of ours, with a number under which the log has it."""

import logging
import secrets

from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.utils import timezone

logger = logging.getLogger(__name__)


def server_error(request: HttpRequest) -> HttpResponse:
    """No context processors: one of them may be what failed."""
    report = f"e-{timezone.localtime():%Y%m%d-%H%M}-{secrets.token_hex(2)}"
    logger.error("report %s: %s %s", report, request.method, request.path)
    return HttpResponse(render_to_string("500.html", {"report": report}), status=500)
