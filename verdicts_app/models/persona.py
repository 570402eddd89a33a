"""Personas: who answers, and the themes that they come from."""

from django.db import models


class Theme(models.Model):
    """A cast: one character a role. `extras` is every other key of its file, as JSON."""

    name = models.CharField(max_length=200, unique=True)
    description = models.TextField(blank=True)
    extras = models.TextField(blank=True)

    class Meta:
        ordering = ["name"]

    def __str__(self) -> str:
        return self.name


class Persona(models.Model):
    """`spec` is `theme:role` (or any name an agent goes by). A control has no character.

    `style` and `expertise` are the theme file's own words; `extras` is what else it says of the
    agent, as JSON."""

    spec = models.CharField(max_length=200, unique=True)
    theme = models.CharField(max_length=200, blank=True, db_index=True)
    role = models.CharField(max_length=100, blank=True, db_index=True)
    character = models.CharField(max_length=300, blank=True)
    style = models.TextField(blank=True)
    expertise = models.TextField(blank=True)
    extras = models.TextField(blank=True)
    is_control = models.BooleanField("control", default=False)
    is_archived = models.BooleanField("archived", default=False)

    class Meta:
        ordering = ["spec"]

    def __str__(self) -> str:
        return self.spec
