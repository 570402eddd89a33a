"""Cursors of keyset pages."""

from django.http import HttpRequest

GREATEST = 2**63 - 1


def cursor(request: HttpRequest, name: str) -> int | None:
    """The id a page starts from; None where the URL names none, or something else than an id."""
    text = request.GET.get(name, "")
    if not (text.isascii() and text.isdigit()):
        return None
    return min(int(text[:20]), GREATEST)
