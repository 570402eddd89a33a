"""Exact values as the working shows them."""

from decimal import Decimal
from fractions import Fraction

from django import template

from verdicts_app.templatetags.figures import MISSING, rounded

register = template.Library()


@register.filter
def exactly(value: int | Fraction | Decimal | None, places: int = 6) -> str:
    """Up to six decimals, without the zeros at the end: 0.680412, 18.75, 8."""
    if value is None:
        return MISSING
    text = rounded(value, places)
    return text.rstrip("0").rstrip(".") if "." in text else text
