"""Numbers, money and time as every page writes them. None is "–", never 0 and never blank."""

import re
from datetime import datetime, timedelta
from decimal import Decimal
from fractions import Fraction

from django import template
from django.utils import timezone
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe

register = template.Library()

MISSING = "–"
MINUS = "\N{MINUS SIGN}"

Number = int | float | Fraction | Decimal


def rounded(value: Number, places: int) -> str:
    """Half up from the exact value, with a true minus. A float counts as the decimal it prints."""
    exact = _exact(value)
    scaled = abs(exact) * 10**places
    whole = int(scaled + Fraction(1, 2))
    digits = f"{whole:0{places + 1}d}"
    text = f"{int(digits[:-places]):,}.{digits[-places:]}" if places else f"{whole:,}"
    return MINUS + text if exact < 0 and whole else text


@register.filter
def decimals(value: Number | None, places: int = 1) -> str:
    """{{ total|decimals }} -> 75.7; {{ total|decimals:6 }} -> 75.698085."""
    return MISSING if value is None else rounded(value, places)


@register.filter
def signed(value: Number | None, places: int = 1) -> str:
    """A difference: +1.6, 0.0, or with a true minus."""
    if value is None:
        return MISSING
    text = rounded(value, places)
    is_plus = value > 0 and any(digit in "123456789" for digit in text)
    return f"+{text}" if is_plus else text


@register.filter
def points(nano: int | None, places: int = 1) -> str:
    """A total stored in 1e-9 points."""
    return MISSING if nano is None else rounded(Fraction(nano, 10**9), places)


@register.filter
def percent(rate: Number | None, places: int = 0) -> str:
    return MISSING if rate is None else rounded(_exact(rate) * 100, places) + "%"


@register.filter
def p_value(value: float | None) -> str:
    if value is None:
        return MISSING
    return "<0.001" if value < 0.001 else rounded(value, 3 if value < 0.01 else 2)


@register.filter
def money(nano_usd: int | None) -> str:
    """1e-9 USD: four decimals below one dollar, two from there."""
    if nano_usd is None:
        return MISSING
    dollars = Fraction(nano_usd, 10**9)
    text = rounded(abs(dollars), 4 if abs(dollars) < 1 else 2)
    return f"{MINUS if nano_usd < 0 else ''}${text}"


@register.filter
def count(number: int | None, words: str = "") -> str:
    """{{ 1418|count }} -> 1,418; {{ n|count:"verdict,verdicts" }} -> 1 verdict."""
    if number is None:
        return MISSING
    if not words:
        return f"{number:,}"
    one, many = words.split(",")
    return f"{number:,} {one if number == 1 else many}"


@register.filter
def duration(milliseconds: int | None) -> str:
    """850 ms, 11.8 s, 13 min, 2 h 5 min, 3 days."""
    if milliseconds is None:
        return MISSING
    if milliseconds < 1000:
        return f"{milliseconds} ms"
    if milliseconds < 59_950:
        return rounded(Fraction(milliseconds, 1000), 1) + " s"
    minutes = round(milliseconds / 60_000)
    if minutes < 60:
        return f"{minutes} min"
    if minutes < 48 * 60:
        return f"{minutes // 60} h {minutes % 60} min"
    return f"{minutes // (24 * 60)} days"


@register.filter
def span(length: timedelta | None) -> str:
    return MISSING if length is None else duration(round(length.total_seconds() * 1000))


@register.filter
def day(moment: datetime | None) -> str:
    """29 Nov 2026, in the installation's zone."""
    if moment is None:
        return MISSING
    local = timezone.localtime(moment) if isinstance(moment, datetime) else moment
    return f"{local.day} {local:%b %Y}"


@register.simple_tag
def moment(when: datetime | None, seconds: bool = False) -> SafeString | str:
    """{% moment verdict.judged_at %} -> <time datetime="…">29 Nov 2026, 23:41</time>."""
    if when is None:
        return MISSING
    local = timezone.localtime(when)
    text = f"{local.day} {local:%b %Y, %H:%M}" + (f":{local:%S}" if seconds else "")
    return format_html('<time datetime="{}">{}</time>', local.isoformat(timespec="seconds"), text)


@register.filter
def breakable(name: str) -> SafeString:
    """theme:role may break after the colon, snake_case after its underscores."""
    parts = re.split("(?<=[:_])", name)
    return format_html_join(mark_safe("<wbr>"), "{}", ((part,) for part in parts))


def _exact(value: Number) -> Fraction:
    return Fraction(repr(value)) if isinstance(value, float) else Fraction(value)
