"""Yes and no in lists of the admin: words, since Django's red cross reads like a fault."""

from collections.abc import Callable
from typing import Any

from django.contrib import admin
from django.db.models import Model


def in_words(field: str, *, heading: str, yes: str, no: str = "") -> Callable[[Any, Model], str]:
    """A column of `list_display` that says `yes` or `no` for a yes-or-no field."""

    @admin.display(description=heading, ordering=field, empty_value="")
    def column(_admin: Any, row: Model) -> str:
        return yes if getattr(row, field) else no

    return column
