"""Exact values as the working shows them, and the time of day as a log does."""

from datetime import datetime
from decimal import Decimal
from fractions import Fraction

from django import template
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString

from verdicts_app.templatetags.figures import MISSING, rounded

register = template.Library()


@register.filter
def exactly(value: int | Fraction | Decimal | None, places: int = 6) -> str:
    """Up to six decimals, without the zeros at the end: 0.680412, 18.75, 8."""
    if value is None:
        return MISSING
    text = rounded(value, places)
    return text.rstrip("0").rstrip(".") if "." in text else text


@register.simple_tag
def clock(when: datetime | None, seconds: bool = True) -> SafeString | str:
    """{% clock event.at %} -> 14:18:52 of today, 29 Nov, 14:18 of another day."""
    if when is None:
        return MISSING
    local = timezone.localtime(when)
    if local.date() != timezone.localdate():
        text = f"{local.day} {local:%b, %H:%M}"
    else:
        text = f"{local:%H:%M:%S}" if seconds else f"{local:%H:%M}"
    return format_html('<time datetime="{}">{}</time>', local.isoformat(timespec="seconds"), text)
