"""Reading the environment: every helper names the variable when its value cannot be used."""

import os

from django.core.exceptions import ImproperlyConfigured

TRUE = {"1", "true", "yes", "on"}
FALSE = {"0", "false", "no", "off", ""}


def text(name: str, default: str = "") -> str:
    return os.environ.get(name, default).strip()


def boolean(name: str, default: bool) -> bool:
    value = os.environ.get(name)
    if value is None:
        return default
    if value.strip().lower() in TRUE:
        return True
    if value.strip().lower() in FALSE:
        return False
    raise ImproperlyConfigured(f"{name}={value!r}: expected one of 1, 0, true, false, yes, no")


def integer(name: str, default: int, *, least: int = 0, most: int = 2**31) -> int:
    value = os.environ.get(name, "").strip()
    if not value:
        return default
    if not value.lstrip("-").isdigit() or not least <= int(value) <= most:
        raise ImproperlyConfigured(f"{name}={value!r}: expected a whole number {least} to {most}")
    return int(value)


def words(name: str, default: str = "") -> list[str]:
    return [word.strip() for word in text(name, default).split(",") if word.strip()]
