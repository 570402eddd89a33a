"""What every page's frame shows."""

from typing import Any

from django.conf import settings
from django.http import HttpRequest


def chrome(request: HttpRequest) -> dict[str, Any]:
    return {"version": settings.VERSION}
